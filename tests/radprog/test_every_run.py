"""What holds for the run of every model and method."""

import pickle
import pydoc
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from cut_off import polled

import radprog as rp
from radprog.base.limits import never
from radprog.catalog import CATALOG
from radprog.decompositions.loop import Reason
from radprog.decompositions.lpboost import shapelets
from radprog.solvers import registry
from radprog.solvers.adapters import highs
from radprog.solvers.compile import compile_model
from radprog.solvers.program import Status


def points(n: int = 24, seed: int = 0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    y = np.where(X[:, 0] + 0.4 * rng.normal(size=n) > 0, 1, -1)
    X[y > 0] += 1.0
    return X, y


def data_of(model: str, few: bool = False):
    """A small data set of the model's kind."""
    X, y = points(8 if few or model == "complexity" else 24)
    if model == "lpboost":
        rng = np.random.default_rng(0)
        return rp.series(np.cumsum(rng.normal(size=(14, 10)) + y[:14, None] * 0.1, axis=1), y[:14])
    if model in ("svr", "srm", "complexity"):
        return rp.regression_data(X[:, :1], np.sin(2.0 * X[:, 0]), name="sine")
    if model == "cdsk":
        return rp.partly_labelled(X[:9], [None] * len(X[:9]))
    if model == "lpdsk":
        return rp.partly_labelled(X, [int(v) if 2 * i < len(y) else None for i, v in enumerate(y)])
    return rp.dataset(X, y)


@dataclass(frozen=True)
class Case:
    """A model with options and run settings."""

    model: str
    options: dict[str, Any] = field(default_factory=dict)
    settings: dict[str, Any] = field(default_factory=dict)

    def fit(self, data=None, **settings):
        spec = CATALOG[self.model].spec(**self.options)
        return rp.fit(spec, data or data_of(self.model), **{**settings, **self.settings})

    def __str__(self) -> str:
        return "-".join(map(str, (self.model, *self.options.values(), *self.settings.values())))


KERNELS = {"kernels": "rbf:0.5,poly:2"}
SVR = {"kernels": "rbf:1", "eps_up": 0.5, "A": 2.0}
SOLVED = [
    Case("vkr", KERNELS),
    Case("vkr", KERNELS, {"solver": "pyomo:highs"}),
    *(Case("vkr", KERNELS, {"method": method}) for method in ("direct", "dual")),
    Case("l1svm", {"kernels": "poly:2"}),
    Case("svm", {"kernels": "rbf:1"}, {"solver": "piqp"}),
    Case("l1linear", {"beta": 0.01}, {"solver": "pyomo:highs"}),
    Case("lpboost"),
    Case("mkl", {**KERNELS, "norm": 2.0}, {"solver": "highs"}),
    Case("mkl", KERNELS, {"method": "qcqp"}),
    Case("svr", SVR, {"solver": "clarabel", "max_iter": 2}),
    Case("lpdsk", {}, {"solver": "piqp", "max_iter": 2}),
    Case("cdsk", {"clusters": 2}, {"method": "exact", "solver": "scip"}),
    Case("simsvm", {"kernels": "rbf:1"}, {"method": "dual", "solver": "piqp"}),
    Case("simsvm", {"kernels": "rbf:1"}, {"method": "primal", "solver": "piqp"}),
]


@pytest.mark.cases(8)
@pytest.mark.thorough
@pytest.mark.parametrize("case", SOLVED, ids=str)
def test_a_run_is_pickled_with_its_program(case) -> None:
    run = case.fit()
    again = pickle.loads(pickle.dumps(run))  # noqa: S301
    assert (again.objective, again.bound, again.status) == (run.objective, run.bound, run.status)
    assert (again.times, set(run.times)) == (run.times, {"kernels", "build", "solve", "total"})
    assert run.times["kernels"] + run.times["solve"] <= run.times["total"] * (1 + 1e-12)
    first, second = compile_model(run.model()), compile_model(again.model())
    assert first.column_names == second.column_names
    assert np.array_equal(first.cost, second.cost)
    assert np.array_equal(first.rows.data, second.rows.data)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("case", "place"),
    [
        (Case("svm", {"kernels": "rbf:1"}), "models.svm.Image.dual"),
        (Case("simsvm", {"kernels": "rbf:1"}), "similarity.simsvm.SimilaritySvm.dual_value"),
        (Case("l1linear"), "models.linear.problem.LinearProblem.dual_bound"),
        (Case("lpboost"), "lpboost.weak_learners.SingleShapelets.bound"),
        (Case("mkl", {"kernels": "rbf:1,poly:2"}), "mkl.fit.MultipleKernels.dual_bound"),
        (Case("svr", SVR, {"method": "global"}), "regression.fit.least_bound"),
        (Case("vkr", KERNELS), "models.vkr.programs.VotedKernels.dual_bound"),
    ],
    ids=str,
)
def test_a_bound_beyond_the_objective_fails_the_run(case, place, monkeypatch) -> None:
    """An evaluation that errs by 1e-7, towards the certificate, is seen."""
    home = "radprog." if place.startswith("models") else "radprog.decompositions."
    factor = 1.0 - 1e-7 if case.model == "lpboost" else 1.0 + 1e-7
    assert case.fit(tol=1e-8).certified
    true = pydoc.locate(home + place)

    def off(*given, **more):
        bound = true(*given, **more)  # or a pair of it and the multipliers that give it
        return (factor * bound[0], *bound[1:]) if isinstance(bound, tuple) else factor * bound

    monkeypatch.setattr(home + place, off)
    run = case.fit(tol=1e-8)
    assert run.status is Status.FAILED
    assert not run.certified
    assert not CATALOG[case.model].ended(run)
    (told,) = [text for text in run.warnings if "beyond" in text]
    assert repr(run.objective) in told
    assert repr(run.bound) in told


