"""Similarity Machine: primal = dual = scikit-learn on |S|; complexities of similarity classes."""

import numpy as np
import pytest
from clusters import blobs
from refusals import refused
from sklearn.svm import SVC

import radprog as rp
from radprog.base.types import FloatArray
from radprog.decompositions.analyses import ball_class
from radprog.decompositions.run import RunSettings
from radprog.decompositions.similarity.assembly import assemble
from radprog.decompositions.similarity.cdsk import cdsk_classes
from radprog.decompositions.similarity.simsvm import (
    fit_simsvm,
    recompute_simsvm,
    similarity_svm,
    simsvm_classes,
)
from radprog.decompositions.vkr.error_bounds import svm_classes
from radprog.models.complexity import all_signs
from radprog.models.similarity.bounds import lemma_1, margins


def tanh_data(seed: int, n: int, folder) -> tuple[rp.Dataset, FloatArray, FloatArray, str]:
    """Data with the indefinite similarity tanh, that of 10 new points, and its file."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n + 10, 3))
    y = np.where(X[:, 0] + 0.5 * X[:, 1] ** 2 + 0.3 * rng.normal(size=n + 10) > 0.3, "b", "a")
    S = np.tanh(X @ X.T - 1.0)
    path = folder / f"s{seed}.npy"
    np.save(path, S[:n, :n])
    return rp.dataset(X[:n], y[:n].tolist()), S[:n, :n], S[n:, :n], str(path)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("lam", [1e-1, 1e-2, 1e-3])
def test_primal_dual_and_svc_agree(seed: int, lam: float, tmp_path) -> None:
    data, S, new, path = tanh_data(seed, 40, tmp_path)
    spec = rp.SimSVM(similarity=path, lam=lam)
    runs = [
        fit_simsvm(spec, data, RunSettings(method=method, solver=solver, tol=1e-8))
        for method, solver in (("dual", None), ("dual", "highs"), ("primal", "piqp"))
    ]
    values, vectors = np.linalg.eigh(S)
    assert values[0] < -0.1
    size = (vectors * np.abs(values)) @ vectors.T
    svc = SVC(C=1 / (2 * lam * 40), kernel="precomputed", tol=1e-10).fit(size, data.targets)
    beta = np.zeros(40)
    beta[svc.support_] = svc.dual_coef_[0]
    scores = size @ beta + svc.intercept_[0]
    peer = float(np.maximum(0, 1 - data.targets * scores).mean()) + lam * float(beta @ size @ beta)
    for run in runs:
        assert run.objective == pytest.approx(peer, abs=1e-6)
        assert run.bound <= run.objective + 1e-12
        assert run.objective - run.bound <= 1e-6
        recomputed = recompute_simsvm(spec, data, run.evidence).pair
        assert recomputed == pytest.approx((run.objective, run.bound), rel=1e-11)
    # a = J beta scores new points by raw similarities: sum_i a_i s(x, x_i) + b
    sign = (vectors * np.sign(values)) @ vectors.T
    expected = new @ (sign @ beta) + svc.intercept_[0]
    fit = runs[0].fit
    np.testing.assert_allclose(fit.scores(np.zeros((10, 3)), new), expected, atol=2e-4)
    np.testing.assert_allclose(S @ (sign @ beta), size @ beta, atol=1e-9)


def test_without_bias(tmp_path) -> None:
    data, _, _, path = tanh_data(4, 30, tmp_path)
    spec = rp.SimSVM(similarity=path, no_bias=True)
    runs = [fit_simsvm(spec, data, RunSettings(method=m)) for m in ("dual", "primal")]
    assert runs[0].objective == pytest.approx(runs[1].objective, abs=1e-6)
    assert all(run.summary["bias"] == 0 for run in runs)
    with_bias = fit_simsvm(rp.SimSVM(similarity=path), data, RunSettings())
    assert with_bias.objective <= runs[0].objective + 1e-9


@pytest.mark.parametrize("size", [0.0, 1e-100])
@pytest.mark.parametrize("bias", [True, False])
def test_a_similarity_of_nothing(size: float, bias: bool, tmp_path) -> None:
    """The primal is a linear program then; all that is left is the bias."""
    np.save(tmp_path / "S.npy", np.full((6, 6), size))
    spec = rp.SimSVM(similarity=str(tmp_path / "S.npy"), no_bias=not bias)
    data = rp.dataset(np.arange(12.0).reshape(6, 2), [1, 1, 1, 1, -1, -1])
    for method in ("primal", "dual"):
        run = fit_simsvm(spec, data, RunSettings(method=method))
        assert run.certified
        assert run.objective == pytest.approx(2.0 / 3.0 if bias else 1.0)


def test_a_primal_that_is_too_large_is_refused_before_its_similarities() -> None:
    data = rp.dataset(np.zeros((1001, 1)), [-1.0, 1.0, 1.0] + [1.0] * 998)
    asked = RunSettings(method="primal", time_limit=1e-9)
    with pytest.raises(
        rp.OptionError, match=r"writes 1001\^2 terms: for more than 1000 points use"
    ):
        fit_simsvm(rp.SimSVM(kernels="linear"), data, asked)


@pytest.mark.parametrize("c", [2, 3])
def test_supremum_of_margins_is_reached_and_never_passed(c: int) -> None:
    data, rng = blobs(7, c=c, seed=c), np.random.default_rng(0)
    (margin_class,) = cdsk_classes(rp.CDSK(bandwidth=1.0, clusters=c), data, 0)
    K = np.exp(-((data.X[:, None] - data.X) ** 2).sum(axis=2) / 2.0)
    signs = all_signs(7, "rademacher")
    suprema = margin_class.suprema(signs)
    for sigma, largest in zip(signs[::9], suprema[::9], strict=True):
        # coefficients (n, c) of the functions h(., y): the maximiser, and random ones
        best = sigma[:, None] * np.where(data.codes[:, None] == np.arange(c), 1.0, -1.0)
        reached = []
        for a in (best, *rng.normal(size=(20, 7, c))):
            scores = K @ a
            norm = np.sqrt(np.einsum("ik,ik->", a, scores))
            reached.append(sigma @ margins(scores / norm, data.codes, summed=True))
        assert reached[0] == pytest.approx(largest)
        assert max(reached) <= largest * (1 + 1e-12)
    value = suprema.mean() / 7
    assert value <= margin_class.upper <= lemma_1(7, c, 1.0)


def test_one_kernel_and_both_parts_of_a_similarity(tmp_path) -> None:
    X, y = np.random.default_rng(1).normal(size=(8, 2)), np.repeat([0, 1], 4)
    data, signs = rp.dataset(X, y), all_signs(8, "rademacher")
    (ball,) = svm_classes(rp.SVM(kernels="rbf:1"), data, 0)
    K = np.exp(-((X[:, None] - X) ** 2).sum(axis=2))
    expected = np.sqrt([s @ K @ s for s in signs])
    np.testing.assert_allclose(ball.suprema(signs), expected)
    assert ball.upper == pytest.approx(8**-0.5)
    # of a positive similarity it is the same class, of another the sum of two norms
    S = K - 0.6
    np.save(tmp_path / "s.npy", S)
    (both,) = simsvm_classes(rp.SimSVM(similarity=str(tmp_path / "s.npy")), data, 0)
    values, vectors = np.linalg.eigh(S)
    parts = [np.maximum(side * values, 0.0) for side in (1, -1)]
    sizes = [np.sqrt(((signs @ vectors) ** 2) @ part) for part in parts]
    np.testing.assert_allclose(both.suprema(signs), sum(sizes), atol=1e-6)
    (kernel,) = simsvm_classes(rp.SimSVM(kernels="rbf:1"), data, 0)
    np.testing.assert_allclose(kernel.suprema(signs), expected, atol=1e-6)
    assert ball_class("zero", [np.zeros((3, 3))]).upper == 0.0


def test_margins_need_classes_and_all_pairs() -> None:
    data = blobs(12)
    with pytest.raises(rp.OptionError, match="needs the class of every row"):
        cdsk_classes(rp.CDSK(clusters=3), data.hide(np.arange(3)), 0)
    for spec, named in ((rp.CDSK(objective="ise"), "ise"), (rp.CDSK(neighbours=3), "neighbours")):
        refused(rp.OptionError, named, cdsk_classes, spec, data, 0)
    # many points are of all pairs here too
    assert assemble(rp.CDSK(neighbours="all"), data).neighbours is None


@pytest.mark.parametrize("kernels", ["rbf:0.1", "linear", "poly:2", "laplace:0.1"])
def test_a_kernel_of_many_rows_needs_no_eigenvalues(kernels: str, monkeypatch) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(520, 4)) / 2.0
    data = rp.dataset(X, (X[:, 0] + X[:, 1] ** 2 + 0.3 * rng.normal(size=520) > 0.2).astype(int))
    usual = similarity_svm(rp.SimSVM(kernels=kernels, lam=1e-9), data)
    assert usual.factor is not None or kernels.startswith(("rbf", "laplace"))
    monkeypatch.setattr(np.linalg, "eigh", None)
    run = fit_simsvm(rp.SimSVM(kernels=kernels), data, RunSettings(tol=1e-7))
    assert run.certified
    assert run.summary["negative_eigenvalues"] == 0
    again = recompute_simsvm(rp.SimSVM(kernels=kernels), data, run.evidence).pair
    assert again == pytest.approx((run.objective, run.bound), rel=1e-11)
    svc = SVC(C=1 / (2e-2 * 520), kernel="precomputed", tol=1e-9).fit(usual.S, data.targets)
    beta = np.zeros(520)
    beta[svc.support_] = svc.dual_coef_[0]
    hinges = np.maximum(0, 1 - data.targets * (usual.S @ beta + svc.intercept_[0]))
    value = float(hinges.mean()) + 1e-2 * float(beta @ usual.S @ beta)
    assert run.objective == pytest.approx(value, rel=1e-6)
