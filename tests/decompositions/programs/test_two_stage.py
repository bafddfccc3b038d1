"""Programs with two stages, from a function of one scenario."""

import itertools
import time
from pathlib import Path
from typing import Any

import pyomo.environ as pyo
import pytest
from own_programs import buy_papers, sell_papers
from refusals import refused

import radprog as rp
from radprog.cli import main


def plants(model: Any) -> Any:
    """Two plants, one of them open or closed."""
    model.open = pyo.Var(domain=pyo.Binary)
    model.size = pyo.Var(range(2), bounds=(0, 6))
    model.limit = pyo.Constraint(expr=model.size[0] <= 6 * model.open)
    return 2 * model.open + model.size[0] + 1.5 * model.size[1]


def deliver(block: Any, demand: float) -> Any:
    """Demand that is met from the plants, or late."""
    size = block.model().size
    block.late = pyo.Var(bounds=(0, None))
    block.meet = pyo.Constraint(expr=size[0] + size[1] + block.late >= demand)
    return 4 * block.late


def test_the_best_first_stage_is_that_of_enumeration() -> None:
    demands, shares = [1.0, 4.0, 9.0], [0.5, 0.3, 0.2]

    def expected(size: float, cost: float) -> float:
        late = [max(0.0, demand - size) for demand in demands]
        return cost + sum(4 * p * one for p, one in zip(shares, late, strict=True))

    # the cost is linear between the sizes at which a plant is full or a demand is met
    sizes = itertools.product((0.0, 1.0, 3.0, 4.0, 6.0), repeat=2)
    best = min(expected(a + b, 2.0 * (a > 0) + a + 1.5 * b) for a, b in sizes)
    run = rp.two_stage(deliver, demands, shares, first=plants)
    assert run.status.value == "optimal"
    assert run.method == "benders"
    assert run.objective == pytest.approx(best, abs=1e-7)
    assert run.check() == ()
    late = [run.values[f"scenario[{k}].late"] for k in range(3)]
    size = run.values["size[0]"] + run.values["size[1]"]
    assert late == pytest.approx([max(0.0, demand - size) for demand in demands], abs=1e-7)


@pytest.mark.parametrize("ends", [(None, None), (-100.0, 100.0)])
def test_the_worst_case_by_a_column_without_bounds_says_why_cuts_do_not_begin(ends) -> None:
    def first(model: pyo.ConcreteModel) -> Any:
        model.worst = pyo.Var(bounds=ends)
        return plants(model) + model.worst

    def second(block: pyo.Block, demand: float) -> float:
        cost = deliver(block, demand)
        block.worst = pyo.Constraint(expr=cost <= block.model().worst)
        return 0.0

    run = rp.two_stage(second, [1.0, 4.0, 9.0], first=first)
    assert run.objective == pytest.approx(2 + 6 + 1.5 * 3, abs=1e-7)  # plants for a demand of 9
    assert (run.method, "finite bounds" in str(run)) == (
        ("compact", True) if ends[0] is None else ("benders", False)
    )


def test_second_stages_are_found_where_other_blocks_have_a_better_score(tmp_path, capsys) -> None:
    """Without the rows of arcs, flows of scenarios and arcs of the first stage are blocks too."""
    arcs = list(itertools.permutations(range(3), 2))

    def build(model: Any) -> Any:
        model.add = pyo.Var(arcs, domain=pyo.Binary)
        model.cap = pyo.Var(arcs, bounds=(0, 40))
        model.only = pyo.Constraint(arcs, rule=lambda m, *arc: m.cap[arc] <= 40 * m.add[arc])
        return sum((40 + 7 * i + 11 * j) * model.add[i, j] + 3 * model.cap[i, j] for i, j in arcs)

    def route(block: Any, demand: float) -> Any:
        block.flow = pyo.Var(arcs, bounds=(0, None))
        block.out = pyo.Var(bounds=(0, 80))
        block.lost = pyo.Var(range(3), bounds=(0, None))
        block.limit = pyo.Constraint(arcs, rule=lambda b, *arc: b.flow[arc] <= b.model().cap[arc])
        block.node = pyo.Constraint(
            range(3),
            rule=lambda b, k: (
                sum(b.flow[i, j] * ((j == k) - (i == k)) for i, j in arcs)
                + b.lost[k]
                + (b.out if k == 0 else 0)
                == demand * k
            ),
        )
        return sum(2 * flow for flow in block.flow.values()) + 60 * sum(block.lost.values())

    truth = rp.two_stage(route, [1.0 + 0.3 * k for k in range(10)], first=build)
    assert truth.status.value == "optimal"
    m = truth.model()
    others = (rp.structure(m), *rp.structure(m).others)
    assert all(one.linking_rows.size > 6 for one in others)  # no second stages
    run = rp.benders(m)
    assert (run.status.value, run.method) == ("optimal", "benders")
    assert run.objective == pytest.approx(truth.objective, rel=1e-7)
    rp.export(m, tmp_path / "net.mps")
    assert main(["decompose", str(tmp_path / "net.mps"), "--method", "benders"]) == 0
    assert "10 blocks of" in capsys.readouterr().out
    # rows between stages are named, and what may part them
    m.both = pyo.Constraint(expr=sum(m.scenario[k].flow[0, 1] for k in range(10)) <= 20)
    rp.export(m, tmp_path / "both.mps")
    assert main(["decompose", str(tmp_path / "both.mps"), "--method", "benders"]) == 2
    assert "by --first" in capsys.readouterr().err


def test_scenarios_are_equally_likely_by_default() -> None:
    same = [rp.two_stage(deliver, [2, 5], w, first=plants).objective for w in (None, [0.5, 0.5])]
    assert same[0] == same[1]


