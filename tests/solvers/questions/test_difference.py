"""Two programs compared by the names of rows and columns."""

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from radprog.cli import main
from radprog.solvers.program import Program
from radprog.solvers.questions.difference import difference_lines, differences

BEFORE = """Minimize
 cost: 2 x + 3 y + z
Subject To
 need: x + y >= 4
 room: x + 2 z <= 8
Bounds
 y <= 9
General
 z
End
"""


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("2 x + 3 y", "2 x + 5 y", "column y: cost 3 -> 5"),
        ("y <= 9", "y <= 7", "column y: upper 9 -> 7"),
        ("General\n z\n", "", "column z: integer 1 -> 0"),
        (">= 4", ">= 6", "row need: lower 4 -> 6"),
        ("x + 2 z", "x + 3 z", "entry room, z: factor 2 -> 3"),
        ("need:", "want:", "row need: removed: lower 4, 1 in x, 1 in y"),
        ("need:", "want:", "row want: added: lower 4, 1 in x, 1 in y"),
        (">= 4", "= 4", "row need: upper inf -> 4"),
        ("x + 2 z", "x + y + 2 z", "entry room, y: factor 0 -> 1"),
        ("x + 2 z", "x + 2 z + 50 w", "column w: added: 50 in room"),
        (" + z\n", " + z + 7 w\n", "column w: added: cost 7"),
        ("Minimize", "Maximize", "objective: sense 1 -> -1"),
        ("3 y + z", "z + 3 y", "the programs are the same"),
    ],
)
def test_a_change_is_named(
    old: str,
    new: str,
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.lp").write_text(BEFORE)
    Path("b.lp").write_text(BEFORE.replace(old, new))
    same = said.startswith("the programs")
    assert main(["diff", "a.lp", "b.lp", "--json", "d.json"]) == (0 if same else 1)
    assert said in capsys.readouterr().out
    found = json.loads(Path("d.json").read_text())
    assert found["same"] is same
    assert len(found["changes"]) >= (0 if same else 1)


def test_squares_and_unreadable_files_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.lp").write_text(BEFORE)
    Path("q.lp").write_text("Minimize\n x + [ x ^ 2 ] / 2\nSubject To\n r: x >= 1\nEnd\n")
    assert main(["diff", "a.lp", "q.lp"]) == 2
    assert "q.lp: a QP: expected no squares" in capsys.readouterr().err
    assert main(["diff", "a.lp", "none.lp"]) == 2


EMPTY = {"cost": 0.0, "lower": 0.0, "upper": np.inf, "integer": 0.0}
OPEN = {"lower": -np.inf, "upper": np.inf}


def numbers_of(program: Program) -> dict[tuple[str, str, str], float]:
    """Every number of a program by part, name and kind."""
    found = {("objective", "", "constant"): program.sense * program.constant}
    found["objective", "", "sense"] = float(program.sense)
    for j, name in enumerate(program.column_names):
        ends = program.lower[j], program.upper[j], float(program.integer[j])
        values = (program.sense * program.cost[j], *ends)
        found |= {("column", name, k): v for k, v in zip(EMPTY, values, strict=True)}
        for i, row in enumerate(program.row_names):
            if program.rows[i, j]:
                found["entry", f"{row}, {name}", "factor"] = program.rows[i, j]
    for i, name in enumerate(program.row_names):
        found["row", name, "lower"], found["row", name, "upper"] = (
            program.row_lower[i],
            program.row_upper[i],
        )
    return found


def random_program(rng: np.random.Generator) -> Program:
    """A few of six columns and five rows, in any order, with small numbers."""
    columns = rng.permutation(["x", "y[0]", "y[1]", "z(1)", "z(2)", "u"])[: rng.integers(1, 7)]
    rows = rng.permutation(["a", "b[0]", "b[1]", "c", "d"])[: rng.integers(1, 6)]
    n, m = len(columns), len(rows)
    side = rng.integers(0, 3, m).astype(float)
    return Program(
        cost=rng.integers(0, 3, n).astype(float),
        rows=sparse.csr_array(rng.integers(-1, 2, (m, n)).astype(float)),
        row_lower=np.where(rng.random(m) < 0.5, side, -np.inf),
        row_upper=side,
        lower=np.zeros(n),
        upper=rng.choice([1.0, 4.0, np.inf], n),
        integer=rng.random(n) < 0.3,
        column_names=tuple(columns.tolist()),
        row_names=tuple(rows.tolist()),
        constant=float(rng.integers(0, 2)),
        sense=int(rng.choice([1, -1])),
    )


@pytest.mark.parametrize("seed", range(5))
def test_the_negative_with_the_other_sense_is_one_change(seed: int, tmp_path, capsys) -> None:
    rng = np.random.default_rng(seed)
    one = random_program(rng)
    other = replace(one, sense=-one.sense)
    (change,) = differences(one, other)
    assert (change.part, change.before, change.after) == ("objective", one.sense, other.sense)
    for sense, sign in (("max", ""), ("min", "- ")):
        text = f"{sense}\n o: {sign}2 x {sign or '+ '}3 y\nst\n r: x + y <= 4\nend\n"
        (tmp_path / f"{sense}.lp").write_text(text)
    assert main(["diff", str(tmp_path / "max.lp"), str(tmp_path / "min.lp")]) == 1
    assert capsys.readouterr().out.startswith("1 change: 1 of the objective\n")


@pytest.mark.cases(80)
@pytest.mark.parametrize("seed", range(80))
def test_the_changes_make_one_program_the_other(seed: int) -> None:
    rng = np.random.default_rng(seed)
    one, other = random_program(rng), random_program(rng)
    before, after = numbers_of(one), numbers_of(other)
    changes = differences(one, other)
    for change in changes:
        key = change.part, change.name, change.what
        if "negative" in change.what:  # of the objective
            key = "objective", "", "sense"
            before |= {k: -v for k, v in before.items() if k[2] in ("cost", "constant")}
        if change.what == "is":
            gone = change.after is None
            whole = EMPTY if change.part == "column" else OPEN
            for what, value in whole.items():
                if gone:
                    before.pop((change.part, change.name, what), None)
                else:
                    before.setdefault((change.part, change.name, what), value)
        elif change.after is None or (change.part == "entry" and change.after == 0.0):
            before.pop(key, None)
        else:
            before[key] = change.after
    assert before == after
    # every change of what both have, and every row and column of one, has its own line or a count
    text = "\n".join(difference_lines(changes))
    for change in changes:
        if change.common or change.what == "is":
            component = re.sub(r"[\[(][0-9][\])]", "(...)", change.name)
            assert change.name in text or component in text
    order = [change.common for change in changes]
    assert order == sorted(order, reverse=True)
    assert differences(one, one) == []


def test_many_changes_of_a_kind_are_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The changed bound stands before what is new, and an equality that moved stands once."""
    monkeypatch.chdir(tmp_path)
    for name, bound, sites, need in (("a.lp", 15, 1, 4), ("b.lp", 6, 2, 5)):
        ship = [f"ship({s}.{t})" for s in range(sites) for t in range(8)]
        stock = [f"stock({t})" for t in range(8)]
        rows = [f" bal({t}): ship(0.{t}) + stock({t}) = {need}" for t in range(8)]
        caps = [f" cap: {' + '.join(ship)} <= 100"]
        ends = [f" {column} <= {bound}" for column in stock]
        lines = ["min", " obj: stock(0)", "st", *rows, *caps, "bounds", *ends, "end"]
        Path(name).write_text("\n".join(lines) + "\n")
    assert main(["diff", "a.lp", "b.lp"]) == 1
    assert capsys.readouterr().out.splitlines()[1:] == [
        "column stock(...): upper 15 -> 6, 8 times",
        "row bal(...): lower and upper 4 -> 5, 8 times",
        "column ship(...): added: 1 in cap, 8 times",
    ]
    assert main(["diff", "a.lp", "b.lp", "--top", "1"]) == 1
    assert "and 2 more lines: --top 3, or all changes by --json" in capsys.readouterr().out
