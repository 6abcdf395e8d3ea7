"""Imports Beam without what it warns of at every import: clients of services nobody asked for, and their plans."""

import logging
import warnings


def _is_wanted(record: logging.LogRecord) -> bool:
    return "apitools not found" not in record.getMessage()


logging.getLogger().addFilter(_is_wanted)
try:
    with warnings.catch_warnings():
        # Google's clients, where they are installed, tell when they will give up on a version of Python.
        warnings.simplefilter("ignore", FutureWarning)
        import apache_beam as apache_beam
finally:
    logging.getLogger().removeFilter(_is_wanted)
