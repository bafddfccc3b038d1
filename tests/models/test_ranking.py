"""The area under the curve against scikit-learn and by counting pairs."""

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from radprog.base.errors import DataError
from radprog.models.ranking import area_under_curve


@pytest.mark.parametrize("seed", range(5))
def test_agrees_with_scikit_learn(seed: int) -> None:
    rng = np.random.default_rng(seed)
    y = np.where(rng.random(40) < 0.4, 1.0, -1.0)
    scores = np.round(rng.normal(size=40) + 0.5 * y, 1)  # with ties
    assert area_under_curve(scores, y) == pytest.approx(roc_auc_score(y, scores))


def test_ties_count_half() -> None:
    assert area_under_curve(np.array([0.0, 0.0]), np.array([1.0, -1.0])) == 0.5
    assert area_under_curve(np.array([2.0, 1.0]), np.array([1.0, -1.0])) == 1.0
    with pytest.raises(DataError, match="points of both"):
        area_under_curve(np.ones(3), np.ones(3))
