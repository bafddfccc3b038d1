"""What is not proved: refused in one line that says why."""

import numpy as np
import pytest

import radprog as rp

pytest.importorskip("flint")
RNG = np.random.default_rng(4)
X = RNG.normal(size=(14, 3))
Y = np.where(np.arange(14) % 2, 1, -1)
TABLE = rp.dataset(X, Y)
SERIES = RNG.normal(size=(8, 7))


def refused(spec: object, data: object, words: str, **options: object) -> None:
    run = rp.fit(spec, data, **options)
    with pytest.raises(rp.RadprogError, match=words) as caught:
        rp.prove(run, data)
    assert "\n" not in str(caught.value)


def test_one_class_at_a_time() -> None:
    data = rp.dataset(X, np.arange(14) % 3, one_vs_rest=True)
    refused(rp.L1SVM(kernels="poly:1"), data, "is proved at a time: `of_class`, one of 0, 1, 2")
    run = rp.fit(rp.L1SVM(kernels="poly:1"), data)
    with pytest.raises(rp.RadprogError, match="class '3': expected one of 0, 1, 2"):
        rp.prove(run, data, of_class="3")
    with pytest.raises(rp.RadprogError, match="only for one-vs-rest"):
        rp.prove(rp.fit(rp.L1SVM(kernels="poly:1"), TABLE), TABLE, of_class="1")


@pytest.mark.parametrize(
    ("spec", "row"),
    [
        (rp.SVM(kernels="poly:1"), rp.positive_rate(0.3)),
        (rp.LPBoost(length="3", nu=0.5), rp.positive_rate(0.5)),
        (rp.L1SVM(kernels="poly:1"), rp.family_cap("poly:1", 0.1)),
    ],
    ids=["svm", "lpboost", "caps"],
)
def test_constraints_that_no_words_are_for(spec, row) -> None:
    data = rp.series(SERIES, Y[:8]) if isinstance(spec, rp.LPBoost) else TABLE
    refused(spec, data, "constraints on scores|caps on the coefficients", constraints=row)


@pytest.mark.parametrize(
    "spec",
    [
        rp.SVM(kernels=lambda A, B: A @ B.T),
        rp.MKL(kernels=["linear", lambda A, B: A @ B.T], theta=0),
        rp.SimSVM(kernels=lambda A, B: np.tanh(A @ B.T)),
    ],
    ids=["svm", "mkl", "simsvm"],
)
def test_functions_that_need_not_be_positive_semidefinite(spec) -> None:
    refused(spec, TABLE, "is not proved: expected linear, poly, rbf or laplace")


def test_files_that_need_not_be_positive_semidefinite(tmp_path) -> None:
    path = tmp_path / "K.npy"
    np.save(path, X @ X.T)
    refused(rp.SVM(kernels=f"file:{path}"), TABLE, "is not proved: expected linear")
    refused(rp.MKL(kernels=f"file:{path}", theta=0), TABLE, "is not proved: expected linear")
    np.save(path, np.sin(X @ X.T))
    refused(rp.SimSVM(similarity=str(path)), TABLE, "spectrum is not rational")
