"""What notebooks show of data, runs, solutions, paths and analyses."""

import json
import re
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


def test_a_run_tells_what_its_kind_has(data) -> None:
    run = rp.fit(rp.VKR(kernels="poly:1-7"), data)
    told = cells(run)
    assert told["training error"] == f"{run.summary['training_error']:.6g}"
    assert told["support vectors"] == str(run.summary["support_vectors"])
    gaps = [f"{record.gap:.2g}" for record in run.trace][-5:]
    assert told["trace"].startswith(f"{len(run.trace)} iterations, gap ")
    assert told["trace"].endswith(", ".join(gaps))
    assert len(run._repr_html_()) < 2000
    several = rp.dataset(data.X, np.array(["<a>", "b", "c"])[np.arange(12) % 3], one_vs_rest=True)
    assert "&lt;a&gt;" in several._repr_html_()
    values = cells(rp.fit(rp.SVR(C=1.0, starts=1), rp.regression_data(data.X, data.X[:, 0])))
    assert "training error" not in values
    assert int(values["support vectors"]) > 0
    assert cells(rp.fit(rp.CDSK(clusters=2), rp.partly_labelled(data.X)))["clusters"] == "2"


def test_a_path_is_shown_as_it_is_printed(data) -> None:
    path = rp.path(rp.L1SVM(kernels="poly:1"), data, ("beta", 1e-2, 1e-1), by="compression")
    first = str(path).splitlines()[0]
    assert first.startswith("path of beta from 0.01 to 0.1: ")
    assert repr(path).startswith(f"<Path: {first}; certified  within ")
    assert escape(first) in path._repr_html_()
    assert "<table>" in path._repr_html_()
    assert json.loads(json.dumps(path)) == path


def test_answers_have_a_short_name(data, tmp_path) -> None:
    spec = rp.L1SVM(kernels="poly:1", beta=1e-2)
    table = rp.tune(spec, data, {"beta": [1e-2, 1e-1]}, folds=2)
    assert repr(table).startswith("<Tuned: choice     beta=")
    assert "choice     beta=" in str(table)
    values = rp.complexity(spec, data, trials=3)
    assert repr(values).startswith("<Complexities: l1svm on ")
    assert "standard error" in str(values)
    model = rp.build(spec, data)
    told = repr(rp.solve(model))
    assert re.fullmatch(r"<Solution by highs: optimal, objective \S+, gap \S+>", told)
    rp.export(model, tmp_path / "a.mps")
    assert repr(rp.verify(tmp_path / "a.mps")).endswith(", agrees>")
    with pytest.raises(rp.OptionError, match=r"is not a model: .*SimSVM; rp\.solve"):
        rp.fit(model, data)


def test_an_analysis_is_shown_as_it_is_printed(data) -> None:
    report = rp.analyze(rp.L1SVM(kernels="poly:1"), data)
    shown = report._repr_html_()
    assert re.search(r"status     optimal: objective", shown)
    assert "binding rows" in shown
    assert "&gt;=" in shown
    assert json.loads(json.dumps(report)) == report
