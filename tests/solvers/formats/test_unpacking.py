"""Files of programs, packed and not, are classified and capped."""

import gzip

import pytest
from program_files import file_class, read_file_with, read_program

from radprog.base.errors import DataError
from radprog.solvers.formats.unpacking import LARGEST_FILE, plain_file
from radprog.solvers.program import ProblemClass

LP = "Minimize\n obj: x\nSubject To\n r: x >= 1\nGeneral\n x\nEnd\n"
MPS = "NAME m\nROWS\n N obj\n G r\nCOLUMNS\n x obj 1 r 1\nRHS\n rhs r 1\nENDATA\n"
FILLERS = {
    "nothing": lambda text: text,
    "blank lines": lambda text: "\n \n" + text.replace("\n", "\n \t\n"),
    "lines of Windows": lambda text: text.replace("\n", "\r\n"),
}


@pytest.mark.parametrize("filler", FILLERS)
@pytest.mark.parametrize(("suffix", "text", "kind"), [(".lp", LP, "MILP"), (".mps", MPS, "LP")])
def test_packed_files(suffix, text, kind, filler, tmp_path) -> None:
    path = tmp_path / f"m{suffix}.gz"
    path.write_bytes(gzip.compress(FILLERS[filler](text).encode()))
    assert file_class(path) == kind
    assert read_program(path).cost.tolist() == [1.0]
    assert read_file_with("highs", path).x == {"x": 1.0}


def test_a_long_comment_and_words_in_it(tmp_path) -> None:
    path = tmp_path / "m.lp"
    path.write_text("\\ " + "[ general ] " * 200_000 + "\n" + LP.replace("General\n x\n", ""))
    assert file_class(path) is ProblemClass.LP
    path.write_text(LP.replace("obj: x", "obj: x + 0 x" + " " * 200_000 + "+ [ x ^ 2 ] / 2"))
    assert file_class(path) is ProblemClass.MIQP
    path.write_text(LP.replace("r: x", "r: x" + " " * 200_000 + "+ [ x ^ 2 ]"))
    assert file_class(path) is ProblemClass.MIQCQP


def test_more_than_the_cap_is_refused(tmp_path) -> None:
    path = tmp_path / "large.mps.gz"
    path.write_bytes(gzip.compress(b"\n" * (4 << 20)))
    with pytest.raises(DataError, match=r"large\.mps\.gz: more than 3 MB unpacked: unpack it"):
        read_program(path, 3 << 20)
    assert LARGEST_FILE >= 256 << 20


def test_a_plain_file_has_no_cap(tmp_path) -> None:
    path = tmp_path / "large.mps"
    path.write_text("\n" * (4 << 20) + MPS)
    assert read_program(path, 3 << 20).cost.tolist() == [1.0]


def test_the_copy_is_the_file(tmp_path) -> None:
    path = tmp_path / "m.lp"
    path.write_text(LP)
    with plain_file(path) as file:
        assert file.place.read_text() == LP
    assert not file.place.exists()
