"""A program that stays in a persistent interface of Pyomo: a fake one, which is HiGHS beneath."""

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
import pyomo.environ as pyo
import pytest
from effort import seeds
from own_programs import CuttingStock
from pyomo.opt import SolverResults, TerminationCondition
from scipy import sparse

import radprog as rp
from radprog.decompositions.drivers import masters
from radprog.decompositions.drivers.exchange import Cuts
from radprog.decompositions.loop import Budget
from radprog.solvers.certificate import dual_bound
from radprog.solvers.program import Status
from radprog.solvers.registry import solve_model

WORDS = {
    Status.OPTIMAL: TerminationCondition.optimal,
    Status.INFEASIBLE: TerminationCondition.infeasible,
    Status.UNBOUNDED: TerminationCondition.unbounded,
}


class Fake:
    """What Pyomo's persistent interfaces have of what is used, with a list of the calls."""

    calls: ClassVar[list[str]] = []
    there, broken = True, ""

    def __init__(self, **how: Any) -> None:
        self.options: dict[str, str] = {}

    def available(self, exception_flag: bool = True) -> bool:
        return self.there

    def version(self) -> tuple[int, ...]:
        return 1, 2

    def set_instance(self, model: Any) -> None:
        self.calls.append("set")
        self.model, self.rows = model, list(model.component_data_objects(pyo.Constraint))

    def add_constraint(self, row: Any) -> None:
        self.calls.append("row")
        assert row.model() is self.model
        self.rows.append(row)

    def add_column(self, model: Any, var: Any, cost: float, rows: Any, values: Any) -> None:
        self.calls.append("column")
        assert model is self.model
        assert rows  # without rows Pyomo would load no value
        model.objective.expr += cost * var
        for row, value in zip(rows, values, strict=True):
            lower, body, upper = row.to_bounded_expression()
            row.set_value((lower, body + value * var, upper))

    def solve(self, **how: Any) -> SolverResults:
        self.calls.append("solve")
        if self.broken:
            raise RuntimeError(self.broken)
        there = list(self.model.component_data_objects(pyo.Constraint))
        assert sorted(map(id, self.rows)) == sorted(map(id, there))  # each once
        answer, results = solve_model(self.model, "highs"), SolverResults()
        results.solver.termination_condition = WORDS[answer.status]
        return results

    def load_vars(self) -> None: ...

    load_duals = load_vars  # solve has loaded both


@pytest.fixture(autouse=True)
def fake(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(Fake, "calls", [])
    for name in ("fake", "fake_persistent"):
        pyo.SolverFactory.register(name)(Fake)
    yield
    for name in ("fake", "fake_persistent"):
        pyo.SolverFactory.unregister(name)


@pytest.mark.parametrize("first", [True, False])
def test_columns_are_added_to_the_solver(first: bool) -> None:
    """Without a first pattern: artificial columns, and phases with other costs, are set up anew."""
    case, found = CuttingStock.random(0, 8), []
    for solver in ("highs", "pyomo:fake"):
        model = case.master(first=first)
        found.append(rp.column_generation(model, case.knapsack(model), solver=solver))
    assert [run.status for run in found] == ["optimal", "optimal"]
    assert found[1].objective == pytest.approx(found[0].objective, rel=1e-9)
    solves = Fake.calls.count("solve")
    assert Fake.calls.count("column") >= len(found[1].columns) - 1 >= 3
    assert Fake.calls.count("set") == 1 if first else Fake.calls.count("set") < solves


@pytest.mark.parametrize("seed", seeds(40, 6))
def test_rows_and_columns_in_any_order(seed: int) -> None:
    """Rows of every kind, empty ones too, that later columns enter; HiGHS gives the value."""
    rng = np.random.default_rng(seed)
    box = masters.boxed_program(-rng.uniform(0.5, 2.0, 3), np.zeros(3), np.ones(3))
    fake, highs = masters.RebuiltProgram(box, "pyomo:fake"), masters.LiveProgram(box)
    for _ in range(8):
        m, n = fake.program.rows.shape
        size = int(rng.integers(1, 4))
        new: Cuts | masters.NewColumns
        if rng.random() < 0.6:
            matrix = rng.normal(size=(size, n)) * (rng.random((size, n)) < 0.5)
            sides = rng.choice([0.0, 0.3, 1.0, np.inf], size=(2, size))
            new = Cuts(sparse.csr_array(matrix), -sides[0], sides[1])
        else:
            matrix = rng.normal(size=(m, size)) * (rng.random((m, size)) < 0.5)
            ends, cost = rng.choice([0.5, 1.0], size=size), rng.normal(size=size)
            names = tuple(f"y({n + i})" for i in range(size))
            new = masters.NewColumns(sparse.csc_array(matrix), cost, np.zeros(size), ends, names)
        for master in (fake, highs):
            master.add(new)
        point = fake.solve(Budget())
        assert point.value == pytest.approx(highs.solve(Budget()).value, rel=1e-9, abs=1e-9)
        bound, _ = dual_bound(fake.program, point.multipliers)
        assert bound == pytest.approx(point.value, rel=1e-9, abs=1e-9)
    assert Fake.calls.count("row") > 0


def test_any_other_change_sets_it_up_again() -> None:
    box = masters.boxed_program(np.array([-1.0]), np.zeros(1), np.ones(1))
    program = masters.RebuiltProgram(box, "pyomo:fake")
    row = Cuts(sparse.csr_array([[1.0]]), np.array([-np.inf]), np.array([0.5]))
    ends = np.zeros(1), np.array([0.25])
    column = masters.NewColumns(sparse.csc_array([[1.0]]), np.array([-2.0]), *ends, ("y",))
    values = []
    for change in (
        lambda: None,
        lambda: program.add(row),
        lambda: program.add(column),
        lambda: program.reprice(slice(0, 1), np.array([-3.0])),
        lambda: program.bound(slice(0, 1), np.zeros(1), np.array([0.125])),
    ):
        change()
        values.append(program.solve(Budget()).value)
    assert values == pytest.approx([-1.0, -0.5, -0.75, -1.5, -0.875])
    added = ["row", "solve", "column", "solve"]
    assert Fake.calls == ["set", "solve", *added, *["set", "solve"] * 2]
    assert program.version == "1.2"


def test_a_solver_that_breaks_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    case = CuttingStock.random(0, 5)
    model = case.master()
    monkeypatch.setattr(Fake, "broken", "no licence")
    with pytest.raises(rp.SolverError, match="pyomo:fake crashed: no licence"):
        rp.column_generation(model, case.knapsack(model), solver="pyomo:fake")


def test_an_interface_that_is_not_there_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    program = masters.boxed_program(np.array([-1.0]), np.zeros(1), np.ones(1))
    monkeypatch.setattr(Fake, "there", False)
    with pytest.raises(rp.SolverMissingError, match="Pyomo finds no fake"):
        masters.RebuiltProgram(program, "pyomo:fake").solve(Budget())
    assert not Fake.calls
