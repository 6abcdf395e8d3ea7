"""A real browser for the tests: headless Chromium, which may reach nothing."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
]
NAMES = ("chromium", "chromium-browser", "google-chrome")


@pytest.fixture(scope="session")
def chromium() -> str:
    """Its path. Where it is absent the test is skipped, but on a build server (CI is set) it fails."""
    for name in NAMES:
        if found := shutil.which(name):
            return found
    missing = f"no Chromium here ({', '.join(NAMES)}): the page was not looked at in a browser"
    if os.environ.get("CI"):
        pytest.fail(missing)
    pytest.skip(missing)


def browse(chromium: str, page: Path, profile: Path, *arguments: str) -> str:
    """Load a page, and give its DOM as it is then. `profile` is a folder that does not exist yet."""
    profile.mkdir()
    done = subprocess.run(
        [chromium, *FLAGS, f"--user-data-dir={profile}", *arguments, "--dump-dom", page.as_uri()],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    return done.stdout
