"""``rp.solve`` of any Pyomo model: values in its own sense, whatever its class."""

import json
import math
import time
from dataclasses import replace
from typing import Any

import numpy as np
import pyomo.environ as pyo
import pytest
from effort import seeds
from refusals import refused
from small_models import small_model

import radprog as rp
from radprog.analysis import programs
from radprog.solvers.adapters import highs
from radprog.solvers.answer import SolverAnswer, judge
from radprog.solvers.compile import compile_model
from radprog.solvers.program import Program, SolveSettings, Status
from radprog.solvers.questions import conflict


def plan(sense=pyo.maximize) -> pyo.ConcreteModel:
    """max 3x + 2y, x + y <= 4, x + 3y <= 7, x <= 3: 11 at (3, 1); or the same as a minimisation."""
    model = small_model(x=(0, 3), y=(0, None))
    model.both = pyo.Constraint(expr=model.x + model.y <= 4)
    model.wide = pyo.Constraint(expr=model.x + 3 * model.y <= 7)
    model.gain = pyo.Objective(expr=sense * -(3 * model.x + 2 * model.y), sense=sense)
    return model


def knapsack() -> pyo.ConcreteModel:
    """max c'x over a hard knapsack of 30 things."""
    model = pyo.ConcreteModel()
    model.take = pyo.Var(range(30), domain=pyo.Binary)
    size = [1000 + (37 * i * i) % 911 for i in range(30)]
    model.room = pyo.Constraint(
        expr=pyo.quicksum(size[i] * model.take[i] for i in range(30)) <= sum(size) // 2
    )
    worth = [size[i] + (53 * i) % 17 for i in range(30)]
    model.worth = pyo.Objective(
        expr=pyo.quicksum(worth[i] * model.take[i] for i in range(30)), sense=pyo.maximize
    )
    return model


def disc() -> pyo.ConcreteModel:
    """max x + y over a disc: 2."""
    model = pyo.ConcreteModel()
    model.x, model.y = pyo.Var(), pyo.Var()
    model.disc = pyo.Constraint(expr=model.x**2 + model.y**2 <= 2)
    model.goal = pyo.Objective(expr=model.x + model.y, sense=pyo.maximize)
    return model


@pytest.mark.parametrize("solver", [None, "highs", "scip"])
def test_a_maximised_model_is_told_as_one(solver) -> None:
    model = plan()
    found = rp.solve(model, solver)
    assert found.objective == pytest.approx(11.0)
    assert pyo.value(model.gain) == pytest.approx(11.0)
    assert found.bound == pytest.approx(11.0)
    assert found.row_duals.tolist() == pytest.approx([2.0, 0.0])
    assert found.reduced_costs.tolist() == pytest.approx([1.0, 0.0])
    assert model.dual[model.both] == pytest.approx(2.0)


def test_integers_at_a_limit_show_bound_and_gap() -> None:
    model = knapsack()
    best = rp.solve(model)
    assert best.bound == pytest.approx(best.objective, rel=1e-4)
    stopped = rp.solve(model, solver_options={"mip_max_nodes": "1", "mip_rel_gap": "0.0"})
    assert stopped.status == "limit"
    assert stopped.objective <= best.objective + 1e-6
    assert stopped.bound >= best.bound - 1e-3
    assert stopped.gap == pytest.approx((stopped.bound - stopped.objective) / stopped.objective)


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


def priced(report, part, name):
    return next(item for item in report[part] if item["name"] == name)


@pytest.mark.parametrize("sense", [pyo.maximize, pyo.minimize])
def test_prices_and_ranges_are_in_its_sense(sense) -> None:
    sign = -sense
    report = rp.analyze(plan(sense))
    assert report._repr_html_().startswith(
        "<pre>own model: LP with 2 rows, 2 columns, 4 nonzeros, solver highs"
    )
    assert "binding rows" in report._repr_html_()
    assert f"status     optimal: objective {sign * 11}," in repr(report)
    assert report["objective"] == pytest.approx(sign * 11.0)
    assert (report["data"], report["form"], report["status"]) == (None, None, "optimal")
    both, wide = (priced(report, "rows", name) for name in ("both", "wide"))
    assert (both["binding"], both["price"]) == ("upper", pytest.approx(sign * 2.0))
    assert both["range"] == pytest.approx([3.0, 13 / 3])
    assert both["objective_at_ends"] == pytest.approx([sign * 9.0, sign * (11 + 2 / 3)])
    assert (wide["binding"], wide["price"], wide["slack"]) == (None, 0.0, pytest.approx(1.0))
    x = priced(report, "columns", "x")
    assert (x["cost"], x["reduced_cost"]) == pytest.approx((sign * 3.0, sign * 1.0))
    assert x["cost_range"] == ([pytest.approx(2.0), None] if sign > 0 else [None, -2.0])


