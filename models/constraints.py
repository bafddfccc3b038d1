"""Constraints on a fit: rows G f(X) <= h on the scores of a data set.

Scores are f(x_i) = sum_j alpha_j k(x_i, x_j), plus the bias if the model has one. Groups are
compared by their mean scores, which are linear in f. A bound on the gap between mean scores also
bounds the covariance of score and group. No linear row can bound the gap between the groups' rates
of positive labels. A rate itself is bounded by its convex surrogate, the mean of max(0, 1 + s f),
which is linear with one slack a point.
"""

from __future__ import annotations

import itertools
import math
import operator
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial, wraps
from typing import Any, ParamSpec, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from radprog.base.errors import DataError, OptionError, meant
from radprog.base.types import FloatArray, IntArray
from radprog.instances.arrays import finite
from radprog.instances.data import Data, Points
from radprog.instances.tables import file_text, is_gap, shown
from radprog.models.score_rows import AnyRow, CoefficientSign, ScoreRow

KNOWN = (
    "parity:COLUMN:EPS, opportunity:COLUMN:EPS, monotone:ROW<ROW,..., classify:ROWS:MARGIN, "
    "mean:MOST, rate:SHARE, rate:KIND:MOST or rate:KIND:MOST:COLUMN (KIND is positive, false "
    "positive or false negative), rising:COLUMN, falling:COLUMN"
)
COMPARED = ("parity", "equal opportunity")  # constraints on groups, which other data have too
GROUPS = "groups"  # the name of the array of fit(X, y, groups=...)
COMPARISON = re.compile(r"(.+?)\s*(<=|>=|==|!=|<|>)\s*(\S+)")  # such as age > 40
OPERATORS = {
    "<=": operator.le, ">=": operator.ge, "==": operator.eq, "!=": operator.ne,
    "<": operator.lt, ">": operator.gt,
}  # fmt: skip
# The rates: whether the points are those of the positive class (None: all), and the score's sign
RATES: Mapping[str, tuple[bool | None, float]] = {
    "positive": (None, 1.0), "false positive": (False, 1.0), "false negative": (True, -1.0)
}  # fmt: skip
Group: TypeAlias = str | int | ArrayLike | Callable[[Any], ArrayLike]
P = ParamSpec("P")


@dataclass(frozen=True)
class Constraint:
    """Linear constraints on the scores of a data set.

    Attributes
    ----------
    name : str
        Name of the constraint in reports of prices and conflicts.
    rows : callable
        A function that creates the rows for the data set of a fit.
    signs : callable or None
        The same for linear models, if these have other rows.
    call : str
        The call that made the constraint, as ``repr`` shows it.

    Examples
    --------
    >>> import numpy as np
    >>> import radprog as rp
    >>> data = rp.dataset(np.arange(6.0)[:, None], [-1, -1, 1, -1, 1, 1])
    >>> run = rp.fit(rp.VKR(kernels="poly:1"), data, constraints=rp.must_classify([2]))
    >>> run.certified, int(run.predict(data.X)[2])
    (True, 1)
    """

    name: str
    rows: Callable[[Data], tuple[AnyRow, ...]] = field(repr=False)
    signs: Callable[[Data], tuple[AnyRow, ...]] | None = field(default=None, repr=False)
    call: str = field(default="", compare=False)

    def __repr__(self) -> str:
        return self.call or f"Constraint({self.name!r})"


def record_call(maker: Callable[P, Constraint]) -> Callable[P, Constraint]:
    """Make a function store its call in the constraint that it returns."""

    @wraps(maker)
    def recorded(*args: P.args, **options: P.kwargs) -> Constraint:
        constraint, pairs = maker(*args, **options), [("", value) for value in args]
        pairs += [(f"{name}=", value) for name, value in options.items()]
        # a function by its name, an array by its beginning
        texts = [
            mark + shown(getattr(value, "__name__", None) or repr(value)) for mark, value in pairs
        ]
        return replace(constraint, call=f"{maker.__name__}({', '.join(texts)})")

    return recorded


Constraints: TypeAlias = Constraint | Sequence[Constraint]


def listed(constraints: Any) -> list[Any]:
    """One constraint or several as a list; None is no constraint."""
    if constraints is None:
        return []
    is_single = isinstance(constraints, str) or not isinstance(constraints, Sequence)
    return [constraints] if is_single else list(constraints)


