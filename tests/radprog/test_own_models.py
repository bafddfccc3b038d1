"""``rp.solve`` of any Pyomo model: values in its own sense, whatever its class."""

import json
import math
import time

import numpy as np
import pyomo.environ as pyo
import pytest
from effort import seeds
from refusals import refused
from small_models import small_model

import radprog as rp
from radprog.solvers.questions import conflict


def plan(sense=pyo.maximize) -> pyo.ConcreteModel:
    """max 3x + 2y, x + y <= 4, x + 3y <= 7, x <= 3: 11 at (3, 1); or the same as a minimisation."""
    model = small_model(x=(0, 3), y=(0, None))
    model.both = pyo.Constraint(expr=model.x + model.y <= 4)
    model.wide = pyo.Constraint(expr=model.x + 3 * model.y <= 7)
    model.gain = pyo.Objective(expr=sense * -(3 * model.x + 2 * model.y), sense=sense)
    return model


def disc() -> pyo.ConcreteModel:
    """max x + y over a disc: 2."""
    row = lambda m: m.x**2 + m.y**2 <= 2  # noqa: E731
    return small_model(lambda m: m.x + m.y, row, sense=pyo.maximize, x=(None, None), y=(None, None))


@pytest.mark.parametrize("solver", [None, "highs", "scip"])
def test_a_maximised_model_is_told_as_one(solver) -> None:
    model = plan()
    found = rp.solve(model, solver)
    assert (found.objective, found.bound, pyo.value(model.gain)) == pytest.approx((11.0,) * 3)
    assert found.row_duals.tolist() == pytest.approx([2.0, 0.0])
    assert found.reduced_costs.tolist() == pytest.approx([1.0, 0.0])
    assert model.dual[model.both] == pytest.approx(2.0)


def test_nonlinear_rows_go_to_ipopt() -> None:
    model = small_model(
        lambda m: 3 * m.x, lambda m: pyo.exp(m.x) <= 5, sense=pyo.maximize, x=(0.1, 10, 1.0)
    )
    found = rp.solve(model)
    assert (found.solver, found.status, found.claimed_optimal) == ("ipopt", "feasible", True)
    assert found.objective == pytest.approx(3 * math.log(5), rel=1e-6)
    assert found.row_duals.tolist() == pytest.approx([3 / 5], rel=1e-4)
    assert model.dual[model.row] == pytest.approx(3 / 5, rel=1e-4)
    assert "local" in found.message


@pytest.mark.parametrize("sense", [pyo.maximize, pyo.minimize])
def test_prices_and_ranges_are_in_its_sense(sense) -> None:
    sign, report = -sense, rp.analyze(plan(sense))
    page = report._repr_html_()
    assert page.startswith("<pre>own model: LP with 2 rows, 2 columns, 4 nonzeros, solver highs")
    assert "binding rows" in page
    assert f"status     optimal: objective {sign * 11}," in repr(report)
    assert (report["data"], report["form"], report["status"]) == (None, None, "optimal")
    (both, wide), (x, _) = report["rows"], report["columns"]
    assert (both["binding"], both["price"]) == ("upper", pytest.approx(sign * 2.0))
    assert both["range"] == pytest.approx([3.0, 13 / 3])
    assert both["objective_at_ends"] == pytest.approx([sign * 9.0, sign * (11 + 2 / 3)])
    assert (wide["binding"], wide["price"], wide["slack"]) == (None, 0.0, pytest.approx(1.0))
    assert (x["cost"], x["reduced_cost"]) == pytest.approx((sign * 3.0, sign * 1.0))
    assert x["cost_range"] == ([pytest.approx(2.0), None] if sign > 0 else [None, -2.0])


@pytest.mark.parametrize("sense", [pyo.maximize, pyo.minimize])
def test_an_exported_file_says_that_it_minimises(tmp_path, sense) -> None:
    for suffix in ("mps", "lp", "nl"):
        names = rp.export(plan(sense), tmp_path / f"p.{suffix}", expected=-11.0)
        assert json.loads((tmp_path / f"p.{suffix}.names.json").read_text()) == names
        turned = sense == pyo.maximize and suffix != "nl"
        assert ("objective is -1 times the file's, which minimises" in str(names)) == turned
        assert ("expected objective -11, 11 in the model" in str(names)) == turned
        assert "2 rows and 2 columns" in repr(names)
        assert "constant" not in str(names)


