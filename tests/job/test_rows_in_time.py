"""Rows have the windows and timestamps of their documents, in streams and in batches."""

from __future__ import annotations

from typing import Any

import apache_beam as beam
import pytest
from apache_beam import window
from apache_beam.options.pipeline_options import PipelineOptions
from apache_beam.runners.direct.direct_runner import BundleBasedDirectRunner
from apache_beam.testing import test_stream
from apache_beam.testing.util import assert_that, equal_to

from sentchunk_beam import ChunkRows, ChunkRowsByType


class Seen(beam.DoFn):
    def process(
        self,
        row: Any,
        timestamp: Any = beam.DoFn.TimestampParam,
        window: Any = beam.DoFn.WindowParam,
    ) -> Any:
        place = getattr(row, "chunk_index", row[1])
        yield row.document_id, place, int(timestamp), int(window.start), int(window.end)


TIMED = [(f"{time}", "One. Two." if time % 3 else None, time) for time in range(3, 40, 4)]


def streamed(pipeline: beam.Pipeline) -> beam.PCollection:
    """A bundle for each document, as time goes on."""
    stream = test_stream.TestStream()
    for identity, text, time in TIMED:
        stream.add_elements([window.TimestampedValue((identity, text), time)])
        stream.advance_watermark_to(time)
    return pipeline | stream.advance_watermark_to_infinity()


def together(pipeline: beam.Pipeline) -> beam.PCollection:
    """All in one bundle."""
    documents = pipeline | beam.Create(TIMED, reshuffle=False)
    return documents | beam.MapTuple(lambda *each: window.TimestampedValue(each[:2], each[2]))


BY_TYPE = {
    "max_chars": 5,
    "overlap_tokens": 0,
}  # for chunks of a sentence, as ChunkRows makes them of 5 characters


@pytest.mark.parametrize(
    "transform",
    [ChunkRows(max_size=5), ChunkRowsByType(**BY_TYPE)],
    ids=["sentences", "by type"],
)
@pytest.mark.parametrize(
    ("source", "runner"), [(streamed, BundleBasedDirectRunner()), (together, "FnApiRunner")]
)
@pytest.mark.parametrize(
    ("windows", "starts"),
    [
        (window.FixedWindows(10), lambda time: [time // 10 * 10]),
        (window.SlidingWindows(10, 5), lambda time: [time // 5 * 5, time // 5 * 5 - 5]),
        (window.Sessions(10), lambda time: [time]),
    ],
    ids=["fixed", "sliding", "sessions"],
)
def test_windows_and_timestamps_are_kept(
    windows: Any, starts: Any, source: Any, runner: Any, transform: Any
) -> None:
    expected = [
        (identity, place, time, start, start + 10)
        for identity, text, time in TIMED
        for start in starts(time)
        for place in ((0, 1) if text else ("null_text",))
    ]
    with beam.Pipeline(runner, options=PipelineOptions()) as pipeline:
        documents = source(pipeline) | "windows" >> beam.WindowInto(windows)
        documents.element_type = tuple[str, str | None]
        result = documents | transform
        seen = (
            result.chunks | "chunks" >> beam.ParDo(Seen()),
            result.dead_letters | "dead letters" >> beam.ParDo(Seen()),
        ) | beam.Flatten()
        assert_that(seen | beam.WindowInto(window.GlobalWindows()), equal_to(expected))
