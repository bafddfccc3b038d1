"""LPBoost at the command line: results, exports, prediction, tuning, three classes, bad input."""

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
