"""Tutorials: commands and Python of each page run from top to bottom, in an empty folder."""

import re
from pathlib import Path
from typing import Any

import pytest
from fences import commands_in, fenced

from radprog.cli import main
from radprog.examples import write_examples

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted((ROOT / "docs" / "tutorials").glob("*.md"))
KINDS = ("text", "python", "output")


@pytest.mark.thorough
@pytest.mark.cases(100)
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_tutorial_runs_from_top_to_bottom(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    printed = ""
    for kind, block in fenced(page, *KINDS):
        if kind == "output":  # a part of what the block above printed; ... is anything
            shown = re.escape(block.strip()).replace(r"\.\.\.", ".*?").replace(r"\ ", " ")
            assert re.search(shown, printed, re.S), f"{block}\nis not in\n{printed}"
            continue
        capsys.readouterr()
        if kind == "python":
            exec(compile(block, page.name, "exec"), names)
        for call in commands_in(block if kind == "text" else ""):
            assert main(call) == 0, call
        printed = capsys.readouterr().out


@pytest.mark.thorough
def test_the_front_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_examples(["classes"], tmp_path / "demo-output")
    train = tmp_path / "demo-output" / "train.csv"
    train.write_text("".join(train.read_text().splitlines(keepends=True)[:101]))  # a third
    names: dict[str, Any] = {}
    for _, block in fenced(ROOT / "README.md", "python"):
        exec(compile(block, "README.md", "exec"), names)
    assert names["run"].certified
    assert names["run"].multipliers
    assert Path("dual.mps").is_file()
    assert names["scores"].mean() > 0.9
