"""Write: bounded tables into one Parquet file, in row groups of a useful size."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq

from . import files

ROW_GROUP_BYTES = 32 << 20


class ParquetSink:
    """A Parquet file that exists once a row has come. Its schema does not depend on the rows.

    Holds at most ROW_GROUP_BYTES and a table in memory.
    """

    def __init__(self, path: str, schema: pa.Schema) -> None:
        self.path, self.rows, self.bytes = path, 0, 0
        self._schema = schema
        self._writer: pq.ParquetWriter | None = None
        self._file: pa.NativeFile | None = None
        self._waiting: list[pa.Table] = []
        self._waiting_bytes = 0

    def write(self, table: pa.Table) -> None:
        if table.num_rows == 0:
            return
        self._waiting.append(table)
        self._waiting_bytes += table.nbytes
        if self._waiting_bytes >= ROW_GROUP_BYTES:
            self._write_row_group()

    def close(self) -> bool:
        """Write what waits and the footer. Whether there is a file."""
        self._write_row_group()
        if self._writer is None or self._file is None:
            return False
        self._writer.close()
        self.bytes = self._file.tell()
        self._file.close()
        return True

    def abort(self) -> None:
        """Let go of the file, unfinished as it is."""
        if self._file is not None:
            self._file.close()

    def _write_row_group(self) -> None:
        if not self._waiting:
            return
        table = pa.concat_tables(self._waiting).cast(self._schema)
        self._waiting, self._waiting_bytes = [], 0
        if self._writer is None:
            self._file = files.create(self.path)
            self._writer = pq.ParquetWriter(self._file, self._schema, **_options(self._schema))
        self._writer.write_table(table, row_group_size=table.num_rows)
        self.rows += table.num_rows


def write_empty(path: str, schema: pa.Schema) -> None:
    """A valid file without rows."""
    with files.create(path) as file:
        pq.ParquetWriter(file, schema, **_options(schema)).close()


def _options(schema: pa.Schema) -> dict[str, object]:
    """A dictionary, or statistics, of texts that hardly ever repeat cost time and serve no query."""
    columns = [name for name in schema.names if name not in ("text", "message")]
    return {"compression": "zstd", "use_dictionary": columns, "write_statistics": columns}
