"""The compression block of results: its words, and that it is checked."""

import json

import numpy as np
import pytest

import radprog as rp
from radprog.base.sections import bounded

SPECS = {
    "vkr": ("--kernels", "rbf:0.5,rbf:2", "--complexity", "none", "--beta", "0.01"),
    "l1svm": ("--kernels", "rbf:1", "--beta", "0.01"),
    "svm": ("--kernels", "rbf:1",),
    "lpboost": ("--sigma", "0.5", "--length", "5"),
}  # fmt: skip


@pytest.fixture
def files(tmp_path):
    rng = np.random.default_rng(3)
    y = np.where(np.arange(40) % 2, 1, -1)
    X = rng.normal(size=(40, 2)) + 1.2 * y[:, None]
    bumps = np.where(y > 0, 1.0, 0.0)[:, None] * np.exp(
        -0.5 * (np.arange(16) - rng.integers(4, 12, (40, 1))) ** 2
    )
    waves = rng.normal(scale=0.3, size=(40, 16)) + bumps
    np.savetxt(tmp_path / "points.csv", np.column_stack([X, y]), delimiter=",", fmt="%.6g")
    np.savetxt(tmp_path / "waves.tsv", np.column_stack([y, waves]), delimiter="\t", fmt="%.6g")
    return {name: tmp_path / ("waves.tsv" if name == "lpboost" else "points.csv") for name in SPECS}


@pytest.mark.parametrize("model", SPECS)
def test_words_and_check(radprog, files, tmp_path, model: str) -> None:
    file, run = files[model], tmp_path / "run.json"
    done = radprog("solve", model, file, *SPECS[model], "--delta", 0.1, "--json", run)
    assert "with probability 90 %, " in done.out
    found = json.loads(run.read_text())["compression"]
    assert (found["points"], found["delta"], found["refused"]) == (40, 0.1, None)
    assert ("(vacuous)" in done.out) == (found["bound"] >= 1.0)
    assert radprog("check", run, file).code == 0


def test_tuned_by_compression(radprog, files, tmp_path) -> None:
    """The least bound of the grid, each at delta over their number."""
    file, out = files["l1svm"], tmp_path / "table.json"
    done = radprog("tune", "l1svm", file, "--kernels", "rbf:1", "--grid", "beta=1e-3..1e-1:5",
                   "--by", "compression", "--json", out)  # fmt: skip
    table = json.loads(out.read_text())
    scores = []
    for beta in (cell["params"]["beta"] for cell in table["cells"]):
        spec = rp.L1SVM(kernels="rbf:1", beta=beta, delta=0.05 / 5)
        scores.append(rp.fit(spec, rp.read(file)).extra["compression"]["bound"])
    assert [cell["score"] for cell in table["cells"]] == pytest.approx(scores)
    assert table["best"]["score"] == min(scores)
    assert (table["delta"], table["complete"], done.code) == (0.05, True, 0)
    assert (
        f"error <= {bounded(min(scores), '.1%')} % with probability 95 %, no test set" in done.out
    )
    assert table["best"]["delta"] == 0.05 / 5
    assert "refit      --delta 0.01 states this bound" in done.out
