"""Rows that every member was fitted to say little: a thinned ensemble warns of them."""

import warnings
from typing import Any

import numpy as np
import pytest
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.tree import DecisionTreeClassifier

import radprog as rp

RNG = np.random.default_rng(0)
X = RNG.normal(size=(160, 4))
Y = X[:, 0] + 0.7 * RNG.normal(size=160) > 0


@pytest.mark.parametrize(
    ("ensemble", "bagged"),
    [
        (RandomForestClassifier(8, random_state=0), True),
        (RandomForestClassifier(8, bootstrap=False, random_state=0), False),
        (ExtraTreesClassifier(8, random_state=0), False),
        (BaggingClassifier(n_estimators=8, random_state=0), True),
        (BaggingClassifier(n_estimators=8, max_features=2, bootstrap=False, random_state=0), False),
        (AdaBoostClassifier(DecisionTreeClassifier(max_depth=2), n_estimators=8), False),
        (GradientBoostingClassifier(n_estimators=8), False),
        (GradientBoostingClassifier(n_estimators=8, subsample=0.5), True),
    ],
)
def test_members_that_were_fitted_to_all_rows_cause_a_warning(ensemble: Any, bagged: bool) -> None:
    ensemble.fit(X[:100], Y[:100])
    for rows, warned in ((slice(0, 100), not bagged), (slice(60, 160), False)):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            rp.thin(ensemble, X[rows], Y[rows], most=4)
        said = any("every member was fitted to" in str(one.message) for one in caught)
        assert said == warned
