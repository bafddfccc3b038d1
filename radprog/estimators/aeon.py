"""An LPBoost time series classifier for aeon, installed by ``radprog[aeon]``."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from aeon.classification.base import BaseClassifier
from numpy.typing import NDArray

from radprog.api import fit as fit_model
from radprog.base.errors import DataError, OptionError
from radprog.base.types import FloatArray
from radprog.decompositions.run import Run
from radprog.estimators.base import CertifiedClassifier, CertifiedEstimator, as_estimated
from radprog.estimators.documented import Attributes, documented
from radprog.estimators.lpboost import SHORTEST_SHARED
from radprog.instances.bags import Bags, bags, series
from radprog.models.lpboost.cuts import PLAIN
from radprog.models.lpboost.settings import LPBoost

MINUTE = 60.0  # seconds


class AeonShapeletBoost(BaseClassifier):
    """LPBoost over time series patterns: max rho - sum xi / (nu m) s.t. y g(x) >= rho - xi.

    X is an array (m, channels, L) or a list of m time series (channels, L_i). The score of a series
    is the score of its best window. The series may therefore differ in length if all patterns have
    the same length and family. ``length`` is a number of points, or a fraction of the length of the
    shortest series (0.2 by default). With more than two classes, one classifier per class separates
    it from the rest. The estimator solves the program of :class:`radprog.LPBoost`.

    Raises OptionError for an invalid parameter, or if the series differ in length and there are
    patterns of several lengths or families.
    """

    spec: ClassVar[type[Any]] = LPBoost
    attributes: ClassVar[Attributes] = {
        "run_": CertifiedEstimator.attributes["run_"],
        "classes_": CertifiedClassifier.attributes["classes_"],
        "n_classes_": ("int", "number k of classes"),
    }
    _tags: ClassVar[dict[str, Any]] = {
        "capability:multivariate": True,
        "capability:unequal_length": True,
        "capability:contractable": True,
        "X_inner_type": ["np-list", "numpy3D"],
        "algorithm_type": "shapelet",
    }

    def __init__(
        self,
        learner: str = "shapelet",
        pattern_kernel: str = "gauss",
        length: Any = None,
        families: Any = "plain",
        nu: float = 0.2,
        sigma: Any = None,
        max_iter: int | None = None,
        time_limit_in_minutes: float = 0,
        random_state: int | None = None,
    ) -> None:
        self.learner = learner
        self.pattern_kernel = pattern_kernel
        self.length = length
        self.families = families
        self.nu = nu
        self.sigma = sigma
        self.max_iter = max_iter
        self.time_limit_in_minutes = time_limit_in_minutes
        self.random_state = random_state
        super().__init__()

    def _fit(self, X: Any, y: NDArray[Any]) -> Self:
        own = ("learner", "pattern_kernel", "length", "families", "nu", "sigma")
        spec = LPBoost(**{name: getattr(self, name) for name in own})
        # the length of patterns is a share of the shortest series
        shortest = min(one.shape[-1] for one in X)
        if spec.length is None and shortest < SHORTEST_SHARED:
            spec = replace(spec, length="1")
        # one cut of patterns: series of any length are bags of its windows
        cuts = spec.cuts(shortest)
        self._cut = cuts[0] if len(cuts) == 1 else None
        if self._cut is not None:  # bags have the length of their patterns, taken as they are
            spec = replace(spec, length=None, families=PLAIN)
        # the certified fit of ``radprog.fit``, with seconds for minutes
        minutes = self.time_limit_in_minutes
        run = fit_model(
            spec,
            self._data(X, np.unique(y, return_inverse=True)[1]),
            max_iter=self.max_iter,
            time_limit=MINUTE * minutes if minutes > 0 else None,
            seed=0 if self.random_state is None else self.random_state,
        )
        self.run_: Run = as_estimated(run)
        return self

    def _predict(self, X: Any) -> NDArray[Any]:
        scores: FloatArray = self.run_.fit.scores(self._data(X).X)
        # the class of the largest score; for two classes, the sign decides
        codes = scores.argmax(axis=1) if scores.ndim == 2 else (scores >= 0).astype(np.intp)
        return np.asarray(self.classes_[codes])

    def _data(self, X: Any, codes: NDArray[Any] | None = None) -> Bags:
        """The series, or bags of their windows if all patterns have one length and family."""
        if self._cut is None:
            if not isinstance(X, np.ndarray):
                raise OptionError(
                    f"length {self.length}, families {self.families}: series of unequal lengths "
                    "take one of each"
                )
            return series(X, codes)
        short = min(one.shape[-1] for one in X)
        if short < self._cut.length:
            raise DataError(f"a series of {short} points has no window of {self._cut.length}")
        cut = [self._cut.patterns(np.asarray(one)[None], "series", normalize=False)[0] for one in X]
        return bags(cut, codes)

    @classmethod
    def _get_test_params(cls, parameter_set: str = "default") -> dict[str, Any]:
        """Parameters that keep aeon's own checks short."""
        few = {"max_iter": 10, "length": 3}
        return {**few, "time_limit_in_minutes": 5} if parameter_set == "contracting" else few


documented(
    AeonShapeletBoost,
    {
        "time_limit_in_minutes": "time limit in minutes; 0 means no limit. The best answer found "
        "by then is kept",
        "random_state": "seed of all random numbers; None means 0",
    },
)