@pytest.mark.parametrize("sense", [pyo.maximize, pyo.minimize])
def test_an_exported_file_says_that_it_minimises(tmp_path, sense) -> None:
    for suffix in ("mps", "lp", "nl"):
        names = rp.export(plan(sense), tmp_path / f"p.{suffix}", expected=-11.0, sense=float(sense))
        assert json.loads((tmp_path / f"p.{suffix}.names.json").read_text()) == names
        turned = sense == pyo.maximize and suffix != "nl"
        assert ("the model maximises" in repr(names)) == turned
        assert ("expected objective -11, 11 in the model" in str(names)) == turned
        assert "2 rows and 2 columns" in repr(names)


def test_fixed_variables_and_conflicts_of_a_model() -> None:
    model = plan()
    assert rp.analyze(model, fix={"y": 0})["objective"] == pytest.approx(9.0)
    assert not model.y.fixed
    model.more = pyo.Constraint(expr=model.x + model.y >= 5)
    found = rp.analyze(model)
    assert found["status"] == "infeasible"
    assert {c["name"] for c in found["conflict"]["conditions"]} == {"both", "more"}
    refused(rp.OptionError, "NAME=VALUE", rp.analyze, model, fix={"z": 0})
    refused(rp.OptionError, "is complete", rp.analyze, model, form="dual")
    refused(rp.OptionError, "colour", rp.analyze, model, colour=1)


def test_a_repair_has_the_time_that_the_conflict_left(monkeypatch) -> None:
    model, limits = plan(), []
    model.more = pyo.Constraint(expr=model.x + model.y >= 5)
    for name in ("find_conflict", "least_repair"):
        search = getattr(conflict, name)

        def slow(
            program: Program, settings: SolveSettings, *rows: Any, search: Any = search
        ) -> Any:
            limits.append(settings.time_limit)
            time.sleep(0.2)
            return search(program, settings, *rows)

        monkeypatch.setattr(conflict, name, slow)
    assert rp.analyze(model, time_limit=9.0)["conflict"]["repair"]["proved"]
    first, second = limits
    assert second <= first - 0.2


def test_the_least_move_of_a_side_ends_the_conflict() -> None:
    """x + y >= 5 and x + 2 y <= 3 for x <= 2, y >= 0: each side alone, others as they are."""
    model = pyo.ConcreteModel()
    model.x, model.y = pyo.Var(bounds=(0, 2)), pyo.Var(bounds=(0, None))
    model.low = pyo.Param(initialize=5.0, mutable=True)
    model.high = pyo.Param(initialize=3.0, mutable=True)
    model.need = pyo.Constraint(expr=model.x + model.y >= model.low)
    model.room = pyo.Constraint(expr=model.x + 2 * model.y <= model.high)
    model.cost = pyo.Objective(expr=model.x)
    report = rp.analyze(model)
    least = {c["name"]: c["least_move"] for c in report["conflict"]["conditions"]}
    assert least == pytest.approx({"need": 2.5, "room": 5.0, "x": 5.0})
    assert "add up to 0 >= 1, also if one side alone moves by less than its least move" in str(
        report
    )


