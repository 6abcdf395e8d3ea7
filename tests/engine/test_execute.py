"""The JSON form, against the schema of the contract."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
from sentchunk import InvalidInput, LimitExceeded, execute

pytestmark = pytest.mark.usefixtures("implementation")

INTEGER = {"type": "integer", "minimum": 0}
CHUNK = {
    "text": {"type": "string", "minLength": 1},
    "start": INTEGER,
    "end": {"type": "integer", "minimum": 1},
    "size": {"type": "integer", "minimum": 1},
    "first_sentence": INTEGER,
    "sentence_count": {"type": "integer", "minimum": 1},
    "oversized": {"type": "boolean"},
}
RESULT = {
    "data_version": {"type": "string", "const": "unicode-17.0.0"},
    "unit": {"type": "string", "enum": ["code_point", "utf16", "utf8"]},
    "max_size": {"type": "integer", "minimum": 1, "maximum": 1_048_576},
    "overlap": {"type": "integer", "minimum": 0, "maximum": 16},
    "sentence_count": {"type": "integer", "minimum": 0, "maximum": 65_536},
    "count": INTEGER,
}


def closed(properties: dict) -> dict:
    return {
        "type": "object",
        "additionalProperties": False,
        "required": list(properties),
        "properties": properties,
    }


SCHEMA = closed(RESULT | {"chunks": {"type": "array", "items": closed(CHUNK)}})


def test_schema_is_the_contracts() -> None:
    seeds = Path(__file__).resolve().parents[3] / "shared" / "seeds"
    contracts = [path for path in seeds.glob("*.txt") if path.read_text("utf-8").startswith("{")]
    if not contracts:
        pytest.skip("the contract is not laid beside the project")
    assert json.loads(contracts[0].read_text("utf-8"))["output_schema"] == SCHEMA


def test_result_has_the_defaults_that_were_used() -> None:
    result = execute({"text": "One. Two two. Three three three.", "max_size": 14})
    jsonschema.validate(result, SCHEMA)
    assert {key: value for key, value in result.items() if key != "chunks"} == {
        "data_version": "unicode-17.0.0",
        "unit": "code_point",
        "max_size": 14,
        "overlap": 0,
        "sentence_count": 3,
        "count": 2,
    }
    assert [row["text"] for row in result["chunks"]] == ["One. Two two. ", "Three three three."]
    assert json.loads(json.dumps(result)) == result


@pytest.mark.parametrize("text", ["", "   ", "日本。😀\r\n"])
@pytest.mark.parametrize("unit", ["code_point", "utf16", "utf8"])
def test_results_follow_the_schema(text: str, unit: str) -> None:
    jsonschema.validate(execute({"text": text, "max_size": 3, "unit": unit, "overlap": 16}), SCHEMA)


def test_an_integral_number_is_an_integer() -> None:
    result = execute({"text": "A.", "max_size": 14.0, "overlap": 1.0})
    assert (type(result["max_size"]), result["overlap"]) == (int, 1)


@pytest.mark.parametrize(
    ("request_", "field"),
    [
        ({"max_size": 1}, "text"),
        ({"text": "a"}, "max_size"),
        ({"text": "a", "max_size": 1, "trim": True}, "trim"),
        ({"text": "a", "max_size": 1, "limits": None}, "limits"),
        ({"text": 7, "max_size": 1}, "text"),
        ({"text": None, "max_size": 1}, "text"),
        ({"text": "a", "max_size": "1"}, "max_size"),
        ({"text": "a", "max_size": True}, "max_size"),
        ({"text": "a", "max_size": 1.5}, "max_size"),
        ({"text": "a", "max_size": float("inf")}, "max_size"),
        ({"text": "a", "max_size": 0}, "max_size"),
        ({"text": "a", "max_size": 1, "overlap": None}, "overlap"),
        ({"text": "a", "max_size": 1, "overlap": 17}, "overlap"),
        ({"text": "a", "max_size": 1, "unit": None}, "unit"),
        ({"text": "a", "max_size": 1, "unit": "UTF8"}, "unit"),
        ({"text": "a\udc00", "max_size": 1}, "text"),
        (["text"], "request"),
    ],
)
def test_refused(request_, field: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        execute(request_)
    error = caught.value.as_dict()
    assert (error["code"], error["field"]) == ("invalid_input", field)
    assert error["message"]


@pytest.mark.parametrize("text", ["x" * 262_145, "\ud800" + "x" * 262_142, "é" * 131_072 + "x"])
def test_too_long_is_always_limit_exceeded(text: str) -> None:
    with pytest.raises(LimitExceeded) as caught:
        execute({"text": text, "max_size": 5})
    assert caught.value.as_dict().items() >= {
        "code": "limit_exceeded", "limit_name": "max_text_bytes", "limit": 262_144, "figure": 262_145
    }.items()  # fmt: skip
