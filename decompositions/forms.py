"""What every paper's exported forms share: a program with the value that its file must have."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyomo.environ as pyo


@dataclass(frozen=True)
class BuiltForm:
    """A program ready for export.

    expected: its optimal value as a minimisation, None where it was not computed, infinite where
    it has no point;
    sense: reported objective = sense * file objective; iterate: what the form depends on.
    """

    model: pyo.ConcreteModel
    expected: float | None
    sense: float = 1.0
    iterate: Mapping[str, Any] | None = None
    notes: tuple[str, ...] = field(default=())
