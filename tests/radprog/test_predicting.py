"""Predictions of rows as they were given: scaled by the fit, labelled as the user did."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from refusals import refused
from sklearn.metrics import mean_pinball_loss

import radprog as rp
from radprog.decompositions.linear.fit import LinearFit
from radprog.decompositions.regression.fit import fit_svr
from radprog.decompositions.run import RunSettings

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3)) * np.array([1.0, 100.0, 0.01]) + 5.0
SIDE = X[:, 0] > 5.0


@pytest.mark.parametrize(
    ("labels", "kind"),
    [(("no", "yes"), "U"), ((0, 1), "i"), ((-1, 1), "i"), ((False, True), "b"), ((0.5, 1.5), "f")],
)
@pytest.mark.parametrize("scale", ["standard", "ball", "none"])
def test_rows_are_scaled_and_labels_are_the_users(labels: Any, kind: str, scale: str) -> None:
    y = np.array([labels[int(side)] for side in SIDE])
    data = rp.dataset(X, y, scale=scale)
    run = rp.fit(rp.VKR(kernels="poly:1-2", lam=1e-3, beta=1e-3), data)
    predicted = run.predict(X)
    assert predicted.dtype.kind == kind
    assert set(predicted) <= set(labels)
    scores = run.decision_function(X)
    np.testing.assert_array_equal(scores, run.fit.scores(data.X))
    np.testing.assert_array_equal(predicted == labels[1], scores >= 0)
    np.testing.assert_array_equal(predicted, run.predict(data))
    if scale == "standard":
        assert np.mean(predicted == y) > 0.9


@pytest.mark.parametrize(("missing", "rows"), [("mean", 60), ("drop", 58), ("error", 58)])
def test_a_fit_of_arrays_reads_files_with_gaps(radprog, tmp_path, missing, rows) -> None:
    frame = pd.DataFrame(X, columns=list("abc"))
    gaps = frame.mask(np.arange(60)[:, None] == [3, 9, -1])  # a cell of two rows
    data = rp.dataset(frame if missing == "error" else gaps, SIDE, missing=missing)
    rp.save_fit(rp.fit(rp.L1SVM(kernels="poly:1"), data), data, tmp_path / "fit.json")
    gaps.assign(kind=SIDE).to_csv(tmp_path / "gaps.csv", index=False)
    done = radprog.ok("predict", tmp_path / "fit.json", tmp_path / "gaps.csv", "-o", tmp_path / "o")
    assert len((tmp_path / "o").read_text().splitlines()) == rows + 1
    assert "2 missing cells filled" in done.err or "2 rows of" in done.err


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        (X[:, :2], r"X has shape \(60, 2\), expected \(n, 3\) numbers"),
        (X[0], r"X has shape \(3,\)"),
        (np.where(SIDE[:, None], np.nan, X), "row 1, column 0: the cell is missing"),
        (np.array(["a", "b"]), r"X has shape \(2, 1\), expected \(n, 3\) numbers"),
        (rp.regression_data(X, X[:, 0]), "expected dataset"),
    ],
)
def test_other_rows_are_refused(rows: Any, words: str) -> None:
    run = rp.fit(rp.VKR(kernels="poly:1"), rp.dataset(X, SIDE, scale="standard"))
    refused(rp.RadprogError, words, run.predict, rows)


NAMES = ["length", "width", "weight"]


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
@pytest.mark.parametrize(
    ("spec", "maker"),
    [
        (rp.L1SVM(kernels="poly:1"), rp.dataset),
        (rp.SVR(kernels="linear"), rp.regression_data),
        (rp.MKL(kernels="linear,rbf:1"), rp.dataset),
        (rp.CDSK(clusters=2), rp.partly_labelled),
        (rp.CDSK(clusters=2), rp.dataset),
    ],
    ids=["l1svm", "svr", "mkl", "cdsk", "cdsk of a dataset"],
)
def test_columns_of_a_frame_are_taken_by_their_names(frame: Any, spec: Any, maker: Any) -> None:
    rows = frame(dict(zip(NAMES, X.T, strict=True)))
    run = rp.fit(spec, maker(rows, SIDE.astype(int), scale="standard"), max_iter=2)
    np.testing.assert_array_equal(run.predict(X), run.predict(rows))
    turned = rows[NAMES[::-1]]
    for ask in (run.predict, run.decision_function, run.predictor.predict):
        np.testing.assert_array_equal(ask(X), ask(turned))
    with pytest.raises(rp.RadprogError, match="data: column 0 is 'weight', expected 'length'"):
        run.predict(maker(turned, scale="none") if maker is rp.dataset else maker(turned, SIDE))
    with pytest.raises(rp.RadprogError, match=r"2 columns given, expected 3 .*: no 'weight'"):
        run.predict(rows[NAMES[:2]])


def test_columns_of_texts_are_known_by_their_names(tmp_path: Path) -> None:
    texts = pd.DataFrame(X, columns=NAMES).assign(colour=np.where(SIDE, "red", "blue"), a=X[:, 0])
    data = rp.dataset(texts, SIDE, categorical="auto")
    assert data.given_features == tuple(texts.columns)
    run = rp.fit(rp.L1SVM(kernels="poly:1"), data)
    rp.save_fit(run, data, tmp_path / "fit.json")
    saved = rp.load_fit(tmp_path / "fit.json")
    np.testing.assert_array_equal(saved.predict(texts), run.predict(data))
    np.testing.assert_array_equal(saved.predict(texts[["a", "colour", *NAMES]]), run.predict(data))
    with pytest.raises(rp.RadprogError, match=r"4 columns given, expected 5 .* no 'length'"):
        saved.predict(texts.drop(columns="length"))
    with pytest.warns(rp.RadprogWarning, match="left out: 'b'"):
        np.testing.assert_array_equal(saved.predict(texts.assign(b=1)), run.predict(data))
    with pytest.raises(rp.RadprogError, match=r"shape \(60, 4\), expected .*\(n, 5\) with texts"):
        saved.predict(texts.drop(columns="length").to_numpy())


@pytest.mark.parametrize("ask", ["predict", "decision_function"])
def test_a_run_that_has_no_data_of_its_user_says_so(ask: str) -> None:
    data = rp.regression_data(X, X[:, 0])
    run = fit_svr(rp.SVR(A=1.0, starts=1), data, RunSettings(max_iter=1))
    refused(rp.OptionError, r"this run of svr holds no scaling .* run\.fit\.", getattr(run, ask), X)
    assert run.fit.predict(data.X).shape == (len(X),)


def test_a_quantile_has_its_share_and_its_loss(
    radprog: Any, tmp_path: Any, monkeypatch: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    y = 2.0 * X[:, 0] + RNG.normal(size=len(X))
    pd.DataFrame(X[:40], columns=list("abc")).assign(y=y[:40]).to_csv("train.csv", index=False)
    pd.DataFrame(X[40:], columns=list("abc")).assign(y=y[40:]).to_csv("new.csv", index=False)
    solve = (
        "solve l1linear train.csv --scale standard --loss quantile --quantile 0.8 --test new.csv"
    )
    done = radprog.ok(*solve.split(), "--json", "run.json", "--save", "fit.json")
    predicted = radprog.ok("predict", "fit.json", "new.csv", "-o", "out.csv")
    values = pd.read_csv("out.csv")["prediction"].to_numpy()
    loss, below = mean_pinball_loss(y[40:], values, alpha=0.8), np.mean(y[40:] <= values)
    test = json.loads(Path("run.json").read_text())["test"]
    assert (test["quantile"], test["quantile_loss"]) == (0.8, pytest.approx(loss))
    line = (
        f"{100 * below:.2f} % of 20 rows at or below the prediction (quantile 0.8), mean quantile"
    )
    for words in (done.out, predicted.err):
        assert f"{line} loss {loss:.6g}, mean absolute error {test['mae']:.6g}" in words
    # the same of the training rows
    block, own = json.loads(Path("run.json").read_text())["fit"], rp.load_fit("fit.json")
    values = own.predict(X[:40])
    assert block["quantile_loss"] == pytest.approx(mean_pinball_loss(y[:40], values, alpha=0.8))
    words = f"{100 * np.mean(y[:40] <= values):.2f} % of the rows at or below the prediction"
    assert f"{words} (quantile 0.8), mean quantile loss {block['quantile_loss']:.6g}" in done.out
    # a fit without the key of its quantile is damaged
    fit = rp.load_fit("fit.json").fit
    whole = fit.to_dict()
    np.testing.assert_array_equal(LinearFit.from_dict(whole).predict(X), fit.predict(X))
    assert whole.pop("quantile") == 0.8
    refused(rp.DataError, "not a saved fit: .*quantile", LinearFit.from_dict, whole)


def test_an_unseen_level_is_zeros_where_that_is_chosen(radprog, folder) -> None:
    """As scikit-learn's ``handle_unknown="ignore"``, with a warning that counts the rows."""
    radprog.ok("demo --files cars")
    radprog.ok("solve l1svm cars.csv --decimal , --categorical auto --save fit.json")
    text = Path("cars.csv").read_text()
    Path("new.csv").write_text(text.replace("diesel", "gas"))
    call = "predict fit.json new.csv --decimal , -o out.csv"
    assert "level 'gas'" in radprog.refused("--unseen zeros", call)
    # the other commands name the one that has the option
    solve = "solve l1svm cars.csv --decimal , --categorical auto --test new.csv"
    radprog.refused("; --unseen zeros takes such a level", solve)
    done = radprog.ok(call, "--unseen zeros")
    assert f"{text.count('diesel')} rows have zeros for levels of this column" in done.err
    data = rp.read("cars.csv", categorical="auto", decimal=",")
    new = rp.read("new.csv", like=data, unseen="zeros")
    same = new.X.toarray() if hasattr(new.X, "toarray") else new.X
    # the message of Python names a parameter that predict has
    saved, run = rp.load_fit("fit.json"), rp.fit(rp.L1SVM(), data)
    names = [name.partition("=")[0] for name in data.features]
    frame = pd.DataFrame({name: ["gas"] if name == "fuel" else [1.0] for name in names})
    for fit in (saved, run):
        with pytest.raises(rp.DataError, match="`unseen='zeros'` takes such a level"):
            fit.predict(frame)
        with pytest.warns(rp.RadprogWarning, match="1 rows have zeros"):
            assert len(fit.predict(frame, unseen="zeros")) == 1
        with pytest.raises(rp.OptionError, match="unseen 'zero': expected one of error, zeros"):
            fit.decision_function(frame, unseen="zero")
    with pytest.raises(rp.OptionError, match="SavedFit given, expected data, as `data` of"):
        rp.read("new.csv", like=saved)
    at = data.features.index("fuel=diesel")
    rest = np.delete(data.X, at, axis=1)
    assert not same[:, at].any()
    assert (np.delete(same, at, axis=1) == rest).all()
