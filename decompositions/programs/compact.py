"""A compact program taken apart: by columns of its blocks, beside a solver on the whole program."""

from __future__ import annotations

import math
import sys
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cached_property
from pathlib import Path
from typing import Any, Unpack

import numpy as np

from radprog.base.errors import CapabilityError, OptionError, RadprogError, SolverError, warn_user
from radprog.base.limits import OutOfBudget, under, watched
from radprog.base.modelling import pyo
from radprog.base.sections import amount
from radprog.base.tolerances import CLAIM_TOLERANCE
from radprog.base.types import FloatArray
from radprog.base.writing import atomic_text
from radprog.decompositions.drivers.masters import UnboundedError
from radprog.decompositions.loop import Budget, Reason, certified_by
from radprog.decompositions.own.result import ModelLoop, OwnRun, clone_of, driver_settings, summary
from radprog.decompositions.programs.benders import TwoStages, check_stages
from radprog.decompositions.programs.blocks import Knapsack, block_program
from radprog.decompositions.programs.dantzig_wolfe import BlockTree
from radprog.decompositions.programs.structure import Structure, detect, structure_of, without_rows
from radprog.decompositions.run import DriverOptions, RunSettings
from radprog.decompositions.sweeps.sharing import Sharing
from radprog.models.exact import flint
from radprog.solvers.answer import own_limit
from radprog.solvers.certificate import beyond, dual_bound
from radprog.solvers.foreign import foreign_program, start_of
from radprog.solvers.formats.solution_reader import solution_text
from radprog.solvers.integers import as_given, bound_met, judge_integers, raised_bound
from radprog.solvers.program import ProblemClass, Program, Solution, Status, relative_gap
from radprog.solvers.questions.tree import ExactTree
from radprog.solvers.registry import no_log, solved_by_any
from radprog.solvers.violations import relative_violation

METHODS = ("dantzig-wolfe", "auto")  # of :func:`dantzig_wolfe`
DECOMPOSITIONS: Mapping[str, type[BlockTree] | type[TwoStages]] = {
    "dantzig-wolfe": BlockTree,
    "benders": TwoStages,
}


@dataclass(frozen=True, kw_only=True, repr=False)
class CompactRun(OwnRun):
    """The answer to a compact program that was taken apart, in the program's own variables.

    Attributes
    ----------
    objective, bound, status, reason, trace, seconds, message
        See :class:`radprog.OwnRun`. The status "infeasible" is that of a tree whose leaves are all
        proved infeasible.
    values : mapping of str to float
        The best point, by the names of the variables, with fixed ones. It is empty without a point.
    structure : Structure
        The blocks.
    method : str
        "dantzig-wolfe" or "benders", or "compact" if the solver on the whole program has the
        better bound, or the better point with an equal bound.
    bounds : mapping of str to float
        The bound of each way that has one, by its method.
    proved_by : str or None
        "duals" if multipliers of the program prove it, or bounds, divisibility or a ray, which
        ``message`` names; "tree" if every bound is recomputed with exact pricing or from Benders
        cuts; and "solver" if a bound is that of a solver's search. None without a proof.
    bound_by : str or None
        What proves ``bound``, in the same words, also where the search has not ended.
    nodes : int
        Solved nodes of the tree, or rounds of Benders: solved master programs. A record of the
        trace is of a round in which second stages were solved, or of a better value; its ``detail``
        has the ``cuts`` and the ``rounds`` so far. With either method, a record also follows 10
        seconds without one.
    columns : int
        Points and rays of blocks, or Benders cuts.
    multipliers : mapping of str to float, or None
        The prices of the linking rows at the root of Dantzig-Wolfe, by name: d ``root_bound`` /
        d right-hand side, as in the suffix ``dual``. None if that root was not priced.
    root_bound : float or None
        The Lagrangian bound that ``multipliers`` prove.

    Examples
    --------
    >>> import pyomo.environ as pyo
    >>> import radprog as rp
    >>> m = pyo.ConcreteModel()
    >>> m.x = pyo.Var(range(2), range(2), domain=pyo.Binary)
    >>> m.cost = pyo.Objective(expr=m.x[0, 0] + 2 * m.x[1, 0] + 3 * m.x[0, 1] + m.x[1, 1])
    >>> m.job = pyo.Constraint(range(2), rule=lambda m, j: m.x[j, 0] + m.x[j, 1] == 1)
    >>> m.time = pyo.Constraint(range(2), rule=lambda m, i: 3 * m.x[0, i] + 2 * m.x[1, i] <= 4)
    >>> run = rp.dantzig_wolfe(m)
    >>> run.objective, run.values["x[0,0]"], run.method, run.proved_by
    (2.0, 1.0, 'dantzig-wolfe', 'tree')
    """

    values: Mapping[str, float]
    method: str
    bounds: Mapping[str, float]
    proved_by: str | None
    bound_by: str | None
    nodes: int
    columns: int
    multipliers: Mapping[str, float] | None
    root_bound: float | None
    _x: FloatArray | None = field(repr=False)
    _program: Program = field(repr=False)
    _structure: Structure | None = field(repr=False)
    _model: Any = field(repr=False)
    _search: BlockTree | TwoStages | None = field(repr=False)

    def __repr__(self) -> str:
        cuts = isinstance(self._search, TwoStages)
        words = ("round", "cut") if cuts else ("node", "column")
        return summary(self, "", ", ".join(map(amount, (self.nodes, self.columns), words)))

    @cached_property
    def structure(self) -> Structure:
        """The blocks. They are detected now if "auto" had an answer before that."""
        return self._structure or detect(self._program)

    def load(self) -> None:
        """Write the best point into the variables of the Pyomo model.

        Raises CapabilityError if the program is no Pyomo model, and OptionError without a point.
        """
        if not hasattr(self._model, "component_data_objects"):
            raise CapabilityError("load: the program is no Pyomo model: use run.values")
        if self._x is None:
            raise OptionError("load: the run has no point")
        from radprog.solvers.compile import load_values  # loads pyomo

        load_values(self._model, self._x)

    def model(self) -> Any:
        """A copy of the Pyomo model at the best point; with :func:`two_stage`, of all scenarios.

        If the program is a file or a model of another language, it is returned as it was passed.
        :func:`radprog.export`, :func:`radprog.solve`, :func:`radprog.analyze` and
        :func:`radprog.certify` take the result.
        """
        if not hasattr(self._model, "component_data_objects"):
            return self._model
        from radprog.solvers.compile import load_values  # loads pyomo

        model = clone_of(self._model)
        if self._x is not None:
            load_values(model, self._x)
        return model

    def write(self, path: str | Path) -> None:
        """Write the best point into a solution file, as ``radprog decompose -o`` does.

        A line for each variable has its name and its value; :func:`radprog.certify` reads the file.
        Raises OptionError without a point, and OutputError if the file cannot be written.
        """
        if self._x is None or self.objective is None:
            raise OptionError("write: the run has no point")
        with atomic_text(path) as file:
            file.write(solution_text(self.objective, by_name(self._program, self._x)))

    def check(self) -> tuple[str, ...]:
        """Verify the answer again and return the faults found.

        The point is tested in the program: bounds, integers, rows and objective. The bound of every
        leaf of a tree is computed again by a call to the pricers at the multipliers of the leaf,
        and every leaf without a point by its multipliers of phase one. So is ``root_bound`` at
        ``multipliers``. The children of each node must cover the node. Benders cuts are computed
        again from their multipliers, and the bound of a linear program from the cuts.
        """
        faults: list[str] = []
        program = self._program
        if self._x is not None:
            violation = relative_violation(program, self._x)
            if violation > 1e-6:
                faults.append(f"the point violates a row or a bound by {violation:.1e}")
            value = program.sense * program.objective(self._x)
            if self.objective is None or abs(value - self.objective) > 1e-9 * max(1.0, abs(value)):
                faults.append(f"the point has the objective {value:.10g}, not {self.objective}")
        if self._search is not None and self.method != "compact":
            bound = None if self.bound is None else program.sense * self.bound
            faults += self._search.faults(bound)
        if isinstance(self._search, BlockTree) and self.multipliers and self.root_bound is not None:
            self._search.lift_limits()
            rows = self._search.structure.linking_rows
            mu = np.array([self.multipliers[program.row_names[i]] for i in rows])
            bound = self._search.price(self._search.root, program.sense * mu)[0]
            if program.sense * self.root_bound > bound + CLAIM_TOLERANCE * max(1.0, abs(bound)):
                faults.append(
                    f"the multipliers prove the bound {program.sense * bound:.10g} of the root, "
                    f"not {self.root_bound:.10g}"
                )
        return tuple(faults)


