"""Irreducible conflicts: infeasible together, feasible without any one of them."""

from dataclasses import replace
from itertools import product

import numpy as np
import pyomo.environ as pyo
import pytest
from effort import seeds
from refusals import refused
from small_models import small_model
from small_programs import make_program

import radprog as rp
from radprog.base.errors import UnfinishedError
from radprog.solvers.claims import infeasibility
from radprog.solvers.program import Program, SolveSettings
from radprog.solvers.questions import conflict as module
from radprog.solvers.questions.conflict import Condition
from radprog.solvers.registry import solve_program


def contradiction(seed: int, *, integer: bool = False) -> Program:
    """Random rows around a point, and a weighted sum of some of them that must be larger than it
    can be: a conflict hidden among conditions that do not matter."""
    rng = np.random.default_rng(seed)
    n, m, k = int(rng.integers(4, 9)), int(rng.integers(5, 12)), int(rng.integers(2, 5))
    matrix = rng.integers(-3, 4, size=(m, n)).astype(float)
    inside = rng.integers(-2, 3, size=n).astype(float)
    activity = matrix @ inside
    upper = activity + rng.integers(0, 3, size=m)
    chosen = rng.choice(m, size=k, replace=False)
    weights = rng.integers(1, 4, size=k).astype(float)
    last = weights @ matrix[chosen]
    place = int(rng.integers(0, m + 1))
    lower = np.where(rng.random(m) < 0.3, activity - 2.0, -np.inf)
    return make_program(
        *(rng.normal(size=n), np.insert(matrix, place, last, axis=0)),
        *(np.insert(lower, place, weights @ upper[chosen] + 1.0), np.insert(upper, place, np.inf)),
        lower=inside - rng.integers(1, 3, size=n),
        upper=np.where(rng.random(n) < 0.5, inside + 2.0, np.inf),
        integer=integer,
    )


def feasible(program: Program, conditions) -> bool:
    return solve_program(module.restricted(program, conditions)).claimed_optimal


def assert_irreducible(program: Program, found) -> None:
    assert found.irreducible
    assert not feasible(program, found.conditions)
    for left_out in range(len(found.conditions)):
        rest = [c for i, c in enumerate(found.conditions) if i != left_out]
        assert feasible(program, rest), found.conditions[left_out]


def assert_proof(program: Program, found) -> None:
    """The weighted conditions add up to 0 >= 1."""
    total, value = np.zeros(program.cost.size), 0.0
    for condition, weight in zip(found.conditions, found.weights, strict=True):
        assert weight >= 0
        sign = 1.0 if condition.side == "lower" else -1.0
        if condition.part == "row":
            total += sign * weight * program.rows[[condition.index]].toarray().ravel()
        else:
            total[condition.index] += sign * weight
        value += sign * weight * condition.bound(program)
    assert value == pytest.approx(1.0, abs=1e-9)
    assert np.abs(total).max() < 1e-9


@pytest.mark.parametrize("integer", [False, True])
@pytest.mark.parametrize("seed", seeds(25))
def test_conflicts_are_irreducible(seed, integer) -> None:
    program = contradiction(seed, integer=integer)
    found = module.find_conflict(program)
    assert 2 <= len(found.conditions) < len(module.conditions_of(program))
    assert_irreducible(program, found)
    assert found.found_by == "alternative"  # the relaxation has none either
    assert_proof(program, found)


@pytest.mark.parametrize("seed", seeds(8))
@pytest.mark.parametrize("weighted", [True, False])
def test_the_filter_finds_one_without_the_alternative(seed, weighted, monkeypatch) -> None:
    """From the conditions with a weight, or from all of them."""
    program, proof = contradiction(seed), module._proof
    monkeypatch.setattr(module, "_has_unique_weights", lambda *given: False)
    everything = len(module.conditions_of(program))
    monkeypatch.setattr(
        module, "_proof",
        lambda program, conditions, *settings: (None, None)
        if len(conditions) == everything and not weighted
        else proof(program, conditions, *settings),
    )  # fmt: skip
    found = module.find_conflict(program)
    assert found.found_by == "deletion"
    assert_irreducible(program, found)
    assert_proof(program, found)


