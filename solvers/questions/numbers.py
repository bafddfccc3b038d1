"""What is odd about the numbers of a program: units, copies, rows that are bounds, large M.

Nothing is solved. Each finding names its row or column, and holds for the matrices as they are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse

from radprog.base.types import BoolArray, FloatArray, IntArray
from radprog.solvers.certificate import implied_bounds
from radprog.solvers.program import Program
from radprog.solvers.questions.difference import component_of

#: Numbers that differ by this factor are probably in different units.
UNITS = 1e6
#: The same of numbers that should be alike: of one column, or of one Pyomo constraint and variable.
SIBLINGS = 1e3
#: The findings of one kind that are listed; all are counted.
LISTED = 1000


def find_oddities(program: Program) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The ranges of all numbers with the counts of the findings, and the first findings of each
    kind.

    The ``part`` of a finding is "row" or "column", and ``name`` is that of the row or column. It is
    compared with ``other``, and ``value`` is a ratio, a factor, a bound or an M that serves.

    Quadratic parts are not examined; rows and columns with such a part are not called empty,
    copies, bounds or unused.
    """
    findings: list[dict[str, Any]] = []
    counts: Counter[str] = Counter()
    names = {"row": program.row_names, "column": program.column_names}
    for kind, part, places, partners, values in _findings(program):
        if len(places):
            counts[kind] += len(places)
        partner_names = names[
            "column" if kind in ("singleton row", "big M", "entry in other units") else part
        ]
        findings += [
            {
                "kind": kind,
                "part": part,
                "name": names[part][int(places[k])],
                "other": None if partners is None else partner_names[int(partners[k])],
                "value": None if values is None or np.isnan(values[k]) else float(values[k]),
            }
            for k in range(min(len(places), LISTED))
        ]
    ranges = {
        "coefficients": _span(program.rows.data),
        "costs": _span(program.cost),
        "right-hand sides": _span(np.concatenate((program.row_lower, program.row_upper))),
        "bounds": _span(np.concatenate((program.lower, program.upper))),
    }
    return {"ranges": ranges, "counts": dict(counts)}, findings


# the kind of findings, "row" or "column", their places, places of others, and values.
Finding = tuple[str, str, IntArray, IntArray | None, FloatArray | None]


