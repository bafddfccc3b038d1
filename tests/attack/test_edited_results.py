"""A small sample of the attack on results, fits and tables with edited JSON."""

import contextlib
from pathlib import Path

from edited_results import attack, prepare


def test_edited_results_end_in_an_answer_or_in_one_line(tmp_path: Path) -> None:
    contents = prepare(tmp_path)
    with contextlib.chdir(tmp_path):
        assert attack(contents, 60, seed=1) == []
