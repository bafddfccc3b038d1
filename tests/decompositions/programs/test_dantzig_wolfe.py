"""Dantzig-Wolfe, and Benders and ``auto`` beside it (compact.py): answers of compact programs in
their own variables, proved or bounded."""

import itertools
import json
import os
import re
import signal
import threading
import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyomo.environ as pyo
import pytest
from compact_models import assignment, bins, stages
from effort import seeds
from refusals import refused
from small_models import small_model
from small_programs import make_program

import radprog as rp
from radprog.base import limits
from radprog.base.limits import watched
from radprog.cli import main
from radprog.decompositions.own.result import ModelLoop
from radprog.decompositions.own.tree import Node, write_checkpoint
from radprog.decompositions.programs import benders, compact
from radprog.decompositions.programs.benders import TwoStages
from radprog.decompositions.programs.blocks import BlockPricer, Knapsack, with_implied_bounds
from radprog.decompositions.programs.compact import Decomposition, Race, plan, program_of_model
from radprog.decompositions.programs.dantzig_wolfe import BlockTree
from radprog.decompositions.programs.structure import structure_of
from radprog.decompositions.run import RunSettings
from radprog.decompositions.sweeps.sharing import Sharing
from radprog.solvers.answer import SolverAnswer
from radprog.solvers.program import SolveSettings, Status
from radprog.solvers.registry import solved_by_any


@pytest.mark.parametrize("seed", range(3))
def test_bins_are_proved_and_written_into_the_model(seed: int) -> None:
    weights = np.random.default_rng(seed).integers(20, 60, 14).tolist()
    m = bins(weights, 100, 9)
    run = rp.dantzig_wolfe(m)
    assert run.status.value == "optimal"
    assert run.proved_by == "tree"
    assert run.objective == run.bound == rp.solve(m, solver="highs").objective
    assert run.check() == ()
    run.load()
    assert pyo.value(m.bins) == run.objective
    assert all(abs(pyo.value(row.body) - 1.0) < 1e-9 for row in m.item.values())
    assert run.trace[-1].bound == run.bound


@pytest.mark.parametrize(("sense", "seed"), [(1, 0), (-1, 4)])
def test_an_assignment_is_proved_in_its_own_sense(sense: int, seed: int) -> None:
    m = assignment(3, 9, seed)
    # the first multipliers of artificial columns are large, and their bound far below this one
    least = sum(min(0.0, c) for c in program_of_model(m).cost)
    if sense < 0:
        m.cost.set_value(-m.cost.expr)
        m.cost.sense = pyo.maximize
    run = rp.dantzig_wolfe(m, linking=m.job)
    assert (run.status.value, run.proved_by, run.check()) == ("optimal", "tree", ())
    assert run.objective == pytest.approx(rp.solve(m, solver="highs").objective, abs=1e-9)
    assert sense * run.trace[0].bound >= least
    limited = rp.dantzig_wolfe(m, linking=m.job, max_iter=1)
    assert sense * (run.objective - limited.bound) >= -1e-9
    higher = {"root_bound": run.root_bound + sense}
    for edit in (higher, {"multipliers": dict.fromkeys(run.multipliers, 90.0 * sense)}):
        assert "the multipliers prove the bound" in replace(run, **edit).check()[0]


@pytest.mark.parametrize(
    ("way", "kind"),
    [
        *itertools.product(("dantzig-wolfe", "auto"), ("linear", "whole", "maximum")),
        *(("benders", kind) for kind in ("linear", "whole")),
    ],
)
def test_the_answer_is_no_worse_than_a_start(way: str, kind: str, tmp_path: Path) -> None:
    m = assignment(3, 9, 4) if kind == "maximum" else stages(7, whole=kind == "whole")
    if kind == "maximum":
        m.cost.set_value(-m.cost.expr)
        m.cost.sense = pyo.maximize

    def run(**settings: Any) -> Any:
        if way == "benders":
            return rp.benders(m, first=m.capacity, **settings)
        linking = m.job if kind == "maximum" else m.capacity
        return rp.dantzig_wolfe(m, linking=linking, method=way, **settings)

    whole = run()
    best, names = dict(whole.values), list(whole.values)
    # a fixed variable needs no value
    m.fixed = pyo.Var(bounds=(2, 2))
    m.known = pyo.Constraint(expr=m.fixed <= 2)
    whole.write(tmp_path / "best.sol")
    # a limit before the first step leaves the start, as does the first record
    for ended in ({"max_iter": 0}, {"stop": lambda trace: True}):
        kept = run(start=best if "max_iter" in ended else tmp_path / "best.sol", **ended)
        assert kept.objective == pytest.approx(whole.objective, rel=1e-9)
        assert kept.check() == ()
    again = run(start=best, tol=1e-6)
    assert again.certified
    assert again.objective == pytest.approx(whole.objective, rel=1e-6)
    with pytest.warns(rp.RadprogWarning, match=r"start: a point that violates .*: left out"):
        moved = run(start={**best, names[0]: -7.0})
    assert moved.objective == pytest.approx(whole.objective, rel=1e-6)
    refused(rp.OptionError, f"{re.escape(names[0])} has no start", run, start={names[1]: 0.0})


def test_blocks_are_solved_the_same_by_workers() -> None:
    m, n = stages(4, whole=False), assignment(3, 9, 4)
    alone, shared = (rp.benders(m, first=m.capacity, jobs=jobs) for jobs in (1, 2))
    assert shared.objective == pytest.approx(alone.objective, rel=1e-9)
    alone, shared = (rp.dantzig_wolfe(n, linking=n.job, jobs=jobs) for jobs in (1, 2))
    assert shared.objective == alone.objective
    assert shared.check() == ()


