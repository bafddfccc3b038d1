"""``--constraint`` and ``--constraints``: solved, checked, exported, loaded, analysed, refused."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from program_files import write_highs_solution
from small_files import write_csv

import radprog as rp
from radprog.base.sections import bounded

ROWS = 30


@pytest.fixture
def data(empty: Path) -> str:
    """A file with a feature of two values and one of one value."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(ROWS, 2))
    group = (X[:, 0] + rng.normal(size=ROWS) > 0).astype(int)
    y = np.where(X[:, 0] + 0.5 * group > 0.2, 1, -1)
    write_csv("d.csv", X, group, np.full(ROWS, 7), y, head="a,b,group,same,y")
    return "d.csv"


MODEL = ("l1svm", "d.csv", "--scale", "ball", "--kernels", "poly:2", "--tol", "1e-9")
FAIR = ("--constraint", "parity:group:0.05", "--constraint", "mean:5")


def solved(radprog, *options: str):
    return radprog.ok("solve", *MODEL, *options, "--json", "run.json")


def test_solve_check_report(radprog, data: str) -> None:
    free = solved(radprog).json["objective"]
    done = solved(radprog, *FAIR)
    result = done.json
    assert result["objective"] > free + 1e-4
    parity, mean = result["constraints"]
    assert parity["name"] == "parity of group"
    told = f"parity of group: loosened by one unit, it saves at most {parity['price']:.6g}"
    assert f"constraint {told} of the objective" in done.out
    assert parity["price"] > 0.0
    assert (parity["rows"], mean["rows"], len(result["certificate"]["mu"])) == (2, 1, 3)
    # an unfinished fit claims less: what is between its objective and its bound may be gained too
    early = radprog("solve", *MODEL, *FAIR, "--max-iter", "1", "--json", "run.json")
    gap = early.json["objective"] - early.json["bound"]
    worth = early.json["constraints"][0]["price"] + gap
    assert (early.code, gap > 1e-6) == (1, True)
    assert f"it saves at most {bounded(worth, '.6g')}, with the open gap, of" in early.out
    done = solved(radprog, *FAIR)
    radprog.ok("check run.json d.csv")
    radprog.ok("report run.json -o page.html")
    result["constraints"][0]["price"] *= 2.0
    Path("run.json").write_text(json.dumps(result))
    assert radprog("check run.json d.csv").code == 1


def test_the_advice_for_a_rare_class_is_an_option(radprog, data: str) -> None:
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(200, 2)), np.arange(200) % 20 == 0
    X[y] += 0.5
    write_csv("rare.csv", X, y.astype(int), head="a,b,y")
    weak = radprog.ok("solve", "l1linear", "rare.csv", "--beta", 0.05)
    (advice,) = re.findall(r"--constraint '(.*?)'", weak.err)
    mended = radprog.ok("solve l1linear rare.csv --beta 0.05 --constraint", Path(advice))
    assert "training row" not in mended.err
    assert "false negative rate" in mended.out


def test_a_file_of_rows(radprog, data: str) -> None:
    mean = ", ".join([repr(1.0 / ROWS)] * ROWS)
    Path("rows.txt").write_text(f"# two\nparity:group:0.05\n{mean}, -0.1\n")
    result = solved(radprog, "--constraints", "rows.txt").json
    names = [told["name"] for told in result["constraints"]]
    assert names == ["parity of group", "line 3 of rows.txt"]
    both = solved(radprog, "--constraint", "parity:2:0.05", "--constraint", "rate:0.45").json
    assert both["objective"] == pytest.approx(result["objective"], rel=1e-8)


@pytest.mark.parametrize("form", ["primal", "dual", "master"])
def test_export_verify_load(radprog, data: str, form: str) -> None:
    result = solved(radprog, *FAIR).json
    radprog.ok("export", *MODEL, *FAIR, "--form", form, "-o", "p.mps")
    names = json.loads(Path("p.mps.names.json").read_text())
    value = names["scale"] * names["expected_objective"] + names["offset"]
    assert value == pytest.approx(result["objective"], rel=1e-7)
    assert radprog("verify", "p.mps", "--solver", "highs").code == 0
    assert len(names["params"]["constraints"]) == 3
    if form == "master":
        return
    write_highs_solution("p.mps", "p.sol")
    again = radprog.ok("load p.sol --names p.mps.names.json --data d.csv --json -").json
    assert again["certified"]
    assert again["objective"] == pytest.approx(result["objective"], rel=1e-6)
    first, second = (one["constraints"][0]["price"] for one in (again, result))
    assert first == pytest.approx(second, rel=1e-5)


