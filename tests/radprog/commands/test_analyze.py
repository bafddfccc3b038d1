"""``analyze``: prices against finite differences, words of the paper, conflicts, refusals."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyomo.environ as pyo
import pytest
from program_files import PLAN
from small_files import write_few

import radprog as rp
from radprog.analysis.case import model_case, solved_case
from radprog.analysis.programs import Analysis, report_of
from radprog.catalog import CATALOG
from radprog.cli import main
from radprog.decompositions.run import RunSettings
from radprog.solvers.program import Program, SolveSettings, Status
from radprog.solvers.registry import solve_program

STEP = 1e-5


def data(n: int = 16, seed: int = 0):
    X = np.random.default_rng(seed).normal(size=(n, 3))
    return rp.dataset(X / 4, np.where(X[:, 0] * X[:, 1] + X[:, 2] / 2 > 0, 1, -1))


def case(model: str, form: str, n: int = 16, seed: int = 0, **options: Any):
    entry = CATALOG[model]
    if model == "svr":
        x = np.linspace(-1, 1, n)[:, None]
        y = np.sinc(3 * x[:, 0]) + 0.1 * np.random.default_rng(seed).normal(size=n)
        points: Any = rp.regression_data(x, y)
    else:
        points = data(n, seed)
    return solved_case(entry.spec(**options), points, form)


def value(program: Program, solver: str) -> float:
    found = solve_program(program, solver, SolveSettings(tol=1e-10))
    assert found.claimed_optimal
    assert found.objective is not None
    return found.objective


def moved(program: Program, row: int, side: str, by: float) -> Program:
    lower, upper = program.row_lower.copy(), program.row_upper.copy()
    if side in ("lower", "equal"):
        lower[row] += by
    if side in ("upper", "equal"):
        upper[row] += by
    return replace(program, row_lower=lower, row_upper=upper)


PRICED = [
    ("vkr", "primal", {"kernels": "poly:1-2"}, "highs", 1e-4),
    ("vkr", "dual", {"kernels": "poly:1-2"}, "highs", 1e-4),
    ("vkr", "budget", {"kernels": "poly:1-2", "rho": 0.4}, "highs", 1e-4),
    ("svm", "dual", {"kernels": "rbf:1", "C": 2.0}, "piqp", 1e-2),
    ("simsvm", "primal", {"kernels": "laplace:1", "lam": 0.05}, "piqp", 1e-2),
    ("simsvm", "dual", {"kernels": "laplace:1", "lam": 0.05}, "piqp", 1e-2),
    ("svr", "step", {"gamma": 1.0, "C": 1.0}, "piqp", 1e-2),
    ("svr", "step-dual", {"gamma": 1.0, "C": 1.0}, "piqp", 1e-2),
]


@pytest.mark.parametrize(("model", "form", "options", "solver", "tolerance"), PRICED)
def test_prices_are_finite_differences(model, form, options, solver, tolerance) -> None:
    """Of the objective that is reported, for a unit more of the side that binds; rows that do not
    bind have no price."""
    solved = case(model, form, **options)
    if solved.ranging is not None:
        assert solved.ranging.degenerate == 0
    report = report_of(solved)
    program, scale = solved.program, solved.scale
    base = value(program, solver)
    assert report["objective"] == pytest.approx(scale * base, rel=1e-6)
    binding = [i for i, row in enumerate(report["rows"]) if row["binding"]]
    assert binding
    largest = max(abs(report["rows"][i]["price"]) for i in binding)
    assert largest > 0
    for i in binding[:3]:
        row = report["rows"][i]
        up = value(moved(program, i, row["binding"], STEP), solver)
        down = value(moved(program, i, row["binding"], -STEP), solver)
        left, right = sorted((scale * (base - down) / STEP, scale * (up - base) / STEP))
        slip = tolerance * largest + 1e-12  # at a kink any price between the slopes is one
        assert left - slip <= row["price"] <= right + slip
        if solved.ranging is not None:
            assert right - left <= slip
    for i, row in enumerate(report["rows"]):
        if not row["binding"]:
            assert row["slack"] > 0
            assert abs(row["price"]) <= 1e-6 * largest
            side = "lower" if np.isfinite(program.row_lower[i]) else "upper"
            by = min(row["slack"], STEP) / 2 * (1 if side == "lower" else -1)
            assert value(moved(program, i, side, by), solver) == pytest.approx(base, rel=1e-7)
            break


def run_analyze(radprog, *options: object, file: str = "train.csv") -> dict[str, Any]:
    done = radprog.ok("analyze", *options[:1], file, *options[1:], "--json", "a.json")
    report: dict[str, Any] = json.loads(Path("a.json").read_text())
    report["text"] = done.out
    return report


def test_points_have_the_rows_of_the_file(radprog, folder) -> None:
    """The driver of lpdsk has its points in another order, its program that of the file."""
    lines = Path("train.csv").read_text().split("\n")[:8]
    lines[3:6] = [f"{line.rpartition(',')[0]},?" for line in lines[3:6]]
    Path("few.csv").write_text("\n".join(lines) + "\n")
    report = run_analyze(radprog, "lpdsk", "--form", "weights", file="few.csv")
    rows = [f"weight of row {row + 2}" for row in range(len(report["iterate"]["a"]))]
    assert [column["what"] for column in report["columns"]] == rows


def test_cluster_sizes_that_cannot_hold(radprog, folder) -> None:
    write_few(7)
    report = run_analyze(radprog, "cdsk", "--clusters", 2, "--form", "labels", "--min-size", 4,
                         file="few.csv")  # fmt: skip
    conflict = report["conflict"]
    assert conflict["irreducible"]
    words = [condition["what"] for condition in conflict["conditions"]]
    assert {"size of cluster 0", "size of cluster 1"} <= set(words)
    assert all(weight["weight"] is not None for weight in conflict["conditions"])
    assert "size of cluster 1 >= 4" in report["text"]
    # exported, they are expected to be infeasible
    asked = ("few.csv", "--clusters", 2, "--form", "labels", "--min-size")
    done = radprog("export", "cdsk", *asked, 4, "-o", "p.lp")
    assert (done.code, "expected infeasible" in done.err) == (0, True)
    names = json.loads(Path("p.lp.names.json").read_text())
    assert (names["expected_status"], names["expected_objective"]) == ("infeasible", None)
    done = radprog("verify", "p.lp", "--solver", "scip")
    assert (done.code, "expected infeasible" in done.out, "agrees" in done.out) == (0, True, True)
    assert radprog("export", "cdsk", *asked, 3, "-o", "p.lp").code == 0
    assert "expected_status" not in Path("p.lp.names.json").read_text()


def contradiction() -> None:
    """train.csv's first rows, and row 4 once more with the other label."""
    lines = Path("train.csv").read_text().split("\n")[:10]
    point, _, label = lines[3].rpartition(",")
    Path("c.csv").write_text("\n".join([*lines, f"{point},{'no' if label == 'yes' else 'yes'}"]))


