"""Independent programs read exported files, packed and not; each only what it is declared for."""

import gzip
import itertools
import sys
import time
from functools import partial
from unittest.mock import Mock

import numpy as np
import pytest
from cut_off import polled
from effort import seeds
from program_files import file_class, read_file_with, read_program
from refusals import refused
from small_programs import make_program

import radprog as rp
from radprog.solvers.adapters import scip
from radprog.solvers.formats import mps_reader, unpacking
from radprog.solvers.formats.program_writer import write_program
from radprog.solvers.formats.unpacking import plain_file
from radprog.solvers.formats.valid_names import is_valid_name
from radprog.solvers.program import ProblemClass, SolveSettings, Status
from radprog.solvers.registry import readers, solve_program, solver

SUFFIXES = (".lp", ".mps", ".lp.gz", ".mps.gz")
COMMANDS = {"pyomo:glpk", "pyomo:cbc"}
READERS = [pytest.param(n, marks=[pytest.mark.slow] * (n in COMMANDS)) for n in readers()]
every_reader = pytest.mark.parametrize("name", READERS)


def hard_names() -> list[str]:
    """Names that some reader could mistake for something else, and random ones."""
    words = "_ _1 e_1 E_9 I st_ subject_to x.. x. a( a) a)( _. _() free_ gen2 end_ obj1 rhs_ RHS1 "
    words += "eps ef Ex ranges1 in D d1e5 L G N E_ UP r.1 maxx semi_ b(1).x(2.3) INTORG FX FR MI "
    words += "bv le eq gt x_e5 freedom R1 C1 objective_constant or and if Model title"
    rng = np.random.default_rng(0)
    letters = list("abcXYZ_019.()eE")
    made = ["".join(rng.choice(letters, size=rng.integers(1, 65))) for _ in range(200)]
    return list(dict.fromkeys([*words.split(), "x" * 64, *filter(is_valid_name, made)]))


@every_reader
def test_hard_names_are_read_unchanged(name, tmp_path) -> None:
    names = hard_names()
    n = len(names)
    assert n > 150
    assert all(map(is_valid_name, names))
    rng = np.random.default_rng(1)
    program = make_program(
        *(rng.integers(1, 100, size=n), np.eye(n) + (rng.random((n, n)) < 0.02)),
        *(rng.integers(1, 9, size=n) / 2, np.where(rng.random(n) < 0.5, 90.0, np.inf)),
        lower=rng.choice((0.0, -1.0, -np.inf), size=n, p=(0.7, 0.2, 0.1)),
        upper=rng.choice((50.0, 60.5, np.inf), size=n),
        constant=2.0,
        columns=names,
        names=names[::-1],
    )
    objective = solve_program(program).objective
    for form in solver(name).declared.formats:
        write_program(program, tmp_path / f"m.{form}")
        answer = read_file_with(name, tmp_path / f"m.{form}")
        assert answer.objective == pytest.approx(objective, rel=1e-6)
        assert set(answer.x) == {*names, "objective_constant_2"}


def test_bounds_of_integers_are_rounded_inwards(tmp_path) -> None:
    """GLPK refuses fractional bounds of integers."""
    lower, upper = [-2.5, 0.5], [1.5, 7.9]
    program = make_program([1.0, 1.0], [[1.0, 1.0]], 1.0, np.inf, lower, upper, [True, False])
    for form in ("lp", "mps"):
        write_program(program, tmp_path / f"m.{form}")
        read = read_program(tmp_path / f"m.{form}")
        assert (list(read.lower), list(read.upper)) == ([-2, 0.5], [1, 7.9])


@pytest.mark.parametrize("kind", list(ProblemClass))
def test_a_reader_is_asked_only_for_its_classes(kind, known, tmp_path) -> None:
    path = tmp_path / "model.mps"
    write_program(known(0, kind).program, path)
    for name in set(readers()) - set(readers("mps", kind)):
        for given in (None, kind):
            words = f"{name} cannot solve the {kind} in .*scip"
            refused(rp.CapabilityError, words, read_file_with, name, path, problem_class=given)


