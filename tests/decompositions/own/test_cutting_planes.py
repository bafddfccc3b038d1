"""Cutting planes for a user's own program."""

import itertools
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pyomo.environ as pyo
import pytest
from bad_endings import hears_its_caller, pressed_at_the_incumbent
from effort import seeds
from own_programs import Tour
from refusals import refused
from scipy import sparse
from small_models import small_model

import radprog as rp
from radprog.decompositions.drivers.exchange import Cuts
from radprog.decompositions.own import cutting_planes as module
from radprog.decompositions.own.cutting_planes import CutRun, Separated, cutting_planes
from radprog.solvers import apart
from radprog.solvers.adapters import highs
from radprog.solvers.registry import solve_model, solve_program


def disc(sense: int = 1) -> tuple[pyo.ConcreteModel, Any]:
    """min x + y with x cos t + y sin t >= 1 for every t in [0, pi/2]: 2, at (1, 1)."""
    model = small_model(lambda m: sense * (m.x + m.y), sense=sense, x=(-5, 5), y=(-5, 5))
    angles = np.linspace(0.0, math.pi / 2, 501)

    def separate(values: Any) -> Separated:
        reach = values[model.x] * np.cos(angles) + values[model.y] * np.sin(angles)
        assert pyo.value(model.x) == values[model.x]
        t = angles[reach.argmin()]
        worst = float(reach.min())
        rows = [model.x * math.cos(t) + model.y * math.sin(t) >= 1] if worst < 1 - 1e-9 else []
        total = values[model.x] + values[model.y]
        return Separated(rows, sense * total / worst if worst > 0 else None)

    return model, separate


@pytest.mark.parametrize("value", [None, 2.0])
@pytest.mark.parametrize("off", [0.0, 1e-15, 1e-10])
def test_whole_values_of_the_linear_program_are_whole(off: float, value: float | None) -> None:
    """Rounding errors of its point are no fractions: no branch and bound, and no round more."""
    model = small_model(lambda m: 2 * m.a + 3 * m.b, a=(0, 1), b=(0, 1))
    model.a.domain = model.b.domain = pyo.Binary
    model.cover = pyo.Constraint(expr=model.a + model.b >= 1 - off)
    seen: list[float] = []

    def separate(values: Any) -> Separated:
        seen.append(values[model.a])
        return Separated([], value)

    run = cutting_planes(model, separate, max_iter=1)
    assert (str(run.status), run.objective, run.proved_by) == ("optimal", 2.0, "duals")
    assert seen == [1.0]


def test_fractions_are_no_whole_point() -> None:
    model = small_model(lambda m: 2 * m.a + 3 * m.b, a=(0, 1), b=(0, 1))
    model.a.domain = model.b.domain = pyo.Binary
    model.cover = pyo.Constraint(expr=2 * model.a + 2 * model.b >= 1)
    # the value at a = 1/2 is that of no whole point, and is not taken
    run = cutting_planes(model, lambda values: Separated([], 2.0 * values[model.a]))
    assert (str(run.status), run.objective, run.values[model.a]) == ("optimal", 2.0, 1.0)


@pytest.mark.parametrize("sense", [1, -1])
def test_a_semi_infinite_program(sense: int) -> None:
    model, separate = disc(sense)
    run = cutting_planes(model, separate)
    assert run.certified
    assert repr(run.values).startswith("{'x': ")
    assert run.objective == pytest.approx(2.0 * sense, rel=1e-6)
    assert sense * run.bound <= 2.0 + 1e-9
    assert sense * solve_model(run.model()).objective == pytest.approx(run.bound, rel=1e-6)
    assert (sense * run.multipliers >= -1e-9).all()


def test_whole_variables_are_relaxed_where_that_is_asked_for() -> None:
    model, separate = disc()
    model.n = pyo.Var(domain=pyo.Binary)
    model.half = pyo.Constraint(expr=model.n == 0.5)
    run = cutting_planes(model, separate, whole=False)
    assert run.relaxed
    assert "relaxed" in run.message
    assert repr(run).startswith("<CutRun optimal of the relaxation, proved by duals: objective 2")
    whole = cutting_planes(model, separate)
    assert (whole.status, whole.objective, whole.relaxed) == ("failed", None, False)
    assert "no point with whole integers" in whole.message


def shortest(tour: Tour) -> float:
    """The length of the best tour of all."""
    d = np.zeros((tour.cities, tour.cities))
    for pair, length in tour.length.items():
        d[pair] = d[pair[::-1]] = length
    tours = np.array([(0, *order, 0) for order in itertools.permutations(range(1, tour.cities))])
    return float(d[tours[:, :-1], tours[:, 1:]].sum(axis=1).min())


