"""`ChunkDocuments` in Beam YAML, by Beam's own main and documentation tools, on real files."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml
from apache_beam.yaml import generate_yaml_docs, main, yaml_provider
from sentchunk import ChunkSpec, chunk

import sentchunk_beam

ROOT = Path(__file__).parents[2]
PIPELINE = ROOT / "pipelines" / "chunk.yaml"
PROVIDERS = Path(sentchunk_beam.__path__[0], "providers.yaml")


def run(pipeline: Path | str, **variables: object) -> None:
    given = (
        f"--yaml_pipeline_file={pipeline}"
        if isinstance(pipeline, Path)
        else f"--yaml_pipeline={pipeline}"
    )
    main.run(
        [
            given,
            "--runner=FnApiRunner",
            f"--jinja_variables={json.dumps(variables)}",
        ]
    )


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    table = pa.table(
        {"id": [1, 2, 3], "text": ["One. Two.", None, "Dos."], "lang": ["en", "?", None]}
    )
    pq.write_table(table, tmp_path / "corpus.parquet")
    return tmp_path


def read(folder: Path, kind: str) -> list[dict]:
    return pa.concat_tables(
        pq.read_table(part) for part in sorted(folder.glob(f"{kind}-*.parquet"))
    ).to_pylist()


def test_the_pipeline_that_is_shipped(corpus: Path) -> None:
    run(PIPELINE, input=f"{corpus}/*.parquet", output=f"{corpus}/out", max_size=5, keep=["lang"])
    chunks = read(corpus / "out", "chunks")
    keys = [row.pop("chunk_id") for row in chunks]
    assert len(set(keys)) == 3
    assert chunks == [
        {"document_id": identity, "chunk_index": index, **row._asdict(), "lang": lang}
        for identity, text, lang in [(1, "One. Two.", "en"), (3, "Dos.", None)]
        for index, row in enumerate(chunk(text, max_size=5))
    ]
    (letter,) = read(corpus / "out", "dead_letters")
    assert (letter["document_id"], letter["code"]) == (2, "null_text")


def step(config: dict, providers: object) -> str:
    """A pipeline that chunks the corpus by that configuration, without a word on errors."""
    return yaml.safe_dump(
        {
            "pipeline": {
                "type": "chain",
                "transforms": [
                    {"type": "Create", "config": {"elements": [{"id": "a", "text": config.pop("given")}]}},
                    {"type": "ChunkDocuments", "config": config},
                    {"type": "WriteToParquet", "config": {"path": config.pop("to")}},
                ],
            },
            "providers": providers,
        }
    )  # fmt: skip


def test_the_provider_file_that_is_shipped(tmp_path: Path) -> None:
    run(
        step(
            {"given": "x" * 300_000, "to": f"{tmp_path}/chunks", "max_size": 9, "max_text_bytes": None},
            [{"include": str(PROVIDERS)}],
        )
    )  # fmt: skip
    (written,) = tmp_path.glob("chunks-*")
    assert pq.read_table(written)["size"].to_pylist() == [300_000]
    shipped = yaml.safe_load(PROVIDERS.read_text("utf-8"))
    text = PIPELINE.read_text("utf-8")
    assert yaml.safe_load(text[text.index("providers:") :])["providers"] == shipped


def test_without_error_handling_a_dead_letter_fails_the_pipeline(tmp_path: Path) -> None:
    config = {"given": "x" * 300_000, "to": f"{tmp_path}/chunks", "max_size": 9}
    with pytest.raises(Exception, match="document 'a': the document has 300,000 UTF-8 bytes"):
        run(step(config, [{"include": str(PROVIDERS)}]))


def test_a_mistake_in_the_configuration_is_told(tmp_path: Path) -> None:
    for config, said in [
        ({"max_size": 0}, "max_size is 0"),
        ({"max_size": 5, "text": "body"}, "no field 'body'"),
    ]:
        with pytest.raises(Exception) as raised:  # noqa: PT011  (Beam wraps it)
            run(
                step(
                    {"given": "x", "to": f"{tmp_path}/chunks", **config},
                    [{"include": str(PROVIDERS)}],
                )
            )
        errors = [raised.value]
        while errors[-1].__cause__ or errors[-1].__context__:
            errors.append(errors[-1].__cause__ or errors[-1].__context__)
        assert any(said in str(error) for error in errors)


def test_beams_documentation_has_every_field() -> None:
    (provider,) = yaml_provider.load_providers(str(PROVIDERS))
    schema = provider.config_schema("ChunkDocuments")
    described = {field.name: field.description for field in schema.fields}
    types = {field.name: field.type for field in schema.fields}
    assert all(described.values())
    assert types["max_size"].atomic_type
    assert types["keep"].array_type.element_type.atomic_type
    assert types["max_sentences"].nullable
    limits = sentchunk_beam.Settings(ChunkSpec(1)).spec.limits
    for name, default in {
        "unit": "`code_point`",
        "overlap": "0",
        "text": "`text`",
        "id": "`id`",
    }.items():
        assert f"Default: {default}" in described[name]
    for name in ("max_text_bytes", "max_sentences", "max_output_bytes"):
        assert f"Default: {getattr(limits, name)}" in described[name]


def test_beams_documentation_tool_makes_a_page(tmp_path: Path, monkeypatch) -> None:
    page = tmp_path / "page.md"
    arguments = [f"--provider_source_file={PROVIDERS}", f"--markdown_file={page}"]
    monkeypatch.setattr("sys.argv", ["generate_yaml_docs", *arguments])
    generate_yaml_docs.main()
    text = page.read_text("utf-8")
    assert "## ChunkDocuments" in text
    assert "Packs the sentences of documents into chunks" in text
    assert "**max_size** `int32`" in text or "**max_size** `int64`" in text