def test_where_no_reader_can_it_says_what_to_install(known, tmp_path, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "pyscipopt", None)
    monkeypatch.delitem(sys.modules, "radprog.solvers.adapters.scip", raising=False)
    program = known(0, ProblemClass.MIQCQP).program
    write_program(program, tmp_path / "model.mps")
    install = r"pip install '\.\[check\]' in a checkout, or pip install 'pyscipopt"
    told = rf"cannot solve .* MIQCQP.*: none installed here can: {install}"
    refused(rp.CapabilityError, told, read_file_with, "highs", tmp_path / "model.mps")
    refused(rp.CapabilityError, told, solve_program, program, "highs")


@every_reader
@pytest.mark.parametrize("integer", [False, True])
def test_words_for_infeasible_and_unbounded(name, integer, tmp_path) -> None:
    broken = make_program([1.0, 1.0], [[1.0, 1.0]], 3.0, upper=1.0, integer=integer)
    endless = make_program([-1.0, 0.0], [[1.0, -1.0]], row_upper=1.0, integer=integer)
    fraction = make_program([1.0, 1.0], [[2.0, 2.0]], 1.0, 1.0, upper=1.0, integer=True)
    for program in (broken, endless, fraction):
        status = Status.UNBOUNDED if program is endless else Status.INFEASIBLE
        write_program(program, tmp_path / "m.mps")
        answer = read_file_with(name, tmp_path / "m.mps")
        silent = status is Status.UNBOUNDED and name == "pyomo:glpk"  # which Pyomo calls "other"
        assert answer.status is (Status.FAILED if silent else status)
        if status is Status.INFEASIBLE and name in COMMANDS:
            assert (answer.objective, dict(answer.x)) == (None, {})


@pytest.mark.thorough
@every_reader
def test_time_limits_and_interrupts(name, market_split, tmp_path) -> None:
    path = tmp_path / "hard.mps"
    write_program(market_split, path)
    start = time.process_time()
    assert read_file_with(name, path, SolveSettings(time_limit=1.0)).status is Status.LIMIT
    settings = SolveSettings(interrupted=polled(20)[0])
    assert read_file_with(name, path, settings).status is Status.INTERRUPTED
    assert time.process_time() - start < 20


@pytest.mark.parametrize(
    ("name", "content"),
    [
        *(("missing.lp", None), ("below.lp/m.lp", None), ("empty.mps", b"")),
        *((f"text.{form}", b"hello\nworld\n") for form in ("lp", "mps")),
        ("binary.lp", bytes(range(256))),
        ("plain.lp.gz", b"Minimize\n obj: x\nEnd\n"),
        ("cut.mps.gz", b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\xff\x0b"),
    ],
)
def test_files_that_are_no_programs(name, content, tmp_path) -> None:
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content)
    for call in (file_class, read_program, partial(read_file_with, "highs")):
        refused(rp.DataError, path.name, call, path)
    words, LP = path.name, ProblemClass.LP
    refused(rp.DataError, words, read_file_with, "highs", path, problem_class=LP)


@pytest.mark.parametrize(
    "text",
    [
        "NAME t\nROWS\n N obj\n G row\nCOLUMNS\n a row 1.0\n",
        "NAME t\nROWS\n N c\n L r\nCOLUMNS\n x zzz 1\nENDATA\n",
        *(f"NAME t\n{cut}" for cut in ("ROWS\n ", "ROWS\n", "", "ROWS\n N c\nCOLUMNS\n ")),
    ],
)
def test_a_file_that_is_cut_off_or_broken(text, tmp_path, capfd) -> None:
    path = tmp_path / "cut.mps"
    path.write_text(text)
    refused(rp.DataError, "cut", rp.analyze, path)
    for name in ["scip"] + ["highs"] * ("zzz" not in text):  # a row that HiGHS passes over
        refused(rp.DataError, r"cut\.mps", read_file_with, name, path)
    assert capfd.readouterr() == ("", "")  # SCIP prints no errors of its own


