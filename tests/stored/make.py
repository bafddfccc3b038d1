"""Make the files of this folder with the installed radprog: ``python tests/stored/make.py``.

``NAME.run.json`` and ``NAME.fit.json`` come from ``radprog solve`` with the line of COMMANDS,
``NAME.predictions.csv`` from ``radprog predict`` on the ``.new`` file beside the data.
"""

import json
import os
from pathlib import Path

import highspy
import numpy as np

from radprog.cli import main

POINTS = "points.csv --scale ball"
COMMANDS = {
    "vkr": f"vkr {POINTS} --kernels poly:1-3,rbf:0.5",
    "vkr-few": "vkr few.csv --scale ball --kernels poly:1-2",
    "vkr-digest": "vkr few.csv --scale ball --kernels poly:1-2 --test few.new.csv",
    "vkr-cd": f"vkr {POINTS} --kernels poly:1-2 --method cd",
    "vkr-montecarlo": "vkr points.csv --scale unit --kernels rbf:1 --complexity montecarlo",
    "vkr-local": f"vkr {POINTS} --kernels rbf:1,linear --complexity local --positive no",
    "vkr-strings": "vkr words.csv --strings text --kernels edit --complexity massart",
    "vkr-given": "vkr points.csv --kernels file:S.npy --complexity massart",
    "vkr-centres": f"vkr {POINTS} --kernels rbf:1 --centres centres.csv",
    "vkr-stopped": f"vkr {POINTS} --kernels poly:1-3 --max-iter 1",
    "vkr-classes": "vkr three.csv --one-vs-rest --scale ball --kernels poly:1-2",
    "l1svm": "l1svm gaps.csv --missing mean --scale minmax --kernels laplace:0.5",
    "svm": "svm points.csv --scale standard --kernels poly:2 --C 3",
    "mkl": "mkl points.csv --scale ball --kernels linear,rbf:0.1,rbf:1",
    "mkl-norm": f"mkl {POINTS} --kernels linear,rbf:0.1,rbf:1 --norm 2 --theta 2 --center",
    "mkl-lp": f"mkl {POINTS} --kernels linear,rbf:1 --variant lp --norm 2 --loss squared --no-bias",
    "mkl-unif": f"mkl {POINTS} --kernels linear,rbf:1 --variant unif",
    "mkl-dc": f"mkl {POINTS} --kernels linear,rbf:0.1,rbf:1 --variant dc --starts 2",
    "mkl-grams": "mkl --grams grams.npz",
    "mkl-views": "mkl --views left.csv,right.csv --kernels rbf:0.1,rbf:1 --scale standard",
    "mkl-classes": "mkl three.csv --kernels linear,rbf:0.5",
    "lpboost": "lpboost series.tsv --positive ramp --length 5",
    "lpboost-plus": "lpboost series.tsv --learner shapelet-plus --sigma 0.05 --length 5",
    "lpboost-l1": "lpboost series.tsv --learner l1 --length 5 --starts 2 --dca-iter 4",
    "lpboost-rkhs": "lpboost series.tsv --learner rkhs --length 5 --max-iter 4 --orientation both",
    "lpboost-distance": "lpboost series.tsv --pattern-kernel distance --length 0.3 --normalize",
    "lpboost-bags": "lpboost bags.npz --sigma 1",
    "lpboost-classes": "lpboost series3.tsv --one-vs-rest --length 5",
    "svr": "svr line.csv --gamma 4 --A 2",
    "svr-tikhonov": "svr line.csv --scale standard --kernels rbf:1 --C 2 --eps-low 0.1",
    "complexity": "complexity line.csv --gamma 1 --trials 6 --starts 2",
    "srm": "srm line.csv --gammas 0.1,1 --As 0.1,1 --trials 4 --folds 3",
    "cdsk": "cdsk three.csv --bandwidth 0.25*median --scale standard",
    "cdsk-ncut": "cdsk three.csv --objective ncut --bandwidth 0.25*median",
    "cdsk-given": "cdsk three.csv --clusters 3 --similarity G.npy",
    "lpdsk": "lpdsk part.csv --class-mass",
    "simsvm": "simsvm points.csv --scale standard --kernels laplace:0.3",
    "simsvm-given": "simsvm points.csv --similarity S.npy --method primal",
    "simsvm-classes": "simsvm three.csv --one-vs-rest --kernels laplace:1",
}
OTHERS = (
    f"export {COMMANDS['vkr-few']} --form primal -o vkr-few.lp",
    f"analyze {COMMANDS['vkr-few']} --form budget --json vkr-few.analysis.json",
)
SHAPES = {"bell": 2.0, "ramp": 0.0, "wave": -2.0}


def radprog(command: str) -> None:
    """Run a command; 1 is a limit or an answer without a certificate."""
    code = main([*command.split(), "--quiet"])
    if code not in (0, 1):
        raise SystemExit(f"radprog {command}: exit code {code}")


def table(path: str, names: str, X: np.ndarray, labels: list[str]) -> None:
    rows = [",".join([*map(repr, row), name]) for row, name in zip(X.tolist(), labels, strict=True)]
    Path(path).write_text("\n".join([names, *rows]) + "\n")


