"""Pricing by many: every block once, the same digits as alone, workers that die or never end."""

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from planted_kernels import Planted

from radprog.base.errors import ConnectionLostError, OptionError
from radprog.base.limits import OutOfBudget
from radprog.decompositions.loop import Budget, Reason, Record
from radprog.decompositions.run import Run, RunSettings
from radprog.decompositions.sweeps import cluster
from radprog.decompositions.sweeps.sharing import Sharing
from radprog.decompositions.sweeps.units import Inside, UnitAnswer
from radprog.decompositions.vkr import shared_pricing
from radprog.decompositions.vkr.fit import fit_vkr
from radprog.decompositions.vkr.shared_pricing import ALONE_AGAIN, SharedPricing, divided
from radprog.instances.generators import waveform
from radprog.models import kernel_bank, kernel_tiles
from radprog.models.kernel_tiles import KernelPass, KernelTiles
from radprog.models.kernels import parse_kernels
from radprog.models.own_kernels import Kernel
from radprog.models.vkr.settings import L1SVM, VKR

DATA = waveform(300, seed=5)
SPECS = [
    VKR(kernels="poly:1-3,rbf:0.1", lam=1e-3, beta=1e-3),
    VKR(kernels="rbf:0.1,laplace:0.05", lam=1e-3, beta=1e-3, centres=150, complexity="montecarlo"),
    L1SVM(kernels="poly:2", beta=1e-3),
]
TWO = [Sharing(jobs=2), Sharing(jobs=2, scheduler="local")]


@pytest.fixture(autouse=True)
def _divided(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small problems are divided too: nothing is stored, blocks are narrow."""
    monkeypatch.setattr(shared_pricing, "LEAST_VALUES", 0)
    monkeypatch.setattr(kernel_bank, "_to_store", lambda *_: [])
    monkeypatch.setattr(kernel_tiles, "TILE_PAIRS", 1 << 14)


@pytest.fixture
def rounds(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many blocks every pass had that workers made."""
    seen: list[int] = []
    call = SharedPricing.__call__

    def counted(self: SharedPricing, *given: Any) -> Any:
        found = call(self, *given)
        seen.append(0 if found is None else len(found))
        return found

    monkeypatch.setattr(SharedPricing, "__call__", counted)
    return seen


def held(run: Run) -> dict[str, Any]:
    """What a run is, but for its times and what watched it."""
    trace = [(r.iteration, r.objective, r.bound, dict(r.detail)) for r in run.trace]
    names = ("objective", "bound", "evidence", "summary", "extra", "warnings", "columns")
    return {"trace": trace, "reason": run.reason, **{name: getattr(run, name) for name in names}}


def tiles(p: int, n: int, c: int) -> KernelTiles:
    X = np.random.default_rng(0).normal(size=(n, 2))
    return KernelTiles(kernels=tuple(parse_kernels(f"poly:1-{p}")), X=X, centres=X[:c])


@pytest.mark.parametrize("workers", [1, 2, 3, 7, 100])
@pytest.mark.parametrize(("p", "c"), [(1, 3), (4, 200), (3, 400)])
def test_every_column_is_in_one_block(workers: int, p: int, c: int) -> None:
    whole = tiles(p, 500, c)
    parts, starts = divided(whole, workers), {block.start for block in whole.blocks()}
    seen = np.zeros((p, c), dtype=int)
    for members, columns in parts:
        seen[members, columns] += 1
        assert columns.start in starts
    assert (seen == 1).all()
    assert min(workers, p * len(starts)) // 2 < len(parts) <= max(1, workers)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("spec", "sharing"),
    [*((spec, TWO[0]) for spec in SPECS), (SPECS[1], TWO[1])],
    ids=["vkr", "centres", "l1svm", "cluster"],
)
def test_two_workers_price_as_one_process(spec: Any, sharing: Sharing, rounds: list[int]) -> None:
    if sharing.scheduler:
        pytest.importorskip("distributed")
    alone = fit_vkr(spec, DATA, RunSettings())
    assert not rounds
    shared = fit_vkr(spec, DATA, RunSettings(sharing=sharing))
    assert shared.certified
    assert len(rounds) > 3
    assert set(rounds) == {2}
    assert held(shared) == held(alone)
    assert shared.model() is not None


def watched(run: dict[str, Any], armed: Path, after: int = 2) -> dict[str, Any]:
    """Settings whose observer arms the planted kernel after some rounds."""

    def observe(record: Record) -> None:
        if record.iteration + 1 == after:
            armed.touch()

    return {**run, "observe": observe}


def planted(kind: str, armed: Path) -> VKR:
    own = Kernel("planted", Planted(kind, str(armed), os.getpid()))
    return VKR(kernels=[own, "poly:1"], complexity="none", beta=1e-3, centres=200)


@pytest.mark.thorough
@pytest.mark.parametrize("sharing", TWO, ids=["processes", "cluster"])
def test_a_worker_killed_half_way_changes_no_digit(
    sharing: Sharing, tmp_path: Path, rounds: list[int]
) -> None:
    if sharing.scheduler:
        pytest.importorskip("distributed")
    armed = tmp_path / "armed"
    spec = planted("dies", armed)
    alone = fit_vkr(spec, DATA, RunSettings())
    assert len(alone.trace) > 3
    shared = fit_vkr(spec, DATA, RunSettings(**watched({"sharing": sharing}, armed)))
    assert (tmp_path / "armed.done").exists()
    assert not armed.exists()
    assert set(rounds) == {2}
    assert held(shared) == held(alone)


