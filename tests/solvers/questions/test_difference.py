"""Two programs compared by the names of rows and columns."""

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from small_programs import make_program

from radprog.cli import main
from radprog.solvers.foreign import foreign_program
from radprog.solvers.formats.program_writer import write_program
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


def test_a_change_is_named(tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    for old, new, said in (
        ("2 x + 3 y", "2 x + 5 y", "column y: cost 3 -> 5"),
        ("y <= 9", "y <= 7", "column y: upper 9 -> 7"),
        ("General\n z\n", "", "column z: integer 1 -> 0"),
        (">= 4", ">= 6", "row need: lower 4 -> 6"),
        ("x + 2 z", "x + 3 z", "entry room, z: factor 2 -> 3"),
        ("need:", "want:", "row need: removed: lower 4, 1 in x, 1 in y"),
        ("need:", "want:", "row want: added: lower 4, 1 in x, 1 in y"),
        (">= 4", "= 4", "row need: upper inf -> 4"),
        ("x + 2 z <= 8", "x + 2 z = 8", "row room: lower -inf -> 8"),
        ("x + 2 z", "x + y + 2 z", "entry room, y: factor 0 -> 1"),
        ("x + 2 z", "x + 2 z + 50 w", "column w: added: 50 in room"),
        (" + z\n", " + z + 7 w\n", "column w: added: cost 7"),
        ("Minimize", "Maximize", "objective: sense 1 -> -1"),
        ("3 y + z", "z + 3 y", "the programs are the same"),
    ):
        Path("a.lp").write_text(BEFORE)
        Path("b.lp").write_text(BEFORE.replace(old, new))
        same = said.startswith("the programs")
        assert main(["diff", "a.lp", "b.lp", "--json", "d.json"]) == (0 if same else 1)
        printed = capsys.readouterr().out
        assert said in printed
        # as many as are printed below it
        assert same or int(printed.split()[0]) == printed.count("\n") - 1
        found = json.loads(Path("d.json").read_text())
        assert found["same"] is same
        assert bool(found["changes"]) is not same


def test_squares_and_unreadable_files_are_refused(tmp_path, monkeypatch, capsys) -> None:
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
    columns = program.sense * program.cost, program.lower, program.upper, 1.0 * program.integer
    for j, name in enumerate(program.column_names):
        found |= {("column", name, k): v[j] for k, v in zip(EMPTY, columns, strict=True)}
        for i, row in enumerate(program.row_names):
            if program.rows[i, j]:
                found["entry", f"{row}, {name}", "factor"] = program.rows[i, j]
    for name, *ends in zip(program.row_names, program.row_lower, program.row_upper, strict=True):
        found |= {("row", name, k): v for k, v in zip(OPEN, ends, strict=True)}
    return found


def random_program(rng: np.random.Generator) -> Program:
    """A few of six columns and five rows, in any order, with small numbers."""
    columns = rng.permutation(["x", "y[0]", "y[1]", "z(1)", "z(2)", "u"])[: rng.integers(1, 7)]
    rows = rng.permutation(["a", "b[0]", "b[1]", "c", "d"])[: rng.integers(1, 6)]
    n, m = len(columns), len(rows)
    side = rng.integers(0, 3, m).astype(float)
    program = make_program(
        *(rng.integers(0, 3, n), rng.integers(-1, 2, (m, n)).astype(float)),
        *(np.where(rng.random(m) < 0.5, side, -np.inf), side, 0.0),
        *(rng.choice([1.0, 4.0, np.inf], n), rng.random(n) < 0.3),
        columns=columns.tolist(),
        names=rows.tolist(),
        constant=float(rng.integers(0, 2)),
    )
    return replace(program, sense=int(rng.choice([1, -1])))


@pytest.mark.parametrize("seed", range(5))
def test_the_negative_with_the_other_sense_is_one_change(seed: int) -> None:
    one = random_program(np.random.default_rng(seed))
    other = replace(one, sense=-one.sense)
    (change,) = differences(one, other)
    assert (change.part, change.before, change.after) == ("objective", one.sense, other.sense)


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
            whole = EMPTY if change.part == "column" else OPEN
            parts = {(change.part, change.name, what): value for what, value in whole.items()}
            gone = change.after is None
            before = {k: v for k, v in before.items() if k not in parts} if gone else parts | before
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


@pytest.mark.parametrize("seed", range(40))
def test_a_program_is_the_same_in_both_formats(seed: int, tmp_path) -> None:
    rng = np.random.default_rng(seed)
    n, m = int(rng.integers(1, 6)), int(rng.integers(0, 7))
    # sides of equalities, ranges, inequalities, and of rows that are left out
    low, high = np.sort(np.round(rng.normal(size=(2, m)), rng.integers(0, 17)), axis=0)
    kind, none = rng.integers(0, 5, m), np.full(m, np.inf)
    rows = np.round(rng.normal(size=(m, n)) * (rng.random() < 0.9))
    long = "r" * 64 if rng.random() < 0.2 else "r0"
    program = make_program(
        *(np.round(rng.normal(size=n), 1), rows),
        *(
            np.choose(kind, [low, low, low, -none, -none]),
            np.choose(kind, [low, high, none, high, none]),
        ),
        rng.choice([0.0, -np.inf, -1.5], n),
        rng.choice([np.inf, 0.5, 3.0], n),
        rng.random(n) < 0.3,
        names=[long, "r0_upper", "r0_upper_2", "r(1)", "r(1)_upper", "q", "p"][:m],
        constant=float(rng.integers(0, 2)),
    )
    read = []
    for name in ("a.lp", "b.mps", "c.lp.gz"):
        write_program(program, tmp_path / name)
        read.append(foreign_program(tmp_path / name))
    assert [str(change) for change in differences(read[0], read[1])] == []
    assert differences(read[1], read[2]) == differences(read[0], read[2]) == []
    # a changed side is still one change, in either format
    ranged = [i for i in range(m) if kind[i] == 1 and low[i] < high[i]]
    for i in ranged[:1]:
        more = program.row_upper.copy()
        more[i] += 1.0
        write_program(replace(program, row_upper=more), tmp_path / "d.mps")
        other = foreign_program(tmp_path / "d.mps")
        for one in read:
            (change,) = differences(one, other)
            assert (change.name, change.what) == (program.row_names[i], "upper")


def test_many_changes_of_a_kind_are_one_line(tmp_path, monkeypatch, capsys) -> None:
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
