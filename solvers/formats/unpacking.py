"""Program files, unpacked into a temporary folder and classified."""

from __future__ import annotations

import gzip
import re
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from radprog.base.errors import DataError, OptionError, OutputError
from radprog.instances.tables import readable
from radprog.solvers.program import ProblemClass

MEGABYTE = 1 << 20
#: The limit on the unpacked bytes of a .gz file.
LARGEST_FILE = 512 * MEGABYTE

_LP_COMMENT = re.compile(rb"\\[^\n]*")
_LP_START = re.compile(rb"^[ \t]*(min|max)(imum|imi[sz]e)?\b", re.IGNORECASE | re.MULTILINE)
_LP_ROWS = re.compile(rb"^[ \t]*(subject to|such that|s\.?t\.?)", re.IGNORECASE | re.MULTILINE)
_LP_INTEGER = re.compile(
    rb"^[ \t]*(gen(eral)?s?|int(eger)?s?|bin(ary|aries)?)\s*$", re.IGNORECASE | re.MULTILINE
)
# a line end as their first character is found five times faster than "^" of any line
_MPS_SECTION = re.compile(rb"(?:\A|\n)(ROWS|rows|QUADOBJ|QMATRIX|QSECTION|QCMATRIX)\b")
_MPS_INTEGER = re.compile(rb"\n[ \t]+(BV|LI|UI)[ \t]")


@dataclass(frozen=True)
class PlainFile:
    """A file of a program, unpacked at ``place``; error messages name ``path``."""

    path: Path
    place: Path
    form: str
    problem_class: ProblemClass

    @contextmanager
    def named(self) -> Iterator[None]:
        """A context in which the errors of a reader name the original file."""
        try:
            yield
        except DataError as error:
            raise DataError(f"cannot read {self.path}: {error}") from None


@contextmanager
def plain_file(path: str | Path) -> Iterator[PlainFile]:
    """A context with an .lp or .mps file, possibly with the suffix .gz, unpacked and classified by
    its sections.

    Raises OptionError for another suffix. Raises DataError for an unreadable or invalid file, and
    for a .gz file of more than LARGEST_FILE unpacked bytes.
    """
    path, form = Path(path), file_format(path)
    with readable(path):
        try:
            packed = path.suffix == ".gz"
            with gzip.open(path) if packed else path.open("rb") as stream:
                text = stream.read(LARGEST_FILE + 1 if packed else -1)
        except (EOFError, zlib.error) as error:
            raise DataError(f"{path}: cannot be unpacked: {error}") from None
    if packed and len(text) > LARGEST_FILE:
        raise DataError(
            f"{path}: more than {LARGEST_FILE / MEGABYTE:g} MB unpacked: unpack it first (a plain "
            "file has no limit)"
        )
    # the class of the program decides which reader takes it
    if form == "lp":
        # integers by their section; a bracket of squares, before or after the start of the rows, is
        # no part of a name such as x[1]
        program = _LP_COMMENT.sub(b"", text)
        is_program = _LP_START.search(program) is not None
        rows = _LP_ROWS.search(program)
        start = rows.start() if rows else len(program)
        integer = _LP_INTEGER.search(program) is not None
        squares = re.compile(rb"(?<![^\s+:-])\[")
        objective, quadratic_rows = (
            squares.search(part) is not None for part in (program[:start], program[start:])
        )
    else:
        # sections of squares, markers and bounds of integers
        sections = set(_MPS_SECTION.findall(text))
        is_program = not sections.isdisjoint((b"ROWS", b"rows"))
        integer = b"'INTORG'" in text or _MPS_INTEGER.search(text) is not None
        objective = not sections.isdisjoint((b"QUADOBJ", b"QMATRIX", b"QSECTION"))
        quadratic_rows = b"QCMATRIX" in sections
    if not is_program:
        raise DataError(f"{path}: expected a program in the format .{form}")
    name = "QCQP" if quadratic_rows else "QP" if objective else "LP"
    kind = ProblemClass(("MI" if integer else "") + name)
    with tempfile.TemporaryDirectory(prefix="radprog-") as folder:
        place = Path(folder) / f"model.{form}"
        try:
            place.write_bytes(text)
        except OSError as error:
            raise OutputError(f"cannot write {place}: {error.strerror or error}") from None
        del text  # while others read the file: 100 MB of a million columns
        yield PlainFile(path, place, form, kind)


def file_format(path: str | Path) -> str:
    """The format of a file, ``lp`` or ``mps``. Raises OptionError for another suffix."""
    form = Path(path).name.removesuffix(".gz").rpartition(".")[2]
    if form not in ("lp", "mps"):
        raise OptionError(f"{path}: expected a program in .lp, .mps, .lp.gz or .mps.gz")
    return form
