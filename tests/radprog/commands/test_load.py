"""``load``: solutions of other programs, certified on the data again."""

import contextlib
import gzip
import io
import json
import re
import shutil
from pathlib import Path
from typing import Any

import pyscipopt
import pytest
from program_files import write_highs_solution
from small_files import write_few, write_series
from written import result_in

from radprog.cli import main

OPTIONS = {
    "vkr": ("--kernels", "poly:1-2", "--complexity", "montecarlo", "--trials", 50, "--seed", 5),
    "l1svm": ("--kernels", "poly:2", "--beta", 0.01),
    "svm": ("--kernels", "poly:2", "--C", 2),
    "mkl": ("--kernels", "rbf:0.1,rbf:10", "--C", 2),
    "simsvm": ("--kernels", "laplace:1", "--lam", 0.05),
}
SVR = ("--gamma", 1, "--A", 0.3)


def export(radprog, model: str, form: str, file: str, data: str = "train.csv") -> None:
    options = (*OPTIONS[model], "--scale", "ball") if model in OPTIONS else SVR
    radprog.ok("export", model, data, *options, "--form", form, "-o", file, "--quiet")


def highs(file: str) -> str:
    write_highs_solution(file, "highs.sol")
    return "highs.sol"


def scip(file: str, target: str = "scip.sol") -> str:
    model = pyscipopt.Model()
    model.hideOutput()
    model.readProblem(file)
    model.setParam("limits/totalnodes", 500)  # its point is enough
    model.setParam("limits/time", 60.0)
    model.optimize()
    model.writeBestSol(target)
    return target


def load(radprog, solution: str, file: str, *options: object, data: str = "train.csv"):
    done = radprog("load", solution, "--names", f"{file}.names.json", "--data", data,
                   "--json", "run.json", *options)  # fmt: skip
    result: dict[str, Any] = result_in("run.json") if done.code < 2 else {}
    if result:
        assert radprog("check", "run.json", data).code == 0
    return done, result


def solve(radprog, model: str) -> dict[str, Any]:
    options = (*OPTIONS[model], "--scale", "ball")
    done = radprog.ok("solve", model, "train.csv", *options, "--tol 1e-9 --json - --quiet")
    return json.loads(done.out)


FORMS = [("vkr", "primal"), ("vkr", "dual"), ("vkr", "master"), ("l1svm", "dual"), ("svm", "dual"),
         ("simsvm", "primal"), ("simsvm", "dual")]  # fmt: skip


CERTIFIED = [
    pytest.param(*pair, suffix, marks=[pytest.mark.slow] if place and suffix != ".lp" else [])
    for place, pair in enumerate(FORMS)
    for suffix in (".lp", ".mps.gz")
]


@pytest.mark.parametrize(("model", "form", "suffix"), CERTIFIED)
def test_a_solution_with_duals_is_certified(radprog, folder, model, form, suffix) -> None:
    """Its certificate is the one that the model's own method has."""
    export(radprog, model, form, f"p{suffix}")
    plain = f"p{suffix}"
    if suffix.endswith(".gz"):
        plain = "plain.mps"
        Path(plain).write_bytes(gzip.decompress(Path(f"p{suffix}").read_bytes()))
    done, result = load(radprog, highs(plain), f"p{suffix}", "--save", "fit.json")
    assert (done.code, result["certified"]) == (0, True), done.err
    own = solve(radprog, model)
    assert result["objective"] == pytest.approx(own["objective"], rel=2e-6)
    assert result["bound"] == pytest.approx(own["bound"], rel=2e-6)
    assert (result["model"], result["method"]) == (model, "load")
    assert result["loaded"][0]["form"] == form
    assert result["solver"]["name"] == "highs"
    assert result["params"]["kernels"] == own["params"]["kernels"]
    assert radprog("predict", "fit.json", "test.csv", "-o", "out.csv").code == 0


