"""Branch and bound in a tree whose nodes are solved by column generation, and its record."""

from __future__ import annotations

import hashlib
import heapq
import itertools
import json
import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from radprog.base.errors import (
    DataError,
    OptionError,
    OutputError,
    SolverError,
    StoppedError,
    warn_user,
)
from radprog.base.limits import OutOfBudget
from radprog.base.tolerances import CLAIM_TOLERANCE
from radprog.base.types import FloatArray
from radprog.base.writing import atomic_text, probe_writable
from radprog.decompositions.drivers.exchange import exchange_step
from radprog.decompositions.loop import Budget, Reason, Record, Stop, ignore, run
from radprog.decompositions.own.engine import ENDLESS, Engine
from radprog.decompositions.own.result import ModelLoop
from radprog.solvers.integers import judge_integers
from radprog.solvers.program import Program, SolveSettings
from radprog.solvers.registry import solved_by_any


class Branch(Protocol):
    """How a node is divided."""

    def children(self, limits: Any) -> tuple[Any, ...]:
        """The restrictions of the children of a node with the restrictions ``limits``."""
        ...


@dataclass(frozen=True, kw_only=True)
class Node:
    """A node of the tree.

    A node consists of its number, the number of its parent, its side of the parent's branch, its
    restrictions, and its bound. The bound is infinite if the node contains no feasible point. The
    multipliers (m,) prove the bound. The first multipliers belong to the master's rows, and the
    others to bounded sums; missing multipliers are 0. The branch is a :class:`PairBranch`, a
    :class:`BoundBranch`, or None for a leaf. Side 0 is the child "together" or ``>=``, and side 1
    the child "apart" or ``<=``.
    """

    number: int
    parent: int | None = None
    side: int = 0
    restrictions: Any
    bound: float
    multipliers: FloatArray = field(repr=False)
    branch: Any = None
    depth: int = 0
    basis: Any = field(default=None, repr=False, compare=False)  # of the parent, where it begins

    def __lt__(self, other: Node) -> bool:
        """Whether the node is solved before the other: by smallest bound, then by depth, then by
        age.
        """
        keys = [(node.bound, -node.depth, node.number) for node in (self, other)]
        return keys[0] < keys[1]

    @property
    def least(self) -> float:
        """The bound of a leaf; infinity for a node with children, which have all points."""
        return self.bound if self.branch is None else math.inf

    def children(self, first: int, basis: Any = None) -> list[Node]:
        """The children of the node, numbered from ``first``, that begin with a basis."""
        parts = () if self.branch is None else self.branch.children(self.restrictions)
        return [
            Node(
                number=first + side,
                parent=self.number,
                side=side,
                restrictions=limits,
                bound=self.bound,
                multipliers=self.multipliers,
                depth=self.depth + 1,
                basis=basis,
            )
            for side, limits in enumerate(parts)
        ]


