"""Pyomo models as matrices: every coefficient where it belongs, in order, under its name."""

import numpy as np
import pyomo.environ as pyo
import pytest
from pyomo.core.expr.numeric_expr import LinearExpression
from refusals import refused
from small_models import small_model

from radprog.base.errors import CapabilityError, DataError, OptionError, SolverError
from radprog.solvers.compile import compile_model, component_names, load_solution
from radprog.solvers.formats.valid_names import is_valid_name
from radprog.solvers.program import Solution, Status


def small() -> pyo.ConcreteModel:
    model = pyo.ConcreteModel()
    model.x = pyo.Var(range(3), bounds=(0, 5))
    model.y = pyo.Var()
    return model


def test_linear_model() -> None:
    model = small()
    model.k = pyo.Var(within=pyo.Integers, bounds=(-3, None))
    model.b = pyo.Var(within=pyo.Binary)
    model.ranged = pyo.Constraint(expr=(1, model.x[0] + 2 * model.x[1] - model.y + 4, 9))
    model.most = pyo.Constraint(expr=3 * model.k <= 7 + model.b)
    model.same = pyo.Constraint(expr=model.y == 2 * model.x[2])
    model.cost = pyo.Objective(expr=model.x[0] - 4 * model.y + 2.5)
    program = compile_model(model)
    assert program.column_names == ("x(0)", "x(1)", "x(2)", "y", "k", "b")
    assert program.row_names == ("ranged", "most", "same")
    rows = [[1, 2, 0, -1, 0, 0], [0, 0, 0, 0, 3, -1], [0, 0, -2, 1, 0, 0]]
    np.testing.assert_array_equal(program.rows.toarray(), rows)
    np.testing.assert_array_equal(program.row_lower, [-3, -np.inf, 0])
    np.testing.assert_array_equal(program.row_upper, [5, 7, 0])
    np.testing.assert_array_equal(program.cost, [1, 0, 0, -4, 0, 0])
    np.testing.assert_array_equal(program.lower, [0, 0, 0, -np.inf, -3, 0])
    np.testing.assert_array_equal(program.upper, [5, 5, 5, np.inf, np.inf, 1])
    np.testing.assert_array_equal(program.integer, [False] * 4 + [True] * 2)
    assert (program.constant, program.sense, program.quadratic) == (2.5, 1, None)
    assert program.problem_class == "MILP"


def direct(coefs: list, variables: list, constant=4):
    return LinearExpression(constant=constant, linear_coefs=coefs, linear_vars=variables)


def expressions(model: pyo.ConcreteModel) -> dict:
    """The same body, 2 x0 - 3 x1 + 0.5 y + 4, in many ways."""
    x, y = model.x, model.y
    model.p = pyo.Param(initialize=2, mutable=True, within=pyo.Reals)
    model.part = pyo.Expression(expr=2 * x[0] + 4)
    model.fixed = pyo.Var(initialize=1.5)
    model.fixed.fix()
    return {
        "direct": lambda: direct([2, -3, 0.5], [x[0], x[1], y], np.float64(4)),
        "direct with a variable": lambda: direct([2, -3], [x[0], x[1]]) + y - 0.5 * y,
        "repeated": lambda: direct([1, -3, 1, 0.5, 0], [x[0], x[1], x[0], y, x[2]]),
        "param": lambda: direct([model.p, -3, 0.5], [x[0], x[1], y]),
        "fixed": lambda: direct([2, -3, 0.5, 2], [x[0], x[1], y, model.fixed], 1),
        "expression": lambda: model.part - 3 * (x[1] - y / 6),
        "product": lambda: model.fixed * x[0] * 4 / 3 - 3 * x[1] + 0.5 * y + 4,
    }


