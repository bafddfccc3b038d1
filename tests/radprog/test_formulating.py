"""Fitted scores as algebra: their values, and the best point of a box beside a grid."""

import numpy as np
import pyomo.environ as pyo
import pytest
from refusals import refused

import radprog as rp
from radprog.solvers.compile import compile_model
from radprog.solvers.program import ProblemClass

RNG = np.random.default_rng(0)
UNITS = np.array([1.0, 5.0, 100.0]), np.array([0.0, 3.0, 1000.0])


def rows(n: int):
    """Three features in units of their own."""
    return RNG.normal(size=(n, 3)) * UNITS[0] + UNITS[1]


X = rows(90)
Y = np.where(np.sin(2 * X[:, 0]) + X[:, 1] / 5 + 0.3 * RNG.normal(size=90) > 0, 1, -1)
NEW = rows(25)
SPECS = {
    "linear": rp.L1SVM(kernels="linear"),
    "poly:1": rp.SVM(kernels="poly:1"),
    "poly:2": rp.VKR(kernels="poly:1-2,linear"),
    "rbf": rp.SVM(kernels="rbf:0.5"),
    "all": rp.VKR(kernels="poly:1-5,rbf:0.5,laplace:1", beta=1e-4),
    "mkl": rp.MKL(kernels="rbf:0.1,poly:2,linear"),
    "l1linear": rp.L1Linear(beta=1e-2),
    "simsvm": rp.SimSVM(kernels="laplace:0.3"),
}
CLASS = {
    **dict.fromkeys(["linear", "l1linear", "poly:1"], ProblemClass.LP),
    "poly:2": ProblemClass.QP,
}


def values(model, score, points):
    """The expression at points."""
    found = []
    for point in points:
        model.x.set_values(dict(enumerate(point.tolist())))
        found.append(pyo.value(score))
    return np.array(found)


@pytest.mark.parametrize("scale", ["none", "standard", "minmax", "ball", "unit"])
@pytest.mark.parametrize("name", SPECS)
def test_the_score_is_that_of_the_fit(tmp_path, name: str, scale: str) -> None:
    data = rp.dataset(X, Y, scale=scale)
    run = rp.fit(SPECS[name], data, tol=1e-4)
    expected = run.decision_function(NEW)
    model = pyo.ConcreteModel()
    model.x = pyo.Var(range(3))
    score = rp.formulate(run, model, model.x)
    assert score is model.score
    largest = np.abs(expected).max()
    np.testing.assert_allclose(values(model, score, NEW), expected, rtol=0, atol=1e-8 * largest)
    rp.save_fit(run, data, tmp_path / "f.json")
    model.inner = pyo.Block()
    again = rp.formulate(rp.load_fit(tmp_path / "f.json"), model.inner, list(model.x.values()))
    np.testing.assert_array_equal(values(model, again, NEW), values(model, score, NEW))
    model.bare = pyo.Block()  # of scaled features
    bare = rp.formulate(run.fit, model.bare, model.x)
    scaled, expected = data.X[:20], run.decision_function(X[:20])
    np.testing.assert_allclose(values(model, bare, scaled), expected, rtol=0, atol=1e-8 * largest)
    if name in CLASS and scale != "unit":
        model.best = pyo.Objective(expr=score)
        assert compile_model(model).problem_class is CLASS[name]


def test_classes_have_a_score_each() -> None:
    labels = np.array(["a", "b", "c"])[np.digitize(X[:, 0], [-0.5, 0.5])]
    data = rp.dataset(X, labels, scale="standard", one_vs_rest=True)
    run = rp.fit(rp.L1SVM(kernels="poly:3"), data)
    model = pyo.ConcreteModel()
    model.x = pyo.Var(range(3))
    rp.formulate(run, model, model.x)
    found = np.column_stack([values(model, model.score[k], NEW) for k in range(3)])
    np.testing.assert_allclose(found, run.decision_function(NEW), rtol=0, atol=1e-9)
    model.bare = pyo.Block()
    assert len(rp.formulate(run.fit, model.bare, model.x)) == 3


@pytest.mark.parametrize(("kernels", "solver"), [("poly:2", "scip"), ("rbf:0.5", "ipopt")])
def test_the_best_point_of_a_box_beats_a_grid(kernels: str, solver: str) -> None:
    run = rp.fit(rp.SVM(kernels=kernels), rp.dataset(X[:, :2], Y, scale="standard"))
    low, high = X[:, :2].min(axis=0), X[:, :2].max(axis=0)
    axes = [np.linspace(low[j], high[j], 317) for j in range(2)]
    grid = np.stack(np.meshgrid(*axes), axis=-1).reshape(-1, 2)
    assert len(grid) > 1e5
    known = run.decision_function(grid)
    best = -np.inf
    coarse = grid[:: len(grid) // 3]
    for start in coarse if solver == "ipopt" else coarse[:1]:
        model = pyo.ConcreteModel()
        model.x = pyo.Var(range(2), bounds=lambda m, j: (low[j], high[j]))
        model.x.set_values(dict(enumerate(start.tolist())))
        model.best = pyo.Objective(expr=rp.formulate(run, model, model.x), sense=pyo.maximize)
        solution = rp.solve(model, solver)
        assert solution.claimed_optimal
        assert solution.objective == pytest.approx(pyo.value(model.best))
        best = max(best, pyo.value(model.best))
    step = max(np.abs(np.diff(known.reshape(317, 317), axis=k)).max() for k in range(2))
    assert known.max() - 1e-9 <= best <= known.max() + step


def test_what_has_no_formula() -> None:
    data = rp.dataset(X, Y)
    model = pyo.ConcreteModel()
    model.x = pyo.Var(range(3))
    run = rp.fit(rp.SVM(kernels="linear"), data)
    words = rp.dataset(np.array(["ab", "abc", "x", "xyz"]), np.array([1, 1, -1, -1]))
    own = rp.fit(rp.SVM(kernels=lambda X, Z: X @ Z.T), data)
    gram = rp.fit(rp.SVM(kernels=X @ X.T), data)
    edit = rp.fit(rp.SimSVM(kernels="edit"), words)
    for fit, inputs, message in (
        (run, [model.x[0]], "1 inputs given, the fit has 3 columns"),
        (run, 3.0, "inputs are 3.0: expected a sequence"),
        (run, [1.0, float("nan"), 2.0], "input nan: expected a variable or finite number"),
        (run, "abc", "input 'a': expected a variable or finite number"),
        (run.trace, model.x, "expected a run of rp.fit or a fit"),
        (rp.fit(rp.LPBoost(learner="stump"), data).fit, model.x, "'tree_votes' has no formula"),
        (own, model.x, "kernel own:kernel1 has no formula"),
        (gram, model.x, "kernel gram:1 has no formula"),
        (edit, model.x, "the fit has None columns"),
    ):
        refused(rp.OptionError, message, rp.formulate, fit, pyo.Block(concrete=True), inputs)
    words = "block None: expected a constructed Block or model"
    refused(rp.OptionError, words, rp.formulate, run, None, model.x)
    rp.formulate(run, model, model.x)
    refused(rp.OptionError, "component 'scaled' already", rp.formulate, run, model, model.x)
