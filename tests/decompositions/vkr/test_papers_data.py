"""Certificates on the papers' own sets, where the optimum is about 1e-5."""

import pytest
from papers_files import path_of

import radprog as rp
from radprog.decompositions.run import Run, RunSettings, RunStatus
from radprog.decompositions.vkr.fit import assemble, fit_vkr

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