@record_call
def scores(G: ArrayLike, h: ArrayLike, names: Sequence[str] | None = None) -> Constraint:
    """Constrain the scores f of the points in the data set by linear rows G f(X) <= h.

    Parameters
    ----------
    G : array (R, n) or (n,)
        Coefficients of the scores of the n points.
    h : array (R,) or float
        Right-hand sides, in the units of the scores.
    names : sequence of str, optional
        Names of the R rows in reports of prices and conflicts. The defaults are ``row 1 of G`` and
        so on.

    Returns
    -------
    Constraint
        A constraint with the R named rows.

    Raises
    ------
    OptionError
        If shapes do not match.
    DataError
        If G or h contains an entry that is not a finite number.

    Examples
    --------
    >>> import numpy as np
    >>> import radprog as rp
    >>> data = rp.dataset(np.arange(6.0)[:, None], [-1, -1, 1, -1, 1, 1])
    >>> limit = rp.scores([0, 0, 0, 0, 0, 1], 0.5)  # of the last point
    >>> run = rp.fit(rp.VKR(kernels="poly:1"), data, constraints=limit)
    >>> f = run.decision_function(data.X)
    >>> run.certified, bool(f[5] <= 0.5 + 1e-9)
    (True, True)
    """
    # one row is a matrix of one row
    matrix = np.atleast_2d(finite(G, "constraints", "G"))
    sides = np.atleast_1d(finite(h, "constraints", "h"))
    if matrix.ndim != 2 or sides.shape != (len(matrix),):
        raise OptionError(
            f"constraints: G of shape {matrix.shape} and h of shape {sides.shape}, expected (R, n) "
            "and (R,)"
        )
    called = [f"row {r + 1} of G" for r in range(len(matrix))] if names is None else list(names)
    if len(called) != len(matrix) or len(set(called)) != len(called):
        raise OptionError(f"constraints: {len(called)} names for {len(matrix)} rows, one each")
    return Constraint("scores", partial(_scores, matrix, sides, tuple(called)))


@record_call
def parity(group: Group, eps: float) -> Constraint:
    """Require demographic parity: the mean scores of any two groups differ by at most eps.

    The constraint bounds the gap between mean scores, not between rates of positive predictions.
    Means are weighted by the weights of the rows, among them those of ``class_weight``.

    Parameters
    ----------
    group : str, int, callable or array (n,)
        The name or index (from 0) of a feature, whose values before scaling are the groups; for a
        text column, its levels. A comparison such as "age > 40" makes two groups. A function of the
        rows before scaling (n, d) returns the groups (n,). "groups" is the array that an
        estimator's ``fit(X, y, groups=...)`` receives. An array or a named series (n,) is bound to
        the n points of one data set.
    eps : float
        Largest difference, at least 0, in the units of the scores.

    Returns
    -------
    Constraint
        One row for each ordered pair of groups.

    Raises
    ------
    OptionError
        If eps is negative. In a fit, if a group is missing.

    Examples
    --------
    >>> import numpy as np
    >>> import radprog as rp
    >>> data = rp.dataset(np.arange(6.0)[:, None], [-1, -1, 1, -1, 1, 1])
    >>> limit = rp.parity(["a", "a", "a", "b", "b", "b"], eps=0.1)
    >>> run = rp.fit(rp.VKR(kernels="poly:1"), data, constraints=limit)
    >>> f = run.decision_function(data.X)
    >>> run.certified, bool(abs(f[:3].mean() - f[3:].mean()) <= 0.1 + 1e-9)
    (True, True)
    """
    return Constraint("parity", partial(_parity, group, _bound("parity", eps), False, None))


@record_call
def equal_opportunity(group: Group, eps: float, positive: object = None) -> Constraint:
    """Require equal opportunity: :func:`parity` among the points of the positive class.

    This class is that of :func:`rate`; the name of the constraint states it.

    Parameters
    ----------
    group : str, int, callable or array (n,)
        The name or index (from 0) of a feature, whose values before scaling are the groups; for a
        text column, its levels. A comparison such as "age > 40" makes two groups. A function of the
        rows before scaling (n, d) returns the groups (n,). "groups" is the array that an
        estimator's ``fit(X, y, groups=...)`` receives. An array or a named series (n,) is bound to
        the n points of one data set.
    eps : float
        Largest difference, at least 0, in the units of the scores.
    positive : label, optional
        The label of two that is the positive class; by default the second one.

    Returns
    -------
    Constraint
        One row for each ordered pair of groups.

    Raises
    ------
    OptionError
        If eps is negative. In a fit, if a group is missing, or the data have no such label.

    Examples
    --------
    >>> import numpy as np
    >>> import radprog as rp
    >>> data = rp.dataset(np.arange(6.0)[:, None], [-1, -1, 1, -1, 1, 1])
    >>> limit = rp.equal_opportunity(["a", "a", "a", "b", "b", "b"], eps=0.1)
    >>> run = rp.fit(rp.VKR(kernels="poly:1"), data, constraints=limit)
    >>> f = run.decision_function(data.X)
    >>> run.certified, bool(abs(f[2] - f[4:].mean()) <= 0.1 + 1e-9)  # points 2, 4, 5 are positive
    (True, True)
    """
    rows = partial(_parity, group, _bound("parity", eps), True, positive)
    return Constraint("equal opportunity", rows)


