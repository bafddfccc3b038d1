"""Writing files: whole or not at all."""

from __future__ import annotations

import gzip
import io
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, TextIO, cast

from radprog.instances.errors import OutputError

GZIP_LEVEL = 6


@contextmanager
def atomic_bytes(path: str | Path) -> Iterator[BinaryIO]:
    """A stream whose content becomes ``path`` when the block ends without an error.

    It is written beside the target and moved over it; on any error nothing is left behind. A name
    ending in .gz is compressed, without a time stamp. A device or pipe is written in place.
    Raises OutputError, naming the path, for any failure of the file system.
    """
    target = _target(path)
    try:
        if target.exists() and not target.is_file():
            with open(target, "wb") as raw, _packed(raw, target.name) as stream:
                yield stream
            return
        draft = target.with_name(f".radprog-{secrets.token_hex(6)}.tmp")
        try:
            with open(draft, "xb") as raw, _packed(raw, target.name) as stream:
                yield stream
            os.replace(draft, target)
        finally:
            draft.unlink(missing_ok=True)
    except OSError as error:
        raise OutputError(f"cannot write {path}: {error.strerror or error}") from None


@contextmanager
def atomic_text(path: str | Path) -> Iterator[TextIO]:
    """:func:`atomic_bytes` as UTF-8 text, line ends as written."""
    with (
        atomic_bytes(path) as raw,
        io.TextIOWrapper(raw, "utf-8", newline="", write_through=False) as stream,
    ):
        yield stream


def probe_writable(path: str | Path) -> None:
    """Raise OutputError now where ``path`` could not be written later; leaves nothing behind."""
    target = _target(path)
    try:
        if target.is_dir():
            raise IsADirectoryError(0, "it is a folder")
        if target.exists() and not target.is_file():
            return
        draft = target.with_name(f".radprog-{secrets.token_hex(6)}.tmp")
        try:
            draft.touch(exist_ok=False)
        finally:
            draft.unlink(missing_ok=True)
    except OSError as error:
        raise OutputError(f"cannot write {path}: {error.strerror or error}") from None


def path_text(path: object) -> str:
    """The path of a file as text; OutputError where it is none."""
    if not isinstance(path, str | Path) or "\0" in str(path):
        raise OutputError(f"cannot write {path!r}: expected the path of a file")
    return str(path)


def _target(path: str | Path) -> Path:
    """What a path leads to; OutputError where it is none."""
    try:
        return Path(os.path.realpath(path_text(path)))
    except ValueError as error:
        raise OutputError(f"cannot write {path!r}: {error}") from None


@contextmanager
def _packed(raw: BinaryIO, name: str) -> Iterator[BinaryIO]:
    if name.endswith(".gz"):
        with gzip.GzipFile("", "wb", GZIP_LEVEL, raw, mtime=0) as packed:
            yield cast(BinaryIO, packed)
    else:
        yield raw
