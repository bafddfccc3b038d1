"""Selection by the bound: the table, checkpoints, functions that sign vectors exchange."""

from dataclasses import replace

import numpy as np
import pytest
from refusals import refused
from table_generators import sinc

import radprog as rp
from radprog.base.limits import OutOfBudget
from radprog.decompositions.loop import Budget, Reason
from radprog.decompositions.regression import cccp, srm
from radprog.decompositions.regression.complexity import signs_of
from radprog.decompositions.regression.fit import assemble, radius_of
from radprog.decompositions.regression.srm import fit_srm, fold_rows, recompute_srm
from radprog.decompositions.run import RunSettings
from radprog.decompositions.sweeps.sharing import Sharing
from radprog.decompositions.sweeps.units import Inside, Sweep, UnitAnswer

SPEC = rp.SRM(gammas="0.6,20", As="0.05,1,8", trials=12)


def numbers(cells: list, key: str) -> np.ndarray:
    return np.array([cell[key] for cell in cells])


@pytest.mark.thorough
def test_table_is_monotone_in_A_and_recomputable() -> None:
    data = sinc(40)
    seen: list[rp.Record] = []
    run = fit_srm(SPEC, data, RunSettings(observe=seen.append))
    cells = run.extra["cells"]
    assert len(cells) == len(seen) == 6
    for line in (cells[:3], cells[3:]):
        assert np.all(np.diff(numbers(line, "complexity")) >= -1e-12)
        assert np.all(np.diff(numbers(line, "empirical")) <= 1e-12)
        assert np.all(numbers(line, "certified_upper") >= numbers(line, "complexity"))
    best = cells[run.extra["chosen"]["bound"]]
    assert best["bound"] == run.objective == min(numbers(cells, "bound"))
    assert run.summary["gamma"] == best["gamma"]
    again = recompute_srm(SPEC, data, run.evidence, 0)
    assert again.objective == pytest.approx(run.objective, rel=1e-12)
    union = 3 * np.sqrt(np.log(2 * 6 / 0.05) / 80)
    assert best["bound"] == pytest.approx(best["empirical"] + best["complexity"] + union)
    assert best["bound_one_class"] < best["bound"]
    assert seen[2].detail["of"] == 6.0
    assert seen[-1].detail["cells"] == 6.0


def test_folds_hold_every_row_out_once() -> None:
    signs = fold_rows(23, 5, 1)
    assert np.array_equal((signs == 0).sum(axis=0), np.ones(23))
    assert set(np.unique(signs)) == {-1.0, 0.0}


@pytest.mark.thorough
def test_stopped_and_started_again(tmp_path) -> None:
    """A finished gamma is not computed again, and the table is the same to the last bit."""
    data, kept = sinc(30), Sharing(checkpoint=tmp_path / "kept")
    whole = fit_srm(SPEC, data, RunSettings())
    seen: list[rp.Record] = []
    stop = RunSettings(sharing=kept, observe=seen.append, interrupted=lambda: len(seen) >= 4)
    assert len(fit_srm(SPEC, data, stop).extra["cells"]) == 4
    seen.clear()
    again = fit_srm(SPEC, data, RunSettings(sharing=kept, observe=seen.append))
    assert [record.detail["cells"] for record in seen] == [3.0, 4.0, 5.0, 6.0]
    assert again.extra == whole.extra
    assert [r.objective for r in whole.trace] == [r.objective for r in again.trace]
    seconds = [r.seconds for r in again.trace]
    assert seconds == sorted(seconds)
    with pytest.raises(rp.OptionError, match="belongs to another sweep, whose data differs"):
        fit_srm(SPEC, sinc(30, seed=1), RunSettings(sharing=kept))


def test_cells_that_a_limit_leaves_need_not_be_the_first(monkeypatch) -> None:
    """Workers begin with the largest gamma."""
    data = sinc(12)
    spec = rp.SRM(gammas="0.6,20", As="0.5", trials=4)
    whole = fit_srm(spec, data, RunSettings()).extra["cells"]

    def cut_off(sweep: Sweep, sharing, budget, watch):
        first, last = sweep.units
        assert last.weight > first.weight
        yield UnitAnswer(unit=first, cut=True)
        yield UnitAnswer(unit=last, value=sweep.call(sweep.shared, last.item, Inside()))

    monkeypatch.setattr(srm, "answers", cut_off)
    run = fit_srm(spec, data, RunSettings())
    assert run.extra["cells"] == whole[1:]
    assert not run.extra["complete"]
    assert run.evidence["classes"] == [1]
    again = recompute_srm(spec, data, run.evidence, 0)
    assert again.objective == pytest.approx(run.objective, rel=1e-12)
    with pytest.raises(rp.DataError, match="there are 2 in the grid"):
        recompute_srm(spec, data, {**run.evidence, "classes": [2]}, 0)


def test_a_limit_of_iterations_keeps_what_there_is() -> None:
    spec = rp.Complexity(gamma=0.6, A=7.7, starts=5, trials=24)
    _, problem = assemble(spec, sinc(50, seed=0))
    signs, radius = signs_of(spec, 50, 0, "cccp"), radius_of(spec)

    def fitted(budget: Budget, **how):
        settings, rng = RunSettings(**how), np.random.default_rng(0)
        fits = cccp.SignedFits(problem=problem, signs=signs, radius=radius, settings=settings)
        return cccp.fit_signs(fits, budget, starts=5, rng=rng)

    whole = fitted(Budget())
    assert whole.reason is Reason.CRITICAL
    for most in (1, 3, 5):
        cut = fitted(Budget(), max_iter=most)
        assert len(cut.trace) == most
        assert cut.reason is Reason.MAX_ITER
        assert [r.objective for r in cut.trace] == [r.objective for r in whole.trace[:most]]
    refused(OutOfBudget, "", fitted, Budget(time_limit=1e-9))


def test_classes_of_a_grid_exchange_too() -> None:
    data = sinc(30, seed=0)
    few = rp.SRM(gammas="0.6", As="2.15,27.8", starts=2, trials=10)
    two = fit_srm(few, data, RunSettings()).extra["cells"]
    five = fit_srm(replace(few, starts=5), data, RunSettings()).extra["cells"]
    assert all(a["complexity"] > b["complexity"] for a, b in zip(five, two, strict=True))