@pytest.mark.parametrize("seed", seeds(20, 3))
def test_tours_with_lazy_cuts_are_shortest(seed: int) -> None:
    tour = Tour(9, seed, whole=True)
    run = cutting_planes(tour.model, tour.separate)
    # by duals, if the linear program has whole values already
    assert run.status == "optimal"
    assert run.proved_by in ("duals", "solver")
    assert run.objective == pytest.approx(shortest(tour), rel=1e-9)
    assert run.bound <= run.objective * (1 + 1e-9)
    assert sum(run.values[x] for x in tour.model.x.values()) == pytest.approx(9)


def test_infeasible_and_unbounded() -> None:
    model, _ = disc()
    run = cutting_planes(model, lambda v: [model.x >= 6] * (v[model.x] < 6))
    assert (run.status, run.proved_by) == ("infeasible", "duals")
    assert "multipliers prove it" in run.message
    free = small_model(lambda m: m.x, lambda m: m.x <= 1, x=(None, None))
    run = cutting_planes(free, lambda _: [free.x >= 0])
    assert (run.status, run.proved_by) == ("failed", None)
    assert "says nothing of the whole: bound its variables" in run.message


def test_a_limit_keeps_the_bound() -> None:
    model, separate = disc()
    run = cutting_planes(model, separate, max_iter=3)
    assert (run.reason, len(run.trace), run.status) == ("max_iter", 3, "feasible")
    assert run.proved_by is None
    assert run.bound <= 2.0
    assert all(variable.value == run.values[variable] for variable in run.values)
    own = run.values[model.x] + run.values[model.y]  # the separator scaled this point
    assert run.message.endswith(f"the values have {own:.10g}")


@pytest.mark.parametrize("ending", ["a point", "no point", "a gap of its own"])
def test_a_limit_in_the_search_keeps_its_point_and_bound(monkeypatch, ending: str) -> None:
    """The least cover of a cycle of five edges has 3 points, and its relaxation 2.5."""
    stopped, found = list[Any](), ending != "no point"

    def ended(*arguments: Any) -> Any:
        stopped.append(solve_program(*arguments))
        point, complete = stopped[0].x if found else None, "gap" in ending
        return replace(stopped[0], status="limit", claimed_optimal=complete, x=point, bound=2.75)

    monkeypatch.setattr(module, "solve_program", ended)
    run = cutting_planes(*cover_of_a_cycle(), interrupted=lambda: bool(stopped))
    assert (run.reason, run.bound) == ("no_column" if "gap" in ending else "interrupt", 2.75)
    assert (run.status, run.objective) == (("feasible", 3.0) if found else ("limit", None))
    said = {"no point": "no point is known", "a gap of its own": "leaves this gap"}.get(ending, "")
    assert said in run.message
    assert bool(said) == bool(run.message)


def cover_of_a_cycle() -> tuple[pyo.ConcreteModel, Any]:
    model = pyo.ConcreteModel()
    model.x = pyo.Var(range(5), domain=pyo.Binary)
    model.size, x = pyo.Objective(expr=sum(model.x.values())), list(model.x.values())
    pairs = [(x[i], x[i - 1]) for i in range(5)]
    return model, lambda v: [a + b >= 1 for a, b in pairs if v[a] + v[b] < 1 - 1e-9]


@pytest.mark.usefixtures("ctrl_c")
def test_ctrl_c_in_the_search_keeps_its_point_and_bound(monkeypatch) -> None:
    monkeypatch.setattr(apart, "HANDING_OVER", 1e6)
    monkeypatch.setattr(highs, "solve_search", apart.solve_apart)
    monkeypatch.setattr(highs, "_solve", pressed_at_the_incumbent)
    for limits in ({}, {"time_limit": 1e6}):
        run = cutting_planes(*cover_of_a_cycle(), **limits)
        assert (run.reason, run.status) == ("interrupt", "feasible")
        assert (run.objective, run.bound) == (3.0, 2.75)


@pytest.mark.usefixtures("ctrl_c")
@pytest.mark.parametrize("limit", ["ctrl-c", "flag"])
def test_a_limit_of_the_run_ends_a_search_of_the_separator(monkeypatch, limit: str) -> None:
    """No incumbent of its search is taken for an optimum."""
    search = pressed_at_the_incumbent if limit == "ctrl-c" else hears_its_caller
    monkeypatch.setattr(apart, "HANDING_OVER", 1e6)
    monkeypatch.setattr(highs, "solve_search", apart.solve_apart)
    monkeypatch.setattr(highs, "_solve", search)
    model, _ = cover_of_a_cycle()
    inner, searching, solved = cover_of_a_cycle()[0], list[bool](), list[Any]()

    def separate(values: Any) -> Any:
        searching.append(True)
        solved.append(rp.solve(inner))
        raise AssertionError

    run = cutting_planes(model, separate, interrupted=lambda: limit == "flag" and bool(searching))
    assert (run.reason, solved) == ("interrupt", [])


