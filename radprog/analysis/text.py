"""An analysis for people: lines of text."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from radprog.decompositions.told import ASSUMED_OF_CHOICE
from radprog.instances.tolerances import BINDING
from radprog.text import constraint_lines, refit_line
from radprog.wiring import Values

SHOWN_BOUNDS = 2  # bounds of one component that a conflict lists in text
SHOWN_PIECES = 12  # of a path
HEADS = {"coefficients": "nonzeros", "validation_error": "error"}  # of columns, where too long
NOT_SHOWN = ("from", "to", "value_from", "value_to", "rest", "minus_margin")  # of a piece


def analysis_lines(report: Values, top: int) -> list[str]:
    """An analysis of a program; the ``top`` rows and columns of every table."""
    program, data, solver = report["program"], report["data"], report["solver"]
    of = "" if data is None else f" on {data['name']}, form {report['form']}"
    lines = [
        f"{report['model']}{of}: {program['class']} with "
        f"{program['rows']} rows, {program['columns']} columns, {program['nonzeros']} nonzeros, "
        f"solver {solver['name']} {solver['version']}".rstrip(),
    ]
    if report["objective"] is None:
        lines.append(f"status     {report['status']}")
    else:
        gap = "" if report["gap"] is None else f", duality gap {report['gap']:.1e}"
        lines.append(
            f"status     {report['status']}: objective {report['objective']:.10g}{gap}, violation "
            f"{report['violation']:.1e}"
        )
    lines += [f"note       {note}" for note in report["notes"]]
    lines += _basis_lines(report["basis"])
    if report["conflict"] is not None:
        return [*lines, *_conflict_lines(report["conflict"], top)]
    if report["objective"] is None:
        return lines
    return [
        *lines,
        *_group_lines(report["groups"]),
        *(() if data is None else constraint_lines(report["model"], report.get("constraints", ()))),
        *_row_lines(report["rows"], top),
        *_column_lines(report["columns"], top),
    ]


def _basis_lines(basis: Values | None) -> list[str]:
    if basis is None:
        return []
    lines = []
    if basis["degenerate"]:
        lines.append(
            f"basis      degenerate ({basis['degenerate']} basic at a bound): prices and ranges "
            "are those of this basis, another may have others"
        )
    else:
        lines.append("basis      not degenerate: the prices are the only ones")
    if basis["alternatives"]:
        lines.append(
            f"optimum    may not be the only one: {basis['alternatives']} nonbasic without a "
            "reduced cost"
        )
    return lines


def _group_lines(groups: Sequence[Values]) -> list[str]:
    lines = []
    for group in groups:
        binds = "bind" if group["part"] == "row" else "are at a bound"
        worth = "price" if group["part"] == "row" else "reduced cost"
        means = f" ({worth}: {group['price_means']})" if group["price_means"] else ""
        total = ""
        if group["part"] == "row" and group["price_total"] is not None:
            total = f", prices add up to {group['price_total']:.6g}"
        lines.append(
            f"{group['part']:<10} {group['component']}: {group['at_bound']} of {group['count']} "
            f"{binds}{total}{means}"
        )
    return lines


def _row_lines(rows: Sequence[Values], top: int) -> list[str]:
    def bound_line(row: Values) -> str:
        side = {"lower": ">=", "upper": "<=", "equal": "="}[row["binding"]]
        bound = row["upper" if row["binding"] == "upper" else "lower"]
        price, ends = _number(row["price"]), _range(row["range"])
        if _is_point(row["range"]):
            ends = f"{'holds for no change':>25}"
        return f"{price} {side:>5} {_number(bound)} {ends}  {row['what']}"

    def slack_line(row: Values) -> str:
        return f"{_number(row['slack'])} {_number(row['activity'])}  {row['what']}"

    binding = sorted(
        (row for row in rows if row["binding"]), key=lambda row: -abs(row["price"] or 0.0)
    )
    slack = sorted(
        (row for row in rows if not row["binding"] and row["slack"] is not None),
        key=lambda row: float(row["slack"]),
    )
    head = f"{'price':>12} {'side':>5} {'bound':>12} {'range from':>12} {'to':>12}  binding rows"
    loose = f"{'slack':>12} {'activity':>12}  rows that do not bind, nearest first"
    return [*_table(head, binding, bound_line, top), *_table(loose, slack, slack_line, top)]


def _column_lines(columns: Sequence[Values], top: int) -> list[str]:
    def inside_line(c: Values) -> str:
        ends = _range(c["cost_range"])
        return f"{_number(c['value'])} {_number(c['cost'])} {ends}  {c['what']}"

    def held_line(c: Values) -> str:
        return f"{_number(c['reduced_cost'])} {_number(c['value'])}  {c['what']}"

    inside = sorted((c for c in columns if not c["at"]), key=lambda c: -abs(c["value"]))
    held = sorted(
        (c for c in columns if c["at"] and c["reduced_cost"]), key=lambda c: abs(c["reduced_cost"])
    )
    names = (f"{name:>12}" for name in ("value", "cost", "range from", "to"))
    head = f"{' '.join(names)}  columns between their bounds"
    cheap = f"{'reduced cost':>12} {'value':>12}  columns at a bound, cheapest first"
    return [*_table(head, inside, inside_line, top), *_table(cheap, held, held_line, top)]


def _table(
    head: str, items: Sequence[Values], line: Callable[[Values], str], top: int
) -> list[str]:
    """The first items, a line each, under their head; nothing where there are none."""
    return [head, *map(line, items[:top]), *_more(items, top)] if items else []


def _range(ends: Sequence[Any] | None) -> str:
    low, high = ends or ("", "")
    return f"{_end(low, '-inf')} {_end(high, 'inf')}"


def _is_point(ends: Sequence[Any] | None) -> bool:
    """Whether a range has no length but rounding."""
    if ends is None or None in ends:
        return False
    low, high = ends
    return bool(high - low <= BINDING * max(1.0, abs(low), abs(high)))


def _cannot_hold(count: int, irreducible: bool) -> str:
    told = f"{count} conditions cannot hold together" if count > 1 else "1 condition cannot hold"
    if not irreducible:
        return f"{told}; the time ended before it was irreducible"
    return f"{told}; without any one of them the others can hold" if count > 1 else told


def _conflict_lines(conflict: Values, top: int) -> list[str]:
    conditions = conflict["conditions"]
    lines = [f"conflict   {_cannot_hold(len(conditions), conflict['irreducible'])}"]
    proved = all(condition["weight"] is not None for condition in conditions)
    shown: dict[str, int] = {}
    for condition in sorted(conditions, key=lambda condition: condition["part"] == "column"):
        component = condition["name"].partition("[")[0]
        shown[component] = shown.get(component, 0) + 1
        most = top if condition["part"] == "row" else min(top, SHOWN_BOUNDS)
        if shown[component] <= most:
            weight = f"{_number(condition['weight'])} x  " if proved else "  "
            lines.append(
                f"{weight}{condition['what']} {condition['side']} {condition['bound']:.10g}"
            )
        elif shown[component] == most + 1:
            count = sum(c["name"].partition("[")[0] == component for c in conditions)
            what = component if condition["part"] == "row" else f"bounds of {component}"
            lines.append(f"{'...':>12} {count - most} more {what}")
    if proved and conditions:
        lines.append("proof      with these weights they add up to 0 >= 1")
    elif conflict["integers"]:
        lines.append("proof      by enumeration: the conflict needs the integers")
    return lines


def _more(items: Sequence[Values], top: int) -> list[str]:
    return [f"{'...':>12} {len(items) - top} more"] if len(items) > top else []


def _number(value: float | None) -> str:
    return f"{'-':>12}" if value is None or not math.isfinite(value) else f"{value:>12.6g}"


def _end(value: float | str | None, infinite: str) -> str:
    if value is None:
        return f"{infinite:>12}"
    return f"{value:>12}" if isinstance(value, str) else _number(value)


def _short(value: float) -> str:
    return str(value) if isinstance(value, int) else f"{value:.3g}"


def path_lines(block: Values) -> list[str]:
    """A path in lines of text: its breakpoints, pieces spread over it, the best validation."""
    name, pieces = block["parameter"], block["pieces"]
    done = "" if block["complete"] else "; STOPPED before all pieces were found"
    lines = [
        f"path of {name} from {block['from']:g} to {block['to']:g}: {len(pieces)} pieces, "
        f"{len(block['breakpoints'])} breakpoints{done}",
        f"certified  within {block['gap']:.1e} (relative) of the optimum at every {name} of the "
        f"interval; {block['solves']} solves, {block['seconds']:.2f} s",
    ]
    keys = [key for key in pieces[0] if key not in NOT_SHOWN]
    heads = [HEADS.get(key, key.replace("_", " ")) for key in keys]
    wide = [max(9, len(head) + 1) for head in heads]
    lines.append(
        f"{'from':>11}{'to':>11}{'value':>11}"
        + "".join(f"{head:>{w}}" for head, w in zip(heads, wide, strict=True))
    )
    steps = max(1, min(SHOWN_PIECES, len(pieces)) - 1)
    shown = sorted({round(i * (len(pieces) - 1) / steps) for i in range(steps + 1)})
    for i in shown:
        piece = pieces[i]
        lines.append(
            f"{piece['from']:>11.5g}{piece['to']:>11.5g}{piece['value_from']:>11.6g}"
            + "".join(f"{_short(piece[key]):>{w}}" for key, w in zip(keys, wide, strict=True))
        )
    if len(shown) < len(pieces):
        lines.append(f"{'':>9}and {len(pieces) - len(shown)} pieces between (JSON holds all)")
    best = block["validation"]
    if best is not None:
        where = ", ".join(f"[{low:.6g}, {high:.6g}]" for low, high in best["intervals"][:5])
        more = f" and {len(best['intervals']) - 5} more" if len(best["intervals"]) > 5 else ""
        lines.append(
            f"validation least error {100 * best['error']:.2f} % of {best['rows']} rows, exactly "
            f"for {name} in {where}{more}: {name} = {best['choice']:.6g}"
        )
    return lines + _compression_lines(name, block["compression"])


def _compression_lines(name: str, found: Values | None) -> list[str]:
    """The choice by the compression bound, or why there is none."""
    if found is None:
        return []
    cells = found["cells"]
    known = sum(cell["bound"] is not None for cell in cells)
    work = f"bounds     at {known} of {len(cells)} values that the interval alone fixes"
    if found["choice"] is None:
        return [work, f"theory     no compression bound: {found['refused']}"]
    return [
        f"{work}: {name} = {found['choice']:.6g}, one solution from {found['from']:.6g} to "
        f"{found['to']:.6g}",
        f"theory     error <= {100 * found['bound']:.1f} % with probability "
        f"{100 * (1 - found['delta']):.4g} %, no test set, chosen among {len(cells)}: the "
        f"solution rests on {found['size']} of {found['points']} points ({ASSUMED_OF_CHOICE})",
        refit_line(found["delta"] / len(cells), found["delta"]),
    ]
