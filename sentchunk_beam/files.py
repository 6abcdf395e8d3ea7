"""Files by name, wherever Beam's file systems reach. Local ones are opened natively, without Python in between."""

from __future__ import annotations

import glob
import os
import shutil
import uuid
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import IO, NamedTuple

import pyarrow as pa
from apache_beam.io.filesystem import BeamIOError, CompressionTypes
from apache_beam.io.filesystems import FileSystems
from apache_beam.options.pipeline_options import PipelineOptions

from .errors import UsageError


class FoundFile(NamedTuple):
    """A file as it was when it was found.

    folder: that it was found in, None where a file or a glob names it. modified: when it was, in nanoseconds since 1970,
    as exactly as the file system tells; None where it does not.
    """

    path: str
    size: int
    folder: str | None = None
    modified: int | None = None


def use_options(options: PipelineOptions) -> None:
    """Give the file systems a pipeline's options, as Beam does when one is built: S3 and HDFS answer nothing without."""
    FileSystems.set_options(options)


def is_local(path: str) -> bool:
    return FileSystems.get_scheme(path) is None


def absolute(path: str) -> str:
    """The path as every worker can use it: Beam finds nothing by a relative one."""
    return os.path.abspath(os.path.expanduser(path)) if is_local(path) else path


def join(folder: str, *names: str) -> str:
    return FileSystems.join(folder, *names)


def find(inputs: Iterable[str], suffixes: tuple[str, ...]) -> list[FoundFile]:
    """The files that the inputs name, each once, in order of path.

    An input is a file, a glob or a folder. In a folder, at any depth, the files with one of the suffixes count, but
    none below a name that starts with "_" or "." (temporary and hidden ones, as Spark and Hive have it).
    Raises UsageError for an input that names nothing.
    """
    found: dict[str, FoundFile] = {}
    for given in inputs:
        matched = _match(absolute(given), suffixes)
        if not matched:
            named = ", ".join("*" + suffix for suffix in _uncompressed(suffixes))
            raise UsageError(
                f"no file found for {given!r}; give a file, a glob in quotes, or a folder with files named {named}"
            )
        for file in matched:
            _check_name(file.path)
            found[file.path] = file
    return [found[path] for path in sorted(found)]


def _uncompressed(suffixes: tuple[str, ...]) -> list[str]:
    """Without those of compressed files, which would be most of a message."""
    return [
        suffix
        for suffix in suffixes
        if not any(suffix.startswith(other + ".") for other in suffixes)
    ]


def _check_name(path: str) -> None:
    """Raise UsageError for a name that no output could hold, for it is not UTF-8."""
    try:
        path.encode()
    except UnicodeEncodeError:
        raise UsageError(
            f"the name of {os.fsencode(path)!r} is not UTF-8; rename the file"
        ) from None


def look_up(path: str) -> FoundFile:
    """A file by its exact name; of size 0 where it has vanished, which whoever opens it will see."""
    if is_local(path):
        return _local(path) if os.path.isfile(path) else FoundFile(path, 0)
    return next(iter(_listed(glob.escape(path))), FoundFile(path, 0))


def _match(path: str, suffixes: tuple[str, ...]) -> list[FoundFile]:
    if is_local(path) and os.path.isfile(path):  # also where its name holds "[" or "*"
        return [_local(path)]
    if not (is_local(path) and os.path.isdir(path)):
        files = _listed(path)
        if files or glob.has_magic(path):
            return files
    if is_local(path) and not os.path.isdir(path):
        return []
    folder = path.rstrip("/") + "/"
    files = list(_walked(folder)) if is_local(folder) else _listed(glob.escape(folder) + "**")
    outputs = _job_outputs(folder, files)
    return [
        file._replace(folder=folder)
        for file in files
        if file.path.lower().endswith(suffixes)
        and not _is_hidden(file.path[len(folder) :])
        and not file.path.startswith(outputs)
    ]


def _local(path: str) -> FoundFile:
    status = os.stat(path)
    return FoundFile(path, status.st_size, modified=status.st_mtime_ns)


def _walked(folder: str) -> Iterator[FoundFile]:
    """The files at any depth, each folder once even where links lead in circles.

    Raises UsageError for a folder that may not be read: what lies in it must not be missing unnoticed.
    """

    def refuse(error: OSError) -> None:
        raise UsageError(f"cannot list {error.filename}: {error.strerror}") from error

    seen = set()
    for above, folders, names in os.walk(folder, onerror=refuse, followlinks=True):
        status = os.stat(above)
        if (status.st_dev, status.st_ino) in seen:
            folders.clear()
            continue
        seen.add((status.st_dev, status.st_ino))
        paths = (os.path.join(above, name) for name in names)
        yield from (_local(path) for path in paths if os.path.isfile(path))


