"""Column generation for a user's own program."""

import itertools
from dataclasses import replace
from functools import partial

import numpy as np
import pyomo.environ as pyo
import pytest
from effort import seeds
from own_programs import Assignment, CuttingStock
from processes import PATIENCE
from refusals import refused
from scipy.optimize import linprog
from small_models import small_model

import radprog as rp
from radprog.decompositions.own.columns import (
    Column,
    Columns,
    Multipliers,
    PricedColumns,
    PricingModel,
)
from radprog.decompositions.own.pricing import ModelPricer
from radprog.solvers.registry import solve_model

#: Widths and demands of the textbook case of Gilmore and Gomory's method: 48.5 rolls, 49 whole.
CLASSIC = CuttingStock(100, [45, 36, 31, 14], [97, 610, 395, 211])
SQUARED = small_model(lambda m: m.x**2, x=(0, 1))


def random_columns(seed: int, rows: int = 6, columns: int = 40) -> tuple:
    """min c'x, b <= A x <= b + 1 with x in [0, u]: some rows equalities, some of one side."""
    rng = np.random.default_rng(seed)
    matrix = rng.integers(-1, 4, size=(rows, columns)).astype(float)
    cost = rng.uniform(1.0, 5.0, size=columns)
    right = matrix @ (rng.random(columns) * (rng.random(columns) < 0.3))
    return matrix, cost, right, rng.choice([0.0, 1.0, np.inf], size=rows)


def listed(seed: int, sense: int) -> tuple:
    """A master without columns, a pricer that searches a list, and the optimum by linprog."""
    matrix, cost, right, width = random_columns(seed)
    rows, columns = matrix.shape
    model = pyo.ConcreteModel()
    model.zero = pyo.Var(bounds=(0, 0))
    ends = [None if w == np.inf else b + w for b, w in zip(right, width, strict=True)]
    model.row = pyo.Constraint(range(rows), rule=lambda m, i: (right[i], m.zero, ends[i]))
    model.value = pyo.Objective(expr=0.5 + model.zero, sense=sense)

    def price(multipliers) -> PricedColumns:
        pi = np.array([multipliers[model.row[i]] for i in range(rows)])
        reduced = sense * (sense * cost - pi @ matrix)
        best = int(reduced.argmin())
        parts = {model.row[i]: matrix[i, best] for i in range(rows)}
        column = Column(sense * cost[best], parts, upper=10.0)
        return PricedColumns([column], sense * min(0.0, reduced[best]), 10.0 * columns)

    finite = np.isfinite(width) & (width > 0)
    sides = {"A_eq": matrix[width == 0], "b_eq": right[width == 0]}
    above = np.vstack([-matrix[width > 0], matrix[finite]])
    limits = np.concatenate([-right[width > 0], (right + width)[finite]])
    found = linprog(cost, A_ub=above, b_ub=limits, bounds=(0, 10), **sides)
    return model, price, sense * float(found.fun) + 0.5


@pytest.mark.parametrize("sense", [1, -1])
@pytest.mark.parametrize("seed", seeds(40, quick=5))
def test_random_programs_end_at_their_optimum(seed: int, sense: int) -> None:
    """That of linprog; bounds only improve and never pass it; a column in use prices at 0."""
    model, price, optimum = listed(seed, sense)
    run = rp.column_generation(model, price)
    assert run.certified, run.message
    assert run.objective == pytest.approx(optimum, rel=1e-6)
    bounds = [record.bound for record in run.trace if record.bound is not None]
    assert all(sense * (bound - optimum) <= 1e-6 * abs(optimum) for bound in bounds)
    assert sorted(bounds, reverse=sense < 0) == bounds
    assert sense * solve_model(run.model()).objective == pytest.approx(run.objective, rel=1e-6)
    assert abs(run.multipliers.reduced_cost(run.columns[int(np.argmax(run.values))])) <= 1e-6


