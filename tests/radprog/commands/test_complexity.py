"""``radprog complexity``: tables, limits and refusals; and refusals of the regression models."""

import json
from pathlib import Path

import numpy as np
import pytest
from small_files import write_csv, write_few

MODELS = [
    ("vkr", "train.csv", ("--kernels", "poly:1-2,rbf:1")),
    ("l1svm", "train.csv", ("--kernels", "rbf:1")),
    ("lpboost", "waves.tsv", ("--length", "4")),
    ("lpboost", "waves.tsv", ("--length", "4", "--learner", "l1", "--starts", "2")),
    ("mkl", "train.csv", ("--kernels", "rbf:0.1,rbf:1")),
]


@pytest.fixture
def files(folder) -> Path:
    waves = np.random.default_rng(0).normal(size=(10, 8))
    write_csv("waves.tsv", 1 + np.arange(10) % 2, waves)
    write_few(8)
    return folder  # type: ignore[no-any-return]


@pytest.mark.parametrize(("model", "file", "options"), MODELS, ids=str)
def test_tables(radprog, files, model, file, options) -> None:
    given = ("complexity", model, file, *options, "--trials", 30, "--json", "c.json")
    found = radprog.ok(*given)
    table = found.json
    assert (table["model"], table["complete"], table["kind"]) == (model, True, "rademacher")
    for row in table["classes"]:
        assert row["value"] > 0
        assert row["standard_error"] > 0
        assert (row["trials"], row["exact"]) == (30, "l1" not in options)
        assert (row["certified_upper"] is None) == ("l1" in options)
        if row["certified_upper"] is not None:
            assert row["value"] - 4 * row["standard_error"] <= row["certified_upper"]
        assert row["class"] in found.out
    assert ("too low on average" in found.out) == ("l1" in options)
    again = Path("c.json").read_text()
    assert (radprog(*given, "--seed", 0).code, Path("c.json").read_text()) == (0, again)
    assert radprog(*given, "--seed", 1).code == 0
    assert Path("c.json").read_text() != again


@pytest.mark.parametrize("model", ["svm", "vkr", "l1svm"])
def test_numeric_targets_are_refused_with_a_way_out(radprog, files, model: str) -> None:
    rng = np.random.default_rng(1)
    np.savetxt("numbers.csv", rng.normal(size=(9, 3)), delimiter=",", fmt="%.4f")
    said = radprog("complexity", model, "numbers.csv", "--kernels", "linear")
    assert said.code == 2
    assert "needs no labels: remove the column, with --label none" in said.err
    np.savetxt("points.csv", rng.normal(size=(9, 2)), delimiter=",", fmt="%.4f")
    radprog.ok("complexity", model, "points.csv", "--kernels", "linear", "--label", "none")


def test_the_upper_bound_is_the_least_known(radprog, files) -> None:
    """A local class of a wide mean square is the whole ball; Lemma 3 is below Massart's bound."""
    given = ("complexity", "svm", "few.csv", "--trials", 5, "--json", "-")
    sizes = ("", "--within 1e6", "--within 1e-3")
    whole, wide, narrow = (radprog(*given, within).json["classes"][0] for within in sizes)
    assert wide["certified_upper"] == pytest.approx(whole["certified_upper"], rel=1e-9)
    assert (wide["upper_by"], whole["upper_by"]) == ("Jensen", "Jensen")
    assert narrow["certified_upper"] < wide["certified_upper"]
    given = ("complexity", "vkr", "few.csv", "--scale", "unit", "--kernels", "poly:1")
    row = radprog(*given, "--trials", 5, "--json", "-").json["classes"][0]
    # kappa^2 = 2 for every unit row
    assert row["upper_by"] == "Lemma 3"
    assert row["certified_upper"] == pytest.approx(2.0 / np.sqrt(8))


def test_normal_numbers_in_place_of_signs(radprog, files) -> None:
    for model, file, *options in (("lpboost", "waves.tsv", "--length", 4), ("svm", "few.csv")):
        given = ("complexity", model, file, *options, "--trials", 400, "--json", "-", "--kind")
        kinds = ("gaussian", "rademacher")
        normal, signs = (radprog(*given, kind).json["classes"][0] for kind in kinds)
        # Lemma 1, with its constant; and the same bound of both
        error = normal["standard_error"] + signs["standard_error"]
        assert signs["value"] <= np.sqrt(np.pi / 2) * normal["value"] + 4 * error
        assert 0 < normal["value"] <= normal["certified_upper"] == signs["certified_upper"]
    assert "1.2533" in radprog("complexity", "svm", "few.csv", "--kind", "gaussian").out


@pytest.mark.thorough
def test_limits(radprog, files) -> None:
    given = ("complexity", "lpboost", "waves.tsv", "--length", "4", "--learner", "rkhs")
    found = radprog(*given, "--time-limit", 1e-9)
    assert found.code == 1
    assert "time_limit" in found.error
    assert radprog(*given, "--trials", 50_000, "--time-limit", 1.0, "--json", "c.json").code == 1
    table = json.loads(Path("c.json").read_text())
    assert (table["complete"], table["stopped_by"]) == (False, "time_limit")
    assert 2 <= table["classes"][0]["trials"] < 50_000
