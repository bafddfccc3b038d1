"""An analysis for people: lines of text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from radprog.base.tolerances import BINDING
from radprog.catalog import entry_named
from radprog.decompositions.wording import ASSUMED_OF_CHOICE
from radprog.telling.results import constraint_lines, refit_line, setting_words
from radprog.telling.tables import Table, styled
from radprog.wiring import Values

SHOWN_BOUNDS = 2  # bounds of one component that a conflict lists in text
SHOWN_PIECES = 12  # of a path
SHOWN_CELLS = 10  # settings of a table
HEADS = {"coefficients": "nonzeros", "validation_error": "error"}  # of columns, where too long
NOT_SHOWN = ("from", "to", "value_from", "value_to", "rest", "minus_margin")  # of a piece


def analysis_lines(report: Values, top: int) -> list[str]:
    """An analysis of a program; the ``top`` rows and columns of every table."""
    # what was solved, and how well
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
    # what the numbers leave out, and whether they are the only ones
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
    """Rows that bind, the largest prices first, and the others, the nearest first."""
    # rows that bind by price, the others by distance
    binding = sorted((r for r in rows if r["binding"]), key=lambda r: -abs(r["price"] or 0.0))
    loose = sorted(
        (r for r in rows if not r["binding"] and r["slack"] is not None),
        key=lambda r: float(r["slack"]),
    )
    prices = Table(
        head=("price", "side", "bound", "range from", "to", "binding rows"),
        rows=[
            (
                r["price"],
                {"lower": ">=", "upper": "<=", "equal": "="}[r["binding"]],
                r["upper" if r["binding"] == "upper" else "lower"],
                *_range(r["range"]),
                r["what"],
            )
            for r in binding
        ],
        most=top,
    )
    slacks = Table(
        head=("slack", "activity", "rows that do not bind, nearest first"),
        rows=[(r["slack"], r["activity"], r["what"]) for r in loose],
        most=top,
    )
    return [*prices.lines(), *slacks.lines()]


def _column_lines(columns: Sequence[Values], top: int) -> list[str]:
    """Columns between their bounds, the largest first, and the cheapest of the others."""
    # columns between bounds by value, those at one by reduced cost
    inside = sorted((c for c in columns if not c["at"]), key=lambda c: -abs(c["value"]))
    held = sorted(
        (c for c in columns if c["at"] and c["reduced_cost"]), key=lambda c: abs(c["reduced_cost"])
    )
    values = Table(
        head=("value", "cost", "range from", "to", "columns between their bounds"),
        rows=[(c["value"], c["cost"], *_range(c["cost_range"]), c["what"]) for c in inside],
        most=top,
    )
    costs = Table(
        head=("reduced cost", "value", "columns at a bound, cheapest first"),
        rows=[(c["reduced_cost"], c["value"], c["what"]) for c in held],
        most=top,
    )
    return [*values.lines(), *costs.lines()]


def _range(ends: Sequence[Any] | None) -> tuple[Any, Any]:
    """Both ends of a range; in words where it has no length but rounding."""
    if ends is None:
        return "", ""
    # a range of no length but rounding
    low, high = ends
    if None not in ends and high - low <= BINDING * max(1.0, abs(low), abs(high)):
        return "no change", ""
    return "-inf" if low is None else low, "inf" if high is None else high


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
    # rows first, then bounds; the first members of each component
    for condition in sorted(conditions, key=lambda condition: condition["part"] == "column"):
        component = condition["name"].partition("[")[0]
        shown[component] = shown.get(component, 0) + 1
        most = top if condition["part"] == "row" else min(top, SHOWN_BOUNDS)
        if shown[component] <= most:
            weight = f"{condition['weight']:>12.6g} x  " if proved else "  "
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


def path_lines(block: Values) -> list[str]:
    """A path in lines of text: its breakpoints, pieces spread over it, the best validation."""
    # the interval, and how exact the path is
    name, pieces = block["parameter"], block["pieces"]
    done = "" if block["complete"] else "; STOPPED before all pieces were found"
    lines = [
        f"path of {name} from {block['from']:g} to {block['to']:g}: {len(pieces)} pieces, "
        f"{len(block['breakpoints'])} breakpoints{done}",
        f"certified  within {block['gap']:.1e} (relative) of the optimum at every {name} of the "
        f"interval; {block['solves']} solves, {block['seconds']:.2f} s",
    ]
    # pieces spread over the path, with what the model tells of each
    keys = [key for key in pieces[0] if key not in NOT_SHOWN]
    steps = max(1, min(SHOWN_PIECES, len(pieces)) - 1)
    shown = sorted({round(i * (len(pieces) - 1) / steps) for i in range(steps + 1)})
    table = Table(
        head=("from", "to", "value", *(HEADS.get(key, key.replace("_", " ")) for key in keys)),
        rows=[
            (piece["from"], piece["to"], piece["value_from"], *(piece[key] for key in keys))
            for piece in (pieces[i] for i in shown)
        ],
        worded=False,
    )
    lines += table.lines()
    if len(shown) < len(pieces):
        lines.append(f"{'':>9}and {len(pieces) - len(shown)} pieces between (JSON holds all)")
    # the exact set of values with the least validation error
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
    # the choice by the compression bound
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


def tune_lines(table: Values) -> list[str]:
    """The best settings in a table, and the choice."""
    # models with a criterion of their own have no folds to tell of
    own = "choose" in entry_named(table["model"]).can or table["by"] == "compression"
    return _choice_lines(table) if own else _fold_lines(table)


def _fold_lines(table: Values) -> list[str]:
    """Settings scored on folds."""
    best = table["best"]
    # shares are told in per cent, bounds as they are
    cells = [cell for cell in table["cells"] if cell["score"] is not None]
    unit, digits = (1.0, ".3g") if table["by"] == "bound" else (100.0, ".2f")
    name = {"bound": "score", "auc": "1 - AUC %"}.get(table["by"], "error %")
    tested = best["test_error"] is not None
    # best first
    ranked = sorted(cells, key=lambda cell: float(cell["score"]))
    rows = Table(
        head=(name, "s.e.", "test %", entry_named(table["model"]).counted, "gap", "settings"),
        rows=[
            (
                f"{unit * cell['score']:{digits}}",
                _scaled(unit, cell["standard_error"], digits),
                _scaled(100.0, cell["test_error"], ".2f"),
                f"{cell['support_vectors']:.1f}",
                styled(cell["gap"], ".1e"),
                setting_words(cell["params"]),
            )
            for cell in ranked
        ],
        most=SHOWN_CELLS,
    ).lines()
    rows += _unscored(table["cells"])
    rows.append(
        f"choice     {setting_words(best['params'])}: validation error {100 * best['error']:.2f} %"
        + (f", one of {table['ties']} that tie" if table["ties"] > 1 else "")
    )
    if tested:
        rows.append(
            f"test       {100 * best['test_error']:.2f} % wrong, "
            f"+- {100 * best['test_error_std']:.2f} over {table['folds_finished']} folds"
        )
    if table["by"] == "bound" and best["score"] >= 1:
        rows.append("warning    the bound chosen by is vacuous: it is no less than 1")
    certified = sum(cell["certified"] for cell in cells)
    rows.append(
        f"work       {len(cells)} settings on {table['folds_finished']} of {table['rounds']} folds "
        f"(ended by {table['stopped_by']}), {certified} certified on every fold"
    )
    return rows


def _choice_lines(table: Values) -> list[str]:
    """Settings scored by a model's own criterion."""
    # best first, then the settings without a score
    scored = [cell for cell in table["cells"] if cell["score"] is not None]
    rows = Table(
        head=(table["by"], "s.e.", "settings"),
        rows=[
            (
                cell["score"],
                styled(cell["standard_error"], ".2g"),
                setting_words(cell["params"]),
            )
            for cell in sorted(scored, key=lambda cell: float(cell["score"]))
        ],
        most=SHOWN_CELLS,
    ).lines()
    rows += _unscored(table["cells"])
    done = f"{len(scored)} of {len(table['cells'])} settings scored"
    rows += [f"choice     {setting_words(table['best']['params'])}", f"work       {done}"]
    if table["by"] != "compression":
        return rows
    best = table["best"]
    refit = refit_line(best["delta"], table["delta"])
    return [
        *rows,
        f"theory     error <= {100 * best['score']:.1f} % with probability "
        f"{100 * (1 - table['delta']):.4g} %, no test set, chosen among {len(table['cells'])}: the "
        f"solution rests on {best['size']} of {table['points']} points ({ASSUMED_OF_CHOICE})",
        *([refit] if len(table["cells"]) > 1 else []),
    ]


