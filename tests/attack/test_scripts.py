"""Samples of the attacks that are scripts; each script says how its whole is run."""

import contextlib
import subprocess
import sys
from pathlib import Path

import edited_results
import files
import pytest

from radprog import proof_checker


@pytest.mark.parametrize("seed", range(2))
def test_valid_files_are_read_and_damaged_ones_are_not(seed: int) -> None:
    wrong, refusals = files.attack(240, seed)  # a half of them valid
    assert not wrong
    assert refusals <= 12


def test_edited_results_end_in_an_answer_or_in_one_line(tmp_path: Path) -> None:
    contents = edited_results.prepare(tmp_path)
    with contextlib.chdir(tmp_path):
        assert edited_results.attack(contents, 60, seed=1) == []


@pytest.mark.parametrize("kind", ["tree", "columns", "cuts", "lp", "mip", "qp", "fit"])
def test_ctrl_c_at_a_random_moment(kind: str) -> None:
    script = Path(__file__).with_name("interrupts.py")
    command = [sys.executable, str(script), "--count", "2", "--seed", "3", "--only", kind]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.stdout.endswith("2 interrupts, 0 wrong\n"), ended.stdout


@pytest.mark.parametrize("part", ["", "listed", "spans", "short"])
def test_no_line_of_a_forged_proof_is_that_of_two_programs(part: str, monkeypatch) -> None:
    """But where the line leaves a part out."""
    pytest.importorskip("flint")
    import forgeries

    if part:
        monkeypatch.setattr(proof_checker, part, lambda value: "some")
    valid, deceits = forgeries.attack(80 if part else 60, 1 if part else 5)
    assert bool(deceits) == bool(part), deceits
    assert valid > 20
