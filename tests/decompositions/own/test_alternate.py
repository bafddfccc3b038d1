"""Block-coordinate descent for a user's own program."""

from dataclasses import replace

import numpy as np
import pyomo.environ as pyo
import pytest
from refusals import refused
from small_models import small_model

import radprog as rp
from radprog.decompositions.own import alternate as module


def factors(sense: int = 1) -> pyo.ConcreteModel:
    """min |M - u v'|^2 over a vector u and a vector v."""
    rng = np.random.default_rng(0)
    M = np.outer(rng.random(4), rng.random(3)) + 0.01 * rng.normal(size=(4, 3))
    model = pyo.ConcreteModel()
    model.u = pyo.Var(range(4), bounds=(0, 10), initialize=1.0)
    model.v = pyo.Var(range(3), bounds=(0, 10), initialize=1.0)
    error = sum((M[i, j] - model.u[i] * model.v[j]) ** 2 for i in range(4) for j in range(3))
    direction = pyo.minimize if sense == 1 else pyo.maximize
    model.error = pyo.Objective(expr=sense * error, sense=direction)
    model.M = M
    return model


@pytest.mark.parametrize("sense", [1, -1])
def test_a_factorisation_ends_at_the_best_of_rank_one(sense: int) -> None:
    model = factors(sense)
    run = rp.alternate(model, [model.u, model.v])
    best = float((np.linalg.svd(model.M)[1][1:] ** 2).sum())
    assert run.objective == pytest.approx(sense * best, abs=1e-8)
    assert (run.status, run.reason, run.bound) == ("feasible", "tolerance", None)
    assert (np.diff(sense * np.array([record.objective for record in run.trace])) <= 1e-12).all()
    assert pyo.value(run.model().error) == pytest.approx(run.objective)
    assert model.u[0].value == 1.0
    assert len(rp.alternate(model, [model.u, model.v], tol=1e-2).trace) < len(run.trace)
    cut = rp.alternate(model, [model.u, model.v], max_iter=1)
    assert (cut.reason, len(cut.trace), cut.objective is None) == ("max_iter", 1, False)


def test_a_fraction_of_an_integer_is_no_point() -> None:
    half = (0, 1, 0.5)
    model = small_model(lambda m: m.x**2 + m.y, lambda m: m.x + m.y >= 0.9, x=half, y=half)
    model.y.domain = pyo.Binary
    none = rp.alternate(model, [model.x, model.y], max_iter=0)
    assert (none.objective, none.status) == (None, "limit")
    assert rp.alternate(model, [model.x, model.y]).values["y"] in (0.0, 1.0)
    model.x.setlb(float("nan"))
    refused(rp.DataError, "nan", rp.alternate, model, [model.x, model.y])


def split_factors() -> pyo.ConcreteModel:
    """The same with u in a block of the model and v in another."""
    model = factors()
    model.left, model.right = pyo.Block(), pyo.Block([1])
    for part, block in ((model.u, model.left), (model.v, model.right[1])):
        model.del_component(part)
        block.add_component(part.local_name, part)
    return model


WRITTEN = {
    "members": lambda m: [m.left.u.values(), list(m.right[1].v.values())],
    "slices": lambda m: [m.left.u[:], [m.right[1].v[:]]],
    "blocks": lambda m: [m.left, m.right],
    "lazily": lambda m: ((part[i] for i in part) for part in (m.left.u, m.right[1].v)),
    "references": lambda m: [pyo.Reference(m.left.u[:]), m.right[1]],
}


@pytest.mark.parametrize("way", sorted(WRITTEN))
def test_a_block_is_written_in_any_way(way: str) -> None:
    model, plain = split_factors(), factors()
    run = rp.alternate(model, WRITTEN[way](model), max_iter=3)
    assert run.objective == rp.alternate(plain, [plain.u, plain.v], max_iter=3).objective


def test_a_block_of_a_larger_model_is_a_model() -> None:
    whole, plain = pyo.ConcreteModel(), factors()
    whole.part = factors()
    part = whole.part
    run = rp.alternate(part, [part.u, part.v], max_iter=2)
    same = rp.alternate(plain, [plain.u, plain.v], max_iter=2)
    assert run.objective == same.objective
    assert run.values["part.u[1]"] == same.values["u[1]"]


def test_a_start_may_violate_rows_of_a_later_block() -> None:
    """max sum a_i z_i w_i - w_i^2, at most two z: all z are 1 at first."""
    model = pyo.ConcreteModel()
    model.z = pyo.Var(range(4), domain=pyo.Binary, initialize=1)
    model.w = pyo.Var(range(4), bounds=(0, 3), initialize=9.0)
    model.most = pyo.Constraint(expr=sum(model.z.values()) <= 2)
    gain = zip((3, 1, 4, 2), model.z.values(), model.w.values(), strict=True)
    model.gain = pyo.Objective(expr=sum(a * z * w - w**2 for a, z, w in gain), sense=pyo.maximize)
    run = rp.alternate(model, [model.w, model.z])
    assert run.objective == pytest.approx(9 / 4 + 16 / 4)
    assert [run.values[f"z[{i}]"] for i in range(4)] == [1, 0, 1, 0]