@record_call
def monotone(
    pairs: Iterable[tuple[int, int]] | str | int, gap: float = 0.0, *, sign: int = 1
) -> Constraint:
    """Require an order between the scores of pairs of points, given or drawn by a feature.

    Parameters
    ----------
    pairs : iterable of (int, int), str or int
        Row indices (low, high) of the points, from 0, with f(x_low) + gap <= f(x_high).
        Alternatively, the name or index (from 0) of a feature. For L1Linear and the estimators
        ``Sparse...``, this is the sign of its coefficient, so the score is monotone everywhere.
        For other models, also for those with the kernel ``linear``, it is an order of at most 100
        pairs drawn from the data: rows evenly spaced in the feature, each with the row of a larger
        value that is nearest in the other features, in which the two may differ.
    gap : float
        Smallest difference, at least 0, in the units of the scores; 0 for a feature.
    sign : int
        1 for a score that rises with the feature, -1 for one that falls. A high score means the
        positive class, which is ``classes_[1]`` of an estimator.

    Returns
    -------
    Constraint
        One row for each pair, or the sign of a coefficient.

    Raises
    ------
    OptionError
        If the gap is negative or the sign is another number. In a fit, if a row or a feature does
        not exist.

    Notes
    -----
    Pairs promise nothing between or beyond them. They refuse some scores that do rise with the
    feature, because the other features of a pair change its scores too, so that a constant
    classifier may be left. Where scores must be monotone, take a model with signs of coefficients.

    Examples
    --------
    >>> import numpy as np
    >>> import radprog as rp
    >>> data = rp.dataset(np.arange(6.0)[:, None], [-1, -1, 1, -1, 1, 1])
    >>> limit = rp.monotone([(0, 5)], gap=3.0)
    >>> run = rp.fit(rp.VKR(kernels="poly:1"), data, constraints=limit)
    >>> f = run.decision_function(data.X)
    >>> run.certified, bool(f[0] + 3.0 <= f[5] + 1e-9)
    (True, True)
    """
    if not isinstance(pairs, str | int | np.integer):
        return Constraint("monotone", partial(_monotone, tuple(pairs), _bound("gap", gap)))
    if sign not in (1, -1) or gap:
        raise OptionError(
            f"monotone: sign {sign!r} and gap {gap:g}, expected 1 or -1, and no gap; for a falling "
            "score: sign=-1"
        )
    return Constraint("monotone", partial(_ordered, pairs, sign), signs=partial(_sign, pairs, sign))


@record_call
def must_classify(rows: Iterable[int], margin: float = 1.0) -> Constraint:
    """Require a minimum margin for some points: y_i f(x_i) >= margin.

    Parameters
    ----------
    rows : iterable of int
        Row indices of the points, from 0.
    margin : float
        Smallest margin, at least 0, in the units of the scores.

    Returns
    -------
    Constraint
        One row for each point.

    Raises
    ------
    OptionError
        If the margin is negative. In a fit, if a row does not exist.

    Examples
    --------
    >>> import numpy as np
    >>> import radprog as rp
    >>> data = rp.dataset(np.arange(6.0)[:, None], [-1, -1, 1, -1, 1, 1])
    >>> limit = rp.must_classify([2])
    >>> run = rp.fit(rp.VKR(kernels="poly:1"), data, constraints=limit)
    >>> f = run.decision_function(data.X)
    >>> run.certified, bool(f[2] >= 1.0 - 1e-9)
    (True, True)
    """
    return Constraint("must classify", partial(_classify, tuple(rows), _bound("margin", margin)))


@record_call
def mean_score(most: float) -> Constraint:
    """Cap the mean score of all points.

    Parameters
    ----------
    most : float
        Largest mean score, a finite number, in the units of the scores.

    Returns
    -------
    Constraint
        One row.

    Raises
    ------
    OptionError
        If ``most`` is not finite.

    Examples
    --------
    >>> import numpy as np
    >>> import radprog as rp
    >>> data = rp.dataset(np.arange(6.0)[:, None], [-1, -1, 1, -1, 1, 1])
    >>> limit = rp.mean_score(-0.5)
    >>> run = rp.fit(rp.VKR(kernels="poly:1"), data, constraints=limit)
    >>> f = run.decision_function(data.X)
    >>> run.certified, bool(f.mean() <= -0.5 + 1e-9)
    (True, True)
    """
    if not math.isfinite(most):
        raise OptionError(f"mean score {most:g}: expected a finite number")
    return Constraint("mean score", partial(_mean, float(most), ""))


