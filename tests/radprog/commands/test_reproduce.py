"""The papers' tables and figures beside ours."""

import csv
import importlib.util
import json
import math
import os
import signal
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure
from processes import ended
from scipy.stats import ttest_rel

import radprog as rp
from radprog import figures
from radprog.base.limits import OutOfBudget
from radprog.commands import reproduce
from radprog.decompositions.sweeps.units import Inside
from radprog.instances import papers_data
from radprog.papers.lpboost import reproduce as reproduce_lpboost
from radprog.papers.mkl import reproduce as reproduce_mkl
from radprog.papers.regression import plot as plot_svr
from radprog.papers.regression import reproduce as reproduce_svr
from radprog.papers.similarity import reproduce as reproduce_similarity
from radprog.papers.vkr import reproduce as reproduce_vkr
from radprog.reporting import table_page
from radprog.reproducing import DECLARED, Job, table_named
from radprog.terminal.output import wrapped


def series(rows: int, seed: int) -> str:
    """Series of two classes: a bump, early or late."""
    rng = np.random.default_rng(seed)
    lines = []
    for row in range(rows):
        label = 1 + row % 2
        values = 0.3 * rng.normal(size=24)
        start = rng.integers(2, 8) if label == 1 else rng.integers(12, 18)
        values[start : start + 4] += 2.0 * (3 - 2 * label)
        lines.append("\t".join([str(label), *map(repr, values.tolist())]))
    return "\n".join(lines) + "\n"


@pytest.fixture
def archive(folder) -> Path:
    """A folder of data whose GunPoint is small."""
    (folder / "ucr").mkdir()
    (folder / "ucr" / "GunPoint_TRAIN.tsv").write_text(series(12, 0))
    (folder / "ucr" / "GunPoint_TEST.tsv").write_text(series(20, 1))
    return folder


@pytest.mark.thorough
def test_shapelets_beside_the_paper(radprog, archive) -> None:
    found = radprog.ok("reproduce", "lpboost-table1", "--data", archive, "--sets", "GunPoint",
                    "--force", "--quick", "--json", "r.json")  # fmt: skip
    report = json.loads(Path("r.json").read_text())
    assert (report["complete"], report["quick"], report["seed"]) == (True, True, 0)
    peer, *rows = report["rows"]
    assert (peer["method"], peer["paper_accuracy"]) == (reproduce_lpboost.IG_SVM, 100.0)
    assert peer["accuracy"] == 100 - 5 * len(peer["wrong_rows"])
    assert [row["method"] for row in rows] == list(reproduce_lpboost.METHODS)
    for row in rows:
        won, lost = (set(one["wrong_rows"]) for one in (peer, row))
        assert (row["won"], row["lost"]) == (len(won - lost), len(lost - won))
        assert 0.0 < row["p"] <= 1.0
        assert (row["paper_accuracy"], row["paper_lts"]) == (98.7, 99.6)
        assert row["certified"] == ("l1" not in row["method"])
        assert row["difference"] == pytest.approx(row["accuracy"] - 98.7)
        assert row["hypotheses"] >= 1
        assert 0.0 < row["nonzero_share"] <= 100.0
        assert row["accuracy"] >= 80.0
        p = (row["accuracy"] / 100 * 20 + 1) / 22
        assert row["standard_error"] == pytest.approx(100 * (p * (1 - p) / 20) ** 0.5)
    assert found.out.startswith("quick: 3 folds")
    assert "5-fold" not in found.out
    assert "ours - paper" in found.out
    assert rows[0]["ties"] is None
    assert rows[1]["ties"] >= 1
    assert "(paper)" in found.out
    assert "note: " in found.out
    assert "98.7" in found.out


def test_a_quick_figure_says_so() -> None:
    table = table_named("lpboost-table1")
    row = {"set": "A", "method": "b", "accuracy": 1.0, "standard_error": 0.1, "paper_accuracy": 2.0}
    with pytest.MonkeyPatch.context() as patch:
        kept: list[str] = []
        patch.setattr(figures, "save", lambda figure, path, title: kept.append(title))
        table.plot([row], "f.png", quick=True)
        table.plot([row], "f.png", quick=False)
    assert kept == [f"quick: {table.quick}", ""]


