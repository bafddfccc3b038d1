"""rp.plot and estimator.plot: what is not drawn."""

from pathlib import Path

import numpy as np
import pytest

import radprog as rp

X = np.random.default_rng(0).normal(size=(24, 2))
Y = np.array(["no", "yes"])[(X[:, 0] > 0).astype(int)]


def test_what_is_not_drawn(tmp_path: Path) -> None:
    data = rp.dataset(X, Y)
    run = rp.fit(rp.VKR(kernels="poly:1-2"), data)
    with pytest.raises(rp.RadprogError, match=r"p\.gif: expected one of \.png"):
        rp.plot(run, data, file=tmp_path / "p.gif")
    grams = tmp_path / "k.npz"
    np.savez(grams, K=np.stack([X @ X.T, np.eye(24)]), y=(X[:, 0] > 0).astype(int))
    given = rp.fit(rp.MKL(grams=str(grams)), None)
    with pytest.raises(rp.RadprogError, match="a run without data"):
        rp.plot(given)


def test_a_file_in_the_place_of_the_data_is_refused(tmp_path: Path) -> None:
    run = rp.fit(rp.VKR(kernels="poly:1"), rp.dataset(X, Y))
    for name in (tmp_path / "run.png", "run.png"):
        with pytest.raises(rp.OptionError, match=r"run\.png': expected a data set"):
            rp.plot(run, name)
    assert not list(tmp_path.iterdir())
