"""What needs the chunks' texts: the longest ones, and the scripts of a sample. Few row groups are read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import regex

from ..errors import UsageError
from .finished import FinishedJob, as_text, batches_of_group, open_parquet
from .sizes import Place

BATCH_ROWS = 64
HEAD, TAIL = 300, 100
SAMPLED_CHUNKS, SAMPLED_GROUPS, SAMPLED_CODE_POINTS = 1024, 16, 2000

# The scripts of most of what is written; all others are counted as "Other".
SCRIPTS = (
    "Latin", "Greek", "Cyrillic", "Armenian", "Georgian", "Hebrew", "Arabic", "Syriac", "Thaana", "Devanagari",
    "Bengali", "Gurmukhi", "Gujarati", "Oriya", "Tamil", "Telugu", "Kannada", "Malayalam", "Sinhala", "Thai", "Lao",
    "Tibetan", "Myanmar", "Khmer", "Ethiopic", "Cherokee", "Mongolian", "Hangul", "Hiragana", "Katakana", "Bopomofo",
    "Han", "Yi", "Javanese", "Nko", "Tifinagh",
)  # fmt: skip
_SCRIPT = regex.compile(
    r"(?P<None>[\p{Common}\p{Inherited}])|"
    + "|".join(rf"(?P<{name}>\p{{Script={name}}})" for name in SCRIPTS)
)


def with_texts(places: list[Place]) -> list[dict[str, Any]]:
    """The places of chunks as facts, with the beginning and the end of their texts.

    `text_left_out` is how many code points between the two are not there.
    """
    facts = []
    for place in places:
        head, tail, left_out = _text_at(place)
        facts.append(
            {
                "document_id": place.document_id,
                "start": place.start,
                "end": place.end,
                "size": place.size,
                "text_head": head,
                "text_tail": tail,
                "text_left_out": left_out,
            }
        )
    return facts


def scripts(job: FinishedJob) -> dict[str, Any]:
    """Which scripts the letters of some chunks are of, evenly taken from some row groups.

    `letters` counts code points that belong to a script; digits, punctuation and blanks do not.
    """
    characters: Counter[str] = Counter()
    sampled = 0
    for text in _sample(job):
        characters.update(text)
        sampled += 1
    counts: Counter[str] = Counter()
    for character, number in characters.items():
        found = _SCRIPT.match(character)
        counts[str(found.lastgroup) if found else "Other"] += number
    counts.pop("None", None)
    letters = sum(counts.values())
    return {
        "sampled_chunks": sampled,
        "sampled_code_points_of_a_chunk": SAMPLED_CODE_POINTS,
        "letters": letters,
        "shares": {name: round(number / letters, 4) for name, number in counts.most_common()},
    }


def _text_at(place: Place) -> tuple[str, str, int]:
    text = _whole_text_at(place)
    if len(text) <= HEAD + TAIL:
        return text, "", 0
    return text[:HEAD], text[-TAIL:], len(text) - HEAD - TAIL


def _whole_text_at(place: Place) -> str:
    with open_parquet(place.file) as parquet:
        group, row = 0, place.row
        while row >= parquet.metadata.row_group(group).num_rows:
            row -= parquet.metadata.row_group(group).num_rows
            group += 1
        for batch in batches_of_group(parquet, group, ["text"], BATCH_ROWS):
            if row < batch.num_rows:
                return as_text(batch.column(0)[row]) or ""
            row -= batch.num_rows
    raise UsageError(f"{place.file} ends before row {place.row:,}, although its footer counts it")


def _sample(job: FinishedJob) -> Iterator[str]:
    groups = [
        (path, group, rows)
        for path in job.chunk_files
        for group, rows in enumerate(_rows(path))
        if rows
    ]
    taken = _evenly(len(groups), SAMPLED_GROUPS)
    for index in taken.tolist():
        path, group, rows = groups[index]
        wanted = _evenly(rows, SAMPLED_CHUNKS // len(taken))
        with open_parquet(path) as parquet:
            first = 0
            for batch in batches_of_group(parquet, group, ["text"], BATCH_ROWS):
                here = wanted[(wanted >= first) & (wanted < first + batch.num_rows)] - first
                texts = batch.column(0).take(pa.array(here))
                yield from pc.utf8_slice_codeunits(texts, 0, SAMPLED_CODE_POINTS).to_pylist()
                first += batch.num_rows


def _rows(path: str) -> list[int]:
    with open_parquet(path) as parquet:
        metadata = parquet.metadata
        return [metadata.row_group(group).num_rows for group in range(metadata.num_row_groups)]


def _evenly(count: int, most: int) -> np.ndarray[Any, np.dtype[np.int64]]:
    """At most so many of `count` places, evenly spread."""
    taken = min(count, most)
    return np.arange(taken, dtype=np.int64) * count // max(taken, 1)
