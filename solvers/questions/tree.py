"""Integer programs proved by a tree of our own: each leaf is closed in rational arithmetic.

    min c'x   s.t. l <= A x <= u,  x in its bounds,  x_j integer for j in J

A node has bounds on integer columns, and its relaxation is a linear program in HiGHS. Multipliers y
of its rows, as fractions, prove the bound side(y) + sum_j min over x_j of (c - A'y)_j x_j, whatever
HiGHS says. A leaf is closed if this bound reaches the value to prove, or, without costs, if it is
above 0 (Farkas). If all costs belong to integers, bounds are rounded up to the next value that an
integer point can have. The certificate is written in VIPR (Cheung, Gleixner and Steffy 2017): a
leaf is a linear combination under assumptions, and a division an unsplit.
"""

from __future__ import annotations

import heapq
import itertools
import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import numpy as np

from radprog.base.errors import CapabilityError, SolverError
from radprog.base.limits import OutOfBudget, poll
from radprog.base.types import FloatArray
from radprog.solvers.adapters.highs import STATUS, new_highs, pass_program
from radprog.solvers.formats.reading import ExactNumbers
from radprog.solvers.program import (
    INFINITE,
    ProblemClass,
    Program,
    Solution,
    SolveSettings,
    Status,
)
from radprog.solvers.questions.exact import solve_exactly, vipr_terms

#: Relative distance of the proved bound of a program with continuous columns from its value.
PROVED_GAP = Fraction(1, 10**9)
NOTHING = Fraction(0)


@dataclass
class _Node:
    """Bounds (n,) of columns; how it is closed, or divided at a column above ``below``."""

    lower: FloatArray
    upper: FloatArray
    bound: float
    multipliers: list[Fraction] | None = None
    farkas: bool = False
    column: int = -1
    below: int = 0
    children: tuple[_Node, ...] = ()


@dataclass(frozen=True, kw_only=True)
class TreeAnswer:
    """What a tree proves of an integer program.

    ``status`` is optimal, infeasible, feasible or limit. ``x`` (n,) and ``objective`` are exact,
    with the constant; ``bound`` is proved by the leaves and, without a proof of the optimum, by the
    open nodes.
    """

    status: Status
    x: list[Fraction] | None
    objective: Fraction | None
    bound: float
    nodes: int
    tree: ExactTree = field(repr=False)

    def vipr(self) -> str:
        """The certificate. Raises SolverError without a proof."""
        if self.status not in (Status.OPTIMAL, Status.INFEASIBLE):
            raise SolverError(f"the tree ended with '{self.status}': there is no proof to write")
        return self.tree.vipr()


