"""``pyo.SolverFactory("radprog")``: registered in both orders of imports; words, bounds, duals."""

import subprocess
import sys

import pyomo.environ as pyo
import pytest
from pyomo.opt import SolverStatus, TerminationCondition
from refusals import refused
from small_models import small_model

import radprog as rp
from radprog.solvers.adapters import highs
from radprog.solvers.answer import SolverAnswer
from radprog.solvers.program import Status

ORDERS = ("import radprog; import pyomo.environ as pyo", "import pyomo.environ as pyo, radprog")
NAMES = ("radprog", "radprog.dantzig_wolfe", "radprog.benders")


@pytest.mark.parametrize("order", ORDERS)
def test_registered_in_both_orders(order: str) -> None:
    code = f"{order}\nfor name in {NAMES}:\n    assert pyo.SolverFactory(name).available(), name\n"
    subprocess.run([sys.executable, "-c", code], check=True)


def plan():
    gain, room = (lambda m: 2 * m.x + 3 * m.y + 1), (lambda m: m.x + m.y <= 4.5)
    model = small_model(gain, room, sense=pyo.maximize, x=(0, None), y=(0, 3))
    model.y.domain = pyo.Integers
    return model


def test_an_optimum_and_its_multipliers() -> None:
    model = plan()
    results = pyo.SolverFactory("radprog").solve(model)
    assert pyo.check_optimal_termination(results)
    assert results.problem.lower_bound == results.problem.upper_bound == 13.0
    assert (model.x.value, model.y.value) == (1.5, 3)
    assert model.component("dual") is None
    model.y.domain = pyo.Reals
    model.dual = pyo.Suffix(direction=pyo.Suffix.IMPORT)
    results = pyo.SolverFactory("radprog").solve(model)
    assert model.dual[model.row] == 2.0
    assert model.component("rc") is None
    assert results.problem.upper_bound >= results.problem.lower_bound == 13.0
    # the gain of 1 at the origin
    model.goal.sense = pyo.minimize
    results = pyo.SolverFactory("radprog").solve(model)
    assert results.problem.upper_bound == 1.0
    assert 1.0 - 1e-9 <= results.problem.lower_bound <= 1.0


def test_other_ends() -> None:
    model, solver = plan(), pyo.SolverFactory("radprog")
    model.x.value = 7.0
    model.low = pyo.Constraint(expr=model.x + 2 * model.y >= 20)
    results = solver.solve(model)
    assert results.solver.termination_condition == TerminationCondition.infeasible
    assert (results.solver.status, model.x.value) == (SolverStatus.warning, 7.0)
    model.low.deactivate()
    model.row.deactivate()
    results = solver.solve(model)
    assert results.solver.termination_condition == TerminationCondition.unbounded
    assert "ray" in results.solver.message
    assert results.problem.upper_bound == float("inf")


def test_a_claim_that_nothing_proves_is_unknown() -> None:
    """3 x + 5 y + z = 4.7 with z <= 0.4 has no point of whole x and y, and the relaxation has."""
    row = lambda m: 3 * m.x + 5 * m.y + m.z == 4.7  # noqa: E731
    model = small_model(lambda m: m.x, row, x=(0, 1), y=(0, 1), z=(0, 0.4))
    model.x.domain = model.y.domain = pyo.Integers
    results = pyo.SolverFactory("radprog").solve(model)
    assert results.solver.termination_condition == TerminationCondition.unknown
    assert "claims infeasible, and nothing proves it" in results.solver.message
    results = pyo.SolverFactory("radprog").solve(model, prove=True)
    assert results.solver.termination_condition == TerminationCondition.infeasible


def test_a_limit_of_time(monkeypatch: pytest.MonkeyPatch) -> None:
    said = SolverAnswer(status=Status.LIMIT, bound=-20.0)
    monkeypatch.setattr(highs, "solve", lambda program, settings: said)
    results = pyo.SolverFactory("radprog", solver="highs").solve(plan(), timelimit=5)
    assert results.solver.termination_condition == TerminationCondition.maxTimeLimit
    assert (results.solver.status, results.problem.upper_bound) == (SolverStatus.aborted, 20.0)
    model = plan()
    model.x.value, model.y.value = 1.0, 2
    results = pyo.SolverFactory("radprog").solve(model, warmstart=True, solver="highs")
    assert results.problem.lower_bound == 9.0


