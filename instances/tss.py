"""A seeded stand-in for the transcription start site data: five kernels with its spectra."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from radprog.base.errors import OptionError
from radprog.instances.grams import GramSet, gram_set


@dataclass(frozen=True, kw_only=True)
class Source:
    """One kernel <phi(x), phi(z)> of phi(x) = offset e_0 + y signal u + noise * scales.

    The offset is a mean direction common to all points: it is the first eigenvalue. scales:
    j^-decay over ``features`` coordinates; u is the unit vector over the first ``spread`` of them.
    """

    name: str
    offset: float
    features: int
    decay: float
    signal: float
    spread: int


SOURCES = (
    Source(name="TSS", offset=0.0, features=400, decay=0.0, signal=1.3, spread=400),
    Source(name="Promo", offset=5.0, features=60, decay=0.4, signal=0.3, spread=20),
    Source(name="Exon", offset=5.0, features=60, decay=0.4, signal=0.36, spread=20),
    Source(name="Angle", offset=0.0, features=60, decay=0.37, signal=0.0, spread=20),
    Source(name="Energ", offset=0.0, features=60, decay=0.37, signal=0.22, spread=20),
)


def tss_like(n: int, seed: int = 0) -> GramSet:
    """Five kernels over n points of two classes, half of the points in each.

    TSS: a flat spectrum with the signal spread over all of it; Promo and Exon: four fifths of the
    trace in a mean direction, the signal in the rest; Angle and Energ: a decaying spectrum with
    no and with a weak signal. Every seed draws new points from the same distribution.
    """
    if n < 4:
        raise OptionError(f"{n} points: expected at least 4")
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.where(np.arange(n) % 2 == 0, -1.0, 1.0))
    matrices = []
    for source in SOURCES:
        scales = np.arange(1, source.features + 1) ** -source.decay
        direction = np.zeros(source.features)
        direction[: source.spread] = 1.0 / np.sqrt(source.spread)
        features = rng.standard_normal((n, source.features)) * scales
        features += source.signal * y[:, None] * direction
        matrices.append(features @ features.T + source.offset**2)
    data = gram_set(np.array(matrices), y, names=[source.name for source in SOURCES])
    return replace(data, name=f"tss_like({n}, seed={seed})")