@pytest.mark.thorough
def test_blocks_that_no_worker_gives_are_computed_here(tmp_path: Path) -> None:
    armed = tmp_path / "armed"
    spec = planted("all die", armed)
    alone = held(fit_vkr(spec, DATA, RunSettings()))
    shared = held(fit_vkr(spec, DATA, RunSettings(**watched({"sharing": TWO[0]}, armed))))
    assert shared.pop("warnings") == (*alone.pop("warnings"), ALONE_AGAIN)
    assert shared == alone


@pytest.mark.thorough
@pytest.mark.parametrize(
    "sharing", [TWO[0], pytest.param(TWO[1], marks=pytest.mark.slow)], ids=["processes", "cluster"]
)
def test_an_interrupt_within_a_pass_keeps_what_is_certified(
    sharing: Sharing, tmp_path: Path
) -> None:
    if sharing.scheduler:
        pytest.importorskip("distributed")
    armed = tmp_path / "armed"
    begun, spec = tmp_path / "armed.done", planted("stays", armed)
    alone = fit_vkr(spec, DATA, RunSettings(max_iter=2))
    settings = watched({"sharing": sharing, "interrupted": begun.exists}, armed)
    run = fit_vkr(spec, DATA, RunSettings(**settings))
    assert run.reason is Reason.INTERRUPT
    assert (run.objective, run.bound) == (alone.objective, alone.bound)
    assert 0 < run.bound < run.objective


def test_no_time_left_is_no_pass() -> None:
    spent = SharedPricing(TWO[0], Budget(interrupted=lambda: True))
    with spent:
        assert spent.passes is not None
        assert spent(tiles(2, 500, 200), KernelPass(kinds=("plain",), weights=np.ones(500))) is None


def test_a_time_limit_within_a_block_cuts_it() -> None:
    inside = Inside(news=KernelPass(kinds=("plain",), weights=np.ones(500)))
    block = slice(0, 2), slice(0, 200)
    whole = shared_pricing.measured_block(tiles(2, 500, 200), (block, 60.0), inside)
    assert whole.keys() == {"plain"}
    with pytest.raises(OutOfBudget):
        shared_pricing.measured_block(tiles(2, 500, 200), (block, 1e-9), inside)


class Late:
    """An executor whose second unit a limit has cut."""

    width = 2

    def answers(self, sweep: Any, *given: Any) -> Any:
        whole, cut = sweep.units
        value = sweep.call(sweep.shared, whole.item, Inside(news=sweep.news))
        return enumerate([UnitAnswer(unit=whole, value=value), UnitAnswer(unit=cut, cut=True)])


def test_a_pass_that_a_limit_has_cut_is_no_pass() -> None:
    """Not the maximum over the blocks that are there."""
    pricing = SharedPricing(TWO[0], Budget(time_limit=60.0))
    pricing._executor = Late()  # type: ignore[assignment]
    assert pricing(tiles(2, 500, 200), KernelPass(kinds=("plain",), weights=np.ones(500))) is None
    assert (pricing.passes, pricing.warnings) == (None, ())


def test_one_solver_call_is_not_divided() -> None:
    for method in ("direct", "dual"):
        with pytest.raises(OptionError, match=f"by method {method} is not divided"):
            fit_vkr(SPECS[2], DATA, RunSettings(method=method, sharing=TWO[0]))


@pytest.mark.thorough
def test_nobody_there_is_told_before_anything_is_computed(monkeypatch) -> None:
    pytest.importorskip("distributed")
    monkeypatch.setattr(cluster, "CONNECTING", 0.5)
    sharing = Sharing(scheduler="tcp://127.0.0.1:1", insecure=True)
    with pytest.raises(OptionError, match=r"no dask scheduler answers within 0\.5 s"):
        fit_vkr(SPECS[2], DATA, RunSettings(sharing=sharing))


class Failing:
    """An executor whose sweep fails."""

    width = 2

    def __init__(self, error: Exception) -> None:
        self.error = error

    def answers(self, *given: Any) -> Any:
        raise self.error


def test_without_workers_it_goes_on_alone() -> None:
    pricing = SharedPricing(TWO[0], Budget())
    pricing._executor = Failing(ConnectionLostError("gone"))  # type: ignore[assignment]
    assert pricing(tiles(2, 500, 200), KernelPass(kinds=("plain",), weights=np.ones(500))) is None
    assert pricing.warnings == (ALONE_AGAIN,)
    assert pricing.passes is None


@pytest.mark.parametrize("error", [TypeError("a bug"), KeyError("a bug"), OptionError("travel")])
def test_what_is_no_loss_of_workers_is_not_hidden(error: Exception) -> None:
    pricing = SharedPricing(TWO[0], Budget())
    pricing._executor = Failing(error)  # type: ignore[assignment]
    with pytest.raises(type(error), match=r"bug|travel"):
        pricing(tiles(2, 500, 200), KernelPass(kinds=("plain",), weights=np.ones(500)))
