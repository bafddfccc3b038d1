"""``radprog demo``: run the main steps, from data file to certificate, export and verification."""

from __future__ import annotations

import argparse
from pathlib import Path

from radprog.base.errors import ExtraError
from radprog.terminal import common
from radprog.terminal.common import Options
from radprog.terminal.output import emit

HELP = "the main steps on a real data set; the whole dual program takes most of the time"
EXAMPLES = ("demo -o demo-output", "demo --files classes,iris")
FOLDER = "demo-output"
KERNELS = "poly:1-10"


def add(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    folder = f"folder to write (default {FOLDER}, with --files the current one)"
    common.add_output(parser, "FOLDER", folder, default=None)
    parser.add_argument(
        "--files",
        metavar="NAME,...",
        help="in place of the demo, write small data files for the pages of the documentation: "
        "classes, iris, sinc, series, bags, views, texts, cars, or all",
    )
    help = "also replace data files that have other content"
    parser.add_argument("--force", action="store_true", help=help)


def run(options: Options) -> int:
    """Fit Voted Kernel Regularization to 70 % of scikit-learn's breast cancer data.

    The other rows are test data. Each row is scaled to norm 1 independently of the other rows, so
    that the compression bound holds. The command writes train.csv, test.csv, run.json, fit.json,
    dual.mps with its names and, with matplotlib, convergence.png. The exit code is 0 if the result
    is certified, ``check`` confirms the certificate from train.csv, and the exported file is
    verified.
    """
    from radprog.api import build
    from radprog.checking import check
    from radprog.decompositions.run import RunSettings
    from radprog.decompositions.vkr.fit import fit_vkr
    from radprog.examples import breast_cancer, place_files, write_dataset, write_examples
    from radprog.exporting import export, verify
    from radprog.instances.dataset import read
    from radprog.instances.splits import split
    from radprog.models.vkr.settings import VKR
    from radprog.result import result_of
    from radprog.saved import SavedFit, write_json
    from radprog.telling import uncertified
    from radprog.terminal.output import progress

    if options.files is not None:
        names = options.files.split(",")
        written = write_examples(names, options.output or ".", force=options.force)
        emit("".join(f"{name}\n" for name in written))
        return 0
    folder, spec = Path(options.output or FOLDER), VKR(kernels=KERNELS, lam=1e-3, beta=1e-3)
    # data: 70 % for training, as files
    parts = dict(zip(("train.csv", "test.csv"), split(breast_cancer(), 0.7, seed=0), strict=True))
    place_files(
        folder,
        lambda draft: [write_dataset(p, draft / name, "diagnosis") for name, p in parts.items()],
        force=options.force,
    )
    train = read(folder / "train.csv", scale="unit")
    test = read(folder / "test.csv", like=train)
    # solve, with a certificate
    with progress(quiet=options.quiet, verbose=False) as observe:
        run = fit_vkr(spec, train, RunSettings(observe=observe))
    # result and fit as files
    result = result_of(run, train, test)
    write_json(folder / "run.json", result)
    SavedFit(model="vkr", data=train, fit=run.fit).save(folder / "fit.json")
    # the certificate, the support points, and the error bound of the classifier
    proved = result["compression"]
    word = "certified optimal" if result["certified"] else uncertified(result)
    lines = [
        f"data       breast cancer, {train.rows} points to learn from, {test.rows} to test on",
        f"objective  {result['objective']:.10g}, bound {result['bound']:.10g}: {word}, "
        f"gap {result['gap']:.1e}, {result['time']['total']:.2f} s",
        f"classifier {result['fit']['support_vectors']} of {train.rows} points carry it",
        f"error      at most {proved['bound']:.1%} with probability {1 - proved['delta']:.0%}, "
        f"known without the test points; {result['test']['error']:.1%} on them",
    ]
    # check the certificate from the file, without a solver
    report = check(result, str(folder / "train.csv"), test=str(folder / "test.csv"))
    word = "holds" if report["holds"] else "DOES NOT HOLD"
    lines.append(f"check      the certificate {word}, recomputed from {folder}/train.csv")
    # export the whole dual, and let a solver confirm the optimum
    dual = folder / "dual.mps"
    export(build(spec, train, form="dual"), dual, expected=True)
    verdict = verify(dual, "highs")
    agreed = "agrees" if verdict.agrees else "DIFFERS"
    lines.append(
        f"export     {dual}: HiGHS on the whole program {agreed}, {verdict.answer.seconds:.1f} s"
    )
    picture = ["convergence.png"]
    try:
        from radprog.figures import run_figure, save  # loads matplotlib

        save(run_figure(result, run, train), folder / picture[0])
    except ExtraError as error:
        lines.append(f"picture    none: {error}")
        picture = []
    # what lies in the folder now
    names = ["train.csv", "test.csv", "run.json", "fit.json", *picture, "dual.mps"]
    lines.append(f"files      {folder}/{' '.join(names)}")
    if not options.quiet:
        emit("\n".join(lines) + "\n", for_people=True)
    return 0 if run.certified and report["holds"] and verdict.agrees else 1
