"""Bad input: exit code 2 or 3, one line that says what is wrong, and no file left."""

from pathlib import Path

SOLVE = ("solve", "vkr")


def test_a_solver_that_is_not_installed(radprog, folder, monkeypatch) -> None:
    from radprog.solvers.registry import SolverSpec

    monkeypatch.setattr(SolverSpec, "installed", lambda self: False)
    for name in ("scip", "pyomo:gurobi"):
        found = radprog(*SOLVE, "train.csv", "--method", "direct", "--solver", name)
        assert (found.code, f"{name} is not installed" in found.error) == (3, True)
    found = radprog(*SOLVE, "train.csv", "--method", "direct", "--solver", "gurobi")
    assert (found.code, found.error.endswith("write pyomo:gurobi")) == (2, True)


def test_warning_above_degree_4(radprog, folder) -> None:
    lines = [f"{10 * i},{-7 * i},{'ab'[i % 2]}" for i in range(12)]
    Path("wide.csv").write_text("\n".join(lines) + "\n")
    found = radprog(*SOLVE, "wide.csv", "--kernels", "poly:1-5")
    assert found.code in (0, 1)
    assert "consider scale=" in found.err
    assert "consider" not in radprog(*SOLVE, "wide.csv", "--kernels", "poly:1-4").err


def test_debug_shows_the_traceback(radprog, folder) -> None:
    found = radprog(*SOLVE, "nobody.csv", "--debug")
    assert found.code == 2
    assert "Traceback" in found.err
