"""Analyses as lines and tables: programs, paths, grids, complexities, error bounds."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

from radprog.base.sections import Part, Table, named, styled
from radprog.base.tolerances import BINDING
from radprog.models.bounds import about_error
from radprog.telling.results import compression_line, constraint_lines, refit_line, setting_words
from radprog.wiring import Values

HEADS = {"coefficients": "nonzeros", "validation_error": "error"}  # shorter column headers
NOT_SHOWN = ("from", "to", "value_from", "value_to", "rest", "minus_margin")  # of a piece
SIDES = {"lower": ">=", "upper": "<=", "equal": "="}
SHARES = {"error": "error %", "auc": "1 - AUC %"}  # criteria that are shown in per cent
UNSEEN = {"test": "test", "hold-out": "holdout"}  # bounds from rows outside the fit


def analysis_parts(report: Values, top: int) -> list[Part]:
    """The lines and tables of an analysis; each table has at most ``top`` rows or columns."""
    # the solved program, and the quality of its solution
    program, data, solver = report["program"], report["data"], report["solver"]
    of = "" if data is None else f" on {data['name']}, form {report['form']}"
    parts: list[Part] = [
        f"{report['model']}{of}: {program['class']} with "
        f"{program['rows']} rows, {program['columns']} columns, {program['nonzeros']} nonzeros, "
        f"solver {solver['name']} {solver['version']}".rstrip(),
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
    parts += _basis_lines(report["basis"])
    if report["conflict"] is not None:
        return [*parts, *_conflict_parts(report["conflict"], top)]
    if "infeasible" in (report["status"], report.get("claim")):
        parts.append("conflict   none found: the solvers were stopped, or do not agree")
    parts += ray_lines([(one["what"], one["value"]) for one in report.get("ray", ())], top)
    if report["objective"] is None:
        return parts
    # binding members of each component, and the meaning of their prices
    for group in report["groups"]:
        row = group["part"] == "row"
        worth, bind = ("price", "bind") if row else ("reduced cost", "are at a bound")
        means = f" ({worth}: {group['price_means']})" if group["price_means"] else ""
        total = ""
        if row and group["price_total"] is not None:
            total = f", prices add up to {group['price_total']:.6g}"
        parts.append(
            f"{group['part']:<10} {group['component']}: {group['at_bound']} of {group['count']} "
            f"{bind}{total}{means}"
        )
    # without descriptions of a paper, prices have their general meaning
    if data is None and any(row["price"] is not None for row in report["rows"]):
        parts.append(
            "prices     change of the objective for a unit more of the right-hand side, in the "
            "program's own sense (min or max)"
        )
    if data is not None:
        parts += constraint_lines(report["model"], report.get("constraints", ()))
    return [*parts, *_tables(report["rows"], report["columns"], top)]


def ray_lines(ray: Sequence[tuple[str, float]], top: int | None = None) -> list[str]:
    """The largest entries of a ray; empty if there is no ray."""
    shown = ", ".join(f"{name} {value:+.4g}" for name, value in ray[:top])
    more = f" and {len(ray[top:])} more" if top is not None and ray[top:] else ""
    return [f"ray        the objective improves without end along {shown}{more}"] if shown else []


def _basis_lines(basis: Values | None) -> list[str]:
    """Lines about the uniqueness of prices and optimum."""
    if basis is None:
        return []
    lines = ["basis      not degenerate: the prices are the only ones"]
    if basis["degenerate"]:
        lines = [
            f"basis      degenerate ({basis['degenerate']} basic at a bound): prices and ranges "
            "are those of this basis, another may have others"
        ]
    if basis["alternatives"]:
        more = ", ..." * (basis["alternatives"] > len(basis["movable"]))
        other = basis.get("other")
        word = "may not be" if other is None else "is not" if other else "is, up to rounding,"
        lines.append(
            f"optimum    {word} the only one: {basis['alternatives']} nonbasic without a reduced "
            f"cost: {', '.join(basis['movable'])}{more}"
        )
        if other:
            shown = [f"{one['name']} from {one['from']:.6g} to {one['to']:.6g}" for one in other]
            shown[5:] = ["..."] * (len(other) > 5)
            lines.append(f"another    optimal point of the same objective: {', '.join(shown)}")
    return lines


def _tables(rows: Sequence[Values], columns: Sequence[Values], top: int) -> list[Table]:
    """Binding rows by decreasing price, the other rows by increasing slack, columns between their
    bounds by decreasing value, and the cheapest other columns.
    """
    binding = sorted((r for r in rows if r["binding"]), key=lambda r: -abs(r["price"] or 0.0))
    loose = sorted(
        (r for r in rows if not r["binding"] and r["slack"] is not None),
        key=lambda r: float(r["slack"]),
    )
    inside = sorted((c for c in columns if not c["at"]), key=lambda c: -abs(c["value"]))
    # of many columns, those at 0 without a reduced cost are left out
    few, priced = len(columns) <= top, [c for c in columns if c["reduced_cost"] is not None]
    held = [c for c in priced if c["at"] and (few or c["reduced_cost"])]
    held.sort(key=lambda c: abs(c["reduced_cost"]))
    prices = [
        (
            r["price"],
            SIDES[r["binding"]],
            r["upper" if r["binding"] == "upper" else "lower"],
            *_range(r["range"]),
            r["what"],
        )
        for r in binding
    ]
    values = [(c["value"], c["cost"], *_range(c["cost_range"]), c["what"]) for c in inside]
    shown: dict[tuple[str, ...], list[tuple[Any, ...]]] = {
        ("price", "side", "bound", "range from", "to", "binding rows"): prices,
        ("slack", "activity", "rows that do not bind, nearest first"): [
            (r["slack"], r["activity"], r["what"]) for r in loose
        ],
        ("value", "cost", "range from", "to", "columns between their bounds"): values,
        ("reduced cost", "value", "columns at a bound, cheapest first"): [
            (c["reduced_cost"], c["value"], c["what"]) for c in held
        ],
    }
    return [Table(head=head, rows=rows, most=top) for head, rows in shown.items()]


def _range(ends: Sequence[Any] | None) -> tuple[Any, Any]:
    """Both ends of a range, or a remark if it has no length beyond rounding."""
    if ends is None:
        return "", ""
    low, high = ends
    if None not in ends and high - low <= BINDING * max(1.0, abs(low), abs(high)):
        return "no change", ""
    return "-inf" if low is None else low, "inf" if high is None else high


def _conflict_parts(conflict: Values, top: int) -> list[Part]:
    """Conditions that cannot hold together, and their proof.

    Rows precede bounds, and smaller least moves precede larger ones. Among equal moves, members of
    small components come first.
    """
    names = [condition["name"].partition("[")[0] for condition in conflict["conditions"]]
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
        head += "; without any one of them the others can hold"
    table = Table(
        head=("weight", "least move", "condition"),
        rows=[
            (
                one["weight"],
                one.get("least_move"),
                f"{one['what']} is an integer"
                if one["side"] == "integer"
                else f"{one['what']} {one['side']} {one['bound']:.10g}",
            )
            for one in conditions
        ],
        most=top,
    )
    parts: list[Part] = [f"conflict   {head}", table]
    if conditions and all(condition["weight"] is not None for condition in conditions):
        parts.append(
            "proof      with these weights they add up to 0 >= 1, also if one side alone moves by "
            "less than its least move"
        )
    elif conflict["found_by"] == "divisibility":
        parts.append(
            "proof      the integers give multiples of the greatest common divisor of their "
            "coefficients, and none is between the sides"
        )
    else:
        points = "; points show that the others can" if conflict["irreducible"] else ""
        parts.append(f"proof      none: a solver claims that they cannot hold together{points}")
    return parts


def path_parts(block: Values) -> list[Part]:
    """The lines and tables of a path: breakpoints, some of the pieces, and the best validation
    error.
    """
    # the interval, and how exact the path is
    name, pieces = block["parameter"], block["pieces"]
    done = "" if block["complete"] else "; STOPPED before all pieces were found"
    # pieces spread over the path, with the numbers of the model
    keys = [key for key in pieces[0] if key not in NOT_SHOWN]
    steps = max(1, min(12, len(pieces)) - 1)  # shown pieces of a path
    places = sorted({round(i * (len(pieces) - 1) / steps) for i in range(steps + 1)})
    left = len(pieces) - len(places)
    parts: list[Part] = [
        f"path of {name} from {block['from']:g} to {block['to']:g}: {len(pieces)} pieces, "
        f"{len(block['breakpoints'])} breakpoints{done}",
        f"certified  within {block['gap']:.1e} (relative) of the optimum at every {name} of the "
        f"interval; {block['solves']} solves, {block['seconds']:.2f} s",
        Table(
            head=("from", "to", "value", *(HEADS.get(key, named(key)) for key in keys)),
            rows=[
                (piece["from"], piece["to"], piece["value_from"], *(piece[key] for key in keys))
                for piece in (pieces[i] for i in places)
            ],
            note=f"{'':>9}and {left} pieces between (JSON holds all)" if left else "",
        ),
    ]
    # the exact set of values with the least validation error
    best = block["validation"]
    if best is not None:
        shown = best["intervals"][:5]  # shown intervals of least validation error
        where = ", ".join(f"[{low:.6g}, {high:.6g}]" for low, high in shown)
        more = len(best["intervals"]) - len(shown)
        parts.append(
            f"validation least error {100 * best['error']:.2f} % of {best['rows']} rows, exactly "
            f"for {name} in {where}{f' and {more} more' if more else ''}: {name} = "
            f"{best['choice']:.6g}"
        )
    return parts


def tune_parts(table: Values) -> list[Part]:
    """The best settings in a table, the choice, and its error."""
    cells, best, by = table["cells"], table["best"], table["by"]
    # shares in per cent, other criteria unchanged; the best first
    unit, style = (100.0, ".2f") if by in SHARES else (1.0, ".6g")
    # errors of rows held out: shares of classes, losses of numbers
    of_rows, per_cent = ((1.0, ".6g"), "") if by == "loss" else ((100.0, ".2f"), " %")
    error = "loss" if by == "loss" else "error"
    scored = sorted((c for c in cells if c["score"] is not None), key=lambda c: float(c["score"]))

    def scaled(value: float | None, unit: float = unit, style: str = style) -> str:
        return styled(None if value is None else unit * value, style)

    parts: list[Part] = [
        Table(
            head=(
                str(SHARES.get(by, by)),
                "s.e.",
                f"test{per_cent}",
                "size",
                "gap",
                "cluster sizes",
                "settings",
            ),
            rows=[
                (
                    scaled(cell["score"]),
                    scaled(cell["standard_error"], style=".2f" if by in SHARES else ".2g"),
                    scaled(cell.get("test_error"), *of_rows),
                    styled(cell.get("support_vectors"), ".1f"),
                    styled(cell.get("gap"), ".1e"),
                    " ".join(map(str, cell.get("sizes", ()))),
                    setting_words(cell["params"]),
                )
                for cell in scored
            ],
            most=10,  # shown settings of a table
        )
    ]
    # settings that the data do not allow, with the reason
    parts += [
        f"none       {setting_words(cell['params'])}: {cell['message']}"
        for cell in cells
        if cell["message"] is not None
    ]
    choice = f"choice     {setting_words(best['params'])}"
    edges = [f"grid       {line}" for line in table.get("edges", ())]
    if "folds_finished" not in table:
        sizes = best.get("sizes", [1])
        # criteria without labels prefer graphs with nearly separate parts of a few rows
        if min(sizes) < 0.1 * sum(sizes) / len(sizes):  # a tenth of an average cluster
            edges.append(
                f"warning    the smallest cluster of the choice has {min(sizes)} of {sum(sizes)} "
                "rows, perhaps only far from others: compare larger bandwidths, or another `by`"
            )
        parts += [choice, *edges, f"work       {len(scored)} of {len(cells)} settings scored"]
        if by == "compression":
            delta, among = table["delta"], len(cells)
            sizes = best["size"], table["points"]
            parts.append(compression_line(best["score"], delta, *sizes, among=among))
            parts += [refit_line(best["delta"], delta)] if among > 1 else []
        return parts
    # held-out rows: error of the choice, its test error, and the finished work
    ties = f", one of {table['ties']} that tie" if table["ties"] > 1 else ""
    parts.append(f"{choice}: validation {error} {scaled(best['error'], *of_rows)}{per_cent}{ties}")
    parts += edges
    if best["test_error"] is not None:
        mean, spread = (scaled(best[key], *of_rows) for key in ("test_error", "test_error_std"))
        wrong = " loss" if by == "loss" else " % wrong"
        parts.append(f"test       {mean}{wrong}, +- {spread} over {table['folds_finished']} folds")
    if by == "bound" and best["score"] >= 1:
        parts.append("warning    the bound chosen by is vacuous: it is no less than 1")
    certified = sum(cell["certified"] for cell in scored)
    parts.append(
        f"work       {len(scored)} settings on {table['folds_finished']} of {table['rounds']} "
        f"folds (ended by {table['stopped_by']}), {certified} certified on every fold"
    )
    return parts


def class_parts(table: Values) -> list[Part]:
    """The value of each class, with its standard error and its certified bound."""
    data = table["data"]
    signs = "all" if table["enumerated"] else f"seed {table['seed']}"
    below = {True: "", False: " (too low on average: suprema are local optima)"}
    values = Table(
        head=("value", "+-", "at most", "signs", "class"),
        rows=[
            (
                row["value"],
                styled(row["standard_error"], ".2g"),
                row["certified_upper"],
                row["trials"],
                row["class"] + below[bool(row["exact"])],
            )
            for row in table["classes"]
        ],
    )
    ended = "" if table["complete"] else f" (ended by {table['stopped_by']})"
    certified = {row["upper_by"] for row in table["classes"]} - {None}
    by = f"; at most: {', '.join(sorted(certified))}" if certified else ""
    normal = table["kind"] == "gaussian"
    if normal:
        by += "; Rademacher complexities are at most sqrt(pi/2) = 1.2533 times these"
    return [
        f"{table['model']} on {data['name']}: {table['kind']} complexity (1/m) E sup sum sigma h, "
        f"m = {data['rows']}, {'normal' if normal else 'sign'} vectors: {signs}",
        values,
        f"+-: standard error{by}{ended}",
    ]


def bound_parts(table: Values) -> list[Part]:
    """Bounds on an error, followed by the bounds on the complexity of the class."""
    test, rows = table["test"], table["rows"]
    delta = "" if table["delta"] is None or not rows else f", delta {table['delta']:.4g} of each"
    parts: list[Part] = [
        f"{table['model']} on {table['data']['name']}: {table['data']['rows']} rows{delta}"
    ]
    inner = [row for row in rows if not about_error(row)]
    outer = [row for row in rows if row not in inner] + _unseen(table)
    outer.sort(key=lambda row: float(row["value"]))
    lowest = table["lowest"] if table["about_error"] else None
    # the least bound of a useless fit is no praise of it
    weak = table["weakness"] or (table["holdout"] or {}).get("weakness")
    mark = "  <- best" if weak is None else f"  <- of a fit that {weak}"
    best = next((row for row in outer if row["name"] == lowest), None)
    for part, name in ((outer, "bound"), (inner, "complexity, no bound of an error")):
        cells = [
            (
                f"{row['value']:.4g}",
                styled(row["above_test"] if part is outer else None, "+.3g"),
                row["name"] + _marks(row) + (mark if row is best else ""),
            )
            for row in part
        ]
        parts.append(Table(head=("value", "above test", name), rows=cells))
    # missing bounds, with the reason
    if table["refused"] is not None:
        parts.append(f"none       compression: {table['refused']}")
    if table["no_grid"] is not None:
        parts.append(f"none       margin grid: {table['no_grid']}")
    if table["refused"] is None and not rows:
        parts.append(
            "none       no bound: linear models, regressions, and results of weighted rows, of "
            "one-vs-rest or of a single complexity have none: solve with `test` has the errors on "
            "rows held out"
        )
    parts += _best_lines(table)
    if test is not None:
        parts.append(
            f"test       {100 * test['error']:.2f} % of {test['rows']} rows of {test['name']} "
            f"wrong, at most {100 * test['upper']:.2f} % by the binomial bound"
        )
    held = table["holdout"]
    if held is not None and held["refused"]:
        parts.append(f"hold-out   none: {held['refused']}")
    elif held is not None:
        parts.append(
            f"hold-out   {held['upper']:.4g} by the binomial bound: {held['errors']} of "
            f"{held['rows']} rows wrong, by a fit of the others; drawn by seed {held['seed']}"
        )
    if table["samples"] and not table["sampled"]:
        parts.append("sampled    no complexities: give the `data` for Monte Carlo")
    return parts


def gap_lines(table: Values, *, listed: bool) -> list[str]:
    """Lines with the sources of bounds and with every gap in the proofs of estimates. Without
    ``listed``, one line names the option that lists the gaps.
    """
    lacking: dict[str, list[str]] = {}
    for row in table["rows"]:
        for caveat in row["caveats"]:
            lacking.setdefault(caveat, []).append(row["name"])
    if not listed:
        return ["gaps       in the proofs of estimates: `verbose` lists them"] * bool(lacking)
    sources = {row["name"].partition(",")[0]: row["source"] for row in table["rows"]}
    return [
        *(f"source     {name}: {source}" for name, source in sources.items()),
        *(f"gap        {'; '.join(names)}: {caveat}" for caveat, names in lacking.items()),
    ]


def _unseen(table: Values) -> list[Values]:
    """The table rows for the bounds from test rows and from held-out rows."""
    upper = {name: (table[key] or {}).get("upper") for name, key in UNSEEN.items()}
    error = None if table["test"] is None else table["test"]["error"]
    return [
        {
            "name": name,
            "value": value,
            "vacuous": value >= 1.0,
            "estimate": False,
            # the held-out rows belong to another fit, which has another test error
            "above_test": None if error is None or name == "hold-out" else value - error,
        }
        for name, value in upper.items()
        if value is not None and table["about_error"]
    ]


def _marks(row: Values) -> str:
    """The kind of a bound, with its largest summand if it is vacuous."""
    marks = ["estimate"] if row["estimate"] else []
    if row["vacuous"] and about_error(row):
        why = ""
        if terms := row.get("terms"):
            # the largest summand, and the margin that it is divided by
            name, rho = max(terms, key=lambda name: terms[name]), row["parameters"].get("rho")
            why = f" by {name.replace('_', ' ')} {terms[name]:.3g}"
            why += "" if rho is None else f" at rho {rho:.3g}"
        marks.insert(0, f"vacuous{why}")
    form = " (of another fit)" if row["name"] == "hold-out" else ""
    return form + (f" ({', '.join(marks)})" if marks else "")


def _best_lines(table: Values) -> list[Part]:
    """Lines about the best bounds, their assumptions, and the gaps in the proofs of estimates."""
    if not table["about_error"]:
        return []
    rows = table["rows"]
    proved = [(row["name"], row["value"]) for row in rows if not row["estimate"]]
    unseen = [(row["name"], row["value"]) for row in _unseen(table)]
    lines: list[Part] = []
    if weak := table["weakness"] or (table["holdout"] or {}).get("weakness"):
        of = "the fit" if table["weakness"] else "the fit of the rows not held out"
        lines.append(f"useless    {of} {weak}: a constant prediction has about the same error")
    if rows and table["least"] is None:
        why = "all are vacuous" if table["vacuous"] else "those below 1 are estimates"
        lines.append(f"best       without held-out rows: none: {why}")
    elif rows:
        lines.append(_best_line("without held-out rows", table["least"], proved, table))
    if unseen:
        lines.append(_best_line("of all", table["lowest"], [*proved, *unseen], table))
    if estimates := [row for row in rows if row["estimate"] and not row["vacuous"]]:
        lines.append(
            f"estimate   {estimates[0]['name']}, no proved bound: "
            f"{'; '.join(estimates[0]['caveats'])}"
        )
    return lines


def _best_line(where: str, name: str, among: Sequence[tuple[str, float]], table: Values) -> str:
    """The best of the bounds ``among``, its assumptions, and its probability as one of several."""
    settings = f"the settings ({', '.join(table['settings'])})"
    assumes = {
        "test": "the test rows are independent draws, and nothing was chosen on them",
        "hold-out": f"rows are independent draws, and {settings} were not chosen on the held-out "
        "ones; it is about a fit of the others",
    }.get(name, f"rows are independent draws, and {settings} were fixed before these were seen")
    line = f"best       {where}: {name}, {dict(among)[name]:.4g}, if {assumes}"
    delta, names = table["level"], [one for one, _ in among]
    if len(names) < 2:
        return line
    return (
        f"{line}; the best of {len(names)} proved ones ({'; '.join(names)}), each with probability "
        f"{1 - delta:.4g}, holds with {max(0.0, 1 - len(names) * delta):.4g} "
        f"(with {1 - delta:.4g} by `delta={delta / len(names):.3g}`)"
    )
