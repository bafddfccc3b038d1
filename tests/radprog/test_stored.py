"""Stored fits, results and exports load, predict, check and report.

They lie in tests/stored; its README.md says how they were made.
"""

import json
from pathlib import Path

import pytest
from written import rows_in

import radprog as rp

STORED = Path(__file__).resolve().parent.parent / "stored"
FITS = sorted(path.name.removesuffix(".fit.json") for path in STORED.glob("*.fit.json"))
RUNS = sorted(path.name.removesuffix(".run.json") for path in STORED.glob("*.run.json"))
NUMBERS = ("score", "prediction")


def content(file: str | Path):
    return json.loads((STORED / file).read_text())


@pytest.fixture(autouse=True)
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Results name the files beside them."""
    monkeypatch.chdir(STORED)


def data_of(run: str) -> list[str]:
    """The files that a stored result was made on."""
    data = content(f"{run}.run.json")["data"]
    return data["reading"].get("views") or [data["name"]]


@pytest.mark.parametrize("name", FITS)
def test_a_fit_predicts_what_it_did(radprog, tmp_path, name) -> None:
    assert rp.load_fit(f"{name}.fit.json").model == content(f"{name}.run.json")["model"]
    new = ",".join(f"{Path(file).stem}.new{Path(file).suffix}" for file in data_of(name))
    cross = Path(f"{name}.cross.npy")
    given = ("--cross", cross) if cross.exists() else ()
    radprog.ok("predict", f"{name}.fit.json", new, *given, "-o", tmp_path / "o.csv")
    stored, found = rows_in(Path(f"{name}.predictions.csv")), rows_in(tmp_path / "o.csv")
    assert len(found) == len(stored) > 0
    for old, now in zip(stored, found, strict=True):
        assert list(now) == list(old)
        for key, value in old.items():
            if key in NUMBERS:
                assert float(now[key]) == pytest.approx(float(value), rel=1e-9, abs=1e-12)
            else:
                assert now[key] == value


@pytest.mark.parametrize("name", RUNS)
def test_a_result_holds(radprog, name) -> None:
    radprog.ok("check", f"{name}.run.json", ",".join(data_of(name)))


def test_an_analysis_is_shown_with_its_result(radprog, tmp_path) -> None:
    radprog.ok("report", "vkr-few.run.json", "--analysis", "vkr-few.analysis.json",
                   "-o", tmp_path / "page.html")  # fmt: skip
