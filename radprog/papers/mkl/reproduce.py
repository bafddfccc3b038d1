"""The computation of Learning Kernels Using Local Rademacher Complexity, Table 1 and Figure 2."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from radprog.base.errors import RadprogError
from radprog.base.limits import OutOfBudget
from radprog.base.types import FloatArray
from radprog.decompositions.mkl.exchange import ValueOracle
from radprog.decompositions.mkl.fit import fit_grid
from radprog.decompositions.mkl.predictor import multi_kernel_expansion
from radprog.decompositions.run import Run, RunSettings
from radprog.decompositions.sweeps.checkpoint import identity_of
from radprog.decompositions.sweeps.sharing import answers
from radprog.decompositions.sweeps.units import Call, Inside, Sweep, Unit
from radprog.instances.generators import tss_like
from radprog.instances.splits import error_of_mean, stratified_parts
from radprog.instances.views import ViewSet, read_views
from radprog.models.mkl.kernel_sets import kernel_set
from radprog.models.mkl.problem import MultipleKernels
from radprog.models.mkl.settings import MKL
from radprog.models.ranking import area_under_curve
from radprog.reproducing import DECLARED, Job, Row, beside, paired_test, table, tables

RepeatSample = dict[str, Any]

TOL = 1e-3  # relative gap of every fit
VIEWS = 12
GAUSSIAN_FOLD = f"rbf:{1 / 27:.12g}"  # views of 27 columns
# Kernel, scaling of every view and values of C, in half decades.
FOLD_KERNELS: Mapping[str, tuple[str, str, tuple[float, ...]]] = {
    "gaussian": (GAUSSIAN_FOLD, "standard", (0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0)),
    "cosine": ("linear", "unit", (0.1, 0.3, 1.0, 3.0, 10.0)),
    "linear": ("linear", "none", (0.1, 0.3, 1.0, 3.0, 10.0)),
}
FOLD_THETAS = (1, 4, 8, 16)
FOLD_REPEATS, FOLD_QUICK = 10, 2
QUICK_CS, QUICK_THETAS = (1.0,), (4,)
FOLD_PAPER = DECLARED["mkl-table1"]["printed"]
FOLD_THETA = 8
JOINTLY = ", joint"  # methods with one hinge loss over all classes, as in the paper's ufo

SITE_VARIANTS: Mapping[str, dict[str, Any]] = {
    "unif": {"variant": "unif"},
    "l2": {"variant": "lp", "norm": 2.0},
    "l1": {"variant": "lp"},
    "conv, p = 1": {"variant": "conv"},
    "conv, p = 2": {"variant": "conv", "norm": 2.0},
    "dc, p = 1": {"variant": "dc", "starts": 3},
    "dc, p = 2": {"variant": "dc", "norm": 2.0, "starts": 3},
    "l1, centred kernels": {"variant": "lp", "center": True},
}
SITE_CS, SITE_THETAS = (0.01, 0.1, 1.0, 10.0, 100.0), (1, 2, 4, 8, 16)  # the paper's grid
SITE_VALIDATION, SITE_TEST = 400, 800
SITE_REPEATS, SITE_QUICK = 100, 2
SITE_PAPER = DECLARED["mkl-figure2"]["printed"]


def samples_of(
    job: Job,
    name: str,
    call: Call,
    shared: Any,
    repeats: int,
    size: int,
    identity: Mapping[str, Any],
) -> list[RepeatSample]:
    """The results of call(shared, seed, inside) for each repeat. A repeat is a unit of a sweep and
    consists of ``size`` fits.

    Repeats after an interrupt are left out.
    """
    settings, before = job.settings(name), job.done
    units = [
        Unit(name=f"{name}, repeat {r + 1}", item=job.seed + r, size=size) for r in range(repeats)
    ]
    sweep = Sweep(call=call, shared=shared, units=units, identity={**identity, "tol": TOL})

    def watch(done: int, total: int) -> None:
        job.done = before + done
        job.watch(name, job.done, job.total)

    samples = []
    for answer in answers(sweep, settings.sharing, settings.budget(), watch):
        if answer.error is not None:
            raise answer.error
        if not answer.cut:
            samples.append(answer.value)
    if not samples:
        job.check()
    return samples


def mean_error(values: Sequence[float] | FloatArray) -> tuple[float, float | None]:
    """Mean and standard error over the repeats; a single repeat has no standard error."""
    return float(np.mean(values)), error_of_mean(values)


def fits(specs: Sequence[MKL], data: Any, inside: Inside) -> Iterator[tuple[MKL, Run]]:
    """Yield the run of each settings object, and count it as finished."""
    for spec, run in fit_grid(specs, data, RunSettings(tol=TOL, interrupted=inside.interrupted)):
        if isinstance(run, RadprogError):
            raise run
        if inside.interrupted():
            raise OutOfBudget
        inside.step()
        yield spec, run


def fold_specs(kernels: str, Cs: Sequence[float], thetas: Sequence[int]) -> dict[str, list[MKL]]:
    """The grid of each method, in order of decreasing regularisation."""

    def grid(**options: Any) -> list[MKL]:
        return [MKL(kernels=kernels, C=C, **options) for C in Cs]

    norms, grids = (1.0, 2.0), dict[str, list[MKL]]()
    for name, multiclass in (("", "rest"), (JOINTLY, "joint")):
        grids["unif" + name] = grid(variant="unif", multiclass=multiclass)
        grids["MKL" + name] = [
            spec for norm in norms for spec in grid(variant="lp", norm=norm, multiclass=multiclass)
        ]
        grids["conv" + name] = [
            spec
            for norm in norms
            for theta in thetas
            for spec in grid(variant="conv", norm=norm, theta=theta, multiclass=multiclass)
        ]
    return grids


def protein_rows(job: Job) -> Iterator[Row]:
    """Table 1 on the protein folds: accuracy in per cent on the held-out half of the points.

    The files are mkl/proteinFold_viewNN.csv. The training rows determine the scaling. Each setting
    is fitted to two thirds of the training half, and validated on the other third. The first of the
    best settings is then fitted to the whole training half.
    """
    paths = [job.file("mkl", f"proteinFold_view{view + 1:02d}.csv") for view in range(VIEWS)]
    repeats = FOLD_QUICK if job.quick else FOLD_REPEATS
    grids = {
        name: fold_specs(
            FOLD_KERNELS[name][0],
            QUICK_CS if job.quick else FOLD_KERNELS[name][2],
            QUICK_THETAS if job.quick else FOLD_THETAS,
        )
        for name in job.sets
    }
    job.total = repeats * sum(1 + len(specs) for grid in grids.values() for specs in grid.values())
    for name, grid in grids.items():
        data = read_views(paths, scale=FOLD_KERNELS[name][1])
        specs = [spec for specs in grid.values() for spec in specs]
        identity, size = identity_of(specs, data, job.settings(name)), len(specs) + len(grid)
        label = f"{name} kernels"
        samples = samples_of(job, label, _folds, (data, grid), repeats, size, identity)
        yield from _fold_rows(name, grid, samples)
        if len(samples) < repeats:
            job.check()


def _fold_rows(
    name: str, grid: Mapping[str, list[MKL]], samples: Sequence[RepeatSample]
) -> Iterator[Row]:
    """One row per method: means over the splits, and paired differences from MKL.

    Methods with the joint loss are compared with MKL, joint.
    """
    for method in grid:
        accuracy, error = mean_error([100 * sample[method]["share"] for sample in samples])
        plain = method.removesuffix(JOINTLY)
        base = "MKL" + method[len(plain) :]
        paired = [100 * (s[method]["share"] - s[base]["share"]) for s in samples]
        against = (None, None) if plain == "MKL" else mean_error(paired)
        paper, paper_error = FOLD_PAPER[plain]
        yield {
            "set": name,
            "method": method,
            "accuracy": accuracy,
            "standard_error": error,
            "paper_accuracy": paper,
            "difference": accuracy - paper,
            "paper_standard_error": paper_error,
            "against_mkl": against[0],
            "against_mkl_error": against[1],
            "paper_against_mkl": None if plain == "MKL" else paper - FOLD_PAPER["MKL"][0],
            "thetas": _counted([sample[method]["theta"] for sample in samples]),
            "paper_theta": FOLD_THETA if plain == "conv" else None,
            "Cs": _counted([sample[method]["C"] for sample in samples]),
            "norms": _counted([sample[method]["norm"] for sample in samples]),
            "repeats": len(samples),
            "certified": all(sample[method]["certified"] for sample in samples),
        }


def _folds(
    shared: tuple[ViewSet, Mapping[str, list[MKL]]], seed: int, inside: Inside
) -> RepeatSample:
    """One split: for each method the share of correct test points, and the choice."""
    data, grid = shared
    codes = data.codes.astype(np.float64)
    # one half for training, the other for the test; a third of the first validates
    first, second = stratified_parts(codes, 2, seed)
    train, test = data.partition(first, second)
    held, *others = stratified_parts(codes[first], 3, seed)
    inner, validation = data.partition(first[np.sort(np.concatenate(others))], first[held])
    chosen_of = {}
    for method, specs in grid.items():
        # the settings that validate best, fitted to the whole training half
        shares = [
            float((run.fit.predict(validation.X) == validation.targets).mean())
            for _, run in fits(specs, inner, inside)
        ]
        spec = specs[int(np.argmax(shares))]
        ((_, run),) = fits([spec], train, inside)
        share = float((run.fit.predict(test.X) == test.targets).mean())
        theta = spec.cutoff if spec.variant == "conv" else None
        chosen = {"theta": theta, "C": float(spec.C), "norm": float(spec.p)}
        chosen_of[method] = {"share": share, **chosen, "certified": run.certified}
    return chosen_of


def fold_claims(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """A t-test of the paper's claim that ``conv`` is better than MKL, for each set of kernels."""
    claims = []
    for row in rows:
        if row["method"].startswith("conv") and row["against_mkl_error"] is not None:
            test = paired_test(row["against_mkl"], row["against_mkl_error"], row["repeats"])
            pair = f"{row['method']} against MKL{row['method'].removeprefix('conv')}"
            claims.append(f"{row['set']} kernels: {pair} {test}; the paper: +2.4")
    return claims