def program_of_model(model: Any) -> Program:
    """The matrices of a file or a model. Raises CapabilityError unless the program is linear.

    Rows and columns of a Pyomo model have Pyomo's names.
    """
    program = model if isinstance(model, Program) else foreign_program(model)
    if program is None:
        from radprog.solvers.compile import check_model, compile_model, component_names

        check_model(model)
        columns, rows = component_names(model)
        program = replace(compile_model(model), column_names=columns, row_names=rows)
    if program.problem_class not in (ProblemClass.LP, ProblemClass.MILP):
        raise CapabilityError(
            f"the program is a {program.problem_class}: decomposition needs a linear program, with "
            "or without integers"
        )
    return program


def by_name(program: Program, x: FloatArray) -> dict[str, float]:
    """The point x (n,) by the names of the columns."""
    return dict(zip(program.column_names, (x + 0.0).tolist(), strict=True))


def fixed_values(model: Any) -> dict[str, float]:
    """The fixed variables of a Pyomo model by name; they are no columns of its program."""
    if not hasattr(model, "component_data_objects"):
        return {}
    parts = model.component_data_objects(pyo.Var, active=True, descend_into=True)
    return {part.name: float(part.value) for part in parts if part.fixed}


def structure(model: Any, linking: Any = None, blocks: Any = None) -> Structure:
    """The blocks of a program, the rows and columns that link them, and identical blocks.

    Parameters
    ----------
    model : ConcreteModel, str, Path, or model of highspy, linopy or CVXPY
        A linear program, with or without integers, or the path of an .lp or .mps file.
    linking : str, component, or sequence of them, optional
        The rows and columns that link blocks: Pyomo constraints and variables, names (that of a
        component stands for its members), or patterns such as ``"demand[*,1]"``, in which ``*`` and
        ``?`` are wildcards. The blocks are the connected components of the rest.
    blocks : callable, str, Path or sequence, optional
        The blocks: a function from the name of a row to a label or None, the path of a ``.dec``
        file, or one pattern or component for each block. Rows without a block link.

    Returns
    -------
    Structure
        ``print`` it for a summary; ``plot()`` draws the matrix.

    Raises
    ------
    CapabilityError
        If the program is not linear.
    OptionError
        If a pattern or component matches no row and no column.
    DataError
        If a file is damaged.

    Notes
    -----
    Without ``linking`` and ``blocks``, the structure is detected. Rows are classed by their
    coefficients (1, +-1, general), columns (integer, continuous, mixed), sides and numbers of
    entries. Sets of up to three classes, and columns with many entries, are removed. The components
    of the rest are scored by (share of columns in blocks) x (1 - share of the largest block) x
    (1 - share of linking rows)^0.2 x (1 - 0.05 for each class removed, 0.2 with general
    coefficients). The best structure is returned; ``others`` has the next two.

    Blocks are identical up to an order of their rows and columns. The order is found by colour
    refinement, and the numbers are then compared entry by entry.

    Examples
    --------
    Two machines, and two jobs that one of them does:

    >>> import pyomo.environ as pyo
    >>> import radprog as rp
    >>> m = pyo.ConcreteModel()
    >>> m.x = pyo.Var(range(2), range(2), domain=pyo.Binary)
    >>> m.cost = pyo.Objective(expr=m.x[0, 0] + 2 * m.x[1, 0] + m.x[0, 1] + 2 * m.x[1, 1])
    >>> m.job = pyo.Constraint(range(2), rule=lambda m, j: m.x[j, 0] + m.x[j, 1] == 1)
    >>> m.time = pyo.Constraint(range(2), rule=lambda m, i: 3 * m.x[0, i] + 2 * m.x[1, i] <= 4)
    >>> print(rp.structure(m))
    2 blocks of 1 kind; 2 linking rows, 0 linking columns
      2 blocks of 1 row and 2 columns, 2 of them integer
        such as time[0] with x[0,0], x[1,0]
      linked by job[0], job[1]
      from removing equality rows of integer columns, coefficients 1
    """
    return structure_of(program_of_model(model), linking, blocks)


