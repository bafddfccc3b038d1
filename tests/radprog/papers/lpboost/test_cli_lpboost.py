"""LPBoost at the command line: results, exports, prediction, tuning, three classes, bad input."""

import json
import os
from pathlib import Path

import pytest
from series_generators import SHAPES, cylinder_bell_funnel

import radprog as rp


def write_series(path: Path, data: rp.Bags) -> None:
    """UCR text: the label first."""
    names = data.classes or [data.labels[int(sign > 0)] for sign in data.targets]
    lines = ["\t".join([name, *map(repr, x.tolist())]) for name, x in zip(names, data.X)]  # noqa: B905
    path.write_text("\n".join(lines) + "\n")


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An own working folder with series of two and of three classes."""
    write_series(tmp_path / "train.tsv", cylinder_bell_funnel(24, length=32, seed=2))
    write_series(tmp_path / "test.tsv", cylinder_bell_funnel(40, length=32, seed=3))
    write_series(tmp_path / "tiny.tsv", cylinder_bell_funnel(6, length=10, seed=1))
    three = {"length": 32, "classes": SHAPES}
    write_series(tmp_path / "three.tsv", cylinder_bell_funnel(30, seed=0, **three))
    write_series(tmp_path / "three_test.tsv", cylinder_bell_funnel(60, seed=1, **three))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.thorough
def test_tuning(radprog, files) -> None:
    found = radprog.ok(
        "tune", "lpboost", "train.tsv", "--positive", "cylinder", "--grid", "nu=0.1,0.2",
        "--grid", "length=3;8;5,8", "--verbose", "--json", "t.json", "--save", "f.json",
    )  # fmt: skip
    table = json.loads(Path("t.json").read_text())
    grid = [(length, nu) for length in ("3", "8", "5,8") for nu in (0.2, 0.1)]
    assert [(c["params"]["length"], c["params"]["nu"]) for c in table["cells"]] == grid
    assert found.err.count(" s left\n") == 30
    assert table["certified"]
    assert "largest lam or nu first" in table["tie_rule"]
    assert radprog("predict", "f.json", "test.tsv", "-o", "o.csv").code == 0
    local = radprog("tune lpboost train.tsv --learner rkhs --length 8 --grid nu=0.3 --folds 2")
    assert local.code == 0  # without a certificate, but ended by its own rule
    cut = radprog("tune", "lpboost", "train.tsv", "--learner", "rkhs", "--length", 8,
                  "--grid", "nu=0.3", "--folds", 2, "--max-iter", 1)  # fmt: skip
    assert cut.code == 1


@pytest.mark.slow
@pytest.mark.data
def test_the_papers_series(radprog, files) -> None:
    train, test = (
        Path(os.environ["RADPROG_DATA"]) / "ucr" / f"ItalyPowerDemand_{part}.tsv"
        for part in ("TRAIN", "TEST")
    )
    given = (train, "--positive", 1, "--length", "0.1,0.2,0.3,0.4")
    radprog.ok("solve", "lpboost", *given, "--test", test, "--json", "r.json")
    result = json.loads(Path("r.json").read_text())
    assert result["objective"] == pytest.approx(0.0487819801, rel=1e-6)
    assert result["test"]["error"] <= 1 - 0.943


BAD = [
    (("--length", "33"), "length 33: the series have 32 points"),
    (("--length", "0.01"), "rounds to 0"),
    (("--positive", "funnel"), "positive 'funnel'"),
    (("--label", "none"), "row 1, column 0: got 'cylinder'"),
    (("--test", "short.tsv"), "short.tsv"),
    (("--test", "three.tsv"), "'funnel'"),
    (("--test", "bare.tsv"), "bare.tsv"),
    (("--start", "train.tsv"), "train.tsv"),
]


@pytest.mark.parametrize(("options", "word"), BAD, ids=lambda value: str(value))
def test_series_that_do_not_fit_the_options(radprog, files, options, word) -> None:
    rows = Path("test.tsv").read_text().splitlines()
    Path("short.tsv").write_text("\n".join(row.rpartition("\t")[0] for row in rows) + "\n")
    Path("bare.tsv").write_text("\n".join(row.partition("\t")[2] for row in rows) + "\n")
    radprog.refused(word, "solve", "lpboost", "train.tsv", *options, "--json", "r.json")
    assert not Path("r.json").exists()
