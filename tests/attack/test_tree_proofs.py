"""Proofs of integer programs by a tree: true, accepted, and rejected once they are spoilt."""

import itertools
import random
import re
from fractions import Fraction

import numpy as np
import pyomo.environ as pyo
import pytest
from effort import seeds
from integer_programs import draw
from tree_proofs import BOUNDED, accepts, read_again, solve
from vipr_reader import proved

import radprog as rp
from radprog.base.limits import Limit, OutOfBudget
from radprog.cli import main
from radprog.decompositions.loop import Budget
from radprog.models.exact import flint
from radprog.solvers.program import Status
from radprog.solvers.questions.tree import ExactTree


def load(*, whole: bool) -> pyo.ConcreteModel:
    """A knapsack with decimals, and a continuous column if not ``whole``."""
    m = pyo.ConcreteModel()
    m.x = pyo.Var(range(6), domain=pyo.Binary)
    m.y = pyo.Var(bounds=(0, 1.5), domain=pyo.Integers if whole else pyo.Reals)
    weights, gains = [0.7, 1.1, 2.3, 1.9, 0.6, 1.2], [1.5, 2.5, 4.0, 3.5, 1.0, 2.0]
    m.room = pyo.Constraint(expr=sum(w * m.x[i] for i, w in enumerate(weights)) + m.y <= 4.15)
    m.gain = pyo.Objective(
        expr=sum(g * m.x[i] for i, g in enumerate(gains)) + 0.3 * m.y + 2, sense=pyo.maximize
    )
    return m


@pytest.mark.parametrize("seed", [*seeds(60, 10), 50000, 50019])
def test_random_programs_are_proved(seed: int) -> None:
    """The last two are thirty numbers that add up: rows fix columns, 350 and 920 nodes, 40,000
    without."""
    answer, faults = solve(seed, 20.0 if seed < 50000 else 60.0)
    assert faults == []
    assert answer.status is not Status.FAILED
    if seed >= 50000:
        assert answer.status is Status.OPTIMAL
        assert answer.nodes < 10_000


@pytest.mark.parametrize("whole", [True, False])
def test_a_solution_is_proved_by_the_tree(whole: bool) -> None:
    m = load(whole=whole)
    plain, found = rp.solve(m), rp.solve(m, prove=True)
    assert (found.status.value, found.proved_by) == ("optimal", "tree")
    assert found.objective == pytest.approx(plain.objective, abs=1e-9)
    assert 0.0 <= found.bound - found.objective <= 1e-8
    assert pyo.value(m.gain) == pytest.approx(found.objective, abs=1e-12)


def test_an_unbounded_program_needs_no_tree() -> None:
    m = pyo.ConcreteModel()
    m.x = pyo.Var(domain=pyo.NonNegativeIntegers)
    m.gain = pyo.Objective(expr=m.x, sense=pyo.maximize)
    m.least = pyo.Constraint(expr=m.x >= 1)
    assert rp.solve(m, prove=True).status == "unbounded"


@pytest.mark.parametrize("seed", [*seeds(16, 4), 33])
def test_a_node_on_which_the_solver_fails_is_proved_all_the_same(seed: int) -> None:
    """Entries of up to 1e10: HiGHS failed on a node of the last, and no other node fails for it."""
    draw = random.Random(seed)
    gains = [draw.randrange(1, 10**10) for _ in range(8)]
    room = max(gains) - 1 if seed % 2 else sum(gains) // 2
    m = pyo.ConcreteModel()
    m.x = pyo.Var(range(8), domain=pyo.Binary)
    load = sum(gain * m.x[i] for i, gain in enumerate(gains))
    m.room = pyo.Constraint(expr=load <= room)
    m.gain = pyo.Objective(expr=load, sense=pyo.maximize)
    found = rp.solve(m, prove=True)
    sums = (sum(chosen) for k in range(9) for chosen in itertools.combinations(gains, k))
    assert (found.status.value, found.proved_by) == ("optimal", "tree")
    assert found.objective == max(total for total in sums if total <= room)


@pytest.mark.parametrize("known_point", [False, True])
@pytest.mark.parametrize("pace", [0.0, 1.0])  # seconds from one look at the clock to the next
@pytest.mark.parametrize("seed", seeds(60, 10))
def test_the_bound_of_a_tree_that_a_limit_ends_is_true(
    seed: int, pace: float, known_point: bool, monkeypatch
) -> None:
    program = read_again(draw(seed, BOUNDED).program)
    visit, known = ExactTree._visit, ExactTree(program, flint).solve()
    start = None
    if known_point and known.x is not None:
        start = np.array([float(value) for value in known.x])
    for most in (0, 1, 2, 4, 8, 16):

        def until(tree: ExactTree, node, most=most):
            if tree.nodes >= most:
                raise OutOfBudget
            return visit(tree, node)

        monkeypatch.setattr(ExactTree, "_visit", until)
        ticks = itertools.count(pace, pace)
        monkeypatch.setattr(Limit, "seconds", property(lambda self, ticks=ticks: next(ticks)))
        tree = ExactTree(program, flint).solve(start)
        # no time is left for bounds of more nodes than the root
        assert pace == 0.0 or next(ticks) <= 2.0
        assert tree.bound <= known.bound + 1e-9 * max(1.0, abs(known.bound))
        monkeypatch.undo()


@pytest.mark.parametrize("ask", ["solve", "front"])
def test_a_limit_at_any_moment_of_a_proof_is_no_error(ask: str, monkeypatch) -> None:
    """Also while the point to begin with is made exact: what was solved stays."""
    done, most, best = False, 0, rp.solve(load(whole=False), prove=True).objective
    while not done:
        most += 1 + most // 8
        polls = itertools.count()
        monkeypatch.setattr(Budget, "spent", lambda self, n=polls, k=most: next(n) >= k)
        m = load(whole=False)
        if ask == "solve":
            found = rp.solve(m, prove=True, time_limit=60.0)
            done = (found.status.value, found.proved_by) == ("optimal", "tree")
            assert done or found.status in (Status.FEASIBLE, Status.LIMIT)
            assert found.bound is None or found.bound >= best - 1e-9
        else:
            m.other = pyo.Objective(expr=m.x[1] + m.x[0])
            front = rp.front(m, m.gain, m.other, prove=True, time_limit=60.0)
            done = front.status == "complete"
            assert done or front.status == "limit"
    assert most > 3


@pytest.mark.parametrize("whole", [True, False])
def test_the_command_writes_a_certificate(whole: bool, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    rp.export(load(whole=whole), "load.mps")
    assert main(["prove", "load.mps", "-o", "load.vipr", "--quiet"]) == 0
    text = (tmp_path / "load.vipr").read_text()
    assert accepts(text)
    status, value = proved(text)
    assert status == "optimal"
    if whole:
        gain = rp.solve(load(whole=True)).objective
        assert value == -Fraction(str(round(gain, 6)))
    # spoilt: another side, factor or division
    rng = random.Random(3)
    lines = text.splitlines()
    numbered = [k for k, line in enumerate(lines) if re.match(r"(D\d+|U|A\d+_L\d+) ", line)]
    for k in rng.sample(numbered, min(10, len(numbered))):
        words = lines[k].split()
        words[2] = str(Fraction(words[2]) + 1000)
        spoilt = "\n".join([*lines[:k], " ".join(words), *lines[k + 1 :], ""])
        assert not accepts(spoilt), lines[k]
