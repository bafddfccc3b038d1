"""Settings of VKR, of its special case L1SVM, and of the support vector machine."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from radprog.base.errors import OptionError
from radprog.base.settings import Settings, described, one_of, option
from radprog.models.bounds import DELTA, DELTA_HELP, check_delta
from radprog.models.kernels import (
    Kernels,
    Penalty,
    kernel_names,
    kernel_text,
    parse_kernels,
    penalty_setting,
)
from radprog.models.score_rows import OWN_ROWS, AnyRow, parse_rows
from radprog.models.settings import (
    SOLVERLESS,
    OwnCode,
    Unused,
    at_least,
    nonnegative,
    one_kernel,
    positive,
    positive_number,
)

RHO = "rho in the bound sum |alpha| <= 1/rho of forms budget and margin (default: the solution's)"
CENTRES = "file of additional centres, one per row; or a number N of points to sample as centres"
ONE_KERNEL = "one kernel, such as poly:3 or rbf:scale"
#: The penalties that the lemmas of the paper define.
LEMMAS = {"lemma3": "trace", "lemma4": "poly"}
COMPLEXITIES = ("trace", "poly", "local", "massart", "montecarlo", "none")


def centre_text(value: str | int | None) -> str | None:
    """The setting ``centres`` as a string: a file of centres, or the number of centres to sample.
    Raises OptionError if the number is below 1.
    """
    number = centre_number(value)
    if number is not None:
        at_least(1)("centres", number)
    return None if value is None else str(value)


def centre_number(value: str | int | None) -> int | None:
    """The number of centres to sample; None if the setting is a file or None."""
    text = "" if value is None else str(value).strip()
    return int(text) if text.lstrip("-").isdigit() else None


@dataclass(frozen=True, kw_only=True)
class _Voted(Settings):
    """The common options of VKR and its special case."""

    methods: ClassVar[tuple[str, ...]] = ("colgen", "direct", "dual", "cd")
    unused: ClassVar[Unused] = {
        "direct": ("start", "max_iter"),
        "dual": ("start", "max_iter"),
        "cd": ("start", *SOLVERLESS),
    }
    forms: ClassVar[tuple[str, ...]] = (
        "primal", "dual", "master", "budget", "margin",
    )  # fmt: skip

    delta: float = option(DELTA, float, DELTA_HELP, check=lambda _, delta: check_delta(delta))
    constraints: tuple[AnyRow, ...] | None = option(None, None, OWN_ROWS, make=parse_rows)
    centres: str | int | None = option(None, str, CENTRES, make=centre_text)
    rho: float | None = option(None, float, RHO, check=positive)


@described
@dataclass(frozen=True, kw_only=True)
class VKR(_Voted):
    r"""Voted Kernel Regularization: min mean hinge + sum_kj (lam r_k + beta) |alpha_kj|.

    The program is problem (1) of C. Cortes, P. Goyal, V. Kuznetsov and M. Mohri, Voted Kernel
    Regularization (2015). Lemmas 3 and 4 and Section 5 of that paper define the penalties r_k.

    Notes
    -----
    With scores :math:`f(x) = \sum_{k,j} \alpha_{kj} K_k(x, x_j)`, the program is

    .. math::

       \min_\alpha \; \frac1m \sum_{i=1}^m \max(0,\, 1 - y_i f(x_i))
       + \sum_{k,j} (\lambda r_k + \beta)\, |\alpha_{kj}|.

    Examples
    --------
    >>> import numpy as np
    >>> import radprog as rp
    >>> data = rp.dataset(np.arange(6.0)[:, None], [-1, -1, 1, -1, 1, 1])
    >>> run = rp.fit(rp.VKR(kernels="poly:1-3", lam=1e-2), data)
    >>> run.certified, run.predict(np.array([[0.0], [5.0]])).tolist()
    (True, [-1, 1])
    """

    kernels: Kernels = option(
        "poly:1-10",
        str,
        "kernels, comma-separated: poly:D is (x'z + 1)^D, rbf:G is exp(-G |x - z|^2), linear is "
        "x'z; poly:1-10 and rbf:1e-6..1e0 are several",
        kernel_names,
        make=kernel_text,
        check=lambda _, spec: parse_kernels(spec),
    )
    complexity: str | Penalty | Sequence[float] = option(
        "trace",
        str,
        f"penalty r_k: {', '.join(COMPLEXITIES)} (trace: Lemma 3; poly: Lemma 4 without its factor "
        "12 sqrt(pi/m))",
        make=penalty_setting,
        check=lambda name, value: (
            one_of(name, value, COMPLEXITIES, LEMMAS) if type(value) is str else None
        ),
    )
    lam: float = option(1e-3, float, "weight of the complexity penalty, >= 0", check=nonnegative)
    beta: float = option(1e-3, float, "weight of the norm of alpha, >= 0", check=nonnegative)
    local_r: str | float | None = option(
        None, str, "radius of the local penalty: a number, or auto (default) for its fixed point"
    )
    trials: int | None = option(
        None,
        int,
        "number of sign vectors for the Monte Carlo penalty (default 2000)",
        check=at_least(2),
    )
    tradeoff: float = option(2.0, float, "constant K > 1 of Theorem 2, for `radprog bounds`")

    def check(self) -> None:
        """Raise OptionError for options that the penalty does not use."""
        if not 1.0 < self.tradeoff < math.inf:
            raise OptionError(f"tradeoff {self.tradeoff:g}: expected a number > 1 (K of Theorem 2)")
        for name, method in (("local_r", "local"), ("trials", "montecarlo")):
            if getattr(self, name) is not None and self.complexity != method:
                raise OptionError(f"{name} is not used by complexity '{self.complexity}'")
        if self.local_r not in (None, "auto"):
            positive_number("local_r", self.local_r)


@described
@dataclass(frozen=True, kw_only=True)
class L1SVM(_Voted):
    r"""Norm-1 SVM with one kernel: min mean hinge + beta sum_j |alpha_j|, beta > 0.

    The program is problem (1) with lam = 0 of C. Cortes, P. Goyal, V. Kuznetsov and M. Mohri, Voted
    Kernel Regularization (2015).

    Notes
    -----
    With scores :math:`f(x) = \sum_j \alpha_j K(x, x_j)`, the program is

    .. math::

       \min_\alpha \; \frac1m \sum_{i=1}^m \max(0,\, 1 - y_i f(x_i)) + \beta \sum_j |\alpha_j|.

    Examples
    --------
    >>> import numpy as np
    >>> import radprog as rp
    >>> data = rp.dataset(np.arange(6.0)[:, None], [-1, -1, 1, -1, 1, 1])
    >>> run = rp.fit(rp.L1SVM(kernels="rbf:1", beta=0.01), data)
    >>> run.certified, run.summary["coefficients"] <= 6
    (True, True)
    """

    #: The settings of VKR to which it is equivalent.
    complexity: ClassVar[str] = "none"
    lam: ClassVar[float] = 0.0
    local_r: ClassVar[None] = None
    trials: ClassVar[None] = None
    tradeoff: ClassVar[float] = 2.0

    kernels: Kernels = option(
        "poly:1", str, ONE_KERNEL, kernel_names, make=kernel_text, check=one_kernel("l1svm")
    )
    beta: float = option(1e-3, float, "weight of the norm of alpha, > 0", check=positive)


@described
@dataclass(frozen=True, kw_only=True)
class SVM(Settings):
    r"""Support vector machine with one kernel: min 1/2 |w|^2 + C sum hinge, with bias; C > 0.

    The program is the baseline in Section 6 of C. Cortes, P. Goyal, V. Kuznetsov and M. Mohri,
    Voted Kernel Regularization (2015).

    Notes
    -----
    .. math::

       \min_{w, b} \; \tfrac12 |w|^2 + C \sum_i \max(0,\, 1 - y_i (w'\phi(x_i) + b)).

    Examples
    --------
    >>> import numpy as np
    >>> import radprog as rp
    >>> data = rp.dataset(np.arange(6.0)[:, None], [-1, -1, 1, -1, 1, 1])
    >>> run = rp.fit(rp.SVM(kernels="rbf:1", C=10.0), data)
    >>> run.certified, run.predict(data.X).tolist()
    (True, [-1, -1, 1, -1, 1, 1])
    """

    methods: ClassVar[tuple[str, ...]] = ("dual",)
    unused: ClassVar[Unused] = {"dual": ("start", "stop")}
    own_code: ClassVar[OwnCode] = {"dual": "libsvm"}
    forms: ClassVar[tuple[str, ...]] = ("dual",)

    delta: float = option(DELTA, float, DELTA_HELP, check=lambda _, delta: check_delta(delta))
    constraints: tuple[AnyRow, ...] | None = option(None, None, OWN_ROWS, make=parse_rows)
    kernels: Kernels = option(
        "poly:1", str, ONE_KERNEL, kernel_names, make=kernel_text, check=one_kernel("svm")
    )
    C: float = option(1.0, float, "weight of the hinge losses, > 0", check=positive)
