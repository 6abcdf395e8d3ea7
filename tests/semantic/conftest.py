"""The implementations, for tests that hold for each. No kernel, no tests: they must not pass by testing one twice."""

from __future__ import annotations

import pytest
from sentchunk import _kernel
from sentchunk.semantic import implementation as selected
from sentchunk.semantic import reference

IMPLEMENTATIONS = {"native": _kernel, "numpy": reference}


# "narrow" is the kernel without AVX2; on a processor that has none it is the same.
@pytest.fixture(scope="module", params=["native", "narrow", "numpy"])
def implementation(request):
    """The public calls go through this implementation while a module's tests run."""
    before = selected.active
    selected.active = IMPLEMENTATIONS.get(request.param, _kernel)
    _kernel.go_wide(request.param != "narrow")
    yield selected.active
    selected.active = before
    _kernel.go_wide(True)
