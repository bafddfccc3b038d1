"""Test and prediction files, read the way of the training data."""

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


def test_one_class_is_enough_to_test_on(files, train):
    assert rp.read(files("test.csv", "7,8,yes\n"), like=train).y.tolist() == [-1]


@pytest.mark.parametrize("text", ["a,b\n7,20\n", "7,20\n"])
@pytest.mark.parametrize("label", [None, "none"])
def test_a_file_with_features_only(files, train, text, label):
    test = rp.read(files("test.csv", text), like=train, label=label)
    np.testing.assert_allclose(test.X, [[1.5, 0.5]], rtol=0, atol=1e-15)
    assert test.y is None
    assert test.labels == train.labels


def test_unknown_label(files, train):
    with pytest.raises(
        rp.DataError, match=r"test\.csv, row 3: label 'maybe', expected 'yes' or 'no' as in"
    ):
        rp.read(files("test.csv", "a,b,class\n7,8,yes\n1,2,maybe\n"), like=train)


def test_the_label_may_be_spelt_otherwise(files):
    train = rp.read(files("train.csv", "0,1\n0,2\n"))
    assert rp.read(files("test.csv", "0,2.0\n0,+1\n"), like=train).y.tolist() == [1, -1]


@pytest.mark.parametrize(
    ("text", "label", "message"),
    [
        ("1,2,3,yes\n", None, "3 features given, expected 2 features as in the training data"),
        ("1\n", None, "no feature column"),
        ("1,2,3\n", "none", "3 features given, expected 2"),
        ("a,class\n1,yes\n", None, "column 1 is 'class', expected 'b'"),
        ("id,a,c,class\nx,1,2,yes\n", None, "3 columns given, expected 2 .*no 'b', 'id' is none"),
        ("a,c,class\n1,x,yes\n", None, "column 1 is 'c', expected 'b'"),  # before its cells
        ("a,c\n1,3\n", None, "column 1 is 'c', expected 'b'"),
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


@pytest.mark.parametrize(
    ("option", "value"), [("scale", "ball"), ("missing", "drop"), ("positive", "yes")]
)
def test_options_are_settled_by_the_training_data(files, train, option, value):
    path = files("test.csv", "7,8,yes\n")
    with pytest.raises(rp.OptionError, match=f"{option} '{value}' given, but it is"):
        rp.read(path, like=train, **{option: value})
    same = {"scale": "minmax", "missing": "mean", "positive": "no"}[option]
    assert rp.read(path, like=train, **{option: same}).rows == 1


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
