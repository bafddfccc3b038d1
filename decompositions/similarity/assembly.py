"""The problem of CDSK and LPDSK, built from settings and points.

The drivers use an order that depends only on the points. A permutation of the rows therefore only
permutes the answer. Models, results and files are in the order of the data.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from radprog.base.errors import DataError, OptionError
from radprog.base.limits import poll
from radprog.base.tolerances import WEIGHT_SUPPORT
from radprog.base.types import FloatArray, IntArray
from radprog.instances.arrays import read_matrix
from radprog.instances.dataset import Dataset
from radprog.instances.grams import check_symmetric
from radprog.instances.tables import UNKNOWN
from radprog.models.settings import positive
from radprog.models.similarity.graphs import nearest_neighbours
from radprog.models.similarity.problem import (
    DensityWeighted,
    Distances,
    Weighted,
    box_of,
    general_box,
)
from radprog.models.similarity.settings import AUTO, CDSK, DEFAULT_BANDWIDTH, LPDSK, bandwidth_of
from radprog.models.similarity.sparse import Neighbourhood, SparseWeighted
from radprog.models.similarity.spectral import spectral_clusters
from radprog.models.similarity.svm import flipped_spectrum

Scalar = TypeVar("Scalar", bound=np.generic)

# points from which a graph of nearest neighbours is the default, and is kept sparse
MANY_POINTS = 500


@dataclass(frozen=True, kw_only=True, eq=False)
class Instance:
    """A problem with points in canonical order: row i of the problem is row ``order[i]`` of the
    data.

    ``codes`` (n,) contains the known classes in this order, and -1 for unknown classes.
    ``bandwidth`` is None if the similarity is given. ``neighbours`` is the number of neighbours of
    a point if s is restricted to nearest neighbours. ``spreads`` is true if labels spread from row
    to row (lpdsk). ``initial`` contains the clusters at equal weights, and their eigenvectors, if
    they were computed to choose the bandwidth.
    """

    problem: Weighted
    order: IntArray
    codes: IntArray
    c: int
    X: FloatArray
    bandwidth: float | None
    indefinite: bool
    warnings: tuple[str, ...]
    initial: tuple[IntArray, FloatArray] | None = None
    neighbours: int | None = None
    spreads: bool = False

    @property
    def advice(self) -> str:
        """Advice in messages on how to increase the degrees: a wider kernel or another
        similarity.
        """
        if self.bandwidth is None:
            return "a similarity with larger entries there"
        # lpdsk: the bandwidth that joins all rows spreads one label over them
        # iris, wine: 0.864, 0.911; 16 times the bandwidth 0.682, 0.373; 5 neighbours 0.886, 0.937
        if self.spreads and self.neighbours is None:
            return "bandwidth median with 5 neighbours"
        return "a larger bandwidth"

    def restored(self, values: NDArray[Scalar]) -> NDArray[Scalar]:
        """Convert values from the order of the problem to the order of the data."""
        restored = np.empty_like(values)
        restored[self.order] = values
        return restored

    def in_data_order(self) -> Instance:
        """The same problem with matrices of all pairs, its points in the order of the data."""
        rows, problem = np.argsort(self.order), self.problem.dense()
        s = problem.s[np.ix_(rows, rows)]
        size = s if problem.size is problem.s else problem.size[np.ix_(rows, rows)]
        return replace(
            self, problem=replace(problem, s=s, size=size), order=np.arange(len(rows)),
            codes=self.codes[rows], X=self.X[rows], initial=None,
        )  # fmt: skip


def canonical_order(X: FloatArray, s: FloatArray | None) -> IntArray:
    """The lexicographic order of the rows, by the points or by the sorted rows of a given
    similarity.
    """
    # last key first: numpy sorts by the last of them
    keys = X if s is None else np.hstack([np.diag(s)[:, None], np.sort(s, axis=1)])
    return np.asarray(np.lexsort(keys.T[::-1]), dtype=np.intp)


def assemble(spec: CDSK | LPDSK, data: Dataset, bandwidth: float | None = None) -> Instance:
    """The problem for given settings and data: similarity, upper bound on the weights, and classes.

    ``bandwidth`` is the choice that a stored run made for ``auto``. Raises OptionError if a setting
    does not fit the data, and DataError if the similarity is invalid.
    """
    n, c = data.rows, classes_of(spec, data)
    lam = n / 2 if spec.lam == "auto" else float(spec.lam)
    upper = box_of(spec.box, lam)
    shared: dict[str, Any] = {"lam": lam, "tau": 0.5 if spec.trace == "half" else 1.0}
    warnings, initial, nearest = list(data.warnings), None, None
    problem: Weighted
    if spec.similarity is not None:
        # a similarity from a file, its rows in canonical order, and its flipped spectrum
        s = symmetric(read_matrix(spec.similarity, (n, n)), spec.similarity)
        order = canonical_order(data.X, s)
        s = s[np.ix_(order, order)]
        size = flipped_spectrum(s).size
        if isinstance(spec, LPDSK):
            # the largest weights that keep similarities >= 0, as the harmonic step needs
            largest = general_box(s, size, lam)
            if largest is None or largest * n < 1:
                # a kernel has |s| = s: as large a diagonal leaves only lam to blame
                added = 1.001 * max(0.0, -float(np.linalg.eigvalsh(s)[0]))
                remedy = f"add {added:.4g} to its diagonal, which makes it a kernel and leaves "
                remedy += "different rows as similar as they are"
                if (s < 0.0)[~np.eye(n, dtype=np.bool_)].any():
                    remedy = "different rows need similarities of at least 0"
                elif lam > 2 * n:
                    remedy = f"lam may be at most {2 * n}"
                raise OptionError(
                    f"{spec.similarity}: lpdsk needs 2 (a_i + a_j) s_ij - 2 lam a_i a_j |s|_ij >= "
                    f"0 for all weights up to 1/n: {remedy}, or use cdsk"
                )
            upper = largest if spec.box == "auto" else _harmonic_box(spec.box, upper, largest)
        problem = Weighted(s=s, size=size, upper=upper, **shared)
        if np.abs(s).max(initial=0.0) > 1.0:
            warnings.append("the similarity leaves [-1, 1]: the bounds do not hold for it")
        bandwidth = None
    else:
        # weights up to 2 / lam, and all weights of sum 1 where lam <= 4, keep similarities >= 0
        if isinstance(spec, LPDSK) and lam > 4.0:
            upper = _harmonic_box(spec.box, upper, box_of("auto", lam))
        # a Gaussian kernel, of all pairs or of nearest neighbours
        order = canonical_order(data.X, None)
        X, codes = data.X[order], data.codes[order]
        if isinstance(spec.neighbours, int):
            nearest = spec.neighbours
        elif spec.neighbours == AUTO and not (isinstance(spec, CDSK) and spec.objective == "ise"):
            # 10,000 points of 10 columns 1.2 CPU s, 88 of all pairs; with 10 neighbours in place of
            # 15, the graph of digits has small parts, which become clusters
            nearest = 15 if n >= MANY_POINTS else None
        graph = nearest if n >= MANY_POINTS else None
        distances = Distances.of(X) if graph is None else Neighbourhood.of(X, graph)
        bandwidth, s, initial = _with_kernel(spec, distances, X, codes, c, bandwidth)
        if graph is not None:
            problem = SparseWeighted(s=s, size=s, upper=upper, **shared)
        elif isinstance(spec, CDSK) and spec.objective == "ise":
            wide = distances.gram(float(np.sqrt(2.0)) * bandwidth)
            problem = DensityWeighted(s=s, size=wide, lam=lam, upper=upper)
        else:
            if nearest is not None:
                s, initial = nearest_neighbours(s, nearest), None
            problem = Weighted(s=s, size=s, upper=upper, **shared)
    # settings as the paper prints them
    if lam <= 2.0:  # up to this lam the weights gather on a few points
        warnings.append(
            f"lam {lam:g} is at most 2, as printed: the weights gather on a few points and the "
            "labels become noise; auto (n/2) is the natural scale"
        )
    if spec.trace == "full":
        warnings.append(
            "trace full, as printed, counts every pair twice: not the objective of (12)"
        )
    return Instance(
        problem=problem, order=order, codes=data.codes[order], c=c, X=data.X[order],
        bandwidth=bandwidth, indefinite=bandwidth is None and problem.size is not problem.s,
        warnings=tuple(warnings), initial=initial, neighbours=nearest,
        spreads=isinstance(spec, LPDSK),
    )  # fmt: skip


def symmetric(S: FloatArray, name: str) -> FloatArray:
    """Make S exactly symmetric. Raises DataError if S is not symmetric up to rounding errors."""
    if np.array_equal(S, S.T):
        return S
    check_symmetric(S, name)
    return S / 2 + S.T / 2


def _harmonic_box(box: str | float, upper: float, largest: float) -> float:
    """The upper bound on lpdsk's weights. Raises OptionError if this bound allows negative
    similarities.
    """
    if upper > largest:
        raise OptionError(
            f"box {box}: lpdsk needs a box of at most {largest:.6g} here: with larger weights a "
            "similarity may be negative, and the harmonic step has no minimum"
        )
    return upper


#: A bandwidth, its kernel K (n, n), and the clusters if they were used to choose it.
ChosenKernel = tuple[float, Any, tuple[IntArray, FloatArray] | None]


def _with_kernel(
    spec: CDSK | LPDSK,
    distances: Distances | Neighbourhood,
    X: FloatArray,
    codes: IntArray,
    c: int,
    stored: float | None,
) -> ChosenKernel:
    """The bandwidth from the settings, with its kernel. ``stored`` is an earlier choice for
    ``auto``.
    """
    if spec.bandwidth == AUTO and stored is not None:
        bandwidth = stored
    elif spec.bandwidth == AUTO and isinstance(spec, CDSK):
        bandwidth, K, initial = choose_bandwidth(distances, c)
        positive("bandwidth", bandwidth)
        return bandwidth, K, initial
    elif spec.bandwidth == AUTO:
        bandwidth = joining_bandwidth(distances, codes)
    else:
        bandwidth, relative = bandwidth_of(spec.bandwidth or DEFAULT_BANDWIDTH)
        if relative:
            # of a graph, pairs of at most 4,000 drawn points: 10,000 points 0.2 s, 0.9 by all
            drawn = np.random.default_rng(0).permutation(X)[:4000]
            pairs = distances if isinstance(distances, Distances) else Distances.of(drawn)
            bandwidth *= pairs.median
    positive("bandwidth", bandwidth)
    return bandwidth, distances.gram(bandwidth), None


def choose_bandwidth(distances: Distances | Neighbourhood, c: int) -> ChosenKernel:
    """The smallest candidate bandwidth without a very small cluster.

    The first candidate is the median distance to the seventh nearest point. Each further candidate
    is sqrt(2) times as large, up to 1.5 times the median distance of all points. For a
    nearest-neighbour graph, the limit is 3 times the first candidate. At the chosen candidate,
    spectral clustering with equal weights must give each cluster at least a tenth of n/c points. A
    few outliers then cannot form a cluster. The first candidate that meets this condition is
    chosen. If there is none, the first candidate that makes every point similar to another point is
    chosen.
    """
    width: float = distances.narrowest
    joined: ChosenKernel | None = None
    # joined: the narrowest bandwidth under which every point has a neighbour
    while joined is None or width <= distances.widest:
        # spectral clusters at equal weights under this bandwidth
        poll()
        K = distances.gram(width)
        if K.shape[0] == 1:
            return width, K, (np.zeros(1, dtype=np.intp), np.ones((1, 1)))
        clusters = spectral_clusters(K.copy(), c)
        if clusters is not None:
            joined = joined or (width, K, None)
            # a cluster below a tenth of n/c is one of outliers
            if np.bincount(clusters[0], minlength=c).min() >= 0.1 * K.shape[0] / c:
                return width, K, clusters
        width *= 2.0**0.5  # from one bandwidth tried to the next
    return joined


def joining_bandwidth(distances: Distances | Neighbourhood, codes: IntArray) -> float:
    """One third of the smallest distance that connects rows with different labels. Labels hardly
    spread over this distance.

    The edges of the minimum spanning tree are added in order of increasing length. The distance is
    the length of the first edge between components with different labels (X. Zhu and Z. Ghahramani,
    Learning from Labeled and Unlabeled Data with Label Propagation, 2002). If there is no such
    edge, the distance is the length of the longest edge. ``codes`` (n,) is -1 for unknown labels.
    The bandwidth is increased if the similarity along the longest edge would underflow. Raises
    OptionError if all points are equal.
    """
    lengths, ends = distances.tree()
    if not lengths.size:
        if len(codes) == 1:
            return 1.0
        raise OptionError("all points coincide: give the bandwidth as a number")
    # Kruskal's forest, and the label of every part: it has one, until the first edge between two
    part, labels = list(range(len(codes))), codes.tolist()
    joining = float(lengths[-1])

    def root(point: int) -> int:
        """The representative of the part that contains a point, with path compression."""
        while part[point] != point:
            part[point] = part[part[point]]
            point = part[point]
        return point

    # edges by length: the first between parts of two labels has the length sought
    for length, pair in zip(lengths.tolist(), ends.tolist(), strict=True):
        first, second = map(root, pair)
        if UNKNOWN not in (labels[first], labels[second]) and labels[first] != labels[second]:
            joining = length
            break
        part[second] = first
        labels[first] = max(labels[first], labels[second])  # UNKNOWN is below all codes
    # beyond three deviations a similarity is next to nothing; at 30 it is still a number of full
    # precision
    return max(joining / 3.0, float(lengths[-1]) / 30.0)


def classes_of(spec: CDSK | LPDSK, data: Dataset) -> int:
    """The requested number of clusters, or by default the number of classes. Raises OptionError or
    DataError if the number is invalid.
    """
    n, c = data.rows, data.n_classes
    # a propagation: the classes of the labels, each with a labelled row
    if isinstance(spec, LPDSK):
        if not data.known.any():
            raise DataError(f"{data.name}: no row has a label, lpdsk needs one of every class")
        counts = np.bincount(data.codes[data.known], minlength=c)
        if not counts.all():
            missing = data.labels[int(np.argmin(counts))]
            raise DataError(f"{data.name}: class '{missing}' has no labelled row")
        if spec.clusters not in (None, c):
            raise OptionError(f"clusters {spec.clusters}: the labels are of {c} classes")
        return c
    # a clustering: the requested number, else the number of classes
    if spec.clusters is None and spec.objective == "ise":
        return 2
    if spec.clusters is None and not c:
        raise OptionError(f"{data.name}: no labels to count: give `clusters`")
    # classes of about one row each are the numbers of a feature
    if spec.clusters is None and 2 * c > n:
        raise OptionError(
            f"{data.name}: {c} classes in {n} rows: give `clusters`, and `label='none'` if the "
            "column of the labels is a feature"
        )
    count = c if spec.clusters is None else spec.clusters
    if count > n:
        raise OptionError(f"clusters {count}: more than the {n} points")
    return count


def box_used(instance: Instance) -> float | None:
    """The upper bound on the weights if it restricts the simplex, otherwise None."""
    upper = instance.problem.upper
    return upper if upper < 1.0 else None


def box_notes(instance: Instance, a: FloatArray) -> list[str]:
    """A note if some weights a (n,) are at the upper bound of the discrete problem."""
    box = box_used(instance)
    # a weight within this share of the largest one is at it
    if box is None or a.max() < box * (1.0 - 1e-3):
        return []
    return [
        f"weights are held to {box:.6g} and some are there: what is optimal is (12) over that box, "
        "not over the paper's simplex"
    ]


def check_rows(instance: Instance, data: Dataset) -> None:
    """Raise DataError if a row is similar to no other row. The clusters would be arbitrary."""
    if instance.problem.n == 1:
        return
    # sums of |s_ij| without the diagonal
    poll()
    off_diagonal: Any = abs(instance.problem.s)
    if isinstance(instance.problem, SparseWeighted):
        off_diagonal.setdiag(0.0)
    else:
        np.fill_diagonal(off_diagonal, 0.0)
    strength = off_diagonal.sum(axis=1)
    if not strength.min() > 0:
        row = data.row_name(int(instance.order[int(strength.argmin())]))
        raise DataError(
            f"{data.name}: {row} is similar to no other row (degree 0): use "
            f"{instance.advice}, or leave the row out"
        )


def collapse_warnings(
    instance: Instance, a: FloatArray, codes: IntArray, eigengap: float | None, data: Dataset
) -> list[str]:
    """Warnings if the answer depends on a small number of points, on a multiple eigenvalue, or on
    rounding errors.
    """
    warnings, n, c = [], instance.problem.n, instance.c
    # weights on few points, or none in a class
    support = int((a > WEIGHT_SUPPORT / n).sum())
    if support < min(5 * c, n):
        warnings.append(f"the weights have collapsed onto {support} of {n} points")
    mass = np.bincount(codes[codes >= 0], a[codes >= 0], minlength=c)
    empty = int((mass < WEIGHT_SUPPORT / n).sum())
    if empty:
        warnings.append(
            f"{empty} of {c} classes have no weight: the classifier h(x, y) never predicts them"
        )
    # eigenvalues closer than 1e-6 count as multiple: the basis of their eigenspace is arbitrary
    if eigengap is not None and eigengap < 1e-6:
        warnings.append(
            f"eigenvalues {c} and {c + 1} differ by {eigengap:.1e}: the embedding is arbitrary"
        )
    # rows whose degree is below 1e-9 of the median: only rounding joins them to the others
    degrees = instance.problem.degrees(a)
    count = int((degrees < 1e-9 * max(float(np.median(degrees)), 0.0)).sum())
    least = data.row_name(int(instance.order[degrees.argmin()]))
    if degrees.min() < 0.0:
        warnings.append(f"{(degrees < 0.0).sum()} rows have negative degrees (least: {least})")
    elif count:
        warnings.append(
            f"{count} rows have tiny degrees (least: {least}): {instance.advice} "
            "joins them to the others"
        )
    return warnings


def stored_points(evidence: Mapping[str, Any], instance: Instance) -> tuple[FloatArray, FloatArray]:
    """The checked weights (n,) and Y of an earlier run, in the order of the problem.

    Raises DataError if they do not match the data. Raises DataError if weights are outside the
    simplex or above their upper bound.
    """
    problem = instance.problem
    a = np.asarray(evidence["a"], dtype=np.float64)
    Y = np.asarray(evidence["Y"], dtype=np.float64)
    if a.shape != (problem.n,) or Y.ndim != 2 or len(Y) != problem.n:
        raise DataError("the stored points do not fit this data set")
    # in the simplex and the box, to the digits that a result keeps
    inside = a.min() >= 0 and a.max() <= problem.upper * (1 + 1e-9) and abs(a.sum() - 1) <= 1e-9
    if not inside:
        raise DataError("the stored weights leave the simplex or the box")
    return a[instance.order], Y[instance.order]
