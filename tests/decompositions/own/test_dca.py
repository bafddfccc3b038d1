"""DCA for a user's own program."""

import importlib.util
import itertools
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pyomo.environ as pyo
import pytest
from effort import seeds
from refusals import refused
from scipy.optimize import linprog
from small_models import small_model

import radprog as rp
from radprog.base.errors import CapabilityError, ConvexityError, OptionError, StoppedError
from radprog.decompositions.own import dca as module
from radprog.decompositions.own.concave import concave
from radprog.decompositions.own.dca import dca
from radprog.solvers.derivatives import Smooth
from radprog.solvers.registry import solve_model


def capped(seed: int) -> tuple:
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
def test_the_residual_is_no_less_than_the_gap_of_the_tangents(seed, small, monkeypatch) -> None:
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
    model = small_model(lambda m: m.x**2 + concave(-0.9 * m.x**2 - m.x), x=(0, 10, 0.5))
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
    outside = lambda m: 1 + concave(-(m.x**2)) <= 0  # noqa: E731
    run = dca(small_model(lambda m: m.x, outside, x=(-0.5, 0.5, 0.1)))
    assert (run.status, run.objective) == ("limit", None)
    assert "not driven to zero" in run.message


def hill(start: float) -> pyo.ConcreteModel:
    """From the right the end is 1000, from 0 the better one."""
    return small_model(lambda m: concave(-((m.x - 600) ** 2)), x=(0, 1000, start))


def between() -> pyo.ConcreteModel:
    """-1 / x for x >= 1: the bounds alone allow x = -2."""
    return small_model(
        lambda m: 0.1 * m.x**2 + concave(-1 / m.x), lambda m: m.x >= 1, x=(-2, 3, 2.0)
    )


def kink() -> pyo.ConcreteModel:
    """At the middle of the bounds there is no derivative."""
    return small_model(lambda m: concave(-pyo.sqrt((m.y - m.z) ** 2)), y=(-1, 1), z=(-1, 1))


@pytest.mark.parametrize(
    ("model", "starts", "value"),
    [(between(), 1, -0.9), (kink(), 1, -2.0), (hill(900), 1, -16e4), (hill(900), 2, -36e4)],
)
def test_ends_of_small_programs(model: pyo.ConcreteModel, starts: int, value: float) -> None:
    assert dca(model, starts=starts).objective == pytest.approx(value)


def test_convex_rows_and_bounds_without_a_point() -> None:
    goal = lambda m: m.x + concave(-(m.x**2))  # noqa: E731
    assert dca(small_model(goal, lambda m: m.x >= 2, x=(-1, 1, 0.1))).status == "infeasible"
    assert dca(small_model(goal, x=(3, 2, 0.5)), starts=3).status == "infeasible"


@pytest.mark.parametrize(
    ("part", "words"),
    [
        (lambda x: x[0] ** 3, r"hump is marked as concave, and is not: .* between two points"),
        (lambda x: -x[0] * x[1], "hump is marked as concave, and is not: .* 1 along a line"),
        (lambda x: -(x[0] ** 2) + 1e-3 * x[1] ** 2, "hump is marked as concave, and is not"),
        (lambda x: -pyo.sqrt(x[0] + 2) - 1e-2 * x[1] ** 2, "hump is marked as concave, and is not"),
    ],
)
def test_what_is_marked_and_not_concave_is_named(part, words: str) -> None:
    model = pyo.ConcreteModel()
    model.x = pyo.Var(range(2), bounds=(-1, 2), initialize=0.5)
    model.hump = concave(part(model.x))
    model.value = pyo.Objective(expr=model.x[0] ** 2 + model.hump)
    refused(ConvexityError, words, dca, model)


@pytest.mark.parametrize("start", [0.0, 1.0])
def test_an_optimum_without_a_derivative(start: float) -> None:
    model = pyo.ConcreteModel()
    model.x = pyo.Var(range(3), bounds=(0, 4), initialize=start)
    model.row = pyo.Constraint(expr=model.x[0] + 2 * model.x[1] + model.x[2] >= 2)
    model.value = pyo.Objective(expr=sum(concave(pyo.sqrt(model.x[i])) for i in range(3)))
    run = dca(model, starts=3)
    assert run.status == "critical_point"
    assert run.objective == pytest.approx(1.0, abs=1e-6)


