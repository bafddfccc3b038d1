"""scikit-learn's own checks of every estimator: none fails, and none is expected to."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

import radprog as rp
from radprog import estimators

SMALLER = {  # what a check of some seconds needs less of
    "BoundedLossSVR": {"n_init": 1},
    "ShapeletBoostClassifier": {"sigma": 0.3, "max_iter": 30},
    "VKRClassifierCV": {"kernels": "poly:1", "cv": 2},
}


def test_every_estimator_is_checked() -> None:
    assert set(SMALLER) < set(estimators.__all__)
    for name in ("LPBoostClassifier", "ThinnedClassifier", "PickToLearn"):
        assert getattr(estimators, name) is getattr(rp, name)


@pytest.mark.thorough
@pytest.mark.cases(10000)
@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks(
    [getattr(estimators, name)(**SMALLER.get(name, {})) for name in estimators.__all__]
)
def test_scikit_learn(estimator, check) -> None:
    check(estimator)