@record_call
def positive_rate(share: float) -> Constraint:
    """Cap the mean score in place of the share of positive predictions.

    The constraint is :func:`mean_score` with the cap 2 share - 1. A linear row cannot bound the
    share of positive predictions. If all scores are -1 or +1, this share is at most ``share``;
    otherwise it may be larger.

    Parameters
    ----------
    share : float
        Share of positive predictions, in [0, 1].

    Returns
    -------
    Constraint
        One row.

    Raises
    ------
    OptionError
        If the share is outside [0, 1].

    Examples
    --------
    >>> import numpy as np
    >>> import radprog as rp
    >>> data = rp.dataset(np.arange(6.0)[:, None], [-1, -1, 1, -1, 1, 1])
    >>> limit = rp.positive_rate(0.3)
    >>> run = rp.fit(rp.VKR(kernels="poly:1"), data, constraints=limit)
    >>> f = run.decision_function(data.X)
    >>> run.certified, bool(f.mean() <= 2 * 0.3 - 1 + 1e-9)
    (True, True)
    """
    if not 0.0 <= share <= 1.0:
        raise OptionError(f"positive rate {share:g}: expected a share from 0 to 1")
    stands_in = f", in place of a positive rate of {share:g}"
    return Constraint("mean score", partial(_mean, 2.0 * share - 1.0, stands_in))


@record_call
def rate(kind: str, most: float, group: Group | None = None, positive: object = None) -> Constraint:
    """Cap a rate of predictions on the training points, in each group.

    The positive class is the second label of the data, ``data.labels[1]``, or ``classes_[1]`` of an
    estimator: by default the last one in sorted order, so "no" of "hire" and "no". ``positive``
    chooses the other one. The name of the constraint states it.

    The constraint is on the convex surrogate mean(max(0, 1 + s f)), with s = -1 for false
    negatives and 1 otherwise. It is never below the rate, so the rate holds whenever the surrogate
    does. The rate that the fit has is in ``run.extra["constraints"]``; it may be much lower.

    Parameters
    ----------
    kind : {"positive", "false positive", "false negative"}
        The rate: the share of positive predictions among all points, or of wrong predictions among
        the points of the negative or the positive class.
    most : float
        Largest value of the surrogate, at least 0.
    group : str, int, callable or array (n,), optional
        Groups as in :func:`parity`, each with this cap. None means all points together.
    positive : label, optional
        The label of two whose predictions are the positive ones.

    Returns
    -------
    Constraint
        One row for each group, with a slack for each of its points.

    Raises
    ------
    OptionError
        If the kind is unknown, or ``most`` is negative. In a fit, if a group has no such points, or
        the data have no such label.

    Notes
    -----
    sum_i c_i t_i <= most with t_i >= 1 + s f(x_i) and t_i >= 0, with the shares c_i of the points.

    Examples
    --------
    >>> import numpy as np
    >>> import radprog as rp
    >>> data = rp.dataset(np.arange(6.0)[:, None], [-1, -1, 1, -1, 1, 1])
    >>> run = rp.fit(rp.L1Linear(), data, constraints=rp.rate("false negative", 0.2))
    >>> run.certified, run.extra["constraints"][0]["rate"]
    (True, 0.0)
    >>> rare = rp.rate("positive", 0.9, positive=-1)
    >>> list(rp.fit(rp.L1Linear(), data, constraints=rare).multipliers)
    ["positive rate of '-1' at most 0.9"]
    """
    if kind not in RATES:
        raise OptionError(f"rate '{kind}': expected one of {', '.join(RATES)}")
    return Constraint("rate", partial(_rate, kind, _bound(f"{kind} rate", most), group, positive))


def rows_of(
    constraints: Constraints, data: Data, existing: Sequence[AnyRow] = (), *, linear: bool = False
) -> tuple[AnyRow, ...]:
    """The rows of the constraints for a data set; their names differ from those of ``existing``.

    ``linear`` chooses the rows for linear models, if these are others. If a name is already in use,
    a number is appended to it, because prices are listed by name. Raises OptionError or DataError
    if a constraint does not fit the data set.
    """
    taken = {name for row in existing for name in _names(row)}
    rows: list[AnyRow] = []
    for constraint in listed(constraints):
        if not isinstance(constraint, Constraint):
            expected = "rp.scores, rp.parity, ..."
            # a text of the command line is answered by the call that makes the same constraint
            with suppress(OptionError):
                call = repr(parse_constraint(constraint)) if isinstance(constraint, str) else ""
                expected = f"rp.{call}" if "(" in call else expected
            raise OptionError(f"constraints: {constraint!r}, expected {expected}")
        part = ((constraint.signs if linear else None) or constraint.rows)(data)
        for name, times in Counter(row.name for row in part).items():
            if times > 1:
                raise OptionError(f"constraint '{name}' is given twice")
        # the first number with which no name of the constraint is taken
        for number in itertools.count(1):
            mark = "" if number == 1 else f" ({number})"
            numbered = [
                replace(row, name=row.name + mark, of=row.of + mark)
                if isinstance(row, ScoreRow)
                else replace(row, name=row.name + mark)
                for row in part
            ]
            names = {name for row in numbered for name in _names(row)}
            if not names & taken:
                break
        rows += numbered
        taken |= names
    return tuple(rows)


def _names(row: AnyRow) -> tuple[str, ...]:
    return (row.name, row.of) if isinstance(row, ScoreRow) else (row.name,)


