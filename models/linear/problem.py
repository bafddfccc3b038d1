"""Linear models with an l1 or group penalty: the program, and rigorous bounds from its points.

min  sum_i c_i (up r_i^+ + down r_i^-) + beta sum_g max_{j in g} |w_j|,   r_i = a_i - s_i f_i,
     f = X w + b,   G f <= h

hinge: a = 1, s = y, up = 1, down = 0. Losses for numbers: a = y, s = 1. c_i is 1/m, or the row's
share of the weights. If there are no groups, each feature is a group. The dual is

max  a'd - h'mu   s.t.  -down c <= d <= up c,  mu >= 0,  v = s d - G'mu,  1'v = 0 (with the bias b),
                        sum_{j in g} |x_j'v| <= beta for every group g

Rates have slacks t >= 0 in their rows: G f + T t <= h in the primal, T'mu >= 0 in the dual.

An atom is a vertex of the unit ball of a group's norm; its entries are signs on the features of the
group. The coefficients w are a sum of atoms with nonnegative weights. The sum of these weights is
the norm. Each atom is a row of the dual.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from radprog.base.errors import DataError, OptionError
from radprog.base.tolerances import UNIT_ROUNDOFF
from radprog.base.types import FloatArray, IntArray
from radprog.instances.data import Data, row_shares
from radprog.instances.sparse import is_sparse
from radprog.models.linear.settings import L1Linear
from radprog.models.rounding import down as rounded_down
from radprog.models.rounding import products, sum_down, sum_up, up
from radprog.models.score_arrays import ScoreRows
from radprog.models.score_rows import CoefficientSign, ScoreRow


@dataclass(frozen=True, kw_only=True, eq=False)
class LinearProblem:
    """The data of the program.

    X (m, p) is dense or in CSC format; a, s and c are (m,). ``group`` (p,) contains the group
    number of each feature, counted from 0. ``allowed`` contains the smallest and the largest sign
    of each coefficient, as arrays (p,). ``rows`` are constraints on the scores.
    """

    X: Any
    a: FloatArray
    s: FloatArray
    c: FloatArray
    slopes: tuple[float, float]
    beta: float
    group: IntArray
    grouped: bool
    allowed: tuple[FloatArray, FloatArray]
    bias: bool
    rows: ScoreRows

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers m and p."""
        return int(self.X.shape[0]), int(self.X.shape[1])

    def columns(self) -> Iterator[tuple[list[int], list[float]]]:
        """Yield the row indices and the values of the nonzero entries of each column."""
        X = self.X if is_sparse(self.X) else sparse.csc_array(self.X)
        for j in range(self.shape[1]):
            part = slice(X.indptr[j], X.indptr[j + 1])
            yield X.indices[part].tolist(), X.data[part].tolist()

    @cached_property
    def norms(self) -> FloatArray:
        """An upper bound on the Euclidean norm of each column (p,)."""
        if is_sparse(self.X):
            squares = np.asarray(self.X.power(2).sum(axis=0)).ravel()
        else:
            squares = np.einsum("ij,ij->j", self.X, self.X)
        grown = 1.0 + (self.shape[0] + 4) * UNIT_ROUNDOFF
        return np.asarray(np.sqrt(squares) * grown)

    @cached_property
    def groups(self) -> int:
        """The number of groups."""
        return int(self.group.max(initial=-1)) + 1

    @property
    def box(self) -> tuple[FloatArray, FloatArray]:
        """The lower and upper limits of the dual weights d (m,)."""
        positive, negative = self.slopes
        return -negative * self.c, positive * self.c

    def sample_rows(self, chosen: IntArray) -> LinearProblem:
        """The problem on a sample of the points; the problem must have no constraints.

        beta is multiplied by sqrt(m / sample), because the noise of correlations grows by this
        factor. The solution for the sample then has about as many nonzero coefficients as the
        solution for all points. For 20,000 rows of text, the solver takes 0.4 s with this factor
        and 3.8 s without it.
        """
        part, factor = self.c[chosen], math.sqrt(self.shape[0] / len(chosen))
        fields = {key: getattr(self, key) for key in self.__dataclass_fields__}
        X = self.X.tocsr()[chosen].tocsc() if is_sparse(self.X) else self.X[chosen]
        fields |= {"X": X, "a": self.a[chosen], "s": self.s[chosen]}
        fields |= {"c": part / part.sum(), "beta": self.beta * factor}
        return LinearProblem(**fields)

    def atoms(self, groups: IntArray, gradient: FloatArray) -> sparse.csc_array:
        """The steepest atom of each of t groups at the gradient X'v (p,), as columns (p, t)."""
        p = self.shape[1]
        signs = np.clip(np.sign(gradient), *self.allowed)
        # groups are sorted lists of their features
        order, ends = self._members
        lengths = ends[groups + 1] - ends[groups]
        starts = np.concatenate([[0], np.cumsum(lengths)])
        within = np.arange(starts[-1]) - np.repeat(starts[:-1], lengths)
        features = order[np.repeat(ends[groups], lengths) + within]
        atoms = sparse.csc_array((signs[features], features, starts), shape=(p, len(groups)))
        atoms.eliminate_zeros()
        return atoms

    @cached_property
    def _members(self) -> tuple[IntArray, IntArray]:
        """The features in order of their groups, and the first feature of each group."""
        counts = np.bincount(self.group, minlength=self.groups)
        return np.argsort(self.group, kind="stable"), np.concatenate([[0], np.cumsum(counts)])

    def images(self, atoms: sparse.csc_array) -> sparse.csc_array:
        """The product (m, t) of X and the atoms, computed only from features of the atoms."""
        if is_sparse(self.X):
            return sparse.csc_array(self.X @ atoms)
        features, (m, t) = np.unique(atoms.indices), (self.shape[0], atoms.shape[1])
        image = self.X[:, features] @ atoms.tocsr()[features].toarray()
        parts = image.T.ravel(), np.tile(np.arange(m), t), m * np.arange(t + 1)
        return sparse.csc_array(parts, shape=(m, t))

    def pricing(self, d: FloatArray, mu: FloatArray) -> FloatArray:
        """The products X'v (p,) of the features with the pricing vector v = s d - G'mu."""
        return np.asarray(self.X.T @ self._vector(d, mu)).ravel()

    def _vector(self, d: FloatArray, mu: FloatArray) -> FloatArray:
        return self.s * d - self.rows.shift(mu) if len(self.rows) else self.s * d

    def edges(self, gradient: FloatArray, errors: FloatArray | float = 0.0) -> FloatArray:
        """The edge of each group g: the sum of |x_j'v| over j in g, for the allowed signs."""
        lower, upper = self.allowed
        sizes = np.maximum(np.maximum(upper * gradient, lower * gradient), 0.0) + errors
        if not self.grouped:
            return sizes
        return np.asarray(np.bincount(self.group, sizes, self.groups), dtype=np.float64)

    def dual_bound(self, d: FloatArray, mu: FloatArray, gradient: FloatArray) -> float:
        """A lower bound on the optimum from d (m,), mu (R,) and X'v (p,), valid despite rounding.

        Dividing d and mu by the largest edge / beta makes them feasible. A change of one weight
        restores 1'v = 0. Its effect is subtracted from the value and added to every edge.
        """
        m, u = self.shape[0], UNIT_ROUNDOFF
        low, high = self.box
        d, mu = np.clip(d, low, high), self.rows.feasible(mu)
        v = self._vector(d, mu)
        doubts = self.rows.doubt(d, mu) if len(self.rows) else np.zeros(m)
        # at most a'd - h'mu
        terms = np.concatenate([self.a * d, -self.rows.h * mu])
        value = sum_down(terms) - u * math.fsum(np.abs(terms).tolist())
        # errors of the products x_j'v: (m + 2) roundings of |x_j| |v|
        length = float(np.linalg.norm(np.abs(v) + doubts)) * (1.0 + (m + 4) * u)
        errors = (m + 4) * u * length * self.norms
        # rounding errors of products do not matter below this share of beta
        if not is_sparse(self.X) and errors.max(initial=0.0) > 1e-8 * self.beta:
            # large features beside a small beta: the products that may be the largest once more
            sizes = np.abs(gradient)
            close = np.flatnonzero(sizes + errors >= (sizes - errors).max())
            exact, bounds = products(self.X.T[close], v)
            gradient = gradient.copy()
            gradient[close] = exact
            errors[close] = bounds + u * np.abs(gradient[close])
        errors = errors + float(np.linalg.norm(doubts)) * self.norms
        total, doubt = math.fsum(v.tolist()), sum_up(doubts)
        if self.bias and (imbalance := up(abs(total) + doubt)) > 0.0:
            rooms = [np.minimum(high - d, d - low)]
            if not (rooms[0] >= imbalance).any():
                # room for each direction that the sum may need: one without doubt about its sign
                signs = [sign for sign in (1.0, -1.0) if doubt or sign * total > 0.0]
                rooms = [np.where(sign * self.s > 0.0, d - low, high - d) for sign in signs]
            able = [np.flatnonzero(room >= imbalance) for room in rooms]
            # with all weights at ends of their boxes, a little less of everything makes room
            scale = 1.0 - 8.0 * imbalance / max(np.abs(d).max(), imbalance)
            if not all(map(len, able)) and scale > 0.5:
                return self.dual_bound(scale * d, scale * mu, self.pricing(scale * d, scale * mu))
            if not all(map(len, able)):
                return 0.0
            # among the points with room, those with the least |a|
            places = [some[np.abs(self.a[some]).argmin()] for some in able]
            value = rounded_down(value - up(imbalance * np.abs(self.a[places]).max(), 2))
            for i in places:
                row = self.X.T @ np.eye(1, m, i)[0] if is_sparse(self.X) else self.X[i]
                errors = errors + imbalance * np.abs(row)
        largest = float(self.edges(gradient, errors).max(initial=0.0))
        ratio = up(largest / self.beta * (1.0 + (self.shape[1] + 8) * u), 4)
        return max(0.0, rounded_down(value / max(1.0, ratio), 4))

    def norm(self, features: IntArray, w: FloatArray) -> float:
        """The penalty divided by beta, rounded up, for coefficients w (k,) of ``features``."""
        sizes = np.zeros(self.groups)
        np.maximum.at(sizes, self.group[features], np.abs(w))
        return sum_up(sizes[sizes > 0.0])

    def scores(self, features: IntArray, w: FloatArray, bias: float) -> FloatArray:
        """The scores f (m,) for coefficients w (k,) of the given features."""
        return np.asarray(self.X[:, features] @ w).ravel() + bias

    def primal_value(self, features: IntArray, w: FloatArray, bias: float) -> float:
        """An upper bound on the objective at a point.

        The bound is infinite if the point violates a constraint or an allowed sign.
        """
        columns = self.X[:, features]
        f = np.asarray(columns @ w).ravel() + bias
        lower, upper = (side[features] for side in self.allowed)
        if np.any((w < 0.0) & (lower == 0.0)) or np.any((w > 0.0) & (upper == 0.0)):
            return math.inf
        if not self.rows.met(f):
            return math.inf
        # residuals with the rounding errors of their sums
        sizes = np.asarray(abs(columns) @ np.abs(w)).ravel() + abs(bias) + np.abs(self.a)
        errors = (len(features) + 4) * UNIT_ROUNDOFF * sizes
        r = self.a - self.s * f
        positive, negative = self.slopes
        losses = np.maximum(positive * (r + errors), negative * (errors - r))
        loss = sum_up(np.maximum(losses, 0.0) * self.c * (1.0 + 8.0 * UNIT_ROUNDOFF))
        return up(loss + up(self.beta * self.norm(features, w), 2))


