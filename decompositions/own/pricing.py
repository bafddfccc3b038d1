"""Pricing models as matrices: the model is compiled once, and a call changes costs and bounds.

The columns of a model are D x + d over its points x, with cost c'x + k. At multipliers y, a call
solves

    min (c - D'y)'x   over the points x within the restrictions of a node,

in HiGHS or, for one row of integers, by dynamic programming
(:class:`radprog.decompositions.programs.blocks.BlockPricer`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyomo.environ as pyo
from scipy import sparse

from radprog.base.errors import NonlinearError, RadprogError, SolverError, StoppedError
from radprog.base.limits import users_code
from radprog.base.tolerances import CLAIM_TOLERANCE
from radprog.base.types import BoolArray, FloatArray
from radprog.decompositions.own.branching import (
    Original,
    PricerVariable,
    Restrictions,
    Rows,
    bounds_of_sums,
    integers_of,
    json_values,
    span,
    takes_restrictions,
)
from radprog.decompositions.own.columns import (
    Column,
    ColumnBatch,
    Components,
    Multipliers,
    PricedColumns,
    PricingModel,
    priced,
)
from radprog.decompositions.programs.blocks import BlockAnswer, BlockPricer
from radprog.solvers.bodies import BodyReader
from radprog.solvers.compile import compile_model, variables_and_rows
from radprog.solvers.program import ProblemClass, Program, SolveSettings, Status
from radprog.solvers.registry import preferred, solve_program
from radprog.solvers.violations import relative_violation


class Pricer:
    """A pricer of the user's, under the restrictions of the current node."""

    def __init__(
        self,
        number: int,
        price: Any,
        settings: SolveSettings,
        rows: Rows | None = None,
        branch: str = "",
    ) -> None:
        """``rows`` and ``branch`` are those of a tree, whose rule the columns have to meet."""
        self.number, self.price, self.rows, self.branch = number, price, rows, branch
        self.limits = Restrictions()
        self.checkpoint: Any = None  # the file that its columns must go to
        self.room: FloatArray | None = None  # (m,) of a dive: most that a column may take of a row
        # integer variables that are branched on, in the order of Original.values
        self.variables = integers_of(price.model) if branch == "bounds" else []
        self.branchable = [PricerVariable(number, variable) for variable in self.variables]
        self.place = {id(variable): k for k, variable in enumerate(self.variables)}
        self.model: ModelPricer | None = None
        if isinstance(price, PricingModel):
            self.model = ModelPricer(price, number, settings, keeps_values=branch == "bounds")
            for row, part in price.coefficients.items() if branch == "components" else ():
                span(row, part)  # raises CapabilityError for one that no branch divides
        else:
            self._arguments = 1 + takes_restrictions(price)

    def __call__(
        self, multipliers: Multipliers, sense: int, settings: SolveSettings, gap: float
    ) -> PricedColumns:
        """The answer at the multipliers; ``gap`` is that of a pricing model's search."""
        if self.model is None:
            arguments = (multipliers, self.limits)[: self._arguments]
            with users_code(self.name):
                return priced(self.price(*arguments), self.name)
        try:
            with users_code("the pricing model", RadprogError):
                return self.model(multipliers, sense, self.limits, settings, gap, self.room)
        except (NonlinearError, StoppedError):
            raise
        except RadprogError as error:
            raise SolverError(f"{self.name}: {error}") from error

    @property
    def searches(self) -> bool:
        """Whether a gap ends its searches early."""
        return self.model is not None and self.model.searches

    @property
    def name(self) -> str:
        """The name of the pricer in messages."""
        return f"pricer {self.number + 1}"

    def check(self, batch: ColumnBatch, constraints: Sequence[Any]) -> None:
        """Raise StoppedError unless columns are whole, and meet the restrictions and the rule."""
        if self.rows is None or not len(batch):
            return
        matrix = batch.matrix
        wrong = matrix.data != 1.0
        if self.branch == "components":
            wrong = matrix.data != np.round(matrix.data)
        elif wrong.any():
            wrong &= (self.rows.numbers[matrix.indices] >= 0) & (self.branch == "pairs")
        if wrong.any():
            k = int(np.flatnonzero(wrong)[0])
            row = constraints[matrix.indices[k]].name
            expected = "an integer" if self.branch == "components" else "0 or 1"
            raise StoppedError(
                f"{self.name} gave {matrix.data[k]:g} in row {row}: expected {expected}"
            )
        if not batch.whole:
            raise StoppedError(f"{self.name} gave a column with whole=False: expected whole ones")
        cover = self.rows.covered(matrix.indices, batch.columns, len(batch))
        if not self.rows.allowed(cover, self.limits).all():
            raise StoppedError(f"{self.name} gave a column that its restrictions forbid")
        for name, payload in map(batch.label, range(len(batch) * (self.checkpoint is not None))):
            try:
                json_values(name, payload)
            except (TypeError, ValueError, RecursionError) as error:
                raise StoppedError(
                    f"{self.name} gave a column that checkpoint {self.checkpoint} cannot store as "
                    f"JSON: {error}: give its payload numbers, texts, lists or mappings of them"
                ) from error

    def allowed(self, values: FloatArray, limits: Restrictions) -> BoolArray:
        """Whether the bounds allow each column (t,) of the pricer; ``values`` has shape (t,
        variables).
        """
        keep = np.ones(len(values), dtype=np.bool_)
        for part, lower, upper in limits.bounds:
            if isinstance(part, PricerVariable) and part.pricer == self.number:
                k = self.place[id(part.variable)]
                keep &= (values[:, k] >= lower) & (values[:, k] <= upper)
        return keep