def _bound(name: str, value: float) -> float:
    if not (math.isfinite(value) and value >= 0.0):
        raise OptionError(f"{name} {value:g}: expected a finite number >= 0")
    return float(value)


def _row(name: str, rule: str, weights: Mapping[int, float] | FloatArray, bound: float) -> ScoreRow:
    """A row with weights by point, or with the weights of all points (n,)."""
    if not isinstance(weights, Mapping):
        weights = {int(i): float(weights[i]) for i in np.flatnonzero(weights)}
    points, values = tuple(weights), tuple(weights.values())
    return ScoreRow(name=name, of=rule, points=points, weights=values, bound=bound)


def _of_kept(values: NDArray[Any], data: Data) -> NDArray[Any]:
    """Values (..., n') for all rows that were given, or for those that are left, as the latter."""
    whole = data.lines is None and values.shape[-1:] == (data.rows + len(data.left_out),)
    return values[..., data.given] if whole else values


def _scores(G: FloatArray, h: FloatArray, names: tuple[str, ...], data: Data) -> tuple[AnyRow, ...]:
    kept = _of_kept(G, data)
    if np.count_nonzero(kept) < np.count_nonzero(G):
        raise OptionError("constraints: G has entries for rows of weight 0, which are left out")
    G = kept
    if G.shape[1] != data.rows:
        raise OptionError(
            f"constraints: G has {G.shape[1]} columns, {data.name} has {data.rows} points: "
            "expected a column for every point"
        )
    return tuple(
        _row(name, name, row, float(bound)) for name, row, bound in zip(names, G, h, strict=True)
    )


def _groups(group: Group, data: Data) -> tuple[str, NDArray[Any]]:
    """The name of the groups, and the group of each row (n,)."""
    features: tuple[str, ...] = getattr(data, "features", ())
    if callable(group) or not isinstance(group, str | int | np.integer):
        rows = data.X if data.raw is None else data.raw
        try:
            values = _of_kept(np.asarray(group(rows) if callable(group) else group), data)
        except Exception as error:  # any error of the user's function
            raise OptionError(f"group: {error!r} of an array {rows.shape}: name columns") from error
        if values.shape != (data.rows,):
            raise OptionError(
                f"group of shape {values.shape}: expected ({data.rows},), one of every point; for "
                "parts of the data, name a feature, or give fit(X, y, groups=...) the array and "
                f"the constraint '{GROUPS}'"
            )
        # the name of a function, or of a pandas or polars series
        label = getattr(group, "__name__" if callable(group) else "name", None)
        return _complete(str(label or "group"), values)
    dropped = () if data.groups is None else data.groups.dtype.names
    if group == GROUPS and data.groups is not None and not dropped:
        return _complete(GROUPS, data.groups)
    if dropped and data.groups is not None and group in dropped:
        return _complete(str(group), np.array(data.groups[group].tolist()))
    raw: Any = data.raw if data.raw is not None or data.columns is None else data.X
    if raw is None or raw.ndim != 2 or raw.dtype.kind != "f":
        raise OptionError(f"group '{group}': {data.name} has no columns, give an array")
    # a text column, whose levels are the groups
    if isinstance(data, Points) and group not in features and group in data.given_features:
        p = data.given_features.index(str(group))
        levels = data.levels[p]
        # the columns of its levels stand after those of the columns before it
        begin = p + sum(len(texts) - 1 for q, texts in data.levels.items() if q < p)
        cells = raw[:, begin : begin + len(levels)]
        if np.isnan(cells).any():
            raise OptionError(f"group '{group}': the column has missing cells")
        return str(group), np.array([levels[k] for k in cells.argmax(axis=1)])
    # a comparison of a column's values with a number, or of a text column's levels with a word
    if (parts := COMPARISON.fullmatch(str(group))) and group not in features:
        name, sign, word = parts.groups()
        _, values = _groups(name, data)
        try:
            side: Any = float(word) if values.dtype.kind in "biuf" else word
        except ValueError:
            raise OptionError(f"group '{group}': {name} has numbers, '{word}' given") from None
        return str(group), OPERATORS[sign](values, side)
    place = _feature(group, data, "group")
    column: Any = raw[:, [place]]
    values = np.asarray(column.toarray() if hasattr(column, "toarray") else column).ravel()
    return _complete(_column(place, data), values)


def _complete(name: str, values: NDArray[Any]) -> tuple[str, NDArray[Any]]:
    """The groups and their name. Raises OptionError for missing values."""
    if gone := [i for i, value in enumerate(values.tolist()) if is_gap(value)]:
        raise OptionError(
            f"group '{name}': {len(gone)} of {len(values)} values are missing, the first that of "
            f"row {gone[0]}, from 0: give each row a group, or leave these rows out"
        )
    return name, values


