"""Make the files of this folder with the installed radprog: ``python tests/stored/make.py``.

``NAME.run.json`` and ``NAME.fit.json`` come from ``radprog solve`` with the line of COMMANDS,
``NAME.predictions.csv`` from ``radprog predict`` on the ``.new`` file beside the data. The data
were drawn once and stay.
"""

import json
import os
from pathlib import Path

import highspy

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


def radprog(command: str) -> None:
    """Run a command; 1 is a limit or an answer without a certificate."""
    code = main([*command.split(), "--quiet"])
    if code not in (0, 1):
        raise SystemExit(f"radprog {command}: exit code {code}")


def new_data(run: str) -> str:
    """The new data beside the data of a result: DATA.new.csv; of views, each file's."""
    data = json.loads(Path(run).read_text())["data"]
    files = data["reading"].get("views") or [data["name"]]
    return ",".join(f"{Path(file).stem}.new{Path(file).suffix}" for file in files)


def make() -> None:
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
