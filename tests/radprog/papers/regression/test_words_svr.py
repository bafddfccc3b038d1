"""Results of regression with a bounded loss, in words and pictures."""

from pathlib import Path

import numpy as np
import pytest
from table_generators import sinc

import radprog as rp
from radprog.base.sections import bounded
from radprog.decompositions.regression.fit import fit_svr
from radprog.decompositions.regression.srm import srm_class, srm_signs
from radprog.decompositions.run import RunSettings
from radprog.models.regression.bounds import smallest_bound, upper_bounds
from radprog.papers.regression import draw, srm_lines
from radprog.result import result_of


def test_a_cut_enumeration_is_an_interval_that_check_recomputes(radprog, empty) -> None:
    Path("four.csv").write_text("0,0.1\n1,0.9\n2,0.2\n3,0.7\n")
    solve = "solve complexity four.csv --gamma 1 --method exact --json run.json"
    for more, status, code in (((), "optimal", 0), (("--max-iter", 5), "limit", 1)):
        found = radprog(*solve.split(), *more)
        run = found.json
        assert (found.code, run["status"], run["certified"]) == (code, status, code == 0)
        assert run["objective"] <= run["bound"] == run["certified_upper"]
        assert radprog("check", "run.json", "four.csv").code == 0
    assert "from below: 5 of 16 suprema are exact" in found.out
    assert "give a larger --max-iter" in found.out


@pytest.mark.parametrize("kind", ["rademacher", "discrepancy"])
def test_the_bound_of_an_estimate_says_so(kind: str) -> None:
    spec = rp.SRM(gammas="1", As="0.01,1", trials=4, kind=kind, delta=0.001)
    run = rp.fit(spec, sinc(20))
    block = {**run.extra, "params": {"delta": spec.delta}}
    cell = run.extra["cells"][run.extra["chosen"]["bound"]]
    # an estimate below 1 whose certified bound is not
    cell["bound"] = 0.9
    assert cell["certified_bound"] > 1.0
    line, *_, last = srm_lines(block)
    assert "bound 0.9 (estimate), " in line
    assert f"{bounded(cell['certified_bound'], '.4g')} (certified, vacuous)" in line
    assert last.startswith("certified  all cells together with probability 99.9 % (if rows are")
    assert "certified" not in "".join(srm_lines({**block, "caveat": "rows"})[:-1])


@pytest.mark.parametrize("known", [False, True])
def test_a_choice_by_mape_says_of_which_points(known: bool) -> None:
    X = np.linspace(-2.0, 2.0, 12)[:, None]
    data = rp.regression_data(X, 2.0 + np.sin(X[:, 0]), truth=3.0 + X[:, 0] if known else None)
    run = rp.fit(rp.SRM(gammas="1", As="0.1,1", trials=2), data)
    (line,) = (line for line in srm_lines(result_of(run, data)) if line.startswith("by MAPE"))
    least = min(cell["mape"] for cell in run.extra["cells"])
    whole = "values without noise of the training points" if known else "training targets"
    assert line.endswith(f", MAPE of the {whole} {least:.4g} %")


@pytest.mark.parametrize("kind", ["rademacher", "discrepancy"])
def test_certified_bounds_of_a_grid_spend_delta_once(kind: str) -> None:
    """Half for (2) and half for the signs drawn, each in equal shares of the cells."""
    data, delta = sinc(20), 0.1
    small = {"gammas": "0.01,0.1", "As": "0.0001,0.001", "starts": 1}  # the signs matter
    spec = rp.SRM(**small, trials=100, kind=kind, delta=delta)
    run = rp.fit(spec, data)
    signs, share, by = srm_signs(spec, 20, 0), delta / 2.0 / 4, set()
    for cell in run.extra["cells"]:
        problem = srm_class(spec, data, cell["gamma"])
        upper = smallest_bound(upper_bounds(problem, signs, cell["A"], kind, failure=share))
        by.add(upper.name)
        assert cell["certified_upper"] == upper.value
        rest = 3.0 * np.sqrt(np.log(2.0 / share) / 40)
        assert cell["certified_bound"] == pytest.approx(cell["empirical"] + upper.value + rest)
        loose = smallest_bound(upper_bounds(problem, signs, cell["A"], kind))
        assert cell["certified_upper"] > loose.value
    assert by == {"sampled"}


@pytest.mark.parametrize("scale", ["none", "standard"])
def test_the_curve_is_the_predictor_between_the_points(scale: str) -> None:
    """Six points of a narrow bump: a line through them would cut its top off."""
    x = np.linspace(1.0, 2.0, 6)[:, None]
    data = rp.regression_data(x, np.exp(-8 * (x[:, 0] - 1.5) ** 2), scale=scale)
    run = fit_svr(rp.SVR(A=50.0), data, RunSettings())
    axes = draw(result_of(run, data), run, data).axes[0]
    line = next(line for line in axes.lines if line.get_label() == "h(x)")
    at, h = np.asarray(line.get_xdata()), np.asarray(line.get_ydata())
    assert len(at) >= 1000
    assert np.all(np.diff(at) > 0)
    assert np.array_equal(h, run.fit.scores(data.scaler(at[:, None])))
    assert set(x[:, 0]) <= set(at)
    assert h.max() > run.fit.scores(data.X).max() + 0.01
