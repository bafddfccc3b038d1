"""Results for people: lines of text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from radprog.catalog import entry_named
from radprog.solvers.program import ProblemClass

if TYPE_CHECKING:
    from radprog.reproduce import Table
    from radprog.solvers.questions.capability import Capability

SHOWN_CELLS = 10  # settings of a tuning table that are shown
SHOWN_SHARE = 5e-4  # of the weights: less would be written as 0.0 %
SHOWN_KERNELS = 6  # largest weights of multiple kernel learning that are shown

Values = Mapping[str, Any]


def _number(value: float | None, style: str, missing: str = "-") -> str:
    return missing if value is None else f"{value:{style}}"


def summary_lines(result: Values) -> list[str]:
    """A result of ``solve``."""
    data = result["data"]
    gap = "" if result["gap"] is None else f", gap {result['gap']:.2g}"
    word = {
        "tol": f"certified (gap within {result['params']['tol']:g})",
        "abs-tol": f"certified (difference within {result['params']['abs_tol']:g})",
        None: "not certified",
    }[result["certified_by"]]
    solver = f"{result['solver']['name']} {result['solver']['version']}".strip()
    columns = "" if result["columns"] is None else f"{result['columns']} columns, "
    return [
        f"{result['model']} on {data['name']}: {data['rows']} rows, method {result['method']}, "
        f"solver {solver}",
        f"status     {result['status']} (stopped by {result['stopped_by']})",
        f"objective  {_number(result['objective'], '.10g', 'none')}",
        f"bound      {_number(result['bound'], '.10g', 'none')}{gap}: {word}",
        f"work       {result['iterations']} iterations, {columns}"
        f"{result['time']['total']:.2f} s, {result['peak_mb']:.0f} MiB",
        *(f"loaded     {x['file']}: form {x['form']}" for x in result.get("loaded", [])),
        *entry_named(result["model"]).describe(result),
    ]


def expansion_lines(result: Values) -> list[str]:
    """Fit, bounds and test error of a kernel classifier."""
    if "machines" in result:
        lines = _machines(result, "objective", _expansion)
    else:
        lines = [f"fit        {_expansion(result['fit'])}"]
    return [*lines, *_theory(result.get("bounds", [])), *_classification_test(result)]


def _expansion(fit: Values) -> str:
    if not fit["coefficients"]:
        return "no coefficients: the constant classifier"
    return (
        f"{fit['coefficients']} coefficients on {fit['support_vectors']} points, "
        f"training error {100 * fit['training_error']:.2f} %"
    )


def _machines(result: Values, value: str, described: Callable[[Values], str]) -> list[str]:
    """Each machine of one-vs-rest."""
    return [
        f"machine    {machine['label']}: {value} {machine['objective']:.6g}, "
        f"{described(machine['fit'])}"
        for machine in result["machines"]
    ]


def ensemble_lines(result: Values) -> list[str]:
    """Sparsity, pattern lengths and test error of boosted shapelets."""
    fit = result["fit"]
    lines = [
        f"fit        {fit['hypotheses']} hypotheses, {fit['nonzero']} of {fit['nonzero_of']} "
        f"coefficients not zero ({100 * fit['nonzero_share']:.2g} %)"
    ]
    if "machines" in result:
        lines += _machines(result, "gamma", lambda fit: f"{fit['hypotheses']} hypotheses")
    else:
        lines[0] += f", training error {100 * fit['training_error']:.2f} %"
        lengths = ", ".join(
            f"{part['length']} points {part['weight']:.3g}"
            + ("" if part["sigma"] is None else f" (sigma {part['sigma']:g})")
            for part in fit["lengths"]
        )
        lines.append(f"weight     {lengths}")
        lines += _theory(result.get("bounds", []))
    return [*lines, *_classification_test(result)]


def _theory(bounds: Sequence[Values], what: str = "error bounded by ") -> list[str]:
    """Values of bounds; printed formulas of the papers are left to the JSON if there is another."""
    corrected = {bound["name"] for bound in bounds if bound.get("form") == "corrected"}
    values = ", ".join(
        f"{bound['name']}: {bound['value']:.3g}" + (" (vacuous)" if bound["vacuous"] else "")
        for bound in bounds
        if bound.get("form") != "printed" or bound["name"] not in corrected
    )
    return [f"theory     {what}{values}"] if bounds else []


def _classification_test(result: Values) -> list[str]:
    test = result["test"]
    if test is None:
        return []
    return [
        f"test       {100 * test['error']:.2f} % of {test['rows']} rows wrong; at most "
        f"{100 * test['error_upper_bound']:.2f} % with probability {1 - test['delta']:.0%}"
    ]


def mkl_lines(result: Values) -> list[str]:
    """Kernel weights, the value between its bounds for variant dc, and test error."""
    fit = result["fit"]
    total = sum(fit["weights"])
    shares = sorted(zip(fit["weights"], fit["kernels"], strict=True), key=lambda pair: -pair[0])
    used = [f"{name} {100 * w / total:.1f} %" for w, name in shares if w > SHOWN_SHARE * total]
    more = f", and {len(used) - SHOWN_KERNELS} more" if len(used) > SHOWN_KERNELS else ""
    lines = [
        f"weights    {', '.join(used[:SHOWN_KERNELS])}{more} (of their sum)",
        f"fit        {fit['kernels_used']} of {len(fit['kernels'])} kernels, "
        f"{fit['support_vectors']} points, training error {100 * fit['training_error']:.2f} %, "
        f"{fit['machines']} machines solved",
    ]
    sandwich = result.get("sandwich")
    if sandwich is not None:
        lines.append(
            f"sandwich   {sandwich['bound']:.10g} (convex relaxation) <= global optimum <= "
            f"{sandwich['value']:.10g} (this fit)"
        )
        if sandwich["global_value"] is not None:
            lines.append(
                f"global     {sandwich['global_bound']:.10g} <= global optimum <= "
                f"{sandwich['global_value']:.10g} (branch and bound)"
            )
    return [*lines, *_theory(result.get("bounds", []), ""), *_classification_test(result)]


def _regression_test(result: Values) -> list[str]:
    test = result["test"]
    if test is None:
        return []
    share = "none: a target is 0" if test["mape"] is None else f"{test['mape']:.4g} %"
    return [f"test       mean absolute error {test['mae']:.4g}, MAPE {share}, {test['rows']} rows"]


def regression_lines(result: Values) -> list[str]:
    """Norm, bias and test error of a regressor: a local optimum of a nonconvex problem."""
    fit = result["fit"]
    found = f"the best local optimum of {result['params']['starts']} starts"
    if "loaded" in result:
        found = "a loaded solution"
    return [
        f"fit        |w|^2 {fit['norm2']:.6g}, bias {fit['bias']:.6g}: {found}",
        *_regression_test(result),
    ]


def complexity_lines(result: Values) -> list[str]:
    """An estimate from below, beside the certified upper bound."""
    error = result["standard_error"]
    return [
        f"estimate   {result['objective']:.6g} +- {error:.2g} (standard error): an estimate from "
        f"below, by local maximisation from {result['starts']} starts per sign vector",
        f"certified  at most {result['certified_upper']:.6g}",
    ]


def srm_lines(result: Values) -> list[str]:
    """The class that structural risk minimisation chose, beside other choices."""
    cells, chosen = result["cells"], result["chosen"]
    lines = []
    for name, key in (("by bound", "bound"), ("by folds", "cross_validation"), ("by MAPE", "mape")):
        if chosen[key] is not None:
            cell = cells[chosen[key]]
            lines.append(
                f"{name:<10} gamma {cell['gamma']:.4g}, A {cell['A']:.4g}: bound "
                f"{cell['bound']:.4g}, MAPE {_number(cell['mape'], '.4g')}"
            )
    done = "" if result["complete"] else " (the grid is not complete)"
    return [
        *lines,
        f"cells      {len(cells)}{done}; {result['estimate']}",
        *_regression_test(result),
    ]


def _agreement(block: Values) -> str:
    accuracy, nmi = block["accuracy"], block["nmi"]
    if accuracy is None:
        return "no classes known to compare with"
    return f"accuracy {100 * accuracy:.1f} %, NMI {nmi:.3f}"


def _similarity_lines(result: Values, matched: str) -> list[str]:
    fit, test = result["fit"], result["test"]
    ratio = fit["cut_ratio"]
    cut = "" if ratio is None else f" (at most {ratio:.3g} times the least of these sizes)"
    lines = [
        f"fit        {fit['clusters']} {matched} of sizes {', '.join(map(str, fit['sizes']))}, "
        f"weights on {fit['support']} points",
        f"graph      cut {fit['cut']:.4g}{cut}",
    ]
    lines += [
        f"theory     {bound['name']}: {bound['value']:.3g}"
        + (" (vacuous)" if bound["vacuous"] else "")
        + ", a criterion only: labels and weights were chosen with it"
        for bound in result.get("bounds", [])
    ]
    lines.append(
        f"predictor  h(x, y) gives {100 * fit['classifier_agreement']:.1f} % of these rows their "
        "label"
    )
    if test is not None:
        lines.append(f"test       {_agreement(test)}, {test['rows']} rows")
    return lines


def clustering_lines(result: Values) -> list[str]:
    """Clusters, cut, and agreement by one-to-one matching: a heuristic answer."""
    lines = _similarity_lines(result, "clusters")
    return [*lines[:1], f"agreement  {_agreement(result['fit'])} (matched one to one)", *lines[1:]]


def propagation_lines(result: Values) -> list[str]:
    """Classes of all rows, cut, and rows that no label reaches."""
    lost = len(result["fit"]["unreached"])
    lines = _similarity_lines(result, "classes")
    return [*lines, f"unreached  {lost} rows in parts without any label"] if lost else lines


def expected_words(names: Values, digits: str) -> str:
    """What names.json says of the optimum."""
    if "expected_status" in names:
        return f"expected {names['expected_status']}"
    return f"expected objective {_number(names['expected_objective'], digits, 'unknown')}"


def verdict_lines(file: str, names: Values, rows: Any) -> list[str]:
    """The answers of ``verify``."""
    lines = [
        f"{file}: {names['class']}, {expected_words(names, '.14g')}",
        f"{'solver':<10}{'status':<12}{'objective':>22}{'violation':>11}{'seconds':>9}",
    ]
    for row in rows:
        word = "agrees" if row["agrees"] else "DIFFERS"
        lines.append(
            f"{row['solver']:<10}{row['status']:<12}{_number(row['objective'], '.14g'):>22}"
            f"{_number(row['violation'], '.1e'):>11}{row['seconds']:>9.2f}  {word}"
        )
    return lines


def check_lines(report: Values) -> list[str]:
    """The outcome of ``check``."""
    claimed, found = report["claimed"], report["recomputed"]
    lines = [f"{'':<10} {'claimed':<24} recomputed"]
    lines += [
        f"{key:<10} {claimed[key]!s:<24} {found[key]}" for key in ("objective", "bound", "gap")
    ]
    if report["holds"]:
        return [*lines, "the certificate holds" if found["certified"] else "the result holds"]
    return [*lines, *(f"the result DOES NOT HOLD: {problem}" for problem in report["problems"])]


def price_lines(table: Values) -> list[str]:
    """The candidates of ``price``."""
    side = "above" if table["maximise"] else "below"
    gap = "" if table["certified"] else " (no certificate: candidates keep this bound or weaken it)"
    lines = [
        f"objective {table['objective']:.10g}, bound {table['bound']:.10g}{gap}",
        f"{'candidate':<16}{'price':>11}{'ratio':>11}{'ms':>8}  verdict",
    ]
    for row in table["rows"]:
        if row["useless"]:
            verdict = "cannot help"
        elif row["keeps_bound"]:
            verdict = "keeps the bound"
        else:
            verdict = f"may help: not {side} {row['floor']:.6g}"
        lines.append(
            f"{row['name']:<16}{row['price']:>11.4g}{row['ratio']:>11.4g}"
            f"{1e3 * row['seconds']:>8.2f}  {verdict}"
        )
    useless = sum(row["useless"] for row in table["rows"])
    least = "most" if table["maximise"] else "least"
    return [
        *lines,
        f"{useless} of {len(table['rows'])} proved useless; with all of them added the optimum is "
        f"at {least} {table['floor']:.10g}",
    ]


def tuning_lines(table: Values) -> list[str]:
    """The choice of ``tune``, and the best settings in a table."""
    best = table["best"]
    cells = [cell for cell in table["cells"] if cell["score"] is not None]
    tested = best["test_error"] is not None
    lines = [
        f"{'score' if table['by'] == 'bound' else 'error %':>9}{'+-':>7}"
        + (f"{'test %':>8}" if tested else "")
        + f"{'SVs' if table['model'] != 'lpboost' else 'hyps':>8}{'gap':>9}  settings"
    ]
    for cell in sorted(cells, key=lambda cell: float(cell["score"]))[:SHOWN_CELLS]:
        score = f"{cell['score']:.3g}" if table["by"] == "bound" else f"{100 * cell['error']:.2f}"
        test = f"{100 * cell['test_error']:>8.2f}" if tested else ""
        lines.append(
            f"{score:>9}{100 * cell['error_std']:>7.2f}{test}{cell['support_vectors']:>8.1f}"
            f"{_number(cell['gap'], '.1e'):>9}  {_settings(cell['params'])}"
        )
    if len(cells) > SHOWN_CELLS:
        lines.append(f"{'':>9}and {len(cells) - SHOWN_CELLS} more (--json holds all)")
    lines += _unscored(table["cells"], 9)
    lines.append(
        f"choice     {_settings(best['params'])}: validation error {100 * best['error']:.2f} %"
        + (f", one of {table['ties']} that tie" if table["ties"] > 1 else "")
    )
    if tested:
        lines.append(
            f"test       {100 * best['test_error']:.2f} % wrong, "
            f"+- {100 * best['test_error_std']:.2f} over {table['folds_finished']} folds"
        )
    if table["by"] == "bound" and best["score"] >= 1:
        lines.append("warning    the bound chosen by is vacuous: it is no less than 1")
    certified = sum(cell["certified"] for cell in cells)
    lines.append(
        f"work       {len(cells)} settings on {table['folds_finished']} of {table['rounds']} folds "
        f"(ended by {table['stopped_by']}), {certified} certified on every fold"
    )
    return lines


def choice_lines(table: Values) -> list[str]:
    """The choice of ``tune`` by a model's own criterion."""
    scored = [cell for cell in table["cells"] if cell["score"] is not None]
    lines = [f"{table['by']:>12}  settings"]
    lines += [
        f"{cell['score']:>12.6g}  {_settings(cell['params'])}"
        for cell in sorted(scored, key=lambda cell: float(cell["score"]))[:SHOWN_CELLS]
    ]
    lines += _unscored(table["cells"], 12)
    done = f"{len(scored)} of {len(table['cells'])} settings scored"
    return [*lines, f"choice     {_settings(table['best']['params'])}", f"work       {done}"]


