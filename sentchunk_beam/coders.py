"""How tables travel between stages: as Arrow IPC streams."""

from __future__ import annotations

import apache_beam as beam
import pyarrow as pa


class TableCoder(beam.coders.Coder):
    """Encodes just the rows of a table. A pickled slice would ship the whole buffers that it looks into, and Beam,
    which samples sizes, would pickle tables only to measure them.
    """

    def encode(self, value: pa.Table) -> bytes:
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, value.schema) as writer:
            writer.write_table(value)
        return bytes(sink.getvalue())

    def decode(self, encoded: bytes) -> pa.Table:
        return pa.ipc.open_stream(encoded).read_all()

    def is_deterministic(self) -> bool:
        return False

    def estimate_size(self, value: pa.Table) -> int:
        return int(value.nbytes)

    def to_type_hint(self) -> type:
        return pa.Table


beam.coders.registry.register_coder(pa.Table, TableCoder)