def test_an_infeasible_set(radprog, data: str) -> None:
    label = Path(data).read_text().splitlines()[1].split(",")[-1]
    Path("rows.txt").write_text(f"{label}{', 0' * (ROWS - 1)}, 0\n")  # y f(x) <= 0
    wrong = ("--constraint", "classify:2,3:1", "--constraints", "rows.txt")
    reason = "2 constraints cannot hold together: row "
    refused = radprog.refused(reason, "solve", *MODEL, *wrong, "--json", "run.json")
    assert "line 1 of rows.txt" in refused
    assert not Path("run.json").exists()
    told = radprog.ok("analyze", *MODEL, *wrong)
    assert "cannot hold together" in told.out
    assert "right with margin 1 <= -1" in told.out
    written = radprog.ok("export", *MODEL, *wrong, "--form", "primal", "-o", "p.mps")
    assert "expected infeasible" in written.err


@pytest.mark.parametrize("model", ["l1linear", "vkr --kernels poly:1", "svm --kernels poly:1"])
@pytest.mark.parametrize("rule", ["parity:a > 0:0.1", "parity:kind:0.1", "opportunity:kind:0.1"])
def test_rules_of_several_classes_are_priced_and_compared(radprog, empty, model, rule) -> None:
    rng = np.random.default_rng(0)
    X, kind = rng.normal(size=(160, 3)), rng.integers(0, 2, size=160)
    y = np.array(["low", "middle", "top"])[np.digitize(X[:, 0] + 0.5 * kind, (-0.4, 0.8))]
    for name, part in (("d.csv", slice(120)), ("t.csv", slice(120, 160))):
        write_csv(name, X[part], kind[part], y[part], head="a,b,c,kind,y")
    ask = ("solve", model, "d.csv --one-vs-rest --scale standard --constraint", Path(rule))
    done = radprog.ok(*ask, "--test t.csv --json run.json --save fit.json")
    result = done.json
    parts = [one for part in result["machines"] for one in part["constraints"]]
    assert len(parts) == 3
    assert max(one["price"] for one in parts) > 0.0
    assert done.out.count("constraint class ") == 3
    # the gaps of each class's scores, from the data
    data = rp.read("d.csv", one_vs_rest=True)
    fit, held = rp.load_fit("fit.json"), rp.read("t.csv", like=data)
    first = held.raw[:, 0 if "a > 0" in rule else 3] > 0
    gaps = result["test"]["gaps"].values()
    for k, (label, gap) in enumerate(zip(data.labels, gaps, strict=True)):
        among = held.codes == k if "opportunity" in rule else held.codes >= 0
        f = fit.decision_function(held.raw)[:, k]
        apart = f[first & among].mean() - f[~first & among].mean()
        assert gap == pytest.approx(abs(apart), abs=1e-9)
        assert parts[k]["name"].startswith(f"class {label}: ")
        assert parts[k]["gap"] == pytest.approx(0.1 - parts[k]["slack"], abs=1e-9)
    radprog.ok("report run.json -o page.html")
    page = Path("page.html").read_text()
    assert page.count("constraint class ") == 3
    assert max(len(numbers.split(", ")) for numbers in re.findall(r"[\d, ]+", page)) < 20


@pytest.mark.parametrize("rule", ["parity", "opportunity"])
def test_gaps_are_of_the_means_that_a_rule_bounds(radprog, data: str, rule: str) -> None:
    """Weighted as the training rows; of test rows only if they have weights."""
    rows = np.loadtxt(data, delimiter=",", skiprows=1)
    weights = np.random.default_rng(0).integers(1, 6, size=len(rows))
    head = "a,b,group,same,y"
    write_csv("w.csv", weights, rows, head=f"w,{head}")
    write_csv("t.csv", rows, head=head)
    ask = (MODEL[0], "w.csv", *MODEL[2:], "--weights", "w", "--constraint", f"{rule}:group:0.02")
    for test, at in (("w.csv", weights), ("t.csv", np.ones(len(rows)))):
        run = radprog.ok("solve", *ask, "--test", test, "--json", "r.json", "--save", "fit.json")
        result = run.json
        (one,), (gap,) = result["constraints"], result["test"]["gaps"].values()
        assert one["gap"] == pytest.approx(0.02 - one["slack"], abs=1e-9)
        assert f"gap of weighted means {one['gap']:.4g})" in run.out
        radprog.ok("predict", "fit.json", "t.csv", "-o", "out.csv")
        f = np.loadtxt("out.csv", delimiter=",", skiprows=1)[:, 1]
        of, among = rows[:, 2] > 0, (rows[:, 4] > 0) | (rule == "parity")
        means = [np.average(f[part & among], weights=at[part & among]) for part in (of, ~of)]
        assert gap == pytest.approx(abs(means[0] - means[1]), abs=1e-9)
        words = f"{'weighted ' * (test == 'w.csv')}mean scores of groups differ by up to {gap:.4g}"
        assert f"group: {words}\n" in run.out
        radprog.ok("check", "r.json", "w.csv", "--test", test)
    assert gap > 0.021  # t.csv counts each row once
    # one group alone has no gap
    write_csv("one.csv", rows[rows[:, 2] > 0], head=head)
    done = radprog.ok("solve", *ask, "--test one.csv")
    assert "one.csv: no gap of the test rows: group 'group' has one value (1)" in done.err
    assert "differ by up to" not in done.out
