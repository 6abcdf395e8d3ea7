"""The report in a real browser: what is seen at a desk and on a phone, what is loaded, and what no document can do."""

from __future__ import annotations

import html
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from job.helpers import summary
from PIL import Image

from commands.browser import browse
from commands.helpers import call
from sentchunk_beam.report.page import POLICY

# Put into a copy of the page whose policy lets scripts run: the page's own would stop it, as it is meant to.
MEASURE = """<script>
addEventListener("load", () => {
  const box = (e) => { const b = e.getBoundingClientRect(); return [b.width, b.height]; };
  const measured = {
    plots: [...document.images].map((i) => ({box: box(i), own: [i.naturalWidth, i.naturalHeight], source: i.currentSrc})),
    tables: [...document.querySelectorAll("table")].map(box),
    wide: document.documentElement.scrollWidth - document.documentElement.clientWidth,
    cut: [...document.querySelectorAll("tbody td, tbody th, dd")].filter((e) => e.scrollWidth > e.clientWidth + 1).length,
    loaded: performance.getEntriesByType("resource").map((e) => e.name),
    title: document.title,
    text: document.body.innerText,
    unnamed: [...document.querySelectorAll("table")].filter((t) => !t.caption || !t.querySelector("th[scope=col]")).length,
  };
  const out = document.createElement("pre");
  out.id = "measured";
  out.textContent = JSON.stringify(measured);
  (parent === window ? document : parent.document).body.append(out);
});
</script>"""
PHONE_WIDTH = 390


@pytest.fixture
def look(
    chromium: str, tmp_path: Path, capfd: pytest.CaptureFixture
) -> Callable[..., dict[str, Any]]:
    """Make a job's report and measure it in a window of 1200 pixels, or in a frame as wide as a phone."""

    def measure(job: Path, phone: bool = False) -> dict[str, Any]:
        report = tmp_path / "report.html"
        assert call(capfd, "report", job, "--output", report).status == 0
        text = report.read_text("utf-8")
        assert text.count(POLICY) == text.count("</body>") == 1
        loose = text.replace(
            html.escape(POLICY, quote=False), "default-src * data: 'unsafe-inline'"
        )
        copy = tmp_path / "copy.html"
        copy.write_text(loose.replace("</body>", MEASURE + "</body>"), "utf-8")
        if phone:
            framed = html.escape(copy.read_text("utf-8"))
            style = f"width:{PHONE_WIDTH}px;height:800px;border:0"
            copy.write_text(
                f'<!DOCTYPE html><meta charset="utf-8"><iframe style="{style}" srcdoc="{framed}"></iframe>'
            )
        dom = browse(chromium, copy, tmp_path / f"profile{phone}", "--window-size=1200,1000")
        assert '<pre id="measured">' in dom
        return json.loads(html.unescape(dom.split('<pre id="measured">')[1].split("</pre>")[0]))

    return measure


@pytest.mark.parametrize("phone", [False, True])
def test_plots_and_figures_are_seen(plain_job: Path, look: Callable[..., Any], phone: bool) -> None:
    seen, figures = look(plain_job, phone), summary(plain_job)
    width = PHONE_WIDTH if phone else 1200
    assert len(seen["plots"]) == 2
    for plot in seen["plots"]:
        assert min(plot["own"]) > 100, "the SVG could not be drawn"
        assert 0.7 * min(width, 1000) < plot["box"][0] <= width
        assert plot["box"][1] > 200
        # As drawn, so that the letters are of the size they were given.
        assert 0.6 < plot["box"][0] / plot["own"][0] < 1.3
    assert seen["wide"] <= 0, "the page has to be moved sideways"
    assert all(
        min(table) > 0 for table in seen["tables"] if table != [0, 0]
    )  # folded ones are 0 by 0
    assert seen["unnamed"] == 0
    for expected in (
        f"{figures['chunks']:,}",
        f"{figures['documents']:,} came in",
        "limit_exceeded",
    ):
        assert expected in seen["text"]


@pytest.mark.parametrize("phone", [False, True])
def test_hostile_documents_do_nothing(
    hostile_job: Path, look: Callable[..., Any], phone: bool
) -> None:
    seen = look(hostile_job, phone)
    assert seen["title"].startswith("Chunks in ")
    assert len(seen["plots"]) == 2
    assert (seen["wide"], seen["cut"]) == (0, 0), "a long word breaks the page, or cannot be read"
    assert "<script>document.title='pwned'</script>" in seen["text"]
    assert "The run" in seen["text"], "the page goes on after it"


def test_nothing_is_loaded(hostile_job: Path, look: Callable[..., Any]) -> None:
    seen = look(hostile_job)
    assert [name for name in seen["loaded"] if not name.startswith("data:")] == []
    assert all(plot["source"].startswith("data:") for plot in seen["plots"])


def test_the_page_itself_runs_no_script_and_has_ink(
    chromium: str, plain_job: Path, tmp_path: Path, capfd: pytest.CaptureFixture
) -> None:
    report = tmp_path / "report.html"
    assert call(capfd, "report", plain_job, "--output", report).status == 0
    injected = report.read_text("utf-8").replace(
        "</body>", "<script>document.title='ran'</script></body>"
    )
    report.write_text(injected, "utf-8")
    picture = tmp_path / "picture.png"
    arguments = [f"--screenshot={picture}", "--window-size=1200,1000"]
    dom = browse(chromium, report, tmp_path / "profile", *arguments)
    assert "<title>Chunks in " in dom, "the page's policy stops scripts"
    colours = Image.open(picture).convert("RGB").getcolors(1 << 24)
    assert colours is not None
    ink = {colour: number for number, colour in colours}
    assert ink.get((0x2F, 0x6D, 0xB5), 0) > 5000, "the bars of the plots are not in the picture"