def test_one_bad_start_of_several_ends_alone() -> None:
    """x^2 - 2 x^4 falls for ever from 2, and has a minimum at 0 for small x."""
    model = small_model(lambda m: m.x**2 + concave(-2 * m.x**4), x=(None, None, 0.0))
    run = dca(model, starts=[{"x": 2.0}, {"x": 0.1}])
    assert run.objective == pytest.approx(0.0, abs=1e-6)
    assert "1 of 2 starts ended early, start 0: a start runs off" in run.message
    refused(StoppedError, "runs off", dca, model, starts=[{"x": 2.0}, {"x": 3.0}])


@pytest.mark.filterwarnings("error")
def test_what_falls_without_end_is_said() -> None:
    model = small_model(lambda m: m.x**2 + concave(-2 * m.x**2), x=(None, None, 1.0))
    refused(StoppedError, r"runs off to .*: bound the variables", dca, model)


def part(m):
    return concave(-(m.x**2))


@pytest.mark.cases(11)
@pytest.mark.parametrize(
    ("goal", "row", "kind", "words"),
    [
        *((lambda m: m.y, row, OptionError, words) for row, words in (
            (lambda m: part(m) + m.y == 0, "row is an equality"),
            (lambda m: pyo.inequality(-1, part(m) + m.y, 1), "row is a range"),
            (lambda m: part(m) + m.y >= 0, "row: the marked part makes it convex"),
            (lambda m: m.y <= 1, "no part of the model is marked"),
        )),
        *((goal, None, kind, words) for goal, kind, words in (
            (lambda m: m.y * part(m), OptionError, "multiplied by a variable"),
            (lambda m: m.y - part(m), OptionError, "it is convex there"),
            (lambda m: m.y + concave(part(m) - m.y**2), OptionError, "holds another mark"),
            (lambda m: m.y**3 + part(m), CapabilityError, "neither linear nor quadratic"),
            (lambda m: abs(m.x) + part(m), CapabilityError, r"write abs\(x\) as a variable t with"),
            (lambda m: -(m.x**2) + concave(-(m.x**4)), ConvexityError, "not convex"),
            (lambda m: concave(pyo.Expr_if(m.x > 0, 0.0, m.x)), CapabilityError,
             "not a function that is differentiated"),
        )),
    ],
)  # fmt: skip
def test_marks_where_they_cannot_be(goal, row, kind, words: str) -> None:
    model = small_model(goal, row, x=(-1, 2, 0.5), y=(-1, 2, 0.5))
    before = len(list(model.component_objects()))
    refused(kind, words, dca, model)
    assert len(list(model.component_objects())) == before


@pytest.mark.parametrize(
    "starts",
    [
        *(0, 10**9, [], [{"nobody": 1.0}], "ab", 2.5, {}, [3.0]),
        [pyo.ComponentMap([(small_model(x=(0, 1)).x, 1.0)])],  # of another model
        *([{"x": value}] for value in ("a", 10**400, 1j)),
    ],
)
def test_starts_are_checked(starts) -> None:
    refused(OptionError, "starts", dca, small_model(part, x=(0, 1, 0.5)), starts=starts)


@pytest.mark.parametrize("given", ["a", [1], None])
def test_a_mark_is_of_an_expression(given) -> None:
    refused(OptionError, "expected a Pyomo expression", concave, given)


@pytest.mark.parametrize("sense", [1, -1])
def test_the_program_of_the_docstring(sense: int) -> None:
    """x^2 - |x - 1|: x^2 + x - 1 on the left of the kink, least at -1/2."""
    assert "model.x**2 + rp.concave(-abs(model.x - 1))" in str(concave.__doc__)
    value = lambda m: sense * m.x**2 + sense * concave(-abs(m.x - 1))  # noqa: E731
    run = dca(small_model(value, sense=sense, x=(-2, 2, 0.0)), starts=2)
    assert run.objective == pytest.approx(-1.25 * sense)
    assert run.values["x"] == pytest.approx(-0.5)
    assert run.objective == sense * (sense * run.ends[:, 0]).min()
    values = sense * np.array([record.objective for record in run.trace])
    assert (np.diff(values) <= 1e-9).all()


