"""CDSK and LPDSK: seconds compared with scikit-learn, and tables of accuracies.

    python benchmarks/similarity.py speed             # 1000 and 2000 points, 7 classes
    python benchmarks/similarity.py neighbours        # default settings, and peers of 10 neighbours
    python benchmarks/similarity.py clustering        # accuracy on eight data sets
    python benchmarks/similarity.py propagation       # 3 labels a class, 5 draws
    python benchmarks/similarity.py all --quick       # one run each, three data sets, one draw

The accuracy tables read RADPROG_DATA. Features are standardised, and every method has the same
bandwidth: F times the median distance, F = .1 .25 .5 1. Seconds are processor seconds without
reading data, with one thread and one process per measurement.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from measure import child, measure, table

THIS = str(Path(__file__).resolve())
NAMES = ("iris", "wine", "seeds", "ecoli", "ionosphere", "sonar", "breast_cancer_wdbc", "glass")
FACTORS = (0.1, 0.25, 0.5, 1.0)
LABELS_A_CLASS, DRAWS = 3, 5


def points(n: int) -> Any:
    """n points of seven overlapping Gaussian classes in ten dimensions, standardised."""
    from radprog.instances.dataset import partly_labelled

    rng = np.random.default_rng(0)
    codes = np.arange(n) % 7
    X = rng.normal(size=(n, 10)) + 2.0 * rng.normal(size=(7, 10))[codes]
    return partly_labelled(X, codes, scale="standard")


def load(name: str) -> Any:
    """A data set of the accuracy tables, standardised."""
    from radprog.instances.dataset import read_partly_labelled

    folder = "vkr" if name == "ionosphere" else "clustering"
    path = Path(os.environ["RADPROG_DATA"]) / folder / f"{name}.csv"
    return read_partly_labelled(path, scale="standard")


def few_labels(data: Any, seed: int) -> Any:
    """All labels hidden but a few of every class."""
    rng = np.random.default_rng(seed)
    kept = []
    for k in range(data.n_classes):
        members = np.flatnonzero(data.codes == k)
        kept.append(rng.choice(members, min(LABELS_A_CLASS, len(members)), replace=False))
    return data.hide(np.setdiff1d(np.arange(data.rows), np.concatenate(kept)))


def gamma_of(data: Any, factor: float) -> float:
    """1 / (2 h^2) of h = factor times the median distance."""
    from radprog.models.similarity.problem import Distances

    return 0.5 / (factor * Distances.of(data.X).median) ** 2


def clustering_time(n: int, rounds: int, objective: str) -> dict[str, Any]:
    """A fit of at most so many rounds."""
    from radprog.decompositions.run import RunSettings
    from radprog.decompositions.similarity.cdsk import fit_cdsk
    from radprog.models.similarity.settings import CDSK

    data, spec = points(n), CDSK(bandwidth="0.5*median", objective=objective)
    fit_cdsk(spec, points(50), RunSettings(max_iter=1))
    started = time.process_time()
    run = fit_cdsk(spec, data, RunSettings(max_iter=rounds))
    return {
        "seconds": time.process_time() - started,
        "objective": run.objective,
        "note": f"{len(run.trace)} rounds, {run.reason}, accuracy {run.summary['accuracy']:.3f}",
    }


def propagation_time(n: int, factor: float) -> dict[str, Any]:
    """Five rounds, each weight step to its gap."""
    from radprog.decompositions.run import RunSettings
    from radprog.decompositions.similarity.lpdsk import fit_lpdsk
    from radprog.models.similarity.settings import LPDSK

    data = few_labels(points(n), 0)
    spec = LPDSK(bandwidth=f"{factor}*median")
    fit_lpdsk(spec, few_labels(points(50), 0), RunSettings(max_iter=1))
    started = time.process_time()
    run = fit_lpdsk(spec, data, RunSettings(max_iter=5))
    worst = max(record.detail["weight_gap"] for record in run.trace)
    return {
        "seconds": time.process_time() - started,
        "objective": run.objective,
        "note": f"{len(run.trace)} rounds, {run.reason}, gap {worst / n:.1e} n",
    }


def peer_time(name: str, n: int, factor: float) -> dict[str, Any]:
    """scikit-learn on the same points and bandwidth."""
    from sklearn.cluster import SpectralClustering
    from sklearn.semi_supervised import LabelPropagation

    data = points(n)
    gamma = gamma_of(data, factor)
    started = time.process_time()
    if name == "spectral":
        SpectralClustering(7, gamma=gamma, random_state=0, n_init=20).fit(data.X)
    else:
        LabelPropagation(gamma=gamma).fit(data.X, few_labels(data, 0).codes)
    return {"seconds": time.process_time() - started, "objective": None}


def neighbours_time(name: str, n: int) -> dict[str, Any]:
    """A fit of an estimator with its default graph, or of scikit-learn's with 10 neighbours.

    The least of three fits in a process, as the first one of a size allocates memory.
    """
    from sklearn.cluster import SpectralClustering
    from sklearn.semi_supervised import LabelSpreading

    from radprog.estimators import DiscriminativeClustering, DiscriminativeLabelPropagation

    estimators = {
        "clusters": DiscriminativeClustering(n_clusters=7),
        "spectral": SpectralClustering(7, affinity="nearest_neighbors", random_state=0),
        "labels": DiscriminativeLabelPropagation(),
        "spreading": LabelSpreading(kernel="knn", n_neighbors=10),
    }
    estimator, seconds = estimators[name], []
    for size in (60, n, n, n):
        data = points(size)
        few = few_labels(data, 0)
        started = time.process_time()
        estimator.fit(data.X, few.codes)
        seconds.append(time.process_time() - started)
    found = estimator.labels_ if name in ("clusters", "spectral") else estimator.transduction_
    if name in ("clusters", "spectral"):
        from radprog.models.similarity.agreement import matched_accuracy

        accuracy = matched_accuracy(np.asarray(found, dtype=np.intp), data.codes)
    else:
        accuracy = float((np.asarray(found) == data.codes)[~few.known].mean())
    return {"seconds": min(seconds[1:]), "objective": None, "note": f"accuracy {accuracy:.3f}"}


def clustering_row(name: str, factor: float) -> dict[str, Any]:
    """Accuracy by matching: KMeans, SpectralClustering, CDSK by objective (None: refused)."""
    from sklearn.cluster import KMeans, SpectralClustering

    from radprog.base.errors import DataError
    from radprog.decompositions.run import RunSettings
    from radprog.decompositions.similarity.cdsk import fit_cdsk
    from radprog.models.similarity.agreement import matched_accuracy
    from radprog.models.similarity.settings import CDSK

    data = load(name)
    c, gamma = data.n_classes, gamma_of(data, factor)
    out: dict[str, float | None] = {}
    peers = {
        "KMeans": KMeans(c, n_init=20, random_state=0),
        "SpectralClustering": SpectralClustering(c, gamma=gamma, n_init=20, random_state=0),
    }
    for label, peer in peers.items():
        codes = np.asarray(peer.fit(data.X).labels_, dtype=np.intp)
        out[label] = matched_accuracy(codes, data.codes)
    for objective in ("ratio", "ncut", "scaled"):
        spec = CDSK(bandwidth=f"{factor}*median", objective=objective)
        try:
            out[f"CDSK {objective}"] = fit_cdsk(spec, data, RunSettings()).summary["accuracy"]
        except DataError:
            out[f"CDSK {objective}"] = None
    return out


def propagation_row(name: str, factor: float, draws: int) -> dict[str, Any]:
    """Mean accuracy on the hidden labels: scikit-learn, uniform weights, LPDSK."""
    from sklearn.semi_supervised import LabelPropagation, LabelSpreading

    from radprog.decompositions.run import RunSettings
    from radprog.decompositions.similarity.lpdsk import fit_lpdsk
    from radprog.models.similarity.settings import LPDSK

    data = load(name)
    gamma = gamma_of(data, factor)
    rows = []
    for seed in range(draws):
        few = few_labels(data, seed)
        hidden, row = ~few.known, {}

        def right(labels: Any, hidden: Any = hidden) -> float:
            return float((np.asarray(labels)[hidden] == data.codes[hidden]).mean())

        for peer in (LabelPropagation(gamma=gamma, max_iter=3000), LabelSpreading(gamma=gamma)):
            row[type(peer).__name__] = right(peer.fit(data.X, few.codes).transduction_)
        for weights, limit in (("uniform", 0), ("LPDSK", None)):
            for mass in (False, True):
                spec = LPDSK(bandwidth=f"{factor}*median", class_mass=mass)
                run = fit_lpdsk(spec, few, RunSettings(max_iter=limit))
                row[weights + (" + mass" if mass else "")] = right(run.summary["labels"])
        rows.append(row)
    return {key: float(np.mean([row[key] for row in rows])) for key in rows[0]}


TASKS = {
    "clustering-time": lambda n, rounds, o: clustering_time(int(n), int(rounds), o),
    "propagation-time": lambda n, f: propagation_time(int(n), float(f)),
    "neighbours-time": lambda name, n: neighbours_time(name, int(n)),
    "peer-time": lambda name, n, f: peer_time(name, int(n), float(f)),
}


def neighbours(runs: int) -> None:
    """Seconds of default settings beside scikit-learn's estimators of 10 neighbours."""
    for n in (500, 1000, 2000):
        rows = [
            {"name": name, **measure(THIS, ["--child", "neighbours-time", key, str(n)], runs)}
            for name, key in (
                ("DiscriminativeClustering", "clusters"),
                ("SpectralClustering, 10 neighbours", "spectral"),
                ("DiscriminativeLabelPropagation", "labels"),
                ("LabelSpreading, 10 neighbours", "spreading"),
            )
        ]
        table(f"{n} points, 7 classes, graphs of nearest neighbours", rows)


