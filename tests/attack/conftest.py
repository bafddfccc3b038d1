"""What tests of hostile input share."""

import hostile
import pytest


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory):
    """A folder with the files that hostile command lines name."""
    folder = tmp_path_factory.mktemp("hostile")
    hostile.prepare(folder)
    return folder
