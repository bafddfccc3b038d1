"""Figures of tables: our rows beside the paper's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from radprog.reproducing import Plotter


def beside(value: str, spread: str, paper: str, words: str) -> Plotter:
    """A plotter of ``value`` with its ``spread`` and what the ``paper`` has; words: the axis."""

    def draw(rows: Sequence[Mapping[str, Any]], path: str, title: str) -> None:
        from radprog.figures import plot_beside  # loads matplotlib

        plot_beside(rows, path, value, spread, paper, words, title=title)

    return draw
