"""Linear models with few features: values of points hold, whatever the points are."""

import numpy as np
import pytest
from refusals import refused
from scipy import sparse

import radprog as rp
from radprog.models.linear.problem import LinearProblem, assemble

GROUPS = [0, 0, 1, 1, 2, 2]


def problem_of(spec: rp.L1Linear, seed: int = 0) -> LinearProblem:
    rng = np.random.default_rng(seed)
    X, noise = rng.standard_normal((30, 6)), rng.standard_normal(30)
    if spec.loss == "hinge":
        return assemble(spec, rp.dataset(X, np.where(X[:, 0] + noise > 0, 1, -1)))
    return assemble(spec, rp.regression_data(X, X[:, 0] + noise))


@pytest.mark.parametrize("loss", ["hinge", "quantile", "absolute"])
@pytest.mark.parametrize("groups", [None, GROUPS])
@pytest.mark.parametrize("signs", ["free", "nonnegative", "nonpositive"])
def test_any_dual_point_bounds_any_primal_point(loss: str, groups: list[int], signs: str) -> None:
    problem = problem_of(rp.L1Linear(loss=loss, beta=0.02, groups=groups, signs=signs))
    rng = np.random.default_rng(1)
    low, high = problem.box
    features, nothing = np.arange(6), np.zeros(0)
    bounds = []
    for _ in range(50):
        d = rng.uniform(low, high)
        d -= problem.s * (problem.s @ d) / 30  # inside the box, but for some points
        bounds.append(problem.dual_bound(d, nothing, problem.pricing(d, nothing)))
        w = rng.standard_normal(6) * rng.choice([0.0, 0.3], 6)
        w = np.clip(w, problem.allowed[0] * 9, problem.allowed[1] * 9)
        value = problem.primal_value(features, w, float(rng.standard_normal()))
        assert max(bounds) <= value < np.inf
    assert max(bounds) > 0.0


@pytest.mark.parametrize("quantile", [0.1, 0.3, 0.9])
def test_weights_that_are_all_at_an_end_are_a_bound(quantile: float) -> None:
    """No feature is used: rounding leaves a sum beside 0, and no weight has room both ways."""
    problem = problem_of(rp.L1Linear(loss="quantile", quantile=quantile, beta=10.0))
    assert rp.L1Linear() == rp.L1Linear(quantile=0.5)
    bias = np.sort(problem.a)[round(30 * quantile) - 1]
    d, none = np.where(problem.a > bias, *problem.box[::-1]), np.zeros(0)
    bound = problem.dual_bound(d, none, problem.pricing(d, none))
    value = problem.primal_value(none.astype(int), none, float(bias))
    assert bound <= value == pytest.approx(bound)


def test_atoms_are_vertices_of_the_balls_of_groups() -> None:
    problem = problem_of(rp.L1Linear(groups=GROUPS, signs="nonnegative"))
    gradient = np.array([1.0, -2.0, 3.0, 4.0, 0.0, 0.0])
    assert problem.edges(gradient).tolist() == [1.0, 7.0, 0.0]
    atoms = problem.atoms(np.array([0, 1]), gradient).toarray()
    assert atoms.T.tolist() == [[1, 0, 0, 0, 0, 0], [0, 0, 1, 1, 0, 0]]
    X = np.asarray(problem.X)
    assert np.allclose(problem.images(sparse.csc_array(atoms)).toarray(), X @ atoms)
    # a coefficient of a sign that is not allowed has no value
    assert problem.primal_value(np.array([0]), np.array([-1.0]), 0.0) == np.inf


def test_what_does_not_fit_is_refused() -> None:
    refused(rp.OptionError, "2 numbers for 6 features", problem_of, rp.L1Linear(groups=[0, 1]))
    classes, numbers = rp.dataset(np.eye(2), [0, 1]), rp.regression_data(np.eye(2), [0.5, 1.0])
    absolute = rp.L1Linear(loss="absolute")
    refused(rp.DataError, "a numeric label column", assemble, absolute, classes)
    refused(rp.DataError, "needs two classes", assemble, rp.L1Linear(), numbers)
