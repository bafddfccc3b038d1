"""Texts as rows, labels that are unknown: what is taken, and what is said where it is not."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.model_selection import cross_val_score

import radprog as rp
from radprog.estimators import (
    DiscriminativeClustering,
    DiscriminativeLabelPropagation,
    LocalMKLClassifier,
    SimilarityClassifier,
    VKRClassifier,
)

WORDS = ["kitten", "sitting", "mitten", "bitten", "abc", "abcd", "xbcd", "abx"] * 2
SIDES = [0, 0, 0, 0, 1, 1, 1, 1] * 2
NUMBERS = np.arange(48.0).reshape(16, 3)


@pytest.mark.parametrize("made", [list, np.array, pd.Series, pl.Series, pd.DataFrame])
def test_texts_are_rows_of_a_kernel_of_texts(made) -> None:
    model = SimilarityClassifier(kernels="edit").fit(made(WORDS), SIDES)
    assert model.objective_ == rp.fit(rp.SimSVM(kernels="edit"), rp.dataset(WORDS, SIDES)).objective
    assert model.predict(made(["sitten", "abcx"])).tolist() == [0, 1]
    assert cross_val_score(model, made(WORDS), SIDES, cv=2).mean() == 1.0


def test_what_a_kernel_of_texts_is_given() -> None:
    words = "kernel edit compares texts: expected a list, array or column"
    for rows in (NUMBERS, np.array([WORDS, WORDS]).T):
        for model in (SimilarityClassifier(kernels="edit"), LocalMKLClassifier(kernels=["edit"])):
            with pytest.raises(ValueError, match=words):
                model.fit(rows, SIDES)
    with pytest.raises(ValueError, match=words):
        SimilarityClassifier(kernels="edit").fit(WORDS, SIDES).predict(NUMBERS)
    with pytest.raises(rp.RadprogError, match="only the kernel edit takes strings"):
        VKRClassifier(kernels="poly:1").fit(WORDS, SIDES)
    model = VKRClassifier(kernels=lambda a, b: np.float64(a[:, None] == b), lam=0.01)
    assert model.fit(WORDS, SIDES).score(WORDS, SIDES) == 1.0


POINTS = np.concatenate([np.arange(8.0), 50 + np.arange(8.0), 100 + np.arange(8.0)])[:, None]


@pytest.mark.parametrize("names", [("a", "b", "c"), (3, 7, 9)])
def test_rows_that_no_label_reaches_have_none(names) -> None:
    y = np.full(24, -1, dtype=object if names[0] == "a" else int)
    y[[0, 8]] = names[:2]
    model = DiscriminativeLabelPropagation(bandwidth=1.0)
    with pytest.warns(rp.RadprogWarning, match="no label reaches 8 rows") as told:
        model.fit(POINTS, y)
    assert told[0].filename == __file__
    assert model.transduction_.tolist() == [names[0]] * 8 + [names[1]] * 8 + [-1] * 8


@pytest.mark.parametrize("model", [DiscriminativeClustering, DiscriminativeLabelPropagation])
def test_a_bandwidth_that_rows_give_is_kept_as_a_number(model) -> None:
    y = np.where(np.arange(24) % 8, -1, np.repeat([0, 1, 2], 8))
    widths = {
        word: model(bandwidth=word).fit(POINTS, y).bandwidth_
        for word in (None, "auto", "median", 3)
    }
    gaps = np.abs(POINTS - POINTS.T)[np.triu_indices(24, 1)]
    assert (widths["median"], widths[3]) == (np.median(gaps), 3.0)
    assert 0.0 < widths["auto"] == widths[None] < widths["median"]
    with pytest.raises(rp.OptionError, match="bandwidth 'half': expected auto, median"):
        model(bandwidth="half").fit(POINTS, y)


def test_the_text_of_minus_one_is_refused_among_others() -> None:
    y = np.where(np.arange(24) % 8 == 0, np.repeat(["a", "b", "c"], 8), "-1")
    with pytest.raises(ValueError, match=r"text '-1' among others: .*y = y.astype\(object\)"):
        DiscriminativeLabelPropagation().fit(POINTS, y)
    y = y.astype(object)
    y[y == "-1"] = -1
    assert list(DiscriminativeLabelPropagation(bandwidth=9.0).fit(POINTS, y).classes_) == [*"abc"]
    two = DiscriminativeLabelPropagation(bandwidth=9.0).fit(POINTS[:16], np.repeat(["-1", "1"], 8))
    assert list(two.classes_) == ["-1", "1"]


@pytest.mark.parametrize("made", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
def test_columns_that_hold_no_numbers_are_named(made) -> None:
    frame = pd.DataFrame({"a": NUMBERS[:, 0], "sold": [True, False] * 8})
    assert VKRClassifier(kernels="poly:1").fit(made(frame), SIDES).n_features_in_ == 2
    days, texts = pd.to_datetime(["2026-01-01"] * 16), ["red", "blue"] * 8
    with pytest.raises(ValueError, match=r"row 1, column 2.*'red'.*; texts also in c: encode"):
        VKRClassifier(kernels="poly:1").fit(made(frame.assign(b=texts, c=texts)), SIDES)
    for column, told in ((days, "2026-01-01"), (texts, "'red', .*OneHotEncoder"),
                         (pd.Categorical(texts), "'red'")):  # fmt: skip
        with pytest.raises(ValueError, match=rf"row 1, column 2 \('b'\): {told}"):
            VKRClassifier(kernels="poly:1").fit(made(frame.assign(b=column)), SIDES)
    written = frame.assign(b=["1.5", "2"] * 8)
    assert VKRClassifier(kernels="poly:1").fit(written, SIDES).n_features_in_ == 3