@pytest.mark.parametrize("starts", [1, np.int64(1), [{"x": 9.0}]])
def test_a_start_beyond_a_bound_is_moved_to_it(starts) -> None:
    """log x has no value at the start in the model."""
    model = small_model(lambda m: m.x**2 + concave(5 * pyo.log(m.x)), x=(0.5, 4, 0.5))
    model.x.set_value(-3.0, skip_validation=True)
    assert dca(model, starts=starts).values["x"] == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("solver", "options", "status"),
    [
        ("clarabel", {"tol_gap_abs": 1e-12}, "critical_point"),
        ("piqp", {"eps_abs": 1e-10}, "critical_point"),
        ("clarabel", dict.fromkeys(("tol_gap_abs", "tol_gap_rel", "tol_feas"), 1e-2), "feasible"),
    ],
)
def test_options_go_to_the_named_solver_alone(solver, options: dict[str, float], status) -> None:
    """The conditions at the end point are checked by a program of another solver."""
    model = pyo.ConcreteModel()
    model.x = pyo.Var(range(3), bounds=(-3, 3), initialize=1.0)
    model.row = pyo.Constraint(expr=pyo.quicksum(model.x.values()) <= 2)
    kink = concave(-4 * abs(model.x[0] - 1))
    model.f = pyo.Objective(expr=pyo.quicksum(x**2 for x in model.x.values()) + kink)
    run = dca(model, solver=solver, solver_options=options)
    assert run.status.value == status
    assert (run.residual > 1e-6) == ("tighter tolerances in solver_options" in run.message)
    assert (run.residual > 1e-6) == (status == "feasible")


PLACE = Path(__file__).resolve().parents[3] / "benchmarks" / "dc_programs.py"


def programs() -> ModuleType:
    spec = importlib.util.spec_from_file_location("dc_programs", PLACE)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


DC = programs()
ALL = [(kind, seed) for kind in DC.KINDS for seed in range(DC.EACH)]


@pytest.mark.parametrize(("kind", "seed"), ALL)
def test_end_points_are_critical(kind: str, seed: int) -> None:
    arrays = DC.drawn(kind, seed)
    model, point = DC.pyomo_model(kind, arrays, rp.concave)
    seen: list[rp.Record] = []
    run = rp.dca(model, observe=seen.append)
    assert run.status.value == "critical_point"
    assert run.residual <= 1e-6
    value, violation = DC.valued(kind, arrays, point(run.values))
    assert value == pytest.approx(run.objective, abs=1e-6)
    assert violation <= 1e-6
    free = [record for record in seen if record.detail["slack"] <= 1e-6]
    for before, after in itertools.pairwise(free):
        assert after.objective <= before.objective + 1e-9 * max(1.0, abs(before.objective))


def test_a_kink_has_one_of_its_slopes() -> None:

    model = small_model(lambda m: 0.1 * m.x**2 + rp.concave(-abs(m.x)), x=(-2, 1, 0.0))
    run = rp.dca(model, starts=[{"x": 0.5}, {"x": -0.5}, {"x": 0.0}])
    assert run.objective == pytest.approx(-1.6)
    assert run.ends[2, 0] <= 1e-9  # 0 is critical by the slope 0; what rounding leaves, descends


def test_gradients_are_those_of_differences() -> None:
    import pyomo.environ as pyo

    model = pyo.ConcreteModel()
    model.x = pyo.Var(range(3))
    model.p = pyo.Param(initialize=2.0, mutable=True)
    x = model.x
    model.inner = pyo.Expression(expr=x[0] * x[1] - x[2] ** 2 / x[0])
    parts = [
        pyo.exp(-model.p * model.inner) + pyo.log(x[0]) - pyo.sqrt(x[1]),
        abs(x[0] - x[1]) * pyo.sin(x[2]) + pyo.tanh(model.inner) + 3.0,
        x[0] ** x[1] + pyo.atan(x[2]) * pyo.cosh(x[0]) / (1 + x[1] ** 2),
        2 * x[0] - 3 * x[2] + 1,
    ]
    place = {id(x[j]): j for j in range(3)}
    point = np.array([0.7, 1.3, 0.4])
    for part in parts:
        smooth = Smooth(part, place)
        x.set_values(dict(enumerate(point.tolist())))
        assert smooth.value(point) == pytest.approx(pyo.value(part), rel=1e-14)
        found = np.zeros(3)
        found[list(smooth.columns)] = smooth.gradient(point)
        steps = np.eye(3) * 1e-6
        known = [(smooth.value(point + h) - smooth.value(point - h)) / 2e-6 for h in steps]
        np.testing.assert_allclose(found, known, rtol=1e-6, atol=1e-8)
    assert np.isnan(Smooth(pyo.log(x[0]), place).value([-1.0, 0.0, 0.0]))
    other = pyo.ConcreteModel()
    other.y = pyo.Var()
    refused(rp.RadprogError, "y is not in the model", Smooth, other.y**2, place)
    refused(rp.RadprogError, "ceil is not a function", Smooth, pyo.ceil(x[0]), place)
