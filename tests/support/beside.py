"""Packages beside this one, for tests of entry points."""

from pathlib import Path


def write_package(site: Path, name: str, group: str, entry: str, **modules: str) -> Path:
    """A folder with modules and with the metadata of a package that names an entry point."""
    info = site / f"{name.replace('-', '_')}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[{group}]\n{entry}\n")
    for module, text in modules.items():
        (site / f"{module}.py").write_text(text)
    return site
