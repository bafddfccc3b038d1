"""Voted Kernel Regularization and the norm-1 SVM as classifiers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from radprog.estimators.expansions import ExpansionClassifier
from radprog.models.vkr.settings import L1SVM, VKR


@dataclass(kw_only=True, eq=False, repr=False)
class VKRClassifier(ExpansionClassifier):
    """Voted Kernel Regularization: min mean hinge + sum_kj (lam r_k + beta) |alpha_kj|.

    Parameters as those of :class:`radprog.VKR` and of a run. Scores are
    sum_kj alpha_kj K_k(x, x_j), without a constant; rows are taken as they are: scale them before.

    >>> from radprog.estimators import VKRClassifier
    >>> VKRClassifier(kernels="poly:1-3").fit(X, y).certified_
    """

    spec: ClassVar[type[Any]] = VKR

    kernels: Any = "poly:1-10"
    complexity: str = "trace"
    lam: float = 1e-3
    beta: float = 1e-3
    local_r: str | float | None = None
    trials: int | None = None


@dataclass(kw_only=True, eq=False, repr=False)
class L1SVMClassifier(ExpansionClassifier):
    """Norm-1 support vector machine with one kernel: min mean hinge + beta sum_j |alpha_j|.

    Parameters as those of :class:`radprog.L1SVM` and of a run.
    """

    spec: ClassVar[type[Any]] = L1SVM

    kernels: Any = "poly:1"
    beta: float = 1e-3