@pytest.mark.parametrize("integer", [False, True])
@pytest.mark.parametrize("seed", seeds(25))
def test_the_least_repair_makes_it_feasible_and_nine_tenths_of_it_do_not(seed, integer) -> None:
    program = contradiction(seed, integer=integer)
    moves, proved = module.least_repair(program, SolveSettings())
    assert proved is not integer

    def moved(share: float) -> Program:
        lower, upper = program.row_lower.copy(), program.row_upper.copy()
        for side, amount in moves:
            if side.side == "lower":
                lower[side.index] -= share * amount
            else:
                upper[side.index] += share * amount
        return replace(program, row_lower=lower, row_upper=upper)

    for share, possible in ((1.0, True), (0.9, False)):
        trial = moved(share)
        assert feasible(trial, module.conditions_of(trial)) is possible


@pytest.mark.parametrize("seed", seeds(40))
def test_integer_programs_against_enumeration(seed) -> None:
    """Rows whose sides are next to each other: some relaxations have points without integers."""
    rng = np.random.default_rng(seed)
    matrix, low = rng.integers(-5, 6, size=(2, 3)), rng.integers(-9, 9, 2) + rng.choice([0.0, 0.3])
    high = low + rng.choice([0.0, 0.3, 0.9], 2)
    program = make_program(np.ones(3), matrix, low, high, -1.0, 2.0, integer=True)
    values = np.array(list(product(range(-1, 3), repeat=3))) @ matrix.T
    found = module.find_conflict(program)
    assert (found is None) == ((values >= low) & (values <= high)).all(axis=1).any()
    if found is not None and found.irreducible:
        assert_irreducible(program, found)
    if found is not None and found.found_by != "alternative":  # the relaxation has points
        assert found.weights is None
        assert "integer" in {c.side for c in found.conditions}
    if found is not None and found.found_by == "divisibility":
        assert len({c.index for c in found.conditions if c.side != "integer"}) == 1
        assert infeasibility(program, SolveSettings())[0] == "divisibility of a row"


def test_bounds_that_cross_and_squares() -> None:
    """Squares: a ball and a half space apart, by the solver that reads quadratic rows."""
    crossed = make_program([1.0, 1.0], [[1.0, 1.0]], row_upper=9.0, lower=[0.0, 3.0], upper=1.0)
    found = module.find_conflict(crossed)
    assert list(found.conditions) == [Condition("column", 1, side) for side in ("lower", "upper")]
    assert_proof(crossed, found)
    assert module.least_repair(crossed, SolveSettings()) is None  # no move of rows is one
    rows, ball = [[0.0, 0.0], [1.0, 1.0], [1.0, -1.0]], {0: 2.0 * np.eye(2)}
    low, high = [-np.inf, 3.0, -8.0], [1.0, np.inf, 8.0]
    program = make_program(np.zeros(2), rows, low, high, -10.0, 10.0, quadratic_rows=ball)
    found = module.find_conflict(program)
    assert found.conditions == (Condition("row", 0, "upper"), Condition("row", 1, "lower"))
    assert found.weights is None


@pytest.mark.parametrize("seed", seeds(10))
def test_weights_that_are_not_the_only_ones_prove_nothing(seed) -> None:
    """Two conflicts together have weights, but not one set of them alone; a part has none."""
    program = contradiction(seed)
    found = module.find_conflict(program)
    assert module._has_unique_weights(program, found.conditions)
    if len(found.conditions) > 1:
        assert not module._has_unique_weights(program, found.conditions[1:])
    m, names = len(program.row_names), [f"again({i})" for i in range(len(program.row_names))]
    twice = program.with_rows(program.rows, program.row_lower, program.row_upper, names)
    again = [replace(c, index=c.index + m * (c.part == "row")) for c in found.conditions]
    assert not module._has_unique_weights(twice, sorted({*found.conditions, *again}))


