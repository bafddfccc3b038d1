"""What a user's own program is asked with: a wrong value is an error that names it."""

import re

import numpy as np
import pyomo.environ as pyo
import pytest
from refusals import refused

import radprog as rp


def square() -> pyo.ConcreteModel:
    """min x_1 + x_2, x_1 + x_2 >= 1 over the unit square."""
    model = pyo.ConcreteModel()
    model.x = pyo.Var([1, 2], bounds=(0, 1))
    model.row = pyo.Constraint(expr=model.x[1] + model.x[2] >= 1)
    model.goal = pyo.Objective(expr=model.x[1] + model.x[2])
    return model


def named(said: str, call, *given, **options) -> None:
    """The call is refused with these words."""
    refused(rp.RadprogError, re.escape(said), call, *given, **options)


NUMBERS = [
    ("time_limit", "a", "time_limit 'a': expected a number"),
    ("time_limit", float("nan"), "time_limit nan: expected a"),
    ("time_limit", -1, "time_limit -1: expected a"),
    ("threads", 1.5, "threads 1.5: expected a whole number"),
    ("threads", 0, "threads 0: expected at least 1"),
    ("threads", "2", "threads '2': expected a whole number"),
    ("threads", True, "threads True: expected a whole number"),
    ("seed", -1, "seed -1: expected a number >= 0"),
    ("seed", None, "seed None: expected a whole number"),
    ("log", 3, "log 3: expected the path of a file"),
    ("solver", 3, "solver 3: expected "),
    ("solver", "gurobee", "unknown solver 'gurobee': known are highs"),
    ("colour", 1, "unknown setting 'colour'"),
    ("tolerance", 1, "did you mean tol?"),
    ("options", {}, "did you mean solver_options?"),
    ("interrupt", 1, "did you mean interrupted?"),
    ("interrupted", 1, "interrupted 1: expected a function"),
    ("solver_options", 5, "solver_options 5: expected names with numbers or texts"),
]
SOLVED = [
    ("tee", "yes", "tee 'yes': expected True or False"),
    ("tol", "small", "tol 'small': expected a number"),
    ("tol", float("inf"), "tol inf: expected a finite number"),
    ("tol", -1e-9, "tol -1e-09: expected a finite number >= 0"),
    ("solver_options", {"presolve": None}, "{'presolve': None}: expected names"),
    ("solver_options", {"presolved": "on"}, "HiGHS has no option 'presolved'"),
    ("solver_options", {"mip_rel_gap": "much"}, "mip_rel_gap takes a number, not 'much'"),
]
DRIVEN = [
    ("maxiter", 3, "did you mean max_iter?"),
    ("tol", "a", "tol 'a': expected a number"),
    ("abs_tol", -1, "abs_tol -1: expected a finite number >= 0"),
    ("max_iter", 2.5, "max_iter 2.5: expected a whole number"),
]


@pytest.mark.parametrize(("name", "given", "said"), [*NUMBERS, *SOLVED])
def test_settings_of_a_solve(name: str, given, said: str) -> None:
    named(said, rp.solve, square(), **{name: given})


@pytest.mark.parametrize(("name", "given", "said"), [*NUMBERS, *DRIVEN])
def test_settings_of_drivers(name: str, given, said: str) -> None:
    model, curved = square(), square()
    curved.goal.set_value(curved.x[1] + rp.concave(-(curved.x[2] ** 2)))
    model.x[:].set_value(0.5)
    for call, *arguments in (
        (rp.column_generation, model, lambda _: []),
        (rp.cutting_planes, model, lambda _: []),
        (rp.alternate, model, [model.x]),
        (rp.dca, curved),
    ):
        named(said, call, *arguments, **{name: given})


def test_numbers_and_truth_values_are_options_of_a_solver() -> None:
    for value in (0.01, np.float64(0.01), "0.01"):
        options = {"mip_rel_gap": value, "mip_detect_symmetry": False}
        found = rp.solve(square(), solver_options=options)
        assert found.options == {"mip_rel_gap": "0.01", "mip_detect_symmetry": "False"}
    assert rp.solve(square(), threads=np.int64(1), seed=np.int64(3)).status == "optimal"


COLUMNS = [
    (rp.Column(1.0, 5), "pricer 1 gave coefficients 5, expected a mapping"),  # type: ignore[arg-type]
    (rp.Column(1.0, {"row": 1.0}), "expected the component itself, as model.row"),
    (rp.Column(-1.0, {}, lower="a"), "a column with bounds 'a', inf"),  # type: ignore[arg-type]
    (rp.PricedColumns([], "a", 1.0), "gave a reduced_cost of 'a'"),  # type: ignore[arg-type]
]


@pytest.mark.parametrize(("answer", "said"), COLUMNS)
def test_a_column_that_is_none(answer, said: str) -> None:
    answered = answer if isinstance(answer, rp.PricedColumns) else [answer]
    named(said, rp.column_generation, square(), lambda _: answered)