def dantzig_wolfe(
    model: Any,
    linking: Any = None,
    blocks: Any = None,
    *,
    structure: Structure | None = None,
    method: str = "dantzig-wolfe",
    start: Any = None,
    jobs: int | str = 1,
    scheduler: Any = None,
    checkpoint: str | Path | None = None,
    **settings: Unpack[DriverOptions],
) -> CompactRun:
    """Solve a compact program by Dantzig-Wolfe decomposition, in a tree where it has integers.

    Parameters
    ----------
    model, linking, blocks
        The program and its blocks, as in :func:`structure`. It is not modified;
        :meth:`CompactRun.load` writes the point into a Pyomo model.
    structure : Structure, optional
        A structure of the same program, in place of ``linking`` and ``blocks``.
    method : {"dantzig-wolfe", "auto"}
        "auto" also gives the whole program to the preferred solver, and ends with the first of the
        two that proves an answer. The better point and the better bound are kept. The blocks
        decide which of the two begins; ``message`` contains the choice.
    start : mapping, array (n,), str or Path, optional
        A point of the program, as in :func:`solve`, such as ``values`` of an earlier run or a
        solution file. Only fixed variables may lack a value. The answer is never worse, and nodes
        whose bound shows that they have nothing better are closed. An infeasible start is left out,
        with a warning.
    jobs, scheduler
        The processes, or the Dask cluster, that price the blocks, as in :func:`radprog.tune`.
    checkpoint : str or Path, optional
        File for the tree, the points of the blocks and the best point. It is written at the end,
        and every 30 seconds while the tree works. If the file already exists, the run resumes from
        it, also with a smaller ``tol``. The search of the solver of "auto" is not kept, but begins
        with the best point. Of two stages, the multipliers of the cuts and of the tree are kept.
    **settings
        Settings of :func:`radprog.column_generation` except ``solver`` and ``solver_options``,
        because HiGHS solves the small programs. ``max_iter`` limits the number of nodes, or
        of rounds of cuts, and not the search of the solver of "auto", which ``time_limit`` ends.
        ``log`` is that of the solver on the whole program, with "auto".

    Returns
    -------
    CompactRun
        The best point in the program's own variables, a bound, and how they are proved.

    Raises
    ------
    CapabilityError
        If the program is not linear or has no blocks.
    OptionError, DataError
        As :func:`structure`; or if the checkpoint belongs to another program or structure, or is
        damaged or edited.

    Notes
    -----
    The program min sum_b c_b'x_b + c'x over rows l <= sum_b D_b x_b + D x <= u and points x_b of
    blocks X_b becomes a master over weights of these points. Multipliers mu of the linking rows
    give the bound side(mu) + sum_b min over X_b of (c_b - D_b'mu)'x_b + min (c - D'mu)'x, which is
    recomputed at each node. A block with one row of integers is priced as a knapsack by dynamic
    programming; other blocks are live programs of HiGHS. Points of the whole program come from
    nodes and from dives. Each is judged with its integers whole.

    References
    ----------
    G. B. Dantzig, P. Wolfe, Decomposition Principle for Linear Programs (1960).
    F. Vanderbeck, Branching in branch-and-price: a generic scheme (2011).

    Examples
    --------
    Items of sizes 2, 3 and 4 in bins of size 6:

    >>> import pyomo.environ as pyo
    >>> import radprog as rp
    >>> m = pyo.ConcreteModel()
    >>> m.x = pyo.Var(range(3), range(3), domain=pyo.Binary)
    >>> m.used = pyo.Var(range(3), domain=pyo.Binary)
    >>> m.bins = pyo.Objective(expr=sum(m.used.values()))
    >>> m.item = pyo.Constraint(range(3), rule=lambda m, i: sum(m.x[i, b] for b in range(3)) == 1)
    >>> m.size = pyo.Constraint(
    ...     range(3),
    ...     rule=lambda m, b: sum((2 + i) * m.x[i, b] for i in range(3)) <= 6 * m.used[b],
    ... )
    >>> run = rp.dantzig_wolfe(m, linking=m.item)
    >>> run.objective, run.bound, run.proved_by
    (2.0, 2.0, 'tree')
    """
    if method not in METHODS:
        raise OptionError(f"method {method!r}: expected {' or '.join(map(repr, METHODS))}")
    began = time.monotonic()  # of the time limit, which the reading of a model is part of
    program = program_of_model(model)
    sharing = Sharing(jobs=jobs, scheduler=scheduler, checkpoint=checkpoint)
    with driver_settings(settings) as run_settings:
        _refuse_unused(run_settings, method)
        run_settings = replace(run_settings, sharing=sharing, used=time.monotonic() - began)
        if method == "auto" and all(x is None for x in (structure, linking, blocks, checkpoint)):
            return Race(program, run_settings, None, "", model, start).run()
        chosen = _structure(program, structure, linking=linking, blocks=blocks)
        run_settings = replace(run_settings, used=time.monotonic() - began)
        if method == "auto":
            blocks_of = chosen if _method_of(chosen) == "benders" else without_linked(chosen)
            if checkpoint is not None and not blocks_of.kinds:
                raise OptionError(f"checkpoint {checkpoint}: the program has no blocks")
            return Race(program, run_settings, chosen, "", model, start).run()
        apart = without_linked(chosen)
        if chosen.kinds and not apart.kinds:
            linking = program.column_names[chosen.linking_columns[0]]
            raise CapabilityError(
                f"all rows of the blocks have linking columns, such as {linking}, so that no block "
                "is left whose points could be columns: Benders cuts take such blocks (rp.benders, "
                "or method='benders' of rp.two_stage), and so does method='auto'"
            )
        if not apart.kinds:
            raise CapabilityError(
                "the program has no blocks: name the rows that link them by `linking`"
            )
        return Race(program, run_settings, apart, "dantzig-wolfe", model, start).run()


