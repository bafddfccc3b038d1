"""``--constraint`` and ``--constraints``: solved, checked, exported, loaded, analysed, refused."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from program_files import write_highs_solution

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
        assert held == pytest.approx(gap)
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