def _job_outputs(folder: str, files: list[FoundFile]) -> tuple[str, ...]:
    """Folders below that hold the output of a job of ours: no input, wherever somebody put it."""
    marked = {file.path.rpartition("/")[0] for file in files if file.path.endswith("/_SUCCESS")}
    told = {file.path.rpartition("/")[0] for file in files if file.path.endswith("/summary.json")}
    return tuple(f"{each}/" for each in marked & told if f"{each}/" != folder)


def _listed(pattern: str) -> list[FoundFile]:
    if is_local(pattern):  # where "**" stands for no folder too, as in a shell
        paths = filter(os.path.isfile, glob.iglob(pattern, recursive=True))
        return [_local(path) for path in paths]
    try:
        metadata = FileSystems.match([pattern])[0].metadata_list
    except (BeamIOError, ValueError) as error:
        raise UsageError(f"cannot list {pattern!r}: {_reason(error)}") from error
    return [
        FoundFile(
            entry.path,
            entry.size_in_bytes,
            modified=round((entry.last_updated_in_seconds or 0) * 1e9) or None,
        )
        for entry in metadata
    ]


def _is_hidden(relative: str) -> bool:
    return any(name.startswith(("_", ".")) for name in relative.split("/"))


def open_input(path: str) -> pa.NativeFile:
    """A random-access file. Raises OSError, FileNotFoundError among them."""
    if is_local(path):
        return pa.OSFile(path)
    return pa.PythonFile(FileSystems.open(path, compression_type=CompressionTypes.UNCOMPRESSED))


def open_stream(path: str) -> IO[bytes]:
    """A file to read from its beginning on, pipes and devices among the local ones. Raises OSError."""
    if is_local(path):
        return open(path, "rb")
    stream: IO[bytes] = FileSystems.open(path, compression_type=CompressionTypes.UNCOMPRESSED)
    return stream


def create(path: str) -> pa.NativeFile:
    """A new file to write, with the folders above it."""
    if is_local(path):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        return pa.OSFile(path, "wb")
    return pa.PythonFile(
        FileSystems.create(path, compression_type=CompressionTypes.UNCOMPRESSED), mode="w"
    )


def write_new_text(path: str, text: str) -> None:
    """`write_text`, but FileExistsError where the file is there, if two begin at the same time for one of them.

    On an object store the last one wins, as it can where the file system has no hard links.
    """
    if not is_local(path):
        write_text(path, text)
        return
    whole = f"{path}.{uuid.uuid4().hex[:8]}.whole"
    write_text(whole, text)
    try:
        os.link(whole, path)
    except FileExistsError:
        raise
    except OSError:  # no hard links there, as on exFAT and on many a mounted share
        if os.path.exists(path):
            raise FileExistsError(path) from None
        os.replace(whole, path)
    finally:
        with suppress(FileNotFoundError):
            os.remove(whole)


def write_text(path: str, text: str) -> None:
    """A small file that is there whole or not at all. It must hold something: Beam makes no empty file on S3."""
    assert text
    temporary = f"{path}.{uuid.uuid4().hex[:8]}" if is_local(path) else path
    with create(temporary) as sink:
        sink.write(text.encode())
    if temporary != path:
        os.replace(temporary, path)


def read_text(path: str) -> str:
    with open_input(path) as source:
        return source.read().decode()


def exists(path: str) -> bool:
    return FileSystems.exists(path)


def is_file(path: str) -> bool:
    """Whether a local path is a file; on an object store a folder's name can be one as well, and no harm done."""
    return is_local(path) and os.path.isfile(path)


def names_in(folder: str) -> list[str]:
    """The names right below a folder, sorted."""
    prefix = folder.rstrip("/") + "/"
    if is_local(folder):
        return sorted(os.listdir(folder))
    return sorted({file.path[len(prefix) :].split("/")[0] for file in _listed(prefix + "**")})


def holds_files(folder: str) -> bool:
    """Whether anything lies in the folder, hidden or not."""
    if is_local(folder):
        return is_file(folder) or (os.path.isdir(folder) and bool(os.listdir(folder)))
    return bool(_listed(folder.rstrip("/") + "/**"))


def rename(source: str, target: str) -> None:
    """Move a file. A second call, after the first one's success was not heard of, is no error."""
    if is_local(target):
        os.makedirs(os.path.dirname(target), exist_ok=True)
        try:
            os.replace(source, target)
        except FileNotFoundError:
            if not os.path.exists(target):
                raise
    elif exists(source) or not exists(target):
        FileSystems.rename([source], [target])


def remove_folder(folder: str) -> None:
    if is_local(folder):
        shutil.rmtree(folder, ignore_errors=True)
    else:
        FileSystems.delete([file.path for file in _listed(folder.rstrip("/") + "/**")])


def _reason(error: Exception) -> str:
    return str(error).splitlines()[0] if str(error) else type(error).__name__
