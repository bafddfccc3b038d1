"""Bounds of a fit: equal to the theorems at the spectra, norm and bias that the fit has."""

import math

import numpy as np
import pytest

import radprog as rp
from radprog.decompositions.mkl.fit import fit_mkl
from radprog.decompositions.run import Run, RunSettings
from radprog.models.mkl import bounds as mkl_bounds
from radprog.papers.mkl import mkl_lines
from radprog.saved import result_content

N = 24
EIGENVALUES = 4.0 * 0.7 ** np.arange(N)
RISKS = {"excess risk (1)", "excess risk (2)", "complexity (3), r infinite"}


def diagonal(M: int = 3, classes: int = 2):
    """Kernels with known eigenvectors, the unit vectors, and shifted known spectra."""
    K = np.array([np.diag(np.roll(EIGENVALUES, 5 * m)) for m in range(M)])
    return rp.gram_set(K, np.arange(N) % classes)


def fit(M: int = 3, classes: int = 2, **options) -> Run:
    return fit_mkl(rp.MKL(C=5.0, **options), diagonal(M, classes), RunSettings())


def bounds(run: Run) -> dict:
    return {bound["name"]: bound for bound in run.extra["bounds"]}


def norm2_of(run: Run, data) -> float:
    """|w|^2 = z'K_mu z of the predictor, from its coefficients and raw kernels."""
    z, weights = np.zeros(N), run.fit.weights
    z[run.fit.support] = run.fit.coefficients[0]
    return float(sum(w * (z @ K @ z) for w, K in zip(weights, data.K, strict=True)))


@pytest.mark.parametrize("norm", [1.0, 2.0])
@pytest.mark.parametrize("variant", ["conv", "dc"])
def test_the_tail_sum_is_that_of_the_mixture(variant: str, norm: float) -> None:
    """Of K_mu for conv, at least the budget for norm 1 as T is superadditive; for dc of what is
    limited."""
    run = fit(theta=2, variant=variant, norm=norm)
    scaled = diagonal().K * N / EIGENVALUES.sum()
    power = norm if variant == "dc" else 1.0
    mixed = np.einsum("m,mii->i", np.array(run.summary["weights"]) ** power, scaled)
    found = run.summary["tail_sum"]
    assert found == pytest.approx(np.sort(mixed)[:-2].sum(), rel=1e-6)
    assert found == pytest.approx(N) if variant == "dc" else found > 1.01 * N
    lines = mkl_lines(result_content(run, diagonal())[0])
    (line,) = (line for line in lines if line.startswith("tail sum "))
    assert line.endswith("mu^2" if power == 2.0 else "of the learned kernel")
    assert "tail_sum" not in fit(variant="lp").summary


def test_values_are_the_theorems_at_known_spectra() -> None:
    """Diagonal kernels: the eigenvalues of the mixture are its diagonal."""
    run, data = fit(theta=2), diagonal()
    norm2 = norm2_of(run, data)
    learned = norm2 * np.einsum("m,mii->i", run.fit.weights, data.K) / N
    found = bounds(run)
    assert set(found) == RISKS | {"fixed point of (3)", "fixed point of Theorem 6"}
    r = found["fixed point of (3)"]["value"]
    assert mkl_bounds.theorem_3(learned, N, r).value == pytest.approx(r, rel=1e-9)
    assert r < mkl_bounds.theorem_3(learned, N, 2 * r).value  # and no smaller one is a fixed point
    whole = found["complexity (3), r infinite"]["value"]
    assert whole == pytest.approx(mkl_bounds.theorem_3(learned, N, math.inf).value, rel=1e-9)
    # the class: |w| and bias of the fit, tr(K_m) / c_m with c_m = T(K_m) / n of kernels of trace n
    share = EIGENVALUES[2:].sum() / EIGENVALUES.sum()
    bias = abs(run.summary["bias"][0])
    complexity = math.sqrt(norm2) * math.sqrt(3 * N / share) / N + bias / math.sqrt(N)
    risk = found["excess risk (1)"]
    assert math.fsum(risk["terms"].values()) == risk["value"]
    for number, known in enumerate(mkl_bounds.excess_risks(complexity, N, 0.05), 1):
        assert found[f"excess risk ({number})"]["value"] == pytest.approx(known.value, rel=1e-9)
    local = found["fixed point of (3)"]["parameters"]
    assert local["cutoff"] == (learned > r).sum()
    lower = mkl_bounds.theorem_3(learned, N, r, lower=True).value
    assert local["lower"] == pytest.approx(lower, rel=1e-9)
    for bound in run.extra["bounds"]:
        assert bound["vacuous"] == (bound["value"] >= 1)
        assert any("in advance" in caveat for caveat in bound["caveats"])
        assert bound["parameters"]["norm"] == pytest.approx(math.sqrt(norm2), rel=1e-9)


@pytest.mark.parametrize("options", [{}, {"variant": "lp"}, {"variant": "dc", "starts": 1},
                                     {"tail_budget": 5.0}], ids=str)  # fmt: skip
def test_theorem_6_is_of_the_kernels_over_their_tail_sums(options) -> None:
    """c_m mu_m summed is at most 1, so that k_m / c_m are the normalised kernels."""
    run, data = fit(9, **options), diagonal(9)
    theta = 0 if options.get("variant") == "lp" else 1
    budget = options.get("tail_budget", float(N))
    radius = math.sqrt(norm2_of(run, data))
    spectra = [EIGENVALUES / EIGENVALUES[theta:].sum() * budget / N] * 9
    if options.get("variant") == "lp":
        spectra = [EIGENVALUES / EIGENVALUES.sum()] * 9
    r = bounds(run)["fixed point of Theorem 6"]["value"]
    assert mkl_bounds.theorem_6(spectra, N, r, radius).value == pytest.approx(r, rel=1e-8)


def test_theorem_7_is_for_the_squared_loss() -> None:
    run, data = fit(9, loss="squared"), diagonal(9)
    found, radius = bounds(run), math.sqrt(norm2_of(run, data))
    seventh = found["Theorem 7"]
    alpha, d = seventh["parameters"]["alpha"], seventh["parameters"]["d"]
    values = EIGENVALUES / EIGENVALUES[1:].sum()
    assert (values <= d * np.arange(1.0, N + 1) ** -alpha * (1 + 1e-9)).all()
    known = mkl_bounds.theorem_7(alpha, d, N, 9, radius).value
    assert seventh["value"] == pytest.approx(known, rel=1e-9)
    assert seventh["value"] >= found["fixed point of Theorem 6"]["value"]
    for other in np.geomspace(1.1, 20.0, 60).tolist():
        decay = mkl_bounds.decay(values[None], other)
        known = mkl_bounds.theorem_7(other, decay, N, 9, radius).value
        assert seventh["value"] <= known * (1 + 1e-9)
    assert not any(name == "Theorem 7" for name in bounds(fit(9)))


def test_large_kernels_have_no_spectrum_taken(monkeypatch) -> None:
    small = bounds(fit(9))
    monkeypatch.setattr(mkl_bounds, "FULL_SPECTRUM", N - 1)
    large = bounds(fit(9))
    assert set(large) == RISKS
    for key, bound in large.items():
        assert bound["value"] == pytest.approx(small[key]["value"], rel=1e-9)


def test_where_there_is_no_bound() -> None:
    assert fit(classes=3).extra["bounds"] == []
    names = set(bounds(fit()))
    assert set(bounds(fit(9, norm=2.0))) == names
    uniform = set(bounds(fit(9, variant="unif")))
    assert uniform == names - {"fixed point of Theorem 6"}
