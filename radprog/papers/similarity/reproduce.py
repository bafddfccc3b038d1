"""A comparison for Discriminative Similarity for Clustering and Semi-Supervised Learning.

The paper has no table, so its models are compared with scikit-learn's on the clustering sets.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from scipy.stats import wilcoxon
from sklearn.cluster import KMeans, SpectralClustering
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.mixture import GaussianMixture
from sklearn.semi_supervised import LabelPropagation, LabelSpreading

from radprog.base.limits import OutOfBudget
from radprog.base.types import FloatArray, IntArray
from radprog.decompositions.run import RunSettings
from radprog.decompositions.similarity.cdsk import fit_cdsk
from radprog.decompositions.similarity.lpdsk import fit_lpdsk
from radprog.decompositions.sweeps.checkpoint import identity_of
from radprog.decompositions.sweeps.sharing import answers
from radprog.decompositions.sweeps.units import Inside, Sweep, Unit
from radprog.instances.splits import stratified_parts
from radprog.instances.unlabelled import PartlyLabelled, read_partly_labelled
from radprog.models.similarity.agreement import matched_accuracy, normalised_information
from radprog.models.similarity.settings import CDSK, LPDSK
from radprog.reproducing import Job, Row, beside, table, tables

DRAWS, QUICK_DRAWS = 5, 2
KNOWN_PARTS = 10  # one of this many parts of the points has labels
CLUSTERING = ("cdsk", "KMeans", "SpectralClustering", "kNN-spectral", "GMM", "kernel k-means")
PROPAGATION = ("lpdsk", "LabelSpreading", "LabelPropagation")
STARTS = 10  # starts of k-means, kernel k-means and mixtures
LLOYD_STEPS = 300
MIXTURE_FLOOR = 1e-4  # added to the variances of a mixture


def clusters(method: str, data: PartlyLabelled, seed: int, inside: Inside) -> IntArray:
    """Cluster indices (n,) of a clustering with default settings. It creates as many clusters as
    there are classes.
    """
    count = data.n_classes
    if method == "cdsk":
        settings = RunSettings(seed=seed, interrupted=inside.interrupted)
        run = fit_cdsk(CDSK(clusters=count), data.hide(np.arange(data.rows)), settings)
        return np.asarray(run.summary["labels"], dtype=np.intp)
    makers: Mapping[str, Callable[[], Any]] = {
        "KMeans": lambda: KMeans(count, n_init=10, random_state=seed),
        "SpectralClustering": lambda: SpectralClustering(count, random_state=seed),
        "kNN-spectral": lambda: SpectralClustering(
            count, affinity="nearest_neighbors", random_state=seed
        ),
        "GMM": lambda: GaussianMixture(
            count, n_init=STARTS, reg_covar=MIXTURE_FLOOR, random_state=seed
        ),
    }
    if method == "kernel k-means":
        return kernel_means(rbf_kernel(data.X), count, seed)
    return np.asarray(makers[method]().fit_predict(data.X), dtype=np.intp)


def kernel_means(K: FloatArray, count: int, seed: int) -> IntArray:
    """Cluster indices (n,) from k-means in the feature space of K (n, n): the best of several
    starts.
    """
    rng, n = np.random.default_rng(seed), len(K)
    best, codes = np.inf, np.zeros(n, dtype=np.intp)
    for _ in range(STARTS):
        # the points nearest to random ones, then Lloyd's steps
        centres = rng.choice(n, count, replace=False)
        distances = K.diagonal()[centres] - 2.0 * K[:, centres]
        labels = distances.argmin(axis=1)
        for _ in range(LLOYD_STEPS):
            # squared distances to the means, less K_ii; no point joins an empty cluster
            sizes = np.bincount(labels, minlength=count)
            Z = (labels[:, None] == np.arange(count)) / np.maximum(sizes, 1)
            distances = np.einsum("ik,ik->k", Z, K @ Z) - 2.0 * (K @ Z)
            distances[:, sizes == 0] = np.inf
            before, labels = labels, distances.argmin(axis=1)
            if np.array_equal(before, labels):
                break
        squares = float(distances.min(axis=1).sum())
        if squares < best:
            best, codes = squares, labels
    return np.asarray(codes, dtype=np.intp)


def propagated(
    method: str, data: PartlyLabelled, hidden: IntArray, seed: int, inside: Inside
) -> IntArray:
    """Class indices (n,), propagated from the points whose labels are not hidden."""
    # each with its default settings; scikit-learn's width is for standardised columns
    part = data.hide(hidden)
    if method == "lpdsk":
        run = fit_lpdsk(LPDSK(), part, RunSettings(seed=seed, interrupted=inside.interrupted))
        return np.asarray(run.summary["labels"], dtype=np.intp)
    maker = {"LabelSpreading": LabelSpreading, "LabelPropagation": LabelPropagation}[method]
    fit = maker(gamma=1.0 / data.X.shape[1]).fit(part.X, part.codes)
    return np.asarray(fit.transduction_, dtype=np.intp)


def hidden_rows(data: PartlyLabelled, seed: int) -> IntArray:
    """The rows whose labels are hidden: all rows except a tenth, which is stratified by class.

    If a class is too small to be in the tenth, the label of its first row is not hidden.
    """
    # a stratified tenth, and the first row of a class that it misses
    labelled = stratified_parts(data.codes.astype(float), KNOWN_PARTS, seed)[0]
    absent = np.setdiff1d(data.codes, data.codes[labelled])
    firsts = [int(np.flatnonzero(data.codes == code)[0]) for code in absent]
    return np.setdiff1d(np.arange(data.rows), [*labelled, *firsts])


def _scored(data: PartlyLabelled, item: tuple[str, int], inside: Inside) -> list[float]:
    """Accuracy and normalised mutual information of one method with one seed."""
    method, seed = item
    if method in CLUSTERING:
        codes, classes = clusters(method, data, seed, inside), data.codes
        share = matched_accuracy(codes, classes)
    else:
        hidden = hidden_rows(data, seed)
        codes = propagated(method, data, hidden, seed, inside)[hidden]
        classes = data.codes[hidden]
        share = float((codes == classes).mean())
    if inside.interrupted():
        raise OutOfBudget
    return [share, normalised_information(codes, classes)]


def rows(job: Job) -> Iterator[Row]:
    """Accuracy and normalised mutual information in per cent.

    They are means over random starts, and over random choices of the points with known labels. A
    tenth of the points have known labels.

    The features of the files clustering/NAME.csv are standardised. All methods have their default
    settings.
    """
    paths = {name: job.file("clustering", f"{name}.csv") for name in job.sets}
    draws = QUICK_DRAWS if job.quick else DRAWS
    methods = (*CLUSTERING, *PROPAGATION)
    job.total = len(paths) * len(methods) * draws
    for name, path in paths.items():
        data = read_partly_labelled(path, scale="standard")
        settings = job.settings(name)
        # one unit per method and seed
        sweep = Sweep(
            call=_scored,
            shared=data,
            units=[
                Unit(name=f"{name}, {method}, seed {seed}", item=(method, seed))
                for method in methods
                for seed in range(job.seed, job.seed + draws)
            ],
            identity=identity_of([CDSK(clusters=data.n_classes), LPDSK()], data, settings),
        )
        scored: dict[str, list[list[float]]] = {}
        for answer in answers(sweep, settings.sharing, settings.budget()):
            if answer.error is not None:
                raise answer.error
            if answer.cut:
                job.check()
            job.step(answer.unit.name)
            scored.setdefault(answer.unit.item[0], []).append(answer.value)
        # mean and deviation of a method over its draws
        for method, values in scored.items():
            scores = 100 * np.array(values)
            yield {
                "set": name,
                "method": method,
                "task": "clustering" if method in CLUSTERING else "propagation",
                "ours": method in ("cdsk", "lpdsk"),
                "accuracy": float(scores[:, 0].mean()),
                "accuracy_std": float(scores[:, 0].std()),
                "nmi": float(scores[:, 1].mean()),
                "nmi_std": float(scores[:, 1].std()),
                "paper_accuracy": None,
                "points": data.rows if method in CLUSTERING else len(hidden_rows(data, job.seed)),
                "classes": data.n_classes,
                "draws": len(values),
            }


def claims(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """The number of sets on which our model is more accurate than all other models of its task.

    A paired test over the sets against each of the other models follows.
    """
    sentences = []
    for task, ours in (("clustering", "cdsk"), ("propagation", "lpdsk")):
        scores: dict[str, dict[str, float]] = {}
        for row in rows:
            if row["task"] == task:
                scores.setdefault(row["set"], {})[row["method"]] = round(row["accuracy"], 6)
        # the lead of our model over the best of the others on each set
        leads = [
            methods[ours] - max(value for method, value in methods.items() if method != ours)
            for methods in scores.values()
            if ours in methods and len(methods) > 1
        ]
        first, tied = sum(lead > 0 for lead in leads), leads.count(0)
        ties = f", level with the best on {tied}" if tied else ""
        sentences.append(f"{ours} is the most accurate on {first} of {len(leads)} sets{ties}")
        # against each of the others over the sets; ties are left out of the test
        for other in (CLUSTERING if task == "clustering" else PROPAGATION)[1:]:
            pairs = [m[ours] - m[other] for m in scores.values() if {ours, other} <= m.keys()]
            if any(pairs):
                ahead, behind = sum(x > 0 for x in pairs), sum(x < 0 for x in pairs)
                test = "no test, which needs two sets"
                if ahead + behind > 1:
                    p = float(wilcoxon([x for x in pairs if x]).pvalue)
                    test = f"p = {p:.2f} (Wilcoxon's signed ranks)"
                sentences.append(
                    f"{ours} against {other}: ahead on {ahead}, behind on {behind}, level on "
                    f"{len(pairs) - ahead - behind}, {np.mean(pairs):+.1f} points, {test}"
                )
    return sentences


PLOTTER = beside("accuracy", "accuracy_std", "paper_accuracy", "accuracy %")
TABLES = tables(table("similarity", rows, PLOTTER, claims))
