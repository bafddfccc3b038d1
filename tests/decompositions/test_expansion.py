"""Kernel expansions: scores by loops, exact round trips, refusals."""

import json
from dataclasses import replace

import numpy as np
import pytest
from effort import examples
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused

import radprog as rp
from radprog.decompositions.expansion import KernelExpansion
from radprog.decompositions.run import RunSettings, supporting
from radprog.decompositions.vkr.fit import fit_vkr
from radprog.models.kernels import parse_kernels

NAMES = ("poly:2", "rbf:0.3", "laplace:1.7", "linear", "poly:7")


def random_fit(seed: int, r: int = 6, d: int = 3) -> KernelExpansion:
    rng = np.random.default_rng(seed)
    return KernelExpansion(
        kernels=NAMES,
        kernel=rng.integers(0, len(NAMES), r),
        centre=rng.integers(0, 40, r),
        points=rng.normal(size=(r, d)),
        coefficients=rng.normal(size=r),
        bias=float(rng.normal()),
    )


@given(st.integers(0, 10**6), st.integers(0, 12))
@examples(60)
def test_scores_are_the_double_loop_and_survive_json(seed: int, r: int) -> None:
    fit = random_fit(seed, r)
    X = np.random.default_rng(seed + 1).normal(size=(5, 3))
    looped = []
    for x in X:
        total = fit.bias
        for t in range(r):
            kernel = parse_kernels(NAMES[fit.kernel[t]])[0]
            total += float(fit.coefficients[t]) * float(kernel(x[None], fit.points[t][None])[0, 0])
        looped.append(total)
    assert fit.scores(X) == pytest.approx(np.array(looped), rel=1e-10, abs=1e-10)
    assert fit.predict(X).tolist() == [1.0 if s >= 0 else -1.0 for s in fit.scores(X)]
    again = KernelExpansion.from_dict(json.loads(json.dumps(fit.to_dict())))
    assert again.to_dict() == fit.to_dict()
    assert again.scores(X).tolist() == fit.scores(X).tolist()
    assert again.points.dtype == np.float64
    assert again.kernel.dtype == again.centre.dtype == np.intp


def test_a_score_of_zero_is_positive() -> None:
    empty = replace(random_fit(0, 0), bias=0.0)
    assert empty.scores(np.ones((2, 3))).tolist() == [0.0] * 2
    assert empty.predict(np.ones((2, 3))).tolist() == [1.0] * 2


def test_round_trip_of_strings() -> None:
    fit = KernelExpansion(
        kernels=("edit",),
        kernel=np.zeros(2, np.intp),
        centre=np.array([3, 1]),
        points=np.array(["abc", "äöü漢"]),
        coefficients=np.array([0.1, -2.0]),
    )
    again = KernelExpansion.from_dict(json.loads(json.dumps(fit.to_dict())))
    words = np.array(["abd", "", "漢"])
    assert again.scores(words).tolist() == fit.scores(words).tolist()
    assert again.points.tolist() == ["abc", "äöü漢"]
    assert fit.scores(np.array(["abc"]))[0] == pytest.approx(-2.0 * -1.0)


@pytest.mark.parametrize(("shape", "has"), [((4, 2), "2"), ((4, 4), "4"), ((4,), "no")])
def test_another_number_of_features_is_refused(shape: tuple[int, ...], has: str) -> None:
    words = f"made on 3 features, the data has {has}"
    refused(rp.DataError, words, random_fit(0).scores, np.zeros(shape))


def test_strings_and_numbers_do_not_mix() -> None:
    fit = replace(random_fit(0), points=np.array(["a"] * 6), kernels=("edit",) * 5)
    refused(rp.OptionError, "needs strings", fit.scores, np.zeros((2, 3)))


# ---------------------------------------------------------------- kernels given as matrices


@pytest.fixture
def given_fit(points, tmp_path):
    """A fit on a matrix and a polynomial: (fit, matrix, data)."""
    data = points(20, seed=1)
    K = np.tanh(data.X @ np.array([[1.0, 2.0], [-2.0, 0.5]]) @ data.X.T)
    np.save(tmp_path / "K.npy", K)
    kernels = f"file:{tmp_path / 'K.npy'},poly:1"
    spec = rp.VKR(kernels=kernels, complexity="massart", lam=1e-4, beta=1e-4)
    return fit_vkr(spec, data, RunSettings()).fit, K, data


def test_a_given_matrix_predicts_from_cross_alone(given_fit) -> None:
    fit, K, data = given_fit
    assert {0, 1} == set(fit.kernel.tolist())
    scores = fit.scores(data.X, cross=K)
    looped = np.zeros(20)
    for k, j, point, a in zip(fit.kernel, fit.centre, fit.points, fit.coefficients, strict=True):
        looped += a * (K[:, j] if k == 0 else data.X @ point + 1.0)
    assert scores == pytest.approx(looped, rel=1e-9)
    assert fit.scores(data.X[:4], cross=K[:4]) == pytest.approx(scores[:4], rel=1e-12)
    assert np.abs(fit.scores(data.X, cross=K.T) - scores).max() > 1e-3
    # and needs it
    refused(rp.DataError, r"K\.npy was given as a matrix: .*cross", fit.scores, data.X)
    refused(rp.DataError, r"cross", fit.predict, data.X)
    with pytest.raises(rp.DataError, match="cross matrix is 19 x 20: expected 20 rows"):
        fit.scores(data.X, cross=K[:-1])
    last = int(fit.centre.max())
    refused(rp.DataError, f"cross matrix is 20 x {last}", fit.scores, data.X, cross=K[:, :last])


# ---------------------------------------------------------------- files that are not fit


@pytest.mark.parametrize(
    "changes",
    [
        {"coefficients": ["a"] * 6},
        {"coefficients": [1.0] * 5},
        *({"kernel": kernel} for kernel in ([0] * 7, [5] * 6, [-1] * 6)),
        {"centre": [0]},
        *({"points": points} for points in ([[1.0, 2.0], [3.0]], 3.0, [])),
        {"bias": None},
        {"kernels": None},
    ],
)
def test_malformed_values_are_refused(changes: dict) -> None:
    values = random_fit(1).to_dict()
    refused(rp.DataError, "not a saved fit", KernelExpansion.from_dict, {**values, **changes})
    (name,) = changes
    del values[name]
    refused(rp.DataError, f"not a saved fit: .*{name}", KernelExpansion.from_dict, values)


def test_the_support_is_relative_to_the_largest_term() -> None:
    ones = np.ones(3)
    assert supporting(np.array([1e-14, 0.0, -2e-14]), ones).tolist() == [0, 2]
    assert supporting(np.array([1e9, 1e-6, 1e-2]), ones).tolist() == [0, 2]
    assert supporting(np.array([1.0, 1e-9, 1e-9]), np.array([1.0, 1e-8, 1.0])).tolist() == [0, 2]
    assert supporting(np.zeros(3), ones).tolist() == []
