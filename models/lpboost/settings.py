"""Settings of LPBoost over kernelized shapelets and over trees."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from functools import partial
from typing import Any, ClassVar

from radprog.base.errors import OptionError
from radprog.base.settings import Settings, described, one_of, option
from radprog.models.bounds import DELTA, DELTA_HELP, check_delta
from radprog.models.kernels import MOST_NUMBERS, OWN, OwnText, number_list
from radprog.models.lpboost.cuts import PLAIN, Cut, cuts_of, parse_families
from radprog.models.lpboost.patterns import PATTERN_KERNELS
from radprog.models.score_rows import OWN_ROWS, AnyRow, parse_rows
from radprog.models.settings import Numbers, as_text, at_least, positive, positive_number, yes_or_no

LEARNERS = ("shapelet", "shapelet-plus", "l1", "rkhs")
EXACT_LEARNERS = ("shapelet", "shapelet-plus")  # learners whose pricing problem is solved exactly
TREES = {"stump": 1, "tree2": 2}  # learners for tables, with the depth of their trees
OF_TREES = ("learner", "nu", "delta", "constraints")  # options of learners for tables
ORIENTATIONS = ("given", "both")
PRICINGS = ("local", "exact")
DEFAULT_LENGTH = "0.2"


def _check_nu(name: str, nu: float) -> None:
    """Raise OptionError unless 0 < nu <= 1; the message explains the violated limit."""
    if not 0 < nu <= 1:
        why = (
            "weights of at most 1/(nu m) cannot sum to 1, and the margin is unbounded"
            if nu > 1
            else "1/(nu m) divides by it"
        )
        raise OptionError(f"{name} {nu:g}: expected 0 < nu <= 1 ({why})")


def usable_learner(learner: Any) -> bool:
    """Whether an object has a method ``best`` or ``fit``, or is a function that makes a learner."""
    able = hasattr(learner, "best") or hasattr(learner, "fit") or callable(learner)
    return able and not isinstance(learner, type | str)


def _learner(learner: Any) -> str:
    """The name of a learner, or a string that refers to the learner object. Raises OptionError."""
    if isinstance(learner, str):
        return learner
    if not usable_learner(learner):
        raise OptionError(
            f"learner {learner!r}: expected one of {', '.join((*LEARNERS, *TREES))}, an object "
            "with best(weights), or a classifier"
        )
    text = OWN + getattr(learner, "__name__", type(learner).__name__)
    return OwnText(text, {text: learner})


@described
@dataclass(frozen=True, kw_only=True)
class LPBoost(Settings):
    r"""LPBoost over kernelized shapelets, or over trees for tabular data.

    The program is max rho - sum xi / (nu m) with margins y g(x) >= rho - xi. If the optimal value v
    is positive, the program of :class:`radprog.LPBoostClassifier` with beta = nu v has the same
    optima up to a factor. Its optimal value is nu. If an option is None, the learner's default is
    used. An option that the learner does not use must keep its default.

    Learners for tabular data use only ``nu`` and ``constraints``. ``stump`` searches all trees of
    depth 1, and ``tree2`` all trees of depth 2, so the bound holds over all these trees.

    A user-defined learner must have a method ``best(weights) -> (hypothesis, edge, exact)``.
    ``weights[i, c]`` is the value of a vote for class c on row i. ``hypothesis.predict(X)`` returns
    class numbers 0 and 1. ``edge`` is the sum of the values of the hypothesis's votes. ``exact`` is
    True if no hypothesis has a larger edge. A scikit-learn classifier is also accepted. It is
    fitted to weighted rows; this heuristic proves no bound.

    The programs are problems (2) and (3), with the weak learners (5) to (7), of D. Suehiro,
    K. Hatano, E. Takimoto, S. Yamamoto, K. Bannai and A. Takeda, Boosting the Kernelized Shapelets
    (2017).

    Notes
    -----
    .. math::

       \max_{w, \rho, \xi} \; \rho - \frac{1}{\nu m} \sum_i \xi_i \quad \text{s.t.} \quad
       y_i \sum_t w_t h_t(x_i) \ge \rho - \xi_i, \; \sum_t w_t = 1, \; w, \xi \ge 0.

    Examples
    --------
    >>> import numpy as np
    >>> import radprog as rp
    >>> X = np.random.default_rng(0).normal(0.0, 0.1, (8, 10))
    >>> X[4:, 3:6] += 1.0  # a bump in the second class
    >>> data = rp.series(X, [0, 0, 0, 0, 1, 1, 1, 1])
    >>> run = rp.fit(rp.LPBoost(length="3"), data)
    >>> run.certified, run.predict(data).tolist()
    (True, [0, 0, 0, 0, 1, 1, 1, 1])
    >>> table = rp.dataset(np.arange(6.0)[:, None], [-1, -1, 1, -1, 1, 1])
    >>> rp.fit(rp.LPBoost(learner="stump"), table).certified
    True
    """

    sense: ClassVar[int] = -1
    methods: ClassVar[tuple[str, ...]] = ("colgen",)
    forms: ClassVar[tuple[str, ...]] = (
        "primal",
        "dual",
        "weak-l1",
        "weak-l1-dual",
        "weak-l1-mip",
        "weak-rkhs",
        "weak-minnorm",
    )

    learner: Any = option(
        "shapelet",
        str,
        f"class of hypotheses: {', '.join(LEARNERS)}; for tables {', '.join(TREES)}, or in Python "
        "an object with best(weights) -> (hypothesis, edge, exact), or a classifier",
        make=_learner,
        check=lambda _, learner: (
            None if learner.startswith(OWN) else one_of("learner", learner, (*LEARNERS, *TREES))
        ),
    )
    pattern_kernel: str = option(
        "gauss", str, f"similarity between patterns: {', '.join(PATTERN_KERNELS)}",
        allowed=PATTERN_KERNELS,
    )  # fmt: skip
    length: Numbers | None = option(
        None,
        str,
        "lengths of the patterns in points, or as shares of the series (default 0.2)",
        lambda text: [f"{value:.12g}" for _, value in parse_lengths(text)],
        make=partial(as_text, "length"),
        check=lambda _, text: parse_lengths(text),
    )
    families: Numbers = option(
        PLAIN,
        str,
        "families of patterns: plain, diff (first differences), dilated:K (every K-th point)",
        lambda text: list(parse_families(text)),
        make=partial(as_text, "families", optional=False),
        check=lambda _, text: parse_families(text),
    )
    nu: float = option(
        0.2, float, "largest share of training rows below the margin, in (0, 1]", check=_check_nu
    )
    sigma: str | float | None = option(
        None,
        str,
        "sigma of the Gaussian kernel exp(-sigma |x - z|^2): a number, or auto (default) for the "
        "largest variance of kernel values",
    )
    radius: float = option(1.0, float, "radius of the ball of hypotheses, > 0", check=positive)
    dca_iter: int | None = option(
        None, int, "maximum number of DCA steps per start (default 10)", check=at_least(1)
    )
    starts: int | None = option(
        None, int, "number of starts of the weak learner's DCA (default 8)", check=at_least(1)
    )
    orientation: str | None = option(
        None, str, "sign of the hypotheses: given (default), or both", allowed=ORIENTATIONS
    )
    pricing: str | None = option(
        None, str, "pricing of learner l1: local by DCA (default), or exact by branch and bound",
        allowed=PRICINGS,
    )  # fmt: skip
    delta: float = option(DELTA, float, DELTA_HELP, check=lambda _, delta: check_delta(delta))
    normalize: bool = option(
        False, yes_or_no, "scale every pattern to mean 0 and standard deviation 1"
    )
    constraints: tuple[AnyRow, ...] | None = option(None, None, OWN_ROWS, make=parse_rows)

    def check(self) -> None:
        """Raise OptionError for an option that the learner or its kernel does not use."""
        if self.constraints and not (self.exact or self.depth):
            raise OptionError(
                f"constraints: learner '{self.learner}' is priced by local search, which proves no "
                "price of a constraint: expected one of "
                f"{', '.join((*EXACT_LEARNERS, *TREES))}"
            )
        for f in fields(self):
            if self.trees and f.name not in OF_TREES and getattr(self, f.name) != f.default:
                raise OptionError(f"{f.name} is not used by learner '{self.learner}' of tables")
        if self.sigma is not None and self.pattern_kernel != "gauss":
            raise OptionError(f"sigma is not used by pattern kernel '{self.pattern_kernel}'")
        if self.sigma not in (None, "auto"):
            positive_number("sigma", self.sigma)
        for name in ("dca_iter", "starts", "orientation"):
            if getattr(self, name) is not None and self.learner in EXACT_LEARNERS:
                raise OptionError(f"{name} is not used by learner '{self.learner}'")
        if self.pricing is not None and self.learner != "l1":
            raise OptionError(f"pricing is not used by learner '{self.learner}': expected l1")
        if self.learner == "rkhs" and self.pattern_kernel == "distance":
            raise OptionError(
                "learner 'rkhs' needs a positive semidefinite kernel, and minus the distance is "
                "none: choose gauss or linear"
            )

    @property
    def exact(self) -> bool:
        """Whether one matrix product prices all hypotheses exactly, because there are finitely
        many.
        """
        return self.learner in EXACT_LEARNERS

    @property
    def proved(self) -> bool:
        """Whether pricing proves a bound, as a certificate requires."""
        return self.exact or self.pricing == "exact" or self.depth is not None

    @property
    def trees(self) -> bool:
        """Whether the hypotheses are trees or other classifiers for tabular data."""
        return self.learner not in LEARNERS

    @property
    def bound_by(self) -> str:
        """What proves a bound: ``duals``, or the word of the user's ``learner``."""
        return "learner" if self.trees and self.depth is None else "duals"

    @property
    def depth(self) -> int | None:
        """The depth of the trees in the exhaustive search; None for other learners."""
        return TREES.get(self.learner)

    @property
    def remedy(self) -> str:
        """The advice for an ensemble that gives every row the same label."""
        if self.constraints:  # as with weights of classes a rate may not end
            return "choose another nu"
        if self.trees or self.learner == "shapelet" or self.orientation == "both":
            return ""
        prefix = "" if self.exact else "orientation both, or "
        return f"choose {prefix}learner shapelet, for the negatives of the hypotheses too"

    @property
    def fixed_sigma(self) -> float | None:
        """The sigma in the settings; None if sigma is computed from the patterns or not used."""
        return None if self.sigma is None or self.sigma == "auto" else float(self.sigma)

    def lengths(self, span: int) -> tuple[int, ...]:
        """The distinct pattern lengths in points, for series of ``span`` points.

        Lengths given as shares of the series are rounded down. Raises OptionError for a length
        below 1 or above ``span``.
        """
        # shares of the span are rounded down; each length once
        lengths: list[int] = []
        for text, value in parse_lengths(self.length or DEFAULT_LENGTH):
            # a whole number of things, up to rounding
            length = int(value) if value >= 1 else math.floor(value * span + 1e-9)
            if length < 1:
                raise OptionError(f"length {text}: a share of {span} points that rounds to 0")
            if length > span:
                raise OptionError(f"length {text}: the series have {span} points")
            if length not in lengths:
                lengths.append(length)
        return tuple(lengths)

    def cuts(self, span: int) -> tuple[Cut, ...]:
        """Every pattern family at every length, for series of ``span`` points.

        Lengths that are too short for a family are omitted. Raises OptionError under the same
        conditions as :meth:`lengths`, and if no length remains for a family.
        """
        return cuts_of(parse_families(self.families), self.lengths(span))


