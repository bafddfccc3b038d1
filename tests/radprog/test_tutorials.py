"""Tutorials: commands and Python of each page run from top to bottom, in an empty folder."""

import re
from pathlib import Path

import pytest
from fences import run_page

from radprog import proof_checker

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted((ROOT / "docs" / "tutorials").glob("*.md"))


@pytest.mark.thorough
@pytest.mark.cases(100)
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_tutorial_runs_and_draws_its_picture(page: Path, empty: Path) -> None:
    run_page(page)
    pictures = re.findall(r"!\[([^]]*)\]\(\.\./_pictures/([\w-]+\.png)\)", page.read_text())
    assert pictures
    for words, picture in pictures:
        assert len(words.split()) > 3  # what is seen, for those who do not see it
        assert picture == f"{page.stem}.png"
        assert (empty / picture).stat().st_size > 5000


@pytest.mark.thorough
def test_the_readme_runs(empty: Path) -> None:
    run_page(ROOT / "README.md")
    values = {float(line.split()[1]) for line in Path("plan.sol").read_text().splitlines()[1:]}
    assert values == {0.0, 1.0}


@pytest.mark.thorough
def test_the_answers_to_questions_hold(empty: Path) -> None:
    pytest.importorskip("flint")
    page = ROOT / "docs" / "guides" / "questions.md"
    run_page(page)
    # fifteen questions, each with its thread
    asked = re.findall(r"^\*\*(\d+)\. [^*]+\?\*\* \([\w-]+/[\w.-]+ #\d+\)", page.read_text(), re.M)
    assert asked == [str(number) for number in range(1, 16)]


@pytest.mark.thorough
def test_the_front_page_runs(empty: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("flint")
    run_page(ROOT / "docs" / "index.md")
    # the interval of the proof is far below double precision
    assert proof_checker.main(["proof.json", "train.csv"]) == 0
    (gap,) = re.findall(r"^VALID: .*, gap ([^\s;]+);", capsys.readouterr().out)
    assert float(gap) < 1e-30
