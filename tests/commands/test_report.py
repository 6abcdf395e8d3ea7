"""`sentchunk report`: the facts are those of the job's own output, and no document gets out of its place."""

from __future__ import annotations

import builtins
import json
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from statistics import mean
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from apache_beam.io.filesystem import BeamIOError
from job.helpers import rows, run, summary, write

from commands.helpers import STEERING, call, refused
from sentchunk_beam.report.page import MARK
from sentchunk_beam.schemas import dead_letters_schema

HOSTILE = [
    "<script>document.title='pwned'</script></bdi></td></table><img src=//x onerror=alert(1)> \"'&quot; " * 12,
    "\x00\x1b[31mred \x9b32m \x7f" * 40,
    "\u202eturned \u2066 around \u200f" * 30,
    "\u0301\u0301 lone marks " * 60,
    "a" + "\u0300" * 3000,
    "</style></title><!-- ]]> &#0; &lt; \ufffe \uffff" * 10,
    "x" * 10_000_000,
    *("k" * length for length in (150, 160, 150)),
]  # fmt: skip
HOSTILE_IDS = [f"<b id='x'>{number}</b>\u202e\x00\"" for number in range(len(HOSTILE))]
PLAIN = [f"Document {n} has a sentence. " * (n % 7 + 1) + "The end. " * n for n in range(60)]


