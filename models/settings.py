"""What a user can set, per model: frozen, checked once."""

from __future__ import annotations

import math
from dataclasses import dataclass

from radprog.instances.errors import OptionError
from radprog.models.kernels import Kernel, parse_kernels

COMPLEXITIES = ("trace", "poly", "local", "massart", "montecarlo", "none")


def _nonnegative(name: str, value: float) -> None:
    if not (math.isfinite(value) and value >= 0):
        raise OptionError(f"{name} {value:g}: expected a finite number >= 0")


def _positive(name: str, value: float) -> None:
    if not (math.isfinite(value) and value > 0):
        raise OptionError(f"{name} {value:g}: expected a finite number > 0")


def _one_kernel(model: str, spec: str) -> Kernel:
    kernels = parse_kernels(spec)
    if len(kernels) != 1:
        raise OptionError(f"{model} takes one kernel, '{spec}' gives {len(kernels)}")
    return kernels[0]


@dataclass(frozen=True, kw_only=True)
class VKR:
    """Voted Kernel Regularization: min mean hinge + sum_kj (lam r_k + beta) |alpha_kj|.

    kernels: SPEC; complexity: the penalty r_k; lam, beta >= 0, not both 0; local_r: radius of the
    local penalty, "auto" for its fixed point; trials: sign vectors of the Monte Carlo penalty;
    centres: file of further centres, one a row.
    """

    kernels: str = "poly:1-10"
    complexity: str = "trace"
    lam: float = 1e-3
    beta: float = 1e-3
    local_r: str | float | None = None
    trials: int | None = None
    centres: str | None = None

    def __post_init__(self) -> None:
        parse_kernels(self.kernels)
        if self.complexity not in COMPLEXITIES:
            raise OptionError(
                f"unknown complexity '{self.complexity}': expected one of {', '.join(COMPLEXITIES)}"
            )
        _nonnegative("lam", self.lam)
        _nonnegative("beta", self.beta)
        if self.lam == 0 and self.beta == 0:
            raise OptionError("lam and beta are both 0: the norm of alpha would cost nothing")
        if self.local_r is not None:
            if self.complexity != "local":
                raise OptionError(f"local_r is not used by complexity '{self.complexity}'")
            if self.local_r != "auto":
                _positive("local_r", _as_number("local_r", self.local_r))
        if self.trials is not None:
            if self.complexity != "montecarlo":
                raise OptionError(f"trials is not used by complexity '{self.complexity}'")
            if self.trials < 2:
                raise OptionError(f"trials {self.trials}: expected at least 2")


def _as_number(name: str, value: str | float) -> float:
    try:
        return float(value)
    except ValueError:
        raise OptionError(f"{name} '{value}': expected 'auto' or a number") from None


@dataclass(frozen=True, kw_only=True)
class L1SVM:
    """Norm-1 SVM with one kernel: min mean hinge + beta sum_j |alpha_j|, beta > 0."""

    kernels: str = "poly:1"
    beta: float = 1e-3
    centres: str | None = None

    def __post_init__(self) -> None:
        _one_kernel("l1svm", self.kernels)
        _positive("beta", self.beta)

    def as_vkr(self) -> VKR:
        """The same program as VKR without a complexity penalty."""
        return VKR(
            kernels=self.kernels, complexity="none", lam=0.0, beta=self.beta, centres=self.centres
        )


@dataclass(frozen=True, kw_only=True)
class SVM:
    """Support vector machine with one kernel: min 1/2 |w|^2 + C sum hinge, with bias; C > 0."""

    kernels: str = "poly:1"
    C: float = 1.0

    def __post_init__(self) -> None:
        _one_kernel("svm", self.kernels)
        _positive("C", self.C)
