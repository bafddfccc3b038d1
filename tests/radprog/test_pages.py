"""Pages: their Python and the gallery's scripts run, links lead somewhere, all names are there."""

import re
import runpy
from collections.abc import Iterable
from pathlib import Path
from types import FunctionType

import matplotlib.pyplot as plt
import pytest
from fences import fenced

import radprog
import radprog.estimators
from radprog.base import errors
from radprog.decompositions.own import result

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
    and ("read(" not in block or "write_examples(" in block)
    and page.parent.name != "tutorials"
    and page.stem != "rows"
    and "SLURMCluster" not in block  # needs a cluster
]
PICTURES = sorted((ROOT / "docs" / "gallery").glob("plot_*.py"))
BUILT = ("_gallery/index", "_commands")  # by the build of the pages


@pytest.mark.cases(1000)
@pytest.mark.parametrize("block", BLOCKS)
def test_a_block_runs(block: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert "assert " in block
    exec(compile(block, "page", "exec"), {})


def test_there_are_blocks() -> None:
    assert len(BLOCKS) >= 4


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
    headings = re.findall(r"^#{1,3} (.*)$", page.read_text(), re.M)
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in headings}


@pytest.mark.cases(1000)
@pytest.mark.parametrize("page", [*PAGES, *ROOT_PAGES], ids=lambda page: page.stem)
def test_links_lead_somewhere(page: Path) -> None:
    for link in re.findall(r"\]\(([^)\s]+)\)", page.read_text()):
        target, _, anchor = link.partition("#")
        assert "://" not in link, link
        if target.removeprefix("../") in BUILT:
            continue
        # pages and pictures of the gallery are made of its scripts
        if script := re.search(r"_gallery/.*?(plot_\w+?)(?:_thumb\.png)?$", target):
            assert (DOCS / "gallery" / f"{script[1]}.py").exists(), link
            continue
        file = page.parent / target if target else page
        assert file.exists(), link
        assert not anchor or anchor in anchors(file), link


def test_the_reference_names_everything_public() -> None:
    """Each name in one of its groups; the build makes a page for each."""
    page = (ROOT / "docs" / "reference" / "api.md").read_text()
    group = r"currentmodule:: (\S+)\n\n.. autosummary::\n   :toctree: .*\n.*\n\n((?:   \w+\n)+)"
    listed = [(home, name) for home, names in re.findall(group, page) for name in names.split()]
    for module in (radprog, radprog.estimators):
        names = [name for home, name in listed if home == module.__name__]
        assert sorted(names) == sorted(module.__all__)


FOREIGN = {"Any", "None", "Figure", "ConcreteModel", "Mapping", "CalibratedClassifierCV"}  # others'
VALUES = {"Fraction", "FloatArray", "IntArray", "NDArray", "Self", "RunStatus", "Reason"}


def returned(parts: Iterable[object]) -> set[str]:
    """Names of the classes that functions return, by annotation."""
    functions = [part.fget if isinstance(part, property) else part for part in parts]
    told = [one.__annotations__ for one in functions if isinstance(one, FunctionType)]
    return {name for text in told for name in re.findall(r"[A-Z]\w+", str(text.get("return")))}


def test_the_reference_names_every_result() -> None:
    found = returned(getattr(radprog, name) for name in radprog.__all__) - FOREIGN
    assert {"Run", "Solution", "Dataset", "Loaded"} <= found <= set(radprog.__all__)
    parts = [
        part
        for name in found
        for key, part in vars(getattr(radprog, name)).items()
        if not key.startswith("_")
    ]
    assert "Rounded" in returned(parts) - FOREIGN - VALUES <= set(radprog.__all__)


def test_the_reference_names_every_error() -> None:
    known = {
        name
        for module in (errors, result)
        for name, one in vars(module).items()
        if isinstance(one, type) and issubclass(one, errors.RadprogError)
    }
    assert len(known) > 14
    assert known <= set(radprog.__all__)


def test_the_reference_says_what_is_raised() -> None:
    public = [getattr(radprog, name) for name in radprog.__all__]
    told = {one.__name__: one.__doc__ for one in public if isinstance(one, FunctionType)}
    assert len(told) > 40
    assert {name for name, text in told.items() if not re.search(r"[Rr]aises", text or "")} == set()


def test_every_page_is_in_the_index() -> None:
    index = (ROOT / "docs" / "index.md").read_text()
    for page in PAGES:
        place = page.relative_to(ROOT / "docs").with_suffix("").as_posix()
        assert place in ("index", "_commands") or f"\n{place}\n" in index, page
