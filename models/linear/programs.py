"""Linear models with an l1 or group penalty (Dedieu, Mazumder, Wang): their programs in Pyomo.

The symbols are as in :mod:`radprog.models.linear.problem`. With constraints on the scores, every
primal has the rows score_row_r: (G f)_r <= h_r, and every dual the prices row_price_r >= 0.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from radprog.base.errors import OptionError
from radprog.base.modelling import pyo
from radprog.base.types import FloatArray
from radprog.instances.sparse import is_sparse
from radprog.models.algebra import add_row_prices, add_score_rows, linear, with_duals
from radprog.models.linear.problem import LinearProblem


def _check_size(matrix: Any, entries: int) -> None:
    """Raise OptionError if Pyomo would take minutes for the entries of X or of images."""
    if entries > 5_000_000:  # in a program that is written out
        raise OptionError(
            f"a program of {matrix.shape[0]} x {matrix.shape[1]} numbers is not written out: "
            "choose form master, or fewer rows"
        )


def _dense(matrix: Any) -> FloatArray:
    """X or images as an array."""
    _check_size(matrix, matrix.shape[0] * matrix.shape[1])
    return np.asarray(matrix.toarray() if is_sparse(matrix) else matrix)


def build_primal(problem: LinearProblem) -> pyo.ConcreteModel:
    """The primal program of a linear model.

    min  sum_i c_i (up over_i + down under_i) + beta sum_j (plus_j + minus_j)
    s.t. margin_i:  s_i (x_i'(plus - minus) + bias) + over_i - under_i = a_i
         plus, minus, over, under >= 0

    With groups, the norm is beta sum_g size_g, with largest_j: plus_j + minus_j <= size_g, j in g.
    """
    X, (m, p) = sparse.csr_array(problem.X), problem.shape
    _check_size(X, X.nnz)
    lower, upper = problem.allowed
    model = pyo.ConcreteModel("l1linear")
    model.plus = pyo.Var(range(p), bounds=lambda _, j: (0.0, None if upper[j] else 0.0))
    model.minus = pyo.Var(range(p), bounds=lambda _, j: (0.0, None if lower[j] else 0.0))
    model.bias = pyo.Var(bounds=(None, None) if problem.bias else (0.0, 0.0))
    model.over = pyo.Var(range(m), domain=pyo.NonNegativeReals)
    model.under = pyo.Var(range(m), domain=pyo.NonNegativeReals)
    plus, minus = list(model.plus.values()), list(model.minus.values())
    variables = [*plus, *minus, model.bias]

    def margin(model: pyo.ConcreteModel, i: int) -> Any:
        part = slice(X.indptr[i], X.indptr[i + 1])
        features, values = X.indices[part].tolist(), X.data[part]
        row = problem.s[i] * np.concatenate([values, -values, [1.0]])
        terms = [*(plus[j] for j in features), *(minus[j] for j in features), model.bias]
        return linear(row, terms) + model.over[i] - model.under[i] == float(problem.a[i])

    model.margin = pyo.Constraint(range(m), rule=margin)
    if len(problem.rows):
        G = problem.rows.G
        image = np.asarray((G @ X).toarray())
        images = np.hstack([image, -image, G.sum(axis=1)[:, None]])
        add_score_rows(model, problem.rows, images, variables)
    # the norm: of every coefficient, or of the largest of a group
    sizes = [*plus, *minus]
    if problem.grouped:
        model.size = pyo.Var(range(problem.groups), domain=pyo.NonNegativeReals)
        model.largest = pyo.Constraint(
            range(p), rule=lambda m, j: m.plus[j] + m.minus[j] <= m.size[int(problem.group[j])]
        )
        sizes = list(model.size.values())
    positive, negative = problem.slopes
    losses = linear(
        np.concatenate([positive * problem.c, negative * problem.c]),
        [*model.over.values(), *model.under.values()],
    )
    model.objective = pyo.Objective(expr=losses + linear(np.full(len(sizes), problem.beta), sizes))
    return with_duals(model)


def build_dual(problem: LinearProblem, atoms: sparse.csc_array | None = None) -> pyo.ConcreteModel:
    """The dual program as a minimisation, over all features or over some atoms (p, t).

    With atoms, the program is the last restricted master.

    min  -sum_i a_i weight_i + sum_r h_r row_price_r,  -down c_i <= weight_i <= up c_i
    s.t. balance:        1'v = 0,  v = s weight - G'row_price, with a bias
         correlation_j:  x_j'v <= edge_j   and   correlation_below_j:  -x_j'v <= edge_j
         budget_g:       sum_{j in g} edge_j <= beta

    For a single free feature, edge_j is beta. For an atom, correlation_t is (X atom_t)'v <= beta.
    """
    m, p = problem.shape
    low, high = problem.box
    model = pyo.ConcreteModel("l1linear-dual")
    # weights of the rows in their box, and prices of the constraints
    model.weight = pyo.Var(range(m), bounds=lambda _, i: (float(low[i]), float(high[i])))
    rows = problem.rows
    variables = [*model.weight.values(), *add_row_prices(model, rows)]
    images = _dense(problem.X if atoms is None else problem.images(atoms))

    def product(column: FloatArray) -> Any:
        """column'v."""
        of_prices = [-(rows.G @ column)] if len(rows) else []
        return linear(np.concatenate([problem.s * column, *of_prices]), variables)

    model.objective = pyo.Objective(expr=linear(np.append(-problem.a, rows.h), variables))
    # the bias is free: its column prices at 0
    if problem.bias:
        model.balance = pyo.Constraint(expr=product(np.ones(m)) == 0.0)
    # one row per atom: its norm is 1, and its sign is included
    if atoms is not None:
        model.correlation = pyo.Constraint(
            range(atoms.shape[1]), rule=lambda _, t: product(images[:, t]) <= problem.beta
        )
        return with_duals(model)
    # the edges of the features in a group share beta
    lower, upper = problem.allowed
    edges: Any = [problem.beta] * p
    if problem.grouped:
        model.edge = pyo.Var(range(p), domain=pyo.NonNegativeReals)
        edges = model.edge
        members = [np.flatnonzero(problem.group == g) for g in range(problem.groups)]
        model.budget = pyo.Constraint(
            range(problem.groups),
            rule=lambda m, g: sum(m.edge[int(j)] for j in members[g]) <= problem.beta,
        )
    # a row for each sign that a coefficient may have
    rising, falling = (np.flatnonzero(side).tolist() for side in (upper, lower))
    if rising:
        model.correlation = pyo.Constraint(
            rising, rule=lambda _, j: product(images[:, j]) - edges[j] <= 0.0
        )
    if falling:
        model.correlation_below = pyo.Constraint(
            falling, rule=lambda _, j: product(-images[:, j]) - edges[j] <= 0.0
        )
    return with_duals(model)
