"""The certificate refuses no ordinary answer: of bounded programs nearly all are proved optimal.

Random linear and convex quadratic programs with a known optimal pair, free, boxed and half-bounded
variables, entries between 1e-3 and 1e3 in size, solved by HiGHS, SCIP (linear ones), PIQP and
Clarabel (quadratic ones). An answer that is not ``optimal`` is named.
"""

import numpy as np
from scipy import sparse
from small_programs import make_program

from radprog.base.errors import RadprogError
from radprog.solvers.program import Program, Status
from radprog.solvers.registry import solve_program

SOLVERS = {"LP": ("highs", "scip"), "QP": ("highs", "piqp", "clarabel")}


def sizes(rng: np.random.Generator, *shape: int) -> np.ndarray:
    """Numbers of either sign between 1e-3 and 1e3 in size."""
    return rng.choice([-1.0, 1.0], size=shape) * 10.0 ** rng.uniform(-3, 3, size=shape)


def ordinary(seed: int) -> Program:
    """A program whose optimal pair is drawn first, at a vertex whose columns are independent, so
    that rounding its numbers does not make it unbounded; squares are positive definite, or all
    variables are boxed."""
    rng = np.random.default_rng(seed)
    n, squares = int(rng.integers(2, 25)), bool(seed % 2)
    m = int(rng.integers(1, n + 1))
    A = np.where(rng.random((m, n)) < 0.6, sizes(rng, m, n), 0.0)
    x = rng.normal(size=n)
    # k tight rows determine k basic columns; every other column is at a bound that it points to
    k = int(rng.integers(0, m + 1))
    basic = np.arange(n) < k
    A[np.arange(k), np.arange(k)] += np.abs(A[:k, :k]).sum(axis=1) * 0.5 + 1.0
    boxed = squares and rng.random() < 0.4
    kind = np.where(basic, rng.integers(0, 4, size=n), rng.integers(1, 4, size=n))
    kind = np.full(n, 3) if boxed else kind  # free, bounded below, above, boxed
    room = 10.0 ** rng.uniform(-1, 2, size=(2, n))
    lower = np.where(np.isin(kind, (1, 3)), x - np.where(basic, room[0], 0.0), -np.inf)
    upper = np.where(kind == 2, x + np.where(basic, room[1], 0.0), np.inf)
    upper = np.where(kind == 3, x + room[1], upper)
    d = np.where(basic, 0.0, np.where(kind == 2, -1.0, 1.0)) * np.abs(sizes(rng, n))
    # rows: equations and sides that are tight, then those with room
    activity, word = A @ x, rng.integers(0, 2, size=m)
    slack = 10.0 ** rng.uniform(-1, 2, size=m) * (np.arange(m) >= k)
    row_lower = activity - slack
    row_upper = np.where((word == 0) & (slack == 0.0), activity, np.inf)
    cost, quadratic = A.T @ np.where(slack > 0.0, 0.0, 0.1 + rng.random(m)) + d, None
    if squares:
        factor = sizes(rng, n, n if not boxed else int(rng.integers(1, n + 1))) / 30.0
        quadratic = factor @ factor.T + (0.0 if boxed else 1e-2) * np.eye(n)
        cost = cost - quadratic @ x
        quadratic = sparse.csc_array(quadratic)
    return make_program(cost, A, row_lower, row_upper, lower, upper, quadratic=quadratic)


def test_ordinary_answers_are_proved() -> None:
    """HiGHS's own answers to quadratic programs are wrong at times; the others never are here."""
    missed = []
    for seed in range(40):
        program = ordinary(seed)
        for name in SOLVERS[program.problem_class.value]:
            try:
                found = solve_program(program, name)
                optimal, said = found.status is Status.OPTIMAL, found.message
            except RadprogError as error:
                optimal, said = False, str(error)
            missed += [f"seed {seed}, {name}: {said}"] * (not optimal)
    assert [line for line in missed if ", highs:" not in line] == []
    assert len(missed) <= 2
