"""Settings of clustering, label propagation and classification by discriminative similarity."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Any, ClassVar

from radprog.base.errors import OptionError
from radprog.base.settings import Settings, described, option
from radprog.models.kernels import Kernels, kernel_names, kernel_text
from radprog.models.settings import (
    Numbers,
    OwnCode,
    Unused,
    as_text,
    at_least,
    number_or,
    one_kernel,
    positive,
    words_or,
    yes_or_no,
)

OBJECTIVES = ("ratio", "scaled", "ncut", "ise")
BOXES = ("auto", "none")
CLUSTERING_CRITERIA = ("distortion", "objective", "eigengap")  # by which a clustering is chosen
AUTO = "auto"
ALL = "all"  # neighbours: a kernel of all pairs
DEFAULT_BANDWIDTH = "median"
BANDWIDTH = re.compile(r"(?:(?P<factor>[^*]+)\*)?median")


def bandwidth_of(text: str) -> tuple[float, bool]:
    """The pair (F, True) for ``F*median``, or (h, False) for a number h.

    Raises OptionError unless F or h is positive.
    """
    match = BANDWIDTH.fullmatch(text.replace(" ", ""))
    number = text if match is None else match["factor"] or "1"
    try:
        value = float(number)
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and value > 0):
        raise OptionError(
            f"bandwidth '{text}': expected auto, median, F*median or a number, all > 0"
        )
    return value, match is not None


def _width(bandwidth: Any) -> str:
    """A bandwidth as a string; the default is auto."""
    text = as_text("bandwidth", bandwidth)
    if text not in (None, AUTO):
        bandwidth_of(text)
    return AUTO if text is None else str(text)


def _neighbours(text: str) -> str | int:
    """A number, or a word that the settings check."""
    return int(text) if text.lstrip("+-").isdecimal() else text


@dataclass(frozen=True, kw_only=True)
class _Graph(Settings):
    """The common options of clustering and label propagation."""

    methods: ClassVar[tuple[str, ...]] = ("alternate", "exact")
    unused: ClassVar[Unused] = {"alternate": ("start",), "exact": ("start", "max_iter")}
    own_code: ClassVar[OwnCode] = {"alternate": "projected gradient"}

    clusters: int | None = option(
        None, int, "number of clusters (default: number of classes, if known)", check=at_least(1)
    )
    bandwidth: Numbers | None = option(
        AUTO,
        str,
        "bandwidth: auto, median (beyond 4,000 points, of as many), F*median or a number",
        make=_width,
    )
    lam: str | float = option(
        AUTO,
        number_or(AUTO),
        "weight of the regulariser: a number, or auto for n/2",
        check=words_or(positive, AUTO),
    )
    similarity: str | None = option(
        None, str, "file of a similarity matrix, in place of the Gaussian kernel"
    )
    trace: str = option(
        "half", str, "factor of Tr(Y'LY): half for 1/2, or full for 1, as in the paper",
        allowed=("half", "full"),
    )  # fmt: skip

    def check(self) -> None:
        """Raise OptionError if both a similarity and an option of the kernel are set."""
        neighbours = isinstance(getattr(self, "neighbours", None), int)
        unused = {"bandwidth": self.bandwidth != AUTO, "neighbours": neighbours}
        for name, is_set in unused.items():
            if self.similarity is not None and is_set:
                raise OptionError(
                    f"{name} is not used with a given similarity: leave one of them out"
                )


@described
@dataclass(frozen=True, kw_only=True)
class CDSK(_Graph):
    r"""Clustering by discriminative similarity: min Psi(a, Y) over weights a and relaxed labels Y.

    With ``bandwidth="auto"``, the bandwidth depends only on the points and the number of clusters.
    With ``neighbours="auto"``, all points are neighbours if there are fewer than 500; otherwise
    each point has 15 neighbours. The objective ``ise`` always uses all pairs. The objectives are:

    - ``ratio``: Psi with Y'Y = (n/c) I
    - ``ncut``: Psi with Y'DY = I (27)
    - ``scaled``: Psi with Y'DY = (vol/c) I
    - ``ise``: the objective of Section 4, for two classes

    The labels are the clusters that k-means finds in the last embedding. If the labels computed
    with equal weights have a lower objective (12) at the final weights, those labels are used
    instead.

    ``box`` is an upper bound on each weight. With ``none``, the weights are restricted only to the
    simplex, as in the paper. ``auto`` means 2 / lam. This bound ensures S >= 0 for all weights, and
    it restricts the simplex only if lam > 2. The optimum with this bound may be larger than the
    optimum over the simplex.

    The programs are problems (12), (25) and (27) of Y. Yang, F. Liang, N. Jojic, S. Yan, J. Feng
    and T. S. Huang, Discriminative Similarity for Clustering and Semi-Supervised Learning (2017).

    Notes
    -----
    .. math::

       \Psi(a, Y) = \tau \operatorname{Tr}(Y'LY) - a's1 + \lambda a'|s|a, \qquad
       S_{ij} = 2 (a_i + a_j) s_{ij} - 2 \lambda a_i a_j |s|_{ij}.

    Here s is the similarity, and L is the Laplacian of S.

    Examples
    --------
    >>> import numpy as np
    >>> import radprog as rp
    >>> X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]])
    >>> run = rp.fit(rp.CDSK(clusters=2, bandwidth=1.0), rp.partly_labelled(X, [None] * 6))
    >>> run.summary["labels"]
    [0, 0, 0, 1, 1, 1]
    """

    forms: ClassVar[tuple[str, ...]] = ("labels", "weights", "general", "joint")

    objective: str = option("ratio", str, f"objective: {', '.join(OBJECTIVES)}", allowed=OBJECTIVES)
    neighbours: str | int | None = option(
        AUTO,
        _neighbours,
        "number of nearest neighbours with nonzero kernel values: auto, all or a number",
        make=lambda given: AUTO if given is None else given,
        check=words_or(at_least(1), AUTO, ALL),
    )
    min_size: int | None = option(
        None,
        int,
        "smallest cluster size for method exact and form labels (default 1)",
        check=at_least(1),
    )
    max_size: int | None = option(
        None, int, "largest cluster size for method exact and form labels", check=at_least(1)
    )
    box: str | float = option(
        "auto", number_or(*BOXES), "upper bound on a weight: auto (2/lam), none or a number",
        check=words_or(positive, *BOXES),
    )  # fmt: skip

    def check(self) -> None:
        """Raise OptionError for options that the objective does not use."""
        super().check()
        if self.similarity is not None and self.objective != "ratio":
            raise OptionError(
                f"similarity is not used by objective '{self.objective}': a general similarity may "
                "have negative degrees; expected objective ratio"
            )
        if self.objective == "ise":
            if self.trace != "half":
                raise OptionError("trace is not used by objective 'ise'")
            if isinstance(self.neighbours, int):
                raise OptionError("neighbours is not used by objective 'ise'")
            if self.clusters not in (None, 2):
                raise OptionError(f"clusters {self.clusters}: objective 'ise' is of two classes")
        if (self.min_size or 1) > (self.max_size or math.inf):
            raise OptionError(f"min_size {self.min_size} is above max_size {self.max_size}")


@described
@dataclass(frozen=True, kw_only=True)
class LPDSK(_Graph):
    r"""Label propagation by discriminative similarity: min Psi(a, Y), Y fixed on labelled rows.

    With ``bandwidth="auto"``, the bandwidth depends only on the points and the known labels. With
    ``neighbours="auto"``, all points are neighbours if there are fewer than 500; otherwise each
    point has 15 neighbours.

    The program is problem (28) of Y. Yang, F. Liang, N. Jojic, S. Yan, J. Feng and T. S. Huang,
    Discriminative Similarity for Clustering and Semi-Supervised Learning (2017). The method
    ``exact`` solves problem (12) with the known labels fixed.

    Notes
    -----
    .. math::

       \min_{a, Y} \; \tau \operatorname{Tr}(Y'LY) - a's1 + \lambda a'|s|a \quad \text{s.t.} \quad
       Y_i \text{ given for labelled rows},

    with the similarity S of :class:`CDSK` and its Laplacian L.

    Examples
    --------
    >>> import numpy as np
    >>> import radprog as rp
    >>> X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]])
    >>> data = rp.partly_labelled(X, ["low", None, None, "high", None, None])
    >>> run = rp.fit(rp.LPDSK(bandwidth=1.0), data)
    >>> data.labels, run.summary["labels"]
    (('high', 'low'), [1, 1, 1, 0, 0, 0])
    """

    forms: ClassVar[tuple[str, ...]] = ("weights", "harmonic", "joint", "labels", "general")

    clusters: int | None = option(
        None, int, "number of classes, used to check the labels", check=at_least(1)
    )
    neighbours: str | int | None = option(
        AUTO,
        _neighbours,
        "number of nearest neighbours with nonzero kernel values: auto, all or a number",
        make=lambda given: AUTO if given is None else given,
        check=words_or(at_least(1), AUTO, ALL),
    )
    class_mass: bool = option(
        False, yes_or_no, "scale the columns of Y to the class shares of the labelled rows"
    )
    box: str | float = option(
        "auto", number_or(*BOXES), "upper bound on a weight: auto, none or a number",
        check=words_or(positive, *BOXES),
    )  # fmt: skip


@described
@dataclass(frozen=True, kw_only=True)
class SimSVM(Settings):
    r"""Similarity machine for any similarity S: min mean hinge + lam a'|S|a, scores S a + bias.

    The program is that of Section 8.6 of Y. Yang, F. Liang, N. Jojic, S. Yan, J. Feng and
    T. S. Huang, Discriminative Similarity for Clustering and Semi-Supervised Learning (2017).

    Notes
    -----
    .. math::

       \min_{a, b} \; \frac1n \sum_i \max(0,\, 1 - y_i ((Sa)_i + b)) + \lambda a'|S|a.

    Examples
    --------
    >>> import numpy as np
    >>> import radprog as rp
    >>> data = rp.dataset(np.arange(6.0)[:, None], [-1, -1, 1, -1, 1, 1])
    >>> near = rp.Kernel("near", lambda X, Z: 1.0 - np.abs(X - Z.T))  # indefinite
    >>> run = rp.fit(rp.SimSVM(kernels=near), data)
    >>> run.certified
    True
    """

    methods: ClassVar[tuple[str, ...]] = ("dual", "primal")
    unused: ClassVar[Unused] = {"dual": ("start", "stop"), "primal": ("max_iter", "start")}
    own_code: ClassVar[OwnCode] = {"dual": "libsvm"}
    forms: ClassVar[tuple[str, ...]] = ("primal", "dual")

    similarity: str | None = option(None, str, "file of a symmetric similarity matrix")
    kernels: Kernels | None = option(
        None, str, "one kernel in place of the matrix, such as edit", kernel_names,
        make=kernel_text, check=one_kernel("simsvm"),
    )  # fmt: skip
    lam: float = option(1e-2, float, "weight of the regulariser, > 0", check=positive)
    no_bias: bool = option(False, yes_or_no, "omit the bias")

    def check(self) -> None:
        """Raise OptionError unless exactly one of ``similarity`` and ``kernels`` is set."""
        if (self.similarity is None) == (self.kernels is None):
            raise OptionError("simsvm needs either similarity (a file) or kernels (one kernel)")
