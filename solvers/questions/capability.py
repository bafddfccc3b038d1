"""The tested capabilities of solvers: each solves a program of each of its declared classes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyomo.environ as pyo

from radprog.base.errors import RadprogError
from radprog.base.tolerances import TRIAL_VALUE
from radprog.base.types import FloatArray
from radprog.solvers.compile import compile_model
from radprog.solvers.program import ProblemClass, Program, Solution
from radprog.solvers.registry import SolverSpec, list_solvers, solver

TRIAL_POINT = 3e-3  # of its point: the square root of the objective's


@dataclass(frozen=True, kw_only=True)
class Probe:
    """A tiny program, its unique optimum x (n,), the objective, and the row duals (m,) or None."""

    program: Program
    x: tuple[float, ...]
    objective: float
    row_duals: tuple[float, ...] | None = None


@dataclass(frozen=True, kw_only=True)
class Capability:
    """The capabilities of one solver.

    ``classes`` contains one entry for each class of programs: ``ok``, ``declared but failed: why``,
    or ``-`` if the class is not declared. ``duals`` is an entry of the same form for row duals.
    ``reads`` are the file formats for ``radprog verify``. A solver that is not installed has ``-``
    for all classes, and a note with the reason.
    """

    name: str
    version: str
    installed: bool
    classes: Mapping[ProblemClass, str]
    duals: str
    hot_start: bool
    reads: tuple[str, ...] = ()
    note: str = ""


def capability_table(names: Iterable[str] | None = None) -> list[Capability]:
    """The capability table, from tests of each solver on a tiny program of each of its classes."""
    return [_row(solver(name)) for name in (list_solvers() if names is None else names)]


def _row(spec: SolverSpec) -> Capability:
    installed = spec.installed()
    declared = spec.declared
    verdicts = {}
    duals = "-"
    for kind, make in PROBES.items():
        verdicts[kind] = "-"
        if installed and spec.takes(kind):
            verdicts[kind], right_duals = _tried(spec, make())
            if declared.duals and right_duals is not None and duals in ("-", "ok"):
                duals = "ok" if right_duals else f"declared but failed: wrong or missing on {kind}"
    return Capability(
        name=spec.name,
        version=spec.adapter().version() if installed else "",
        installed=installed,
        classes=verdicts,
        duals=duals,
        hot_start=declared.hot_start,
        reads=tuple(sorted(declared.formats)),
        note=_note(spec, installed),
    )


def _note(spec: SolverSpec, installed: bool) -> str:
    if not installed:
        return spec.missing()
    trial = spec.declared.trial
    return "" if trial is None else trial()


def _tried(spec: SolverSpec, probe: Probe) -> tuple[str, bool | None]:
    """The verdict, and whether the duals are correct; None for unknown duals."""
    try:
        solution = spec.solve(probe.program)
    except RadprogError as error:
        return f"declared but failed: {error}", None
    fault = _fault(probe, solution)
    if fault:
        return f"declared but failed: {fault}", None
    return "ok", None if probe.row_duals is None else _close(solution.row_duals, probe.row_duals)


def _fault(probe: Probe, solution: Solution) -> str:
    if not solution.claimed_optimal:
        return f"status {solution.status}"
    if not _close(solution.x, probe.x, TRIAL_POINT):
        return f"wrong point {solution.x}"
    if not _close(np.array([solution.objective]), (probe.objective,)):
        return f"wrong objective {solution.objective}"
    return ""


def _close(
    values: FloatArray | None, expected: tuple[float, ...], tolerance: float = TRIAL_VALUE
) -> bool:
    return values is not None and bool(
        np.allclose(values, expected, rtol=tolerance, atol=tolerance)
    )


def _plane(domain: Any) -> pyo.ConcreteModel:
    model = pyo.ConcreteModel()
    model.x = pyo.Var(bounds=(-10, 10), within=domain)
    model.y = pyo.Var(bounds=(-10, 10), within=domain)
    return model


def _lp() -> Probe:
    """min 1 - x - 2y, 1 <= x + y <= 4, x - y >= -2: both rows bind at (1, 3)."""
    model = _plane(pyo.Reals)
    model.total = pyo.Constraint(expr=(1, model.x + model.y, 4))
    model.slope = pyo.Constraint(expr=model.x - model.y >= -2)
    model.cost = pyo.Objective(expr=1 - model.x - 2 * model.y)
    return Probe(program=compile_model(model), x=(1.0, 3.0), objective=-6.0, row_duals=(-1.5, 0.5))


def _qp() -> Probe:
    """min (x-1)^2 + (y-3)^2, x + y <= 2: the projection (0, 2)."""
    model = _plane(pyo.Reals)
    model.total = pyo.Constraint(expr=model.x + model.y <= 2)
    model.cost = pyo.Objective(expr=(model.x - 1) ** 2 + (model.y - 3) ** 2)
    return Probe(program=compile_model(model), x=(0.0, 2.0), objective=2.0, row_duals=(-2.0,))


def _qcqp() -> Probe:
    """min x + y, x^2 + y^2 <= 2: the point (-1, -1) of the circle."""
    model = _plane(pyo.Reals)
    model.disc = pyo.Constraint(expr=model.x**2 + model.y**2 <= 2)
    model.cost = pyo.Objective(expr=model.x + model.y)
    return Probe(program=compile_model(model), x=(-1.0, -1.0), objective=-2.0, row_duals=(-0.5,))


def _milp() -> Probe:
    """max 5x + 4y, 6x + 4y <= 24, x + 2y <= 6, integers: (4, 0), not the rounded (3, 1)."""
    model = _plane(pyo.Integers)
    model.first = pyo.Constraint(expr=6 * model.x + 4 * model.y <= 24)
    model.second = pyo.Constraint(expr=model.x + 2 * model.y <= 6)
    model.low = pyo.Constraint(expr=model.y >= 0)
    model.cost = pyo.Objective(expr=5 * model.x + 4 * model.y, sense=pyo.maximize)
    return Probe(program=compile_model(model), x=(4.0, 0.0), objective=-20.0)


def _miqp() -> Probe:
    """min (x-1.3)^2 + (y-1.6)^2, x + y <= 2, integers: (1, 1)."""
    model = _plane(pyo.Integers)
    model.total = pyo.Constraint(expr=model.x + model.y <= 2)
    model.cost = pyo.Objective(expr=(model.x - 1.3) ** 2 + (model.y - 1.6) ** 2)
    return Probe(program=compile_model(model), x=(1.0, 1.0), objective=0.45)


def _miqcqp() -> Probe:
    """max 3x + 2y, x^2 + y^2 <= 6, integers: (2, 1)."""
    model = _plane(pyo.Integers)
    model.disc = pyo.Constraint(expr=model.x**2 + model.y**2 <= 6)
    model.cost = pyo.Objective(expr=3 * model.x + 2 * model.y, sense=pyo.maximize)
    return Probe(program=compile_model(model), x=(2.0, 1.0), objective=-8.0)


PROBES: Mapping[ProblemClass, Callable[[], Probe]] = {
    ProblemClass.LP: _lp,
    ProblemClass.QP: _qp,
    ProblemClass.QCQP: _qcqp,
    ProblemClass.MILP: _milp,
    ProblemClass.MIQP: _miqp,
    ProblemClass.MIQCQP: _miqcqp,
}
