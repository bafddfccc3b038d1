"""The training error that a result reports is that of its saved fit on the same rows, ties at 0
included, where kernel values span many orders of magnitude and where there is no coefficient."""

import json
from pathlib import Path

import numpy as np
import pytest

import radprog as rp
from radprog.catalog import CATALOG
from radprog.result import errors_on

HARSH = ("--kernels", "poly:8", "--scale", "standard")
CASES = [
    ("svm", HARSH),
    ("svm", ("--kernels", "poly:9", "--scale", "unit", "--C", "1e7")),
    ("svm", ("--kernels", "poly:6", "--C", "1e-9")),
    ("svm", (*HARSH, "--solver", "piqp")),
    ("simsvm", HARSH),
    ("simsvm", ("--kernels", "poly:6", "--lam", "1e-6")),
    ("simsvm", ("--kernels", "rbf:1", "--lam", "1e9")),
    ("mkl", ("--kernels", "poly:1-8", "--normalize", "none", "--tail-budget", "1", "--theta", "1")),
    ("mkl", ("--kernels", "linear,rbf:1", "--C", "1e-9")),
    ("vkr", ("--kernels", "poly:1-6", "--scale", "standard", "--beta", "1e-3")),
    ("vkr", ("--kernels", "rbf:1", "--beta", "1e3")),
    ("l1svm", ("--kernels", "poly:6", "--scale", "standard", "--beta", "1e-6")),
    ("l1svm", ("--kernels", "linear", "--beta", "1e3")),
]


@pytest.fixture
def points(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Heavy tails: 60 rows of five features with outliers up to some thousands."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(7)
    X = rng.standard_t(1.2, size=(60, 5))
    y = np.where(X[:, 0] + np.tanh(X[:, 1]) + 0.5 * rng.normal(size=60) > 0, "b", "a")
    rows = [",".join([*map(repr, row), label]) for row, label in zip(X.tolist(), y, strict=True)]
    Path("x.csv").write_text("\n".join(["f1,f2,f3,f4,f5,y", *rows]) + "\n")
    return "x.csv"


@pytest.mark.parametrize(
    ("model", "options"), CASES, ids=lambda part: part if isinstance(part, str) else " ".join(part)
)
def test_the_saved_fit_repeats_the_training_error(radprog, points, model, options) -> None:
    found = radprog("solve", model, points, *options, "--json", "r.json", "--save", "f.json")
    assert found.code in (0, 1), found  # 1: not certified
    result = json.loads(Path("r.json").read_text())
    saved = rp.load_fit("f.json")
    data = CATALOG[model].hooks.read(points, like=saved.data)
    error = errors_on(model, saved.fit, data)["error"]
    assert error == result["fit"]["training_error"]
    if not result["fit"]["coefficients"]:
        assert error == float(np.mean(data.targets < 0))
