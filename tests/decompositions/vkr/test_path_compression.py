"""The compression bound on exact paths: at values fixed by the interval, as of single fits."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import radprog as rp
from radprog.telling.analyses import path_parts


def points(seed: int, scale: str = "none") -> Any:
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(40) % 2, 1, -1)
    return rp.dataset(rng.normal(size=(40, 2)) + 1.2 * y[:, None], y, scale=scale)


CASES = [
    (rp.VKR(kernels="rbf:0.5,rbf:2", lam=0.01, delta=0.1), "beta", 1e-3, 0.3),
    (rp.VKR(kernels="rbf:0.5,rbf:2", beta=0.01), "lam", 0.0, 0.3),
    (rp.L1SVM(kernels="poly:2"), "beta", 1e-2, 1.0),
]


@pytest.mark.parametrize(("spec", "parameter", "first", "last"), CASES)
def test_every_value_has_the_bound_of_its_own_fit(spec, parameter, first, last) -> None:
    data = points(1)
    block = rp.path(spec, data, (parameter, first, last), by="compression", values=5)
    found = block["compression"]
    values = [cell["at"] for cell in found["cells"]]
    spread = np.geomspace if first else np.linspace
    np.testing.assert_allclose(values, spread(first, last, 5), rtol=1e-12)
    bounds = []
    for cell in found["cells"]:
        alone = replace(spec, **{parameter: cell["at"]}, delta=spec.delta / 5)
        single = rp.fit(alone, data, tol=1e-10).extra["compression"]
        assert {**single, "at": cell["at"]} == cell
        bounds.append((single["bound"] if single["bound"] is not None else 2.0, -cell["at"]))
    least, at = min(bounds)
    assert (found["bound"], found["choice"]) == (least, -at)
    assert found["from"] <= found["choice"] <= found["to"]
    ends = [(piece["from"], piece["to"]) for piece in block["pieces"]]
    assert (found["from"], found["to"]) in ends
    assert "points fix the solution, by their margins or as centres" in path_parts(block)[-2]


def test_where_no_value_has_a_bound_the_reason_is_told() -> None:
    spec = rp.L1SVM(kernels="poly:1")
    block = rp.path(spec, points(2, "ball"), "beta=0.05..0.5", by="compression")
    found = block["compression"]
    assert (found["choice"], len(found["cells"])) == (None, 25)
    assert "use `scale='unit'`" in found["refused"]
    assert path_parts(block)[-1] == f"theory     no compression bound: {found['refused']}"


def test_without_it_nothing_is_said() -> None:
    block = rp.path(rp.L1SVM(kernels="poly:1"), points(2), "beta=0.05..0.5")
    assert block["compression"] is None
    assert not any("theory" in part for part in path_parts(block) if isinstance(part, str))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"values": 9}, "only with by compression"),
        ({"by": "compression", "values": 1}, "at least 2"),
        ({"by": "bound"}, "compression"),
    ],
)
def test_refused(options: dict[str, Any], words: str) -> None:
    with pytest.raises(rp.RadprogError, match=words):
        rp.path(rp.L1SVM(kernels="poly:1"), points(2), "beta=0.05..0.5", **options)


def test_paths_of_boosting_have_none() -> None:
    data = rp.series(np.random.default_rng(0).normal(size=(8, 6)), [1, -1] * 4)
    with pytest.raises(rp.RadprogError, match="path of vkr or l1svm"):
        rp.path(rp.LPBoost(length="3"), data, "nu=0.3..0.5", by="compression")
