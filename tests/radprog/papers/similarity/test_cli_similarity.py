"""Clustering, label propagation and the similarity machine from the command line and Python."""

import re
from pathlib import Path

import numpy as np
import pytest
from small_files import write_csv
from written import result_in

from radprog.tuning import edges_of

CENTRES = {"ann": (0.0, 0.0), "bob": (4.0, 0.0), "cid": (0.0, 4.0)}


def save_blobs(path: str, n: int, seed: int, known: int = 99) -> None:
    """Rows of three well separated classes; only the first ``known`` of each keep their label."""
    rng, rows = np.random.default_rng(seed), np.arange(3 * n)
    X = 0.5 * rng.normal(size=(3 * n, 2)) + np.repeat(list(CENTRES.values()), n, axis=0)
    names = np.where(rows % n < known, np.repeat(list(CENTRES), n), "?")
    write_csv(path, X, names, head="x,y,class")


@pytest.fixture
def points(folder) -> None:
    save_blobs("all.csv", 12, 0)
    save_blobs("part.csv", 12, 0, known=2)
    save_blobs("new.csv", 5, 1)


def solved(radprog, model: str, file: str, *options: object) -> tuple[dict, str]:
    found = radprog.ok("solve", model, file, *options, "--json", "r.json", "--save", "f.json")
    return result_in(), found.out


def test_a_part_without_labels_is_flagged_not_guessed(radprog, points) -> None:
    save_blobs("cut.csv", 8, 0)
    Path("cut.csv").write_text(Path("cut.csv").read_text().replace("cid", ""))
    result, out = solved(radprog, "lpdsk", "cut.csv", "--neighbours", 3)
    assert result["fit"]["labels"][16:] == [-1] * 8
    assert any("no label reaches 8 rows" in warning for warning in result["warnings"])
    assert "unreached" in out


def test_the_objective_of_the_labels_is_beside_that_of_the_relaxation(radprog, points) -> None:
    for model in ("cdsk all.csv --clusters 3", "lpdsk part.csv"):
        result, out = solved(radprog, *model.split())
        value = result["fit"]["labelled_objective"]
        assert value != result["objective"]
        assert f"labelled   (12) at these labels is {value:.7g}; objective: a relaxation" in out
    result, out = solved(radprog, "cdsk", "all.csv", "--objective", "ise")
    assert "labelled   (18) + lam1 (19) at these labels is" in out
    assert any("3 classes, and 2 clusters" in warning for warning in result["warnings"])


def test_tuning_without_labels_and_by_labels_held_out(radprog, points) -> None:
    grid = ("--grid", "bandwidth=0.1*median,0.5*median,1e-9", "--json", "t.json")
    for by in ("distortion", "objective", "eigengap"):
        found = radprog.ok("tune", "cdsk", "all.csv", "--clusters", 3, *grid, "--by", by)
        table = found.json
        assert table["by"] == by
        scores = [cell["score"] for cell in table["cells"]]
        assert scores[2] is None
        assert "similar to no other row" in table["cells"][2]["message"]
        assert scores[table["best_index"]] == min(scores[:2])
        assert "degree 0" in found.out
        assert "2 of 3 settings scored, the least is best" in found.out
        assert ("minus eigengap" in found.out) == (by == "eigengap")
    more = "--grid bandwidth=0.5*median,100*median --grid class_mass=yes,no --folds 2 --save f.json"
    found = radprog.ok("tune lpdsk part.csv", more)
    assert "4 of 4 settings" in found.out
    radprog.ok("predict f.json new.csv -o o.csv")
    assert "distortion" in radprog("tune", "lpdsk", "part.csv", *grid, "--by", "distortion").err
    scales = ("--grid", "scale=none,standard", "--folds", 2)
    table = radprog("tune", "lpdsk", "part.csv", *scales, "--json", "-").json
    assert [cell["params"] for cell in table["cells"]] == [{"scale": "none"}, {"scale": "standard"}]
    assert all(cell["standard_error"] >= 0 for cell in table["cells"])
    found = radprog("tune", "cdsk", "all.csv", *grid, "--time-limit", 1e-9)
    assert (found.code, "ended before the first" in found.error) == (1, True)


def test_fewer_than_two_clusters_are_not_advised() -> None:
    # two is the least number, but not the largest one
    grid = [{"clusters": k} for k in (2, 3, 4)]
    assert edges_of({"clusters": 2}, grid) == []
    assert "larger one may be better" in edges_of({"clusters": 4}, grid)[0]
    assert "smaller one may be better" in edges_of({"lam": 2}, [{"lam": k} for k in (2, 3, 4)])[0]


def test_a_choice_with_a_cluster_of_two_rows_says_so(radprog, empty) -> None:
    """Two rows far from all others, and one graph that falls apart there."""
    rng = np.random.default_rng(0)
    clouds = rng.normal(size=(30, 2)), rng.normal(size=(30, 2)) + 4.0
    write_csv("far.csv", np.vstack([*clouds, [[40, 40], [41, 40]]]))
    asked = ("--label", "none", "--clusters", 3, "--grid", "bandwidth=4,8,16")
    found = radprog.ok("tune", "cdsk", "far.csv", *asked, "--json", "t.json")
    cells = found.json["cells"]
    assert sorted(cells[0]["sizes"]) == [2, 30, 30]
    assert re.search(r"distortion  cluster sizes +settings", found.out)
    assert "the smallest cluster of the choice has 2 of 62 rows" in found.out
    assert "bandwidth 4 is the smallest of the grid: a smaller one may be better" in found.out
