"""Other programs' solutions of exported forms, evaluated on the data: one reader per paper."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

import radprog.decompositions.lpboost.fit as lpboost
import radprog.decompositions.mkl.fit as mkl
import radprog.decompositions.similarity.cdsk as cdsk
import radprog.decompositions.similarity.simsvm as simsvm
import radprog.decompositions.vkr.fit as vkr
from radprog.decompositions.loop import Reason
from radprog.decompositions.lpboost.shapelets import assemble as assemble_shapelets
from radprog.decompositions.mkl.methods import Outcome, ball_of, problem_of
from radprog.decompositions.mkl.oracle import Machines
from radprog.decompositions.regression.fit import assemble as assemble_regression
from radprog.decompositions.regression.fit import in_class, pack, radius_of
from radprog.decompositions.run import Run, RunSettings, SolverUse
from radprog.decompositions.similarity.assembly import assemble as assemble_similarity
from radprog.decompositions.similarity.labelling import by_first_appearance
from radprog.decompositions.vkr import fit_svm as svm
from radprog.decompositions.vkr.pricing import Incumbent
from radprog.instances.bags import Bags
from radprog.instances.dataset import Dataset
from radprog.instances.errors import DataError, OptionError
from radprog.instances.regression import RegressionData
from radprog.instances.types import FloatArray
from radprog.instances.unlabelled import PartlyLabelled
from radprog.models.kernels import KernelBank, parse_kernels
from radprog.models.lpboost.settings import LPBoost
from radprog.models.mkl.kernel_sets import Data as KernelData
from radprog.models.mkl.kernel_sets import kernel_set
from radprog.models.mkl.programs import build_svm
from radprog.models.mkl.settings import MKL
from radprog.models.regression.problem import best_bias
from radprog.models.regression.settings import SVR
from radprog.models.settings import L1SVM, SVM, VKR
from radprog.models.similarity.problem import DensityWeighted, indicator, project
from radprog.models.similarity.settings import CDSK, SimSVM

Index = tuple[int, ...]

FEASIBLE = 1e-5  # relative excess over A or out of a ball: solvers meet such rows up to 1e-6


@dataclass(frozen=True, kw_only=True)
class Point:
    """A solution of one form: values and row duals by component and index, such as
    ``values["alpha_plus"][2, 5]``; () where there is no index.

    Duals are d objective / d right-hand side of the exported minimisation, None where unknown.
    """

    form: str
    values: Mapping[str, Mapping[Index, float]]
    duals: Mapping[str, Mapping[Index, float]] | None = None

    def vector(self, component: str, *, dual: bool = False) -> FloatArray:
        """The values of a component, in order of their index."""
        source = self.duals if dual else self.values
        entries = {} if source is None else source.get(component, {})
        return np.array([entries[index] for index in sorted(entries)], dtype=np.float64)

    def indices(self, component: str, *, dual: bool = False) -> list[Index]:
        """The indices of a component, in order."""
        source = self.duals if dual else self.values
        return sorted({} if source is None else source.get(component, {}))


def by_component(values: Iterable[tuple[str, float]]) -> dict[str, dict[Index, float]]:
    """Values of Pyomo components such as ``alpha_plus[2,5]`` by name and index.

    Where a component comes more than once its values are added: the halves of a ranged row.
    """
    found: dict[str, dict[Index, float]] = {}
    for component, value in values:
        name, _, rest = component.partition("[")
        index = tuple(int(number) for number in re.findall(r"-?\d+", rest))
        entries = found.setdefault(name, {})
        entries[index] = entries.get(index, 0.0) + value
    return found


def load_vkr(
    spec: VKR | L1SVM, data: Dataset, points: Sequence[Point], settings: RunSettings
) -> Run:
    """alpha of a primal form or of the duals of a dual form, d of the other way round.

    Without d the bound is None. Raises OptionError where no point holds alpha.
    """
    budget = settings.budget()
    program = spec.as_vkr() if isinstance(spec, L1SVM) else spec
    problem, penalties = vkr.assemble(replace(program, rho=None), data, settings.seed)
    pairs, alpha, d = None, None, None
    for point in points:
        if point.form in ("dual", "master"):
            d = point.vector("weight") if d is None else d
            if alpha is None and point.duals is not None:
                pairs = point.indices("correlation", dual=True)
                alpha = -point.vector("correlation", dual=True)
        else:
            if alpha is None:
                pairs = point.indices("alpha_plus")
                alpha = point.vector("alpha_plus") - point.vector("alpha_minus")
            if d is None and point.duals is not None:
                d = point.vector("margin", dual=True)
    if alpha is None or pairs is None:
        raise OptionError(
            f"form '{points[0].form}' without row duals holds no coefficients: load a solution of "
            "form 'primal', with this one as --dual-sol"
        )
    columns = np.asarray(pairs, dtype=np.intp).reshape(-1, 2)
    p, m, c = problem.bank.shape
    if not bool(np.all(columns < (p, c))) or (d is not None and d.shape != (m,)):
        raise DataError("the solution does not fit this data set: other points or kernels")
    used = alpha != 0.0
    weights = np.zeros(m) if d is None else np.clip(d, 0.0, 1.0 / m)
    incumbent = Incumbent(columns[used], alpha[used], 0.0, weights, 0.0, np.zeros((p, c)))
    outcome = vkr.Outcome(Reason.SOLVER, [], incumbent, columns)
    run = vkr.finish(spec, problem, penalties, outcome, settings, budget, budget.seconds)
    if d is None:
        return replace(run, bound=None, evidence={**run.evidence, "d": None})
    return run


def load_svm(spec: SVM, data: Dataset, points: Sequence[Point], settings: RunSettings) -> Run:
    """The multipliers a of the dual: primal and dual value come from them alone."""
    budget = settings.budget()
    bank = KernelBank([parse_kernels(spec.kernels)[0]], data.X)
    a = points[0].vector("a")
    if a.shape != (data.rows,):
        raise DataError("the solution does not fit this data set: other points")
    kernels_done = budget.started + budget.seconds
    point = svm.evaluate(bank.gram(0), data.signs, spec.C, a, "none", "", Reason.SOLVER)
    return svm.finish(spec, data, bank, point, settings, budget, kernels_done)


def load_svr(
    spec: SVR, data: RegressionData, points: Sequence[Point], settings: RunSettings
) -> Run:
    """w and b of a step or of the global form; of the dual step the coefficients g, with b chosen
    best. The bounded losses are evaluated; there is no bound."""
    kernel, problem = assemble_regression(spec, data)
    radius, point = radius_of(spec), points[0]
    if point.form == "step-dual":
        g = point.vector("g")
        if g.shape != (data.rows,):
            raise DataError("the solution does not fit this data set: other points")
        w, b = problem.factor.T @ g, np.zeros(1)
    else:
        w, b = point.vector("w"), point.vector("b")
    if w.shape != (problem.rank,) or b.shape != (1,):
        raise DataError("the solution does not fit this data set: another rank of the kernel")
    warnings: tuple[str, ...] = ()
    if radius.A is not None and w @ w > radius.A * (1.0 + FEASIBLE):
        outside = f"the solution has |w|^2 = {w @ w:.10g}, above A = {radius.A:.10g}"
        if point.form in ("step-ivanov", "global"):
            raise DataError(outside)
        warnings = (f"{outside}, which this form only prices: it was scaled down",)
    x = np.append(w, b)[None]
    if point.form == "step-dual":
        signs = -np.ones((1, data.rows))
        x[:, -1] = best_bias(problem.functions(x), problem.y[None], signs, problem.loss)[0]
    coefficients, bias = in_class(problem, x, radius.A)
    run = pack(spec, data, settings, kernel, problem, coefficients, bias)
    return replace(run, warnings=warnings)


def load_simsvm(spec: SimSVM, data: Dataset, points: Sequence[Point], settings: RunSettings) -> Run:
    """The coefficients of the primal, with its row duals as mu; or mu of the dual, which gives
    the coefficients too. Without mu the bound is None."""
    machine = simsvm.machine_of(spec, data)
    a, mu = None, None
    for point in points:
        if point.form == "dual":
            mu = point.vector("multiplier") if mu is None else mu
        else:
            a = point.vector("coefficient") if a is None else a
            if mu is None and point.duals is not None:
                mu = point.vector("margin", dual=True)
    if any(part is not None and part.shape != (machine.n,) for part in (a, mu)):
        raise DataError("the solution does not fit this data set: other points")
    known = np.zeros(machine.n) if mu is None else machine.feasible(mu)
    a = machine.coefficients(known) if a is None else a
    pair = simsvm.paired(machine, a, known, SolverUse("none", "", {}), Reason.SOLVER)
    run = simsvm.pack(spec, data, settings, machine, pair)
    if mu is None:
        return replace(run, bound=None, evidence={**run.evidence, "mu": None})
    return run


def load_lpboost(spec: LPBoost, data: Bags, points: Sequence[Point], settings: RunSettings) -> Run:
    """Weights of the single shapelets of the primal or of the duals of the dual form, weights of
    the rows the other way round. Without the latter the bound is None.

    Raises OptionError for a learner whose hypotheses the program does not name, or a weak form.
    """
    if not spec.exact or any(point.form not in ("primal", "dual") for point in points):
        raise OptionError(
            "only forms primal and dual of the learners shapelet and shapelet-plus name their "
            "hypotheses: a solution of another program of lpboost is no answer of the model"
        )
    problem = assemble_shapelets(spec, data)
    w, d = None, None
    for point in points:
        if point.form == "dual":
            d = point.vector("d") if d is None else d
            if w is None and point.duals is not None:
                w = -point.vector("edge", dual=True)
        else:
            w = point.vector("weight") if w is None else w
            if d is None and point.duals is not None:
                d = point.vector("margin", dual=True)
    if w is None:
        raise OptionError(
            "form 'dual' without row duals holds no weights of hypotheses: load a solution of form "
            "'primal', with this one as --dual-sol"
        )
    signs = (1.0, -1.0) if spec.learner == "shapelet" else (1.0,)
    singles = [
        (f, k, sign) for sign in signs for f, family in enumerate(problem.families)
        for k in range(family.n)
    ]  # fmt: skip
    w = np.maximum(w, 0.0)
    if w.shape != (len(singles),) or not w.any() or (d is not None and d.shape != (problem.m,)):
        raise DataError("the solution does not fit this data set: other series or lengths")
    used = np.flatnonzero(w > lpboost.NEGLIGIBLE * w.max())
    chosen = [problem.single(*singles[t]) for t in used]
    rows = np.full(problem.m, 1.0 / problem.m) if d is None else d
    run = lpboost.pack(spec, data, settings, problem, chosen, w[used] / w[used].sum(), rows)
    if d is None:
        return replace(run, bound=None, evidence={**run.evidence, "d": None})
    return run


def load_mkl(
    spec: MKL, data: KernelData | None, points: Sequence[Point], settings: RunSettings
) -> Run:
    """Weights mu of the kernels of form primal or silp, J evaluated by support vector machines at
    mu; the bound comes from the dual points of form qcqp, and is None where that is not loaded too.

    Raises OptionError where no point holds mu.
    """
    budget = settings.budget()
    problem = problem_of(spec, kernel_set(spec, mkl.gram_data(spec, data)))
    mu, a = None, None
    for point in points:
        if point.form in ("primal", "silp"):
            mu = point.vector("mu") if mu is None else mu
        elif point.form == "qcqp":
            a = point.vector("a") if a is None else a
    if mu is None:
        raise OptionError(
            f"form '{points[0].form}' holds no weights of kernels: load a solution of form primal "
            "or silp, with one of qcqp as --dual-sol"
        )
    shape = problem.labels.shape
    if mu.shape != (problem.kernels.M,) or (a is not None and a.size != np.prod(shape)):
        raise DataError("the solution does not fit this data set: other points or kernels")
    length = ball_of(spec, problem).length(mu := np.maximum(mu, 0.0))
    if length > 1.0 + FEASIBLE:
        raise DataError(f"the weights break their constraint by a factor {length:.10g}")
    mu = mu / max(length, 1.0)
    machines, ready = Machines(problem), budget.started + budget.seconds
    value = machines(mu, budget)  # J(mu) is a minimum: its own machines attain it
    outcome = Outcome(
        value=value, reason=Reason.SOLVER, trace=[], dual=None if a is None else a.reshape(shape),
        build=lambda: build_svm(problem, mu), solver=SolverUse("none", "", {}),
    )  # fmt: skip
    return mkl.finish(spec, problem, machines, outcome, settings, (budget, ready, "load"))


def load_cdsk(
    spec: CDSK, data: PartlyLabelled, points: Sequence[Point], settings: RunSettings
) -> Run:
    """Labels and weights of the discrete program (12) or (25), evaluated; there is no bound.

    Raises OptionError for another form, which is a step of the method, and for labels that are not
    whole or break the size bounds.
    """
    point, budget = points[0], settings.budget()
    instance = assemble_similarity(spec, data)
    problem, shape = instance.problem, (instance.problem.n, instance.c)
    if point.form not in ("labels", "general") or isinstance(problem, DensityWeighted):
        raise OptionError(f"form '{point.form}' is a step of the method: its solution is no answer")
    label, weight = point.vector("label"), point.vector("weight")
    if label.size != np.prod(shape) or weight.size != np.prod(shape):
        raise DataError("the solution does not fit this data set: other points or clusters")
    label, weight = label.reshape(shape), weight.reshape(shape)
    sizes = np.round(label).sum(axis=0)
    whole = np.abs(label - np.round(label)).max() <= FEASIBLE
    if not whole or (np.round(label).sum(axis=1) != 1).any():
        raise DataError("the labels of the solution are not whole: every point needs one cluster")
    if sizes.min() < (spec.min_size or 1) or sizes.max() > (spec.max_size or problem.n):
        raise DataError(f"the clusters of the solution have sizes {sizes.astype(int).tolist()}")
    codes = by_first_appearance(label.argmax(axis=1))
    a = project(weight.sum(axis=1), problem.upper)
    found = cdsk.Found(
        a=a, Y=indicator(codes, instance.c), codes=codes,
        objective=problem.labelled_value(a, codes), reason=Reason.SOLVER, trace=[],
        solver=SolverUse("none", "", {}), evidence={"kind": "discrete"},
    )  # fmt: skip
    return cdsk.pack(spec, data, settings, instance, found, (budget, budget.seconds))
