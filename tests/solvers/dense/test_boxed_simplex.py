"""The dense simplex method against HiGHS, from any start."""

import numpy as np
import pytest
from small_programs import linprog_optimum

from radprog.base.types import FloatArray
from radprog.solvers.dense import boxed_simplex
from radprog.solvers.dense.boxed_simplex import AT_LOWER, AT_UPPER, BASIC, BoxedProgram, solve_boxed


def boxed(cost: FloatArray, upper: FloatArray, *rows: FloatArray) -> BoxedProgram:
    """The program of these costs, upper bounds, matrix and sides."""
    parts = dict(zip(("matrix", "row_lower", "row_upper"), rows, strict=True))
    return BoxedProgram(cost=cost, upper=upper, **parts)


def random_program(rng: np.random.Generator, *, degenerate: bool) -> BoxedProgram:
    m, n = (int(size) for size in rng.integers(1, 40, 2))
    matrix = rng.normal(size=(m, n))
    if degenerate:
        matrix = rng.integers(-1, 2, (m, n)).astype(float)
        matrix[:, n // 2 :] = matrix[:, : n - n // 2]
    side = np.ones(m) if degenerate else rng.uniform(0.2, 2.0, m)
    cost = rng.integers(-2, 2, n).astype(float) if degenerate else rng.normal(size=n)
    upper = np.ones(n) if degenerate else rng.uniform(0.5, 2.0, n)
    return boxed(cost, upper, matrix, -side, 2.0 * side)


def at_upper(program: BoxedProgram) -> tuple[np.ndarray, np.ndarray]:
    """The start of all columns at their upper bounds."""
    m, n = program.matrix.shape
    return np.full(n, AT_UPPER, dtype=np.int8), np.full(m, BASIC, dtype=np.int8)


def value_of(program: BoxedProgram) -> float:
    p = program
    return linprog_optimum(p.cost, p.matrix, p.row_lower, p.row_upper, p.upper)


@pytest.mark.parametrize("seed", range(40))
def test_optimal_from_any_start(seed, monkeypatch) -> None:
    monkeypatch.setattr(boxed_simplex._Simplex, "refactor", 5)
    rng = np.random.default_rng(seed)
    program = random_program(rng, degenerate=seed % 2 == 1)
    m, n = program.matrix.shape
    starts = [
        at_upper(program),
        (np.full(n, AT_LOWER, dtype=np.int8), np.full(m, AT_LOWER, dtype=np.int8)),
        (rng.integers(0, 3, n).astype(np.int8), rng.integers(0, 3, m).astype(np.int8)),
    ]
    expected = value_of(program)
    for start in starts:
        point = solve_boxed(program, *start)  # a random basis may be singular
        assert program.cost @ point.x == pytest.approx(expected, rel=1e-8, abs=1e-8)
        rows = program.matrix @ point.x
        assert (rows <= program.row_upper + 1e-8).all()
        assert (rows >= program.row_lower - 1e-8).all()
        reduced = program.cost - point.multipliers @ program.matrix
        assert (reduced[point.columns == AT_LOWER] >= -1e-8).all()
        assert (reduced[point.columns == AT_UPPER] <= 1e-8).all()
        assert np.abs(reduced[point.columns == BASIC]).max(initial=0.0) <= 1e-8
        assert (point.columns == BASIC).sum() + (point.rows == BASIC).sum() == m
        assert solve_boxed(program, point.columns, point.rows).pivots == 0


def test_equal_costs_do_not_stall() -> None:
    rng = np.random.default_rng(0)
    m, n = 60, 400
    side = np.full(m, 10.0)
    votes = np.sign(rng.normal(size=(m, n)) + 0.3)
    program = boxed(-np.ones(n), np.ones(n), votes, -40.0 * side, side)
    point = solve_boxed(program, *at_upper(program))
    assert point.pivots < 5 * m  # without perturbed costs, it never ends
    assert program.cost @ point.x == pytest.approx(value_of(program), rel=1e-9)
    # its multipliers are of the costs without perturbation
    reduced = program.cost - point.multipliers @ program.matrix
    assert np.abs(reduced[point.columns == BASIC]).max() <= 1e-10


def test_weights_of_the_steepest_edges_stay_exact(monkeypatch) -> None:
    """After hundreds of pivots on one inverse they are still the squared norms of its rows."""
    monkeypatch.setattr(boxed_simplex._Simplex, "refactor", 10_000)
    rng = np.random.default_rng(0)
    m, n = 150, 300
    cost, matrix = -np.abs(rng.normal(size=n)), rng.normal(size=(m, n))
    program = boxed(cost, np.ones(n), matrix, -np.ones(m), np.ones(m))
    simplex = boxed_simplex._Simplex(program, *at_upper(program))
    point = simplex.run()
    assert simplex.since == point.pivots > 200
    norms = np.einsum("ij,ij->i", simplex.inverse, simplex.inverse)
    assert np.abs(simplex.weights / norms - 1.0).max() < 1e-6


def test_stuck_without_pivots(monkeypatch) -> None:
    program = random_program(np.random.default_rng(0), degenerate=False)
    monkeypatch.setattr(boxed_simplex._Simplex, "patience", 0)
    assert solve_boxed(program, *at_upper(program)) is None


def test_bases_near_singular_are_given_up_or_solved(monkeypatch) -> None:
    """Kernel values of rows that are nearly one: every few pivots ask for a fresh inverse."""
    rng = np.random.default_rng(0)
    early, restart = [], boxed_simplex._Simplex._restart

    def counted(self: boxed_simplex._Simplex) -> None:
        if self.since < self.refactor:
            early.append(self.pivots)
        restart(self)

    monkeypatch.setattr(boxed_simplex._Simplex, "_restart", counted)
    points = rng.normal(size=(200, 2))
    matrix = (1.0 + points @ points.T / 10.0) ** 10
    matrix *= rng.choice([-1.0, 1.0], 200)
    side = np.full(200, 1e-6)
    program = boxed(-np.ones(200), np.ones(200), matrix, -side, side)
    point = solve_boxed(program, *at_upper(program))
    assert len(early) < 30  # the first inverse, and those that doubts cost
    if point is not None and point.exact:
        assert np.abs(matrix @ point.x).max() <= 1e-6 + 1e-8


def test_a_program_without_rows() -> None:
    cost, upper, sides = np.array([-1.0, 2.0, 0.0]), np.array([3.0, 1.0, 1.0]), [np.zeros(0)] * 2
    program = boxed(cost, upper, np.zeros((0, 3)), *sides)
    columns, rows = np.full(3, AT_LOWER, dtype=np.int8), np.zeros(0, dtype=np.int8)
    assert solve_boxed(program, columns, rows).x.tolist() == [3.0, 0.0, 0.0]