def _counted(values: Sequence[Any]) -> str | None:
    """Chosen values with their frequencies; None without a choice."""
    numbers = [value for value in values if value is not None]
    counts = {value: numbers.count(value) for value in sorted(set(numbers))}
    return ", ".join(f"{value:g} ({count})" for value, count in counts.items()) or None


def site_rows(job: Job) -> Iterator[Row]:
    """Figure 2 on random data that imitate the transcription start sites.

    The rows of single kernels come before those of the methods. All values are means over draws of
    the data. Every row contains the area under the ROC curve on test points in per cent. The rows
    of single kernels also contain the tail sums of the training matrices. The rows of methods also
    contain the shares of the weights, for kernel matrices with trace n. C and theta are chosen on
    validation points.
    """
    repeats, specs = SITE_QUICK if job.quick else SITE_REPEATS, _site_specs()
    size = 1 + sum(map(len, specs.values()))
    job.total = len(job.sets) * repeats * size
    for name in job.sets:
        identity = {"n": name, "seed": job.seed, "settings": [*map(str, specs.values())]}
        label = f"n = {name}"
        samples = samples_of(job, label, _sites, int(name), repeats, size, identity)
        # a line for every kernel alone
        for m, kernel in enumerate(SITE_PAPER):
            auc, error = mean_error([100 * sample["single"][m] for sample in samples])
            tails = np.mean([sample["tails"][m] for sample in samples], axis=0)
            yield {
                "set": name,
                "method": kernel,
                "kind": "kernel",
                "auc": auc,
                "standard_error": error,
                "paper_auc": SITE_PAPER[kernel],
                "tail_0": float(tails[0]),
                "tail_1": float(tails[1]),
                "tails": tails.tolist(),
                "repeats": len(samples),
            }
        # a line for every method, paired with l1
        base = np.array([sample["methods"]["l1"]["auc"] for sample in samples])
        for method in SITE_VARIANTS:
            draws = [sample["methods"][method] for sample in samples]
            areas = np.array([sample["auc"] for sample in draws])
            auc, error = mean_error(100 * areas)
            difference = (None, None) if method == "l1" else mean_error(100 * (areas - base))
            shares = np.mean([sample["shares"] for sample in draws], axis=0)
            yield {
                "set": name,
                "method": method,
                "kind": "method",
                "auc": auc,
                "standard_error": error,
                "paper_auc": None,
                "against_l1": difference[0],
                "against_l1_error": difference[1],
                **dict(zip(SITE_PAPER, shares.tolist(), strict=True)),
                "thetas": _counted([sample["theta"] for sample in draws]),
                "repeats": len(samples),
            }
        if len(samples) < repeats:
            job.check()


