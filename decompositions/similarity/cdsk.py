"""CDSK: clustering by discriminative similarity, one monitored objective per variant.

ratio, ise: alternate between the spectral step and the weight step, both minimising Psi;
ncut, scaled: projected gradient on V(a), the minimum over Y; exact: see ``discrete``.
"""

from __future__ import annotations

from functools import partial

from radprog.base.errors import DataError, OptionError
from radprog.decompositions.loop import Budget, first_step
from radprog.decompositions.run import Outcome, Run, RunSettings, packed
from radprog.decompositions.similarity.assembly import (
    Instance,
    assemble,
    box_used,
    check_rows,
    collapse_of,
)
from radprog.decompositions.similarity.classifier import kernel_classifier
from radprog.decompositions.similarity.discrete import enumerate_labellings
from radprog.decompositions.similarity.labelling import Clustering, Relaxed
from radprog.decompositions.similarity.methods import alternate, reduce_cut, round_labels
from radprog.decompositions.similarity.report import bounds_of, summary_of
from radprog.decompositions.similarity.weight_step import weights_program
from radprog.decompositions.threads import single_threaded
from radprog.instances.unlabelled import PartlyLabelled
from radprog.models.similarity.settings import AUTO, CDSK
from radprog.models.similarity.spectral import ZeroDegreeError

NO_SIMILARITY = 1e-9  # share of lam by which 2n must lie above it
AT_BOX = 1e-3  # share of the largest weight within which a weight is at it

BOXED = (
    "weights are held to {:.6g} and some are there: what is optimal is (12) over that box, not "
    "over the paper's simplex (box none)"
)


@single_threaded
def fit_cdsk(
    spec: CDSK,
    data: PartlyLabelled,
    settings: RunSettings,
) -> Run:
    """Cluster the points; known labels are used for nothing but the agreement in the summary.

    Raises OptionError and DataError as ``similarity.problem.assemble`` does, and where a relaxation
    has nothing to cluster by: a row similar to no other, or no similarity at equal weights.
    """
    method = _method(spec, settings)
    budget = settings.budget()
    with first_step(budget):
        instance = assemble(spec, data)
        budget.ready()
        relaxed = _run_method(spec, data, instance, settings, budget, method)
    # labels, values and bounds of the incumbent are computed in full, whatever ended the run
    if isinstance(relaxed, Clustering):
        clustering = relaxed
    else:
        clustering = round_labels(instance, relaxed, settings.seed)
    return packed(spec, settings, budget, outcome_of(spec, data, instance, clustering, method))


def _run_method(
    spec: CDSK,
    data: PartlyLabelled,
    instance: Instance,
    settings: RunSettings,
    budget: Budget,
    method: str,
) -> Relaxed:
    """Where the method of a variant ends; method exact has labels too."""
    if method == "exact":
        sizes = spec.min_size or 1, spec.max_size or data.rows
        return enumerate_labellings(instance.problem.dense(), instance.c, sizes, settings, budget)
    if spec.objective != "ise":
        check_rows(instance, data)
    if spec.objective in ("ratio", "ise"):
        return alternate(instance, settings, budget)
    _check_similarity(instance, spec)
    try:
        return reduce_cut(instance, spec, settings, budget)
    except ZeroDegreeError as error:
        row = data.line(int(instance.order[error.row]))
        raise DataError(
            f"{data.name}: row {row} has degree 0 at equal weights with lam "
            f"{instance.problem.lam:g}: use a larger bandwidth, or a smaller lam"
        ) from None


def _check_similarity(instance: Instance, spec: CDSK) -> None:
    """OptionError where equal weights, from which ncut and scaled descend, make no similarity:
    S_ij = 2 (2 - lam / n) s_ij / n."""
    lam, most = instance.problem.lam, 2.0 * instance.problem.n
    if lam >= most * (1.0 - NO_SIMILARITY):
        raise OptionError(
            f"lam {lam:g}: from 2n = {most:g} on, equal weights make a similarity "
            "2 (a_i + a_j - lam a_i a_j) s_ij of 0 or less, by whose degrees objective "
            f"'{spec.objective}' divides: expected a smaller lam"
        )


def outcome_of(
    spec: CDSK, data: PartlyLabelled, instance: Instance, clustering: Clustering, method: str
) -> Outcome:
    """What a method found, by row of the data."""
    problem, objective = instance.problem, clustering.objective
    assert objective is not None
    a, codes = instance.restored(clustering.a), instance.restored(clustering.codes)
    embedding = instance.restored(clustering.embedding.Y).tolist()
    evidence = dict(clustering.evidence)
    if "labellings" in evidence:
        evidence["labellings"] = instance.restored(evidence["labellings"].T).T.tolist()
    box = box_used(instance)
    boxed = method == "exact" and box is not None and clustering.a.max() >= box * (1.0 - AT_BOX)
    warnings = [
        *instance.warnings,
        *([BOXED.format(box)] if boxed else []),
        *collapse_of(instance, clustering.a, clustering.codes, clustering.eigengap, data),
    ]
    summary = {
        **summary_of(instance, clustering.a, clustering.codes, data, clustering.eigenvalues),
        "objective_name": spec.objective,
        "eigengap": clustering.eigengap,
        "distortion": clustering.distortion,
        "least_curvature": clustering.lowest,
        "relative_objective": objective / problem.scale if problem.scale > 0 else None,
        "embedding": embedding,
    }
    return Outcome(
        method=method,
        reason=clustering.reason,
        objective=objective,
        bound=clustering.bound,
        trace=clustering.trace,
        solver=clustering.solver,
        fit=kernel_classifier(data.X, a, codes, instance.c, instance.bandwidth),
        summary=summary,
        evidence={
            **evidence,
            "a": a.tolist(),
            "Y": embedding,
            "labels": codes.tolist(),
            **({"bandwidth": instance.bandwidth} if spec.bandwidth == AUTO else {}),
        },
        program=partial(weights_program, problem, clustering.embedding.Y),
        warnings=tuple(warnings),
        extra={"bounds": bounds_of(instance, clustering.a, clustering.codes)},
    )


def _method(spec: CDSK, settings: RunSettings) -> str:
    method = settings.check(spec)
    sized = spec.min_size is not None or spec.max_size is not None
    if method == "alternate" and sized:
        raise OptionError("min_size and max_size are used by method exact and form labels alone")
    if method == "exact":
        if spec.objective in ("ncut", "scaled"):
            raise OptionError(f"objective '{spec.objective}' is of relaxed labels: not for exact")
        if spec.trace != "half":
            raise OptionError("trace is not used by method exact")
    elif settings.solver is not None and spec.objective in ("ncut", "scaled"):
        raise OptionError(f"objective '{spec.objective}' calls no solver: leave --solver out")
    return method
