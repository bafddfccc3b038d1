"""Random programs that are taken apart give what the whole program gives."""

from dataclasses import replace

import numpy as np
import pytest
from compact_programs import Race, examine, faults_of, two_stages
from effort import seeds
from integer_programs import draw
from refusals import refused
from side_routes import build, signed
from small_programs import make_program

import radprog as rp
from radprog.decompositions.run import RunSettings
from radprog.solvers.questions.tree import ExactTree


@pytest.mark.parametrize("seed", seeds(60, 12))
def test_random_programs_show_nothing(seed: int) -> None:
    assert examine(seed) == []


def test_a_wrong_bound_and_a_wrong_point_are_found() -> None:
    program, found = two_stages(np.random.default_rng(5))
    run = Race(found.program, RunSettings(), found, "benders").run()
    assert faults_of(program, run) == []
    bound = replace(run, bound=(run.bound or 0.0) + 1.0)
    assert any("bound" in fault for fault in faults_of(program, bound))
    x = np.array([*run.values.values()]) + 10.0
    values = dict(zip(run.values, x.tolist(), strict=True))
    moved = replace(run, values=values, _x=x)
    assert any("point violates" in fault for fault in faults_of(program, moved))


@pytest.mark.parametrize("seed", seeds(90, 20))
def test_programs_without_blocks_have_the_status_of_enumeration(seed: int) -> None:
    drawn = draw(seed, ["general", "equality", "blocks", "infeasible", "unbounded"])
    program, known = build(drawn.program), drawn.known
    run = rp.dantzig_wolfe(program, linking="*", method="auto")
    assert (run.status.value, run.method, run.check()) == (known.status, "compact", ())
    if known.status == "optimal":
        value = signed(drawn.program, float(known.value))
        assert run.objective == pytest.approx(value, rel=1e-6, abs=1e-9)
    refused(rp.CapabilityError, "no blocks", rp.dantzig_wolfe, program, linking="*")
    refused(rp.CapabilityError, "no second stages", rp.benders, program, first="*")


def test_without_a_proof_infeasible_is_a_claim(monkeypatch) -> None:
    rows = np.array([[1.0, 1, 0], [0, 1, 1], [1, 0, 1]])  # sums of two are 1: each is a half
    program = make_program(np.ones(3), rows, 1.0, 1.0, upper=1.0, integer=True)
    monkeypatch.setattr(ExactTree, "prove", lambda self, found: found)
    run = rp.dantzig_wolfe(program, method="auto")
    assert (run.status.value, run.proved_by) == ("failed", None)
    assert "claims infeasible" in run.message
    assert "prove=True" in run.message
