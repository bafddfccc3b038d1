"""Files that cannot be used: one clear line that names file, row and column."""

import pickle
import tracemalloc

import numpy as np
import pytest
from refusals import refused

import radprog as rp


@pytest.fixture
def refuse(tmp_path):
    """Read content as a file, which must be refused; returns the message."""

    def refuse(content, name="bad.csv", **options):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        with pytest.raises(rp.DataError) as caught:
            rp.read(path, **options)
        message = str(caught.value)
        assert message.startswith(str(path))
        assert "\n" not in message
        return message.removeprefix(str(path))

    return refuse


def test_paths_that_are_no_files(tmp_path):
    (tmp_path / "file").write_text("1,2\n")
    for path, words in (
        (tmp_path / "absent.csv", r"absent\.csv: no such file"),
        (tmp_path, "folder"),
        (tmp_path / "file" / "below.csv", "cannot be read"),
    ):
        refused(rp.DataError, words, rp.read, path)


@pytest.mark.parametrize("content", [b"", b"\n \n\t\n"])
@pytest.mark.parametrize("name", ["e.csv", "e.svm", "e.arff"])
def test_empty(refuse, content, name):
    assert "empty" in refuse(content, name)


CASES = [
    (b"1,2\n\x00\x01,4\n", {}, "binary"),
    (b"\x89PNG\r\n\x1a\n\x00\x00", {}, "binary"),
    (pickle.dumps(np.ones(3)), {}, "binary"),
    ("a,b,c\n1,2,0\n3,1\n", {}, ", row 3: 2 cells, expected 3 as in row 1"),
    ("1 2 0\n\n3 1 4 1\n", {}, ", row 3: 4 cells, expected 3 as in row 1"),
    ('1,2,0\n"3,4,1\n5,6,1\n', {}, ", row 2: cannot be split into cells"),
    ('1,2,0\n\n3,"4"4,1\n', {}, ", row 3: cannot be split into cells"),
    ('1,"2\n",0\n3,4\n', {}, ", row 3: 2 cells, expected 3 as in row 1"),
    ("1,2,0\n?,2,0\n1,x,1\n", {"missing": "drop"}, "row 3, column 1: got 'x'"),
    ("1,2,0\n#DIV/0!,4,1\n5,6,1\n", {}, "row 2, column 0: got '#DIV/0!'"),
    ("1,2,0\n3,nan,1\n", {}, ", row 2, column 1: the cell is missing (1 in 1 rows)"),
    ("1,2,0\n3,nan,1\n", {}, "missing='drop'"),
    ("1,1\n2,1.0\n", {}, "one class in the label column, expected two: '1' 2 times"),
    ("0,a\n0,b\n0,a\n0,c\n", {}, "3 classes"),
    ("0,a\n0,b\n0,a\n0,c\n", {}, "'a' 2 times, first in row 1; 'b' 1 times, first in row 2; 'c'"),
    ("".join(f"0,{k}\n" for k in range(50)), {}, "50 classes"),
    ("".join(f"0,{k}\n" for k in range(50)), {}, "; ..."),
    ("1,2,0\n3,4,1\n", {"label": "3"}, "label column '3' is not one of the 3 columns"),
    ("1,2,0\n3,4,1\n", {"label": "-1"}, "label column '-1' is not one"),
    ("1,2,0\n3,4,1\n", {"label": 7}, "an index from 0 to 2"),
    (
        "a,b\n1,0\n2,1\n",
        {"label": "kind"},
        "label column 'kind' is not one of the 2 columns (a, b)",
    ),
    ("a,0\nb,1\n", {"strings": 5}, "strings column '5' is not one of"),
]


@pytest.mark.parametrize(("content", "options", "words"), CASES)
def test_refused(refuse, content, options, words):
    assert words in refuse(content, **options)


@pytest.mark.parametrize("cell", ["abc", "True", "1_0", "1,5", "0x1", "--1", "1 2"])
def test_cell_that_is_no_number(refuse, cell):
    message = refuse(f"u;v;w\n1;2;0\n3;{cell};1\n")
    more = "; `categorical` makes features of text columns"
    assert message == f", row 3, column 1 ('v'): got '{cell}', expected a number{more}"


