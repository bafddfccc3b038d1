"""Benders cuts: stages with equal matrices, infeasible stages, and the check of a tree."""

from dataclasses import replace
from typing import Any

import numpy as np
import pyomo.environ as pyo
import pytest
from effort import seeds
from scipy import sparse

import radprog as rp
from radprog.decompositions.programs.benders import TwoStages
from radprog.decompositions.programs.structure import structure_of
from radprog.solvers.program import Program, SolveSettings
from radprog.solvers.registry import solved_by_any


def plants(seed: int, scenarios: int, most: float, *, shuffled: bool = False) -> Any:
    """Three integer capacities, then deliveries to two towns, of which ``most`` may be late."""
    rng = np.random.default_rng(seed)
    n, m = 3 + 8 * scenarios, 1 + 5 * scenarios
    rows, cost = np.zeros((m, n)), np.zeros(n)
    low, high = np.full(m, -np.inf), np.full(m, np.inf)
    rows[0, :3], high[0], cost[:3] = 1.0, 14.0, rng.integers(2, 6, 3)
    upper = np.append(np.full(3, 9.0), np.full(8 * scenarios, np.inf))
    far = rng.uniform(0.5, 3.0, 6)
    for s in range(scenarios):
        x, first = 3 + 8 * s, 1 + 5 * s
        for plant in range(3):
            rows[first + plant, [x + 2 * plant, x + 2 * plant + 1]] = 1.0
            rows[first + plant, plant], high[first + plant] = -rng.choice([0.5, 1.0]), 0.0
        for town in range(2):
            rows[first + 3 + town, [x + town, x + 2 + town, x + 4 + town, x + 6 + town]] = 1.0
            low[first + 3 + town] = rng.integers(1, 6)
        cost[x : x + 6], cost[x + 6 : x + 8] = far / scenarios, 9.0 / scenarios
        upper[x + 6 : x + 8] = most
    row, column = np.arange(m), np.arange(n)
    if shuffled:
        row, column = rng.permutation(m), rng.permutation(n)
    program = Program(
        cost=cost[column], rows=sparse.csr_array(rows[row][:, column]), row_lower=low[row],
        row_upper=high[row], lower=np.zeros(n), upper=upper[column], integer=column < 3,
    )  # fmt: skip
    first_stage = [program.column_names[j] for j in np.flatnonzero(column < 3).tolist()]
    return program, structure_of(program, first_stage)


@pytest.mark.parametrize("shuffled", [False, True])
@pytest.mark.parametrize(("scenarios", "most"), [(6, 0.5), (130, 1.0), (130, np.inf), (900, 2.0)])
def test_trees_give_what_the_whole_program_gives(scenarios, most, shuffled) -> None:
    program, found = plants(scenarios, scenarios, most, shuffled=shuffled)
    run = rp.benders(program, structure=found)
    whole = solved_by_any(program, program, SolveSettings())
    assert run.objective == pytest.approx(whole.objective, rel=1e-7)
    assert (run.status.value, run.proved_by, run.check()) == ("optimal", "tree", ())


@pytest.mark.parametrize("by", ["first", "linking"])
@pytest.mark.parametrize(("columns", "rows"), [(1, 1), (1, 2), (2, 1), (3, 2)])
def test_a_second_stage_may_have_one_column(columns: int, rows: int, by: str) -> None:
    rng, m = np.random.default_rng(columns + rows), pyo.ConcreteModel()
    m.x = pyo.Var(range(2), domain=pyo.Integers, bounds=(0, 9))
    m.y = pyo.Var(range(4), range(columns), bounds=(0, None))
    price, need = rng.integers(2, 9, (4, columns)) / 4.0, rng.integers(1, 9, (4, rows)).tolist()
    late = sum(p * m.y[s, k] for (s, k), p in np.ndenumerate(price))
    m.cost = pyo.Objective(expr=sum(m.x.values()) + late)
    m.row = pyo.ConstraintList()
    for s, i in np.ndindex(4, rows):
        m.row.add(m.x[i % 2] + sum(m.y[s, :]) >= need[s][i])
    run = rp.benders(m, m.x) if by == "first" else rp.benders(m, structure=rp.structure(m, m.x))
    assert len(run.structure.blocks) == 4
    assert run.objective == pytest.approx(rp.solve(m).objective)
    assert (run.proved_by, run.check()) == ("tree", ())


def test_stages_with_equal_matrices_are_one_live_program_in_any_order() -> None:
    for shuffled in (False, True):
        run = rp.benders(plants(3, 7, 2.0, shuffled=shuffled)[0])
        search: Any = run._search
        assert [len(one.rows) for one in search.recourses] == [7]
    relaxed, found = plants(3, 7, 2.0)
    relaxed = replace(relaxed, integer=np.zeros_like(relaxed.integer))
    run = rp.benders(relaxed, structure=replace(found, program=relaxed))
    assert (run.status.value, run.proved_by, run.check()) == ("optimal", "duals", ())
    whole = solved_by_any(relaxed, relaxed, SolveSettings())
    assert run.objective == pytest.approx(whole.objective, rel=1e-7)


