"""Solvers that lie: whatever they hand over, the certificate is recomputed and holds."""

import numpy as np
import pytest
from effort import examples, seeds
from hypothesis import given
from hypothesis import strategies as st
from lies import LIES

import radprog as rp
from radprog.decompositions.drivers.exchange import MasterPoint
from radprog.decompositions.loop import Budget
from radprog.decompositions.run import RunSettings
from radprog.decompositions.vkr.fit import assemble, fit_vkr, generate_columns, solve_whole
from radprog.decompositions.vkr.pricing import Incumbent, VotedOracle
from radprog.solvers.answer import SolverAnswer
from radprog.solvers.program import Status

SPEC = rp.VKR(kernels="poly:1-3,rbf:2", complexity="massart", lam=2e-3, beta=1e-3)


@pytest.mark.parametrize("method", ["colgen", "direct", "dual"])
def test_the_honest_double_is_certified(points, liar, method: str) -> None:
    """Without a lie the double is optimal, so that the tests below are about the lies."""
    liar(lambda program, truth: truth)
    found = fit_vkr(SPEC, points(16), RunSettings(method=method, solver="liar"))
    assert found.status is Status.OPTIMAL
    assert 0.01 < found.objective < 0.7


@pytest.mark.cases(24)
@pytest.mark.parametrize("method", ["colgen", "direct", "dual"])
@pytest.mark.parametrize("lie", LIES)
def test_a_lying_solver_is_never_certified(
    points, liar, naive_value, reference, method: str, lie: str
) -> None:
    liar(LIES[lie])
    for seed in seeds(3, 1):
        data = points(16, seed)
        problem, _ = assemble(SPEC, data)
        truth = reference(problem)
        try:
            found = fit_vkr(SPEC, data, RunSettings(method=method, solver="liar"))
        except rp.SolverError as error:
            assert "liar" in str(error)  # noqa: PT017
            continue
        if found.certified:  # a lie about duals alone: HiGHS's prove the point
            assert found.objective == pytest.approx(truth.value, rel=1e-6)
        else:
            assert found.status in (Status.FEASIBLE, Status.LIMIT)
        assert found.bound <= truth.value * (1 + 1e-9)
        assert found.objective >= truth.bound * (1 - 1e-9)
        value = naive_value(problem, found.evidence["pairs"], found.evidence["alpha"])
        assert found.objective == pytest.approx(value, rel=1e-12)


@given(st.integers(0, 10**6), st.floats(0.1, 10.0))
@examples(60)
def test_any_master_point_gives_a_valid_pair(make_problem, reference, seed, size) -> None:
    """The oracle's law: objective and bound enclose the optimum whatever the master says."""
    problem = make_problem(seed)
    truth = reference(problem)
    rng = np.random.default_rng(seed)
    oracle = VotedOracle(problem, Incumbent.trivial(problem))
    pairs = problem.all_pairs[rng.permutation(len(problem.all_pairs))[:5]]
    oracle.cuts(pairs)
    x = size * rng.normal(0.5, 1.0, problem.m)
    answer = oracle(MasterPoint(x, size * rng.normal(size=len(pairs)), 0.0), Budget())
    assert answer.bound <= truth.value * (1 + 1e-9)
    assert answer.objective >= truth.bound * (1 - 1e-9)
    if answer.cuts is not None:
        # Only violated columns are added, at the point as it was clipped.
        assert (np.abs(answer.cuts.matrix @ np.clip(x, 0.0, 1.0)) > 1.0).all()


def test_a_solver_that_calls_the_program_infeasible(points, liar) -> None:
    """An error of the whole program; column generation keeps what it has, and says so."""
    for word in (Status.INFEASIBLE, Status.UNBOUNDED):
        liar(lambda program, truth, word=word: SolverAnswer(status=word, message="no"))
        problem, _ = assemble(SPEC, points(10))
        for dual in (False, True):
            with pytest.raises(rp.SolverError, match=f"liar calls the program {word}"):
                solve_whole(problem, RunSettings(solver="liar"), Budget(), dual=dual)
        solved = generate_columns(problem, RunSettings(solver="liar"), Budget())
        assert "gave no point" in solved.warnings[0]
        assert (solved.incumbent.objective, len(solved.pairs)) == (1.0, 0)
