"""What a point and multipliers prove: nothing is forgiven, and ordinary answers are not refused."""

import math
from dataclasses import replace

import numpy as np
import pyomo.environ as pyo
import pytest
from effort import seeds
from refusals import refused
from scipy import sparse
from small_models import small_model
from small_programs import make_program

import radprog as rp
from radprog.solvers.adapters import highs
from radprog.solvers.answer import SolverAnswer
from radprog.solvers.certificate import dual_bound
from radprog.solvers.claims import infeasibility, proves_infeasible
from radprog.solvers.compile import compile_model
from radprog.solvers.convexity import curvature
from radprog.solvers.program import Program, SolveSettings, Status


def model_of(objective, **variables: tuple[float | None, float | None]):
    model = small_model(objective, **variables)
    model.rows = pyo.ConstraintList()
    return model


def falling(cap: float | None = None):
    """min x - z + 1, x >= (1 - 9e-8) z: unbounded, by a reduced cost of -9e-8; z <= cap."""
    model = model_of(lambda m: m.x - m.z + 1, x=(None, None), z=(0, None), w=(0, None))
    model.rows.add(model.x - (1 - 9e-8) * model.z >= 0)
    if cap is not None:
        model.rows.add(model.z + model.w <= cap)
    return model


def test_a_small_reduced_cost_that_points_to_infinity_proves_nothing() -> None:
    """But rows that imply a bound prove what it is worth."""
    model = falling()
    found = rp.solve(model, "highs")
    assert (found.status, found.bound) == (Status.FEASIBLE, None)
    assert "infinite" in found.message
    assert rp.certify(model).bound == -math.inf
    for options in ({}, {"presolve": "off"}):
        found = rp.solve(falling(1e8), solver_options=options)
        assert found.bound == pytest.approx(-8.0, rel=1e-6)
        assert found.bound <= -8.0
        assert (found.status is Status.OPTIMAL) == (found.objective == pytest.approx(-8.0))


def nearly_flat(side: float):
    """(y - 1/2)^2 + (x + z)^2 - 1e-9 (x - z)^2 + 1: nearly convex, and -4e-9 side^2 at a corner."""
    return model_of(
        lambda m: (m.y - 0.5) ** 2 + (m.x + m.z) ** 2 - 1e-9 * (m.x - m.z) ** 2 + 1,
        x=(-side, side), z=(-side, side), y=(-1, 1),
    )  # fmt: skip


@pytest.mark.parametrize("solver", ["highs", "piqp", "clarabel", "ipopt"])
def test_curvature_within_the_tolerance_is_taken_off_the_bound(solver) -> None:
    found = rp.solve(nearly_flat(1e5), solver)
    assert found.status is Status.FEASIBLE
    assert found.bound is None or found.bound <= 1 - 4e-9 * 1e10
    narrow = rp.solve(nearly_flat(1.0), solver)
    assert narrow.status is Status.OPTIMAL
    assert narrow.bound <= 1 - 4e-9


def test_the_bound_is_in_the_units_of_the_model() -> None:
    for sense, factor, optimum in ((pyo.minimize, 7.0, 1.0), (pyo.maximize, 1e-3, 6.0)):
        model = model_of(lambda m: m.x + 2 * m.y, x=(0, 2), y=(0, 2))
        model.rows.add(model.x + model.y >= 1)
        model.goal.sense = sense
        model.scaling_factor = pyo.Suffix(direction=pyo.Suffix.EXPORT)
        model.scaling_factor[model.goal] = factor
        found = rp.solve(model)
        assert (found.status, found.objective) == (Status.OPTIMAL, pytest.approx(optimum))
        assert found.bound == pytest.approx(optimum)


def test_a_point_outside_cuts_nothing_off() -> None:
    """min -1e9 x, x <= 0 at x = 9e-7 with a multiplier twice too large."""
    model = model_of(lambda m: -1e9 * m.x, x=(None, None), w=(0, None))
    model.rows.add(model.x <= 0)
    model.rows.add(model.x + model.w <= 0)
    found = rp.certify(model, {"x": 9e-7, "w": 0.0}, {"rows[1]": -2e9})
    assert found.bound <= 0.0
    assert not found.certified


