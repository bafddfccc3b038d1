"""Sampled centres: the certificate is over their family, and said to be; the rest refuses."""

import numpy as np
import pytest
from table_generators import waveform

from radprog.decompositions.run import RunSettings
from radprog.decompositions.vkr.fit import assemble, fit_vkr, recompute_vkr
from radprog.decompositions.vkr.forms import vkr_form
from radprog.models.vkr.settings import L1SVM, VKR
from radprog.solvers.registry import solve_model

DATA = waveform(60, seed=3)
SPEC = VKR(kernels="poly:1-3", lam=1e-3, beta=1e-3, centres="12")


@pytest.mark.parametrize("method", ["colgen", "direct", "dual"])
def test_every_method_is_certified_over_the_sampled_family(method: str) -> None:
    run = fit_vkr(SPEC, DATA, RunSettings(method=method, tol=1e-6))
    rows = run.summary["centre_rows"]
    assert run.certified
    assert rows == sorted(set(rows))
    assert len(rows) == 12
    assert any("12 of the 60 points" in text and "that family" in text for text in run.warnings)
    used = {j for _, j in run.evidence["pairs"]}
    assert used <= set(range(12))
    assert "sampled centres" in run.extra["compression"]["refused"]
    again = recompute_vkr(SPEC, DATA, run.evidence, 0)
    assert again.objective == pytest.approx(run.objective, rel=1e-12)
    assert len(run.fit.predict(DATA.X)) == 60


def test_family_is_that_of_the_points_sampled() -> None:
    problem, _ = assemble(SPEC, DATA, 0)
    rows = problem.centre_rows
    np.testing.assert_array_equal(problem.bank.centres, DATA.X[rows])
    whole = fit_vkr(VKR(kernels="poly:1-3", lam=1e-3, beta=1e-3), DATA, RunSettings())
    assert fit_vkr(SPEC, DATA, RunSettings()).objective > whole.objective  # type: ignore[operator]
    every = fit_vkr(VKR(kernels="poly:1-3", lam=1e-3, beta=1e-3, centres=60), DATA, RunSettings())
    assert every.objective == pytest.approx(whole.objective, rel=1e-6)
    assert rows.tolist() != assemble(SPEC, DATA, 1)[0].centre_rows.tolist()


def test_exports_name_the_points() -> None:
    spec = L1SVM(kernels="rbf:0.1", beta=1e-2, centres=9)
    for form in ("primal", "dual", "master"):
        built = vkr_form(spec, DATA, form, RunSettings())
        assert len(built.iterate["centre_rows"]) == 9
        assert any("that family" in note for note in built.notes)
        solution = solve_model(built.model, "highs")
        assert solution.objective == pytest.approx(built.expected, abs=1e-6)
