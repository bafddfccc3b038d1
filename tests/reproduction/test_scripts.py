"""The scripts of ``reproduction/``: the public interface, short runs on the papers' data, tests."""

import ast
import csv
import importlib
import math
import os
import re
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import ttest_rel
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs, make_circles
from sklearn.metrics.pairwise import rbf_kernel

import radprog as rp

FOLDER = Path(__file__).resolve().parents[2] / "reproduction"
# The shortest part of each script, a number or name that the paper prints, and ours at seed 0.
SHORT = {
    "vkr_table1": (["--sets", "ionosphere"], "6.54", "8.26"),
    "vkr_gaussian": (["--sets", "ionosphere"], "are not always as significant", "5.70"),
    "lpboost_table1": (["--sets", "TwoLeadECG"], "93.5", "97.7"),
    "similarity": (["--sets", "iris"], "prints no table", "84.7"),
    "svr_figure2": (["--sets", "std"], "the paper shows one, where it is", "6.4"),
    "mkl_figure2": (["--sets", "100"], "85.2", "82.4"),
    "mkl_table1": (["--sets", "cosine"], "59.6", "61.1"),
}


def script(name: str):
    return importlib.import_module(name)


def call(name: str, *arguments: str) -> int:
    """Run a script with these arguments, in this process."""
    module = script(name)
    rows = getattr(module, "ROWS", None) or module.rows
    claims = getattr(module, "claims", lambda rows: ())
    return module.TABLE.run(rows, claims, getattr(module, "draw", None), arguments)


SCRIPTS = sorted(p.stem for p in FOLDER.glob("*.py") if "script(__name__" in p.read_text())


def test_every_script_is_tried_and_described() -> None:
    assert sorted(SHORT) == SCRIPTS
    page = (FOLDER / "README.md").read_text()
    for name in SCRIPTS:
        assert f"`{name}.py`" in page
    stored = {path.name for path in (FOLDER / "outputs").iterdir()}
    assert stored == set(re.findall(r"`(\w+\.csv)`", page))


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.py")), ids=lambda path: path.stem)
def test_a_script_uses_public_names_alone(path: Path) -> None:
    tree = ast.parse(path.read_text())
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            assert not node.module.startswith("radprog"), ast.unparse(node)
        if isinstance(node, ast.Import):
            assert not any(one.name.startswith("radprog.") for one in node.names)
        if isinstance(node, ast.Attribute):
            assert not re.match("_[^_]", node.attr), ast.unparse(node)
            if isinstance(node.value, ast.Name) and node.value.id == "rp":
                assert node.attr in rp.__all__


# a minute or half of one, or a fifth
LONG = "mkl_figure2", "mkl_table1", "lpboost_table1", "svr_figure2"
RUNS = [pytest.param(name, marks=[pytest.mark.slow] * (name in LONG)) for name in SHORT]


@pytest.mark.parametrize("name", RUNS)
@pytest.mark.thorough
@pytest.mark.cases(1000)
@pytest.mark.data
def test_a_short_run(name: str, tmp_path: Path, capsys) -> None:
    arguments, printed, ours = SHORT[name]
    out, picture = tmp_path / "rows.csv", tmp_path / "figure.png"
    if hasattr(script(name), "draw"):
        arguments = [*arguments, "--plot", str(picture)]
    assert call(name, "--quick", "--csv", str(out), *arguments) == 0
    text = capsys.readouterr().out
    assert text.startswith("quick: ")
    assert [words for words in (printed, ours, "(paper)") if words not in text] == []
    rows = list(csv.DictReader(out.read_text().splitlines()))
    shown = [line for line in text.splitlines() if line.startswith(arguments[1] + " ")]
    assert len(rows) == len(shown) > 2
    assert picture.exists() == hasattr(script(name), "draw")


@pytest.mark.parametrize("name", SCRIPTS)
def test_bad_options_and_data_are_refused_with_one_line(name: str, tmp_path: Path, capsys) -> None:
    beside, out = [], str(tmp_path / "none" / "r.csv")
    bad = {"--sets nobody": "nobody", "--seed -1": "--seed", "--jobs 0": "--jobs"}
    bad[f"--csv {out}"] = "none"
    if script(name).TABLE.data:
        beside = ["--data", str(tmp_path)]
        bad["--data nowhere"] = "nowhere"
        bad[f"--sets {script(name).TABLE.default[0]}"] = str(tmp_path)
    for words, named in bad.items():
        assert call(name, *beside, *words.split(" ", 1)) == 2, words
        streams = capsys.readouterr()
        assert (streams.out, streams.err.count("\n")) == ("", 1)
        assert named in streams.err


def test_data_of_another_hash_are_named(tmp_path: Path, capsys) -> None:
    (tmp_path / "vkr").mkdir()
    (tmp_path / "vkr" / "german.csv").write_text("1,2\n")
    assert script("common").data_file(tmp_path, "vkr/german.csv").is_file()
    assert "expected f87ef799" in capsys.readouterr().err


def test_ctrl_c_keeps_the_rows_before_it(capsys) -> None:
    module = script("svr_figure2")

    def rows(options):
        yield dict.fromkeys([column.key for column in module.TABLE.columns])
        raise KeyboardInterrupt

    assert module.TABLE.run(rows, arguments=[]) == 1
    assert len(capsys.readouterr().out.splitlines()) > 3