def curved() -> dict:
    """Models with free variables in convex rows or objectives, and their optimal values."""
    free = dict.fromkeys("xy", (None, None))
    cone = model_of(lambda m: m.t + m.u, x=(None, None), t=(0, None), u=(0, None))
    cone.rows.add(cone.x**2 <= cone.t * cone.u)
    cone.rows.add(cone.x >= 3)
    lorentz = model_of(lambda m: m.s, **free, s=(0, None))
    lorentz.rows.add(lorentz.x**2 + lorentz.y**2 <= lorentz.s**2)
    lorentz.rows.add(lorentz.x + lorentz.y >= 2)
    epigraph = model_of(lambda m: m.y - m.x, **free)
    epigraph.rows.add(epigraph.x**2 <= epigraph.y)
    singular = model_of(lambda m: (m.x - m.y) ** 2 - m.x + m.y, **free)
    return {
        "cone": (cone, 6.0),
        "lorentz": (lorentz, math.sqrt(2.0)),
        "epigraph": (epigraph, -0.25),
        "singular": (singular, -0.25),
    }


ABLE = {"highs": ["singular"], "piqp": ["singular"], "scip": ["epigraph", "singular"]}


@pytest.mark.parametrize("solver", [None, "highs", "piqp", "ipopt", "clarabel", "scip"])
def test_second_order_cones_and_squares_of_free_variables_are_proved(solver) -> None:
    for name, (model, optimum) in curved().items():
        if name not in ABLE.get(solver, [name]):
            continue
        found = rp.solve(model, solver)
        assert found.objective == pytest.approx(optimum, rel=1e-5), name
        assert found.status is Status.OPTIMAL or name == "lorentz"
        assert found.bound is None or found.bound <= optimum
    both_signs, _ = curved()["cone"]
    both_signs.u.setlb(None)
    refused(rp.ConvexityError, ".", rp.solve, both_signs, "clarabel")


@pytest.mark.parametrize("solver", ["highs", "scip"])
def test_infeasible_and_unbounded_are_proved(solver) -> None:
    model = model_of(lambda m: m.x + m.y, x=(0, None), y=(None, None))
    model.rows.add(3 * model.x - model.y <= 1)
    model.rows.add(3 * model.x - model.y >= 2)
    found = rp.solve(model, solver)
    assert (found.status, found.message) == (Status.INFEASIBLE, "proved by multipliers of rows")
    np.testing.assert_allclose(found.ray, [-1.0, 1.0])  # 0 >= 2 - 1
    model.rows[2].deactivate()
    model.goal.expr = -model.x
    found = rp.solve(model, solver)
    assert (found.status, found.message) == (Status.UNBOUNDED, "proved by a ray")
    assert found.ray[0] > 0.0
    assert 3.0 * found.ray[0] - found.ray[1] <= 1e-12


