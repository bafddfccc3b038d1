"""The stand-in for the transcription start site data has the spectra of Figure 2."""

from __future__ import annotations

import numpy as np
import pytest

from radprog.base.errors import OptionError
from radprog.instances.tss import tss_like


def tails(theta: int) -> np.ndarray:
    """Share of the trace beyond theta, percent, mean of four draws of 100 points."""
    shares = []
    for seed in range(4):
        spectra = [np.linalg.eigvalsh(K)[::-1] for K in tss_like(100, seed).K]
        shares.append([100 * values[theta:].sum() / values.sum() for values in spectra])
    return np.mean(shares, axis=0)


def test_spectra() -> None:
    assert tails(1) == pytest.approx([97, 21, 21, 86, 86], abs=2.5)
    assert tails(50)[0] > 20  # the spectrum of TSS is flat
    assert all(tails(50)[1:] < 3)


def test_seeded_and_balanced() -> None:
    first, again, other = tss_like(60, 1), tss_like(60, 1), tss_like(60, 2)
    assert np.array_equal(first.K, again.K)
    assert first.sha256 != other.sha256
    assert first.targets.sum() == 0
    assert first.names == ("TSS", "Promo", "Exon", "Angle", "Energ")
    with pytest.raises(OptionError, match="3 points"):
        tss_like(3)