def test_wrong_probabilities_and_empty_stages_are_named() -> None:
    with pytest.raises(rp.OptionError, match=r"1 with the sum 1, expected 2"):
        rp.two_stage(deliver, [1, 2], [1.0], first=plants)
    refused(rp.OptionError, r"sum 1.5", rp.two_stage, deliver, [1, 2], [1.0, 0.5], first=plants)
    refused(rp.OptionError, "no scenario", rp.two_stage, deliver, [], first=plants)
    refused(rp.OptionError, "no variable", rp.two_stage, deliver, [1, 2], first=lambda model: 0.0)


def test_the_time_limit_has_begun_when_the_model_is_built() -> None:
    def slow(block: Any, demand: float) -> Any:
        time.sleep(0.3)
        return deliver(block, demand)

    refused(rp.OptionError, "time_limit", rp.two_stage, slow, [1.0], first=plants, time_limit=-1)
    run = rp.two_stage(slow, [1.0, 4.0], first=plants, time_limit=0.5)
    assert (run.reason.value, run.nodes) == ("time_limit", 0)
    assert rp.two_stage(slow, [1.0, 4.0], first=plants, time_limit=30).status.value == "optimal"


def test_a_stage_without_a_cost_is_named() -> None:
    def forgets(block: Any, demand: float = 0.0) -> None:
        block.some = pyo.Var(bounds=(0, 1))

    words = "first: forgets returned None, expected the cost of its stage"
    refused(rp.OptionError, words, rp.two_stage, deliver, [1.0], first=forgets)
    refused(rp.OptionError, "build: forgets", rp.two_stage, forgets, [1.0], first=plants)


@pytest.mark.parametrize("columns", [1, 2])
@pytest.mark.parametrize("method", ["auto", "dantzig-wolfe"])
def test_integers_of_a_second_stage_have_methods(method: str, columns: int) -> None:
    def trucks(block: Any, demand: float) -> Any:
        block.trucks = pyo.Var(bounds=(0, 9), domain=pyo.Integers)
        block.more = pyo.Var(range(columns - 1), bounds=(2, 9))
        size = block.model().size
        block.meet = pyo.Constraint(expr=size[0] + size[1] + 2 * block.trucks >= demand)
        block.most = pyo.Constraint(expr=2 * block.trucks + sum(block.more.values()) <= 9)
        return 3 * block.trucks

    with pytest.raises(rp.CapabilityError, match=r"or `method='auto'` of rp\.two_stage"):
        rp.two_stage(trucks, [1.0, 4.5, 9.0], first=plants)
    with pytest.raises(rp.OptionError, match="expected 'benders' or 'dantzig-wolfe' or 'auto'"):
        rp.two_stage(trucks, [1.0], first=plants, method="nonsense")
    run = rp.two_stage(trucks, [1.0, 4.5, 9.0], first=plants, method=method)
    assert run.certified
    assert run.objective == pytest.approx(rp.solve(run.model()).objective)
    assert method == "auto" or (len(run.structure.blocks), run.method) == (3, method)


def test_columns_of_blocks_without_rows_of_their_own_are_refused() -> None:
    words = r"all rows of the blocks have linking columns, such as size.*,.* Benders cuts take"
    refused(rp.CapabilityError, words, rp.two_stage, deliver, [1.0, 4.0], first=plants,
            method="dantzig-wolfe")  # fmt: skip


def test_a_fixed_first_stage_is_a_constant() -> None:
    """Fixed at the answer, all of it or a part of it has the same expected cost."""
    best = rp.two_stage(deliver, [1.0, 4.0, 9.0], first=plants)
    for names in (["open"], ["open", "size[0]", "size[1]"]):

        def fixed(model: Any, names: Any = names) -> Any:
            cost = plants(model)
            for name in names:
                model.find_component(name).fix(best.values[name])
            return cost

        run = rp.two_stage(deliver, [1.0, 4.0, 9.0], first=fixed)
        assert run.certified
        assert run.objective == pytest.approx(best.objective)
        assert run.values == pytest.approx(best.values)


def test_the_model_of_all_scenarios_certifies_the_written_point(tmp_path: Path) -> None:
    run = rp.two_stage(deliver, [1.0, 4.0, 9.0], first=plants)
    run.write(tmp_path / "plan.sol")
    starts = {"benders": tmp_path / "plan.sol", "auto": run.values}
    for method, start in starts.items():
        kept = rp.two_stage(
            deliver, [1.0, 4.0, 9.0], first=plants, start=start, method=method, max_iter=0
        )
        assert kept.objective == pytest.approx(run.objective)
    model = run.model()
    assert rp.certify(model).objective == pytest.approx(run.objective)
    read = rp.certify(model, tmp_path / "plan.sol")
    assert read.objective == pytest.approx(run.objective)
    assert read.violation <= 1e-9
    assert rp.solve(model).objective == pytest.approx(run.objective)
    # of a file, the model is the file
    rp.export(model, tmp_path / "plan.mps")
    run = rp.dantzig_wolfe(tmp_path / "plan.mps", method="auto")
    assert run.model() == tmp_path / "plan.mps"


def test_auto_keeps_a_newsvendor(tmp_path) -> None:
    """Every row of a stage has a column of the first: its blocks are stages and nothing else."""
    for _ in range(2):
        how = {"first": buy_papers, "method": "auto", "checkpoint": tmp_path / "kept.json"}
        run = rp.two_stage(sell_papers, [20, 50, 80], [0.2, 0.5, 0.3], **how)
        assert run.objective == pytest.approx(-82.0)
    assert "resumed from" in run.message
