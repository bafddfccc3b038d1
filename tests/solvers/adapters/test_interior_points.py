"""What is particular to Ipopt and Clarabel: words, options, limits, quadratic rows."""

from dataclasses import replace

import numpy as np
import pyomo.environ as pyo
import pytest
from cut_off import polled
from scipy import sparse
from small_models import small_model

from radprog.solvers.program import ProblemClass, Program, SolveSettings, Status
from radprog.solvers.registry import solve_model, solve_program

clarabel = pytest.importorskip("clarabel")
from radprog.solvers.adapters import clarabel as clarabel_adapter  # noqa: E402
from radprog.solvers.adapters import ipopt as ipopt_adapter  # noqa: E402

BOTH = ("ipopt", "clarabel")


def test_every_word_of_ipopt_has_a_meaning() -> None:
    words = {
        *(0, 1, 2, 3, 4, 5, 6, -1, -2, -3, -4, -5),
        *(-10, -11, -12, -13, -100, -101, -102, -199),
    }
    failures = {code for code in words if ipopt_adapter.STATUS[code] is Status.FAILED}
    assert failures == {3, -2, -3, -10, -11, -12, -13, -100, -101, -102, -199}
    limits = {code for code, status in ipopt_adapter.STATUS.items() if status is Status.LIMIT}
    assert limits == {-1, -4, -5}
    assert ipopt_adapter.STATUS[2] is Status.INFEASIBLE


def test_every_word_of_clarabel_has_a_meaning() -> None:
    words = {word for word in dir(clarabel.SolverStatus) if word[0].isupper()}
    assert len(words) >= 11
    assert words - set(clarabel_adapter.STATUS) <= {
        *("Unsolved", "AlmostPrimalInfeasible", "AlmostDualInfeasible", "NumericalError"),
        "InsufficientProgress",
    }
    for word in ("MaxIterations", "MaxTime"):
        assert clarabel_adapter.STATUS[word] is Status.LIMIT


def disc(upper: float = 2.0) -> pyo.ConcreteModel:
    """min x + 2y + z over x^2 + y^2 <= upper, z >= x + 1, z free."""
    free = dict.fromkeys("xyz", (None, None))
    model = small_model(lambda m: m.x + 2 * m.y + m.z, lambda m: m.z >= m.x + 1, **free)
    model.disc = pyo.Constraint(expr=model.x**2 + model.y**2 <= upper)
    return model


@pytest.mark.parametrize("name", BOTH)
def test_a_quadratic_row(name) -> None:
    """The optimum is 1 - sqrt(2 * 8), at (-1, -1, 0)."""
    model = disc()
    solution = solve_model(model, name)
    assert solution.status is Status.OPTIMAL
    assert solution.objective == pytest.approx(-3.0, abs=1e-7)
    assert (model.x.value, model.y.value) == pytest.approx((-1.0, -1.0), abs=1e-5)
    assert model.z.value == pytest.approx(0.0, abs=1e-5)
    # the same by a concave row that is bounded below
    model = disc()
    model.disc.deactivate()
    model.other = pyo.Constraint(expr=3 - model.x**2 - model.y**2 >= 1)
    assert solve_model(model, name).objective == pytest.approx(-3.0, abs=1e-7)
    # infeasible and unbounded
    model = disc()
    model.far = pyo.Constraint(expr=model.x >= 3)
    assert solve_model(model, name).status is Status.INFEASIBLE
    free = disc()
    free.row.deactivate()
    assert solve_model(free, name).status is Status.UNBOUNDED


@pytest.mark.parametrize("name", BOTH)
def test_iteration_limits_are_limits(name, known) -> None:
    program = known(2, ProblemClass.QCQP).program
    solution = solve_program(program, name, SolveSettings(solver_options={"max_iter": "2"}))
    assert solution.status is Status.LIMIT


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("ipopt", {"max_iter": "500", "tol": "1e-7", "mu_strategy": "monotone"}),
        ("clarabel", {"max_iter": "90", "equilibrate_enable": "off", "tol_feas": "1e-7"}),
    ],
)
def test_good_options_and_limits(name, options, known) -> None:
    case = known(3, ProblemClass.QP)
    settings = SolveSettings(tol=1e-8, time_limit=50, threads=1, solver_options=options)
    solution = solve_program(case.program, name, settings)
    assert solution.objective == pytest.approx(case.objective, rel=1e-5)
    assert solution.options == options


def test_ipopt_is_interrupted(known) -> None:
    program = known(2, ProblemClass.QCQP).program
    interrupt, asked = polled(2)
    solution = solve_program(program, "ipopt", SolveSettings(interrupted=interrupt))
    assert solution.status is Status.INTERRUPTED
    assert len(asked) == 3


@pytest.mark.parametrize("name", BOTH)
def test_rows_without_bounds_and_fixed_columns(name, known) -> None:
    program: Program = known(5, ProblemClass.QP).program
    n = program.cost.size
    wider = replace(
        program,
        rows=sparse.csr_array(sparse.vstack([program.rows, np.ones((1, n))])),
        row_lower=np.append(program.row_lower, -np.inf),
        row_upper=np.append(program.row_upper, np.inf),
        row_names=(*program.row_names, "free"),
    )
    expected = solve_program(program, "highs").objective
    assert solve_program(wider, name).objective == pytest.approx(expected, rel=1e-6)
    x = solve_program(program, "highs").x
    fixed = replace(
        program,
        lower=np.where(np.arange(n) == 1, x[1], program.lower),
        upper=np.where(np.arange(n) == 1, x[1], program.upper),
    )
    assert solve_program(fixed, name).objective == pytest.approx(expected, rel=1e-6)
