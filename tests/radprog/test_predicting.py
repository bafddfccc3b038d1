"""Predictions of rows as they were given: scaled by the fit, labelled as the user did."""

from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from refusals import refused
from sklearn.metrics import mean_pinball_loss
from small_files import write_csv
from written import rows_in

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
def test_rows_are_scaled_and_labels_are_the_users(labels, kind, scale, tmp_path) -> None:
    y = np.array([labels[int(side)] for side in SIDE])
    data = rp.dataset(X, y, scale=scale)
    run = rp.fit(rp.VKR(kernels="poly:1-2", lam=1e-3, beta=1e-3), data)
    predicted = run.predict(X)
    assert predicted.dtype.kind == kind
    assert set(predicted) <= set(labels)
    scores = run.decision_function(X)
    np.testing.assert_array_equal(scores, run.fit.scores(data.X))
    np.testing.assert_array_equal(predicted == labels[1], scores >= 0)
    rp.save_fit(run, data, tmp_path / "fit.json")
    for again in (run.predict(data), rp.load_fit(tmp_path / "fit.json").predict(X)):
        np.testing.assert_array_equal(predicted, again)
    if scale == "standard":
        assert np.mean(predicted == y) > 0.9


def test_other_rows_are_refused() -> None:
    run = rp.fit(rp.VKR(kernels="poly:1"), rp.dataset(X, SIDE, scale="standard"))
    for rows, words in (
        (X[:, :2], r"X has shape \(60, 2\), expected \(n, 3\) numbers"),
        (X[0], r"X has shape \(3,\)"),
        (np.where(SIDE[:, None], np.nan, X), "row 1, column 0: the cell is missing"),
        (np.array(["a", "b"]), r"X has shape \(2, 1\), expected \(n, 3\) numbers"),
        (rp.regression_data(X, X[:, 0]), "expected dataset"),
    ):
        refused(rp.RadprogError, words, run.predict, rows)


def test_a_saved_fit_of_series_takes_an_array(tmp_path) -> None:
    rows = np.sin(np.arange(12.0) + 0.3 * np.arange(20.0)[:, None])
    waves = rp.series(rows, rows[:, 3] > 0.0)
    run = rp.fit(rp.LPBoost(length="4"), waves)
    rp.save_fit(run, waves, tmp_path / "fit.json")
    saved = rp.load_fit(tmp_path / "fit.json")
    np.testing.assert_array_equal(saved.predict(rows), saved.predict(rp.series(rows)))
    refused(rp.DataError, r"X has shape \(12,\), expected \(m, L\)", saved.predict, rows[0])
    refused(rp.RadprogError, "10", saved.predict, rows[:, :10])


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
)
def test_columns_of_a_frame_are_taken_by_their_names(frame, spec, maker) -> None:
    rows = frame(dict(zip(NAMES, X.T, strict=True)))
    run = rp.fit(spec, maker(rows, SIDE.astype(int), scale="standard"), max_iter=2)
    np.testing.assert_array_equal(run.predict(X), run.predict(rows))
    turned = rows[NAMES[::-1]]
    for ask in (run.predict, run.decision_function, run.predictor.predict):
        np.testing.assert_array_equal(ask(X), ask(turned))
    data = maker(turned, scale="none") if maker is rp.dataset else maker(turned, SIDE)
    words = (
        "data: 3 columns of features given, expected 3 as in the training data: in another order"
    )
    refused(rp.RadprogError, words, run.predict, data)
    words = r"2 columns of features given, expected 3 .*: no 'weight'"
    refused(rp.RadprogError, words, run.predict, rows[NAMES[:2]])


@pytest.mark.parametrize("ask", ["predict", "decision_function"])
def test_a_run_that_has_no_data_of_its_user_says_so(ask: str) -> None:
    data = rp.regression_data(X, X[:, 0])
    run = fit_svr(rp.SVR(A=1.0, starts=1), data, RunSettings(max_iter=1))
    refused(rp.OptionError, r"this run of svr holds no scaling .* run\.fit\.", getattr(run, ask), X)
    assert run.fit.predict(data.X).shape == (len(X),)


