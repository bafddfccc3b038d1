"""A run in a line and in a small table, and what is said of its certificate."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from radprog.base.sections import Part, Shown, named, pairs
from radprog.instances.data import FEW


class OneLine(Shown):
    """``repr`` and the picture in notebooks of what has an objective, a bound and a status."""

    def __repr__(self) -> str:
        cells = ", ".join(f"{name} {value}" for name, value in _cells(self).items())
        return f"<{type(self).__name__} {cells}>"

    def _parts(self) -> list[Part]:
        run: Any = self
        # the certificate, the last iterations, and the plain values of the fit
        values = {
            named(key): value
            for key, value in {**run.summary, **run.extra}.items()
            if isinstance(value, str | float | int)
        }
        return [pairs("", _cells(run) | _trace_cell(run.trace) | values)]


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
