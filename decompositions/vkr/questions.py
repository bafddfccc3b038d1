"""Analyses of VKR and the SVM: loaded solutions, prices, paths and function classes."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from radprog.base.errors import DataError, OptionError
from radprog.base.limits import poll
from radprog.base.tolerances import PATH_SOLVE_TOL
from radprog.base.types import FloatArray, IntArray
from radprog.decompositions.drivers.exchange import coefficients_of
from radprog.decompositions.expansion import signs
from radprog.decompositions.loop import Reason, first_step
from radprog.decompositions.questions import (
    MOST_ROWS,
    Candidate,
    FormSolution,
    FunctionClass,
    Line,
    ParameterPath,
    PricingResult,
    ball_class,
    check_path,
    envelope,
)
from radprog.decompositions.run import Run, RunSettings, packed
from radprog.decompositions.vkr.fit import (
    assemble,
    generate_columns,
    stored_coefficients,
)
from radprog.decompositions.vkr.fit_svm import outcome_at, psd_bank
from radprog.decompositions.vkr.pricing import Incumbent, Solved, Warm, joined
from radprog.decompositions.vkr.report import outcome_of
from radprog.instances.dataset import Dataset
from radprog.models.complexity import finite_suprema, massart
from radprog.models.kernel_bank import KernelBank
from radprog.models.kernels import parse_kernels
from radprog.models.rounding import up
from radprog.models.score_rows import NO_CAPS, ROW_PRICE, SCORE_ROW, refuse_rows
from radprog.models.vkr.penalties import penalties_of, trace_penalty
from radprog.models.vkr.problem import VotedKernels
from radprog.models.vkr.settings import L1SVM, SVM, VKR

ANY = "any:"
STARTS, START_WIDTHS = 12, 7  # of the search: best columns of the sample's centres and these widths


@dataclass(frozen=True, kw_only=True)
class AnyGaussian:
    """The kernels exp(-gamma |x - x'|^2) with low <= gamma <= high and centre x' in the bounding
    box of the data.

    The paper's base functions K_k(., x') have arbitrary centres x', and its Section 5.2 has
    infinitely many kernels. At a dual point, the correlation of such a column is a smooth,
    nonconcave function of gamma and x'. A heuristic search from many starts maximises it.
    """

    name: str
    low: float
    high: float


def parse_any(text: str) -> AnyGaussian:
    """Parse ``any:rbf:LOW..HIGH``. Raises OptionError if the family is different, or if there are
    fewer than two widths.
    """
    kernels = parse_kernels(text.removeprefix(ANY))
    widths = [getattr(kernel, "gamma", 0.0) for kernel in kernels if kernel.base == "squared"]
    if len(widths) != len(kernels) or len(kernels) < 2:
        raise OptionError(f"{text}: expected any:rbf:LOW..HIGH, only Gaussian kernels")
    return AnyGaussian(name=text, low=min(widths), high=max(widths))


def largest_correlation(
    family: AnyGaussian, X: FloatArray, v: FloatArray
) -> tuple[float, float, FloatArray]:
    """The largest |sum_i v_i exp(-gamma |x_i - x'|^2)| found by a search, with its gamma and x'.

    X (m, N) contains the points, and v (m,) is the pricing vector. The result is a lower bound on
    the supremum.
    """
    from scipy.optimize import minimize  # slow to import
    from scipy.spatial.distance import cdist

    box = np.column_stack([X.min(axis=0), X.max(axis=0)])
    ends = math.log(family.low), math.log(family.high)

    def negated(point: FloatArray, sign: float) -> tuple[float, FloatArray]:
        """-sign times the correlation at (log gamma, x'), and its gradient."""
        gamma, offsets = math.exp(point[0]), X - point[1:]
        squares = np.einsum("ij,ij->i", offsets, offsets)
        terms = sign * v * np.exp(-gamma * squares)
        slope = np.concatenate([[-gamma * (terms @ squares)], 2.0 * gamma * (terms @ offsets)])
        return -float(terms.sum()), -slope

    # starts: the best columns at the rows themselves, over a grid of widths
    squares = cdist(X, X, "sqeuclidean")
    candidates: list[tuple[float, float, float, int]] = []
    for gamma in np.geomspace(family.low, family.high, START_WIDTHS).tolist():
        poll()
        values = (v @ np.exp(-gamma * squares)).tolist()
        order = np.argsort(-np.abs(values))[:STARTS].tolist()
        candidates += [(abs(values[j]), math.copysign(1.0, values[j]), gamma, j) for j in order]
    candidates.sort(reverse=True)
    best = candidates[0][0], candidates[0][2], X[candidates[0][3]]
    # ascent from each, within the box and the interval of widths
    for _, sign, gamma, j in candidates[:STARTS]:
        poll()
        found = minimize(
            negated,
            np.concatenate([[math.log(gamma)], X[j]]),
            args=(sign,),
            jac=True,
            method="L-BFGS-B",
            bounds=[ends, *box.tolist()],
        )
        if -found.fun > best[0]:
            best = -float(found.fun), math.exp(found.x[0]), found.x[1:]
    return best


def correlation_ceiling(v: FloatArray) -> float:
    """An upper bound on |sum_i v_i K(x_i, x')| for all kernels with values in [0, 1].

    One sum is over the positive entries of v (m,), and the other over the negative entries. The
    bound is the larger absolute value of the two sums.
    """
    return float(max(v[v > 0].sum(), -v[v < 0].sum()))


SLOPES = {"beta": "norm", "lam": "complexity"}  # sum |alpha_kj|, sum r_k |alpha_kj|


def load_vkr(
    spec: VKR | L1SVM, data: Dataset, points: Sequence[FormSolution], settings: RunSettings
) -> Run:
    """Load alpha and d. alpha comes from a primal form or the multipliers of a dual form. d comes
    from a dual form or the multipliers of a primal form.

    If d is missing, the bound is None. Raises OptionError if no form contains alpha.
    """
    budget = settings.budget()
    program = spec.as_vkr()
    problem, penalties = assemble(replace(program, rho=None), data, settings.seed)
    budget.ready()
    # alpha are variables of a primal form and multipliers of a dual one; d the other way round
    pairs, alpha, d, mu = None, None, None, np.zeros(0)
    p, m, c = problem.bank.shape
    for point in points:
        if point.form in ("dual", "master"):
            if d is None:
                d, mu = point.vector("weight"), point.vector(ROW_PRICE)
            if alpha is None and point.multipliers is not None:
                pairs = point.indices("correlation", multipliers=True)
                alpha = coefficients_of(point.multiplier("correlation"))
                # a family under a cap has a row for each sign
                if below := point.indices("correlation_below", multipliers=True):
                    under = [pairs.index(pair) for pair in below]
                    alpha[under] += coefficients_of(point.multiplier("correlation_below"))
        else:
            if alpha is None:
                pairs = point.indices("alpha_plus")
                if len(pairs) != p * c or point.indices("alpha_minus") != pairs:
                    raise DataError("the solution lacks coefficients of this data set's columns")
                alpha = point.vector("alpha_plus") - point.vector("alpha_minus")
            if d is None and point.multipliers is not None:
                d = point.multiplier("margin")
                mu = coefficients_of(point.multiplier(SCORE_ROW))
    if alpha is None or pairs is None:
        raise OptionError(
            f"form '{points[0].form}' without row duals holds no coefficients: load a solution of "
            "form 'primal', with this one as `dual_sol` and `dual_names`"
        )
    # both points on these data
    columns = np.asarray(pairs, dtype=np.intp).reshape(-1, 2)
    sizes = (m,), (len(problem.rows),)
    if not bool(np.all(columns < (p, c))) or (d is not None and (d.shape, mu.shape) != sizes):
        raise DataError("the solution does not fit this data set: other points or kernels")
    used = alpha != 0.0
    z = problem.boxed(np.zeros(m + len(problem.rows)) if d is None else np.concatenate([d, mu]))
    incumbent = Incumbent(columns[used], alpha[used], 0.0, z, 0.0, np.zeros((p, c)))
    solved = Solved(Reason.SOLVER, [], incumbent, columns)
    outcome = outcome_of(spec, data, problem, penalties, solved, settings)
    return packed(spec, settings, budget, outcome if d is not None else outcome.without_bound("d"))


def load_svm(
    spec: SVM, data: Dataset, points: Sequence[FormSolution], settings: RunSettings
) -> Run:
    """Load the multipliers of the points and of the constraints from the dual. Compute the
    objective and the bound.
    """
    budget = settings.budget()
    with first_step(budget):
        a = points[0].vector("a")
        mu = points[0].vector(ROW_PRICE) if spec.constraints else np.zeros(0)
        outcome = outcome_at(spec, data, a, mu)
    return packed(spec, settings, budget, outcome)


def price_vkr(
    spec: VKR | L1SVM, data: Dataset, evidence: Mapping[str, Any], seed: int, kernels: str
) -> PricingResult:
    """Price every kernel in the SPEC ``kernels`` at the stored dual point d of a VKR run.

    The point d, divided by the largest ratio of the run's own columns, is feasible for the run's
    dual. The ratio of a new family is max_j |A_j d| / Lambda. If it is at most 1, the point remains
    feasible, so the bound 1'd still holds. If that bound is the optimum and the ratio is below 1,
    no optimal solution uses the family. If the ratio exceeds 1, d / ratio is feasible, and the
    optimum is at least bound / ratio. With constraints, the same holds for t (d, mu), because its
    bound is concave in t and 0 at t = 0.

    ``any:rbf:LOW..HIGH`` means all widths in this interval and all centres in the bounding box of
    the data. One candidate is a bound for all these kernels. Another is the best column found by a
    search from many starts. Raises OptionError if the run already has a kernel. Raises DataError if
    the points belong to other data.
    """
    program = spec.as_vkr()
    problem, _ = assemble(program, data, seed)
    pairs, alpha, z = stored_coefficients(problem, evidence)
    if z is None:
        raise DataError("the result holds no dual point, so it has no prices: solve to the end")
    # what the run's points are worth, and its dual point scaled to feasibility
    objective = problem.primal_value(problem.bank.columns(pairs), pairs, alpha)
    ratios = problem.ratios(z)
    bound = problem.dual_bound(z, ratios)
    if len(problem.caps):
        feasible = problem.scale(z, ratios) * z
    else:
        feasible = z / max(1.0, _largest(problem, z)[0])
    # every new family at that point
    candidates = tuple(_priced(problem, program, feasible, bound, seed, kernels))
    worst = max(candidate.ratio for candidate in candidates)
    sampled = "the prices of these kernels hold Monte Carlo estimates of their complexity"
    return PricingResult(
        objective=objective,
        bound=bound,
        floor=bound / max(1.0, worst),
        candidates=candidates,
        warnings=(sampled,) if program.complexity == "montecarlo" else (),
    )


def _priced(
    problem: VotedKernels,
    program: VKR,
    z: FloatArray,
    bound: float,
    seed: int,
    kernels: str,
) -> Iterator[Candidate]:
    names: list[str] = []
    for name in kernels.split(","):
        if name.startswith(ANY):
            yield from _priced_infinite(problem, program, z, bound, name)
        else:
            names.append(name)
    known = {kernel.name for kernel in problem.bank.kernels}
    centres = None if problem.bank.own_centres else problem.bank.centres
    for kernel in parse_kernels(",".join(names)) if names else ():
        if kernel.name in known:
            raise OptionError(f"kernel '{kernel.name}' is in the program already: nothing to price")
        # its own kernel matrix, its own penalty, and the prices of the run
        start = time.perf_counter()
        bank = KernelBank([kernel], problem.bank.X, centres)
        penalties = penalties_of(program, bank, seed, problem.weights)
        family = replace(problem, bank=bank, penalties=penalties.r, caps=NO_CAPS)
        built = time.perf_counter()
        ratio, column = _largest(family, z)
        yield Candidate(
            name=kernel.name,
            price=float(family.prices[0]),
            ratio=ratio,
            floor=bound / max(1.0, ratio),
            column=column,
            kernel_seconds=built - start,
            seconds=time.perf_counter() - built,
            keeps_bound=ratio <= 1.0,
        )


def _priced_infinite(
    problem: VotedKernels, program: VKR, z: FloatArray, bound: float, text: str
) -> Iterator[Candidate]:
    """Price all Gaussians with widths in an interval at all centres, and the best one found by a
    search.
    """
    family = parse_any(text)
    if program.complexity not in ("trace", "none"):
        raise OptionError(
            f"{text}: complexity '{program.complexity}' has no price for every width: trace or none"
        )
    # K(x, x) = 1: Lemma 3 gives every width the same penalty
    ones = np.ones(problem.m)
    penalty = trace_penalty(ones, 1.0, problem.weights) if program.complexity == "trace" else 0.0
    price = program.lam * penalty + program.beta
    v = problem.pricing_vector(z)
    start = time.perf_counter()
    value, gamma, centre = largest_correlation(family, problem.bank.X, v)
    seconds = time.perf_counter() - start
    rows = (
        (text, up(correlation_ceiling(v), problem.m) / price, ()),
        (f"rbf:{gamma:.6g}", value / price, tuple(centre.tolist())),
    )
    for name, ratio, place in rows:
        yield Candidate(
            name=name,
            price=price,
            ratio=ratio,
            floor=bound / max(1.0, ratio),
            column=None,
            kernel_seconds=0.0,
            seconds=seconds,
            keeps_bound=ratio <= 1.0,
            centre=place,
        )


def _largest(problem: VotedKernels, z: FloatArray) -> tuple[float, int]:
    """The largest ratio |K_k(., c_j)'v| / Lambda_k plus its rounding error, and the index j of its
    centre.
    """
    ratios = problem.ratios(z)
    rounding = float(problem.errors(z).max())
    return float(ratios.max()) + rounding, int(ratios.max(axis=0).argmax())


def vkr_classes(spec: VKR | L1SVM, data: Dataset, seed: int) -> list[FunctionClass]:
    """For each kernel, the class H_k = {x -> +-K_k(x, x_j): all points x_j} with exact suprema and
    Massart's bound.
    """
    if isinstance(spec, VKR) and spec.centres is not None:
        raise OptionError("complexity is that of the points' own kernels: leave `centres` out")
    classes = []
    for kernel in parse_kernels(spec.kernels):
        bank = KernelBank([kernel], data.X)
        classes.append(
            FunctionClass(
                name=kernel.name,
                m=data.rows,
                suprema=finite_suprema(bank.gram(0), both_signs=True),
                exact=True,
                upper=massart(bank.column_norms[0], data.rows),
                upper_by="Massart",
            )
        )
    return classes


def svm_classes(spec: SVM, data: Dataset, seed: int) -> list[FunctionClass]:
    """The class {x -> w'phi(x): |w| <= 1} of Theorem 5 of Discriminative Similarity, with B = 1.

    The suprema are exact, and the upper bound is the trace bound (55).
    """
    bank = psd_bank(spec, data)
    return [ball_class(f"{bank.kernels[0].name}, norm 1", [bank.gram(0)])]


@dataclass(frozen=True, kw_only=True)
class CoefficientLine(Line):
    """A VKR solution as a line in lam or beta. ``pairs`` is (r, 2), and ``alpha`` is (r,).

    ``detail`` contains the mean hinge loss, the norm and complexity of alpha, and the number of
    coefficients. Its entry ``rest`` is the objective without the term of the parameter.
    """

    pairs: IntArray
    alpha: FloatArray
    warm: Warm | None


def vkr_path(
    spec: VKR | L1SVM,
    data: Dataset,
    parameter: str,
    first: float,
    last: float,
    settings: RunSettings,
    most_rows: int = MOST_ROWS,
) -> ParameterPath:
    """The exact path of VKR in lam or beta from ``first`` to ``last``, with the other parameter
    fixed.

    The value of the path is the minimum over alpha of mean hinge + sum (lam r_k + beta) |alpha_kj|.
    For every alpha, this function is linear in lam and in beta. Raises OptionError if the parameter
    is neither of these, the interval is invalid, or there are more than ``most_rows`` rows.
    """
    program = spec.as_vkr()
    # what a path cannot be of
    prices = ("beta",) if isinstance(spec, L1SVM) else ("lam", "beta")
    if parameter not in prices:
        raise OptionError(f"path of '{parameter}': expected {' or '.join(prices)}")
    check_path(first, last, data.rows, most_rows)
    if settings.method not in (None, "colgen"):
        raise OptionError(f"method '{settings.method}': a path is solved by colgen")
    refuse_rows(spec.constraints, "an exact path is one of the program without them")
    # the kernels once; every solve is at other prices
    budget = settings.budget()
    at_last: Any = {parameter: last}
    problem, penalties = assemble(replace(program, **at_last), data, settings.seed)
    if parameter == "lam" and not penalties.r.any():
        raise OptionError("path of lam: the penalties are all 0, so lam changes nothing")
    tight = replace(settings, tol=PATH_SOLVE_TOL, abs_tol=0.0, max_iter=None)

    def solve(at: float, neighbours: Sequence[CoefficientLine]) -> CoefficientLine:
        warm = joined([line.warm for line in neighbours if line.warm is not None])
        cell = problem.at_prices(**{"lam": program.lam, "beta": program.beta, parameter: at})
        solved = generate_columns(cell, tight, budget, warm)
        solved.incumbent.certify(cell)
        return _line_of(cell, solved, parameter, at)

    # where two known lines cross: a breakpoint, or a third line between them
    path = envelope(solve, first, last, budget.spent)
    banks: dict[int, KernelBank] = {}

    def labels(line: CoefficientLine, X: Any) -> FloatArray:
        # kernels to the points of a validation set are computed once for all lines
        if id(X) not in banks:
            banks[id(X)] = KernelBank(problem.bank.kernels, X, problem.bank.centres)
        return signs(banks[id(X)].columns(line.pairs) @ line.alpha)

    return ParameterPath(
        parameter=parameter,
        envelope=path,
        labels=labels,
        trade=(SLOPES[parameter], "rest"),
        seconds=budget.seconds,
        warnings=(*problem.bank.warnings, *penalties.warnings),
    )


def _line_of(problem: VotedKernels, solved: Solved, parameter: str, at: float) -> CoefficientLine:
    """The line for the solution at a parameter value."""
    incumbent = solved.incumbent
    margins = problem.y * incumbent.scores
    pairs, size = incumbent.pairs, np.abs(incumbent.alpha)
    detail = {
        "loss": float(problem.costs @ np.maximum(0.0, 1.0 - margins)),
        "rest": 0.0,
        "norm": float(size.sum()),
        "complexity": float(problem.penalties[pairs[:, 0]] @ size),
        "coefficients": float(len(pairs)),
    }
    slope = detail[SLOPES[parameter]]
    detail["rest"] = incumbent.objective - at * slope
    return CoefficientLine(
        at=at,
        value=incumbent.objective,
        slope=slope,
        bound=incumbent.bound,
        detail=detail,
        pairs=pairs,
        alpha=incumbent.alpha,
        warm=solved.warm,
    )