def test_other_formats_and_solvers_are_refused(tmp_path) -> None:
    for name, suffix, error, words in (
        *(("highs", s, rp.OptionError, r"a program in \.lp") for s in (".json", "", ".nl", ".gz")),
        (
            "piqp",
            ".lp",
            rp.CapabilityError,
            r"piqp cannot solve the LP in .*m\.lp: use highs, scip",
        ),
    ):
        path = tmp_path / f"m{suffix}"
        path.write_text("Minimize\n obj: x\nEnd\n")
        refused(error, words, read_file_with, name, path)


def test_odd_lines_of_lp_files_are_read_or_named(tmp_path) -> None:
    for row, why in (
        ("x + y => 3", None),
        ("x + y < -3", None),
        ("x + y =< 3 \\ >= 3", None),
        ("x + y >= => 3", "got '=> 3' at the right of row r, expected a number"),
        ("x + y == 3", "got '= 3' at the right"),
        ("x + y >=", "got 'Bounds' at the right"),
        ("< -3", "the row r has no terms"),
    ):
        path = tmp_path / "m.lp"
        path.write_text(f"min\n z: x + y\nst\n r: {row}\nBounds\n -9 <= x <= 9\nEnd\n")
        name_and_line = r"cannot read \S*m\.lp: line 4: "
        if why is None:
            assert read_program(path).rows.nnz == 2
            # the parser of HiGHS takes none of them
            why = "HiGHS reads the comparisons <=, >= and = alone"
            refused(rp.DataError, name_and_line + why, read_file_with, "highs", path)
        else:
            refused(rp.DataError, name_and_line + why, read_program, path)
    for section, content in itertools.product(("semi", "sos", "lazy constraints"), ("", " x\n")):
        path.write_text(f"min\n z: x + y\nst\n r: x + y >= 1\n{section}\n{content}end\n")
        if content:
            why = rf"line 5: .* \({section}\) are not read"
            refused(rp.DataError, why, read_program, path)
        else:  # HiGHS ends every file with integers so
            assert read_program(path).rows.nnz == 2


CURVED_LP = "max\n o: 2 x + y\nst\n r: {}\n s: x + y <= 3\nbounds\n x <= 9\nend\n"
CURVED_MPS = (
    "NAME q\nROWS\n N o\n L r\n N free\nCOLUMNS\n x o -2 free 1\n y o -1 r 1\nRHS\n RHS r 4\n"
    "QCMATRIX {}\n x x 1\n{} y y 0.5\nENDATA\n"
)


