"""Descriptions for regression with a bounded loss: rows and columns, results."""

from __future__ import annotations

from radprog.base.sections import Table, styled
from radprog.models.regression.bounds import FAILURE
from radprog.wiring import Values, read_terms

TERMS = read_terms("regression", "terms")

CHOICES = {  # the criteria of structural risk minimisation, with their keys in ``chosen``
    "by bound": "bound",
    "by folds": "cross_validation",
    "by BIC": "bic",
    "by VC": "vc",
    "by MAPE": "mape",
}


def _test(result: Values) -> list[str]:
    test = result["test"]
    if test is None:
        return []
    return [
        f"test       mean absolute error {test['mae']:.4g}, MAPE {_percent(test['mape'])}, "
        f"{test['rows']} rows"
    ]


def _percent(mape: float | None) -> str:
    return "none: a target is 0" if mape is None else f"{mape:.4g} %"


def _starts(result: Values, starts: int) -> str:
    distinct = result.get("distinct_starts", starts)
    return f"{starts} starts" + (f", {distinct} distinct" if distinct != starts else "")


def regression_lines(result: Values) -> list[str]:
    """Lines with norm, intercept and test error of a regressor.

    The regressor is a local optimum of a nonconvex program, or the result of branch and bound.
    """
    fit = result["fit"]
    words = f"the best local optimum of {_starts(result, result['params']['starts'])}"
    if "nodes" in result:
        words = f"the best of {result['nodes']} programs of branch and bound"
    if "loaded" in result:
        words = "a loaded solution"
    return [
        f"fit        |w|^2 {fit['norm2']:.6g}, bias {fit['bias']:.6g}: {words}",
        *_test(result),
    ]


def complexity_lines(result: Values) -> list[str]:
    """Lines with a lower estimate or exact suprema, and the certified upper bound."""
    words = f"+- {result['standard_error']:.2g} (standard error): {result['estimate']}"
    if result["starts"] is not None:
        words += f", the best of {_starts(result, result['starts'])} per sign vector"
    elif "trials" not in result["params"]:
        words = f"by enumeration, {result['estimate']}"
    by = result["certified_upper_by"]
    return [
        f"estimate   {result['objective']:.6g} {words}",
        f"certified  at most {result['certified_upper']:.6g}"
        f"{_unless(by['failure'])} ({by['name']})",
    ]


def _unless(failure: float) -> str:
    """The probability of a bound that fails with probability ``failure``, in words; empty for 0."""
    return f" with probability {1.0 - failure:.0%}" if failure else ""


def srm_lines(result: Values) -> list[str]:
    """Lines with the class of structural risk minimisation, the choices of other criteria, and the
    terms of the least bounds.
    """
    cells, chosen = result["cells"], result["chosen"]
    lines = []
    for name, key in CHOICES.items():
        if chosen.get(key) is not None:
            cell = cells[chosen[key]]
            worth = " (vacuous)" if cell["bound"] >= 1.0 else ""
            lines.append(
                f"{name:<10} gamma {cell['gamma']:.4g}, A {cell['A']:.4g}: bound "
                f"{cell['bound']:.4g}{worth}, MAPE {_percent(cell['mape'])}"
            )
    # the bound is the sum of error, complexity and last term
    keys = ("bound", "gamma", "A", "empirical", "complexity", "standard_error", "certified_upper")
    terms = Table(
        head=("bound", "gamma", "A", "error", "complexity", "+-", "at most", ""),
        rows=[
            (
                *(styled(cell[key], ".4g") for key in keys),
                "*" if cell["certified_by"] == "sampled" else "",
            )
            for cell in sorted(cells, key=lambda cell: float(cell["bound"]))
        ],
        most=10,  # number of shown cells, those with the least bounds
    )
    sampled = any(cell["certified_by"] == "sampled" for cell in cells)
    sure = f"; *:{_unless(FAILURE)}" if sampled else ""
    done = "" if result["complete"] else " (the grid is not complete)"
    return [
        *lines,
        *terms.lines(),
        f"cells      {len(cells)}{done}; complexity: {result['estimate']}; "
        f"at most: certified{sure}",
        *_test(result),
    ]
