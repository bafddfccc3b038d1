"""Reading data sets of two classes: formats of text, headers, labels, missing cells, scaling."""

import hashlib
import json

import numpy as np
import pytest
from effort import examples
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused

from radprog.base.errors import DataError
from radprog.instances.dataset import read

NUMBERS = np.array([[1.0, 2.5], [3.0, -4e-7], [0.5, 6.0]])
SIGNS = np.array([-1.0, 1.0, 1.0])


@pytest.fixture
def write(tmp_path):
    """Write a file and return its path."""

    def write(content, name="file.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


@pytest.mark.parametrize("delimiter", [",", "\t", ";", " ", "   ", ", ", " ; "])
def test_every_delimiter_gives_the_same_cells(write, delimiter):
    rows = [["1", "2.5", "-1"], ["3", "-4e-7", "1"], ["0.5", "6", "1"]]
    data = read(write("\n".join(delimiter.join(row) for row in rows)))
    np.testing.assert_array_equal(data.X, NUMBERS)
    np.testing.assert_array_equal(data.y, SIGNS)
    assert data.X.dtype == data.y.dtype == np.float64
    assert data.features == ()
    assert data.lines.tolist() == [1, 2, 3]


@pytest.mark.parametrize(
    ("text", "features"),
    [
        ("1,2.5,-1\r\n3,-4e-7,1\r\n0.5,6,1\r\n", ()),
        ("1,2.5,-1\r3,-4e-7,1\r0.5,6,1", ()),
        ("\ufeff1,2.5,-1\n3,-4e-7,1\n0.5,6,1\n", ()),
        ("\n\n1,2.5,-1\n\n3,-4e-7,1\n   \n0.5,6,1\n\n\n", ()),
        ("# a comment, with, commas\n1,2.5,-1\n3,-4e-7,1\n  # another\n0.5,6,1\n", ()),
        ('"1","2.5","-1"\n3,-4e-7,1\n0.5,"6",1\n', ()),
        ("  1  2.5 -1\n3 -4e-7 1  \n0.5   6 1\n", ()),
        ('1 "2.5" -1\n3 -4e-7 1\n0.5 6 1\n', ()),
        ("a,b,class\n1,2.5,-1\n3,-4e-7,1\n0.5,6,1\n", ("a", "b")),
        ('"x 1","y,z",class\n1,2.5,-1\n3,-4e-7,1\n0.5,6,1\n', ("x 1", "y,z")),
        ("\ufeffa\tb\tclass\n1\t2.5\t-1\n3\t-4e-7\t1\n0.5\t6\t1\n", ("a", "b")),
        ("a,b,\n1,2.5,-1\n3,-4e-7,1\n0.5,6,1\n", ("a", "b")),
        ("na,b,class\n1,2.5,-1\n3,-4e-7,1\n0.5,6,1\n", ("na", "b")),
        ("a b class\n1 2.5 -1\n3 -4e-7 1\n0.5 6 1\n", ("a", "b")),
    ],
)
def test_spellings_and_headers_of_the_same_file(write, text, features):
    data = read(write(text))
    assert data.features == features
    np.testing.assert_array_equal(data.X, NUMBERS)
    np.testing.assert_array_equal(data.y, SIGNS)


@pytest.mark.parametrize(
    ("text", "options", "expected"),
    [
        # rows keep the number that they have in the file
        ("# top\n\na,b,c\n1,2,0\n\n3,4,1\n", {}, {"lines": [4, 6]}),
        # first rows: labels, missing cells and numbers are no header
        ("1,2,spam\n3,4,ham\n", {}, {"features": (), "labels": ("ham", "spam"), "y": [1, -1]}),
        ("?,NA,spam\n3,4,ham\n5,6,spam\n", {"missing": "drop"}, {"rows": 2, "lines": [2, 3]}),
        ("0,1,2\n5,6,3\n", {}, {"rows": 2}),
        # strings: with and without a header, as written, and with quotes
        ("abc,x\nabd,y\n", {"strings": 0}, {"rows": 2}),
        ("abc,1\nabd,2\n", {"strings": 0}, {"rows": 2}),
        ("text,class\nabc,1\nabd,2\n", {"strings": 0}, {"rows": 2}),
        ("0110,x\nabc,1\nabd,x\n", {"strings": 0}, {"rows": 3}),
        ("last,x\nabc,y\n", {"strings": 0}, {"rows": 2}),
        ("first,none\nabc,y\n", {"strings": 0}, {"rows": 2}),
        ("seq,other,class\nabab,x,1\n0110, ,2\nNA,y,1\n", {"strings": "seq"},
         {"X": ["abab", "0110", "NA"], "columns": None, "scaler": None, "raw": None,
          "y": [-1, 1, -1]}),
        ('"a,b",1\n"c\nd",2\n"e ""f""",1\n', {"strings": 0},
         {"X": ["a,b", "c\nd", 'e "f"'], "lines": [1, 2, 4]}),
        ('u t c\n1 "a\nb" x\n\n2 "c d" y\n', {"categorical": "t"},
         {"features": ("u", "t=a\nb", "t=c d"), "lines": [2, 5]}),
        ("abc,1\n,2\nabd,2\n", {"strings": 0, "missing": "drop"}, {"X": ["abc", "abd"]}),
        ("1,0\n2,1\n?,2\n", {"missing": "drop"}, {"rows": 2}),
        ("1,2,0\n#N/A,4,1\n5,6,1\n", {"missing": "drop"}, {"lines": [1, 3], "left_out": (2,)}),
        # truth values are texts in their spelling
        ("a,b\nTRUE,x\nFALSE,y\n", {"categorical": "a"}, {"features": ("a=FALSE", "a=TRUE")}),
    ],
)  # fmt: skip
def test_what_is_read_of_a_text(write, text, options, expected):
    data = read(write(text), **options)
    found = {name: getattr(data, name) for name in expected}
    assert {k: v.tolist() if isinstance(v, np.ndarray) else v for k, v in found.items()} == expected
    assert "strings" not in options or data.X.dtype.kind == "U"


@pytest.mark.parametrize(
    ("label", "columns"),
    [("first", [1, 2]), ("0", [1, 2]), (0, [1, 2]), ("a", [1, 2]), ("b", [0, 2]), (1, [0, 2])],
)
def test_the_label_may_stand_anywhere(write, label, columns):
    cells = np.array([[7.0, 8.0, 0.25], [9.0, 6.0, 0.5]])
    data = read(write("a,b,c\n" + "\n".join(",".join(map(str, row)) for row in cells)), label=label)
    np.testing.assert_array_equal(data.X, cells[:, columns])
    assert data.features == tuple("abc"[j] for j in columns)
    k = next(j for j in range(3) if j not in columns)
    assert data.y.tolist() == np.sign(cells[:, k] - cells[:, k].mean()).tolist()


def test_without_labels_every_column_is_a_feature(write):
    data = read(write("1,2\n3,4\n"), label="none")
    assert data.X.tolist() == [[1, 2], [3, 4]]
    assert data.y is None
    with pytest.raises(DataError, match="this needs labels"):
        _ = data.targets


@pytest.mark.parametrize(
    ("written", "names", "signs"),
    [
        (["10", "9", "9"], ("9", "10"), [1, -1, -1]),
        (["1.0", "2", "+1"], ("1", "2"), [-1, 1, -1]),
        (["-1", "1", "1e0"], ("-1", "1"), [-1, 1, 1]),
        (["0.10", "-0", "0"], ("0", "0.1"), [1, -1, -1]),
        (["b", "a", "b"], ("a", "b"), [1, -1, 1]),
        (["10", "x", "10"], ("10", "x"), [-1, 1, -1]),
        ([" yes", "no ", "yes"], ("no", "yes"), [1, -1, 1]),
        (["True", "False", "True"], ("False", "True"), [1, -1, 1]),
    ],
)
def test_two_labels_of_any_kind_are_mapped_in_order(write, written, names, signs):
    data = read(write("\n".join(f"{k},{label}" for k, label in enumerate(written))))
    assert data.labels == names
    assert data.y.tolist() == signs


@pytest.mark.parametrize(("positive", "signs"), [("1", [1, -1]), ("1.0", [1, -1]), (2, [-1, 1])])
def test_positive_names_the_label_of_plus_one(write, positive, signs):
    data = read(write("0,1\n0,2\n"), positive=positive)
    assert data.y.tolist() == signs
    assert data.labels[1] == str(int(float(positive)))


def test_rows_that_are_left_out_are_known(write):
    data = read(write("a,w,class\n1,0,0\n2,1,1\n\n?,1,0\n4,2,0\n"), missing="drop", weights="w")
    assert (data.lines.tolist(), data.left_out) == ([3, 6], (2, 5))
    assert data.take(np.array([0])).left_out == ()


def test_missing_cells_of_every_spelling(write):
    path = write("a,b,class\n,1,0\n?,2,1\nNA,3,0\nnan,4,1\nNaN,5,0\n 2 ,6,1\n4,7,0\n")
    refused(DataError, r"row 2, column 0 \('a'\): the cell is missing \(5 in 5", read, path)
    dropped = read(path, missing="drop")
    assert dropped.X.tolist() == [[2, 6], [4, 7]]
    assert dropped.lines.tolist() == [7, 8]
    assert dropped.left_out == (2, 3, 4, 5, 6)
    assert dropped.warnings == ("5 rows with missing cells dropped",)
    filled = read(path, missing="mean")
    assert filled.X[:, 0].tolist() == [3, 3, 3, 3, 3, 2, 4]
    assert np.isnan(filled.raw[:5, 0]).all()
    assert filled.warnings == ("5 missing cells filled with training means",)


def test_a_number_is_read_to_its_last_digit(write):
    numbers = np.random.default_rng(0).normal(size=(200, 3)) * 10.0 ** np.arange(-140, 141, 140)
    rows = "".join(f"{a!r},{b!r},{c!r},{k % 2}\n" for k, (a, b, c) in enumerate(numbers.tolist()))
    np.testing.assert_array_equal(read(write(rows)).X, numbers)
    whole = "9007199254740993,123456789012345678901,1\n3,4,0\n"
    assert read(write(whole)).X.tolist() == [[2.0**53, 123456789012345678901.0], [3, 4]]


def test_hash_name_and_repetition(write):
    content = b"a,b,class\n1,2,yes\n?,4,no\n5,7,no\n"
    path = write(content)
    data = read(path, scale="minmax", missing="mean", positive="no", label="class")
    assert data.sha256 == hashlib.sha256(content).hexdigest()
    assert data.name == "file.csv"
    again = read(path, **json.loads(json.dumps(data.reading)))
    np.testing.assert_array_equal(again.X, data.X)
    np.testing.assert_array_equal(again.y, data.y)
    assert again.labels == data.labels == ("yes", "no")
    assert again.reading == data.reading


finite = st.floats(-1e150, 1e150)


@examples(60)
@given(
    rows=st.lists(st.tuples(finite, finite, st.booleans()), min_size=2, max_size=12),
    delimiter=st.sampled_from([",", "\t", ";", " "]),
    ending=st.sampled_from(["\n", "\r\n"]),
    header=st.booleans(),
    first=st.booleans(),
)
def test_what_is_written_is_read(tmp_path_factory, rows, delimiter, ending, header, first):
    rows = [*rows, (0.0, 0.0, True), (0.0, 0.0, False)]
    path = tmp_path_factory.mktemp("round") / "data.txt"
    lines = [["class", "u", "v"]] if header else []
    lines += [["yes" if sign else "no", repr(a), repr(b)] for a, b, sign in rows]
    ordered = lines if first else [line[1:] + line[:1] for line in lines]
    path.write_bytes("".join(delimiter.join(line) + ending for line in ordered).encode())
    data = read(path, label="first" if first else "last")
    np.testing.assert_array_equal(data.X, [row[:2] for row in rows])
    np.testing.assert_array_equal(data.y, [1.0 if row[2] else -1.0 for row in rows])
    assert data.features == (("u", "v") if header else ())


@examples(60)
@given(
    words=st.lists(st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1), min_size=2)
)
def test_strings_written_by_csv_are_read(tmp_path_factory, words):
    import csv

    path = tmp_path_factory.mktemp("words") / "data.csv"
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream, quoting=csv.QUOTE_ALL)
        writer.writerows([word, k % 2] for k, word in enumerate(words))
    assert read(path, strings=0).X.tolist() == words
