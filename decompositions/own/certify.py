"""The certificate of an answer to a program.

The answer may be in a model, in arguments or in a solution file.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Set
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from radprog.base.errors import CapabilityError, OptionError
from radprog.base.modelling import pyo
from radprog.base.tolerances import CLAIM_TOLERANCE, HIGHS_LEAST
from radprog.base.types import BoolArray, FloatArray
from radprog.decompositions.own.result import summary
from radprog.decompositions.run import RunSettings
from radprog.solvers.certificate import dual_bound
from radprog.solvers.claims import (
    infeasibility,
    multipliers_at,
    proves_infeasible,
    ray_entries,
    unbounded_ray,
)
from radprog.solvers.compile import compile_model, load_values, variables_and_rows, vector_of
from radprog.solvers.convexity import check_convex
from radprog.solvers.foreign import foreign_name, foreign_program, held_by, other_names
from radprog.solvers.formats.solution_reader import NoPointError, read_solution
from radprog.solvers.integers import as_given, judge_integers, raised_bound
from radprog.solvers.program import (
    Program,
    SolveSettings,
    Status,
    refuse_no_number,
    relative_gap,
    tolerance_met,
)
from radprog.solvers.violations import relative_violation, violations

OPTIMAL, FEASIBLE, VIOLATED = "optimal", "feasible", "violated"
INFEASIBLE, UNBOUNDED, UNPROVED = "infeasible", "unbounded", "unproved"


@dataclass(frozen=True, kw_only=True, repr=False)
class Certificate:
    """The recomputed proof of an answer to a program, in the program's sense of optimisation.

    Attributes
    ----------
    status : str
        "optimal", "infeasible" and "unbounded" are proved. "feasible" means a feasible point
        without a proof of optimality, and "violated" means an infeasible point. "unproved" means a
        claim without a proof, or multipliers without a point.
    objective : float or None
        Objective at the point, or None without a point.
    bound : float
        Bound on the optimum that is proved by the multipliers, or an infinite value if they prove
        none. It may be better than the Lagrangian bound over the variables' own bounds (see Notes
        of :func:`certify`). With integer variables, it is the bound of the linear relaxation.
    gap : float or None
        Relative gap |objective - bound| / max(|objective|, 1e-10).
    violation : float
        Largest absolute violation of a row, bound or integrality, also of a feasible point.
    worst : str
        The row or column with this violation, or "" if it is at most 1e-9.
    certified_by : str or None
        "tol" or "abs-tol" if the point is feasible and the gap is within this tolerance, otherwise
        None. A point is feasible if each violation, as in ``violated``, is at most 1e-6.
        ``rp.solve`` uses the same criterion for optimality.
    violated : tuple of (str, float)
        Violated rows and columns with their relative violations, largest first. A violation is
        relative to the absolute value of the row's right-hand side or of the bound, or to 1 if 1 is
        larger. For a row with only small terms, it is relative to the largest term.
    parts : tuple of (str, float, float)
        For each entry of ``violated``: the kind ("row", "bound" or "integer"), the absolute
        violation, and the divisor of the relative violation.
    integers : bool
        Whether the program has integer variables.
    claimed : float or None
        Objective value claimed by a solution file.
    claim : str or None
        "infeasible", "unbounded" or "infeasible or unbounded" if a solution file makes this claim.
    refuted : str
        What refutes the ``claim``; empty if nothing does.
    agrees : bool
        Whether a solution file makes no false claim.
    holds : bool
        Whether the answer is proved to be optimal, infeasible or unbounded, and ``agrees`` is true.
    ray : tuple of (str, float)
        The largest entries of the ray that proves "unbounded", by column name.
    message : str
        What is missing from the proof of a "feasible" point or of an "unproved" claim, the method
        that proves "infeasible", or what a proof in fractions shows.
    values : mapping of str to float
        The point by the names of its columns, of which fixed variables are none. Values of integer
        variables within 1e-6 of whole numbers are rounded. Empty without a point.

    Examples
    --------
    >>> import pyomo.environ as pyo
    >>> import radprog as rp
    >>> model = pyo.ConcreteModel()
    >>> model.x = pyo.Var(bounds=(0, None))
    >>> model.cost = pyo.Objective(expr=2 * model.x)
    >>> model.demand = pyo.Constraint(expr=model.x >= 4)
    >>> certificate = rp.certify(model, {"x": 3.0})
    >>> certificate.status, certificate.violation, certificate.violated[0][0]
    ('violated', 1.0, 'demand')
    """

    status: str
    objective: float | None = None
    bound: float
    gap: float | None = None
    violation: float = 0.0
    worst: str = ""
    certified_by: str | None = None
    violated: tuple[tuple[str, float], ...] = ()
    claimed: float | None = None
    claim: str | None = None
    refuted: str = ""
    ray: tuple[tuple[str, float], ...] = ()
    parts: tuple[tuple[str, float, float], ...] = ()
    integers: bool = False
    message: str = ""
    values: Mapping[str, float] = field(default_factory=dict, compare=False)
    _model: Any = field(default=None, compare=False)

    def load(self) -> None:
        """Write the point into the variables of the Pyomo model.

        Raises
        ------
        CapabilityError
            If the program is no Pyomo model.
        OptionError
            Without a point, or if the model has other variables now.

        Examples
        --------
        >>> import pyomo.environ as pyo
        >>> import radprog as rp
        >>> model = pyo.ConcreteModel()
        >>> model.x = pyo.Var(bounds=(4, None))
        >>> model.cost = pyo.Objective(expr=2 * model.x)
        >>> rp.certify(model, {"x": 4.0}).load()
        >>> model.x.value
        4.0
        """
        if not self.values:
            raise OptionError("load: the certificate has no point")
        if not hasattr(self._model, "component_data_objects"):
            raise CapabilityError("load: the program is no Pyomo model: use certificate.values")
        load_values(self._model, np.array(list(self.values.values())))

    def __repr__(self) -> str:
        # the largest absolute violation, where ``violated`` begins with the largest relative one
        sizes = {
            name: size for (name, _), (_, size, _) in zip(self.violated, self.parts, strict=True)
        }
        worst = f", at {max(sizes, key=sizes.__getitem__)}" if sizes else ""
        wrong = f", claimed {self.wrong}" if self.wrong else ""
        return summary(self, "", f"violation {self.violation:.1e}{worst}{wrong}")

    def with_optimum(
        self,
        optimum: float | None,
        tol: float = RunSettings.tol,
        abs_tol: float = RunSettings.abs_tol,
    ) -> Certificate:
        """The certificate with a proved optimum as its bound; None for an infeasible program."""
        finding = "program is infeasible" if optimum is None else f"optimum is {optimum:.10g}"
        message, claim = f"the {finding}, which a proof in fractions shows", self.claim or ""
        bound = self.bound if optimum is None else optimum
        if optimum is None and INFEASIBLE in claim:
            # the claim is proved, so that the certificate leaves out the point beside it
            bound = -bound if math.isinf(bound) and self.status != INFEASIBLE else bound
            empty = Certificate(status=INFEASIBLE, bound=bound, claim=claim, message=message)
            return replace(empty, integers=self.integers)
        judged = replace(self, refuted=self.refuted or message * bool(claim))
        if self.objective is None and claim:
            return replace(judged, status=UNPROVED, bound=bound, message="")
        if self.status not in (FEASIBLE, OPTIMAL) or self.objective is None:
            return judged
        met = None if optimum is None else tolerance_met(self.objective, optimum, tol, abs_tol)
        return replace(
            judged,
            status=OPTIMAL if met else FEASIBLE,
            bound=bound,
            gap=relative_gap(self.objective, bound),
            certified_by=met,
            message="" if met else message,
        )

    @property
    def certified(self) -> bool:
        """Whether the point is proved optimal within a tolerance."""
        return self.certified_by is not None

    @property
    def agrees(self) -> bool:
        """Whether a solution file makes no false claim about its point."""
        return not self.wrong

    @property
    def wrong(self) -> str:
        """The false claim of a solution file, with the reason; empty without one."""
        if self.refuted:
            return f"{self.claim}, wrong: {self.refuted}"
        if self.claimed is None or self.objective is None:
            return ""
        close = CLAIM_TOLERANCE * max(1.0, abs(self.objective))
        if abs(self.claimed - self.objective) <= close:
            return ""
        return f"{self.claimed:.10g}, wrong: the point has the objective {self.objective:.10g}"

    @property
    def holds(self) -> bool:
        """Whether the answer is proved to be optimal, infeasible or unbounded."""
        return self.agrees and self.status in (OPTIMAL, INFEASIBLE, UNBOUNDED)


def certify(
    model: Any,
    point: Mapping[Any, float] | FloatArray | str | Path | None = None,
    multipliers: Mapping[Any, float] | FloatArray | None = None,
    *,
    tol: float = RunSettings.tol,
    abs_tol: float = RunSettings.abs_tol,
) -> Certificate:
    """Prove that an answer is optimal, infeasible or unbounded, or report the missing part of the
    proof.

    Parameters
    ----------
    model : ConcreteModel, str, Path, or model of highspy, linopy or CVXPY
        A linear, convex quadratic or mixed-integer linear program. It can be a Pyomo model, an .lp
        or .mps file (optionally .gz), or a model from another modelling language.
    point : mapping, array (n,), str or Path, optional
        Values by name or, in a ``pyo.ComponentMap``, by variable; a plain dict cannot have
        variables as keys. It may also be an array in the order of the columns, such as ``x`` of
        :func:`radprog.solve`, or a solution file of HiGHS, SCIP, GLPK, CBC, Gurobi, COPT, CPLEX or
        Xpress. Names may be those of the model or of the file that it was exported to. By default,
        the values in a Pyomo or highspy model are used. Without values, the certificate contains
        only the bound that ``multipliers`` prove.
    multipliers : mapping or array (m,), optional
        Multipliers d objective / d right-hand side, by constraint or name. Omitted rows have the
        multiplier 0. The default is the suffix ``dual`` of the model, or the duals in the solution
        file. Without a ``point``, they may prove "infeasible"; an example is ``ray`` of
        :func:`radprog.solve`.
    tol, abs_tol : float
        Largest relative and absolute gap of a certified answer.

    Returns
    -------
    Certificate
        The recomputed status, objective, bound and violation.

    Raises
    ------
    ConvexityError
        If the program is not convex.
    CapabilityError
        If the program is neither linear nor quadratic.
    OptionError
        If values are missing, a name is not in the program, or a tolerance is invalid.
    DataError
        If a file cannot be read, or the names in a file differ from those of the program.

    Notes
    -----
    For min c'x s.t. Ax >= b, l <= x <= u, any y >= 0 yields the Lagrangian bound

        optimum >= b'y + min_(l <= x <= u) (c - A'y)'x.

    The bound is lowered by the rounding error of its sums. If the sign of a reduced cost points to
    an infinite variable bound, bounds implied by the rows replace l and u, and the multipliers may
    be shifted slightly. Without this change, the Lagrangian bound would be infinite. A convex
    quadratic objective is replaced by its linearisation, which is a global lower bound. The
    linearisation is taken at the point, or at a nearby point where the gradient with respect to the
    free variables vanishes.

    A program with linear rows is infeasible if this bound is above 0 for c = 0 (Farkas). Solvers
    differ in their sign conventions for multipliers, so both signs are tried and the better bound
    is used. If there are no multipliers, or if there are integer variables, HiGHS computes
    multipliers. If the given multipliers do not prove a feasible point optimal, ``message`` states
    whether the multipliers from HiGHS do. The status remains "feasible".

    Examples
    --------
    The duals of a minimisation prove that its point is optimal:

    >>> import pyomo.environ as pyo
    >>> import radprog as rp
    >>> model = pyo.ConcreteModel()
    >>> model.x = pyo.Var(bounds=(0, None))
    >>> model.y = pyo.Var(bounds=(0, None))
    >>> model.cost = pyo.Objective(expr=2 * model.x + 3 * model.y)
    >>> model.demand = pyo.Constraint(expr=model.x + model.y >= 4)
    >>> certificate = rp.certify(model, {"x": 4.0, "y": 0.0}, {"demand": 2.0})
    >>> certificate.status, certificate.objective, round(certificate.bound, 6)
    ('optimal', 8.0, 8.0)

    Another feasible point without a proof of optimality:

    >>> rp.certify(model, {"x": 0.0, "y": 4.0}, {"demand": 2.0}).status
    'feasible'

    Multipliers that prove that there is no feasible point:

    >>> model.limit = pyo.Constraint(expr=model.x + 2 * model.y <= 3)
    >>> rp.certify(model, multipliers={"demand": 1.0, "limit": -1.0}).status
    'infeasible'
    """
    refuse_no_number("tol", tol, finite=True)
    refuse_no_number("abs_tol", abs_tol, finite=True)
    # the matrices: of a file or a model of another layer, or of a Pyomo model
    foreign = foreign_program(model)
    program = compile_model(model) if foreign is None else foreign
    check_convex(program)
    # the point and the multipliers: those given, or those that the model holds
    file_program, file_names = program, other_names(model, program)  # the names in a solution file
    if foreign is not None:
        answer: tuple[Any, Any] = (held_by(model) if point is None else point, multipliers)
        if answer[0] is None and multipliers is None:
            expected = "expected a point or a solution file, or multipliers for a bound"
            raise OptionError(f"{foreign_name(model)}: {expected}")
    else:
        variables, constraints = variables_and_rows(model)
        program = replace(
            program,
            column_names=tuple(v.name for v in variables),
            row_names=tuple(c.name for c in constraints),
        )
        answer = (point, multipliers) if point is not None else _stored_answer(model, multipliers)
    # a solution file has a point and duals, or the claim that there is no optimum
    claim = claimed = None
    if isinstance(answer[0], str | Path):
        try:
            constant = program.sense * program.constant
            solution = read_solution(
                answer[0], file_program.column_names, file_program.row_names, constant, file_names
            )
        except NoPointError as error:
            if not error.claims:
                raise
            return _certify_claim(program, error.claims)
        if solution.status is not Status.FEASIBLE:
            claim = solution.status.value
            proof = _certify_claim(program, {claim})
            if proof.holds:
                return proof
        claimed, row_multipliers = solution.objective, multipliers
        if row_multipliers is None and solution.row_duals is not None:
            row_multipliers = np.array(list(solution.row_duals.values()))
        answer = np.array(list(solution.x.values())), row_multipliers
    # as vectors in the order of the matrices, from which the certificate is computed
    rows, columns = program.row_names, program.column_names
    duals = None if answer[1] is None else vector_of(model, answer[1], rows, "multiplier", 0.0)
    # multipliers without a point may prove that there is none (Farkas), in either sign
    signed = () if duals is None or multipliers is None or point is not None else (duals, -duals)
    if any(proves_infeasible(program, y) for y in signed):
        proof = _without_point(program, INFEASIBLE, math.inf)
        return replace(proof, message="proved by multipliers of rows")
    if answer[0] is None:
        assert duals is not None
        return _without_point(program, UNPROVED, _best_bound(program, duals))
    values = answer[0]
    if foreign is not None and isinstance(values, Mapping):
        values = file_names.translated(values, columns)
    x = vector_of(model, values, columns, "value")
    judged = _judge_point(program, x, duals, (tol, abs_tol))
    if claimed is not None and judged.objective is not None:
        # a solution has the objective of the program or of its model, which may be the negative
        objectives, value = (claimed, claimed / file_names.scale), judged.objective
        claimed = min(objectives, key=lambda objective: abs(objective - value))
    # only a bound refutes that a program is unbounded
    if claim == UNBOUNDED and not math.isfinite(judged.bound):
        return proof
    feasible = "the point is feasible" * (claim == INFEASIBLE and judged.status != VIOLATED)
    refuted = "the optimum has a bound" if claim == UNBOUNDED else feasible
    return replace(judged, claim=claim, claimed=claimed, refuted=refuted, _model=model)


def _stored_answer(model: pyo.ConcreteModel, multipliers: Any) -> tuple[Any, Any]:
    """The values of a Pyomo model, or None if one is missing, and its multipliers, or those given.

    Raises OptionError if there are neither values nor multipliers.
    """
    variables, constraints = variables_and_rows(model)
    empty = [variable.name for variable in variables if variable.value is None]
    if empty and multipliers is None:
        raise OptionError(
            f"{empty[0]} has no value: solve the model first, or it has no solution: see rp.analyze"
        )
    suffix = model.component("dual")
    stored = suffix is not None and suffix.ctype is pyo.Suffix
    if multipliers is None and stored and any(row in suffix for row in constraints):
        multipliers = {row.name: suffix.get(row, 0.0) or 0.0 for row in constraints}
    return None if empty else {v.name: v.value for v in variables}, multipliers


def _certify_claim(program: Program, claims: Set[str]) -> Certificate:
    """The certificate of a claim without a point, proved by Farkas multipliers or a ray."""
    status, settings, ray = UNPROVED, SolveSettings(), None
    conflict = infeasibility(program, settings) if INFEASIBLE in claims else None
    if conflict is not None:
        status = INFEASIBLE
    elif UNBOUNDED in claims and not program.integer.any():
        ray = unbounded_ray(program, settings)
        status = UNPROVED if ray is None else UNBOUNDED
    entries = () if ray is None else tuple(ray_entries(ray, program.column_names, 5))
    proof = _without_point(program, status, math.inf if status == INFEASIBLE else -math.inf)
    relaxation = " of the relaxation" if proof.integers else ""
    lack = f"no conflict and no ray{relaxation} shows that it has no optimum: see radprog analyze"
    message = lack if status == UNPROVED else f"proved by {conflict[0]}" if conflict else ""
    return replace(proof, claim=" or ".join(sorted(claims)), ray=entries, message=message)


def _without_point(program: Program, status: str, bound: float) -> Certificate:
    """The certificate of an answer without a point, with the bound of the minimisation problem."""
    has_integers = bool(program.integer.any())
    return Certificate(status=status, bound=program.sense * bound, integers=has_integers)


def _best_bound(
    program: Program, duals: FloatArray, x: FloatArray | None = None, value: float | None = None
) -> float:
    """The better of the bounds from both signs of the multipliers (m,), without integrality."""
    relaxed = replace(program, integer=np.zeros_like(program.integer))
    return max(dual_bound(relaxed, sign * duals, x=x, best=value)[0] for sign in (1.0, -1.0))


def _list_violations(
    program: Program, x: FloatArray, absolute: FloatArray, broken: BoolArray
) -> tuple[list[tuple[str, float]], list[tuple[str, float, float]]]:
    """Rows, column bounds and integrality conditions that x (n,) violates, the largest first.

    The ``absolute`` sizes (m + n,) are given, and which columns (n,) are ``broken`` rather than
    outside. The first list has names and relative sizes, the second kinds, absolute sizes and
    scales.
    """
    violated, parts = [], []
    excess = np.concatenate(violations(program, x))
    kinds = ["row"] * len(program.row_names) + np.where(broken, "integer", "bound").tolist()
    names = (*program.row_names, *program.column_names)
    for i in np.argsort(-excess, kind="stable").tolist():
        if excess[i] > CLAIM_TOLERANCE:
            violated.append((names[i], float(excess[i])))
            parts.append((kinds[i], float(absolute[i]), float(absolute[i] / excess[i])))
    return violated, parts


def _judge_point(
    program: Program, x: FloatArray, duals: FloatArray | None, gaps: tuple[float, float]
) -> Certificate:
    """The certificate of a point (n,), with multipliers (m,) if there are any; ``gaps`` are the
    largest relative and absolute ones.
    """
    # with integers, the judged point counts, or the rounded one if no point meets the rows
    if program.integer.any():
        rounded = np.where(program.integer, np.rint(x), x)
        x = rounded if np.abs(rounded - x).max() <= CLAIM_TOLERANCE else x
        point, fault = judge_integers(program, x, as_given)
        feasible, x = point is not None, x if point is None else point
    else:
        feasible = relative_violation(program, x) <= CLAIM_TOLERANCE
    value = program.objective(x)
    # where the point is outside most, though it may be within the relative tolerance
    rows, outside, fraction = program.violations(x)
    sizes = np.append(rows, np.maximum(outside, fraction))
    violation = float(sizes.max(initial=0.0))
    relaxed = replace(program, integer=np.zeros_like(program.integer))
    linear_duals = None if program.integer.any() else duals
    bound = -math.inf if linear_duals is None else _best_bound(program, linear_duals, x, value)
    # values that violate rows within the tolerance may be below the optimum, and below its bound
    met = tolerance_met(value, bound, *gaps) if feasible else None
    # the multipliers of HiGHS: a proof where none are given, else a judge of those
    best, best_met = bound, met
    if met is None and (feasible or linear_duals is None):
        y = multipliers_at(relaxed, x, SolveSettings(tol=HIGHS_LEAST))
        if y is not None:
            best = max(best, dual_bound(relaxed, y, x=x, best=value)[0])
        best = max(best, raised_bound(program, best))
        best_met = tolerance_met(value, best, *gaps) if feasible else None
    if linear_duals is None:
        bound, met = best, best_met
    # what the proof of optimality lacks, and a remedy; ``best`` is the bound of HiGHS's multipliers
    message = ""
    if not feasible or met:
        pass
    elif best_met is not None:
        message = (
            "HiGHS's multipliers prove the point optimal, the given ones do not: leave them out, "
            "or compute them to a smaller tolerance"
        )
    elif not math.isfinite(best):
        message = (
            "no row duals that bound the optimum: print them (HiGHS style raw, GLPK -w, "
            "CBC printi all)"
        )
    elif value < best:  # only a point outside its rows is better than a bound
        message = (
            f"the point is outside by {violation:.1g}, which moves its objective beyond "
            f"the bound {program.sense * best:.10g}: solve to a smaller tolerance"
        )
    elif program.integer.any():
        further = "`radprog decompose MODEL` and rp.solve search further"
        if program.integer.sum() <= 300:  # about what a tree divides
            further = f"`radprog prove MODEL -o FILE` proves a small program, {further}"
        further = further if program.quadratic is None else "rp.solve searches further"
        message = f"the bound is that of the relaxation without integers: {further}"
    else:
        bound_of_highs = f"with HiGHS's multipliers the bound is {program.sense * best:.10g}"
        message = f"a better point may exist: {bound_of_highs}"
    point_sizes = x, sizes, fraction > outside
    violated, parts = ([], []) if feasible else _list_violations(program, *point_sizes)
    if not feasible and not violated:  # within tolerances, but with no feasible point near it
        message = f"it is a point {fault}"
    names = (*program.row_names, *program.column_names)
    return Certificate(
        status=OPTIMAL if met else FEASIBLE if feasible else VIOLATED,
        objective=program.sense * value,
        bound=program.sense * bound,
        gap=relative_gap(value, bound),
        violation=violation,
        worst=names[int(sizes.argmax())] if violation > 1e-9 else "",
        certified_by=met,
        violated=tuple(violated),
        parts=tuple(parts),
        integers=bool(program.integer.any()),
        message=message,
        values=dict(zip(program.column_names, x.tolist(), strict=True)),
    )
