"""Which implementation runs, and what is said where it is the slow one."""

from __future__ import annotations

import subprocess
import sys

import sentchunk


def run(script: str, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, *options, "-c", script]
    return subprocess.run(command, capture_output=True, text=True, check=False)


WITHOUT_KERNEL = "import sys; sys.modules['sentchunk._kernel'] = None\n"


def test_native_here() -> None:
    assert sentchunk.kernel == "native"


def test_native_needs_no_reference_and_says_nothing() -> None:
    script = (
        "import sys, sentchunk\n"
        "sentchunk.SemanticChunker().chunk('A. B.')\n"
        "print({'sentchunk._reference', 'sentchunk.semantic.reference'} & set(sys.modules))"
    )
    found = run(script, "-W", "error")
    assert (found.stdout, found.stderr) == ("set()\n", "")


def test_python_where_there_is_no_kernel() -> None:
    script = WITHOUT_KERNEL + (
        "import sentchunk, pyarrow as pa\n"
        "print(sentchunk.kernel, sentchunk.chunk('A. B.', max_size=3)[1].text)\n"
        "print(sentchunk.sentences('A. B.')[0].rule)\n"
        "print(sentchunk.chunk_arrow(pa.array(['A. B.']), max_size=3).chunks['text'][1])\n"
        "print(sentchunk.SemanticChunker(1).chunk('A. B.')[1])\n"
        "print(sentchunk.ChunkResult.__module__)\n"
    )
    found = run(script)
    semantic = "ChunkResult(content='B.', index=1, metadata={}, start=3, end=5, new_start=3, oversized=False)"
    assert found.stdout.split("\n") == [
        "python B.", "SB11", "B.", semantic, "sentchunk._records", ""
    ]  # fmt: skip
    assert found.stderr.count("RuntimeWarning") == 1
    for said in (
        "without its compiled kernel",
        "hundreds of times as long",
        "install a C compiler",
    ):
        assert said in found.stderr


def test_the_warning_can_be_made_an_error() -> None:
    found = run(WITHOUT_KERNEL + "import sentchunk", "-W", "error::RuntimeWarning")
    assert found.returncode == 1
    assert "RuntimeWarning: sentchunk runs without its compiled kernel" in found.stderr
