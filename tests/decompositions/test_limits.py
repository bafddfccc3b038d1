"""Limits inside a run: the best certified answer is kept, and the program that was solved last."""

from dataclasses import replace

import numpy as np
import pytest
from series_generators import cylinder_bell_funnel
from table_generators import waveform
from threadpoolctl import ThreadpoolController

import radprog as rp
from radprog.base.limits import held_to
from radprog.decompositions.loop import Reason, Record
from radprog.decompositions.run import Run, RunSettings
from radprog.decompositions.vkr.fit import fit_vkr
from radprog.solvers.program import Status

SPEC = rp.VKR(kernels="rbf:1e-1,rbf:1,rbf:10,poly:1-6", lam=1e-6, beta=1e-6)


RAW = waveform(160, seed=0)
DATA = rp.dataset(RAW.X, RAW.targets, name="waveform", scale="ball")


@pytest.fixture(scope="module")
def full() -> Run:
    """The run that nobody stops."""
    return fit_vkr(SPEC, DATA, RunSettings(tol=1e-9, abs_tol=0.0))


@pytest.mark.parametrize("limit", range(6))
def test_max_iter(full, limit: int) -> None:
    """The trace is the beginning of the full one, and the answer that of its last line."""
    run = fit_vkr(SPEC, DATA, RunSettings(tol=1e-9, abs_tol=0.0, max_iter=limit))
    assert (run.status, run.stopped_by) == (Status.LIMIT, Reason.MAX_ITER)
    traces = run.trace, full.trace[:limit]
    one, other = ([replace(r, seconds=0.0) for r in trace] for trace in traces)
    assert one == other
    assert run.columns == (run.trace[-1].detail["columns"] if limit else 0)
    assert 0.0 < run.bound <= full.objective * (1 + 1e-9)
    assert full.objective * (1 - 1e-9) <= run.objective <= 1.0
    assert run.times["total"] >= run.times["solve"] >= 0.0
    if limit:
        assert run.objective == pytest.approx(run.trace[-1].objective, rel=1e-12)
        assert run.bound == pytest.approx(run.trace[-1].bound, rel=1e-9)
    else:
        assert (run.objective, run.evidence["alpha"]) == (1.0, [])


@pytest.mark.cases(3)
@pytest.mark.thorough
@pytest.mark.parametrize("method", ["colgen", "direct", "cd"])
def test_observers_see_the_trace_as_it_grows(method: str) -> None:
    seen: list[Record] = []
    given = {"max_iter": 4} if method != "direct" else {}
    run = fit_vkr(SPEC, DATA, RunSettings(method=method, observe=seen.append, **given))
    assert seen == list(run.trace) != []


# ---------------------------------------------------------------- what a run holds


def held(reason: Reason, objective: float | None, bound: float | None) -> Run:
    return Run(
        method="x", spec=rp.VKR(), reason=reason, objective=objective, bound=bound,
        tol=1e-6, abs_tol=1e-9, trace=[], times={}, solver=None, fit=None, summary={},
        evidence={}, program=lambda: "the model",
    )  # fmt: skip


@pytest.mark.parametrize("reason", Reason)
def test_status_is_a_matter_of_the_certificate_first(reason: Reason) -> None:
    proved = held(reason, 1.0, 1.0 - 1e-7)
    assert (proved.status, proved.stopped_by) == (Status.OPTIMAL, Reason.TOLERANCE)
    assert proved.certified_by == "tol"
    open_ = held(reason, 1.0, 0.5)
    assert open_.gap == 0.5
    assert open_.stopped_by is reason
    own = {Reason.CRITICAL: Status.CRITICAL_POINT}.get(reason, Status.FEASIBLE)
    assert open_.status is (Status.LIMIT if reason.premature else own)
    for unproved in (held(reason, 1.0, None), held(reason, None, None)):
        assert unproved.gap is None
        assert not unproved.certified
        assert unproved.status is not Status.OPTIMAL
    wrong = held(reason, 1.0, 1.0 + 1e-7)
    assert (wrong.status, wrong.stopped_by) == (Status.FAILED, reason)
    assert not wrong.certified
    tiny = held(reason, 1e-6, 1e-6 - 5e-10)
    assert tiny.certified_by == "abs-tol"
    assert tiny.model() == "the model"


def test_the_threads_of_all_libraries_are_held() -> None:
    with held_to(1):
        assert all(library["num_threads"] == 1 for library in ThreadpoolController().info())


RNG = np.random.default_rng(5)
X = RNG.normal(size=(30, 4))
TABLE = rp.dataset(X, np.where(X[:, 0] + X[:, 1] ** 2 + 0.5 * RNG.normal(size=30) > 1, "yes", "no"))
CURVES = cylinder_bell_funnel(30, length=40, seed=2)
CASES = {
    "shapelet": (rp.LPBoost(length="8", sigma=0.1, nu=0.3), CURVES),
    "shapelet-plus": (rp.LPBoost(length="8", learner="shapelet-plus", sigma=0.1, nu=0.3), CURVES),
    "l1": (rp.LPBoost(length="8", learner="l1", nu=0.3), CURVES),
    "stump": (rp.LPBoost(learner="stump", nu=0.6), TABLE),
    "tree2": (rp.LPBoost(learner="tree2", nu=0.6), TABLE),
    "vkr": (rp.VKR(kernels="rbf:0.1,rbf:1", lam=0.01, beta=0.01), TABLE),
    "l1linear": (rp.L1Linear(beta=0.01), TABLE),
}


@pytest.mark.parametrize("rounds", [1, 2, 3, 5])
@pytest.mark.parametrize("name", CASES)
def test_the_optimum_of_the_program_is_the_objective_of_the_run(name, rounds) -> None:
    spec, data = CASES[name]
    run = rp.fit(spec, data, max_iter=rounds)
    model = run.model()
    assert abs(rp.solve(model).objective) == pytest.approx(abs(run.objective), rel=1e-6, abs=1e-8)
    if isinstance(spec, rp.LPBoost):
        assert run.columns == len(model.edge) == run.trace[-1].detail["columns"]


def test_the_program_of_method_direct_is_the_whole_dual() -> None:
    run = rp.fit(rp.L1Linear(beta=0.01), TABLE, method="direct")
    assert abs(rp.solve(run.model()).objective) == pytest.approx(run.objective, rel=1e-6)
    assert run.columns == 8