def test_time_that_runs_out_is_told(monkeypatch) -> None:
    program, none = contradiction(5), SolveSettings(time_limit=1e-9)
    refused(UnfinishedError, "the time was too short to tell", module.find_conflict, program, none)
    search, left = module._ConflictSearch.infeasible, iter([1] * 5)
    monkeypatch.setattr(module, "_has_unique_weights", lambda *given: False)
    monkeypatch.setattr(module, "_proof", lambda *given: (None, None))
    monkeypatch.setattr(
        module._ConflictSearch, "infeasible",
        lambda self, conditions: search(self, conditions) if next(left, 0) else None,
    )  # fmt: skip
    found = module.find_conflict(program)
    assert not found.irreducible
    assert not feasible(program, found.conditions)


def test_a_long_conflict_is_counted_by_components_and_says_what_integers_do() -> None:
    model = pyo.ConcreteModel()
    model.open = pyo.Var(range(3), domain=pyo.Binary)
    model.ship = pyo.Var(range(3), range(4), bounds=(0, None))
    model.cap = pyo.Constraint(range(3), rule=lambda m, s: sum(m.ship[s, :]) <= 10 * m.open[s])
    model.need = pyo.Constraint(range(4), rule=lambda m, t: sum(m.ship[:, t]) >= 6)
    model.limit = pyo.Constraint(expr=sum(model.open.values()) <= 2)
    model.cost = pyo.Objective(expr=sum(model.open.values()))
    report = rp.analyze(model)
    report.top = 2
    assert "4 need(...) >=, 3 cap(...) <=, 1 limit <=" in str(report)
    assert "a side of integers moves by whole steps" in str(report)
    report.top = 20  # every condition has its line, and none are counted
    assert "of these" not in str(report)


def test_protected_rows_stay_as_they_are(tmp_path) -> None:
    """x >= 8 twice and x <= 5.5: the repair with the least sum of the others."""
    model = pyo.ConcreteModel()
    model.x = pyo.Var(bounds=(0, 20))
    model.a = pyo.Constraint([0, 1], rule=lambda m, i: m.x >= 8)
    model.b = pyo.Constraint(expr=model.x <= 5.5)
    model.cost = pyo.Objective(expr=model.x)
    for protect, moves in (
        ((), {"b": 2.5}),
        (["b"], {"a[0]": 2.5, "a[1]": 2.5}),
        ("a*", {"b": 2.5}),
        (["b", "a[0]"], None),
        ("b,a[0]", None),
        ("a[0],a[1]", {"b": 2.5}),
        (["*"], None),
    ):
        report = rp.analyze(model, protect=protect)
        repair = report["conflict"]["repair"]
        assert (repair is None) == (moves is None)
        if repair is None:
            assert "repair     none is known that keeps the protected rows" in str(report)
        else:
            found = {one["name"]: abs(one["to"] - one["from"]) for one in repair["moves"]}
            assert found == pytest.approx(moves)
    words = "protect: no row has the name c, such as a"
    refused(rp.OptionError, words, rp.analyze, model, protect=["c"])
    # a name with a comma, as JuMP writes c[1,2] into an .lp file
    path = tmp_path / "names.lp"
    path.write_text("min\n o: x\nst\n c_1,2_: x >= 8\n c_1,3_: x <= 5.5\nend\n")
    repair = rp.analyze(path, protect="c_1,2_")["conflict"]["repair"]
    assert [one["name"] for one in repair["moves"]] == ["c_1,3_"]


@pytest.mark.parametrize(("amount", "to"), [(8.0 - 1.6e-15, "0"), (2.0 / 3.0, "7.333333333")])
def test_a_repair_is_rounded_outwards(amount, to, monkeypatch) -> None:
    """Without the solver's rounding, and no less than the move."""
    model = small_model(row=lambda m: m.x >= 8, x=(0, 5))
    moves = [(Condition("row", 0, "lower"), amount)], True
    monkeypatch.setattr(module, "least_repair", lambda *_: moves)
    report = rp.analyze(model)
    assert f": row >= 8 to {to}\n" in f"{report}\n"
    assert report["conflict"]["repair"]["moves"][0]["to"] <= 8.0 - amount