@pytest.fixture(scope="session")
def plain_job(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Several files and row groups, oversized sentences and dead letters of three kinds."""
    folder = tmp_path_factory.mktemp("plain")
    texts = [
        *PLAIN,
        "Over the top: " + "and on " * 40,
        "Далее. 日本語だ。",
        "",
        None,
        "no. " * 70_000,
    ]
    write(folder / "in" / "a.parquet", {"key": [f"a{n}" for n in range(65)], "text": texts})
    table = {"key": [f"b{n}" for n in range(61)], "text": [*PLAIN, "z" * 300_000]}
    write(folder / "in" / "b.parquet", table, row_group_size=10)
    (folder / "in" / "c.parquet").write_bytes(b"PAR1 broken")
    arguments = ["--max-size", 90, "--overlap", 2, "--id-column", "key"]
    assert run(folder / "in", "--output", folder / "out", *arguments) == 0
    return folder / "out"


@pytest.fixture(scope="session")
def hostile_job(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hostile")
    dead = pa.array([b"\xff", None], pa.binary())
    texts = pa.concat_arrays([pa.array([text.encode() for text in HOSTILE]), dead])
    ids = [*HOSTILE_IDS, "<script>1</script>\x1b", "\u202e<i>"]
    source = write(folder / "<in>\u202e.parquet", pa.table({"id": ids, "text": texts}))
    limits = ["--max-text-bytes", "none", "--max-output-bytes", "none"]
    arguments = ["--output", folder / "out", "--max-size", 100, "--id-column", "id", *limits]
    assert run(source, *arguments) == 0
    return folder / "out"


@pytest.fixture
def facts(plain_job: Path, capfd: pytest.CaptureFixture) -> dict[str, Any]:
    said = call(capfd, "report", plain_job, "--json")
    assert (said.status, said.err) == (0, "")
    return json.loads(said.out)


class Page(HTMLParser):
    """The elements of a page and its text, as a browser finds them."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: Counter[str] = Counter()
        self.references: list[str] = []
        self.images: list[dict[str, str | None]] = []
        self.text = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        if tag == "img":
            self.images.append(dict(attrs))
        loading = ("src", "srcset", "href", "action", "data", "poster", "background")
        self.references += [value or "" for name, value in attrs if name in loading]
        assert not any(name.startswith("on") for name, _ in attrs)

    def handle_data(self, data: str) -> None:
        self.text += data


def page_of(capfd: pytest.CaptureFixture, job: Path, tmp_path: Path) -> str:
    said = call(capfd, "report", job, "--output", tmp_path / "page.html")
    assert (said.status, said.err) == (0, "")
    return (tmp_path / "page.html").read_text("utf-8")


def test_sizes(facts: dict[str, Any], plain_job: Path) -> None:
    chunks, found = rows(plain_job), facts["sizes"]
    sizes = sorted(chunk["size"] for chunk in chunks)
    fitting = [size for size in sizes if size <= 90]
    assert (found["chunks"], found["total"]) == (len(sizes), sum(sizes))
    assert (found["smallest"], found["largest"]) == (sizes[0], sizes[-1])
    assert found["mean"] == pytest.approx(mean(sizes), abs=1e-4)
    assert found["quantiles"]["50%"] == sizes[(len(sizes) - 1) // 2]
    assert found["mean_fill"] == pytest.approx(mean(fitting) / 90, abs=1e-4)
    assert found["oversized"] == len(sizes) - len(fitting) == 1
    assert found["sentences_mean"] == pytest.approx(
        mean(c["sentence_count"] for c in chunks), abs=1e-4
    )
    assert found["sentences_most"] == max(chunk["sentence_count"] for chunk in chunks)


def test_histogram_holds_every_chunk_once(facts: dict[str, Any], plain_job: Path) -> None:
    sizes = [chunk["size"] for chunk in rows(plain_job)]
    bars = facts["sizes"]["histogram"]
    for bar in bars:
        inside = [
            s for s in sizes if bar["above"] < s and (bar["up_to"] is None or s <= bar["up_to"])
        ]
        assert bar["fitting"] == sum(size <= 90 for size in inside)
        assert bar["oversized"] == sum(size > 90 for size in inside)
    assert sum(bar["fitting"] + bar["oversized"] for bar in bars) == len(sizes)
    assert bars[-1]["up_to"] is None


def test_fill_tells_last_chunks_apart_and_repeats_are_counted(
    facts: dict[str, Any], plain_job: Path
) -> None:
    documents: dict[str, list[dict[str, Any]]] = {}
    for chunk in rows(plain_job):
        documents.setdefault(chunk["document_id"], []).append(chunk)
    last, inside, repeated = Counter(), Counter(), 0
    for chunks in documents.values():
        for chunk in chunks:
            if not chunk["oversized"]:
                tenth = -(-chunk["size"] * 10 // 90) - 1
                (last if chunk is chunks[-1] else inside)[tenth] += 1
        total = sum(chunk["size"] for chunk in chunks)
        repeated += total - chunks[-1]["end"]
    assert [bar["last_of_document"] for bar in facts["sizes"]["fill"]] == [
        last[n] for n in range(10)
    ]
    assert [bar["inside_document"] for bar in facts["sizes"]["fill"]] == [
        inside[n] for n in range(10)
    ]
    assert facts["sizes"]["repeated"] == repeated > 0


def test_longest_oversized(hostile_job: Path, capfd: pytest.CaptureFixture) -> None:
    facts = json.loads(call(capfd, "report", hostile_job, "--json").out)
    chunks = rows(hostile_job)
    oversized = [chunk for chunk in chunks if chunk["oversized"]]
    assert len(oversized) > 8
    longest = sorted(oversized, key=lambda chunk: -chunk["size"])[:8]
    assert len(facts["longest_oversized"]) == 8
    for found, chunk in zip(facts["longest_oversized"], longest, strict=True):
        for name in ("document_id", "start", "end", "size"):
            assert found[name] == chunk[name]
        shown = len(found["text_head"]) + len(found["text_tail"])
        assert shown + found["text_left_out"] == len(chunk["text"])
        assert chunk["text"].startswith(found["text_head"])
        assert chunk["text"].endswith(found["text_tail"])


def test_dead_letters(facts: dict[str, Any], plain_job: Path) -> None:
    found = {(r["code"], r["limit_name"]): r for r in facts["dead_letters"]}
    assert {key: reason["documents"] for key, reason in found.items()} == {
        ("limit_exceeded", "max_text_bytes"): 2,
        ("null_text", None): 1,
        ("unreadable_file", None): 0,
    }
    examples = found["limit_exceeded", "max_text_bytes"]["examples"]
    assert [example["document_id"] for example in examples] == ["a64", "b60"]
    assert found["unreadable_file", None]["of_unknown_size"] == 1
    assert found["unreadable_file", None]["examples"][0]["file"].endswith("c.parquet")


def test_scripts(facts: dict[str, Any], plain_job: Path) -> None:
    found, chunks = facts["scripts"], rows(plain_job)
    assert found["sampled_chunks"] == len(chunks) <= 1024
    assert next(iter(found["shares"])) == "Latin"
    assert found["letters"] == sum(character.isalpha() for c in chunks for character in c["text"])
    assert set(found["shares"]) == {"Latin", "Cyrillic", "Han", "Hiragana"}


def test_a_sample_is_spread_over_a_large_output(
    tmp_path: Path, capfd: pytest.CaptureFixture
) -> None:
    texts = ["Latin letters. "] * 3000 + ["Кириллица. "] * 3000
    source = write(tmp_path / "in.parquet", {"text": texts})
    assert run(source, "--output", tmp_path / "out", "--max-size", 50) == 0
    capfd.readouterr()
    found = json.loads(call(capfd, "report", tmp_path / "out", "--json").out)["scripts"]
    assert found["sampled_chunks"] == 1024
    assert 0.3 < found["shares"]["Cyrillic"] < 0.7


def test_summary_and_json_as_they_are(facts: dict[str, Any], plain_job: Path) -> None:
    assert facts["summary"] == summary(plain_job)
    assert (facts["max_size"], facts["unit"], facts["warnings"]) == (90, "code_point", [])


def test_page_has_the_facts(
    facts: dict[str, Any], plain_job: Path, tmp_path: Path, capfd: pytest.CaptureFixture
) -> None:
    page = Page(page_of(capfd, plain_job, tmp_path))
    figures = summary(plain_job)
    chunk = facts["longest_oversized"][0]
    for expected in (
        f"{figures['documents']:,} came in, {figures['chunked']:,} were chunked",
        f"{chunk['document_id']}[{chunk['start']}:{chunk['end']}]",
        "limit_exceeded: max_text_bytes",
        "262,144",
        figures["inputs"][0],
        figures["versions"]["apache-beam"],
        f"in {len(rows(plain_job)):,} of {len(rows(plain_job)):,} chunks",
        f"{facts['sizes']['repeated'] / (facts['sizes']['total'] - facts['sizes']['repeated']):.1%}",
    ):
        assert expected in page.text
    assert len(page.images) == 2
    for image in page.images:
        assert len(image["alt"] or "") > 80
    assert page.tags["th"] > 20
    assert page.tags["script"] == 0


def test_the_same_job_gives_the_same_page(
    plain_job: Path, tmp_path: Path, capfd: pytest.CaptureFixture
) -> None:
    assert page_of(capfd, plain_job, tmp_path) == page_of(capfd, plain_job, tmp_path)


def test_page_loads_nothing(
    hostile_job: Path, tmp_path: Path, capfd: pytest.CaptureFixture
) -> None:
    text = page_of(capfd, hostile_job, tmp_path)
    page = Page(text)
    assert page.references
    assert all(each.startswith("data:image/svg+xml;base64,") for each in page.references)
    assert not re.search(r"url\(|@import", text)


def test_hostile_text_stays_text(
    hostile_job: Path, tmp_path: Path, capfd: pytest.CaptureFixture
) -> None:
    text = page_of(capfd, hostile_job, tmp_path)
    page = Page(text)
    assert page.tags.keys().isdisjoint({"script", "b", "i", "iframe", "object"})
    assert (page.tags["img"], page.tags["style"], page.tags["title"]) == (2, 1, 1)
    style = text.index("</style>")
    assert not re.search(STEERING, text[style:])
    assert "<script>document.title='pwned'</script>" in page.text
    assert "⟨NUL⟩⟨ESC⟩[31mred" in page.text
    assert "◌\u0301\u0301 lone marks" in page.text
    assert " … 9,999,600 code points … " in page.text
    assert len(text) < 500_000


def test_hostile_text_in_json(hostile_job: Path, capfd: pytest.CaptureFixture) -> None:
    said = call(capfd, "report", hostile_job, "--json")
    assert not re.search(STEERING, said.out)
    ids = {chunk["document_id"] for chunk in json.loads(said.out)["longest_oversized"]}
    assert ids <= set(HOSTILE_IDS)


def test_a_job_without_chunks(tmp_path: Path, capfd: pytest.CaptureFixture) -> None:
    source = write(tmp_path / "in.parquet", {"text": pa.array([], pa.string())})
    assert run(source, "--output", tmp_path / "out", "--max-size", 50) == 0
    capfd.readouterr()
    page = Page(page_of(capfd, tmp_path / "out", tmp_path))
    assert "There are no chunks." in page.text
    assert json.loads(call(capfd, "report", tmp_path / "out", "--json").out)["sizes"]["chunks"] == 0


@pytest.mark.parametrize("max_size", [1, 7, 1_048_576])
@pytest.mark.parametrize(
    "key", [pa.int64(), pa.binary(4), pa.list_(pa.int64()), pa.dictionary(pa.int8(), pa.string())]
)
def test_sizes_and_ids_of_any_kind(
    tmp_path: Path, capfd: pytest.CaptureFixture, max_size: int, key: pa.DataType
) -> None:
    values = {"list<item: int64>": [[1], [2]], "fixed_size_binary[4]": [b"\xff234", b"1234"]}.get(
        str(key), [1, 2]
    )
    ids = (
        pa.array([str(v) for v in values]).dictionary_encode()
        if pa.types.is_dictionary(key)
        else pa.array(values, key)
    )
    source = write(
        tmp_path / "in.parquet", pa.table({"id": ids, "text": ["One. Two two.", "Ä" * 40]})
    )
    arguments = ["--max-size", max_size, "--id-column", "id", "--unit", "utf8"]
    assert run(source, "--output", tmp_path / "out", *arguments) == 0
    capfd.readouterr()
    found = json.loads(call(capfd, "report", tmp_path / "out", "--json").out)["sizes"]
    assert sum(bar["fitting"] + bar["oversized"] for bar in found["histogram"]) == found["chunks"]
    assert sum(bar["last_of_document"] for bar in found["fill"]) == sum(size <= max_size for size in (8, 80))  # fmt: skip
    assert page_of(capfd, tmp_path / "out", tmp_path)


def test_an_input_whose_name_is_not_utf8(
    plain_job: Path, tmp_path: Path, capfd: pytest.CaptureFixture
) -> None:
    job = shutil.copytree(plain_job, tmp_path / "job")
    changed = summary(job) | {"inputs": [os.fsdecode(b"caf\xe9")]}
    (job / "summary.json").write_text(json.dumps(changed))
    said = call(capfd, "report", job, "--json")
    assert json.loads(said.out)["summary"]["inputs"] == ["caf\udce9"]
    assert "caf⟨U+DCE9⟩" in page_of(capfd, job, tmp_path)


def test_where_the_files_are_not_what_the_summary_says(
    tmp_path: Path, capfd: pytest.CaptureFixture
) -> None:
    source = write(tmp_path / "in.parquet", {"text": ["One. Two."]})
    out = tmp_path / "out"
    assert run(source, "--output", out, "--max-size", 5) == 0
    part = out / "chunks" / "part-00000.parquet"
    pq.write_table(pq.read_table(part).slice(1), part)
    capfd.readouterr()
    page = Page(page_of(capfd, out, tmp_path))
    assert "summary.json counts 2 chunks, but the files hold 1" in page.text


def test_an_earlier_report_is_replaced_and_nothing_else(
    plain_job: Path, tmp_path: Path, capfd: pytest.CaptureFixture
) -> None:
    first = call(capfd, "report", plain_job)
    default = plain_job / "report.html"
    assert first.out == f"report written: {default}\n"
    assert MARK in default.read_text("utf-8")[:200]
    assert call(capfd, "report", plain_job).status == 0
    mine = tmp_path / "mine.html"
    mine.write_text("<p>keep me</p>")
    said = call(capfd, "report", plain_job, "--output", mine)
    assert refused(said, f"{mine} exists and is no report of ours")
    assert mine.read_text() == "<p>keep me</p>"
    assert refused(call(capfd, "report", plain_job, "--output", tmp_path), "Is a directory")
    assert refused(call(capfd, "report", plain_job, "--output", mine / "x.html"), "cannot write")


def test_folders_that_no_job_has_finished(
    plain_job: Path, tmp_path: Path, capfd: pytest.CaptureFixture
) -> None:
    assert refused(call(capfd, "report", tmp_path / "no"), "has no _SUCCESS")
    (tmp_path / "_SUCCESS").touch()
    assert refused(call(capfd, "report", tmp_path), "has no summary.json")
    for content in ("{", "[]", "{}", '{"settings": {"spec": {"max_size": "9", "unit": "utf8"}}}'):
        (tmp_path / "summary.json").write_text(content)
        assert refused(
            call(capfd, "report", tmp_path, "--json"),
            "summary.json" if content != "{" else "cannot read",
        )
    (tmp_path / "summary.json").write_bytes((plain_job / "summary.json").read_bytes())
    assert refused(call(capfd, "report", tmp_path, "--json"), "no file found")
    for kind in ("chunks", "dead_letters"):
        write(tmp_path / kind / "part.parquet", {"text": ["A."]})
    assert refused(call(capfd, "report", tmp_path, "--json"), "has no column 'document_id'")
    (tmp_path / "chunks" / "part.parquet").write_bytes(b"PAR1")
    assert refused(call(capfd, "report", tmp_path, "--json"), "cannot read")
    assert refused(call(capfd, "report", "nowhere://x"), "cannot read nowhere://x")
    assert refused(
        call(capfd, "report", plain_job, "--json", "--output", "x"), "leave --output out"
    )


def test_without_the_plotting_library(
    plain_job: Path, tmp_path: Path, capfd: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = builtins.__import__

    def without(name: str, *arguments: Any, **options: Any) -> Any:
        if name.split(".")[0] == "matplotlib":
            raise ImportError(name)
        return real(name, *arguments, **options)

    monkeypatch.setattr(builtins, "__import__", without)
    said = call(capfd, "report", plain_job, "--output", tmp_path / "page.html")
    assert refused(said, "pip install 'sentchunk-beam[report]'")
    assert not (tmp_path / "page.html").exists()
    assert call(capfd, "report", plain_job, "--json").status == 0


def test_a_failing_file_system_is_told_in_one_line(
    plain_job: Path, capfd: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unreachable(path: str) -> bool:
        raise BeamIOError(f"no route to {path}")

    monkeypatch.setattr("sentchunk_beam.files.exists", unreachable)
    assert refused(call(capfd, "report", plain_job, "--json"), "no route to")


PEAK = """
import resource, sys
from sentchunk_beam.cli import main
status = main(["report", sys.argv[1]])
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
sys.exit(status)
"""


def peak_megabytes(job: Path) -> int:
    done = subprocess.run(
        [sys.executable, "-c", PEAK, job], capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    return int(done.stdout.splitlines()[-1])


def test_memory_does_not_grow_with_the_output(plain_job: Path, tmp_path: Path) -> None:
    """Row groups of 300 MB of text, which are few bytes on the disk, for all chunks are alike."""
    facts = summary(plain_job) | {"chunks": 200_000, "oversized": 0, "dead_letters": {}}
    rows_of_group = 100_000
    table = pa.table(
        {
            "document_id": pa.array([f"document {n}" for n in range(rows_of_group)]),
            "text": pa.array(["x" * 3000] * rows_of_group, pa.large_string()),
            **{name: pa.array([0] * rows_of_group) for name in ("chunk_index", "start", "first_sentence")},
            **{name: pa.array([50] * rows_of_group) for name in ("end", "size")},
            "sentence_count": pa.array([1] * rows_of_group),
            "oversized": pa.array([False] * rows_of_group),
        }
    )  # fmt: skip
    (tmp_path / "chunks").mkdir()
    with pq.ParquetWriter(
        tmp_path / "chunks" / "part.parquet", table.schema, compression="zstd"
    ) as writer:
        for _ in range(2):
            writer.write_table(table)
    write(tmp_path / "dead_letters" / "part.parquet", dead_letters_schema().empty_table())
    (tmp_path / "summary.json").write_text(json.dumps(facts))
    (tmp_path / "_SUCCESS").touch()
    assert peak_megabytes(tmp_path) < peak_megabytes(plain_job) + 100


def test_documents_whose_first_chunks_are_missing(
    tmp_path: Path, capfd: pytest.CaptureFixture
) -> None:
    """As where blank chunks are dropped: the next document's index may be higher, yet it is another document."""
    source = write(tmp_path / "in.parquet", {"text": ["One. ", "Aaaa. Bbbb. ", "Two."]})
    out = tmp_path / "out"
    assert run(source, "--output", out, "--max-size", 6) == 0
    part = out / "chunks" / "part-00000.parquet"
    table = pq.read_table(part)
    assert table["chunk_index"].to_pylist() == [0, 0, 1, 0]
    pq.write_table(table.take([0, 2, 3]), part)
    capfd.readouterr()
    fill = json.loads(call(capfd, "report", out, "--json").out)["sizes"]["fill"]
    assert sum(bar["last_of_document"] for bar in fill) == 3
