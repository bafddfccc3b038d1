"""Pyomo as a module that is loaded at its first use, because its import is slow."""

from __future__ import annotations

from typing import TYPE_CHECKING

from radprog.base.types import Deferred

if TYPE_CHECKING:
    import pyomo.environ as pyo
else:
    pyo = Deferred("pyomo.environ")

__all__ = ["pyo"]