@pytest.mark.parametrize("sense", [1, -1])
def test_the_rule_of_the_user_has_the_trace_of_the_run(sense: int) -> None:
    """It is called from the first record on, in the model's sense, and its error names it."""
    model, price, _ = listed(1, sense)
    seen = []
    run = rp.column_generation(model, price, stop=lambda trace: seen.append([*trace]))
    assert len(run.trace) > 1
    assert all(trace == [*run.trace[: len(trace)]] and trace for trace in seen)
    with pytest.raises(rp.StoppedError, match=r"^the function `stop` failed: ZeroDiv") as error:
        rp.column_generation(model, price, stop=lambda trace: 1 / 0)
    assert error.value.run.trace[0].objective == run.trace[0].objective


@pytest.mark.thorough
@pytest.mark.cases(3)
@pytest.mark.parametrize("case", [CLASSIC, CuttingStock.random(0)])
@pytest.mark.parametrize("how", ["knapsack", "pricing_model"])
@pytest.mark.parametrize("first", [True, False])
def test_cutting_stock(case: CuttingStock, how: str, first: bool) -> None:
    """Whole rolls are at most one above the bound rounded up; the textbook's numbers."""
    master = case.master(first=first)
    run = rp.column_generation(master, getattr(case, how)(master))
    assert (run.certified, run.relaxed, "relaxed" in run.message) == (True, True, True)
    # the copy is relaxed as the run is, and the master stays as it was
    assert solve_model(run.model()).objective == pytest.approx(run.objective, rel=1e-6)
    assert not first or master.rolls[0].is_integer()
    rounded = run.round(time_limit=PATIENCE)
    assert rounded.objective - np.ceil(run.objective - 1e-6) <= 1.0
    assert run.model(integers=True).rolls[0].is_integer()
    assert run.model(integers=True).generated[0].is_integer()
    assert rounded.gap >= 0.0
    assert sum(c.cost * times for c, times in rounded.chosen) <= rounded.objective + 1e-6
    assert all(times >= 1.0 and times == round(times) for _, times in rounded.chosen)
    if case is CLASSIC:
        assert run.objective == pytest.approx(452.25)
        assert (rounded.objective, rounded.status) == (453.0, "feasible")
        assert "the bound leaves a gap" in rounded.message
        whole = run.round(time_limit=PATIENCE, whole_objective=True)
        assert (whole.bound, whole.status, whole.message) == (453.0, "optimal", "")
        assert repr(whole).startswith("<Rounded optimal: objective 453, bound 453, gap 0.0e+00, ")


@pytest.mark.parametrize("sense", [1, -1])
def test_a_bound_of_whole_objectives_is_rounded(sense: int) -> None:
    """Half a column of three pairs each cover three rows: 1.5 by the linear program, 2 whole."""
    model = small_model(lambda m: m.none, sense=sense, none=(0, 0))
    model.row = pyo.Constraint(range(3), rule=lambda m, i: m.none >= 1)
    pairs = [(0, 1), (1, 2), (0, 2)]
    columns = [Column(sense, {model.row[i]: 1.0 for i in pair}) for pair in pairs]

    def price(multipliers: Multipliers) -> PricedColumns:
        best = min(columns, key=lambda c: sense * multipliers.reduced_cost(c))
        return PricedColumns([best], multipliers.reduced_cost(best), 3.0)

    run = rp.column_generation(model, price)
    assert run.bound == pytest.approx(1.5 * sense)
    found, whole = run.round(), run.round(whole_objective=True)
    assert (found.status, whole.status) == ("feasible", "optimal")
    assert found.objective == whole.objective == whole.bound == 2.0 * sense
    assert replace(found, tolerances=(0.3, 0.0)).status == "optimal"  # 0.25, of either sense
    assert ("leaves a gap" in found.message, whole.message) == (True, "")
    cut = rp.column_generation(model, lambda y: [Column(sense, {model.row[0]: 1.0})])
    assert cut.round().objective is None
    assert "highs has no point of the generated columns: " in cut.round().message


