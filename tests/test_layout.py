"""The house: folders installed under one name, links for type checkers, lazy imports."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import radprog

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("instances", "models", "solvers", "decompositions")


def python(code: str) -> list[str]:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.split()


def test_folders_are_not_top_level_modules() -> None:
    names = [f"radprog.{path.stem}" for path in (ROOT / "radprog").glob("*.py")]
    files = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")]
    names += [
        ".".join(("radprog", *path.relative_to(ROOT).with_suffix("").parts)) for path in files
    ]
    names = [name.removesuffix(".__init__") for name in names if "__main__" not in name]
    assert len(names) > 60
    code = (
        "import importlib, sys\n"
        f"for name in {names!r}:\n"
        "    try: importlib.import_module(name)\n"
        "    except ModuleNotFoundError as error:\n"
        "        assert not error.name.startswith('radprog'), error\n"  # an optional solver
        f"print(*[name for name in {FOLDERS!r} if name in sys.modules])\n"
    )
    assert python(code) == []


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


def test_constraints_name_versions_only() -> None:
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    assert all(re.fullmatch(r"[a-z0-9._-]+==[A-Za-z0-9.+]+", line) for line in lines)


def test_the_project_speaks_of_itself_only() -> None:
    for path in ROOT.rglob("*"):
        if path.suffix in (".py", ".md", ".toml", ".txt") and ".venv" not in str(path):
            assert not re.search(r"/work/|/root/", path.read_text()) or path == Path(__file__), path


def test_no_module_hides_a_public_name() -> None:
    code = (
        "import importlib, pkgutil, radprog\n"
        "for m in pkgutil.iter_modules(radprog.__path__, 'radprog.'):\n"
        "    if m.name != 'radprog.__main__': importlib.import_module(m.name)\n"
        "print(*[n for n in radprog.__all__ if type(getattr(radprog, n)).__name__ == 'module'])\n"
    )
    assert python(code) == []
