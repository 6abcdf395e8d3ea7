"""The plots of a report, as SVG. Only figures come in, so no document can get at them."""

from __future__ import annotations

import io
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ..errors import UsageError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

INSIDE, LAST, OVERSIZED, GRID, INK = "#2f6db5", "#9cc3ea", "#d1603d", "#e3e7ec", "#3c4650"
# In inches of 96 pixels. Drawn twice, for letters that are to be read on a phone cannot shrink with the plot.
WIDE, NARROW = (10.0, 3.4), (4.0, 3.2)
UNIT_NAMES = {"code_point": "code points", "utf16": "UTF-16 units", "utf8": "bytes"}
STYLE: Any = {
    "svg.fonttype": "path",
    "svg.hashsalt": "sentchunk",  # the same figures give the same page
    "font.size": 10,
    "axes.edgecolor": GRID,
    "axes.labelcolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "text.color": INK,
    "legend.frameon": False,
}
NO_METADATA = dict.fromkeys(("Creator", "Date", "Format", "Type"))


def require_library() -> None:
    """Raises UsageError, which says how to install it, where the plotting library is missing."""
    logging.getLogger("matplotlib").setLevel(logging.ERROR)  # it tells of its caches
    try:
        import matplotlib.figure  # noqa: F401
    except ImportError:
        raise UsageError(
            "the report's plots need a library that is not installed: "
            "pip install 'sentchunk-beam[report]', or ask for the facts alone with --json"
        ) from None


def sizes_plot(facts: dict[str, Any], size: tuple[float, float]) -> bytes:
    """How many chunks have which size. The bar of those beyond twice max_size stands apart."""
    bars = facts["sizes"]["histogram"]
    width = bars[0]["up_to"] if bars else 1
    lefts = [bar["above"] + (0 if bar["up_to"] is not None else width) for bar in bars]
    fitting, oversized = ([bar[kind] for bar in bars] for kind in ("fitting", "oversized"))
    with _axes(size) as (axes, sink):
        axes.bar(
            lefts,
            fitting,
            width,
            align="edge",
            color=INSIDE,
            edgecolor="white",
            linewidth=0.5,
            label=f"fits ({sum(fitting):,})",
        )
        if any(oversized):
            axes.bar(
                lefts,
                oversized,
                width,
                fitting,
                align="edge",
                color=OVERSIZED,
                edgecolor="white",
                linewidth=0.5,
                label=f"oversized ({sum(oversized):,})",
            )
        axes.axvline(facts["max_size"], color=INK, linewidth=1, linestyle="--")
        axes.annotate(
            f"{facts['cap']} {facts['max_size']:,}", (facts["max_size"], 1), (0, 3), ha="center", fontsize=9,
            xycoords=("data", "axes fraction"), textcoords="offset points",
        )  # fmt: skip
        if bars and bars[-1]["up_to"] is None:
            axes.annotate(
                f"> {bars[-1]['above']:,}", (lefts[-1] + width / 2, oversized[-1]), (0, 2), fontsize=8,
                ha="center", textcoords="offset points", color=OVERSIZED,
            )  # fmt: skip
        axes.set_xlim(0, (lefts[-1] + 2 * width) if bars else 1)
        axes.xaxis.set_major_formatter("{x:,.0f}")
        axes.set_xlabel(f"size in {UNIT_NAMES[facts['unit']]}")
    return sink.getvalue()


def fill_plot(facts: dict[str, Any], size: tuple[float, float]) -> bytes:
    """How many chunks fill which share of max_size; those that end a document, and are short for it, told apart."""
    bars, oversized = facts["sizes"]["fill"], facts["sizes"]["oversized"]
    lefts = [bar["above_percent"] for bar in bars]
    inside, last = ([bar[kind] for bar in bars] for kind in ("inside_document", "last_of_document"))
    with _axes(size) as (axes, sink):
        edge: dict[str, Any] = {"width": 10, "align": "edge", "edgecolor": "white", "linewidth": 1}
        axes.bar(lefts, inside, color=INSIDE, label=f"inside a document ({sum(inside):,})", **edge)
        axes.bar(
            lefts,
            last,
            bottom=inside,
            color=LAST,
            label=f"last of its document ({sum(last):,})",
            **edge,
        )
        ticks = list(range(0, 101, 20))
        labels = [f"{tick}%" for tick in ticks]
        if oversized:
            axes.bar(
                [112], [oversized], color=OVERSIZED, label=f"oversized ({oversized:,})", **edge
            )
            ticks, labels = [*ticks, 117], [*labels, "over"]
        axes.set_xticks(ticks, labels)
        axes.set_xlim(0, 124 if oversized else 101)
        axes.set_xlabel(f"size as a share of {facts['cap']}")
    return sink.getvalue()


@contextmanager
def _axes(size: tuple[float, float]) -> Iterator[tuple[Axes, io.BytesIO]]:
    import matplotlib
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

    sink = io.BytesIO()
    with matplotlib.rc_context():
        matplotlib.rcdefaults()  # whatever style the user has for plots of their own
        matplotlib.rcParams.update(STYLE)
        figure = Figure(figsize=size, layout="constrained")
        axes = figure.subplots()
        axes.set_axisbelow(True)
        axes.grid(axis="y", color=GRID)
        axes.spines[["top", "right", "left"]].set_visible(False)
        axes.tick_params(length=0, pad=5)
        yield axes, sink
        axes.set_ylim(0, 1.06 * max(axes.dataLim.y1, 1))
        axes.yaxis.set_major_locator(MaxNLocator(5, integer=True))
        axes.yaxis.set_major_formatter("{x:,.0f}")
        axes.set_ylabel("chunks")
        figure.legend(
            loc="outside upper left", ncols=3 if size == WIDE else 1, borderpad=0.2, handlelength=1
        )
        figure.savefig(sink, format="svg", metadata=NO_METADATA)
