"""scikit-learn's own checks of every estimator: none fails, and none is expected to."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from radprog import estimators

SMALLER = {  # what a check of some seconds needs less of
    "BoundedLossSVR": {"n_init": 1},
    "ShapeletBoostClassifier": {"sigma": 0.3, "max_iter": 30},
    "VKRClassifierCV": {"kernels": "poly:1", "cv": 2},
}


@pytest.mark.thorough
@pytest.mark.cases(10000)
@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks(
    [getattr(estimators, name)(**SMALLER.get(name, {})) for name in estimators.__all__]
)
def test_scikit_learn(estimator, check) -> None:
    check(estimator)
