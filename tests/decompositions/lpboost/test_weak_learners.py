"""Pricing: exact over single shapelets, local over balls; against loops, enumeration, programs."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

import radprog as rp
from radprog.base.errors import SolverError
from radprog.base.types import FloatArray
from radprog.decompositions.loop import Budget
from radprog.decompositions.lpboost.convex_step import L1Step, MinNormStep
from radprog.decompositions.lpboost.fit import fit_lpboost, recompute_lpboost
from radprog.decompositions.lpboost.shapelets import Hypothesis, Shapelets, assemble
from radprog.decompositions.lpboost.weak_learners import COLUMNS, BallLearner, SingleShapelets
from radprog.decompositions.run import RunSettings

STEPS = {"l1": L1Step, "rkhs": MinNormStep}


def problem_of(spec: rp.LPBoost, seed: int, m: int = 4, Q: int = 3) -> Shapelets:
    """Bags of random patterns in the plane, classes in turn."""
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(m) % 2 == 0, 1, -1)
    return assemble(spec, rp.bags(rng.normal(size=(m, Q, 2)), y))


def weights(seed: int, m: int) -> FloatArray:
    return np.random.default_rng(seed + 77).dirichlet(np.ones(m))


def edge_of(problem: Shapelets, h: Hypothesis, d: FloatArray) -> float:
    """sum_i d_i y_i h(x_i) from the patterns alone, by loops."""
    family = problem.families[h.family]
    Z = family.table.patterns
    total = 0.0
    for i in range(problem.m):
        scores = [
            sum(
                a * float(family.kernel(family.stacked[[k]], x[None, :])[0, 0])
                for k, a in zip(h.patterns, h.alpha, strict=True)
            )
            for x in Z[i]
        ]
        total += float(d[i] * problem.margin.y[i]) * h.sign * max(scores)
    return total


@pytest.mark.parametrize("kernel", ["gauss", "linear", "distance"])
@pytest.mark.parametrize("learner", ["shapelet", "shapelet-plus"])
@pytest.mark.parametrize("seed", range(3))
def test_exact_pricing_is_the_largest_edge(seed: int, learner: str, kernel: str) -> None:
    problem = problem_of(rp.LPBoost(learner=learner, pattern_kernel=kernel, radius=1.5), seed)
    d = weights(seed, 4)
    pricer = SingleShapelets(problem, signed=learner == "shapelet")
    signs = (1.0, -1.0) if learner == "shapelet" else (1.0,)
    singles = (problem.single(0, k, sign) for k in range(problem.n) for sign in signs)
    edges = [edge_of(problem, one, d) for one in singles]
    found = pricer(d, -np.inf, (), Budget())
    assert found.edge == pytest.approx(max(edges), rel=1e-9)
    assert found.bound == pytest.approx(max(edges), rel=1e-9)
    assert found.bound >= found.edge
    assert pricer.bound(d) == found.bound
    best = found.hypotheses[0]
    assert edge_of(problem, best, d) == pytest.approx(max(edges), rel=1e-9)
    np.testing.assert_allclose(problem.margin.edges(best.values[None, :], d), max(edges), rtol=1e-9)


def test_several_hypotheses_but_one_of_a_series_and_length() -> None:
    rng = np.random.default_rng(0)
    data = rp.series(rng.normal(size=(30, 12)), rng.permutation(np.arange(30) % 2))
    problem = assemble(rp.LPBoost(length="3,5", sigma=1.0), data)
    d = weights(1, 30)
    found = SingleShapelets(problem, signed=True)(d, 0.01, (), Budget())
    assert len(found.hypotheses) == COLUMNS
    sizes = [family.n // problem.m for family in problem.families]
    places = {(h.family, int(h.patterns[0]) // sizes[h.family]) for h in found.hypotheses}
    assert len(places) == COLUMNS
    edges = [float(problem.margin.edges(h.values[None, :], d)[0]) for h in found.hypotheses]
    assert edges == sorted(edges, reverse=True)
    assert min(edges) > 0.01
    assert SingleShapelets(problem, signed=True)(d, 1e9, (), Budget()).hypotheses == ()


def exact_edge(problem: Shapelets, d: FloatArray, learner: str) -> float:
    """The largest edge over the ball: the best of the convex programs of all slopes."""
    gram, y = problem.families[0].gram, problem.margin.y
    solver = STEPS[learner](gram, y, problem.radius, 1e-10)
    positive, Q = solver.positive, solver.Q
    values = []
    for choice in itertools.product(range(Q), repeat=len(positive)):
        slopes = positive * Q + np.array(choice, dtype=np.intp)
        values.append(solver(d, slopes, Budget()).value)
    return -min(values)


@pytest.mark.thorough
@pytest.mark.parametrize("learner", ["l1", "rkhs"])
def test_local_pricing_against_enumeration(learner: str) -> None:
    spec = rp.LPBoost(learner=learner, starts=8, sigma=0.6, dca_iter=50)
    reached = improved = 0
    for seed in range(15):
        problem, d = problem_of(spec, seed, m=5), weights(seed, 5)
        found = BallLearner(spec, problem, RunSettings(seed=seed))(d, np.inf, (), Budget())
        assert found.bound is None
        assert found.hypotheses == ()
        best = exact_edge(problem, d, learner)
        assert found.edge <= best + 1e-6
        reached += found.edge >= best - 1e-4 * abs(best)
        single = SingleShapelets(problem, signed=False)(d, np.inf, (), Budget()).edge
        assert found.edge >= single - 1e-9
        improved += found.edge > single + 1e-3
    assert reached >= 12
    assert improved >= 4


@pytest.mark.parametrize("learner", ["l1", "rkhs"])
def test_hypotheses_are_what_they_say(learner: str) -> None:
    spec = rp.LPBoost(learner=learner, sigma=0.6, radius=2.0, orientation="both")
    problem, d = problem_of(spec, 3, m=6), weights(3, 6)
    found = BallLearner(spec, problem, RunSettings())(d, -np.inf, (), Budget())
    assert len(found.hypotheses) >= 2
    assert {h.sign for h in found.hypotheses} == {1.0, -1.0}
    K = problem.families[0].gram.rows(np.arange(problem.n))
    for h in found.hypotheses:
        edge = edge_of(problem, h, d)
        assert edge == pytest.approx(float(problem.margin.edges(h.values[None, :], d)[0]))
        if learner == "l1":
            assert np.abs(h.alpha).sum() <= 2.0 + 1e-9
        else:
            assert h.alpha @ K[np.ix_(h.patterns, h.patterns)] @ h.alpha <= 4.0 + 1e-8
    assert edge_of(problem, found.hypotheses[0], d) == pytest.approx(found.edge)
    for first, second in itertools.combinations(found.hypotheses, 2):
        assert np.abs(first.values - second.values).max() > 1e-9


def test_starts_that_are_not_new_are_left_out() -> None:
    """Three of four series are the same: no start but the first is new, whatever the name."""
    X = np.repeat(np.random.default_rng(0).normal(size=(2, 1, 2)), [1, 3], axis=0)
    spec = rp.LPBoost(learner="l1", starts=8, sigma=0.6)
    problem = assemble(spec, rp.bags(X, np.array([1, -1, -1, -1])))
    found = BallLearner(spec, problem, RunSettings())(weights(0, 4), np.inf, (), Budget())
    assert (found.detail["starts"], found.detail["distinct"]) == (8, 1)
    assert np.isfinite(found.edge)


@pytest.mark.parametrize("orientation", ["given", "both"])
@pytest.mark.parametrize("seed", range(2))
def test_the_search_over_the_ball_against_enumeration(seed: int, orientation: str) -> None:
    spec = rp.LPBoost(learner="l1", sigma=0.6, pricing="exact", orientation=orientation)
    problem, d = problem_of(spec, seed, m=5), weights(seed, 5)
    best = exact_edge(problem, d, "l1")
    if orientation == "both":
        flipped = replace(problem, margin=replace(problem.margin, y=-problem.margin.y))
        best = max(best, exact_edge(flipped, d, "l1"))
    # no edge above the threshold: the program of every ball is solved
    priced = BallLearner(spec, problem, RunSettings())(d, np.inf, (), Budget())
    assert priced.edge == pytest.approx(best, abs=1e-8)
    assert best - 1e-8 <= priced.bound <= best + 1e-6


@pytest.mark.cases(3)
@pytest.mark.parametrize("seed", range(10))
def test_exact_pricing_ends_where_no_hypothesis_has_a_larger_edge(seed: int) -> None:
    """A run that says that no column is left has priced all: its bound is its objective."""
    rng = np.random.default_rng(seed)
    rows = int(rng.integers(4, 7))
    X = rng.normal(size=(rows, int(rng.integers(4, 7)))).cumsum(axis=1)
    data = rp.series(X, np.where(np.arange(rows) % 2 == 0, 1, -1))
    spec = rp.LPBoost(
        length=int(rng.integers(2, 4)), nu=float(rng.choice([0.3, 0.5, 0.8])), learner="l1",
        sigma=float(rng.choice([0.5, 1.0, 2.0])), pricing="exact",
        orientation=str(rng.choice(["given", "both"])),
    )  # fmt: skip
    run = rp.fit(spec, data)
    assert (run.certified, run.proved_by) == (True, "solver")
    for group in run.fit.groups:
        assert np.abs(group.alpha).sum(axis=1).max() <= 1.0 + 1e-9


def test_a_pricing_solver_that_fails_leaves_what_was_found(monkeypatch) -> None:
    def fail(*given: object) -> None:
        raise SolverError("numerical troubles")

    monkeypatch.setattr("radprog.decompositions.lpboost.weak_learners.search_form", fail)
    rng = np.random.default_rng(0)
    data = rp.bags(rng.normal(size=(6, 3, 2)), np.where(np.arange(6) % 2 == 0, 1, -1))
    with pytest.warns(rp.RadprogWarning, match="pricing is not exact: numerical troubles"):
        run = rp.fit(rp.LPBoost(learner="l1", sigma=0.6, pricing="exact"), data)
    assert (run.status, run.bound) == ("feasible", None)
    assert run.objective == pytest.approx(0.0765142306646, rel=1e-2)


def test_exact_pricing_certifies_a_ball() -> None:
    spec = rp.LPBoost(learner="l1", sigma=0.6, pricing="exact")
    rng = np.random.default_rng(0)
    data = rp.bags(rng.normal(size=(6, 3, 2)), np.where(np.arange(6) % 2 == 0, 1, -1))
    run = fit_lpboost(spec, data, RunSettings())
    assert (run.certified, run.proved_by) == (True, "solver")
    assert run.objective == pytest.approx(0.0765142306646, rel=1e-9)
    assert recompute_lpboost(spec, data, run.evidence, 0).pair == (run.objective, run.bound)
