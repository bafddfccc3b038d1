"""Columns of texts as a feature a level, decimal commas, Parquet: read, kept, predicted."""

import json
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pytest
from refusals import refused

import radprog as rp
from radprog.base.errors import DataError, OptionError
from radprog.instances.dataset import (
    Dataset,
    dataset,
    read,
    read_mkl,
    read_partly_labelled,
    read_regression,
)

ROWS = "size,colour,answer\n1.5,red,no\n2,blue,yes\n0.5,red,no\n3,green,yes\n"
X = [[1.5, 0, 0, 1], [2, 1, 0, 0], [0.5, 0, 0, 1], [3, 0, 1, 0]]
NAMES = ("size", "colour=blue", "colour=green", "colour=red")
FRAME = pd.DataFrame({"size": [1.5, 2, 0.5, 3], "colour": ["red", "blue", "red", "green"]})
ANSWERS = ["no", "yes", "no", "yes"]


def test_later_files_have_the_levels_of_the_training_data(file):
    data = read(file(ROWS), categorical="auto")
    assert Dataset.from_recipe(json.loads(json.dumps(data.recipe()))).levels == data.levels
    words = (
        r"row 3, column 1 \('colour'\): level 'mauve', expected one of blue, green, red as in the "
        r"training data \(2 rows"
    )
    bad = file("size,colour\n2,red\n2,mauve\n2,red\n2,pink\n", "bad.csv")
    refused(DataError, words, read, bad, like=data)
    path = file("a,b,t,u,y\n1,2,x,3,0\n3,4,z,5,1\n", "wide.csv")
    wide = read(path, categorical="t")
    listed = read(path, categorical=["t", "u"], drop=["a"])
    assert listed.features == read(path, categorical="t,u", drop="a").features
    words = "2 columns of features given, but that of texts is number"
    refused(DataError, words, read, file("1,2,0\n3,4,1\n", "plain.csv"), like=wide)


