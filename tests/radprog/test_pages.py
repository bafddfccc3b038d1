"""Pages: their Python and the gallery's scripts run, links lead somewhere, all names are there."""

import ast
import builtins
import re
import runpy
from pathlib import Path

import matplotlib.pyplot as plt
import pytest
from fences import fenced

import radprog as rp

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
ROOT_PAGES = [ROOT / name for name in ("CHANGELOG.md", "CONTRIBUTING.md", "README.md")]
FOLDERS = ("*.md", "[a-z]*/*.md", "explanation/notes/*.md")
PAGES = sorted(page for folder in FOLDERS for page in DOCS.glob(folder))
BLOCKS = [
    pytest.param(block, id=f"{page.stem}-{place}")
    for page in PAGES
    for place, (_, block) in enumerate(fenced(page, "python"))
    if "radprog" in block
    and ("read(" not in block or "write_text(" in block)
    and page.parent.name != "tutorials"
    and page.stem not in ("index", "rows", "questions")  # index, questions: test_tutorials.py
]
FRONT = [
    pytest.param(block, id=f"{page.stem}-{place}")
    for page in (ROOT / "README.md", DOCS / "index.md")
    for place, (_, block) in enumerate(fenced(page, "python"))
]
PICTURES = sorted((ROOT / "docs" / "gallery").glob("plot_*.py"))
BUILT = ("_gallery/index", "_commands")  # by the build of the pages


@pytest.mark.cases(1000)
@pytest.mark.parametrize("block", BLOCKS)
def test_a_block_runs(block: str, empty: Path) -> None:
    assert "assert " in block
    exec(compile(block, "page", "exec"), {})


@pytest.mark.parametrize("block", FRONT)
def test_a_block_of_a_front_page_names_what_it_uses(block: str) -> None:
    """Who pastes one of them alone gets no NameError."""
    names = [node for node in ast.walk(ast.parse(block)) if isinstance(node, ast.Name)]
    made = {node.id for node in names if isinstance(node.ctx, ast.Store)} | set(dir(builtins))
    for node in ast.walk(ast.parse(block)):
        if isinstance(node, ast.Import | ast.ImportFrom):
            made |= {alias.asname or alias.name for alias in node.names}
    assert {node.id for node in names} <= made


@pytest.mark.thorough
@pytest.mark.parametrize("script", PICTURES, ids=lambda script: script.stem)
@pytest.mark.filterwarnings("ignore:FigureCanvasAgg is non-interactive")
def test_a_picture_is_drawn(script: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plt, "show", lambda: None)
    plt.switch_backend("agg")
    try:
        runpy.run_path(str(script))
        for axes in plt.gcf().axes:
            assert axes.has_data() or axes.patches
        assert any(axes.get_title() for axes in plt.gcf().axes)
    finally:
        plt.close("all")


def anchors(page: Path) -> set[str]:
    """What a link may name within a page: its headings."""
    text = page.read_text()
    for included in re.findall(r"^```\{include\} (\S+)$", text, re.M):
        text += (page.parent / included).read_text()
    headings = re.findall(r"^#{1,3} (.*)$", text, re.M)
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in headings}


@pytest.mark.cases(1000)
@pytest.mark.parametrize("page", [*PAGES, *ROOT_PAGES], ids=lambda page: page.stem)
def test_links_lead_somewhere(page: Path) -> None:
    for link in re.findall(r"\]\(([^)\s]+)\)", page.read_text()):
        target, _, anchor = link.partition("#")
        assert "://" not in link, link
        if target.removeprefix("../") in BUILT:
            continue
        # the run of a tutorial draws its picture
        if picture := re.fullmatch(r"(?:\.\./)?_pictures/([\w-]+)\.png", target):
            assert (DOCS / "tutorials" / f"{picture[1]}.md").exists(), link
            continue
        # a public name has a page, made of its docstring
        if name := re.fullmatch(r"(?:\.\./)?_api/radprog\.(\w+)", target):
            assert name[1] in rp.__all__, link
            continue
        # pages and pictures of the gallery are made of its scripts
        if script := re.search(r"_gallery/.*?(plot_\w+?)(?:_thumb\.png)?$", target):
            assert (DOCS / "gallery" / f"{script[1]}.py").exists(), link
            continue
        file = page.parent / target if target else page
        assert file.exists(), link
        assert not anchor or anchor in anchors(file), link
