"""Limits in bounded-loss regression: constants where they strike in set-up, else what is done."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from radprog.base.limits import OutOfBudget, under
from radprog.decompositions.loop import Budget, Reason, Record
from radprog.decompositions.regression import assembly, complexity, srm
from radprog.decompositions.regression.complexity import fit_complexity
from radprog.decompositions.regression.fit import fit_svr
from radprog.decompositions.regression.recompute import (
    recompute_complexity,
    recompute_srm,
    recompute_svr,
)
from radprog.decompositions.regression.srm import fit_srm
from radprog.decompositions.run import RunSettings, RunStatus
from radprog.instances.generators import sinc
from radprog.models.complexity import standard_error
from radprog.models.regression import problem as classes
from radprog.models.regression.problem import BoundedLoss, complexity_terms, regression_class
from radprog.models.regression.settings import SRM, SVR, Complexity

PAST = RunSettings(time_limit=1e-9)
INTERRUPTED = RunSettings(interrupted=lambda: True)


@pytest.fixture
def unfactored(monkeypatch: pytest.MonkeyPatch, no_grace) -> None:
    """No kernel matrix may be factored, and there is no grace."""

    def factored(*_: object) -> None:
        raise AssertionError("a kernel matrix was factored although the time was over")

    monkeypatch.setattr(assembly, "regression_class", factored)
    monkeypatch.setattr(srm, "regression_class", factored)


@pytest.mark.parametrize("settings", [PAST, INTERRUPTED], ids=["time", "interrupt"])
@pytest.mark.parametrize("spec", [SVR(A=5.0), SVR(C=2.0), SVR(kernels="linear", A=0.0)], ids=str)
def test_svr_without_time_is_the_best_constant(unfactored, spec: SVR, settings) -> None:
    data = sinc(30)
    run = fit_svr(spec, data, settings)
    assert run.status is RunStatus.LIMIT
    assert run.stopped_by.value in run.warnings[0]
    assert "before the kernel matrix was factored" in run.warnings[0]
    assert run.summary["norm2"] == 0.0
    losses = spec.loss()(data.targets - run.summary["bias"])
    every = np.linspace(-2.0, 2.0, 4001)[:, None]
    assert losses.sum() <= spec.loss()(data.targets - every).sum(axis=1).min() + 1e-9
    assert run.objective == pytest.approx((spec.C or 1.0) * losses.sum(), rel=1e-12)
    assert np.ptp(run.fit.predict(data.X)) == 0.0
    with pytest.MonkeyPatch.context() as allowed:
        allowed.setattr(assembly, "regression_class", regression_class)
        assert recompute_svr(spec, data, run.evidence, 0).pair == (run.objective, None)


@pytest.mark.thorough
@pytest.mark.parametrize("method", ["cccp", "exact"])
def test_complexity_without_time_is_that_of_constants(unfactored, method: str) -> None:
    data = sinc(6)
    spec = Complexity(gamma=1.0, A=0.5, trials=8 if method == "cccp" else None)
    run = fit_complexity(spec, data, RunSettings(method=method, time_limit=1e-9))
    assert (run.status, run.stopped_by) == (RunStatus.LIMIT, Reason.TIME_LIMIT)
    said = " ".join(run.warnings)
    assert "before the kernel matrix was factored" in said
    assert "constants" in said
    assert run.extra["certified_upper"] <= 1.0
    with pytest.MonkeyPatch.context() as allowed:
        allowed.setattr(assembly, "regression_class", regression_class)
        whole = fit_complexity(spec, data, RunSettings(method=method))
        again = recompute_complexity(spec, data, run.evidence, 0).pair
    assert again[0] == pytest.approx(run.objective, rel=1e-12)
    assert 0.0 <= run.objective <= whole.objective <= run.extra["certified_upper"] + 1e-12
    assert whole.extra["certified_upper"] <= run.extra["certified_upper"]


@pytest.mark.thorough
def test_a_part_of_the_sample_is_an_estimate(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each sign vector is a block: what is done when the interrupt comes is the full run's."""
    monkeypatch.setattr(complexity, "MULTIPLIED", 1)
    data, spec = sinc(20), Complexity(gamma=1.0, A=1.0, trials=8, starts=2)
    seen: list[Record] = []
    full = fit_complexity(spec, data, RunSettings(observe=seen.append))
    assert [record.iteration for record in seen] == list(range(len(seen)))
    assert full.extra["trials"] == 8
    assert full.warnings == ()
    sizes = set()
    for most in (0, len(seen) // 2, len(seen) - 2):
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
        if most == 0:
            assert done == 8
            continue
        assert 2 <= done < 8
        assert f"{done} of 8 sign vectors were done" in " ".join(run.warnings)
        signs = complexity.signs_of(spec, 20, 0, "cccp")[:done]
        K = np.exp(-np.square(data.X - data.X.T))
        h = np.array(full.evidence["coefficients"])[:done] @ K
        h += np.array(full.evidence["bias"])[:done, None]
        suprema = np.einsum("ij,ij->i", signs, spec.loss()(data.targets - h))
        terms = complexity_terms(signs, suprema)
        assert run.objective == pytest.approx(terms.mean(), rel=1e-9)
        assert run.extra["standard_error"] == pytest.approx(standard_error(terms), rel=1e-9)
    assert len(sizes) == 3


@pytest.mark.parametrize("settings", [PAST, INTERRUPTED], ids=["time", "interrupt"])
def test_srm_without_time_has_the_constants_of_its_first_class(
    unfactored, settings, tmp_path: Path
) -> None:
    path = tmp_path / "cells.json"
    spec = SRM(gammas="0.5,2", As="0.1,1", trials=6, checkpoint=str(path))
    data = sinc(20)
    run = fit_srm(spec, data, settings)
    assert run.status is RunStatus.LIMIT
    assert (len(run.extra["cells"]), run.extra["complete"]) == (1, False)
    assert "before the first of 4 cells" in run.warnings[0]
    assert (run.summary["gamma"], run.summary["A"], run.summary["norm2"]) == (0.5, 0.1, 0.0)
    assert not path.exists()
    json.dumps(run.extra, allow_nan=False)
    with pytest.MonkeyPatch.context() as allowed:
        allowed.setattr(srm, "regression_class", regression_class)
        assert recompute_srm(spec, data, run.evidence, 0).objective == pytest.approx(run.objective)
        whole = fit_srm(spec, data, RunSettings())
    assert whole.extra["complete"]
    assert path.exists()


def test_products_with_the_kernel_matrix_are_polled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(classes, "LOSS_ROWS_AT_ONCE", 4)
    data = sinc(12)
    K = np.exp(-np.square(data.X - data.X.T))
    problem = regression_class(K, data.targets, BoundedLoss())
    c = np.random.default_rng(0).standard_normal((3, 12))
    c[:, 5] = 0.0
    np.testing.assert_allclose(problem.images(c), c @ K, atol=1e-13)
    np.testing.assert_allclose(problem.images(c, absolute=True), np.abs(c) @ np.abs(K), atol=1e-13)
    asked: list[int] = []

    def interrupted() -> bool:
        asked.append(1)
        return len(asked) > 2

    with pytest.raises(OutOfBudget), under(Budget(interrupted=interrupted)):
        problem.images(c)
    assert len(asked) == 3