def wrong(model: pyo.ConcreteModel) -> dict[str, tuple[Any, str]]:
    other = pyo.ConcreteModel()
    other.x, other.f = pyo.Var(), pyo.Var(initialize=1.0)
    other.f.fix()
    if not hasattr(model, "kept"):
        model.kept = pyo.Constraint(expr=model.x <= 5)
    return {
        "satisfied": (lambda _: [model.x >= -100], "meets all of them"),
        "another model": (lambda _: [other.x >= 100], "not in the model"),
        "not linear": (lambda _: [model.x**2 >= 100], "not linear"),
        "no row": (lambda _: [3.0], "row of the separator"),
        "no answer": (lambda _: 3, "expected inequalities"),
        "no return": (lambda _: None, r"the separator gave None, expected .* \[\] where"),
        "a bool": (lambda _: [False], "expected an inequality"),
        "value": (lambda _: Separated(value=math.nan), "value of nan"),
        "too good": (lambda _: Separated(value=-100.0), "value -100, beyond the bound"),
        "crash": (lambda _: {}[1], "KeyError"),
        "a constraint": (lambda _: [model.kept], "is kept: expected an inequality"),
        "another variable": (lambda v: [v[other.x] >= 1], "x is not a variable of the model"),
        "another that is fixed": (lambda v: [v[other.f] >= 1], "f is not a variable of the model"),
    }


@pytest.mark.parametrize("kind", sorted(wrong(disc()[0])))
def test_nonsense_is_named_and_what_was_found_is_kept(kind: str) -> None:
    model, separate = disc()
    answer, words = wrong(model)[kind]
    asked = []

    def separator(values: Any) -> Any:
        asked.append(1)
        return separate(values) if len(asked) < 3 else answer(values)

    with pytest.raises(rp.StoppedError, match=words) as stopped:
        cutting_planes(model, separator)
    assert isinstance(stopped.value.run, CutRun)
    assert stopped.value.run.bound is not None
    assert len(stopped.value.run.trace) == 2


def test_fixed_variables_have_values_and_stay() -> None:
    """max x with x + f <= 3 for the fixed f = 1."""
    model = small_model(lambda m: m.x, sense=pyo.maximize, x=(0, 5), f=(None, None, 1.0))
    model.f.fix()

    def separate(v: Any) -> Any:
        return model.x + model.f <= 3 if v[model.x] + v[model.f] > 3 + 1e-9 else []

    assert cutting_planes(model, separate).objective == pytest.approx(2.0)
    model.x.fix(4.0)  # then nothing is left to be solved for
    assert cutting_planes(model, lambda _: []).objective == 4.0
    assert cutting_planes(model, separate).status == "infeasible"


@pytest.mark.parametrize("size", [1e-12, 1e-7, 1.0, 1e9])
def test_a_row_counts_whatever_its_units(size: float) -> None:
    model = small_model(lambda m: m.x, x=(0, 10))
    run = cutting_planes(model, lambda v: [size * model.x >= size] if v[model.x] < 1 else [])
    assert run.certified
    assert run.objective == pytest.approx(1.0)
    assert len(run.rows) == 1
    assert run.multipliers * size == pytest.approx([1.0])
    cut = run.model().component("cut")[0]
    assert pyo.value(cut.body) == pytest.approx(pyo.value(cut.lower), rel=1e-6, abs=0.0)


def test_small_and_large_variables() -> None:
    model = small_model(lambda m: 1e9 * m.x, x=(0, 1e-6))
    run = cutting_planes(model, lambda v: [model.x >= 5e-8] if v[model.x] < 5e-8 else [])
    assert run.certified
    assert run.objective == pytest.approx(50.0)
    model = small_model(lambda m: m.x - m.y, **dict.fromkeys("xy", (1e9 - 50, 1e9)))
    run = cutting_planes(model, lambda v: [model.x >= model.y] if v[model.x] < v[model.y] else [])
    assert run.objective == pytest.approx(0.0, abs=1e-6)
    assert run.bound <= 1e-6
    # binaries of 6e-7, which round to 0, are no way out of a row with a large factor
    model.open, model.use = pyo.Var([0, 1], domain=pyo.Binary), pyo.Var([0, 1], bounds=(0, None))
    pairs = [*zip(model.use.values(), model.open.values(), strict=True)]
    model.need = pyo.Constraint(expr=sum(u for u, _ in pairs) >= 6)
    model.goal.set_value(sum(u + 3 * b for u, b in pairs))
    run = cutting_planes(model, lambda v: [u <= 1e7 * b for u, b in pairs if v[u] > 1e7 * v[b]])
    assert (run.status, run.objective) == ("optimal", pytest.approx(9.0))


