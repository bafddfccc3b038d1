"""Sifted masters against whole programs: values, conditions of optimality, bases, failures."""

from dataclasses import replace

import numpy as np
import pytest
from small_programs import linprog_optimum

from radprog.base.limits import OutOfBudget
from radprog.base.types import FloatArray
from radprog.decompositions.drivers import sifting
from radprog.decompositions.drivers.exchange import Cuts, MasterPoint
from radprog.decompositions.drivers.masters import HighsMaster, plain_highs
from radprog.decompositions.drivers.sifting import SiftedMaster
from radprog.decompositions.loop import Budget
from radprog.decompositions.run import RunSettings


@pytest.fixture(autouse=True)
def _small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SiftedMaster, "sifting_size", 300)
    monkeypatch.setattr(sifting, "VARIABLES_KEPT", (1, 5))


def cuts_of(rng: np.random.Generator, rows: int, x: FloatArray, size: float, shift: float) -> Cuts:
    side, matrix = rng.uniform(0.5, 1.5, rows), size * (rng.normal(size=(rows, len(x))) + shift)
    return Cuts(matrix, matrix @ x - side, matrix @ x + 2.0 * side)


def rows_of(cuts: list[Cuts]) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Matrix and sides of all of them."""
    parts = ("matrix", "lower", "upper")
    matrix, low, high = (np.concatenate([getattr(cut, part) for cut in cuts]) for part in parts)
    return matrix, low, high


def check_optimal(point: MasterPoint, upper: FloatArray, cuts: list[Cuts]) -> None:
    """Rows of large entries are met to the tolerance of their scaled form."""
    matrix, low, high = rows_of(cuts)
    rows, reduced = matrix @ point.x, -1.0 - point.multipliers @ matrix
    assert ((point.x >= -1e-9 * upper) & (point.x <= upper * (1.0 + 1e-9))).all()
    slack = 2e-9 * np.maximum(1.0, np.abs(matrix).max(axis=1) / 2**15)
    assert ((rows >= low - slack) & (rows <= high + slack)).all()
    unit = point.x.max()
    assert (reduced[point.x < (1.0 - 1e-6) * np.minimum(upper, 1e9 * unit)] >= -1e-7).all()
    assert (reduced[point.x > 1e-6 * unit] <= 1e-7).all()
    prices = point.multipliers * unit
    assert (prices[rows < high - 1e-6] >= -1e-7).all()
    assert (prices[rows > low + 1e-6] <= 1e-7).all()


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("size", [1.0, 0.05, 1e7], ids=["unit", "loose", "tiny points"])
def test_rounds_reach_the_optimum_of_the_whole(seed: int, size: float) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(20, 90))
    upper = np.ones(n)
    master, cuts = SiftedMaster(-np.ones(n), upper), []
    assert master.solve(Budget()).value == -n
    shift, unit = float(rng.choice([0.0, 0.4])), min(1.0, 1.0 / size)
    inside = unit * (seed % 3 == 2) * rng.random(n)  # with it, rows that 0 violates
    for _ in range(4):
        cuts.append(cuts_of(rng, int(rng.integers(5, 30)), inside, size, shift))
        master.add(cuts[-1])
        point = master.solve(Budget())
        matrix, low, high = rows_of(cuts)
        optimum = linprog_optimum(-np.ones(n), unit * matrix, low, high, upper / unit)
        assert point.value == pytest.approx(unit * optimum, rel=1e-7)
        check_optimal(point, upper, cuts)
    assert master.vertex().value == pytest.approx(point.value, rel=1e-8)


def solved(seed: int = 3) -> tuple[SiftedMaster, list[Cuts], MasterPoint]:
    rng, n = np.random.default_rng(seed), 60
    master = SiftedMaster(-np.ones(n), np.ones(n))
    cuts = [cuts_of(rng, 25, np.zeros(n), 1.0, 0.3) for _ in range(2)]
    for part in cuts:
        master.add(part)
    return master, cuts, master.solve(Budget())


def test_the_basis_is_one_of_the_whole_program() -> None:
    master, cuts, point = solved()
    whole = HighsMaster(master.cost, master.upper)
    for part in cuts:
        whole.add(part)
    whole.hot_start(*master.basis())
    again = whole.solve(Budget())
    assert whole._live.highs.getInfo().simplex_iteration_count == 0
    assert again.x == pytest.approx(point.x, abs=1e-8)
    other = SiftedMaster(master.cost, master.upper)
    for part in cuts:
        other.add(part)
    other.hot_start(*whole.basis())
    assert other.solve(Budget()).value == pytest.approx(point.value, rel=1e-9)


def test_highs_alone_where_the_dense_method_is_stuck(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = solved()[2].value
    monkeypatch.setattr(sifting, "solve_boxed", lambda *_: None)
    assert solved()[2].value == pytest.approx(expected, rel=1e-9)


def test_highs_gives_the_last_point_where_the_dense_one_is_inexact(monkeypatch) -> None:
    parts, start = [], HighsMaster.hot_start
    monkeypatch.setattr(HighsMaster, "hot_start", lambda *given: parts.append(1) or start(*given))
    master, _, expected = solved()
    assert not parts
    assert master.vertex().value == pytest.approx(expected.value, rel=1e-9)
    dense = sifting.solve_boxed
    monkeypatch.setattr(sifting, "solve_boxed", lambda *of: replace(dense(*of), exact=False))
    master, _, point = solved()
    assert len(parts) == 1  # of several
    assert point.value == pytest.approx(expected.value, rel=1e-9)
    assert point.x == pytest.approx(expected.x, abs=1e-7)
    assert master.vertex().value == pytest.approx(point.value, rel=1e-9)


def test_a_spent_budget_ends_it() -> None:
    master, _, point = solved()
    with pytest.raises(OutOfBudget):
        master.solve(Budget(interrupted=lambda: True))
    assert master.solve(Budget()).value == pytest.approx(point.value, rel=1e-9)


def test_who_gets_a_sifted_master() -> None:
    asked = RunSettings(solver="highs", solver_options={"simplex_strategy": "4"})
    others = asked, RunSettings(solver="pyomo:appsi_highs"), RunSettings(log="highs.log")
    assert [plain_highs(one) for one in (RunSettings(), *others)] == [True, False, False, False]
