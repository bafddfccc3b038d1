"""A sample of tests/attack/interrupts.py: Ctrl-C at random moments, in processes of their own."""

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).with_name("interrupts.py")


@pytest.mark.parametrize("kind", ["tree", "columns", "cuts", "lp", "mip", "qp", "fit"])
def test_ctrl_c_at_a_random_moment(kind: str) -> None:
    command = [sys.executable, str(SCRIPT), "--count", "2", "--seed", "3", "--only", kind]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.stdout.endswith("2 interrupts, 0 wrong\n"), ended.stdout
