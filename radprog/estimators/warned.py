"""Warnings of estimators, which point at the user's call."""

from __future__ import annotations

import sys
import warnings

from sklearn.exceptions import ConvergenceWarning

PASSED_THROUGH = ("radprog", "sklearn", "joblib")  # packages that stand between user and estimator


def warn_user(told: str, kind: type[Warning] = ConvergenceWarning) -> None:
    """Warn at the line outside this package, scikit-learn and joblib that led here."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and _package(frame.f_globals) in PASSED_THROUGH:
        level, frame = level + 1, frame.f_back
    warnings.warn(told, kind, stacklevel=level)


def _package(names: dict[str, object]) -> str:
    return str(names.get("__name__", "")).partition(".")[0]
