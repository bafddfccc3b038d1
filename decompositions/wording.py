"""A run in a line and in a small table; its bounds in words."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from radprog.base.errors import keyworded
from radprog.base.sections import Part, Shown, pairs
from radprog.instances.data import FEW

#: When a compression bound holds, beside what is checked: of a fit, and of a choice.
ASSUMED = "if rows are independent draws, and settings were fixed before"
ASSUMED_OF_CHOICE = "if rows are independent draws, and the grid was fixed before"
COUNTED = ("coefficients", "support_vectors", "hypotheses", "clusters")  # of a fit


class OneLine(Shown):
    """``repr`` and the picture in notebooks of what has an objective, a bound and a status."""

    def __repr__(self) -> str:
        cells = ", ".join(f"{name} {value}" for name, value in _cells(self).items())
        return f"<{type(self).__name__} {cells}>"

    def _parts(self) -> list[Part]:
        run: Any = self
        cells = _cells(run) | _trace_cell(run.trace)
        return [pairs("", cells | _fit_cells(run.summary) | _extra_cells(run.extra))]


def _cells(run: Any) -> dict[str, str]:
    """Model, objective, bound, gap, whether these certify it, status, method."""
    numbers = {"objective": run.objective, "bound": run.bound, "gap": run.gap}
    return {
        "of": run.name,
        **{name: "none" if x is None else f"{x:.6g}" for name, x in numbers.items()},
        "certified": "yes" if run.certified else "no",
        "status": run.status.value,
        "method": run.method,
    }


def _trace_cell(trace: Sequence[Any]) -> dict[str, str]:
    """How many iterations, and the gap after the last of them; of no bound the objective."""
    # the gap where there is a bound, else the objective
    bounded = any(record.gap is not None for record in trace)
    values = [record.gap if bounded else record.objective for record in trace]
    shown = [f"{value:.2g}" if bounded else f"{value:.6g}" for value in values if value is not None]
    if len(shown) < 2:
        return {}
    cut = "..., " if len(shown) > FEW else ""
    head = f"{len(trace)} iterations, {'gap' if bounded else 'objective'} "
    return {"trace": head + cut + ", ".join(shown[-FEW:])}


def _fit_cells(summary: Mapping[str, Any]) -> dict[str, str]:
    """Training error, sizes and, largest first, weights of kernels, of a fit that has them."""
    error, weights = summary.get("training_error"), summary.get("weight_per_kernel")
    cells = {} if error is None else {"training error": f"{100 * error:.2f} %"}
    for name in COUNTED:
        if summary.get(name) is not None:
            cells[name.replace("_", " ")] = str(summary[name])
    if weights is not None and len(weights) > 1:
        # largest weights first
        pairs = sorted(zip(summary["kernels"], weights, strict=True), key=lambda pair: -pair[1])
        cells["kernel weights"] = _few([f"{name}: {weight:.3g}" for name, weight in pairs])
    return cells


def _extra_cells(extra: Mapping[str, Any]) -> dict[str, str]:
    """Machines, bounds of the error, and what a unit of each constraint is worth."""
    error, most = extra.get("standard_error"), extra.get("certified_upper")
    cells = {
        "standard error": "" if error is None else f"{error:.3g}",
        "at most": "" if most is None else f"{most:.6g}",
        "machines": _few([str(one["label"]) for one in extra.get("machines") or ()]),
        "error bounds": bound_words(extra.get("bounds") or (), marked=True),
        "prices": _few([f"{c['name']}: {c['price']:.4g}" for c in extra.get("constraints") or ()]),
    }
    if extra.get("compression") is not None:
        cells["compression"] = keyworded(compression_words(extra["compression"]))
    return cells


def _few(items: list[str]) -> str:
    return ", ".join(items[:FEW]) + (", ..." if len(items) > FEW else "")


def bound_words(bounds: Sequence[Mapping[str, Any]], *, marked: bool = False) -> str:
    """The values of ``bounds`` of a result; printed formulas are left out where a corrected one is
    there. marked: those whose proof lacks a step are called estimates."""
    # a printed formula gives way to its correction
    corrected = {bound["name"] for bound in bounds if bound.get("form") == "corrected"}
    return ", ".join(
        f"{bound['name']}: {bound['value']:.3g}"
        + marks(bound["vacuous"], marked and bool(bound["caveats"]))
        for bound in bounds
        if bound.get("form") != "printed" or bound["name"] not in corrected
    )


def marks(vacuous: bool, estimate: bool) -> str:
    """What stands behind the name or the value of a bound."""
    words = [word for word, holds in (("vacuous", vacuous), ("estimate", estimate)) if holds]
    return f" ({', '.join(words)})" if words else ""


def compression_words(block: Mapping[str, Any]) -> str:
    """What a ``compression`` block says."""
    if block["refused"] is not None:
        return f"no compression bound: {block['refused']}"
    return (
        f"error <= {100 * block['bound']:.1f} % with probability "
        f"{100 * (1 - block['delta']):.4g} %, no test set: the solution rests on {block['size']} "
        f"of {block['points']} points ({ASSUMED})"
    )


def loosely(abs_tol: float, objective: float, bound: float) -> str:
    """What is said of a certificate by the absolute difference alone."""
    share = abs(objective - bound) / abs(objective) if objective else math.inf
    return (
        f"certified by the absolute tolerance {abs_tol:g} alone: the gap is {share:.2g} of the "
        "objective, so digits of it may be wrong; a smaller absolute tolerance asks for more"
    )


def contradiction(pair: Any) -> str:
    """What is said of an objective and a bound that cannot both be right."""
    return (
        f"the bound {pair.bound!r} lies beyond the objective {pair.objective!r} by more than "
        "rounding: one of them is wrong, and nothing is certified"
    )
