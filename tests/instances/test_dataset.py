"""Data sets: parts of them, splits, hashes."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from refusals import refused

from radprog.base.errors import DataError, OptionError
from radprog.instances.data import SCALINGS, array_hash
from radprog.instances.dataset import dataset, partly_labelled, read
from radprog.instances.splits import split, stratified_parts

POINTS = np.random.default_rng(5).normal(3.0, 2.0, (40, 3))
SIGNS = np.where(np.arange(40) % 4 == 0, 1, -1)


def test_take_keeps_the_scaling():
    data = dataset(POINTS, SIGNS, scale="ball")
    part = data.take(np.array([4, 2]))
    np.testing.assert_array_equal(part.X, data.X[[4, 2]])
    np.testing.assert_array_equal(part.y, [1, -1])
    np.testing.assert_array_equal(part.raw, POINTS[[4, 2]])
    assert part.scaler is data.scaler
    assert part.sha256 == part.numbers != data.sha256
    assert part.name == "data[2 rows]"
    assert data.take(np.array([0]), "other").name == "other"


@pytest.mark.parametrize("kind", SCALINGS)
def test_partition_fits_on_its_training_rows_alone(kind):
    train, test = dataset(POINTS, SIGNS, scale=kind).partition(np.arange(30), np.arange(30, 40))
    alone = dataset(POINTS[:30], SIGNS[:30], scale=kind)
    np.testing.assert_array_equal(train.X, alone.X)
    np.testing.assert_array_equal(test.X, alone.scaler(POINTS[30:]))
    np.testing.assert_array_equal(test.y, SIGNS[30:])
    assert train.scaler is test.scaler


def test_partition_fills_with_the_means_of_its_training_rows(tmp_path):
    path = tmp_path / "d.csv"
    path.write_text("1,a\n3,b\n?,a\n?,b\n100,b\n")
    train, test = read(path, missing="mean").partition(np.arange(3), np.arange(3, 5))
    assert train.X[:, 0].tolist() == [1, 3, 2]
    assert test.X[:, 0].tolist() == [2, 100]
    assert test.lines.tolist() == [4, 5]


def test_hash_sees_every_cell_label_shape_and_type():
    X, y = np.arange(6.0).reshape(2, 3), np.array([-1.0, 1.0])
    other = X.copy()
    other[1, 2] = np.nextafter(5.0, 6.0)
    hashes = [
        array_hash(X, y),
        array_hash(X, -y),
        array_hash(X, None),
        array_hash(X.reshape(3, 2), y),
        array_hash(other, y),
        array_hash(X.astype(np.float32), y),
    ]
    assert len(set(hashes)) == len(hashes)
    assert array_hash(np.asfortranarray(X), y) == hashes[0]


LARGE = ("9007199254740992", "9007199254740993")


@pytest.mark.parametrize("labels", [LARGE, ("-9007199254740993", "-9007199254740992")])
@pytest.mark.parametrize("name", ["d.csv", "d.svm"])
def test_whole_numbers_that_floats_merge_are_labels_of_their_own(tmp_path, name, labels):
    rows = "{1} 1:2\n{0} 1:1\n{0} 1:3\n" if name == "d.svm" else "2,{1}\n1,{0}\n3,+{0}.0\n"
    path = tmp_path / name
    path.write_text(rows.format(*labels).replace("+-", "-"))
    data = read(path)
    assert data.labels == labels
    assert data.y.tolist() == [1, -1, -1]
    assert read(path, positive=labels[0]).y.tolist() == [-1, 1, 1]
    whole = [int(labels[1]), int(labels[0]), int(labels[0])]
    assert dataset([[2.0], [1], [3]], whole).labels == labels


def test_floats_that_stand_for_several_whole_numbers_are_no_labels():
    with pytest.raises(
        DataError, match=r"label .*9007199254740992.*: give labels from 2\^53 on as"
    ):
        dataset([[2.0], [1]], [2.0**53, 1.0])


@pytest.mark.parametrize("share", [0.1, 0.5, 0.75, 0.99])
def test_stratified_split(share):
    train, test = split(dataset(np.arange(40.0)[:, None], SIGNS), share, seed=3)
    assert sorted(np.concatenate([train.X[:, 0], test.X[:, 0]])) == list(range(40))
    for part in (train, test):
        assert (np.diff(part.X[:, 0]) > 0).all()
    assert (train.targets > 0).sum() == round(share * 10)
    assert (train.targets < 0).sum() == round(share * 30)


def test_hide_and_take() -> None:
    data = partly_labelled([[0.0], [1.0], [2.0]], ["x", None, "y"])
    for y in ([7, None, 8], pd.Series([7, None, 8], dtype="Int64"), pl.Series([7, None, 8])):
        assert partly_labelled(data.X, y).label_type == "int"
    hidden = data.hide(np.array([0]))
    assert hidden.codes.tolist() == [-1, -1, 1]
    assert hidden.sha256 != data.sha256
    assert data.take(np.array([2, 0])).codes.tolist() == [1, 0]


@pytest.mark.parametrize(("n", "parts"), [(10, 2), (11, 3), (23, 5), (7, 7)])
def test_stratified_parts(n: int, parts: int) -> None:
    y = np.where(np.random.default_rng(n).random(n) < 0.4, 1.0, -1.0)
    y[:2] = 1.0, -1.0
    found = stratified_parts(y, parts, seed=1)
    assert sorted(np.concatenate(found).tolist()) == list(range(n))
    for counts in (
        [len(part) for part in found],
        [int((y[part] > 0).sum()) for part in found],
        [int((y[part] < 0).sum()) for part in found],
    ):
        assert max(counts) - min(counts) <= 1
    again = stratified_parts(y, parts, seed=1)
    assert all(np.array_equal(a, b) for a, b in zip(found, again, strict=True))
    if n > 10:
        other = stratified_parts(y, parts, seed=2)
        assert not all(np.array_equal(a, b) for a, b in zip(found, other, strict=True))


@pytest.mark.parametrize("parts", [0, 1, 11])
def test_impossible_parts(parts: int) -> None:
    refused(OptionError, f"{parts} parts of 10 rows", stratified_parts, np.ones(10), parts)
