"""Files of programs unpacked, a line at a time, into a folder of their own, and classified.

Time grows with the size of the file at most linearly: blank lines are left out, a deadline and an
interrupt are asked for all the way, and a file that unpacks to more than a limit is refused.
"""

from __future__ import annotations

import gzip
import re
import tempfile
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO, cast

from radprog.instances.errors import DataError, OptionError
from radprog.instances.tables import refuse_streams
from radprog.solvers.program import ProblemClass, SolveSettings, Status

#: Bytes of a program's file, unpacked, that are read where nothing else is said.
LARGEST_FILE = 512 << 20
MEGABYTE = 1 << 20
BYTES_AT_ONCE = 1 << 20  # bytes between two looks at the clock
_PIECE = 1 << 16  # bytes of a line that are kept to see its end
_BLANK = re.compile(rb"\n\s*\n")


class ReadingStopped(Exception):
    """The time limit or an interrupt came before a file was read; ``status`` says which."""

    def __init__(self, status: Status) -> None:
        super().__init__(f"stopped by {status} while the file was read")
        self.status = status


class Watch:
    """The time limit and the interrupt of settings, from now on."""

    def __init__(self, settings: SolveSettings) -> None:
        limit = settings.time_limit
        self._settings = settings
        self._end = None if limit is None else time.monotonic() + limit

    def check(self) -> None:
        """Raise ReadingStopped where the time is over or an interrupt came."""
        if self._end is not None and time.monotonic() >= self._end:
            raise ReadingStopped(Status.LIMIT)
        if self._settings.interrupt is not None and self._settings.interrupt():
            raise ReadingStopped(Status.INTERRUPTED)

    def left(self) -> SolveSettings:
        """The settings with the time that is left."""
        if self._end is None:
            return self._settings
        return replace(self._settings, time_limit=max(self._end - time.monotonic(), 0.0))


@dataclass(frozen=True)
class PlainFile:
    """A program's file, unpacked at ``place``; ``path`` is what errors name."""

    path: Path
    place: Path
    form: str
    problem_class: ProblemClass

    @contextmanager
    def named(self) -> Iterator[None]:
        """Errors of a reader name the file that was given."""
        try:
            yield
        except DataError as error:
            raise DataError(f"cannot read {self.path}: {error}") from None


@contextmanager
def plain_file(
    path: str | Path, watch: Watch | None = None, largest: int = LARGEST_FILE
) -> Iterator[PlainFile]:
    """An .lp or .mps file (or .gz of one), unpacked and classified by its sections and brackets.

    Raises OptionError for another suffix; DataError for a file that cannot be read, is neither, or
    holds more than ``largest`` bytes; ReadingStopped.
    """
    path, form = Path(path), file_format(path)
    watch = watch or Watch(SolveSettings())
    scan = _LpScan() if form == "lp" else _MpsScan()
    with tempfile.TemporaryDirectory(prefix="radprog-") as folder:
        place = Path(folder) / f"model.{form}"
        try:
            with _opened(path, watch) as source, place.open("wb") as target:
                _copy(path, source, target, scan.look, watch, largest)
        except (OSError, EOFError, zlib.error) as error:
            raise DataError(f"cannot read {path}: {error}") from None
        if not scan.started:
            raise DataError(f"{path} is no .{form} file")
        yield PlainFile(path, place, form, scan.problem_class)


def file_format(path: str | Path) -> str:
    """``lp`` or ``mps``; OptionError for another suffix."""
    form = Path(path).name.removesuffix(".gz").rpartition(".")[2]
    if form not in ("lp", "mps"):
        raise OptionError(f"a program is read from .lp, .mps, .lp.gz or .mps.gz, not from {path}")
    return form


@contextmanager
def _opened(path: Path, watch: Watch) -> Iterator[BinaryIO]:
    refuse_streams(path)
    with open(path, "rb") as raw:
        if not path.name.endswith(".gz"):
            yield raw
            return
        with gzip.GzipFile(fileobj=cast(BinaryIO, _Watched(raw, watch)), mode="rb") as stream:
            yield cast(BinaryIO, stream)


