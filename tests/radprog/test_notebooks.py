"""What notebooks show of data, runs, solutions, paths and analyses."""

from __future__ import annotations

import json
import re
from xml.etree import ElementTree

import numpy as np
import pytest

import radprog as rp
from radprog.catalog import entry_of
from radprog.decompositions.run import RunSettings


@pytest.fixture(scope="module")
def data() -> rp.instances.dataset.Dataset:
    X = np.random.default_rng(0).normal(size=(12, 2))
    return rp.dataset(X, np.where(X[:, 0] > 0, "<yes>", "no"), scale="ball")


def cells(shown: object) -> dict[str, str]:
    table = ElementTree.fromstring(shown._repr_html_())
    return {row[0].text or "": row[1].text or "" for row in table}


def test_tables_tell_the_result(data) -> None:
    spec = rp.L1SVM(kernels="poly:1")
    assert cells(data)["classes"] == "<yes>, no"
    assert cells(data)["rows"] == "12"
    run = rp.fit(spec, data)
    assert cells(run)["objective"] == f"{run.objective:.6g}"
    solution = rp.solve(rp.build(spec, data))
    assert cells(solution)["status"] == "optimal"
    assert float(cells(solution)["objective"]) == pytest.approx(run.objective, rel=1e-5)
    path = entry_of(spec).path(spec, data, "beta", 1e-3, 1e-1, RunSettings(), 200)
    assert cells(path)["path of"] == "beta from 0.001 to 0.1"
    assert int(cells(path)["breakpoints"]) == len(path.envelope.breakpoints)


def test_an_analysis_is_shown_as_it_is_printed(data) -> None:
    report = rp.analyze(rp.L1SVM(kernels="poly:1"), data)
    shown = report._repr_html_()
    assert re.search(r"status     optimal: objective", shown)
    assert "binding rows" in shown
    assert "&gt;=" in shown
    assert json.loads(json.dumps(report)) == report
