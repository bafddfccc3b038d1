"""Random data sets against their definitions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mkl_figure2 import start_sites
from table_generators import sinc, waveform

from radprog.examples import breast_cancer

BASE = np.array([0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 5, 4, 3, 2, 1, 0, 0, 0, 0, 0], dtype=float)
LATER = np.roll(BASE, 4)
EARLIER = np.roll(BASE, -4)
PAIRS = {0: (BASE, LATER), 1: (BASE, EARLIER), 2: (LATER, EARLIER)}


@pytest.mark.parametrize("classes", [(0, 1), (1, 2), (2, 0)])
def test_waveform_moments(classes):
    """x = u a + (1-u) b + e: mean (a+b)/2, covariance (a-b)(a-b)'/12 + I."""
    n = 40_000
    data = waveform(n, classes=classes, seed=4)
    low, high = sorted(classes)
    assert data.labels == (str(low), str(high))
    assert data.X.shape == (n, 21)
    for sign, kind in ((-1, low), (1, high)):
        rows = data.X[data.targets == sign]
        first, second = PAIRS[kind]
        covariance = np.outer(first - second, first - second) / 12 + np.eye(21)
        errors = np.sqrt(np.diag(covariance) / len(rows))
        assert (np.abs(rows.mean(axis=0) - (first + second) / 2) < 5 * errors).all()
        assert np.abs(np.cov(rows.T) - covariance).max() < 0.2


@given(n=st.integers(2, 40), seed=st.integers(0, 2**32))
def test_laws(n, seed):
    data = waveform(n, seed=seed)
    assert data.rows == n
    assert (data.targets > 0).sum() == n // 2
    assert waveform(n, seed=seed).sha256 == data.sha256
    assert n < 20 or waveform(n, seed=seed + 1).sha256 != data.sha256
    assert n < 20 or set(np.sign(np.diff(data.targets))) == {-1, 0, 1}, "in random order"
    assert str(n) in data.name
    assert str(seed) in data.name


def test_breast_cancer():
    data = breast_cancer()
    assert data.X.shape == (569, 30)
    assert data.labels == ("benign", "malignant")
    assert ((data.targets > 0).sum(), (data.targets < 0).sum()) == (212, 357)
    assert data.features[0] == "mean radius"
    malignant = data.targets > 0
    assert data.X[malignant, 0].mean() > data.X[~malignant, 0].mean() + 3, "tumours are larger"
    assert np.linalg.norm(breast_cancer(scale="ball").X, axis=1).max() == pytest.approx(1)


def tails(theta: int) -> np.ndarray:
    """Share of the trace beyond theta, percent, mean of four draws of 100 points."""
    shares = []
    for seed in range(4):
        spectra = [np.linalg.eigvalsh(K)[::-1] for K in start_sites(100, seed).K]
        shares.append([100 * values[theta:].sum() / values.sum() for values in spectra])
    return np.mean(shares, axis=0)


def test_spectra_of_start_sites() -> None:
    assert tails(1) == pytest.approx([97, 21, 21, 86, 86], abs=2.5)
    assert tails(50)[0] > 20  # the spectrum of TSS is flat
    assert all(tails(50)[1:] < 3)


def test_start_sites_are_seeded_and_balanced() -> None:
    first, again, other = start_sites(60, 1), start_sites(60, 1), start_sites(60, 2)
    assert np.array_equal(first.K, again.K)
    assert first.sha256 != other.sha256
    assert first.targets.sum() == 0
    assert first.names == ("TSS", "Promo", "Exon", "Angle", "Energ")


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
