"""Settings of clustering and label propagation by discriminative similarity, and of its machine."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from radprog.base.errors import OptionError
from radprog.models.kernels import kernel_names
from radprog.models.own_kernels import Kernels, kernel_text
from radprog.models.settings import (
    Numbers,
    OwnCode,
    Unused,
    as_text,
    at_least,
    check_types,
    described,
    number_or,
    one_kernel,
    one_of,
    option,
    positive,
    take,
    yes_or_no,
)

OBJECTIVES = ("ratio", "scaled", "ncut", "ise")
TRACES = ("half", "full")
BOXES = ("auto", "none")
CLUSTERING_CRITERIA = ("distortion", "objective", "eigengap")  # by which a clustering is chosen
AUTO = "auto"
ALL = "all"  # neighbours: a kernel of all pairs
DEFAULT_BANDWIDTH = "median"
BANDWIDTH = re.compile(r"(?:(?P<factor>[^*]+)\*)?median")


def bandwidth_of(text: str) -> tuple[float, bool]:
    """(factor, True) for ``F*median``, (h, False) for a number; OptionError unless positive."""
    match = BANDWIDTH.fullmatch(text.replace(" ", ""))
    number = text if match is None else match["factor"] or "1"
    try:
        value = float(number)
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and value > 0):
        raise OptionError(
            f"bandwidth '{text}': expected median, F*median or a number, all of them > 0"
        )
    return value, match is not None


class _Recorded:
    """Settings of which some had another default once."""

    earlier: ClassVar[Mapping[str, str]] = {"bandwidth": DEFAULT_BANDWIDTH}

    @classmethod
    def recorded(cls, **values: Any) -> Self:
        """The settings that a result names: of a kernel, earlier defaults where it names none."""
        named = {name: value for name, value in values.items() if value is not None}
        return cls(**named) if "similarity" in named else cls(**{**cls.earlier, **named})


def _neighbours(text: str) -> str | int:
    """A number, or a word that the settings check."""
    return int(text) if text.lstrip("+-").isdecimal() else text


def _check_graph(spec: CDSK | LPDSK) -> None:
    """Make the bandwidth a text, and raise OptionError where a shared field is wrong."""
    # numbers as text: auto where nothing is said
    width = as_text("bandwidth", spec.bandwidth)
    take(spec, bandwidth=AUTO if width is None else width)
    check_types(spec)
    number = spec.neighbours if isinstance(spec.neighbours, int) else None
    at_least(1, clusters=spec.clusters, neighbours=number)
    one_of("trace", spec.trace, TRACES)
    if spec.bandwidth != AUTO:
        bandwidth_of(str(spec.bandwidth))
    if spec.lam != AUTO and isinstance(spec.lam, str):
        raise OptionError(f"lam {spec.lam}: expected auto or a finite number > 0")
    if not isinstance(spec.lam, str):
        positive("lam", spec.lam)
    # what a kernel has, and a given similarity has not
    unused = {"bandwidth": spec.bandwidth != AUTO, "neighbours": number is not None}
    for name, said in unused.items():
        if spec.similarity is not None and said:
            raise OptionError(f"{name} is not used with a given similarity: leave one of them out")


@described
@dataclass(frozen=True, kw_only=True)
class CDSK(_Recorded):
    """Clustering by discriminative similarity: min Psi(a, Y) over weights and relaxed labels.

    bandwidth: auto is chosen from the points and the number of clusters alone. neighbours: auto is
    all, a kernel of all pairs, and from 2000 points on 10; objective ise takes all pairs.

    ratio: Y'Y = (n/c) I; ncut: Y'DY = I (27); scaled: Y'DY = (vol/c) I; ise: section 4, two
    classes. Labels are ``clusters`` of k-means on the last iterate, or on equal weights where
    objective (12) is lower with them at the weights found.

    box: an upper bound of every weight. The paper's weights lie in the whole simplex, which is
    ``none``; ``auto`` is 2 / lam, where S >= 0 whatever the weights, and cuts the simplex off for
    lam > 2 only. The optimum over the box may lie above that over the simplex.

    Problems (12), (25) and (27) of Y. Yang, F. Liang, N. Jojic, S. Yan, J. Feng and T. S. Huang,
    Discriminative Similarity for Clustering and Semi-Supervised Learning (2017).
    """

    methods: ClassVar[tuple[str, ...]] = ("alternate", "exact")
    unused: ClassVar[Unused] = {"alternate": ("start",), "exact": ("start",)}
    own_code: ClassVar[OwnCode] = {
        "alternate": "projected gradient",
        "exact": "enumeration",
    }
    forms: ClassVar[tuple[str, ...]] = ("labels", "weights", "general", "joint")
    earlier: ClassVar[Mapping[str, str]] = {"bandwidth": DEFAULT_BANDWIDTH, "neighbours": ALL}

    clusters: int | None = option(None, int, "number of clusters (default: of classes, if known)")
    bandwidth: Numbers | None = option(AUTO, str, "auto, median, F*median or a number")
    lam: str | float = option("auto", number_or("auto"), "weight of the regulariser; auto: n/2")
    objective: str = option("ratio", str, f"one of {', '.join(OBJECTIVES)}")
    self_loops: bool = option(False, yes_or_no, "degrees with the diagonal, as printed")
    similarity: str | None = option(None, str, "similarity matrix in place of the Gaussian kernel")
    neighbours: str | int | None = option(
        AUTO, _neighbours, "auto, all or k: keep the kernel of the k nearest neighbours only"
    )
    trace: str = option("half", str, "half: 1/2 Tr(Y'LY), the sum over pairs; full: as printed")
    min_size: int | None = option(None, int, "method exact, form labels: least cluster size (1)")
    max_size: int | None = option(None, int, "method exact, form labels: largest cluster size")
    box: str | float = option(
        "auto", number_or(*BOXES), "largest weight: auto (2/lam), none (the simplex) or a number"
    )

    def __post_init__(self) -> None:
        take(self, neighbours=AUTO if self.neighbours is None else self.neighbours)
        _check_graph(self)
        if self.neighbours not in (AUTO, ALL) and isinstance(self.neighbours, str):
            raise OptionError(f"neighbours {self.neighbours}: expected auto, all or a number >= 1")
        if isinstance(self.box, str) and self.box not in BOXES:
            raise OptionError(f"box {self.box}: expected auto, none or a number > 0")
        if not isinstance(self.box, str):
            positive("box", self.box)
        one_of("objective", self.objective, OBJECTIVES)
        # what an objective does not use
        if self.self_loops and self.objective in ("ratio", "ise"):
            raise OptionError(
                f"self_loops is not used by objective '{self.objective}': no degree enters it"
            )
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
        at_least(1, min_size=self.min_size, max_size=self.max_size)
        if (self.min_size or 1) > (self.max_size or math.inf):
            raise OptionError(f"min_size {self.min_size} is above max_size {self.max_size}")


@described
@dataclass(frozen=True, kw_only=True)
class LPDSK(_Recorded):
    """Label propagation by discriminative similarity: min Psi(a, Y), Y fixed on labelled rows.

    bandwidth: auto is chosen from the points and the known labels alone.

    Problem (28), and by method exact (12) with the known labels, of Y. Yang, F. Liang, N. Jojic, S.
    Yan, J. Feng and T. S. Huang, Discriminative Similarity for Clustering and Semi-Supervised
    Learning (2017).
    """

    methods: ClassVar[tuple[str, ...]] = ("alternate", "exact")
    unused: ClassVar[Unused] = {"alternate": ("start",), "exact": ("start",)}
    own_code: ClassVar[OwnCode] = {
        "alternate": "projected gradient",
        "exact": "enumeration",
    }
    forms: ClassVar[tuple[str, ...]] = ("weights", "harmonic", "joint", "labels", "general")

    clusters: int | None = option(None, int, "number of classes, checked against the labels")
    bandwidth: Numbers | None = option(AUTO, str, "auto, median, F*median or a number")
    lam: str | float = option("auto", number_or("auto"), "weight of the regulariser; auto: n/2")
    similarity: str | None = option(None, str, "similarity matrix in place of the Gaussian kernel")
    neighbours: int | None = option(None, int, "keep the kernel of the k nearest neighbours only")
    trace: str = option("half", str, "half: 1/2 Tr(Y'LY), the sum over pairs; full: as printed")
    class_mass: bool = option(
        False, yes_or_no, "scale the columns of Y to the class shares of the labelled rows"
    )
    self_loops: bool = option(False, yes_or_no, "refused: the diagonal cancels in Y'LY")
    dca_iter: int | None = option(None, int, "most DCA steps per weight step (50)")

    def __post_init__(self) -> None:
        _check_graph(self)
        if self.self_loops:
            raise OptionError("self_loops is not used by lpdsk: the diagonal cancels in Y'LY")
        at_least(1, dca_iter=self.dca_iter)


@described
@dataclass(frozen=True, kw_only=True)
class SimSVM:
    """Similarity Machine: min mean hinge + lam a'|S|a, scores S a + bias, S any similarity.

    Section 8.6 of Y. Yang, F. Liang, N. Jojic, S. Yan, J. Feng and T. S. Huang, Discriminative
    Similarity for Clustering and Semi-Supervised Learning (2017).
    """

    methods: ClassVar[tuple[str, ...]] = ("dual", "primal")
    unused: ClassVar[Unused] = {"dual": ("start",), "primal": ("max_iter", "start")}
    own_code: ClassVar[OwnCode] = {"dual": "libsvm"}
    forms: ClassVar[tuple[str, ...]] = ("primal", "dual")

    similarity: str | None = option(None, str, "symmetric similarity matrix of the points, a file")
    kernels: Kernels | None = option(
        None, str, "one kernel in place of the matrix, such as edit", kernel_names
    )
    lam: float = option(1e-2, float, "weight of the regulariser, > 0")
    no_bias: bool = option(False, yes_or_no, "leave the bias out")

    def __post_init__(self) -> None:
        check_types(self)
        if (self.similarity is None) == (self.kernels is None):
            raise OptionError("simsvm takes its similarity from similarity or from kernels")
        if self.kernels is not None:
            take(self, kernels=kernel_text(self.kernels))
            one_kernel("simsvm", self.kernels)
        positive("lam", self.lam)