@pytest.mark.parametrize("seed", seeds(40))
def test_the_ray_of_an_infeasible_program_is_a_farkas_certificate(seed) -> None:
    """Rows that a hidden combination contradicts: A x >= b with y'A = 0, y'b = 1 before the box."""
    rng = np.random.default_rng(seed)
    m, n = 6, 4
    hidden = rng.integers(0, 4, m)
    hidden[-1] = 1
    matrix = rng.integers(-3, 4, size=(m, n)) + 8 * np.eye(m, n, dtype=int)
    matrix[-1] = -hidden[:-1] @ matrix[:-1]
    side = rng.integers(-9, 10, size=m) / 4.0
    side[-1] = rng.integers(1, 9) / 4.0 - hidden[:-1] @ side[:-1]
    scale = 2.0 ** rng.integers(-16, 17, size=m) if seed % 5 == 0 else np.ones(m)
    matrix, side = scale[:, None] * matrix, scale * side  # rows of small and large numbers
    turned = rng.random(m) < 0.5  # some rows as a'x <= b
    sense = pyo.maximize if seed % 2 else pyo.minimize
    model = pyo.ConcreteModel()
    model.x = pyo.Var(range(n), domain=pyo.Integers if seed % 3 == 0 else pyo.Reals)
    model.x[0].setlb(-5.0)
    model.goal = pyo.Objective(expr=model.x[0], sense=sense)
    model.rows = pyo.ConstraintList()
    for row, end, turn in zip(matrix.tolist(), side.tolist(), turned, strict=True):
        body = sum(a * x for a, x in zip(row, model.x.values(), strict=True))
        model.rows.add((None, -body, -end) if turn else (end, body, None))
    found = rp.solve(model, "highs")
    assert found.status is Status.INFEASIBLE, found.message
    y = np.where(turned, -1.0, 1.0) * found.ray  # of the rows as they were
    assert y.min() >= 0.0
    # within the bounds, here x_0 >= -5, the weighted rows have no point
    reduced, rounding = y @ matrix, 1e-9 * (y @ abs(matrix)).max()
    np.testing.assert_allclose(reduced[1:], 0.0, atol=rounding)
    assert reduced[0] <= rounding
    assert y @ side - reduced[0] * -5.0 == pytest.approx(1.0, rel=1e-6)
    for sign in (1.0, -1.0):  # of either convention, by name too
        assert rp.certify(model, multipliers=sign * found.ray).holds
    named = {row.name: v for row, v in zip(model.rows.values(), found.ray.tolist(), strict=True)}
    proof = rp.certify(model, multipliers=named)
    assert (proof.status, proof.objective) == ("infeasible", None)
    assert proof.bound == (-math.inf if sense == pyo.maximize else math.inf)
    # a point is judged as it is, whatever multipliers come with it
    assert rp.certify(model, np.zeros(n), named).status == "violated"


@pytest.mark.parametrize("seed", seeds(40))
def test_no_multipliers_prove_a_feasible_program_infeasible(seed) -> None:
    """Rows that are met with equality at a point, where rounding alone would be a proof."""
    rng = np.random.default_rng(seed)
    matrix, point = rng.integers(-3, 4, size=(5, 4)), rng.integers(-9, 10, 4) / 4.0
    matrix[:, 0] = 1
    matrix = np.vstack([matrix, -matrix[0]])
    point[2:] = np.clip(point[2:], 0.0, 3.0)
    low, high = [-np.inf, -np.inf, 0.0, -3.0], [np.inf, np.inf, np.inf, 3.0]
    program = make_program(np.zeros(4), matrix, matrix @ point, lower=low, upper=high)
    some = [rng.uniform(0.0, 1.0, 6) * 10.0 ** rng.integers(-9, 9) for _ in range(20)]
    for y in (*some, np.array([1.0, 0, 0, 0, 0, 1])):  # the last: 0 >= 0
        assert not proves_infeasible(program, y)


def flows(seed: int, n: int, goods: int, gain: float = 1.0) -> Program:
    """Flows of goods on a random digraph, from node 0 in the first half to node n - 1.

    The arcs have no bounds. The rows are each good's balance at each node, where an arc loses the
    share 1 - ``gain``, and the total over each arc from the first half, which is at most what a
    flow of small multiples of 1 / 8 has there. No arc leads back, so these totals are tight.
    """
    rng = np.random.default_rng(seed)
    half = n // 2
    arcs = [(i, j) for i in range(n) for j in range(n) if i != j and rng.random() < 0.4]
    arcs = [(i, j) for i, j in arcs if i < half or j >= half] + [(0, n - 1)]
    tails, heads = np.transpose(arcs)
    places = np.arange(len(arcs))
    entries = np.r_[np.ones(len(arcs)), np.full(len(arcs), -gain)]
    balance = sparse.csr_array((entries, (np.r_[tails, heads], np.r_[places, places])))
    crossing = np.flatnonzero((tails < half) & (heads >= half))
    flow = rng.integers(1, 60, (goods, len(arcs))) / 8.0
    supply = np.concatenate([balance @ one for one in flow])
    totals = sparse.hstack([sparse.eye_array(len(arcs), format="csr")[crossing]] * goods)
    most = flow.sum(axis=0)[crossing]
    return make_program(
        np.ones(flow.size),
        sparse.vstack([sparse.block_diag([balance] * goods), totals]),
        np.r_[supply, np.full(len(most), -np.inf)],
        np.r_[supply, most],
    )