def benders(
    model: Any,
    first: Any = None,
    *,
    structure: Structure | None = None,
    start: Any = None,
    jobs: int | str = 1,
    scheduler: Any = None,
    checkpoint: str | Path | None = None,
    **settings: Unpack[DriverOptions],
) -> CompactRun:
    """Solve a compact program with two stages by Benders cuts.

    Parameters
    ----------
    model
        The program, as in :func:`structure`. It is not modified; :meth:`CompactRun.load` writes
        the point into a Pyomo model.
    first : str, component, or sequence of them, optional
        The columns of the first stage: Pyomo variables, names or patterns of names, also several in
        a string with commas. The connected components of the other columns are the second stages.
        By default they are detected.
    structure : Structure, optional
        A structure of the same program whose linking columns are the first stage.
    start
        A point of the program, as in :func:`dantzig_wolfe`.
    jobs, scheduler
        The processes, or the Dask cluster, that solve the second stages.
    checkpoint : str or Path, optional
        File for the multipliers of the cuts and the best point, as in :func:`dantzig_wolfe`. If it
        already exists, cuts, bounds and tree are computed again from it.
    **settings
        Settings of :func:`radprog.column_generation` except ``solver``, ``solver_options`` and
        ``log``: HiGHS solves the small programs. ``max_iter`` limits the number of rounds,
        which are solved master programs, with those of the checkpoint.

    Returns
    -------
    CompactRun
        The best point in the program's own variables, and a bound.

    Raises
    ------
    CapabilityError
        If the program is not linear, a row links second stages, or a second stage has integers.
    OptionError, DataError
        If ``first`` matches no column; or of the checkpoint, as :func:`dantzig_wolfe`.

    Notes
    -----
    Second stages with equal matrices are one live linear program, whose sides, costs and bounds
    change. Each gives one cut a round. Cuts are taken between the master's point and the best point
    so far (in-out). A first stage with integers is relaxed first; then a tree divides
    their box, with cuts at its points. The bounds of the program and of each leaf of the tree are
    recomputed from the cuts and the master's multipliers.

    References
    ----------
    J. F. Benders, Partitioning procedures for solving mixed-variables programming problems (1962).
    W. Ben-Ameur, J. Neto, Acceleration of cutting-plane and column generation algorithms (2007).

    Examples
    --------
    Capacity is bought at 1 before the demand is known, and at 3 afterwards:

    >>> import pyomo.environ as pyo
    >>> import radprog as rp
    >>> m = pyo.ConcreteModel()
    >>> m.capacity = pyo.Var(bounds=(0, 10))
    >>> m.late = pyo.Var(range(3), bounds=(0, None))
    >>> m.other = pyo.Var(range(3), bounds=(0, 1))
    >>> demand = [2.0, 4.0, 9.0]
    >>> m.meet = pyo.Constraint(
    ...     range(3), rule=lambda m, s: m.capacity + m.late[s] + m.other[s] >= demand[s]
    ... )
    >>> m.cost = pyo.Objective(
    ...     expr=m.capacity + sum(m.late[s] + 0.5 * m.other[s] for s in range(3))
    ... )
    >>> run = rp.benders(m, first=m.capacity)
    >>> run.status.value, round(run.objective, 6), round(run.bound, 6)
    ('optimal', 8.5, 8.5)
    """
    began = time.monotonic()
    program = program_of_model(model)
    sharing = Sharing(jobs=jobs, scheduler=scheduler, checkpoint=checkpoint)
    with driver_settings(settings) as run_settings:
        _refuse_unused(run_settings, "benders")
        chosen = _structure(program, structure, first=first, method="benders")
        run_settings = replace(run_settings, sharing=sharing, used=time.monotonic() - began)
        stages = [s for s in (chosen, *chosen.others) if _method_of(s) == "benders"]
        chosen = stages[0] if stages else chosen
        check_stages(chosen)
        return Race(program, run_settings, chosen, "benders", model, start).run()


def _refuse_unused(settings: RunSettings, method: str) -> None:
    """Raise OptionError for a setting that a method does not use."""
    names = ("solver", "solver_options", *["log"] * (method != "auto"))
    for name in names:
        value = getattr(settings, name)
        if value and value != "highs":
            raise OptionError(
                f"{name} {value!r}: HiGHS solves the many small programs of {method}, without "
                f"options or a log: leave `{name}` out; rp.solve takes it"
            )


def find_structure(
    program: Program,
    linking: Any = None,
    blocks: Any = None,
    first: Any = None,
    method: str = "auto",
) -> Structure:
    """The structure that is described, or detected for a method: Benders needs second stages."""
    stages = None
    if method == "benders" and linking is None and blocks is None and first is None:
        stages = detect_stages(program)
    return stages or structure_of(program, linking, blocks, first)


def _structure(program: Program, structure: Structure | None, **described: Any) -> Structure:
    """The structure that is given, described or detected."""
    if structure is None:
        return find_structure(program, **described)
    if structure.program is not program and not structure.program.same_numbers(program):
        raise OptionError("structure: it is of another program")
    return structure


def _method_of(structure: Structure) -> str:
    """The way to take a structure apart."""
    try:
        check_stages(structure)
    except CapabilityError:
        return "dantzig-wolfe"
    return "benders" if structure.linked.any() else "dantzig-wolfe"


def detect_stages(program: Program) -> Structure | None:
    """The blocks without the columns in many rows, or None if these are no second stages.

    Scores of :func:`detect` may prefer blocks for columns, such as the nodes of a network.
    """
    structure = detect(program, 0)
    return structure if _method_of(structure) == "benders" else None


def without_linked(structure: Structure) -> Structure:
    """The structure, or the next best, whose blocks have no linking column in their rows.

    If there is none, rows of blocks with a linking column become linking rows.
    """
    for candidate in (structure, *structure.others):
        if candidate.kinds and not candidate.linked.any():
            return candidate
    if not structure.kinds:
        return structure
    matrix = structure.program.rows
    outside = np.zeros(matrix.shape[1], dtype=np.bool_)
    outside[structure.linking_columns] = True
    linking = np.diff(matrix[:, outside].indptr) > 0
    linking[structure.linking_rows] = True
    # beside linking columns that are named, a block may be one column, as in structure_of
    smallest = 1 if structure.source == "given" else 2
    chosen = without_rows(structure.program, ~linking, ~outside, smallest)
    return replace(chosen, source=structure.source)


def _judged_start(model: Any, program: Program, start: Any) -> FloatArray | None:
    """The point (n,) of a start; None with a warning if the program has no such point."""
    x = start_of(model, program, start)
    # fixed columns, as those that a writer adds, have their value
    x = np.where(np.isnan(x) & (program.lower == program.upper), program.lower, x)
    if not np.isfinite(x).all():
        name = program.column_names[np.flatnonzero(~np.isfinite(x))[0]]
        raise OptionError(f"{name} has no start, expected a finite number")
    point, fault = judge_integers(program, x, as_given)
    if fault:
        warn_user(f"start: a point {fault}: left out")
    return point


PROVED = (Status.OPTIMAL, Status.INFEASIBLE, Status.UNBOUNDED)


