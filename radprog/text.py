"""Results for people: lines of text."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from radprog.catalog import entry_named

SHOWN_SHARE = 5e-4  # of the weights: less would be written as 0.0 %
SHOWN_KERNELS = 6  # largest weights of multiple kernel learning that are shown

Values = Mapping[str, Any]


def number(value: float | None, style: str, missing: str = "-") -> str:
    """A number in a style of its own."""
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
        f"objective  {number(result['objective'], '.10g', 'none')}",
        f"bound      {number(result['bound'], '.10g', 'none')}{gap}: {word}",
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
                f"{cell['bound']:.4g}, MAPE {number(cell['mape'], '.4g')}"
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
    if names.get("expected_status"):
        return f"expected {names['expected_status']}"
    return f"expected objective {number(names['expected_objective'], digits, 'unknown')}"


def setting_words(params: Values) -> str:
    """The options that are varied."""
    return ", ".join(f"{key}={value}" for key, value in params.items()) or "the only one"
