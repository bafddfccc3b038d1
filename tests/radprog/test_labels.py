"""A label stays what it is: of its type from Python and Parquet, as it is written from a text file,
also where it looks like another label, a number or a truth value."""

import pickle
import re
from decimal import Decimal
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from small_files import write_csv
from written import result_in, rows_in

import radprog as rp
from radprog import estimators

TEXTS = [
    *("7", "7.0", "+7", "007", "07", "7.", "7e0", "0.7e1", "\u0667", "7_0", "70", "0x7"),
    *("0", "-0", "00", "0.0", "False", "false", "1", "1.0", "01", "1e0", "True", "true", "TRUE"),
    *("1000", "1e3", "1E3", "1000.0", "9007199254740993", "9007199254740992", "inf", "Infinity"),
    *("a", "A", "no", "yes", "-1", "+1", "1;2", "1.50", "1.5", "t\u00e9", "-.5", "-0.5"),
]
TYPED = {
    "str": [*TEXTS, " 7", "7 ", "a\0", "NA", "?", "nan", "None", "null", "n/a"],
    "int": [0, 1, -1, 7, 10, 1000, 2**53, 2**53 + 1, -(2**62)],
    "float": [0.0, 1.0, -1.0, 7.0, 0.5, 1e3, 1e-5, 0.1, 1e15],
    "bool": [False, True],
    "int8": list(np.array([-128, 0, 1, 7, 127], dtype=np.int8)),
    "uint64": list(np.array([0, 1, 2**63, 2**63 + 1, 2**64 - 1], dtype=np.uint64)),
    "float32": list(np.array([0.1, 0.5, 1.0, -7.0], dtype=np.float32)),
}
SPECS = (rp.VKR(kernels="poly:1"), rp.SVM(kernels="linear"), rp.L1Linear(beta=1e-3), rp.MKL())
ESTIMATORS = {
    "VKRClassifier": {"kernels": "poly:1"},
    "SparseHingeClassifier": {"beta": 1e-3},
    "L1SVMClassifier": {"beta": 1e-3},
    "SimilarityClassifier": {},
    "LocalMKLClassifier": {},
    "DiscriminativeLabelPropagation": {},
}


def drawn(seed: int, labels: list, fewest: int = 2):
    """Rows in clusters, one for each of two or three labels, and the numbers of their labels."""
    rng = np.random.default_rng(seed)
    k = min(int(rng.integers(fewest, 4)), len(labels))
    chosen = [labels[i] for i in rng.permutation(len(labels))[:k]]
    codes = rng.permutation(np.arange(12) % k)
    return np.eye(3)[codes] + 0.01 * rng.normal(size=(12, 3)), codes, chosen, rng


def copied(fitted):
    """It went through a pickle, as to another process."""
    return pickle.loads(pickle.dumps(fitted))  # noqa: S301


def check(found, y) -> None:
    """Predictions are the labels, each of its type."""
    assert found.tolist() == list(y)
    assert {type(label) for label in found.tolist()} == {type(label) for label in y}


def check_saved(radprog, X, y, written=str) -> None:
    """The saved fits f.json and f.npz predict the labels, also on the command line."""
    write_csv("rows.csv", X)
    for name in ("f.json", "f.npz"):
        saved = rp.load_fit(name)
        check(saved.predict(X), y)
        check(copied(saved).predict(X), y)
        radprog.ok("predict", name, "rows.csv --label none -o o.csv")
        assert [row["label"] for row in rows_in()] == [written(label) for label in y]


def plain(label: object) -> str:
    """A label as the command line writes it."""
    return str(label).removesuffix(".0") if isinstance(label, float) else str(label)


@pytest.mark.cases(24)
@pytest.mark.parametrize("seed", range(240))
@pytest.mark.parametrize("kind", TYPED)
def test_labels_from_python_stay_what_they_are(radprog, empty, kind, seed) -> None:
    X, codes, chosen, rng = drawn(seed, TYPED[kind])
    as_objects = kind == "str" and ("a\0" in chosen or rng.random() < 0.3)
    y = np.array(chosen, dtype=object if as_objects else None)[codes]
    values = y.tolist()
    # an estimator, which takes y as scikit-learn does; floats only where they are whole
    name = str(rng.choice(list(ESTIMATORS)))
    whole = kind[:5] != "float" or all(float(label).is_integer() for label in chosen)
    unknown = name == "DiscriminativeLabelPropagation" and {-1, "-1"} & set(values)
    if whole and not unknown:
        model = getattr(estimators, name)(**ESTIMATORS[name]).fit(X, y)
        check(model.predict(X), values)
        check(copied(model).predict(X), values)
        check(model.run_.predict(X), values)
        for path in ("f.json", "f.npz"):
            model.save_fit(path)
        check_saved(radprog, X, values, plain)
    # data of arrays and frames
    spec = SPECS[int(rng.integers(len(SPECS)))]
    given = [y, values, pd.Series(y), pd.Series(y, dtype=object)][int(rng.integers(4))]
    if spec.model_name == "l1linear" and rng.random() < 0.5:
        data = rp.sparse_data(csr_array(X), given, one_vs_rest=True)
    else:
        points = pd.DataFrame(X, columns=list("abc")) if rng.random() < 0.5 else X
        data = rp.dataset(points, given, one_vs_rest=True)
    assert [data.labels[k] for k in data.codes] == list(map(plain, values))
    run = rp.fit(spec, data)
    check(run.predict(data), values)
    check(copied(run).predict(data), values)
    rp.save_run(run, data, "r.json")
    assert set(result_in()["data"]["labels"].values()) == set(map(plain, values))
    if data.kind != "sparse":
        for path in ("f.json", "f.npz"):
            rp.save_fit(run, data, path)
        check_saved(radprog, X, values, plain)
    # rows with labels are compared with them
    if not any(str(label) != str(label).strip("\0 ") for label in chosen):
        write_csv("new.csv", X, list(map(plain, values)))
        if data.kind != "sparse":
            assert "0 of 12 rows wrong" in radprog.ok("predict f.json new.csv -o o.csv").err


