"""A run in a line, and in a small table."""

from __future__ import annotations

from typing import Any

from radprog.instances.data import html_table


class ToldInALine:
    """``repr`` and the picture in notebooks of what has an objective, a bound and a status."""

    def __repr__(self) -> str:
        told = ", ".join(f"{name} {value}" for name, value in _cells(self).items())
        return f"<{type(self).__name__} {told}>"

    def _repr_html_(self) -> str:
        return html_table(_cells(self))


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