@pytest.mark.parametrize("sense", [pyo.maximize, pyo.minimize])
def test_an_export_says_what_the_file_has_otherwise(tmp_path, sense) -> None:
    model = pyo.ConcreteModel()
    model.p = pyo.Var([1, 2], [3], bounds=(0, 5))
    model.gain = pyo.Objective(expr=10 - 3 * sense * model.p[1, 3], sense=sense)
    model.scaling_factor = pyo.Suffix(direction=pyo.Suffix.EXPORT)
    model.scaling_factor[model.gain] = 0.5
    names = rp.export(model, tmp_path / "p.lp")
    turned = ", which minimises" * (sense == pyo.maximize)
    words = f"the model's objective is {2 * sense} times the file's{turned}; its constant is the "
    words += "cost of objective_constant, fixed at 1; p[1,3] is named p(1.3)"
    assert str(names).splitlines()[1:] == [words]
    # as another solver reads it
    answer = rp.solve(tmp_path / "p.lp")
    assert 2 * sense * answer.objective == pytest.approx(10 - 15 * sense)
    assert answer.x[2] == 1.0
    model.scaling_factor[model.p[1, 3]] = 4.0
    assert "column_scale of names.json" in str(rp.export(model, tmp_path / "p.lp"))


def test_fixed_variables_and_conflicts_of_a_model() -> None:
    model = plan()
    model.y.fix(0)
    assert rp.analyze(model)["objective"] == pytest.approx(9.0)
    model.y.unfix()
    model.more = pyo.Constraint(expr=model.x + model.y >= 5)
    found = rp.analyze(model)
    assert found["status"] == "infeasible"
    assert {c["name"] for c in found["conflict"]["conditions"]} == {"both", "more"}
    refused(rp.OptionError, "is complete", rp.analyze, model, form="dual")
    refused(rp.OptionError, "colour", rp.analyze, model, colour=1)


def test_a_repair_has_the_time_that_the_conflict_left(monkeypatch) -> None:
    model, limits = plan(), []
    model.more = pyo.Constraint(expr=model.x + model.y >= 5)
    for name in ("find_conflict", "least_repair"):
        search = getattr(conflict, name)

        def slow(program, settings, *rows, search=search):
            limits.append(settings.time_limit)
            time.sleep(0.2)
            return search(program, settings, *rows)

        monkeypatch.setattr(conflict, name, slow)
    assert rp.analyze(model, time_limit=9.0)["conflict"]["repair"]["proved"]
    first, second = limits
    assert second <= first - 0.2


def test_the_least_move_of_a_side_ends_the_conflict() -> None:
    """x + y >= 5 and x + 2 y <= 3 for x <= 2, y >= 0: each side alone, others as they are."""
    model = small_model(lambda m: m.x, x=(0, 2), y=(0, None))
    model.need = pyo.Constraint(expr=model.x + model.y >= 5)
    model.room = pyo.Constraint(expr=model.x + 2 * model.y <= 3)
    report = rp.analyze(model)
    least = {c["name"]: c["least_move"] for c in report["conflict"]["conditions"]}
    assert least == pytest.approx({"need": 2.5, "room": 5.0, "x": 5.0})
    words = "add up to 0 >= 1, also if one side alone moves by less than its least move"
    assert words in str(report)


def solved_at(model, row, to: float):
    """The answer where the binding side of a row, or both of an equation, is another number."""
    part = model.find_component(row["name"])
    ends = part.lower, part.body, part.upper
    side = row["binding"]
    part.set_value(
        (ends[0] if side == "upper" else to, part.body, ends[2] if side == "lower" else to)
    )
    answer = rp.solve(model)
    part.set_value(ends)
    return answer


def side_of(row) -> float:
    return row["upper" if row["binding"] == "upper" else "lower"]


