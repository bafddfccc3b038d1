"""Scaling and filling: closed forms, degenerate columns and rows, training rows only."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from refusals import refused

from radprog.base.errors import DataError, OptionError
from radprog.instances.data import SCALINGS, Scaler, fit_scaler

X = np.array([[1.0, -2.0], [3.0, 2.0], [5.0, 6.0]])
matrices = arrays(
    np.float64,
    array_shapes(min_dims=2, max_dims=2, max_side=6),
    elements=st.floats(-1e6, 1e6, allow_subnormal=False).map(lambda x: round(x, 3)),
)


def test_closed_forms():
    deviation = np.sqrt(8 / 3)
    standard = np.array([[-2, -4], [0, 0], [2, 4]]) / [deviation, 2 * deviation]
    expected = {
        "none": X,
        "standard": standard,
        "minmax": [[0, 0], [0.5, 0.5], [1, 1]],
        "unit": X / np.sqrt([[5], [13], [61]]),
        "ball": standard / np.sqrt(3),
    }
    assert set(expected) == set(SCALINGS)
    for kind, value in expected.items():
        np.testing.assert_allclose(fit_scaler(kind, X)(X), value, rtol=1e-15, atol=1e-15)


@pytest.mark.parametrize("kind", SCALINGS)
def test_other_rows_are_scaled_by_the_statistics_of_the_training_rows(kind):
    scaler = fit_scaler(kind, X)
    both = np.vstack([X, [[100.0, -100.0]]])
    np.testing.assert_array_equal(scaler(both)[:3], scaler(X))
    assert np.allclose(fit_scaler(kind, both)(both)[:3], scaler(X)) == (kind in ("none", "unit"))


@pytest.mark.parametrize("kind", ["standard", "minmax", "ball"])
def test_a_constant_column_becomes_zero(kind):
    column = np.full((3, 1), 0.1)  # its mean in floats is 0.10000000000000002
    scaled = fit_scaler(kind, np.hstack([X, column]))(np.hstack([X, column]))
    np.testing.assert_array_equal(scaled[:, 2], 0.0)
    np.testing.assert_array_equal(scaled[:, :2], fit_scaler(kind, X)(X))


def test_unit_keeps_a_zero_row_and_survives_extreme_numbers():
    rows = np.array([[0.0, 0.0], [3e-200, 4e-200], [3e200, -4e200]])
    scaled = fit_scaler("unit", rows)(rows)
    np.testing.assert_allclose(scaled, [[0, 0], [0.6, 0.8], [0.6, -0.8]], rtol=1e-15)


@pytest.mark.parametrize(("income", "warned"), [(3.0, False), (10.0, True), (1e3, True)])
def test_unit_warns_of_a_feature_that_dominates(income, warned):
    rows = np.array([[1.0, 0.5, income], [0.5, 1.0, 0.9 * income]])
    scaler = fit_scaler("unit", rows)
    said = "".join(scaler.warnings(scaler(rows), ("a", "b", "income")))
    assert ("makes feature income" in said) == warned == bool(said)


@given(X=matrices)
def test_laws(X):
    standard = fit_scaler("standard", X)(X)
    np.testing.assert_allclose(standard.mean(axis=0), 0, atol=1e-6)
    varied = X.max(axis=0) > X.min(axis=0)
    np.testing.assert_allclose(standard.std(axis=0), varied.astype(float), rtol=1e-6)
    minmax = fit_scaler("minmax", X)(X)
    assert minmax.min() >= 0
    np.testing.assert_array_equal(minmax.max(axis=0), varied.astype(float))
    unit = np.linalg.norm(fit_scaler("unit", X)(X), axis=1)
    np.testing.assert_allclose(unit, X.any(axis=1).astype(float), rtol=1e-12)
    ball = np.linalg.norm(fit_scaler("ball", X)(X), axis=1).max()
    assert ball == pytest.approx(float(varied.any()), rel=1e-12)


@pytest.mark.parametrize("kind", SCALINGS)
def test_missing_cells_take_the_training_mean(kind):
    holes = np.array([[1.0, np.nan], [3.0, 2.0], [np.nan, 6.0]])
    filled = np.array([[1.0, 4.0], [3.0, 2.0], [2.0, 6.0]])
    scaler = fit_scaler(kind, holes, fill=True)
    np.testing.assert_array_equal(scaler.fill, [2, 4])
    np.testing.assert_array_equal(scaler(holes), fit_scaler(kind, filled)(filled))
    np.testing.assert_array_equal(scaler(np.full((1, 2), np.nan)), scaler(np.array([[2.0, 4.0]])))


@pytest.mark.parametrize("kind", SCALINGS)
@pytest.mark.parametrize("fill", [False, True])
def test_json_and_refitting_to_other_rows_alone(kind, fill):
    scaler, rows = fit_scaler(kind, X / 3, fill=fill), np.array([[10, 7], [30, -2], [20, 5.5]])
    again = Scaler.from_plain(json.loads(json.dumps(scaler.plain())))
    assert again.plain() == scaler.plain()
    np.testing.assert_array_equal(again(X), scaler(X))
    other = fit_scaler(kind, rows, fill=fill).plain()
    assert scaler.refit(rows).plain() == other
    assert fit_scaler("ball", X, fill=fill).refit(rows, kind=kind).plain() == other


def test_refused():
    refused(OptionError, "unknown scaling 'max'", fit_scaler, "max", X)
    refused(DataError, "no rows", fit_scaler, "ball", X[:0])
    refused(DataError, r"\(rows, 2\)", fit_scaler("none", X), X[:, :1])
    refused(DataError, "missing", fit_scaler("none", X), np.array([[np.nan, 1.0]]))
    refused(DataError, "missing", fit_scaler, "standard", np.array([[np.nan], [1.0]]))
    refused(DataError, "feature 1", fit_scaler, "none", np.array([[1.0, np.nan]]), fill=True)
    for kind in ("standard", "minmax", "ball"):
        refused(DataError, "too large", fit_scaler, kind, np.array([[1e308], [-1e308]]))
