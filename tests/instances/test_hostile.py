"""Damaged files for every reader: read, or refused in one line, and soon."""

import io
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from effort import examples
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused
from within import within

import radprog as rp
from radprog.base.errors import DataError
from radprog.base.sections import safe
from radprog.instances.arrays import read_matrix
from radprog.instances.data import LARGEST_NUMBER
from radprog.instances.dataset import read_mkl
from radprog.instances.grams import gram_set, read_cross, read_grams

SECONDS = 10.0
Reader = Callable[[Path], Any]


def packed(**arrays: Any) -> bytes:
    stream = io.BytesIO()
    np.savez(stream, **arrays)
    return stream.getvalue()


def one(array: np.ndarray) -> bytes:
    stream = io.BytesIO()
    np.save(stream, array)
    return stream.getvalue()


CSV = b'u,v,"a class"\n1,2,x\n"3",?,y\n\n4,5,x\n'
SVM = b"1 1:2.5 3:4 # comment\n-1 2:1e3\n"
ARFF = (
    b"@relation r\n@attribute a numeric\n@attribute 'b c' {0,1}\n"
    b"@attribute c {x,'y z'}\n@data\n1,0,x\n?,1,'y z'\n"
)
TS = b"@timeStamps false\n@classLabel true left right\n@data\n0.5,1.5,-1:right\n1,2,3:left\n"
UCR = b"2\t0.5\t1.5\t-1\n1\t1\t2\t3\n2\t0\t0\t1\n"
GRAMS = packed(K=np.array([np.eye(4), np.ones((4, 4))]), y=np.array([0, 1, 0, 1]))
BAGS = packed(X=np.arange(24.0).reshape(4, 3, 2), y=np.array(["a", "b", "a", "b"]))
MATRIX = one(np.eye(3))


def classes(path: Path) -> Any:
    return rp.read(path, missing="mean")


def targets(path: Path) -> Any:
    return rp.read_regression(path, label="first", missing="mean")


def parts(path: Path) -> Any:
    return rp.read_partly_labelled(path, missing="drop")


def views(path: Path) -> Any:
    return rp.read_views([path, path], missing="mean")


def kernels(path: Path) -> Any:
    return read_mkl(str(path))


CASES: list[tuple[str, bytes, Reader]] = [
    *((suffix, whole, reader) for reader in (classes, targets, parts, views)
      for suffix, whole in (("csv", CSV), ("svm", SVM), ("arff", ARFF))),
    ("tsv", UCR, rp.read_series),
    ("ts", TS, rp.read_series),
    ("npz", BAGS, rp.read_series),
    ("npz", GRAMS, read_grams),
    ("npz", GRAMS, read_cross),
    ("npz", GRAMS, kernels),
    ("npy", MATRIX, read_cross),
    ("npy", MATRIX, read_matrix),
    ("csv", b"1,0\n0,1\n", read_matrix),
]  # fmt: skip
NAMES = [f"{suffix}-{reader.__name__}" for suffix, _, reader in CASES]
INSERTED = st.one_of(
    st.text("1,;\t \n\"'?#@a_e.-:%{}é\0\x1b", max_size=4).map(str.encode),
    st.sampled_from([b"1e999", b"1e308", b"-1e200", b"nan", b"inf", b"\xff\xfe", b"PK\3\4"]),
    st.binary(max_size=6),
)
DAMAGE = st.lists(
    st.tuples(st.floats(0, 1), st.integers(0, 40), INSERTED, st.booleans()), max_size=4
)


@examples(150)
@given(damage=DAMAGE)
@pytest.mark.parametrize(("suffix", "whole", "reader"), CASES, ids=NAMES)
def test_a_damaged_file_is_read_or_refused(tmp_path_factory, suffix, whole, reader, damage) -> None:
    content = whole
    for share, length, inserted, cut in damage:
        start = int(share * len(content))
        content = content[:start] + inserted + (b"" if cut else content[start + length :])
    path = tmp_path_factory.mktemp("damaged") / f"data.{suffix}"
    path.write_bytes(content)
    try:
        with within(SECONDS):
            found = reader(path)
    except DataError as error:
        message = str(error)
    else:
        message = path.name
        X = found if isinstance(found, np.ndarray) else found.X
        assert np.isfinite(X).all()
        if not isinstance(found, np.ndarray):
            assert np.abs(X).max() <= LARGEST_NUMBER
            assert len(found.codes) == found.rows
    assert path.name in message
    assert "\n" not in message


HUGE = ["1e200", "-1e151"]


@pytest.mark.parametrize("cell", HUGE)
@pytest.mark.parametrize(
    ("reader", "text", "where"),
    [
        (rp.read, "u,v,c\n1,2,x\n3,{},y\n", "row 3, column 1 ('v')"),
        (rp.read_partly_labelled, "1,2,x\n3,{},\n", "row 2, column 1"),
        (rp.read_regression, "1,2,3\n3,{},4\n", "row 2, column 1"),
        (rp.read_regression, "1,2,3\n3,1,{}\n", "row 2, target"),
        (lambda path: rp.read_views([path, path]), "1,2,x\n3,{},y\n", "row 2, column 1"),
        (rp.read_series, "x,1,2\ny,3,{}\n", "row 2, entry [1] of it"),
    ],
)
def test_numbers_whose_squares_overflow_are_refused(
    tmp_path: Path, reader: Reader, text: str, where: str, cell: str
) -> None:
    path = tmp_path / "huge.csv"
    path.write_text(text.replace("{}", cell))
    refused(DataError, re.escape(f"huge.csv, {where}: {float(cell):g} is too"), reader, path)
    path.write_text(text.replace("{}", "1e149"))
    assert reader(path).rows == 2


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