@pytest.mark.parametrize("dimension", [2, 4])
def test_a_separator_without_a_tolerance_of_its_own(dimension: int) -> None:
    """The most of c'x in the unit ball is |c|; gradient cuts come closer for ever."""
    cost, model = np.arange(1.0, dimension + 1.0), pyo.ConcreteModel()
    model.x = pyo.Var(range(dimension), bounds=(-2, 2))
    goal = sum(c * x for c, x in zip(cost, model.x.values(), strict=True))
    model.value = pyo.Objective(expr=goal, sense=pyo.maximize)

    def separate(values: Any) -> list[Any]:
        norm = np.linalg.norm([values[x] for x in model.x.values()])
        return [sum(values[x] / norm * x for x in model.x.values()) <= 1] if norm > 1 else []

    run = cutting_planes(model, separate, max_iter=500)
    assert run.certified
    assert run.objective == pytest.approx(np.linalg.norm(cost), rel=1e-8)


def test_rows_as_arrays_are_those_of_inequalities() -> None:
    """Tangents of a disc, equalities and rows of two sides: the same run, and readable rows."""
    answers = {}
    for arrays in (False, True):
        model = small_model(lambda m: m.x + m.y, sense=pyo.maximize, x=(0, 2), y=(0, 2))

        def separate(values: Any, model: Any = model, arrays: bool = arrays) -> Any:
            x, y = values.x.tolist()
            r = float(np.hypot(x, y))
            if r <= 1 + 1e-7 and abs(x - 0.6) <= 1e-9:
                return []
            if arrays:
                matrix = sparse.csr_array([[x / r, y / r], [1.0, 0.0], [1.0, 1.0]])
                return Cuts(matrix, np.array([-np.inf, 0.6, 0.1]), np.array([1.0, 0.6, 1.9]))
            return [
                x / r * model.x + y / r * model.y <= 1,
                model.x == 0.6,
                pyo.inequality(0.1, model.x + model.y, 1.9),
            ]

        run = cutting_planes(model, separate)
        assert run.certified, run.message
        assert run.objective == pytest.approx(1.4, rel=1e-6)
        assert solve_model(run.model()).objective == pytest.approx(-1.4, rel=1e-6)
        model.cuts = pyo.ConstraintList()
        for row in run.rows:
            model.cuts.add(row)
        assert solve_model(model).objective == pytest.approx(-1.4, rel=1e-6)
        answers[arrays] = [run.objective, run.bound, len(run.trace), *run.multipliers.tolist()]
    assert answers[True] == pytest.approx(answers[False])


@pytest.mark.parametrize(
    ("cuts", "words"),
    [
        (Cuts(np.ones((1, 3)), np.zeros(1), np.ones(1)), r"shape \(1, 3\) and sides of shapes"),
        (Cuts(np.ones((1, 2)), np.zeros(1), np.ones(2)), "expected a row and two sides"),
        (Cuts(np.full((1, 2), np.nan), np.zeros(1), np.ones(1)), "that is not finite"),
        (Cuts(np.ones((1, 2)), np.ones(1), np.zeros(1)), "a lower side above"),
        (Cuts(np.ones((1, 2)), np.array([-np.inf]), np.array([np.inf])), "without a finite side"),
    ],
)
def test_arrays_that_are_no_rows_are_refused(cuts: Cuts, words: str) -> None:
    model = small_model(lambda m: m.x + m.y, x=(0, 2), y=(0, 2))
    refused(rp.StoppedError, words, cutting_planes, model, lambda values: cuts)


def test_a_claimed_value_of_a_program_without_a_point_is_a_contradiction() -> None:
    model = small_model(lambda m: m.x, x=(0, 4))
    run = cutting_planes(model, lambda values: Separated([model.x >= 5], value=6.0))
    assert (run.status, run.proved_by) == ("failed", None)
    assert "returned the value 6 of a point, and the rows have none" in run.message
    alone = cutting_planes(model, lambda values: Separated([model.x >= 5]))
    assert (alone.status, alone.objective) == ("infeasible", None)