@pytest.mark.parametrize("way", expressions(small()))
def test_every_way_to_write_a_row_gives_the_same_row(way) -> None:
    model = small()
    body = expressions(model)[way]()
    model.row = pyo.Constraint(expr=(-1, body, 6))
    model.cost = pyo.Objective(expr=body, sense=pyo.maximize)
    program = compile_model(model)
    np.testing.assert_allclose(program.rows.toarray(), [[2, -3, 0, 0.5]], rtol=1e-15)
    assert program.rows.nnz == 3
    assert (program.row_lower[0], program.row_upper[0]) == (-5, 2)
    np.testing.assert_allclose(program.cost, [-2, 3, 0, -0.5], rtol=1e-15)
    assert (program.constant, program.sense) == (-4, -1)


def test_what_is_fixed_inactive_or_unused() -> None:
    model = small()
    model.y.fix(3)
    model.row = pyo.Constraint(expr=model.x[0] * model.y + model.y**2 + model.x[1] <= 20)
    model.fact = pyo.Constraint(expr=model.y >= 4)
    model.off = pyo.Constraint(expr=model.x[0] >= 1)
    model.off.deactivate()
    model.cost = pyo.Objective(expr=model.y * model.x[0] + model.y)
    model.bad = pyo.Objective(expr=pyo.exp(model.y))
    model.bad.deactivate()
    program = compile_model(model)
    assert program.column_names == ("x(0)", "x(1)", "x(2)")
    assert program.row_names == ("row", "fact")
    np.testing.assert_array_equal(program.rows.toarray(), [[3, 1, 0], [0, 0, 0]])
    assert program.row_upper[0] == 11
    assert program.row_lower[1] == 1  # 0 >= 1: infeasible, and said so
    assert program.constant == 3
    model.cost.deactivate()
    assert not compile_model(model).cost.any()


def test_names_and_order() -> None:
    model = pyo.ConcreteModel()
    model.u = pyo.Var([2, 1], [5, 4])
    model.block = pyo.Block([1, 2], rule=lambda b, i: b.add_component("z", pyo.Var([i])))
    model.end = pyo.Var()
    model.s = pyo.Var(["a b", "a,b", "a_b"])
    model.n = pyo.Var([-1, 1])
    program = compile_model(model)
    assert program.column_names[:5] == ("u(2.5)", "u(2.4)", "u(1.5)", "u(1.4)", "_end")
    assert "block(1).z(1)" in program.column_names
    assert "n(1)" in program.column_names
    assert len(set(program.column_names)) == len(program.column_names) == 12
    assert all(map(is_valid_name, program.column_names))
    columns, rows = component_names(model)
    assert dict(zip(columns, program.column_names, strict=True))["block[2].z[2]"] == "block(2).z(2)"
    assert rows == ()


def small_of_all_kinds() -> pyo.ConcreteModel:
    """With an inactive block, and a parameter without a value."""
    model = small()
    model.fine = pyo.Constraint(expr=model.y >= 0)
    model.part = small_model(z=(0, 1))
    model.part.deactivate()
    model.p = pyo.Param(mutable=True, within=pyo.Any)
    return model


def with_connector(model: pyo.ConcreteModel):
    model.flow = pyo.Connector()
    model.flow.add(model.y, "y")
    return model.flow == model.flow


