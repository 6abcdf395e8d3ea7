"""A plain copy with pyarrow, at its defaults: the least that any job from Parquet to Parquet does."""

import sys
from pathlib import Path

import pyarrow.parquet as pq


def main(source: str, out: str) -> None:
    Path(out).mkdir()
    with pq.ParquetFile(source) as parquet:
        target = pq.ParquetWriter(
            Path(out) / "copy.parquet", parquet.schema_arrow, compression="zstd"
        )
        with target as writer:
            for batch in parquet.iter_batches():
                writer.write_batch(batch)


if __name__ == "__main__":
    main(*sys.argv[1:])
