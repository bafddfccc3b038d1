"""How often the compression bound fails, over draws of four known distributions."""

import math

import numpy as np
import pytest
from compression_draws import DELTA, DRAWS, simulate, violations


def held(name: str, draws: int, n: int) -> None:
    found = simulate(name, draws, n)
    assert violations(found) <= DELTA + 3 * math.sqrt(DELTA * (1 - DELTA) / draws)
    assert np.isnan(found["compression"]).mean() <= 0.05  # refused
    assert np.nanmean(found["compression"]) < 1
    assert (found["error"] <= found["within"]).all()


@pytest.mark.thorough
@pytest.mark.parametrize("name", DRAWS)
def test_few_draws(name: str) -> None:
    held(name, 25, 50)


@pytest.mark.slow
@pytest.mark.parametrize("name", DRAWS)
def test_a_thousand_draws(name: str) -> None:
    held(name, 1000, 100)
