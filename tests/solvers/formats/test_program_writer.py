"""Exported files: read back they are the same program, and the bytes never change."""

import io
import math
import os
from dataclasses import replace

import numpy as np
import pyomo.environ as pyo
import pytest
from effort import seeds
from program_files import read_file_with, read_program
from refusals import refused
from scipy import sparse
from small_models import small_model
from small_programs import make_program

from radprog.base.errors import DataError, OptionError, OutputError
from radprog.base.types import FloatArray
from radprog.solvers.formats import program_writer
from radprog.solvers.formats.valid_names import CONSTANT, NO_ROWS, is_valid_name
from radprog.solvers.program import ProblemClass, Program
from radprog.solvers.registry import solver

SUFFIXES = (".lp", ".mps", ".lp.gz", ".mps.gz")


def same(found: FloatArray, wanted: FloatArray) -> None:
    np.testing.assert_allclose(found, wanted, rtol=1e-14, atol=0)


def check_same_program(read: Program, program: Program, split: dict[str, str]) -> None:
    """Column by column and row by row, by name; rows without bounds are not in files."""
    assert set(read.column_names) == {*program.column_names, CONSTANT}
    columns = [read.column_names.index(name) for name in program.column_names]
    constant = read.column_names.index(CONSTANT)
    assert (read.lower[constant], read.upper[constant]) == (1, 1)
    same(read.cost[constant], program.constant)
    for part in ("cost", "lower", "upper", "integer"):
        same(getattr(read, part)[columns], getattr(program, part))
    bounded = np.flatnonzero(np.isfinite(program.row_lower) | np.isfinite(program.row_upper))
    assert {*read.row_names} == {*(program.row_names[row] for row in bounded), *split}
    upper_half = {whole: half for half, whole in split.items()}
    dense, wanted = read.rows.toarray()[:, columns], program.rows.toarray()
    curved = program.quadratic_rows
    assert len(read.quadratic_rows) == len(curved) + len(curved.keys() & set(np.flatnonzero(
        [name in upper_half for name in program.row_names]).tolist()))  # fmt: skip
    for row in bounded:
        name = program.row_names[row]
        at, half = (read.row_names.index(one) for one in (name, upper_half.get(name, name)))
        for place in (at, half) if row in curved else ():
            found = read.quadratic_rows[place].toarray()[np.ix_(columns, columns)]
            same(found, curved[row].toarray())
        same(dense[at], wanted[row])
        same(dense[half], wanted[row])
        same(read.row_lower[at], program.row_lower[row])
        same(read.row_upper[half], program.row_upper[row])
        if half != at:
            assert (read.row_upper[at], read.row_lower[half]) == (np.inf, -np.inf)
    assert (read.quadratic is None) == (program.quadratic is None)
    if program.quadratic is not None:
        same(read.quadratic.toarray()[np.ix_(columns, columns)], program.quadratic.toarray())


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("kind", ProblemClass)
@pytest.mark.parametrize("seed", seeds(8))
def test_the_same_program_is_read(suffix, kind, seed, known, tmp_path) -> None:
    program = known(seed, kind).program
    path = tmp_path / f"model{suffix}"
    program_writer.write_program(program, path)
    split = program_writer.split_rows(program) if suffix.startswith(".lp") else {}
    if not kind.startswith("MI"):
        assert (len(split) > 0) == (suffix.startswith(".lp") and bool(ranged(program).any()))
    check_same_program(read_program(path), program, split)
    assert os.listdir(tmp_path) == [path.name]


def ranged(program: Program) -> np.ndarray:
    finite = np.isfinite(program.row_lower) & np.isfinite(program.row_upper)
    return finite & (program.row_lower != program.row_upper)


def extreme() -> Program:
    """Numbers that lose their last digits, or their sign, in careless writers."""
    values = np.array([1 / 3, -1e-300, 1e300, 5e-324, -0.1, 123456789.123456789, 1e22, np.pi])
    return make_program(
        values[::-1].copy(),
        np.stack((values, -values)),
        [0.1, -1e9],
        [1e9, 1 / 3],
        lower=[-np.inf, 0, -1 / 3, -np.inf, 0, 1e-7, 2.5, -5],
        upper=[np.inf, 1 / 3, np.inf, -1e-9, 0, 2.0, np.inf, -2],
        constant=-1 / 7,
        columns=tuple(f"v({j})" for j in range(values.size)),
        names="row row_upper",
    )


def test_numbers_are_exact() -> None:
    program = extreme()
    for write in (program_writer.write_lp, program_writer.write_mps):
        stream = io.StringIO()
        write(program, stream)
        numbers = {word.lstrip("+-") for word in stream.getvalue().split()}
        values = np.abs([*program.cost, *program.rows.data, program.constant]).tolist()
        assert set(map(repr, values)) <= numbers
        assert "nan" not in stream.getvalue()


def test_names_of_upper_halves_do_not_clash(tmp_path) -> None:
    program = extreme()  # row_upper is the name of a row already
    split = program_writer.split_rows(program)
    assert list(split.values()) == ["row", "row_upper"]
    assert not set(split) & set(program.row_names)
    long = replace(program, row_names=("r" * 64, "s" * 64))
    assert all(is_valid_name(name) for name in program_writer.split_rows(long))
    # a wide range keeps its small bound
    wide = replace(program, rows=sparse.csr_array(np.ones((2, 8))), cost=np.ones(8), constant=1.0)
    program_writer.write_program(wide, tmp_path / "m.mps")
    read = read_program(tmp_path / "m.mps")
    same(read.row_lower, wide.row_lower)
    same(read.row_upper, wide.row_upper)


