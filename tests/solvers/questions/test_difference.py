"""Two programs compared by the names of rows and columns."""

import json
from pathlib import Path

import pytest

from radprog.cli import main

BEFORE = """Minimize
 cost: 2 x + 3 y + z
Subject To
 need: x + y >= 4
 room: x + 2 z <= 8
Bounds
 y <= 9
General
 z
End
"""


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("2 x + 3 y", "2 x + 5 y", "column y: cost 3 -> 5"),
        ("y <= 9", "y <= 7", "column y: upper 9 -> 7"),
        ("General\n z\n", "", "column z: integer 1 -> 0"),
        (">= 4", ">= 6", "row need: lower 4 -> 6"),
        ("x + 2 z", "x + 3 z", "entry room, z: factor 2 -> 3"),
        ("need:", "want:", "row need: removed"),
        ("need:", "want:", "row want: added"),
        ("Minimize", "Maximize", "objective: sense 1 -> -1"),
        ("3 y + z", "z + 3 y", "the programs are the same"),
    ],
)
def test_a_change_is_named(
    old: str,
    new: str,
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.lp").write_text(BEFORE)
    Path("b.lp").write_text(BEFORE.replace(old, new))
    same = said.startswith("the programs")
    assert main(["diff", "a.lp", "b.lp", "--json", "d.json"]) == (0 if same else 1)
    assert said in capsys.readouterr().out
    found = json.loads(Path("d.json").read_text())
    assert found["same"] is same
    assert len(found["changes"]) >= (0 if same else 1)


def test_squares_and_unreadable_files_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.lp").write_text(BEFORE)
    Path("q.lp").write_text("Minimize\n x + [ x ^ 2 ] / 2\nSubject To\n r: x >= 1\nEnd\n")
    assert main(["diff", "a.lp", "q.lp"]) == 2
    assert "q.lp: a QP: expected no squares" in capsys.readouterr().err
    assert main(["diff", "a.lp", "none.lp"]) == 2
