"""The branch-and-price tree as JSON-compatible values, and its reader."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from radprog.base.errors import DataError, OptionError, SolverError
from radprog.base.types import FloatArray
from radprog.base.writing import atomic_text
from radprog.decompositions.own.branching import Bound, OfPricer, Original, Pair, Restrictions
from radprog.decompositions.own.columns import Column, Components
from radprog.solvers.program import Program


@dataclass(frozen=True, kw_only=True)
class Node:
    """A node of the tree.

    A node consists of its number, the number of its parent, its side of the parent's branch, its
    restrictions, and its bound. The bound is infinite if the node contains no feasible point. The
    multipliers (m,) prove the bound. The first multipliers belong to the master's rows, and the
    others to bounded sums; missing multipliers are 0. The branch is a :class:`Pair`, a
    :class:`Bound`, or None for a leaf. Side 0 is the child "together" or ``>=``, and side 1 the
    child "apart" or ``<=``.
    """

    number: int
    parent: int | None = None
    side: int = 0
    restrictions: Restrictions
    bound: float
    multipliers: FloatArray = field(repr=False)
    branch: Pair | Bound | None = None
    depth: int = 0

    def __lt__(self, other: Node) -> bool:
        """Whether the node is solved before the other: by smallest bound, then by depth, then by
        age.
        """
        keys = [(node.bound, -node.depth, node.number) for node in (self, other)]
        return keys[0] < keys[1]

    def children(self, first: int) -> list[Node]:
        """The two children of the node, numbered from ``first``."""
        assert self.branch is not None
        return [
            Node(
                number=first + side,
                parent=self.number,
                side=side,
                restrictions=limits,
                bound=self.bound,
                multipliers=self.multipliers,
                depth=self.depth + 1,
            )
            for side, limits in enumerate(self.branch.children(self.restrictions))
        ]


def uncovered(nodes: Sequence[Node], open_nodes: Sequence[Node]) -> list[str]:
    """The faults of a tree: parts of the program that no node covers, and nodes with wrong
    restrictions.
    """
    everyone = {node.number: node for node in (*nodes, *open_nodes)}
    faults = [] if 0 in everyone and everyone[0].parent is None else ["node 0 is not a root"]
    if len(everyone) < len(nodes) + len(open_nodes):
        faults.append("two nodes have the same number")
    # each node is what its parent's branch makes of it, and no child of a divided one is missing
    sides: dict[int, list[int]] = {}
    for node in everyone.values():
        parent = None if node.parent is None else everyone.get(node.parent)
        expected = Restrictions()
        if node.number and (parent is None or parent.branch is None):
            faults.append(f"node {node.number} has no parent that is divided")
            continue
        if parent is not None and parent.branch is not None:
            expected = parent.branch.children(parent.restrictions)[node.side]
            sides.setdefault(parent.number, []).append(node.side)
        if node.restrictions != expected:
            faults.append(f"node {node.number} has other restrictions than its parent's branch")
    faults += [
        f"node {node.number} is divided at {node.branch.below:g}, which is not whole"
        for node in everyone.values()
        if isinstance(node.branch, Bound) and node.branch.below % 1.0
    ]
    faults += [
        f"node {node.number} is divided, and a child is missing"
        for node in everyone.values()
        if node.branch is not None and sorted(sides.get(node.number, [])) != [0, 1]
    ]
    return faults


class Names:
    """The rows and variables, by their names in a record."""

    def __init__(self, rows: Sequence[Any], variables: Sequence[Any]) -> None:
        self.rows = {row.name: row for row in rows}
        self.variables = {_key(variable): variable for variable in variables}

    def write_node(self, node: Node) -> dict[str, Any]:
        """The JSON-compatible values of a node. Its restrictions are omitted, because they follow
        from the branch of its parent.
        """
        branch: Any = None
        if isinstance(node.branch, Pair):
            branch = {"rows": [row.name for row in node.branch.rows]}
        elif node.branch is not None:
            branch = {**_write_variable(node.branch.variable), "below": node.branch.below}
        return {
            "number": node.number,
            "parent": node.parent,
            "side": node.side,
            "bound": _plain(node.bound),
            "multipliers": node.multipliers.tolist(),
            "branch": branch,
        }

    def read_nodes(self, stored: Sequence[Mapping[str, Any]]) -> list[Node]:
        """The nodes of a record, each after its parent."""
        nodes: dict[int, Node] = {}
        for one in stored:
            # its restrictions follow from its parent's branch
            limits, depth = Restrictions(), 0
            if one["parent"] is not None:
                parent = nodes[one["parent"]]
                assert parent.branch is not None
                limits = parent.branch.children(parent.restrictions)[one["side"]]
                depth = parent.depth + 1
            # its own branch: a pair of rows, a sum over a set of columns, or a variable
            branch: Pair | Bound | None = None
            if one["branch"] is not None and "rows" in one["branch"]:
                branch = Pair(self._pair(one["branch"]["rows"]))
            elif one["branch"] is not None:
                branch = Bound(self._read_variable(one["branch"]), float(one["branch"]["below"]))
            nodes[one["number"]] = Node(
                number=int(one["number"]),
                parent=one["parent"],
                side=one["side"],
                restrictions=limits,
                bound=float(one["bound"]),
                multipliers=np.array(one["multipliers"], dtype=np.float64),
                branch=branch,
                depth=depth,
            )
        return list(nodes.values())

    def _pair(self, names: Sequence[str]) -> tuple[Any, Any]:
        r, s = names
        return self.rows[r], self.rows[s]

    def _read_variable(self, stored: Mapping[str, Any]) -> Any:
        """A variable, or a set of columns, of a record."""
        if "variable" in stored:
            pricer, name = stored["variable"]
            return self.variables[pricer, name]
        return Components(
            tuple((self.rows[r], float(a), float(b)) for r, a, b in stored["components"])
        )

    def write_round(self, limits: Restrictions, multipliers: FloatArray) -> dict[str, Any]:
        """The JSON-compatible values of a round of pricing."""
        pairs = {
            name: [[row.name for row in pair] for pair in getattr(limits, name)]
            for name in ("together", "apart")
        }
        bounds = [[_write_variable(v), _plain(low), _plain(up)] for v, low, up in limits.bounds]
        return {**pairs, "bounds": bounds, "multipliers": multipliers.tolist()}

    def read_round(self, stored: Mapping[str, Any]) -> tuple[Restrictions, FloatArray]:
        """The restrictions and the multipliers of a round of pricing."""
        limits = Restrictions(
            together=tuple(map(self._pair, stored["together"])),
            apart=tuple(map(self._pair, stored["apart"])),
            bounds=tuple(
                (self._read_variable(v), float(low), float(up)) for v, low, up in stored["bounds"]
            ),
        )
        return limits, np.array(stored["multipliers"], dtype=np.float64)

    def write_column(self, column: Column, pricer: int) -> dict[str, Any]:
        """The JSON-compatible values of a column. A payload that is not a JSON value is omitted."""
        payload, values = column.payload, None
        if isinstance(payload, Original):
            payload, values = payload.payload, list(payload.values)
        stored = {
            "pricer": pricer,
            "cost": float(column.cost),
            "upper": _plain(float(column.upper)),
            "name": column.name,
            "rows": {row.name: float(value) for row, value in column.coefficients.items()},
            "values": values,
        }
        with suppress(TypeError, ValueError):
            stored["payload"] = json.loads(json.dumps(payload))
        return stored

    def read_column(self, stored: Mapping[str, Any]) -> Column:
        """The column of a record."""
        payload = stored["payload"]
        if stored["values"] is not None:
            payload = Original(tuple(stored["values"]), payload)
        return Column(
            stored["cost"],
            {self.rows[name]: value for name, value in stored["rows"].items()},
            upper=float(stored["upper"]),
            name=stored["name"],
            payload=payload,
        )


def _plain(number: float) -> float | str:
    return number if math.isfinite(number) else str(number)


def _key(variable: Any) -> tuple[int, str]:
    """The number of the pricer of a variable, or -1 for the master, and the variable's name."""
    return (variable.pricer if isinstance(variable, OfPricer) else -1), variable.name