class ExactTree:
    """The tree of an integer program with the numbers of a file, or with its doubles."""

    def __init__(
        self, program: Program, load: Callable[[], Any], numbers: ExactNumbers | None = None
    ) -> None:
        if program.problem_class not in (ProblemClass.LP, ProblemClass.MILP):
            raise CapabilityError(
                f"no exact proof of a {program.problem_class}: expected linear rows and costs"
            )
        self.program, self.load = program, load
        self.numbers = numbers or decimals(program)
        self.entries: list[dict[int, Fraction]] = [{} for _ in self.numbers.cost]
        for r, row in enumerate(self.numbers.rows):
            for j, value in row.items():
                self.entries[j][r] = value
        # values of integer points are multiples of 1 / scale, if no continuous column has a cost
        self.scale: int | None = None
        if all(not c or program.integer[j] for j, c in enumerate(self.numbers.cost)):
            self.scale = math.lcm(*(c.denominator for c in self.numbers.cost), 1)
        relaxed = replace(program, integer=np.zeros_like(program.integer), constant=0.0)
        self.relaxed = relaxed
        self.highs = new_highs(SolveSettings(tol=1e-9, solver_options={"presolve": "off"}))
        pass_program(self.highs, relaxed)
        self.x: list[Fraction] | None = None
        self.value: Fraction | None = None
        self.root = _Node(program.lower.copy(), program.upper.copy(), -math.inf)
        self.nodes = 0
        # mean gains of the bound by a division, below and above, for each column
        n = program.cost.size
        self.gains, self.counts = np.zeros((2, n)), np.zeros((2, n))

    def solve(self, start: FloatArray | None = None) -> TreeAnswer:
        """Search best first until every leaf is closed, or a limit ends it.

        ``start`` (n,) is a point to begin with, such as a solver's incumbent.
        """
        if start is not None:
            self._offer(start)
        numbers = itertools.count()
        heap: list[tuple[float, int, _Node]] = [(-math.inf, next(numbers), self.root)]
        try:
            while heap:
                poll()
                node: _Node | None = heapq.heappop(heap)[-1]
                # down to a leaf, then on with the least bound
                while node is not None:
                    poll()
                    children = self._visit(node)
                    for child in children[1:]:
                        heapq.heappush(heap, (child.bound, next(numbers), child))
                    node = children[0] if children else None
        except OutOfBudget:
            opened = [bound for bound, *_ in heap]
            least = min([*opened, -math.inf if node is None else node.bound])
            word = Status.LIMIT if self.x is None else Status.FEASIBLE
            return self._answer(word, least)
        if self.value is None:
            return self._answer(Status.INFEASIBLE, math.inf)
        return self._answer(Status.OPTIMAL, float(self.target))

    def _answer(self, status: Status, bound: float) -> TreeAnswer:
        constant = self.numbers.constant
        value = None if self.value is None else self.value + constant
        return TreeAnswer(
            status=status, x=self.x, objective=value, bound=bound + float(constant),
            nodes=self.nodes, tree=self,
        )  # fmt: skip

    @property
    def target(self) -> Fraction:
        """The bound to prove, without the constant: the best value, or a little less."""
        assert self.value is not None
        if self.scale is not None:
            return self.value
        return self.value - PROVED_GAP * max(abs(self.value), Fraction(1))

    def _raised(self, bound: Fraction) -> Fraction:
        """The bound, raised to the next value of an integer point."""
        if self.scale is None:
            return bound
        return Fraction(math.ceil(bound * self.scale), self.scale)

    def _visit(self, node: _Node) -> tuple[_Node, ...]:
        """Solve the relaxation of a node: close it, or divide it. The first child is dived into."""
        self.nodes += 1
        if (node.lower > node.upper).any():
            node.multipliers, node.farkas = [NOTHING] * len(self.numbers.rows), True
            return ()
        n = self.program.cost.size
        places = np.arange(n, dtype=np.int32)
        self.highs.changeColsBounds(n, places, node.lower, node.upper)
        self.highs.run()
        status = STATUS[self.highs.getModelStatus()]
        if status is Status.INFEASIBLE:
            ray = self.highs.getDualRay()
            values = np.array(ray[-1]) if len(ray) > 1 and ray[1] else np.zeros(0)
            self._close_infeasible(node, values)
            return ()
        if status is Status.UNBOUNDED:
            raise CapabilityError("the relaxation is unbounded: exact proofs are of an optimum")
        if status is not Status.OPTIMAL:
            self.highs.clearSolver()
            self.highs.run()
            status = STATUS[self.highs.getModelStatus()]
            if status is not Status.OPTIMAL:
                raise SolverError(f"HiGHS ended a node with '{status}'")
        solution = self.highs.getSolution()
        x, y = np.array(solution.col_value), np.array(solution.row_dual)
        value = float(self.highs.getInfo().objective_function_value)
        self._learn(node, value)
        node.bound = max(node.bound, value)
        if self.value is not None and self._close(node, y, value):
            return ()
        fraction = np.abs(x - np.rint(x))
        fraction[~self.program.integer] = 0.0
        if fraction.max(initial=0.0) <= 1e-6:
            self._offer(x, node)
            if self._close(node, y, value) or self._close_exactly(node):
                return ()
            # rounded integers are not optimal here: divide at one that is not fixed
            free = np.flatnonzero(self.program.integer & (node.lower < node.upper))
            if not free.size:
                raise SolverError("a node with fixed integers is not closed by rational numbers")
            j = int(free[0])
            return self._divide(node, j, x, value)
        return self._divide(node, self._choose(x, fraction), x, value)

    def _choose(self, x: FloatArray, fraction: FloatArray) -> int:
        """The column to divide at, by pseudo-costs, and by fractions before there are any."""
        free = np.flatnonzero(fraction > 1e-6)
        part = x[free] - np.floor(x[free])
        means = self.gains / np.maximum(self.counts, 1.0)
        average = means.sum() / max(1, np.count_nonzero(self.counts)) or 1.0
        known = np.where(self.counts[:, free] > 0, means[:, free], average)
        score = np.maximum(known[0] * part, 1e-9) * np.maximum(known[1] * (1.0 - part), 1e-9)
        return int(free[int(score.argmax())])

    def _divide(self, node: _Node, j: int, x: FloatArray, value: float) -> tuple[_Node, ...]:
        """Two children: column j at most ``below``, or at least ``below`` + 1."""
        # a value on an end of the column, up to rounding, is divided off from the others
        below = max(
            math.floor(x[j]), math.ceil(node.lower[j]) if node.lower[j] > -INFINITE else -math.inf
        )
        below = int(min(below, math.ceil(node.upper[j]) - 1 if node.upper[j] < INFINITE else below))
        at = float(x[j])
        upper, lower = node.upper.copy(), node.lower.copy()
        upper[j], lower[j] = below, below + 1
        node.column, node.below = j, below
        node.children = (
            _Node(node.lower, upper, value), _Node(lower, node.upper, value),
        )  # fmt: skip
        self._last = {id(node.children[0]): (0, j, at - below, value)}
        self._last[id(node.children[1])] = (1, j, below + 1 - at, value)
        # the nearer side first
        return node.children if at - below <= 0.5 else node.children[::-1]

    def _learn(self, node: _Node, value: float) -> None:
        """Pseudo-costs: the gain of a division a unit of distance."""
        side, j, distance, before = getattr(self, "_last", {}).get(id(node), (0, 0, 0.0, 0.0))
        if distance > 1e-6:
            self.gains[side, j] += max(0.0, value - before) / distance
            self.counts[side, j] += 1.0

    # leaves in rational numbers

    def _close(self, node: _Node, y: FloatArray, value: float) -> bool:
        """Close a node by multipliers, if their exact bound reaches the target."""
        if self.value is None:
            return False
        step = 0.0 if self.scale is None else 1.0 / self.scale
        if value < float(self.target) - step * (1.0 - 1e-9) - 1e-6 * max(1.0, abs(value)):
            return False
        for bits in (24, 44, 1074):
            multipliers = self._fractions(y, bits)
            bound = self.bound_of(node, multipliers)
            if bound is not None and self._raised(bound) >= self.target:
                node.multipliers = multipliers
                return True
        return self._close_exactly(node) if step == 0.0 or value > float(self.target) else False

    def _close_exactly(self, node: _Node) -> bool:
        """Close a node by the exact multipliers of its relaxation, or by an exact integer point."""
        answer = self._exact(node.lower, node.upper)
        if answer.x is None:
            node.multipliers, node.farkas = answer.rows, True
            return True
        integer = np.flatnonzero(self.program.integer)
        if all(answer.x[j].denominator == 1 for j in integer):
            self._keep(answer.x)
        bound = self.bound_of(node, answer.rows)
        if self.value is not None and bound is not None and self._raised(bound) >= self.target:
            node.multipliers = answer.rows
            return True
        return False

    def _close_infeasible(self, node: _Node, ray: FloatArray) -> None:
        """Close a node without a point by a ray, or by exact multipliers."""
        if ray.size:
            ray = ray / max(float(np.abs(ray).max(initial=0.0)), 1e-300)
            for bits in (24, 1074):
                multipliers = self._fractions(ray, bits)
                bound = self.bound_of(node, multipliers, farkas=True)
                if bound is not None and bound > 0:
                    node.multipliers, node.farkas = multipliers, True
                    return
        answer = self._exact(node.lower, node.upper)
        if answer.x is not None:
            raise SolverError("HiGHS calls a node infeasible, which rational numbers refute")
        node.multipliers, node.farkas = answer.rows, True

    def _fractions(self, y: FloatArray, bits: int) -> list[Fraction]:
        """Multipliers (m,) rounded to multiples of 2^-bits of the largest, 0 for absent sides."""
        low, high = self.numbers.row_lower, self.numbers.row_upper
        size = 2.0 ** math.ceil(math.log2(max(float(np.abs(y).max(initial=0.0)), 1e-300)))
        found = []
        for r, value in enumerate(y.tolist()):
            exact = Fraction(value)
            if bits < 1000:
                unit = Fraction(2) ** bits / Fraction(size)
                exact = Fraction(round(exact * unit)) / unit
            side = low[r] if exact > 0 else high[r]
            found.append(exact if _end(side) is not None else NOTHING)
        return found

    def bound_of(self, node: _Node, y: list[Fraction], *, farkas: bool = False) -> Fraction | None:
        """The exact bound of multipliers (m,) at a node, or None if it is -inf."""
        total = NOTHING
        for r, value in enumerate(y):
            if value:
                total += value * (
                    _end(self.numbers.row_lower[r] if value > 0 else self.numbers.row_upper[r])
                    or NOTHING
                )
        for j, reduced in self._reduced(y, farkas=farkas):
            end = self._end_of(node, j, upper=reduced < 0)
            if end is None:
                return None
            total += reduced * end
        return total

    def _reduced(self, y: list[Fraction], *, farkas: bool) -> Iterator[tuple[int, Fraction]]:
        """The columns with a reduced cost other than 0."""
        for j, entries in enumerate(self.entries):
            reduced = NOTHING if farkas else self.numbers.cost[j]
            for r, value in entries.items():
                if y[r]:
                    reduced -= y[r] * value
            if reduced:
                yield j, reduced

    def _end_of(self, node: _Node, j: int, *, upper: bool) -> Fraction | None:
        """An end of a column at a node: the file's, unless a division has moved it."""
        own = self.program.upper[j] if upper else self.program.lower[j]
        at = node.upper[j] if upper else node.lower[j]
        if at != own:
            return Fraction(float(at))
        return _end(self.numbers.upper[j] if upper else self.numbers.lower[j])

    # points

    def _offer(self, x: FloatArray, node: _Node | None = None) -> None:
        """Make a point exact: its integers are rounded and fixed, and the rest is solved."""
        integer = self.program.integer
        whole = np.where(integer, np.rint(x), x)
        if integer.all():
            self._keep([Fraction(value) for value in whole.tolist()])
            return
        lower = np.where(integer, whole, self.program.lower)
        upper = np.where(integer, whole, self.program.upper)
        if node is None or ((lower >= node.lower) & (upper <= node.upper))[integer].all():
            try:
                answer = self._exact(lower, upper)
            except (CapabilityError, SolverError):
                return
            if answer.x is not None:
                self._keep(answer.x)

    def _keep(self, x: list[Fraction]) -> None:
        """Keep an exact point if it is feasible and better."""
        value = sum((c * v for c, v in zip(self.numbers.cost, x, strict=True)), NOTHING)
        if self.value is not None and value >= self.value:
            return
        numbers = self.numbers
        activities = [sum((a * x[j] for j, a in row.items()), NOTHING) for row in numbers.rows]
        for values, low, high in (
            (x, numbers.lower, numbers.upper),
            (activities, numbers.row_lower, numbers.row_upper),
        ):
            for v, a, b in zip(values, low, high, strict=True):
                least, most = _end(a), _end(b)
                if (least is not None and v < least) or (most is not None and v > most):
                    return
        if all(x[j].denominator == 1 for j in np.flatnonzero(self.program.integer)):
            self.x, self.value = x, value

    def _exact(self, lower: FloatArray, upper: FloatArray) -> Any:
        """The exact answer to the relaxation within bounds."""
        node = _Node(lower, upper, 0.0)
        n = range(self.program.cost.size)
        numbers = replace(
            self.numbers,
            lower=[_or_infinite(self._end_of(node, j, upper=False), -1) for j in n],
            upper=[_or_infinite(self._end_of(node, j, upper=True), 1) for j in n],
            constant=NOTHING,
        )
        return solve_exactly(replace(self.relaxed, lower=lower, upper=upper), self.load, numbers)

    # the certificate

    def _statement(
        self,
    ) -> tuple[
        list[str], dict[tuple[int, bool], int], dict[tuple[int, bool], int], int, list[str],
        list[Fraction],
    ]:  # fmt: skip
        """The constraints of the program, the places of rows' sides and columns' ends among them,
        the place of the constant, the lines of the file up to the claim, and the point.
        """
        program, numbers = self.program, self.numbers
        names, cost, point = [*program.column_names], [*numbers.cost], list(self.x or ())
        n = len(names)
        constraints: list[str] = []
        rows: dict[tuple[int, bool], int] = {}  # row, upper side: constraint
        ends: dict[tuple[int, bool], int] = {}  # column, upper end: constraint

        fixed = -1

        def add(
            name: str, terms: str, low: Any, high: Any, key: int, index: dict[tuple[int, bool], int]
        ) -> None:
            least, most = _end(low), _end(high)
            if least is not None and least == most:
                index[key, False] = index[key, True] = len(constraints)
                constraints.append(f"{name}_E E {least} {terms}")
                return
            for upper, sense, side in ((False, "G", least), (True, "L", most)):
                if side is not None:
                    index[key, upper] = len(constraints)
                    constraints.append(f"{name}_{sense} {sense} {side} {terms}")

        for r, row in enumerate(numbers.rows):
            sides = numbers.row_lower[r], numbers.row_upper[r]
            add(f"row_{program.row_names[r]}", vipr_terms(sorted(row.items())), *sides, r, rows)
        for j, name in enumerate(program.column_names):
            add(f"bound_{name}", f"1 {j} 1", numbers.lower[j], numbers.upper[j], j, ends)
        if numbers.constant:
            name = "constant"
            while name in names:
                name += "_"
            fixed = len(constraints)
            constraints.append(f"bound_{name}_E E {numbers.constant} 1 {n} 1")
            names, cost = [*names, name], [*cost, Fraction(1)]
            point = [*point, numbers.constant] if point else point
        integers = np.flatnonzero(program.integer).tolist()
        lines = ["VER 1.0", f"VAR {len(names)}", *names, f"INT {len(integers)}"]
        lines += [" ".join(map(str, integers))] if integers else []
        lines += ["OBJ min", vipr_terms(enumerate(cost))]
        lines += [f"CON {len(constraints)} {len(constraints)}", *constraints]
        return constraints, rows, ends, fixed, lines, point

    def vipr(self) -> str:
        """The certificate of the closed tree in VIPR 1.0."""
        constraints, rows, ends, fixed, lines, point = self._statement()
        derived: list[str] = []
        numbers, scale = self.numbers, Fraction(self.scale or 1)
        scaled = vipr_terms((j, c * scale) for j, c in enumerate(numbers.cost))
        feasible = self.value is not None

        def derive(line: str) -> int:
            derived.append(line)
            return len(constraints) + len(derived) - 1

        def leaf(node: _Node, at: dict[tuple[int, bool], int]) -> int:
            # a combination of rows, ends and assumptions
            assert node.multipliers is not None
            factor = Fraction(1) if node.farkas or not feasible else scale
            parts: dict[int, Fraction] = {}
            crossed = np.flatnonzero(node.lower > node.upper)
            if crossed.size:
                j = int(crossed[0])
                low = self._end_of(node, j, upper=False) or NOTHING
                high = self._end_of(node, j, upper=True) or NOTHING
                parts = {at[j, False]: Fraction(1), at[j, True]: Fraction(-1)}
                total = low - high
            else:
                total = factor * (self.bound_of(node, node.multipliers, farkas=node.farkas) or 0)
                for r, value in enumerate(node.multipliers):
                    if value:
                        k = rows[r, value < 0]
                        parts[k] = parts.get(k, NOTHING) + factor * value
                for j, reduced in self._reduced(node.multipliers, farkas=node.farkas):
                    k = at[j, reduced < 0]
                    parts[k] = parts.get(k, NOTHING) + factor * reduced
            how = f"{vipr_terms(sorted(parts.items()))} }} -1"
            if node.farkas:
                return derive(f"D{len(derived)} G {total} 0 {{ lin {how}")
            word = "rnd" if self.scale is not None else "lin"
            side = Fraction(math.ceil(total)) if word == "rnd" else total
            return derive(f"D{len(derived)} G {side} {scaled} {{ {word} {how}")

        # after its children: a stack of nodes, with the constraints of their ends
        goal = f"G {self.target * scale} {scaled}" if feasible else "G 1 0"
        last = self._write(self.root, ends, leaf, derive, goal)
        head = ["RTP infeas", "SOL 0"]
        if self.value is not None:
            bound, value = self.target + numbers.constant, self.value + numbers.constant
            parts = {last: 1 / scale}
            if numbers.constant:
                parts[fixed] = Fraction(1)
            derive(f"least G {bound} OBJ {{ lin {vipr_terms(sorted(parts.items()))} }} -1")
            head = [f"RTP range {bound} {value}", "SOL 1", f"best {vipr_terms(enumerate(point))}"]
        return "\n".join([*lines, *head, f"DER {len(derived)}", *derived, ""])

    def _write(
        self,
        root: _Node,
        ends: dict[tuple[int, bool], int],
        leaf: Callable[[_Node, dict[tuple[int, bool], int]], int],
        derive: Callable[[str], int],
        goal: str,
    ) -> int:
        """Derive the goal at every node, children first; the number of the root's constraint."""
        results: list[int] = []
        # (node, ends, assumptions of its children or None at the first visit)
        stack: list[tuple[_Node, dict[tuple[int, bool], int], tuple[int, int] | None]]
        stack = [(root, ends, None)]
        while stack:
            node, at, assumed = stack.pop()
            if not node.children:
                results.append(leaf(node, at))
            elif assumed is None:
                j, k = node.column, node.below
                first = derive(f"A{j}_L{k} L {k} 1 {j} 1 {{ asm }} -1")
                second = derive(f"A{j}_G{k + 1} G {k + 1} 1 {j} 1 {{ asm }} -1")
                stack.append((node, at, (first, second)))
                stack.append((node.children[1], {**at, (j, False): second}, None))
                stack.append((node.children[0], {**at, (j, True): first}, None))
            else:
                above, under = results.pop(), results.pop()
                first, second = assumed
                results.append(derive(f"U {goal} {{ uns {under} {first} {above} {second} }} -1"))
        return results.pop()


