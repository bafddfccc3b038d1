"""``radprog demo``: the main steps for a plan, a classifier and a proof."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from radprog.base.errors import ExtraError
from radprog.terminal import common
from radprog.terminal.common import Options
from radprog.terminal.output import emit

if TYPE_CHECKING:
    from radprog.decompositions.loop import Observer
    from radprog.instances.dataset import Dataset

HELP = "decide, learn and prove: the main steps, on a plan and on a real data set"
EXAMPLES = ("demo -o demo-output", "demo --files classes,iris")
FOLDER = "demo-output"
KERNELS = "poly:1-10"
TABLES = ("train.csv", "test.csv")


def add(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    folder = f"folder to write (default {FOLDER}, with --files the current one)"
    common.add_output(parser, "FOLDER", folder, default=None)
    parser.add_argument(
        "--files",
        metavar="NAME,...",
        help="in place of the demo, write small data files for the pages of the documentation: "
        "plan, classes, iris, sinc, series, bags, views, texts, or all",
    )
    help = "also replace data files that have other content"
    parser.add_argument("--force", action="store_true", help=help)


def run(options: Options) -> int:
    """Decide on a plan, learn from scikit-learn's breast cancer data, and prove the classifier.

    70 % of the rows are training data, the others test data. The command writes plan.mps,
    highs.sol, train.csv, test.csv, run.json, fit.json, dual.mps with its names and, with
    matplotlib, convergence.png. The exit code is 0 if the plan is proved, the fits are certified,
    ``check`` confirms the certificate from train.csv, and the exported file is verified.
    """
    from radprog.examples import (
        breast_cancer,
        copy_files,
        place_files,
        write_dataset,
        write_examples,
    )
    from radprog.instances.dataset import read
    from radprog.instances.splits import split
    from radprog.terminal.output import progress

    if options.files is not None:
        names = options.files.split(",")
        written = write_examples(names, options.output or ".", force=options.force)
        emit("".join(f"{name}\n" for name in written))
        return 0
    folder = Path(options.output or FOLDER)
    # the plan, and 70 % of the rows for training, as files
    parts = dict(zip(TABLES, split(breast_cancer(), 0.7, seed=0), strict=True))
    place_files(
        folder,
        lambda draft: [
            *copy_files("plan", draft),
            *(write_dataset(part, draft / name, "diagnosis") for name, part in parts.items()),
        ],
        force=options.force,
    )
    train = read(folder / TABLES[0], scale="unit")
    test = read(folder / TABLES[1], like=train)
    # the three tasks
    with progress(quiet=options.quiet, verbose=False) as observe:
        decided, lines = decide(folder / "plan.mps", observe)
        learned, result, fit_lines = learn(folder, train, test, observe)
    proved, last = prove(folder, train, result)
    # what lies in the folder now
    names = ["plan.mps", "highs.sol", *TABLES, "run.json", "fit.json", "convergence.png"]
    names = [name for name in [*names, "dual.mps"] if (folder / name).exists()]
    lines += [*fit_lines, *last, f"files    {folder}/{' '.join(names)}"]
    if not options.quiet:
        emit("\n".join(lines) + "\n", for_people=True)
    return 0 if decided and learned and proved else 1


def decide(plan: Path, observe: Observer) -> tuple[bool, list[str]]:
    """Decompose a packing problem, and certify the answer of HiGHS in highs.sol."""
    from radprog.decompositions.own.certify import certify
    from radprog.decompositions.programs.compact import dantzig_wolfe

    run = dantzig_wolfe(plan, method="dantzig-wolfe", observe=observe)
    verdict = certify(plan, plan.with_name("highs.sol"))
    return run.certified, [
        f"decide   {plan}, 60 parcels: {run.objective:g} vans, bound {run.bound:g}: "
        f"{run.status}, proved by the {run.proved_by}, {run.seconds:.1f} s",
        f"         HiGHS stops at a gap of 10 % as Optimal: {verdict.objective:g} vans; certified: "
        f"{verdict.status}, bound {verdict.bound:g}",
    ]


def learn(
    folder: Path, train: Dataset, test: Dataset, observe: Observer
) -> tuple[bool, dict[str, Any], list[str]]:
    """Fit Voted Kernel Regularization, and price a constraint on its mean score.

    Each row is scaled to norm 1 independently of the other rows, so that the compression bound
    holds.
    """
    from radprog.analysis.bounds import bounds
    from radprog.api import fit
    from radprog.base.sections import bounded
    from radprog.decompositions.run import RunSettings
    from radprog.decompositions.vkr.fit import fit_vkr
    from radprog.models.constraints import mean_score
    from radprog.models.vkr.settings import VKR
    from radprog.result import result_of
    from radprog.saved import SavedFit, write_json
    from radprog.telling import uncertified

    spec = VKR(kernels=KERNELS, lam=1e-3, beta=1e-3)
    run = fit_vkr(spec, train, RunSettings(observe=observe))
    # result, fit and picture as files
    result = result_of(run, train, test)
    write_json(folder / "run.json", result)
    SavedFit(model="vkr", data=train, fit=run.fit).save(folder / "fit.json")
    try:
        from radprog.figures import run_figure, save  # loads matplotlib

        save(run_figure(result, run, train), folder / "convergence.png")
        picture = []
    except ExtraError as error:
        picture = [f"         no picture: {error}"]
    # error bounds, and a constraint with its price
    table = bounds(result, str(folder / TABLES[0]), holdout=0.2)
    holdout, proved = table["holdout"], result["compression"]
    limited = fit(spec, train, constraints=mean_score(-0.4))
    cost = float(limited.objective or 0.0) - result["objective"]
    word = "certified optimal" if result["certified"] else uncertified(result)
    lines = [
        f"learn    breast cancer, {train.rows} tumours to learn from; "
        f"{result['test']['error']:.1%} of {test.rows} others wrong",
        f"         objective {result['objective']:.10g}, bound {result['bound']:.10g}: {word}, "
        f"{result['time']['total']:.2f} s; {result['fit']['support_vectors']} tumours suffice",
        f"         error at most {bounded(holdout['upper'], '.1%')}% by {holdout['rows']} rows "
        f"held out, {bounded(proved['bound'], '.1%')}% by compression, each with probability 95%",
        f"         a mean score of at most -0.4 costs {cost:.5f}; "
        f"its price is {limited.multipliers['mean score']:.4f} per unit",
    ]
    return run.certified and limited.certified, result, [*lines, *picture]


def prove(folder: Path, train: Dataset, result: dict[str, Any]) -> tuple[bool, list[str]]:
    """Check the certificate from the data file, and solve the exported program by HiGHS."""
    from radprog.api import build
    from radprog.checking import check
    from radprog.exporting import export, verify
    from radprog.models.vkr.settings import VKR

    # the certificate, without a solver
    report = check(result, str(folder / TABLES[0]), test=str(folder / TABLES[1]))
    word = "holds" if report["holds"] else "DOES NOT HOLD"
    # the whole dual by another method
    dual = folder / "dual.mps"
    spec = VKR(kernels=KERNELS, lam=1e-3, beta=1e-3)
    export(build(spec, train, form="dual"), dual, expected=True)
    verdict = verify(dual, "highs")
    agreed = "agrees" if verdict.agrees else "DIFFERS"
    return report["holds"] and verdict.agrees, [
        f"prove    the certificate {word}, recomputed from {folder}/{TABLES[0]}",
        f"         {dual}: HiGHS on the whole program {agreed}, {verdict.answer.seconds:.1f} s",
    ]
