"""``load``: solutions of other programs, certified on the data again."""

import gzip
import json
import re
from pathlib import Path

import pytest
from program_files import write_highs_solution, write_scip_solution
from small_files import write_csv, write_few, write_series
from written import result_in

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
    write_scip_solution(file, target)
    return target


def load(radprog, solution: str, file: str, *options: object, data: str = "train.csv"):
    files = ("--names", f"{file}.names.json", "--data", data, "--json run.json")
    done = radprog("load", solution, *files, *options)
    if done.code == 2:
        return done, {}
    radprog.ok("check run.json", data)
    return done, result_in("run.json")


def solve(radprog, *words: object):
    return radprog.ok("solve", *words, "--json - --quiet").json


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
    own = solve(radprog, model, "train.csv --scale ball --tol 1e-9", *OPTIONS[model])
    assert result["objective"] == pytest.approx(own["objective"], rel=2e-6)
    assert result["bound"] == pytest.approx(own["bound"], rel=2e-6)
    assert (result["model"], result["method"]) == (model, "load")
    assert (result["loaded"][0]["form"], result["solver"]["name"]) == (form, "highs")
    assert result["params"]["kernels"] == own["params"]["kernels"]
    assert radprog("predict", "fit.json", "test.csv", "-o", "out.csv").code == 0


def test_without_duals_there_is_no_bound(radprog, folder) -> None:
    export(radprog, "vkr", "primal", "p.lp")
    done, result = load(radprog, scip("p.lp"), "p.lp")
    assert (done.code, result["bound"], result["gap"]) == (0, None, None)
    assert (result["status"], result["certified"]) == ("feasible", False)
    own = solve(radprog, "vkr train.csv --scale ball", *OPTIONS["vkr"])
    assert result["objective"] == pytest.approx(own["objective"], rel=1e-6)
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
    write_csv("r.csv", x, y, head="x,y")
    export(radprog, "svr", form, f"p{suffix}", "r.csv")
    done, result = load(radprog, scip(f"p{suffix}"), f"p{suffix}", "--save", "f.json", data="r.csv")
    assert done.code == 0, done.err
    own = solve(radprog, "svr r.csv", *SVR)
    assert result["objective"] == pytest.approx(own["objective"], rel=1e-3)
    assert result["bound"] is None
    assert result["fit"]["norm2"] <= 0.3 * (1 + 1e-8)
    assert radprog("predict", "f.json", "r.csv", "-o", "o.csv").code == 0


@pytest.mark.parametrize("learner", ["shapelet", "shapelet-plus"])
@pytest.mark.parametrize("form", ["primal", "dual"])
def test_shapelets(radprog, folder, form, learner) -> None:
    write_series()
    options = ("s.tsv", "--length", "4,5", "--nu", 0.5, "--learner", learner)
    radprog.ok("export lpboost", *options, "--form", form, "-o p.lp")
    done, result = load(radprog, highs("p.lp"), "p.lp", "--save", "f.json", data="s.tsv")
    assert (done.code, result["certified"]) == (0, True), done.err
    own = solve(radprog, "lpboost", *options)
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
    own = solve(radprog, "mkl few.csv --scale ball", *OPTIONS["mkl"])
    for form in ("primal", "silp", "qcqp"):
        export(radprog, "mkl", form, f"{form}.lp", "few.csv")
    scip("qcqp.lp", "q.sol")
    for form in ("primal", "silp"):
        done, result = load(radprog, scip(f"{form}.lp"), f"{form}.lp", data="few.csv")
        assert done.code in (0, 1), done.err
        assert result["bound"] is None
        assert result["objective"] == pytest.approx(own["objective"], rel=1e-4)
        other = "--dual-sol q.sol --dual-names qcqp.lp.names.json --tol 1e-4"
        done, result = load(radprog, "scip.sol", f"{form}.lp", other, data="few.csv")
        assert result["certified"], done.err
        assert result["bound"] == pytest.approx(own["bound"], rel=1e-4)
    done, _ = load(radprog, "q.sol", "qcqp.lp", data="few.csv")
    assert (done.code, "--dual-sol" in done.error) == (2, True)


@pytest.mark.thorough
def test_clusters(radprog, folder) -> None:
    write_few(6)
    options = ("few.csv", "--clusters", 2, "--min-size", 3)
    radprog.ok("export", "cdsk", *options, "--form", "labels", "-o", "p.lp", "--quiet")
    done, result = load(radprog, scip("p.lp"), "p.lp", data="few.csv")
    assert done.code == 0, done.err
    own = solve(radprog, "cdsk", *options, "--method exact")
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


NAMES = [  # a key, and what stands there; None: nothing
    ("schema", 2), ("reading", None), ("reading", {"nobody": 1}), ("data_numbers", "0" * 64),
    ("sha256", "0" * 64), ("model", "tree"), ("form", "circle"), ("params", {"lam": -1}),
]  # fmt: skip


@pytest.fixture
def solution(once, folder) -> str:
    """p.lp of VKR with its solution highs.sol, and q.lp of other kernels."""
    once.ok("export vkr train.csv --scale ball --form primal -o p.lp", *OPTIONS["vkr"])
    once.ok("export vkr train.csv --kernels poly:1 --form dual -o q.lp")
    return highs("p.lp")


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


def test_what_does_not_go_together_is_refused(radprog, solution) -> None:
    names, other = "p.lp.names.json", "--dual-sol highs.sol --dual-names"
    for options, word in (
        ("", "--data is required"),
        (f"--data train.csv --dual-names {names}", "belong together"),
        (f"--data train.csv {other} q.lp.names.json", "another params"),
    ):
        radprog.refused(word, "load highs.sol --names", names, options, "--json run.json")
        assert not Path("run.json").exists()
