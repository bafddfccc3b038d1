"""Small data files and a command line that is called in this process."""

import json
import signal
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from processes import processes
from small_files import csv_text

import radprog as rp
from radprog.cli import main


class Outcome(NamedTuple):
    code: int
    out: str
    err: str
    file: str = "-"  # of --json

    @property
    def error(self) -> str:
        """The one line that a refusal prints."""
        lines = self.err.splitlines()
        assert len(lines) == 1, self.err
        assert lines[0].startswith("radprog: error: "), self.err
        assert "Traceback" not in self.err
        return lines[0].removeprefix("radprog: error: ")

    @property
    def json(self):
        """What was written with --json."""
        return json.loads(self.out if self.file == "-" else Path(self.file).read_text())


class Command:
    """``radprog ARGUMENTS``: a text may hold several words; a path is one, blanks and all."""

    def __init__(self, call) -> None:
        self.call = call

    def __call__(self, *arguments: object) -> Outcome:
        words = [one.split() if isinstance(one, str) else [str(one)] for one in arguments]
        return self.call([word for several in words for word in several])

    def ok(self, *arguments: object) -> Outcome:
        """It ends with code 0."""
        done = self(*arguments)
        assert done.code == 0, done
        return done

    def refused(self, reason: str, *arguments: object) -> str:
        """The one line that it ends with, and with code 2; the line holds the reason."""
        done = self(*arguments)
        assert (done.code, done.out) == (2, ""), done
        assert reason in done.error
        return done.error


@pytest.fixture
def radprog(capsys: pytest.CaptureFixture[str]) -> Command:
    """A command of this process."""

    def call(words: list[str]) -> Outcome:
        capsys.readouterr()
        try:
            code = main(words)
        except SystemExit as end:
            code = int(end.code or 0)
        captured = capsys.readouterr()
        file = words[words.index("--json") + 1] if "--json" in words else "-"
        return Outcome(code, captured.out, captured.err, file)

    return Command(call)


ANSWERS = {}  # what ``once`` has run so far


@pytest.fixture
def once(radprog: Command, folder: Path) -> Command:
    """A command in ``folder``; where another test has run it beside the same files, its answer and
    the files that it wrote are taken from there."""

    def contents() -> dict[str, bytes]:
        return {str(path): path.read_bytes() for path in Path().rglob("*") if path.is_file()}

    def call(words: list[str]) -> Outcome:
        before = contents()
        key = (*words, *sorted(before.items()))
        if key not in ANSWERS:
            outcome = radprog.call(words)
            written = {p: text for p, text in contents().items() if before.get(p) != text}
            ANSWERS[key] = outcome, written
        outcome, written = ANSWERS[key]
        for path, content in written.items():
            Path(path).write_bytes(content)
        return outcome

    return Command(call)


@pytest.fixture
def start(folder: Path):
    """Start ``radprog ARGUMENTS`` as a process in ``folder``, which ends with the test."""
    with processes(folder) as start:
        yield start


@pytest.fixture
def hangup():
    """SIGHUP has its default action, here and in new processes. Below nohup it is ignored."""
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, before)


def table(n: int, seed: int) -> str:
    """A CSV of three features whose label is a noisy quadratic rule."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    score = X[:, 0] * X[:, 1] + 0.5 * X[:, 2] + 0.3 * rng.normal(size=n)
    return csv_text(X, np.where(score > 0, "yes", "no"), head="a,b,c,answer")


TABLES = {"train.csv": table(40, 0), "test.csv": table(30, 1)}


@pytest.fixture
def data(folder: Path) -> rp.Dataset:
    """train.csv, scaled into the unit ball."""
    return rp.read("train.csv", scale="ball")


@pytest.fixture
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An own working folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def folder(empty: Path) -> Path:
    """An own working folder with train.csv and test.csv."""
    for name, text in TABLES.items():
        (empty / name).write_text(text)
    return empty