def speed(runs: int) -> None:
    """Seconds beside scikit-learn's."""

    def row(label: str, *arguments: str) -> dict[str, Any]:
        return {"name": label, **measure(THIS, ["--child", *arguments], runs)}

    for n, rounds in ((1000, 20), (2000, 5)):
        rows = [
            row(f"CDSK {objective}", "clustering-time", str(n), str(rounds), objective)
            for objective in ("ratio", "ncut", "scaled")
        ]
        rows.append(row("SpectralClustering", "peer-time", "spectral", str(n), "0.5"))
        table(f"clustering {n} points, at most {rounds} rounds", rows)
    for factor in ("0.5", "1"):
        rows = [
            row("LPDSK", "propagation-time", "1000", factor),
            row("LabelPropagation", "peer-time", "propagation", "1000", factor),
        ]
        table(f"propagation on 1000 points, h = {factor} median, at most 5 rounds", rows)


def accuracies(title: str, task: str, names: tuple[str, ...], draws: int) -> None:
    """A line per data set and bandwidth, then means over the cells that every method filled."""
    cells: dict[float, list[dict[str, float | None]]] = {factor: [] for factor in FACTORS}
    print(f"\n{title}")
    header = ""
    for name in names:
        for factor in FACTORS:
            done = subprocess.run(
                [sys.executable, THIS, "--row", task, name, str(factor), str(draws)],
                capture_output=True, text=True, check=True,
            )  # fmt: skip
            row = json.loads(done.stdout.splitlines()[-1])
            if not header:
                header = f"{'':<20}{'F':>6}" + "".join(f"{key:>20}" for key in row)
                print(header)
            values = ("-" if v is None else f"{v:.3f}" for v in row.values())
            print(f"{name:<20}{factor:>6}" + "".join(f"{v:>20}" for v in values), flush=True)
            cells[factor].append(row)
    for factor, rows in cells.items():
        full = [row for row in rows if None not in row.values()]
        means = (np.mean([row[key] for row in full]) for key in rows[0]) if full else ()
        label = f"mean of {len(full)}"
        print(f"{label:<20}{factor:>6}" + "".join(f"{v:>20.4f}" for v in means))