def wrong(model: pyo.ConcreteModel) -> dict:
    other = factors()
    return {
        "overlap": ([model.u, [model.v, model.u[1]]], r"u\[1\] is in block 1 and in block 2"),
        "missing": ([model.u], r"no block holds v\[0\]"),
        "empty": ([model.u, [], model.v], "block 2 holds no free variable"),
        "another model": ([model.u, model.v, [3]], "3 is not a variable"),
        "a stranger": ([other.u, model.v], r"block 1: u\[0\] is not a variable"),
        "none": ([], "no block holds"),
        "one": (model.u, "blocks: expected several"),
        "unknown": ([other.error, model.u, model.v], "error is not a variable"),
        "no value": ([model.u, model.v], r"v\[1\]: expected a value"),
    }


@pytest.mark.parametrize("kind", sorted(wrong(factors())))
def test_blocks_are_checked(kind: str) -> None:
    model = factors()
    blocks, words = wrong(model)[kind]
    if kind == "no value":
        model.v[1].set_value(None)
    refused(rp.OptionError, words, rp.alternate, model, blocks)


def test_a_block_that_is_not_convex() -> None:
    model = small_model(lambda m: -(m.x**2) + m.y**2, x=(-1, 1, 0.0), y=(-1, 1, 0.0))
    with pytest.raises(rp.ConvexityError):
        rp.alternate(model, [model.y, model.x], solver="piqp")


def test_a_block_without_a_point_keeps_what_was_found() -> None:
    model = small_model(lambda m: m.x + m.y, lambda m: m.x + m.y >= 3, x=(0, 1, 1.0), y=(0, 1, 1.0))
    with pytest.raises(rp.StoppedError, match="block 1 has no optimum") as stopped:
        rp.alternate(model, [model.x, model.y])
    assert stopped.value.run.objective is None


def test_a_saddle_is_not_certified() -> None:
    """Each variable alone is at its best at 0; the program has -0.6 and less elsewhere."""
    model = small_model(
        lambda m: m.t + 1,
        lambda m: (m.x + m.z) ** 2 - 4e-9 * (m.x - m.z) ** 2 - m.t <= 0,
        **dict.fromkeys("xz", (-1e4, 1e4, 0.0)), t=(-10, 10, 0.0),
    )  # fmt: skip
    run = rp.alternate(model, [model.x, model.z, model.t])
    assert (run.status, run.bound, run.certified) == ("feasible", None, False)
    assert "no single block improves it" in run.message


def test_a_point_that_a_limit_left_may_be_improved() -> None:
    """min (x + y)^2 - y zigzags: after ten rounds x alone still improves it."""
    model = small_model(lambda m: -m.y + (m.x + m.y) ** 2, **dict.fromkeys("xy", (-1e3, 1e3, 0.0)))
    run = rp.alternate(model, [[model.x], [model.y]], max_iter=10)
    assert run.reason == "max_iter"
    assert "may improve" in run.message


def test_an_answer_of_a_block_that_its_duals_refute_is_asked_for_again() -> None:
    """HiGHS calls its first point optimal; the next solver finds -2.0625."""
    lower = {"x": -0.5, "y": -0.75, "z": -2.75, "w": -1.0}
    model = small_model(
        lambda m: 0.75 * m.z + 8e8 * (m.x + m.y) ** 2,
        **{name: (low, None, 0.0) for name, low in lower.items()},
    )
    run = rp.alternate(model, [[model.w], [model.x, model.y, model.z]])
    assert run.objective == pytest.approx(-2.0625)


@pytest.mark.parametrize("size", [1e-9, 1e-7, 1e-5])
def test_rounding_of_a_solver_is_no_fault(monkeypatch: pytest.MonkeyPatch, size: float) -> None:
    """A block that the solver ends a little above its old value keeps its old values."""
    honest, rng = module.solved_by_any, np.random.default_rng(0)

    def rounded(*given):
        answer = honest(*given)
        return replace(answer, x=np.clip(answer.x * (1 + size * rng.random(answer.x.size)), 0, 10))

    monkeypatch.setattr(module, "solved_by_any", rounded)
    model = factors()
    run = rp.alternate(model, [model.u, model.v], max_iter=40)
    best = float((np.linalg.svd(model.M)[1][1:] ** 2).sum())
    assert best - 1e-12 <= run.objective <= best + 1e3 * size
    assert (np.diff([record.objective for record in run.trace]) <= 0.0).all()
