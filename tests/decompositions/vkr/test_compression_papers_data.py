"""The compression bound on the papers' data, rows of unit norm: below one half where few points
have small margins, never below half of the error of a fifth held out."""

import os
from pathlib import Path

import numpy as np
import pytest
from compression_draws import musk_like

import radprog as rp

POLY = rp.VKR(kernels="poly:1-4")
RBF = rp.VKR(kernels="rbf:0.1,rbf:1,rbf:10,rbf:100")


def bound_of(spec: rp.VKR, data: rp.Dataset) -> float:
    found = rp.fit(spec, data).extra["compression"]
    assert found["refused"] is None
    return float(found["bound"])


@pytest.mark.parametrize("spec", [POLY, RBF])
def test_musk_like(spec: rp.VKR) -> None:
    assert bound_of(spec, musk_like()) < 0.25


@pytest.mark.cases(3)
@pytest.mark.data
@pytest.mark.thorough
@pytest.mark.parametrize("spec", [POLY, RBF])
@pytest.mark.parametrize(
    ("name", "most"),
    [("ionosphere", 0.5), ("breastcancer", 0.5), ("diabetes", 0.8), ("german", 0.7)],
)
def test_papers_data(name: str, most: float, spec: rp.VKR) -> None:
    path = Path(os.environ["RADPROG_DATA"]) / "vkr" / f"{name}.csv"
    data = rp.read(path, scale="unit", missing="drop")
    bound = bound_of(spec, data)
    assert bound < most
    order = np.random.default_rng(0).permutation(data.rows)
    held, rest = order[: data.rows // 5], order[data.rows // 5 :]
    train, test = data.partition(np.sort(rest), np.sort(held))
    assert bound >= (rp.fit(spec, train).fit.predict(test.X) != test.signs).mean() / 2