class Tree:
    """The open and solved nodes, the best point and the bound of a minimisation problem.

    A subclass solves the relaxation of a node, divides nodes, and judges points: it defines the
    functions that have only a type here, and ``size``, ``identity`` and ``counts``. A point of
    ``relax`` is fractional; there is none where there is nothing to divide.
    """

    heuristics: Sequence[tuple[Callable[[Node, Any], None], float]]  # with shares of the time
    rounded: Callable[[float], float]  # a bound, raised to the next possible objective
    closed: Callable[[float], bool]  # whether a bound leaves nothing better than the best point
    relax: Callable[[Node], Any]  # the point of a node, which ``current`` becomes with its bound
    divide: Callable[[Node, Any], Any]  # the branch that cuts off the point of a node, or None
    parts_of: Callable[[Any], Iterable[Any]]  # what a dive may fix at a point, the best first
    fix: Callable[[Any, Any], Any]  # the next point of a dive, or None; a whole one is judged
    proved: Callable[[Node], float]  # the bound that the multipliers of a leaf prove
    write_parts: Callable[[], dict[str, Any]]  # the columns, and what else a record needs
    read_parts: Callable[[Mapping[str, Any]], None]
    write_branch: Callable[[Any], dict[str, Any]]
    read_branch: Callable[[Mapping[str, Any]], Branch]
    checkpoint: str | Path | None = None
    resumed = ""  # from what, if there is a checkpoint
    lack = ""  # why the last node without a bound of its own has none
    basis: Any = None  # of the node that was solved last, if it is to be divided
    unit = 0.0  # distance of a bound to a value that it reaches, after rounding

    def __init__(self, loop: ModelLoop, budget: Budget, root: Any, rows: int) -> None:
        """``root`` contains the restrictions of the root, whose master has a number of rows."""
        settings = loop.settings
        self.loop, self.settings, self.budget, self.root = loop, settings, budget, root
        self.quiet = replace(settings, observe=ignore, max_iter=None, stop=None)  # at a node
        self.nodes: list[Node] = []
        self.heap = [Node(number=0, restrictions=root, bound=-math.inf, multipliers=np.zeros(rows))]
        self.current = self.heap[0]  # the node that is solved now, with its bound so far
        self.best: FloatArray | None = None
        self.value = math.inf
        self.least_leaf = math.inf  # the least bound of leaves
        self.node_count = 1  # nodes so far
        self.saved = self.dive_end = 0.0  # seconds: of the checkpoint, and at the end of a dive
        self.spent: dict[str, float] = defaultdict(float)  # seconds of each heuristic
        self.deepening: Sequence[int] = (2, 4, 8, 16)  # discrepancies of the dives at the root

    @property
    def size(self) -> int:
        """The number of columns."""
        raise NotImplementedError

    @property
    def identity(self) -> dict[str, str]:
        """The values that identify the program in a record."""
        raise NotImplementedError

    @property
    def counts(self) -> dict[str, Any]:
        """The detail of a record."""
        return {"nodes": len(self.nodes), "columns": self.size, "open": len(self.heap)}

    # the search

    def search(self) -> Reason:
        """Solve nodes by bound, then by depth, until the bounds prove the best point or a limit
        ends it.
        """
        self.reopen()
        if self.nodes:  # of a checkpoint
            self.observe()
        while self.heap and not self.closed(self.heap[0].bound):
            if self.budget.spent():
                return self.budget.reason
            if self.loop.ended(len(self.nodes)):
                return self.loop.reason
            self.save(30.0)
            try:
                self.visit(self.heap[0])
            except (OutOfBudget, KeyboardInterrupt, SolverError, StoppedError) as error:
                # the node is still open, with the bound of its multipliers so far
                if self.current.number == self.heap[0].number:
                    heapq.heapreplace(self.heap, replace(self.current, branch=None))
                if isinstance(error, SolverError | StoppedError):
                    raise
                if isinstance(error, KeyboardInterrupt):
                    return Reason.INTERRUPT
                limited = self.loop.ended(len(self.nodes))
                return self.loop.reason if limited else self.budget.reason
        return Reason.TOLERANCE

    def visit(self, node: Node) -> None:
        """Solve a node, look for points, and divide it."""
        self.current, self.basis = node, None
        point = self.relax(node)
        # rounded bounds make ties, of which the deepest node is next: p121 2.2 s, 3.3 without
        bound, basis = self.rounded(self.current.bound), self.basis
        self.current = replace(self.current, bound=bound, basis=None)
        if point is not None:
            # points by dives and by a solver: at the root, then in a share of the time, of which
            # those that find no better one than a first take a fourth (myciel4: a fifth less)
            for heuristic, share in self.heuristics:
                started, value = self.budget.seconds, self.value
                if (
                    not self.closed(self.current.bound)
                    and self.spent[heuristic.__name__] <= share * started
                ):
                    # a heuristic: what it did not find is left to the tree
                    with suppress(OutOfBudget, SolverError):
                        heuristic(self.current, point)
                    weight = 4.0 if self.value == value < math.inf else 1.0
                    self.spent[heuristic.__name__] += weight * (self.budget.seconds - started)
                    self.observe(new=False)
                    self.budget.check()
            if not self.closed(self.current.bound):
                self.current = replace(self.current, branch=self.divide(self.current, point))
        node = self.current
        children = node.children(self.node_count, basis)
        self.node_count += len(children)
        heap = [*self.heap[1:], *children]
        heapq.heapify(heap)
        # in one statement: Ctrl-C leaves no node out
        self.heap, self.nodes, self.least_leaf = (
            heap,
            [*self.nodes, node],
            min(self.least_leaf, node.least),
        )
        self.observe()

    def generate(self, engine: Engine, *stops: Stop, tree: bool = True) -> None:
        """Column generation until no column improves or the bound decides.

        ``tree`` is whether it is that of the node ``current``, whose bound rises.
        """
        rules = self.quiet.stops(
            *stops,
            Stop(Reason.NO_COLUMN, lambda trace: engine.finished),
            Stop(Reason.TOLERANCE, lambda trace: self._is_decided(engine)),
            Stop(Reason.OWN_RULE, lambda trace: self.loop.stopped),
        )

        # bounds up to the parent's are not proved again: 7 % of a node of myciel4
        engine.floor = self.current.bound if tree else -math.inf

        def raise_bound() -> None:
            # the parent's multipliers prove the parent's bound
            bound = -math.inf if engine.bound is None else engine.bound
            if tree and bound > self.current.bound:
                bound = math.inf if bound >= ENDLESS else bound
                self.current = replace(self.current, bound=bound, multipliers=engine.best_y)
            if tree and engine.bound is None:
                self.lack = engine.lack or engine.unproved.removeprefix(": ") or self.lack

        def observe(record: Record) -> None:
            raise_bound()
            if tree and not self.nodes:
                self.observe()

        try:
            step = exchange_step(engine.restricted, engine)
            reason, _ = run(step, rules, self.budget, observe)
        finally:
            raise_bound()
        if reason in (Reason.TIME_LIMIT, Reason.INTERRUPT, Reason.OWN_RULE):
            raise OutOfBudget

    def _is_decided(self, engine: Engine) -> bool:
        """Whether the rounded bound of a node closes it or reaches the value of the node."""
        if engine.bound is None:
            return False
        bound, value = self.rounded(engine.bound), engine.objective
        target = math.inf if value is None else value - self.unit - 1e-9 * abs(value)
        return self.closed(bound) or bound >= target

    def observe(self, *, new: bool = True) -> None:
        """Append a record of the tree to the trace; without ``new``, if a value is new."""
        self.loop.record(self.value, self.lower_bound(), new=new, **self.counts)

    def lower_bound(self) -> float:
        """The least bound of leaves and open nodes, the one that is solved as well, or the best
        value.
        """
        now = self.current
        bounds = (now.bound if node.number == now.number else node.bound for node in self.heap[:3])
        return min(self.rounded(min([self.least_leaf, *bounds])), self.value)

    def progress(self) -> tuple[float | None, float]:
        """The best value and the least bound."""
        return None if self.best is None else self.value, self.lower_bound()

    def judge(self, program: Program, x: FloatArray, settings: SolveSettings) -> bool:
        """Keep the point x (n,) of a program if it is the best; whether it meets every row with its
        integers whole.
        """
        timed = replace(settings, time_limit=self.budget.limit)
        judged: FloatArray | None = x
        if program.integer.any():
            judged, _ = judge_integers(program, x, solved_by_any, timed)
        if judged is None:
            return False
        value = program.objective(judged)
        if value < self.value:
            self.value, self.best = value, judged
        return True

    # dives

    def dive(self, node: Node, point: Any) -> None:
        """Dive from the point of a node; at the root again with more discrepancies each time, in as
        much time as it took.
        """
        deadline, self.dive_end = self.budget.seconds + max(1.0, self.budget.seconds), math.inf
        for discrepancies in self.deepening if not self.nodes else (2,):
            self.descend(point, discrepancies)
            if self.budget.seconds > deadline or self.closed(node.bound):
                break
            self.dive_end = deadline

    def descend(self, point: Any, discrepancies: int) -> bool:
        """One level of a dive; whether it found a better point.

        A part of the point is fixed, and what is left is priced again. A level may fix another part
        than the first at most ``discrepancies`` times, as may the levels below its first choice.
        """
        start_value = self.value
        for turn, part in enumerate(itertools.islice(self.parts_of(point), discrepancies + 1)):
            if self.budget.seconds > self.dive_end:
                return False
            deeper = self.fix(point, part)
            if self.value < start_value:
                return True
            if deeper is not None and self.descend(deeper, discrepancies if turn == 0 else 0):
                return True
        return False

    # verification

    def faults(
        self,
        bound: float | None,
        nodes: Sequence[Node] | None = None,
        open_nodes: Sequence[Node] | None = None,
    ) -> Iterator[str]:
        """What a second computation of the tree finds wrong, without the limits of the run.

        ``bound`` is that of the run, in the sense of a minimisation. Without nodes, they are those
        of the tree.
        """
        self.budget = Budget()
        nodes = self.nodes if nodes is None else nodes
        open_nodes = self.heap if open_nodes is None else open_nodes
        yield from uncovered(self.root, nodes, open_nodes)
        yield from self.wrong_bounds([*nodes, *open_nodes])
        least = self.rounded(min(node.least for node in (*nodes, *open_nodes)))
        if bound is not None and bound > least + CLAIM_TOLERANCE * max(1.0, abs(least)):
            yield f"the bound is {bound:.10g}, and that of a leaf {least:.10g}"

    def wrong_bounds(self, nodes: Iterable[Node]) -> Iterator[str]:
        """The leaves and open nodes whose multipliers do not prove their bounds, by one call to
        the pricers for each node.
        """
        for node in nodes:
            if node.branch is None and node.bound > -math.inf:
                proved = self.proved(node)
                if math.isfinite(proved):
                    proved = self.rounded(proved + 1e-9 * max(1.0, abs(proved)))
                if proved < node.bound - CLAIM_TOLERANCE * max(1.0, abs(proved)):
                    yield (
                        f"node {node.number} has the bound {node.bound:.10g}, and proves "
                        f"{proved:.10g}"
                    )

    # records

    def save(self, seconds: float) -> bool:
        """Write the checkpoint if the last one is at least this many seconds old, and return
        whether it was written.
        """
        if self.checkpoint is None or self.budget.seconds - self.saved < seconds:
            return False
        self.saved = self.budget.seconds
        return write_checkpoint(self.checkpoint, self.record(self.heap))

    def record(self, open_nodes: Sequence[Node]) -> dict[str, Any]:
        """The tree as JSON-compatible values. The restrictions of a node are omitted, because they
        follow from the branch of its parent.
        """

        def written(node: Node) -> dict[str, Any]:
            return {
                "number": node.number,
                "parent": node.parent,
                "side": node.side,
                "bound": as_json(node.bound),
                "multipliers": node.multipliers.tolist(),
                "branch": None if node.branch is None else self.write_branch(node.branch),
            }

        last = self.loop.trace[-1].seconds if self.loop.trace else 0.0
        return {
            **self.identity,
            "nodes": [written(node) for node in self.nodes],
            "open": [written(node) for node in open_nodes],
            "point": None if self.best is None else self.best.tolist(),
            "records": self.loop.earlier + len(self.loop.trace),
            # the seconds beyond the share of the time that each heuristic has
            "spent": {h.__name__: self.spent[h.__name__] - s * last for h, s in self.heuristics},
            **self.write_parts(),
        }

    def resume(self) -> dict[str, Any] | None:
        """Resume from the checkpoint, if there is one: its columns and its nodes. Returns its
        record.
        """
        place = self.checkpoint
        stored = None if place is None else read_checkpoint(place, self.identity)
        if place is None or stored is None:
            return None
        with invalid_record(place):
            nodes: dict[int, Node] = {}
            for entry in [*stored["nodes"], *stored["open"]]:
                # its restrictions follow from its parent's branch
                limits, depth = self.root, 0
                if entry["parent"] is not None:
                    parent = nodes[entry["parent"]]
                    assert parent.branch is not None
                    limits = parent.branch.children(parent.restrictions)[entry["side"]]
                    depth = parent.depth + 1
                nodes[entry["number"]] = Node(
                    number=int(entry["number"]),
                    parent=entry["parent"],
                    side=entry["side"],
                    restrictions=limits,
                    bound=float(entry["bound"]),
                    multipliers=np.array(entry["multipliers"], dtype=np.float64),
                    branch=None if entry["branch"] is None else self.read_branch(entry["branch"]),
                    depth=depth,
                )
            number = len(stored["nodes"])
            self.nodes, self.heap = [*nodes.values()][:number], [*nodes.values()][number:]
            self.node_count = 1 + max(nodes)
            self.resumed = f"resumed from {place}: {number} solved nodes"
            self.loop.earlier = int(stored["records"])
            self.spent |= {name: float(seconds) for name, seconds in stored["spent"].items()}
            self.read_parts(stored)
        return stored

    def reopen(self) -> None:
        """Open the leaves whose bound closed them at a looser tolerance."""
        leaves = [node for node in self.nodes if node.branch is None]
        opened = [leaf for leaf in leaves if not self.closed(leaf.bound)]
        numbers = {leaf.number for leaf in opened}
        self.nodes = [node for node in self.nodes if node.number not in numbers]
        self.heap += opened
        heapq.heapify(self.heap)
        self.least_leaf = min((node.least for node in self.nodes), default=math.inf)