@pytest.mark.parametrize("seed", range(6))
def test_a_paired_t_test_is_scipys_and_needs_a_variance(seed: int) -> None:
    test, rng = script("common").paired_t_test, np.random.default_rng(seed)
    n, shift = int(rng.integers(2, 12)), float(rng.choice([-0.3, 0.0, 1 / 3, 2.0]))
    ours, other = rng.random((2, n))
    for side in ("less", "two-sided"):
        p, words = test((ours - other).tolist(), side)
        assert p == pytest.approx(ttest_rel(ours, other, alternative=side).pvalue)
        assert f"{n - 1} degrees of freedom" in words
    # differences that are equal up to rounding, and a single one, have no test
    assert test((other + shift - other).tolist()) == (
        None, f"{shift:+z.1f}, no t-test: the differences are equal",
    )  # fmt: skip
    assert test([shift])[0] is None


def test_a_setting_is_chosen_by_its_mean_over_draws() -> None:
    """Each draw alone chooses another setting than the mean does."""
    areas = ((0.9, 0.8, 0.0), (0.0, 0.8, 0.9))
    draws = [{"areas": {"l1": [{"validation": area} for area in one]}} for one in areas]
    chosen = script("mkl_figure2").chosen
    assert ([chosen([one], "l1") for one in draws], chosen(draws, "l1")) == ([0, 2], 1)


def test_information_gains_by_hand() -> None:
    y = np.array([1.0, 1.0, -1.0, -1.0])
    F = np.array([[1.0, 2, 3, 4], [1, 3, 2, 4], [1, 1, 1, 1], [0, 0, 0, 5]])
    third = math.log(2) - 0.75 * (-(2 / 3) * math.log(2 / 3) - (1 / 3) * math.log(1 / 3))
    gains = script("lpboost_table1").information_gains(F, y)
    np.testing.assert_allclose(gains, [math.log(2), third, 0.0, third], atol=1e-15)


def test_mcnemar() -> None:
    ours, peer = np.zeros(20, dtype=bool), np.zeros(20, dtype=bool)
    assert script("lpboost_table1").mcnemar(ours, peer) == (0, 0, 1.0)
    ours[:6], peer[5:7] = True, True
    won, lost, p = script("lpboost_table1").mcnemar(ours, peer)
    assert (won, lost) == (1, 5)
    assert p == pytest.approx(2 * (1 + 6) / 2**6)


def test_kernel_means_are_means_of_a_linear_kernel_and_part_circles() -> None:
    kernel_means = script("similarity").kernel_means
    X, _ = make_blobs(80, centers=4, cluster_std=2.0, random_state=0)
    codes = kernel_means(X @ X.T, 4, 0)
    inertia = sum(((X[codes == k] - X[codes == k].mean(axis=0)) ** 2).sum() for k in range(4))
    assert inertia == pytest.approx(KMeans(4, n_init=10, random_state=0).fit(X).inertia_, rel=0.01)
    X, y = make_circles(120, factor=0.2, noise=0.02, random_state=0)
    assert abs(np.corrcoef(kernel_means(rbf_kernel(X, gamma=4.0), 2, 0), y)[0, 1]) == 1.0


def test_every_class_has_a_label() -> None:
    codes = np.array([0] * 30 + [1] * 30 + [2, 3])
    for seed in range(3):
        hidden = script("similarity").hidden_rows(codes, seed)
        assert set(np.delete(codes, hidden)) == {0, 1, 2, 3}
        assert 53 <= len(hidden) <= 55


def test_a_tie_is_no_win_and_is_left_out_of_the_test() -> None:
    accuracies = {"cdsk": (80, 70, 60, 50), "KMeans": (70, 60, 60, 40), "GMM": (80, 70, 60, 50)}
    rows = [
        {"set": f"set {i}", "task": "clustering", "method": method, "accuracy": float(values[i])}
        for method, values in accuracies.items()
        for i in range(4)
    ]
    claims = script("similarity").claims
    first, second, *others = claims(rows)
    assert first == "cdsk is the most accurate on 0 of 4 sets, level with the best on 4"
    # three wins of three without a tie: 2 of the 8 signs are as one-sided, p = 2/8
    assert second.startswith("cdsk against KMeans: ahead on 3, behind on 0, level on 1, +7.5")
    assert "p = 0.25" in second
    assert not any("GMM" in sentence for sentence in others)
    # one set, or one without a tie, has no test
    _, one, *_ = claims([row for row in rows if row["set"] == "set 0"])
    assert one.endswith("no test, which needs two sets")


@pytest.mark.data
def test_the_list_of_data_files_has_their_state(capsys, monkeypatch) -> None:
    monkeypatch.setattr("sys.argv", ["data.py", "--data", os.environ["RADPROG_DATA"]])
    script("data").main()
    lines = {line.split()[0]: line for line in capsys.readouterr().out.splitlines()}
    assert "1000        24  present" in lines["vkr/german.csv"]
    assert " absent " in lines["vkr/vertebral.csv"]
