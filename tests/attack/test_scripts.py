"""Samples of the attacks that are scripts; each script says how its whole is run."""

import contextlib
import json
import subprocess
import sys
from pathlib import Path

import edited_results
import files
import pytest
from determinism import CATALOG, ROWS, compared, differences
from faults import COMMANDS
from mutants import MUTANTS
from mutation import misfits
from processes import PATIENCE, PROGRAM

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


def test_every_bug_can_be_planted() -> None:
    assert misfits() == []
    assert len({mutant.name for mutant in MUTANTS}) == len(MUTANTS) >= 40
    assert all(mutant.old != mutant.new for mutant in MUTANTS)


SCRIPT = Path(__file__).with_name("faults.py")


def attacked(name: str, moments: int) -> str:
    done = subprocess.run(
        [sys.executable, SCRIPT, "--commands", name, "--count", str(moments)],
        capture_output=True, text=True, timeout=3 * PATIENCE,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
def test_signals_at_twenty_random_moments(name: str) -> None:
    assert attacked(name, 20).startswith(f"{name}: 60 signals, 0 faults")


@pytest.mark.thorough
@pytest.mark.parametrize("megabytes", [1500, pytest.param(2500, marks=pytest.mark.slow)])
def test_memory_that_is_not_there_is_one_line(tmp_path: Path, megabytes: int) -> None:
    """20,000 rows make a kernel matrix of 3.2 GB, where there is no room for it."""
    rows = "\n".join(f"{i % 97},{i % 89},{'xy'[i % 2]}" for i in range(20_000))
    (tmp_path / "d.csv").write_text(rows + "\n")
    words = " ".join([*PROGRAM, "solve", "svm", "d.csv", "--kernels", "rbf:1", "--json", "r.json"])
    done = subprocess.run(
        ["/bin/sh", "-c", f"ulimit -v {megabytes * 1024}; exec {words}"],
        cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE,
    )  # fmt: skip
    assert done.returncode == 2, done.stderr
    assert done.stderr.startswith("radprog: error: ")
    assert done.stderr.count("\n") == 1
    assert "memory" in done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["d.csv"]


@pytest.mark.slow
def test_every_method_and_form_of_every_model() -> None:
    count, files = compared((), ROWS)
    assert files == []
    assert count > 2 * sum(len(entry.methods) for entry in CATALOG.values())


def test_times_are_left_out_and_digits_are_not(tmp_path) -> None:
    first, second = tmp_path / "a", tmp_path / "b"
    for folder, seconds, value in ((first, 1.0, 0.1), (second, 2.0, 0.1)):
        folder.mkdir()
        result = {
            "time": {"total": seconds},
            "trace": [{"seconds": seconds, "objective": value}],
        }
        (folder / "run.json").write_text(json.dumps(result))
        (folder / "p.mps").write_bytes(b"NAME\n")
    assert list(differences(first, second)) == []
    (second / "run.json").write_text('{"trace": [{"objective": 0.10000000000000002}]}')
    (second / "p.mps").unlink()
    assert list(differences(first, second)) == ["p.mps", "run.json"]