@pytest.mark.parametrize("goods", [1, 2, 3])
@pytest.mark.parametrize("n", [10, 30])
def test_flows_without_bounds_of_arcs_are_proved_infeasible(n, goods) -> None:
    """The multipliers cancel on every arc, also on cycles: no other multipliers are near."""
    program = flows(n + goods, n, goods)
    assert infeasibility(program, SolveSettings()) is None
    less = program.row_upper.copy()
    less[-1] -= 2.0**-12
    _, y = infeasibility(replace(program, row_upper=less), SolveSettings())
    # the same multipliers prove nothing about the flow that exists
    assert proves_infeasible(replace(program, row_upper=less), y)
    assert not proves_infeasible(program, y)
    # a third of them, and no longer exact ones
    assert proves_infeasible(replace(program, row_upper=less), y / 3.0)
    assert not proves_infeasible(program, y * (1.0 + 1e-14 * np.arange(len(y))))


def test_a_product_that_underflows_proves_nothing() -> None:
    """1e-15 x >= 1e-3 for x <= 1e19, with a multiplier that takes all digits of its column."""
    rows = np.diag([1e-15, 1.0])
    program = make_program(np.zeros(2), rows, [1e-3, 0.0], lower=[0.0, -1.0], upper=[1e19, 0.0])
    for tiny in (1e-300, 1e-310, 5e-324):
        assert not proves_infeasible(program, np.array([tiny, 1.0]))


def test_multipliers_that_prove_nothing_are_a_bound_as_before() -> None:
    model = model_of(lambda m: m.x, x=(None, None), y=(None, None))
    model.rows.add(model.x >= 1)
    model.rows.add(model.x + model.y <= 3)
    proof = rp.certify(model, multipliers={"rows[1]": 1.0})
    assert (proof.status, proof.bound) == ("unproved", pytest.approx(1.0))
    with pytest.raises(rp.OptionError, match="by name or component, or an array of 2 numbers"):
        rp.certify(model, multipliers=np.ones(3))


def test_the_ray_is_in_the_units_of_the_model() -> None:
    model = model_of(lambda m: m.x, x=(0, None), y=(0, 1))
    model.rows.add(4 * model.x + model.y <= 1)
    model.rows.add(2 * model.x - model.y >= 3)
    model.scaling_factor = pyo.Suffix(direction=pyo.Suffix.EXPORT)
    model.scaling_factor[model.rows[1]] = 0.125
    model.scaling_factor[model.x] = 3.0
    y = rp.solve(model, "highs").ray
    assert y[0] < 0.0 < y[1]
    assert y @ [1.0, 3.0] - min(0.0, -(y @ [1.0, -1.0])) * -1.0 == pytest.approx(1.0)


def test_a_claim_that_nothing_proves_is_a_claim(monkeypatch) -> None:
    for word in (Status.INFEASIBLE, Status.UNBOUNDED):
        monkeypatch.setattr(highs, "solve", lambda *_, word=word: SolverAnswer(status=word))
        model = model_of(lambda m: m.x, x=(0, None))
        model.rows.add(model.x >= 1)
        found = rp.solve(model, "highs")
        assert (found.status, found.claim) == (Status.FAILED, word)
        assert found.message.startswith(f"highs claims {word.value}, and nothing proves it")
        assert f"failed: highs claims {word.value}, not proved" in repr(found)
        assert ("prove=True" in repr(found)) == (word is Status.INFEASIBLE)
        assert f"claims {word.value}, not proved" in found._repr_html_()


