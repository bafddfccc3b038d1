"""``rp.solve(model, start=...)``: never worse than a feasible start, and what is refused."""

import warnings

import numpy as np
import pyomo.environ as pyo
import pytest
from refusals import refused
from tiny_programs import integer_model, value

import radprog as rp
from radprog.solvers.adapters import highs, scip
from radprog.solvers.answer import SolverAnswer
from radprog.solvers.program import Status

ADAPTERS = {"highs": highs, "scip": scip}


def bag(n: int = 30):
    rng = np.random.default_rng(n)
    model = pyo.ConcreteModel()
    model.x, model.y = pyo.Var(range(n), domain=pyo.Binary), pyo.Var(bounds=(0, 5))
    size, gain = rng.integers(10, 60, (2, n)).tolist()
    held = sum(s * model.x[j] for j, s in enumerate(size)) + model.y
    model.room = pyo.Constraint(expr=held <= sum(size) // 2 + 0.5)
    total = sum(g * model.x[j] for j, g in enumerate(gain)) + 0.3 * model.y
    model.gain = pyo.Objective(expr=total, sense=pyo.maximize)
    return model


def claims(status: Status):
    """What a solver does that says this word at once, without a point."""
    return lambda program, settings: SolverAnswer(status=status, message="a word")


@pytest.mark.parametrize("name", ADAPTERS)
@pytest.mark.parametrize("word", [Status.LIMIT, Status.INFEASIBLE, Status.OPTIMAL])
def test_the_answer_is_no_worse_than_the_start(name, word, monkeypatch) -> None:
    pytest.importorskip("pyscipopt")
    monkeypatch.setattr(ADAPTERS[name], "solve", claims(word))
    model = bag()
    start = {f"x[{j}]": j == 4 for j in range(30)} | {"y": 2.0}
    solution = rp.solve(model, name, start=start)
    assert solution.status is (Status.LIMIT if word is Status.LIMIT else Status.FEASIBLE)
    assert (model.x[4].value, model.y.value) == (1, 2.0)
    assert solution.objective == pyo.value(model.gain)


@pytest.mark.cases(40)
@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("name", [None, "scip"])
def test_any_start_leaves_the_optimum_as_it_is(seed: int, name: str | None) -> None:
    if name is not None:
        pytest.importorskip("pyscipopt")
    model, points, (cost, _) = integer_model(seed)
    model.cost = pyo.Objective(expr=sum(c * x for c, x in zip(cost, model.x.values(), strict=True)))
    rng = np.random.default_rng(seed)
    start = {f"x[{j}]": int(rng.integers(-2, 3)) for j in model.x if rng.random() < 0.7}
    chosen = [[point[int(name[2:-1])] for name in start] for point in points]
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        solution = rp.solve(model, name, start=start)
    if not points:
        assert solution.x is None
        return
    assert solution.objective == min(value(cost, point) for point in points)
    left_out = [one for one in said if "left out" in str(one.message)]
    assert bool(left_out) == (list(start.values()) not in chosen)


def test_forms_of_a_start(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = bag(8)
    best = rp.solve(model)
    values = {variable.name: variable.value for variable in model.component_data_objects(pyo.Var)}
    rp.export(model, tmp_path / "bag.mps")
    lines = [f"x({j}) {round(model.x[j].value)}" for j in range(8)]
    text = "\n".join(["# Objective value = 0", *lines, f"y {model.y.value}", ""])
    (tmp_path / "bag.sol").write_text(text)
    model.x[0].fix(model.x[0].value)
    monkeypatch.setattr(highs, "solve", claims(Status.LIMIT))
    by_variable = pyo.ComponentMap((v, values[v.name]) for v in (*model.x.values(), model.y))
    for start in (values, by_variable, best.x[1:]):
        assert rp.solve(model, start=start).objective == best.objective
    model.x[0].unfix()
    assert rp.solve(model, start=tmp_path / "bag.sol").objective == best.objective
    names = {name.replace("[", "(").replace("]", ")"): value for name, value in values.items()}
    assert rp.solve(tmp_path / "bag.mps", start=names).objective == -best.objective


def test_a_suffix_of_scales_scales_the_start() -> None:
    model = bag(8)
    model.scaling_factor = pyo.Suffix()
    model.scaling_factor[model.y] = 100.0
    expected = rp.solve(model).objective
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert rp.solve(model, start={"y": 4.0, "x[1]": 1}).objective == expected


def test_the_warning_is_in_the_units_of_the_row() -> None:
    model = pyo.ConcreteModel()
    model.x = pyo.Var(bounds=(0, 10), domain=pyo.Integers)
    model.room = pyo.Constraint(expr=10_000 * model.x <= 30_000)
    model.gain = pyo.Objective(expr=model.x, sense=pyo.maximize)
    with pytest.warns(rp.RadprogWarning, match=r"violates room by 2e\+04"):
        assert rp.solve(model, start={"x": 5}).objective == 3.0


def test_what_is_no_start() -> None:
    known = r"z has a start, and the program has no such name: expected one such as x\[0\]"
    for start, words in (
        ({"z": 1}, known),
        ({"x": 1}, "x has a start"),
        ({"y": "full"}, "y has the start 'full'"),
        ({"y": np.inf}, "y has the start inf"),
        ([1, 2], "expected a mapping by name or component, or an array of 9 numbers"),
        (np.zeros(3), "an array of 9 numbers"),
    ):
        refused(rp.OptionError, words, rp.solve, bag(8), start=start)


def test_who_takes_no_start() -> None:
    with pytest.raises(rp.CapabilityError, match="start: solver piqp takes none: use highs or"):
        rp.solve(bag(8), "piqp", start={"y": 1.0})
    model = bag(8)
    for variable in model.x.values():
        variable.domain = pyo.Reals
    refused(rp.CapabilityError, "start: a LP has no integers", rp.solve, model, start={"y": 1.0})
