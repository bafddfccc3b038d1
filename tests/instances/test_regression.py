"""Numeric targets: reading, refusing, scaling by the training rows, the noisy sinc."""

from pathlib import Path

import numpy as np
import pytest
from small_files import written

import radprog as rp
from radprog.instances.generators import sinc

TEXT = "a,b,price\n1,2,3.5\n2,0,-1e-1\n4,1,7\n"


def test_reads_and_scales(tmp_path: Path) -> None:
    data = rp.read_regression(written(tmp_path, TEXT), scale="standard")
    assert data.targets.tolist() == [3.5, -0.1, 7.0]
    assert np.allclose(data.X.mean(axis=0), 0)
    assert np.allclose(data.X.std(axis=0), 1)
    assert (data.rows, data.columns, data.features) == (3, 2, ("a", "b"))
    assert data.lines.tolist() == [2, 3, 4]
    first = rp.read_regression(written(tmp_path, TEXT), label="first")
    assert first.targets.tolist() == [1.0, 2.0, 4.0]
    named = rp.read_regression(written(tmp_path, TEXT), label="b")
    assert named.targets.tolist() == [2.0, 0.0, 1.0]


def test_columns_that_the_training_data_lack_are_left_out(tmp_path: Path) -> None:
    data = rp.read_regression(written(tmp_path, TEXT), scale="minmax")
    more = rp.read_regression(written(tmp_path, "a,b,c,price\n1,0,2,1\n", "y.csv"), like=data)
    assert (more.X.tolist(), more.y.tolist()) == ([[0.0, 0.0]], [1.0])
    features = rp.read_regression(written(tmp_path, "a,b\n1,0\n", "x.csv"), like=data, label="none")
    with pytest.raises(rp.DataError, match="target"):
        _ = features.targets


def test_missing_cells(tmp_path: Path) -> None:
    path = written(tmp_path, "1,?,3\n3,4,5\n5,8,6\n")
    dropped = rp.read_regression(path, missing="drop")
    assert dropped.targets.tolist() == [5.0, 6.0]
    assert "dropped" in dropped.warnings[0]
    assert rp.read_regression(path, missing="mean").X[0].tolist() == [1.0, 6.0]
    for option in ({"missing": "zero"}, {"scale": "log"}):
        with pytest.raises(rp.OptionError):
            rp.read_regression(path, **option)


@pytest.mark.parametrize(
    ("X", "y"),
    [
        ([[1.0]], [np.nan]),
        ([[np.inf]], [1.0]),
        ([1.0], [1.0]),
        ([[1.0]], [1.0, 2.0]),
        ([["a"]], [1]),
    ],
)
def test_bad_arrays(X: object, y: object) -> None:
    with pytest.raises(rp.DataError):
        rp.regression_data(X, y)  # type: ignore[arg-type]


def test_sinc() -> None:
    data = sinc()
    x = data.X[:, 0]
    assert (data.rows, data.columns) == (100, 1)
    assert x[0] == -1
    assert x[-1] == 1
    assert np.allclose(data.truth, np.sin(3 * x) / (3 * x))
    noise = data.targets - data.truth
    assert (np.abs(noise) > 0.25).sum() <= 30
    assert 0.03 < np.median(np.abs(noise)) < 0.09
    assert np.array_equal(sinc(seed=3).targets, sinc(seed=3).targets)
    assert not np.array_equal(sinc(seed=3).targets, sinc(seed=4).targets)
    assert np.array_equal(
        sinc(9, small=0, share=0).targets, sinc(9, small=0, share=0, seed=1).targets
    )