def test_without_duals_there_is_no_bound(radprog, folder) -> None:
    export(radprog, "vkr", "primal", "p.lp")
    done, result = load(radprog, scip("p.lp"), "p.lp")
    assert (done.code, result["bound"], result["gap"]) == (0, None, None)
    assert (result["status"], result["certified"]) == ("feasible", False)
    assert result["objective"] == pytest.approx(solve(radprog, "vkr")["objective"], rel=1e-6)
    assert "holds no duals: export the form dual, and load its solution beside this one" in done.err
    assert "bound      none: not certified: scip.sol holds no duals: export" in done.out
    # the points of a restricted dual are its row duals, which SCIP does not write
    export(radprog, "vkr", "master", "m.lp")
    refused, _ = load(radprog, scip("m.lp"), "m.lp")
    assert (refused.code, "as SCIP writes no row duals" in refused.error) == (2, True)


def test_a_form_of_its_own_is_sent_to_certify(radprog, folder) -> None:
    """An optimal solution of the form budget is none of (1), and no tolerance mends that."""
    export(radprog, "vkr", "budget", "b.lp")
    done, result = load(radprog, highs("b.lp"), "b.lp")
    assert (done.code, result["certified"]) == (1, False)
    command = "radprog certify b.lp highs.sol"
    assert f"'{command}'" in done.err
    assert "smaller tolerance" not in done.err
    assert radprog(*command.split()[1:]).code == 0


def test_a_dual_point_beyond_its_box_is_moved_with_a_word(radprog, folder) -> None:
    export(radprog, "vkr", "dual", "d.lp")
    text = Path(highs("d.lp")).read_text()
    inside, _ = load(radprog, "highs.sol", "d.lp")
    # one weight beyond 1/m, by 0.25
    cost = max(float(value) for value in re.findall(r"(?m)^weight\(\d+\) (\S+)$", text))
    more = re.sub(r"(?m)^(weight\(0\)) \S+$", rf"\1 {cost + 0.25!r}", text, count=1)
    Path("more.sol").write_text(more)
    done, _ = load(radprog, "more.sol", "d.lp")
    moved = re.search(r"leaves 0 <= d <= 1/m: moved into it by (\S+)", done.err)
    assert moved is not None
    assert float(moved[1]) >= 0.25
    assert "moved into" not in inside.err


def test_a_solution_of_the_dual_form_gives_the_bound(radprog, folder) -> None:
    export(radprog, "vkr", "primal", "p.lp")
    export(radprog, "vkr", "dual", "d.mps")
    other = ("--dual-sol", scip("d.mps", "d.sol"), "--dual-names", "d.mps.names.json")
    done, result = load(radprog, scip("p.lp"), "p.lp", *other)
    assert (done.code, result["certified"]) == (0, True)
    assert [file["form"] for file in result["loaded"]] == ["primal", "dual"]
    assert radprog("report", "run.json", "-o", "page.html").code == 0
    assert "--dual-sol d.sol --dual-names d.mps.names.json" in Path("page.html").read_text()
    refused, _ = load(radprog, "d.sol", "d.mps")
    assert (refused.code, "--dual-sol" in refused.error) == (2, True)


@pytest.mark.thorough
@pytest.mark.parametrize("form", ["step", "step-dual", "global"])
@pytest.mark.parametrize("suffix", [".lp", pytest.param(".mps", marks=pytest.mark.slow)])
def test_regression(radprog, folder, form, suffix) -> None:
    x = [i / 8 - 1 for i in range(17)]
    y = [0.9 * abs(v) - 0.3 + 0.8 * (i == 4) for i, v in enumerate(x)]
    rows = [f"{a!r},{b!r}" for a, b in zip(x, y, strict=True)]
    Path("r.csv").write_text("\n".join(["x,y", *rows]) + "\n")
    export(radprog, "svr", form, f"p{suffix}", "r.csv")
    done, result = load(radprog, scip(f"p{suffix}"), f"p{suffix}", "--save", "f.json", data="r.csv")
    assert done.code == 0, done.err
    own = json.loads(radprog("solve", "svr", "r.csv", *SVR, "--json", "-", "--quiet").out)
    assert result["objective"] == pytest.approx(own["objective"], rel=1e-3)
    assert result["bound"] is None
    assert result["fit"]["norm2"] <= 0.3 * (1 + 1e-8)
    assert radprog("predict", "f.json", "r.csv", "-o", "o.csv").code == 0