def _feature(name: str | int | np.integer[Any], data: Data, role: str) -> int:
    """The index of the feature that a constraint names by its name or its index."""
    features: tuple[str, ...] = getattr(data, "features", ())
    if isinstance(name, str) and name in features:
        if features.count(name) > 1:
            raise OptionError(
                f"{role} '{name}': {features.count(name)} features of {data.name} have this name: "
                f"give its index, such as {features.index(name)}"
            )
        return features.index(name)
    try:
        place = int(name)
    except ValueError:
        place = -1
    # the columns as given: a text column once, not each of its levels, which shift the numbers
    names: tuple[str, ...] = getattr(data, "given_features", features)
    numbered, width = len(names) == len(features), data.X.shape[1]
    if not 0 <= place < width or not numbered:
        expected = [f"its number from 0 to {width - 1}"] * numbered
        expected += [f"its name: {shown(', '.join(names), limit=300)}"] * bool(names)
        advice = meant(str(name), names)
        if name == GROUPS:
            advice = (
                f"; no `{GROUPS}` reached fit: sklearn.set_config(enable_metadata_routing=True)"
            )
            advice += f" and set_fit_request({GROUPS}=True), or pass stepname__{GROUPS}="
        elif isinstance(name, str) and not names:
            advice = "; the rows reach this step without names: .set_output(transform='pandas')"
            advice += " of the steps before keeps them"
            advice += f", or {role} '{GROUPS}' and fit(..., {GROUPS}=...)" * (role == "group")
        raise OptionError(
            f"{role} '{name}': expected a feature of {data.name}, {' or '.join(expected)}{advice}"
        )
    return place


def _positive_class(rule: str, positive: object, data: Data) -> tuple[str, bool]:
    """The label of the positive class, by default the second one, and whether it is that one."""
    if len(data.labels) != 2:
        raise OptionError(f"{rule}: {data.name} has no two classes")
    label = data.labels[1] if positive is None else str(positive)
    if label not in data.labels:
        classes = " and ".join(f"'{name}'" for name in data.labels)
        raise OptionError(f"{rule} of '{label}': {data.name} has the labels {classes}")
    return label, label == data.labels[1]


def _parity(
    group: Group, eps: float, opportunity: bool, positive: object, data: Data
) -> tuple[AnyRow, ...]:
    # the groups, among all rows or those of the positive class
    most_groups = 20  # values of a column that are compared pair by pair
    title, values = _groups(group, data)
    among, scope, rule = np.ones(data.rows, dtype=bool), "", f"parity of {title}"
    if opportunity:
        label, second = _positive_class("equal opportunity", positive, data)
        among, scope = (data.signs > 0) == second, f" among the rows of '{label}'"
        rule = f"equal opportunity of '{label}' by {title}"
    kinds = np.unique(values[among])
    if len(kinds) < 2:
        compared = COMPARISON.fullmatch(title)
        scaled = "; values are those after earlier steps of a pipeline" if compared else ""
        value = f"one value ({_text(kinds[0])})" if len(kinds) else "no value"
        raise OptionError(
            f"group '{title}' has {value} in all rows{scope}: two groups or more are needed{scaled}"
        )
    if len(kinds) > most_groups:
        raise OptionError(
            f"group '{title}' has {len(kinds)} values{scope}: at most {most_groups} are compared"
        )
    # both differences of the means of every two groups; means are weighted as the rows are
    counts = np.ones(data.rows) if data.weights is None else data.weights
    rows = []
    for high, low in itertools.permutations(kinds, 2):
        high_counts, low_counts = (counts * (among & (values == kind)) for kind in (high, low))
        weights = high_counts / high_counts.sum() - low_counts / low_counts.sum()
        name = (
            f"mean score{scope} with {title} = {_text(high)} at most {eps:g} above that with "
            f"{title} = {_text(low)}"
        )
        rows.append(_row(name, rule, weights, eps))
    return tuple(rows)


def _text(value: Any) -> str:
    return f"{value:.15g}" if isinstance(value, float | np.floating) else str(value)


def _positions_of(rows: Sequence[int], data: Data, name: str) -> IntArray:
    numbers = np.asarray(rows)
    if numbers.size == 0 or numbers.dtype.kind not in "iu":
        raise OptionError(f"{name}: expected numbers of rows, counted from 0")
    if numbers.min() < 0 or numbers.max() > data.given[-1]:
        raise OptionError(
            f"{name}: {data.name} has no row {numbers.max()}, but 0 to {data.given[-1]}"
        )
    if gone := sorted(set(numbers.ravel().tolist()) - set(data.given.tolist())):
        raise OptionError(f"{name}: row {gone[0]} of {data.name} was left out")
    return np.searchsorted(data.given, numbers)