def points(path: str, n: int, seed: int) -> np.ndarray:
    """Three features; the label is a noisy quadratic rule."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3)).round(3)
    score = X[:, 0] * X[:, 1] + 0.5 * X[:, 2] + 0.3 * rng.normal(size=n)
    table(path, "a,b,c,answer", X, [("no", "yes")[int(value > 0)] for value in score])
    return X


def three(path: str, n: int, seed: int, known: int | None = None) -> np.ndarray:
    """Three groups in the plane; the first ``known`` rows of each keep their label."""
    rng = np.random.default_rng(seed)
    centres = {"ann": (0.0, 0.0), "bob": (3.0, 0.0), "cid": (0.0, 3.0)}
    X = np.vstack([0.6 * rng.normal(size=(n, 2)) + centre for centre in centres.values()]).round(3)
    labels = [name if known is None or i < known else "?" for name in centres for i in range(n)]
    table(path, "x,y,class", X, labels)
    return X


def line(path: str, n: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    x = np.sort(rng.uniform(-1, 1, n)).round(3)
    y = (np.sinc(x) + 0.1 * rng.normal(size=n)).round(3)
    table(path, "x,y", x[:, None], [repr(value) for value in y.tolist()])


def series(path: str, n: int, seed: int, names: tuple[str, ...]) -> None:
    """Noise with one shape of its class somewhere in it."""
    rng = np.random.default_rng(seed)
    lines = []
    for i in range(n):
        name = names[i % len(names)]
        values = 0.2 * rng.normal(size=20)
        start = rng.integers(0, 14)
        values[start : start + 6] += SHAPES[name] if SHAPES[name] else np.linspace(-1, 2, 6)
        lines.append("\t".join([name, *map(repr, values.round(3).tolist())]))
    Path(path).write_text("\n".join(lines) + "\n")


def views(suffix: str, n: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    for name, width in (("left", 2), ("right", 3)):
        X = (rng.normal(size=(n, width)) + y[:, None]).round(3)
        table(f"{name}{suffix}.csv", ",".join([*"abc"[:width], "kind"]), X, [str(7 + k) for k in y])


def bags(path: str, n: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(n) % 2, 1, -1)
    X = 0.5 * rng.normal(size=(n, 4, 2))
    X[:, 0] += y[:, None]
    np.savez(path, X=X.round(3), y=y)


def make_data() -> None:
    X, new = points("points.csv", 30, 0), points("points.new.csv", 12, 1)
    rng = np.random.default_rng(2)
    table("centres.csv", "a,b,c", rng.normal(size=(4, 2)).round(3), ["0.1", "0.2", "0.3", "0.4"])
    for suffix in ("", ".new"):  # two cells are missing
        lines = Path(f"points{suffix}.csv").read_text().splitlines()
        for row in (2, 5):
            lines[row] = "," + lines[row].partition(",")[2]
        Path(f"gaps{suffix}.csv").write_text("\n".join(lines) + "\n")
    np.save("S.npy", np.tanh(X @ X.T + 0.5))
    for name in ("simsvm-given", "vkr-given"):
        np.save(f"{name}.cross.npy", np.tanh(new @ X.T + 0.5))

    Z, other = three("three.csv", 10, 0), three("three.new.csv", 4, 1)
    three("part.csv", 10, 0, known=2)
    three("part.new.csv", 4, 1)
    np.save("G.npy", np.exp(-((Z[:, None] - Z[None]) ** 2).sum(axis=2)))
    np.save("cdsk-given.cross.npy", np.exp(-((other[:, None] - Z[None]) ** 2).sum(axis=2)))
    for suffix, rows in (("", (1, 2, 3, 11, 12, 13)), (".new", (4, 14))):
        lines = Path("three.csv").read_text().splitlines()
        Path(f"few{suffix}.csv").write_text("\n".join([lines[0], *(lines[i] for i in rows)]) + "\n")

    for suffix, words in (("", ("kitten sitten mitten witten", "barking parking larking marking")),
                          (".new", ("bitten", "harking"))):  # fmt: skip
        rows = [f"{word},{kind}" for kind, some in zip(("cat", "dog"), words, strict=True)
                for word in some.split()]  # fmt: skip
        Path(f"words{suffix}.csv").write_text("\n".join(["text,kind", *rows]) + "\n")

    line("line.csv", 24, 0)
    line("line.new.csv", 10, 1)
    for suffix, n, seed in (("", 20, 0), (".new", 12, 1)):
        series(f"series{suffix}.tsv", n, seed, ("bell", "ramp"))
        series(f"series3{suffix}.tsv", n + 1, seed, tuple(SHAPES))
        views(suffix, n, seed)
        bags(f"bags{suffix}.npz", n, seed)

    y = np.arange(30) % 2
    rng = np.random.default_rng(5)
    F = rng.normal(size=(2, 30, 6)) + 0.8 * y[:, None]
    F = F.round(3)
    K = F @ F.transpose(0, 2, 1)
    np.savez("grams.npz", K=K[:, :20, :20], y=y[:20], names=["one", "two"])
    np.savez("grams.new.npz", K=K[:, 20:, :20], y=y[20:])


def new_data(run: str) -> str:
    """The new data beside the data of a result: DATA.new.csv; of views, each file's."""
    data = json.loads(Path(run).read_text())["data"]
    files = data["reading"].get("views") or [data["name"]]
    return ",".join(f"{Path(file).stem}.new{Path(file).suffix}" for file in files)


def make() -> None:
    make_data()
    for name, command in COMMANDS.items():
        fit = f"{name}.fit.json"
        save = "" if name == "complexity" else f"--save {fit}"
        radprog(f"solve {command} --json {name}.run.json {save}")
        if save:
            cross = f"{name}.cross.npy"
            given = f"--cross {cross}" if Path(cross).exists() else ""
            data = new_data(f"{name}.run.json")
            radprog(f"predict {fit} {data} {given} -o {name}.predictions.csv")
    for command in OTHERS:
        radprog(command)
    highs = highspy.Highs()
    highs.setOptionValue("output_flag", False)
    highs.readModel("vkr-few.lp")
    highs.run()
    highs.writeSolution("vkr-few.sol", 0)


if __name__ == "__main__":
    os.chdir(Path(__file__).parent)
    make()
