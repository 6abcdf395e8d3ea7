"""Imports Beam without its warning, at every import, that the clients of services nobody asked for are missing."""

import logging


def _is_wanted(record: logging.LogRecord) -> bool:
    return "apitools not found" not in record.getMessage()


logging.getLogger().addFilter(_is_wanted)
try:
    import apache_beam as apache_beam
finally:
    logging.getLogger().removeFilter(_is_wanted)
