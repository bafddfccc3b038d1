"""From settings and points to the problem that CDSK and LPDSK minimise over.

Everything is computed in an order of the points that depends on the points alone, so that permuting
the rows of a data set permutes the answer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from radprog.base.errors import DataError, OptionError
from radprog.base.limits import poll
from radprog.base.tolerances import STORED_SUM, WEIGHT_SUPPORT
from radprog.base.types import FloatArray, IntArray
from radprog.decompositions.similarity.bandwidth import Chosen, chosen_bandwidth, joining_bandwidth
from radprog.instances.arrays import read_matrix
from radprog.instances.unlabelled import PartlyLabelled
from radprog.models.settings import positive
from radprog.models.similarity.given import checked_similarity, spectral_split
from radprog.models.similarity.graphs import nearest_neighbours
from radprog.models.similarity.problem import (
    DensityWeighted,
    Distances,
    Weighted,
    box_of,
    general_box,
    row_blocks,
)
from radprog.models.similarity.settings import (
    AUTO,
    CDSK,
    DEFAULT_BANDWIDTH,
    LPDSK,
    bandwidth_of,
)
from radprog.models.similarity.sparse import Neighbourhood, SparseWeighted, median_distance

SMALLEST_DEGREE = 1e-9  # degree, relative to the median degree, that is called tiny
SMALLEST_EIGENGAP = 1e-6  # gap of eigenvalues below which the spectral step is arbitrary

Scalar = TypeVar("Scalar", bound=np.generic)

SPARSE_POINTS = 1000  # from which a similarity of nearest neighbours is kept sparse
COLLAPSE_LAM = 2.0  # up to this lam the weights gather on a few points


@dataclass(frozen=True, kw_only=True, eq=False)
class Instance:
    """A problem in canonical order: row i of it is row ``order[i]`` of the data.

    codes (n,): known classes in that order, -1 unknown; bandwidth: None with a given similarity;
    graph: whether s is a kernel cut down to nearest neighbours; first: clusters (n,) at equal
    weights, where the choice of the bandwidth found them.
    """

    problem: Weighted
    order: IntArray
    codes: IntArray
    c: int
    X: FloatArray
    bandwidth: float | None
    indefinite: bool
    warnings: tuple[str, ...]
    first: IntArray | None = None

    @property
    def wider(self) -> str:
        """What gives every row a larger degree: a wider kernel, or another similarity as given."""
        if self.bandwidth is None:
            return "a similarity with larger entries there"
        return "a larger bandwidth"

    def restored(self, values: NDArray[Scalar]) -> NDArray[Scalar]:
        """Values by row of the data, from values by row of the problem."""
        out = np.empty_like(values)
        out[self.order] = values
        return out


@dataclass
class DistanceStore:
    """Squared distances of one set of points, computed when first asked for."""

    known: Distances | None = None

    def of(self, X: FloatArray) -> Distances:
        """The distances of X, which must be the same on every call."""
        if self.known is None:
            self.known = Distances.of(X)
        return self.known


def canonical_order(X: FloatArray, s: FloatArray | None) -> IntArray:
    """Rows in lexicographic order, of the points or of the sorted rows of a given similarity."""
    keys = X if s is None else np.hstack([np.diag(s)[:, None], np.sort(s, axis=1)])
    return np.asarray(np.lexsort(keys.T[::-1]), dtype=np.intp)


def assemble(
    spec: CDSK | LPDSK,
    data: PartlyLabelled,
    distances: DistanceStore | None = None,
    chosen: float | None = None,
) -> Instance:
    """Similarity, box and classes of a problem.

    chosen: the bandwidth that ``auto`` once chose, where it is known. Raises OptionError where a
    setting does not fit the data, DataError where the similarity cannot be used.
    """
    n, c = data.rows, classes_of(spec, data)
    given = None
    if spec.similarity is not None:
        given = checked_similarity(read_matrix(spec.similarity, (n, n)), n, spec.similarity)
    order = canonical_order(data.X, given)
    X, codes = data.X[order], data.codes[order]
    lam = n / 2 if spec.lam == "auto" else float(spec.lam)
    tau = 0.5 if spec.trace == "half" else 1.0
    warnings, bandwidth, first = list(data.warnings), None, None
    upper = box_of(spec.box if isinstance(spec, CDSK) else "auto", lam)
    problem: Weighted
    if given is not None:
        problem = _given(spec, given[np.ix_(order, order)], lam, upper, tau)
        if np.abs(problem.s).max(initial=0.0) > 1.0:
            warnings.append("the similarity leaves [-1, 1]: the bounds do not hold for it")
    elif spec.neighbours is not None and n >= SPARSE_POINTS:
        bandwidth, s, first = _sparse_similarity(spec, X, codes, c, chosen)
        problem = SparseWeighted(s=s, size=s, lam=lam, upper=upper, tau=tau)
    else:
        every = (distances or DistanceStore()).of(X)
        bandwidth, s, first = _with_kernel(spec, every, codes, c, chosen, lambda: every.median)
        if isinstance(spec, CDSK) and spec.objective == "ise":
            wide = every.gram(np.sqrt(2.0) * bandwidth)
            problem = DensityWeighted(s=s, size=wide, lam=lam, upper=upper)
        else:
            if spec.neighbours is not None:
                s, first = nearest_neighbours(s, spec.neighbours), None
            problem = Weighted(s=s, size=s, lam=lam, upper=upper, tau=tau)
    indefinite = given is not None and problem.size is not problem.s
    return Instance(
        problem=problem, order=order, codes=codes, c=c, X=X, bandwidth=bandwidth,
        indefinite=indefinite, warnings=(*warnings, *_letter_warnings(spec, lam)), first=first,
    )  # fmt: skip


def _given(spec: CDSK | LPDSK, s: FloatArray, lam: float, upper: float, tau: float) -> Weighted:
    """The problem of a similarity from a file; OptionError where lpdsk has no weights for it."""
    split = spectral_split(s)
    size = split.size if split.minus.any() else s
    if isinstance(spec, LPDSK):
        widest = general_box(s, size, lam)
        if widest is None or widest * len(s) < 1:
            raise OptionError(
                f"{spec.similarity}: lpdsk needs weights that keep 2 (a_i + a_j) s_ij - 2 lam "
                "a_i a_j |s|_ij >= 0, and this similarity has none: use cdsk, or a kernel"
            )
        upper = widest
    return Weighted(s=s, size=size, lam=lam, upper=upper, tau=tau)


def _sparse_similarity(
    spec: CDSK | LPDSK, X: FloatArray, codes: IntArray, c: int, chosen: float | None
) -> Chosen:
    """The bandwidth for the nearest neighbours alone, and their kernel, sparse."""
    assert spec.neighbours is not None
    if isinstance(spec, LPDSK) and spec.dca_iter is not None:
        raise OptionError(
            f"dca_iter is not used with neighbours from {SPARSE_POINTS} points on: the weight step "
            "is by gradients there"
        )
    near = Neighbourhood.of(X, spec.neighbours)
    return _with_kernel(spec, near, codes, c, chosen, lambda: median_distance(X))


def _with_kernel(
    spec: CDSK | LPDSK,
    every: Distances | Neighbourhood,
    codes: IntArray,
    c: int,
    chosen: float | None,
    median: Callable[[], float],
) -> Chosen:
    """The bandwidth of a setting, with its kernel."""
    if spec.bandwidth == AUTO and chosen is None and isinstance(spec, CDSK):
        found = chosen_bandwidth(every, c)
        positive("bandwidth", found.bandwidth)
        return found
    if spec.bandwidth == AUTO and chosen is not None:
        bandwidth = chosen
    elif spec.bandwidth == AUTO:
        bandwidth = joining_bandwidth(every, codes)
    else:
        factor, relative = bandwidth_of(spec.bandwidth or DEFAULT_BANDWIDTH)
        bandwidth = factor * median() if relative else factor
    positive("bandwidth", bandwidth)
    return Chosen(bandwidth, every.gram(bandwidth))


def classes_of(spec: CDSK | LPDSK, data: PartlyLabelled) -> int:
    """The number of clusters asked for, or of classes; OptionError, DataError where it is wrong."""
    n, c = data.rows, data.n_classes
    if isinstance(spec, LPDSK):
        if not data.known.any():
            raise DataError(f"{data.name}: no row has a label, lpdsk needs one of every class")
        held = np.bincount(data.codes[data.known], minlength=c)
        if not held.all():
            missing = data.labels[int(np.argmin(held))]
            raise DataError(f"{data.name}: class '{missing}' has no labelled row")
        if spec.clusters not in (None, c):
            raise OptionError(f"clusters {spec.clusters}: the labels are of {c} classes")
        return c
    if spec.clusters is None and spec.objective == "ise":
        return 2
    if spec.clusters is None and not c:
        raise OptionError(f"{data.name}: no labels to count, so clusters must be given")
    wanted = c if spec.clusters is None else spec.clusters
    if wanted > n:
        raise OptionError(f"clusters {wanted}: more than the {n} points")
    return wanted


def box_used(instance: Instance) -> float | None:
    """The largest weight where it cuts the simplex off, else None."""
    upper = instance.problem.upper
    return upper if upper < 1.0 else None


def check_rows(instance: Instance, data: PartlyLabelled) -> None:
    """DataError naming a row that is similar to no other, where that makes clusters arbitrary."""
    if instance.problem.n == 1:
        return
    poll()
    s = instance.problem.s
    if isinstance(instance.problem, SparseWeighted):
        off: Any = abs(s)
        off.setdiag(0.0)
        strength = off.sum(axis=1)
    else:
        strength = np.concatenate([_beside(s, rows) for rows in row_blocks(len(s))])
    if not strength.min() > 0:
        row = data.line(int(instance.order[int(strength.argmin())]))
        raise DataError(
            f"{data.name}: row {row} is similar to no other row (degree 0): use "
            f"{instance.wider}, or leave the row out"
        )


def _beside(s: FloatArray, rows: slice) -> FloatArray:
    """Sums of |s_ij|, j not i, of some rows i."""
    off = np.abs(s[rows])
    np.fill_diagonal(off[:, rows], 0.0)
    return np.asarray(off.sum(axis=1))


def _letter_warnings(spec: CDSK | LPDSK, lam: float) -> list[str]:
    found = []
    if lam <= COLLAPSE_LAM:
        found.append(
            f"lam {lam:g} is at most 2, as printed: the weights gather on a few points and the "
            "labels become noise; auto (n/2) is the natural scale"
        )
    if spec.trace == "full":
        found.append("trace full, as printed, counts every pair twice: not the objective of (12)")
    if spec.self_loops:
        found.append(
            "self-loops: at small bandwidths they dominate the degrees, and outliers become "
            "clusters"
        )
    return found


def collapse_of(
    instance: Instance,
    a: FloatArray,
    codes: IntArray,
    eigengap: float | None,
    data: PartlyLabelled,
) -> list[str]:
    """What says that the answer rests on few points, on an arbitrary eigenspace or on rounding."""
    found, n, c = [], instance.problem.n, instance.c
    support = int((a > WEIGHT_SUPPORT / n).sum())
    if support < min(5 * c, n):
        found.append(f"the weights have collapsed onto {support} of {n} points")
    mass = np.bincount(codes[codes >= 0], a[codes >= 0], minlength=c)
    empty = int((mass < WEIGHT_SUPPORT / n).sum())
    if empty:
        found.append(
            f"{empty} of {c} classes have no weight: the classifier h(x, y) never predicts them"
        )
    if eigengap is not None and eigengap < SMALLEST_EIGENGAP:
        found.append(
            f"eigenvalues {c} and {c + 1} differ by {eigengap:.1e}: the embedding is arbitrary"
        )
    degrees = instance.problem.degrees(a)
    tiny = np.flatnonzero(degrees < SMALLEST_DEGREE * max(float(np.median(degrees)), 0.0))
    if tiny.size:
        first = data.line(int(instance.order[tiny[0]]))
        found.append(
            f"{tiny.size} rows have tiny degrees (first: row {first}): {instance.wider} "
            "joins them to the others"
        )
    return found


def stored_points(evidence: Mapping[str, Any], instance: Instance) -> tuple[FloatArray, FloatArray]:
    """Weights (n,) and Y of an earlier run, in the order of the problem, checked.

    Raises DataError where they do not fit the data, or the weights leave the simplex or the box.
    """
    problem = instance.problem
    a = np.asarray(evidence["a"], dtype=np.float64)
    Y = np.asarray(evidence["Y"], dtype=np.float64)
    if a.shape != (problem.n,) or Y.ndim != 2 or len(Y) != problem.n:
        raise DataError("the stored points do not fit this data set")
    inside = (
        a.min() >= 0
        and a.max() <= problem.upper * (1 + STORED_SUM)
        and abs(a.sum() - 1) <= STORED_SUM
    )
    if not inside:
        raise DataError("the stored weights leave the simplex or the box")
    return a[instance.order], Y[instance.order]


def chosen_before(evidence: Mapping[str, Any]) -> float | None:
    """The bandwidth that a run chose, if it did; DataError unless it is a number > 0."""
    value = evidence.get("bandwidth")
    if value is None:
        return None
    if not (isinstance(value, int | float) and np.isfinite(value) and value > 0):
        raise DataError(f"the stored bandwidth is {value!r}, expected a number > 0")
    return float(value)


def similarity_of(spec: CDSK | LPDSK, data: PartlyLabelled, evidence: Mapping[str, Any]) -> Any:
    """S (n, n) by row of the data at the stored weights, for pictures and exports of the graph;
    sparse where it is kept so."""
    instance = assemble(spec, data, chosen=evidence.get("bandwidth"))
    a, _ = stored_points(evidence, instance)
    place = np.argsort(instance.order)
    return instance.problem.similarity(a)[np.ix_(place, place)]
