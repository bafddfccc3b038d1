"""Estimators for scikit-learn, with the same certified fits as :func:`radprog.fit`."""

from __future__ import annotations

from radprog.estimators.linear import (
    SparseHingeClassifier,
    SparseHingeClassifierCV,
    SparseQuantileRegressor,
    SparseQuantileRegressorCV,
)
from radprog.estimators.lpboost import ShapeletBoostClassifier
from radprog.estimators.mkl import LocalMKLClassifier
from radprog.estimators.pick_to_learn import PickToLearn
from radprog.estimators.regression import BoundedLossSVR
from radprog.estimators.similarity import (
    DiscriminativeClustering,
    DiscriminativeLabelPropagation,
    SimilarityClassifier,
)
from radprog.estimators.vkr import L1SVMClassifier, VKRClassifier, VKRClassifierCV
from radprog.estimators.votes import LPBoostClassifier, ThinnedClassifier

__all__ = [
    "BoundedLossSVR",
    "DiscriminativeClustering",
    "DiscriminativeLabelPropagation",
    "L1SVMClassifier",
    "LPBoostClassifier",
    "LocalMKLClassifier",
    "PickToLearn",
    "ShapeletBoostClassifier",
    "SimilarityClassifier",
    "SparseHingeClassifier",
    "SparseHingeClassifierCV",
    "SparseQuantileRegressor",
    "SparseQuantileRegressorCV",
    "ThinnedClassifier",
    "VKRClassifier",
    "VKRClassifierCV",
]