def _unscored(cells: Sequence[Values], width: int) -> list[str]:
    """Settings that the data do not allow, and why."""
    return [
        f"{'none':>{width}}  {_settings(cell['params'])}: {cell['message']}"
        for cell in cells
        if cell["message"] is not None
    ]


def class_lines(table: Values) -> list[str]:
    """The table of ``complexity``."""
    data = table["data"]
    signs = "all" if table["enumerated"] else f"seed {table['seed']}"
    lines = [
        f"{table['model']} on {data['name']}: {table['kind']} complexity (1/m) E sup sum sigma h, "
        f"m = {data['rows']}, sign vectors: {signs}",
        f"{'value':>12}{'+-':>10}{'at most':>12}{'signs':>7}  class",
    ]
    lines += [
        f"{row['value']:>12.6g}{row['standard_error']:>10.2g}"
        f"{_number(row['certified_upper'], '.6g'):>12}{row['trials']:>7}  {row['class']}"
        + ("" if row["exact"] else " (an estimate from below: suprema are local optima)")
        for row in table["classes"]
    ]
    ended = "" if table["complete"] else f" (ended by {table['stopped_by']})"
    certified = {row["upper_by"] for row in table["classes"]} - {None}
    by = f"; at most: {', '.join(sorted(certified))}" if certified else ""
    return [*lines, f"{'':>12}+-: standard error{by}{ended}"]


