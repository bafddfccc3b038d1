"""Atomic writing of files."""

from __future__ import annotations

import gzip
import io
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, TextIO, cast

from radprog.base.errors import OutputError


@contextmanager
def atomic_bytes(path: str | Path) -> Iterator[BinaryIO]:
    """A stream whose content becomes the file ``path`` if the block ends without an error.

    The stream is written to a temporary file beside the target. At the end, this file replaces the
    target and takes its permissions. After an error the temporary file is removed. If the name ends
    with .gz, the content is compressed, without a time stamp. A device, pipe or link is written
    directly. The operating system opens it. It may reject links of other users in world-writable
    folders. Raises OutputError, with the path, for any failure of the file system.
    """
    target = Path(path_text(path))
    try:
        if _in_place(target):
            with open(target, "wb") as raw, _packed(raw, target.name) as stream:
                yield stream
            return
        draft = target.with_name(f".radprog-{secrets.token_hex(6)}.tmp")
        try:
            with open(draft, "xb") as raw, _packed(raw, target.name) as stream:
                if target.exists():
                    os.chmod(draft, stat.S_IMODE(target.stat().st_mode))
                yield stream
            os.replace(draft, target)
        finally:
            draft.unlink(missing_ok=True)
    except OSError as error:
        raise OutputError(f"cannot write {path}: {_reason(error)}") from None


@contextmanager
def atomic_text(path: str | Path) -> Iterator[TextIO]:
    """:func:`atomic_bytes` for UTF-8 text, with line ends as written."""
    with (
        atomic_bytes(path) as raw,
        io.TextIOWrapper(raw, "utf-8", newline="", write_through=False) as stream,
    ):
        yield stream


def probe_writable(path: str | Path) -> None:
    """Raise OutputError now if ``path`` could not be written later; no file is left behind."""
    target = Path(path_text(path))
    try:
        if target.is_dir():
            raise IsADirectoryError(0, "it is a folder")
        if _in_place(target):
            place = target if target.exists() else Path(os.path.realpath(target)).parent
            place.stat()
            if not os.access(place, os.W_OK):
                raise PermissionError(0, "no permission")
            return
        draft = target.with_name(f".radprog-{secrets.token_hex(6)}.tmp")
        try:
            draft.touch(exist_ok=False)
        finally:
            draft.unlink(missing_ok=True)
    except OSError as error:
        raise OutputError(f"cannot write {path}: {_reason(error)}") from None


def _reason(error: OSError) -> str:
    """The reason why a file cannot be written. For a missing file, the reason is that its folder
    does not exist.
    """
    if isinstance(error, FileNotFoundError):
        return "its folder does not exist"
    return error.strerror or str(error)


def path_text(path: object) -> str:
    """The path of a file as a string. Raises OutputError for any other object."""
    if not isinstance(path, str | Path) or "\0" in str(path):
        raise OutputError(f"cannot write {path!r}: expected the path of a file")
    return str(path)


def _in_place(target: Path) -> bool:
    """Whether a target is a link, or an existing device or pipe."""
    return target.is_symlink() or (target.exists() and not target.is_file())


@contextmanager
def _packed(raw: BinaryIO, name: str) -> Iterator[BinaryIO]:
    if name.endswith(".gz"):
        with gzip.GzipFile("", "wb", 6, raw, mtime=0) as packed:  # gzip level
            yield cast(BinaryIO, packed)
    else:
        yield raw
