"""A ChunkResult is a dataclass, in C as in Python: the same tests hold for both classes."""

from __future__ import annotations

import copy
import dataclasses
import gc
import inspect
import json
import pickle
import subprocess
import sys
import weakref

import pytest
from sentchunk import ChunkResult as Ours
from sentchunk import _kernel, _records

NAMES = ["content", "index", "metadata", "start", "end", "new_start", "oversized"]
VALUES = ("text", 3, {"a": [1]}, 5, 9, 6, True)

pytestmark = pytest.mark.parametrize("cls", [_kernel.ChunkResult, _records.ChunkResult])


def test_the_kernels_is_the_public_one(cls: type[Ours]) -> None:
    assert (cls is Ours) == (cls is _kernel.ChunkResult)


def test_construction(cls: type[Ours]) -> None:
    assert [getattr(cls("x"), name) for name in NAMES] == ["x", 0, {}, 0, 0, 0, False]
    assert cls(*VALUES) == cls(**dict(zip(NAMES, VALUES, strict=True)))
    assert [getattr(cls(*VALUES), name) for name in NAMES] == list(VALUES)
    assert cls("x").metadata is not cls("x").metadata
    given = {"a": 1}
    assert cls("x", 0, given).metadata is given
    assert cls("x", metadata=None).metadata is None  # type: ignore[arg-type]  # a dataclass checks nothing
    for wrong in ((), (*VALUES, 1)):
        with pytest.raises(TypeError):
            cls(*wrong)
    with pytest.raises(TypeError):
        cls("x", size=1)  # type: ignore[call-arg]  # that is the mistake


def test_it_is_a_dataclass(cls: type[Ours]) -> None:
    result = cls(*VALUES)
    assert dataclasses.is_dataclass(cls)
    assert [each.name for each in dataclasses.fields(result)] == NAMES
    assert dataclasses.asdict(result) == dict(zip(NAMES, VALUES, strict=True))
    assert dataclasses.asdict(result)["metadata"]["a"] is not result.metadata["a"]
    assert dataclasses.astuple(result) == VALUES
    changed = dataclasses.replace(result, index=4)
    assert (type(changed), changed.index, changed.content) == (cls, 4, "text")
    if sys.version_info >= (3, 13):
        assert copy.replace(result, index=4) == changed
    assert cls.__match_args__ == tuple(NAMES)
    assert inspect.signature(cls) == inspect.signature(_records.ChunkResult)
    match result:
        case cls(content="text", end=9):
            pass
        case _:
            raise AssertionError
    assert inspect.getdoc(cls) == inspect.getdoc(_records.ChunkResult)


def test_equality_and_form(cls: type[Ours]) -> None:
    result = cls(*VALUES)
    assert result == cls(*VALUES)
    for name in NAMES:
        assert result != dataclasses.replace(result, **{name: "other"})
    assert result != VALUES
    assert result.__eq__(VALUES) is NotImplemented
    assert repr(result) == (
        "ChunkResult(content='text', index=3, metadata={'a': [1]}, start=5, end=9, new_start=6, oversized=True)"
    )
    result.metadata = {"self": result}
    assert "metadata={'self': ...}" in repr(result)
    with pytest.raises(TypeError, match="unhashable"):
        hash(result)


def test_attributes(cls: type[Ours]) -> None:
    result = cls("x")
    for name, value in zip(NAMES, VALUES, strict=True):
        setattr(result, name, value)
    assert result == cls(*VALUES)
    for name in ("index", "start", "end", "new_start"):
        for value in ("any", None, True, 2**70, -(2**63), 2**63 - 1, 1):
            setattr(result, name, value)
            assert (getattr(result, name), type(getattr(result, name))) == (value, type(value))
            assert vars(result)[name] == value
            assert list(vars(result)) == NAMES
            assert getattr(copy.copy(result), name) == value
            assert result == dataclasses.replace(result)
    result.embedding = [0.5]  # type: ignore[attr-defined]  # what programs do with chunks
    assert result.embedding == [0.5]  # type: ignore[attr-defined]
    assert list(vars(result)) == [*NAMES, "embedding"]
    assert json.loads(json.dumps(vars(result)))["embedding"] == [0.5]
    assert result.__dict__["content"] == "text"
    del result.embedding  # type: ignore[attr-defined]
    for work in (lambda: result.embedding, lambda: delattr(result, "embedding")):  # type: ignore[attr-defined]
        with pytest.raises(AttributeError, match="embedding"):
            work()
    assert not hasattr(result, "other")
    assert weakref.ref(result)() is result


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_pickles(cls: type[Ours], protocol: int) -> None:
    """What is read is of the class that the install has, whichever wrote it."""
    result = cls(*VALUES)
    result.embedding = [0.5]  # type: ignore[attr-defined]
    read = pickle.loads(pickle.dumps(result, protocol))
    assert type(read) is Ours
    assert vars(read) == vars(result)


def test_a_pickle_needs_no_kernel(cls: type[Ours]) -> None:
    script = (
        "import sys; sys.modules['sentchunk._kernel'] = None\n"
        "import pickle, sentchunk\n"
        "read = pickle.loads(sys.stdin.buffer.read())\n"
        "assert type(read) is sentchunk.ChunkResult, type(read)\n"
        "print(read)"
    )
    command = [sys.executable, "-W", "ignore", "-c", script]
    found = subprocess.run(
        command, input=pickle.dumps(cls(*VALUES)), capture_output=True, check=True
    )
    assert found.stdout.decode().strip() == repr(cls(*VALUES))


def test_copies(cls: type[Ours]) -> None:
    result = cls(*VALUES)
    result.embedding = [0.5]  # type: ignore[attr-defined]
    shallow, deep = copy.copy(result), copy.deepcopy(result)
    assert vars(shallow) == vars(deep) == vars(result)
    assert shallow.metadata is result.metadata
    assert deep.metadata is not result.metadata
    assert deep.embedding is not result.embedding  # type: ignore[attr-defined]


def test_subclasses(cls: type[Ours]) -> None:
    @dataclasses.dataclass
    class Scored(cls):  # type: ignore[valid-type, misc]
        score: float = 0.0

    result = Scored("x", 1, score=0.5)
    assert (result.content, result.index, result.metadata, result.score) == ("x", 1, {}, 0.5)
    assert dataclasses.asdict(result) == dataclasses.asdict(cls("x", 1)) | {"score": 0.5}
    assert copy.deepcopy(result) == result
    assert type(copy.copy(result)) is Scored
    assert result != cls("x", 1)


def test_cycles_are_collected(cls: type[Ours]) -> None:
    """Also of results that a chunker made, which the collector is not told of before it matters."""
    if cls is _kernel.ChunkResult:
        from sentchunk import SemanticChunker

        made = SemanticChunker().chunk("One.\n\nTwo.\n\nThree.", metadata={"n": 1})
    else:
        made = [cls("x") for _ in range(3)]
    made[0].metadata["self"] = made[0]
    made[1].content = [made[1]]  # type: ignore[assignment]
    made[2].more = made[2]  # type: ignore[attr-defined]
    gone = [weakref.ref(each) for each in made]
    made.clear()
    gc.collect()
    assert [each() for each in gone] == [None] * 3