@pytest.mark.parametrize("seed", seeds(40))
def test_every_range_holds_also_of_basic_rows(seed) -> None:
    """Programs of small integers, often degenerate, solved again at and between the ends."""
    rng = np.random.default_rng(seed)
    n, m = rng.integers(2, 5, 2)
    matrix = rng.integers(-2, 3, (m, n)) + np.eye(m, n) * 3
    activity = matrix @ rng.integers(0, 3, n)
    lower = activity - rng.integers(0, 2, m)
    upper = activity + rng.choice([0.0, 1.0, 1e30], m)
    cost, sense = rng.integers(-1, 4, n), int(rng.choice([1, -1]))

    def program(row: int = 0, side: str | None = None, to: float = 0.0) -> pyo.ConcreteModel:
        ends = np.column_stack([lower, upper])
        ends[row, {"lower": [0], "upper": [1], "equal": [0, 1], None: []}[side]] = to
        model = pyo.ConcreteModel()
        model.x = pyo.Var(range(n), bounds=(0, 3))
        rows = matrix @ np.array(list(model.x.values()))
        model.row = pyo.Constraint(
            range(m),
            rule=lambda _, i: (ends[i, 0], rows[i], ends[i, 1] if ends[i, 1] < 1e9 else None),
        )
        model.total = pyo.Objective(expr=sense * (cost @ list(model.x.values())), sense=sense)
        return model

    report = rp.analyze(program())
    assert report["status"] == "optimal"
    for i, row in enumerate(report["rows"]):
        assert (row["range"] is None) == (row["binding"] is None)
        if row["binding"] is None:
            continue
        bound = row["upper" if row["binding"] == "upper" else "lower"]
        low = bound - 9.0 if row["range"][0] is None else row["range"][0]
        high = bound + 9.0 if row["range"][1] is None else row["range"][1]
        assert low - 1e-9 <= bound <= high + 1e-9
        for to in (low, (low + high) / 2, high):
            formula = report["objective"] + row["price"] * (to - bound)
            there = rp.solve(program(i, row["binding"], to)).objective
            assert there == pytest.approx(formula, abs=1e-7)
        # of a degenerate basis: the slopes on both sides of the bound
        for slope, step in zip(row["price_interval"] or (), (-1e-3, 1e-3), strict=False):
            there = rp.solve(program(i, row["binding"], bound + step))
            assert (slope is None) == (there.status == "infeasible")
            if slope is not None:
                assert there.objective - report["objective"] == pytest.approx(
                    slope * step, abs=1e-8
                )
    if report["basis"]["degenerate"]:
        assert any(row["price_interval"] for row in report["rows"] if row["binding"])


def test_a_price_at_a_kink_is_two_slopes() -> None:
    """Two rows that hold at one vertex: more of ``a`` costs 2, less of it saves 0.5."""
    model = pyo.ConcreteModel()
    model.x = pyo.Var(range(2), bounds=(0, None))
    model.cost = pyo.Objective(expr=model.x[0] + 2 * model.x[1])
    model.a = pyo.Constraint(expr=model.x[0] + model.x[1] >= 2)
    model.b = pyo.Constraint(expr=model.x[0] + 3 * model.x[1] >= 2)
    model.d = pyo.Constraint(expr=model.x[0] <= 2)
    report = rp.analyze(model)
    slopes = {row["name"]: row["price_interval"] for row in report["rows"]}
    assert slopes == {
        "a": pytest.approx([0.5, 2.0]),
        "b": pytest.approx([0.0, 0.5]),
        "d": pytest.approx([-1.0, 0.0]),
    }
    assert "price  if less  if more  side" in str(report)


def assignment(more: tuple[str, int, float] = ("", 0, 0.0)) -> pyo.ConcreteModel:
    """Seven workers and jobs, at a degenerate vertex; ``more`` moves the side of a row."""
    model, costs = pyo.ConcreteModel(), np.random.default_rng(5).integers(1, 30, (7, 7)).tolist()
    model.x = pyo.Var(range(7), range(7), bounds=(0, None))
    model.short = pyo.Var(range(7), bounds=(0, None))

    def side(name: str, i: int) -> float:
        return 1.0 + (more[2] if more[:2] == (name, i) else 0.0)

    model.worker = pyo.Constraint(
        range(7), rule=lambda m, i: sum(m.x[i, j] for j in range(7)) <= side("worker", i)
    )
    model.job = pyo.Constraint(
        range(7),
        rule=lambda m, j: sum(m.x[i, j] for i in range(7)) + m.short[j] >= side("job", j),
    )
    model.cost = pyo.Objective(
        expr=sum(costs[i][j] * model.x[i, j] for i, j in model.x) + 40 * sum(model.short.values())
    )
    return model


