"""Files and options that cannot be used: one clear line that names file, row and column."""

import pickle
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from refusals import refused

import radprog as rp
from radprog.instances.dataset import read_mkl

FIFTY = "".join(f"0,{k}\n" for k in range(50))
HEAD = "@relation r\n@attribute a numeric\n@attribute b {0,1}\n@attribute c {x,y}\n@data\n"
DATE = "@relation r\n@attribute a date 'yyyy'\n@attribute c {x,y}\n@data\n1999,x\n"
TWICE = "@relation r\n@attribute a real\n@attribute a real\n@data\n1,2\n"
TS = "# a comment\n@timeStamps false\n@classLabel true left right\n@data\n"
TWO = "0.5,1.5,-1:right\n"
LEVELS = "size,colour,answer\n1.5,red,no\n2,blue,yes\n0.5,red,no\n3,green,yes\n"
NAMES = "name,y\n" + "".join(f"n{i},{i % 2}\n" for i in range(1001))
BINARY = (b"1,2\n\x00\x01,4\n", b"\x89PNG\r\n\x1a\n\x00\x00", pickle.dumps(np.ones(3)))
#: By suffix: content, what is asked for, words of the message.
CASES: dict[str, list[tuple[str | bytes, dict[str, Any], str]]] = {
    "csv": [
        *((empty, {}, "empty") for empty in (b"", b"\n \n\t\n")),
        *((binary, {}, "binary") for binary in BINARY),
        ("a,b,c\n1,2,0\n3,1\n", {}, ", row 3: 2 cells, expected 3 as in row 1"),
        ("1 2 0\n\n3 1 4 1\n", {}, ", row 3: 4 cells, expected 3 as in row 1"),
        ('1,2,0\n"3,4,1\n5,6,1\n', {}, ", row 2: cannot be split into cells"),
        ('1,2,0\n\n3,"4"4,1\n', {}, ", row 3: cannot be split into cells"),
        ('1,"2\n",0\n3,4\n', {}, ", row 3: 2 cells, expected 3 as in row 1"),
        ("1,2,0\n?,2,0\n1,x,1\n", {"missing": "drop"}, "row 3, column 1: got 'x'"),
        ("1,2,0\n#DIV/0!,4,1\n5,6,1\n", {}, "row 2, column 0: got '#DIV/0!'"),
        ("1,2,0\n#N/A,4,1\n5,6,1\n", {}, ", row 2, column 0: the cell is missing"),
        ("1 2 0\n #n/a 4 1\n5 6 1\n", {}, ", row 2, column 0: the cell is missing"),
        ("1,2,0\n3,nan,1\n", {}, ", row 2, column 1: the cell is missing (1 in 1 rows)"),
        ("1,2,0\n3,nan,1\n", {}, "missing='drop'"),
        *(
            (f"1,2,0\n3,{cell},1\n", {"missing": way}, ", row 2, column 1: the cell is infinite")
            for cell in ("inf", "-Infinity", "1e999")
            for way in ("error", "drop", "mean")
        ),
        *(
            (f"u;v;w\n1;2;0\n3;{cell};1\n", {}, f", row 3, column 1 ('v'): got '{cell}', expected "
             "a number; `categorical` makes features of text columns")
            for cell in ("abc", "True", "1_0", "1,5", "0x1", "--1", "1 2")
        ),
        *(
            (f"1,0\n2,{mark}\n3,1\n", {"missing": missing}, ", row 2: the label is missing")
            for mark in ("", "?", "NA", "nan")
            for missing in ("drop", "mean", "error")
        ),
        ("abc,1\n,2\nabd,2\n", {"strings": 0}, "row 2: the cell is missing"),
        ("1,1\n2,1.0\n", {}, "one class in the label column, expected two: '1' 2 times"),
        ("1,0\n2,0\n?,1\n", {"missing": "drop"}, "one class"),
        ("0,a\n0,b\n0,a\n0,c\n", {}, "3 classes"),
        ("0,a\n0,b\n0,a\n0,c\n", {}, "'a' 2 times, first in row 1; 'b' 1 times, first in row 2; "),
        (FIFTY, {}, "50 classes"),
        (FIFTY, {}, "; ..."),
        ("0,1\n0,2\n", {"positive": 3}, "positive '3': expected one of two classes, here 1, 2"),
        ("1,2,0\n3,4,1\n", {"label": "3"}, "label column '3' is not one of the 3 columns"),
        ("1,2,0\n3,4,1\n", {"label": "-1"}, "label column '-1' is not one"),
        ("1,2,0\n3,4,1\n", {"label": 7}, "an index from 0 to 2"),
        ("a,b\n1,0\n2,1\n", {"label": "kind"}, "'kind' is not one of the 2 columns (a, b)"),
        ("a,0\nb,1\n", {"strings": 5}, "strings column '5' is not one of"),
        ("u,v,c\n1,2,x\n3,1e200,y\n", {}, ", row 3, column 1 ('v'): 1e+200 is too"),
        # columns of texts, decimal commas
        (LEVELS, {"categorical": "answer"}, "a column is given twice, or holds the labels"),
        (LEVELS, {"categorical": "price"}, "categorical column 'price' is not one of the 3"),
        (LEVELS, {"categorical": "7"}, "categorical column '7' is not one of"),
        (LEVELS, {"categorical": "colour,1"}, "a column is given twice"),
        (LEVELS, {"categorical": "auto", "strings": "colour"}, "has no meaning for strings"),
        (LEVELS.replace("0.5,red", "0.5,"), {"categorical": "auto"}, "is missing (1 in 1 rows)"),
        (NAMES, {"categorical": "auto"}, "1001 levels in 1001 rows"),
        *(
            (f"c,y\nred,0\n{mark},1\nblue,1\nnone,0\n", {"categorical": "c"}, "cell")
            for mark in ("N/A", "n/a", "None", "null", "NULL")
        ),
        ("a,b,y\nTrue,1,no\nmaybe,2,yes\nFalse,3,no\n", {}, "'True', expected a number"),
        ("1,5;2\n3.5;1\n", {"decimal": ","}, "column 0: got '3.5', expected a decimal comma"),
        ("1.234,5;2\n1;1\n", {"decimal": ","}, "column 0: got '1.234,5', expected a number"),
        ("1,5\n2,1\n", {"decimal": ","}, "one cell a row, expected tabs, semicolons or blanks"),
        ("1,5;a\n2;b\n", {}, "got '1,5', expected a number; `categorical` makes"),
        ("1;a\n2;b\n", {"decimal": "'"}, "decimal ''': expected one of"),
        ("a;y\n1,968;0\n861;1\n", {"decimal": ","}, "'1,968' beside '861' is either 1.968"),
        ("a;y\n1,968;0\n-12,500;1\n7;0\n", {"decimal": ","}, "'1,968' beside '7' is either 1.968"),
        # headers
        ("a,b,c\n1,2,0\n3,5,1\n", {"label": "c", "header": "no"}, "but a column is called by its"),
        ("a,b,c\n1,2,0\n3,5,1\n", {"header": "maybe"}, "header 'maybe': expected one of auto, yes"),
        ("3,abc,1\n" + "3,4,0\n5,6,1\n" * 6, {}, "got 'abc', expected a number"),
    ],
    "numbers.csv": [
        ("1,2,3\n3,1e200,4\n", {}, ", row 2, column 1: 1e+200 is too"),
        ("1,2,3\n3,1,-1e151\n", {}, "csv, row 2, target: -1e+151 is too"),
        ("1,?,3\n3,4,5\n5,8,6\n", {"missing": "zero"}, "zero"),
        ("1,?,3\n3,4,5\n5,8,6\n", {"scale": "log"}, "log"),
    ],
    "partly.csv": [
        ("1,2,x\n3,-1e151,\n", {}, ", row 2, column 1: -1e+151 is too"),
        ("1,2,a\n3,red,b\n", {}, "row 2, column 1: got 'red', expected a number"),
        ("1,2,a\n?,2,b\n", {}, "row 2, column 0: the cell is missing"),
    ],
    "views.csv": [("1,2,x\n3,1e200,y\n", {}, ", row 2, column 1: 1e+200 is too")],
    "svm": [
        ("", {}, "empty"),
        ("1 1:2\n\n-1 1:y\n", {}, ", row 3: got '-1 1:y'"),
        ("# c\n1 1:2 # c\n2:3 1:1\n", {}, ", row 3: got"),
        ("1 1:1_0\n", {}, ", row 1: got"),
        ("1 1:3\n-1 1:inf\n", {}, ", row 2, column 1 ('1'): the cell is infinite"),
        ("1 1:1 2:nan\n-1 2:4\n", {}, ", row 1, column 2 ('2'): the cell is missing"),
        ("1 1:1\n-1 2000000000:1\n", {}, ": 2 rows up to feature index 2000000000 are too many"),
        ("1 1:2\n-1 1:3\n", {"label": "3"}, "begins with its label"),
        ("1 1:2\n-1 1:3\n", {"strings": "0"}, "strings"),
        ("1 1:2\n0 1:3\n", {"categorical": "auto"}, "svmlight has no categorical 'auto'"),
        ("1 1:2\n-1 1:3\n", {"header": "no"}, "svmlight has no header 'no'"),
    ],
    "arff": [
        (b"\n \n\t\n", {}, "empty"),
        (HEAD + "1,0,x\n2,1\n", {}, ", row 7: 2 cells, expected 3"),
        (HEAD + "1,0,x,7\n2,1,y,7\n", {}, ", row 6: 4 cells, expected 3 as declared"),
        (HEAD + "1,0,x\nq,1,y\n", {}, ", row 7, column 0 ('a'): got 'q'"),
        (HEAD + "1,0,x\n?,1,y\n", {}, ", row 7, column 0 ('a'): the cell is missing"),
        (HEAD + "1,0,x\n2,1,z\n", {}, ", row 7, column 2 ('c'): got 'z', expected one of x, y"),
        ("@relation r\n@attribute a numeric\n", {}, ": no @data line"),
        (DATE, {}, ", row 2: the ARFF declarations"),
        ("@relation r\n@attribute a\n@data\n1\n", {}, ", row 2: the ARFF declarations"),
        (TWICE, {}, ", row 3: the ARFF decl"),
        ("@relation r\n@attribute a numeric\n@data\n1\n", {"decimal": ","}, "has no decimal"),
    ],
    "tsv": [
        ("x\t1\t2\ny\t3\t1e200\n", {}, "tsv, row 2, entry [1] of it: 1e+200 is too"),
        ("1\t1\tNaN\n2\t3\t4\n", {}, "row 1, column 2: the value is missing"),
        ("1\t1\tinf\n2\t3\t4\n", {}, "infinite"),
        ("1\t1\t2\n2\t3\n", {}, "row 2: 2 cells, expected 3"),
        ("1\t1\tx\n2\t3\t4\n", {}, "got 'x'"),
        ("1\t1\t2\n1\t3\t4\n", {}, "one class"),
        ("1\t1\t2\n2\t3\t4\n3\t3\t4\n", {}, "choose `one_vs_rest`"),
        ("\t1\t2\n2\t3\t4\n", {}, "the label is missing"),
        ("1\t2\n2\t3\n7\t1\n", {"one_vs_rest": True, "positive": 7}, "expected one of two classes"),
        ("1\t2\n2\t3\n", {"label": "none", "positive": 1}, "no meaning without labels"),
        *(
            ("1\t2\n2\t3\n", {name: value}, "has no meaning for series")
            for name, value in (("scale", "unit"), ("missing", "drop"), ("strings", "0"))
        ),
    ],
    "ts": [
        (TS.replace("@data\n", "") + TWO, {}, "row 4: '0.5,1.5,-1:right' before the line @data"),
        (TS.replace("@data\n", "@\n") + TWO, {}, "row 5: '0.5,1.5,-1:right' before the line @data"),
        (TS.replace("false", "true") + TWO, {}, "time stamps are not read"),
        (TS + TWO + "1,2:left\n", {}, "row 6: 3 cells, expected 4 as in row 5"),
        (TS + TWO + "1,?,3:left\n", {}, "row 6, column 1: the value is missing"),
        (TS + TWO + "1,inf,3:left\n", {}, "row 6, column 1: the cell is infinite"),
        (TS + TWO + "1,b,3:left\n", {}, "row 6, column 1: got 'b', expected a number"),
        (TS + TWO + "1,2,3\n", {}, "row 6: 1 fields between colons, expected 2"),
        (TS + TWO + "1,2,3:?\n", {}, "row 6: the label is missing"),
        (TS.replace(" true left right", "") + TWO, {}, "row 5: 2 fields between colons"),
        (TS, {}, "no rows of data"),
        (TS + TWO + "1,2,3:left\n", {"label": 3}, "label '3' has no meaning for .ts files"),
        (TS + "1,2:3,4:left\n", {}, "several dimensions are not read"),
    ],
}  # fmt: skip