def _monotone(pairs: tuple[tuple[int, int], ...], gap: float, data: Data) -> tuple[ScoreRow, ...]:
    if any(len(pair) != 2 for pair in pairs):
        raise OptionError("monotone: expected pairs (low, high) of rows")
    places = _positions_of([row for pair in pairs for row in pair], data, "monotone").reshape(-1, 2)
    rows, suffix = [], f" by {gap:g}" if gap else ""
    for low, high in places.tolist():
        if low == high:
            raise OptionError(f"monotone: row {low} is paired with itself")
        name = f"score of {data.row_name(low)} below that of {data.row_name(high)}{suffix}"
        rule = name.removesuffix(suffix) if len(pairs) == 1 else "monotone pairs"
        rows.append(_row(name, rule, {low: 1.0, high: -1.0}, -gap))
    return tuple(rows)


def _ordered(feature: str | int, sign: int, data: Data) -> tuple[AnyRow, ...]:
    """The order of pairs of rows drawn from the data by a feature."""
    if data.columns is None or data.X.ndim != 2 or data.X.dtype.kind != "f":
        raise OptionError(f"monotone '{feature}': {data.name} has no columns, give pairs of rows")
    place = _feature(feature, data, "monotone")
    # distinct rows in the order of their values, so that copies and their order change nothing
    rows, indices = np.unique(data.X, axis=0, return_index=True)
    numbers = data.given[indices].tolist()  # as those of pairs that a user gives
    column, features = rows[:, place], np.delete(rows, place, axis=1)
    # evenly spaced rows, each with the row of a larger value nearest in the other features
    pairs, limit = [], 100
    order = np.argsort(column, kind="stable")
    for low in order[np.unique(np.linspace(0, len(order) - 1, limit).astype(np.intp))]:
        larger = np.flatnonzero(column > column[low])
        if len(larger):
            distances = ((features[larger] - features[low]) ** 2).sum(axis=1)
            ends = numbers[low], numbers[larger[distances.argmin()]]
            pairs.append(ends if sign > 0 else ends[::-1])
    if not pairs:
        raise OptionError(f"monotone '{feature}': the feature has one value in all rows")
    order_of = f"{'' if sign > 0 else 'falling '}order of {_column(place, data)}"
    name = f"scores of {len(pairs)} pairs of rows in the {order_of}"
    name += ", whose other columns may differ" * bool(features.size)
    # two features may pair the same rows
    ordered = _monotone(tuple(pairs), 0.0, data)
    return tuple(replace(row, name=f"{row.name} in the {order_of}", of=name) for row in ordered)


def _sign(feature: str | int, sign: int, data: Data) -> tuple[AnyRow, ...]:
    place = _feature(feature, data, "monotone")
    name = f"score {'rises' if sign > 0 else 'falls'} with {_column(place, data)}"
    return (CoefficientSign(name=name, feature=place, sign=sign),)


def _column(place: int, data: Data) -> str:
    features = getattr(data, "features", ())
    return features[place] if features else f"column {place}"


def _rate(
    kind: str, cap: float, group: Group | None, positive_label: object, data: Data
) -> tuple[ScoreRow, ...]:
    """The rows of a rate for all its points, one for each group."""
    # the first label as the positive class turns the signs of scores and classes
    label, second = _positive_class(f"{kind} rate", positive_label, data)
    positive, sign = RATES[kind]
    if not second:
        positive, sign = None if positive is None else not positive, -sign
    among = np.ones(data.rows, dtype=bool) if positive is None else (data.signs > 0) == positive
    title, values = ("", np.zeros(data.rows)) if group is None else _groups(group, data)
    counts, rows = np.ones(data.rows) if data.weights is None else data.weights, []
    for value in np.unique(values):
        scope = "" if group is None else f" with {title} = {_text(value)}"
        weights = counts * (among & (values == value))
        if not weights.any():
            raise OptionError(f"{kind} rate{scope}: {data.name} has no such points")
        shares = weights / weights.sum()
        rule = f"{kind} rate of '{label}'{scope} at most {cap:g}"
        row = _row(rule, rule, sign * shares, cap - float(shares.sum()))
        rows.append(replace(row, rate=True))
    return tuple(rows)


def realised(constraints: Constraints, data: Data, f: FloatArray) -> dict[str, dict[str, float]]:
    """What scores f (n,) have of each constraint on a rate or on groups, by its name.

    Of a rate, these are the weighted share of points, its surrogate, and the slack below the cap.
    Of groups, it is the largest difference of their mean scores, weighted as the rows are.
    """
    values: dict[str, dict[str, float]] = {}
    rows = list[AnyRow]()
    for constraint in listed(constraints):
        if constraint.name != "rate" and constraint.name not in COMPARED:
            continue
        added = rows_of(constraint, data, rows)
        rows += added
        for row in added:
            assert isinstance(row, ScoreRow)
            if row.rate:
                values[row.of] = realised_rate(row, f)
                continue
            gap = float(np.array(row.weights) @ f[list(row.points)])
            values[row.of] = {"gap": max(gap, *values.get(row.of, {"gap": 0.0}).values())}
    return values


