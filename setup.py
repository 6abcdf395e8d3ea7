"""The compiled kernel. Everything else about the package is in pyproject.toml."""

from __future__ import annotations

import os
import sys

from Cython.Build import cythonize
from setuptools import Extension, setup

# A debug build checks every index that Cython makes; with CFLAGS for sanitizers it checks the C code too.
DEBUG = bool(os.environ.get("SENTCHUNK_DEBUG"))

kernel = Extension(
    "sentchunk._kernel",
    ["core/sentchunk/_kernel.pyx"],
    include_dirs=["core/sentchunk"],
    depends=[
        f"core/sentchunk/native/{header}.h"
        for header in ("measure", "pack", "properties", "rows", "scan", "segment", "utf8")
    ],
    extra_compile_args=["/O2"] if sys.platform == "win32" else ["-O3"],
    # Without a C compiler the install succeeds, and the rules run in Python; but no wheel is published so.
    optional=not os.environ.get("SENTCHUNK_REQUIRE_KERNEL"),
)

setup(
    ext_modules=cythonize(
        [kernel],
        compiler_directives={"boundscheck": DEBUG, "wraparound": False, "initializedcheck": DEBUG},
        force=DEBUG,
    )
)
