"""The house: folders installed under one name, links for type checkers, lazy imports."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from every_module import FOLDERS

import radprog

ROOT = Path(__file__).resolve().parent.parent


def python(code: str) -> list[str]:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.split()


@pytest.fixture(scope="module")
def everything() -> dict[str, list[str]]:
    """What importing every module does, in a process of its own."""
    script = ROOT / "tests" / "support" / "every_module.py"
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True)
    found: dict[str, list[str]] = json.loads(done.stdout)
    return found


def test_every_module_is_imported(everything) -> None:
    files = [path.relative_to(ROOT) for path in (ROOT / "radprog").rglob("*.py")]
    for folder in FOLDERS:
        files += ["radprog" / path.relative_to(ROOT) for path in (ROOT / folder).rglob("*.py")]
    names = [".".join(path.with_suffix("").parts).removesuffix(".__init__") for path in files]
    assert sorted(everything["modules"]) == sorted(names)
    assert len(names) > 60


def test_folders_are_not_top_level_modules(everything) -> None:
    assert everything["top_level"] == []


def test_no_module_hides_a_public_name(everything) -> None:
    assert everything["hidden"] == []


def test_import_is_light() -> None:
    heavy = {"pyomo", "matplotlib", "sklearn", "highspy", "rich", "numpy"}
    assert heavy.isdisjoint(python("import radprog, sys; print(*sys.modules)"))
    code = "import sys, radprog; radprog.{}; print(*sys.modules)"
    assert "pyomo" in python(code.format("build"))  # names are looked up when used


def test_help_does_not_wait_for_solvers() -> None:
    code = (
        "import sys, contextlib, io, radprog.cli\n"
        "with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):\n"
        "    radprog.cli.main(['solve', 'vkr', '--help'])\n"
        "print(*sys.modules)\n"
    )
    assert {"pyomo", "matplotlib", "highspy"}.isdisjoint(python(code))


def test_public_names() -> None:
    for name in radprog.__all__:
        assert getattr(radprog, name).__doc__
    assert sorted(set(radprog.__all__)) == sorted(radprog.__all__)
    assert dir(radprog) == sorted(radprog.__all__)
    with pytest.raises(AttributeError, match="nobody"):
        _ = radprog.nobody
    with pytest.raises(ImportError):
        exec("from radprog import nobody")


def test_every_public_name_comes_with_a_star() -> None:
    names = python("from radprog import *\nprint(*[name for name in dir() if name[0] != '_'])")
    assert set(radprog.__all__) <= set(names)


def test_links_mirror_the_package() -> None:
    links = ROOT / "tests" / ".ns" / "radprog"
    own = {path.name for path in (ROOT / "radprog").iterdir() if path.name != "__pycache__"}
    linked = {path.name for path in links.iterdir() if not path.name.startswith("_")}
    linked |= {path.name for path in links.glob("__*__.py")}
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


def test_the_project_speaks_of_itself_only() -> None:
    visible = [top for top in ROOT.iterdir() if not top.name.startswith(".")]
    for path in [*visible, *(path for top in visible for path in top.rglob("*"))]:
        if path.suffix in (".py", ".md", ".toml", ".txt"):
            assert not re.search(r"/work/|/root/", path.read_text()) or path == Path(__file__), path
