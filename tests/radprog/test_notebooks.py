"""What notebooks show of data, runs, solutions, paths and analyses."""

from xml.etree import ElementTree

import numpy as np
import pytest

import radprog as rp


@pytest.fixture(scope="module")
def data() -> "rp.instances.dataset.Dataset":
    X = np.random.default_rng(0).normal(size=(12, 2))
    return rp.dataset(X, np.where(X[:, 0] > 0, "<yes>", "no"), scale="ball")


def cells(shown: object) -> dict[str, str]:
    table = ElementTree.fromstring(shown._repr_html_())
    return {row[0].text or "": row[1].text or "" for row in table.iter("tr")}


def test_tables_tell_the_result(data) -> None:
    spec = rp.L1SVM(kernels="poly:1")
    assert cells(data)["classes"] == "<yes>, no"
    assert cells(data)["rows"] == "12"
    run = rp.fit(spec, data)
    assert cells(run)["objective"] == f"{run.objective:.6g}"
    solution = rp.solve(rp.build(spec, data))
    assert cells(solution)["status"] == "optimal"
    assert float(cells(solution)["objective"]) == pytest.approx(run.objective, rel=1e-5)
