"""radprog demo --files: files that their models read."""

import re
from pathlib import Path

import pytest

from radprog.cli import main
from radprog.commands import demo
from radprog.examples import MAKERS, write_examples

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_examples(["all"], tmp_path)
    return tmp_path


def test_the_files_are_the_same_every_time(folder, tmp_path, capsys) -> None:
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
def test_the_demo_decides_learns_and_proves(empty, capsys) -> None:
    assert main(["demo"]) == 0
    lines = capsys.readouterr().out.splitlines()
    heads = [line.split()[0] for line in lines if line[0] != " "]
    assert heads == ["decide", "learn", "prove", "files"]
    assert 7 <= len(lines) <= 10
    shown = "\n".join(lines)
    texts = "20 vans, bound 20|22 vans|certified optimal|certificate holds|agrees"
    assert [text for text in texts.split("|") if text not in shown] == []
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


def test_a_demo_that_is_not_proved_ends_with_code_1(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(demo, "decide", lambda *_: (False, []))
    monkeypatch.setattr(demo, "learn", lambda *_: (True, {}, []))
    monkeypatch.setattr(demo, "prove", lambda *_: (True, []))
    assert main(["demo", "-o", str(tmp_path)]) == 1
    monkeypatch.setattr(demo, "decide", lambda *_: (True, []))
    assert main(["demo", "-o", str(tmp_path)]) == 0
