"""Bad input: exit code 2 or 3, one line that says what is wrong, and no file left."""

from pathlib import Path

SOLVE = ("solve", "vkr")


def test_a_solver_that_is_not_installed(radprog, folder, monkeypatch) -> None:
    from radprog.solvers.registry import SolverSpec

    lacks = "solver {} is not installed"
    monkeypatch.setattr(SolverSpec, "missing", lambda self: lacks.format(self.name))
    for name in ("scip", "pyomo:gurobi"):
        found = radprog(*SOLVE, "train.csv", "--method", "direct", "--solver", name)
        assert (found.code, f"{name} is not installed" in found.error) == (3, True)
    found = radprog(*SOLVE, "train.csv", "--method", "direct", "--solver", "gurobi")
    assert (found.code, found.error.endswith("write pyomo:gurobi")) == (2, True)


def test_debug_shows_the_traceback(radprog, folder) -> None:
    found = radprog(*SOLVE, "nobody.csv", "--debug")
    assert found.code == 2
    assert "Traceback" in found.err


def test_files_given_for_one_another(radprog, folder) -> None:
    linear = ("train.csv", "--kernels", "linear")
    radprog(*SOLVE, *linear, "--json", "run.json", "--save", "fit.json")
    assert "a saved fit, expected a result" in radprog("check", "fit.json", "train.csv").error
    assert (
        "a saved fit, expected a result" in radprog("report", "fit.json", "-o", "page.html").error
    )
    assert (
        "a result, expected a saved fit"
        in radprog("predict", "run.json", "test.csv", "-o", "o.csv").error
    )
    assert "not beside it" in radprog("verify", "train.csv").error
    assert "no such file" in radprog("verify", "nobody.mps").error
    Path("plan.mps").write_text("NAME plan\nROWS\n N cost\n")
    assert "plan.mps: a file of a program" in radprog(*SOLVE, "plan.mps").error
    found = radprog("check", "run.json", "test.csv")
    assert found.code == 1
    assert found.out.count("DOES NOT HOLD") <= 2  # another file, and perhaps of another size
    assert "the numbers differ" in found.out
