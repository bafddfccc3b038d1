"""A sample of exact proofs of files; the whole is ``exact_files.py --count 60``."""

from fractions import Fraction

import pytest

pytest.importorskip("flint")

import exact_files
from exact_programs import INF, Small
from script_options import TALLY
from vipr_reader import proved

from radprog.base.errors import RadprogError
from radprog.proofs.making import prove_program
from radprog.solvers.questions import exact


def test_proofs_of_files_are_of_their_decimals() -> None:
    TALLY.clear()
    assert [found for seed in range(40) for found in exact_files.examine(seed)] == []
    assert min(TALLY["optimal"], TALLY["infeasible"]) > 3


def test_proofs_of_doubles_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The judge sees decimals that are rounded to doubles."""
    real = exact.solve_exactly
    monkeypatch.setattr("radprog.proofs.making.solve_exactly", lambda p, load, _: real(p, load))
    monkeypatch.setattr("radprog.proofs.making.vipr_text", lambda p, a, _: exact.vipr_text(p, a))
    assert sum(bool(exact_files.examine(seed)) for seed in range(12)) > 6


@pytest.mark.parametrize("ends", ["3 <= x <= 2", "0.3 <= x <= 0.1"])
def test_bounds_that_cross_are_one_line(ends: str, tmp_path) -> None:
    (tmp_path / "p.lp").write_text(f"min\n x + y\nst\n x + y >= 1\nbounds\n {ends}\nend\n")
    text, table = prove_program(tmp_path / "p.lp")
    assert table["infeasible"]
    assert proved(text) == ("infeasible", None)
    assert text.splitlines()[-1].split("{")[1].split()[:2] == ["lin", "2"]


@pytest.mark.parametrize("sense", ["min", "max"])
@pytest.mark.parametrize("constant", ["10", "-10.1", "0.1", "-0.3"])
@pytest.mark.parametrize("form", ["lp", "mps"])
def test_constants_are_in_the_optimum(sense: str, constant: str, form: str, tmp_path) -> None:
    sign, path = -1 if sense == "max" else 1, tmp_path / f"p.{form}"
    cost = tuple(sign * Fraction(c) for c in ("0.1", "-0.7"))
    row, upper = ((1, 1), -INF, Fraction(3)), (Fraction("2.1"), Fraction(1))
    program = Small(
        cost, (0, 0), upper, (row,), constant=sign * Fraction(constant), maximise=sense == "max"
    )
    path.write_text(exact_files.WRITERS[form](program))
    text, table = prove_program(path)
    true = Fraction("0.2" if sense == "max" else "-0.7") + Fraction(constant)
    true += Fraction("0.01") * (sense == "max")
    assert Fraction(table["fraction"]) == true == exact_files.optimum(program)
    assert proved(text) == ("optimal", sign * true)


@pytest.mark.parametrize(
    ("rows", "optimum"),
    [
        ("0.1 x + 0.2 x - 0.3 x + y >= 1", 1),  # of doubles x has a coefficient
        ("0.3 x - 0.1 x - 0.2 x + y >= 1", 1),
        ("1e-400 x + 0 y >= 1e-400", 1),  # of doubles the row is empty
        ("1e-400 x >= 1e-390", 10**10),
        ("x + y >= 1e-400", Fraction("1e-400")),
    ],
)
def test_numbers_that_doubles_lose(rows: str, optimum: Fraction, tmp_path) -> None:
    (tmp_path / "p.lp").write_text(f"min\n x + y\nst\n {rows}\nend\n")
    try:
        text, table = prove_program(tmp_path / "p.lp")
    except RadprogError:  # refused
        return
    assert Fraction(table["fraction"]) == optimum
    assert proved(text) == ("optimal", optimum)
