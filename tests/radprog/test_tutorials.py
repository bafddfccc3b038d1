"""Tutorials: commands and Python of each page run from top to bottom, in an empty folder."""

import re
from pathlib import Path
from typing import Any

import pytest
from fences import fenced, run_page

from radprog.examples import write_examples

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted((ROOT / "docs" / "tutorials").glob("*.md"))


@pytest.mark.thorough
@pytest.mark.cases(100)
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_tutorial_runs_and_draws_its_picture(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run_page(page)
    pictures = re.findall(r"!\[([^]]*)\]\(\.\./_pictures/([\w-]+\.png)\)", page.read_text())
    assert pictures
    for words, picture in pictures:
        assert len(words.split()) > 3  # what is seen, for those who do not see it
        assert picture == f"{page.stem}.png"
        assert (tmp_path / picture).stat().st_size > 5000


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