@pytest.mark.parametrize("seed", seeds(40))
def test_every_range_holds_also_of_basic_rows(seed) -> None:
    """Programs of small integers, often degenerate, solved again at and between the ends."""
    rng = np.random.default_rng(seed)
    n, m = rng.integers(2, 5, 2)
    matrix = rng.integers(-2, 3, (m, n)) + np.eye(m, n) * 3
    activity = matrix @ rng.integers(0, 3, n)
    lower = activity - rng.integers(0, 2, m)
    upper = activity + rng.choice([0.0, 1.0, np.inf], m)
    cost, sense = rng.integers(-1, 4, n), int(rng.choice([1, -1]))
    model = pyo.ConcreteModel()
    model.x = pyo.Var(range(n), bounds=(0, 3))
    x = np.array(list(model.x.values()))
    model.row = pyo.Constraint(range(m), rule=lambda _, i: (lower[i], (matrix @ x)[i], upper[i]))
    model.total = pyo.Objective(expr=sense * (cost @ x), sense=sense)
    report = rp.analyze(model)
    assert report["status"] == "optimal"
    for row in report["rows"]:
        assert (row["range"] is None) == (row["binding"] is None)
        if row["binding"] is None:
            continue
        bound = side_of(row)
        low = bound - 9.0 if row["range"][0] is None else row["range"][0]
        high = bound + 9.0 if row["range"][1] is None else row["range"][1]
        assert low - 1e-9 <= bound <= high + 1e-9
        for to in (low, (low + high) / 2, high):
            formula = report["objective"] + row["price"] * (to - bound)
            assert solved_at(model, row, to).objective == pytest.approx(formula, abs=1e-7)
    assert ("one of many" in str(report)) == bool(report["basis"]["degenerate"])


@pytest.mark.parametrize("sense", [pyo.maximize, pyo.minimize])
@pytest.mark.parametrize("solver", ["rp", "appsi_highs", "highs"])
def test_a_model_that_others_solved_is_certified(solver, sense) -> None:
    model = plan(sense)
    model.dual = pyo.Suffix(direction=pyo.Suffix.IMPORT)
    rp.solve(model) if solver == "rp" else pyo.SolverFactory(solver).solve(model)
    found = rp.certify(model)
    assert found.certified
    assert (found.objective, found.bound) == pytest.approx((-sense * 11.0, -sense * 11.0))
    assert found.violation <= 1e-9
    model.dual[model.both] = 1.5 * model.dual[model.both]  # weaker, and still a bound
    weaker = rp.certify(model)
    assert not weaker.certified
    assert -sense * (weaker.bound - found.bound) > 0.1
    model.x.set_value(3.5, skip_validation=True)  # outside its bounds: no certificate
    assert rp.certify(model).violation == pytest.approx(0.5)
    exact = {model.both: model.dual[model.both] / 1.5}
    assert rp.certify(model, multipliers=exact).bound == pytest.approx(found.bound)
    assert rp.certify(model).certified_by is None


def test_what_is_not_certified_or_written_is_refused(tmp_path) -> None:
    model = plan()
    refused(rp.OptionError, r"x has no value: .* rp.analyze", rp.certify, model)
    model.x.value = model.y.value = 1.0
    model.x.domain = pyo.Integers
    relaxed = rp.certify(model)  # integers are bounded by the linear relaxation
    assert (relaxed.status, relaxed.certified) == ("feasible", False)
    curved = disc()
    curved.goal.set_value(curved.x * curved.y + curved.x**2)
    with pytest.raises(rp.ConvexityError):
        rp.certify(curved)
    curved.goal.set_value(pyo.exp(curved.x))
    refused(rp.CapabilityError, "neither linear nor quadratic", rp.certify, curved)
    refused(rp.CapabilityError, "neither linear nor quadratic", rp.analyze, curved)
    for suffix in ("lp", "mps.gz"):
        words, path = r"goal is neither .*: choose \.nl", tmp_path / f"p.{suffix}"
        refused(rp.CapabilityError, words, rp.export, curved, path)
    assert list(tmp_path.iterdir()) == []
    assert rp.export(curved, tmp_path / "p.nl")["class"] == "NLP"


def test_a_solve_without_a_solution_leaves_nothing_to_certify() -> None:
    """The multipliers of an earlier solve would tell of another program."""
    model = plan()
    rp.solve(model)
    model.more = pyo.Constraint(expr=model.x + model.y >= 5)
    assert rp.solve(model).status == "infeasible"
    assert len(model.dual) == len(model.rc) == 0
    assert model.x.value == pytest.approx(3.0)  # a start is kept
    found = rp.certify(model)  # the start violates the new row
    assert (found.status, found.violated[0][0]) == ("violated", "more")
    empty = rp.analyze(model)
    assert repr(empty).endswith("; status     infeasible>")
    assert "conflict" in str(empty)
