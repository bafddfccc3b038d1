"""Rows of the five papers: what works is shown by a command or an expression, and that runs."""

import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from fences import commands_in, fenced_in

from radprog.cli import main
from radprog.examples import write_examples

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "rows.md"
CODE = re.compile(r"`([^`]+)`")
SLOW = re.compile("--quick|--pricing exact")


class Row(NamedTuple):
    """A row of a paper: where it stands there, what shows it, and the text of the output."""

    where: str
    what: str
    shown: str
    output: list[str]


def sections(page: Path = PAGE) -> dict[str, str]:
    """The text of each paper's section, by its heading."""
    parts = re.split(r"^## (.*)$", page.read_text(), flags=re.M)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def rows_of(text: str) -> list[Row]:
    """The rows of a section's table."""
    rows = []
    for line in re.findall(r"^\| (.*) \|$", text, re.M):
        where, what, shown, output, *_ = (cell.strip() for cell in line.split(" | "))
        if where != "where" and set(where) != {"-"}:
            code = CODE.fullmatch(shown)
            rows.append(Row(where, what, code[1] if code else "", CODE.findall(output)))
    return rows


PAPERS = {name: rows_of(text) for name, text in sections().items()}


@pytest.fixture(scope="session")
def prepared(tmp_path_factory: pytest.TempPathFactory):
    """Of a paper a folder with the examples and what its section's blocks make, and the names of
    the blocks in Python; made once."""

    @cache
    def prepare(paper: str):
        folder, names = tmp_path_factory.mktemp("rows"), dict[str, Any]()
        write_examples(["all"], folder)
        with contextlib.chdir(folder), contextlib.redirect_stdout(io.StringIO()):
            for kind, block in fenced_in(sections()[paper], "", "python"):
                if kind == "python":
                    exec(compile(block, paper, "exec"), names)
                for call in commands_in(block) if not kind else ():
                    assert main(call) in (0, 1), call
        return folder, names

    return prepare


def written(before: dict[str, float]) -> str:
    """The text of the files that a command wrote."""
    files = [name for name in os.listdir() if os.path.getmtime(name) != before.get(name)]
    texts = (".lp", ".mps", ".json", ".csv", ".nl", ".html")
    return "".join(Path(name).read_text() for name in files if name.endswith(texts))


def run_row(row: Row, paper: str, prepared, capsys: pytest.CaptureFixture[str]) -> None:
    """Run what shows a row; its output, or the files it writes, hold what the row says."""
    folder, names = prepared(paper)
    with contextlib.chdir(folder):
        if row.shown.startswith("python reproduction/"):
            script, *words = shlex.split(row.shown)[1:]
            command = [sys.executable, PAGE.parents[2] / script, *words]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            assert row.output
            for text in row.output:
                assert text in done.stdout, f"{text!r} is not in what {row.shown} prints"
            return
        if not row.shown.startswith("radprog "):
            exec(compile(f"assert {row.shown}", row.where, "exec"), names)
            return
        before = {name: os.path.getmtime(name) for name in os.listdir()}
        capsys.readouterr()
        code = main(shlex.split(row.shown)[1:])
        streams = capsys.readouterr()
        text = streams.out + streams.err + written(before)
        assert code in (0, 1), streams.err
        assert row.output, f"{row.where}: what is to be seen in its output"
        for words in row.output:
            assert words in text, f"{words!r} is not in what {row.shown} prints"


def shown_rows(paper: str):
    """A test of the rows of one paper that are shown: slow ones with the marker."""
    # a table of a paper needs its data, and minutes
    slow, shown = (pytest.mark.slow, pytest.mark.data), [row for row in PAPERS[paper] if row.shown]
    names = [f"{row.where}, {row.what}"[:60] for row in shown]
    marks = [slow * bool(SLOW.search(row.shown)) for row in shown]
    rows = [pytest.param(row, id=i, marks=m) for row, i, m in zip(shown, names, marks, strict=True)]

    @pytest.mark.cases(1000)
    @pytest.mark.parametrize("row", rows)
    def test(row: Row, prepared, capsys: pytest.CaptureFixture[str]) -> None:
        run_row(row, paper, prepared, capsys)

    return test


test_voted_kernels, test_kernel_weights, test_similarity, test_shapelets, test_regression = (
    shown_rows(paper) for paper in PAPERS
)
