"""The same rows and the same figures on every runner."""

from __future__ import annotations

import subprocess
from pathlib import Path

from engines.conftest import Engine, prism, without_wheel
from engines.corpus import OPTIONS, Corpus, corpus, same

assert corpus


def test_same_rows_and_figures(engine: Engine, corpus: Corpus, tmp_path: Path) -> None:
    ended = engine.run(*corpus.inputs, "--output", tmp_path / "out", *OPTIONS)
    assert ended.returncode == 0, ended.stderr
    same(tmp_path / "out", corpus)
    assert ended.stdout.splitlines()[-1] == f"output        {tmp_path / 'out'}"
    if (
        engine.name != "prism"
    ):  # a cluster's log is all there is to see of it; ours is progress alone
        told = [line for line in ended.stderr.splitlines() if "MB/s" not in line]
        assert told == []


def test_workers_installed_the_wheel_with_its_kernel(
    engines: Path, wheel: Path, worker_venv: Path, corpus: Corpus, tmp_path: Path
) -> None:
    without_wheel(worker_venv)
    source, options = corpus.inputs[0], ["--output", tmp_path / "out", *OPTIONS]
    # The control: an environment that has the package by itself would prove nothing.
    ended = prism(engines, worker_venv, tmp_path).run(source, *options)
    assert ended.returncode == 1
    assert "nothing was published" in ended.stderr.splitlines()[-1]
    # Of several bundles that fail Prism may tell of any; the reason is the same for all.
    alone = [worker_venv / "bin" / "python", "-c", "import sentchunk_beam"]
    missing = subprocess.run(alone, capture_output=True, text=True, check=False, cwd="/")
    assert "ModuleNotFoundError: No module named 'sentchunk" in missing.stderr

    ended = prism(engines, worker_venv, tmp_path, f"--extra_package={wheel}").run(
        source, *options, "--resume"
    )
    assert ended.returncode == 0, ended.stderr
    told = subprocess.run(
        [worker_venv / "bin" / "python", "-c", "import sentchunk as s; print(s.__file__, s.kernel)"],
        capture_output=True, text=True, check=True, cwd="/",
    ).stdout.split()  # fmt: skip
    assert told[0].startswith(str(worker_venv))
    assert told[1] == "native"