def test_svms_of_a_kernel_that_is_hardly_indefinite() -> None:
    """At C = 1e8 the curvature of -1.8e-8 is worth more than the objective."""
    K = np.array([[1.0, 1.0 + 1.8e-8], [1.0 + 1.8e-8, 1.0]])
    data = rp.dataset(np.array([[0.0], [1.0]]), np.array([1.0, -1.0]))

    def kernel(X, Z):
        return K[np.ix_(X[:, 0].astype(int), Z[:, 0].astype(int))]

    for C in (1e3, 1e4, 1e8):
        run = rp.fit(rp.SVM(kernels=kernel, C=C), data)
        assert run.bound <= 2 * C  # the value of no coefficients at all
        assert not run.certified


def test_curvature_is_below_the_eigenvalues() -> None:
    for shape in ((3, 2), (8, 8), (30, 5)):
        factor = np.random.default_rng(0).normal(size=shape)
        matrix = factor @ factor.T
        least = curvature(sparse.csc_array(matrix))
        assert np.linalg.eigvalsh(matrix - np.diag(least))[0] >= -1e-12
        assert (least >= -1e-9).all()
    whole = np.array([[1.0, 2.0], [2.0, 4.0]])  # singular, and semidefinite in whole numbers
    assert curvature(sparse.csc_array(whole)).tolist() == [0.0, 0.0]


@pytest.mark.parametrize("side", [1.0, 0.0])
def test_a_ray_that_almost_keeps_a_row_is_none(side) -> None:
    """(1 + 1e-13) x <= y <= x + side: bounded, though (1, 1) leaves the first row by 1e-13.

    x = z / 3, z - w = 0.1 w: no float keeps these rows, but a rational ray does."""
    model = model_of(lambda m: -m.x, x=(0, None), y=(0, None))
    model.rows.add((1 + 1e-13) * model.x - model.y <= 0)
    model.rows.add(model.y - model.x <= side)
    for solver in (None, "highs", "scip"):
        assert rp.solve(model, solver).status is not Status.UNBOUNDED
    model = model_of(lambda m: -m.x, x=(None, None), z=(None, None), w=(0, None))
    model.rows.add(3 * model.x - model.z == 0)
    model.rows.add(model.z - 1.1 * model.w == 0)
    assert rp.solve(model, "highs").status is Status.UNBOUNDED


@pytest.mark.parametrize("solver", ["ipopt", "clarabel", "scip"])
def test_multipliers_of_cones_have_the_sign_of_their_row(solver) -> None:
    """min t, t^2 - x^2 >= 0, x >= 3: the price of the side 0 is 1/6."""
    for turn in (1, -1):
        model = model_of(lambda m: m.t, x=(3, None), t=(0, None))
        square = turn * (model.t**2 - model.x**2)
        model.rows.add(square >= 0 if turn > 0 else square <= 0)
        found = rp.solve(model, solver)
        assert (found.status, found.objective) == (Status.OPTIMAL, pytest.approx(3.0))
        assert found.row_duals.tolist() == pytest.approx([turn / 6], rel=1e-3)


def test_a_limit_of_a_solver_s_own_leaves_the_question_to_the_next() -> None:
    """Ipopt ends at its iterations; no point of the disc is beyond the line."""
    model = model_of(lambda m: -m.x - m.y, x=(None, None), y=(None, None))
    model.rows.add(model.x**2 + model.y**2 <= 1)
    model.rows.add(model.x + model.y >= 2)
    assert rp.solve(model).status is Status.INFEASIBLE


def test_infeasible_in_the_units_of_factors_is_not_infeasible() -> None:
    """At y = -3 2^20 the first row is met exactly; the factor 0.001 rounds it to a row that is
    not."""
    model = model_of(lambda m: m.y, y=(-3.0 * 2**20, -(2.0**21)))
    model.rows.add(pyo.inequality(0.5625, -(3.0 * 2**-24) * model.y, 0.8125))
    model.scaling_factor = pyo.Suffix(direction=pyo.Suffix.EXPORT)
    model.scaling_factor[model.rows[1]] = 0.001
    for solver in ("highs", "scip"):
        assert rp.solve(model, solver).status is not Status.INFEASIBLE