def site_claims(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """A t-test of the paper's claim that tail sums are better than l1, for each method and n."""
    return [
        f"n = {row['set']}: {row['method']} against l1 "
        + paired_test(row["against_l1"], row["against_l1_error"], row["repeats"])
        for row in rows
        if row["kind"] == "method" and row["against_l1_error"] is not None
    ]


def _site_specs() -> dict[str, list[MKL]]:
    grids = {}
    for method, options in SITE_VARIANTS.items():
        thetas = SITE_THETAS if options["variant"] in ("conv", "dc") else (None,)
        grids[method] = [MKL(C=C, theta=theta, **options) for theta in thetas for C in SITE_CS]
    return grids


def _sites(n: int, seed: int, inside: Inside) -> RepeatSample:
    """One draw: each method at its best validated settings, and each single kernel."""
    data = tss_like(n + SITE_VALIDATION + SITE_TEST, seed)
    train, others = data.partition(np.arange(n), np.arange(n, data.rows))
    cut, truth = SITE_VALIDATION, others.targets

    def best(scored: list[tuple[Any, FloatArray]]) -> tuple[Any, float]:
        what, f = max(scored, key=lambda item: area_under_curve(item[1][:cut], truth[:cut]))
        return what, area_under_curve(f[cut:], truth[cut:])

    methods = {}
    for method, specs in _site_specs().items():
        (spec, weights), auc = best(
            [
                ((spec, run.summary["weights"]), run.fit.scores(others.X))
                for spec, run in fits(specs, train, inside)
            ]
        )
        theta = spec.cutoff if spec.variant in ("conv", "dc") else None
        shares = (np.asarray(weights) / np.sum(weights)).tolist()
        methods[method] = {"auc": auc, "shares": shares, "theta": theta}
    # every kernel alone
    kernels, single = kernel_set(MKL(), train), []
    for unit in np.eye(kernels.M):
        scored = []
        for C in SITE_CS:
            alone = MultipleKernels(kernels=kernels, C=C, loss="hinge", bias=True)
            fit = multi_kernel_expansion(alone, ValueOracle(alone)(unit, TOL))
            scored.append((C, fit.scores(others.X)))
        single.append(best(scored)[1])
    inside.step()
    spectra = [np.maximum(kernels.eigenvalues(m), 0.0) for m in range(kernels.M)]
    tails = [np.cumsum(values[::-1])[::-1].tolist() for values in spectra]
    return {"methods": methods, "single": single, "tails": tails}


def draw_rows(rows: Sequence[Mapping[str, Any]], path: str, title: str) -> None:
    """Draw the figure of the rows."""
    from radprog.papers.mkl.plot import plot_sites

    plot_sites(rows, path, title)


PLOTTER = beside("accuracy", "standard_error", "paper_accuracy", "test accuracy %")
TABLES = tables(
    table("mkl-table1", protein_rows, PLOTTER, fold_claims),
    table("mkl-figure2", site_rows, draw_rows, site_claims),
)
