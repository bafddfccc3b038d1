"""``rp.front`` against the enumeration of all points and vertices, its limits and refusals."""

import json

import fronts
import numpy as np
import pyomo.environ as pyo
import pytest
from refusals import refused
from tiny_programs import linear_model

import radprog as rp


def objectives(model, costs):
    return [fronts.objective(model, cost) for cost in costs]


CASES = {"integer": 200, "linear": 200, "mixed": 4, "step": 60}


@pytest.mark.cases(464)
@pytest.mark.parametrize(
    ("kind", "seed"), [(kind, s) for kind, n in CASES.items() for s in range(n)]
)
def test_a_front_is_that_of_the_enumeration(kind: str, seed: int) -> None:
    getattr(fronts, f"check_{kind}_front")(seed)


def test_a_false_front_is_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    assert fronts.examine(3) == []
    less = lambda model, *goals: whole(model, *goals, max_points=1)  # noqa: E731
    whole = rp.front
    monkeypatch.setattr(rp, "front", less)
    found = [one for seed in range(3, 9) for one in fronts.examine(seed, ["integer", "linear"])]
    assert {one.split()[2] for one in found} == {"integer:", "linear:"}


def knapsack():
    rng = np.random.default_rng(3)
    model = pyo.ConcreteModel()
    model.x = pyo.Var(range(12), domain=pyo.Binary)
    gains = rng.integers(5, 40, (2, 12)).tolist()
    model.room = pyo.Constraint(expr=sum((5 + j) * model.x[j] for j in range(12)) <= 50)
    first, second = (sum(g * model.x[j] for j, g in enumerate(gain)) for gain in gains)
    model.gain = pyo.Objective(expr=first + 3, sense=pyo.maximize)
    model.other = pyo.Objective(expr=second, sense=pyo.maximize)
    return model


def test_a_front_of_integers_is_proved_by_trees() -> None:
    model = knapsack()
    claimed = rp.front(model, model.gain, model.other)
    proved = rp.front(model, model.gain, model.other, prove=True)
    assert [claimed.proved_by, proved.proved_by] == ["solver", "tree"]
    assert proved.complete
    assert proved.values == pytest.approx(claimed.values)
    refused(rp.OptionError, "prove 1", rp.front, model, model.gain, model.other, prove=1)


def test_senses_constants_and_the_model_are_kept(tmp_path) -> None:
    model = knapsack()
    front = rp.front(model, model.gain, model.other)
    assert front.names == ("gain", "other")
    model.share = pyo.Expression(expr=-model.other.expr)
    assert rp.front(model, model.share, model.x[0]).names == ("share", "x[0]")
    assert len(front.points) > 3
    assert (np.diff(front.values[:, 0]) < 0).all()
    assert (np.diff(front.values[:, 1]) > 0).all()
    assert model.gain.active
    assert model.other.active
    # the ends are the optima of each objective
    model.other.deactivate()
    assert front.values[0, 0] == rp.solve(model).objective
    # a file and names of columns: costs are minimised
    rp.export(model, tmp_path / "bag.mps")
    costs = [{f"x({j})": -c for j, c in enumerate(row)} for row in ([1] * 12, range(12))]
    of_file = rp.front(tmp_path / "bag.mps", *costs)
    expressions = [-sum(model.x.values()), -sum(j * model.x[j] for j in range(12))]
    assert np.array_equal(of_file.values, rp.front(model, *expressions).values)
    assert json.loads(json.dumps(front.to_dict()))["values"] == front.values.tolist()
    front.plot(tmp_path / "front.png")
    assert (tmp_path / "front.png").stat().st_size > 5000
    assert "complete" in str(front)
    assert "gain" in front._repr_html_()


def test_what_is_not_finished_says_so() -> None:
    model = knapsack()
    whole = rp.front(model, model.gain, model.other)
    some = rp.front(model, model.gain, model.other, max_points=2)
    assert (some.status, len(some.points)) == ("limit", 2)
    assert "max_points" in some.message
    assert np.array_equal(some.values, whole.values[:2])
    none = rp.front(model, model.gain, model.other, time_limit=1e-9)
    assert none.status == "limit"
    assert none.message
    relaxed, _, costs = linear_model(20)
    all_of = rp.front(relaxed, *objectives(relaxed, costs))
    named = [{v.name: c for v, c in zip(relaxed.x.values(), row, strict=True)} for row in costs]
    assert np.allclose(rp.front(relaxed, *named).values, all_of.values)
    assert len(all_of.points) > 2
    two = rp.front(relaxed, *objectives(relaxed, costs), max_points=2)
    assert (two.status, len(two.points)) == ("limit", 2)
    assert "not searched" in two.message


def test_an_objective_without_an_optimum() -> None:
    model = pyo.ConcreteModel()
    model.x = pyo.Var(range(2), bounds=(0, None))
    model.row = pyo.Constraint(expr=model.x[0] - model.x[1] <= 1)
    assert rp.front(model, -model.x[0], model.x[1]).status == "unbounded"


def test_refusals() -> None:
    model = knapsack()
    x = model.x
    refused(rp.CapabilityError, "objective 2 is not linear", rp.front, model, x[0], x[0] * x[1])
    refused(rp.OptionError, "objective 1", rp.front, model, "cost", x[0])
    refused(rp.OptionError, r"step 0: expected a positive", rp.front, model, x[0], x[1], step=0)
    refused(rp.OptionError, "max_points 0", rp.front, model, x[0], x[1], max_points=0)
    model.y = pyo.Var(bounds=(0, 1))
    words = r"continuous column y: .* such as step=0\.01"
    refused(rp.OptionError, words, rp.front, model, x[0], model.y)
    refused(rp.OptionError, r"round them.* such as step=0\.001", rp.front, model, x[0], x[1] / 3)
    assert rp.front(model, x[0], x[1] - model.y, step=0.5).complete
    model.ball = pyo.Constraint(expr=model.y**2 <= 1)
    refused(rp.CapabilityError, "expected a linear one", rp.front, model, x[0], x[1])
