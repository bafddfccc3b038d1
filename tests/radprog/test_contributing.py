"""The checklists of CONTRIBUTING.md, followed: a solver and a driver (a model: the contract
test)."""

import itertools
import json
import sys

import linprog_solver
import numpy as np
import pytest
from conditional_gradient import Iterate, conditional_gradient

import radprog as rp
from radprog.decompositions.loop import Budget, GapReached, MaxIterations, Reason, run
from radprog.solvers import registry


@pytest.fixture
def linprog(monkeypatch) -> None:
    """One file among the adapters, one row of the registry."""
    monkeypatch.setitem(sys.modules, "radprog.solvers.adapters.linprog", linprog_solver)
    monkeypatch.setitem(registry.SOLVERS, "linprog", registry.SolverSpec(name="linprog"))


@pytest.mark.parametrize("method", ["direct", "dual", "colgen"])
def test_a_new_solver_solves_and_is_judged(radprog, folder, linprog, method) -> None:
    given = ("solve", "vkr", "train.csv", "--kernels", "poly:1-2", "--scale", "ball")
    found = radprog(*given, "--method", method, "--solver", "linprog", "--json", "-", "--quiet")
    result = json.loads(found.out)
    assert (result["status"], result["solver"]["name"]) == ("optimal", "linprog")
    assert result["solver"]["version"] == linprog_solver.version()
    best = rp.fit(rp.VKR(kernels="poly:1-2"), rp.read("train.csv", scale="ball"))
    assert result["objective"] == pytest.approx(best.objective, rel=1e-6)


def test_a_new_solver_is_listed_and_asked_for_its_classes_alone(radprog, folder, linprog) -> None:
    rows = json.loads(radprog("solvers", "--json", "-").out)["solvers"]
    (row,) = (row for row in rows if row["name"] == "linprog")
    assert row["installed"]
    assert {kind for kind, able in row["classes"].items() if able} == {"LP"}
    assert "linprog" in registry.offered()
    radprog.refused(
        "cannot solve programs of class", "solve", "svm", "train.csv", "--solver", "linprog"
    )


def test_a_new_driver_runs_on_the_loop() -> None:
    rng = np.random.default_rng(0)
    A, b = rng.normal(size=(30, 8)), rng.normal(size=30)

    def function(x: np.ndarray) -> tuple[float, np.ndarray]:
        return float(((A @ x - b) ** 2).sum()), 2 * A.T @ (A @ x - b)

    at = Iterate(np.full(8, 1 / 8))
    step = conditional_gradient(at, function, lambda gradient: np.eye(8)[gradient.argmin()])
    reason, trace = run(step, [GapReached(1e-3, 0.0), MaxIterations(5000)], Budget())
    assert reason is Reason.TOLERANCE
    assert len(trace) > 10
    assert all(late.bound >= early.bound for early, late in itertools.pairwise(trace))
    assert at.bound <= trace[-1].objective <= (1 + 2e-3) * at.bound
    assert at.x.sum() == pytest.approx(1.0)
    assert at.x.min() >= 0.0
    stopped, _ = run(step, [], Budget(interrupted=lambda: True))
    assert stopped is Reason.INTERRUPT