def _settings(params: Values) -> str:
    return ", ".join(f"{key}={value}" for key, value in params.items()) or "the only one"


def capability_lines(table: Iterable[Capability]) -> list[str]:
    """The table of ``solvers``."""
    lines = [
        f"{'solver':<14}{'version':<31}" + "".join(f"{c:<8}" for c in [*ProblemClass, "duals"])
    ]
    for row in table:
        cells = "".join(f"{row.classes[c]:<8}" for c in ProblemClass)
        version = row.version if row.installed else "not installed"
        lines.append(f"{row.name:<14}{version:<31}{cells}{row.duals:<8}{row.note}".rstrip())
    return lines


def table_lines(table: Table, rows: Sequence[Values]) -> list[str]:
    """The rows of ``reproduce``: ours and, marked, the paper's; then what differs."""
    heads = [column.heading for column in table.columns]
    marks = ["(paper)" if column.paper else "" for column in table.columns]
    lines = [[_cell(row.get(column.key), column.style) for column in table.columns] for row in rows]
    widths = [max(map(len, cells)) for cells in zip(heads, marks, *lines, strict=True)]

    def line(cells: Sequence[str]) -> str:
        return "  ".join(
            cell.rjust(width) if column.style else cell.ljust(width)
            for cell, width, column in zip(cells, widths, table.columns, strict=True)
        ).rstrip()

    return [
        f"{table.paper}: {table.title}",
        line(heads),
        line(marks),
        *map(line, lines),
        *(f"note: {text}" for text in table.notes),
    ]


def _cell(value: Any, style: str) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        return _settings(value)
    return f"{value:{style}}"