class Plan(Enum):
    """What the blocks are, in words, and the seconds before "auto" begins with the blocks, and with
    the solver.
    """

    ALONE = "the solver alone", math.inf, 0.0
    # Integers in the first stage: with 8,000 to 12,000 columns HiGHS needs 1.6 to 3.2 s and Benders
    # 0.5 to 1.5 s; with 39,000 columns 24 and 9 s; with 420,000 HiGHS leaves a gap of 12 % after
    # 110 s, Benders one of 8 % after 46 s. So Benders begins, and the solver joins after 10 s, or
    # after 60 s where the program is large
    STAGES = "two stages", 0.0, 10.0
    MANY_STAGES = "two stages", 0.0, 60.0
    # Linear stages: with 32,000 columns HiGHS needs 0.2 s and Benders 0.7 s; both need the same
    # time with 320,000; with 1e6 HiGHS has no answer after 60 s, Benders one after 23 s
    LINEAR_STAGES = "two stages", 20.0, 0.0
    # Linear blocks: below 20,000 columns HiGHS ends after 0.1 to 1 s, columns end after 2 to 3 s
    LINEAR = "linear", 20.0, 0.0
    # Blocks with integers that are no knapsacks: of 16 programs, HiGHS proves 14 in 0.3 to 30 s,
    # columns prove 2
    INTEGERS = "integers", 30.0, 0.0
    # Identical knapsacks: of 14 packings, HiGHS proves 1 in 60 s, columns prove 13
    IDENTICAL = "identical knapsacks", 0.0, 10.0
    # Where costs follow weights (Pisinger: Where are the hard knapsack problems?), the search of
    # HiGHS hardly ends: of 4 assignments of class D it proves 1, columns prove 3
    HARD_KNAPSACKS = "knapsacks whose costs follow their weights", 0.0, 10.0
    # Where many knapsacks take few items each, few columns are good, so that the program over them
    # has nearly whole points. Assignments of class C to 10 to 20 agents with 5 to 10 jobs each:
    # HiGHS needs 0.3 to 6.3 s, and columns need 0.5 to 1.9 times as long. To 5 or 8 agents: HiGHS
    # needs 0.2 to 1.6 s, and columns need 1.5 to 8 times as long. Both ways at once, on the same
    # cores, always take more than twice the time of the better one: the other one waits 5 s
    SMALL_KNAPSACKS = "many knapsacks of few items", 0.0, 5.0
    KNAPSACKS = "knapsacks", 5.0, 0.0


def plan(structure: Structure, decomposition: str) -> Plan:
    """The plan of "auto" for a structure."""
    program = structure.program
    if not structure.kinds:
        return Plan.ALONE
    if decomposition == "benders":
        if not _small(program):
            return Plan.MANY_STAGES
        return Plan.STAGES if program.integer.any() else Plan.LINEAR_STAGES
    if not program.integer.any():
        return Plan.LINEAR
    parts = [block_program(program, kind.first) for kind in structure.kinds]
    if not all(map(Knapsack.of, parts)):
        return Plan.INTEGERS
    if 2 * len(parts) <= len(structure.blocks):
        return Plan.IDENTICAL
    follows = [abs(_correlation(part.cost, part.rows.toarray()[0])) for part in parts]
    if np.median(follows) > 0.8:
        return Plan.HARD_KNAPSACKS
    small = np.median([part.cost.size for part in parts]) <= 10.0 * len(structure.blocks)
    return Plan.SMALL_KNAPSACKS if small and len(parts) >= 10 else Plan.KNAPSACKS


def _small(program: Program) -> bool:
    """Whether the solver begins with blocks of two stages, or of linear programs."""
    return program.cost.size <= (6e4 if program.integer.any() else 3e5)


def _correlation(a: FloatArray, b: FloatArray) -> float:
    """The correlation of two vectors (n,), 0 if one is constant."""
    a, b = a - a.mean(), b - b.mean()
    size = float(np.linalg.norm(a) * np.linalg.norm(b))
    return float(a @ b) / size if size > 0.0 else 0.0


@dataclass
class Contestant:
    """A way to an answer: how long it works, and the gaps that it had."""

    name: str
    joins: float = 0.0  # seconds of the other way, after which this one begins too
    began: float = math.inf  # seconds of the race
    used: float | None = None  # processor seconds, where they are known
    gaps: list[tuple[float, float]] = field(default_factory=list)  # after seconds of its own
    bound: float = -math.inf  # the last one, of the minimisation problem
    sense: int = 1  # of the program
    stopped: bool = False  # as the other way is better

    def seconds(self, now: float) -> float:
        """The processor seconds, where they are known; at least half of the time.

        On a busy machine, a way that is slow is not one that fails.
        """
        elapsed = max(0.0, now - self.began)
        return elapsed if self.used is None else max(self.used, elapsed / 2.0)

    def gap(self, seconds: float = math.inf) -> float:
        """The last gap within its first seconds."""
        earlier = [gap for elapsed, gap in self.gaps if elapsed <= seconds]
        return earlier[-1] if earlier else math.inf

    def describe(self, seconds: float) -> str:
        """What it had after some seconds of its own."""
        gap, bound = self.gap(seconds), self.sense * self.bound
        state = (
            f"a bound of {bound:.10g} and no value"
            if math.isfinite(bound)
            else "no value with a bound"
        )
        state = f"a gap of {gap:.2%}" if math.isfinite(gap) else state
        return f"{self.name} had {state} after {seconds:.0f} processor seconds"


class WholeSolver(Contestant):
    """The solver on the whole program, in a thread of its own, whose searches are processes."""

    def __init__(self, solve: Callable[[], None]) -> None:
        super().__init__("the solver")
        self.thread = threading.Thread(target=solve)
        self.news: list[tuple[float, float]] = []  # values and bounds for the trace
        self.answer: Solution | None = None

    @property
    def waits(self) -> bool:
        """Whether it has not begun."""
        return self.thread.ident is None


class Decomposition(Contestant):
    """The blocks, which are taken apart in the thread of the caller."""

    search: BlockTree | TwoStages | None = None  # before it begins only if there is a checkpoint
    status = Status.FAILED  # of the search
    thread = 0.0  # processor seconds of the thread before