def _findings(program: Program) -> Iterator[Finding]:
    """All findings about a program, by kind."""
    A, AT = program.rows.tocsr(), program.rows.T.tocsr()
    # rows and columns with quadratic parts
    curved = np.zeros(A.shape[0], dtype=np.bool_)
    curved[list(program.quadratic_rows)] = True
    bent = np.zeros(A.shape[1], dtype=np.bool_)
    for matrix in (program.quadratic, *program.quadratic_rows.values()):
        if matrix is not None:
            bent[matrix.nonzero()[1]] = True
    # constants that switch rows, as large as they may be, are in no units
    low, high = _activities(program, A)
    large, switch = _large_constants(program, A, low, high)
    plain = A.copy()
    plain.data[switch] = 0.0
    plain.eliminate_zeros()
    # units: in one row, in one column, and of whole rows and columns beside the others
    yield from _odd_siblings(program, plain)
    for part, M in (("row", plain), ("column", plain.T.tocsr())):
        smallest, largest = _extremes(M)
        with np.errstate(divide="ignore", invalid="ignore"):
            wide = np.where(smallest > 0.0, largest / smallest, 0.0)
        places = np.flatnonzero(wide >= UNITS)
        places = places[np.argsort(-wide[places], kind="stable")]
        yield f"wide {part}", part, places, None, wide[places]
        yield "other units", part, *_outlying(largest)
    sides = np.where(np.isfinite(program.row_upper), program.row_upper, program.row_lower)
    finite = np.nan_to_num(sides, posinf=0.0, neginf=0.0)
    yield "right-hand side in other units", "row", *_outlying(finite)
    yield "cost in other units", "column", *_outlying(program.cost)
    # empty rows, rows without sides, rows of one column
    length, height = np.diff(A.indptr), np.diff(AT.indptr)
    yield "empty row", "row", np.flatnonzero((length == 0) & ~curved), None, None
    boundless = np.isneginf(program.row_lower) & np.isposinf(program.row_upper)
    yield "row without sides", "row", np.flatnonzero(boundless), None, None
    single = np.flatnonzero((length == 1) & ~curved)
    start = A.indptr[single]
    columns = A.indices[start].astype(np.intp)
    yield "singleton row", "row", single, columns, sides[single] / A.data[start]
    # rows that hold at all points within the bounds
    with np.errstate(invalid="ignore"):
        always = (low >= program.row_lower) & (high <= program.row_upper) & (length > 1)
    yield "row that always holds", "row", np.flatnonzero(always & ~boundless & ~curved), None, None
    # columns: in no row, without bounds, with fractional bounds of integers
    alone = (height == 0) & ~bent
    yield "unused column", "column", np.flatnonzero(alone & (program.cost == 0.0)), None, None
    cost_only = np.flatnonzero(alone & (program.cost != 0.0))
    yield "column only in the objective", "column", cost_only, None, program.cost[cost_only]
    free = np.isneginf(program.lower) & np.isposinf(program.upper)
    yield "free column", "column", np.flatnonzero(free), None, None
    for bound in (program.lower, program.upper):
        with np.errstate(invalid="ignore"):
            cut = program.integer & np.isfinite(bound) & (bound != np.rint(bound))
        yield "fractional bound", "column", np.flatnonzero(cut), None, bound[cut]
    # copies up to a factor, and rows that are nearly parallel
    for kind, part, copy, original, ratio in _copies("row", A, curved):
        # the wider of two rows that are multiples is implied; each may have one side of a range
        with np.errstate(invalid="ignore", over="ignore"):
            sides = np.sort((program.row_lower[copy] / ratio, program.row_upper[copy] / ratio), 0)
            ends = np.stack((program.row_lower[original], program.row_upper[original]))
            gaps = np.where(np.isclose(sides, ends, 1e-12, 0.0), 0.0, sides - ends) * [[1], [-1]]
        turn = (gaps >= 0.0).all(0) & (gaps > 0.0).any(0) & (kind != "near-parallel row")
        implied = turn | (gaps <= 0.0).all(0)
        copy, original = np.where(turn, (original, copy), (copy, original))
        ratio = np.where(turn, 1.0 / ratio, ratio)
        label = "redundant row" if kind == "parallel row" else kind
        yield label, part, copy[implied], original[implied], ratio[implied]
        apart, kind = ~implied, "same coefficients" if kind == "duplicate row" else kind
        yield kind, part, copy[apart], original[apart], ratio[apart]
    costed = sparse.hstack((AT, sparse.csr_array(program.cost[:, None])), format="csr")
    yield from _copies("column", costed, bent | (height == 0))
    yield "big M", "row", *large
    yield "implied integer", "column", _implied_integers(program, A), None, None


def _span(values: FloatArray) -> list[float] | None:
    """The smallest and the largest absolute value of the finite nonzero numbers."""
    sizes = np.abs(values[np.isfinite(values) & (values != 0.0)])
    return [float(sizes.min()), float(sizes.max())] if sizes.size else None


def _extremes(matrix: sparse.csr_array) -> tuple[FloatArray, FloatArray]:
    """The smallest and largest absolute entry of each row; 0 for empty rows."""
    smallest, largest = np.zeros(matrix.shape[0]), np.zeros(matrix.shape[0])
    filled = np.flatnonzero(np.diff(matrix.indptr))
    if filled.size:
        smallest[filled] = np.minimum.reduceat(np.abs(matrix.data), matrix.indptr[filled])
        largest[filled] = np.maximum.reduceat(np.abs(matrix.data), matrix.indptr[filled])
    return smallest, largest


def _outlying(values: FloatArray) -> tuple[IntArray, None, FloatArray]:
    """The places where numbers differ from their median by the factor of other units."""
    sizes = np.abs(values)
    usual = float(np.median(sizes[sizes > 0.0])) if (sizes > 0.0).any() else 1.0
    ratio = np.where(sizes > 0.0, sizes / usual, 1.0)
    places = np.flatnonzero((ratio >= UNITS) | (ratio <= 1.0 / UNITS))
    return places, None, ratio[places]


