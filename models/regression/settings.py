"""What a user can set for bounded-loss regression, its complexity, and model selection by it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from radprog.base.errors import OptionError
from radprog.base.types import FloatArray
from radprog.models.complexity import SIGN_KINDS
from radprog.models.kernel_functions import RBF, KernelFunction, scale_width
from radprog.models.kernels import kernel_names, parse_kernels
from radprog.models.own_kernels import Kernels, kernel_text
from radprog.models.regression.problem import BoundedLoss
from radprog.models.settings import (
    SOLVERLESS,
    Numbers,
    OwnCode,
    Unused,
    as_text,
    at_least,
    check_types,
    described,
    nonnegative,
    number_list,
    one_kernel,
    one_of,
    option,
    positive,
    take,
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
    """The one kernel of the settings: a SPEC, rbf:gamma, or gamma = 1 / (columns x variance), the
    rows of X counted by their weights (n,) where they have some.

    Where all cells of X (n, d) are equal, gamma is 1.
    """
    if kernels is not None:
        return parse_kernels(kernels)[0]
    return RBF(scale_width(X, weights) if gamma is None else gamma)


@dataclass(frozen=True, kw_only=True)
class _ClassOptions:
    """The class of functions, |w|^2 <= A and free b, and the loss; ``C`` is the penalised form."""

    forms: ClassVar[tuple[str, ...]] = ("step", "step-dual", "step-ivanov", "global")

    gamma: float | None = option(
        None, float, "width of exp(-gamma |x-z|^2), > 0 (1 / (columns x variance))"
    )
    kernels: Kernels | None = option(
        None, str, "one kernel in place of gamma, such as linear", kernel_names
    )
    A: float | None = option(None, float, "radius of the class: |w|^2 <= A, >= 0 (1)")
    C: float | None = option(None, float, "weight of the losses in place of A, > 0")
    eps_low: float = option(0.0, float, "residuals up to this cost nothing, >= 0")
    eps_up: float = option(1.0, float, "residuals beyond eps_low + eps_up cost no more, > 0")
    starts: int = option(STARTS, int, "starting points per problem, >= 1")

    def __post_init__(self) -> None:
        check_types(self)
        if self.gamma is not None and self.kernels is not None:
            raise OptionError("gamma and kernels are both given: choose one")
        if self.gamma is not None:
            positive("gamma", self.gamma)
        if self.kernels is not None:
            take(self, kernels=kernel_text(self.kernels))
            one_kernel("svr", self.kernels)
        if self.A is not None and self.C is not None:
            raise OptionError("A and C are both given: the one bounds |w|^2, the other weighs it")
        if self.A is not None:
            nonnegative("A", self.A)
        if self.C is not None:
            positive("C", self.C)
        at_least(1, starts=self.starts)
        self.loss()

    def loss(self) -> BoundedLoss:
        """The bounded loss."""
        return BoundedLoss(low=self.eps_low, up=self.eps_up)

    @property
    def radius(self) -> float:
        """A, 1 where neither A nor C is given."""
        return 1.0 if self.A is None else self.A


@described
@dataclass(frozen=True, kw_only=True)
class SVR(_ClassOptions):
    """Regression with the bounded loss: min sum ell_i s.t. |w|^2 <= A; or with C
    min 1/2 |w|^2 + C sum ell_i.

    Problems (3) and (4) of D. Anguita, A. Ghio, L. Oneto and S. Ridella, Structural Risk
    Minimization and Rademacher Complexity for Regression (ESANN 2012).
    """

    methods: ClassVar[tuple[str, ...]] = ("cccp", "global")
    unused: ClassVar[Unused] = {
        "cccp": ("start", "threads"),
        "global": ("start", "threads", *SOLVERLESS),
    }
    own_code: ClassVar[OwnCode] = {"cccp": OWN_SOLVER}


def _check_trials(kind: str, trials: int | None) -> None:
    one_of("kind", kind, SIGN_KINDS)
    if trials is not None and trials < 2:
        raise OptionError(f"trials {trials}: a standard error needs at least 2")


@described
@dataclass(frozen=True, kw_only=True)
class Complexity(_ClassOptions):
    """Complexity (1) of the class |w|^2 <= A: E_sigma sup_h (2/n) sum sigma_i ell_i.

    D. Anguita, A. Ghio, L. Oneto and S. Ridella, Structural Risk Minimization and Rademacher
    Complexity for Regression (ESANN 2012).
    """

    methods: ClassVar[tuple[str, ...]] = ("cccp", "exact")
    unused: ClassVar[Unused] = {
        "cccp": ("start", "threads"),
        "exact": ("start", "threads", *SOLVERLESS),
    }
    own_code: ClassVar[OwnCode] = {"cccp": OWN_SOLVER}

    kind: str = option("rademacher", str, f"signs: {', '.join(SIGN_KINDS)} (they sum to 0)")
    trials: int | None = option(None, int, f"sign vectors of the Monte Carlo mean ({TRIALS})")
    sign_vector: int = option(0, int, "which sign vector exported forms are about, from 0")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.C is not None:
            raise OptionError("complexity is that of a class |w|^2 <= A: C has no meaning")
        _check_trials(self.kind, self.trials)
        if self.sign_vector < 0:
            raise OptionError(f"sign_vector {self.sign_vector}: expected a number >= 0")


@described
@dataclass(frozen=True, kw_only=True)
class SRM:
    """Structural risk minimisation: the class of least bound (2) among gammas x As.

    D. Anguita, A. Ghio, L. Oneto and S. Ridella, Structural Risk Minimization and Rademacher
    Complexity for Regression (ESANN 2012), with the union over the classes that its bound needs.
    """

    methods: ClassVar[tuple[str, ...]] = ("cccp",)
    unused: ClassVar[Unused] = {"cccp": ("start", "threads")}
    own_code: ClassVar[OwnCode] = {"cccp": OWN_SOLVER}
    forms: ClassVar[tuple[str, ...]] = ()

    gammas: Numbers = option("1e-3..1e2:10", str, "widths of the kernel: a,b,c or a..b:N")
    As: Numbers = option("1e-3..1e2:10", str, "radii |w|^2 <= A: a,b,c or a..b:N")
    kind: str = option("rademacher", str, f"signs: {', '.join(SIGN_KINDS)} (they sum to 0)")
    trials: int | None = option(None, int, f"sign vectors of every cell ({TRIALS})")
    delta: float = option(0.05, float, "probability that the bound fails, in (0, 1)")
    folds: int = option(5, int, "folds of the cross-validation beside it, >= 2")
    eps_low: float = option(0.0, float, "residuals up to this cost nothing, >= 0")
    eps_up: float = option(1.0, float, "residuals beyond eps_low + eps_up cost no more, > 0")
    starts: int = option(2, int, "starting points per problem, beside the smaller class's")

    def __post_init__(self) -> None:
        for name, given in (("gammas", self.gammas), ("As", self.As)):
            take(self, **{name: as_text(name, given, optional=False)})
        check_types(self)
        for value in self.gamma_values:
            positive("gammas", value)
        for value in self.A_values:
            nonnegative("As", value)
        for name, values in (("gammas", self.gamma_values), ("As", self.A_values)):
            if len(set(values)) < len(values):
                raise OptionError(f"{name}: a value is given twice")
        _check_trials(self.kind, self.trials)
        positive("delta", self.delta)
        if not self.delta < 1:
            raise OptionError(f"delta {self.delta:g}: expected a probability below 1")
        at_least(2, folds=self.folds)
        at_least(1, starts=self.starts)
        self.loss()

    def loss(self) -> BoundedLoss:
        """The bounded loss."""
        return BoundedLoss(low=self.eps_low, up=self.eps_up)

    @property
    def gamma_values(self) -> tuple[float, ...]:
        """The widths, in increasing order."""
        return tuple(sorted(number_list("gammas", self.gammas)))

    @property
    def A_values(self) -> tuple[float, ...]:
        """The radii, in increasing order."""
        return tuple(sorted(number_list("As", self.As)))

    @property
    def classes(self) -> list[tuple[float, float]]:
        """(gamma, A) of every class, in the order of the table."""
        return [(gamma, A) for gamma in self.gamma_values for A in self.A_values]
