"""The function class for given settings and data, and the values of its functions."""

from __future__ import annotations

import numpy as np

from radprog.base.errors import DataError
from radprog.base.types import FloatArray
from radprog.decompositions.regression.cccp import Radius
from radprog.instances.dataset import Dataset
from radprog.models.kernel_bank import KernelBank
from radprog.models.regression.problem import RegressionClass, regression_class
from radprog.models.regression.settings import SVR, Complexity, kernel_of


def assemble(
    spec: SVR | Complexity, data: Dataset, *, proved: bool = False
) -> tuple[str, RegressionClass]:
    """The name of the kernel, and the factored function class on a data set.

    If ``proved`` is True, the factor is accurate enough for proofs. Raises DataError if rows are
    unusable, and OptionError if the kernel is unusable.
    """
    check_rows(data)
    kernel = kernel_of(spec.kernels, spec.gamma, data.X, data.weights)
    # Gram matrix of all rows, then its centred factor: h = F w + b from here on
    K = KernelBank([kernel], data.X).gram(0)
    return kernel.name, regression_class(K, data.targets, spec.loss(), proved=proved)


def check_rows(data: Dataset) -> None:
    """Raise DataError if there are fewer than two rows."""
    if data.rows < 2:
        raise DataError(f"{data.name}: {data.rows} rows, regression needs at least 2")


def radius_of(spec: SVR | Complexity) -> Radius:
    """The :class:`Radius` for problem (4) if C is set, and otherwise for problem (3)."""
    if isinstance(spec, SVR) and spec.C is not None:
        return Radius(C=spec.C)
    return Radius(A=spec.radius)


def in_class(
    problem: RegressionClass, x: FloatArray, A: float | None
) -> tuple[FloatArray, FloatArray]:
    """The coefficients c (B, n) and intercepts (B,) of points x, scaled so that c'K c =
    |w|^2 <= A.
    """
    coefficients, bias = problem.expansion(x)
    # c'K c of the expansion is made |w|^2, at most A
    wanted = np.einsum("ij,ij->i", x[:, :-1], x[:, :-1])
    if A is not None:
        wanted = np.minimum(wanted, A)
    norms = np.einsum("ij,ij->i", problem.images(coefficients), coefficients)
    positive = norms > 0
    scale = np.sqrt(np.where(positive, wanted, 0.0) / np.where(positive, norms, 1.0))
    return coefficients * scale[:, None], bias


def values_of(
    problem: RegressionClass,
    signs: FloatArray,
    coefficients: FloatArray,
    bias: FloatArray,
    radius: Radius,
) -> tuple[FloatArray, FloatArray]:
    """The objectives (B,) and |w|^2 (B,) of kernel expansions (B, n) with intercepts (B,), for sign
    vectors (B, n).

    Raises DataError if shapes differ, or if |w|^2 exceeds A by more than the rounding error.
    """
    if coefficients.shape != signs.shape or bias.shape != (len(signs),):
        raise DataError("the stored functions do not fit this data set")
    # values from the kernel matrix itself, not from its factor
    g = problem.images(coefficients)
    norms = np.einsum("ij,ij->i", g, coefficients)
    if radius.A is not None:
        sizes = np.einsum(
            "ij,ij->i", problem.images(coefficients, absolute=True), np.abs(coefficients)
        )
        # of c'Kc, relative to the sum of its absolute terms
        # relative excess of |w|^2 over A that rounding may leave
        excess = norms - radius.A * (1 + 1e-8) - (2.0**-50) * sizes
        if excess.max() > 0:
            worst = float(norms[excess.argmax()])
            raise DataError(f"a stored function has |w|^2 = {worst:.10g} > A = {radius.A:.10g}")
    losses = problem.objective(g + bias[:, None], signs)
    return losses if radius.C is None else 0.5 * norms + radius.C * losses, norms