def test_every_price_of_a_degenerate_basis_has_both_directions(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    report = rp.analyze(assignment())
    binding = [row for row in report["rows"] if row["binding"]]
    assert len(binding) == 14
    assert report["basis"]["degenerate"]
    kinks = 0
    for row in binding:
        assert row["price_note"] is None
        name, _, index = row["name"].rstrip("]").partition("[")
        for slope, step in zip(row["price_interval"], (-1e-3, 1e-3), strict=True):
            there = rp.solve(assignment((name, int(index), step))).objective
            assert there - report["objective"] == pytest.approx(slope * step, abs=1e-8)
        kinks += row["price_interval"][0] < row["price_interval"][1]
    assert kinks > 7  # most prices are wrong in one direction
    assert "not computed" not in str(report)
    # beyond the work that is done without being named, rows say that their price is one of many
    monkeypatch.setattr(programs, "DIRECTIONS_WORK", 0)
    for top in (3, 12, 14):
        some = rp.analyze(assignment(), top=top)
        notes = [row["price_note"] for row in some["rows"] if row["binding"]]
        marked = [row for row in some["rows"] if row["price_note"]]
        assert notes.count(None) == max(10, top)
        assert all(row["price_interval"] is None for row in marked)
        assert all("one of many" in row["price_note"] for row in marked)
        assert bool(marked) == any("--top N" in note for note in some["notes"])
        assert "not computed" not in str(some)
        some.top = 14
        assert str(some).count("not computed") == 2 * len(marked)


def blend(more: tuple[str, str, float] = ("", "", 0.0)) -> pyo.ConcreteModel:
    """Two fuels of six raw materials, as much as is needed; ``more`` moves the side of a row."""
    model = pyo.ConcreteModel()
    # cost, supply, octane and sulphur
    raw = {
        "A": (42, 300, 91, 0.4), "B": (38.5, 250, 87.5, 0.9), "reformate": (55, 120, 99, 0.05),
        "butane": (30, 40, 94, 0.02), "ethanol": (60, 80, 108, 0), "naphtha": (33, 400, 78, 0.6),
    }  # fmt: skip
    fuels = {"regular": (200, 91, 0.5), "super": (150, 95, 0.3)}
    model.use = pyo.Var(raw, fuels, bounds=(0, None))

    def side(name: str, fuel: str, value: float) -> float:
        return value + (more[2] if more[:2] == (name, fuel) else 0.0)

    def share(fuel: str, number: int) -> Any:
        return sum((raw[r][number] - fuels[fuel][number - 1]) * model.use[r, fuel] for r in raw)

    model.supply = pyo.Constraint(
        raw, rule=lambda m, r: sum(m.use[r, f] for f in fuels) <= raw[r][1]
    )
    model.demand = pyo.Constraint(
        fuels, rule=lambda m, f: sum(m.use[r, f] for r in raw) >= side("demand", f, fuels[f][0])
    )
    model.octane = pyo.Constraint(fuels, rule=lambda m, f: share(f, 2) >= side("octane", f, 0))
    model.sulphur = pyo.Constraint(fuels, rule=lambda m, f: share(f, 3) <= 0)
    model.total = pyo.Constraint(expr=sum(model.use.values()) <= 350)
    model.cost = pyo.Objective(expr=sum(raw[r][0] * model.use[r, f] for r, f in model.use))
    return model


def test_slopes_of_a_row_whose_terms_are_all_zero_or_rounding() -> None:
    """Regular is of A alone, whose octane is that of regular: the terms of its row are rounding."""
    report = rp.analyze(blend())
    assert not [note for note in report["notes"] if "if less" in note]
    slopes = {row["name"]: row["price_interval"] for row in report["rows"]}
    for name, fuel in (("octane", "regular"), ("octane", "super"), ("demand", "super")):
        for slope, step in zip(slopes[f"{name}[{fuel}]"], (-1.0, 1.0), strict=True):
            there = rp.solve(blend((name, fuel, step)))
            assert (slope is None) == (there.status == "infeasible")
            if slope is not None:
                assert there.objective - report["objective"] == pytest.approx(slope * step)


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


@pytest.mark.parametrize(("short", "proven"), [(5e-7, True), (5e-6, False)])
@pytest.mark.parametrize("size", [1e-3, 1.0, 1e3])
def test_optimal_is_what_is_certified(short, proven, size) -> None:
    """min size x, x >= 1, with a dual that leaves a gap, and at a point that is outside by it."""
    model = small_model(lambda m: size * m.x, lambda m: m.x >= 1, x=(0, None))
    model.dual = pyo.Suffix(direction=pyo.Suffix.IMPORT)
    program = compile_model(model)
    for x, dual in ((1.0, size * (1.0 - short)), (1.0 - short, size)):
        model.x.value, model.dual[model.row] = x, dual
        told = SolverAnswer(
            status=Status.OPTIMAL, x=np.array([x]), claimed=size * x, row_duals=np.array([dual])
        )
        found = judge(program, told, solver="s", version="", seconds=0.0, settings=SolveSettings())
        assert (found.status is Status.OPTIMAL, rp.certify(model).certified) == (proven, proven)


def test_a_convex_model_is_certified_by_its_tangents() -> None:
    model = disc()
    rp.solve(model, tol=1e-9)
    found = rp.certify(model, tol=1e-5)
    assert found.certified
    assert found.bound >= 2.0 - 1e-9
    square = pyo.ConcreteModel()
    square.x = pyo.Var(range(3))
    square.one = pyo.Constraint(expr=pyo.quicksum(square.x.values()) == 1)
    square.far = pyo.Objective(expr=sum((square.x[i] - i) ** 2 for i in range(3)))
    rp.solve(square, tol=1e-9)
    found = rp.certify(square)
    assert found.certified
    assert found.objective == pytest.approx(4 / 3, rel=1e-6)


def test_what_is_not_certified_is_refused() -> None:
    model = plan()
    refused(rp.OptionError, r"x has no value: .* rp.analyze", rp.certify, model)
    model.x.value = model.y.value = 1.0
    model.x.domain = pyo.Integers
    relaxed = rp.certify(model)  # integers are bounded by the linear relaxation
    assert relaxed.status == "feasible"
    assert not relaxed.certified
    curved = disc()
    curved.goal.set_value(curved.x * curved.y + curved.x**2)
    with pytest.raises(rp.ConvexityError):
        rp.certify(curved)
    curved.goal.set_value(pyo.exp(curved.x))
    refused(rp.CapabilityError, "neither linear nor quadratic", rp.certify, curved)
    refused(rp.CapabilityError, "neither linear nor quadratic", rp.analyze, curved)


def test_export_of_what_only_nl_holds(tmp_path) -> None:
    curved = disc()
    curved.goal.set_value(pyo.exp(curved.x))
    for suffix in ("lp", "mps.gz"):
        with pytest.raises(rp.CapabilityError, match=r"goal is neither .*: choose \.nl"):
            rp.export(curved, tmp_path / f"p.{suffix}")
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


def test_a_quadratic_program_that_highs_gets_wrong_is_proved_by_the_next(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As HiGHS 1.15 does, which calls a point of 8.49 optimal; the optimum is 9.20."""
    right = highs.solve

    def wrong(program: Program, settings: SolveSettings) -> SolverAnswer:
        answer = right(program, settings)
        return replace(answer, x=0.5 * answer.x, claimed=None)

    monkeypatch.setattr(highs, "solve", wrong)
    data = rp.dataset(np.random.default_rng(0).normal(size=(12, 2)), np.arange(12) % 2)
    spec = rp.SVM(kernels="rbf:1")
    model = rp.build(spec, data)
    assert rp.solve(model, "highs").status == "feasible"
    found = rp.solve(model)
    assert found.status == "optimal"
    assert found.solver != "highs"
    assert found.objective == pytest.approx(rp.fit(spec, data).objective, rel=1e-8)
    assert rp.certify(model).certified
    assert rp.solve(model, time_limit=30.0).objective == pytest.approx(found.objective, rel=1e-8)
    asked = rp.solve(model, solver_options={"presolve": "off"})  # of HiGHS alone
    assert (asked.solver, asked.status) == ("highs", "feasible")