@pytest.mark.parametrize("text", ["1,2,0\n#N/A,4,1\n5,6,1\n", "1 2 0\n #n/a 4 1\n5 6 1\n"])
def test_an_error_of_a_spreadsheet_is_a_missing_cell(tmp_path, refuse, text):
    assert refuse(text).startswith(", row 2, column 0: the cell is missing")
    path = tmp_path / "gap.csv"
    path.write_text(text)
    data = rp.read(path, missing="drop")
    assert (data.lines.tolist(), data.left_out) == ([1, 3], (2,))


@pytest.mark.parametrize("missing", ["error", "drop", "mean"])
@pytest.mark.parametrize("cell", ["inf", "-Infinity", "1e999"])
def test_infinite_cell(refuse, cell, missing):
    message = refuse(f"1,2,0\n3,{cell},1\n", missing=missing)
    assert message.startswith(", row 2, column 1: the cell is infinite")


@pytest.mark.parametrize(
    ("content", "where"),
    [
        ("1 1:2\n\n-1 1:y\n", ", row 3: got '-1 1:y'"),
        ("# c\n1 1:2 # c\n2:3 1:1\n", ", row 3: got"),
        ("1 1:1_0\n", ", row 1: got"),
        ("1 1:3\n-1 1:inf\n", ", row 2, column 1 ('1'): the cell is infinite"),
        ("1 1:1\n-1 2000000000:1\n", ": 2 rows up to feature index 2000000000 are too many"),
    ],
)
def test_svmlight(refuse, content, where):
    tracemalloc.start()
    assert refuse(content, "bad.svm").startswith(where)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1 << 30  # a large index takes no memory


def test_svmlight_label_column(tmp_path):
    path = tmp_path / "ok.svm"
    path.write_text("1 1:2\n-1 1:3\n")
    refused(rp.OptionError, "begins with its label", rp.read, path, label="3")
    refused(rp.OptionError, "strings", rp.read, path, strings="0")


HEAD = "@relation r\n@attribute a numeric\n@attribute b {0,1}\n@attribute c {x,y}\n@data\n"


@pytest.mark.parametrize(
    ("content", "where"),
    [
        (HEAD + "1,0,x\n2,1\n", ", row 7: 2 cells, expected 3"),
        (HEAD + "1,0,x,7\n2,1,y,7\n", ", row 6: 4 cells, expected 3 as declared"),
        (HEAD + "1,0,x\nq,1,y\n", ", row 7, column 0 ('a'): got 'q'"),
        (HEAD + "1,0,x\n?,1,y\n", ", row 7, column 0 ('a'): the cell is missing"),
        ("@relation r\n@attribute a numeric\n", ": no @data line"),
        (
            "@relation r\n@attribute a date 'yyyy'\n@attribute c {x,y}\n@data\n1999,x\n",
            ", row 2: the ARFF declarations",
        ),
        ("@relation r\n@attribute a\n@data\n1\n", ", row 2: the ARFF declarations"),
        (
            "@relation r\n@attribute a real\n@attribute a real\n@data\n1,2\n",
            ", row 3: the ARFF decl",
        ),
        (HEAD + "1,0,x\n2,1,z\n", ", row 7, column 2 ('c'): got 'z', expected one of x, y"),
    ],
)
def test_arff(refuse, content, where):
    assert refuse(content, "bad.arff").startswith(where)


@pytest.mark.parametrize(("stated", "width"), [(2, 1), (1, 2), (3, 2)])
def test_ts_with_another_number_of_dimensions_than_declared(tmp_path, stated, width):
    rows = "".join(":".join(["1,2,3"] * width) + f":{label}\n" for label in "ab")
    path = tmp_path / "d.ts"
    path.write_text(f"@dimensions {stated}\n@classLabel true a b\n@data\n{rows}")
    words = rf"d\.ts, row 4: {width} dimensions, expected {stated}"
    refused(rp.DataError, words, rp.read_series, path)
