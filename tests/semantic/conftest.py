"""Both implementations, for tests that hold for either. No kernel, no tests: they must not pass by testing one twice."""

from __future__ import annotations

import pytest
from sentchunk import _kernel
from sentchunk.semantic import implementation as selected
from sentchunk.semantic import reference

IMPLEMENTATIONS = {"native": _kernel, "numpy": reference}


@pytest.fixture(scope="module", params=IMPLEMENTATIONS)
def implementation(request):
    """The public calls go through this implementation while a module's tests run."""
    before = selected.active
    selected.active = IMPLEMENTATIONS[request.param]
    yield selected.active
    selected.active = before
