"""What a user can set, per model: frozen, checked once."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from radprog.instances.errors import OptionError
from radprog.models.kernels import Kernel, parse_kernels

COMPLEXITIES = ("trace", "poly", "local", "massart", "montecarlo", "none")


def option(default: Any, parse: Callable[[str], Any], help: str) -> Any:
    """A field that the command line offers as an option of its own."""
    return field(default=default, metadata={"parse": parse, "help": help})


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
    """Voted Kernel Regularization: min mean hinge + sum_kj (lam r_k + beta) |alpha_kj|."""

    kernels: str = option("poly:1-10", str, "kernels, comma-separated: poly:1-10, rbf:1e-6..1e0")
    complexity: str = option("trace", str, f"penalty r_k: {', '.join(COMPLEXITIES)}")
    lam: float = option(1e-3, float, "weight of the penalty, >= 0")
    beta: float = option(1e-3, float, "price of the norm of alpha, >= 0")
    local_r: str | float | None = option(
        None, str, "radius of the local penalty, a number or auto (its fixed point, the default)"
    )
    trials: int | None = option(None, int, "sign vectors of the Monte Carlo penalty (2000)")
    centres: str | None = option(None, str, "file of further centres, one a row")
    rho: float | None = option(
        None, float, "forms budget and margin: sum |alpha| <= 1/rho (default: as the solution)"
    )

    def __post_init__(self) -> None:
        parse_kernels(self.kernels)
        if self.complexity not in COMPLEXITIES:
            raise OptionError(
                f"unknown complexity '{self.complexity}': expected one of {', '.join(COMPLEXITIES)}"
            )
        _nonnegative("lam", self.lam)
        _nonnegative("beta", self.beta)
        if self.rho is not None:
            _positive("rho", self.rho)
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

    kernels: str = option("poly:1", str, "one kernel, such as poly:3 or rbf:0.01")
    beta: float = option(1e-3, float, "price of the norm of alpha, > 0")
    centres: str | None = option(None, str, "file of further centres, one a row")
    rho: float | None = option(
        None, float, "forms budget and margin: sum |alpha| <= 1/rho (default: as the solution)"
    )

    def __post_init__(self) -> None:
        _one_kernel("l1svm", self.kernels)
        _positive("beta", self.beta)
        if self.rho is not None:
            _positive("rho", self.rho)

    def as_vkr(self) -> VKR:
        """The same program as VKR without a complexity penalty."""
        return VKR(
            kernels=self.kernels,
            complexity="none",
            lam=0.0,
            beta=self.beta,
            centres=self.centres,
            rho=self.rho,
        )


@dataclass(frozen=True, kw_only=True)
class SVM:
    """Support vector machine with one kernel: min 1/2 |w|^2 + C sum hinge, with bias; C > 0."""

    kernels: str = option("poly:1", str, "one kernel, such as poly:3 or rbf:0.01")
    C: float = option(1.0, float, "weight of the hinge losses, > 0")

    def __post_init__(self) -> None:
        _one_kernel("svm", self.kernels)
        _positive("C", self.C)
