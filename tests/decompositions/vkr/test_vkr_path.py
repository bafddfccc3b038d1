"""Exact paths of VKR: closed forms, and cold solves between the breakpoints."""

from dataclasses import replace

import numpy as np
import pytest
from refusals import refused
from small_data import curved_points

import radprog as rp
from radprog.base.tolerances import PATH_TOL
from radprog.decompositions.paths import minimisers
from radprog.decompositions.run import RunSettings
from radprog.decompositions.vkr.fit import fit_vkr
from radprog.decompositions.vkr.path import vkr_path

ANY = RunSettings()


COLD = RunSettings(tol=1e-11, abs_tol=0.0)


def test_closed_form(tmp_path) -> None:
    """With K = diag(k) the optimum is sum_i min(1/m, beta / k_i): a breakpoint at each k_i / m."""
    k = np.array([0.5, 1.0, 2.0, 3.0, 5.0, 8.0])
    np.save(tmp_path / "K.npy", np.diag(k))
    data = rp.dataset(np.arange(12.0).reshape(6, 2), np.array([-1, 1, -1, 1, -1, 1]))
    spec = rp.L1SVM(kernels=f"file:{tmp_path / 'K.npy'}")
    path = vkr_path(spec, data, "beta", 0.01, 2.0, ANY).envelope
    np.testing.assert_allclose(path.breakpoints, k / 6, rtol=1e-9)
    for t in np.linspace(0.01, 2, 57):
        assert path.value(t) == pytest.approx(np.minimum(1 / 6, t / k).sum(), rel=1e-12)
    norms = [line.detail["norm"] for line in path.lines]
    expected = np.append(np.cumsum(1 / k[::-1])[::-1], 0.0)
    np.testing.assert_allclose(norms, expected, rtol=1e-9, atol=1e-15)


CASES = [
    (rp.VKR(kernels="poly:1-3", lam=0.01), "beta", 1e-4, 0.5),
    (rp.VKR(kernels="poly:1-3", beta=0.003), "lam", 0.0, 0.3),
    (rp.VKR(kernels="rbf:0.1,rbf:1,laplace:1", complexity="massart", lam=0.05), "beta", 0.0, 0.3),
    (rp.L1SVM(kernels="poly:2"), "beta", 1e-3, 1.0),
]


@pytest.mark.parametrize(("spec", "parameter", "first", "last"), CASES)
def test_cold_solves_between_breakpoints_agree(spec, parameter, first, last) -> None:
    data = curved_points(0, 24, 0.5)
    found = vkr_path(spec, data, parameter, first, last, ANY).envelope
    assert found.complete
    assert found.gap <= PATH_TOL * 1.01
    assert len(found.breakpoints) >= 5
    for t in np.exp(np.random.default_rng(1).uniform(np.log(max(first, 1e-4)), np.log(last), 50)):
        run = fit_vkr(replace(spec, **{parameter: float(t)}), data, COLD)
        assert run.gap <= 1e-9
        assert found.value(t) == pytest.approx(run.objective, rel=1e-8)
        if min(abs(np.asarray(found.breakpoints) / t - 1)) > 1e-4:  # alpha is that of the piece
            norm = found.line(t).detail["norm"]
            assert run.summary["norm"] == pytest.approx(norm, rel=1e-4, abs=1e-6)


def test_value_is_continuous_and_concave() -> None:
    spec, parameter, first, last = CASES[0]
    found = vkr_path(spec, curved_points(3, 24, 0.5), parameter, first, last, ANY).envelope
    for t, left, right in zip(found.breakpoints, found.lines, found.lines[1:], strict=False):
        values = [line.value + line.slope * (t - line.at) for line in (left, right)]
        assert values[0] == pytest.approx(values[1], rel=1e-9)
        assert left.slope > right.slope
        assert left.detail["loss"] <= right.detail["loss"] + 1e-9 or spec.lam > 0


def test_the_minimiser_of_the_validation_error_is_exact() -> None:
    data, fresh = (curved_points(5, 30, 0.5), curved_points(6, 80, 0.5))
    spec = rp.VKR(kernels="poly:1-3", lam=0.003)
    path = vkr_path(spec, data, "beta", 1e-3, 0.3, ANY)
    errors = path.errors(fresh)
    best = minimisers(path.envelope.pieces, errors)
    assert errors.min() < errors.max()
    assert best
    for t in np.geomspace(1.001e-3, 0.299, 60):
        if min(abs(np.asarray(path.envelope.breakpoints) / t - 1)) < 1e-5:
            continue
        fit = fit_vkr(replace(spec, beta=float(t)), data, COLD).fit
        error = float((fit.predict(fresh.X) != fresh.targets).mean())
        inside = any(low <= t <= high for low, high in best)
        assert error >= errors.min() - 1e-12
        assert inside == (error <= errors.min() + 1e-12)


def test_a_time_limit_leaves_a_certified_part() -> None:
    path = vkr_path(
        rp.VKR(kernels="poly:1-3", lam=0.01), curved_points(0, 40, 0.5), "beta", 1e-4, 0.5,
        RunSettings(time_limit=1e-3),
    )  # fmt: skip
    assert not path.envelope.complete
    assert path.envelope.gap > 1e-6


def test_refused() -> None:
    data = curved_points(0, 12, 0.5)
    with pytest.raises(rp.OptionError, match="expected lam or beta"):
        vkr_path(rp.VKR(), data, "gamma", 0.1, 1.0, ANY)
    refused(rp.OptionError, "expected beta", vkr_path, rp.L1SVM(), data, "lam", 0.1, 1.0, ANY)
    for first, last in ((1.0, 1.0), (1.0, 0.1), (-1.0, 1.0), (0.1, np.inf), (np.nan, 1.0)):
        with pytest.raises(rp.OptionError, match="expected 0 <= from < to"):
            vkr_path(rp.VKR(), data, "beta", first, last, ANY)
    with pytest.raises(rp.OptionError, match="12 rows"):
        vkr_path(rp.VKR(), data, "beta", 0.1, 1.0, ANY, most_rows=11)
    with pytest.raises(rp.OptionError, match="lam changes nothing"):
        vkr_path(rp.VKR(complexity="none"), data, "lam", 0.1, 1.0, ANY)
    with pytest.raises(rp.OptionError, match="would cost nothing"):
        vkr_path(rp.VKR(lam=0.0), data, "beta", 0.0, 1.0, ANY)
    path = vkr_path(rp.VKR(kernels="poly:1"), data, "beta", 0.1, 1.0, ANY)
    refused(rp.DataError, "needs labels", path.errors, replace(data, codes=np.full(data.rows, -1)))
