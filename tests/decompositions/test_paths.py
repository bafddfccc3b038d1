"""Envelopes of lines by hand."""

from types import SimpleNamespace

import numpy as np
import pytest
from effort import seeds

from radprog.decompositions.paths import envelope


def least(slopes: np.ndarray, offsets: np.ndarray):
    """Lines by hand, exact where they were asked for."""

    def solve(at: float, neighbours: object) -> SimpleNamespace:
        values = offsets + slopes * at
        i, value = int(values.argmin()), float(values.min())
        line = {"at": at, "value": value, "slope": float(slopes[i]), "bound": value}
        return SimpleNamespace(**line, detail={})

    return solve


def tangents(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Slopes and offsets of 30 tangents of log(1 + 3 t) + 1, and of 30 lines above it."""
    rng = np.random.default_rng(seed)
    t = np.sort(rng.uniform(0, 2, 30))
    slopes = 3 / (1 + 3 * t)
    offsets = np.log(1 + 3 * t) + 1 - slopes * t
    return np.tile(slopes, 2), np.concatenate([offsets, offsets + rng.uniform(0.1, 1, 30)])


@pytest.mark.parametrize("seed", seeds(20))
def test_lines_by_hand(seed: int) -> None:
    slopes, offsets = tangents(seed)
    found = envelope(least(slopes, offsets), 0.0, 2.0)
    grid = np.linspace(0, 2, 4001)
    values = (offsets[:, None] + slopes[:, None] * grid).min(axis=0)
    np.testing.assert_allclose([found.value(t) for t in grid], values, rtol=1e-12)
    used = np.unique((offsets[:, None] + slopes[:, None] * grid).argmin(axis=0))
    assert len(used) > 20
    assert {line.slope for line in found.lines} >= set(slopes[used])
    assert found.solves <= 2 * len(found.lines) + 1
    assert found.complete
    assert found.gap <= 1e-14
    assert all(np.diff([line.slope for line in found.lines]) < 0)


def test_one_line_has_no_breakpoint() -> None:
    found = envelope(least(np.array([2.0]), np.array([1.0])), 0.0, 5.0)
    assert (found.breakpoints, found.solves, len(found.lines)) == ((), 2, 1)


def test_a_path_cut_off_says_how_far_it_may_be_wrong() -> None:
    slopes, offsets = tangents(1)
    solves = 0

    def spent() -> bool:
        nonlocal solves
        solves += 1
        return solves > 3

    found = envelope(least(slopes, offsets), 0.0, 2.0, spent)
    assert not found.complete
    grid = np.linspace(0, 2, 4001)
    values = (offsets[:, None] + slopes[:, None] * grid).min(axis=0)
    path = np.array([found.value(t) for t in grid])
    worst = ((path - values) / path).max()
    assert 1e-3 < worst <= found.gap
