"""The time that is left, and what a pipe sees."""

import json
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from radprog.cli import main
from radprog.terminal import output
from radprog.terminal.output import time_left


def record(seconds: float, gap: float | None) -> Any:
    return SimpleNamespace(seconds=seconds, gap=gap)


def test_the_time_left_goes_on_as_it_went() -> None:
    left = time_left(1e-6)
    told = [left(record(float(k), 10.0**-k)) for k in range(5)]
    assert told[:2] == [None, None]
    assert told[2:] == pytest.approx([4.0, 3.0, 2.0])


def test_a_pipe_is_told_once_in_a_while(
    classes: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    calls = {
        "tune l1svm few.csv --grid beta=1e-2,1e-3 --folds 2 --json -": "fits: ",
        "solve l1svm few.csv --json -": "objective",
    }
    for every in (0.0, 3600.0):
        monkeypatch.setattr(output, "LINE_SECONDS", every)
        for call, word in calls.items():
            assert main(call.split()) == 0
            found = capsys.readouterr()
            json.loads(found.out)
            lines = [
                line
                for line in found.err.splitlines()
                if line.lstrip().startswith(("fits: ", "1 "))
            ]
            assert (word in " ".join(lines)) == (every == 0.0)


def test_a_long_search_has_a_line_in_a_pipe(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Also where the program waits for another process, as for a solver's search."""
    monkeypatch.setattr(output, "LINE_SECONDS", 0.02)
    for quiet in (False, True):
        with output.phase("searching", quiet=quiet):
            subprocess.run([sys.executable, "-c", "import time; time.sleep(0.2)"], check=True)
        assert ("searching: 0 s\n" in capfd.readouterr().err) is not quiet
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_a_pipe_reads_that_no_round_ended_only_if_none_did(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Rounds that are not printed are rounds too."""
    now = 0.0
    monkeypatch.setattr(output, "time", SimpleNamespace(monotonic=lambda: now))
    with output.progress(quiet=False, verbose=False) as observe:
        now = 59.0
        observe(SimpleNamespace(iteration=1, detail={}))
        for now, silent in ((60.0, False), (119.0, True)):  # noqa: B007
            signal.raise_signal(signal.SIGALRM)
            assert ("no round ended" in capfd.readouterr().err) is silent