@pytest.mark.parametrize("case", SOLVED, ids=str)
def test_what_the_solver_is_told(case, monkeypatch) -> None:
    """The time that is left, seed, options and threads reach every solver of a run."""
    told = []
    live = []  # a live master's time is that of the budget of each solve
    solve, start = registry.SolverSpec.solve, highs.new_highs

    def solved(self, program, settings, **more):
        told.append(settings)
        return solve(self, program, settings, **more)

    def started(settings, **own):
        live.append(settings)
        return start(settings, **own)

    monkeypatch.setattr(registry.SolverSpec, "solve", solved)
    monkeypatch.setattr("radprog.decompositions.drivers.masters.new_highs", started)
    threads = 1 if case.model == "svr" else 2
    case.fit(time_limit=1e4, seed=7, threads=threads)
    assert told or live
    assert {(asked.seed, asked.threads) for asked in told + live} == {(7, threads)}
    assert all(asked.interrupted is not never for asked in told + live)
    assert all(asked.time_limit is not None and 0 < asked.time_limit < 1e4 for asked in told)


VARIANTS = {"global": "dc", "hybrid": "dc", "dca": "dc", "algorithm1": "dc", "svm": "unif"}
ITERATED = {"vkr": KERNELS, "l1svm": {"kernels": "poly:2"}, "l1linear": {}, "lpdsk": {}, "svr": SVR}
ITERATED |= {"cdsk": {"clusters": 2}, "mkl": KERNELS}
CUT_OFF = [
    Case(model, given | {"variant": VARIANTS.get(method, "conv")} if model == "mkl" else given,
         {"method": method})
    for model, given in ITERATED.items() for method in CATALOG[model].methods
]  # fmt: skip
CUT_OFF += [
    Case("mkl", {**KERNELS, "loss": "squared"}),
    *(Case("cdsk", {"clusters": 2, "objective": one}) for one in ("ncut", "scaled", "ise")),
    *(Case("lpboost", {"learner": one}) for one in ("shapelet", "l1", "rkhs")),
    *(Case("lpboost", {"pattern_kernel": one, "radius": 3.0}) for one in ("distance", "linear")),
]
SMALL = {"exact", "global"}


@pytest.mark.cases(8)
@pytest.mark.parametrize("case", CUT_OFF, ids=str)
def test_wherever_it_is_cut_off(case, monkeypatch) -> None:
    """An error before the first step, and after it an answer that is certified in full."""
    if "radius" in case.options:  # tables are streamed
        monkeypatch.setattr(shapelets, "STORED_LIMIT", 0)
    data, finished = data_of(case.model, few=case.settings.get("method") in SMALL), []
    full = case.fit(data)
    for polls in (0, 1, 13, 26, 50, 100, 400, 20000):
        flag, asked = polled(polls)
        try:
            run = case.fit(data, interrupted=flag)
        except rp.UnfinishedError:
            assert not finished
            continue
        finished.append(polls)
        assert run.certified or (run.stopped_by is Reason.INTERRUPT) == (len(asked) > polls)
        assert rp.check(run, data)["problems"] == []
        assert len(run.fit.predict(data.X)) == data.rows
        if full.certified and run.bound is not None and case.model not in ("cdsk", "lpdsk"):
            sense = run.spec.sense
            assert sense * (run.bound - full.objective) <= 1e-9 * abs(full.objective)
            assert sense * (full.bound - run.objective) <= 1e-9 * abs(full.objective)
    assert 0 not in finished
    assert finished