def number_of(text: str) -> object:
    """What a label in a text file means: a number, unless it has leading zeros."""
    if re.fullmatch(r"(?a:[+-]?(0|[1-9]\d*)?(\.\d*)?([eE][+-]?\d+)?)", text):
        return Decimal(text)
    return text


@pytest.mark.cases(60)
@pytest.mark.parametrize("seed", range(600))
def test_labels_of_a_file_are_as_they_are_written_there(radprog, empty, seed) -> None:
    # each label in several spellings
    X, codes, chosen, rng = drawn(seed, list({number_of(text): text for text in TEXTS}.values()))
    spelled = [[t for t in TEXTS if number_of(t) == number_of(text)] for text in chosen]
    texts = [str(rng.choice(spelled[k])) for k in codes]
    first = {k: texts[codes.tolist().index(k)] for k in codes.tolist()}
    expected = [first[k] for k in codes.tolist()]
    sparse = all(re.fullmatch(r"(?a:[-+.\de]+)", text) for text in texts)
    form = str(rng.choice(["csv", "tsv", "arff", *["svm"] * sparse]))
    if form == "svm":
        rows = [" ".join(f"{j}:{x!r}" for j, x in enumerate(row, 1)) for row in X.tolist()]
        Path("d.svm").write_text("".join(f"{t} {r}\n" for t, r in zip(texts, rows, strict=True)))
    else:
        write_csv(
            f"d.{form}",
            X,
            texts,
            head="" if form == "arff" else "\t".join("abcy") if form == "tsv" else "a,b,c,y",
        )
    if form == "arff":
        head = "@relation r\n" + "".join(f"@attribute {c} numeric\n" for c in "abc")
        Path("d.arff").write_text(
            f"{head}@attribute y {{{','.join(set(texts))}}}\n@data\n{Path('d.arff').read_text()}"
        )
    spec = SPECS[int(rng.integers(len(SPECS)))]
    data = rp.read(f"d.{form}", one_vs_rest=True)
    run = rp.fit(spec, data)
    check(run.predict(data.X), expected)
    name = spec.model_name
    several = " --one-vs-rest" * (name in ("vkr", "l1linear", "svm"))
    options = {"vkr": " --kernels poly:1", "svm": " --kernels linear", "l1linear": " --beta 1e-3"}
    radprog.ok(
        f"solve {name} d.{form} --save f.json --json r.json" + options.get(name, "") + several
    )
    assert set(result_in()["data"]["labels"].values()) == set(expected)
    assert "0 of 12 rows wrong" in radprog.ok(f"predict f.json d.{form} -o o.csv").err
    assert [row["label"] for row in rows_in()] == expected


@pytest.mark.cases(24)
@pytest.mark.parametrize("seed", range(120))
@pytest.mark.parametrize("kind", ["str", "int", "float", "bool"])
def test_labels_of_parquet_stay_what_they_are(radprog, empty, kind, seed) -> None:
    X, codes, chosen, _ = drawn(
        seed, [x for x in TYPED[kind] if not isinstance(x, int) or abs(x) < 2**53]
    )
    y = np.array(chosen, dtype=object if kind == "str" else None)[codes]
    pd.DataFrame(X, columns=list("abc")).assign(y=y).to_parquet("d.parquet")
    data = rp.read("d.parquet", one_vs_rest=True)
    run = rp.fit(rp.VKR(kernels="poly:1"), data)
    check(run.predict(X), y.tolist())
    for path in ("f.json", "f.npz"):
        rp.save_fit(run, data, path)
    check_saved(radprog, X, y.tolist(), plain)
    assert "0 of 12 rows wrong" in radprog.ok("predict f.json d.parquet -o o.csv").err


@pytest.mark.parametrize(
    ("labels", "kind"), [([True, False], "bool"), ([1, 0], "int"), (["yes", "no"], "str")]
)
def test_nulls_of_parquet_leave_the_type_of_labels(empty, labels, kind) -> None:
    y = pd.Series([*labels, None] * 4, dtype=object)
    pd.DataFrame({"a": np.arange(12.0), "y": y}).to_parquet("d.parquet")
    data = rp.read_partly_labelled("d.parquet")
    assert (data.label_type, data.codes[:3].tolist()) == (kind, [1, 0, -1])
    with pytest.raises(rp.DataError, match="row 3: the label is missing"):
        rp.read("d.parquet")


@pytest.mark.parametrize(
    "y", [["1", 1], ["a", True], [b"a", b"b"], [(1,), (2,)], [[1], {}], [Decimal(1), Decimal(2)]]
)
def test_labels_of_several_or_other_types_are_refused(y) -> None:
    with pytest.raises(rp.DataError, match=r"labels of type .*, expected one type"):
        rp.dataset(np.eye(2), np.fromiter(y, dtype=object))
