"""The house: folders installed under one name, links for type checkers, lazy imports."""

import ast
import functools
import json
import re
import subprocess
import sys
import tomllib
from collections import defaultdict
from graphlib import TopologicalSorter
from importlib import metadata
from pathlib import Path

import pytest
from every_module import FOLDERS
from packaging.specifiers import SpecifierSet

import radprog

ROOT = Path(__file__).resolve().parent.parent
PAPERS = {"linear", "vkr", "mkl", "lpboost", "regression", "similarity"}
GROUPS = {  # folders of every layer, and of its tests
    "radprog/base": set(),
    "instances": set(),
    "models": PAPERS,
    "solvers": {"adapters", "formats", "dense", "questions"},
    "decompositions": {"drivers", "own", "programs", "sweeps", *PAPERS},
    "radprog": {"base", "commands", "analysis", "estimators", "papers", "proofs", "terminal"},
    "radprog/papers": PAPERS,
}
LEVELS = {"base": 0, "instances": 1, "models": 2, "solvers": 2, "decompositions": 3, "radprog": 4}


@functools.cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


def python(code: str) -> list[str]:
    done = subprocess.run([sys.executable, "-Pc", code], capture_output=True, text=True, check=True)
    return done.stdout.split()


@pytest.fixture(scope="module")
def everything() -> dict[str, list[str]]:
    """What importing every module does, in a process of its own."""
    script = ROOT / "tests" / "support" / "every_module.py"
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


@pytest.mark.thorough
def test_every_module_is_imported(everything) -> None:
    files = [path.relative_to(ROOT) for path in (ROOT / "radprog").rglob("*.py")]
    for folder in FOLDERS:
        files += ["radprog" / path.relative_to(ROOT) for path in (ROOT / folder).rglob("*.py")]
    names = [".".join(path.with_suffix("").parts).removesuffix(".__init__") for path in files]
    assert sorted(everything["modules"]) == sorted(names)
    assert len(names) > 60


@pytest.mark.thorough
def test_no_folder_is_a_top_level_module_and_no_module_hides_a_public_name(everything) -> None:
    assert everything["top_level"] == everything["hidden"] == []


def test_import_is_light() -> None:
    heavy = {"pyomo", "matplotlib", "sklearn", "highspy", "rich", "numpy"}
    assert heavy.isdisjoint(python("import radprog, sys; print(*sys.modules)"))
    code = "import sys, radprog; radprog.{}; print(*sys.modules)"
    assert "radprog.api" in python(code.format("build"))  # names are looked up when used


@pytest.mark.checkout
def test_python_in_a_checkout_finds_the_layers_of_an_installed_radprog() -> None:
    """There, ``radprog/`` comes before the installed package, and lacks the other layers."""
    code = "import sys; sys.meta_path[:] = [f for f in sys.meta_path if 'editable' not in repr(f)]"
    code += f"; sys.path.insert(0, {str(ROOT)!r}); import radprog.decompositions.loop as loop"
    code += "; import radprog.estimators; print(loop.__file__, 'decompositions' in sys.modules)"
    assert python(code) == [str(ROOT / "decompositions" / "loop.py"), "False"]


@pytest.mark.checkout
def test_python_beside_a_checkout_finds_the_installed_radprog(tmp_path, monkeypatch) -> None:
    """The line of the Makefile; without it, the folder ``radprog`` is a package without files."""
    (tmp_path / "radprog").symlink_to(ROOT)
    monkeypatch.chdir(tmp_path)
    line = re.findall("EDITABLE_FIRST = (.*)", (ROOT / "Makefile").read_text())[0]
    code = f"{line}; sys.path.insert(0, ''); import radprog; print(radprog.fit.__module__)"
    assert python(code) == ["radprog.api"]


def test_public_names() -> None:
    for name in radprog.__all__:
        assert getattr(radprog, name).__doc__
        assert getattr(radprog, name).__module__ == radprog._HOME[name]
    assert sorted(set(radprog.__all__)) == sorted(radprog.__all__)
    starred: dict[str, object] = {}
    exec("from radprog import *", starred)
    assert set(radprog.__all__) <= set(starred)
    assert dir(radprog) == sorted(radprog.__all__)
    with pytest.raises(AttributeError, match="nobody"):
        _ = radprog.nobody
    with pytest.raises(ImportError):
        exec("from radprog import nobody")


@pytest.mark.checkout
def test_links_mirror_the_package() -> None:
    links = ROOT / "tests" / ".ns" / "radprog"
    own = {path.name for path in (ROOT / "radprog").iterdir() if path.name != "__pycache__"}
    linked = {path.name for path in links.iterdir() if not path.name.startswith("_")}
    linked |= {path.name for path in links.glob("__*__.py*")}
    assert linked == own | set(FOLDERS)
    for link in links.iterdir():
        assert link.name == "__pycache__" or (link.is_symlink() and link.exists())


def test_packages_are_the_folders_that_hold_modules() -> None:
    """A forgotten one would be missing from the wheel alone."""
    listed = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["packages"]
    for pattern in ("__init__.py", "*.py"):
        folders = {path.parent for path in (ROOT / "radprog").rglob(pattern)}
        packages = {".".join(folder.relative_to(ROOT).parts) for folder in folders}
        folders = {path.parent for top in FOLDERS for path in (ROOT / top).rglob(pattern)}
        packages |= {".".join(("radprog", *folder.relative_to(ROOT).parts)) for folder in folders}
        assert sorted(listed) == sorted(packages), pattern


def test_constraints_name_versions_only() -> None:
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    assert all(re.fullmatch(r"[a-z0-9._-]+==[A-Za-z0-9.+]+", line) for line in lines)