READERS: dict[str, Any] = {
    "tsv": rp.read_series,
    "ts": rp.read_series,
    "numbers.csv": rp.read_regression,
    "partly.csv": rp.read_partly_labelled,
    "views.csv": lambda path: rp.read_views([path, path]),
}


@pytest.mark.cases(200)
@pytest.mark.parametrize(
    ("suffix", "content", "given", "words"),
    [(suffix, *case) for suffix, cases in CASES.items() for case in cases],
)
def test_refused(tmp_path: Path, suffix: str, content: Any, given: Any, words: str) -> None:
    path = tmp_path / f"bad.{suffix}"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    read = READERS.get(suffix, rp.read)
    tracemalloc.start()
    with pytest.raises((rp.DataError, rp.OptionError)) as caught:
        read(path, **given)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1 << 30  # a large index of a feature takes no memory
    message = str(caught.value)
    assert "\n" not in message
    assert words in message
    if words.startswith((",", ":")):
        assert message.startswith(f"{path}{words}")


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ({"scale": "max"}, "max"),
        ({"missing": "ignore"}, "ignore"),
        ({"strings": 0, "scale": "unit"}, "strings"),
        ({"strings": 0, "missing": "mean"}, "strings"),
        ({"label": "none", "positive": "1"}, "without labels"),
    ],
)
def test_options_without_meaning_are_refused_before_the_file_is_read(tmp_path, options, word):
    refused(rp.OptionError, word, rp.read, tmp_path / "no such file", **options)


def test_paths_that_are_no_files(tmp_path):
    (tmp_path / "file").write_text("1,2\n")
    for path, words in (
        (tmp_path / "absent.csv", r"absent\.csv: no such file"),
        (tmp_path, "folder"),
        (tmp_path / "file" / "below.csv", "cannot be read"),
    ):
        refused(rp.DataError, words, rp.read, path)
    refused(rp.OptionError, "no meaning with several views", read_mkl, "a,b", categorical="auto")
