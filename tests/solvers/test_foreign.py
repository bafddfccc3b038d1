"""Programs of other layers: files, highspy, and stand-ins with the methods of linopy and CVXPY."""

from types import SimpleNamespace

import highspy
import numpy as np
import program_files
import pytest
from refusals import refused
from scipy import sparse

import radprog as rp

PLAN = program_files.PLAN.replace(" order: {order}\n", "").replace("+ z\n", "+ z + 4\n", 1)


def live(path) -> highspy.Highs:
    """PLAN as a model of highspy."""
    highs = highspy.Highs()
    highs.setOptionValue("output_flag", False)
    highs.readModel(str(path))
    return highs


def of_linopy(path):
    """What linopy gives: a model of highspy, whose names end in their numbers."""
    highs = live(path)
    for rename, names in ((highs.passColName, "x y z"), (highs.passRowName, "hours steel")):
        for k, name in enumerate(names.split()):
            rename(k, f"{name}#{k}")
    return type("Model", (), {"__module__": "linopy.model", "to_highspy": lambda _, **how: highs})()


def of_cvxpy(path, cones: int = 0):
    """PLAN as CVXPY's standard cone program, y counted first: equalities, then inequalities."""
    A = [[-1, 0, 0], [0, -1, 0], [0, 0, -1], [1, 1, 1], [1, 2, 0], [0, 1, 0]]
    u = SimpleNamespace(id=7, shape=(2,), size=2, name=lambda: "u")
    z = SimpleNamespace(id=9, shape=(), size=1, name=lambda: "z")
    data = {
        "c": np.array([-2.0, -3.0, -1.0]),
        "A": sparse.csc_array(np.array(A, dtype=float)),
        "b": np.array([0.0, 0.0, 0.0, 10.0, 14.0, 8.0]),
        "dims": SimpleNamespace(zero=0, nonneg=6 - cones),
        "param_prob": SimpleNamespace(variables=[u, z], var_id_to_col={7: 0, 9: 2}),
    }
    own = {
        "__module__": "cvxpy.problems.problem",
        "objective": SimpleNamespace(NAME="maximize"),
        "get_problem_data": lambda _, solver: (data, None, [{"offset": -4.0}]),
    }
    return type("Problem", (), own)()


READERS = [lambda path: path, str, live, of_linopy, of_cvxpy]


@pytest.fixture
def path(tmp_path):
    (tmp_path / "plan.lp").write_text(PLAN)
    return tmp_path / "plan.lp"


@pytest.mark.parametrize("reader", READERS)
def test_every_layer_is_solved_analyzed_certified_and_exported(path, reader) -> None:
    model = reader(path)
    solution = rp.solve(model)
    assert (solution.status, solution.sense) == ("optimal", -1)
    assert solution.objective == pytest.approx(28.0)
    report = rp.analyze(model)
    assert (report["objective"], report["program"]["scale"]) == (pytest.approx(28.0), -1.0)
    names = [column["name"] for column in report["columns"]]
    assert names == (["u(0)", "u(1)", "z"] if reader is of_cvxpy else ["x", "y", "z"])
    prices = [row["price"] for row in report["rows"] if row["binding"]]
    assert sorted(prices)[-2:] == pytest.approx([1.0, 1.0])
    proof = rp.certify(model, dict(zip(names, solution.x, strict=True)))
    assert (proof.status, proof.objective) == ("optimal", pytest.approx(28.0))
    told = rp.export(model, path.with_name("out.mps"))
    assert told["scale"] == -1.0
    assert list(told["columns"].values())[:3] == names
    assert rp.solve(path.with_name("out.mps")).objective == pytest.approx(-28.0)


def test_multipliers_prove_a_solved_model_of_highspy_infeasible(tmp_path) -> None:
    """The values that HiGHS keeps of x + y >= 4, x + 2 y <= 3 are no point that the user gave."""
    highs = live(tmp_path / "gone.lp")
    x, y = (highs.addVariable(lb=0.0, name=name) for name in "xy")
    highs.addConstr(x + y >= 4.0, name="need")
    highs.addConstr(x + 2 * y <= 3.0, name="room")
    highs.minimize(x + y)
    assert highs.getSolution().value_valid
    multipliers = {"need": 1.0, "room": -1.0}
    assert rp.certify(highs, multipliers=multipliers).status == "infeasible"
    assert rp.certify(highs, {"x": 4.0, "y": 0.0}, multipliers).status == "violated"


def test_a_solved_model_of_highspy_is_certified_as_it_is(path) -> None:
    model = live(path)
    refused(rp.OptionError, r"Highs: expected a point .* or multipliers", rp.certify, model)
    bounded = rp.certify(path, multipliers={"hours": 1.0, "steel": 1.0})
    assert (bounded.status, bounded.bound) == ("unproved", pytest.approx(28.0))
    model.run()
    assert rp.certify(model).certified


def test_names_that_no_reader_takes_are_repaired_in_files(tmp_path) -> None:
    highs = live(tmp_path / "gone.lp")
    highs.addVar(1.0, 4.0)
    assert rp.analyze(highs)["columns"][0]["name"] == "c0"
    highs.passColName(0, "3 tons")
    assert next(iter(rp.export(highs, tmp_path / "out.lp")["columns"])).startswith("_")


def test_refused(path) -> None:
    for ask, words in (
        (lambda path: rp.solve(of_cvxpy(path, cones=2)), "has cones"),
        (lambda path: rp.export(path, "out.nl"), "only a Pyomo model"),
        (lambda path: rp.solve(path, "gurobi"), "write pyomo:gurobi"),
        (lambda path: rp.solve(path.with_name("gone.lp")), "gone.lp"),
        (lambda path: rp.solve(path.with_name("plan.txt")), "plan.txt"),
    ):
        refused(rp.RadprogError, words, ask, path)