@pytest.mark.cases(100)
@pytest.mark.parametrize(
    ("suffix", "text", "why"),
    [
        ("lp", CURVED_LP.format("y + [ x^2 + x * y + y^2 ] <= 4"), None),
        ("lp", CURVED_LP.format("[ x^2 + 1 y * x + y^2 ] <= 4"), None),
        ("lp", CURVED_LP.format("- y - x + [ - x^2 - y^2 ] >= -4"), None),
        ("lp", CURVED_LP.format("y + [ x ^2 + y ^ 2 ] / 2 <= 4"), "line 4: quadratic terms are"),
        ("lp", CURVED_LP.format("y - [ x ^2 ] >= -4"), "line 4: quadratic terms are read at"),
        ("lp", CURVED_LP.format("y [ x ^2 ] <= 4"), "line 4: quadratic terms are read at the end"),
        ("lp", CURVED_LP.format("[ x ^2 ] + y <= 4"), "line 4: quadratic terms are read at the"),
        ("lp", CURVED_LP.format("y + [ x ^3 ] <= 4"), r"line 4: got .*expected a sign, a number"),
        ("mps", CURVED_MPS.format("r", " x y 0.25\n y x 0.25\n"), None),
        ("mps", CURVED_MPS.format("r", ""), None),
        ("mps", CURVED_MPS.format("r", " x y 0.25\n"), "its QCMATRIX r is not symmetric"),
        ("mps", CURVED_MPS.format("r", " x x 2\n"), "line 13: a second entry of x and x"),
        ("mps", CURVED_MPS.format("r", "QCMATRIX r\n"), "QCMATRIX r comes twice"),
        ("mps", CURVED_MPS.format("free", ""), "line 11: QCMATRIX of the free row free"),
        ("mps", CURVED_MPS.format("t", ""), "line 11: there is no row t"),
        ("mps", CURVED_MPS.format("", ""), "line 11: QCMATRIX: expected the name of a row"),
    ],
)
def test_quadratic_rows_are_read_as_scip_reads_them(suffix, text, why, tmp_path) -> None:
    path = tmp_path / f"q.{suffix}"
    path.write_text(text)
    if why is not None:
        refused(rp.DataError, why, read_program, path)
        return
    program, answer = read_program(path), read_file_with("scip", path)
    for name in ("scip", "clarabel"):
        assert rp.solve(path, name).objective == pytest.approx(answer.objective, rel=1e-6)
    x = np.array([answer.x[column] for column in program.column_names])
    verdict = rp.certify(path, x)
    assert (verdict.status, len(program.quadratic_rows)) == ("optimal", 1)
    assert rp.solve(rp.read_program(path)).objective == pytest.approx(answer.objective, rel=1e-6)


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("kind", list(ProblemClass))
def test_the_class_is_found(suffix, kind, known, tmp_path) -> None:
    write_program(known(1, kind).program, tmp_path / f"m{suffix}")
    assert file_class(tmp_path / f"m{suffix}") is kind


def test_the_class_of_other_spellings(tmp_path) -> None:
    for text, kind in (
        ("max\n obj: x\nst\n r: x <= 1\nend", "LP"),
        ("\\ [comment]\nMINIMISE\n obj: x\nS.T.\n r: x <= 1\nBinaries\n x\nEnd", "MILP"),
        ("Minimum\n obj: [ x^2 ]/2\nSuch That\n r: x >= 1\nIntegers\n x\nEnd", "MIQP"),
        ("minimize\n obj: x\nsubject to\n r: [ x^2 ] <= 1\nend", "QCQP"),
    ):
        path = tmp_path / "m.lp"
        path.write_text(text)
        assert file_class(path) == kind
    # maximisations are read as minimisations
    path.write_text("Maximize\n obj: 3 x + [ -1 x^2 ] / 2\nst\n r: x <= 9\nEnd\n")
    program = read_program(path)
    assert (program.sense, program.objective(np.array([2.0]))) == (-1, -(3 * 2 - 2))


def test_what_scip_prints_is_in_the_error(monkeypatch) -> None:
    def optimize() -> None:
        sys.stderr.write("[lp.c:1] ERROR: unresolved numerical troubles\nmore\n")
        raise Exception("SCIP: error in LP solver!")

    words, failing = "LP solver! .*unresolved numerical troubles.$", Mock(optimize=optimize)
    refused(rp.SolverError, words, scip._run, failing)


def test_entries_that_highs_leaves_out_are_held(tmp_path) -> None:
    path = tmp_path / "tiny.lp"
    path.write_text("min\n o: - x + [ 1e-13 x ^2 ] / 2\nst\n r: 1e-13 x + y >= 1\nend\n")
    program = read_program(path)
    assert (program.rows.nnz, program.quadratic[0, 0]) == (2, 1e-13)
    assert program.violation(np.array([1e13, 0.0])) == 0.0


@pytest.mark.parametrize("word", ["bin", "Bounds", "GEN"])
def test_a_keyword_alone_on_a_line_is_a_column_only_where_no_section_can_be(tmp_path, word) -> None:
    def names_of(integers: str) -> tuple[str, ...]:
        path = tmp_path / "p.lp"
        path.write_text(f"min\n {word} + z[1]\nst\n {word} + z[1] >= 1\nint\n {integers}\nEnd\n")
        return read_program(path).column_names

    assert names_of(f"{word} z[1]") == (word, "z[1]")
    # under Bounds, the line that follows is no bound
    why = f"line 6: {word} is a section here and the name"
    why = r"line 7: got 'z\[1\]', expected a bound" if word == "Bounds" else why
    refused(rp.DataError, why, names_of, f"{word}\n z[1]")