class _Watched:
    """A packed file; the clock is looked at at every read of it: one that holds thousands of empty
    parts is read without a byte coming out."""

    def __init__(self, raw: BinaryIO, watch: Watch) -> None:
        self.raw, self.watch = raw, watch

    def read(self, size: int) -> bytes:
        """The next bytes."""
        self.watch.check()
        return self.raw.read(size)


def _copy(
    path: Path,
    source: BinaryIO,
    target: BinaryIO,
    look: Callable[[bytes, bool], None],
    watch: Watch,
    largest: int,
) -> None:
    """Copy all lines but blank ones; ``look`` sees each, or the pieces of a long one, and whether
    a line begins there."""
    size, rest, begins = 0, b"", True
    watch.check()
    while chunk := source.read(BYTES_AT_ONCE):
        watch.check()
        size += len(chunk)
        if size > largest:
            raise DataError(
                f"{path}: more than {largest / MEGABYTE:g} MB unpacked: read it with a larger "
                "limit (--max-mb)"
            )
        *lines, rest = _BLANK.sub(b"\n", rest + chunk).split(b"\n")
        for line in lines:
            if line.strip() or not begins:
                look(line, begins)
                target.write(line + b"\n")
            begins = True
        if len(rest) > _PIECE:
            look(rest, begins)
            target.write(rest)
            rest, begins = b"", False
    if rest.strip():
        look(rest, begins)
        target.write(rest + b"\n")


class _Scan:
    """What the lines so far say of the class of a program."""

    def __init__(self) -> None:
        self.started = self.integer = self.objective = self.rows = False

    @property
    def problem_class(self) -> ProblemClass:
        """The class of all that was seen."""
        name = "QCQP" if self.rows else "QP" if self.objective else "LP"
        return ProblemClass(("MI" if self.integer else "") + name)


class _LpScan(_Scan):
    """Brackets before and after the rows begin, and sections of integers."""

    _START = re.compile(rb"(min|max)(imum|imi[sz]e)?\b", re.IGNORECASE)
    _ROWS = re.compile(rb"(subject to|such that|s\.?t\.?)", re.IGNORECASE)
    _INTEGER = re.compile(rb"(gen(eral)?s?|int(eger)?s?|bin(ary|aries)?)", re.IGNORECASE)

    def __init__(self) -> None:
        super().__init__()
        self._past_objective = self._comment = False

    def look(self, piece: bytes, begins: bool) -> None:
        """The next line, or a piece of one."""
        if begins:
            self._comment = False
        if self._comment:
            return
        text, mark, _ = piece.partition(b"\\")
        self._comment = bool(mark)
        word = text.strip() if begins else b""
        self.started = self.started or self._START.match(word) is not None
        self._past_objective = self._past_objective or self._ROWS.match(word) is not None
        self.integer = self.integer or self._INTEGER.fullmatch(word) is not None
        if b"[" in text:
            if self._past_objective:
                self.rows = True
            else:
                self.objective = True


class _MpsScan(_Scan):
    """Sections of squares, markers and bounds of integers."""

    _INTEGER = re.compile(rb"\s+(BV|LI|UI)\s")
    _SECTION = re.compile(rb"(ROWS|QUADOBJ|QMATRIX|QSECTION|QCMATRIX)\b")

    def look(self, piece: bytes, begins: bool) -> None:
        """The next line, or a piece of one."""
        self.integer = self.integer or b"'INTORG'" in piece
        if not begins:
            return
        if piece[:1].isspace():
            self.integer = self.integer or self._INTEGER.match(piece) is not None
        elif section := self._SECTION.match(piece):
            self.started = self.started or section[1] == b"ROWS"
            self.rows = self.rows or section[1] == b"QCMATRIX"
            self.objective = self.objective or section[1] in (b"QUADOBJ", b"QMATRIX", b"QSECTION")