class Race:
    """A program that is taken apart by a decomposition; without one, beside a solver on all of it.

    1. Second stages are looked for, before all other blocks. The solver has the first seconds of
       small programs with continuous columns.
    2. The blocks are found, and :func:`plan` says which way begins, and when the other one joins.
    3. Each way takes the points of the other one. The one with the larger gap is stopped.
    4. The first proof ends both. The answer has the better point and the better bound.
    """

    def __init__(
        self,
        program: Program,
        settings: RunSettings,
        structure: Structure | None = None,
        decomposition: str = "",
        model: Any = None,
        start: Any = None,
    ) -> None:
        self.program, self.settings, self.model = program, settings, model
        self.start = None if start is None else _judged_start(model, program, start)
        self.structure, self.auto = structure, not decomposition
        self.budget = settings.budget()
        self.ended = False  # by a proof of one of the ways
        self.loop = ModelLoop(settings, program.sense, self.budget)
        self.race_budget = replace(
            self.budget,
            interrupted=lambda: self.ended or self.loop.stopped or settings.interrupted(),
        )
        self.solver, self.blocks = WholeSolver(self._solve_whole), Decomposition(decomposition)
        self.solver.sense = self.blocks.sense = program.sense
        self.relaxed = -math.inf  # the bound of the relaxation, which columns should raise
        self.words: list[str] = []  # which way, and why

    def run(self) -> CompactRun:
        """The better point and the better bound of the ways."""
        try:
            if self.auto:
                self._race()
            else:
                self._decompose()
        finally:
            self.ended |= sys.exception() is not None
            if not self.solver.waits:
                self.solver.thread.join()
        return self._result()

    def _race(self) -> None:
        """Begin with the way that the blocks suggest, and let the other one join."""
        program, integer = self.program, self.program.integer
        small, linear = _small(program), not integer.any()
        if self.settings.sharing.checkpoint is not None and self.structure is not None:
            self.blocks.name = _method_of(self.structure)
            with suppress(OutOfBudget):
                self._new_search()
        # HiGHS solves most of these programs in 0.03 to 3 s, and blocks take 0.1 to 0.7 to be
        # found; blocks of integers alone, and second stages, are found in 0.01 to 0.1
        if small and linear:
            self._run_solver(1.0)
        if self.structure is None and not integer.all() and not self.race_budget.spent():
            self.structure = detect_stages(program)
        self.blocks.name = "dantzig-wolfe" if self.structure is None else _method_of(self.structure)
        if small and self.blocks.name == "dantzig-wolfe" and not integer.all():
            self._run_solver(20.0 if linear else 2.0)
        if self.race_budget.spent():
            return
        structure = self.structure = self.structure or detect(program)
        self.blocks.name = _method_of(structure)
        kind = plan(structure, self.blocks.name)
        description, self.blocks.joins, self.solver.joins = kind.value
        self.words.append(f"{str(structure).partition(';')[0]}, {description}")
        if self.blocks.joins > 0.0:
            # at most half of the time for the solver alone
            half = self.budget.remaining / 2.0 if structure.kinds else math.inf
            if self._run_solver(self.blocks.joins, half):
                self.words.append(f"{self.solver.describe(self._seconds_of(self.solver))} alone")
                # with mixed blocks, a search that is nearly done ends before the tree of columns
                if kind is Plan.INTEGERS and self.solver.gap() <= 0.1:
                    self.words[-1] += ", and went on alone because it is at most 10%"
                    self._run_solver(math.inf)
        if kind in (Plan.HARD_KNAPSACKS, Plan.SMALL_KNAPSACKS, Plan.KNAPSACKS):
            part = replace(program, integer=np.zeros_like(integer))
            with suppress(RadprogError):
                settings = replace(self.settings.for_solver(self.race_budget), log=None)
                bound = solved_by_any(part, part, settings).bound
                self.relaxed = -math.inf if bound is None else raised_bound(program, bound)
        if structure.kinds and not self.race_budget.spent():
            self._decompose()
            # it has failed, or was stopped
            if self.solver.waits and not self.race_budget.spent():
                self._run_solver(math.inf)

    def _seconds_of(self, way: Contestant) -> float:
        """The seconds of a way by now."""
        return way.seconds(self.budget.seconds)

    def _run_solver(self, seconds: float, deadline: float = math.inf) -> bool:
        """Whether the solver was alone for so many seconds, before it or the race ended.

        ``deadline`` is the time after which the other way begins anyway.
        """
        solver, reached = self.solver, False
        if solver.waits:
            solver.thread.start()
        while solver.thread.is_alive() and not self.race_budget.spent() and not reached:
            self._observe_solver()
            solver.thread.join(0.05)
            # a search has its time from its first bound on
            if solver.gaps or not self.program.integer.any():
                reached = self._seconds_of(solver) >= seconds or self.budget.seconds >= deadline
        return reached

    def _observe_solver(self) -> None:
        """Append what the solver's thread has seen to the trace."""
        while self.solver.news:
            self.loop.record(*self.solver.news.pop(0), new=False)

    def _solve_whole(self) -> None:
        """Give the whole program to the preferred solver."""
        program, solver = self.program, self.solver
        solver.began = self.budget.seconds
        integer, process = bool(program.integer.any()), time.process_time()
        # without second stages, the simplex method has half of the seconds of interior points.
        # Flows of 57,920 entries need 2.0 to 3.5 s by simplex and 1.4 to 1.9 by interior points,
        # 90,600 columns over 46 and 6.5; relaxations of facilities 0.15 and 1.6, stages 0.3 and 0.6
        simplex_seconds = max(0.5, 1.25e-5 * program.rows.nnz) if _small(program) else 0.0

        def look(answer: Any) -> None:
            """The gap of the solver, from what it keeps while it runs."""
            solver.used = answer.processor
            gap = relative_gap(answer.claimed, answer.bound)
            solver.gaps.append((self._seconds_of(solver), math.inf if gap is None else gap))
            solver.bound = -math.inf if answer.bound is None else answer.bound
            # the value of a point is recomputed for the trace, as for the result
            x, value = answer.x, math.inf if answer.claimed is None else answer.claimed
            if x is not None:
                feasible = relative_violation(program, x) <= CLAIM_TOLERANCE
                value = program.objective(x) if feasible else math.inf
            solver.news.append((value, solver.bound))
            if x is not None and isinstance(self.blocks.search, BlockTree):
                self.blocks.search.new_points = [x]

        def interrupted() -> bool:
            # a linear program is solved in this process, which does nothing else before the blocks
            if not integer and math.isinf(self.blocks.began):
                solver.used = time.process_time() - process
            flows = options == simplex and self.blocks.name == "dantzig-wolfe"
            slow = flows and self._seconds_of(solver) > simplex_seconds
            return slow or solver.stopped or self.race_budget.spent()

        # without options, other solvers are tried where the first fails
        simplex, gap = {"solver": "choose"}, {"mip_rel_gap": repr(0.5 * self.settings.tol)}
        budget = replace(self.budget, interrupted=interrupted)
        start = self.start if self.blocks.search is None else self.blocks.search.best
        for options in [gap, {}] if integer else [simplex, {"solver": "ipm"}, dict[str, str]()]:
            timed = replace(self.settings.for_solver(budget), solver_options=options, start=start)
            with suppress(RadprogError), watched(look):
                solver.answer = solved_by_any(program, program, timed)
            answer = solver.answer
            # a tree of our own proves that a small program has no point, or finds one
            unproved = answer is not None and answer.status is Status.FAILED
            if integer and answer is not None and unproved and answer.claim is Status.INFEASIBLE:
                limited = Budget(own_limit(timed, answer.seconds), budget.spent)
                with suppress(RadprogError), under(limited):
                    proof = ExactTree(program, flint).prove(answer)
                    answer = solver.answer = answer if proof.claim is not None else proof
            if answer is not None:
                value = math.inf if answer.x is None else program.objective(answer.x)
                self.ended |= answer.status in PROVED or self._certified(value, answer.bound)
            failed = answer is None or answer.status is Status.FAILED or not integer
            claimed = answer is not None and answer.claim is Status.INFEASIBLE
            if solver.stopped or self.race_budget.spent() or claimed or not failed:
                break

    def _certified(self, value: float | None, bound: float | None) -> bool:
        """Whether a bound proves a value to the tolerance of the run."""
        if value is None or math.isinf(value) or bound is None:
            return False
        return certified_by(value, bound, self.settings.tol, self.settings.abs_tol) is not None

    def _decompose(self) -> None:
        """Run the decomposition."""
        blocks = self.blocks
        blocks.began, blocks.thread = self.budget.seconds, time.thread_time()
        try:
            search = blocks.search or self._new_search()
            with under(search.budget):
                blocks.status = search.run()
            self.ended |= blocks.status in PROVED
        except (OutOfBudget, UnboundedError) as error:
            # a ray of the whole program is the solver's to find
            if isinstance(error, UnboundedError) and not self.auto:
                self._solve_whole()
                answer = self.solver.answer
                if answer is None or answer.status is not Status.UNBOUNDED:
                    self.words.append(str(error))
        except SolverError as error:
            warn_user(f"{blocks.name} failed, and the solver goes on: {error}")
            if not self.auto:
                self._solve_whole()

    def _new_search(self) -> BlockTree | TwoStages:
        """The tree of columns, with what a checkpoint has, or the cuts."""
        assert self.structure is not None
        if self.blocks.name != "benders":
            self.blocks.name, self.structure = "dantzig-wolfe", without_linked(self.structure)
        budget = replace(self.budget, interrupted=self._interrupted)
        with under(budget):
            search = DECOMPOSITIONS[self.blocks.name](self.structure, self.loop, budget)
        self.blocks.search = search
        if self.start is not None and self.program.objective(self.start) < search.value:
            search.best, search.value = self.start, self.program.objective(self.start)
        if search.resumed:
            self.words.append(search.resumed)
        return search

    def _interrupted(self) -> bool:
        """Whether the blocks must stop; what they have is looked at, at most twice a second."""
        blocks = self.blocks
        began = math.isfinite(blocks.began) and blocks.search is not None
        if began and blocks.search and self.budget.seconds >= self.loop.observed + 10.0:
            # a sign of life from long rounds, dives and solvers
            value, bound = blocks.search.progress()
            self.loop.record(math.inf if value is None else value, bound, **blocks.search.counts)
        if not began or not self.auto or self.race_budget.spent() or blocks.stopped:
            return blocks.stopped or self.race_budget.spent()
        assert blocks.search is not None
        if not self.settings.sharing.shared:  # it is this thread that works
            blocks.used = time.thread_time() - blocks.thread
        self._observe_solver()
        seconds = self._seconds_of(blocks)
        if not blocks.gaps or seconds > blocks.gaps[-1][0] + min(0.5, 0.1 + 0.2 * seconds):
            value, blocks.bound = blocks.search.progress()
            # a point of one way, and the bound of the other
            self.ended |= self._certified(value, self.solver.bound)
            gap = relative_gap(value, blocks.bound)
            blocks.gaps.append((seconds, math.inf if gap is None else gap))
            self._stop_worse()
        if self.solver.waits and seconds >= self.solver.joins and not blocks.stopped:
            self.words.append(f"{blocks.describe(seconds)} alone")
            self.solver.thread.start()
        return blocks.stopped

    def _stop_worse(self) -> None:
        """Give up the way whose gap is larger after as many seconds of its own.

        The way that joined has 5 seconds. The one that began is given up only for a gap of a third.
        """
        ways = sorted((self.solver, self.blocks), key=lambda way: way.began)
        now = self.blocks.gaps[-1][0] if self.blocks.gaps else 0.0
        search = self.blocks.search
        root = search.nodes[:1] if isinstance(search, BlockTree) else []
        # a root bound that is no better than that of the relaxation: nodes close no sooner than
        # those of a solver, which solves a hundred times as many and begins with the best point.
        # Columns go on for more points, while their gap falls (5 x 36: -1,280 with a bound of
        # -1,282, and the solver -1,279 with one of -1,280)
        if root and root[0].bound <= self.relaxed:
            self.solver.joins = 0.0
            if now >= 5.0 and self.blocks.gap() >= self.blocks.gap(now / 2.0):
                self.blocks.stopped = True
                self.words.append(
                    "columns with no better bound than the relaxation did not close the gap"
                )
            return
        comparable = all(way.gaps and not way.stopped for way in ways)
        if not self.solver.thread.is_alive() or not comparable:
            return
        seconds = min(way.gaps[-1][0] for way in ways)
        first, second = (way.gap(seconds) for way in ways)
        loser = 1 if second > first else 0 if second < first / 3.0 < math.inf else None
        if seconds < 5.0 or loser is None:
            return
        # columns whose gap has stopped to fall may end later than the solver, which goes on
        if ways[loser] is self.solver and self.blocks.gap(now) >= self.blocks.gap(now - 5.0):
            return
        ways[loser].stopped = True
        summaries = ", ".join(way.describe(seconds) for way in (ways[loser], ways[1 - loser]))
        self.words.append(f"{summaries}: {ways[loser].name} was stopped because its gap was larger")

    def _conclude(self, way: str, proof: str, *, ended: bool, empty: bool) -> None:
        """Say which way ended the race, or is ahead, and what the other one had."""
        answer = self.solver.answer
        if answer is not None and answer.claim is not None and not ended:
            hint = "; rp.solve with prove=True, or radprog prove, may prove it"
            self.words.append(answer.message + hint * (answer.claim is Status.INFEASIBLE))
        elif self.auto or (way == "compact" and ended):
            leader = "the solver on the whole program" if way == "compact" else way
            ending = "ended its search" if proof == "solver" else "proved it"
            if way == "compact" and answer is not None and answer.message.startswith("proved"):
                ending += answer.message.removeprefix("proved")
            verdict = f"{leader} {ending if ended else 'is ahead'}"
            if math.isinf(self.blocks.began) and not ended and self.structure is not None:
                verdict = f"{'cuts' if self.blocks.name == 'benders' else 'columns'} did not begin"
            self.words.append("neither way has a value or a bound" if empty else verdict)
        elif self.blocks.status is Status.FAILED and not ended and not self.race_budget.spent():
            self.words.append(f"{way} ended, and its bound proves neither a point nor that none is")
        if self.auto:
            rival = self.blocks if way == "compact" else self.solver
            if rival.began < math.inf and not (self.solver.stopped or self.blocks.stopped):
                self.words.append(rival.describe(self._seconds_of(rival)))
        if self.loop.reason.premature:
            search, words = self.blocks.search, f"stopped by {self.loop.reason}"
            if isinstance(search, BlockTree):
                words += f" with {amount(len(search.heap), 'open node')}"
            beside = "`method='auto'` lets HiGHS work beside the blocks"
            self.words += [words, *[beside] * (not self.auto)]

    def _set_reason(self, ended: bool) -> None:
        """Why the race ended."""
        loop, search = self.loop, self.blocks.search
        if ended:
            loop.reason = Reason.TOLERANCE
        elif loop.stopped:
            loop.reason = Reason.OWN_RULE
        elif self.budget.spent():
            loop.reason = self.budget.reason
        # a tree may stop a little before the limit, or with a leaf that no branch divides
        elif search is None or loop.reason not in (Reason.STALLED, Reason.TIME_LIMIT):
            limited = self.settings.max_iter is not None
            loop.reason = Reason.MAX_ITER if limited else Reason.STALLED

    def _save_checkpoint(self, x: FloatArray | None, value: float) -> None:
        """Write the checkpoint, with the best point (n,) of all ways."""
        search = self.blocks.search
        if search is not None and search.checkpoint is not None:
            search.best, search.value = x, value
            point_text = "no point" if x is None else "the best point"
            cuts = isinstance(search, TwoStages)
            size = amount(search.size, "cut") if cuts else amount(search.iterations, "solved node")
            if search.save(0.0):
                self.words.append(f"{search.checkpoint} has {point_text} and {size}")

    def _result(self) -> CompactRun:
        """The result."""
        search = self.blocks.search  # which has not begun where a checkpoint has its point
        answer, settings, loop = self.solver.answer, self.settings, self.loop
        program, proof = self.program, "tree"
        claim = Status.LIMIT if answer is None else answer.status
        # a way that failed claims nothing beside that of the solver
        began = math.isfinite(self.blocks.began)
        if began and search and (answer is None or self.blocks.status is not Status.FAILED):
            claim = self.blocks.status
        method = "compact" if search is None else self.blocks.name
        x = self.start if search is None else search.best
        bound, linear = -math.inf, not program.integer.any()
        # the solver's point may leave its bounds by a tolerance
        x = None if x is None else np.clip(x, program.lower, program.upper)
        if x is not None and relative_violation(program, x) > CLAIM_TOLERANCE:
            x = None
        value = math.inf if x is None else program.objective(x)
        if search is not None:
            bound = search.lower_bound()
            proof = "duals" if linear else "solver" if search.searched else "tree"
            if isinstance(search, BlockTree) and linear and search.multipliers is not None:
                bound = dual_bound(program, search.multipliers, best=min(value, 1e300))[0]
        bounds = {} if search is None else {self.blocks.name: bound}
        if answer is not None:
            bounds["compact"] = -math.inf if answer.bound is None else answer.bound
            # the way of the better bound, as each takes the points of the other one
            if bounds["compact"] > bound:
                bound, proof, method = bounds["compact"], answer.proved_by or "solver", "compact"
            if answer.x is not None and program.objective(answer.x) < value:
                x, value = answer.x, program.objective(answer.x)
                method = "compact" if bounds["compact"] >= bound else method
            claims = answer.status in (Status.INFEASIBLE, Status.UNBOUNDED)
            if claims and (search is None or claim is not Status.INFEASIBLE):
                claim, proof, method = answer.status, answer.proved_by or "duals", "compact"
        if not linear and beyond(value, bound):  # one of the searches is wrong
            bound, bounds = -math.inf, {}
        objective = None if x is None else value
        proved = self._certified(objective, bound)
        proved |= x is not None and bound_met(program, value, bound, settings.tol)
        if answer is not None and answer.status is Status.UNBOUNDED:
            status = Status.UNBOUNDED
        elif x is not None:
            status = Status.OPTIMAL if proved else Status.FEASIBLE
        elif claim in (Status.INFEASIBLE, Status.UNBOUNDED, Status.FAILED):
            status = claim
        else:
            status = Status.LIMIT
        ended = proved or status in (Status.INFEASIBLE, Status.UNBOUNDED)
        empty = objective is None and not math.isfinite(bound) and not ended
        self._set_reason(ended)
        self._conclude(method, proof, ended=ended, empty=empty)
        multipliers, root_bound = None, None
        # a program without a point has an infinite bound
        tree = search if isinstance(search, BlockTree) and math.isfinite(bound) else None
        if tree is not None and math.isfinite(tree.root_bound):
            multipliers, root_bound = tree.prices, tree.root_bound
        # the last values are recorded before the checkpoint counts the records
        counts = search.counts if isinstance(search, TwoStages) else {}
        loop.record(value, bound, new=False, **counts)
        self._save_checkpoint(x, value)
        self.words += no_log(settings.log, loop.budget.seconds)
        return loop.result(
            *(CompactRun, objective, bound if math.isfinite(bound) else None),
            status=status,
            message="; ".join(filter(None, [*self.words, search.message if search else ""])),
            values={} if x is None else fixed_values(self.model) | by_name(program, x),
            method=method,
            bounds={k: program.sense * b for k, b in bounds.items() if math.isfinite(b)},
            proved_by=proof if ended else None,
            bound_by=proof if math.isfinite(bound) else None,
            nodes=0 if search is None else search.iterations,
            columns=0 if search is None else search.size,
            multipliers=multipliers,
            root_bound=loop.signed(root_bound),
            _x=x,
            _program=program,
            _structure=self.structure,
            _model=self.model,
            _search=search,
        )
