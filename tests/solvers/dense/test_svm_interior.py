"""The interior-point machine agrees with libsvm, and where libsvm stalls it does not."""

import numpy as np
import pytest
from effort import examples
from hypothesis import given
from hypothesis import strategies as st

from radprog.models.svm import best_bias, svm_feasible, svm_values
from radprog.solvers.dense.svm import solve_svm, solve_svm_interior


def data(seed: int, n: int = 30) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    y = np.where(X[:, 0] + rng.normal(size=n) > 0, 1.0, -1.0)
    y[:2] = 1.0, -1.0
    return X @ X.T, y


@given(st.integers(0, 2**32 - 1), st.sampled_from([0.01, 1.0, 1e4]), st.booleans())
@examples(30)
def test_optimal_and_feasible(seed, C, bias) -> None:
    K, y = data(seed)
    a, converged = solve_svm_interior(K, y, C, bias=bias)
    assert converged
    assert a.min() >= 0.0
    assert a.max() <= C
    if bias:
        assert abs(y @ a) <= 1e-6 * C
        alpha = svm_feasible(y, C, a)
        primal, *_ = svm_values(K, y, C, alpha)
        assert primal - svm_values(K, y, 1.0, alpha)[2] <= 1e-6 * primal
        scores = K @ (alpha * y)
        scores += best_bias(scores, y)
        free = (alpha > 1e-4 * C) & (alpha < (1 - 1e-4) * C)
        assert np.abs(y * scores - 1)[free].max(initial=0.0) < 1e-4
    else:
        other, _ = solve_svm(K, y, C, bias=False, tolerance=1e-9)
        value = a.sum() - 0.5 * (a * y) @ K @ (a * y)
        expected = other.sum() - 0.5 * (other * y) @ K @ (other * y)
        assert value == pytest.approx(expected, rel=1e-6)
