"""``analyze``: prices against finite differences, words of the paper, conflicts, refusals."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pyomo.environ as pyo
import pytest
from program_files import PLAN, lp
from small_files import write_few

import radprog as rp
from radprog.analysis.case import model_case, solved_case
from radprog.analysis.programs import Analysis, report_of
from radprog.catalog import CATALOG
from radprog.decompositions.run import RunSettings
from radprog.solvers.program import SolveSettings, Status
from radprog.solvers.registry import solve_program

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
    rng = np.random.default_rng(0)
    X, x = rng.normal(size=(16, 3)), np.linspace(-1, 1, 16)
    data = rp.dataset(X / 4, np.where(X[:, 0] * X[:, 1] + X[:, 2] / 2 > 0, 1, -1))
    if model == "svr":
        data = rp.regression_data(x[:, None], np.sinc(3 * x) + 0.1 * rng.normal(size=16))
    solved = solved_case(CATALOG[model].spec(**options), data, form)
    report, program, step = report_of(solved), solved.program, 1e-5

    def value(row: int = 0, side: str | None = None, by: float = 0.0) -> float:
        lower, upper = program.row_lower.copy(), program.row_upper.copy()
        lower[row] += by * (side in ("lower", "equal"))
        upper[row] += by * (side in ("upper", "equal"))
        there = replace(program, row_lower=lower, row_upper=upper)
        found = solve_program(there, solver, SolveSettings(tol=1e-10))
        assert found.claimed_optimal
        return solved.scale * found.objective

    base = value()
    assert report["objective"] == pytest.approx(base, rel=1e-6)
    assert solved.ranging is None or solved.ranging.degenerate == 0
    binding = [i for i, row in enumerate(report["rows"]) if row["binding"]]
    largest = max(abs(report["rows"][i]["price"]) for i in binding)
    assert largest > 0
    for i in binding[:3]:
        row = report["rows"][i]
        up, down = (value(i, row["binding"], by) for by in (step, -step))
        left, right = sorted(((base - down) / step, (up - base) / step))
        slip = tolerance * largest + 1e-12  # at a kink any price between the slopes is one
        assert left - slip <= row["price"] <= right + slip
        assert solved.ranging is None or right - left <= slip
    for row in report["rows"]:
        assert row["binding"] or (row["slack"] > 0 and abs(row["price"]) <= 1e-6 * largest)


def test_points_have_the_rows_of_the_file(radprog, folder) -> None:
    """The driver of lpdsk has its points in another order, its program that of the file."""
    lines = Path("train.csv").read_text().split("\n")[:8]
    lines[3:6] = [f"{line.rpartition(',')[0]},?" for line in lines[3:6]]
    Path("few.csv").write_text("\n".join(lines) + "\n")
    report = radprog.ok("analyze lpdsk few.csv --form weights --json a.json").json
    rows = [f"weight of row {row + 2}" for row in range(len(report["iterate"]["a"]))]
    assert [column["what"] for column in report["columns"]] == rows


def test_cluster_sizes_that_cannot_hold(radprog, folder) -> None:
    write_few(7)
    asked = "cdsk few.csv --clusters 2 --form labels --min-size 4 --json a.json"
    conditions = radprog.ok("analyze", asked).json["conflict"]["conditions"]
    assert {"size of cluster 0", "size of cluster 1"} <= {one["what"] for one in conditions}


def test_rows_that_do_not_bind_have_no_table_of_prices(radprog, empty) -> None:
    text = "max\n c: x + y\nst\n r: x + y <= 5\nbounds\n x <= 1\n y <= 1\nend\n"
    Path("free.lp").write_text(text)
    assert "prices     all are 0: no row binds" in radprog.ok("analyze", "free.lp").out


@pytest.mark.parametrize("words", ["analyze", "analyze file"])
def test_a_program_in_a_file(radprog, words, empty) -> None:
    Path("plan.lp").write_text(PLAN.format(order="x <= 7.5"))
    done = radprog.ok(words, "plan.lp --json a.json")
    assert "plan.lp: LP with 3 rows, 3 columns" in done.out
    assert "prices     change of the objective for a unit more of the right-hand side" in done.out
    found = done.json
    assert found["model"] == "plan.lp"
    rows = {row["name"]: row for row in found["rows"]}
    assert (rows["hours"]["price"], rows["steel"]["price"]) == (1.0, 1.0)
    # the optimum is linear in a bound within its range: solved again at both ends
    for end, value in zip(rows["steel"]["range"], rows["steel"]["objective_at_ends"], strict=True):
        Path("end.lp").write_text(PLAN.format(order="x <= 7.5").replace("14", f"{end}"))
        assert rp.solve("end.lp").objective == pytest.approx(value)


def test_a_ray_of_an_unbounded_file(radprog, empty) -> None:
    Path("plan.lp").write_text(lp("3 x - z", "r: x - 2 y + z <= 4", sense="Maximize"))
    done = radprog.ok("analyze plan.lp --top 1 --json a.json")
    ray = {one["name"]: one["value"] for one in done.json["ray"]}
    assert done.json["status"] == "unbounded"
    assert 3 * ray["x"] > ray.get("z", 0.0) >= 0.0
    assert ray["x"] - 2 * ray["y"] + ray.get("z", 0.0) <= 0.0
    first = done.json["ray"][0]
    line = f"along {first['name']} {first['value']:+.4g} and {len(ray) - 1} more"
    assert line in done.out


def test_a_conflict_of_integers_by_a_solver_s_claim_alone(radprog, empty) -> None:
    rows = "a: x + y = 1;b: y + z = 1;c: x + z = 1"
    Path("odd.lp").write_text(lp("x", rows, "Binary\n x\n y\n z\n"))
    done = radprog("analyze odd.lp --top 1 --json a.json")
    count = len(done.json["conflict"]["conditions"])
    assert done.code == 1
    assert f'{count - 1} more: --top {count}, or "conflict" of the JSON' in done.out
    assert "`radprog prove FILE` or rp.solve(model, prove=True)" in done.out
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
    listed = done.json["solutions"]["list"]
    found = [rp.certify("plan.mps", f"next-{k}.sol") for k in (1, 2, 3)]
    assert [one.objective for one in found] == [one["objective"] for one in listed]
    assert {str(one.status) for one in found} <= {"optimal", "feasible"}


@pytest.mark.parametrize("whole", [False, True])
def test_the_optimum_is_written_as_a_file(radprog, empty, whole) -> None:
    end = "General\n x\n" * whole
    Path("p.lp").write_text(lp("x + 2 y", "a: 3 x + y >= 5.2;b: x - y <= 1", end))
    done = radprog.ok("analyze p.lp -o best.sol --json a.json")
    assert "best.sol is written\n" in done.err
    found = rp.certify("p.lp", "best.sol")
    assert (found.objective, found.agrees) == (done.json["objective"], True)
    assert found.status in (("feasible", "optimal") if whole else ("optimal",))
    # a ray is no point
    Path("q.lp").write_text(lp("x", "a: x >= 1;b: x <= 0"))
    done = radprog("analyze q.lp -o none.sol")
    assert "none.sol: not written, as there is no point" in done.err
    assert not Path("none.sol").exists()


@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("status", [Status.OPTIMAL, Status.FEASIBLE, Status.LIMIT])
def test_other_optimal_points_need_an_optimum(status, whole) -> None:
    """Of a stopped search, they are those of the program with the integers fixed, and say so."""
    model = pyo.ConcreteModel()
    model.k = pyo.Var(bounds=(0, 3), domain=pyo.Integers if whole else pyo.Reals)
    model.x = pyo.Var(range(2), bounds=(0, 9))
    model.cost = pyo.Objective(expr=model.k + model.x[0] + model.x[1])
    model.need = pyo.Constraint(expr=5 * model.k + model.x[0] + model.x[1] >= 18)
    solved = model_case(model, RunSettings())
    stopped = replace(solved.solution, status=status)
    solved = replace(solved, solution=stopped, priced=solved.priced if whole else stopped)
    report = Analysis(report_of(solved))
    lines = [line for line in str(report).splitlines() if line.startswith("optimum")]
    assert len(lines) == (whole or status is Status.OPTIMAL)
    assert all(("with the integers fixed at these values" in line) == whole for line in lines)


def test_rounding_of_a_point_is_printed_as_0(tmp_path) -> None:
    """The numbers of the report stay as they are."""
    program = lp("x + y", "a: x + y >= 1;b: x - y <= 1", "Bounds\n y <= 9\n")
    (tmp_path / "plan.lp").write_text(program)
    report, noise = rp.analyze(tmp_path / "plan.lp"), 1.77e-15
    for row in report["rows"]:
        row["slack"], row["activity"], row["binding"] = noise, -noise, None
    for column in report["columns"]:
        column["value"] = noise
    assert "77e-15" not in str(report)
    report["columns"][0]["value"] = 1.77e-9
    assert "77e-09" in str(report)


PATH = ("analyze", "vkr", "train.csv", "--scale", "ball", "--kernels", "poly:1-2")


@pytest.mark.thorough
def test_the_whole_path(radprog, folder) -> None:
    files = "--json path.json --plot path.png"
    done = radprog.ok(*PATH, "--path beta=1e-3..1", files)
    block = done.json
    pieces = block["pieces"]
    assert [piece["to"] for piece in pieces[:-1]] == block["breakpoints"]
    assert [piece["from"] for piece in pieces[1:]] == block["breakpoints"]
    assert (pieces[0]["from"], pieces[-1]["to"]) == (1e-3, 1.0)
    assert (block["complete"], block["certified"]) == (True, True)
    assert block["gap"] < 1e-8
    assert f"{len(pieces)} pieces" in done.out
    assert Path("path.png").read_bytes()[:4] == b"\x89PNG"


def test_a_path_cut_off_exits_with_1(radprog, folder) -> None:
    done = radprog(*PATH, "--path", "beta=1e-4..1", "--time-limit", "0.001", "--json", "-")
    assert done.code == 1
    block = done.json
    assert (block["complete"], block["certified"]) == (False, False)
    assert "STOPPED" in done.err
