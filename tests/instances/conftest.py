"""What tests of readers share."""

from collections.abc import Callable
from pathlib import Path

import pytest


@pytest.fixture
def file(tmp_path: Path) -> Callable[..., str]:
    """Write a text to a file of a name, and return its path."""

    def file(text: str, name: str = "data.csv") -> str:
        path = tmp_path / name
        path.write_text(text)
        return str(path)

    return file
