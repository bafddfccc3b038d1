"""Tutorials: commands and Python of each page run from top to bottom, in an empty folder."""

import re
from pathlib import Path
from typing import Any

import pytest
from fences import commands_in, fenced

from radprog.cli import build_parser, main
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


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_tutorial_claims_what_it_shows(page: Path) -> None:
    text = page.read_text()
    blocks = fenced(page, *KINDS)
    assert {"python", "output"} <= {kind for kind, _ in blocks}
    assert "$$" in text
    assert "](../_gallery/images/thumb/" in text
    assert "assert " in text
    assert text.count("```") == 2 * len(blocks)
    for _, block in blocks:
        for call in commands_in(block):
            build_parser().parse_args(call)


def test_there_is_a_tutorial_for_each_paper_and_reader() -> None:
    assert len(PAGES) >= 10


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
