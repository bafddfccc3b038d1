"""What a user can set for VKR, its special case L1SVM, and the support vector machine."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from radprog.base.errors import OptionError
from radprog.models.bounds import DELTA, DELTA_HELP, check_delta
from radprog.models.kernels import kernel_names, parse_kernels
from radprog.models.own_kernels import Kernels, Penalty, kernel_text, penalty_setting
from radprog.models.score_rows import OWN_ROWS, AnyRow, settled_rows
from radprog.models.settings import (
    SOLVERLESS,
    OwnCode,
    Unused,
    at_least,
    check_types,
    described,
    nonnegative,
    one_kernel,
    one_of,
    option,
    positive,
    positive_number,
    take,
)

RHO = "forms budget and margin: sum |alpha| <= 1/rho (default: as the solution)"
RIDGE = "form elastic: price of half the squared norm of alpha (default: beta)"
CENTRES = "file of further centres, one a row; or N: that many sampled points are all centres"
#: Names that the paper suggests.
LEMMAS = {"lemma3": "trace", "lemma4": "poly"}
COMPLEXITIES = ("trace", "poly", "local", "massart", "montecarlo", "none")


def centre_text(value: str | int | None) -> str | None:
    """A file of centres, or the number of those to sample, as text; OptionError below 1."""
    number = centre_number(value)
    if number is not None:
        at_least(1, centres=number)
    return None if value is None else str(value)


def centre_number(value: str | int | None) -> int | None:
    """How many centres to sample; None where a file, or nothing, is given."""
    text = "" if value is None else str(value).strip()
    return int(text) if text.lstrip("-").isdigit() else None


@described
@dataclass(frozen=True, kw_only=True)
class VKR:
    """Voted Kernel Regularization: min mean hinge + sum_kj (lam r_k + beta) |alpha_kj|.

    Problem (1) of C. Cortes, P. Goyal, V. Kuznetsov and M. Mohri, Voted Kernel
    Regularization (2015); penalties r_k by its Lemmas 3 and 4 and its Section 5.
    """

    methods: ClassVar[tuple[str, ...]] = ("colgen", "direct", "dual", "cd")
    unused: ClassVar[Unused] = {
        "direct": ("start", "max_iter"),
        "dual": ("start", "max_iter"),
        "cd": ("start", *SOLVERLESS),
    }
    forms: ClassVar[tuple[str, ...]] = (
        "primal", "dual", "master", "budget", "margin", "elastic",
    )  # fmt: skip

    kernels: Kernels = option(
        "poly:1-10",
        str,
        "kernels, comma-separated: poly:1-10, rbf:1e-6..1e0",
        kernel_names,
    )
    complexity: str | Penalty | Sequence[float] = option(
        "trace",
        str,
        f"penalty r_k: {', '.join(COMPLEXITIES)} (trace: Lemma 3; poly: Lemma 4 without its factor "
        "12 sqrt(pi/m))",
    )
    lam: float = option(1e-3, float, "weight of the penalty, >= 0")
    beta: float = option(1e-3, float, "price of the norm of alpha, >= 0")
    local_r: str | float | None = option(
        None, str, "radius of the local penalty, a number or auto (its fixed point, the default)"
    )
    trials: int | None = option(None, int, "sign vectors of the Monte Carlo penalty (2000)")
    centres: str | int | None = option(None, str, CENTRES)
    rho: float | None = option(None, float, RHO)
    ridge: float | None = option(None, float, RIDGE)
    tradeoff: float = option(2.0, float, "K of Theorem 2 in `radprog bounds`, > 1")
    delta: float = option(DELTA, float, DELTA_HELP)
    constraints: tuple[AnyRow, ...] | None = option(None, str, OWN_ROWS, of_rows=True)

    def __post_init__(self) -> None:
        check_types(self)
        # texts stand for kernels, penalties and constraints, with what is behind them
        take(self, centres=centre_text(self.centres))
        take(self, kernels=kernel_text(self.kernels), complexity=penalty_setting(self.complexity))
        take(self, constraints=settled_rows(self.constraints))
        check_delta(self.delta)
        parse_kernels(self.kernels)
        if type(self.complexity) is str:
            one_of("complexity", self.complexity, COMPLEXITIES, LEMMAS)
        nonnegative("lam", self.lam)
        nonnegative("beta", self.beta)
        if not 1.0 < self.tradeoff < math.inf:
            raise OptionError(f"tradeoff {self.tradeoff:g}: expected a number > 1 (K of Theorem 2)")
        for name in ("rho", "ridge"):
            if getattr(self, name) is not None:
                positive(name, getattr(self, name))
        # what the penalty that was chosen does not use
        if self.local_r is not None:
            if self.complexity != "local":
                raise OptionError(f"local_r is not used by complexity '{self.complexity}'")
            if self.local_r != "auto":
                positive_number("local_r", self.local_r)
        if self.trials is not None:
            if self.complexity != "montecarlo":
                raise OptionError(f"trials is not used by complexity '{self.complexity}'")
            at_least(2, trials=self.trials)

    def as_vkr(self) -> VKR:
        """Itself, as :meth:`L1SVM.as_vkr` is the program that it is a case of."""
        return self


@described
@dataclass(frozen=True, kw_only=True)
class L1SVM:
    """Norm-1 SVM with one kernel: min mean hinge + beta sum_j |alpha_j|, beta > 0.

    Problem (1) with lam = 0 of C. Cortes, P. Goyal, V. Kuznetsov and M. Mohri, Voted Kernel
    Regularization (2015).
    """

    methods: ClassVar[tuple[str, ...]] = VKR.methods
    unused: ClassVar[Unused] = VKR.unused
    forms: ClassVar[tuple[str, ...]] = VKR.forms

    kernels: Kernels = option(
        "poly:1", str, "one kernel, such as poly:3 or rbf:scale", kernel_names
    )
    beta: float = option(1e-3, float, "price of the norm of alpha, > 0")
    centres: str | int | None = option(None, str, CENTRES)
    rho: float | None = option(None, float, RHO)
    ridge: float | None = option(None, float, RIDGE)
    delta: float = option(DELTA, float, DELTA_HELP)
    constraints: tuple[AnyRow, ...] | None = option(None, str, OWN_ROWS, of_rows=True)

    def __post_init__(self) -> None:
        check_types(self)
        take(self, centres=centre_text(self.centres))
        take(self, kernels=kernel_text(self.kernels), constraints=settled_rows(self.constraints))
        check_delta(self.delta)
        one_kernel("l1svm", self.kernels)
        positive("beta", self.beta)
        for name in ("rho", "ridge"):
            if getattr(self, name) is not None:
                positive(name, getattr(self, name))

    def as_vkr(self) -> VKR:
        """The same program as VKR without a complexity penalty."""
        return VKR(
            kernels=self.kernels,
            complexity="none",
            lam=0.0,
            beta=self.beta,
            centres=self.centres,
            rho=self.rho,
            ridge=self.ridge,
            delta=self.delta,
            constraints=self.constraints,
        )


@described
@dataclass(frozen=True, kw_only=True)
class SVM:
    """Support vector machine with one kernel: min 1/2 |w|^2 + C sum hinge, with bias; C > 0.

    The program that C. Cortes, P. Goyal, V. Kuznetsov and M. Mohri, Voted Kernel
    Regularization (2015), compares with in Section 6.
    """

    methods: ClassVar[tuple[str, ...]] = ("dual",)
    unused: ClassVar[Unused] = {"dual": ("start",)}
    own_code: ClassVar[OwnCode] = {"dual": "libsvm"}
    forms: ClassVar[tuple[str, ...]] = ("dual",)

    kernels: Kernels = option(
        "poly:1", str, "one kernel, such as poly:3 or rbf:scale", kernel_names
    )
    C: float = option(1.0, float, "weight of the hinge losses, > 0")
    delta: float = option(DELTA, float, DELTA_HELP)
    constraints: tuple[AnyRow, ...] | None = option(None, str, OWN_ROWS, of_rows=True)

    def __post_init__(self) -> None:
        check_types(self)
        take(self, kernels=kernel_text(self.kernels), constraints=settled_rows(self.constraints))
        check_delta(self.delta)
        one_kernel("svm", self.kernels)
        positive("C", self.C)
