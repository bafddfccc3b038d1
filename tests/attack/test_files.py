"""A sample of the files of tests/attack/files.py."""

import pytest
from files import attack


@pytest.mark.parametrize("seed", range(2))
def test_valid_files_are_read_and_damaged_ones_are_not(seed: int) -> None:
    wrong, refusals = attack(240, seed)  # a half of them valid
    assert not wrong
    assert refusals <= 12