BENT = r"bent\[7\] is neither linear nor quadratic"
OTHER = "row.7. uses z, which is not in the model"
NOT_FINITE = r"row\[7\] has a coefficient that is not finite"
NO_LOWER = "invalid non-finite lower bound"
NAN, INFINITE = float("nan"), float("inf")


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_rows_that_are_refused() -> None:
    for name, part, error, words in (
        ("bent", lambda m: pyo.exp(m.y) <= 1, CapabilityError, BENT),
        ("bent", lambda m: m.y**3 <= 1, CapabilityError, BENT),
        ("bent", lambda m: m.x[0] * m.x[1] * m.y <= 1, CapabilityError, BENT),
        ("bent", lambda m: abs(m.y) + m.x[0] <= 1, CapabilityError, BENT),
        ("row", lambda m: m.y + small_model(z=(0, 1)).z >= 0, CapabilityError, OTHER),
        ("row", lambda m: m.part.z >= 0, CapabilityError, r"row\[7\] uses part\.z, .* inactive"),
        ("row", with_connector, CapabilityError, r"not flow: .*core\.expand_connectors"),
        ("row", lambda m: direct([1, NAN], [m.y, m.x[0]], 0) <= 1, DataError, NOT_FINITE),
        ("row", lambda m: direct([1, INFINITE], [m.y, m.x[0]], 0) <= 1, DataError, NOT_FINITE),
        ("row", lambda m: m.p * m.y <= 1, DataError, r"^row.7.: .*\(p\)"),
        ("row", lambda m: m.p.set_value(NAN) or (m.p, m.y, 1), DataError, f"'row.7.'.*{NO_LOWER}"),
    ):
        model = small_of_all_kinds()
        model.add_component(name, pyo.Constraint([7], rule={7: part(model)}))
        refused(error, words, compile_model, model)


def test_models_that_are_refused() -> None:
    two = r"one active objective is needed, not cost, two: rp\.front"
    either = DataError, CapabilityError
    for change, error, words in (
        (lambda m: m.add_component("two", pyo.Objective(expr=-m.y)), CapabilityError, two),
        (lambda m: m.add_component("chosen", pyo.SOSConstraint(var=m.x, sos=1)), CapabilityError,
         "chosen"),
        (lambda m: m.cost.set_value(m.y**2 * NAN), either, "cost"),
        (lambda m: m.cost.set_value(m.y**2 * INFINITE), either, "cost"),
        (lambda m: m.y.setlb(NAN), DataError, f"'y'.*{NO_LOWER}"),
    ):  # fmt: skip
        model = small()
        model.cost = pyo.Objective(expr=model.y)
        change(model)
        refused(error, words, compile_model, model)
    for none in (pyo.AbstractModel(), None):
        refused(OptionError, r"not constructed|NoneType is given", compile_model, none)


def test_what_solvers_take_for_infinite_is_no_bound() -> None:
    model = small_model(lambda m: m.x, lambda m: (-1e25, 2 * m.x, 1e19), x=(-1e30, 1e20))
    program = compile_model(model)
    assert (program.lower, program.upper, program.row_lower) == (-np.inf, np.inf, -np.inf)
    assert program.row_upper == 1e19
    model.x.setub(-1e30)
    refused(DataError, "x has no value within its bounds", compile_model, model)


def test_infinite_is_what_is_so_in_the_units_of_the_model() -> None:
    model = small_model(lambda m: -m.x, lambda m: (None, 1e32 * m.x, 1e25), x=(-1e30, 1e19))
    model.free = pyo.Constraint(expr=(None, model.x, 1e25))
    model.scaling_factor = pyo.Suffix(direction=pyo.Suffix.EXPORT)
    for component, factor in ((model.x, 2.0**-40), (model.row, 2.0**-100), (model.free, 1024.0)):
        model.scaling_factor[component] = factor
    program = compile_model(model)
    assert program.row_upper.tolist() == [1e25, np.inf]
    assert (program.lower[0], program.upper[0]) == (-1e30, 1e19)


def solution(x: list[float] | None, **duals: np.ndarray) -> Solution:
    point = None if x is None else np.array(x)
    return Solution(status=Status.OPTIMAL, solver="test", version="", x=point, **duals)


@pytest.mark.parametrize("sense", [pyo.minimize, pyo.maximize])
def test_solutions_are_loaded_in_the_models_own_sense(sense) -> None:
    model = small()
    model.row = pyo.Constraint(expr=model.y >= 1)
    model.cost = pyo.Objective(expr=model.y, sense=sense)
    model.k = pyo.Var(within=pyo.Integers)
    duals = {"row_duals": np.array([2.0]), "reduced_costs": np.array([1.0, 0.0, -1.0, 0.0, 0.0])}
    load_solution(model, compile_model(model), solution([1, 2, 3, 4, 2.9999999], **duals))
    assert [v.value for v in (*model.x.values(), model.y, model.k)] == [1, 2, 3, 4, 3]
    assert model.dual[model.row] == 2 * sense
    assert [model.rc[model.x[i]] for i in range(3)] == [sense, 0, -sense]
    # old duals do not survive a solve without duals
    load_solution(model, compile_model(model), solution([1.0] * 5))
    assert len(model.dual) == len(model.rc) == 0


