"""Live and rebuilt masters: same programs, same points, scaling undone, interrupts."""

import highspy
import numpy as np
import pytest
from cut_off import polled
from effort import examples
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from rational import image, matrix, numbers
from refusals import refused
from scipy import sparse
from small_programs import linprog_optimum

from radprog.base.errors import CapabilityError, OptionError, SolverError
from radprog.base.limits import OutOfBudget, under
from radprog.base.types import FloatArray
from radprog.decompositions.drivers import masters as module
from radprog.decompositions.drivers.exchange import Cuts, MasterPoint, coefficients_of
from radprog.decompositions.drivers.masters import HighsMaster, RebuiltProgram, boxed_program
from radprog.decompositions.loop import Budget
from radprog.decompositions.vkr.pricing import Incumbent, VotedOracle
from radprog.models.vkr.problem import VotedKernels
from radprog.models.vkr.programs import build_dual
from radprog.solvers.compile import compile_model
from radprog.solvers.program import Solution, SolveSettings, Status

KINDS = ("highs", "rebuilt")


def rebuilt(cost: FloatArray, upper: FloatArray, solver: str = "highs") -> RebuiltProgram:
    box = boxed_program(cost, np.zeros(len(cost)), upper)
    return RebuiltProgram(box, solver, SolveSettings(tol=1e-10))


def make(kind: str, cost: FloatArray, upper: FloatArray) -> HighsMaster | RebuiltProgram:
    return HighsMaster(cost, upper) if kind == "highs" else rebuilt(cost, upper)


def random_cuts(seed: int, n: int, rows: int, size: float = 1.0) -> Cuts:
    rng = np.random.default_rng(seed)
    return Cuts(rng.normal(size=(rows, n)) / size, np.full(rows, -1.0), np.ones(rows))


def reference(cost: FloatArray, upper: FloatArray, cuts: list[Cuts]) -> float:
    parts = ("matrix", "lower", "upper")
    matrix, low, high = (np.concatenate([getattr(cut, part) for cut in cuts]) for part in parts)
    return linprog_optimum(cost, matrix, low, high, upper)


# ---------------------------------------------------------------- points and multipliers


@pytest.mark.parametrize("kind", KINDS)
@given(st.integers(0, 10**6), st.sampled_from([1.0, 1e-3, 1e-6]))
@examples(25)
def test_cuts_in_batches(kind: str, seed: int, size: float) -> None:
    """Value and duality: the multipliers are those of all cuts, in the order added."""
    n = 6
    cost, upper = -np.random.default_rng(seed).uniform(0.5, 2.0, n), np.ones(n)
    master, added = make(kind, cost, upper), []
    for batch in range(3):
        added.append(random_cuts(seed + batch, n, 4, size))
        master.add(added[-1])
        point = master.solve(Budget())
        matrix = np.vstack([cuts.matrix for cuts in added])
        assert (np.abs(matrix @ point.x) <= 1.0 + 1e-6).all()
        assert len(point.multipliers) == len(matrix)
        # Lagrangian bound: sum over rows of -|multiplier|, and the box on what is left.
        left = cost - matrix.T @ point.multipliers
        bound = -np.abs(point.multipliers).sum() + float(np.minimum(left, 0.0) @ upper)
        assert bound == pytest.approx(point.value, rel=1e-6)
        scaled = [Cuts(c.matrix * size, c.lower, c.upper) for c in added]
        assert point.value == pytest.approx(size * reference(cost, upper / size, scaled), rel=1e-6)


# ---------------------------------------------------------------- the live matrices


def live(master: HighsMaster) -> tuple[FloatArray, highspy.HighsLp]:
    lp = master._live.highs.getLp()
    matrix = lp.a_matrix_
    form = sparse.csc_array if matrix.format_ == highspy.MatrixFormat.kColwise else sparse.csr_array
    shape = (lp.num_row_, lp.num_col_)
    return form((matrix.value_, matrix.index_, matrix.start_), shape=shape).toarray(), lp


def check_scaling(master: HighsMaster, problem: VotedKernels, pairs: NDArray[np.intp]) -> None:
    """Live program = Dr A Dc of the compiled restricted dual, cost and bounds alike."""
    program = compile_model(build_dual(problem, pairs))
    matrix, lp = live(master)
    columns = np.full(problem.m, master.scale / problem.m)
    rows = 1.0 / problem.prices[pairs[:, 0]]
    assert matrix / rows[:, None] / columns == pytest.approx(program.rows.toarray(), rel=1e-13)
    assert np.array(lp.row_lower_) / rows == pytest.approx(program.row_lower, rel=1e-13)
    assert np.array(lp.row_upper_) / rows == pytest.approx(program.row_upper, rel=1e-13)
    assert np.array(lp.col_lower_) == pytest.approx(program.lower)
    assert np.array(lp.col_upper_) * columns == pytest.approx(program.upper, rel=1e-13)
    objective = problem.m / master.scale
    assert np.array(lp.col_cost_) / columns / objective == pytest.approx(program.cost, rel=1e-13)


