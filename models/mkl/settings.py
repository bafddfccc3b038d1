"""Settings of multiple kernel learning with a bound on tail sums of eigenvalues."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from radprog.base.errors import OptionError
from radprog.base.settings import Settings, described, option
from radprog.models.kernels import Kernels, kernel_names, kernel_text, parse_kernels
from radprog.models.settings import (
    SOLVERLESS,
    OwnCode,
    Unused,
    at_least,
    number_or,
    positive,
    words_or,
    yes_or_no,
)

VARIANTS = ("conv", "dc", "lp", "unif")
LOSSES = ("hinge", "squared")
DEFAULT_KERNELS = "rbf:1e-3..1e1"
DEFAULT_STARTS = 5
METHODS_OF: Mapping[str, tuple[str, ...]] = {
    "conv": ("silp", "qcqp"),
    "lp": ("silp", "qcqp"),
    "dc": ("hybrid", "dca", "algorithm1", "global"),
    "unif": ("svm",),
}
FORMS_OF: Mapping[str, tuple[str, ...]] = {
    "conv": ("qcqp", "silp", "primal", "svm", "multiclass"),
    "lp": ("qcqp", "silp", "primal", "svm", "multiclass"),
    "dc": ("step", "svm", "dc"),
    "unif": ("svm", "multiclass"),
}
JOINT = ("silp", "multiclass")  # forms of the joint hinge loss
UNUSED_BY: Mapping[str, tuple[str, ...]] = {
    "unif": ("norm", "theta", "tail_budget", "starts"),
    "lp": ("theta", "tail_budget", "starts"),
    "conv": ("starts",),
    "dc": (),
}


@described
@dataclass(frozen=True, kw_only=True)
class MKL(Settings):
    r"""Multiple kernel learning: min J(mu) over the weights mu >= 0 of the kernels K_1, ..., K_M.

    J(mu) is the optimal value of the support vector machine with the kernel sum_m mu_m K_m. T is
    the tail sum of eigenvalues. The variants restrict mu as follows:

    - ``conv``: ||(T(K_m) mu_m)_m||_P <= budget
    - ``dc``: T(sum_m mu_m^P K_m) <= budget
    - ``lp``: ||mu||_P <= 1
    - ``unif``: mu_m = 1/M

    The budget is n for n rows by default, and the kernels are scaled to trace n. The paper has the
    budget 1. For ``conv`` this is the same program with n C in place of C: its weights are those
    here divided by n, and its objective is n times as large.

    The method ``global`` proves the optimum of ``dc``, for at most 3 kernels and 40 points.
    ``conv`` and ``dc`` follow Section 3.2 and problem (7) of C. Cortes, M. Kloft and M. Mohri,
    Learning Kernels Using Local Rademacher Complexity (NIPS 2013).

    Notes
    -----
    For two classes and the hinge loss, the program is

    .. math::

       \min_{\mu} J(\mu), \qquad J(\mu) = \min_{w, b} \; \tfrac12 \sum_m \frac{|w_m|^2}{\mu_m}
       + C \sum_i \max\bigl(0,\, 1 - y_i (\textstyle\sum_m w_m'\phi_m(x_i) + b)\bigr).

    Examples
    --------
    >>> import numpy as np
    >>> import radprog as rp
    >>> data = rp.dataset(np.arange(6.0)[:, None], [-1, -1, 1, -1, 1, 1])
    >>> run = rp.fit(rp.MKL(kernels="rbf:1,poly:2", C=10.0), data)
    >>> run.certified, len(run.summary["weights"])
    (True, 2)
    """

    methods: ClassVar[tuple[str, ...]] = (
        "silp", "qcqp", "hybrid", "dca", "algorithm1", "global", "svm"
    )  # fmt: skip
    unused: ClassVar[Unused] = {
        "qcqp": ("max_iter", "start"),
        "global": ("max_iter",),
        "svm": ("max_iter", "start", *SOLVERLESS),
    }
    own_code: ClassVar[OwnCode] = dict.fromkeys(
        ("silp", "hybrid", "dca", "algorithm1"), "the default master"
    )
    forms: ClassVar[tuple[str, ...]] = ("qcqp", "silp", "primal", "svm", "step", "multiclass", "dc")

    kernels: Kernels | None = option(
        None, str, f"kernels, comma-separated (default {DEFAULT_KERNELS})", kernel_names,
        make=kernel_text, check=lambda _, spec: parse_kernels(spec),
    )  # fmt: skip
    grams: str | None = option(None, str, "file (.npz) with kernel matrices, in place of DATA")
    variant: str = option("conv", str, f"set of weights: {', '.join(VARIANTS)}", allowed=VARIANTS)
    norm: float | None = option(None, float, "order P >= 1 of the norm of the weights (default 1)")
    theta: int | None = option(
        None,
        int,
        "number of largest eigenvalues excluded from the tail sum, >= 0 (default 1)",
        check=at_least(0),
    )
    C: float = option(1.0, float, "weight of the losses, > 0", check=positive)
    tail_budget: str | float | None = option(
        None, number_or("n"), "bound on the tail sum: a number, or n (default)",
        check=words_or(positive, "n"),
    )  # fmt: skip
    normalize: str = option(
        "trace",
        str,
        "scaling of the kernels: trace (to trace n) or none",
        allowed=("trace", "none"),
    )
    center: bool = option(False, yes_or_no, "centre the kernels by their training means")
    loss: str = option(
        "hinge",
        str,
        "loss: hinge, or squared: (1 - y f)^2 / 2, also of margins above 1",
        allowed=LOSSES,
    )
    multiclass: str = option(
        "rest", str, "multiclass formulation: rest (each class against the others) or joint",
        allowed=("rest", "joint"),
    )  # fmt: skip
    no_bias: bool = option(False, yes_or_no, "omit the bias")
    starts: int | None = option(
        None,
        int,
        f"number of starting points for variant dc (default {DEFAULT_STARTS})",
        check=at_least(1),
    )

    def check(self) -> None:
        """Raise OptionError for options that the variant does not use, and for a norm below 1."""
        if self.kernels is not None and self.grams is not None:
            raise OptionError("kernels and grams are both given: the kernels come from one of them")
        for name in UNUSED_BY[self.variant]:
            if getattr(self, name) is not None:
                raise OptionError(f"{name} is not used by variant '{self.variant}'")
        if self.multiclass == "joint" and (self.variant == "dc" or self.loss != "hinge"):
            raise OptionError(
                "multiclass joint is for variants conv, lp and unif with the hinge loss, not "
                f"variant '{self.variant}' with the loss '{self.loss}'"
            )
        if self.norm is not None and not (math.isfinite(self.norm) and self.norm >= 1):
            raise OptionError(f"norm {self.norm:g}: expected a finite number >= 1")

    @property
    def usable_methods(self) -> tuple[str, ...]:
        """The methods that can solve the program for these settings."""
        methods = METHODS_OF[self.variant]
        return tuple(w for w in methods if w != "qcqp") if self.multiclass == "joint" else methods

    @property
    def written(self) -> tuple[str, ...]:
        """The forms that can be built for these settings."""
        forms = FORMS_OF[self.variant]
        return tuple(f for f in forms if f in JOINT) if self.multiclass == "joint" else forms

    @property
    def p(self) -> float:
        """The order P of the norm."""
        return 1.0 if self.norm is None else float(self.norm)

    @property
    def cutoff(self) -> int:
        """The number theta; 0 for variants without theta. Their tail sum is the trace."""
        if self.variant in ("lp", "unif"):
            return 0
        return 1 if self.theta is None else int(self.theta)

    def tail_bound(self, n: float) -> float:
        """The bound on the tail sum for n points, or for points with total weight n."""
        return float(n) if self.tail_budget in (None, "n") else float(self.tail_budget or n)
