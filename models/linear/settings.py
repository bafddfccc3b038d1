"""Settings of linear models with an l1 or a group penalty."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from radprog.base.errors import OptionError
from radprog.base.settings import Settings, described, option
from radprog.models.score_rows import OWN_ROWS, AnyRow, parse_rows
from radprog.models.settings import Unused, positive, yes_or_no

LOSSES = ("hinge", "quantile", "absolute")
SIGNS = ("free", "nonnegative", "nonpositive")


def _group_text(groups: str | Sequence[int] | None) -> str | None:
    """Group numbers as a string. Raises OptionError unless all numbers are nonnegative integers."""
    text = groups if groups is None or isinstance(groups, str) else ",".join(map(str, groups))
    if text is None or all(part.strip().isdecimal() for part in text.split(",")):
        return text
    raise OptionError(
        f"groups '{text}': expected a whole number >= 0 for every feature, comma-separated"
    )


@described
@dataclass(frozen=True, kw_only=True)
class L1Linear(Settings):
    r"""Sparse linear model: min mean loss + beta sum_j |w_j|.

    The bias is not penalised. For groups g of features, the norm is sum_g max_{j in g} |w_j|. The
    loss for class labels is ``hinge``. The losses for numeric targets are ``quantile`` and
    ``absolute``. For a residual r, ``quantile`` is q r if r >= 0, and (q - 1) r if r < 0.
    ``absolute`` is |r|. The programs are those of A. Dedieu, R. Mazumder and H. Wang, Solving
    L1-regularized SVMs and related linear programs (2022).

    Notes
    -----
    .. math::

       \min_{w, b} \; \frac1m \sum_{i=1}^m \ell(y_i,\, w'x_i + b)
       + \beta \sum_g \max_{j \in g} |w_j|.

    Without groups, every feature is a group.

    Examples
    --------
    >>> import numpy as np
    >>> import radprog as rp
    >>> data = rp.dataset(np.arange(6.0)[:, None], [-1, -1, 1, -1, 1, 1])
    >>> run = rp.fit(rp.L1Linear(beta=0.1), data)
    >>> run.certified, run.predict(np.array([[0.0], [5.0]])).tolist()
    (True, [-1, 1])
    """

    methods: ClassVar[tuple[str, ...]] = ("colgen", "direct")
    unused: ClassVar[Unused] = {"direct": ("start", "max_iter")}
    forms: ClassVar[tuple[str, ...]] = ("primal", "dual", "master")

    loss: str = option("hinge", str, f"loss: {', '.join(LOSSES)}", allowed=LOSSES)
    beta: float = option(1e-3, float, "weight of the norm of w, > 0", check=positive)
    quantile: float = option(0.5, float, "level of the quantile loss, in (0, 1)")
    groups: str | Sequence[int] | None = option(
        None, str, "group number of each feature, comma-separated (default: no groups)",
        make=_group_text,
    )  # fmt: skip
    signs: str = option("free", str, f"sign of the coefficients: {', '.join(SIGNS)}", allowed=SIGNS)
    bias: bool = option(True, yes_or_no, "whether the scores include a bias: yes or no")
    constraints: tuple[AnyRow, ...] | None = option(None, None, OWN_ROWS, make=parse_rows)

    def check(self) -> None:
        """Raise OptionError if the quantile is outside (0, 1), or if the loss does not use it."""
        if self.loss != "quantile" and self.quantile != 0.5:
            raise OptionError(f"quantile is not used by loss '{self.loss}'")
        if not 0.0 < self.quantile < 1.0:
            raise OptionError(f"quantile {self.quantile:g}: expected a number between 0 and 1")

    @property
    def slopes(self) -> tuple[float, float]:
        """The slopes of the loss for positive and negative residuals."""
        q = self.quantile
        return {"hinge": (1.0, 0.0), "quantile": (q, 1.0 - q), "absolute": (1.0, 1.0)}[self.loss]
