"""The master with curvature: Newton's step near a smooth minimum, safe cuts, multipliers."""

from __future__ import annotations

import numpy as np
import pytest

from radprog.base.limits import OutOfBudget
from radprog.decompositions.drivers.exchange import CurvedMaster, Cuts
from radprog.decompositions.loop import Budget

FREE = np.full(2, np.inf)


def cut(row: list[float], lower: float) -> Cuts:
    return Cuts(np.array([row]), np.array([lower]), np.array([np.inf]))


def master() -> CurvedMaster:
    """Variables (eta, x), cost eta, 0 <= both."""
    return CurvedMaster(np.array([1.0, 0.0]), np.zeros(2), FREE, np.array([False, True]))


def test_its_step_is_newtons() -> None:
    """f(x) = (x - 3)^2 / 2 + 7 at x = 1: the tangent and f'' give the minimum in one step."""
    program = master()
    program.add(cut([1.0, 2.0], 9.0 + 2.0))  # eta >= 9 - 2 (x - 1)
    program.move(np.array([0.0, 1.0]), np.diag([0.0, 1.0]))
    point = program.solve(Budget())
    assert point.x[1] == pytest.approx(3.0, abs=1e-5)
    assert point.value == pytest.approx(point.x[0])
    assert point.multipliers == pytest.approx([1.0], abs=1e-6)


def test_cuts_hold_against_the_curvature() -> None:
    program = master()
    program.add(cut([1.0, 2.0], 11.0))
    program.add(cut([1.0, -4.0], -1.0))  # eta >= 4 x - 1: the corner of the cuts is x = 2
    program.move(np.array([0.0, 1.0]), np.diag([0.0, 1e-3]))
    point = program.solve(Budget())
    assert point.x == pytest.approx([7.0, 2.0], abs=1e-4)
    assert point.multipliers.sum() == pytest.approx(1.0, abs=1e-6)
    assert (point.multipliers > 0.1).all()


def test_no_time_is_no_solution() -> None:
    program = master()
    program.add(cut([1.0, 0.0], 0.0))
    with pytest.raises(OutOfBudget):
        program.solve(Budget(interrupted=lambda: True))
