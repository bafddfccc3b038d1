"""Results of regression with a bounded loss, in words."""

import json
from pathlib import Path

import pytest

import radprog as rp
from radprog.base.sections import bounded
from radprog.instances.generators import sinc
from radprog.papers.regression import srm_lines


def test_a_cut_enumeration_is_an_interval_that_check_recomputes(
    radprog, tmp_path, monkeypatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("four.csv").write_text("0,0.1\n1,0.9\n2,0.2\n3,0.7\n")
    solve = "solve complexity four.csv --gamma 1 --method exact --json run.json"
    for more, status, code in (((), "optimal", 0), (("--max-iter", 5), "limit", 1)):
        found = radprog(*solve.split(), *more)
        run = json.loads(Path("run.json").read_text())
        assert (found.code, run["status"], run["certified"]) == (code, status, code == 0)
        assert run["objective"] <= run["bound"] == run["certified_upper"]
        assert radprog("check", "run.json", "four.csv").code == 0
    assert "from below: 5 of 16 suprema are exact" in found.out
    assert "give a larger --max-iter" in found.out


@pytest.mark.parametrize("kind", ["rademacher", "discrepancy"])
def test_the_bound_of_an_estimate_says_so(kind: str) -> None:
    run = rp.fit(rp.SRM(gammas="1", As="0.01,1", trials=4, kind=kind), sinc(20))
    cell = run.extra["cells"][run.extra["chosen"]["bound"]]
    # an estimate below 1 whose certified bound is not
    cell["bound"] = 0.9
    proved = 0.9 - cell["complexity"] + cell["certified_upper"]
    assert proved > 1.0
    line, *_ = srm_lines(run.extra)
    assert "bound 0.9 (estimate), " in line
    assert bounded(proved, ".4g") in line
    assert "(certified, vacuous)" in line