def uncovered(root: Any, nodes: Sequence[Node], open_nodes: Sequence[Node]) -> list[str]:
    """The faults of a tree: parts of the program that no node covers, and nodes with wrong
    restrictions. ``root`` contains the restrictions of its root.
    """
    all_nodes = {node.number: node for node in (*nodes, *open_nodes)}
    faults = [] if 0 in all_nodes and all_nodes[0].parent is None else ["node 0 is not a root"]
    if len(all_nodes) < len(nodes) + len(open_nodes):
        faults.append("two nodes have the same number")
    # each node is what its parent's branch makes of it, and no child of a divided one is missing
    parts = {
        node.number: node.branch.children(node.restrictions)
        for node in all_nodes.values()
        if node.branch is not None
    }
    sides: dict[int, list[int]] = {number: [] for number in parts}
    for node in all_nodes.values():
        if node.number and node.parent not in parts:
            faults.append(f"node {node.number} has no parent that is divided")
            continue
        expected = root
        if node.parent is not None and node.side < len(parts[node.parent]):
            expected = parts[node.parent][node.side]
            sides[node.parent].append(node.side)
        if node.restrictions != expected:
            faults.append(f"node {node.number} has other restrictions than its parent's branch")
    faults += [
        f"node {node.number} is divided at {node.branch.below:g}, which is not whole"
        for node in all_nodes.values()
        if getattr(node.branch, "below", 0.0) % 1.0
    ]
    faults += [
        f"node {number} is divided, and a child is missing"
        for number, found_sides in sides.items()
        if sorted(found_sides) != [*range(len(parts[number]))]
    ]
    return faults


