"""Test and prediction files, read the way of the training data."""

import json
from typing import Any

import numpy as np
import pytest
from refusals import refused
from small_files import written

import radprog as rp

TRAIN = "a,b,class\n1,10,no\n3,?,yes\n5,30,yes\n"


@pytest.fixture
def files(tmp_path):
    """Write files by name."""
    return lambda name, text: written(tmp_path, text, name)


@pytest.fixture
def train(files):
    return rp.read(files("train.csv", TRAIN), scale="minmax", missing="mean", positive="no")


def test_labels_scaling_and_fill_are_those_of_the_training_rows(files, train):
    test = rp.read(files("test.csv", "a,b,class\n7,?,yes\n?,40,no\n"), like=train)
    np.testing.assert_allclose(test.X, [[1.5, 0.5], [0.5, 1.5]], rtol=0, atol=1e-15)
    assert test.y.tolist() == [-1, 1]
    assert test.labels == ("yes", "no")
    assert test.scaler is train.scaler


VIEWS = "1,2,7\n3,1,16\n4,4,7\n"
#: By kind of data: the reader, a file whose label is first of series and else last, the options,
#: and one that is refused.
KINDS: dict[str, Any] = {
    "classes": (rp.read, "1,8,no\n3,?,yes\n5,30,yes\n", {"scale": "minmax", "missing": "mean"},
                {"missing": "drop"}),
    "levels": (rp.read, "1,a,no\n3,b,yes\n5,a,yes\n", {"categorical": "auto", "scale": "standard"},
               {"categorical": "1"}),
    "texts": (rp.read, "s,t,y\ns,u,n\nr,t,n\nr,u,y\n", {"categorical": "auto"}, {}),
    "targets": (rp.read_regression, "1,2,3.5\n2,0,-1e-1\n4,1,7\n", {"scale": "minmax"},
                {"scale": "unit"}),
    "some labels": (rp.read_partly_labelled, "1,2,b\n2,3,a\n3,1,\n5,0,c\n", {"scale": "standard"},
                    {"scale": "none"}),
    "series": (rp.read_series, "2\t0.5\t1.5\t-1\n1\t1\t2\t3\n2\t0\t0\t1\n", {"positive": "1"},
               {"positive": "2"}),
    "many series": (rp.read_series, "2\t1\t-1\n1\t2\t3\n7\t0\t1\n", {"one_vs_rest": True}, {}),
    "views": (lambda path, **how: rp.read_views([path, path], **how), VIEWS, {"scale": "ball"},
              {"scale": "unit"}),
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_a_file_of_every_kind_is_read_as_the_training_data(files, kind):
    read, text, given, other = KINDS[kind]
    first = "\t" in text
    lines, between, suffix = text.splitlines(), "\t" if first else ",", "tsv" if first else "csv"

    def row(label, *cells):
        return between.join([label, *cells] if first else [*cells, label]) + "\n"

    def labels(data):
        return data.y if kind == "targets" else data.codes

    path = files(f"train.{suffix}", text)
    train = read(path, **given)
    cells = [line.split(between)[1:] if first else line.split(between)[:-1] for line in lines]
    bare = files(f"bare.{suffix}", "".join(between.join(part) + "\n" for part in cells))
    last = files(f"last.{suffix}", f"{lines[-1]}\n")
    odd = files(f"odd.{suffix}", row("maybe", *cells[0]))
    wide = files(f"wide.{suffix}", row(lines[-1].split(between)[0 if first else -1], *cells[0] * 2))
    words = "expected series of shape" if first else "features given, expected 2|columns"
    if kind != "views":
        assert read(path, **json.loads(json.dumps(train.reading))).recipe() == train.recipe()
    for like in (train, type(train).from_recipe(json.loads(json.dumps(train.recipe())))):
        for again in (read(path, like=like), read(path, like=like, **given)):
            np.testing.assert_allclose(again.X, train.X, rtol=1e-15)
            np.testing.assert_array_equal(labels(again), labels(train))
            assert (again.labels, again.sha256) == (train.labels, train.sha256)
        # a single class, and rows without labels
        np.testing.assert_array_equal(labels(read(last, like=like)), labels(train)[-1:])
        alone = read(bare, like=like, label="none" if kind == "targets" else None)
        np.testing.assert_allclose(alone.X, train.X, rtol=1e-15)
        assert alone.y is None
        # another label, another number of columns, another option
        if kind != "targets":
            refused(rp.DataError, r"row 1: label 'maybe', expected", read, odd, like=like)
        refused(rp.DataError, words, read, wide, like=like)
        if other:
            refused(rp.OptionError, "given, but it is", read, path, like=like, **other)


def test_the_label_may_be_spelt_otherwise(files):
    train = rp.read(files("train.csv", "0,1\n0,2\n"))
    assert rp.read(files("test.csv", "0,2.0\n0,+1\n"), like=train).y.tolist() == [1, -1]


@pytest.mark.parametrize(
    ("text", "label", "message"),
    [
        ("1,2,3,yes\n", None, "3 features given, expected 2 features as in the training data"),
        ("1\n", None, "no feature column"),
        ("1,2,3\n", "none", "3 features given, expected 2"),
        ("a,class\n1,yes\n", None, "no 'b', 'class' is none of them"),
        (
            "id,a,c,class\nx,1,2,yes\n",
            None,
            "3 columns of features given, expected 2 .*no 'b', 'id' is none",
        ),
        ("a,c,class\n1,x,yes\n", None, "no 'b', 'c' is none of them"),  # before its cells
        ("a,c\n1,3\n", None, "no 'b', 'c' is none of them"),
    ],
)
def test_other_columns_than_the_training_data(files, train, text, label, message):
    refused(rp.DataError, message, rp.read, files("test.csv", text), like=train, label=label)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("b,a,class\n30,5,yes\n", ""),
        ("class,b,a\nyes,30,5\n", ""),
        ("id,a,b,class\nx,5,30,yes\n", "'id'"),
        ("a,class,b,day\n5,yes,30,x\n", "'day'"),
    ],
)
def test_columns_are_taken_by_their_names(files, train, text, left):
    for like in (train, rp.Dataset.from_recipe(train.recipe())):
        new = rp.read(files("test.csv", text), like=like)
        assert (new.X.tolist(), new.y.tolist()) == ([[1, 1]], [-1])
        assert [line.rpartition(": ")[2] for line in new.warnings] == [left] * bool(left)