def empties() -> dict[str, Program]:
    empty, none, square = sparse.csr_array, np.zeros(2), np.diag([2.0, 0.0])
    return {
        "no rows, no objective": make_program(none, upper=1.0),
        "no objective, a row": make_program(none, [[1.0, 1.0]], 1.0, upper=1.0),
        "an empty row": make_program(none, empty((1, 2)), -1.0, 1.0, upper=1.0),
        "no columns": make_program([], empty((0, 0)), constant=4.0),
        "no columns, a row": make_program([], empty((1, 0)), -1.0, 1.0, constant=4.0),
        "only squares": make_program(none, lower=[0.5, 0.0], upper=1.0, quadratic=square),
    }


@pytest.mark.parametrize("suffix", [".lp", ".mps"])
@pytest.mark.parametrize("name", empties())
def test_programs_with_empty_parts(name, suffix, tmp_path) -> None:
    program = empties()[name]
    program_writer.write_program(program, tmp_path / f"m{suffix}")
    read = read_program(tmp_path / f"m{suffix}")
    assert set(program.column_names) <= set(read.column_names)
    assert set(program.row_names) <= set(read.row_names)
    expected = {"no columns": 4.0, "no columns, a row": 4.0, "only squares": 0.25}.get(name, 0.0)
    assert "Subject To\nBounds" not in (tmp_path / f"m{suffix}").read_text()  # GLPK refuses it
    assert NO_ROWS not in program_writer.names_in(program, tmp_path / f"m{suffix}")[1]
    others = [] if program.quadratic is not None else ["glpk", "cbc"]
    for reader in ("highs", "scip", *(one for one in others if solver(one).installed())):
        answer = read_file_with(reader, tmp_path / f"m{suffix}")
        assert answer.status == "optimal"
        assert answer.objective == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_places_that_cannot_be_written(suffix, small_lp, tmp_path) -> None:
    (tmp_path / "file").write_text("kept")
    (tmp_path / f"folder{suffix}").mkdir()
    for place in (f"file/m{suffix}", f"missing/m{suffix}", f"folder{suffix}"):
        with pytest.raises(OutputError, match=f"cannot write .*{place}") as caught:
            program_writer.write_program(small_lp, tmp_path / place)
        assert caught.value.exit_code == 2
    for name in ("m.txt", "m", "m.lp.bz2", "lp", "m.nl", "m.gz"):
        words = r"written to \.lp, \.mps"
        refused(OptionError, words, program_writer.write_program, small_lp, tmp_path / name)
    assert sorted(os.listdir(tmp_path)) == sorted(["file", f"folder{suffix}"])
    assert (tmp_path / "file").read_text() == "kept"


def test_nonlinear_models_go_to_nl(tmp_path) -> None:
    model = small_model(lambda m: pyo.exp(m.x) - m.x, x=(0, 3))
    program_writer.write_nl(model, tmp_path / "m.nl")
    first = (tmp_path / "m.nl").read_bytes()
    assert first.startswith(b"g3 1 1 0")
    program_writer.write_nl(model, tmp_path / "m.nl")
    assert (tmp_path / "m.nl").read_bytes() == first
    refused(OptionError, r"written to \.nl", program_writer.write_nl, model, tmp_path / "m.lp")
    with pytest.raises(OutputError, match="cannot write"):
        program_writer.write_nl(model, tmp_path / "m.nl" / "below.nl")
    assert os.listdir(tmp_path) == ["m.nl"]


@pytest.mark.parametrize("suffix", [".lp", ".mps"])
def test_columns_that_no_term_has_are_in_the_file(suffix, tmp_path) -> None:
    """A bound alone names none to a reader of .lp, and 0 <= x < inf is not written."""
    rows = [[1.0, 0.0, 2.0, 0.0], [0.0, 1.0, 0.0, 0.0]]
    columns = "cost free_row row nowhere"
    program = make_program([1.0, 0.0, 0.0, 0.0], rows, [2.0, -np.inf], columns=columns)
    path = tmp_path / f"p{suffix}"
    program_writer.write_program(program, path)
    found, _ = program_writer.names_in(program, path)
    assert set(found) == set(program.column_names)
    assert tuple(found) == read_program(path).column_names


def unwritable(part: str) -> pyo.ConcreteModel:
    """A model that Pyomo refuses to write, by a part of what it says."""
    model = pyo.ConcreteModel()
    model.x = pyo.Var(domain=pyo.Set(initialize=[1, 3, 7]) if part == "domain" else pyo.Reals)
    model.y = pyo.Var(bounds=(0, 1))
    model.y.fix(-1.0 if part == "outside bounds" else 0.0, skip_validation=True)
    model.p = pyo.Param(mutable=True, within=pyo.Any)
    if part == "nan":
        model.p = math.nan
    cost = model.x + (pyo.log(model.y) if part == "math domain" else model.y)
    model.cost = pyo.Objective(expr=model.p * model.x if part in ("nan", "Param value") else cost)
    return model


@pytest.mark.parametrize("part", ["outside bounds", "domain", "nan", "Param value", "math domain"])
def test_what_pyomo_does_not_write_is_refused_in_one_line(part, tmp_path) -> None:
    with pytest.raises(DataError, match=f"Pyomo writes no .nl file: .*{part}") as refused:
        program_writer.write_nl(unwritable(part), tmp_path / "m.nl")
    assert "\n" not in str(refused.value)
    assert not list(tmp_path.iterdir())