def test_a_quantile_has_its_share_and_its_loss(radprog, empty) -> None:
    y = 2.0 * X[:, 0] + RNG.normal(size=len(X))
    write_csv("train.csv", X[:40], y[:40], head="a,b,c,y")
    write_csv("new.csv", X[40:], y[40:], head="a,b,c,y")
    asked = "train.csv --scale standard --loss quantile --quantile 0.8 --test new.csv"
    done = radprog.ok("solve l1linear", asked, "--json run.json --save fit.json")
    test, block = done.json["test"], done.json["fit"]
    predicted = radprog.ok("predict fit.json new.csv -o out.csv")
    values = np.array([float(row["prediction"]) for row in rows_in("out.csv")])
    loss, below = mean_pinball_loss(y[40:], values, alpha=0.8), np.mean(y[40:] <= values)
    assert (test["quantile"], test["quantile_loss"]) == (0.8, pytest.approx(loss))
    share = f"{100 * below:.2f} % of 20 rows at or below the prediction (quantile 0.8)"
    losses = f"mean quantile loss {loss:.6g}, mean absolute error {test['mae']:.6g}"
    for words in (done.out, predicted.err):
        assert f"{share}, {losses}" in words
    # the same of the training rows
    fit = rp.load_fit("fit.json")
    values = fit.predict(X[:40])
    assert block["quantile_loss"] == pytest.approx(mean_pinball_loss(y[:40], values, alpha=0.8))
    words = f"{100 * np.mean(y[:40] <= values):.2f} % of the rows at or below the prediction"
    assert f"{words} (quantile 0.8), mean quantile loss {block['quantile_loss']:.6g}" in done.out
    # a fit without the key of its quantile is damaged
    whole = fit.fit.to_dict()
    assert whole.pop("quantile") == 0.8
    refused(rp.DataError, "not a saved fit: .*quantile", LinearFit.from_dict, whole)


def test_a_missing_cell_that_a_fit_fills_is_named(radprog, empty) -> None:
    """Also where the training rows had none; a fit without means refuses it."""
    X, y = np.arange(20.0).reshape(10, 2), np.repeat([0, 1], 5)
    for missing in ("mean", "error"):
        data = rp.dataset(X, y, missing=missing)
        rp.save_fit(rp.fit(rp.L1SVM(), data), data, f"{missing}.json")
    filling, refusing = rp.load_fit("mean.json"), rp.load_fit("error.json")
    new = X.copy()
    new[[3, 7], 1] = np.nan
    expected = refusing.predict(np.where(np.isnan(new), X.mean(axis=0), new)).tolist()
    words, place = "2 missing cells filled with training means; the first is ", "row 4, column 1"
    frame = pd.DataFrame(new, columns=["a", "b"])
    for rows in (new, frame, rp.dataset(new, y, missing="mean")):
        with pytest.warns(rp.RadprogWarning, match=f"^{words}X, {place}"):
            assert filling.predict(rows).tolist() == expected
        refused(rp.DataError, f"X, {place}", refusing.predict, rows)
    frame.to_csv("new.csv", index=False, header=False)
    done = radprog.ok("predict mean.json new.csv --label none -o out.csv")
    assert f"{words}new.csv, {place}\n" in done.err


def test_a_level_that_the_training_data_lack_is_refused(radprog, folder) -> None:
    rows = "1,5;diesel;no\n1,0;electric;yes\n1,2;petrol;yes\n1,4;diesel;no\n"
    Path("cars.csv").write_text("weight;fuel;sells\n" + 9 * rows)
    how = "cars.csv --decimal , --categorical auto"
    radprog.ok("solve l1svm", how, "--save fit.json")
    Path("new.csv").write_text(Path("cars.csv").read_text().replace("diesel", "gas"))
    radprog.refused("level 'gas'", "predict fit.json new.csv --decimal , -o out.csv")
    radprog.refused("level 'gas'", "solve l1svm", how, "--test new.csv")
    data = rp.read("cars.csv", categorical="auto", decimal=",")
    frame = pd.DataFrame({"weight": [1.0], "fuel": ["gas"]})
    for fit in (rp.load_fit("fit.json"), rp.fit(rp.L1SVM(), data)):
        refused(rp.DataError, "level 'gas'", fit.predict, frame)
    words = "SavedFit given, expected data, as `data` of"
    refused(rp.OptionError, words, rp.read, "new.csv", like=rp.load_fit("fit.json"))
