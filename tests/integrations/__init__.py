"""Tests against packages that the tests' own extra does not bring."""

import os

import pytest


def need(*modules: str) -> None:
    """Skip where a package is missing; in CI, which installs them, let its import fail."""
    if "CI" not in os.environ:
        for module in modules:
            pytest.importorskip(module, reason="pip install -e '.[test-integrations]' brings it")