@pytest.mark.parametrize("returned", [True, False])
@pytest.mark.parametrize(("seed", "stabilise"), [(4, None), (0, 0.8)])
def test_a_best_reduced_cost_above_0_is_no_contradiction(seed, stabilise, returned) -> None:
    """Machines that may stay idle (rows <= 1), asked at multipliers that are not the master's."""
    case, above = Assignment.random(seed), list[float]()
    master = case.master(all_jobs=True)
    master.profit.sense = pyo.minimize

    def pricer(listed):
        def price(multipliers: Multipliers) -> PricedColumns:
            found = listed(multipliers)
            if found.reduced_cost <= 1e-3:
                return found
            above.append(found.reduced_cost)
            return found if returned else replace(found, columns=())

        return price

    pricers = case.listed(master)
    how = {} if stabilise is None else {"stabilise": stabilise}
    run = rp.column_generation(master, [pricer(listed) for listed in pricers], **how)
    assert above
    assert run.certified, run.message
    plain = rp.column_generation(master, pricers, stabilise=0.0)
    assert run.objective == pytest.approx(plain.objective, rel=1e-6)


def test_rounding_at_dear_artificial_columns_is_no_contradiction() -> None:
    """No plan does all jobs: multipliers of 1e11, reduced costs of 1e-6."""
    case = Assignment.random(7, 3, 8)
    master = case.master(all_jobs=True)
    master.profit.sense = pyo.minimize
    run = rp.column_generation(master, case.listed(master))
    assert run.status == "infeasible", run.message
    assert solve_model(case.whole(all_jobs=True)).claim == "infeasible"


def test_a_limit_keeps_point_and_bound() -> None:
    """Twelve rounds are too few: value and bound enclose the optimum. An interrupt in the eighth
    leaves the trace of seven."""
    case, calls = CuttingStock.random(0), itertools.count(1)
    master = case.master()

    def interrupted(multipliers) -> PricedColumns:
        if next(calls) == 8:
            raise KeyboardInterrupt
        return case.knapsack(master)(multipliers)

    early = rp.column_generation(master, interrupted)
    assert (early.reason, len(early.trace)) == ("interrupt", 7)
    assert None not in (early.objective, early.bound)
    run = rp.column_generation(master, case.knapsack(master), max_iter=12)
    best = rp.column_generation(master, case.knapsack(master))
    assert (run.reason, run.status) == ("max_iter", "feasible")
    assert run.bound <= best.objective <= run.objective
    assert master.component("generated") is None


def test_a_master_whose_rows_hold_a_fixed_variable_alone() -> None:
    case, master = CLASSIC, small_model(lambda m: m.none, none=(None, None, 0.0))
    master.none.fix()
    master.item = pyo.RangeSet(0, 3)
    master.demand = pyo.Constraint(range(4), rule=lambda m, i: m.none >= case.demands[i])
    run = rp.column_generation(master, case.knapsack(master))
    assert run.certified
    assert run.objective == pytest.approx(452.25)
    assert solve_model(run.model()).objective == pytest.approx(452.25)


@pytest.mark.parametrize(
    ("bounds", "foreign", "words"),
    [
        ((0, None), False, "pricer 1: the pricing model has no optimum, highs says unbounded"),
        ((0, 1), True, r"pricer 1: the coefficient in demand\[0\] uses rolls\[0\]"),
    ],
)
def test_pricing_models_without_an_answer(bounds, foreign: bool, words: str) -> None:
    master, pattern = CLASSIC.master(), pyo.ConcreteModel()
    pattern.cuts = pyo.Var(range(4), bounds=bounds)
    cuts = master.rolls if foreign else pattern.cuts
    price = PricingModel(pattern, 1.0, {master.demand[i]: cuts[i] for i in range(4)}, count=9)
    with pytest.raises(rp.StoppedError, match=words) as stopped:
        rp.column_generation(master, price)
    assert stopped.value.run.objective is not None
    assert stopped.value.exit_code == 3  # the solver of the pricing model


@pytest.mark.parametrize("part", ["cost of a pricing model", r"coefficient in demand\[0\]"])
def test_pricing_models_have_linear_parts(part: str) -> None:
    master, pattern = CLASSIC.master(), pyo.ConcreteModel()
    pattern.x = pyo.Var(bounds=(0, 1))
    cost, cut = (pattern.x if word in part else pattern.x**2 for word in ("coefficient", "cost"))
    price = PricingModel(pattern, cost, {master.demand[0]: cut}, count=9)
    with pytest.raises(rp.CapabilityError, match=f"the {part} is quadratic: expected a linear one"):
        rp.column_generation(master, price)


