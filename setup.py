"""The compiled kernel. Everything else about the package is in pyproject.toml."""

from __future__ import annotations

import os
import sys
from glob import glob

from Cython.Build import cythonize
from setuptools import Extension, setup

# A debug build checks every index that Cython makes; CFLAGS can add sanitizers for the C code (tools/sanitize).
DEBUG = bool(os.environ.get("SENTCHUNK_DEBUG"))

if sys.platform == "win32":
    options = ["/O2"]
else:
    options = ["-O1", "-g"] if DEBUG else ["-O3", "-g0"]

extensions = cythonize(
    Extension(
        "sentchunk._kernel",
        ["core/sentchunk/_kernel.pyx", "core/sentchunk/native/wide.c"],
        include_dirs=["core/sentchunk"],
        depends=sorted(glob("core/sentchunk/*.pxi") + glob("core/sentchunk/native/*.h")),
        extra_compile_args=options,
    ),
    compiler_directives={
        "boundscheck": DEBUG,
        "initializedcheck": DEBUG,
        "wraparound": False,
        "show_performance_hints": False,
    },
    force=DEBUG,
)
for extension in extensions:
    # Without a C compiler the install succeeds, and the rules run in Python; but no wheel is published so.
    extension.optional = not os.environ.get("SENTCHUNK_REQUIRE_KERNEL")

setup(ext_modules=extensions)
