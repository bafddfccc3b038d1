"""Block-coordinate descent for any Pyomo model."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, Unpack

import numpy as np
import pyomo.environ as pyo
from pyomo.core.base.block import BlockData
from pyomo.core.base.component import ComponentBase

from radprog.base.errors import DataError, NonlinearError, OptionError, SolverError
from radprog.base.limits import OutOfBudget
from radprog.base.tolerances import CLAIM_TOLERANCE
from radprog.decompositions.drivers.alternate import alternation
from radprog.decompositions.loop import Budget, Reason, stalled
from radprog.decompositions.own.result import ModelLoop, OwnRun, clone_of, driver_settings, hint_of
from radprog.decompositions.run import DriverOptions, RunSettings
from radprog.solvers.compile import check_model, compile_model, load_solution, variables_and_rows
from radprog.solvers.integers import judge_integers
from radprog.solvers.program import Status
from radprog.solvers.registry import preferred, solve_program, solved_by_any
from radprog.solvers.violations import relative_violation


@dataclass(frozen=True, kw_only=True, repr=False)
class AlternateRun(OwnRun):
    """Result of block-coordinate descent.

    If ``reason`` is ``tolerance``, no single block improves the point. It need not be a local
    optimum, so the bound and the gap are None.

    Attributes
    ----------
    objective, status, reason, trace, seconds, message
        See :class:`radprog.ColumnRun`. The usual ``reason`` is ``tolerance``: the last round over
        all blocks lowered the objective by at most ``tol`` relative to |objective|.
    values : mapping
        Values of the variables at the point, by name.

    Examples
    --------
    >>> import pyomo.environ as pyo
    >>> import radprog as rp
    >>> model = pyo.ConcreteModel()
    >>> model.x = pyo.Var(bounds=(0, 1), initialize=0.5)
    >>> model.y = pyo.Var(bounds=(0, 2), initialize=0.5)
    >>> model.f = pyo.Objective(expr=-model.x * model.y)
    >>> run = rp.alternate(model, [model.x, model.y])
    >>> run.objective, run.bound, dict(run.values)
    (-2.0, None, {'x': 1.0, 'y': 2.0})
    """

    values: Mapping[str, float]
    _model: pyo.ConcreteModel = field(repr=False)

    def model(self) -> pyo.ConcreteModel:
        """A copy of the model with the variables set to the point."""
        return clone_of(self._model)


def alternate(
    model: pyo.ConcreteModel, blocks: Iterable[Any], **settings: Unpack[DriverOptions]
) -> AlternateRun:
    """Minimise over one block of variables at a time, while the other blocks stay fixed.

    Parameters
    ----------
    model : ConcreteModel
        The program. It is not modified, and all its variables must have values.
    blocks : iterable
        The variables of each block: a Var, members of a Var, a slice, a Pyomo Block, or a list of
        these (``[model.x, [model.y[1, :], model.z]]``). Each free variable must be in exactly one
        block.
    **settings
        Settings of :func:`column_generation`. The method ends when a round over all blocks lowers
        the objective by at most ``tol`` (1e-9) relative to |objective|. By default, ``solver`` is
        the first installed solver for the class of each block's program.

    Returns
    -------
    AlternateRun
        The last point and its objective.

    Raises
    ------
    OptionError
        If blocks overlap, a variable is in no block, or a variable has no value.
    ConvexityError
        If the program of a block is not convex.
    StoppedError
        If a block raises the objective, or its solver fails. The attribute ``run`` of the error
        contains the last point.

    Notes
    -----
    For blocks x_1, ..., x_B, the step of block k is

        x_k <- argmin_(x_k) f(x_1, ..., x_B).

    Each of these programs is linear, convex quadratic or mixed-integer. It is solved to a global
    optimum, so the objective never increases. The program of a block includes only the constraints
    that contain variables of the block. The starting point may therefore violate the constraints of
    later blocks.

    Examples
    --------
    >>> import pyomo.environ as pyo
    >>> import radprog as rp
    >>> model = pyo.ConcreteModel()
    >>> model.x = pyo.Var(bounds=(0, 1), initialize=0.5)
    >>> model.y = pyo.Var(bounds=(0, 2), initialize=0.5)
    >>> model.f = pyo.Objective(expr=-model.x * model.y)  # linear in either block
    >>> run = rp.alternate(model, [model.x, model.y])
    >>> run.objective
    -2.0
    """
    check_model(model)
    copy = clone_of(model)
    groups = _groups(model, copy, blocks)
    names = [variable.name for variable in variables_and_rows(model)[0]]
    goals = list(copy.component_data_objects(pyo.Objective, active=True))
    if len(goals) != 1:
        raise OptionError(f"{model.name} has {len(goals)} active objectives, expected one")
    goal = goals[0]
    sense = 1 if goal.sense == pyo.minimize else -1

    def objective() -> float:
        """The objective as a minimisation; infinite at a point outside the rows."""
        return math.inf if _violation(copy) > CLAIM_TOLERANCE else sense * pyo.value(goal.expr)

    # one block after the other, until none improves
    with driver_settings({"tol": 1e-9, **settings}) as checked:
        loop = ModelLoop(checked, sense)
        steps = [_block(copy, group, i, checked, objective) for i, group in enumerate(groups)]
        step = alternation(steps, objective, lambda: None)
        loop.repeat(step, stalled(checked.tol, Reason.TOLERANCE))
        value = objective()
        # the quality of the last point
        message = "the last point does not meet the rows of the model"
        if feasible := math.isfinite(value):
            message = "a heuristic point: some block may improve it"
            if loop.reason is Reason.TOLERANCE:
                message = "no single block improves it: a heuristic point"
        return loop.result(
            *(AlternateRun, value if feasible else None, None),
            status=Status.FEASIBLE if feasible else Status.LIMIT,
            message=message,
            values=dict(
                zip(names, (float(v.value) for v in variables_and_rows(copy)[0]), strict=True)
            ),
            _model=copy,
        )


def _violation(model: pyo.ConcreteModel) -> float:
    """The largest violation of a row or bound, relative to max(1, |right-hand side or bound|).

    With integer variables, see :func:`~radprog.solvers.answer.violations`.
    """
    variables, rows = variables_and_rows(model)
    integers = [v.value for v in variables if v.is_integer() or v.is_binary()]
    if integers:
        with suppress(NonlinearError):
            return relative_violation(compile_model(model), np.array([v.value for v in variables]))
    worst: float = max([0.0, *(abs(value - round(value)) for value in integers)])
    for part, value in [(v, v.value) for v in variables] + [(r, pyo.value(r.body)) for r in rows]:
        for side, sign in ((part.lb, -1.0), (part.ub, 1.0)):
            if side is not None:
                worst = max(worst, sign * (value - side) / max(1.0, abs(side)))
    return worst


def _groups(
    model: pyo.ConcreteModel, copy: pyo.ConcreteModel, blocks: Iterable[Any]
) -> list[list[Any]]:
    """The variables of ``copy`` in each block."""
    if isinstance(blocks, ComponentBase | str) or not isinstance(blocks, Iterable):
        raise OptionError("blocks: expected several, as in [model.x, [model.y, model.z]]")
    variables, copies = variables_and_rows(model)[0], variables_and_rows(copy)[0]
    copy_of = {id(variable): copied for variable, copied in zip(variables, copies, strict=True)}
    owner: dict[str, int] = {}
    groups: list[list[Any]] = []
    for place, block in enumerate(blocks, start=1):
        group = []
        for variable in _listed(block):
            name = getattr(variable, "name", repr(variable))
            if getattr(variable, "fixed", False):
                continue
            if id(variable) not in copy_of:
                raise OptionError(
                    f"block {place}: {name} is not a variable of the model{hint_of(variable)}"
                )
            if name in owner:
                raise OptionError(f"{name} is in block {owner[name]} and in block {place}")
            owner[name] = place
            group.append(copy_of[id(variable)])
        if not group:
            raise OptionError(f"block {place} holds no free variable")
        groups.append(group)
    # every free variable is in one block, and has a value
    missing = [variable.name for variable in variables if variable.name not in owner]
    if missing:
        raise OptionError(f"no block holds {', '.join(missing[:5])}")
    empty = [variable.name for variable in variables if variable.value is None]
    if empty:
        raise OptionError(f"{', '.join(empty[:5])}: expected a value in the model to start from")
    try:
        [variable.bounds for variable in variables]
    except ValueError as error:
        raise DataError(str(error)) from None
    return groups


def _listed(block: Any) -> list[Any]:
    """The variables in a Var, a member of a Var, a slice, a Block, or a list of these."""
    if isinstance(block, pyo.Var):
        return list(block.values())
    if isinstance(block, BlockData):
        return list(block.component_data_objects(pyo.Var, active=True))
    if isinstance(block, pyo.Block):
        block = block.values()
    if isinstance(block, ComponentBase | str) or not isinstance(block, Iterable):
        return [block]
    return [variable for part in block for variable in _listed(part)]


def _block(
    model: pyo.ConcreteModel,
    group: Sequence[Any],
    place: int,
    settings: RunSettings,
    objective: Callable[[], float],
) -> Callable[[Budget], None]:
    """Minimise over one block, with all other variables fixed. The block keeps its values where the
    minimum is larger than the objective by no more than the tolerance of solvers.
    """

    def minimise(budget: Budget) -> None:
        budget.check()
        previous, values = objective(), [variable.value for variable in group]
        # the other variables are constants in the program of this block
        constants = [v for v in variables_and_rows(model)[0] if all(v is not u for u in group)]
        for variable in constants:
            variable.fix()
        try:
            program = compile_model(model)
            # a row that contains no variable of the block is met, or not, whatever it does
            empty = np.diff(program.rows.indptr) == 0
            empty[list(program.quadratic_rows)] = False
            low = np.where(empty, -np.inf, program.row_lower)
            high = np.where(empty, np.inf, program.row_upper)
            program = replace(program, row_lower=low, row_upper=high)
            name = settings.solver or preferred(program.problem_class)
            solver_settings = settings.for_solver(budget)
            if settings.solver is None:  # the next solver, where no duals prove the first answer
                solution = solved_by_any(program, program, solver_settings)
            else:
                solution = solve_program(program, name, solver_settings)
            if solution.status in (Status.LIMIT, Status.INTERRUPTED):
                raise OutOfBudget
            if solution.x is None:
                raise SolverError(
                    f"block {place + 1} has no optimum with the others at their values: {name} "
                    f"says {solution.status}"
                )
            judged, fault = judge_integers(program, solution.x, solved_by_any, solver_settings)
            if judged is None:
                raise SolverError(f"block {place + 1}: {name} returned a point {fault}")
            load_solution(model, program, replace(solution, x=judged))
        finally:
            for variable in constants:
                variable.unfix()
        if previous < objective() <= previous + CLAIM_TOLERANCE * max(1.0, abs(previous)):
            for variable, value in zip(group, values, strict=True):
                variable.set_value(value, skip_validation=True)

    return minimise
