"""The accuracy of CDSK with its default settings and k clusters, compared with other clusterers.

    python benchmarks/cdsk.py                     # all available ones of 21 data sets
    python benchmarks/cdsk.py tuned held-out      # the two parts separately
    python benchmarks/cdsk.py --most 1000         # sets of at most 1000 points
    python benchmarks/cdsk.py --json FILE         # the results, with versions and machine

The benchmark reads RADPROG_DATA; the digits are those of scikit-learn. Features are standardised,
rows with missing values are dropped, and series are used as vectors (training and test rows
together). k-means has 20 random starts, and the mixture has 10. Every method receives only the
number of classes. The rule for the bandwidth of CDSK was chosen on the sets ``tuned``; the sets
``held-out`` were run once, afterwards. Accuracy is that of the best one-to-one matching of clusters
and classes.
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
from measure import circumstances

THIS = str(Path(__file__).resolve())
SETS = {
    "tuned": (
        *("clustering/iris", "clustering/wine", "clustering/seeds", "clustering/glass"),
        *("clustering/ecoli", "clustering/heart_statlog", "clustering/sonar"),
        *("clustering/breast_cancer_wdbc", "vkr/breastcancer", "vkr/diabetes", "vkr/ionosphere"),
        "vkr/climate",
    ),
    "held-out": (
        *("clustering/waveform", "vkr/german", "vkr/ocr49", "vkr/phishing", "digits"),
        *("ucr/ECGFiveDays", "ucr/GunPoint", "ucr/ItalyPowerDemand", "ucr/TwoLeadECG"),
    ),
}


def load(name: str) -> Any:
    """A data set, standardised, with its classes."""
    from radprog.instances.dataset import partly_labelled, read_partly_labelled

    folder = Path(os.environ["RADPROG_DATA"])
    if name == "digits":
        from sklearn.datasets import load_digits

        X, y = load_digits(return_X_y=True)
        return partly_labelled(X, y, scale="standard")
    if name.startswith("ucr/"):
        parts = [np.loadtxt(folder / f"{name}_{part}.tsv") for part in ("TRAIN", "TEST")]
        both = np.vstack(parts)
        return partly_labelled(both[:, 1:], both[:, 0].astype(int), scale="standard")
    return read_partly_labelled(folder / f"{name}.csv", scale="standard", missing="drop")


def clusterers(X: Any, c: int) -> dict[str, Any]:
    """The peers: labels of each, when called."""
    from sklearn.cluster import KMeans, SpectralClustering
    from sklearn.mixture import GaussianMixture

    from radprog.models.similarity.problem import Distances

    def spectral(**more: Any) -> Any:
        return SpectralClustering(c, n_init=20, random_state=0, **more).fit(X).labels_

    mixture = GaussianMixture(c, n_init=10, random_state=0, reg_covar=1e-4)
    return {
        "KMeans": lambda: KMeans(c, n_init=20, random_state=0).fit(X).labels_,
        "GMM": lambda: mixture.fit_predict(X),
        "Spectral, gamma 1": lambda: spectral(gamma=1.0),
        "Spectral, median": lambda: spectral(gamma=0.5 / Distances.of(X).median ** 2),
        "Spectral, 10 neighbours": lambda: spectral(affinity="nearest_neighbors"),
    }


def row(name: str) -> dict[str, Any]:
    """Accuracy and processor seconds of every method on a data set."""
    from radprog.decompositions.run import RunSettings
    from radprog.decompositions.similarity.cdsk import fit_cdsk
    from radprog.models.similarity.agreement import matched_accuracy
    from radprog.models.similarity.settings import CDSK

    data = load(name)
    ours = {
        "CDSK": CDSK(),
        "CDSK ncut": CDSK(objective="ncut"),
        "CDSK, median": CDSK(bandwidth="median"),
    }
    run = {
        key: (lambda spec=spec: fit_cdsk(spec, data, RunSettings()).summary["labels"])
        for key, spec in ours.items()
    }
    out: dict[str, Any] = {"rows": data.rows, "classes": data.n_classes}
    for key, labels in {**clusterers(data.X, data.n_classes), **run}.items():
        started = time.process_time()
        codes = np.asarray(labels(), dtype=np.intp)
        seconds = time.process_time() - started
        accuracy = matched_accuracy(codes, data.codes)
        out[key] = {"accuracy": accuracy, "seconds": seconds}
    return out


def report(part: str, names: tuple[str, ...], most: int) -> dict[str, Any]:
    """A line per data set as it is done, then the means."""
    print(f"\n{part}: share of points matched", flush=True)
    rows: dict[str, Any] = {}
    for name in names:
        if load(name).rows > most:
            continue
        done = subprocess.run(
            [sys.executable, THIS, "--row", name], capture_output=True, text=True, check=True
        )
        rows[name] = json.loads(done.stdout.splitlines()[-1])
        methods = [key for key, value in rows[name].items() if isinstance(value, dict)]
        if len(rows) == 1:
            print(f"{'':<30}{'rows':>6}" + "".join(f"{key:>25}" for key in methods))
        cells = (f"{rows[name][key]['accuracy']:>25.3f}" for key in methods)
        print(f"{name:<30}{rows[name]['rows']:>6}" + "".join(cells), flush=True)
    for field in ("accuracy", "seconds") if rows else ():
        means = (np.mean([rows[name][key][field] for name in rows]) for key in methods)
        label = f"mean {field} of {len(rows)}"
        print(f"{label:<36}" + "".join(f"{mean:>25.4f}" for mean in means))
    return rows


def main() -> None:
    """Run the parts asked for."""
    if len(sys.argv) > 2 and sys.argv[1] == "--row":
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            print(json.dumps(row(sys.argv[2])))
        return
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("parts", nargs="*", choices=[*SETS, []], help="which (all)")
    parser.add_argument("--most", type=int, default=10**9, help="most points of a set")
    parser.add_argument("--json", type=Path, help="file to write what was measured to")
    options = parser.parse_args()
    os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
    found = {part: report(part, SETS[part], options.most) for part in options.parts or SETS}
    if options.json:
        written = {**circumstances(), "parts": found}
        options.json.write_text(json.dumps(written, indent=1) + "\n")


if __name__ == "__main__":
    main()