def test_units_of_a_pricing_model_change_no_column() -> None:
    case = CuttingStock(9, [3, 5], [4, 5])
    master = case.master()
    price = case.pricing_model(master)
    price.model.scaling_factor = pyo.Suffix(direction=pyo.Suffix.EXPORT)
    for variable in price.model.component_data_objects(pyo.Var):
        price.model.scaling_factor[variable] = 4.0
    plain = rp.column_generation(master, case.pricing_model(master))
    run = rp.column_generation(master, price)
    assert run.certified
    assert run.objective == pytest.approx(plain.objective)


def test_the_bound_of_a_search_that_a_limit_ended_is_no_false_claim(monkeypatch) -> None:
    """A pricing model may know less than its columns show; a function may not."""
    case = CuttingStock(9, [3, 5], [4, 5])
    master = case.master()
    plain, real = rp.column_generation(master, case.pricing_model(master)), ModelPricer.__call__

    def cut_off(*given) -> PricedColumns:
        answer = real(*given)
        return replace(answer, reduced_cost=(answer.reduced_cost or 0.0) - 4.0)

    monkeypatch.setattr(ModelPricer, "__call__", cut_off)
    run = rp.column_generation(master, case.pricing_model(master))
    assert run.objective == pytest.approx(plain.objective)
    assert run.bound < plain.bound - 1.0
    assert run.status.value == "feasible"


def answers(case: CuttingStock, master: pyo.ConcreteModel) -> dict:
    """Wrong answers of a pricer, and what is said of them."""
    row, far = master.demand[0], case.master().demand[0]
    master.rest = pyo.Constraint(expr=master.rolls[0] <= 1)
    master.rest.deactivate()
    return {
        "another model": (lambda _: [Column(1.0, {far: 1.0})], "not an active constraint"),
        "at rest": (lambda _: [Column(1.0, {master.rest: 1.0})], "rest is not an active .*ter$"),
        "a whole component": (lambda _: [Column(1.0, {master.demand: 1.0})], "one by one"),
        "nan": (lambda _: [Column(1.0, {row: float("nan")})], "coefficient of nan"),
        "cost": (lambda _: [Column(float("inf"), {row: 1.0})], "cost of inf"),
        "bounds": (lambda _: [Column(1.0, {row: 1.0}, upper=-1.0)], "bounds 0.0, -1.0"),
        "no column": (lambda _: [3], "expected rp.Column"),
        "no answer": (lambda _: 3, "expected columns or rp.PricedColumns"),
        "nothing": (lambda _: None, r"pricer 1 gave None, expected columns or .* \[\] where"),
        "says so": (
            lambda _: PricedColumns([Column(9.0, {row: 1.0})], reduced_cost=-3.0, count=1.0),
            "none that it returned improves",
        ),
        "worse than said": (
            lambda _: PricedColumns([Column(-9.0, {row: 1.0})], reduced_cost=-1.0, count=1.0),
            "but a column that it returned has",
        ),
        "crash": (lambda _: [][0], "IndexError"),
        "count": (lambda _: PricedColumns(reduced_cost=-1.0, count=-5.0), "count of -5"),
        "bound": (lambda _: PricedColumns(bound=1e9), "a bound of 1000000000, beyond the value"),
    }


@pytest.mark.parametrize("kind", sorted(answers(CLASSIC, CLASSIC.master())))
def test_nonsense_is_named_and_what_was_found_is_kept(kind: str) -> None:
    master = CLASSIC.master()
    right, wrong = CLASSIC.knapsack(master), answers(CLASSIC, master)[kind]
    asked = []

    def price(multipliers):
        asked.append(1)
        return right(multipliers) if len(asked) < 3 else wrong[0](multipliers)

    with pytest.raises(rp.StoppedError, match=wrong[1]) as stopped:
        rp.column_generation(master, price)
    assert isinstance(stopped.value.run, rp.ColumnRun)
    assert stopped.value.run.objective is not None
    assert len(stopped.value.run.trace) == 2