def _scaled(unit: float, value: float | None, style: str) -> str:
    return styled(None if value is None else unit * value, style)


def _unscored(cells: Sequence[Values]) -> list[str]:
    """Settings that the data do not allow, and why."""
    return [
        f"none       {setting_words(cell['params'])}: {cell['message']}"
        for cell in cells
        if cell["message"] is not None
    ]


def class_lines(table: Values) -> list[str]:
    """The value of every class, with its standard error and its certified bound."""
    data = table["data"]
    signs = "all" if table["enumerated"] else f"seed {table['seed']}"
    head = (
        f"{table['model']} on {data['name']}: {table['kind']} complexity (1/m) E sup sum sigma h, "
        f"m = {data['rows']}, sign vectors: {signs}"
    )
    values = Table(
        head=("value", "+-", "at most", "signs", "class"),
        rows=[
            (
                row["value"],
                styled(row["standard_error"], ".2g"),
                row["certified_upper"],
                row["trials"],
                row["class"]
                + ("" if row["exact"] else " (an estimate from below: suprema are local optima)"),
            )
            for row in table["classes"]
        ],
    )
    ended = "" if table["complete"] else f" (ended by {table['stopped_by']})"
    certified = {row["upper_by"] for row in table["classes"]} - {None}
    by = f"; at most: {', '.join(sorted(certified))}" if certified else ""
    return [head, *values.lines(), f"+-: standard error{by}{ended}"]
