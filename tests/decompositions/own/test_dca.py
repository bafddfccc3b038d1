"""DCA for a user's own program."""

from typing import Any

import numpy as np
import pyomo.environ as pyo
import pytest
from effort import seeds
from refusals import refused
from scipy.optimize import linprog
from small_models import small_model

from radprog.base.errors import CapabilityError, ConvexityError, OptionError
from radprog.decompositions.own import dca as module
from radprog.decompositions.own.concave import concave
from radprog.decompositions.own.dca import dca
from radprog.decompositions.own.result import StoppedError
from radprog.solvers.registry import solve_model


def one(bounds: Any, start: float = 0.5) -> pyo.ConcreteModel:
    """A model of one variable x."""
    model = pyo.ConcreteModel()
    model.x = pyo.Var(bounds=bounds, initialize=start)
    return model


def capped(seed: int) -> tuple[pyo.ConcreteModel, Any, Any, float]:
    """Least squares with the capped norm lam sum_j min(|w_j|, 1/2), and t_j >= |w_j|; X'X, X'y."""
    rng = np.random.default_rng(seed)
    n, lam, X = 8, 4.0, rng.normal(size=(30, 8))
    y = X @ (rng.normal(size=n) * (rng.random(n) < 0.5)) + 0.5 * rng.normal(size=30)
    G, g = X.T @ X, X.T @ y
    model = pyo.ConcreteModel()
    model.w = pyo.Var(range(n), bounds=(-5, 5))
    model.t = pyo.Var(range(n), bounds=(0, 5))
    model.up = pyo.Constraint(range(n), rule=lambda m, j: m.w[j] <= m.t[j])
    model.down = pyo.Constraint(range(n), rule=lambda m, j: -m.w[j] <= m.t[j])
    square = sum(G[i, j] * model.w[i] * model.w[j] for i in range(n) for j in range(n)) / 2
    square += -sum(g[j] * model.w[j] for j in range(n)) + 0.5 * float(y @ y)
    over = [abs(model.w[j]) - 0.5 for j in range(n)]
    beyond = concave(-lam * sum((part + abs(part)) / 2 for part in over))
    model.value = pyo.Objective(expr=square + lam * sum(model.t.values()) + beyond)
    return model, G, g, lam


