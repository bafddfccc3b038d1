"""Files that cannot be used: one clear line that names file, row and column."""

import pickle

import numpy as np
import pytest

from radprog.base.errors import DataError, OptionError
from radprog.instances.dataset import read

TEXTS = "columns of texts: categorical, or strings for the kernel edit"


@pytest.fixture
def refuse(tmp_path):
    """Read content as a file, which must be refused; returns the message."""

    def refuse(content, name="bad.csv", **options):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        with pytest.raises(DataError) as caught:
            read(path, **options)
        message = str(caught.value)
        assert message.startswith(str(path))
        assert "\n" not in message
        return message.removeprefix(str(path))

    return refuse


def test_missing_file(tmp_path):
    with pytest.raises(DataError, match=r"absent\.csv: no such file"):
        read(tmp_path / "absent.csv")


def test_folder(tmp_path):
    with pytest.raises(DataError, match="folder"):
        read(tmp_path)


def test_path_below_a_file(tmp_path):
    (tmp_path / "file").write_text("1,2\n")
    with pytest.raises(DataError, match="cannot be read"):
        read(tmp_path / "file" / "below.csv")


@pytest.mark.parametrize("content", [b"", b"\n \n\t\n"])
@pytest.mark.parametrize("name", ["e.csv", "e.svm", "e.arff"])
def test_empty(refuse, content, name):
    assert "empty" in refuse(content, name)


def test_only_comments(refuse):
    assert "no rows" in refuse("# nothing\n# here\n")


def test_only_a_header(refuse):
    assert "no rows" in refuse("a,b,class\n")


@pytest.mark.parametrize("content", [b"1,2\n\x00\x01,4\n", b"\x89PNG\r\n\x1a\n\x00\x00"])
def test_binary(refuse, content):
    assert "binary" in refuse(content)


def test_a_pickle(refuse):
    assert "binary" in refuse(pickle.dumps(np.ones(3)))


def test_another_encoding(refuse):
    message = refuse("1,2,a\n3,4,é\n".encode("latin-1"))
    assert message.startswith(", row 2: byte 0xe9")


def test_ragged(refuse):
    assert refuse("a,b,c\n1,2,0\n3,1\n") == ", row 3: 2 cells, expected 3 as in row 1"
    assert refuse("1 2 0\n\n3 1 4 1\n") == ", row 3: 4 cells, expected 3 as in row 1"


def test_open_quote(refuse):
    assert refuse('1,2,0\n"3,4,1\n5,6,1\n').startswith(", row 2: cannot be cut into cells")
    assert refuse('1,2,0\n\n3,"4"4,1\n').startswith(", row 3: cannot be cut into cells")
    assert refuse('1,"2\n",0\n3,4\n') == ", row 3: 2 cells, expected 3 as in row 1"


@pytest.mark.parametrize("cell", ["abc", "True", "1_0", "1,5", "0x1", "--1", "1 2"])
def test_cell_that_is_no_number(refuse, cell):
    message = refuse(f"u;v;w\n1;2;0\n3;{cell};1\n")
    hint = "of numbers with a decimal comma: decimal ," if "," in cell else TEXTS
    assert message == f", row 3, column 1 ('v'): got '{cell}', expected a number ({hint})"


@pytest.mark.parametrize("text", ["1,2,0\n#N/A,4,1\n5,6,1\n", "1 2 0\n #n/a 4 1\n5 6 1\n"])
def test_an_error_of_a_spreadsheet_is_a_missing_cell(tmp_path, refuse, text):
    assert refuse(text).startswith(", row 2, column 0: the cell is missing")
    path = tmp_path / "gap.csv"
    path.write_text(text)
    data = read(path, missing="drop")
    assert (data.lines.tolist(), data.left_out) == ([1, 3], (2,))


def test_other_errors_of_a_spreadsheet_are_no_comments(refuse):
    assert "row 2, column 0: got '#DIV/0!'" in refuse("1,2,0\n#DIV/0!,4,1\n5,6,1\n")


def test_cell_that_is_no_number_beside_missing_cells(refuse):
    assert "row 3, column 1: got 'x'" in refuse("1,2,0\n?,2,0\n1,x,1\n", missing="drop")


@pytest.mark.parametrize("missing", ["error", "drop", "mean"])
@pytest.mark.parametrize("cell", ["inf", "-Infinity", "1e999"])
def test_infinite_cell(refuse, cell, missing):
    message = refuse(f"1,2,0\n3,{cell},1\n", missing=missing)
    assert message.startswith(", row 2, column 1: the cell is infinite")


def test_missing_cell_names_the_remedy(refuse):
    message = refuse("1,2,0\n3,nan,1\n")
    assert message.startswith(", row 2, column 1: the cell is missing (1 in 1 rows)")
    assert "missing drop" in message


def test_no_row_left(refuse):
    assert "none is left" in refuse("?,0\n?,1\n", missing="drop")