@dataclass
class ModelPricer:
    """A pricing model as matrices, under the restrictions of a node."""

    price: PricingModel
    number: int  # of the pricer
    settings: SolveSettings
    keeps_values: bool = False  # whether the payload keeps the values of the variables
    variables: list[Any] = field(init=False)
    _program: Program | None = field(init=False, default=None)
    _restricted: tuple[Restrictions, BlockPricer | None] | None = field(init=False, default=None)

    def _compile(self) -> None:
        """Read the model, its cost and its coefficients."""
        model = self.price.model
        for objective in model.component_data_objects(pyo.Objective, active=True):
            objective.deactivate()
        program = compile_model(model)
        self.variables = variables_and_rows(model)[0]
        reader = BodyReader(self.variables)
        rows = self.price.coefficients
        algebra = {"the cost of a pricing model": self.price.cost}
        algebra |= {f"the coefficient in {getattr(r, 'name', r)}": a for r, a in rows.items()}
        parts = [reader.read(part, SimpleNamespace(name=name)) for name, part in algebra.items()]
        for name, part in zip(algebra, parts, strict=True):
            if part.quadratic:
                raise NonlinearError(
                    f"{name} is quadratic: expected a linear one, or a pricing function"
                )
        matrix = np.zeros((len(parts), len(self.variables)))
        for row, part in zip(matrix, parts, strict=True):
            np.add.at(row, part.columns, part.coefficients)
        constants = np.array([part.constant for part in parts])
        self._cost, self._fixed_cost = matrix[0], float(constants[0])
        self._parts = sparse.csr_array(matrix[1:])
        self._transpose = sparse.csr_array(matrix[1:].T)
        self._constants = constants[1:]
        # coefficients a x_j with a > 0: rows, columns and factors
        single = np.flatnonzero(np.diff(self._parts.indptr) == 1)
        starts = self._parts.indptr[single]
        factors = self._parts.data[starts]
        self._single = (
            single[factors > 0.0],
            self._parts.indices[starts][factors > 0.0],
            factors[factors > 0.0],
        )
        self._places = np.zeros(0, dtype=np.intp)
        self._program = program

    def __call__(
        self,
        multipliers: Multipliers,
        sense: int,
        limits: Restrictions,
        settings: SolveSettings,
        gap: float,
        room: FloatArray | None = None,
    ) -> PricedColumns:
        """Columns of small reduced cost, and a bound on the smallest one.

        Searches end at the relative ``gap``. The bound is theirs, and holds for any gap. ``room``
        (m,) bounds the coefficients that are multiples of one variable; there is no bound then.
        """
        if self._program is None:
            self._compile()
        # costs at the multipliers
        if self._places.size != len(self.price.coefficients):
            self._places = np.array([multipliers.place(r) for r in self.price.coefficients])
        y = multipliers.array[self._places] if len(self._places) else np.zeros(0)
        cost = sense * (self._cost - self._transpose @ y)
        constant = sense * (self._fixed_cost - float(self._constants @ y))
        # multipliers of phase one are too large for solvers: they are divided by a power of two
        largest = float(np.abs(multipliers.array).max(initial=0.0))
        unit = 2.0 ** math.ceil(math.log2(largest)) if largest > 1e8 else 1.0
        n = len(cost)
        block = self._block(limits)
        if block is None:
            return PricedColumns(reduced_cost=0.0, count=0.0)
        indicators = [-multipliers[members] for members in bounds_of_sums(limits)]
        cost = np.concatenate([cost, indicators, np.zeros(block.program.cost.size - n)])[
            : block.program.cost.size
        ]
        upper = block.program.upper
        if room is not None and len(self._places):
            upper = upper.copy()
            room_each = (room[self._places] - self._constants)[self._single[0]] / self._single[2]
            np.minimum.at(upper, self._single[1], np.floor(room_each + 1e-9))
            upper = np.maximum(upper, block.program.lower)
        answer = self._answer(block, cost / unit, upper, settings, gap)
        # without any column, the pricer's term of the bound is 0
        if answer.bound == math.inf:
            return PricedColumns(reduced_cost=0.0, count=0.0)
        best = sense * (unit * answer.bound + constant) if math.isfinite(answer.bound) else None
        points = [point[:n] for point in answer.points]
        # the first column, and those of the others that improve
        improving = [x for x in points[1:] if cost[:n] @ x + constant < 0.0]
        points = [*points[:1], *improving]
        return PricedColumns(self._columns(points), best, self.price.count)

    def _answer(
        self,
        block: BlockPricer,
        cost: FloatArray,
        upper: FloatArray,
        settings: SolveSettings,
        gap: float,
    ) -> BlockAnswer:
        """The answer of a block, or of the solver that a block is not for."""
        program, name = replace(block.program, upper=upper), self.price.solver
        kind = program.problem_class
        linear = kind in (ProblemClass.LP, ProblemClass.MILP)
        if linear and name in (None, "highs"):
            block.limits = lambda: settings.time_limit
            # several columns a call serve several rows (67 rounds at the root, 728 with one column)
            count = 5 if self.price.count is None else max(1, min(5, int(self.price.count)))
            with suppress(SolverError):
                answer = block.price(cost, program.lower, program.upper, count=count, gap=gap)
                wrong = [relative_violation(program, x) > CLAIM_TOLERANCE for x in answer.points]
                if answer.ray is None and not any(wrong):
                    return answer
        # another solver, a quadratic model, no optimum, or a point that misses rows by rounding
        program = replace(program, cost=cost)
        chosen = name or preferred(kind, nonconvex=not linear)
        solution = solve_program(program, chosen, settings)
        if solution.status is Status.INFEASIBLE:
            return BlockAnswer()
        if solution.x is not None:
            bound = -math.inf if solution.bound is None else solution.bound
            return BlockAnswer((solution.x,), bound)
        cut = solution.status in (Status.LIMIT, Status.INTERRUPTED)
        if cut or solution.claim is Status.INFEASIBLE:
            return BlockAnswer((), -math.inf)
        raise SolverError(
            f"the pricing model has no optimum, {solution.solver} says {solution.status}: are "
            "its variables bounded?"
        )

    def _columns(self, points: list[FloatArray]) -> list[Column]:
        """The columns of points (n,)."""
        price = self.price
        payloads: list[Any] | None = None
        if price.payload is not None:
            payloads = []
            for x in points:
                for variable, value in zip(self.variables, x.tolist(), strict=True):
                    variable.set_value(value, skip_validation=True)
                with users_code(f"the payload of pricer {self.number + 1}"):
                    payloads.append(price.payload(price.model))
        if self.keeps_values:
            values = payloads or [None] * len(points)
            payloads = [Original(tuple(x.tolist()), p) for x, p in zip(points, values, strict=True)]
        rows = list(price.coefficients)
        columns = []
        for k, x in enumerate(points):
            values = (self._parts @ x + self._constants).tolist()
            columns.append(
                Column(
                    float(self._cost @ x) + self._fixed_cost,
                    dict(zip(rows, values, strict=True)),
                    payload=payloads and payloads[k],
                    whole=price.whole,
                )
            )
        return columns

    @property
    def searches(self) -> bool:
        """Whether a gap ends its searches early."""
        block = None if self._restricted is None else self._restricted[1]
        return block is not None and block.searched

    # restrictions

    def _block(self, limits: Restrictions) -> BlockPricer | None:
        """The block of a node, or None if no column meets the restrictions."""
        if self._restricted is None or self._restricted[0] != limits:
            assert self._program is not None
            program = self._limited(self._program, limits)
            settings = replace(self.settings, time_limit=None)
            block = None if program is None else BlockPricer(program, settings, lambda: None)
            self._restricted = limits, block
        return self._restricted[1]

    def _limited(self, program: Program, limits: Restrictions) -> Program | None:
        """The program with the restrictions as rows and bounds, and with a binary column for each
        bounded sum; None if no column can meet the restrictions.
        """
        n = program.cost.size
        place = {id(row): k for k, row in enumerate(self.price.coefficients)}
        parts = self._parts.toarray()

        def part(row: Any) -> tuple[FloatArray, float]:
            k = place.get(id(row))
            return (np.zeros(n), 0.0) if k is None else (parts[k], float(self._constants[k]))

        rows: list[tuple[FloatArray, float, float]] = []
        for pairs, sign, low, high in ((limits.together, -1.0, 0.0, 0.0),
                                       (limits.apart, 1.0, -math.inf, 1.0)):  # fmt: skip
            for r, s in pairs:
                (first, a), (second, b) = part(r), part(s)
                body, constant = first + sign * second, a + sign * b
                if body.any():
                    rows.append((body, low - constant, high - constant))
                elif not low <= constant <= high:
                    return None
        # bounds on the model's own variables
        lower, upper = program.lower.copy(), program.upper.copy()
        columns = {id(variable): j for j, variable in enumerate(self.variables)}
        for variable, low, high in limits.bounds:
            if isinstance(variable, PricerVariable) and variable.pricer == self.number:
                j = columns[id(variable.variable)]
                lower[j], upper[j] = max(lower[j], low), min(upper[j], high)
        if (lower > upper).any():
            return None
        extra, count = self._indicators(program, [*bounds_of_sums(limits)], part)
        if not rows and not count:
            return replace(program, lower=lower, upper=upper)
        bodies = np.zeros((len(rows) + len(extra), n + count))
        for k, (body, *_) in enumerate(rows):
            bodies[k, :n] = body
        for k, (body, binaries, *_) in enumerate(extra, start=len(rows)):
            bodies[k, :n] = body
            for j, value in binaries.items():
                bodies[k, n + j] = value
        sides = np.array([(low, high) for *_, low, high in [*rows, *extra]])
        free = replace(program, cost=np.zeros(n), lower=lower, upper=upper)
        binary = np.zeros(count)
        wider = free.with_columns(None, binary, binary, binary + 1.0, integer=True)
        wider = wider.with_rows(bodies, *sides.T)
        return replace(wider, column_names=(), row_names=())

    def _indicators(
        self, program: Program, sets: Sequence[Components], part: Callable[[Any], Any]
    ) -> tuple[list[tuple[FloatArray, Mapping[int, float], float, float]], int]:
        """Rows with binary columns, and the number of these columns. The first ones are y, one for
        each set: y = 1 if and only if the column is in the set.
        """
        count, rows = len(sets), list[tuple[FloatArray, Mapping[int, float], float, float]]()
        for k, members in enumerate(sets):
            failing = []
            for row, low, high in members.bounds:
                body, constant = part(row)
                nonzero = body != 0.0
                corner = np.where(body > 0.0, program.upper, program.lower)[nonzero]
                upper = constant + float(body[nonzero] @ corner)
                corner = np.where(body > 0.0, program.lower, program.upper)[nonzero]
                lower = constant + float(body[nonzero] @ corner)
                # y = 1: the bound holds; z = 1: it fails
                if low > lower:
                    rows.append((body, {k: lower - low}, lower - constant, math.inf))
                    rows.append((body, {count: upper - low + 1.0}, -math.inf, upper - constant))
                    failing.append(count)
                    count += 1
                if high < upper:
                    rows.append((body, {k: upper - high}, -math.inf, upper - constant))
                    rows.append((body, {count: lower - high - 1.0}, lower - constant, math.inf))
                    failing.append(count)
                    count += 1
            # y = 1 unless a bound fails
            empty = np.zeros(program.cost.size)
            rows.append((empty, dict.fromkeys([k, *failing], 1.0), 1.0, math.inf))
        return rows, count
