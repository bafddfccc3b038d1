"""Hostile input from the command line: extreme settings, numbers, names and pipes."""

import json
import os
import warnings
from pathlib import Path

import numpy as np
import pytest
from refusals import refused
from within import within

import radprog as rp
from radprog.base.sections import UNSAFE

ROWS = "1,2,x\n2,1,y\n3,5,x\n5,4,y\n2,2,x\n7,1,y\n"


@pytest.fixture
def folder(empty: Path) -> Path:
    Path("d.csv").write_text(ROWS)
    return empty


NAME = "evil\x1b[31m\x9b2J.csv"


def test_names_cells_and_labels_are_printed_without_escapes(radprog, folder) -> None:
    found = [radprog("solve", "vkr", "none\x1b[2J.csv"), radprog("solve", "evil\x1b[2J", "d.csv")]
    Path(NAME).write_text(ROWS)
    found.append(radprog("solve", "l1svm", NAME, "--kernels", "linear"))
    assert found[-1].code == 0
    for cell in ("1,\x1b[31mred,x\n", "1,2,\x1b[31mred\n"):
        Path("cell.csv").write_text(ROWS + cell)
        found.append(radprog("solve", "vkr", "cell.csv"))
    for outcome in found:
        assert "\\x1b[" in outcome.out + outcome.err, outcome
        assert not set("\x1b\x9b") & set(outcome.out + outcome.err)


EVIL = "\x1b[2J\x9b\u202e$\\frac{$_"


def test_json_on_stdout_has_no_escapes_and_names_may_be_no_text(radprog, folder) -> None:
    Path("n\x9b2J\udcff\nstatus     optimal.csv").write_text(ROWS)
    name = next(folder.glob("n*.csv")).name
    run = ("solve l1svm", Path(name), "--kernels linear")
    printed, told = radprog(*run, "--json", "-"), radprog(*run, "--json", "r.json")
    assert printed.code == told.code == 0, (printed, told)
    assert not UNSAFE.search(printed.out + printed.err + told.out + Path("r.json").read_text())
    assert json.loads(printed.out)["data"]["name"] == name
    assert "\nstatus     optimal.csv" not in told.out
    assert radprog("report", "r.json", "-o", "r.html").code == 0
    assert not UNSAFE.search(Path("r.html").read_text())


def test_pictures_of_names_with_formulas_escapes_and_foreign_letters(radprog, folder) -> None:
    wave = ["0\t1\t0\t2\t0", "3\t1\t2\t0\t1"]
    lines = [f"{label}\t{wave[i]}\n" for _ in range(4) for i, label in enumerate(("_\u6b63", EVIL))]
    Path("waves.tsv").write_text("".join(lines))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run = ("solve", "lpboost", "waves.tsv", "--length", 2)
        found = radprog(*run, "--plot", "w.svg", "--json", "w.json")
        page = radprog("report", "w.json", "-o", "w.html")
    assert found.code == page.code == 0, (found, page)
    assert not UNSAFE.search(Path("w.svg").read_text() + Path("w.html").read_text())


@pytest.mark.parametrize(
    "command", ["solve vkr pipe", "report pipe -o o.html", "verify p.mps", "verify d.mps"]
)
def test_a_pipe_in_place_of_a_file_is_refused_at_once(radprog, folder, command) -> None:
    for name in ("pipe", "p.mps", "d.mps.names.json"):
        os.mkfifo(name)
    for name in ("d.mps", "p.mps.names.json"):
        Path(name).write_text("{}")
    with within(20):
        found = radprog(*command.split())
    assert found.code == 2, found
    assert "a pipe, socket or device" in found.error


GRID = np.arange(16.0).reshape(4, 4) % 5


def test_a_missing_number_has_no_prediction() -> None:
    for spec, data in (
        (rp.L1SVM(), rp.dataset(GRID, [0, 1, 0, 1])),
        (rp.MKL(), rp.dataset(GRID, [0, 1, 0, 1])),
        (rp.SVR(A=1.0), rp.regression_data(GRID, [0, 1, 0, 1])),
        (rp.LPDSK(), rp.partly_labelled(GRID, [0, 1, None, 1])),
        (rp.LPBoost(length="2"), rp.series(GRID, [0, 1, 0, 1])),
    ):
        fit = rp.fit(spec, data).fit
        assert len(fit.predict(data.X)) == 4
        for bad in (np.nan, np.inf):
            X = data.X.copy()
            X[2, 1] = bad
            refused(rp.DataError, rf"row 3: X.* is {bad}", fit.predict, X)
