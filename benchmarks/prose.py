"""A corpus of English documents as Parquet, made the same every time: words of the interpreter's help, in new orders.

Sentences of random words compress about as prose does; the same sentences over and over would not.
"""

from __future__ import annotations

import re
from pathlib import Path
from pydoc_data.topics import topics

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

PIECE = 16_000_000  # bytes that differ; a larger corpus is this over and over, further apart than zstd looks back


def documents(mean_bytes: int, total: int) -> pa.Array:
    """About `total` bytes of documents of `mean_bytes` on average, half to one and a half times that."""
    words = re.findall(r"[A-Za-z]{1,14}", " ".join(topics.values()))
    source = np.random.default_rng(7)
    made, size = [], 0
    while size < total:
        aim = int(mean_bytes * source.uniform(0.5, 1.5))
        sentences, length = [], 0
        while length < aim:
            chosen = source.integers(0, len(words), int(source.integers(5, 30)))
            sentences.append(" ".join(words[index] for index in chosen).capitalize() + ".")
            length += len(sentences[-1]) + 1
        made.append(" ".join(sentences))
        size += length
    return pa.array(made)


def write(path: Path, megabytes: float, mean_bytes: int = 5_000, row_group: int = 5_000) -> Path:
    """A file with the columns `id` and `text`, zstd, at pyarrow's defaults otherwise."""
    total = int(megabytes * 1e6)
    piece = documents(mean_bytes, min(total, PIECE))
    texts = pa.chunked_array([piece] * max(1, round(total / PIECE)))
    ids = pa.array([f"document-{number}" for number in range(len(texts))])
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(
        pa.table({"id": ids, "text": texts}), path, compression="zstd", row_group_size=row_group
    )
    return path
