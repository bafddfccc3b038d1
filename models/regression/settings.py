"""Settings of bounded-loss regression, its complexity, and model selection by complexity."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from radprog.base.errors import OptionError
from radprog.base.settings import Settings, described, option
from radprog.base.types import FloatArray
from radprog.models.complexity import SIGN_KINDS
from radprog.models.kernels import (
    RBF,
    KernelFunction,
    Kernels,
    kernel_names,
    kernel_text,
    number_list,
    parse_kernels,
    scale_width,
)
from radprog.models.regression.problem import BoundedLoss
from radprog.models.settings import (
    SOLVERLESS,
    Numbers,
    OwnCode,
    Unused,
    as_text,
    at_least,
    nonnegative,
    one_kernel,
    positive,
)

OWN_SOLVER = "batched interior point"  # of convex steps where no solver is named
STARTS = 5
TRIALS = 100


def kernel_of(
    kernels: Kernels | None,
    gamma: float | None,
    X: FloatArray,
    weights: FloatArray | None = None,
) -> KernelFunction:
    """The kernel of the SPEC ``kernels``. If it is None, the Gaussian kernel of width ``gamma``.

    If ``gamma`` is None, it is 1 / (columns x variance) of X (n, d), or 1 if all cells are equal.
    The variance is weighted if the rows have weights (n,).
    """
    if kernels is not None:
        return parse_kernels(kernels)[0]
    return RBF(scale_width(X, weights) if gamma is None else gamma)


KIND_HELP = f"distribution of the signs: {', '.join(SIGN_KINDS)} (with sum 0)"


@dataclass(frozen=True, kw_only=True)
class _Loss(Settings):
    """Options of the bounded loss."""

    eps_low: float = option(0.0, float, "largest residual without loss, >= 0")
    eps_up: float = option(1.0, float, "width of the linear part of the loss, > 0")

    def check(self) -> None:
        """Raise OptionError for an invalid loss."""
        self.loss()

    def loss(self) -> BoundedLoss:
        """The bounded loss."""
        return BoundedLoss(low=self.eps_low, up=self.eps_up)


@dataclass(frozen=True, kw_only=True)
class _ClassOptions(_Loss):
    """The options of the function class |w|^2 <= A with free b, and of the loss."""

    forms: ClassVar[tuple[str, ...]] = ("step", "step-dual", "step-ivanov", "global")

    gamma: float | None = option(
        None,
        float,
        "gamma in exp(-gamma |x-z|^2), > 0 (default 1 / (columns x variance))",
        check=positive,
    )
    kernels: Kernels | None = option(
        None, str, "one kernel in place of gamma, such as linear", kernel_names,
        make=kernel_text, check=one_kernel("svr"),
    )  # fmt: skip
    A: float | None = option(None, float, "bound A on |w|^2, >= 0 (default 1)", check=nonnegative)
    starts: int = option(
        STARTS, int, "number of starting points per problem, >= 1", check=at_least(1)
    )

    def check(self) -> None:
        """Raise OptionError if both ``gamma`` and ``kernels`` are set."""
        super().check()
        if self.gamma is not None and self.kernels is not None:
            raise OptionError("gamma and kernels are both given: choose one")

    @property
    def radius(self) -> float:
        """The bound A on |w|^2; 1 by default."""
        return 1.0 if self.A is None else self.A


@described
@dataclass(frozen=True, kw_only=True)
class SVR(_ClassOptions):
    r"""Regression with a bounded loss: min sum ell_i over |w|^2 <= A.

    With C, the program is min 1/2 |w|^2 + C sum ell_i. The programs are problems (3) and (4) of
    D. Anguita, A. Ghio, L. Oneto and S. Ridella, Structural Risk Minimization and Rademacher
    Complexity for Regression (ESANN 2012).

    Notes
    -----
    .. math::

       \min_{|w|^2 \le A,\, b} \; \sum_i \ell_i, \qquad \ell_i = \frac{1}{\varepsilon_{up}}
       \min\bigl(\max(0,\, |y_i - w'\phi(x_i) - b| - \varepsilon_{low}),\, \varepsilon_{up}\bigr).

    Examples
    --------
    >>> import numpy as np
    >>> import radprog as rp
    >>> x = np.linspace(0.0, 1.0, 8)
    >>> data = rp.regression_data(x[:, None], 1 + x)
    >>> run = rp.fit(rp.SVR(kernels="linear", A=10.0), data)
    >>> str(run.status), bool(abs(run.predict(data.X) - data.target).max() < 0.3)
    ('critical_point', True)
    """

    methods: ClassVar[tuple[str, ...]] = ("cccp", "global")
    unused: ClassVar[Unused] = {
        "cccp": ("start", "threads"),
        "global": ("start", "threads", *SOLVERLESS),
    }
    own_code: ClassVar[OwnCode] = {"cccp": OWN_SOLVER}

    C: float | None = option(None, float, "weight of the losses in place of A, > 0", check=positive)

    def check(self) -> None:
        """Raise OptionError if both ``A`` and ``C``, or both ``gamma`` and ``kernels``, are set."""
        super().check()
        if self.A is not None and self.C is not None:
            raise OptionError(
                "A and C are both given, expected one: A bounds |w|^2, C is the price of the losses"
            )


@described
@dataclass(frozen=True, kw_only=True)
class Complexity(_ClassOptions):
    r"""Complexity (1) of the class |w|^2 <= A: E_sigma sup_h (2/n) sum_i sigma_i ell_i.

    Here h(x) = w'phi(x) + b with any b, ell_i in [0, 1] is the bounded loss of row i, and sigma_i
    are random signs. Without ``trials``, the method ``exact`` enumerates all 2^n sign vectors, or
    all C(n, n/2) for the discrepancy. At most 4,096 are allowed. Each one takes 0.01 s on 10 rows
    of the noisy sinc data, and 0.6 s on 20 rows.

    The source is D. Anguita, A. Ghio, L. Oneto and S. Ridella, Structural Risk Minimization and
    Rademacher Complexity for Regression (ESANN 2012).

    Notes
    -----
    .. math::

       E_\sigma \sup_{|w|^2 \le A,\, b} \; \frac2n \sum_{i=1}^n \sigma_i \ell_i.

    Examples
    --------
    >>> import numpy as np
    >>> import radprog as rp
    >>> x = np.linspace(0.0, 1.0, 8)
    >>> data = rp.regression_data(x[:, None], 1 + x)
    >>> run = rp.fit(rp.Complexity(kernels="linear", A=0.1, trials=5, starts=1), data)
    >>> 0.0 <= run.objective <= run.certified_upper
    True
    """

    methods: ClassVar[tuple[str, ...]] = ("cccp", "exact")
    sense: ClassVar[int] = -1  # the estimate is from below, its bound from above
    unused: ClassVar[Unused] = {
        "cccp": ("start", "threads"),
        "exact": ("start", "threads", *SOLVERLESS),
    }
    own_code: ClassVar[OwnCode] = {"cccp": OWN_SOLVER}

    kind: str = option("rademacher", str, KIND_HELP, allowed=SIGN_KINDS)
    trials: int | None = option(
        None,
        int,
        f"number of sign vectors in the Monte Carlo mean, >= 2 (default {TRIALS})",
        check=at_least(2),
    )


@described
@dataclass(frozen=True, kw_only=True)
class SRM(_Loss):
    """Structural risk minimisation: choose the class with the smallest bound (2) among gammas x As.

    The method follows D. Anguita, A. Ghio, L. Oneto and S. Ridella, Structural Risk Minimization
    and Rademacher Complexity for Regression (ESANN 2012). Here the bound also includes a union
    bound over the classes.

    Examples
    --------
    >>> import numpy as np
    >>> import radprog as rp
    >>> x = np.linspace(0.0, 1.0, 8)
    >>> data = rp.regression_data(x[:, None], 1 + x)
    >>> run = rp.fit(rp.SRM(gammas="1", As="0.1,1", trials=3, folds=2, starts=1), data)
    >>> str(run.status)
    'feasible'
    """

    methods: ClassVar[tuple[str, ...]] = ("cccp",)
    unused: ClassVar[Unused] = {"cccp": ("start", "threads")}
    own_code: ClassVar[OwnCode] = {"cccp": OWN_SOLVER}
    forms: ClassVar[tuple[str, ...]] = ()

    gammas: Numbers = option(
        "1e-3..1e2:10", str, "values of gamma: a,b,c or a..b:N",
        make=partial(as_text, "gammas", optional=False),
    )  # fmt: skip
    As: Numbers = option(
        "1e-3..1e2:10", str, "values of A in |w|^2 <= A: a,b,c or a..b:N",
        make=partial(as_text, "As", optional=False),
    )  # fmt: skip
    kind: str = option("rademacher", str, KIND_HELP, allowed=SIGN_KINDS)
    trials: int | None = option(
        None, int, f"number of sign vectors per class, >= 2 (default {TRIALS})", check=at_least(2)
    )
    delta: float = option(
        0.05, float, "probability that the bound fails, in (0, 1)", check=positive
    )
    folds: int = option(5, int, "number of cross-validation folds, >= 2", check=at_least(2))
    # 10 x 10 classes of 100 points, 100 sign vectors: 33 s with 2 starts, 214 s with 11
    starts: int = option(
        2, int, "number of random starting points per problem, >= 1", check=at_least(1)
    )

    def check(self) -> None:
        """Raise OptionError for a repeated or invalid value in a list, and for delta >= 1."""
        super().check()
        for value in self.gamma_values:
            positive("gammas", value)
        for value in self.A_values:
            nonnegative("As", value)
        for name, values in (("gammas", self.gamma_values), ("As", self.A_values)):
            if len(set(values)) < len(values):
                raise OptionError(f"{name}: a value is given twice")
        if not self.delta < 1:
            raise OptionError(f"delta {self.delta:g}: expected a probability below 1")

    @property
    def gamma_values(self) -> tuple[float, ...]:
        """The values of gamma, in increasing order."""
        return tuple(sorted(number_list("gammas", self.gammas)))

    @property
    def A_values(self) -> tuple[float, ...]:
        """The values of A, in increasing order."""
        return tuple(sorted(number_list("As", self.As)))

    @property
    def classes(self) -> list[tuple[float, float]]:
        """The pairs (gamma, A) of the classes, in increasing order."""
        return [(gamma, A) for gamma in self.gamma_values for A in self.A_values]
