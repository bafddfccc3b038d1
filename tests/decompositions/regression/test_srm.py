"""Model selection by the bound: the table, common signs, checkpoints, the paper's example."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import radprog as rp
from radprog.decompositions.regression import srm
from radprog.decompositions.regression.srm import fit_srm, fold_rows, recompute_srm
from radprog.decompositions.run import RunSettings
from radprog.decompositions.sweeps.sharing import Sharing
from radprog.decompositions.sweeps.units import Inside, Sweep, UnitAnswer
from radprog.instances.generators import sinc

SPEC = rp.SRM(gammas="0.6,20", As="0.05,1,8", trials=12)


def numbers(cells: list[dict[str, Any]], key: str) -> np.ndarray:
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
    assert recompute_srm(SPEC, data, run.evidence, 0).objective == pytest.approx(
        run.objective, rel=1e-12
    )
    union = 3 * np.sqrt(np.log(2 * 6 / 0.05) / 80)
    assert best["bound"] == pytest.approx(best["empirical"] + best["complexity"] + union)
    assert best["bound_one_class"] < best["bound"]
    assert seen[2].detail["of"] == 6.0
    assert seen[-1].detail["seconds_left"] == 0.0


def test_folds_hold_every_row_out_once() -> None:
    signs = fold_rows(23, 5, 1)
    assert np.array_equal((signs == 0).sum(axis=0), np.ones(23))
    assert set(np.unique(signs)) == {-1.0, 0.0}


@pytest.mark.thorough
def test_stopped_and_started_again(tmp_path: Path) -> None:
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

    def cut_off(sweep: Sweep, sharing: Any, budget: Any, watch: Any) -> Iterator[UnitAnswer]:
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


@pytest.mark.thorough
def test_narrow_loss_is_fitted_by_default() -> None:
    """Losses that are full at 0.1: from constants alone the descent leaves most points saturated
    (MAPE 35 %, complexity 0.11), and bound (2) was understated."""
    spec = rp.SRM(gammas="0.59948", As="0.05,0.599,2.1544", trials=4, eps_up=0.1)
    best = fit_srm(spec, sinc(), RunSettings()).extra["cells"][-1]
    assert best["empirical"] == pytest.approx(0.5526, abs=1e-3)
    assert best["mape"] < 5
    assert best["distinct_starts"] == 3
