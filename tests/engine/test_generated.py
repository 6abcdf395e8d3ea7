"""The committed tables are what their generators write."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

TOOLS = Path(__file__).resolve().parents[2] / "tools"


@pytest.mark.parametrize("script", ["generate_sentence_break_data", "generate_native_properties"])
def test_generated_file(script: str) -> None:
    run = subprocess.run([sys.executable, TOOLS / f"{script}.py", "--check"], check=False)
    assert run.returncode == 0
