"""Small data files and a command line that is called in this process."""

import signal
from collections.abc import Callable, Hashable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from processes import Start, processes

import radprog as rp
from radprog.cli import main
from radprog.examples import write_examples


class Outcome(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def error(self) -> str:
        """The one line that a refusal prints."""
        lines = self.err.splitlines()
        assert len(lines) == 1, self.err
        assert lines[0].startswith("radprog: error: "), self.err
        assert "Traceback" not in self.err
        return lines[0].removeprefix("radprog: error: ")


class Command:
    """``radprog ARGUMENTS``: a text may hold several words; a path is one, blanks and all."""

    def __init__(self, call: Callable[[list[str]], Outcome]) -> None:
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
        return Outcome(code, captured.out, captured.err)

    return Command(call)


@pytest.fixture(scope="session")
def answers() -> dict[Hashable, tuple[Outcome, dict[str, bytes]]]:
    """What ``once`` has run so far."""
    return {}


@pytest.fixture
def once(radprog: Command, folder: Path, answers: dict[Hashable, Any]) -> Command:
    """A command in ``folder``; where another test has run it beside the same files, its answer and
    the files that it wrote are taken from there."""

    def contents() -> dict[str, bytes]:
        return {str(path): path.read_bytes() for path in Path().rglob("*") if path.is_file()}

    def call(words: list[str]) -> Outcome:
        before = contents()
        key = (*words, *sorted(before.items()))
        if key not in answers:
            outcome = radprog.call(words)
            written = {p: text for p, text in contents().items() if before.get(p) != text}
            answers[key] = outcome, written
        outcome, written = answers[key]
        for path, content in written.items():
            Path(path).write_bytes(content)
        return outcome

    return Command(call)


@pytest.fixture
def start(folder: Path) -> Iterator[Start]:
    """Start ``radprog ARGUMENTS`` as a process in ``folder``, which ends with the test."""
    with processes(folder) as start:
        yield start


@pytest.fixture
def hangup() -> Iterator[None]:
    """SIGHUP has its default action, here and in new processes. Below nohup it is ignored."""
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, before)


def table(n: int, seed: int, labels: str = "no yes", scale: float = 1.0) -> str:
    """A CSV of three features whose label is a noisy quadratic rule."""
    rng = np.random.default_rng(seed)
    X = scale * rng.normal(size=(n, 3))
    score = X[:, 0] * X[:, 1] / scale**2 + 0.5 * X[:, 2] / scale + 0.3 * rng.normal(size=n)
    names = labels.split()
    rows = [
        ",".join([*map(repr, row), names[int(value > 0)]])
        for row, value in zip(X.tolist(), score, strict=True)
    ]
    return "\n".join(["a,b,c,answer", *rows]) + "\n"


@pytest.fixture
def data(folder: Path) -> rp.Dataset:
    """train.csv, scaled into the unit ball."""
    return rp.read("train.csv", scale="ball")


@pytest.fixture
def classes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An own working folder with the files of ``radprog demo --files classes``."""
    monkeypatch.chdir(tmp_path)
    write_examples(["classes"], tmp_path)
    return tmp_path


@pytest.fixture(scope="session")
def tables() -> dict[str, str]:
    """The data files of ``folder``."""
    return {"train.csv": table(40, 0), "test.csv": table(30, 1)}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tables: dict[str, str]) -> Path:
    """An own working folder with train.csv and test.csv."""
    for name, text in tables.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path