@pytest.mark.parametrize("small", [True, False])
@pytest.mark.parametrize("seed", seeds(60, quick=12))
def test_the_residual_is_no_less_than_the_gap_of_the_tangents(
    seed: int, small: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The least of the linearised objective over the rows; HiGHS leaves errors, and says so."""
    if not small:
        monkeypatch.setattr(module, "small_steps", lambda parts: None)
    for name in (None, "highs"):
        model, G, g, lam = capped(seed)
        run = dca(model, solver=name)
        w, t = (np.array([v.value for v in part.values()]) for part in (model.w, model.t))
        slope = G @ w - g - np.where(np.abs(w) > 0.5, lam * np.sign(w), 0.0)
        cost, unit = np.append(slope, np.full(8, lam)), np.eye(8)
        rows = np.vstack([np.hstack([unit, -unit]), np.hstack([-unit, -unit])])
        least = linprog(cost, rows, np.zeros(16), bounds=[(-5, 5)] * 8 + [(0, 5)] * 8).fun
        gap = (cost @ np.append(w, t) - least) / max(1.0, abs(run.objective))
        assert run.residual >= gap * (1 - 1e-3) - 1e-12
        assert run.status == ("critical_point" if run.residual <= 1e-6 else "feasible")
        assert name or run.status == "critical_point"


def test_what_ends_a_start() -> None:
    """x_(k+1) = 0.9 x_k + 0.5, to 5."""
    model = one((0, 10))
    model.cost = pyo.Objective(expr=model.x**2 + concave(-0.9 * model.x**2 - model.x))
    steps = []
    for tol in (1e-8, 1e-3, 1.0):
        model.x.set_value(0.0)
        steps.append(len(dca(model, tol=tol).trace))
    assert steps[0] > steps[1] > steps[2] == 1
    model.x.set_value(0.0)
    assert dca(model, max_iter=2).reason == "max_iter"
    assert model.x.value == pytest.approx(0.95, abs=1e-6)
    assert dca(model, max_iter=1).objective < -0.9  # the second call goes on from there
    model.x.set_value(0.0)
    assert dca(model, interrupted=lambda: len(steps) > 5 or steps.append(1)).reason == "interrupt"
    assert 0.0 < model.x.value < 4.0  # what an interrupted run found is loaded too


@pytest.mark.parametrize("solver", ["clarabel", "ipopt"])
def test_an_infeasible_start_becomes_feasible(solver: str) -> None:
    """Outside a disc, inside a square: the start is the centre of the disc, nearly."""
    model = pyo.ConcreteModel()
    model.x = pyo.Var(range(2), bounds=(-2, 2), initialize=0.1)
    model.value = pyo.Objective(expr=(model.x[0] - 0.2) ** 2 + model.x[1] ** 2)
    model.outside = pyo.Constraint(expr=1 + concave(-sum(model.x[i] ** 2 for i in range(2))) <= 0)
    run = dca(model, solver=solver)
    assert run.status == "critical_point"
    assert sum(value**2 for value in run.values.values()) >= 1 - 1e-6
    assert run.objective == pytest.approx(0.64, abs=1e-4)
    step = run.model()
    assert all(v.value is not None for v in step.component_data_objects(pyo.Var))
    assert step.find_component("tangent") is not None
    assert solve_model(step, "piqp").objective == pytest.approx(run.objective, abs=1e-4)


def test_slack_that_stays_is_said() -> None:
    model = one((-0.5, 0.5), 0.1)
    model.value = pyo.Objective(expr=model.x)
    model.far = pyo.Constraint(expr=1 + concave(-(model.x**2)) <= 0)
    run = dca(model)
    assert (run.status, run.objective) == ("limit", None)
    assert "not driven to zero" in run.message


def test_convex_rows_without_a_point() -> None:
    model = one((-1, 1), 0.1)
    model.value = pyo.Objective(expr=model.x + concave(-(model.x**2)))
    model.far = pyo.Constraint(expr=model.x >= 2)
    assert dca(model).status == "infeasible"


@pytest.mark.parametrize(
    ("part", "words"),
    [
        (lambda x: x[0] ** 3, r"hump is marked as concave, and is not: .* between two points"),
        (lambda x: -x[0] * x[1], "hump is marked as concave, and is not: .* 1 along a line"),
        (lambda x: -(x[0] ** 2) + 1e-3 * x[1] ** 2, "hump is marked as concave, and is not"),
        (lambda x: -pyo.sqrt(x[0] + 2) - 1e-2 * x[1] ** 2, "hump is marked as concave, and is not"),
    ],
)
def test_what_is_marked_and_not_concave_is_named(part: Any, words: str) -> None:
    model = pyo.ConcreteModel()
    model.x = pyo.Var(range(2), bounds=(-1, 2), initialize=0.5)
    model.hump = concave(part(model.x))
    model.value = pyo.Objective(expr=model.x[0] ** 2 + model.hump)
    refused(ConvexityError, words, dca, model)


def test_what_is_concave_where_the_rows_hold_is_taken() -> None:
    """-1 / x for x >= 1: the bounds alone allow x = -2."""
    model = one((-2, 3), 2.0)
    model.row = pyo.Constraint(expr=model.x >= 1)
    model.value = pyo.Objective(expr=0.1 * model.x**2 + concave(-1 / model.x))
    assert dca(model).objective == pytest.approx(-0.9)


@pytest.mark.parametrize("start", [0.0, 1.0])
def test_an_optimum_without_a_derivative(start: float) -> None:
    model = pyo.ConcreteModel()
    model.x = pyo.Var(range(3), bounds=(0, 4), initialize=start)
    model.row = pyo.Constraint(expr=model.x[0] + 2 * model.x[1] + model.x[2] >= 2)
    model.value = pyo.Objective(expr=sum(concave(pyo.sqrt(model.x[i])) for i in range(3)))
    run = dca(model, starts=3)
    assert run.status == "critical_point"
    assert run.objective == pytest.approx(1.0, abs=1e-6)


def test_a_start_on_a_kink_without_a_derivative_moves_off() -> None:
    """The middle of the bounds: the distance of y and z is 0 there, and 2 at the best."""
    model = small_model(lambda m: concave(-pyo.sqrt((m.y - m.z) ** 2)), y=(-1, 1), z=(-1, 1))
    assert dca(model).objective == pytest.approx(-2.0)


def test_one_bad_start_of_several_ends_alone() -> None:
    """x^2 - 2 x^4 falls for ever from 2, and has a minimum at 0 for small x."""
    model = one((None, None), 0.0)
    model.value = pyo.Objective(expr=model.x**2 + concave(-2 * model.x**4))
    run = dca(model, starts=[{"x": 2.0}, {"x": 0.1}])
    assert run.objective == pytest.approx(0.0, abs=1e-6)
    assert "1 of 2 starts ended early, start 0: a start runs off" in run.message
    refused(StoppedError, "runs off", dca, model, starts=[{"x": 2.0}, {"x": 3.0}])


def marked(where: str) -> pyo.ConcreteModel:
    """A mark where it cannot be."""
    model = one((-1, 2))
    model.y = pyo.Var(bounds=(-1, 2), initialize=0.5)
    part = concave(-(model.x**2))
    bodies = {
        "equality": part + model.y == 0,
        "range": pyo.inequality(-1, part + model.y, 1),
        "turned": part + model.y >= 0,
        "nowhere": model.y <= 1,
    }
    model.row = pyo.Constraint(expr=bodies.get(where, model.y <= 1))
    values = {
        "product": model.y * part,
        "negative": model.y - part,
        "nested": model.y + concave(part - model.y**2),
        "cubic": model.y**3 + part,
    }
    model.value = pyo.Objective(expr=values.get(where, model.y))
    return model


@pytest.mark.parametrize(
    ("where", "kind", "words"),
    [
        ("equality", OptionError, "row is an equality"),
        ("range", OptionError, "row is a range"),
        ("turned", OptionError, "row: the marked part makes it convex"),
        ("nowhere", OptionError, "no part of the model is marked"),
        ("product", OptionError, "multiplied by a variable"),
        ("negative", OptionError, "it is convex there"),
        ("nested", OptionError, "holds another mark"),
        ("cubic", CapabilityError, "neither linear nor quadratic"),
    ],
)
def test_marks_where_they_cannot_be(where: str, kind: type[Exception], words: str) -> None:
    model = marked(where)
    before = len(list(model.component_objects()))
    refused(kind, words, dca, model)
    assert len(list(model.component_objects())) == before


@pytest.mark.parametrize(
    ("left", "kind", "words"),
    [
        (abs, CapabilityError, r"write abs\(x\) as a variable t with rows t >= x"),
        (lambda x: -(x**2), ConvexityError, "not convex"),
    ],
)
def test_what_is_left_must_be_convex(left: Any, kind: type[Exception], words: str) -> None:
    model = one((-1, 2))
    model.value = pyo.Objective(expr=left(model.x) + concave(-(model.x**4)))
    refused(kind, words, dca, model)


@pytest.mark.parametrize(
    "starts",
    [
        *(0, 10**9, [], [{"nobody": 1.0}], "ab", 2.5, {}, [3.0]),
        [pyo.ComponentMap([(one((0, 1)).x, 1.0)])],  # of another model
        *([{"x": value}] for value in ("a", 10**400, 1j)),
    ],
)
def test_starts_are_checked(starts: Any) -> None:
    model = one((0, 1))
    model.f = pyo.Objective(expr=concave(-(model.x**2)))
    refused(OptionError, "starts", dca, model, starts=starts)


@pytest.mark.parametrize("given", ["a", [1], None])
def test_a_mark_is_of_an_expression(given: Any) -> None:
    refused(OptionError, "expected a Pyomo expression", concave, given)


def test_conditions_in_marks_and_crossed_bounds() -> None:
    model = one((-2, 2))
    model.f = pyo.Objective(expr=concave(pyo.Expr_if(model.x > 0, 0.0, model.x)))
    refused(CapabilityError, "not a function that is differentiated", dca, model)
    model.f.set_value(concave(-(model.x**2)))
    model.x.setlb(3.0)
    assert dca(model, starts=3).status == "infeasible"


@pytest.mark.parametrize("sense", [1, -1])
def test_the_program_of_the_docstring(sense: int) -> None:
    """x^2 - |x - 1|: x^2 + x - 1 on the left of the kink, least at -1/2."""
    assert "model.x**2 + rp.concave(-abs(model.x - 1))" in str(concave.__doc__)
    model = one((-2, 2), 0.0)
    value = sense * model.x**2 + sense * concave(-abs(model.x - 1))
    model.f = pyo.Objective(expr=value, sense=sense)
    run = dca(model, starts=2)
    assert run.objective == pytest.approx(-1.25 * sense)
    assert run.values["x"] == pytest.approx(-0.5)
    assert run.objective == sense * (sense * run.ends[:, 0]).min()
    values = sense * np.array([record.objective for record in run.trace])
    assert (np.diff(values) <= 1e-9).all()


@pytest.mark.parametrize("starts", [1, np.int64(1), [{"x": 9.0}]])
def test_a_start_beyond_a_bound_is_moved_to_it(starts: Any) -> None:
    """log x has no value at the start in the model."""
    model = one((0.5, 4))
    model.x.set_value(-3.0, skip_validation=True)
    model.f = pyo.Objective(expr=model.x**2 + concave(5 * pyo.log(model.x)))
    assert dca(model, starts=starts).values["x"] == pytest.approx(0.5)


@pytest.mark.filterwarnings("error")
def test_what_falls_without_end_is_said() -> None:
    model = one((None, None), 1.0)
    model.f = pyo.Objective(expr=model.x**2 + concave(-2 * model.x**2))
    refused(StoppedError, r"runs off to .*: bound the variables", dca, model)


def test_zero_is_among_the_starts() -> None:
    """The start in the model leads to the end at 1000, and 0 to the better one."""
    model = one((0, 1000), 900.0)
    model.f = pyo.Objective(expr=concave(-((model.x - 600) ** 2)))
    assert dca(model).objective == pytest.approx(-160_000.0)
    model.x.set_value(900.0)
    assert dca(model, starts=2).objective == pytest.approx(-360_000.0)


@pytest.mark.parametrize(
    ("solver", "options", "status"),
    [
        ("clarabel", {"tol_gap_abs": 1e-12}, "critical_point"),
        ("piqp", {"eps_abs": 1e-10}, "critical_point"),
        ("clarabel", dict.fromkeys(("tol_gap_abs", "tol_gap_rel", "tol_feas"), 1e-2), "feasible"),
    ],
)
def test_options_go_to_the_named_solver_alone(
    solver: str, options: dict[str, float], status: str
) -> None:
    """The conditions at the end point are checked by a program of another solver."""
    model = pyo.ConcreteModel()
    model.x = pyo.Var(range(3), bounds=(-3, 3), initialize=1.0)
    model.row = pyo.Constraint(expr=pyo.quicksum(model.x.values()) <= 2)
    kink = concave(-4 * abs(model.x[0] - 1))
    model.f = pyo.Objective(expr=pyo.quicksum(x**2 for x in model.x.values()) + kink)
    run = dca(model, solver=solver, solver_options=options)
    assert run.status.value == status
    assert run.residual is not None
    assert (run.residual > 1e-6) == ("tighter tolerances in solver_options" in run.message)
    assert (run.residual > 1e-6) == (status == "feasible")
