"""Files of any size and shape are read in time that grows with them, or refused."""

from __future__ import annotations

import gzip
import time
from collections.abc import Callable
from contextlib import contextmanager
from pathlib import Path

import pytest
from program_files import file_class, read_file_with, read_program

from radprog.instances.errors import DataError
from radprog.solvers.formats import unpacking
from radprog.solvers.formats.unpacking import LARGEST_FILE, ReadingStopped, Watch, plain_file
from radprog.solvers.program import ProblemClass, SolveSettings, Status

LP = "Minimize\n obj: x\nSubject To\n r: x >= 1\nGeneral\n x\nEnd\n"
MPS = "NAME m\nROWS\n N obj\n G r\nCOLUMNS\n x obj 1 r 1\nRHS\n rhs r 1\nENDATA\n"
BLANKS = 300_000
FILLERS: dict[str, Callable[[str], str]] = {
    "blank lines": lambda text: "\n" * BLANKS + text.replace("\n", "\n" * 9 + " \t\n"),
    "lines of blanks": lambda text: " \n" * BLANKS + text,
    "lines of Windows": lambda text: "\r\n" * BLANKS + text.replace("\n", "\r\n"),
    "a line of blanks": lambda text: " " * BLANKS * 4 + "\n" + text,
    "blank lines at the end": lambda text: text + "\n" * BLANKS,
    "nothing": lambda text: text,
}


@pytest.mark.parametrize("filler", FILLERS)
@pytest.mark.parametrize(("suffix", "text", "kind"), [(".lp", LP, "MILP"), (".mps", MPS, "LP")])
def test_blanks_cost_their_length(
    suffix: str, text: str, kind: str, filler: str, tmp_path: Path
) -> None:
    path = tmp_path / f"m{suffix}.gz"
    path.write_bytes(gzip.compress(FILLERS[filler](text).encode()))
    start = time.process_time()
    assert file_class(path) == kind
    assert read_program(path).cost.tolist() == [1.0]
    assert read_file_with("highs", path).x == {"x": 1.0}
    assert time.process_time() - start < 10  # seconds; by the square of the blanks it takes 1000


def test_a_long_comment_and_words_in_it(tmp_path: Path) -> None:
    path = tmp_path / "m.lp"
    path.write_text("\\ " + "[ general ] " * 200_000 + "\n" + LP.replace("General\n x\n", ""))
    assert file_class(path) is ProblemClass.LP
    path.write_text(LP.replace("obj: x", "obj: x + 0 x" + " " * 200_000 + "+ [ x ^ 2 ] / 2"))
    assert file_class(path) is ProblemClass.MIQP
    path.write_text(LP.replace("r: x", "r: x" + " " * 200_000 + "+ [ x ^ 2 ]"))
    assert file_class(path) is ProblemClass.MIQCQP


def test_a_small_file_that_unpacks_to_a_large_one_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "bomb.mps.gz"
    path.write_bytes(gzip.compress(b"\n" * (64 << 20)))
    assert path.stat().st_size < 1 << 17
    read: list[int] = []
    inner = unpacking._opened

    @contextmanager
    def opened(path: Path, watch: Watch):
        with inner(path, watch) as stream:
            whole = stream.read
            stream.read = lambda size: (read.append(size), whole(size))[1]
            yield stream

    monkeypatch.setattr(unpacking, "_opened", opened)
    for call in (
        lambda: read_program(path, 3 << 20),
        lambda: read_file_with("highs", path, largest=3 << 20),
    ):
        read.clear()
        with pytest.raises(DataError, match=r"bomb\.mps\.gz: more than 3 MB unpacked: .*max_mb"):
            call()
        assert sum(read) <= 5 << 20
    assert LARGEST_FILE >= 256 << 20
    path.write_bytes(gzip.compress(b"\n" * (4 << 20) + MPS.encode()))
    assert read_program(path, 5 << 20).cost.tolist() == [1.0]


@pytest.mark.parametrize("name", ["highs", "scip"])
def test_time_limit_and_interrupt_hold_for_reading(name: str, tmp_path: Path) -> None:
    path = tmp_path / "m.mps"
    path.write_text("\n" * (3 << 20) + MPS)
    answer = read_file_with(name, path, SolveSettings(time_limit=0.0))
    assert (answer.status, answer.x, answer.solver) == (Status.LIMIT, {}, name)
    looks: list[None] = []

    def interrupt() -> bool:
        looks.append(None)
        return len(looks) > 2

    answer = read_file_with(name, path, SolveSettings(interrupt=interrupt))
    assert answer.status is Status.INTERRUPTED
    assert "while the file was read" in answer.message
    assert len(looks) == 3


def test_only_blank_lines_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "m.lp"
    long = "\\ " + "x" * (1 << 18)
    path.write_text(f"\n\n{long}\n{LP}\n \n\nlast")
    with plain_file(path) as file:
        assert file.place.read_text() == f"{long}\n{LP}last\n"


def test_empty_parts_of_a_packed_file_are_read_under_the_limit(tmp_path: Path) -> None:
    packed, asked = tmp_path / "m.lp.gz", list[int]()
    packed.write_bytes(gzip.compress(b"") * 500 + gzip.compress(b"min\n obj: x\nend\n"))
    settings = SolveSettings(interrupt=lambda: (asked.append(1), len(asked) > 100)[1])
    with pytest.raises(ReadingStopped), plain_file(packed, Watch(settings)):
        pass
    assert len(asked) == 101
    with plain_file(packed) as file:
        assert file.problem_class is ProblemClass.LP
