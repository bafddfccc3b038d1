"""Limits in multiple kernel learning: wherever they strike there are weights and a bound."""

from __future__ import annotations

import json

import numpy as np
import pytest
from cut_off import polled

from radprog.decompositions.loop import Reason
from radprog.decompositions.mkl.fit import fit_mkl, recompute_mkl
from radprog.decompositions.run import RunSettings, RunStatus
from radprog.instances.dataset import Dataset, dataset
from radprog.models.mkl.settings import MKL

KERNELS = "rbf:0.1,rbf:1,poly:2"
POLLS = (0, 1, 5, 12, 20, 30, 45, 70, 120, 250)
CASES = [
    (MKL(kernels=KERNELS), "silp"),
    (MKL(kernels=KERNELS, norm=2.0), "silp"),
    (MKL(kernels=KERNELS, normalize="none", tail_budget=1.0), "silp"),
    (MKL(kernels=KERNELS), "qcqp"),
    (MKL(kernels=KERNELS, variant="lp", loss="squared"), "silp"),
    (MKL(kernels=KERNELS, variant="unif"), "svm"),
    (MKL(kernels=KERNELS, variant="dc", starts=2), "hybrid"),
    (MKL(kernels=KERNELS, variant="dc", starts=2), "dca"),
    (MKL(kernels=KERNELS, variant="dc", norm=2.0, starts=2), "algorithm1"),
    (MKL(kernels=KERNELS, variant="dc", starts=2), "global"),
]


def two_classes(n: int = 24) -> Dataset:
    rng = np.random.default_rng(3)
    X = rng.standard_normal((n, 3))
    return dataset(X, np.where(X[:, 0] + 0.8 * rng.standard_normal(n) > 0, 1.0, -1.0))


@pytest.mark.parametrize(("spec", "method"), CASES, ids=str)
def test_weights_and_a_bound_without_any_grace(no_grace, spec: MKL, method: str) -> None:
    data = two_classes()
    n = data.rows
    constant = 2.0 * min(int((data.targets > 0).sum()), int((data.targets < 0).sum()))
    if spec.loss == "squared":
        constant = 0.5 * float(np.square(data.targets - data.targets.mean()).sum())
    for polls in POLLS:
        flag, asked = polled(polls)
        run = fit_mkl(spec, data, RunSettings(method=method, interrupted=flag, tol=1e-9))
        assert 0.0 <= run.bound <= run.objective * (1 + 1e-12)
        assert run.objective <= constant * (1 + 1e-9)
        cut = run.stopped_by is Reason.INTERRUPT
        assert cut == (run.status is RunStatus.LIMIT)
        assert len(asked) < polls + 60 or not cut  # then it ends
        json.dumps({**run.summary, **run.evidence, **run.extra}, allow_nan=False)
        again = recompute_mkl(spec, data, run.evidence)
        assert (run.objective, run.bound) == pytest.approx(again.pair, rel=1e-9)
        assert run.fit.predict(data.X).shape == (n,)
        if polls == 0:
            assert cut
            assert (run.objective, run.bound) == (pytest.approx(constant), 0.0)
            assert "before its kernels were there" in " ".join(run.warnings)
            weights = np.array(run.summary["weights"])
            assert np.ptp(weights) == 0.0
            assert weights.any() == (spec.normalize == "trace")
