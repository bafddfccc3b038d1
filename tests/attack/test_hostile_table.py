"""Hundreds of bad inputs over all commands, models, options and readers: each is one line on
standard error and exit code 2, without a traceback, a warning of a library or a file."""

import shlex

import hostile
import pytest
from hostile_files import FILES
from hostile_options import VALUES
from within import within

SECONDS = 60.0
LINES = [
    [(*hostile.line(command, value), word) for value in shlex.split(values)]
    for command, values, word in VALUES
]
FIRST = [row[0] for row in LINES]  # of every row, at every gate
MORE = [line for row in LINES for line in row[1:]]


@pytest.fixture
def beside(place, monkeypatch: pytest.MonkeyPatch):
    """The working folder, without what a row left behind."""
    monkeypatch.chdir(place)
    monkeypatch.delenv("RADPROG_DATA", raising=False)
    before = hostile.contents(place)
    yield place
    for path in set(hostile.contents(place)) - set(before):
        (place / path).unlink()


def refused(words: list[str], word: str, folder) -> None:
    """Run a command line, which must be refused as every one is."""
    before = hostile.contents(folder)
    with within(SECONDS):
        found = hostile.call(words)
    assert (found.code, found.out, found.warned) == (2, "", []), found
    assert found.err.startswith("radprog: error: ")
    assert found.err.count("\n") == 1
    assert "defect" not in found.err
    assert word in found.err or word in found.err.replace("_", "-"), found.err
    assert hostile.contents(folder) == before


@pytest.mark.cases(400)
@pytest.mark.parametrize(("words", "name", "word"), FIRST, ids=[name for _, name, _ in FIRST])
def test_bad_options(beside, words: list[str], name: str, word: str) -> None:
    refused(words, word, beside)


@pytest.mark.cases(40)
@pytest.mark.parametrize(("words", "name", "word"), MORE, ids=[name for _, name, _ in MORE])
def test_more_bad_values(beside, words: list[str], name: str, word: str) -> None:
    refused(words, word, beside)


@pytest.mark.cases(40)
@pytest.mark.parametrize(("command", "content", "word"), FILES)
def test_bad_files(beside, command: str, content: str | bytes, word: str) -> None:
    suffix = command.partition("{}")[2].split()[0]
    file = beside / f"bad{suffix}"
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    refused(command.replace("{}", "bad").split(), word or "bad", beside)