def test_undoing_the_scaling_gives_the_restricted_dual(make_problem) -> None:
    rescaled = 0
    for seed in range(30):
        problem = make_problem(seed)
        oracle = VotedOracle(problem, Incumbent.trivial(problem))
        master = HighsMaster(np.full(problem.m, -1.0), np.ones(problem.m))
        order = np.random.default_rng(seed).permutation(len(problem.all_pairs))
        pairs = problem.all_pairs[order][: max(4, len(order) // 2)]
        for part in np.array_split(pairs, 2):
            master.add(oracle.cuts(part))
            master.solve(Budget())
        rescaled += master.scale != 1.0
        assert oracle.pairs.tolist() == pairs.tolist()
        check_scaling(master, problem, pairs)
    assert rescaled >= 5


# ---------------------------------------------------------------- budget, status


@pytest.mark.parametrize("kind", KINDS)
def test_a_master_without_a_point_is_an_error(kind: str) -> None:
    master = make(kind, -np.ones(2), np.ones(2))
    master.add(Cuts(np.ones((1, 2)), np.array([5.0]), np.array([6.0])))
    with pytest.raises(SolverError):
        master.solve(Budget())


def answer_with(monkeypatch: pytest.MonkeyPatch, status: Status) -> None:
    """Plant an answer to every program."""
    answer = Solution(solver="highs", version="9", x=np.ones(2), status=status)
    monkeypatch.setattr(module, "solve_program", lambda *given: answer)


@pytest.mark.parametrize("status", [Status.LIMIT, Status.INTERRUPTED])
def test_a_rebuilt_master_that_ran_out_of_time(monkeypatch, status: Status) -> None:
    answer_with(monkeypatch, status)
    with pytest.raises(OutOfBudget):
        make("rebuilt", -np.ones(2), np.ones(2)).solve(Budget())


def test_a_rebuilt_master_without_duals_is_an_error(monkeypatch) -> None:
    answer_with(monkeypatch, Status.OPTIMAL)
    master = make("rebuilt", -np.ones(2), np.ones(2))
    assert master.solve(Budget()).multipliers.shape == (0,)
    assert master.version == "9"
    master.add(random_cuts(0, 2, 1))
    refused(SolverError, "highs gave no duals", master.solve, Budget())


def test_what_a_master_cannot_be_made_of() -> None:
    one = np.ones(2)
    refused(CapabilityError, "scip gives no duals", rebuilt, one, one, "scip")
    refused(OptionError, "unknown solver 'simplex'", rebuilt, one, one, "simplex")
    options = SolveSettings(solver_options={"nothing": "1"})
    refused(OptionError, "no option 'nothing'", HighsMaster, one, one, options)


def test_large_negative_points_are_not_taken_for_tiny_ones() -> None:
    # min x - y, x in [-5, 0], y in [0, .001]: the largest coordinate is y, the largest size x's.
    master = HighsMaster(np.array([1.0, -1.0]), np.array([0.0, 1e-3]), lower=np.array([-5.0, 0.0]))
    master.add(random_cuts(0, 2, 1, 1e3))
    assert master.solve(Budget()).x == pytest.approx(np.array([-5.0, 1e-3]))
    assert master.scale == 1.0


# ---------------------------------------------------------------- signs

SIDES = {  # ways to write x_0 + 2 x_1 <= 1: factor, lower, upper
    "<=": (1.0, -np.inf, 1.0),
    ">=": (-1.0, -1.0, np.inf),
    "ranged": (1.0, -5.0, 1.0),
    "ranged and negated": (-1.0, -1.0, 5.0),
    "with large entries": (2.0**20, -np.inf, 2.0**20),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("way", SIDES)
def test_a_multiplier_is_the_derivative_in_the_side_that_binds(kind: str, way: str) -> None:
    """min -3 x_0 - 4 x_1: each unit of the right-hand side is worth 3, however it is written."""
    factor, lower, upper = SIDES[way]

    def solved(change: float) -> MasterPoint:
        master = make(kind, np.array([-3.0, -4.0]), np.array([9.0, 9.0]))
        low, high = (np.array([side + abs(factor) * change]) for side in (lower, upper))
        master.add(Cuts(factor * np.array([[1.0, 2.0]]), low, high))
        return master.solve(Budget())

    (multiplier,) = solved(0.0).multipliers
    gain = (solved(1e-3).value - solved(-1e-3).value) / 2e-3 / abs(factor)
    assert multiplier == pytest.approx(gain, rel=1e-6)
    assert multiplier == pytest.approx(-3.0 / factor, rel=1e-6, abs=0.0)
    coefficients = pytest.approx([3.0 / factor], rel=1e-6, abs=0.0)
    assert coefficients_of(solved(0.0).multipliers) == coefficients


def wide_cuts(seed: int, n: int, rows: int) -> Cuts:
    """Entries from 1 to 1e18."""
    rng = np.random.default_rng(seed)
    sizes = 10.0 ** rng.uniform(0.0, 9.0, (rows, 1)) * 10.0 ** rng.uniform(0.0, 9.0, n)
    return Cuts(sizes * rng.normal(size=(rows, n)), np.full(rows, -1.0), np.ones(rows))


@pytest.mark.parametrize("seed", range(4))
def test_a_refined_vertex_is_feasible_after_rounding(seed: int) -> None:
    n, cuts = 12, wide_cuts(seed, 12, 8)
    master = HighsMaster(-np.ones(n), np.ones(n))
    assert master.vertex() is None
    master.add(cuts)
    master.solve(Budget())
    master.refine(Budget())
    vertex = master.vertex()
    assert max(map(abs, image(matrix(cuts.matrix), numbers(vertex.x)))) <= 1
    slopes = image(matrix(cuts.matrix.T), numbers(vertex.multipliers))
    for j in np.flatnonzero((vertex.x > 0.0) & (vertex.x < 1.0)):
        assert slopes[j] <= -1


def test_refining_keeps_limits() -> None:
    master = HighsMaster(-np.ones(12), np.ones(12))
    master.add(wide_cuts(1, 12, 8))
    with under(Budget(interrupted=lambda: True)), pytest.raises(OutOfBudget):
        master.refine(Budget())


def test_an_interrupt_inside_the_solver_is_out_of_budget() -> None:
    master = HighsMaster(-np.ones(120), np.ones(120))
    master.add(random_cuts(5, 120, 150))
    refused(OutOfBudget, "", master.solve, Budget(interrupted=polled(3)[0]))
