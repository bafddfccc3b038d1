"""The demo: the main job from data to certificate, export and verification."""

from __future__ import annotations

import sys
from pathlib import Path

from radprog.decompositions.forms import vkr_form
from radprog.decompositions.run import RunSettings
from radprog.decompositions.vkr import fit_vkr
from radprog.export import export, verify
from radprog.instances.bundled import breast_cancer
from radprog.instances.errors import OutputError
from radprog.instances.splits import split
from radprog.models.settings import VKR
from radprog.plots import plot_run
from radprog.progress import progress
from radprog.result import result_of, summary_lines
from radprog.saved import SavedFit, write_json
from radprog.solvers.program import SolveSettings
from radprog.solvers.readers import READERS

SPEC = VKR(kernels="poly:1-10", lam=1e-3, beta=1e-3)


def run_demo(folder: Path, *, quiet: bool) -> int:
    """Voted Kernel Regularization on scikit-learn's breast cancer data, 70 % of it for training.

    Writes run.json, fit.json, convergence.png and dual.mps with its names into ``folder``;
    returns 0 when the result is certified and the exported file confirmed.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"cannot make the folder {folder}: {error.strerror}") from None
    train, test = split(breast_cancer(scale="ball"), 0.7, seed=0)
    with progress(quiet=quiet, verbose=False) as observe:
        settings = RunSettings(observe=observe)
        run = fit_vkr(SPEC, train, settings)
    result = result_of(run, train, settings, test)
    write_json(folder / "run.json", result)
    SavedFit(model="vkr", data=train, fit=run.fit).save(folder / "fit.json")
    plot_run(result, folder / "convergence.png")
    built = vkr_form(SPEC, train, "dual", RunSettings())
    path = folder / "dual.mps"
    export(
        built.model,
        path,
        name="vkr",
        form="dual",
        expected=built.expected,
        sense=built.sense,
        data_sha256=train.sha256,
    )
    lines = summary_lines(result)
    agreed = True
    for solver in [name for name in ("highs", "scip") if READERS[name].installed()]:
        verdict = verify(path, solver, SolveSettings())
        agreed = agreed and verdict.agrees
        word = "agrees" if verdict.agrees else "DIFFERS"
        lines.append(
            f"export     {path} solved by {solver} {verdict.answer.version}: "
            f"{verdict.objective:.10g}, {word} ({verdict.answer.seconds:.1f} s)"
        )
    lines.append(f"files      {folder}/run.json, fit.json, convergence.png, dual.mps")
    if not quiet:
        sys.stdout.write("\n".join(lines) + "\n")
    return 0 if run.certified and agreed else 1