def test_a_fixed_variable_of_the_first_stage_is_no_column() -> None:
    m = pyo.ConcreteModel()
    m.open, m.late = pyo.Var(range(2), domain=pyo.Binary), pyo.Var(range(3), bounds=(0, None))
    m.open[1].fix(1)
    m.cost = pyo.Objective(expr=5 * m.open[0] + 6 * m.open[1] + sum(m.late.values()))
    m.meet = pyo.Constraint(range(3), rule=lambda m, i: m.late[i] + 3 * m.open[0] >= i + 1)
    run = rp.benders(m, first=list(m.open.values()))
    assert (run.status.value, run.objective, run.values["open[1]"]) == ("optimal", 11.0, 1.0)


@pytest.mark.parametrize("seed", [4, 9, 11])
def test_an_early_plan_is_a_point(seed: int) -> None:
    program, found = plants(seed, 30, np.inf)
    run = rp.benders(program, structure=found, max_iter=1)
    assert (run.status.value, run.check()) == ("feasible", ())
    assert run.nodes == 1


@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("costs", [(-1, 0.25), (1, -1), (0, -1)])
def test_a_program_without_an_end_is_unbounded(costs: tuple[float, float], whole: bool) -> None:
    m = pyo.ConcreteModel()
    m.y = pyo.Var(bounds=(0, None), domain=pyo.Integers if whole else pyo.Reals)
    m.x = pyo.Var(range(2), bounds=(0, None))
    m.cost = pyo.Objective(expr=costs[0] * m.y + costs[1] * sum(m.x.values()))
    side = [-np.inf, 0.0] if costs[0] > 0 else [-3.0, np.inf]
    m.row = pyo.Constraint(range(2), rule=lambda m, s: (side[0], m.x[s] - m.y, side[1]))
    run = rp.benders(m, m.y)
    assert (run.status.value, run.bound, run.method) == ("unbounded", None, "compact")
    assert run.message == "the solver on the whole program proved it by a ray"


@pytest.mark.parametrize(
    ("least", "needs"), [(-99, [3, 5, 25]), (-99, [3, -25, 5]), (-99, [7, -7, 0]), (30, [0, 0, 0])]
)
def test_no_point_is_proved_by_multipliers(least: int, needs: list[int]) -> None:
    """A stage needs y to be above its number, or below: one stage has no point, two at once, or the
    first."""
    m = pyo.ConcreteModel()
    m.y = pyo.Var(bounds=(-10, 10))
    m.x = pyo.Var(range(3), bounds=(0, 1))
    m.cost = pyo.Objective(expr=m.y + sum(m.x.values()))
    m.first = pyo.Constraint(expr=2 * m.y >= least)
    sign = [1 if need >= 0 else -1 for need in needs]
    m.need = pyo.Constraint(range(3), rule=lambda m, s: sign[s] * m.y + m.x[s] >= abs(needs[s]))
    run = rp.benders(m, m.y)
    assert (run.status.value, run.proved_by) == ("infeasible", "duals")
    assert run.message == "no point meets all rows: proved by multipliers of the master"
    assert run.check() == ()


def test_stages_that_fail_leave_the_program_to_the_solver(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*given: Any) -> None:
        raise rp.SolverError("no basis")

    monkeypatch.setattr(TwoStages, "_separate", fails)
    with pytest.warns(match="benders failed, and the solver goes on: no basis"):
        run = rp.benders(plants(6, 6, 0.5)[0])
    assert (run.status.value, run.method) == ("optimal", "compact")


def test_no_point_is_proved_by_the_tree() -> None:
    program, found = plants(2, 5, 0.0)
    low = np.where(program.row_lower > 0.0, 40.0, program.row_lower)
    program = replace(program, row_lower=low)
    run = rp.benders(program, structure=replace(found, program=program))
    assert (run.status.value, run.check()) == ("infeasible", ())
    assert "point" in run.message


def test_the_check_finds_a_wrong_cut_and_a_wrong_leaf() -> None:
    program, found = plants(4, 30, 0.5)
    run = rp.benders(program, structure=found)
    search: Any = run._search
    assert search.splits
    assert run.check() == ()
    kept = search.cuts
    search.cuts = kept._replace(constants=kept.constants + 1.0)
    assert any("does not follow" in fault for fault in run.check())
    search.cuts, search.relaxation = kept, (*search.relaxation[:2], 0.0 * search.relaxation[2])
    leaf = max(search.leaves, key=lambda node: search.leaves[node] is not None)
    search.leaves[leaf] = 0.0 * search.leaves[leaf]
    assert any("the bound" in fault for fault in run.check())


@pytest.mark.parametrize("size", [1e-9, 1e-6, 1e3])
@pytest.mark.parametrize("seed", seeds(12, 3))
def test_small_entries_have_the_answer_of_large_ones(seed: int, size: float) -> None:
    """HiGHS's tolerances are absolute: rows of 1e-8 are solved in units of their own."""
    program, found = plants(seed, 6, np.inf)
    by = size * 10.0 ** np.random.default_rng(seed).integers(-1, 2, program.rows.shape[0])
    rows = sparse.csr_array(sparse.diags_array(by) @ program.rows)
    low, high = by * program.row_lower, by * program.row_upper
    scaled = replace(program, rows=rows, row_lower=low, row_upper=high)
    run = rp.benders(scaled, structure=replace(found, program=scaled))
    assert (run.status.value, run.check()) == ("optimal", ())
    truth = rp.benders(program, structure=found).objective
    assert run.objective == pytest.approx(truth, abs=1e-6)
