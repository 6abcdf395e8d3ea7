"""What the Beam layer raises for a person to read: one line that says what to do."""

from __future__ import annotations


class UsageError(ValueError):
    """A mistake in how a job was asked for. Raised before anything is written."""


class JobError(RuntimeError):
    """A job that could not end well. Nothing stands under a final name without `_SUCCESS`."""


def reason(error: Exception) -> str:
    """What an exception of a file system or a library says, in one line."""
    said = getattr(error, "strerror", None) or str(error)
    return " ".join(said.split()) or type(error).__name__
