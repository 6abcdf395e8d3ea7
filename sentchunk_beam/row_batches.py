"""Documents of a bundle, gathered to be chunked together, each with the window, the timestamp and the pane it came with.

Gathering is a step of its own, and rows are yielded by the next one while it processes a batch: elements that a step
yields as its bundle ends, Beam 2.77 drops where the next step takes batches, as its writer of Parquet does.
"""

from __future__ import annotations

import pickle
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import apache_beam as beam
from apache_beam.utils.windowed_value import WindowedValue

from .row_shapes import Fields, Shape


@dataclass(frozen=True)
class Batch:
    """Fields of documents, the elements that they were, and about how many bytes they are."""

    documents: list[Fields]
    sources: list[WindowedValue]
    size: int


class BatchCoder(beam.coders.Coder):
    """For runners that part the two steps; and its sizes, which Beam would take by pickling, cost nothing."""

    def encode(self, value: Batch) -> bytes:
        return pickle.dumps(value)

    def decode(self, encoded: bytes) -> Batch:
        return pickle.loads(encoded)

    def is_deterministic(self) -> bool:
        return False

    def estimate_size(self, value: Batch) -> int:
        return value.size

    def to_type_hint(self) -> type:
        return Batch


beam.coders.registry.register_coder(Batch, BatchCoder)


def gather(
    documents: beam.PCollection, shape: Shape, batch_bytes: int, batch_seconds: float
) -> beam.PCollection:
    """Batches of documents, in order, as many as come within that time and are not larger than that together."""
    one_window = isinstance(documents.windowing.windowfn, _OF_ONE_WINDOW)
    do_fn = _Gather if one_window else _GatherByWindow
    return documents | "Gather" >> beam.ParDo(do_fn(shape, batch_bytes, batch_seconds))


@beam.typehints.with_output_types(Batch)
class _Gather(beam.DoFn):
    _read: Callable[[Any], Fields]

    def __init__(self, shape: Shape, batch_bytes: int, batch_seconds: float) -> None:
        self._shape = shape
        self._batch_bytes, self._batch_seconds = batch_bytes, batch_seconds

    def setup(self) -> None:
        self._read = self._shape.reader()

    def start_bundle(self) -> None:
        self._documents: list[Fields] = []
        self._sources: list[WindowedValue] = []
        self._size = 0
        self._until = 0.0

    def process(
        self, element: Any, source: Any = beam.DoFn.WindowedValueParam
    ) -> Iterable[WindowedValue]:
        now = time.monotonic()
        if not self._documents:
            self._until = now + self._batch_seconds
        fields = self._read(element)
        self._documents.append(fields)
        self._sources.append(source)
        self._size += _most_bytes(fields[1])
        if self._size >= self._batch_bytes or now >= self._until:
            return self._batch()
        return ()

    def finish_bundle(self) -> Iterator[WindowedValue]:
        return self._batch()

    def _batch(self) -> Iterator[WindowedValue]:
        batch = Batch(self._documents, self._sources, self._size)
        self.start_bundle()
        if batch.sources:
            # The batch has to be in some window; its documents know their own.
            first = batch.sources[0]
            yield WindowedValue(batch, first.timestamp, first.windows[:1])


class _GatherByWindow(_Gather):
    """The same, called for each window of a document that has several: to all that is yielded during a call Beam gives
    the windows of the document at hand, over again. It is slower.
    """

    def process(
        self,
        element: Any,
        source: Any = beam.DoFn.WindowedValueParam,
        window: Any = beam.DoFn.WindowParam,
    ) -> Iterable[WindowedValue]:
        return super().process(element, source)


_OF_ONE_WINDOW = (beam.window.GlobalWindows, beam.window.FixedWindows, beam.window.Sessions)


def _most_bytes(text: Any) -> int:
    """About the most that a document takes, without a look at its characters."""
    if isinstance(text, str) and not text.isascii():
        return _BYTES_BESIDE_TEXT + 4 * len(text)
    return _BYTES_BESIDE_TEXT + (len(text) if isinstance(text, (str, bytes)) else 0)


_BYTES_BESIDE_TEXT = 256