def no_columns(multipliers) -> list:
    return []


@pytest.mark.parametrize(
    ("call", "words"),
    [
        *((partial(rp.column_generation, CLASSIC.master(), no_columns, **settings), words)
          for settings, words in (
              ({"stabilise": 1.0}, "expected a number in"),
              ({"stabilise": "much"}, "stabilise 'much': expected a number in"),
              ({"solver": "scip"}, "gives no duals"),
          )),
        (partial(rp.column_generation, CLASSIC.master(), []), "at least one pricer"),
        (partial(rp.column_generation, CLASSIC.master(), 3), "functions or rp.PricingModel"),
        *((partial(method, *given), "expected a Pyomo ConcreteModel") for method, *given in (
            (rp.column_generation, "master", no_columns), (rp.cutting_planes, None, no_columns),
            (rp.dca, 3), (rp.alternate, [], []))),
        (partial(rp.column_generation, SQUARED, no_columns), "needs a linear program"),
        (partial(rp.cutting_planes, SQUARED, no_columns), "need a linear program"),
        *((partial(Column, 1.0, {}, lower=low), "expected 0") for low in (-3, -np.inf, 1)),
    ],
)  # fmt: skip
def test_refused(call, words: str) -> None:
    refused((rp.OptionError, rp.CapabilityError), words, call)


@pytest.mark.parametrize("said", [None, -1e6, -5.0, 0.0])
def test_no_column_is_a_proof_only_where_none_prices_below_0(said: float | None) -> None:
    """A pricer that finds nothing, or says that more is to be found, at multipliers of 1e11."""
    run = rp.column_generation(sides(1.0), lambda y: PricedColumns([], reduced_cost=said))
    assert (run.status, run.objective) == ("infeasible" if said == 0.0 else "limit", None)
    assert ("no pricer proves that there is none" in run.message) == (said != 0.0)


def sides(*lower: float | None, upper: float | None = None) -> pyo.ConcreteModel:
    """A master without columns: rows lower <= 0 <= upper."""
    model = small_model(lambda m: m.zero, zero=(0, 0))
    model.row = pyo.Constraint(range(len(lower)), rule=lambda m, i: (lower[i], m.zero, upper))
    return model


def best_of(columns: list[Column], count: float | None, *, again: bool = True):
    """An exact pricer over a list; unless ``again`` it leaves out what it has returned."""
    returned: set[int] = set()

    def price(multipliers: Multipliers) -> PricedColumns:
        left = [j for j in range(len(columns)) if again or j not in returned]
        if not left:
            return PricedColumns([], 0.0, count)
        best = min(left, key=lambda j: multipliers.reduced_cost(columns[j]))
        returned.add(best)
        return PricedColumns([columns[best]], multipliers.reduced_cost(columns[best]), count)

    return price


@pytest.mark.parametrize(("lower", "costs"), [((1.0, 2e6), (50.0, 1.0)), ((1e9,), (1.0,))])
def test_rows_beside_large_values(lower: tuple[float, ...], costs: tuple[float, ...]) -> None:
    """One unit at 50 is missing beside 2e6 at 1, within 1e-6 of the largest value; 1e9 is no
    ray."""
    model = sides(*lower)
    columns = [Column(c, {model.row[i]: 1.0}) for i, c in enumerate(costs)]
    run = rp.column_generation(model, best_of(columns, 2 * sum(lower)))
    assert run.certified
    assert run.objective == pytest.approx(np.dot(costs, lower))


@pytest.mark.parametrize("cost", [1e3, 1e9])
def test_a_column_that_is_dearer_than_any_penalty(cost: float) -> None:
    """The pricer hands it over only where it improves."""
    model = sides(1.0)

    def price(multipliers: Multipliers) -> PricedColumns:
        column = Column(cost, {model.row[0]: 1.0})
        least = multipliers.reduced_cost(column)
        return PricedColumns([column] if least < 0 else [], least, 2.0)

    run = rp.column_generation(model, price)
    assert run.certified
    assert run.objective == pytest.approx(cost)