def test_constraints_allow_the_oldest_python() -> None:
    oldest = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["requires-python"]
    pinned = (line.partition("==")[0] for line in (ROOT / "constraints.txt").open())
    installed = {one.name.lower(): one for one in metadata.distributions()}
    for name in set(pinned) & set(installed):
        allowed = SpecifierSet(installed[name].metadata.get("Requires-Python") or "")
        assert oldest.removeprefix(">=") in allowed, name


def test_the_project_speaks_of_itself_only() -> None:
    visible = [top for top in ROOT.iterdir() if not top.name.startswith(".")]
    for path in [*visible, *(path for top in visible for path in top.rglob("*"))]:
        if path.suffix in (".py", ".md", ".toml", ".txt"):
            assert not re.search(r"/work/|/root/", path.read_text()) or path == Path(__file__), path


def modules() -> dict[str, Path]:
    """Every module of the product by its name."""
    found = {}
    for folder in (*FOLDERS, "radprog"):
        for path in (ROOT / folder).rglob("*.py"):
            parts = path.relative_to(ROOT).with_suffix("").parts
            name = ".".join(parts if folder == "radprog" else ("radprog", *parts))
            found[name.removesuffix(".__init__")] = path
    return found


def imported(path: Path, known: dict[str, Path]):
    """Modules of the product that a file, or its stub, names in its imports."""
    stub = path.with_suffix(".pyi")
    for node in ast.walk(parsed(stub if stub.exists() else path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in known)
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            inner = {f"{node.module}.{alias.name}" for alias in node.names} & known.keys()
            yield from inner or {node.module} & known.keys()


def paper_of(name: str) -> str | None:
    """The paper in whose folder a module stands."""
    return next((part for part in name.split(".") if part in PAPERS), None)


def layer(name: str) -> str:
    """The layer in which a module lies."""
    top = name.removeprefix("radprog.").partition(".")[0]
    return top if top in LEVELS else "radprog"


def test_imports_go_one_way_and_join_no_papers() -> None:
    """Neither up, nor from paper to paper, nor in a circle: also those within functions."""
    known = modules()
    edges = {name: set(imported(path, known)) for name, path in known.items()}
    for name, others in edges.items():
        for other in others:
            low, high = layer(other), layer(name)
            assert low == high or LEVELS[low] < LEVELS[high], (name, other)
            assert len({paper_of(name), paper_of(other)} - {None}) < 2, (name, other)
    assert len(list(TopologicalSorter(edges).static_order())) == len(known)


def test_what_lies_outside_a_paper_serves_two() -> None:
    """Or none: the front door, programs of one's own. Drivers and solvers know matrices alone, and
    kinds of data have no papers' folders: these may serve one."""
    known = modules()
    edges = {name: set(imported(path, known)) for name, path in known.items()}
    served: dict[str, set[str]] = {name: set() for name in known}
    for name in known:
        paper, ahead, seen = paper_of(name), sorted(edges[name]), set()
        while paper is not None and ahead:
            other = ahead.pop()
            if other in seen or paper_of(other) is not None:
                continue
            seen.add(other)
            served[other].add(paper)
            if other.startswith(("radprog.models", "radprog.decompositions")):
                ahead += edges[other]  # not those of the front door, which serves all
    layers = tuple(f"radprog.{folder}" for folder in FOLDERS)
    door = {name for name in known if paper_of(name) is None and not name.startswith(layers)}
    shown = set().union(*(edges[name] for name in door))
    free = (
        "radprog.base",
        "radprog.instances",
        "radprog.solvers",
        "radprog.decompositions.drivers",
    )
    for name, papers in served.items():
        if paper_of(name) is None and not name.startswith(free) and known[name].stem != "__init__":
            assert len(papers) != 1 or name in shown, (name, papers)
            used = papers or any(name in others for others in edges.values())
            assert used or not name.startswith(("radprog.models", "radprog.decompositions")), name
    assert len(served["radprog.models.kernels"]) >= 3


@pytest.mark.parametrize("folder", GROUPS)
def test_folders_have_the_names_that_they_have_everywhere(folder: str) -> None:
    for place, needed in ((ROOT / folder, GROUPS[folder]), (ROOT / "tests" / folder, set())):
        found = {path.name for path in place.iterdir() if list(path.glob("**/*.py"))}
        assert needed <= found <= GROUPS[folder] | {"stored"}, place


def test_the_same_file_name_is_the_same_role() -> None:
    for layer, files in (
        ("models", {"settings", "problem", "programs", "bounds"}),
        ("decompositions", {"forms"}),
        ("radprog/papers", {"__init__"}),
    ):
        for paper in PAPERS:
            if paper == "linear":
                files = files - {"bounds"}  # its paper has none of the error
            assert files <= {path.stem for path in (ROOT / layer / paper).glob("*.py")}, paper


def test_papers_and_users_go_through_the_same_loops() -> None:
    """Columns and cuts, concave parts, blocks: one step each, of the drivers, that both call."""
    callers: dict[str, set[str | None]] = defaultdict(set)
    for name, path in modules().items():
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                own = name.startswith("radprog.decompositions.own.")
                callers[node.func.id].add("own" if own else paper_of(name))
    assert callers["exchange"] == {"vkr", "mkl", "lpboost", "linear"}
    assert "own" in callers["exchange_step"]
    assert callers["dca_step"] == {"own", "mkl", "regression", "similarity", "lpboost"}
    assert callers["alternation"] == {"own", "vkr", "similarity"}


def test_a_function_fits_on_a_screen() -> None:
    """Its steps are commented; what is longer has parts with names."""
    for path in modules().values():
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.FunctionDef) and node.end_lineno is not None:
                docstring = len((ast.get_docstring(node) or "").splitlines())
                assert node.end_lineno - node.lineno - docstring < 80, (path, node.name)
