"""The recipe for conda, citation, changelog and package say what pyproject.toml says."""

import re
import tomllib
from importlib.metadata import metadata
from pathlib import Path

from fences import fenced

import radprog

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
RECIPE = (ROOT / "docs" / "conda" / "meta.yaml").read_text()
CONDA = {"matplotlib": "matplotlib-base", "cyipopt-wheels": "cyipopt"}  # names there


def listed(section: str) -> set[str]:
    """The entries under a heading of the recipe."""
    (block,) = re.findall(rf"^  {section}:\n((?:    - .*\n)+)", RECIPE, re.M)
    return {line.removeprefix("    - ") for line in block.splitlines()}


def as_conda(package: str) -> str:
    """``numpy>=2.0`` as the recipe writes it; a wheel pinned for its Ipopt has no version there."""
    name, rest = re.fullmatch(r"([\w-]+)([^;]*)(?:;.*)?", package).groups()  # type: ignore[union-attr]
    return CONDA.get(name, name) + (f" {rest}" if rest.startswith(">=") else "")


def test_there_is_one_version() -> None:
    version = PROJECT["project"]["version"]
    assert radprog.__version__ == version
    assert f"\nversion: {version}\n" in (ROOT / "CITATION.cff").read_text()
    assert re.findall(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(), re.M)[0] == version


def test_the_description_on_an_index_has_no_dead_link() -> None:
    text, readme = metadata("radprog")["Description"], (ROOT / "README.md").read_text()
    assert "](" in readme
    assert "](" not in text
    assert text.lstrip().startswith("# radprog\n")
    blocks = [block for _, block in fenced(ROOT / "README.md", "", "python")]
    assert len(blocks) >= 3
    assert all(block in text for block in blocks)


def test_the_recipe_has_the_same_version_and_dependencies() -> None:
    project = PROJECT["project"]
    assert f'{{% set version = "{project["version"]}" %}}' in RECIPE
    python = f"python {project['requires-python']}"
    assert listed("run") == {python, *map(as_conda, project["dependencies"])}
    extras = project["optional-dependencies"]
    (together,) = extras["all"]
    names = re.findall(r"\[(.*)\]", together)[0].split(",")
    assert listed("run_constrained") == {as_conda(p) for name in names for p in extras[name]}
    assert listed("host") >= {python, *map(as_conda, PROJECT["build-system"]["requires"])}
    assert listed("entry_points") == {f"radprog = {project['scripts']['radprog']}"}
    assert f'summary: "{project["description"]}"' in RECIPE
