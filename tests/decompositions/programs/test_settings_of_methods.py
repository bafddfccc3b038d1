"""Settings of the methods for the user's own programs: used, or refused by name."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import own_programs
import pyomo.environ as pyo
import pytest
from compact_models import assignment, stages
from own_programs import buy_papers, sell_papers
from refusals import refused
from small_models import small_model

import radprog as rp
from radprog.catalog import CATALOG
from radprog.cli import main
from radprog.decompositions.lpboost.votes import learner_for
from radprog.estimators import LPBoostClassifier, VKRClassifier

MODEL, STAGES = assignment(2, 8, 0), stages(3, whole=False)


FREE = rp.Restrictions()


def partition(method: Any, **settings: Any) -> Any:
    """Three rows, each covered by one of the columns of a pricer."""
    master = own_programs.partition(3, 9.0)
    price = own_programs.pricer(master, {(i,): 1.0 + i for i in range(3)})
    return method(master, lambda y, restrictions=FREE: price(y, restrictions), **settings)


def cuts(**settings: Any) -> Any:
    """A square without a corner."""
    m = small_model(lambda m: m.x + m.y, sense=pyo.maximize, x=(0, 3), y=(0, 3))
    row = m.x + m.y <= 2
    return rp.cutting_planes(m, lambda v: [row] if v[m.x] + v[m.y] > 2 + 1e-6 else [], **settings)


def blocks(**settings: Any) -> Any:
    """A product, linear in each block."""
    m = small_model(lambda m: m.u * m.v, u=(1, 2, 1.5), v=(1, 2, 1.5))
    return rp.alternate(m, [m.u, m.v], **settings)


def concave(**settings: Any) -> Any:
    """A concave objective on an interval."""
    return rp.dca(small_model(lambda m: rp.concave(-(m.x**2)), x=(-1, 2, 0.3)), **settings)


def papers(**settings: Any) -> Any:
    """Newspapers for two demands."""
    return rp.two_stage(sell_papers, [20, 50], first=buy_papers, **settings)


METHODS: dict[str, Callable[..., Any]] = {
    "column_generation": lambda **how: partition(rp.column_generation, **how),
    "branch_and_price": lambda **how: partition(rp.branch_and_price, **how),
    "cutting_planes": cuts,
    "dca": concave,
    "alternate": blocks,
    "dantzig_wolfe": lambda **how: rp.dantzig_wolfe(MODEL, **how),
    "auto": lambda **how: rp.dantzig_wolfe(MODEL, method="auto", **how),
    "auto, linear": lambda **how: rp.dantzig_wolfe(STAGES, method="auto", **how),
    "benders": lambda **how: rp.benders(STAGES, first="capacity*", **how),
    "two_stage": papers,
}


@pytest.mark.parametrize("name", METHODS)
def test_a_setting_is_used_or_refused(name: str, tmp_path: Path) -> None:
    """No method ignores a log, an option of a solver, or the name of a solver."""
    log = tmp_path / "run.log"
    if name in ("dantzig_wolfe", "benders", "two_stage"):
        refused(rp.OptionError, "leave `log` out", METHODS[name], log=str(log))
    else:
        run = METHODS[name](log=str(log))
        assert log.exists() != ("no solver was called that writes one" in run.message)
    for setting in ({"solver_options": {"nonsense": "1"}}, {"solver": "nonsense"}):
        refused(rp.OptionError, "nonsense", METHODS[name], **setting)


STORED = Path(__file__).resolve().parents[2] / "stored"
DATA = {
    "dataset": rp.read(STORED / "points.csv").take(range(0, 30, 2)),
    "partly_labelled": rp.read_partly_labelled(STORED / "part.csv"),
    "regression": rp.read_regression(STORED / "line.csv").take(range(0, 24, 3)),
    "series": rp.read_series(STORED / "series.tsv"),
}
OPTIONS: dict[str, dict[str, Any]] = {
    "simsvm": {"kernels": "laplace:0.3"},
    "complexity": {"trials": 4, "starts": 2},
    "srm": {"gammas": "0.1,1", "As": "0.1,1", "trials": 4, "folds": 3},
    "lpboost": {"length": "5", "sigma": "0.05", "max_iter": 3},
    "cdsk exact": {"clusters": 2},
    **{f"mkl {name}": {"variant": "dc", "starts": 2} for name in CATALOG["mkl"].local},
    "mkl svm": {"variant": "unif"},
    "mkl global": {"variant": "dc", "kernels": "linear,rbf:0.1,rbf:1", "C": 0.01},
}
X, Y = DATA["dataset"].X, DATA["dataset"].y
THREE = rp.dataset(X, [f"class {i % 3}" for i in range(len(X))], one_vs_rest=True)
VKR, L1SVM = rp.VKR(kernels="poly:1-2"), rp.L1SVM(kernels="poly:1")


def fit(model: str, method: str, **settings: Any) -> rp.Run:
    """The fit of a model's method to a few rows, fewer if it enumerates."""
    entry = CATALOG[model]
    options = OPTIONS.get(f"{model} {method}", OPTIONS.get(model, {}))
    data = DATA[entry.hooks.kinds[0]]
    few = data.take(range(0, data.rows, {"exact": 5, "global": 3}.get(method, 1)))
    if model == "lpboost":
        settings |= {"max_iter": options["max_iter"]}
        options = {name: value for name, value in options.items() if name != "max_iter"}
    return rp.fit(entry.spec(**options), few, method=method, **settings)