@pytest.mark.parametrize(
    ("head", "label"), [("y,0,1", "0"), ("y,first,b", "first"), ("last,b,y", "last")]
)
def test_the_place_of_a_label_may_be_the_name_of_a_feature(files, head, label):
    rows = "5,1,no\n6,3,yes\n" if label == "last" else "no,1,10\nyes,3,20\n"
    train = rp.read(files("train.csv", f"{head}\n{rows}"), label=label, header="yes")
    assert rp.read(files("new.csv", f"{head}\n{rows}"), like=train).labels == ("no", "yes")


def test_a_column_too_many_is_named_where_the_label_lacks(files):
    train = rp.read(files("train.csv", "paid,a,b\nno,1,10\nyes,3,20\n"), label="paid")
    for name in ("id", ""):
        new = rp.read(files("new.csv", f"{name},a,b\n0,1,10\n1,3,20\n"), like=train)
        assert (new.y, new.X.tolist()) == (None, [[1, 10], [3, 20]])
        assert new.warnings[-1].endswith(
            f"columns that the fit does not have are left out: '{name}'"
        )
    new = files("new.csv", "0,1,10\n1,3,20\n")
    refused(rp.DataError, "label column 'paid' is not one of", rp.read, new, like=train)
    new = files("new.csv", "a,b\n1,2\n3,4\n")
    words = "label 'a' is a feature of the training data"
    refused(rp.OptionError, words, rp.read, new, like=train, label="a")


def test_the_label_may_stand_elsewhere(files, train):
    test = rp.read(files("test.csv", "class,a,b\nno,5,30\n"), like=train, label="first")
    assert test.X.tolist() == [[1, 1]]
    assert test.y.tolist() == [1]


def test_missing_cells_are_treated_as_in_training(files):
    strict = rp.read(files("train.csv", "1,no\n2,yes\n"))
    # new rows have no option for missing cells, nor for missing labels
    again = r"the cell is missing .* fit again with `missing='mean'`"
    refused(rp.DataError, again, rp.read, files("test.csv", "?,no\n"), like=strict)
    without = "row 1: the label is missing, expected a class .without labels, leave their column"
    refused(rp.DataError, without, rp.read, files("test.csv", "3,\n"), like=strict)
    dropping = rp.read(files("train.csv", "1,no\n2,yes\n"), missing="drop")
    assert rp.read(files("test.csv", "?,no\n4,yes\n"), like=dropping).lines.tolist() == [2]


def test_strings(files):
    train = rp.read(files("train.csv", "word,kind\nab,1\nba,2\n"), strings="word")
    test = rp.read(files("test.csv", "word,kind\nzz,2\n"), like=train)
    assert test.X.tolist() == ["zz"]
    assert test.y.tolist() == [1]
    alone = rp.read(files("alone.csv", "word\nzz\nab\n"), like=train)
    assert alone.X.tolist() == ["zz", "ab"]
    assert alone.y is None


def test_arrays_as_training_data(files):
    train = rp.dataset(np.array([[0.0], [4.0]]), ["n", "p"], scale="minmax")
    assert rp.read(files("test.csv", "6,p\n"), like=train).X.tolist() == [[1.5]]
    words = rp.dataset(["ab", "ba"], [0, 1])
    assert rp.read(files("words.csv", "abba,1\n"), like=words, strings=0).X.tolist() == ["abba"]
    with pytest.raises(rp.DataError, match="1 features given, expected strings"):
        rp.read(files("test.csv", "6,1\n"), like=words)


def test_too_large_for_the_scaling(files):
    train = rp.read(files("train.csv", "0,0\n1e-300,1\n"), scale="minmax")
    refused(rp.DataError, "too large", rp.read, files("test.csv", "1e300,1\n"), like=train)


def test_columns_that_the_training_data_lack_are_left_out(files) -> None:
    data = rp.read_regression(files("prices.csv", "a,b,price\n1,2,3.5\n2,0,-1e-1\n4,1,7\n"))
    more = rp.read_regression(files("more.csv", "a,b,c,price\n1,0,2,1\n"), like=data)
    assert (more.X.tolist(), more.y.tolist()) == ([[1.0, 0.0]], [1.0])
    features = rp.read_regression(files("x.csv", "a,b\n1,0\n"), like=data, label="none")
    with pytest.raises(rp.DataError, match="target"):
        _ = features.targets
