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


@pytest.mark.parametrize("columns", ["colour", "1", "auto"])
def test_a_feature_for_every_level(file, columns):
    data = read(file(ROWS), categorical=columns)
    assert (data.X.tolist(), data.features) == (X, NAMES)
    assert data.levels == {1: ("blue", "green", "red")}
    assert data.reading["categorical"] == columns
    assert data.lines.tolist() == [2, 3, 4, 5]


def test_numbers_can_be_levels_in_one_spelling(file):
    data = read(file("a,b\n10,x\n9,y\n10.0,x\n"), categorical="a")
    assert (data.X.tolist(), data.features) == ([[0, 1], [1, 0], [0, 1]], ("a=9", "a=10"))


@pytest.mark.parametrize("label", ["last", "first"])
def test_texts_alone_without_a_header(file, label):
    rows = ["s,t,y", "s,u,n", "r,t,n", "r,u,y"] if label == "last" else ["y,s,t", "n,s,u", "n,r,t"]
    data = read(file("\n".join(rows)), label=label, categorical="auto")
    assert (data.rows, data.features) == (len(rows), ())
    assert data.X[0].tolist() == [0, 1, 1, 0]
    cells = rows[0].split(",")
    texts = ",".join(cells[:-1] if label == "last" else cells[1:])
    assert read(file(texts, "new.csv"), like=data).X.tolist() == [[0, 1, 1, 0]]


def test_later_files_have_the_levels_of_the_training_data(file):
    data = read(file(ROWS), categorical="auto", scale="standard")
    like = Dataset.from_recipe(json.loads(json.dumps(data.recipe())))
    assert like.levels == data.levels
    new = read(file("size,colour\n2,blue\n", "new.csv"), like=like)
    assert new.X.tolist() == data.X[1:2].tolist()
    assert read(file(ROWS, "again.csv"), like=like).targets.tolist() == data.targets.tolist()
    with pytest.raises(DataError, match=r"row 3, column 1 \('colour'\): level 'mauve', expected "
                       r"one of blue, green, red as in the training data \(2 rows"):  # fmt: skip
        read(file("size,colour\n2,red\n2,mauve\n2,red\n2,pink\n", "bad.csv"), like=like)
    with pytest.raises(OptionError, match="categorical 'colour' given, but it is 'auto'"):
        read(file(ROWS), like=like, categorical="colour")
    with pytest.raises(DataError, match="columns of features given"):
        read(file("2\n3\n", "short.csv"), like=like, label="none")
    wide = read(file("a,b,t,u,y\n1,2,x,3,0\n3,4,z,5,1\n", "wide.csv"), categorical="t")
    with pytest.raises(DataError, match="2 columns of features given, but that of texts is number"):
        read(file("1,2,0\n3,4,1\n", "plain.csv"), like=wide)


def test_missing_cells_of_a_column_of_texts(file):
    holes = file("size,colour,answer\n1,red,no\n2,,yes\n3,blue,no\n4,red,yes\n")
    assert read(holes, categorical="auto", missing="drop").lines.tolist() == [2, 4, 5]
    filled = read(holes, categorical="auto", missing="mean")
    np.testing.assert_allclose(filled.X[1], [2, 1 / 3, 2 / 3])
    assert filled.warnings == ("1 missing cells filled with training means",)


@pytest.mark.parametrize("texts", [["10115", "10117"], ["1", "2", "3"]])
def test_whole_numbers_as_texts_are_levels(texts):
    frame = pd.DataFrame({"code": texts * 12})
    features = dataset(frame, [0, 1] * (len(frame) // 2), categorical="auto").features
    assert features == tuple(f"code={text}" for text in texts)


@pytest.mark.parametrize("mark", ["N/A", "n/a", "None", "null", "NULL"])
def test_marks_of_missing_cells_are_no_levels(file, mark):
    rows = f"c,y\nred,0\n{mark},1\nblue,1\nnone,0\n"
    data = read(file(rows), categorical="c", missing="drop")
    assert data.levels == {0: ("blue", "none", "red")}
    assert data.rows == 3


def test_thousands_are_no_decimal_commas(file):
    """Decimal commas show themselves by another number of places, or a 0."""
    for cells, first in (("1,968;0,861", 1.968), ("1,5;861", 1.5), ("1,968;2,5", 1.968)):
        rows = "".join(f"{cell};{k % 2}\n" for k, cell in enumerate(cells.split(";")))
        assert read(file("a;y\n" + rows), decimal=",").X[0, 0] == first


def test_every_reader_of_tables(file):
    path = file(ROWS.replace("no", "a").replace("yes\n0", "b\n0"))  # classes a, b, yes
    assert read_mkl(path, categorical="auto").X.tolist() == X
    assert read_partly_labelled(path, categorical="auto").X.tolist() == X
    text = ROWS.replace(",", ";").replace("no", "1,5").replace("yes", "2").replace("1.5;", "1,5;")
    target = file(text.replace("0.5", "0,5"), "t.csv")
    data = read_regression(target, categorical="colour", decimal=",")
    assert (data.X.tolist(), data.target.tolist()) == (X, [1.5, 2, 1.5, 2])


GERMAN = ROWS.replace(",", ";").replace(".", ",")


@pytest.mark.parametrize("between", [";", "\t", " "])
def test_decimal_commas(file, between):
    data = read(file(GERMAN.replace(";", between)), categorical="auto", decimal=",")
    assert (data.X.tolist(), data.features) == (X, NAMES)
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


def test_truth_values_beside_other_texts_or_named_are_levels(file):
    mixed = "a,b,y\nTrue,1,no\nmaybe,2,yes\nFalse,3,no\n"
    assert read(file(mixed), categorical="auto").features[:2] == ("a=False", "a=True")
    named = read(file(mixed.replace("maybe", "True")), categorical="a")
    assert named.features == ("a=False", "a=True", "b")
    # a first row of truth values holds no names, but above numbers
    assert read(file("True,False,y\n1,0,no\n0,1,yes\n")).features == ("True", "False")
    rows = read(file("True,False,no\nFalse,False,yes\nTrue,True,no\n"))
    assert rows.X.tolist() == [[1, 0], [0, 0], [1, 1]]


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
