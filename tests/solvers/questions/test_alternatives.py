"""The next best solutions against the enumeration of all points, and vertices of optimal faces."""

import itertools
import os
import signal

import numpy as np
import pyomo.environ as pyo
import pytest
from fronts import check_next_best
from refusals import refused
from small_models import small_model
from tiny_programs import linear_model, value

import radprog as rp
from radprog.solvers.questions.alternatives import next_best


@pytest.mark.cases(120)
@pytest.mark.parametrize("seed", range(120))
def test_next_best_solutions_are_those_of_all_points(seed: int) -> None:
    check_next_best(seed)


@pytest.mark.cases(60)
@pytest.mark.parametrize("seed", range(60))
def test_vertices_are_optimal_vertices(seed: int) -> None:
    model, vertices, (cost, _) = linear_model(seed)
    cost = [1, 1, 0][: len(cost)] if seed % 2 else cost
    model.cost = pyo.Objective(expr=sum(c * x for c, x in zip(cost, model.x.values(), strict=True)))
    block = rp.analyze(model, solutions=4)["solutions"]
    if not vertices:
        assert block is None
        return
    least = min(value(cost, point) for point in vertices)
    best = [[float(x) for x in point] for point in vertices if value(cost, point) == least]
    assert block["kind"].startswith("vertices")
    assert len(block["list"]) == min(4, len(best)) or not block["complete"]
    for one in block["list"]:
        x = np.array(list(one["values"].values()))
        assert (one["status"], one["proved_by"]) == ("optimal", "duals")
        assert min(np.abs(x - point).max() for point in np.array(best)) <= 1e-7
    if block["complete"]:
        assert len(best) == 1


def test_continuous_columns_follow_the_integers_and_time_is_limited() -> None:
    model = pyo.ConcreteModel()
    model.x, model.y = pyo.Var(range(3), domain=pyo.Binary), pyo.Var(bounds=(0, 2))
    model.row = pyo.Constraint(expr=sum(model.x.values()) + model.y <= 2.5)
    gain = sum((3 + j) * model.x[j] for j in range(3)) + model.y
    model.gain = pyo.Objective(expr=gain, sense=pyo.maximize)
    block = rp.analyze(model, solutions=20)["solutions"]
    assert block["complete"]
    assert block["message"] == "there are no others"
    assert [one["objective"] for one in block["list"]] == [9.5, 8.5, 7.5, 6.5, 5.5, 4.5, 2.0]
    limited = rp.analyze(model, solutions=20, time_limit=1e-6)["solutions"]
    assert limited is None or not limited["complete"]


def test_ctrl_c_in_the_search_for_others_keeps_the_answer(monkeypatch) -> None:
    model = pyo.ConcreteModel()
    model.x = pyo.Var(range(3), domain=pyo.Binary)
    model.gain = pyo.Objective(expr=sum(model.x.values()), sense=pyo.maximize)

    def pressed(*arguments):
        os.kill(os.getpid(), signal.SIGINT)
        return next_best(*arguments)

    monkeypatch.setattr("radprog.analysis.programs.next_best", pressed)
    report = rp.analyze(model, solutions=4)
    assert report["objective"] == 3.0
    assert not report["solutions"]["complete"]
    assert report["solutions"]["list"][0]["objective"] == 3.0


@pytest.mark.parametrize("sense", [pyo.minimize, pyo.maximize])
@pytest.mark.parametrize("bounds", [(0, 40), (0, None), (None, 40)])
def test_general_integers_whose_bounds_follow_from_the_rows(bounds, sense) -> None:
    """The next best lots of a plan, also between their bounds, against all points."""
    model = pyo.ConcreteModel()
    model.x = pyo.Var(range(2), domain=pyo.Integers, bounds=bounds)
    model.room = pyo.Constraint(expr=pyo.inequality(3, 2 * model.x[0] + 3 * model.x[1], 14))
    model.band = pyo.Constraint(expr=pyo.inequality(-2, model.x[0] - model.x[1], 3))
    model.cost = pyo.Objective(expr=5 * model.x[0] + 7 * model.x[1], sense=sense)
    points = itertools.product(range(0 if bounds[0] == 0 else -40, 41), repeat=2)
    kept = [(x, y) for x, y in points if 3 <= 2 * x + 3 * y <= 14 and -2 <= x - y <= 3]
    values = sorted((5 * x + 7 * y for x, y in kept), reverse=sense == pyo.maximize)
    block = rp.analyze(model, solutions=len(values) + 1)["solutions"]
    assert [one["objective"] for one in block["list"]] == pytest.approx(values)
    assert (block["complete"], block["message"]) == (True, "there are no others")
    assert set(block["list"][0]["values"]) == {"x[0]", "x[1]"}
    some = rp.analyze(model, solutions=2)["solutions"]
    assert not some["complete"]
    assert some["message"] == "these are the 2 asked for, and there may be others"


def test_where_no_others_can_be_listed_the_analysis_stays() -> None:
    """An integer between ends that no row bounds, and squares."""
    near = small_model(lambda m: m.off, lambda m: m.off >= m.k - 3.2, k=(None, None), off=(0, None))
    near.k.domain = pyo.Integers
    near.below = pyo.Constraint(expr=near.off >= 3.2 - near.k)
    squares = small_model(lambda m: (m.k - 1) ** 2, k=(0, None))
    refused(rp.OptionError, "solutions -1", rp.analyze, near, solutions=-1)
    for model, words in (
        (near, "k has no bound that is finite and at most 100000"),
        (squares, "others are listed of linear programs, and of programs with integers"),
    ):
        report = rp.analyze(model, solutions=2)
        assert (report["status"], len(report["solutions"]["list"])) == ("optimal", 1)
        assert not report["solutions"]["complete"]
        assert words in report["solutions"]["message"]
        assert words in str(report)


def test_solutions_that_swap_identical_trucks_say_so() -> None:
    """Sizes 3, 4, 5, 6 in trucks of 10: two pairs of loads, in three trucks."""
    model, size = pyo.ConcreteModel(), [3, 4, 5, 6]
    model.put = pyo.Var(range(4), range(3), domain=pyo.Binary)
    model.used = pyo.Var(range(3), domain=pyo.Binary)
    model.item = pyo.Constraint(range(4), rule=lambda m, i: sum(m.put[i, :]) == 1)
    model.room = pyo.Constraint(
        range(3),
        rule=lambda m, k: sum(s * m.put[i, k] for i, s in enumerate(size)) <= 10 * m.used[k],
    )
    model.trucks = pyo.Objective(expr=sum(model.used[:]))
    report = rp.analyze(model, solutions=12)
    swaps = [one["swap_of"] for one in report["solutions"]["list"]]
    values = [one["values"] for one in report["solutions"]["list"]]
    loads = [sorted([v[f"put[{i},{k}]"] for i in range(4)] for k in range(3)) for v in values]
    assert swaps == [None if (k := loads.index(p)) == i else k + 1 for i, p in enumerate(loads)]
    assert 0 < swaps.count(None) < len(swaps)
    assert "swaps identical blocks of solution 1" in str(report)