def _odd_siblings(program: Program, A: sparse.csr_array) -> Iterator[Finding]:
    """Rows most of whose entries differ from those of their columns by the factor of siblings, and
    entries that differ so from those of their constraint and variable, by names with an index.
    """
    entries, length = A.tocoo(), np.diff(A.indptr)
    i, j, size = (*(part.astype(np.intp) for part in entries.coords), np.abs(entries.data))
    # the component of each row and column; one without an index is alone
    row, column = (
        np.unique([component_of(name) for name in names], return_inverse=True)[1]
        for names in (program.row_names, program.column_names)
    )
    ratios = []
    for key, fewest in ((j, 3), (row[i] * A.shape[1] + column[j], 4)):
        _, inverse, count = np.unique(key, return_inverse=True, return_counts=True)
        middle = size[np.lexsort((size, key))][np.cumsum(count) - count + (count - 1) // 2]
        ratios.append(np.where(count[inverse] < fewest, 1.0, size / middle[inverse]))
    differs = [(ratio >= SIBLINGS) | (ratio * SIBLINGS <= 1.0) for ratio in ratios]
    # with the mean of the logarithms of those that differ
    number, logs = (np.bincount(i, differs[0] * w, length.size) for w in (1.0, np.log(ratios[0])))
    rows = (2.0 * number > length) & (length > 1)
    means = np.exp(logs[rows] / number[rows])
    yield "other units than its columns", "row", np.flatnonzero(rows), None, means
    odd = differs[1] & ~rows[i]
    yield "entry in other units", "row", i[odd], j[odd], ratios[1][odd]


def _activities(program: Program, A: sparse.csr_array) -> tuple[FloatArray, FloatArray]:
    """The least and the largest value of each linear row within the bounds of the columns."""
    positive, negative = A.maximum(0.0), A.minimum(0.0)
    ends = []
    for up, down in ((program.lower, program.upper), (program.upper, program.lower)):
        infinite = np.isinf(up).astype(float), np.isinf(down).astype(float)
        value = positive @ np.where(infinite[0], 0.0, up) + negative @ np.where(
            infinite[1], 0.0, down
        )
        # an infinite bound makes the end infinite, whatever the other terms are
        unbounded = (positive @ infinite[0] - negative @ infinite[1]) > 0.0
        ends.append(np.where(unbounded, -np.inf if up is program.lower else np.inf, value))
    return ends[0], ends[1]


def _copies(
    part: str, M: sparse.csr_array, without: BoolArray
) -> Iterator[tuple[str, str, IntArray, IntArray, FloatArray]]:
    """Rows of a matrix that are multiples of another row, and that nearly are.

    Rows of the same pattern are ordered by a random projection of their directions: multiples and
    nearly parallel rows are neighbours.
    """
    rng, (m, n) = np.random.default_rng(0), M.shape
    M.sort_indices()
    length = np.diff(M.indptr)
    row = np.repeat(np.arange(m), length)
    pattern = np.bincount(row, rng.uniform(1.0, 2.0, n)[M.indices], minlength=m)
    # directions: length 1, and the first entry positive
    leading = np.zeros(m)
    leading[length > 0] = M.data[M.indptr[:-1][length > 0]]
    size = np.sqrt(np.bincount(row, M.data**2, minlength=m)) * np.where(leading < 0.0, -1.0, 1.0)
    unit = M.data / size[row]
    place = np.bincount(row, unit * rng.uniform(1.0, 2.0, n)[M.indices], minlength=m)
    order = np.lexsort((place, pattern, length))
    order = order[(length[order] > 1) & ~without[order]]
    before, after = order[:-1], order[1:]
    alike = (length[before] == length[after]) & (np.abs(pattern[before] - pattern[after]) < 1e-9)
    alike &= np.abs(place[before] - place[after]) < 1e-3
    before, after = before[alike], after[alike]
    if not after.size:
        return
    # entry by entry
    directions = sparse.csr_array((unit, M.indices, M.indptr), shape=M.shape)
    far = abs(directions[after] - directions[before]).max(axis=1).toarray().ravel()
    same, parallel = far <= 1e-12, (far > 1e-12) & (far <= 1e-4)
    factor = size[after] / size[before]
    equal = same & (np.abs(factor - 1.0) <= 1e-12)
    multiple = same & ~equal
    yield f"duplicate {part}", part, after[equal], before[equal], factor[equal]
    yield f"parallel {part}", part, after[multiple], before[multiple], factor[multiple]
    yield f"near-parallel {part}", part, after[parallel], before[parallel], far[parallel]


def _large_constants(
    program: Program, A: sparse.csr_array, low: FloatArray, high: FloatArray
) -> tuple[tuple[IntArray, IntArray, FloatArray], BoolArray]:
    """Rows with a binary column whose coefficient is larger than needed: the rows, the columns, and
    coefficients that serve, the smallest ones for these bounds, NaN where no bounds imply one, of
    columns or by other rows. Then whether each entry (k,) is a large one of a binary column.

    For a row a'x + d z <= b with z binary and u = max a'x within the bounds: if d < 0, the row
    holds at z = 1 with every d <= b - u. If d > 0, it holds at z = 0 if u <= b, and d - (b - u)
    with the side u cuts the same points.
    """
    entries = A.tocoo()
    i, j, value = entries.coords[0], entries.coords[1], entries.data
    binary = program.integer & (program.lower == 0.0) & (program.upper == 1.0)
    lower_only = np.isfinite(program.row_lower) & np.isposinf(program.row_upper)
    upper_only = np.isfinite(program.row_upper) & np.isneginf(program.row_lower)
    candidate = binary[j] & (lower_only | upper_only)[i] & (np.diff(A.indptr)[i] > 1)
    # ten times the smallest coefficient is large, and a thousand times without a bound
    times = np.abs(value) / np.maximum(_extremes(A)[0], np.finfo(float).tiny)[i]
    beside = np.bincount(i, ~binary[j], minlength=A.shape[0]) > 0
    switch = candidate & (times >= 10.0) & beside[i]
    i, j, value, times = i[candidate], j[candidate], value[candidate], times[candidate]
    # where the bounds imply none, those that follow from the other rows
    endless = np.zeros(A.shape[0], dtype=np.bool_)
    endless[i[np.isinf(np.where(upper_only, high, low)[i]) & (times >= SIBLINGS)]] = True
    if endless.any():
        lower, upper = implied_bounds(program.of_rows(np.flatnonzero(~endless).tolist()))
        ends = _activities(replace(program, lower=lower, upper=upper), A)
        low, high = np.where(endless, ends, (low, high))
    # every row as a <= row; the largest value of its other terms
    sign = np.where(upper_only[i], 1.0, -1.0)
    b = np.where(upper_only[i], program.row_upper[i], -program.row_lower[i])
    d = sign * value
    u = np.where(upper_only[i], high[i], -low[i]) - np.maximum(d, 0.0)
    needed = np.where(d < 0.0, np.minimum(b - u, 0.0), np.maximum(d - (b - u), 0.0))
    spare = np.where(d < 0.0, d < needed, u < b) & (np.abs(d - needed) > 1e-6 * np.abs(d))
    guess = np.isinf(u) & (times >= SIBLINGS)
    large = (spare & (times >= 10.0) & np.isfinite(u)) | guess
    return (i[large], j[large], np.where(guess, np.nan, sign * needed)[large]), switch


def _implied_integers(program: Program, A: sparse.csr_array) -> IntArray:
    """Integer columns that an equality of integers with unit coefficient implies.

    At most one column of each row, and none that another finding relies on.
    """
    is_integer = program.integer[A.indices] & (A.data == np.rint(A.data))
    row = np.repeat(np.arange(A.shape[0]), np.diff(A.indptr))
    broken = np.bincount(row, ~is_integer, minlength=A.shape[0]) > 0
    side = program.row_lower
    equal = (side == program.row_upper) & (side == np.rint(side))
    needed, implied = np.zeros(A.shape[1], dtype=np.bool_), []
    taken = needed.copy()
    for i in np.flatnonzero(equal & ~broken & (np.diff(A.indptr) > 1)).tolist():
        span = slice(A.indptr[i], A.indptr[i + 1])
        columns, data = A.indices[span], A.data[span]
        if taken[columns].any():
            continue
        able = columns[(np.abs(data) == 1.0) & ~needed[columns]]
        # a column that is not binary gains most
        able = able[np.argsort(program.lower[able] - program.upper[able], kind="stable")]
        if able.size:
            needed[columns] = taken[able[0]] = True
            implied.append(able[0])
    return np.array(implied, dtype=np.intp)