def drawn_titles(rows) -> list[str]:
    """Titles of the panels of svr-figure2."""
    with pytest.MonkeyPatch.context() as patch:
        kept: list[Figure] = []
        patch.setattr(plot_svr, "save", lambda figure, path, title: kept.append(figure))
        plot_svr.plot_choices(rows, "f.png")
    return [axes.get_title() for axes in kept[0].axes]


@pytest.mark.parametrize(
    ("gamma", "A", "least", "edge"),
    [(1.0, 1.0, 1.0, None), (1.0, 10.0, 1.0, "A*"), (0.1, 1.0, 0.1, "gamma*, A of least MAPE")],
)
def test_on_the_edge(gamma, A, least, edge) -> None:
    spec = rp.SRM(gammas="0.1,1,10", As="0.1,1,10")
    assert reproduce_svr.on_edge(spec, {"gamma": gamma, "A": A}, least) == edge


def test_the_claim_says_where_the_edge_is() -> None:
    row = {"set": "std", "by": "RC", "coincide": True, "edge": None, "mape": 3.0}
    (claim,) = reproduce_svr.claims([row, row | {"edge": "A*"}, row | {"coincide": False}])
    assert "2 of 3 samples, 1 of these with a minimiser on the edge of the grid" in claim
    seeds = [row | {"seed": seed} for seed in range(3)]
    rivals = [row | {"by": "VC", "seed": seed, "mape": 4.0 + seed} for seed in range(3)]
    claim, other = reproduce_svr.claims([*seeds, *rivals])
    assert "edge" not in claim
    assert "the A that VC chooses" in other
    assert "MAPE 5.0 %" in other
    assert "against RC +2.0 +- 0.6, t = 3.46 with 2 degrees of freedom, p = 0.074" in other
    _, single = reproduce_svr.claims([seeds[0], rivals[0]])
    assert "against RC +1.0, one difference: no t-test" in single
    # a terminal breaks it
    lines = wrapped([f"claim: {other}"], 60)
    assert max(map(len, lines)) <= 60
    assert " ".join(map(str.strip, lines)) == f"claim: {other}"


@pytest.mark.thorough
def test_the_bound_beside_the_least_error(radprog, folder, monkeypatch) -> None:
    monkeypatch.setattr(reproduce_svr, "QUICK_GRID", "1e-1,2")
    monkeypatch.setattr(reproduce_svr, "QUICK_TRIALS", 3)
    found = radprog.ok("reproduce svr-figure2 --quick --seed 3 --json - --plot f.svg --sets std")
    assert found.err.startswith("svr-figure2 --quick takes about ")
    report = json.loads(found.out)
    every = report["rows"]
    rows = [row for row in every if row["by"] == "RC"]
    assert report["protocol"].startswith("2 seeds")
    assert {row["by"] for row in every} == {"RC", "MD", "folds", "BIC", "VC"}
    least = {row["seed"]: row["bound"] for row in rows}
    assert all(row["bound"] >= least[row["seed"]] for row in every if row["by"] != "MD")
    assert [row["seed"] for row in rows] == [3, 4]
    assert {row["edge"] for row in rows} == {"gamma*, A*, A of least MAPE"}  # two values a side
    assert ("edge of the grid" in report["claims"][0]) == any(row["coincide"] for row in rows)
    titles = [text for text in drawn_titles(rows) if "seed" in text]
    assert {(row["classes"], row["delta"]) for row in rows} == {(4, 0.05)}
    assert [text.split(":")[0] for text in titles] == [
        "0.05 the std, seed 3",
        "0.05 the std, seed 4",
    ]
    for row in rows:
        curve = {cell["A"]: cell for cell in row["curve"]}
        assert row["least_mape"] == min(cell["mape"] for cell in curve.values())
        assert row["coincide"] == (curve[row["A"]]["mape"] == row["least_mape"])
        assert row["bound"] == min(cell["bound"] for cell in curve.values())
        truth, h = (np.array(row["points"][key]) for key in ("truth", "h"))
        assert row["mape"] == pytest.approx(100 * np.abs((h - truth) / truth).mean())
    assert Path("f.svg").stat().st_size > 1000


