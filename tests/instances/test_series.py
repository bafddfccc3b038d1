"""Series and bags from files: UCR text, .ts, .npz; what cannot be used, and reading like."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from refusals import refused

import radprog as rp

UCR = "2\t0.5\t1.5\t-1\n1\t1\t2\t3\n2\t0\t0\t1\n"


def test_bags_in_npz(tmp_path: Path) -> None:
    X = np.random.default_rng(0).normal(size=(4, 3, 2))
    np.savez(tmp_path / "a.npz", X=X, y=np.array(["u", "v", "u", "v"]))
    data = rp.read_series(tmp_path / "a.npz")
    np.testing.assert_array_equal(data.X, X)
    assert (data.kind, data.labels) == ("bags", ("u", "v"))
    np.testing.assert_array_equal(data.targets, [-1, 1, -1, 1])
    np.savez_compressed(tmp_path / "b.npz", X=X.astype(np.float32))
    assert rp.read_series(tmp_path / "b.npz").y is None


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"patterns": np.zeros((2, 3, 1))}, "no array X in the archive, which holds patterns"),
        ({"X": np.zeros((2, 3))}, r"expected \(m, Q, l\)"),
        ({"X": np.full((2, 3, 1), np.nan)}, "nan"),
        ({"X": np.zeros((2, 3, 1)), "y": np.zeros(3)}, r"y has shape \(3,\)"),
        ({"X": np.array([[[object()]]])}, r"\.npz"),
    ],
)
def test_bad_npz(tmp_path: Path, arrays: dict[str, Any], message: str) -> None:
    np.savez(tmp_path / "a.npz", **arrays)
    refused(rp.DataError, message, rp.read_series, tmp_path / "a.npz")


def test_other_files_than_the_training_data(file: Callable[..., str], tmp_path: Path) -> None:
    trained = rp.read_series(file(UCR, "train.tsv"), positive="1")
    path = file("1\t1\t1\t1\n", "t.tsv")
    assert rp.read_series(path, like=trained, positive="1.0").targets.tolist() == [1.0]
    refused(rp.OptionError, "one_vs_rest", rp.read_series, path, like=trained, one_vs_rest=True)
    short = file("1\t1\n", "s.tsv")
    words = r"shape \(1,\), expected series of shape \(3,\) as in the training data"
    refused(rp.DataError, words, rp.read_series, short, like=trained, label="first")
    np.savez(tmp_path / "t.npz", X=np.zeros((1, 1, 3)))
    words = "bags of patterns of shape"
    refused(rp.DataError, words, rp.read_series, tmp_path / "t.npz", like=trained)
