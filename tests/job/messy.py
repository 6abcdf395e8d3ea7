"""A messy corpus, as a crawl has it, with what has to come of it."""

from __future__ import annotations

import gzip
import json
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from job.helpers import invalid_utf8, write
from job.test_chunk_command import damage_row_group

PROSE = ["One. Two two. Three three three.", "日本。 Ünï! 😀\nx", "", "   ", "A1. B2. C3. D4.\r\n"]
LIMITS = ["--max-text-bytes", "2000", "--max-sentences", "100", "--max-output-bytes", "90000"]


@dataclass(frozen=True)
class Messy:
    """The inputs of the job, in an order that is not that of their names, and the figures of its summary."""

    inputs: list[str]
    figures: dict[str, object]


def build(folder: Path) -> Messy:
    plain = write(folder / "shards" / "plain.parquet", {"text": PROSE * 40}, row_group_size=7)
    types = {
        "large": pa.array(PROSE, pa.large_string()),
        "dictionary": pa.array(PROSE * 3).dictionary_encode(),
        "binary": pa.array([text.encode() for text in PROSE]),
    }
    for name, column in types.items():
        write(
            folder / "shards" / "deep" / f"{name}.parquet",
            {"other": [0] * len(column), "text": column},
        )
    write(
        folder / "shards" / "bad.parquet",
        {"text": pa.concat_arrays([
            invalid_utf8(b"\xff", b"cut \xe6\x97", b"x" * 2001, b"\n" * 101, b"Fine. Really."),
            pa.array([None, "\ud7ff\x00\x1b[31m\u202e. \ufeff"]),
        ])},
    )  # fmt: skip
    write(folder / "shards" / "no_rows.parquet", {"text": pa.array([], pa.string())})
    write(folder / "shards" / "no_column.parquet", {"body": PROSE})
    write(folder / "shards" / "numbers.parquet", {"text": [1, 2, 3]})
    (folder / "shards" / "empty.parquet").write_bytes(b"")
    (folder / "shards" / "garbage.parquet").write_bytes(b"PAR1 no, it is not PAR1")
    broken = folder / "shards" / "broken.parquet"
    write(broken, {"text": PROSE * 20}, row_group_size=10, compression="none", use_dictionary=False)
    damage_row_group(broken, 5)
    books = folder / "books"
    books.mkdir()
    (books / "good.txt").write_text("Whole. Book.\n", "utf-8")
    (books / "latin.txt").write_bytes("Un café.".encode("latin-1"))
    (books / "long.txt.gz").write_bytes(gzip.compress(b"Long. " * 100_000))
    lines = folder / "lines.jsonl"
    objects = [{"text": PROSE[0]}, {"text": 7}, {}, {"text": "y" * 3000}]
    lines.write_text("\n".join(json.dumps(each) for each in objects) + "\n{broken\n", "utf-8")
    return Messy(
        [str(lines), str(folder / "shards"), plain, str(folder / "books" / "*")],
        {
            "documents": 200 + 5 + 15 + 5 + 7 + 5 + 3 + 100 + 3 + 5,
            "chunked": 200 + 5 + 15 + 5 + 2 + 90 + 1 + 1,
            "dead_letters": {
                "invalid_json": 1,
                "invalid_utf8": 2 + 1,
                "limit_exceeded": 2 + 1 + 1,
                "missing_column": 5,
                "null_text": 1 + 1,
                "unreadable_file": 10,
                "wrong_type": 3 + 1,
            },
            "files": 15,
            "unreadable_files": 5,
            "files_of_unknown_size": 2,
        },
    )