def test_loading_refuses_what_does_not_fit() -> None:
    model = small()
    program = compile_model(model)
    refused(SolverError, "no point to load", load_solution, model, program, solution(None))
    model.row = pyo.Constraint(expr=model.y >= 1)
    refused(OptionError, "has changed", load_solution, model, program, solution([1, 2, 3, 4]))
    clash = small()
    clash.dual = pyo.Constraint(expr=clash.y >= 1)
    words, point = "is not a Suffix", solution([1, 2, 3, 4], row_duals=np.ones(1))
    refused(OptionError, words, load_solution, clash, compile_model(clash), point)


def some_expression(rng: np.random.Generator, x: list, depth: int):
    """A sum, a multiple, a negative, a square or a product of linear and quadratic parts."""
    linear = sum(float(a) * v for a, v in zip(rng.normal(size=len(x)), x, strict=True)) + 0.5
    if depth == 0:
        leaf = x[int(rng.integers(len(x)))]
        return (linear, leaf, 2.5, leaf**2, linear**2, -leaf, leaf * x[0])[int(rng.integers(7))]
    one, other = (some_expression(rng, x, depth - 1) for _ in range(2))
    kind = int(rng.integers(4))
    return (one + other, one - 3.0 * other, -one + 1.0, (one + other) * np.float64(0.5))[kind]


@pytest.mark.parametrize("seed", range(40))
def test_bodies_have_the_values_of_their_expressions(seed) -> None:
    rng = np.random.default_rng(seed)
    model = pyo.ConcreteModel()
    model.x = pyo.Var(range(4))
    x = list(model.x.values())
    expression = some_expression(rng, x, 3) + 0.0 * x[0]
    model.value = pyo.Objective(expr=expression, sense=rng.choice([-1, 1]))
    model.row = pyo.Constraint(expr=expression + x[1] <= 1.0)
    program = compile_model(model)
    for point in rng.normal(size=(5, 4)):
        for variable, value in zip(x, point.tolist(), strict=True):
            variable.set_value(value)
        known = pyo.value(expression)
        assert program.sense * program.objective(point) == pytest.approx(known, abs=1e-9)
        slack = program.row_upper[0] - program.activity(point)[0]
        assert slack == pytest.approx(1.0 - known - point[1], abs=1e-9)


def test_squares_that_cancel_are_none() -> None:
    model = small()
    twice = model.x[0] + 2 * model.x[1]
    model.value = pyo.Objective(expr=model.y**2 + twice - model.y**2)
    model.row = pyo.Constraint(expr=twice**2 - twice**2 <= 1)
    assert compile_model(model).problem_class == "LP"


def test_a_fixed_condition_decides_and_one_of_variables_is_refused() -> None:
    model = pyo.ConcreteModel()
    model.x, model.z = pyo.Var(initialize=5.0), pyo.Var(initialize=0.0)
    model.p = pyo.Param(initialize=3, mutable=True)
    conditions = (model.p > 2, 1), (model.p > 4, 2), (model.z >= 1, 2), (model.x >= 1, None)
    model.z.fix()
    for condition, factor in (*conditions, *conditions):
        model.del_component("cost")
        model.cost = pyo.Objective(expr=pyo.Expr_if(condition, model.x, 2 * model.x))
        if factor is None:
            refused(CapabilityError, "neither linear nor quadratic", compile_model, model)
        else:
            assert compile_model(model).cost.tolist() == [factor]