def test_contradictory_examples_of_a_hard_margin(radprog, folder) -> None:
    contradiction()
    report = run_analyze(radprog, "vkr", "--kernels", "rbf:1", "--fix", "shortfall=0", file="c.csv")
    conflict = report["conflict"]
    assert (report["status"], report["objective"]) == ("infeasible", None)
    assert [c["what"] for c in conflict["conditions"]] == ["margin of row 4", "margin of row 11"]
    assert [(c["side"], c["bound"]) for c in conflict["conditions"]] == [(">=", 1), (">=", 1)]
    assert [c["weight"] for c in conflict["conditions"]] == pytest.approx([0.5, 0.5])
    assert conflict["irreducible"]
    assert "margin of row 11 >= 1" in report["text"]
    assert "add up to 0 >= 1" in report["text"]


@pytest.mark.parametrize("words", [["analyze"], ["analyze", "file"]])
def test_a_program_in_a_file(words, tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    Path("plan.lp").write_text(PLAN.format(order="x <= 7.5"))
    assert main([*words, "plan.lp", "--json", "a.json"]) == 0
    printed = capsys.readouterr().out
    assert "plan.lp: LP with 3 rows, 3 columns" in printed
    assert "prices     change of the objective for a unit more of the right-hand side" in printed
    found = json.loads(Path("a.json").read_text())
    assert (found["model"], found["groups"]) == ("plan.lp", [])
    rows = {row["name"]: row for row in found["rows"]}
    assert (rows["hours"]["price"], rows["steel"]["price"]) == (1.0, 1.0)
    # the optimum is linear in a bound within its range: solved again at both ends
    for end, value in zip(rows["steel"]["range"], rows["steel"]["objective_at_ends"], strict=True):
        Path("end.lp").write_text(PLAN.format(order="x <= 7.5").replace("14", f"{end}"))
        assert rp.solve("end.lp").objective == pytest.approx(value)


def test_a_ray_of_an_unbounded_file(tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    Path("plan.lp").write_text("Maximize\n p: 3 x - z\nSubject To\n r: x - 2 y + z <= 4\nEnd\n")
    assert main(["analyze", "plan.lp", "--top", "1", "--json", "a.json"]) == 0
    found = json.loads(Path("a.json").read_text())
    ray = {one["name"]: one["value"] for one in found["ray"]}
    assert found["status"] == "unbounded"
    assert 3 * ray["x"] > ray.get("z", 0.0) >= 0.0
    assert ray["x"] - 2 * ray["y"] + ray.get("z", 0.0) <= 0.0
    first = found["ray"][0]
    line = f"along {first['name']} {first['value']:+.4g} and {len(ray) - 1} more"
    assert line in capsys.readouterr().out


def test_a_conflict_of_integers_by_a_solver_s_claim_alone(tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    rows = " a: x + y = 1\n b: y + z = 1\n c: x + z = 1\n"
    Path("odd.lp").write_text(f"Minimize\n o: x\nSubject To\n{rows}Binary\n x\n y\n z\nEnd\n")
    assert main(["analyze", "odd.lp", "--top", "1", "--json", "a.json"]) == 1
    printed, found = capsys.readouterr().out, json.loads(Path("a.json").read_text())
    count = len(found["conflict"]["conditions"])
    assert f'{count - 1} more: --top {count}, or "conflict" of the JSON' in printed
    assert "`radprog prove FILE` or rp.solve(model, prove=True)" in printed
    assert "failed: highs claims infeasible, not proved" in str(rp.solve("odd.lp"))
    assert rp.solve("odd.lp", prove=True).status == "infeasible"


def test_solutions_are_written_as_files(radprog, folder) -> None:
    """Each file is a point of the program with the objective that the analysis lists."""
    model = pyo.ConcreteModel()
    model.x = pyo.Var(range(4), domain=pyo.Binary)
    model.room = pyo.Constraint(expr=sum((2 + j) * model.x[j] for j in range(4)) <= 8)
    model.gain = pyo.Objective(expr=sum((3 + j) * model.x[j] for j in range(4)), sense=-1)
    rp.export(model, "plan.mps")
    done = radprog.ok("analyze plan.mps --solutions 3 -o next.sol --json a.json --quiet")
    assert done.out == ""
    listed = json.loads(Path("a.json").read_text())["solutions"]["list"]
    found = [rp.certify("plan.mps", f"next-{k}.sol") for k in (1, 2, 3)]
    assert [one.objective for one in found] == [one["objective"] for one in listed]
    assert {str(one.status) for one in found} <= {"optimal", "feasible"}
    radprog.refused("output: expected --solutions", "analyze plan.mps -o next.sol")


@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("status", [Status.OPTIMAL, Status.FEASIBLE, Status.LIMIT])
def test_other_optimal_points_need_an_optimum(status, whole) -> None:
    """Of a stopped search, they are those of the program with the integers fixed, and say so."""
    model = pyo.ConcreteModel()
    model.k = pyo.Var(bounds=(0, 3), domain=pyo.Integers if whole else pyo.Reals)
    model.x = pyo.Var(range(2), bounds=(0, 9))
    model.cost = pyo.Objective(expr=model.k + model.x[0] + model.x[1])
    model.need = pyo.Constraint(expr=5 * model.k + model.x[0] + model.x[1] >= 18)
    solved = model_case(model, (), RunSettings())
    stopped = replace(solved.solution, status=status)
    solved = replace(solved, solution=stopped, priced=solved.priced if whole else stopped)
    report = Analysis(report_of(solved))
    lines = [line for line in str(report).splitlines() if line.startswith(("optimum", "another"))]
    assert len(lines) == 2 * (whole or status is Status.OPTIMAL)
    assert all(("with the integers fixed at these values" in line) == whole for line in lines)


def test_rounding_of_a_point_is_printed_as_0(tmp_path) -> None:
    """The numbers of the report stay as they are."""
    (tmp_path / "plan.lp").write_text(
        "min\n o: x + y\nst\n a: x + y >= 1\n b: x - y <= 1\nbounds\n y <= 9\nend\n"
    )
    report = rp.analyze(tmp_path / "plan.lp")
    noise = 1.77e-15
    for row in report["rows"]:
        row["slack"], row["activity"], row["binding"] = noise, -noise, None
    for column in report["columns"]:
        column["value"] = noise
    assert report["columns"][0]["value"] == noise
    assert "77e-15" not in str(report)
    report["columns"][0]["value"] = 1.77e-9
    assert "77e-09" in str(report)