def parse_lengths(text: str) -> list[tuple[str, float]]:
    """The items in a string such as ``15,0.2``, ``4..6`` or ``0.1..0.4:4``, and their lengths.

    Lengths of at least 1 are in points; lengths below 1 are shares of the series. ``4..6`` contains
    every whole number of points. Raises OptionError for an invalid string.
    """
    items = []
    for item in (item.strip() for item in text.split(",")):
        first, dots, last = item.partition("..")
        if dots and ":" in item:
            values = number_list("length", item)
            if min(values) < 1 <= max(values):
                raise OptionError(f"length {item}: expected whole points, or shares below 1")
            items += [(f"{v:g}", v if v < 1 else float(round(v))) for v in values]
        elif dots and first.isdecimal() and last.isdecimal() and int(first) <= int(last):
            if int(last) - int(first) >= MOST_NUMBERS:
                raise OptionError(f"length '{item}': expected at most {MOST_NUMBERS} numbers")
            items += [(f"{v}", float(v)) for v in range(int(first), int(last) + 1)]
        else:
            items.append((item, _length(item)))
    return items


def _length(item: str) -> float:
    """A whole number of points, or a share of the series below 1."""
    try:
        value = float(item)
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and value > 0):
        raise OptionError(
            f"length '{item}': expected a number of points, a share below 1, or a range such as "
            "4..6 or 0.1..0.4:4"
        )
    # 1.0 may mean one point or the whole series
    if value >= 1 and (value != round(value) or (value == 1 and item != "1")):
        raise OptionError(f"length {item}: expected whole points, or a share below 1")
    return value
