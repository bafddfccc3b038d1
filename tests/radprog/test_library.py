"""The stored instances: every capable solver finds the value that stands beside them."""

import json
import shutil
from pathlib import Path

import pytest
from processes import PATIENCE

from radprog.base.errors import RadprogError
from radprog.exporting import names_path, read_names, verify
from radprog.solvers.program import SolveSettings
from radprog.solvers.registry import SOLVERS

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "instances" / "library"
INDEX = json.loads((FOLDER / "index.json").read_text())
INSIDE = ("highs", "scip")
LIMIT = SolveSettings(time_limit=PATIENCE)


def capable(names) -> list[tuple[str, str]]:
    return [
        (row["file"], name)
        for row in INDEX
        for name in names
        if row["class"] in SOLVERS[name].declared.classes
        and "mps" in SOLVERS[name].declared.formats
    ]


def agrees(file: str, reader: str) -> None:
    verdict = verify(FOLDER / file, reader, time_limit=PATIENCE)
    (row,) = [row for row in INDEX if row["file"] == file]
    assert verdict.answer.status == row["status"]
    assert verdict.agrees, (verdict.answer.status, verdict.difference, verdict.violation)
    if row["status"] == "optimal":
        assert verdict.objective == pytest.approx(row["value"], rel=1e-6, abs=1e-6)


def some(file: str, reader: str):
    """SCIP alone reads squares and is slow: one file of every class and status by default."""
    (row,) = [row for row in INDEX if row["file"] == file]
    alike = [(r["class"], r["status"]) for r in INDEX[INDEX.index(row) + 1 :]]
    again = reader == "scip" and (row["class"], row["status"]) in alike
    return pytest.param(file, reader, marks=[pytest.mark.slow] if again else [])


@pytest.mark.parametrize(
    ("file", "reader"), [some(file, reader) for file, reader in capable(INSIDE)]
)
def test_readers_agree(file: str, reader: str) -> None:
    agrees(file, reader)


def test_a_feasible_file_is_not_infeasible_and_the_other_way_round(tmp_path: Path) -> None:
    for file, status in (("vkr-primal-plain", "infeasible"), ("vkr-primal-infeasible", None)):
        path = tmp_path / f"{file}.mps.gz"
        shutil.copy(FOLDER / path.name, path)
        names = read_names(FOLDER / path.name)
        names = {key: value for key, value in names.items() if key != "expected_status"}
        if status is not None:
            names |= {"expected_status": status, "expected_objective": None}
        names_path(path).write_text(json.dumps(names))
        assert not verify(path, "highs", time_limit=PATIENCE).agrees
    names_path(path).write_text(json.dumps(names | {"expected_status": "odd"}))
    with pytest.raises(RadprogError, match="not the names"):
        verify(path)