@pytest.mark.parametrize(
    ("sides", "best"),
    [("    12  4\n    1  3\n", 3.0), ("    1  2\n    12  1  3  1\n", 1.0)],
)
def test_sides_without_a_set_of_rows_named_by_numbers(tmp_path, sides, best) -> None:
    """Lines of two and of four words are not two lines of three."""
    path, used = tmp_path / "sides.mps", ("1", "12", "3")[: 3 if "3  1" in sides else 2]
    rows = "ROWS\n N  cost\n L  1\n L  12\n L  3\n"
    columns = "COLUMNS\n    x  cost  -1\n" + "".join(f"    x  {name}  1\n" for name in used)
    path.write_text(f"NAME sides\n{rows}{columns}RHS\n{sides}ENDATA\n")
    assert rp.solve(path).objective == pytest.approx(-best)


BLOCKS = """NAME p
ROWS
 N  z
 L  r
 E  s
 N  out
COLUMNS
    x  z  1  r  -2.5
    x  s  1e1
    m  'MARKER'  'INTORG'
    y  z  0  r  1
    y  out  3
    m  'MARKER'  'INTEND'
    w  s  .5
RHS
    RHS  r  4
    RHS  s  -1
RANGES
    RNG  r  2
BOUNDS
 UP BND x -3
 LI BND y 1
 FR BND w
ENDATA
"""


def outcome(path) -> list[str] | str:
    """All that is read, or the error."""
    try:
        found = mps_reader.read_mps(path)
    except rp.DataError as error:
        return str(error)
    return [*map(str, vars(found).values())]


@pytest.mark.parametrize("seed", seeds(40, 10))
def test_blocks_are_read_as_their_lines(seed, tmp_path, monkeypatch) -> None:
    """Lines that are doubled, moved, cut or left out have the same program or the same error."""
    rng, path, found = np.random.default_rng(seed), tmp_path / "p.mps", []
    texts = []
    for _ in range(30):
        lines = BLOCKS.splitlines()
        for _ in range(rng.integers(3)):
            i, j = rng.integers(len(lines), size=2)
            part = lines[i][: rng.integers(len(lines[i]) + 1)]
            damaged = lines[j], part, "", f"{part}\x0b{lines[j]}", f" {lines[i]}"
            lines[i] = damaged[rng.integers(5)]
        texts.append("\n".join(lines) + "\n" * int(rng.integers(2)))
    for block in (True, False):
        found.append([])
        for name in () if block else ("rows", "columns", "sides", "bounds"):
            monkeypatch.setattr(mps_reader._MpsReader, f"take_{name}", lambda *_: False)
        for text in texts:
            path.write_text(text)
            found[-1].append(outcome(path))
    assert found[0] == found[1]
    assert not all(isinstance(one, str) for one in found[0])


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


def test_more_than_the_cap_is_refused(tmp_path, monkeypatch) -> None:
    assert unpacking.LARGEST_FILE >= 256 << 20
    monkeypatch.setattr(unpacking, "LARGEST_FILE", 3 << 20)
    path = tmp_path / "large.mps.gz"
    path.write_bytes(gzip.compress(b"\n" * (4 << 20)))
    words = r"large\.mps\.gz: more than 3 MB unpacked: unpack it"
    refused(rp.DataError, words, read_program, path)


def test_a_plain_file_has_no_cap_and_a_copy(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(unpacking, "LARGEST_FILE", 3 << 20)
    path = tmp_path / "large.mps"
    path.write_text("\n" * (4 << 20) + MPS)
    assert read_program(path).cost.tolist() == [1.0]
    with plain_file(path) as file:
        assert file.place.read_text() == path.read_text()
    assert not file.place.exists()