def test_a_row_between_second_stages_is_named() -> None:
    m, n = stages(3, whole=False), stages(3, whole=False)
    m.both = pyo.Constraint(expr=m.lost[0] + m.lost[1] <= 1)
    between = rp.structure(m, linking=[m.capacity, m.both])
    words = r"row both links|no second stages"
    refused(rp.CapabilityError, words, rp.benders, m, structure=between)
    for s in range(3):
        n.lost[s].domain = pyo.NonNegativeIntegers
    words = r"integer of a second stage.*use rp\.dantzig_wolfe\(model, method='auto'\), or"
    refused(rp.CapabilityError, words, rp.benders, n, first=n.capacity)


def test_an_infeasible_program_is_proved_so() -> None:
    m = bins([60, 60, 60], 100, 2)
    run = rp.dantzig_wolfe(m, linking=m.item)
    assert (run.status.value, run.proved_by, run.values) == ("infeasible", "tree", {})
    words = "meet the linking rows: proved by their multipliers"
    assert run.message == f"no points of the blocks {words}"
    assert run.check() == ()
    refused(rp.OptionError, "load: the run has no point", run.load)
    refused(rp.OptionError, "write: the run has no point", run.write, "none.sol")


@pytest.mark.parametrize("blocks", [False, True])
@pytest.mark.parametrize("kind", ["multipliers of rows", "divisibility of a row", "a ray", "tree"])
def test_the_proof_that_is_named_was_made(kind, blocks) -> None:
    m = pyo.ConcreteModel()
    m.x = pyo.Var(range(3), bounds=(0, None if kind == "a ray" else 1))
    m.cost = pyo.Objective(expr=sum((-1) ** i * x for i, x in m.x.items()) - m.x[0])
    for x in m.x.values() if kind in ("divisibility of a row", "tree") else ():
        x.domain = pyo.Integers
    row = {"multipliers of rows": lambda i: m.x[i] + m.x[(i + 1) % 3] >= 3,
           "divisibility of a row": lambda i: 2 * m.x[i] + 4 * m.x[(i + 1) % 3] == 3,
           "a ray": lambda i: m.x[i] + m.x[(i + 1) % 3] >= 1,
           "tree": lambda i: m.x[i] + m.x[(i + 1) % 3] == 1}[kind]  # fmt: skip
    m.row = pyo.Constraint(range(3), rule=lambda m, i: row(i))
    given = {"linking": [m.row[1], m.row[2]]} if blocks and kind != "a ray" else {}
    run = rp.dantzig_wolfe(m, method="auto", **given)
    assert run.status.value == ("unbounded" if kind == "a ray" else "infeasible")
    made = "compact" if kind != "tree" and run.nodes == 0 else "tree"
    if made == "compact":
        assert (run.proved_by, run.method) == ("duals", "compact")
        assert f"proved it by {kind}" in run.message
    else:
        assert run.proved_by == ("tree" if kind in ("tree", "divisibility of a row") else "duals")


def test_a_spoilt_answer_shows() -> None:
    run = rp.dantzig_wolfe(bins([20, 30, 50, 60, 70], 100, 4))
    spoilt = run._x.copy()
    spoilt[0] = 1.0 - spoilt[0]
    assert any("violates" in fault for fault in replace(run, _x=spoilt).check())
    assert any("objective" in fault for fault in replace(run, objective=9.0).check())
    assert any("bound" in f for f in replace(run, bound=run.bound + 1.0, objective=9.0).check())


@pytest.mark.parametrize("width", [1, 2])
@pytest.mark.parametrize("seed", range(8))
def test_a_knapsack_has_the_values_of_enumeration(seed: int, width: int) -> None:
    rng = np.random.default_rng(seed)
    weights, lower = rng.integers(-4, 9, 6), rng.integers(-1, 2, 6).astype(float)
    weights[0] = weights[0] or 1
    upper, cost = lower + rng.integers(0, width + 1, 6), rng.normal(size=6)
    side = int(weights @ lower) + 4.5
    sack = Knapsack.of(make_program(cost, [weights], -np.inf, side, lower, upper, integer=True))
    grid = np.meshgrid(*(np.arange(a, b + 1) for a, b in zip(lower, upper, strict=True)))
    points = np.array(grid).reshape(6, -1).T
    points = points[points @ weights <= side]
    answer = sack.price(cost, lower, upper, 1)
    assert answer.bound == pytest.approx((points @ cost).min(initial=np.inf), abs=1e-12)


