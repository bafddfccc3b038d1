"""``--constraint`` and ``--constraints``: solved, checked, exported, loaded, analysed, refused."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from program_files import write_highs_solution

import radprog as rp
from radprog.models.constraints import KNOWN

ROWS = 30


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A file with a feature of two values and one of one value."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(ROWS, 2))
    group = (X[:, 0] + rng.normal(size=ROWS) > 0).astype(int)
    y = np.where(X[:, 0] + 0.5 * group > 0.2, 1, -1)
    table = np.column_stack([X, group, np.full(ROWS, 7), y])
    np.savetxt("d.csv", table, delimiter=",", header="a,b,group,same,y", comments="")
    return "d.csv"


MODEL = ("l1svm", "d.csv", "--scale", "ball", "--kernels", "poly:2", "--tol", "1e-9")
FAIR = ("--constraint", "parity:group:0.05", "--constraint", "cap:poly:2:3")


def solved(radprog: Any, *options: str) -> tuple[dict[str, Any], str]:
    done = radprog.ok("solve", *MODEL, *options, "--json", "run.json")
    return json.loads(Path("run.json").read_text()), done.out


def test_solve_check_report(radprog: Any, data: str) -> None:
    free, _ = solved(radprog)
    result, out = solved(radprog, *FAIR)
    assert result["objective"] > free["objective"] + 1e-4
    parity, cap = result["constraints"]
    assert parity["name"] == "parity of group"
    told = f"parity of group: loosened by one unit, it saves at most {parity['price']:.6g}"
    assert f"constraint {told} of the objective" in out
    assert parity["price"] > 0.0
    assert (parity["rows"], cap["rows"]) == (2, 1)
    assert len(result["certificate"]["mu"]) == 2
    radprog.ok("check", "run.json", data)
    result["constraints"][0]["price"] *= 2.0
    Path("run.json").write_text(json.dumps(result))
    assert radprog("check", "run.json", data).code == 1
    assert radprog("report", "run.json", "-o", "page.html").code == 0


def test_the_advice_for_a_rare_class_is_an_option(radprog: Any, data: str) -> None:
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(200, 2)), np.arange(200) % 20 == 0
    X[y] += 0.5
    np.savetxt("rare.csv", np.column_stack([X, y]), delimiter=",", header="a,b,y", comments="")
    weak = radprog.ok("solve", "l1linear", "rare.csv", "--beta", 0.05)
    (advice,) = re.findall(r"--constraint '(.*?)'", weak.err)
    one_word = Path(advice)
    mended = radprog.ok("solve l1linear rare.csv --beta 0.05 --constraint", one_word)
    assert "training row" not in mended.err
    assert "false negative rate" in mended.out


def test_groups_of_the_test_rows_have_a_gap_of_their_own(radprog: Any, data: str) -> None:
    rows = np.loadtxt(data, delimiter=",", skiprows=1)
    head = {"delimiter": ",", "header": "a,b,group,same,y", "comments": ""}
    np.savetxt("new.csv", rows[::2], **head)
    fair = (*FAIR, "--constraint", "opportunity:group:0.05", "--test")
    result, out = solved(radprog, *fair, "new.csv", "--save", "fit.json")
    radprog.ok("predict", "fit.json", "new.csv", "-o", "out.csv")
    scores, of = np.loadtxt("out.csv", delimiter=",", skiprows=1)[:, 1], rows[::2, 2] > 0
    for name, among in (("parity", of | ~of), ("equal opportunity", rows[::2, 4] > 0)):
        gap = abs(scores[of & among].mean() - scores[~of & among].mean())
        held = result["test"]["gaps"][f"{name} of group"]
        assert held == pytest.approx(gap, abs=1e-9)
        line = f"{name} of group: mean scores of groups differ by up to {gap:.4g}"
        assert f"test       {line}\n" in out
    assert max(result["test"]["gaps"].values()) > 0.06
    radprog.ok("check", "run.json", data, "--test", "new.csv")
    # one group alone has no gap
    np.savetxt("one.csv", rows[rows[:, 2] > 0], **head)
    done = radprog.ok("solve", *MODEL, *fair, "one.csv")
    assert "one.csv: no gap of the test rows: group 'group' has one value (1)" in done.err
    assert "differ by up to" not in done.out


def test_a_file_of_rows(radprog: Any, data: str) -> None:
    mean = ", ".join([repr(1.0 / ROWS)] * ROWS)
    Path("rows.txt").write_text(f"# two\nparity:group:0.05\n{mean}, -0.1\n")
    result, _ = solved(radprog, "--constraints", "rows.txt")
    assert [told["name"] for told in result["constraints"]] == [
        "parity of group",
        "line 3 of rows.txt",
    ]
    both, _ = solved(radprog, "--constraint", "parity:2:0.05", "--constraint", "rate:0.45")
    assert both["objective"] == pytest.approx(result["objective"], rel=1e-8)


@pytest.mark.parametrize("form", ["primal", "dual", "master"])
def test_export_verify_load(radprog: Any, data: str, form: str) -> None:
    result, _ = solved(radprog, *FAIR)
    radprog.ok("export", *MODEL, *FAIR, "--form", form, "-o", "p.mps")
    names = json.loads(Path("p.mps.names.json").read_text())
    value = names["scale"] * names["expected_objective"] + names["offset"]
    assert value == pytest.approx(result["objective"], rel=1e-7)
    assert radprog("verify", "p.mps", "--solver", "highs").code == 0
    assert len(names["params"]["constraints"]) == 3
    if form == "master":
        return
    write_highs_solution("p.mps", "p.sol")
    loaded = radprog.ok("load p.sol --names p.mps.names.json --data", data, "--json -")
    again = json.loads(loaded.out)
    assert again["certified"]
    assert again["objective"] == pytest.approx(result["objective"], rel=1e-6)
    assert again["constraints"][0]["price"] == pytest.approx(
        result["constraints"][0]["price"], rel=1e-5
    )


@pytest.mark.parametrize("form", ["primal", "dual"])
def test_analyze_tells_what_a_unit_costs(radprog: Any, data: str, form: str) -> None:
    result, _ = solved(radprog, *FAIR)
    done = radprog.ok("analyze", *MODEL, *FAIR, "--form", form, "--json", "a.json")
    report = json.loads(Path("a.json").read_text())
    for told, known in zip(report["constraints"], result["constraints"], strict=True):
        assert told["name"] == known["name"]
        assert told["price"] == pytest.approx(known["price"], abs=1e-6)
    assert "constraint parity of group: loosened by one unit, it saves at most" in done.out


def test_an_infeasible_set(radprog: Any, data: str) -> None:
    wrong = ("--constraint", "classify:2,3:1", "--constraint", "cap:poly:2:0")
    reason = "2 constraints cannot hold together: row "
    refused = radprog.refused(reason, "solve", *MODEL, *wrong, "--json", "run.json")
    assert "cap on the coefficients of poly:2" in refused
    assert not Path("run.json").exists()
    told = radprog.ok("analyze", *MODEL, *wrong)
    assert "cannot hold together" in told.out
    assert "right with margin 1 <= -1" in told.out
    written = radprog.ok("export", *MODEL, *wrong, "--form", "primal", "-o", "p.mps")
    assert "expected infeasible" in written.err


@pytest.mark.parametrize("command", [("solve", "l1linear"), ("export", "vkr")])
def test_help_lists_every_kind(radprog: Any, command: tuple[str, ...]) -> None:
    kinds = set(re.findall(r"([a-z]+):", KNOWN))
    assert {"rising", "falling", "rate", "cap"} < kinds
    assert kinds <= set(re.findall(r"([a-z]+):", radprog.ok(*command, "--help").out))


@pytest.mark.parametrize("model", ["l1linear", "vkr --kernels poly:1", "svm --kernels poly:1"])
@pytest.mark.parametrize("rule", ["parity:a > 0:0.1", "parity:kind:0.1", "opportunity:kind:0.1"])
def test_rules_of_several_classes_are_priced_and_compared_on_test_rows(
    radprog: Any, tmp_path: Path, monkeypatch: Any, model: str, rule: str
) -> None:
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    X, kind = rng.normal(size=(160, 3)), rng.integers(0, 2, size=160)
    y = np.array(["low", "middle", "top"])[np.digitize(X[:, 0] + 0.5 * kind, (-0.4, 0.8))]
    for name, rows in (("d.csv", range(120)), ("t.csv", range(120, 160))):
        lines = [f"{','.join(map(repr, X[i].tolist()))},{kind[i]},{y[i]}" for i in rows]
        Path(name).write_text("\n".join(["a,b,c,kind,y", *lines]) + "\n")
    ask = ("solve", model, "d.csv --one-vs-rest --scale standard --constraint", Path(rule))
    out = radprog.ok(*ask, "--test t.csv --json run.json --save fit.json").out
    result = json.loads(Path("run.json").read_text())
    parts = [one for part in result["machines"] for one in part["constraints"]]
    assert len(parts) == 3
    assert max(one["price"] for one in parts) > 0.0
    assert out.count("constraint class ") == 3
    # the gaps of each class's scores, from the data
    data = rp.read("d.csv", one_vs_rest=True)
    fit, held = rp.load_fit("fit.json"), rp.read("t.csv", like=data)
    first = held.raw[:, 0 if "a > 0" in rule else 3] > 0
    for k, (label, gap) in enumerate(
        zip(data.labels, result["test"]["gaps"].values(), strict=True)
    ):
        among = held.codes == k if "opportunity" in rule else held.codes >= 0
        f = fit.decision_function(held.raw)[:, k]
        assert gap == pytest.approx(
            abs(f[first & among].mean() - f[~first & among].mean()), abs=1e-9
        )
        assert parts[k]["name"].startswith(f"class {label}: ")
        assert parts[k]["gap"] == pytest.approx(0.1 - parts[k]["slack"], abs=1e-9)
    radprog.ok("report run.json -o page.html")
    page = Path("page.html").read_text()
    assert page.count("constraint class ") == 3
    assert max(len(numbers.split(", ")) for numbers in re.findall(r"[\d, ]+", page)) < 20
    # without its first rows of one class there is a reason in place of gaps
    few = [line for line in Path("t.csv").read_text().splitlines() if not line.endswith("top")]
    Path("t.csv").write_text("\n".join(few) + "\n")
    done = radprog.ok(*ask, "--test t.csv")
    assert ("no gap of the test rows" in done.err) == ("opportunity" in rule)


@pytest.mark.parametrize("rule", ["parity", "opportunity"])
def test_gaps_are_of_the_means_that_a_rule_bounds(radprog: Any, data: str, rule: str) -> None:
    """Weighted as the training rows; of test rows only if they have weights."""
    rows = np.loadtxt(data, delimiter=",", skiprows=1)
    weights = np.random.default_rng(0).integers(1, 6, size=len(rows))
    for name, columns in (("w.csv", (weights, rows)), ("t.csv", (rows,))):
        head = "w," * (name == "w.csv") + "a,b,group,same,y"
        np.savetxt(name, np.column_stack(columns), delimiter=",", header=head, comments="")
    ask = (MODEL[0], "w.csv", *MODEL[2:], "--weights", "w", "--constraint", f"{rule}:group:0.02")
    for test, at in (("w.csv", weights), ("t.csv", np.ones(len(rows)))):
        run = radprog.ok("solve", *ask, "--test", test, "--json", "r.json", "--save", "fit.json")
        result = json.loads(Path("r.json").read_text())
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


@pytest.mark.parametrize("most", [0.3, 0.8])
@pytest.mark.parametrize("kind", ["positive", "false positive", "false negative"])
@pytest.mark.parametrize(
    "spec", [rp.L1Linear(), rp.VKR(kernels="poly:1"), rp.SVM(kernels="poly:1")]
)
def test_the_slack_of_a_rate_is_the_cap_minus_its_surrogate(
    spec: Any, kind: str, most: float
) -> None:
    rng = np.random.default_rng(5)
    X, weights = rng.normal(size=(40, 2)), rng.integers(1, 4, size=40)
    y, group = np.where(X[:, 0] + 0.4 * rng.normal(size=40) > 0, 1, -1), X[:, 1] > 0.3
    data = rp.dataset(X, y, weights=weights)
    run = rp.fit(spec, data, constraints=rp.rate(kind, most, group))
    f, sign = run.decision_function(X), -1.0 if kind == "false negative" else 1.0
    among = {"positive": y != 0, "false positive": y < 0, "false negative": y > 0}[kind]
    for one, held in zip(run.extra["constraints"], (~group, group), strict=True):
        surrogate, rate = (
            np.average(values[among & held], weights=weights[among & held])
            for values in (np.maximum(0.0, 1.0 + sign * f), sign * f >= 0.0)
        )
        assert one["surrogate"] == pytest.approx(surrogate, abs=1e-9)
        assert one["slack"] == pytest.approx(most - surrogate, abs=1e-9)
        assert one["rate"] == pytest.approx(rate)
        assert one["slack"] <= most + 1e-9