def prove_solution(
    program: Program,
    solution: Solution,
    load: Callable[[], Any],
    numbers: ExactNumbers | None = None,
) -> Solution:
    """The solution of an integer program, in its sense, with what a tree proves of it."""
    begun = time.perf_counter()
    answer = ExactTree(program, load, numbers).solve(solution.x)
    seconds = solution.seconds + time.perf_counter() - begun
    sense = solution.sense
    if answer.status is Status.LIMIT or (answer.x is None and solution.x is not None):
        # no exact point: the solver's answer stays, without a proof
        message = f"the tree ended with {answer.nodes} nodes and proves nothing"
        word = Status.FEASIBLE if solution.x is not None else solution.status
        return replace(solution, status=word, proved_by=None, message=message, seconds=seconds)
    proved = answer.status in (Status.OPTIMAL, Status.INFEASIBLE)
    return replace(
        solution,
        status=answer.status,
        x=None if answer.x is None else np.array([float(v) for v in answer.x]),
        objective=None if answer.objective is None else sense * float(answer.objective),
        bound=sense * answer.bound if math.isfinite(answer.bound) else None,
        proved_by="tree" if proved else None,
        claim=None,
        message="" if proved else f"the tree has {answer.nodes} nodes and is not finished",
        seconds=seconds,
    )


def decimals(program: Program) -> ExactNumbers:
    """The numbers of a program in memory as decimals of 15 digits, which doubles hold."""

    def exact(values: FloatArray) -> list[Any]:
        return [Fraction(f"{v:.15g}") if math.isfinite(v) else v for v in values.tolist()]

    matrix = program.rows
    values, columns = exact(matrix.data), matrix.indices.tolist()
    places = itertools.pairwise(matrix.indptr.tolist())
    return ExactNumbers(
        cost=exact(program.cost),
        rows=[dict(zip(columns[a:b], values[a:b], strict=True)) for a, b in places],
        row_lower=exact(program.row_lower),
        row_upper=exact(program.row_upper),
        lower=exact(program.lower),
        upper=exact(program.upper),
        constant=Fraction(f"{program.constant:.15g}"),
    )


def _end(value: Any) -> Fraction | None:
    """A finite end as a fraction, or None."""
    if value is None or (isinstance(value, float) and not abs(value) < INFINITE):
        return None
    return Fraction(value)


def _or_infinite(value: Fraction | None, sign: int) -> Any:
    """An end of a column as a fraction or an infinite float."""
    return sign * math.inf if value is None else value