@pytest.mark.parametrize("learner", ["shapelet", "shapelet-plus"])
@pytest.mark.parametrize("form", ["primal", "dual"])
def test_shapelets(radprog, folder, form, learner) -> None:
    write_series()
    options = ("s.tsv", "--length", "4,5", "--nu", 0.5, "--learner", learner)
    radprog.ok("export", "lpboost", *options, "--form", form, "-o", "p.lp", "--quiet")
    done, result = load(radprog, highs("p.lp"), "p.lp", "--save", "f.json", data="s.tsv")
    assert (done.code, result["certified"]) == (0, True), done.err
    own = json.loads(radprog("solve", "lpboost", *options, "--json", "-", "--quiet").out)
    assert result["objective"] == pytest.approx(own["objective"], rel=1e-6)
    assert result["bound"] == pytest.approx(own["bound"], rel=1e-6)
    assert radprog("predict", "f.json", "s.tsv", "-o", "o.csv").code == 0
    done, result = load(radprog, scip("p.lp"), "p.lp", data="s.tsv")
    if form == "primal":
        assert (done.code, result["bound"]) == (0, None)
    else:
        assert (done.code, "--dual-sol" in done.error) == (2, True)


@pytest.mark.thorough
def test_kernel_weights(radprog, folder) -> None:
    """From the primal or the master; the bound needs the dual program as well."""
    write_few(9)
    own = json.loads(radprog("solve", "mkl", "few.csv", *OPTIONS["mkl"], "--scale", "ball",
                             "--json", "-", "--quiet").out)  # fmt: skip
    for form in ("primal", "silp", "qcqp"):
        export(radprog, "mkl", form, f"{form}.lp", "few.csv")
    scip("qcqp.lp", "q.sol")
    for form in ("primal", "silp"):
        done, result = load(radprog, scip(f"{form}.lp"), f"{form}.lp", data="few.csv")
        assert done.code in (0, 1), done.err
        assert result["bound"] is None
        assert result["objective"] == pytest.approx(own["objective"], rel=1e-4)
        done, result = load(
            radprog, "scip.sol", f"{form}.lp", "--dual-sol", "q.sol", "--dual-names",
            "qcqp.lp.names.json", "--tol", 1e-4, data="few.csv",
        )  # fmt: skip
        assert result["certified"], done.err
        assert result["bound"] == pytest.approx(own["bound"], rel=1e-4)
    done, _ = load(radprog, "q.sol", "qcqp.lp", data="few.csv")
    assert (done.code, "--dual-sol" in done.error) == (2, True)


def test_data_of_a_table_is_required(radprog, folder) -> None:
    export(radprog, "svm", "dual", "p.lp")
    radprog.refused("--data is required", "load", highs("p.lp"), "--names", "p.lp.names.json")


@pytest.mark.thorough
def test_clusters(radprog, folder) -> None:
    write_few(6)
    options = ("few.csv", "--clusters", 2, "--min-size", 3)
    radprog.ok("export", "cdsk", *options, "--form", "labels", "-o", "p.lp", "--quiet")
    done, result = load(radprog, scip("p.lp"), "p.lp", data="few.csv")
    assert done.code == 0, done.err
    own = json.loads(radprog("solve cdsk", *options, "--method exact --json - --quiet").out)
    assert result["objective"] == pytest.approx(own["objective"], rel=1e-5)
    assert result["fit"]["labels"] == own["fit"]["labels"]
    assert result["bound"] is None
    names = json.loads(Path("p.lp.names.json").read_text())
    names["params"]["min_size"] = 4
    Path("q.json").write_text(json.dumps(names))
    radprog.refused("sizes", "load", "scip.sol", "--names", "q.json", "--data", "few.csv")


