"""What tests of readers share."""

from collections.abc import Callable
from pathlib import Path

import pytest
from small_files import written


@pytest.fixture
def file(tmp_path: Path) -> Callable[..., str]:
    """Write a content to a file of a name, and return its path."""
    return lambda content, name="data.csv": str(written(tmp_path, content, name))
