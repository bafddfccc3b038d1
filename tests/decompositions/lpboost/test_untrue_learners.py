"""A user's learner is believed only about what cannot be computed: that no edge is larger."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import radprog as rp
from radprog.base.types import FloatArray
from radprog.decompositions.lpboost.votes import ExhaustiveTrees


class Codes:
    """A hypothesis with given predictions."""

    def __init__(self, predict: Any) -> None:
        self.predict = predict


LIES: dict[str, Any] = {  # what an untrue learner makes of a true answer for rows X
    "edge nan": lambda tree, edge, X: (tree, math.nan, True),
    "edge -5": lambda tree, edge, X: (tree, -5.0, True),
    "half the edge": lambda tree, edge, X: (tree, 0.5 * edge, True),
    "twice the edge": lambda tree, edge, X: (tree, 2.0 * edge + 1.0, True),
    "text": lambda tree, edge, X: (tree, str(edge), True),
    "exact as text": lambda tree, edge, X: (tree, edge, "yes"),
    "two values": lambda tree, edge, X: (tree, edge),
    "nothing": lambda tree, edge, X: None,
    "class 7": lambda tree, edge, X: (Codes(lambda Z: np.full(len(Z), 7)), edge, True),
    "class -1": lambda tree, edge, X: (Codes(lambda Z: np.full(len(Z), -1)), edge, True),
    "half a class": lambda tree, edge, X: (Codes(lambda Z: np.full(len(Z), 0.5)), edge, True),
    "one row less": lambda tree, edge, X: (Codes(lambda Z: tree.predict(Z)[1:]), edge, True),
    "no predict": lambda tree, edge, X: (object(), edge, True),
    "ragged": lambda tree, edge, X: (Codes(lambda Z: [[0], [1, 1]]), edge, True),
}


class Untrue:
    """The exhaustive stumps, with an untrue answer from the given round on."""

    def __init__(self, X: FloatArray, lie: str, first: int) -> None:
        self.X, self.lie, self.first = X, lie, first
        self.stumps = ExhaustiveTrees(X, 1)

    def best(self, weights: FloatArray) -> Any:
        tree, edge, exact = self.stumps.best(weights)
        self.first -= 1
        return LIES[self.lie](tree, edge, self.X) if self.first < 0 else (tree, edge, exact)


def drawn(seed: int, classes: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(30, 4))
    return X, np.digitize(X[:, 0] + 0.7 * rng.normal(size=30), [-0.5, 0.5][: classes - 1])


@pytest.mark.parametrize("first", [0, 2])
@pytest.mark.parametrize("lie", LIES)
def test_an_untrue_answer_is_one_error(lie: str, first: int) -> None:
    X, y = drawn(first, 2)
    with pytest.raises(rp.OptionError):
        rp.fit(rp.LPBoost(learner=Untrue(X, lie, first)), rp.dataset(X, y))
    for classes in (2, 3):
        X, y = drawn(first, classes)
        with pytest.raises(rp.OptionError):
            rp.LPBoostClassifier(learner=Untrue(X, lie, first), beta=0.001).fit(X, y)


class Single(ExhaustiveTrees):
    """Stumps whose edges are sums in single precision."""

    def best(self, weights: FloatArray) -> Any:
        tree, edge, exact = super().best(weights)
        return tree, float(np.float32(edge)), exact


def test_single_precision_is_true_enough() -> None:
    X, y = drawn(0, 2)
    known = rp.LPBoostClassifier().fit(X, y)
    own = rp.LPBoostClassifier(learner=Single(X, 1)).fit(X, y)
    assert own.objective_ == pytest.approx(known.objective_, rel=1e-6)


@pytest.mark.parametrize("beta", [1e-12, 1e-9, 1e-3])
@pytest.mark.parametrize("learner", ["stump", "tree2"])
def test_certified_means_the_gap_of_its_page(learner: str, beta: float) -> None:
    X, y = drawn(3, 3)
    model = rp.LPBoostClassifier(learner=learner, beta=beta, max_iter=40).fit(X, y)
    assert model.certified_ is (model.gap_ <= 1e-6)
