"""Random programs that are taken apart give what the whole program gives."""

import numpy as np
import pytest
from compact_programs import Race, examine, faults_of, two_stages
from effort import seeds

from radprog.decompositions.run import RunSettings


@pytest.mark.parametrize("seed", seeds(60, 12))
def test_random_programs_show_nothing(seed: int) -> None:
    assert examine(seed)[1] == []


def test_a_wrong_bound_and_a_wrong_point_are_found() -> None:
    from dataclasses import replace

    program, found = two_stages(np.random.default_rng(5))
    run = Race(found, RunSettings(), "benders").run()
    assert faults_of(program, run) == []
    bound = replace(run, bound=(run.bound or 0.0) + 1.0)
    assert any("bound" in fault for fault in faults_of(program, bound))
    x = np.array([*run.values.values()]) + 10.0
    values = dict(zip(run.values, x.tolist(), strict=True))
    moved = replace(run, values=values, _x=x)
    assert any("point violates" in fault for fault in faults_of(program, moved))