def assemble(spec: L1Linear, data: Data) -> LinearProblem:
    """The problem for given settings and data.

    Raises DataError for labels that the loss cannot use, and OptionError for invalid groups or
    constraints.
    """
    if spec.loss == "hinge":
        if data.target is not None:
            raise DataError(
                f"{data.name}: loss 'hinge' needs two classes, and the labels are numbers: choose "
                "`one_vs_rest` or `positive` (rp.dataset for arrays), or loss quantile or absolute"
            )
        a, s = np.ones(data.rows), data.signs
    else:
        if data.target is None:
            raise DataError(
                f"{data.name}: loss '{spec.loss}' needs a numeric label column, and the data "
                "have classes: `label` names another column (rp.regression_data makes targets "
                "from arrays)"
            )
        a, s = data.targets, np.ones(data.rows)
    X: Any = data.X
    if X.ndim != 2 or X.dtype.kind != "f":
        raise DataError(f"{data.name}: l1linear needs rows of numbers")
    m, p = X.shape
    # groups as given, numbered from 0
    group = np.arange(p)
    if spec.groups is not None:
        numbers = np.array([int(part) for part in str(spec.groups).split(",")])
        if len(numbers) != p:
            raise OptionError(f"groups: {len(numbers)} numbers for {p} features")
        group = np.unique(numbers, return_inverse=True)[1].ravel()
    rows = spec.constraints or ()
    # the signs of all coefficients, and of those with a constraint
    sides = {"free": (-1.0, 1.0), "nonnegative": (0.0, 1.0), "nonpositive": (-1.0, 0.0)}
    lower, upper = (np.full(p, side) for side in sides[spec.signs])
    for row in rows:
        if isinstance(row, CoefficientSign):
            (lower if row.sign > 0 else upper)[row.feature] = 0.0
    return LinearProblem(
        X=X.tocsc() if is_sparse(X) else X,
        a=a,
        s=s,
        c=row_shares(m, data.weights),
        slopes=spec.slopes,
        beta=spec.beta,
        group=group,
        grouped=spec.groups is not None,
        allowed=(lower, upper),
        bias=spec.bias,
        rows=ScoreRows.of_points([row for row in rows if isinstance(row, ScoreRow)], m),
    )


def stored_point(
    problem: LinearProblem, evidence: Mapping[str, Any]
) -> tuple[IntArray, FloatArray, float, FloatArray, FloatArray]:
    """The features, w, bias, d and mu of a result. Raises DataError if these values do not fit the
    data.
    """
    m, p = problem.shape
    features = np.asarray(evidence["features"], dtype=np.intp)
    w = np.asarray(evidence["w"], dtype=np.float64)
    d = np.asarray(evidence["d"], dtype=np.float64)
    mu = np.asarray(evidence.get("mu", ()), dtype=np.float64)
    inside = features.size == 0 or (features.min() >= 0 and features.max() < p)
    if (
        not inside
        or w.shape != features.shape
        or d.shape != (m,)
        or mu.shape != (len(problem.rows),)
    ):
        raise DataError("the stored points do not fit this data set")
    return features, w, float(evidence["bias"]), d, mu