def test_infeasible_is_proved_or_not_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """x >= 1 with a column of coefficient -1; a pricer that fails at large multipliers."""
    model = sides(1.0)
    run = rp.column_generation(model, best_of([Column(1.0, {model.row[0]: -1.0})], 5.0))
    assert run.status == "infeasible"
    assert run.bound >= 1e20

    def price(multipliers: Multipliers) -> PricedColumns:
        if multipliers[model.row[0]] > 1e6:
            raise OverflowError("too large")
        return PricedColumns([], 0.0, 5.0)

    with pytest.raises(rp.StoppedError, match="pricer 1 failed: OverflowError: too large"):
        rp.column_generation(model, price)
    # a solver that fails there proves nothing

    def fails(self, multipliers: Multipliers, *given) -> PricedColumns:
        if multipliers[model.row[0]] > 1e6:
            raise rp.SolverError("too large")
        return PricedColumns([], 0.0, 5.0)

    monkeypatch.setattr(ModelPricer, "__call__", fails)
    run = rp.column_generation(model, PricingModel(pyo.ConcreteModel(), 1.0, {}))
    assert run.status == "limit"
    assert "no pricer proves that there is none: pricer 1: too large" in run.message


def test_unbounded_needs_a_ray_and_no_bound_against_it() -> None:
    free = small_model(lambda m: m.x, lambda m: m.x <= 1, x=(None, None))
    assert rp.column_generation(free, no_columns).status == "unbounded"
    model = sides(None, upper=5.0)
    columns = [Column(-1.0, {model.row[0]: -1.0}), Column(-1.0, {})]
    for column in columns:
        assert rp.column_generation(model, best_of([column], None)).status == "unbounded"
    with pytest.raises(rp.StoppedError, match="unbounded, against the bound -3"):
        rp.column_generation(model, best_of(columns, 3.0))


def trucks(**kinds) -> tuple[pyo.ConcreteModel, list[Column]]:
    """Two loads by a dear variable, or by columns of one unit each."""
    model = small_model(lambda m: 50 * m.dear, lambda m: m.dear >= 2, dear=(0, None))
    (name, values) = next(iter(kinds.items())) if kinds else ("name", [None])
    return model, [Column(1.0, {model.row: 1.0}, upper=1.0, **{name: v}) for v in values]


@pytest.mark.parametrize(
    "kinds", [{"name": ["a", "b"]}, {"payload": [np.zeros(2), np.ones(2)]}, {"payload": [{1}, {2}]}]
)
@pytest.mark.parametrize("again", [True, False])
def test_columns_of_equal_numbers_and_other_names_are_two(kinds, again: bool) -> None:
    model, columns = trucks(**kinds)
    if again:
        run = rp.column_generation(model, lambda y: PricedColumns(columns, 1.0 - y[model.row], 2.0))
    else:
        run = rp.column_generation(model, best_of(columns, 2.0, again=False))
    assert run.certified
    assert run.objective == pytest.approx(2.0)
    assert len(run.columns) == 2
    chosen = [(column.name, column.payload, times) for column, times in run.round().chosen]
    assert chosen == [(column.name, column.payload, 1.0) for column in run.columns]


def test_the_best_column_may_be_at_its_upper_bound_already() -> None:
    """An honest pricer returns it for ever; with its count of 1 the bound is met all the same."""
    model, columns = trucks()
    run = rp.column_generation(model, best_of(columns, 1.0))
    assert run.certified
    assert run.objective == pytest.approx(51.0)
    assert run.round().status == "optimal"
    weaker = rp.column_generation(model, best_of(columns, 3.0))
    assert weaker.status == "feasible"
    assert weaker.bound < 51.0