@pytest.mark.thorough
def test_weights_and_areas_beside_the_paper(radprog, folder, monkeypatch) -> None:
    monkeypatch.setattr(reproduce_mkl, "SITE_CS", (1.0,))
    monkeypatch.setattr(reproduce_mkl, "SITE_THETAS", (1,))
    found = radprog.ok("reproduce", "mkl-figure2", "--quick", "--json", "-", "--plot", "f.png")
    rows = {row["method"]: row for row in json.loads(found.out)["rows"]}
    assert rows["TSS"]["paper_auc"] == 85.2
    assert rows["TSS"]["tail_0"] == pytest.approx(100.0)
    assert rows["Promo"]["tail_1"] < 30 < rows["Angle"]["tail_1"]
    assert rows["unif"]["Angle"] == pytest.approx(0.2)
    assert sum(rows["dc, p = 1"][name] for name in reproduce_mkl.SITE_PAPER) == pytest.approx(1.0)
    assert rows["conv, p = 1"]["against_l1"] > 4.0  # the first eigenvalue is the mean direction,
    assert rows["l1, centred kernels"]["against_l1"] > 4.0  # and centring removes it as well
    assert rows["dc, p = 1"]["thetas"] == "1 (2)"
    claims = json.loads(found.out)["claims"]
    assert any("conv, p = 1 against l1 +" in c and "1 degrees of freedom" in c for c in claims)
    assert Path("f.png").stat().st_size > 1000


@pytest.fixture
def voted(folder, monkeypatch) -> Path:
    """A folder whose ionosphere is small, and small grids."""
    (folder / "vkr").mkdir()
    rows = (folder / "train.csv").read_text().replace("no", "-1").replace("yes", "1")
    (folder / "vkr" / "ionosphere.csv").write_text(rows)
    monkeypatch.setattr(reproduce_vkr, "QUICK_GRID", "1e-1,1e-2")
    return folder


@pytest.mark.thorough
def test_voted_kernels_beside_the_paper(radprog, voted) -> None:
    found = radprog.ok("reproduce", "vkr-table1", "--data", voted, "--force", "--quick", "--json",
                    "r.json", "--csv", "r.csv", "--page", "r.html", "--plot", "r.png")  # fmt: skip
    report = json.loads(Path("r.json").read_text())
    assert report["sets"] == ["ionosphere"]
    assert "german" in report["missing"]
    assert "missing: " in found.out
    rows = {row["method"]: row for row in report["rows"]}
    assert list(rows) == [method.name for method in reproduce_vkr.METHODS]
    least = min((rows[name] for name in ("L2 SVM", "L1 SVM")), key=lambda row: row["error"])
    for row in rows.values():
        assert row["difference"] == pytest.approx(row["error"] - row["paper_error"])
        assert row["error"] == pytest.approx(np.mean(row["test_errors"]))
        assert row["error_std"] == pytest.approx(np.std(row["test_errors"]))
        assert (row["p_value"] is None) == (not row["voted"])
        if row["voted"] and np.ptp(np.subtract(row["test_errors"], least["test_errors"])) > 0:
            p = ttest_rel(row["test_errors"], least["test_errors"], alternative="less").pvalue
            assert row["p_value"] == pytest.approx(p)
    page = Path("r.html").read_text()
    assert "3 folds, 3 values" in page
    assert found.out.startswith("quick: 3 folds, 3 values")
    assert report["notes"][0].startswith("vkr/ionosphere.csv has SHA-256 ")
    assert "grids are the paper" not in found.out + page
    assert all(f">{row['paper_error']:.2f}</td>" in page for row in rows.values())
    assert report["claims"][0] in page
    assert Path("r.png").stat().st_size > 1000
    assert any("of 1 sets" in claim for claim in report["claims"])
    lines = list(csv.DictReader(Path("r.csv").read_text().splitlines()))
    assert [line["method"] for line in lines] == list(rows)
    assert [float(line["error"]) for line in lines] == [row["error"] for row in rows.values()]


@pytest.mark.thorough
def test_a_table_is_the_same_by_two_processes_and_from_a_checkpoint(radprog, voted) -> None:
    found = []
    given = ("reproduce", "vkr-gaussian", "--data", voted, "--force", "--quick", "--json", "r.json")
    for more in ((), ("--jobs", 2, "--checkpoint", "kept"), ("--checkpoint", "kept")):
        assert radprog(*given, *more).code == 0
        found.append(Path("r.json").read_bytes())
    assert found[0] == found[1] == found[2]
    radprog.refused("whose seed differs", *given, "--checkpoint", "kept", "--seed", 1)


