"""The papers' data files, where RADPROG_DATA names their folder."""

from pathlib import Path

from radprog.instances.papers_data import data_folder, entry


def path_of(name: str) -> Path:
    """The path of a file by its name."""
    return data_folder() / entry(name).file