@pytest.mark.parametrize("sides", ["equal", "least"])
def test_rounding_at_columns_without_an_upper_bound_costs_no_bound(sides) -> None:
    # more reduced costs of 0 than rows, and rows of both signs, which imply no bounds; along g all
    # reduced costs grow, so that the optimal points are bounded
    rng = np.random.default_rng(7)
    for _ in range(5):
        m, n = 12, 40
        g, y = rng.uniform(0.5, 1.0, m), rng.uniform(0.5, 2.0, m)
        A = rng.normal(size=(m, n))
        A *= np.where(g @ A > 0.0, -1.0, 1.0)
        x = np.where(rng.random(n) < 0.3, rng.uniform(0.0, 5.0, n), 0.0)
        cost = y @ A + np.where(x > 0.0, 0.0, rng.uniform(0.0, 2.0, n) * (rng.random(n) < 0.5))
        program = make_program(cost, A, A @ x, A @ x if sides == "equal" else np.inf)
        value = program.objective(x)
        bound, _ = dual_bound(program, y, x=x, best=value)
        assert value - 1e-6 * abs(value) <= bound <= value + 1e-12 * abs(value)


@pytest.mark.parametrize("seed", seeds(30))
def test_the_point_that_is_given_is_judged_and_not_a_better_one(seed, tmp_path) -> None:
    """Integers and continuous columns: other values of the continuous ones are another answer."""
    rng = np.random.default_rng(seed)
    model = pyo.ConcreteModel()
    model.x = pyo.Var(range(3), domain=pyo.Integers, bounds=(0, 4))
    model.t = pyo.Var(range(3), bounds=(0, 50))
    sense = pyo.maximize if seed % 3 == 2 else pyo.minimize
    cost = (sense * rng.integers(1, 9, 6)).tolist()
    columns = [*model.x.values(), *model.t.values()]
    model.c = pyo.Objective(expr=pyo.sum_product(cost, columns, index=range(6)), sense=sense)
    a, b = rng.integers(1, 6, (3, 3)).tolist(), rng.integers(5, 20, 3).tolist()
    model.rows = pyo.ConstraintList()
    for k in range(3):
        left = pyo.sum_product(a[k], model.x, index=range(3)) + model.t[k]
        model.rows.add(left == b[k] if k == 1 and a[k][0] <= b[k] else left >= b[k])
    found = rp.solve(model)
    good = {column.name: column.value for column in columns}
    path = tmp_path / "plan.mps"
    model.write(str(path), io_options={"symbolic_solver_labels": True})
    program, names = compile_model(model), list(good)
    for _ in range(8):
        point = dict(good)
        for name in rng.choice(names[3:], rng.integers(1, 4), replace=False):
            point[name] += float(rng.choice([-7.0, -0.3, -1e-4, 0.3, 2.0]))
        if rng.random() < 0.5:  # a solver's rounding of an integer
            point["x[0]"] += float(rng.choice([-1.0, 1.0])) * 3e-7
        whole = np.array([round(point[n]) if n[0] == "x" else point[n] for n in names])
        value = program.sense * program.objective(whole)
        outside = max(part.max() for part in program.violations(whole))
        # the names of Pyomo's own file
        written = {n.replace("[", "(").replace("]", ")"): v for n, v in point.items()}
        for verdict in (rp.certify(model, point), rp.certify(path, written)):
            assert verdict.objective == pytest.approx(value, abs=1e-9)
            assert verdict.violation == pytest.approx(outside, abs=1e-9)
            assert (verdict.status == "violated") == (outside > 2e-5)
            if verdict.status == "optimal":
                assert value == pytest.approx(found.objective, rel=1e-5)