def write_clusters(folder: Path, *names: str) -> None:
    """Sets of the table, each of three clusters that stand apart."""
    (folder / "clustering").mkdir()
    rng = np.random.default_rng(0)
    points = np.repeat([[0.0, 0.0], [6.0, 0.0], [0.0, 6.0]], 12, axis=0) + rng.normal(size=(36, 2))
    labels = np.repeat(["a", "b", "c"], 12)
    lines = [f"{x!r},{y!r},{label}" for (x, y), label in zip(points.tolist(), labels, strict=True)]
    for name in names:
        (folder / "clustering" / f"{name}.csv").write_text("\n".join(lines) + "\n")


@pytest.mark.thorough
def test_similarities_beside_scikit_learn(radprog, folder) -> None:
    write_clusters(folder, "iris")
    found = []
    for more in ((), ("--jobs", 2)):
        radprog.ok("reproduce similarity --data", folder, "--force --quick --json r.json", *more)
        found.append(Path("r.json").read_bytes())
    assert len(set(found)) == 1
    rows = json.loads(found[0])["rows"]
    assert {row["method"] for row in rows} >= {"cdsk", "KMeans", "kNN-spectral", "GMM", "lpdsk"}
    assert all(row["accuracy"] > 60.0 for row in rows)


def test_every_class_has_a_label() -> None:
    data = rp.partly_labelled(np.arange(62.0)[:, None], [0] * 30 + [1] * 30 + [2, 3])
    for seed in range(3):
        hidden = reproduce_similarity.hidden_rows(data, seed)
        assert set(np.delete(data.codes, hidden)) == {0, 1, 2, 3}
        assert 53 <= len(hidden) <= 55


@pytest.mark.parametrize(
    ("ours", "others", "p"),
    [
        ([0.1, 0.2], [[0.1, 0.2]], 0.5),
        ([0.1, 0.2], [[0.2, 0.3], [0.9, 0.9]], 0.0),
        ([0.2, 0.3], [[0.1, 0.2]], 1.0),
        ([0.1, 0.2, 0.1], [[0.2, 0.4, 0.1]], 0.113),
    ],
)
def test_paired(ours, others, p) -> None:
    assert reproduce_vkr.paired(ours, others) == pytest.approx(p, abs=5e-4)


def test_each_voted_method_has_its_own_ratio() -> None:
    first = {"set": "a", "method": "L2 SVM", "voted": False, "support_vectors": 63.0}
    voted = {"set": "a", "method": "VKR2", "voted": True, "support_vectors": 32.0}
    rows = [first, voted, voted | {"method": "VKRc", "support_vectors": 21.0}]
    one = "2.0 times the support vectors of VKR2, 3.0 times the support vectors of VKRc"
    assert reproduce_vkr.sparser(rows, ["a"]) == one
    rows += [first | {"set": "b"}, voted | {"set": "b", "support_vectors": 0.0}]
    told = reproduce_vkr.sparser(rows, ["a", "b"])
    assert told.startswith("2.0 to 63.0 times the support vectors of VKR2, 3.0 times")


def test_marks() -> None:
    """In the paper's way: bold at 5 %, italic at 10 %."""
    levels = [reproduce_vkr.mark(p) for p in (0.05, 0.1, 0.11)]
    assert levels == ["5 %", "10 %", "no"]
    rows = [{"error": 4.0, "better": level} for level in [*levels, None]]
    cells = reproduce.cells_of({"table": "vkr-table1", "rows": rows})
    assert [row[2] for row in cells.rows] == ["", "**4.00**", "*4.00*", "4.00", "4.00"]
    page = table_page({"protocol": None, "missing": (), "paper": "", "complete": True, "seed": 0,
                       "quick": False, "claims": (), "notes": ()}, "t", cells)  # fmt: skip
    for text, count in (("**4.00**", 1), ("*4.00*", 1), ("4.00", 2)):
        assert page.count(f'<td class="number">{text}</td>') == count


@pytest.mark.slow
@pytest.mark.data
def test_protein_folds(radprog, folder) -> None:
    found = radprog.ok("reproduce", "mkl-table1", "--sets", "gaussian", "--quick", "--json", "-")
    report = json.loads(found.out)
    rows = {row["method"]: row for row in report["rows"]}
    assert (rows["conv"]["paper_accuracy"], rows["conv"]["paper_theta"]) == (59.6, 8)
    assert rows["conv"]["paper_against_mkl"] == pytest.approx(2.4)
    assert all(row["certified"] and 50 < row["accuracy"] < 70 for row in rows.values())
    difference = rows["conv"]["accuracy"] - rows["MKL"]["accuracy"]
    assert rows["conv"]["against_mkl"] == pytest.approx(difference)
    assert report["claims"][0].startswith("gaussian kernels: conv against MKL")


