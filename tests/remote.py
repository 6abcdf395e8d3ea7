"""A file system that is not local as far as the program can tell: `elsewhere://` and a path of this machine."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest
from apache_beam.io.filesystem import FileMetadata
from apache_beam.io.filesystems import FileSystems
from apache_beam.io.localfilesystem import LocalFileSystem
from apache_beam.options.pipeline_options import PipelineOptions
from apache_beam.options.value_provider import RuntimeValueProvider

PREFIX = "elsewhere://"


def _here(path: str) -> str:
    assert path.startswith(PREFIX), f"{path} is not of this file system"
    return path[len(PREFIX) :]


@pytest.fixture
def new_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a process that has built no pipeline yet: no file system has been given options."""
    monkeypatch.setattr(FileSystems, "_pipeline_options", None)
    monkeypatch.setattr(RuntimeValueProvider, "runtime_options", None)


class Elsewhere(LocalFileSystem):
    """Registered by its being there, as Beam does it. As that of S3, it needs a pipeline's options."""

    def __init__(self, pipeline_options: PipelineOptions | None) -> None:
        assert pipeline_options is not None, "no options"
        super().__init__(pipeline_options)

    @classmethod
    def scheme(cls) -> str:
        return PREFIX.split(":")[0]

    def join(self, basepath: str, *paths: str) -> str:
        return "/".join([basepath.rstrip("/"), *(path.strip("/") for path in paths)])

    def split(self, path: str) -> tuple[str, str]:
        head, _, tail = path.rpartition("/")
        return head, tail

    def mkdirs(self, path: str) -> None:
        super().mkdirs(_here(path))

    def has_dirs(self) -> bool:
        return False

    def _list(self, dir_or_prefix: str) -> Iterator[FileMetadata]:
        """By prefix, as object stores do."""
        prefix = _here(dir_or_prefix)
        for folder, _, names in os.walk(os.path.dirname(prefix)):
            for name in names:
                path = os.path.join(folder, name)
                if path.startswith(prefix):
                    yield FileMetadata(PREFIX + path, os.path.getsize(path))

    def create(self, path: str, *arguments: Any, **options: Any) -> Any:
        return _Created(super().create(_here(path), *arguments, **options))

    def open(self, path: str, *arguments: Any, **options: Any) -> Any:
        return super().open(_here(path), *arguments, **options)

    def exists(self, path: str) -> bool:
        return os.path.isfile(_here(path))  # there are no folders there

    def size(self, path: str) -> int:
        return super().size(_here(path))

    def metadata(self, path: str) -> FileMetadata:
        return FileMetadata(path, self.size(path))

    def last_updated(self, path: str) -> float:
        return super().last_updated(_here(path))

    def rename(self, source_file_names: list[str], destination_file_names: list[str]) -> None:
        for source, target in zip(source_file_names, destination_file_names, strict=True):
            os.makedirs(os.path.dirname(_here(target)), exist_ok=True)
            os.replace(_here(source), _here(target))

    def delete(self, paths: list[str]) -> None:
        for path in paths:
            os.remove(_here(path))


class _Created:
    """A file that is written. As on S3, where Beam uploads files in parts, it cannot be empty."""

    def __init__(self, file: Any) -> None:
        self._file = file

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)

    def close(self) -> None:
        empty = not self._file.closed and self._file.tell() == 0
        self._file.close()
        assert not empty, "an empty file"
