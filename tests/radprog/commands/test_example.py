"""radprog demo --files: files that their models read."""

import re
from pathlib import Path

import numpy as np
import pytest

import radprog as rp
from radprog.cli import main
from radprog.commands import demo
from radprog.examples import MAKERS, write_examples

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_examples(["all"], tmp_path)
    return tmp_path


def test_every_file_is_read_by_its_model(folder: Path) -> None:
    plan = rp.structure(folder / "plan.mps")
    assert str(plan).startswith("24 blocks of 1 kind; 60 linking rows")
    assert (folder / "highs.sol").read_text().startswith("Model status\nOptimal")
    assert rp.read(folder / "train.csv").X.shape == (398, 30)
    assert rp.read(folder / "small.csv").X.shape == (150, 30)
    assert rp.read(folder / "test.csv").rows == 171
    twice = rp.read(folder / "twice.csv")
    assert sorted(twice.targets[(twice.X[-1] == twice.X).all(axis=1)]) == [-1, 1]
    kinds = (folder / "partly.csv").read_text().splitlines()[1:]
    assert sum(not row.endswith(",") for row in kinds) == 9
    assert rp.read_partly_labelled(folder / "partly.csv").rows == 150
    assert rp.read_regression(folder / "sinc.csv").X.shape == (100, 1)
    assert rp.read_series(folder / "three.tsv", one_vs_rest=True).rows == 30
    train = rp.read_series(folder / "bags_TRAIN.npz", positive="binds")
    assert (train.kind, train.rows, train.span) == ("bags", 40, 4)
    assert rp.read_series(folder / "bags_TEST.npz", like=train).rows == 60
    assert (
        len(set(np.loadtxt(folder / "molecules.csv", str, delimiter=",", skiprows=1)[:, 0])) == 40
    )
    assert rp.read_views([folder / "a.csv", folder / "b.csv"], classes=["7", "16"]).rows == 40
    assert rp.read_grams(folder / "kernels.npz").K.shape == (2, 30, 30)
    assert np.load(folder / "new.npy").shape == (2, 10, 30)
    assert rp.read(folder / "texts.csv", strings=0).rows == 32
    assert rp.read(folder / "cars.csv", decimal=",", categorical="auto").X.shape == (80, 7)


def test_the_files_are_the_same_every_time(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "other"
    write_examples(list(MAKERS), other)
    names = {path.name for path in other.iterdir()}
    assert len(names) >= 16
    for name in names:
        assert (other / name).read_bytes() == (folder / name).read_bytes(), name
    (other / "train.csv").write_text("1,2\n")  # of the user
    for command in (["demo", "--files", "classes"], ["demo"]):
        assert main([*command, "-o", str(other)]) == 2
    assert "train.csv: another file of this name exists" in capsys.readouterr().err
    assert (other / "train.csv").read_text() == "1,2\n"
    assert main(["demo", "--files", "classes", "-o", str(other), "--force"]) == 0
    assert (other / "train.csv").read_bytes() == (folder / "train.csv").read_bytes()


@pytest.mark.thorough
def test_the_demo_decides_learns_and_proves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["demo"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines if line[0] != " "] == [
        "decide", "learn", "prove", "files",
    ]  # fmt: skip
    assert 7 <= len(lines) <= 10
    shown = "\n".join(lines)
    for text in (
        "20 vans, bound 20",
        "22 vans",
        "certified optimal",
        "certificate holds",
        "agrees",
    ):
        assert text in shown
    for name in lines[-1].split("/")[1].split():
        assert Path("demo-output", name).stat().st_size > 0
    # the numbers of the front page
    page = " ".join((ROOT / "README.md").read_text().split())
    for wrong, rows in re.findall(r"([\d.]+)% of (\d+) others wrong", shown):
        assert f"{wrong} % of {rows} other tumours" in page
    (bounds,) = re.findall(r"at most ([\d.]+)% by (\d+) rows held out, ([\d.]+)% by", shown)
    assert f"| hold-out | {bounds[0]} %, for a fit of" in page
    assert f"| the other {bounds[1]} rows |" in page
    assert f"| compression | {bounds[2]} % |" in page
    (support,) = re.findall(r"(\d+) tumours suffice", shown)
    assert f"It needs {support} of them" in page


def test_a_demo_that_is_not_proved_ends_with_code_1(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(demo, "decide", lambda *_: (False, []))
    monkeypatch.setattr(demo, "learn", lambda *_: (True, {}, []))
    monkeypatch.setattr(demo, "prove", lambda *_: (True, []))
    assert main(["demo", "-o", str(tmp_path)]) == 1
    monkeypatch.setattr(demo, "decide", lambda *_: (True, []))
    assert main(["demo", "-o", str(tmp_path)]) == 0
