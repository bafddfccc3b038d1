"""Certificates on the papers' own sets, where the optimum is about 1e-5."""

from dataclasses import replace

import numpy as np
import pytest
from papers_files import path_of

import radprog as rp
from radprog.decompositions.run import Run, RunSettings, RunStatus
from radprog.decompositions.vkr.fit import assemble, fit_vkr
from radprog.models.constraints import parity, rows_of

pytestmark = pytest.mark.data
TINY = rp.VKR(kernels="poly:1-10", lam=1e-6, beta=1e-6)
TIGHT = RunSettings(tol=1e-8, abs_tol=0.0)


def load(name: str) -> rp.Dataset:
    return rp.read(str(path_of(name)), scale="unit")


def check(run: Run) -> None:
    assert run.status is RunStatus.OPTIMAL
    assert run.certified_by == "tol"
    assert run.gap <= 1e-8
    assert 0.0 < run.bound <= run.objective < 1e-3


def test_ionosphere_at_tiny_prices(naive_value) -> None:
    data = load("ionosphere")
    run = fit_vkr(TINY, data, TIGHT)
    check(run)
    problem, _ = assemble(TINY, data)
    value = naive_value(problem, run.evidence["pairs"], run.evidence["alpha"])
    assert run.objective == pytest.approx(value, rel=1e-9)
    assert run.objective >= value * (1 - 1e-9)


@pytest.mark.slow
def test_ocr49_at_tiny_prices() -> None:
    check(fit_vkr(TINY, load("ocr49"), TIGHT))


@pytest.mark.slow
def test_german_with_parity_in_one_column() -> None:
    """Column generation and the whole program agree at 20 eps; a price is a finite difference."""
    data, spec = rp.read(str(path_of("german")), scale="ball"), rp.L1SVM(kernels="poly:1")

    def solved(eps: float, method: str = "colgen") -> Run:
        rows = rows_of(parity(15, eps), data)
        settings = RunSettings(tol=1e-9, method=method)
        return fit_vkr(replace(spec, constraints=rows), data, settings)

    for eps in np.linspace(0.0, 0.45, 20).tolist():
        run = solved(eps)
        assert run.certified
        assert run.objective == pytest.approx(solved(eps, "direct").objective, rel=1e-7)
        (told,) = run.extra["constraints"]
        step = 1e-6
        before = run.objective if eps == 0.0 else solved(eps - step).objective
        slope = (before - solved(eps + step).objective) / (step if eps == 0.0 else 2 * step)
        assert told["price"] == pytest.approx(slope, rel=1e-4)
        assert told["price"] > 0.0
        assert abs(told["slack"]) <= 1e-9
