"""A run belongs to numbers: other bytes of the same numbers hold, other numbers are refused."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from refusals import refused
from scipy.sparse import csr_array

import radprog as rp
from radprog.cli import main
from radprog.telling import summary_lines

NAMES = ["one", "two", "three", "y"]


def written(X, y, *, sep=",", end="\n", digits="{!r}", names=NAMES) -> str:
    """A table as text, with its header."""
    rows = [
        [*(digits.format(float(x)) for x in row), str(label)]
        for row, label in zip(X, y, strict=True)
    ]
    return end.join(sep.join(row) for row in [names, *rows]) + end


def drawn(seed: int):
    """Rows of three features with few digits, and labels that are nearly separable."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-40, 40, size=(24, 3)) / 8.0
    X[rng.integers(24), rng.integers(3)] = 0.0
    y = np.where(X[:, 0] + 0.3 * rng.normal(size=24) > np.median(X[:, 0]), 1, -1)
    return X, y


OTHER_BYTES = {
    "line ends": {"end": "\r\n"},
    "separators": {"sep": "\t"},
    "semicolons": {"sep": ";"},
    "trailing zeros": {"digits": "{:.9f}"},
    "exponents": {"digits": "{:.17e}"},
    "header": {"names": ["a", "b", "c", "label"]},
    "signs of zero": {},
}


@pytest.mark.parametrize("scale", ["none", "standard", "minmax", "unit", "ball"])
@pytest.mark.parametrize("kind", OTHER_BYTES)
def test_other_bytes_of_the_same_numbers_hold(kind, scale, capsys, empty) -> None:
    X, y = drawn(len(kind))
    Path("a.csv").write_text(written(X, y))
    other = written(X, y, **OTHER_BYTES[kind])
    Path("b.csv").write_bytes(other.replace(",0.0,", ",-0,").encode() + b"\n" * (kind[0] == "s"))
    spec = ["vkr", "a.csv", "--kernels", "poly:1", "--scale", scale, "--test", "a.csv"]
    assert main(["solve", *spec, "--json", "run.json"]) == 0
    assert main(["check", "run.json", "b.csv", "--test", "b.csv"]) == 0
    assert capsys.readouterr().out.count("the same numbers in another file") == 2
    report = rp.check("run.json", "b.csv")
    assert (report["holds"], len(report["notes"])) == (True, 1)
    assert not rp.check("run.json", "a.csv")["notes"]
    # every other function takes the file too, and the test block of the training rows has no bound
    assert rp.bounds("run.json", "b.csv", test=None)["test"] is None
    assert rp.price("run.json", "b.csv", kernels="rbf:1")["rows"]
    assert rp.prove("run.json", "b.csv").rows == 24


def changed(data, how: str):
    """The data set of one run with other numbers, labels, weights, order or scaling."""
    raw, y = data.raw.copy(), data.y
    if how == "one last bit":
        raw[3, 1] = np.nextafter(raw[3, 1], np.inf)
    if how == "one label":
        y = np.where(np.arange(len(y)) == 5, -y, y)
    if how == "order":
        raw, y = raw[::-1], y[::-1]
    if how == "one row less":
        raw, y = raw[1:], y[1:]
    weights = np.where(np.arange(len(y)) == 2, 2.0, 1.0) if how == "weights" else None
    kind = "minmax" if how == "scaling" else data.scaler.kind
    other = rp.dataset(raw, y, scale=kind, weights=weights)
    if how == "scaling of other rows":
        scaler = replace(data.scaler, divisor=2.0 * data.scaler.divisor)
        return replace(other, X=scaler(raw), scaler=scaler)
    return other


TAKERS = {
    "check": rp.check,
    "prove": rp.prove,
    "price": lambda run, data: rp.price(run, data, kernels="rbf:1"),
    "bounds": rp.bounds,
    "report": lambda run, data: rp.report(run, data=data),
    "plot": rp.plot,
    "save_fit": lambda run, data: rp.save_fit(run, data, "fit.json"),
    "save_run": lambda run, data: rp.save_run(run, data, "run.json"),
}
CHANGES = [
    "one last bit", "one label", "order", "one row less", "weights", "scaling",
    "scaling of other rows",
]  # fmt: skip


@pytest.mark.parametrize("how", CHANGES)
@pytest.mark.parametrize("name", TAKERS)
def test_other_numbers_are_refused_by_every_function(name: str, how: str, empty: Path) -> None:
    data = rp.dataset(*drawn(0), scale="standard")
    run = rp.fit(rp.VKR(kernels="poly:1"), data)
    TAKERS[name](run, rp.dataset(*drawn(0), scale="standard", name="copy"))  # the same numbers
    with pytest.raises(rp.DataError, match="is not the data set of the run"):
        TAKERS[name](run, changed(data, how))


def wholes():
    """Settings and 36 different rows of each kind of data."""
    rng = np.random.default_rng(3)
    X = np.round(rng.normal(size=(36, 6)), 2)
    X[:, 2] = np.where(rng.uniform(size=36) < 0.3, 0.0, X[:, 2])
    y = np.where(X[:, 0] + 0.5 * rng.normal(size=36) > 0, "yes", "no")
    holes = X.copy()
    holes[::5, 4] = np.nan
    return {
        "table": (rp.SVM(), rp.dataset(X, y, scale="standard")),
        "holes": (rp.SVM(), rp.dataset(holes, y, missing="mean")),
        "three classes": (
            rp.SVM(), rp.dataset(X, [*"abc"] * 12, one_vs_rest=True)
        ),
        "sparse": (rp.L1Linear(), rp.sparse_data(csr_array(X), y)),
        "numbers": (rp.L1Linear(loss="absolute"), rp.regression_data(X, X[:, 1])),
        "partly labelled": (rp.CDSK(clusters=2), rp.partly_labelled(X, y)),
        "series": (rp.LPBoost(length=[3]), rp.series(X, y)),
        "bags": (rp.LPBoost(), rp.bags(X.reshape(36, 3, 2), y)),
        "grams": (rp.MKL(), rp.gram_set([X @ X.T, (1.0 + X @ X.T) ** 2], y)),
    }  # fmt: skip


@pytest.mark.parametrize("kind", wholes())
@pytest.mark.parametrize("shared", [0, 1, 12])
def test_a_test_set_that_shares_rows_with_the_fit_has_no_bound(kind, shared, tmp_path) -> None:
    spec, whole = wholes()[kind]
    train, test = whole.partition(np.arange(24), np.arange(24 - shared, 36 - shared)[::-1])
    run, path = rp.fit(spec, train), tmp_path / "run.json"
    rp.save_run(run, train, path, test=test)
    result = json.loads(path.read_text())
    assert result["test"]["shared_rows"] == shared
    text = "\n".join(summary_lines(result))
    said = f"{shared} of 12 test rows are also rows of the fit"
    assert (said in text, said in rp.report(path)) == (shared > 0, shared > 0)
    if "error_upper_bound" in result["test"]:
        assert (result["test"]["error_upper_bound"] is None) == (shared > 0)
        assert ("with probability 95%" in text) == (shared == 0)
        if shared:
            words = f"{shared} of 12 rows are also rows of the fit"
            refused(rp.OptionError, words, rp.bounds, run, train, test=test)
