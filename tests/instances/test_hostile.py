"""Numbers, pipes and texts that no reader takes: refused in one line, and soon. Damaged files of
every kind are those of ``tests/attack/test_damaged_files.py``."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from refusals import refused
from within import within

import radprog as rp
from radprog.base.errors import DataError
from radprog.base.sections import safe
from radprog.instances.arrays import read_matrix
from radprog.instances.grams import gram_set, read_cross, read_grams

SECONDS = 10.0
Reader = Callable[[Path], Any]


@pytest.mark.parametrize(
    "make",
    [
        lambda x: rp.dataset([[1.0], [x]], [0, 1]),
        lambda x: rp.partly_labelled([[1.0], [x]]),
        lambda x: rp.regression_data([[1.0], [x]], [1.0, 2.0]),
        lambda x: rp.regression_data([[1.0], [2.0]], [1.0, x]),
        lambda x: rp.series([[1.0, 2.0], [3.0, x]]),
        lambda x: rp.bags([[[1.0]], [[x]]]),
        lambda x: gram_set([[[1.0, 0.0], [0.0, x]]], [0, 1]),
    ],
)
def test_arrays_whose_squares_overflow_are_refused(make: Callable[[float], Any]) -> None:
    assert make(1e149).rows == 2
    refused(DataError, r"1e\+200 is too large", make, 1e200)


def test_huge_features_may_be_scaled(tmp_path: Path) -> None:
    path = tmp_path / "huge.csv"
    path.write_text("1,x\n1e200,y\n")
    assert rp.read(path, scale="minmax").X.tolist() == [[0.0], [1.0]]


@pytest.mark.parametrize("reader", [rp.read, rp.read_series, read_grams, read_matrix, read_cross])
def test_pipes_and_devices_are_refused_at_once(tmp_path: Path, reader: Reader) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", Path("/dev/zero")):
        with within(SECONDS), pytest.raises(DataError, match=f"{path}: a pipe, socket or device"):
            reader(path)
    refused(DataError, "folder", reader, tmp_path)


def test_text_is_made_safe_for_a_terminal() -> None:
    assert safe("\x1b[31mred\x07 \x9b2J\u202egnp") == r"\x1b[31mred\x07 \x9b2J\u202egnp"
    assert safe("caf\udce9") == r"caf\udce9"
    assert safe("plain\ttext, é, 漢\n") == "plain\ttext, é, 漢\n"
