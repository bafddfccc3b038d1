"""Regression with a bounded loss in words: rows and columns, what was found."""

from __future__ import annotations

from collections.abc import Mapping

from radprog.base.sections import styled
from radprog.wiring import Term, Values

TERMS: Mapping[str, Term] = {
    "below": Term("lower side of the tube at {point}", "its multiplier"),
    "above": Term("upper side of the tube at {point}", "its multiplier"),
    "ball": Term("ball |w|^2", "gain of a unit of A: half the multiplier lambda"),
    "balance": Term("balance of the coefficients", "the bias b"),
    "coefficient": Term("coefficient g of {point}", "minus the value h of the point"),
    "xi": Term("loss above the tube at {point}"),
    "xihat": Term("loss below the tube at {point}"),
    "alpha": Term("multiplier of the lower side at {point}"),
    "alphahat": Term("multiplier of the upper side at {point}"),
    "g": Term("coefficient of {point}"),
    "w": Term("component {part} of w"),
    "b": Term("bias"),
    "v": Term("bounded loss of {point}"),
    "q": Term("is {point} saturated"),
    "p": Term("is {point} above"),
    "saturated": Term("saturation of {point}", "its multiplier"),
    "side": Term("side of the tube of {point}", "its multiplier"),
    "over": Term("loss of {point} from above", "its multiplier"),
    "under": Term("loss of {point} from below", "its multiplier"),
}

CHOICES = {  # of structural risk minimisation, and what chose
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
    share = "none: a target is 0" if test["mape"] is None else f"{test['mape']:.4g} %"
    return [f"test       mean absolute error {test['mae']:.4g}, MAPE {share}, {test['rows']} rows"]


def _starts(result: Values, starts: int) -> str:
    distinct = result.get("distinct_starts", starts)
    return f"{starts} starts" + (f", {distinct} distinct" if distinct != starts else "")


def regression_lines(result: Values) -> list[str]:
    """Norm, bias and test error of a regressor: a local optimum of a nonconvex problem, or what
    branch and bound found."""
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
    """An estimate from below, or exact suprema, beside the certified upper bound."""
    words = f"by enumeration, {result['estimate']}"
    if result["starts"] is None and "trials" in result["params"]:
        words = f"+- {result['standard_error']:.2g} (standard error): {result['estimate']}"
    elif result["starts"] is not None:
        words = (
            f"+- {result['standard_error']:.2g} (standard error): an estimate from below, by local "
            f"maximisation from {_starts(result, result['starts'])} per sign vector"
        )
    return [
        f"estimate   {result['objective']:.6g} {words}",
        f"certified  at most {result['certified_upper']:.6g}",
    ]


def srm_lines(result: Values) -> list[str]:
    """The class that structural risk minimisation chose, beside other choices."""
    cells, chosen = result["cells"], result["chosen"]
    lines = []
    for name, key in CHOICES.items():
        if chosen.get(key) is not None:
            cell = cells[chosen[key]]
            lines.append(
                f"{name:<10} gamma {cell['gamma']:.4g}, A {cell['A']:.4g}: bound "
                f"{cell['bound']:.4g}, MAPE {styled(cell['mape'], '.4g')}"
            )
    done = "" if result["complete"] else " (the grid is not complete)"
    return [
        *lines,
        f"cells      {len(cells)}{done}; {result['estimate']}",
        *_test(result),
    ]