def test_the_command_writes_an_answer_that_certify_takes(tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    rp.export(bins([20, 30, 50, 60, 70, 45], 100, 4), "bins.mps")
    call = "decompose bins.mps --method dantzig-wolfe --checkpoint tree.json"
    assert main([*call.split(), *["-o", "bins.sol", "--json", "-", "--plot", "bins.png"]]) == 0
    found = json.loads(capsys.readouterr().out)
    told = [found[key] for key in ("status", "proved_by", "method")]
    assert told == ["optimal", "tree", "dantzig-wolfe"]
    (kind,) = found["structure"]["kinds"]
    assert [kind[key] for key in ("count", "rows", "columns")] == [4, 1, 7]
    assert found["objective"] == found["bound"] == 3.0
    assert main(["certify", "bins.mps", "bins.sol"]) == 0
    rp.dantzig_wolfe("bins.mps").write("again.sol")
    assert Path("again.sol").read_bytes() == Path("bins.sol").read_bytes()
    assert json.loads(Path("tree.json").read_text())["nodes"]
    assert main([*call.split(), "--quiet"]) == 0
    assert (tmp_path / "bins.png").exists()
    capsys.readouterr()
    main(["analyze", "bins.mps"])
    assert "4 blocks of 1 kind; 6 linking rows" in capsys.readouterr().out
    assert main(["analyze", "bins.mps", "--plot", "matrix.png"]) == 0
    words = "Nonzeros of a matrix of 10 rows and 28 columns, as given on the left"
    assert words in capsys.readouterr().err
    assert words.encode() in (tmp_path / "matrix.png").read_bytes()
    assert main(["decompose", "bins.mps", "--time-limit", "1e-9", "-o", "none.sol"]) == 1
    captured = capsys.readouterr()
    assert "no objective, no bound" in captured.out
    assert "neither way has a value or a bound" in captured.out
    assert "none.sol: not written" in captured.err
    assert not (tmp_path / "none.sol").exists()
    assert main(["decompose", "bins.mps", "--time-limit", "1e-9", "--start", "bins.sol"]) == 1
    assert "feasible: objective 3, " in capsys.readouterr().out
    assert main(["decompose", "bins.mps", "--linking", "none*"]) == 2
    assert "no row and no column" in capsys.readouterr().err


def test_patterns_of_the_command_are_repeated_or_joined_by_commas(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    rp.export(stages(7, whole=True), "plan.mps")
    call = ["decompose", "plan.mps", "--method", "benders"]
    used = "7 blocks of 6 kinds; 0 linking rows, 2 linking columns"
    for more in (["capacity(0),capacity(1)"], ["capacity(0)", "capacity(1)"]):
        assert main([*call, *(word for one in more for word in ("--first", one))]) == 0
        out = capsys.readouterr().out
        assert f"plan.mps: {used}" in out
        assert "taken apart" not in out
        assert re.search(r"benders: \d+ rounds?, \d+ cuts?, ", out)
    assert main([*call, "--first", "capacity*,limit(0,0)"]) == 2
    words = "first 'limit(0,0)': no column has such a name; the first column is capacity(0)"
    assert words in capsys.readouterr().err
    for words in ("cuts.json has the best point", "resumed from cuts.json: "):
        assert main([*call, "--checkpoint", "cuts.json"]) == 0
        assert words in capsys.readouterr().out
    run = rp.benders("plan.mps", first="capacity(0),capacity(1)")
    assert run.structure.linking_columns.tolist() == [0, 1]
    # the blocks of the columns are shown where they are not those that were found
    assert main([*call[:3], "dantzig-wolfe", "--first", "capacity*", "--time-limit", "20"]) == 0
    out = capsys.readouterr().out
    assert out.startswith(f"plan.mps: {used}\n")
    assert "\ntaken apart by 7 blocks of 7 kinds; 14 linking rows, 2 linking columns\n" in out


def test_auto_ends_with_the_first_proof() -> None:
    # the solver ends at the tolerance of the run, and the race with it
    loose = Race(program_of_model(assignment(4, 24, 1)), RunSettings(tol=0.05))
    loose._solve_whole()
    assert loose.ended
    refused(rp.OptionError, "method 'other'", rp.dantzig_wolfe, assignment(2, 3, 0), method="other")


def test_the_blocks_decide_which_way_begins() -> None:
    m = assignment(3, 20, 0)
    n = assignment(3, 20, 0)
    # costs that fall as the work grows
    rng = np.random.default_rng(1)
    work = [{j: 5.0 + rng.integers(20) for j in range(20)} for _ in range(3)]
    n.del_component(n.time)
    n.time = pyo.Constraint(
        range(3), rule=lambda n, i: sum(work[i][j] * n.x[i, j] for j in range(20)) <= 90
    )
    n.cost.set_value(sum((40.0 - work[i][j]) * n.x[i, j] for i, j in n.x))
    cases: list[tuple[Any, str, bool]] = [
        (m, "knapsacks", False),
        (assignment(10, 40, 0), "many knapsacks of few items", True),
        (n, "knapsacks whose costs follow their weights", True),
        (bins([20, 30, 50, 60, 70], 100, 4), "identical knapsacks", True),
        (stages(4, whole=False), "two stages", False),
        (stages(4, whole=True), "two stages", True),
    ]
    for model, what, columns in cases:
        found = rp.structure(model, linking=getattr(model, "job", None))
        way = "benders" if what == "two stages" else "dantzig-wolfe"
        said, blocks, whole = plan(found, way).value
        assert (said, blocks < whole) == (what, columns)
    m.time.deactivate()
    alone = rp.dantzig_wolfe(m, linking=["x*", "job*"], method="auto")
    assert "no blocks, the solver alone" in alone.message
    assert alone.status.value == "optimal"


@pytest.mark.parametrize(
    ("joins", "columns", "whole", "left"),
    [
        ("solver", 0.01, 0.02, "solver"),
        ("solver", 0.02, 0.01, ""),  # the way that began has more patience
        ("solver", 0.04, 0.01, "blocks"),
        ("solver", np.inf, 0.01, ""),
        ("blocks", np.inf, 0.01, "blocks"),
        ("blocks", 0.001, 0.01, "solver"),
    ],
)
def test_the_way_with_the_larger_gap_is_given_up(monkeypatch, joins, columns, whole, left) -> None:
    def weighed(blocks: list[tuple[float, float]], solver: list[tuple[float, float]]) -> str:
        race.words, race.blocks.gaps, race.solver.gaps = [], blocks, solver
        race.blocks.stopped = race.solver.stopped = False
        race._stop_worse()
        stopped = [name for name in ("solver", "blocks") if getattr(race, name).stopped]
        assert len(stopped) == len(race.words)
        return "".join(stopped)

    race = Race(program_of_model(assignment(2, 4, 0)), RunSettings())
    monkeypatch.setattr(race.solver.thread, "is_alive", lambda: True)
    race.solver.began, race.blocks.began = (1.0, 0.0) if joins == "solver" else (0.0, 1.0)
    late = [(5.2, whole), (9.0, 0.5)]
    assert weighed([(4.0, columns)], [(4.0, whole), (9.0, 0.5)]) == ""  # too early
    # the gaps of equal times count
    assert weighed([(5.5, columns)], late) == left
    if left == "solver":
        assert "the solver was stopped because its gap was larger" in race.words[0]
    # the solver goes on beside columns whose gap does not fall any more
    goes_on = left if left != "solver" else ""
    same = [(5.2, whole), (9.0, whole)]
    assert weighed([(4.0, columns), (9.5, columns)], same) == goes_on


@pytest.mark.parametrize("sense", [1, -1])
def test_a_bound_without_a_value_is_told(sense: int) -> None:
    way = Decomposition("dantzig-wolfe")
    way.sense = sense
    assert "no value with a bound" in way.describe(9.0)
    way.bound, way.gaps = 3688.0, [(4.0, np.inf)]
    assert f"had a bound of {sense * 3688} and no value after 9 processor" in way.describe(9.0)
    way.gaps.append((5.0, 0.25))
    assert "a gap of 25.00%" in way.describe(9.0)


def test_the_blocks_are_looked_for_where_the_solver_has_no_answer() -> None:
    """A program with continuous columns, which the solver proves at once, and its structure."""
    run = rp.dantzig_wolfe(stages(4, whole=False), method="auto")
    assert (run.status.value, run.method) == ("optimal", "compact")
    assert run._structure is None
    assert len(run.structure.blocks) == 4
    assert run.check() == ()


def test_columns_whose_bound_is_that_of_the_relaxation_are_left_to_the_solver() -> None:
    """Only where their gap does not fall any more."""
    m = assignment(3, 12, 2)
    race = Race(program_of_model(m), RunSettings(), rp.structure(m, linking=m.job), "dantzig-wolfe")
    race._decompose()
    race.solver.joins, race.relaxed = 10.0, race.blocks.search.nodes[0].bound - 1.0
    race.blocks.gaps = [(4.0, 0.02), (12.0, 0.02)]
    race._stop_worse()
    assert (race.blocks.stopped, race.solver.joins) == (False, 10.0)
    race.relaxed += 1.0
    for last, stopped in ((0.01, False), (0.02, True)):
        race.blocks.gaps = [(4.0, 0.02), (12.0, last)]
        race._stop_worse()
        assert (race.blocks.stopped, race.solver.joins) == (stopped, 0.0)
    assert "no better bound than the relaxation" in race.words[-1]


def test_columns_take_points_of_the_solver_and_its_bound_ends_them() -> None:
    m = assignment(4, 24, 3)
    program, found = program_of_model(m), rp.structure(m, linking=m.job)
    truth = rp.dantzig_wolfe(m, structure=found)
    assert truth.nodes > 3
    tree = BlockTree(found, ModelLoop(RunSettings(), 1), RunSettings().budget())
    tree.new_points = [truth._x]
    tree.visit(tree.heap[0])
    assert tree.value == truth.objective
    # the solver, which has ended, had the bound of the best point, and no point
    race = Race(program, RunSettings(), found)
    race.blocks.name, race.solver.joins, race.solver.bound = "dantzig-wolfe", np.inf, truth.bound
    race._decompose()
    assert race.ended
    assert race.blocks.search.value == truth.objective


@pytest.mark.parametrize(("share", "method"), [(-0.1, "dantzig-wolfe"), (0.1, "compact")])
def test_the_way_that_is_named_has_the_better_bound(share: float, method: str) -> None:
    """Also beside a better point of the other way; the prices of the root are kept with both."""
    m = assignment(4, 24, 3)
    program, found = program_of_model(m), rp.structure(m, linking=m.job)
    truth = rp.dantzig_wolfe(m, structure=found)
    race = Race(program, RunSettings(max_iter=1), found)
    race.blocks.name, race.solver.joins = "dantzig-wolfe", np.inf
    race._decompose()
    tree = race.blocks.search
    tree.best, tree.value = None, np.inf  # the point is the solver's
    bound = tree.lower_bound() + share
    assert bound < truth.objective
    answer = solved_by_any(program, program, SolveSettings())
    race.solver.answer = replace(answer, status=Status.FEASIBLE, proved_by=None, bound=bound)
    run = race._result()
    assert (run.objective, run.method) == (answer.objective, method)
    assert run.bound == max(run.bounds.values())
    assert ("the solver on the whole program" in run.message) == (method == "compact")
    assert (run.root_bound, run.multipliers) == (tree.root_bound, tree.prices)


def test_the_gap_of_a_search_is_seen_while_it_runs() -> None:
    weights = np.random.default_rng(1).integers(20, 101, 100).tolist()
    program, seen = program_of_model(bins(weights, 150, 45)), list[Any]()
    with watched(seen.append):
        settings = SolveSettings(time_limit=20.0, interrupted=lambda: bool(seen))
        answer = solved_by_any(program, program, settings)
    assert seen
    assert all(one.bound <= answer.bound + 1e-9 for one in seen)


def test_a_tree_goes_on_from_its_checkpoint(tmp_path: Path) -> None:
    m, file = assignment(4, 24, 3), tmp_path / "tree.json"
    truth = rp.dantzig_wolfe(m, linking=m.job)
    assert truth.nodes > 3
    nodes = []
    for most in (1, 3, None):
        run = rp.dantzig_wolfe(m, linking=m.job, checkpoint=file, max_iter=most)
        nodes.append(run.nodes)
        assert run.check() == ()
    assert nodes[:2] == [1, 3]
    assert (run.status.value, run.objective, run.proved_by) == ("optimal", truth.objective, "tree")
    done = rp.dantzig_wolfe(m, linking=m.job, checkpoint=file)
    assert (done.objective, done.bound, done.nodes) == (run.objective, run.bound, run.nodes)
    # another program, other blocks, another constant, and an edited file
    other, dearer = assignment(4, 24, 6), assignment(4, 24, 3)
    dearer.cost.set_value(dearer.cost.expr + 8.0)
    for model, linking in ((other, other.job), (m, m.time), (dearer, dearer.job)):
        how = {"linking": linking, "checkpoint": file}
        refused(rp.OptionError, "another master", rp.dantzig_wolfe, model, **how)
    # the same numbers under the names of its file
    rp.export(m, tmp_path / "m.mps")
    how = {"linking": "job*", "checkpoint": file}
    words = "it is of other names of rows and columns"
    refused(rp.OptionError, words, rp.dantzig_wolfe, tmp_path / "m.mps", **how)
    every_part_is_needed(file, rp.dantzig_wolfe, m, linking=m.job)


def test_a_resumed_race_begins_with_the_way_of_a_fresh_one(tmp_path: Path) -> None:
    """Of few knapsacks, the solver: a tree that did not prove its point need not go on alone."""
    m = assignment(3, 20, 0)
    how: dict[str, Any] = {"linking": m.job, "checkpoint": tmp_path / "tree.json"}
    assert rp.dantzig_wolfe(m, **how, max_iter=1).status.value == "feasible"
    run = rp.dantzig_wolfe(m, **how, method="auto")
    assert (run.status.value, run.method, run.nodes) == ("optimal", "compact", 1)
    assert run.root_bound == pytest.approx(run.bounds["dantzig-wolfe"], abs=1.0)
    assert run.check() == ()  # after the race, which the solver has ended
    wrong = {name: -1.0 - price for name, price in run.multipliers.items()}
    assert "prove the bound" in "".join(replace(run, multipliers=wrong).check())


def every_part_is_needed(file: Path, method: Any, *given: Any, **how: Any) -> None:
    """A checkpoint in which one part is missing is damaged."""
    record = json.loads(file.read_text())
    for key in record:
        file.write_text(json.dumps({**record, key: None}))
        refused(rp.DataError, "damaged", method, *given, checkpoint=file, **how)


@pytest.mark.parametrize("whole", [False, True])
def test_benders_goes_on_from_its_cuts(whole: bool, tmp_path: Path) -> None:
    """Cuts are computed again from stored multipliers; other programs and edits are refused."""
    m, file = stages(3, whole=whole), tmp_path / "cuts.json"
    truth = rp.benders(m, m.capacity)
    first = rp.benders(m, m.capacity, checkpoint=file, max_iter=2)
    assert first.status is not truth.status
    columns = first.columns
    run = rp.benders(m, m.capacity, checkpoint=file)
    assert f"resumed from {file}: {columns} cuts" in run.message
    assert run.trace[0].iteration == len(first.trace) + 1
    assert run.objective == pytest.approx(truth.objective, rel=1e-6)
    assert (run.status, run.proved_by, run.check()) == (truth.status, truth.proved_by, ())
    assert "cuts" in repr(run)
    # no round is left to a smaller limit, and nothing is lost
    less = rp.benders(m, m.capacity, checkpoint=file, max_iter=1)
    assert (less.nodes, less.columns, less.objective) == (run.nodes, run.columns, run.objective)
    assert less.bound == pytest.approx(run.bound, rel=1e-9)
    assert (less.status, less.check()) == (run.status, ())
    both = rp.dantzig_wolfe(m, linking=m.capacity, method="auto", checkpoint=file)
    assert "resumed from" in both.message
    assert both.objective == pytest.approx(truth.objective, rel=1e-6)
    other = stages(4, whole=whole)
    refused(rp.OptionError, "another", rp.benders, other, other.capacity, checkpoint=file)
    record = json.loads(file.read_text())
    # a tree whose parts are not each of one division, and a digest of it
    unsigned = {key: value for key, value in record.items() if key != "digest"}
    write_checkpoint(file, {**unsigned, "splits": [[0, [0, 1, 0, 1]]]})
    refused(rp.DataError, "damaged", rp.benders, m, m.capacity, checkpoint=file)
    file.write_text(json.dumps(record))
    every_part_is_needed(file, rp.benders, m, m.capacity)


@pytest.mark.parametrize(
    "limit", [{"max_iter": 1}, {"stop": lambda trace: True}, {"interrupted": lambda: True}]
)
def test_a_stopped_run_says_what_is_left(limit: dict[str, Any]) -> None:
    m = assignment(4, 24, 3)
    run = rp.dantzig_wolfe(m, linking=m.job, **limit)
    nodes = " with 2 open nodes" if run.nodes else " with 1 open node"
    left = "" if run._search is None else nodes
    beside = "`method='auto'` lets HiGHS work beside the blocks"
    assert run.message == f"stopped by {run.reason}{left}; {beside}"
    both = rp.dantzig_wolfe(m, linking=m.job, method="auto", **limit)
    assert both.certified or f"stopped by {both.reason}" in both.message
    assert "auto" not in both.message


@pytest.mark.parametrize("identical", [True, False])
def test_integers_without_upper_bounds_in_unbounded_blocks_are_divided(identical: bool) -> None:
    """The weight of a ray is fractional in the relaxation: 3 (x_1 + x_2 + x_3) >= 10."""
    m = pyo.ConcreteModel()
    m.x = pyo.Var(range(3), domain=pyo.NonNegativeIntegers)
    m.y = pyo.Var(range(3), domain=pyo.NonNegativeIntegers)
    cost = [4, 4, 4] if identical else [4, 5, 6]
    m.own = pyo.Constraint(range(3), rule=lambda m, b: m.y[b] <= 2 * m.x[b] + 1)
    m.demand = pyo.Constraint(expr=sum(3 * m.x[b] + m.y[b] for b in range(3)) >= 29)
    m.cost = pyo.Objective(expr=sum(cost[b] * m.x[b] + 3 * m.y[b] for b in range(3)))
    truth = rp.solve(m)
    run = rp.dantzig_wolfe(m, linking=m.demand)
    assert run.nodes > 1
    assert (run.status.value, run.reason.value) == ("optimal", "tolerance")
    assert run.objective == pytest.approx(truth.objective)
    assert run.check() == ()


def test_blocks_without_a_bound_are_left_to_the_solver() -> None:
    """A cost below the tolerance of HiGHS, along a ray: the block is optimal, and has no bound."""
    columns = {"x": (-1, 2), "y": (0, 1), "v": (None, None), "w": (0, None)}
    m = small_model(lambda m: 2e-3 * m.x - 5e-8 * m.w, lambda m: m.x - m.y == 0, **columns)
    m.one = pyo.Constraint(expr=m.x + m.y == 2)
    m.two = pyo.Constraint(expr=m.v + 1e-5 * m.w == 0)
    with pytest.warns(rp.RadprogWarning, match="failed, and the solver goes on: no multipliers"):
        run = rp.dantzig_wolfe(m, linking=m.row)
    assert run.bound is None
    assert run.status.value != "optimal"


def test_an_unbounded_block_of_integers_has_a_ray() -> None:
    """Along (0, 1, 2), where HiGHS 1.15 without presolve calls the origin optimal."""
    rows, cost = [[3.0, 2, -1], [1, -3, 1]], np.array([-619.5, -1249, -627.5])
    program = make_program(np.zeros(3), rows, row_upper=[0, 3], integer=True)
    pricer = BlockPricer(program, SolveSettings(), lambda: None)
    answer = pricer.price(cost, program.lower, program.upper)
    assert (answer.points, answer.bound) == ((), -np.inf)
    assert (program.rows @ answer.ray <= 1e-9).all()
    assert cost @ answer.ray < 0.0
    assert answer.ray.min() >= 0.0
    # with ends, it has points; and a column without an end that the rows bound
    assert pricer.price(cost, program.lower, np.full(3, 6.0)).bound == -3.0 * 1249 - 6.0 * 627.5
    bounded = pricer.price(np.array([0.0, 0, -1]), program.lower, np.array([np.inf, 2, np.inf]))
    assert (bounded.bound, bounded.points[0][2]) == (-9.0, 9.0)
    assert pricer.price(cost, np.full(3, 0.5), np.array([0.7, np.inf, np.inf])).points == ()


def test_a_search_with_a_gap_bounds_every_point() -> None:
    """Also where a column that is nearly whole opens a row for the others."""
    points = np.stack(np.meshgrid(*[np.arange(3.0)] * 5), axis=-1).reshape(-1, 5)
    for seed in seeds(24):
        rng = np.random.default_rng(seed)
        rows = rng.integers(1, 9, (2, 5)) + rng.choice([0.0, 0.3])
        rows[0, 0] = -(10.0 ** rng.choice([1, 4, 7]))
        sides = np.array([0.0, np.floor(rows[1].sum() * rng.uniform(0.5, 1.5))])
        program = make_program(np.zeros(5), rows, row_upper=sides, upper=2, integer=True)
        pricer = BlockPricer(program, SolveSettings(), lambda: None)
        inside = points[(points @ rows.T <= sides + 1e-9).all(axis=1)]
        for cost in rng.normal(size=(4, 5)) - 0.5:
            cost[0] = abs(cost[0])
            least = (inside @ cost).min()
            for gap in (0.05, 1e-6, 0.0):
                bound = pricer.price(cost, program.lower, program.upper, gap=gap).bound
                assert least - gap * abs(least) - 1e-4 <= bound <= least + 1e-9


def test_a_limit_of_one_call_does_not_end_the_next() -> None:
    """A run that is stopped in a search of the pricer, and then check() in the same program."""
    rng = np.random.default_rng(0)
    rows, cost = rng.integers(10, 60, (3, 24)), -rng.integers(10.0, 60.0, 24)
    sides = rows.sum(axis=1) // 2
    program = make_program(cost, rows, row_upper=sides, upper=1, integer=True)
    stopped = iter([0.0, None])
    pricer = BlockPricer(program, SolveSettings(), lambda: next(stopped))
    cut, answer = (pricer.price(cost, program.lower, program.upper) for _ in range(2))
    assert cut.points == ()
    assert answer.bound == pytest.approx(cost @ answer.points[0])
    fresh = BlockPricer(program, SolveSettings(), lambda: None)
    assert answer.bound == fresh.price(cost, program.lower, program.upper).bound


def test_integers_have_the_ends_that_rows_imply() -> None:
    """2 x + 3 y <= 12.5 with 1 <= z <= x: x ends at 6 and y at 3, and w has no end."""
    rows, whole = [[2.0, 3, 0, 0], [-1, 0, 1, 0]], [True, True, False, True]
    program = make_program(np.ones(4), rows, row_upper=[12.5, 0], lower=[0, 0, 1, 0], integer=whole)
    assert with_implied_bounds(program).upper.tolist() == [6.0, 3.0, np.inf, np.inf]


@pytest.mark.usefixtures("ctrl_c")
def test_ctrl_c_ends_a_check_that_searches() -> None:
    """Integers without a point, of which a search of hours is sure."""
    numbers = np.random.default_rng(0).integers(0, 100, (5, 40))
    side = np.append(0.0, numbers.sum(axis=1) // 2)
    high = np.append(np.inf, side[1:])
    rows = np.vstack([np.ones(40), numbers])
    program = make_program(np.ones(40), rows, side, high, upper=1, integer=True)
    found = structure_of(program, blocks=lambda name: None if name == program.row_names[0] else 0)
    settings = RunSettings()
    tree = BlockTree(found, ModelLoop(settings, 1), settings.budget())
    node = Node(number=0, restrictions=tree.root, bound=0.0, multipliers=np.zeros(1))
    timer = threading.Timer(0.5, signal.raise_signal, [signal.SIGINT])
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        list(tree.faults(0.0, [node], []))
    timer.join()


def test_a_spoilt_tree_shows() -> None:
    """A child, a bound and restrictions."""
    m = assignment(4, 24, 3)
    run = rp.dantzig_wolfe(m, linking=m.job)
    tree = run._search
    assert run.check() == ()
    nodes = tree.nodes
    leaf = next(n for n in nodes if n.branch is None and n.bound < np.inf and n.number)
    spoilt = {
        "a child is missing": (leaf, None),
        "proves": (leaf, replace(leaf, bound=leaf.bound + 5.0)),
        "other restrictions": (leaf, replace(leaf, restrictions=tree.root)),
    }
    for words, (old, new) in spoilt.items():
        rest = [node for node in nodes if node is not old]
        tree.nodes = rest if new is None else [*rest, new]
        assert any(words in fault for fault in run.check()), words


DATA: dict[str, Any] = {"p103": 20.0, "p111": 25.0, "p112": 47.0}


@pytest.mark.data
@pytest.mark.parametrize("name", DATA)
def test_packing_files_are_proved(name: str) -> None:
    file = Path(os.environ["RADPROG_DATA"]) / "decompose" / f"{name}.mps.gz"
    run = rp.dantzig_wolfe(file, time_limit=60)
    assert (run.objective, run.bound, run.proved_by) == (DATA[name], DATA[name], "tree")
    assert run.check() == ()


@pytest.mark.parametrize("method", ["benders", "dantzig_wolfe", "auto"])
def test_the_rule_of_the_user_ends_every_way(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # the solver would join in time to end with a proof on some machines
    late = SimpleNamespace(value=("knapsacks", 0.0, np.inf))
    monkeypatch.setattr(compact, "plan", lambda *_: late)
    two = stages(7, whole=method != "benders")

    def stop(trace: Any) -> bool:
        return len(trace) >= 2 if method == "benders" else trace[-1].objective is not None

    if method == "benders":
        run = rp.benders(two, first=two.capacity, stop=stop)
    elif method == "auto":
        run = rp.dantzig_wolfe(assignment(6, 30, 1), method="auto", stop=stop)
    else:
        run = rp.dantzig_wolfe(assignment(6, 30, 1), stop=stop)
    assert (run.reason.value, run.status.value) == ("own_rule", "feasible")
    assert [one.iteration for one in run.trace] == list(range(1, len(run.trace) + 1))
    assert len(run.trace) == 2 or [one for one in run.trace if stop([one])] == [run.trace[-1]]


def looks(*pairs: tuple[float, float]) -> Any:
    """A solver that has values and bounds, and searches until it is interrupted."""

    def searches(program: Any, scaled: Any, how: Any) -> Any:
        for value, bound in pairs:
            found = SolverAnswer(status=Status.INTERRUPTED, claimed=value, bound=bound)
            limits._looks.get()(found)
        while not how.interrupted():
            time.sleep(0.01)
        raise rp.SolverError("interrupted")

    return searches


@pytest.mark.parametrize("columns", [False, True])
def test_all_ways_of_auto_share_a_trace(columns: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """It has the best value and the best bound, and the user's rule and observer have it too."""
    late = SimpleNamespace(value=("knapsacks", *((0.0, 0.0) if columns else (np.inf, 0.0))))
    monkeypatch.setattr(compact, "plan", lambda *_: late)
    monkeypatch.setattr(compact, "solved_by_any", looks((400.0, 1.0), (390.0, 2.0), (380.0, 1.5)))
    seen: list[Any] = []
    asked: list[int] = []

    def stop(trace: Any) -> bool:
        asked.append(len(trace))
        value = trace[-1].objective
        return value is not None and bool(value <= (400.0 if columns else 380.0))

    model = assignment(6, 30, 1)
    run = rp.dantzig_wolfe(model, method="auto", stop=stop, observe=seen.append)
    assert run.reason.value == "own_rule"
    assert list(run.trace) == seen
    assert asked == [one.iteration for one in seen] == list(range(1, len(seen) + 1))
    parts = ([getattr(one, key) for one in seen] for key in ("objective", "bound"))
    values, bounds = ([value for value in part if value is not None] for part in parts)
    assert values == sorted(values, reverse=True)
    assert bounds == sorted(bounds)
    if not columns:
        assert [*zip(values, bounds, strict=True)] == [(400.0, 1.0), (390.0, 2.0), (380.0, 2.0)]


def test_the_point_of_the_solver_is_kept_before_columns_begin(tmp_path, monkeypatch) -> None:
    late = SimpleNamespace(value=("knapsacks", np.inf, 0.0))
    monkeypatch.setattr(compact, "plan", lambda *_: late)
    m, file = assignment(6, 30, 1), tmp_path / "tree.json"
    starts: list[Any] = []

    def solved(program: Any, scaled: Any, how: Any) -> Any:
        starts.append(how.start)
        found = solved_by_any(program, scaled, how)
        seen = SolverAnswer(status=Status.INTERRUPTED, claimed=found.objective, bound=1.0)
        limits._looks.get()(seen)
        while not how.interrupted():
            time.sleep(0.01)
        return replace(found, status=Status.FEASIBLE, bound=1.0, proved_by=None)

    def stop(trace: Any) -> bool:
        return trace[-1].objective is not None

    monkeypatch.setattr(compact, "solved_by_any", solved)
    first = rp.dantzig_wolfe(m, method="auto", checkpoint=file, stop=stop)
    assert first.status.value == "feasible"
    assert f"{file} has the best point and 0 solved nodes" in first.message
    again = rp.dantzig_wolfe(m, method="auto", checkpoint=file, stop=stop)
    assert f"resumed from {file}: 0 solved nodes" in again.message
    assert again.trace[0].iteration == first.trace[-1].iteration + 1
    assert starts[0] is None
    assert starts[1] is not None
    assert program_of_model(m).objective(starts[1]) == first.objective
    # a limit before anything else loses no point
    early = rp.dantzig_wolfe(m, method="auto", checkpoint=file, time_limit=1e-9)
    assert (early.status.value, early.objective) == ("feasible", again.objective)
    # the tree begins with it too
    tree = rp.dantzig_wolfe(m, checkpoint=file, max_iter=1)
    assert tree.nodes == 1
    assert tree.trace[0].objective == again.objective


def test_long_rounds_dives_and_solvers_are_observed(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if each look at the clock came ten seconds after the last record."""
    trees = assignment(4, 24, 3), stages(40, whole=True)
    calls = [
        lambda: rp.dantzig_wolfe(trees[0], linking=trees[0].job, max_iter=1),
        lambda: rp.benders(trees[1], trees[1].capacity, max_iter=2),
    ]
    plain = [call() for call in calls]
    late = property(lambda loop: -10.0, lambda loop, seconds: None)
    monkeypatch.setattr(ModelLoop, "observed", late, raising=False)
    for before, call in zip(plain, calls, strict=True):
        run = call()
        assert len(run.trace) > len(before.trace)
        assert (run.objective, run.bound) == (before.objective, before.bound)
        assert all(r.bound is None or r.bound <= run.objective + 1e-6 for r in run.trace)


@pytest.mark.parametrize("count", [4, 9, 16, 30])
def test_the_bound_of_benders_never_falls_when_it_goes_on(count: int, tmp_path: Path) -> None:
    """The tree goes on from its leaves, with the cuts of its master."""
    m, file = stages(6, whole=True), tmp_path / "cuts.json"
    first = rp.benders(m, m.capacity, checkpoint=file, max_iter=count)
    again = rp.benders(m, m.capacity, checkpoint=file, max_iter=count)
    assert again.bound == pytest.approx(first.bound, rel=1e-9)
    assert (again.columns, again.check()) == (first.columns, ())
    done = rp.benders(m, m.capacity, checkpoint=file)
    assert done.status.value == "optimal"
    assert done.objective == pytest.approx(rp.solve(m).objective, rel=1e-6)
    assert done.check() == ()


def test_points_of_two_linear_stages_are_judged(monkeypatch: Any) -> None:
    """HiGHS may call a stage solved whose rows its point violates."""
    m = stages(3, whole=False)
    for module in (benders, compact):
        monkeypatch.setattr(module, "relative_violation", lambda *_: 1.0)
    run = rp.benders(m, m.capacity)
    assert run.objective is None
    assert run.status.value != "optimal"


def test_a_point_that_no_judge_accepts_is_not_infeasible(monkeypatch: Any) -> None:
    """A whole point of the master without a new cut or an accepted point leaves its node open."""
    monkeypatch.setattr(TwoStages, "_offer", lambda self, x: False)
    m = stages(3, whole=True)
    run = rp.benders(m, m.capacity)
    assert (run.status.value, run.objective) == ("failed", None)
    assert "proves neither" in run.message


def test_a_long_root_has_the_bound_of_the_relaxation(monkeypatch: Any) -> None:
    """Before its columns bound anything, by the multipliers of the relaxation."""
    m = assignment(6, 30, 1)
    program = program_of_model(m)
    relaxed = rp.solve(pyo.TransformationFactory("core.relax_integer_vars").create_using(m))
    ring = ModelLoop(RunSettings(), program.sense)
    tree = BlockTree(structure_of(program, m.job), ring, ring.budget)
    with Sharing().executor(6, ring.budget) as tree.executor:
        tree.bound_by_relaxation()
    assert relaxed.objective - 1e-6 <= tree.current.bound
    truth = rp.solve(m).objective
    assert tree.current.bound <= truth + 1e-6
    assert [*tree.wrong_bounds([tree.current])] == []


def test_a_binary_of_1e_8_under_a_big_m_is_divided() -> None:
    # only M bounds the quantities, so that the linear program opens 5e-8 of each
    model = pyo.ConcreteModel()
    model.x = pyo.Var(range(2), domain=pyo.NonNegativeReals)
    model.y = pyo.Var(range(2), domain=pyo.Binary)
    model.open = pyo.Constraint(range(2), rule=lambda m, i: m.x[i] <= 1e8 * m.y[i])
    model.demand = pyo.Constraint(range(2), rule=lambda m, k: m.x[k] + 0.1 * m.x[1 - k] >= 5.0)
    model.cost = pyo.Objective(expr=sum(model.x.values()) + 30.0 * sum(model.y.values()))
    run = rp.dantzig_wolfe(model, linking=model.demand)
    assert run.certified
    assert not run.check()
    assert run.objective == pytest.approx(60.0 + 10.0 / 1.1)
