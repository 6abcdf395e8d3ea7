"""Runners to compare: this process's threads, its worker processes, and Prism with workers from the built wheel.

The last needs Go, or what it has built, and network namespaces. Where they are missing its tests are skipped with what to
do, and in CI (CI=true) they fail.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import venv
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]
TOOLS = REPOSITORY / "tools" / "engines"
COMMAND = [str(Path(sys.executable).parent / "sentchunk"), "chunk"]
SECONDS = 120


@dataclass(frozen=True)
class Engine:
    """How to run the command on a runner: what goes before it, and the runner's options."""

    name: str
    before: tuple[str, ...]
    options: tuple[str, ...]
    pool_pid: Path | None = None

    def start(self, *arguments: object) -> subprocess.Popen[str]:
        # Not where the sources lie: workers are to import what is installed.
        return subprocess.Popen(
            [*self.before, *COMMAND, *map(str, arguments), *self.options],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd="/",
        )  # fmt: skip

    def run(self, *arguments: object) -> subprocess.CompletedProcess[str]:
        return finished(self.start(*arguments))


def finished(process: subprocess.Popen[str]) -> subprocess.CompletedProcess[str]:
    try:
        out, err = process.communicate(timeout=SECONDS)
    except subprocess.TimeoutExpired:
        process.terminate()
        raise
    return subprocess.CompletedProcess(process.args, process.returncode, out, err)


def missing(what: str) -> None:
    """Skip, or in CI fail: a proof that was not run is none."""
    if os.environ.get("CI") == "true":
        pytest.fail(what)
    pytest.skip(what)


@pytest.fixture(scope="session")
def engines() -> Path:
    """The folder with Prism and the boot binary."""
    namespace = ["unshare", "--net"] + (["--map-root-user"] if os.geteuid() else [])
    if not (shutil.which("unshare") and shutil.which("ip")):
        missing("unshare and ip are missing: install util-linux and iproute2, on Linux")
    if subprocess.run([*namespace, "true"], capture_output=True, check=False).returncode:
        missing("network namespaces are not allowed here: run as root, or allow user namespaces")
    built = subprocess.run([TOOLS / "install"], capture_output=True, text=True, check=False)
    if built.returncode:
        missing(f"tools/engines/install: {built.stderr.strip()}")
    return Path(built.stdout.strip())


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The distribution, as it would be published, compiled extension and all."""
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", folder, REPOSITORY],
        env=os.environ | {"SENTCHUNK_REQUIRE_KERNEL": "1"}, check=True,
    )  # fmt: skip
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="session")
def worker_venv(engines: Path) -> Path:
    """A virtual environment with what Beam's containers and the wheel's dependencies have, but not with the wheel."""
    needed = [
        f"{name}=={version(name)}" for name in ("apache-beam", "numpy", "pyarrow", "regex", "rich")
    ]
    key = hashlib.sha256(repr([sys.version, *needed]).encode()).hexdigest()[:12]
    folder = engines / f"worker-{key}"
    pip = [folder / "bin" / "python", "-m", "pip"]
    if not (folder / "complete").exists():
        venv.create(folder, with_pip=True, clear=True)
        subprocess.run([*pip, "install", "-q", *needed], check=True)
        (folder / "complete").touch()
    return folder


def without_wheel(worker_venv: Path) -> None:
    """Have the environment clean, whatever an earlier job has installed."""
    pip = [worker_venv / "bin" / "python", "-m", "pip"]
    subprocess.run(
        [*pip, "uninstall", "-q", "-y", "sentchunk-beam"], check=True, capture_output=True
    )
    assert not list(worker_venv.glob("lib/python*/site-packages/sentchunk*"))


def local(mode: str) -> Engine:
    options = ("--runner=FnApiRunner", f"--direct_running_mode={mode}", "--direct_num_workers=2")
    return Engine(mode, (), options)


def prism(engines: Path, worker_venv: Path, folder: Path, *more: str) -> Engine:
    return Engine(
        "prism",
        (str(TOOLS / "with_prism"), str(engines), str(worker_venv), str(folder)),
        (
            "--runner=PortableRunner",
            "--job_endpoint=localhost:8073",
            "--environment_type=EXTERNAL",
            "--environment_config=localhost:8074",
            *more,
        ),
        folder / "pool.pid",
    )


@pytest.fixture(params=["multi_threading", "multi_processing", "prism"])
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Engine:
    """Each runner in turn. On Prism the workers start in an environment that has nothing of the package."""
    if request.param != "prism":
        return local(request.param)
    engines, wheel = request.getfixturevalue("engines"), request.getfixturevalue("wheel")
    worker_venv = request.getfixturevalue("worker_venv")
    without_wheel(worker_venv)
    folder = tmp_path / "prism"
    folder.mkdir()
    return prism(engines, worker_venv, folder, f"--extra_package={wheel}")
