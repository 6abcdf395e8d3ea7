"""Both implementations, for tests that hold for either. No kernel, no tests: they must not pass by testing one twice."""

from __future__ import annotations

import pytest
from sentchunk import _engine, _kernel, _reference

IMPLEMENTATIONS = {"native": _kernel, "python": _reference}


@pytest.fixture(scope="module", params=IMPLEMENTATIONS)
def implementation(request):
    """The public calls go through this implementation while a module's tests run."""
    before = _engine.active
    _engine.active = IMPLEMENTATIONS[request.param]
    yield _engine.active
    _engine.active = before
