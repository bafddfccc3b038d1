"""What is not proved: refused in one line that says why."""

from typing import Any

import numpy as np
import pytest

import radprog as rp

pytest.importorskip("flint")
RNG = np.random.default_rng(4)
X = RNG.normal(size=(14, 3))
Y = np.where(np.arange(14) % 2, 1, -1)
TABLE = rp.dataset(X, Y)
SERIES = rp.series(RNG.normal(size=(8, 7)), Y[:8])
ROWS = "constraints on scores|caps on the coefficients"
NAMED = "is not proved: expected linear"


def refused(spec: object, words: str, data: Any = None, /, **options: object) -> None:
    data = data or (SERIES if isinstance(spec, rp.LPBoost) else TABLE)
    run = rp.fit(spec, data, **options)
    with pytest.raises(rp.RadprogError, match=words) as caught:
        rp.prove(run, data)
    assert "\n" not in str(caught.value)


def test_one_class_at_a_time() -> None:
    data = rp.dataset(X, np.arange(14) % 3, one_vs_rest=True)
    refused(rp.L1SVM(kernels="poly:1"), "is proved at a time: `of_class`, one of 0, 1, 2", data)
    run = rp.fit(rp.L1SVM(kernels="poly:1"), data)
    with pytest.raises(rp.RadprogError, match="class '3': expected one of 0, 1, 2"):
        rp.prove(run, data, of_class="3")
    with pytest.raises(rp.RadprogError, match="only for one-vs-rest"):
        rp.prove(rp.fit(rp.L1SVM(kernels="poly:1"), TABLE), TABLE, of_class="1")


@pytest.mark.parametrize(
    ("spec", "words", "settings"),
    [
        # constraints that no words are for
        (rp.SVM(kernels="poly:1"), ROWS, {"constraints": rp.positive_rate(0.3)}),
        (rp.LPBoost(length="3", nu=0.5), ROWS, {"constraints": rp.positive_rate(0.5)}),
        (rp.L1SVM(kernels="poly:1"), ROWS, {"constraints": rp.family_cap("poly:1", 0.1)}),
        # functions that need not be positive semidefinite
        (rp.SVM(kernels=lambda A, B: A @ B.T), f"{NAMED}, poly, rbf or laplace", {}),
        (rp.MKL(kernels=["linear", lambda A, B: A @ B.T], theta=0), NAMED, {}),
        (rp.SimSVM(kernels=lambda A, B: np.tanh(A @ B.T)), NAMED, {}),
        # settings without exact values
        (rp.L1Linear(groups=[0, 0, 1]), "is proved with loss hinge", {}),
        (rp.L1Linear(signs="nonnegative"), "is proved with loss hinge", {}),
        *(
            (rp.MKL(**{"kernels": "rbf:0.5,rbf:2", **options}), words, {"max_iter": None})
            for options, words in (
                ({"variant": "unif"}, "variant conv or lp, not unif"),
                ({"variant": "dc"}, "variant conv or lp, not dc"),
                ({"loss": "squared"}, "loss hinge, not squared"),
                ({"center": True}, "center False, not True"),
            )
        ),
        *(
            (rp.LPBoost(length="3", **options), "lpboost is proved with", {"max_iter": 2})
            for options in (
                {"learner": "l1"},
                {"pattern_kernel": "distance"},
                {"normalize": True},
                {"families": "plain,diff"},
            )
        ),
    ],
)
def test_models_and_settings(spec, words: str, settings) -> None:
    refused(spec, words, **settings)


def test_files_that_need_not_be_positive_semidefinite(tmp_path) -> None:
    path = tmp_path / "K.npy"
    np.save(path, X @ X.T)
    refused(rp.SVM(kernels=f"file:{path}"), NAMED)
    refused(rp.MKL(kernels=f"file:{path}", theta=0), NAMED)
    for values in (np.sin(X @ X.T), np.eye(14)):
        np.save(path, values)
        refused(rp.SimSVM(similarity=str(path)), "not proved|spectrum is not rational")