def test_a_claim_that_does_not_hold(radprog, folder) -> None:
    export(radprog, "vkr", "primal", "p.lp")
    text = Path(highs("p.lp")).read_text()
    head = next(line for line in text.splitlines() if line.startswith("Objective "))
    Path("bad.sol").write_text(text.replace(head, "Objective 0.001"))
    done, result = load(radprog, "bad.sol", "p.lp")
    assert done.code == 1
    assert "claims an objective of 0.001" in done.err
    assert result["certified"]  # the point is what it was
    lines = text.splitlines()
    place = next(i for i, line in enumerate(lines) if line.startswith("# Columns"))
    used = next(i for i in range(place + 1, len(lines)) if float(lines[i].split()[1]) > 0)
    lines[used] = f"{lines[used].split()[0]} 7.5"
    Path("bad.sol").write_text("\n".join(lines) + "\n")
    done, result = load(radprog, "bad.sol", "p.lp")
    assert (done.code, result["certified"], result["status"]) == (1, False, "feasible")
    assert result["bound"] < result["objective"]


NAMES = [  # a key, and what stands there; None: nothing
    ("schema", 2),
    ("columns", None),
    ("params", None),
    ("reading", None),
    ("data_numbers", "0" * 64),
    ("sha256", "0" * 64),
    ("model", "tree"),
    ("form", "circle"),
    ("class", "XP"),
    ("params", {"lam": -1}),
    ("params", 3),
    ("reading", {"nobody": 1}),
    ("scale", "one"),
    ("columns", [1, 2]),
]


@pytest.fixture(scope="module")
def prepared(tmp_path_factory, tables) -> Path:
    """Exported once: p.lp of VKR with its solution highs.sol, and q.lp of other kernels."""
    place = tmp_path_factory.mktemp("prepared")
    with contextlib.chdir(place), contextlib.redirect_stderr(io.StringIO()):
        Path("train.csv").write_text(tables["train.csv"])
        asked = [*map(str, OPTIONS["vkr"]), "--scale", "ball", "--form", "primal", "-o", "p.lp"]
        assert main(["export", "vkr", "train.csv", *asked]) == 0
        asked = ["--kernels", "poly:1", "--form", "dual", "-o", "q.lp"]
        assert main(["export", "vkr", "train.csv", *asked]) == 0
        highs("p.lp")
    return place


@pytest.fixture
def solution(folder, prepared) -> str:
    """A copy of what was prepared."""
    shutil.copytree(prepared, folder, dirs_exist_ok=True)
    return "highs.sol"


@pytest.mark.parametrize(("key", "value"), NAMES)
def test_names_that_do_not_fit_are_refused(radprog, folder, solution, key, value) -> None:
    names = json.loads(Path("p.lp.names.json").read_text()) | {key: value}
    if value is None:
        del names[key]
    Path("p.lp.names.json").write_text(json.dumps(names))
    before = sorted(folder.iterdir())
    done, _ = load(radprog, solution, "p.lp")
    assert done.code == 2
    assert ("p.lp.names.json" in done.error) or ("train.csv" in done.error)
    assert sorted(folder.iterdir()) == before


REFUSED = [
    (("--dual-sol", "highs.sol"), "belong together"),
    (("--dual-names", "p.lp.names.json"), "belong together"),
    (("--dual-sol", "highs.sol", "--dual-names", "q.lp.names.json"), "another params"),
    (("--dual-sol", "highs.sol", "--dual-names", "nobody.json"), "nobody.json"),
    (("--save", "nowhere/fit.json"), "nowhere"),
    (("--save", "p.lp.names.json"), "overwrite"),
    (("--tol", "-1"), "tol"),
]


@pytest.mark.parametrize(("options", "word"), REFUSED)
def test_what_does_not_go_together_is_refused(radprog, solution, options, word) -> None:
    done, _ = load(radprog, solution, "p.lp", *options)
    assert (done.code, word in done.error) == (2, True), done.err
    assert not Path("run.json").exists()