def realised_rate(row: ScoreRow, f: FloatArray) -> dict[str, float]:
    """The values of :func:`realised` for a rate, from its row of all points."""
    # the shares of the points add up to 1; a score of 0 predicts the positive class
    weights, scores = np.array(row.weights), f[list(row.points)]
    shares = np.abs(weights)
    surrogate = float(shares @ np.maximum(0.0, 1.0 + np.sign(weights) * scores))
    slack = row.bound + float(shares.sum()) - surrogate
    rate = float(shares @ ((scores >= 0.0) == (weights > 0.0)))
    return {"rate": rate, "surrogate": surrogate, "slack": slack}


def _classify(rows: tuple[int, ...], margin: float, data: Data) -> tuple[AnyRow, ...]:
    places, signs = _positions_of(rows, data, "must classify"), data.signs
    condition = f"right with margin {margin:g}"
    names = [f"{data.row_name(i)} {condition}" for i in places.tolist()]
    rule = f"{data.row_name(places[0])} right" if len(names) == 1 else "rows right"
    return tuple(
        _row(name, rule, {i: -float(signs[i])}, -margin)
        for name, i in zip(names, places.tolist(), strict=True)
    )


def _mean(cap: float, purpose: str, data: Data) -> tuple[AnyRow, ...]:
    if purpose and len(data.labels) != 2:
        raise OptionError(f"positive rate: {data.name} has no two classes")
    name = f"mean score at most {cap:g}{purpose}"
    shares = np.full(data.rows, 1.0) if data.weights is None else data.weights
    return (_row(name, f"mean score{purpose}", shares / shares.sum(), cap),)


def parse_constraint(text: str) -> Constraint:
    """Parse a command-line constraint in one of the forms of ``KNOWN``.

    Row numbers in the string are line numbers of the file. They are counted from 1 and include the
    header. Raises OptionError for any other string.
    """
    # KIND:WHAT:NUMBER, where WHAT may hold colons
    kind, colon, text_after = text.strip().partition(":")
    middle, _, tail = text_after.rpartition(":")
    try:
        if kind in ("parity", "opportunity") and middle:
            maker = parity if kind == "parity" else equal_opportunity
            return maker(middle, float(tail))
        if kind in ("rising", "falling") and text_after:
            return monotone(text_after, sign=1 if kind == "rising" else -1)
        if kind in ("mean", "rate") and colon and not middle:
            return (mean_score if kind == "mean" else positive_rate)(float(tail))
        if kind == "rate" and middle:
            rate_kind, _, cap = text_after.partition(":")
            cap, _, column = cap.partition(":")
            return rate(rate_kind, float(cap), *[column] * bool(column))
        if kind == "classify" and middle:
            lines, margin = [int(item) for item in middle.split(",")], _bound("margin", float(tail))
            return Constraint("must classify", partial(_of_lines, kind, lines, margin), call=text)
        if kind == "monotone" and text_after:
            ends = [int(item) for pair in text_after.split(",") for item in pair.split("<", 1)]
            if len(ends) == 2 * len(text_after.split(",")):
                return Constraint("monotone", partial(_of_lines, kind, ends, 0.0), call=text)
    except ValueError as error:
        if isinstance(error, OptionError):
            raise
    raise OptionError(f"constraint '{text}': expected one of {KNOWN}")


def _of_lines(kind: str, lines: Sequence[int], bound: float, data: Data) -> tuple[AnyRow, ...]:
    """The rows of a constraint on rows of the file, counted from 1."""
    # lines that were left out, such as those of missing cells, have no row
    place = {data.line(i): i for i in range(data.rows)}
    for line in lines:
        if line not in place:
            raise OptionError(
                f"constraint: {data.name} has no data in row {line}: rows are lines of the file, "
                "from 1, with the header"
            )
    rows = tuple(place[line] for line in lines)
    if kind == "classify":
        return _classify(rows, bound, data)
    return _monotone(tuple(zip(rows[::2], rows[1::2], strict=True)), bound, data)


def read_constraints(path: str) -> tuple[Constraint, ...]:
    """The constraints of a file, one per line.

    A line is either a string for :func:`parse_constraint`, or a list of n + 1 numbers separated by
    commas or blanks. The numbers are the n coefficients of the scores and the right-hand side.
    ``#`` begins a comment.

    Raises DataError for an unreadable file, and OptionError for an invalid line.
    """
    constraints: list[Constraint] = []
    for number, line in enumerate(file_text(path).splitlines(), 1):
        text = line.partition("#")[0].strip()
        if not text:
            continue
        # a constraint in words, or coefficients and a side
        if ":" in text:
            constraints.append(parse_constraint(text))
            continue
        try:
            values = [float(item) for item in text.replace(",", " ").split()]
        except ValueError:
            raise DataError(f"{path}, line {number}: expected numbers, or one of {KNOWN}") from None
        if len(values) < 2:
            raise DataError(f"{path}, line {number}: expected coefficients and a right-hand side")
        constraints.append(scores(values[:-1], values[-1], [f"line {number} of {path}"]))
    if not constraints:
        raise DataError(f"{path}: no constraint in it")
    return tuple(constraints)
