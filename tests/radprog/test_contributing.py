"""The checklists of CONTRIBUTING.md, followed: a solver and a driver (a model: the contract
test)."""

import sys

import linprog_solver
import pytest

import radprog as rp
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
    result = found.json
    assert (result["status"], result["solver"]["name"]) == ("optimal", "linprog")
    assert result["solver"]["version"] == linprog_solver.version()
    best = rp.fit(rp.VKR(kernels="poly:1-2"), rp.read("train.csv", scale="ball"))
    assert result["objective"] == pytest.approx(best.objective, rel=1e-6)