@pytest.mark.parametrize("texts", [["10115", "10117"], ["1", "2", "3"]])
def test_whole_numbers_as_texts_are_levels(texts):
    frame = pd.DataFrame({"code": texts * 12})
    features = dataset(frame, [0, 1] * (len(frame) // 2), categorical="auto").features
    assert features == tuple(f"code={text}" for text in texts)


def test_every_reader_of_tables(file):
    path = file(ROWS.replace("no", "a").replace("yes\n0", "b\n0"))  # classes a, b, yes
    assert read_mkl(path, categorical="auto").X.tolist() == X
    assert read_partly_labelled(path, categorical="auto").X.tolist() == X
    text = ROWS.replace(",", ";").replace("no", "1,5").replace("yes", "2").replace("1.5;", "1,5;")
    target = file(text.replace("0.5", "0,5"), "t.csv")
    data = read_regression(target, categorical="colour", decimal=",")
    assert (data.X.tolist(), data.target.tolist()) == (X, [1.5, 2, 1.5, 2])


def test_new_files_with_other_decimals(file):
    data = read(file(ROWS.replace(",", ";").replace(".", ",")), categorical="auto", decimal=",")
    again = read(file("1,5;red\n", "new.csv"), like=data)
    assert (again.X.tolist(), data.reading["decimal"]) == (X[:1], ",")
    assert read(file("1.5,red\n", "points.csv"), like=data, decimal=".").X.tolist() == X[:1]


def test_an_index_that_pandas_wrote_is_left_out(tmp_path):
    path, frame = tmp_path / "part.parquet", FRAME.assign(answer=ANSWERS)
    for part in (frame[frame["size"] < 3], frame.sort_values("size"), frame.set_index("colour")):
        part.to_parquet(path)
        data = read(path, categorical="auto")
        assert data.labels == ("no", "yes")
        assert not {"answer", "__index_level_0__"} & set(data.given_features)
        assert data.X[:, 0].tolist() == part["size"].tolist()


def test_parquet(tmp_path):
    path = tmp_path / "data.parquet"
    FRAME.assign(old=[True, None, False, True], answer=ANSWERS).to_parquet(path)
    data = read(path, categorical="colour", missing="mean")
    assert data.features == (*NAMES, "old")
    np.testing.assert_allclose(data.X, np.column_stack([X, [1, 2 / 3, 0, 1]]))
    assert read(path, like=data).X.tolist() == data.X.tolist()
    exact = np.random.default_rng(0).normal(size=(9, 2))
    pd.DataFrame(exact, columns=["a", "b"]).assign(y=np.arange(9) % 2).to_parquet(path)
    assert np.array_equal(read(path).X, exact)
    refused(OptionError, "Parquet has no decimal ','", read, path, decimal=",")
    pd.DataFrame({"day": pd.to_datetime(["2026-01-01"]), "y": [1]}).to_parquet(path)
    refused(DataError, "row 1, column 0 .'day'.: .*, a datetime, expected a number", read, path)
    path.write_bytes(path.read_bytes()[:60])
    refused(DataError, "cannot be read as Parquet", read, path)


@pytest.mark.parametrize("columns", [["colour"], "colour", [1], "auto"])
@pytest.mark.parametrize("made", [pd.DataFrame, pl.DataFrame, pd.DataFrame.to_numpy])
def test_frames_and_arrays(made, columns):
    frame = made(FRAME)
    if columns in (["colour"], "colour") and not hasattr(frame, "columns"):
        with pytest.raises(DataError, match="categorical column 'colour' is not one of"):
            dataset(frame, ANSWERS, categorical=columns)
        return
    data = dataset(frame, ANSWERS, categorical=columns)
    assert data.X.tolist() == X
    assert data.features == (NAMES if hasattr(frame, "columns") else ())


def test_columns_of_categories_need_no_word():
    kind = pd.CategoricalDtype(["red", "green", "blue", "mauve"])
    data = dataset(FRAME.astype({"colour": kind}), ANSWERS)
    assert data.levels == {1: tuple(kind.categories)}
    assert data.X[0].tolist() == [1.5, 1, 0, 0, 0]
    enum = pl.DataFrame(FRAME).with_columns(pl.col("colour").cast(pl.Enum(list(kind.categories))))
    assert dataset(enum, ANSWERS).X.tolist() == data.X.tolist()
    loose = pl.DataFrame(FRAME).with_columns(pl.col("colour").cast(pl.Categorical))
    assert dataset(loose, ANSWERS).X.tolist() == X


def test_a_run_predicts_rows_with_texts(tmp_path):
    data = dataset(FRAME, ANSWERS, categorical="auto", scale="standard")
    run = rp.fit(rp.L1SVM(kernels="poly:1", beta=1e-3), data)
    expected = run.predict(data).tolist()
    rp.save_fit(run, data, tmp_path / "fit.json")
    saved = rp.load_fit(tmp_path / "fit.json")
    for rows in (FRAME, pl.DataFrame(FRAME), FRAME.to_numpy(), FRAME.to_numpy().tolist(), data.raw):
        assert run.predict(rows).tolist() == saved.predict(rows).tolist() == expected
    with pytest.raises(DataError, match="X, row 1, column 1: level 'mauve', expected one of blue"):
        saved.predict([[1.0, "mauve"]])
    with pytest.raises(DataError, match=r"expected \(n, 4\) numbers, or \(n, 2\) with texts"):
        saved.predict([[1.0, 2.0, 3.0]])


def test_a_text_names_its_column_and_the_option():
    words = r"data, row 1, column 1 \('colour'\): got 'red', expected a number; `categorical`"
    refused(DataError, words, dataset, FRAME, ANSWERS)
    with pytest.raises(DataError, match="data, row 1, column 1: got 'red', expected a number"):
        dataset(FRAME.to_numpy(), ANSWERS)


MIXED = pd.DataFrame(
    {
        "size": [1.5, 2.0, 0.5, 3.0],
        "sold": [True, False, True, False],
        "count": pd.array([1, 2, None, 4], dtype="Int64"),
        "share": pd.array([0.1, None, 0.3, 0.4], dtype="Float64"),
        "new": pd.array([True, None, False, True], dtype="boolean"),
        "any": pd.Series([1, Decimal("0.5"), None, np.float32(2)], dtype=object),
    }
)
MIXED_X = [[1.5, 1, 1, 0.1, 1, 1], [2, 0, 2, np.nan, np.nan, 0.5],
           [0.5, 1, np.nan, 0.3, 0, np.nan], [3, 0, 4, 0.4, 1, 2]]  # fmt: skip


@pytest.mark.parametrize("made", [pd.DataFrame, pl.DataFrame, pd.DataFrame.to_numpy])
def test_columns_of_every_type_of_number(made):
    frame = made(MIXED.assign(any=MIXED["any"].astype(float)) if made is pl.DataFrame else MIXED)
    data = dataset(frame, pd.array(ANSWERS, dtype="string"), missing="mean")
    np.testing.assert_array_equal(data.raw, MIXED_X)
    mixed = dataset(made(MIXED[["size", "sold"]]), pd.array([0, 1, 0, 1], dtype="Int64"))
    assert (mixed.X[:, 1].tolist(), mixed.labels) == ([1, 0, 1, 0], ("0", "1"))
    assert rp.regression_data(made(MIXED[["size", "sold"]]), [1, 2, 3, 4]).X.shape == (4, 2)
    named = r" \('share'\)" if hasattr(frame, "columns") else ""
    with pytest.raises(DataError, match=rf"data, row 2, column 3{named}: the cell is missing"):
        dataset(frame, ANSWERS)


def test_columns_that_hold_no_numbers_are_named():
    days = MIXED[["size"]].assign(day=pd.to_datetime(["2026-01-01"] * 4))
    told = r"data, row 1, column 1 \('day'\): 2026.*, expected a number: leave that column out"
    for frame in (days, pl.DataFrame(days)):
        refused(DataError, told, dataset, frame, ANSWERS)
    refused(DataError, r"column 1 \('day'\): 2026", rp.regression_data, days, [1, 2, 3, 4])
    with pytest.raises(DataError, match=r"row 1, column 1 \('day'\): 2026"):
        dataset(days.assign(colour=FRAME["colour"]), ANSWERS, categorical="colour")


@pytest.mark.parametrize("gap", [None, pd.NA, np.nan])
def test_missing_labels_are_no_class(gap):
    y = np.array(["no", gap, "yes", "yes"], dtype=object)
    refused(DataError, "row 2: the label is missing", dataset, MIXED[["size"]], y)
    assert rp.partly_labelled(MIXED[["size"]], y).codes.tolist() == [0, -1, 1, 1]


@pytest.mark.parametrize("spelled", [str, str.lower, str.upper])
@pytest.mark.parametrize("how", [{}, {"categorical": "auto"}, {"categorical": "region"}])
def test_truth_values_are_those_of_a_frame(file, spelled, how):
    member = [True, False, True, True]
    regions = {"region": ["n", "s", "s", "n"]} if how else {}
    frame = pd.DataFrame({"age": [1.5, 2, 0.5, 3], "member": member, **regions})
    rows = frame.assign(member=[spelled(str(cell)) for cell in member], y=ANSWERS)
    data, same = read(file(rows.to_csv(index=False)), **how), dataset(frame, ANSWERS, **how)
    assert data.features == same.features
    np.testing.assert_array_equal(data.X, same.X)
    # one row of a later file, and a missing cell
    assert read(file(rows[1:2].to_csv(index=False), "new.csv"), like=data).X[0, 1] == 0.0
    text = rows.to_csv(index=False).replace(f"0.5,{spelled('True')}", "0.5,")
    assert len(read(file(text, "gap.csv"), missing="drop", **how).X) == 3


def test_whole_numbers_that_floats_merge_are_refused_by_name(tmp_path):
    path = tmp_path / "ids.parquet"
    pd.DataFrame({"id": [2**53 + 1, 3], "y": [0, 1]}).to_parquet(path)
    refused(DataError, r"row 1, column 0: 9007199254740993 is beyond 2\^53", read, path)
    with pytest.raises(DataError, match=r"row 2, column 0: -9007199254740994 is beyond"):
        dataset(np.array([[1], [-(2**53) - 2]]), [0, 1])


def test_arrow_strings_of_every_layout_are_texts(tmp_path):
    import pyarrow as pa
    from pyarrow import parquet

    for kind in (pa.string(), pa.large_string(), pa.dictionary(pa.int32(), pa.string())):
        table = pa.table({"c": pa.array(["a", "b", "a"]).cast(kind), "y": [0, 1, 1]})
        parquet.write_table(table, tmp_path / "t.parquet")
        assert read(tmp_path / "t.parquet", categorical="c").features == ("c=a", "c=b")