@pytest.mark.parametrize("settings", [{"stabilise": 0.8}, {}])
@pytest.mark.parametrize("seed", range(4))
def test_a_pricer_may_leave_out_what_it_has_returned(settings, seed: int) -> None:
    model, _, optimum = listed(seed, 1)
    matrix, cost, *_ = random_columns(seed)
    rows = range(len(matrix))
    columns = [
        Column(cost[j], {model.row[i]: matrix[i, j] for i in rows}, upper=10.0)
        for j in range(len(cost))
    ]
    run = rp.column_generation(model, best_of(columns, 400.0, again=False), **settings)
    assert run.bound <= optimum + 1e-6 * abs(optimum)
    assert run.certified
    assert run.objective == pytest.approx(optimum, rel=1e-6)
    # the multipliers are those of the bound: no reduced cost of a pricer improves at them
    reduced = np.array([run.multipliers.reduced_cost(column) for column in columns])
    rows_at = [run.multipliers[row] for row in model.row.values()]
    assert model.row[0] in run.multipliers
    assert (model.row in run.multipliers, run.multipliers.get(model.row, 7.0)) == (False, 7.0)
    priced = [(y, row) for y, row in zip(rows_at, model.row.values(), strict=True) if y]
    sides_at = [y * (row.lower if y > 0 else row.upper) for y, row in priced]
    proved = 0.5 + sum(sides_at) + 10.0 * np.minimum(reduced, 0.0).sum()
    assert proved == pytest.approx(run.bound, rel=1e-5)


def test_columns_of_the_last_round_are_in_the_model() -> None:
    """After any number of rounds, though the last master was not solved with them."""
    model, price, _ = listed(0, 1)
    for rounds in (1, 2, 3, 4, 5):
        run = rp.column_generation(model, price, max_iter=rounds)
        assert len(run.model().component("generated")) == len(run.columns) == len(run.values)


@pytest.mark.parametrize("sense", [1, -1])
@pytest.mark.parametrize("seed", seeds(20, quick=3))
def test_columns_as_arrays_are_those_of_objects(seed: int, sense: int) -> None:
    """Several a round, again and again: the optimum, and columns that read as objects."""
    model, _, optimum = listed(seed, sense)
    matrix, cost, *_ = random_columns(seed)
    names = np.array([f"column {j}" for j in range(len(cost))])

    def price(multipliers: Multipliers) -> PricedColumns:
        reduced = sense * (sense * cost - multipliers.array @ matrix)
        best = np.argsort(reduced)[:5]
        columns = Columns(sense * cost[best], matrix[:, best], 10.0, payloads=names[best].tolist())
        return PricedColumns(columns, sense * min(0.0, reduced.min()), 10.0 * len(cost))

    run = rp.column_generation(model, price)
    assert run.certified, run.message
    assert run.objective == pytest.approx(optimum, rel=1e-6)
    assert len({column.payload for column in run.columns}) == len(run.columns) == len(run.values)
    for column in run.columns:
        j = names.tolist().index(column.payload)
        assert (column.cost, column.upper) == (sense * cost[j], 10.0)
        entries = [column.coefficients.get(row, 0.0) for row in model.row.values()]
        assert entries == matrix[:, j].tolist()
    assert sense * solve_model(run.model()).objective == pytest.approx(run.objective, rel=1e-6)
    # without a bound, as the bare answer of a pricer
    bare = rp.column_generation(model, lambda y: price(y).columns)
    assert bare.objective == pytest.approx(optimum, rel=1e-6)
    assert "gives no reduced_cost" in bare.message


def test_arrays_that_are_no_columns_are_refused() -> None:
    for arrays, words in (
        ((np.ones(2), np.ones((1, 3))), r"a matrix of shape \(1, 3\)"),
        ((np.ones(2), np.ones((1, 2)), 1.0, [1]), "and 1 payloads"),
        (([1.0, np.nan], np.ones((1, 2))), "expected finite costs"),
        ((np.ones(2), np.ones((1, 2)), [1.0, -1.0]), "upper bounds >= 0, not -1.0"),
        ((["a"], np.ones((1, 1))), "rp.Columns: could not convert"),
    ):
        refused(rp.OptionError, words, Columns, *arrays)
    few = Columns(np.ones(1), np.ones((2, 1)))
    with pytest.raises(rp.StoppedError, match="gave a matrix of 2 rows, expected 1, one for each"):
        rp.column_generation(sides(1.0), lambda y: few)
