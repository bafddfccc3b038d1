"""The page of an analysis: its lines and tables, as ``radprog analyze`` prints them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

from radprog.base.sections import Part, Table, amount, few
from radprog.base.tolerances import BINDING
from radprog.solvers.questions.difference import component_of
from radprog.wiring import Values

SIDES = {"lower": ">=", "upper": "<=", "equal": "="}


def analysis_parts(report: Values, top: int) -> list[Part]:
    """The lines and tables of an analysis; each table has at most ``top`` rows or columns."""
    # the solved program, and the quality of its solution
    program, data, solver = report["program"], report["data"], report["solver"]
    source = "" if data is None else f" on {data['name']}, form {report['form']}"
    parts: list[Part] = [
        f"{report['model']}{source}: {program['class']} with "
        f"{amount(program['rows'], 'row')}, {amount(program['columns'], 'column')}, "
        f"{amount(program['nonzeros'], 'nonzero')}, "
        f"solver {solver['name']} {solver['version']}".rstrip()
    ]
    bound = "" if report.get("bound") is None else f", bound {report['bound']:.10g}"
    if report["objective"] is None:
        claimed = f", claimed {report['claim']}" if report.get("claim") else ""
        parts.append(f"status     {report['status']}{claimed}{bound}")
    else:
        gap = "" if report["gap"] is None else f", gap {report['gap']:.2g}"
        if report.get("proved_by") == "solver":
            bound += f" of {solver['name']}'s search, which is not proved"
        parts.append(
            f"status     {report['status']}: objective {report['objective']:.10g}{bound}{gap}, "
            f"violation {report['violation']:.1e}"
        )
    # notes on the numbers, and their uniqueness
    parts += [f"note       {note}" for note in report["notes"]]
    parts += _basis_lines(report["basis"], fixed=program.get("integers", 0) > 0)
    numbers = _number_parts(report, top)
    if report["conflict"] is not None:
        return [*parts, *_conflict_parts(report["conflict"], top), *numbers]
    if "infeasible" in (report["status"], report.get("claim")):
        parts.append("conflict   none found: the solvers were stopped, or do not agree")
    parts += ray_lines([(column["what"], column["value"]) for column in report.get("ray", ())], top)
    if report["objective"] is None:
        return [*parts, *numbers]
    if any(row["price"] is not None for row in report["rows"]):
        words = "change of the objective for a unit more of the right-hand side, in the program's "
        words += "own sense (min or max)"
        binds = any(row["binding"] for row in report["rows"])
        parts.append(f"prices     {words if binds else 'all are 0: no row binds'}")
    numbers = [*_solution_parts(report.get("solutions"), top), *numbers]
    return [*parts, *_tables(report["rows"], report["columns"], top, data is None), *numbers]


def _solution_parts(block: Values | None, top: int) -> list[Part]:
    """The list of solutions, each with the columns in which it differs from the first."""
    if block is None:
        return []
    first, rows = block["list"][0]["values"], []
    for place, solution in enumerate(block["list"], 1):
        moved = [
            f"{name} {value:.6g}"
            for name, value in solution["values"].items()
            if abs(value - first[name]) > BINDING * max(1.0, abs(value))
        ]
        shown = few(moved) or "the first"
        if solution.get("swap_of"):
            shown = f"swaps identical blocks of solution {solution['swap_of']}"
        rows.append((place, solution["objective"], solution["bound"], solution["status"], shown))
    head = ("solution", "objective", "bound", "status", "columns that differ from the first")
    ended = f"; {block['message']}" if block["message"] else ""
    return [
        f"solutions  {block['kind']}{ended}",
        Table(head=head, rows=rows, most=max(top, len(rows))),
    ]


def ray_lines(ray: Sequence[tuple[str, float]], top: int | None = None) -> list[str]:
    """The largest entries of a ray; empty if there is no ray."""
    shown = few([f"{name} {value:+.4g}" for name, value in ray], top)
    return [f"ray        the objective improves without end along {shown}"] if shown else []


def _number_parts(report: Values, top: int) -> list[Part]:
    """The ranges of the numbers, the blocks, and a table of what is odd."""
    # a report of an earlier version has neither
    block, blocks = report.get("numbers"), report.get("structure")
    if block is None or report["data"] is not None:
        return []
    spans = [
        f"{name} {span[0]:.3g} to {span[1]:.3g}" for name, span in block["ranges"].items() if span
    ]
    parts: list[Part] = [f"numbers    sizes: {', '.join(spans)}"]
    if blocks and blocks["score"] >= 0.5:  # most columns in many blocks
        parts.append(f"structure  {blocks['summary']}: `radprog decompose` uses them")
        if words := blocks.get("first"):
            parts.append(f"block      {words}; all names are in the JSON")
    # the first findings of each kind in turn, so that a frequent kind leaves room for others
    turns: Counter[str] = Counter()
    ranked = []
    for finding in block["findings"]:
        turns[kind := finding["kind"]] += 1
        # a smaller constant may serve, by several rows together
        words = kind + " (the value serves)" * (kind == "big M")
        ranked.append((turns[kind], {**finding, "kind": words}))
    ranked.sort(key=lambda pair: pair[0])
    rows = [(row["kind"], row["name"], row["value"], row["other"]) for _, row in ranked]
    head = ("numbers", "row or column", "value", "compared with")
    return [*parts, Table(head=head, rows=rows, most=top, all_in=_all_in("numbers", rows))]


def _basis_lines(basis: Values | None, *, fixed: bool) -> list[str]:
    """Lines about the uniqueness of prices and optimum, which are those of ``fixed`` integers."""
    if basis is None:
        return []
    lines = ["basis      not degenerate: the prices are the only ones"]
    if basis["degenerate"]:
        lines = [
            f"basis      degenerate ({basis['degenerate']} basic at a bound): a price may be one "
            "of many, and ranges are those of this basis"
        ]
    if basis["alternatives"]:
        more = ", ..." * (basis["alternatives"] > len(basis["movable"]))
        limit = "with the integers fixed at these values " * fixed
        lines.append(
            f"optimum    {limit}may not be the only one: {basis['alternatives']} nonbasic "
            f"without a reduced cost: {', '.join(basis['movable'])}{more}"
        )
    return lines


def _tables(
    rows: Sequence[Values], columns: Sequence[Values], top: int, foreign: bool
) -> list[Table]:
    """Binding rows by decreasing price, the other rows by increasing slack, columns between their
    bounds by decreasing value, and the cheapest other columns.
    """

    def cut(value: float) -> float:
        # rounding of a solver's point, in units of a user's own program
        return 0.0 if foreign and abs(value) < 1e-10 else value

    # a row without an index, such as a budget, comes before the rows of all points
    binding = sorted((r for r in rows if r["binding"]), key=lambda r: -abs(r["price"] or 0.0))
    binding.sort(key=lambda r: not foreign and "[" in r["name"])
    loose = sorted(
        (r for r in rows if not r["binding"] and r["slack"] is not None),
        key=lambda r: float(r["slack"]),
    )
    inside = sorted((c for c in columns if not c["at"]), key=lambda c: -abs(c["value"]))
    # among many columns, those at 0 without a reduced cost are left out
    few, priced = len(columns) <= top, [c for c in columns if c["reduced_cost"] is not None]
    at_bound = [c for c in priced if c["at"] and (few or c["reduced_cost"])]
    at_bound.sort(key=lambda c: abs(c["reduced_cost"]))
    prices = [
        (
            r["price"],
            SIDES[r["binding"]],
            r["upper" if r["binding"] == "upper" else "lower"],
            *_range_cells(r["range"]),
            r["what"],
        )
        for r in binding
    ]
    values = [
        (cut(c["value"]), c["cost"], *_range_cells(c["cost_range"]), c["what"]) for c in inside
    ]
    shown: dict[tuple[str, ...], list[tuple[Any, ...]]] = {
        ("price", "side", "bound", "range from", "to", "binding rows"): prices,
        ("slack", "activity", "rows that do not bind, nearest first"): [
            (*map(cut, (r["slack"], r["activity"])), r["what"]) for r in loose
        ],
        ("value", "cost", "range from", "to", "columns between their bounds"): values,
        ("reduced cost", "value", "columns at a bound, cheapest first"): [
            (c["reduced_cost"], cut(c["value"]), c["what"]) for c in at_bound
        ],
    }
    return [
        Table(head=head, rows=rows, most=top, all_in=_all_in(key, rows))
        for key, (head, rows) in zip(
            ("rows", "rows", "columns", "columns"), shown.items(), strict=True
        )
    ]


def _all_in(key: str, rows: Sequence[object]) -> str:
    """Where the hidden rows of a table are."""
    return f': --top {len(rows)}, or "{key}" of the JSON or of the report in Python'


def _range_cells(ends: Sequence[Any] | None) -> tuple[Any, Any]:
    """Both ends of a range, or a remark if it has no length beyond rounding."""
    if ends is None:
        return "", ""
    low, high = ends
    if None not in ends and high - low <= BINDING * max(1.0, abs(low), abs(high)):
        return "no change", ""
    # an end that is rounding beside the other one is 0
    size = 1e-9 * max(abs(end or 0.0) for end in ends)
    low, high = (0.0 if end is not None and abs(end) < size else end for end in ends)
    return "-inf" if low is None else low, "inf" if high is None else high


def _conflict_parts(conflict: Values, top: int) -> list[Part]:
    """Conditions that cannot hold together, and their proof.

    Rows precede bounds, and smaller least moves precede larger ones. Among equal moves, members of
    small components come first.
    """
    names = [component_of(item["name"]) for item in conflict["conditions"]]
    members = Counter(names)
    places = sorted(
        range(len(names)),
        key=lambda i: (
            conflict["conditions"][i]["side"] == "integer",
            conflict["conditions"][i]["part"] == "column",
            # the printed digits, so that rounding does not order equal moves
            float(f"{conflict['conditions'][i].get('least_move') or math.inf:.5g}"),
            members[names[i]],
        ),
    )
    conditions = [conflict["conditions"][i] for i in places]
    several = len(conditions) > 1
    head = f"{len(conditions)} conditions cannot hold together"
    head = head if several else "1 condition cannot hold"
    if not conflict["irreducible"]:
        head += "; limits ended before it was irreducible"
    elif several:
        head += "; without any one of them the rest of this list can"
    table = Table(
        head=("weight", "least move", "condition"),
        rows=[
            (
                item["weight"],
                item.get("least_move"),
                f"{item['what']} is an integer"
                if item["side"] == "integer"
                else f"{item['what']} {item['side']} {item['bound']:.10g}",
            )
            for item in conditions
        ],
        most=top,
        all_in=_all_in("conflict", conditions),
    )
    parts: list[Part] = [f"conflict   {head}", table]
    if len(conditions) > top:
        sides = [item["side"] for item in conflict["conditions"]]
        kinds = Counter(f"{name} {side}" for name, side in zip(names, sides, strict=True))
        listed = few([f"{n} {kind}" for kind, n in kinds.most_common()])
        parts[1:1] = [f"of these   {listed}"] * (len(kinds) < len(sides))
    if conditions and all(condition["weight"] is not None for condition in conditions):
        parts.append(
            "proof      with these weights they add up to 0 >= 1, also if one side alone moves by "
            "less than its least move"
            + "; a side of integers moves by whole steps"
            * bool(conflict.get("integers"))
        )
    elif conflict["found_by"] == "divisibility":
        parts.append(
            "proof      the integers give multiples of the greatest common divisor of their "
            "coefficients, and none is between the sides"
        )
    else:
        points = "; points show that the others can" if conflict["irreducible"] else ""
        parts.append(f"proof      none: a solver claims that they cannot hold together{points}")
        if conflict.get("integers"):
            parts.append(
                "note       `radprog prove FILE` or rp.solve(model, prove=True) search for one"
            )
    if conflict.get("repair") is None and conflict.get("protected"):
        parts.append("repair     none is known that keeps the protected rows")
    if (repair := conflict.get("repair")) is not None:
        moves = [
            f"{item['what']} {item['side']} {item['from']:.10g} to {item['to']:.10g}"
            for item in repair["moves"]
        ]
        listed = few(moves, top)
        claim = "no smaller sum does" if repair["proved"] else "the least by a solver's search"
        parts.append(
            f"repair     moves of rows, {repair['total']:.6g} in sum, make it feasible ({claim}): "
            f"{listed}"
        )
    return parts
