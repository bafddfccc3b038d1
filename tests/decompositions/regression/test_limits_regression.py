"""Limits in bounded-loss regression: constants where they strike in set-up, else what is done."""

import numpy as np
import pytest
from cut_off import polled

import radprog as rp
from radprog.base.limits import OutOfBudget, under
from radprog.decompositions.loop import Budget, Reason, Record
from radprog.decompositions.regression import complexity
from radprog.decompositions.regression.complexity import fit_complexity, recompute_complexity
from radprog.decompositions.regression.fit import fit_svr
from radprog.decompositions.regression.srm import fit_srm
from radprog.decompositions.run import RunSettings, RunStatus
from radprog.instances.generators import sinc
from radprog.models.complexity import standard_error
from radprog.models.regression import problem as classes
from radprog.models.regression.problem import BoundedLoss, complexity_terms, regression_class

PAST = RunSettings(time_limit=1e-9)
INTERRUPTED = RunSettings(interrupted=lambda: True)


@pytest.mark.parametrize("settings", [PAST, INTERRUPTED], ids=["time", "interrupt"])
def test_without_a_first_step_there_is_no_answer(settings) -> None:
    for fit, spec in (
        (fit_svr, rp.SVR(A=5.0)),
        (fit_svr, rp.SVR(C=2.0)),
        (fit_complexity, rp.Complexity(gamma=1.0, A=0.5, trials=8)),
        (fit_srm, rp.SRM(gammas="0.5,2", As="0.1,1", trials=6)),
    ):
        with pytest.raises(rp.UnfinishedError, match="ended before"):
            fit(spec, sinc(12), settings)


@pytest.mark.thorough
def test_a_part_of_the_sample_is_an_estimate(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each sign vector is a block: what is done when the interrupt comes is the full run's."""
    monkeypatch.setattr(complexity, "MULTIPLIED", 1)
    data, spec = sinc(20), rp.Complexity(gamma=1.0, A=1.0, trials=8, starts=2)
    seen: list[Record] = []
    full = fit_complexity(spec, data, RunSettings(observe=seen.append))
    assert [record.iteration for record in seen] == list(range(len(seen)))
    assert full.extra["trials"] == 8
    assert full.warnings == ()
    sizes = set()
    for most in (len(seen) // 2, len(seen) - 2):
        watched: list[Record] = []

        def interrupted(watched: list[Record] = watched, most: int = most) -> bool:
            return len(watched) >= most

        settings = RunSettings(observe=watched.append, interrupted=interrupted)
        run = fit_complexity(spec, data, settings)
        assert (run.status, run.stopped_by) == (RunStatus.LIMIT, Reason.INTERRUPT)
        done = run.extra["trials"]
        sizes.add(done)
        assert recompute_complexity(spec, data, run.evidence, 0).objective == pytest.approx(
            run.objective, rel=1e-12
        )
        assert 2 <= done < 8
        assert f"{done} of 8 sign vectors were done" in " ".join(run.warnings)
        signs = complexity.signs_of(spec, 20, 0, "cccp")[:done]
        h = np.array(full.evidence["coefficients"])[:done] @ np.exp(-np.square(data.X - data.X.T))
        h += np.array(full.evidence["bias"])[:done, None]
        terms = complexity_terms(signs, np.einsum("ij,ij->i", signs, spec.loss()(data.targets - h)))
        assert run.objective == pytest.approx(terms.mean(), rel=1e-9)
        assert run.extra["standard_error"] == pytest.approx(standard_error(terms), rel=1e-9)
    assert len(sizes) == 2


def test_products_with_the_kernel_matrix_are_polled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(classes, "LOSS_ROWS_AT_ONCE", 4)
    data = sinc(12)
    K = np.exp(-np.square(data.X - data.X.T))
    problem = regression_class(K, data.targets, BoundedLoss())
    c = np.random.default_rng(0).standard_normal((3, 12))
    c[:, 5] = 0.0
    np.testing.assert_allclose(problem.images(c), c @ K, atol=1e-13)
    np.testing.assert_allclose(problem.images(c, absolute=True), np.abs(c) @ np.abs(K), atol=1e-13)
    interrupted, asked = polled(2)
    with pytest.raises(OutOfBudget), under(Budget(interrupted=interrupted)):
        problem.images(c)
    assert len(asked) == 3