def as_json(number: float) -> float | str:
    """A number as JSON has it."""
    return number if math.isfinite(number) else str(number)


def identity(program: Program, *more: Any) -> dict[str, str]:
    """The values that identify a record: the version, and hashes of names, program and settings."""
    names = _digest(json.dumps([program.column_names, program.row_names]))
    digest = hashlib.sha256(json.dumps([float(program.constant), *more]).encode())
    rows = program.rows.tocsr()
    for part in (
        *(program.cost, program.lower, program.upper, program.row_lower, program.row_upper),
        *(rows.data, rows.indices, rows.indptr),
    ):
        digest.update(np.ascontiguousarray(part, dtype=np.float64).tobytes())
    return {"radprog": version("radprog"), "names": names, "program": digest.hexdigest()}


def read_checkpoint(place: str | Path, expected: Mapping[str, str]) -> dict[str, Any] | None:
    """The record in a file, or None if there is no file.

    Raises DataError unless the file contains what :func:`write_checkpoint` wrote, OptionError if
    the record belongs to another program or version, or ``place`` is no path, and OutputError if
    the file could not be written.
    """
    if not isinstance(place, str | Path):
        raise OptionError(f"checkpoint {place!r}: expected the path of a file")
    file = Path(place)
    probe_writable(file)
    if not file.exists():
        return None
    with invalid_record(file):
        stored = dict(json.loads(file.read_text(encoding="utf-8")))
        if stored.pop("digest") != _digest(json.dumps(stored, sort_keys=True)):
            raise ValueError
        identity = {key: stored[key] for key in expected}
    if identity != expected:
        other = "another master, other pricers, other settings or another version of radprog"
        if identity | {"names": expected["names"]} == expected:
            other = "other names of rows and columns, as a model and its exported file have"
        raise OptionError(f"checkpoint {file}: it is of {other}: name a new file")
    return stored


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


@contextmanager
def invalid_record(place: str | Path) -> Iterator[None]:
    """A context that raises DataError for a record with missing or invalid parts."""
    try:
        yield
    except (OSError, LookupError, ValueError, TypeError, AttributeError, AssertionError,
            ArithmeticError, RecursionError, DataError, SolverError) as error:  # fmt: skip
        raise DataError(
            f"checkpoint {place}: damaged or edited, or no record of a tree or of cuts: name a new "
            "file"
        ) from error


def write_checkpoint(place: str | Path, record: Mapping[str, Any]) -> bool:
    """Whether the record is written to a file. A full disk is a warning: the run goes on."""
    text = json.dumps(record, sort_keys=True)
    try:
        with atomic_text(place) as stream:
            stream.write(f'{text[:-1]}, "digest": "{_digest(text)}"}}')
    except OutputError as error:
        warn_user(f"{error}; the run goes on, and the checkpoint is older")
        return False
    return True
