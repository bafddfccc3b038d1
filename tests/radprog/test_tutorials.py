"""Tutorials: commands and Python of each page run from top to bottom, in an empty folder."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from page_commands import commands_in

from radprog.cli import build_parser, main

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted((ROOT / "docs" / "tutorials").glob("*.md"))
BLOCK = re.compile(r"^```(text|python)\n(.*?)^```", re.M | re.S)


@pytest.mark.thorough
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_tutorial_runs_from_top_to_bottom(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    for kind, block in BLOCK.findall(page.read_text()):
        if kind == "python":
            exec(compile(block, page.name, "exec"), names)
            continue
        for call in commands_in(block):
            assert main(call) == 0, call


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_tutorial_claims_what_it_shows(page: Path) -> None:
    text = page.read_text()
    kinds = [kind for kind, _ in BLOCK.findall(text)]
    assert "python" in kinds
    assert "assert " in text
    assert text.count("```") == 2 * len(kinds)
    for _, block in BLOCK.findall(text):
        for call in commands_in(block):
            build_parser().parse_args(call)
    assert len(text.split()) < 700


def test_there_is_a_tutorial_for_each_paper_and_reader() -> None:
    assert len(PAGES) >= 10