def _write_variable(variable: Any) -> dict[str, Any]:
    """The JSON-compatible values of a variable, or of a set of columns."""
    if isinstance(variable, Components):
        sides = [[row.name, _plain(low), _plain(high)] for row, low, high in variable.bounds]
        return {"components": sides}
    return {"variable": list(_key(variable))}


def identity(program: Program, *more: Any) -> dict[str, str]:
    """The values that identify a record: the version, and a hash of the program and settings."""
    digest = hashlib.sha256(json.dumps([program.column_names, program.row_names, *more]).encode())
    rows = program.rows.tocsr()
    for part in (
        *(program.cost, program.lower, program.upper, program.row_lower, program.row_upper),
        *(rows.data, rows.indices, rows.indptr),
    ):
        digest.update(np.ascontiguousarray(part).tobytes())
    return {"radprog": version("radprog"), "program": digest.hexdigest()}


def read_checkpoint(place: str | Path, own: Mapping[str, str]) -> dict[str, Any] | None:
    """The record in a file, or None if there is no file.

    Raises DataError unless the file contains what :func:`write_checkpoint` wrote, and OptionError
    if the record belongs to another program or version.
    """
    file = Path(place)
    if not file.exists():
        return None
    with invalid_record(file):
        stored = dict(json.loads(file.read_text(encoding="utf-8")))
        if stored.pop("digest") != _digest(stored):
            raise ValueError
        other = {key: stored[key] for key in own}
    if other != own:
        raise OptionError(
            f"checkpoint {file}: it is of another master, other pricers, other settings or another "
            "version of radprog: name a new file"
        )
    return stored


def _digest(record: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(record, sort_keys=True).encode()).hexdigest()


@contextmanager
def invalid_record(place: str | Path) -> Iterator[None]:
    """A context that raises DataError for a record with missing or invalid parts."""
    try:
        yield
    except (OSError, LookupError, ValueError, TypeError, AttributeError, AssertionError,
            RecursionError, DataError, SolverError) as error:  # fmt: skip
        raise DataError(
            f"checkpoint {place}: damaged or edited, or no tree of branch and price: name a new "
            "file"
        ) from error


def write_checkpoint(place: str | Path, record: Mapping[str, Any]) -> None:
    """Write the record to a file, completely or not at all. Raises OptionError if a payload cannot
    be written.
    """
    if not all("payload" in column for column in record["columns"]):
        raise OptionError(
            f"checkpoint {place}: the payload of a column cannot be stored as JSON: give it "
            "numbers, texts, lists or mappings of them"
        )
    with atomic_text(place) as stream:
        json.dump({**record, "digest": _digest(record)}, stream)