def main() -> None:
    """Run the cases asked for."""
    if len(sys.argv) > 1 and sys.argv[1] == "--child":
        task, *arguments = sys.argv[2:]
        child(lambda: TASKS[task](*arguments))
        return
    if len(sys.argv) > 1 and sys.argv[1] == "--row":
        task, name, factor, draws = sys.argv[2:]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if task == "clustering":
                print(json.dumps(clustering_row(name, float(factor))))
            else:
                print(json.dumps(propagation_row(name, float(factor), int(draws))))
        return
    cases = ("speed", "neighbours", "clustering", "propagation")
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("cases", nargs="+", choices=[*cases, "all"])
    parser.add_argument("--runs", type=int, default=3, help="processes per measurement (3)")
    parser.add_argument("--quick", action="store_true", help="one run, three data sets, one draw")
    options = parser.parse_args()
    os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
    names, draws = (NAMES[:3], 1) if options.quick else (NAMES, DRAWS)
    asked = cases if "all" in options.cases else options.cases
    if "speed" in asked:
        speed(1 if options.quick else options.runs)
    if "neighbours" in asked:
        neighbours(1 if options.quick else options.runs)
    if "clustering" in asked:
        accuracies("clustering, share of points matched", "clustering", names, draws)
    if "propagation" in asked:
        title = f"{LABELS_A_CLASS} labels a class, mean of {draws} draws"
        accuracies(f"propagation, {title}", "propagation", names, draws)


if __name__ == "__main__":
    main()
