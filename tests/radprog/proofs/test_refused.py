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


@pytest.mark.parametrize("kernel", ["linear", "distance"])
def test_pattern_kernels_that_are_not_enclosed(kernel: str) -> None:
    spec = rp.LPBoost(pattern_kernel=kernel, length="3")
    refused(spec, rp.series(SERIES, Y[:8]), "pattern kernel gauss")


def test_bags_and_several_channels() -> None:
    blocks = RNG.normal(size=(8, 3, 4))
    refused(rp.LPBoost(), rp.bags(blocks, Y[:8]), "series of one channel")
    refused(rp.LPBoost(length="2"), rp.series(blocks, Y[:8]), "series of one channel")


def test_strings_and_views(tmp_path) -> None:
    (tmp_path / "words.csv").write_text("abc,a\nabd,b\nxyz,a\nxbd,b\n")
    words = rp.read(str(tmp_path / "words.csv"), strings="0")
    refused(rp.L1SVM(kernels="edit"), words, "rows of numbers|not vectors")
    (tmp_path / "views.csv").write_text(
        "".join(f"{a},{b},{y}\n" for (a, b, _), y in zip(X, Y, strict=True))
    )
    path = str(tmp_path / "views.csv")
    refused(rp.MKL(kernels="rbf:1", theta=0), rp.read_views([path, path]), "one table, not views")
