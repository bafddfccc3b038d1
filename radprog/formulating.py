"""The score of a fit as an expression of a Pyomo model, for optimisation over the inputs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
import pyomo.environ as pyo
from pyomo.core.base.block import BlockData
from pyomo.core.expr.numvalue import NumericValue

from radprog.base.errors import OptionError
from radprog.base.types import FloatArray
from radprog.decompositions.expansion import KernelExpansion
from radprog.decompositions.linear.fit import LinearFit
from radprog.decompositions.mkl.fit import MultiKernelExpansion
from radprog.decompositions.one_vs_rest import OneVsRest
from radprog.decompositions.run import Fit, Run
from radprog.instances.data import Points
from radprog.models.kernels import RBF, KernelFunction, Laplace, Linear, Polynomial, parse_kernels
from radprog.saved import SavedFit

#: Of sum_t c_t K(z[columns], p_t): kernel, columns, points p (r, d) and coefficients c (r,).
Terms: TypeAlias = "tuple[KernelFunction, slice, FloatArray, FloatArray]"


def formulate(fit: Run | SavedFit | Fit, block: Any, inputs: Any) -> Any:
    """Add the score of a fit to a Pyomo block as an expression of ``inputs``.

    Parameters
    ----------
    fit : Run, SavedFit or Fit
        The fit. A bare predictor, such as ``run.fit``, requires scaled features.
    block : Block or ConcreteModel
        The block; the function adds the named expressions ``scaled[j]`` and ``score`` to it.
    inputs : sequence of d variables, floats or expressions, or indexed variable
        The features x, in the units of the data and in the order of its columns.

    Returns
    -------
    Expression
        The score. With more than two classes, there is one ``score[k]`` per class, in the order of
        ``fit.class_names``.

    Raises
    ------
    OptionError
        If the number of inputs is wrong, an input is not finite, ``block`` is not a block, or the
        score has no formula. Fits of time series, trees and clusters have no formula. The same
        applies to kernels that are functions or matrices, or that compare strings.

    Notes
    -----
    Let z be the scaling of the training data, z_t the scaled training points, c_t their
    coefficients and b the intercept. The score is

        f(x) = sum_t c_t K(z(x), z_t) + b.

    The kernels ``linear`` and ``poly:1`` make f linear, and ``poly:2`` makes f quadratic. The size
    of these formulas depends on the number of inputs, not on the number of points. Other
    ``poly`` kernels, ``rbf``, ``laplace`` (not smooth) and the scaling ``unit`` (no derivative at
    0) make f nonlinear.

    All solvers accept a linear score. SCIP accepts a quadratic score; other solvers accept it if it
    is convex. ``rp.solve(model, "ipopt")`` accepts every smooth score.

    Examples
    --------
    >>> import numpy as np
    >>> import pyomo.environ as pyo
    >>> import radprog as rp
    >>> data = rp.dataset(np.arange(6.0)[:, None], [-1, -1, 1, -1, 1, 1])
    >>> run = rp.fit(rp.VKR(kernels="poly:1"), data)
    >>> block = pyo.ConcreteModel()
    >>> block.x = pyo.Var(initialize=5.0)
    >>> score = rp.formulate(run, block, [block.x])
    >>> bool(abs(pyo.value(score) - run.decision_function(np.array([[5.0]]))[0]) < 1e-9)
    True
    """
    # the predictor, the number of its columns, and the scaling before it
    saved: Any = fit.predictor if isinstance(fit, Run) else fit
    predictor, scaler, columns = saved, None, None
    first = saved.fits[0] if isinstance(saved, OneVsRest) else saved
    if isinstance(saved, SavedFit) and isinstance(saved.data, Points):
        predictor, scaler, columns = saved.fit, saved.data.scaler, saved.data.columns
    elif isinstance(first, LinearFit):
        columns = first.columns
    elif isinstance(first, KernelExpansion | MultiKernelExpansion):
        columns = (
            first.points.shape[1] if first.points is not None and first.points.ndim == 2 else None
        )
    if columns is None and predictor is saved:
        raise _no_formula(first)
    # inputs in the order of the columns
    if hasattr(inputs, "is_indexed"):
        x = list(inputs.values()) if inputs.is_indexed() else [inputs]
    elif isinstance(inputs, (Sequence, np.ndarray)):
        x = list(inputs)
    else:
        raise OptionError(f"formulate: inputs are {inputs!r}: expected a sequence of variables")
    if columns != len(x):
        raise OptionError(f"formulate: {len(x)} inputs given, the fit has {columns} columns")
    for value in x:
        number = isinstance(value, (int, float, np.number)) and math.isfinite(value)
        if not number and not isinstance(value, NumericValue):
            raise OptionError(f"formulate: input {value!r}: expected a variable or finite number")
    if not (isinstance(block, BlockData) and block.is_constructed()):
        raise OptionError(f"formulate: block {block!r}: expected a constructed Block or model")
    taken = [name for name in ("scaled", "score") if block.component(name) is not None]
    if taken:
        raise OptionError(f"formulate: the block has a component '{taken[0]}' already")
    classifiers = list(_classifiers(predictor))
    # the scaled row z (d,)
    z = x
    if scaler is not None:
        parts = zip(x, scaler.shift.tolist(), scaler.divisor.tolist(), strict=True)
        z = [(value - shift) / divisor for value, shift, divisor in parts]
        if scaler.kind == "unit":
            # rows of norm 1, in every group of columns
            groups = [z[first:last] for first, last in pairwise((0, *scaler.ends, len(z)))]
            norms = [pyo.sqrt(sum(value**2 for value in group)) for group in groups]
            z = [value / norm for group, norm in zip(groups, norms, strict=True) for value in group]
    block.scaled = pyo.Expression(pyo.RangeSet(0, len(x) - 1), rule=lambda _, j: z[j])
    names = [block.scaled[j] for j in range(len(x))]
    scores = [_score(terms, bias, names) for terms, bias in classifiers]
    if len(scores) == 1:
        block.score = pyo.Expression(expr=scores[0])
    else:
        block.score = pyo.Expression(pyo.RangeSet(0, len(scores) - 1), rule=lambda _, k: scores[k])
    return block.score


def _no_formula(fit: Any) -> OptionError:
    """The error for a fit whose score has no formula in the inputs, or for any other object."""
    if not hasattr(fit, "kind"):
        return OptionError("formulate: expected a run of rp.fit or a fit, of rows of numbers")
    return OptionError(
        f"formulate: a fit of kind '{fit.kind}' has no formula in its inputs: expected a linear "
        "model, or kernels of rows of numbers"
    )


def _classifiers(fit: Fit) -> Iterator[tuple[list[Terms], float]]:
    """Terms and bias of each score."""
    if isinstance(fit, OneVsRest):
        for part in fit.fits:
            yield from _classifiers(part)
    elif isinstance(fit, KernelExpansion):
        terms = []
        for k in np.unique(fit.kernel).tolist():
            mask = fit.kernel == k
            kernel = _formula(fit.kernels[k])
            terms.append((kernel, slice(None), fit.points[mask], fit.coefficients[mask]))
        yield terms, fit.bias
    elif isinstance(fit, LinearFit):
        w = np.zeros((1, fit.columns))
        w[0, fit.features] = fit.w
        yield [(Linear(), slice(None), w, np.ones(1))], fit.bias
    elif isinstance(fit, MultiKernelExpansion):
        # kernels of weight 0 have no terms
        weights = zip(fit.kernels, fit.weights.tolist(), strict=True)
        used_kernels = [(kernel, weight) for kernel, weight in weights if weight != 0.0]
        assert fit.points is not None
        for row, bias in enumerate(fit.biases.tolist()):
            terms = []
            for raw, weight in used_kernels:
                columns = slice(None) if raw.columns is None else slice(*raw.columns)
                points, coefficients = fit.points[:, columns], weight * fit.coefficients[row]
                terms.append((_formula(raw.name), columns, points, coefficients))
            yield terms, bias
    else:
        raise _no_formula(fit)


def _formula(name: str) -> KernelFunction:
    """The kernel of a name, if it is a formula in the inputs."""
    if name.startswith(("poly:", "rbf:", "laplace:", "linear")):
        return parse_kernels(name)[0]
    raise OptionError(
        f"formulate: kernel {name} has no formula: expected linear, poly, rbf or laplace"
    )


def _score(terms: list[Terms], bias: float, z: list[Any]) -> Any:
    """bias + w'z + z'Qz + the terms that are neither linear nor quadratic."""
    # terms of degree 1 and 2 are summed up: their size is that of the inputs
    d = len(z)
    constant, w, Q, nonlinear = bias, np.zeros(d), np.zeros((d, d)), []
    for kernel, inputs, P, c in terms:
        if isinstance(kernel, Linear):
            # linear: sum_t c_t z'p_t = (P'c)'z
            w[inputs] += c @ P
        elif isinstance(kernel, Polynomial) and kernel.degree <= 2:
            # (z'p + 1)^k for k = 1, 2: constant, linear and quadratic part
            constant += float(c.sum())
            w[inputs] += kernel.degree * (c @ P)
            if kernel.degree == 2:
                Q[inputs, inputs] += (P.T * c) @ P
        else:
            # all others term by term
            pairs = zip(c.tolist(), P, strict=True)
            nonlinear += [value * _value(kernel, z[inputs], p) for value, p in pairs]
    total = constant + pyo.quicksum(float(w[j]) * z[j] for j in range(d))
    if Q.any():
        # each product of two inputs once
        squares = np.triu(Q) + np.triu(Q, 1)
        places = np.argwhere(squares).tolist()
        total += pyo.quicksum(float(squares[i, j]) * z[i] * z[j] for i, j in places)
    return total + pyo.quicksum(nonlinear) if nonlinear else total


def _value(kernel: KernelFunction, z: list[Any], point: FloatArray) -> Any:
    """K(z, point) for a kernel of higher degree or of a distance."""
    pairs = list(zip(z, point.tolist(), strict=True))
    if isinstance(kernel, Polynomial):
        return (1.0 + pyo.quicksum(p * value for value, p in pairs)) ** kernel.degree
    if isinstance(kernel, RBF):
        return pyo.exp(-kernel.gamma * pyo.quicksum((value - p) ** 2 for value, p in pairs))
    assert isinstance(kernel, Laplace)
    return pyo.exp(-kernel.gamma * pyo.quicksum(abs(value - p) for value, p in pairs))