def test_column_without_values_has_no_mean(refuse):
    assert "feature 1" in refuse("1,?,0\n3,?,1\n", missing="mean")


def test_one_class(refuse):
    assert "one class in the label column, expected two: '1' 2 times" in refuse("1,1\n2,1.0\n")


def test_three_classes(refuse):
    message = refuse("0,a\n0,b\n0,a\n0,c\n")
    assert "3 classes" in message
    assert "'a' 2 times, first in row 1; 'b' 1 times, first in row 2; 'c'" in message


def test_many_classes_are_not_all_listed(refuse):
    message = refuse("".join(f"0,{k}\n" for k in range(50)))
    assert "50 classes" in message
    assert message.endswith("; ...")


@pytest.mark.parametrize("label", ["3", "-1", 7])
def test_label_column_out_of_range(refuse, label):
    message = refuse("1,2,0\n3,4,1\n", label=label)
    assert f"label column {label} is out of range" in message
    assert "counted from 0 to 2" in message


def test_label_column_unknown(refuse):
    assert "label column 'kind' is not in the first row (a, b)" in refuse(
        "a,b\n1,0\n2,1\n", label="kind"
    )


def test_label_column_twice(refuse):
    assert "more than once" in refuse("a,a\n1,0\n2,1\n", label="a")


def test_strings_column_out_of_range(refuse):
    assert "strings column 5 is out of range" in refuse("a,0\nb,1\n", strings=5)


def test_strings_column_is_the_label(refuse):
    assert "both" in refuse("a,0\nb,1\n", strings=1)


def test_no_feature(refuse):
    assert "no feature" in refuse("1\n2\n")


def test_positive_label_unknown(refuse):
    assert "positive label '3' given, but the labels are '0' and '1'" in refuse(
        "5,0\n6,1\n", positive=3
    )


def test_too_large_to_scale(refuse):
    assert "too large" in refuse("1e308,0\n-1e308,1\n", scale="standard")


@pytest.mark.parametrize(
    ("content", "where"),
    [
        ("1 1:2\nx 1:3\n", ", row 2: got 'x 1:3'"),
        ("1 1:2\n\n-1 1:y\n", ", row 3: got '-1 1:y'"),
        ("1 2:2 1:3\n", ", row 1: got"),
        ("# c\n1 1:2 # c\n2:3 1:1\n", ", row 3: got"),
        ("1 1:1_0\n", ", row 1: got"),
        ("1 99999999999:1\n", ", row 1: got"),
        ("1 1:3\n-1 1:inf\n", ", row 2, column 1 ('1'): the cell is infinite"),
        ("1 1:3\nnan 1:1\n", ", row 2: the label is missing"),
        ("1\n-1\n", ": no feature"),
        ("1 1:1\n-1 2000000000:1\n", ": 2 rows up to feature index 2000000000 are too many"),
    ],
)
def test_svmlight(refuse, content, where):
    assert refuse(content, "bad.svm").startswith(where)


def test_svmlight_label_column(tmp_path):
    path = tmp_path / "ok.svm"
    path.write_text("1 1:2\n-1 1:3\n")
    with pytest.raises(OptionError, match="begins with its label"):
        read(path, label="3")
    with pytest.raises(OptionError, match="strings"):
        read(path, strings="0")


HEAD = "@relation r\n@attribute a numeric\n@attribute b {0,1}\n@attribute c {x,y}\n@data\n"


@pytest.mark.parametrize(
    ("content", "where"),
    [
        (HEAD + "1,0,x\n2,1\n", ", row 7: 2 cells, expected 3"),
        (HEAD + "1,0,x,7\n2,1,y,7\n", ", row 6: 4 cells, expected 3 as declared"),
        (HEAD + "1,0,x\nq,1,y\n", ", row 7, column 0 ('a'): got 'q'"),
        (HEAD + "1,0,x\n?,1,y\n", ", row 7, column 0 ('a'): the cell is missing"),
        (HEAD + "{0 1, 2 y}\n", ": sparse ARFF"),
        (HEAD, ": no rows"),
        ("@relation r\n@attribute a numeric\n", ": no @data line"),
        ("@relation r\n@data\n1,2\n3,4\n", ": no @attribute line"),
        ("1,2,3\n4,5,6\n", ": no @data line"),
        ("@relation r\n@attribute a string\n@data\nq\n", ": string attributes"),
        (
            "@relation r\n@attribute a date 'yyyy'\n@attribute c {x,y}\n@data\n1999,x\n",
            ": attribute",
        ),
        ("@relation r\n@attribute a\n@data\n1\n", ": the ARFF declarations"),
        ("@relation r\n@attribute a real\n@attribute a real\n@data\n1,2\n", ": the ARFF decl"),
    ],
)
def test_arff(refuse, content, where):
    assert refuse(content, "bad.arff").startswith(where)