@pytest.mark.thorough
@pytest.mark.data
def test_gun_point(radprog, folder, monkeypatch) -> None:
    monkeypatch.setattr(
        reproduce_lpboost, "METHODS", dict([*reproduce_lpboost.METHODS.items()][:1])
    )
    found = radprog("reproduce", "lpboost-table1", "--sets", "GunPoint", "--json", "-")
    peer, row = json.loads(found.out)["rows"]
    assert (peer["accuracy"], peer["difference"]) == (100.0, 0.0)
    assert row["accuracy"] == pytest.approx(100 * 148 / 150)
    assert row["test_series"] == 150
    assert (row["won"], row["lost"], row["p"]) == (0, 2, 0.5)


def test_information_gains_by_hand() -> None:
    y = np.array([1.0, 1.0, -1.0, -1.0])
    F = np.array([[1.0, 2, 3, 4], [1, 3, 2, 4], [1, 1, 1, 1], [0, 0, 0, 5]])
    third = math.log(2) - 0.75 * (-(2 / 3) * math.log(2 / 3) - (1 / 3) * math.log(1 / 3))
    gains = reproduce_lpboost.information_gains(F, y)
    np.testing.assert_allclose(gains, [math.log(2), third, 0.0, third], atol=1e-15)


def test_mcnemar() -> None:
    ours, peer = np.zeros(20, dtype=bool), np.zeros(20, dtype=bool)
    assert reproduce_lpboost.mcnemar(ours, peer) == (0, 0, 1.0)
    ours[:6], peer[5:7] = True, True
    won, lost, p = reproduce_lpboost.mcnemar(ours, peer)
    assert (won, lost) == (1, 5)
    assert p == pytest.approx(2 * (1 + 6) / 2**6)


@pytest.mark.data
def test_votes_quickly(radprog, folder, monkeypatch) -> None:
    few = [reproduce_vkr.Method("L1 SVM", "l1svm", {}, ("kernels=poly:1-2", "beta=1e-1,1e-2"))]
    monkeypatch.setattr(reproduce_vkr, "METHODS", few)
    monkeypatch.setattr(reproduce_vkr, "PAPER", {"ionosphere": ((7.12, 73.8),)})
    job = Job(sets=("ionosphere",), folder=Path(os.environ["RADPROG_DATA"]), quick=True)
    (row,) = table_named("vkr-table1").rows(job)
    assert (row["cells"], row["certified"], row["paper_error"]) == (4, 4, 7.12)
    assert 2 < row["error"] < 20
    assert job.done == job.total == 12
    assert job.complete


@pytest.mark.parametrize("name", DECLARED)
def test_every_table_is_wired(name) -> None:
    table = table_named(name)
    assert table.name == name
    assert list(table.chosen(None)) == DECLARED[name]["default"]
    folder = DECLARED[name]["folder"]
    module = importlib.import_module(f"radprog.papers.{folder}.reproduce")
    assert set(module.TABLES) == {k for k, one in DECLARED.items() if one["folder"] == folder}
    assert set(table.default) <= set(table.sets)
    assert any(column.paper for column in table.columns)
    assert table.notes
    assert table.quick
    assert set(table.remarks(True)) <= set(table.remarks(False))
    assert "ours less" not in {column.heading for column in table.columns}
    with pytest.raises(rp.OptionError, match="Nobody"):
        table.chosen("Nobody")


def test_a_file_of_another_hash_is_told(archive) -> None:
    job = Job(sets=(), folder=archive, force=True)
    read = job.file("ucr", "GunPoint_TRAIN.tsv").read_bytes()
    (told,) = job.others
    wanted = papers_data.entry("ucr/GunPoint_TRAIN.tsv").sha256
    both = f"GunPoint_TRAIN.tsv has SHA-256 {sha256(read).hexdigest()}, expected {wanted}: "
    assert told.startswith(f"ucr/{both}")
    with pytest.raises(rp.DataError, match=f"{both}.*force continues"):
        Job(sets=(), folder=archive).file("ucr", "GunPoint_TRAIN.tsv")


def test_data_of_another_hash_are_refused(radprog, archive) -> None:
    asked = ("reproduce", "lpboost-table1", "--data", archive, "--sets", "GunPoint", "--json", "r")
    assert "--force" in radprog.refused("has SHA-256", *asked)
    assert not Path("r").exists()