def test_options_and_loading(capsys: pytest.CaptureFixture[str]) -> None:
    model = plan()
    model.x.value = 0.25
    with pyo.SolverFactory("radprog") as solver:
        solver.options["tol"] = 1e-7
        solver.set_options("time_limit=60")
        results = solver.solve(model, load_solutions=False, tee=True)
    assert solver.options.time_limit == 60
    assert "HiGHS" in capsys.readouterr().out
    assert (model.x.value, model.y.value) == (0.25, None)
    model.solutions.load_from(results)
    assert (model.x.value, model.y.value) == (1.5, 3)
    # multipliers are loaded with the point, and not before
    model.y.domain = pyo.Reals
    model.dual, model.rc = (pyo.Suffix(direction=pyo.Suffix.IMPORT) for _ in range(2))
    model.dual[model.row] = 7.0
    results = solver.solve(model, load_solutions=False)
    assert (model.dual[model.row], len(model.rc)) == (7.0, 0)
    model.solutions.load_from(results)
    assert model.dual[model.row] == 2.0
    assert (model.rc[model.x], model.rc[model.y]) == (0.0, 1.0)
    solver.set_options("seed=1")
    assert solver.options.seed == 1
    assert type(solver.options.seed) is int
    assert pyo.check_optimal_termination(solver.solve(model))
    # of old scripts
    solver.solve(model, options={"timelimit": 5}, keepfiles=True, symbolic_solver_labels=True)
    refused(rp.OptionError, r"'mipgap'.*did you mean tol\?", solver.solve, model, mipgap=0.1)
    refused(rp.OptionError, "unknown setting 'speed'", solver.solve, model, speed=2)


def test_decompositions(capsys: pytest.CaptureFixture[str]) -> None:
    model = pyo.ConcreteModel()
    model.x = pyo.Var(range(2), range(2), domain=pyo.Binary)
    x = model.x
    model.cost = pyo.Objective(expr=x[0, 0] + 2 * x[1, 0] + 3 * x[0, 1] + x[1, 1])
    model.job = pyo.Constraint(range(2), rule=lambda m, j: m.x[j, 0] + m.x[j, 1] == 1)
    model.time = pyo.Constraint(range(2), rule=lambda m, i: 3 * m.x[0, i] + 2 * m.x[1, i] <= 4)
    solver = pyo.SolverFactory("radprog.dantzig_wolfe", linking=model.job)
    results = solver.solve(model, tee=True)
    assert pyo.check_optimal_termination(results)
    assert results.problem.lower_bound == pyo.value(model.cost) == 2.0
    assert capsys.readouterr().out
    assert not solver.warm_start_capable()
    words = "warmstart: dantzig_wolfe begins with no point"
    refused(rp.OptionError, words, solver.solve, model, warmstart=True)
    model.job.deactivate()
    model.no = pyo.Constraint(range(2), rule=lambda m, j: m.x[j, 0] + m.x[j, 1] >= 3)
    results = solver.solve(model, linking=model.no)
    assert results.solver.termination_condition == TerminationCondition.infeasible
    need = [2.0, 4.0, 9.0]
    model = pyo.ConcreteModel()
    model.room, model.late = pyo.Var(bounds=(0, 10)), pyo.Var(range(3), range(2), bounds=(0, None))
    model.meet = pyo.Constraint(range(3), rule=lambda m, s: m.room + sum(m.late[s, :]) >= need[s])
    late = sum((1 + i) * model.late[s, i] for s, i in model.late)
    model.cost = pyo.Objective(expr=2 * model.room + late)
    results = pyo.SolverFactory("radprog.benders").solve(model, first=model.room)
    assert results.solver.termination_condition == TerminationCondition.optimal
    assert abs(pyo.value(model.cost) - rp.solve(model).objective) <= 1e-6
