"""Reading data sets of two classes: formats of text, headers, labels, missing cells, scaling."""

import hashlib
from typing import Any

import numpy as np
import pytest
from effort import examples
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import radprog as rp
from radprog.instances.dataset import read
from radprog.instances.sparse import read_linear

SAME = {"X": [[1, 2.5], [3, -4e-7], [0.5, 6]], "y": [-1, 1, 1]}
ROWS = "size,colour,answer\n1.5,red,no\n2,blue,yes\n0.5,red,no\n3,green,yes\n"
X = [[1.5, 0, 0, 1], [2, 1, 0, 0], [0.5, 0, 0, 1], [3, 0, 1, 0]]
NAMES = ("size", "colour=blue", "colour=green", "colour=red")
GERMAN = ROWS.replace(",", ";").replace(".", ",")
LEVELS = {1: ("blue", "green", "red")}
WHOLE = {"X": X, "features": NAMES, "levels": LEVELS, "lines": [2, 3, 4, 5]}
HOLES = ROWS.replace("2,blue", "2,")
MIXED_TEXTS = "a,b,y\nTrue,1,no\nmaybe,2,yes\nFalse,3,no\n"
PLACES = "a,b,c\n7,8,0.25\n9,6,0.5\n"
GAPS = "a,b,class\n,1,0\n?,2,1\nNA,3,0\nnan,4,1\nNaN,5,0\n 2 ,6,1\n4,7,0\n"
LEFT = "a,w,class\n1,0,0\n2,1,1\n\n?,1,0\n4,2,0\n"
DIGITS = np.random.default_rng(0).normal(size=(200, 3)) * 10.0 ** np.arange(-140, 141, 140)
ARFF = """% about the data
@RELATION made_up

@ATTRIBUTE 'blood pressure' NUMERIC
@attribute age real
@attribute level {0,1,2}
@attribute class {'no way', yes}

@DATA
% a comment
1.5, 20, 0, yes
?,30,2,'no way'

2.5,?,1,yes
"""
UCR = "2\t0.5\t1.5\t-1\n1\t1\t2\t3\n2\t0\t0\t1\n"
SERIES = {"X": [[0.5, 1.5, -1], [1, 2, 3], [0, 0, 1]], "labels": ("1", "2"), "y": [1, -1, 1]}
SERIES |= {"kind": "series", "columns": 3, "lines": [1, 2, 3]}
TS = "# a comment\n@problemName Two\n@timeStamps false\n@univariate true\n@equalLength true\n"
HEAD = TS + "@classLabel true left right\n@data\n"
PRICES = "a,b,price\n1,2,3.5\n2,0,-1e-1\n4,1,7\n"
SPARSE = [[2.5, 0, 0, 1], [0, -1, 0, 0], [0, 0, 0, 3]]
READERS = {"table": rp.read, "series": rp.read_series, "numbers": rp.read_regression}
READERS |= {"partly": rp.read_partly_labelled, "sparse": read_linear}
#: By kind and suffix: content, options, what of the data is what.
READ: dict[str, list[Any]] = {
    "table.csv": [
        *(("1,2.5,-1\n3,-4e-7,1\n0.5,6,1".replace(",", between), {}, SAME | {"lines": [1, 2, 3]})
          for between in (",", "\t", ";", " ", "   ", ", ", " ; ")),
        *((text, {}, SAME | {"features": features}) for text, features in [
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
        ]),
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
        *((ROWS, {"categorical": columns}, WHOLE) for columns in ("colour", "1", "auto")),
        *((GERMAN.replace(";", between), {"categorical": "auto", "decimal": ","}, WHOLE)
          for between in (";", "\t", " ")),
        (HOLES, {"categorical": "auto", "missing": "drop"}, {"lines": [2, 4, 5]}),
        (HOLES, {"categorical": "auto", "missing": "mean"},
         {"X": [[1.5, 0, 1], [2, 1 / 3, 2 / 3], [0.5, 0, 1], [3, 1, 0]],
          "warnings": ("1 missing cell filled with training means",)}),
        # numbers can be levels in one spelling, marks of missing cells are none
        ("a,b\n10,x\n9,y\n10.0,x\n", {"categorical": "a"},
         {"X": [[0, 1], [1, 0], [0, 1]], "features": ("a=9", "a=10")}),
        *((f"c,y\nred,0\n{mark},1\nblue,1\nnone,0\n", {"categorical": "c", "missing": "drop"},
           {"levels": {0: ("blue", "none", "red")}, "rows": 3})
          for mark in ("N/A", "n/a", "None", "null", "NULL")),
        # texts alone have no header
        ("s,t,y\ns,u,n\nr,t,n\nr,u,y\n", {"categorical": "auto"}, {"rows": 4, "features": ()}),
        ("y,s,t\nn,s,u\nn,r,t\n", {"categorical": "auto", "label": "first"}, {"rows": 3}),
        # decimal commas show themselves by another number of places, or a 0
        *((f"a;y\n{first};0\n{second};1\n", {"decimal": ","}, {"X": values})
          for first, second, values in (("1,968", "0,861", [[1.968], [0.861]]),
          ("1,5", "861", [[1.5], [861]]), ("1,968", "2,5", [[1.968], [2.5]]))),
        # truth values beside other texts, or named, are levels
        (MIXED_TEXTS, {"categorical": "auto"}, {"features": ("a=False", "a=True", "a=maybe", "b")}),
        (MIXED_TEXTS.replace("maybe", "True"), {"categorical": "a"},
         {"features": ("a=False", "a=True", "b")}),
        # a first row of truth values holds no names, but above numbers
        ("True,False,y\n1,0,no\n0,1,yes\n", {}, {"features": ("True", "False")}),
        ("True,False,no\nFalse,False,yes\nTrue,True,no\n", {}, {"X": [[1, 0], [0, 0], [1, 1]]}),
        # the label may stand anywhere
        *((PLACES, {"label": label}, {"X": [[8, 0.25], [6, 0.5]], "y": [-1, 1]})
          for label in ("first", "0", 0, "a")),
        *((PLACES, {"label": label}, {"y": [1, -1], "features": ("a", "c")})
          for label in ("b", 1)),
        ("1,2\n3,4\n", {"label": "none"}, {"X": [[1, 2], [3, 4]], "y": None}),
        # two labels of any kind are mapped in order; one may be chosen
        *(("\n".join(f"{k},{label}" for k, label in enumerate(written)), {},
           {"labels": names, "y": signs}) for written, names, signs in [
            (["10", "9", "9"], ("9", "10"), [1, -1, -1]),
            (["1.0", "2", "+1"], ("1.0", "2"), [-1, 1, -1]),
            (["-1", "1", "1e0"], ("-1", "1"), [-1, 1, 1]),
            (["0.10", "-0", "0"], ("-0", "0.10"), [1, -1, -1]),
            (["7", "007", "7.0"], ("007", "7"), [1, -1, 1]),
            (["b", "a", "b"], ("a", "b"), [1, -1, 1]),
            (["10", "x", "10"], ("10", "x"), [-1, 1, -1]),
            ([" yes", "no ", "yes"], ("no", "yes"), [1, -1, 1]),
            (["True", "False", "True"], ("False", "True"), [1, -1, 1]),
        ]),
        *(("0,1\n0,2\n", {"positive": chosen}, {"y": signs, "labels": labels})
          for chosen, signs, labels in (("1", [1, -1], ("2", "1")), ("1.0", [1, -1], ("2", "1")),
                                        (2, [-1, 1], ("1", "2")))),
        # rows of data are no header
        *((text, {}, {"rows": text.count("\n"), "header": "none, row 1 is data"}) for text in (
            "0,1\n" + "1,0\n0,1\n" * 6, "0,1,1\n" + "1,0,0\n0,1,1\n" * 6, "0,1,x\n2,3,y\n",
            "0,1,2\n" + "1,0,1\n0,1,2\n" * 6, "0.5,1,0\n" + "3,4,1\n2,3,0\n" * 6)),
        # rows that are left out, cells that are filled
        (LEFT, {"missing": "drop", "weights": "w"}, {"lines": [3, 6], "left_out": (2, 5)}),
        (GAPS, {"missing": "drop"},
         {"X": [[2, 6], [4, 7]], "lines": [7, 8], "left_out": (2, 3, 4, 5, 6),
          "warnings": ("5 rows with missing cells dropped",)}),
        (GAPS, {"missing": "mean"},
         {"X": [[3, 1], [3, 2], [3, 3], [3, 4], [3, 5], [2, 6], [4, 7]],
          "warnings": ("5 missing cells filled with training means",)}),
        # numbers to their last digit
        ("".join(f"{a!r},{b!r},{c!r},{k % 2}\n" for k, (a, b, c) in enumerate(DIGITS.tolist())), {},
         {"X": DIGITS.tolist()}),
        ("9007199254740993,123456789012345678901,1\n3,4,0\n", {},
         {"X": [[2.0**53, 123456789012345678901.0], [3, 4]]}),
    ],
    "table.svm": [
        ("1 1:1 2:nan\n-1 2:4\n", {"label": "none", "missing": "mean"}, {"X": [[1, 4], [0, 4]]}),
    ],
    **{f"table.{suffix}": [
        (ARFF, {"missing": "mean"},
         {"X": [[1.5, 20, 0], [2, 30, 2], [2.5, 25, 1]], "labels": ("no way", "yes"),
          "features": ("blood pressure", "age", "level"), "y": [1, -1, 1], "lines": [11, 12, 14]}),
    ] for suffix in ("arff", "txt")},
    "numbers.csv": [
        (PRICES, {}, {"target": [3.5, -0.1, 7.0], "features": ("a", "b"), "lines": [2, 3, 4]}),
        (PRICES, {"scale": "minmax"}, {"X": [[0, 1], [1 / 3, 0], [1, 0.5]]}),
        (PRICES, {"label": "first"}, {"target": [1.0, 2.0, 4.0]}),
        (PRICES, {"label": "b"}, {"target": [2.0, 0.0, 1.0]}),
        ("1,?,3\n3,4,5\n5,8,6\n", {"missing": "drop"},
         {"target": [5.0, 6.0], "warnings": ("1 row with missing cells dropped",)}),
        ("1,?,3\n3,4,5\n5,8,6\n", {"missing": "mean"}, {"X": [[1, 6], [3, 4], [5, 8]]}),
    ],
    "partly.csv": [
        ("1,2,b\n2,3,a\n3,1,\n4,4,?\n5,0,c\n0,1,a\n", {},
         {"labels": ("a", "b", "c"), "codes": [1, 0, -1, -1, 2, 0], "rows": 6, "columns": 2,
          "n_classes": 3, "known": [True, True, False, False, True, True]}),
    ],
    "sparse.svm": [
        ("1 1:2.5 4:1\n-1 2:-1\n1 4:3 # a comment\n", {},
         {"X": SPARSE, "features": ("1", "2", "3", "4"), "target": None, "y": [1, -1, 1]}),
        ("0.5 1:2.5 4:1\n1.5 2:-1\n-2 4:3\n", {}, {"X": SPARSE, "targets": [0.5, 1.5, -2]}),
    ],
    "series.tsv": [
        (UCR, {}, SERIES),
        (UCR, {"positive": 1}, {"y": [-1, 1, -1]}),
        # two classes are two classes anyway; options of tables, unused
        (UCR, {"one_vs_rest": True, "scale": "none", "missing": "error", "strings": None},
         {"classes": (), "targets": [1, -1, 1]}),
        (UCR + "7\t1\t1\t1\n", {"one_vs_rest": True},
         {"labels": ("1", "2", "7"), "classes": ("2", "1", "2", "7")}),
    ],
    "series.txt": [
        ("  2.0000000e+00  5e-1  1.5 -1\n 1.0000000e+00 1 2 3\n  2.0 0 0 1\n", {},
         SERIES | {"labels": ("1.0000000e+00", "2.0000000e+00")}),
    ],
    "series.csv": [
        ("2,0.5,1.5,-1\r\n1,1,2,3\r\n2,0,0,1", {}, SERIES),
        ("0,1,x\n2,3,y\n", {"label": "last"}, {"labels": ("x", "y")}),
        ("0,1,x\n2,3,y\n", {"label": 2}, {"labels": ("x", "y")}),
        ("0,1\n2,3\n", {"label": "none"}, {"y": None}),
    ],
    "series.ts": [
        (HEAD + "0.5,1.5,-1:right\n1,2,3:left\n", {},
         {"X": [[0.5, 1.5, -1], [1, 2, 3]], "labels": ("left", "right"), "lines": [8, 9]}),
        (HEAD + "0.5,1.5,-1:right\n1,2,3:left\n", {"label": "none"}, {"y": None}),
        (TS + "@classLabel false\n@data\n0.5,1.5,-1\n1,2,3\n", {}, {"y": None}),
    ],
}  # fmt: skip


@pytest.mark.cases(200)
@pytest.mark.parametrize(
    ("name", "text", "options", "expected"),
    [(name, *case) for name, cases in READ.items() for case in cases],
)
def test_what_is_read_of_a_text(file, name, text, options, expected):
    data = READERS[name.partition(".")[0]](file(text, name), **options)
    found = {key: getattr(data, key) for key in expected}
    found |= {key: v.toarray() for key, v in found.items() if sparse.issparse(v)}
    assert {k: v.tolist() if isinstance(v, np.ndarray) else v for k, v in found.items()} == expected
    assert options.get("strings") is None or data.X.dtype.kind == "U"
    assert data.name == name


def test_the_hash_is_that_of_the_file(file):
    content = b"a,b,class\n1,2,yes\n?,4,no\n5,7,no\n"
    assert read(file(content), missing="mean").sha256 == hashlib.sha256(content).hexdigest()


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