def estimate(observe: Any) -> Any:
    model = VKRClassifier(kernels="poly:1-2", verbose=observe)
    try:
        return model.fit(X, Y).run_
    finally:
        model.predict(X)  # also after a failure


class Learner:
    """A learner that is the user's: stumps, if ``watch`` does not fail."""

    def __init__(self, watch: Any) -> None:
        self.watch, self.stumps = watch, learner_for("stump", X, DATA["dataset"].codes)

    def best(self, weights: Any) -> Any:
        self.watch()
        trees, edge = self.stumps.several(weights, np.inf)
        return trees[0], edge, True


ROUNDS = ("observe", "stop", "interrupted")
CALLS: dict[str, tuple[Callable[..., Any], Sequence[str]]] = {
    **{name: (call, ROUNDS) for name, call in METHODS.items()},
    **{
        f"{name} {method}": (partial(fit, name, method), ROUNDS)
        for name, entry in CATALOG.items()
        for method in entry.methods
    },
    "grid": (
        lambda **how: rp.fit_grid([VKR, replace(VKR, lam=0.1)], DATA["dataset"], **how),
        ROUNDS,
    ),
    "classes": (partial(rp.fit, VKR, THREE), ROUNDS),
    "tune": (
        partial(rp.tune, VKR, DATA["dataset"], {"lam": [1e-3, 0.1]}, folds=2),
        ("stop", "interrupted", "watch"),
    ),
    "path": (partial(rp.path, L1SVM, DATA["dataset"], "beta=0.1..1"), ("interrupted",)),
    "solve": (partial(rp.solve, MODEL), ("interrupted",)),
    "prove": (partial(rp.solve, MODEL, prove=True), ("interrupted",)),
    "estimator": (estimate, ("observe",)),
    "votes": (lambda observe: LPBoostClassifier(verbose=observe).fit(X, Y), ("observe",)),
    "learner": (lambda learner: LPBoostClassifier(Learner(learner)).fit(X, Y), ("learner",)),
}


@pytest.mark.cases(60)
@pytest.mark.parametrize(
    ("name", "setting"),
    [(name, setting) for name, (_, names) in CALLS.items() for setting in names],
)
def test_a_failing_function_ends_every_call(name: str, setting: str) -> None:
    """Also an error of radprog's own, in a solver, a heuristic or another thread. The error is no
    solver's, and has what the call had found: nothing before the first step, or of a class."""
    call, whole, error = CALLS[name][0], None, None
    for number in (100_000, 1, 2, 7):
        calls: list[Any] = []

        def fails(*given: Any, number: int = number, calls: list[Any] = calls) -> None:
            calls.append(given)
            if len(calls) == number:
                raise rp.SolverError("no such road")

        try:
            whole, error = call(**{setting: fails}), None
        except rp.StoppedError as stopped:
            error = stopped
        except rp.OptionError as refusal:
            error = refusal
        if isinstance(error, rp.OptionError):
            assert "has no rounds: leave `stop` out" in str(error)
            return
        assert (error is None) == (len(calls) < number)
        if error is not None:
            assert re.match(rf".*{setting}\W.*failed: SolverError: no such road", str(error))
            assert error.exit_code == 2
            nothing = name == "classes" or setting in ("interrupted", "learner")
            assert type(error.run) is type(whole) or (error.run is None and nothing)


def test_a_function_that_fails_in_another_process_ends_the_fit() -> None:
    refused(rp.StoppedError, "`stop` failed: TypeError", rp.fit, VKR, THREE, jobs=2, stop=float)


@pytest.mark.parametrize("name", METHODS)
def test_a_run_of_every_method_is_drawn_and_has_a_record(name: str, tmp_path: Path) -> None:
    run = METHODS[name]()
    last = run.trace[-1]
    assert (last.objective, last.bound) == pytest.approx((run.objective, run.bound))
    assert run.status.value in repr(run)
    assert ("proved by" in repr(run)) == (getattr(run, "proved_by", None) is not None)
    rp.plot(run, file=tmp_path / "run.png")
    assert (tmp_path / "run.png").stat().st_size > 0
    with pytest.raises(rp.OptionError, match=r"rp\.plot draws it, and its check\(\)"):
        rp.save_run(run, None, tmp_path / "run.json")


@pytest.mark.parametrize("command", ["check", "report"])
def test_a_result_of_decompose_is_named_by_commands_of_fits(command: str, tmp_path, capsys) -> None:
    rp.export(MODEL, tmp_path / "plan.mps")
    file = str(tmp_path / "run.json")
    assert main(["decompose", str(tmp_path / "plan.mps"), "--json", file, "--quiet"]) == 0
    more = ["-o", str(tmp_path / "page.html")] if command == "report" else []
    assert main([command, file, *more]) == 2
    assert "not a result of radprog solve" in capsys.readouterr().err
    # an analysis has a page of its own
    assert main(["analyze", str(tmp_path / "plan.mps"), "--json", file, "--quiet"]) == 0
    assert main([command, file, *more]) == (0 if command == "report" else 2)
    if command == "report":
        assert "binding rows" in (tmp_path / "page.html").read_text()
    else:
        assert "not a result of radprog solve" in capsys.readouterr().err
