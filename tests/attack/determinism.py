"""The same runs and exports under another hash seed: the same files.

python tests/attack/determinism.py            all models, and a table
python tests/attack/determinism.py --only cdsk --rows 60

A process of its own per setting writes the JSON result and the fit of every method and every
exported form, in one folder; the folders are compared, times and memory left out.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import chdir
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

from script_options import read_options
from table_generators import waveform

from radprog.catalog import CATALOG
from radprog.cli import main as radprog

ROWS = 160
HASH_SEEDS = ("0", "1")
OPTIONS = {
    "vkr": "--kernels poly:1-3,rbf:0.01",
    "l1svm": "--kernels poly:2",
    "svm": "--kernels rbf:0.05",
    "simsvm": "--kernels laplace:0.1",
    "mkl": "--kernels linear,rbf:0.01,rbf:0.1",
    "lpboost": "--length 6 --max-iter 5",
    "svr": "--starts 2",
    "complexity": "--trials 3 --starts 2",
    "srm": "--gammas 0.1,1 --As 0.1,1 --trials 3 --folds 2",
    "cdsk": "--clusters 3",
}
ADDED = {
    **{f"mkl {name}": "--variant dc --starts 2" for name in CATALOG["mkl"].local},
    "mkl global": "--variant dc --starts 2 --C 0.001",
    "mkl svm": "--variant unif",
    "mkl step": "--variant dc",
    "mkl dc": "--variant dc",
    "cdsk exact": "--clusters 2",
    "cdsk labels": "--clusters 2",
    "cdsk general": "--clusters 2 --similarity S.npy",
    "lpdsk general": "--similarity S.npy",
}
ALONE = {"complexity exact": "--starts 2"}  # in place of the options of the model
FEW = 8  # rows of methods and forms that enumerate, and of programs that would be large
FEW_FOR = ("exact", "global", "labels", "general", "joint", "dc", "margin", "weak-l1-mip")
FEW_FOR += ("weak-l1", "weak-l1-dual", "weak-rkhs", "weak-minnorm", "primal", "multiclass")


def write_data(rows: int) -> None:
    """A file of every kind, and its ``few-`` beside it."""
    whole = waveform(rows, seed=1)
    X, y = whole.X.round(3), whole.signs
    # all rows, then few of them for what enumerates
    for prefix, step in (("", 1), ("few-", rows // FEW)):
        part, labels = X[::step][: rows if step == 1 else FEW], y[::step]
        some = labels[: len(part)]
        lines = [",".join(map(repr, row)) for row in part.tolist()]
        _write(f"{prefix}points.csv", lines, some.tolist())
        # a third of the labels, for a propagation
        known = [v if i < 6 or i % 3 == 0 else "?" for i, v in enumerate(some.tolist())]
        _write(f"{prefix}part.csv", lines, known)
        _write(f"{prefix}line.csv", [repr(row[5]) for row in part.tolist()], part[:, 6].tolist())
        tabs = ["\t".join(map(repr, [v, *row])) for v, row in zip(some, part.tolist(), strict=True)]
        Path(f"{prefix}series.tsv").write_text("\n".join(tabs) + "\n")
        if prefix:
            np.save("S.npy", 0.5 + 0.5 * np.tanh(part @ part.T / 30))


def _write(name: str, lines: Sequence[str], last: Sequence[Any]) -> None:
    rows = (f"{line},{value}\n" for line, value in zip(lines, last, strict=True))
    Path(name).write_text("".join(rows))


def calls_of(model: str, what: str, *, few: bool) -> list[str]:
    """The words of a command that name the model, its data and the options of a method or form."""
    kind, case = CATALOG[model].hooks.kinds[0], f"{model} {what}"
    file = {"partly_labelled": "part.csv", "regression": "line.csv", "series": "series.tsv"}
    data = "few-" * (few and what in FEW_FOR) + file.get(kind, "points.csv")
    given = ALONE.get(case, OPTIONS.get(model, "")) + " " + ADDED.get(case, "")
    return [model, data, *given.split()]


def write_results(only: Sequence[str]) -> None:
    """The result and the fit of every method, and every form, in the working folder."""
    for model in only or CATALOG:
        entry = CATALOG[model]
        for what in (*entry.methods, *entry.forms):
            words = [*calls_of(model, what, few=True), "--quiet", "--seed", "3"]
            # a method is solved, a form is exported
            calls = []
            if what in entry.methods:
                files = ["--json", f"{model}-{what}.json", "--save", f"{model}-{what}.fit"]
                calls.append(["solve", *words, "--method", what, *files])
            if what in entry.forms:
                suffix = "nl" if what in ("joint", "dc") else "mps"
                calls.append(["export", *words, "--form", what, "-o", f"{model}-{what}.{suffix}"])
            for call in calls:
                code = radprog(call)
                assert code < 2, (call, code)


def plain(path: Path) -> Any:
    """What a file holds, without times and memory."""
    try:
        values = json.loads(path.read_text())
    except ValueError:
        return path.read_bytes()
    return _stripped(values)


def _stripped(value: Any) -> Any:
    if isinstance(value, dict):
        left_out = ("time", "seconds", "peak_mb", "digest")
        return {key: _stripped(item) for key, item in value.items() if key not in left_out}
    return [_stripped(item) for item in value] if isinstance(value, list) else value


def differences(first: Path, second: Path) -> Iterator[str]:
    """Files that are not the same."""
    for name in sorted({path.name for folder in (first, second) for path in folder.iterdir()}):
        one, other = first / name, second / name
        if not (one.exists() and other.exists()) or plain(one) != plain(other):
            yield name


def run(folder: Path, hash_seed: str, only: Sequence[str], rows: int) -> None:
    """Everything with one hash seed, in a process of its own."""
    command = [
        sys.executable,
        __file__,
        "--into",
        folder,
        "--rows",
        str(rows),
        "--only",
        ",".join(only),
    ]
    environment = os.environ | {"PYTHONHASHSEED": hash_seed, "OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr[-2000:])


def compared(only: Sequence[str], rows: int) -> tuple[int, list[str]]:
    """How many files there are, and which differ with another hash seed."""
    with tempfile.TemporaryDirectory() as place:
        folders = [Path(place) / seed for seed in HASH_SEEDS]
        for folder in folders:
            folder.mkdir()
            run(folder, folder.name, only, rows)
        return len(list(folders[0].iterdir())), list(differences(*folders))


if __name__ == "__main__":
    options = read_options(__doc__, only=CATALOG, rows=ROWS, into="")
    if options.into:
        with chdir(options.into):
            write_data(options.rows)
            write_results(options.only)
        sys.exit(0)
    count, files = compared(options.only, options.rows)
    print(f"{count} files, {len(files)} differ", *files, sep="\n    ")
    sys.exit(1 if files else 0)
