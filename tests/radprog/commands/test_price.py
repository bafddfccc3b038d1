"""radprog price: the command around the pricing of unseen kernels."""

import json
from pathlib import Path

import pytest


@pytest.fixture
def run(once, folder):
    return once.ok("solve vkr train.csv --scale ball --kernels poly:1-2 --json run.json").json


def test_the_table(radprog, run) -> None:
    done = radprog.ok("price run.json --kernels rbf:1e-3,laplace:30 --json table.json")
    table = done.json
    assert table["objective"] == pytest.approx(run["objective"], rel=1e-12)
    assert table["floor"] == min(row["floor"] for row in table["rows"])
    for row in table["rows"]:
        assert row["useless"] == (row["ratio"] <= 1)
        assert row["name"] in done.out
    assert "cannot help" in done.out
    assert f"at least {table['floor']:.10g}" in done.out


def test_a_kernel_of_the_program_has_its_ratio_and_no_verdict(radprog, run) -> None:
    done = radprog.ok("price run.json --kernels poly:1-2,rbf:1e-3 --json table.json")
    *held, new = json.loads(Path("table.json").read_text())["rows"]
    assert all(row["present"] and not row["useless"] for row in held)
    assert max(row["ratio"] for row in held) == pytest.approx(1.0, abs=1e-5)
    assert done.out.count("in the program") == 2
    assert f"{int(new['useless'])} of 1 proved useless" in done.out


def test_the_data_is_found_beside_the_result(radprog, run, tmp_path, monkeypatch) -> None:
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert radprog("price", "../run.json", "--kernels", "rbf:1").code == 0
    Path("../train.csv").rename("moved.csv")
    radprog.refused("--data DATA", "price", "../run.json", "--kernels", "rbf:1")
    assert radprog("price", "../run.json", "--kernels", "rbf:1", "--data", "moved.csv").code == 0


def test_without_a_certificate_nothing_is_called_useless(radprog, folder) -> None:
    assert radprog("solve vkr train.csv --scale ball --max-iter 0 --json run.json").code == 1
    done = radprog("price", "run.json", "--kernels", "rbf:1e-3", "--json", "-")
    (row,) = done.json["rows"]
    assert (row["ratio"] <= 1, row["useless"]) == (True, False)
    assert "keeps the bound" in done.err
