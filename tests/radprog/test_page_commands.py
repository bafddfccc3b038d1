"""Commands in the pages: they parse, their files come from somewhere, and they run."""

import re
from pathlib import Path

import pytest
from fences import commands_in, fenced
from papers_files import listed

from radprog.cli import build_parser, main
from radprog.examples import MAKERS, write_examples

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
OUTPUTS = {"-o", "--output", "--json", "--csv", "--save", "--plot", "--checkpoint"}
FILE = re.compile(r"[\w./-]+\.(csv|tsv|json|mps|mps\.gz|lp|npz|npy|sol|proof)")
# what they read is made by another solver, or lies in a folder
OTHERS = {"certify", "load"}
PAPERS_DATA = {Path(line["file"]).name for line in listed()} - {"iris.csv"}


def calls(page: Path):
    """The commands of a page in the order in which they stand."""
    return [call for _, block in fenced(page, "", "text") for call in commands_in(block)]


PAGES = [
    pytest.param(page, id=page.stem)
    for page in (ROOT / "README.md", *sorted(DOCS.glob("[!t]*/*.md")))
    if page.stem not in ("_commands", "reliability", "rows") and calls(page)
]


@pytest.mark.parametrize("page", PAGES)
def test_commands_parse_and_their_files_are_made(page: Path, tmp_path: Path) -> None:
    made = {*write_examples(["all"], tmp_path), *PAPERS_DATA, "run.json", "fit.json"}
    for _, block in fenced(page, "python"):
        made |= set(re.findall(r"rp\.export\(.*\"(.+)\"\)", block))
    for call in calls(page):
        build_parser().parse_args(call)
        if call[0] == "demo":
            made |= {f"demo-output/{name}" for name in ("run.json", "train.csv", "test.csv")}
        for before, word in zip(["", *call], call, strict=False):
            if before in OUTPUTS:
                made |= {word, f"{word}.names.json"}
        if call[0] in OTHERS:
            continue
        for part in (part for word in call for part in word.split(",")):
            assert not FILE.fullmatch(part) or part in made, f"{part} of {' '.join(call)}"


def test_commands_that_show_errata_parse(tmp_path: Path) -> None:
    made = write_examples(["all"], tmp_path)
    text = (DOCS / "reference" / "papers.md").read_text()
    shown = re.findall(r"`radprog ([^`]* [^`]*\.[^`]*)`", text)
    assert len(shown) >= 12
    for text in shown:
        assert build_parser().parse_args(text.split()).data in made, text


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES)
def test_commands_run(page: Path, empty: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_examples([*MAKERS], empty)
    solve = "solve vkr train.csv --scale ball --json run.json --save fit.json"
    main(solve.split())
    for call in calls(page):
        if call[0] in OTHERS or PAPERS_DATA.intersection(call):
            continue
        code = main(call)
        assert code == 0 or (code == 1 and "conflict" in capsys.readouterr().out), call
