"""The methods of ``comparison.py``: the construction of each, and the grid for inner folds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from sklearn.cluster import KMeans, SpectralClustering
from sklearn.compose import TransformedTargetRegressor
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.mixture import GaussianMixture
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.semi_supervised import LabelPropagation, LabelSpreading
from sklearn.svm import SVC, SVR, LinearSVC

from radprog.estimators import (
    BoundedLossSVR,
    DiscriminativeClustering,
    DiscriminativeLabelPropagation,
    L1SVMClassifier,
    LocalMKLClassifier,
    ShapeletBoostClassifier,
    SimilarityClassifier,
    VKRClassifier,
)

Grid = list[dict[str, list[Any]]]
WIDTHS = (0.25, 1.0, 4.0)  # times 1 / d, d the number of columns


@dataclass(frozen=True)
class Method:
    """An estimator of a number (columns, or classes of a clustering) and a seed, and its grid of
    the number of columns, with what is ``fixed`` and no default; or the name of a peer that another
    interpreter ``python`` runs."""

    make: Callable[[int, int], Any] = lambda number, seed: None
    grid: Callable[[int], Grid] = lambda columns: [{}]
    ours: bool = False
    fixed: str = ""
    peer: str = ""
    python: str = ""


def rbf(columns: int, *widths: float) -> str:
    """Gaussian kernels of widths/columns."""
    return ",".join(f"rbf:{width / columns:.6g}" for width in widths)


def gammas(columns: int) -> list[float]:
    """The same widths as numbers."""
    return [float(f"{width / columns:.6g}") for width in WIDTHS]


def _target(model: Any) -> Any:
    """A regressor of scaled columns and scaled values."""
    pipe = make_pipeline(StandardScaler(), model)
    return TransformedTargetRegressor(pipe, transformer=StandardScaler())


CLASSES = {
    "VKRClassifier": Method(
        lambda d, seed: VKRClassifier(random_state=seed),
        lambda d: [
            {"kernels": ["poly:1-3", rbf(d, *WIDTHS)], "lam": [1e-3], "beta": [1e-4]},
            {"kernels": ["poly:1-3", rbf(d, *WIDTHS)], "lam": [1e-2], "beta": [1e-3]},
        ],
        ours=True,
    ),
    "L1SVMClassifier": Method(
        lambda d, seed: L1SVMClassifier(random_state=seed),
        lambda d: [{"kernels": ["poly:1", rbf(d, 1)], "beta": [1e-3, 1e-2]}],
        ours=True,
    ),
    "LocalMKLClassifier": Method(
        lambda d, seed: LocalMKLClassifier(
            kernels=f"linear,{rbf(d, *WIDTHS)},poly:2", tol=1e-4, seed=seed
        ),
        lambda d: [{"C": [1.0, 10.0]}],
        ours=True,
        fixed="kernels linear,rbf:0.25,rbf:1,rbf:4,poly:2, tol 1e-4",
    ),
    "SimilarityClassifier": Method(
        lambda d, seed: SimilarityClassifier(random_state=seed),
        lambda d: [{"kernels": [rbf(d, 1), f"laplace:{1 / d:.6g}"], "lam": [1e-3, 1e-2]}],
        ours=True,
    ),
    "SVC": Method(
        lambda d, seed: SVC(),
        lambda d: [{"C": [1.0, 10.0], "gamma": gammas(d)}],
    ),
    "LinearSVC, l1": Method(
        lambda d, seed: LinearSVC(penalty="l1", dual=False, max_iter=5000, random_state=seed),
        lambda d: [{"C": [0.01, 0.1, 1.0]}],
    ),
    "LogisticRegression": Method(
        lambda d, seed: LogisticRegression(max_iter=1000),
        lambda d: [{"C": [0.01, 0.1, 1.0]}],
    ),
    "HistGradientBoosting": Method(
        lambda d, seed: HistGradientBoostingClassifier(random_state=seed),
        lambda d: [{"max_leaf_nodes": [4, 31]}],
    ),
}
CLUSTERS = {
    "DiscriminativeClustering": Method(
        lambda k, seed: DiscriminativeClustering(n_clusters=k, random_state=seed), ours=True
    ),
    "SpectralClustering": Method(lambda k, seed: SpectralClustering(k, random_state=seed)),
    "SpectralClustering, neighbours": Method(
        lambda k, seed: SpectralClustering(k, affinity="nearest_neighbors", random_state=seed)
    ),
    "KMeans": Method(lambda k, seed: KMeans(k, n_init=10, random_state=seed)),
    "GaussianMixture": Method(lambda k, seed: GaussianMixture(k, n_init=5, random_state=seed)),
}
NEIGHBOURS = {"kernel": ["knn"], "n_neighbors": [5, 10, 20]}
LABELS = {
    "DiscriminativeLabelPropagation": Method(
        lambda d, seed: DiscriminativeLabelPropagation(random_state=seed),
        lambda d: [{"bandwidth": [None, "0.5*median"]}],
        ours=True,
    ),
    "LabelPropagation": Method(
        lambda d, seed: LabelPropagation(max_iter=5000),
        lambda d: [{"kernel": ["rbf"], "gamma": gammas(d)}, NEIGHBOURS],
    ),
    "LabelSpreading": Method(
        lambda d, seed: LabelSpreading(max_iter=1000),
        lambda d: [{"kernel": ["rbf"], "gamma": gammas(d)}, NEIGHBOURS],
    ),
}
VALUES = {
    "BoundedLossSVR": Method(
        lambda d, seed: _target(BoundedLossSVR(eps_low=0.1, random_state=seed)),
        lambda d: [
            {
                "regressor__boundedlosssvr__C": [1.0, 10.0],
                "regressor__boundedlosssvr__gamma": gammas(d),
                "regressor__boundedlosssvr__eps_up": [2.0],
            }
        ],
        ours=True,
        fixed="eps_low 0.1",
    ),
    "SVR": Method(
        lambda d, seed: _target(SVR()),
        lambda d: [
            {
                "regressor__svr__C": [1.0, 10.0],
                "regressor__svr__gamma": gammas(d),
                "regressor__svr__epsilon": [0.1],
            }
        ],
    ),
}
SERIES = {
    "ShapeletBoostClassifier": Method(
        lambda length, seed: ShapeletBoostClassifier(random_state=seed),
        lambda length: [{"length": [0.1, 0.2, 0.4], "nu": [0.2]}],
        ours=True,
    ),
    "SVC": CLASSES["SVC"],
    "RDST": Method(peer="rdst"),
    "MiniRocket": Method(peer="minirocket"),
}
METHODS: Mapping[str, Mapping[str, Method]] = {
    "classes": CLASSES,
    "clusters": CLUSTERS,
    "labels": LABELS,
    "values": VALUES,
    "series": SERIES,
}


def grid_text(task: str, method: str) -> str:
    """The grid as it stands on the page, of 1 column: widths are then those times 1 / d."""
    told = []
    for part in METHODS[task][method].grid(1):
        keys = [f"{key.rpartition('__')[2]} {_among(value)}" for key, value in part.items()]
        told.append(", ".join(keys))
    return "; or ".join(text for text in told if text) or "nothing chosen"


def _among(values: list[Any]) -> str:
    return " | ".join("the default" if value is None else f"{value}" for value in values)
