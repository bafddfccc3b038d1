"""What notebooks show of data, runs, solutions, paths and analyses."""

import json
from html import escape
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


def test_a_path_is_shown_as_it_is_printed(data) -> None:
    path = rp.path(rp.L1SVM(kernels="poly:1"), data, ("beta", 1e-2, 1e-1))
    first = str(path).splitlines()[0]
    assert first.startswith("path of beta from 0.01 to 0.1: ")
    assert repr(path).startswith(f"<Path: {first}; certified  within ")
    assert escape(first) in path._repr_html_()
    assert "<table>" in path._repr_html_()
    assert json.loads(json.dumps(path)) == path
