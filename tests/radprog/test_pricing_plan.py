"""What a round of pricing takes on many machines, by hand."""

from collections.abc import Callable
from typing import Any

import pytest


def test_a_round_on_paper(benchmark: Callable[[str], Any]) -> None:
    pricing = benchmark("pricing")
    parts = pricing.Parts(value=1e-9, column=1e-8, trip=0.05, byte=8.0, base=100.0)
    found = pricing.plan(parts, rows=10**7, centres=2000, workers=100, bandwidth=1e9)
    assert found["messages"] == 401
    assert found["bytes_of_news"] == pytest.approx(101 * 8e7)
    assert found["bytes_of_answers"] == 8 * 4 * 2000
    assert found["seconds_of_news"] == pytest.approx(9 * 0.08)  # 2 + 7 steps
    # 32 blocks of centres and 4 kernels: 25 x 4 parts, of which the largest has 2 blocks
    assert found["seconds_of_sums"] == pytest.approx(80.0 * (2 / 32) / 4)
    assert found["seconds_of_sums_alone"] == pytest.approx(80.0)
    assert found["seconds_of_columns"] == pytest.approx(30.0)
    assert found["seconds_of_a_round"] == pytest.approx(0.05 + 0.72 + 1.25 + 6.4e-5 + 30.0)
    assert found["seconds_of_data_once"] == pytest.approx(101 * 1.68)
    assert found["worker_mb"] == pytest.approx(100 + (2 * 1.68e9 + 1.6e8) / 2**20)
    half = pricing.plan(parts, rows=10**7, centres=2000, workers=2, bandwidth=1e9, share=0.5)
    assert half["bytes_of_news"] == pytest.approx(3 * (4e7 + 1.25e6))
    assert half["seconds_of_sums"] == pytest.approx(20.0)