def test_an_interrupt_keeps_the_rows_before_it(archive) -> None:
    stop: list[bool] = []
    job = Job(
        sets=("GunPoint",), folder=archive, quick=True, force=True, interrupted=lambda: bool(stop)
    )
    rows = []
    for row in table_named("lpboost-table1").rows(job):
        rows.append(row)
        stop.append(True)
    assert [row["method"] for row in rows] == [reproduce_lpboost.IG_SVM]
    assert not job.complete
    assert job.done < job.total
    with pytest.raises(rp.UnfinishedError, match="interrupt"):
        list(table_named("lpboost-table1").rows(job))


def test_an_interrupt_keeps_the_repeats_before_it() -> None:
    stop: list[bool] = []
    job = Job(sets=(), interrupted=lambda: bool(stop))

    def sample(shared: None, seed: int, inside: Inside) -> dict[str, int]:
        if seed == 2:
            stop.append(True)
        if inside.interrupted():
            raise OutOfBudget
        return {"seed": seed}

    arguments: Any = (job, "draws", sample, None, 5, 1, {})
    assert reproduce_mkl.samples_of(*arguments) == [{"seed": 0}, {"seed": 1}]
    with pytest.raises(rp.UnfinishedError):
        reproduce_mkl.samples_of(*arguments)


@pytest.mark.thorough
def test_ctrl_c_writes_what_is_done(start, folder) -> None:
    write_clusters(folder, "iris", "seeds", "wine")
    process = start("reproduce", "similarity", "--data", folder, "--force", "--quick", "--json",
                    "r.json", "--verbose")  # fmt: skip
    line = next(line for line in process.stderr if line.startswith("seeds"))  # iris is finished
    assert " s left" in line
    process.send_signal(signal.SIGINT)
    code, _, errors = ended(process)
    assert code == 1, errors
    report = json.loads((folder / "r.json").read_text())
    assert not report["complete"]
    assert {"iris"} <= {row["set"] for row in report["rows"]} <= {"iris", "seeds"}


def test_a_tie_is_no_win() -> None:
    """iris: level with another method; wine: ahead of it."""
    scores = {"iris": (84.7, 84.7), "wine": (98.3, 96.6), "glass": (43.5, 44.5)}
    rows = [
        {"set": name, "task": "clustering", "method": method, "accuracy": accuracy}
        for name, both in scores.items()
        for method, accuracy in zip(("cdsk", "KMeans"), both, strict=True)
    ]
    first, *_ = reproduce_similarity.claims(rows)
    assert first == "cdsk is the most accurate on 1 of 3 sets, level with the best on 1"


def test_the_papers_counts_are_of_polynomial_kernels() -> None:
    """Of Gaussian kernels the paper prints no numbers, and there is no method VKR2."""
    rows = [
        {"set": "a", "method": "L2 SVM", "voted": False, "error": 5.0, "better": None,
         "support_vectors": 9.0, "difference": None},
        {"set": "a", "method": "VKRc", "voted": True, "error": 4.0, "better": "no",
         "support_vectors": 3.0, "difference": None},
    ]  # fmt: skip
    polynomial, gaussian = (reproduce_vkr.TABLES[name] for name in ("vkr-table1", "vkr-gaussian"))
    assert "5 of 11" in polynomial.claims(rows)[0]
    assert not any("the paper" in claim for claim in gaussian.claims(rows))
    assert not any("VKR2" in note for note in gaussian.notes)


def test_a_difference_has_its_t_and_degrees_of_freedom() -> None:
    """Two splits do not show what ten with the same t would."""
    row = {"set": "cosine", "method": "conv", "against_mkl": 3.0, "against_mkl_error": 1.0}
    few, many = (reproduce_mkl.fold_claims([row | {"repeats": k}])[0] for k in (2, 10))
    assert "t = 3.00 with 1 degrees of freedom, p = 0.2;" in few
    assert "t = 3.00 with 9 degrees of freedom, p = 0.015;" in many
    same = reproduce_mkl.fold_claims([row | {"against_mkl_error": 0.0, "repeats": 2}])
    assert "no t-test" in same[0]
    joint = reproduce_mkl.fold_claims([row | {"method": "conv, joint", "repeats": 2}])
    assert "conv, joint against MKL, joint +3.0 +- 1.0" in joint[0]
