"""Blocks of a program: detected, described, identical up to an order."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyomo.environ as pyo
import pytest
from compact_models import bins
from refusals import refused
from small_programs import make_program

import radprog as rp
from radprog.cli import main
from radprog.decompositions.programs.compact import program_of_model
from radprog.decompositions.programs.structure import structure_of
from radprog.solvers.program import Program

MODEL = bins([2, 3, 4, 5], 7, 3)


@pytest.mark.parametrize(
    "how",
    [
        {},
        {"linking": "item*"},
        {"linking": MODEL.item},
        {"linking": [MODEL.item[i] for i in range(4)]},
        {"blocks": lambda row: row if row.startswith("size") else None},
        {"blocks": ["size[0]", "size[1]", "size[2]"]},
        {"blocks": [MODEL.size[0], MODEL.size[1], MODEL.size[2]]},
    ],
)
def test_blocks_are_found_or_described(how: dict[str, object]) -> None:
    found = rp.structure(MODEL, **how)
    counts = found.to_dict()
    (names,) = (kind.pop("names") for kind in counts["kinds"])
    linking = counts.pop("linking_names")
    assert [sorted(linking["rows"]), linking["columns"]] == [[f"item[{i}]" for i in range(4)], []]
    assert counts == {
        "blocks": 3,
        "kinds": [{"count": 3, "rows": 1, "columns": 5}],
        "linking_rows": 4,
        "linking_columns": 0,
    }
    assert sorted(name for one in names for name in one["rows"]) == [f"size[{b}]" for b in range(3)]
    assert len({name for one in names for name in one["columns"]}) == 15
    assert f"such as {names[0]['rows'][0]} with x[" in str(found)
    assert str(found).startswith("3 blocks of 1 kind; 4 linking rows, 0 linking columns\n")
    assert sorted(j for block in found.blocks for j in block.columns) == [*range(15)]


def test_a_dec_file_names_the_rows_of_blocks(tmp_path: Path) -> None:
    path = tmp_path / "bins.dec"
    path.write_text(
        "PRESOLVED\n0\nNBLOCKS\n2\nBLOCK 1\nsize[0]\nBLOCK 2\nsize[1]\nMASTERCONSS\nitem[0]\n"
    )
    found = rp.structure(MODEL, blocks=path)
    assert [len(found.blocks), found.linking_rows.size] == [2, 5]
    path.write_text("BLOCK 1\nsize[9]\n")
    with pytest.raises(rp.DataError, match=r"bins.dec: line 2: no row is named 'size\[9\]'"):
        rp.structure(MODEL, blocks=path)


@pytest.mark.parametrize(
    ("call", "option", "what", "words"),
    [
        (rp.structure, "linking", "nothing*", "no row and no column"),
        (rp.structure, "linking", ["item*", "none"], "no row and no column"),
        (rp.structure, "blocks", ["size[0]", "none"], r"no row has .* the first row is item\[0\]$"),
        (rp.benders, "first", "none", r"no column has .* the first column is x\[0,0\]$"),
        # rows are none of a first stage
        (rp.benders, "first", "item*", "no column has such a name"),
    ],
)
def test_a_pattern_without_a_match_is_named(
    call: Callable[..., object], option: str, what: object, words: str
) -> None:
    refused(rp.OptionError, rf"^{option} '[a-z*]+': {words}", call, MODEL, **{option: what})


def shuffled(program: Program, seed: int) -> Program:
    """The program with its rows and columns in another order."""
    rng = np.random.default_rng(seed)
    m, n = program.rows.shape
    r, c = rng.permutation(m), rng.permutation(n)
    rows, columns = ("row_lower", "row_upper"), ("cost", "lower", "upper", "integer")
    parts = {name: getattr(program, name)[r] for name in rows}
    parts |= {name: getattr(program, name)[c] for name in columns}
    matrix = program.rows[r][:, c].tocsr()
    return replace(program, rows=matrix, row_names=(), column_names=(), **parts)


def test_few_knapsacks_are_the_blocks_of_many_items() -> None:
    """Not the items, of which there are more: their blocks have whole vertices."""
    m = pyo.ConcreteModel()
    m.x = pyo.Var(range(2), range(60), domain=pyo.Binary)
    m.value = pyo.Objective(expr=-sum((3 + j) * m.x[k, j] for k, j in m.x))
    m.item = pyo.Constraint(range(60), rule=lambda m, j: m.x[0, j] + m.x[1, j] <= 1)
    m.sack = pyo.Constraint(
        range(2), rule=lambda m, k: sum((3 + j % 7) * m.x[k, j] for j in range(60)) <= 40
    )
    found = rp.structure(m)
    assert (len(found.blocks), found.linking_rows.size) == (2, 60)


@pytest.mark.parametrize(("plants", "products"), [(6, 5), (4, 5), (8, 3), (10, 4)])
def test_plants_that_demands_link_are_blocks(plants: int, products: int) -> None:
    """Not their products: without capacities, blocks have a weak bound."""
    m = pyo.ConcreteModel()
    places = [(p, k) for p in range(plants) for k in range(8 * products)]
    m.made, m.kept, m.sent = (pyo.Var(places, bounds=(0, None)) for _ in range(3))
    m.set = pyo.Var(places, domain=pyo.Binary)
    m.cost = pyo.Objective(expr=sum((9 + k % 7) * m.set[p, k] + m.kept[p, k] for p, k in places))
    m.force = pyo.Constraint(places, rule=lambda m, p, k: m.made[p, k] <= 90 * m.set[p, k])
    m.stock = pyo.Constraint(
        places,
        rule=lambda m, p, k: (
            (m.kept[p, k - 1] if k % 8 else 0) + m.made[p, k] == m.sent[p, k] + m.kept[p, k]
        ),
    )
    m.capacity = pyo.Constraint(
        range(plants),
        range(8),
        rule=lambda m, p, t: (
            sum(
                (1 + i % 3) * m.made[p, 8 * i + t] + 5 * m.set[p, 8 * i + t]
                for i in range(products)
            )
            <= 70
        ),
    )
    m.demand = pyo.Constraint(
        range(products * 8), rule=lambda m, k: sum(m.sent[p, k] for p in range(plants)) == 9 + k % 5
    )
    found = rp.structure(m)
    assert (len(found.blocks), found.linking_rows.size) == (plants, products * 8)


@pytest.mark.parametrize("seed", range(4))
def test_a_shuffled_program_has_the_same_kinds(seed: int) -> None:
    found = structure_of(shuffled(program_of_model(bins([3, 5, 7, 8, 8, 9], 15, 4)), seed))
    assert [kind.count for kind in found.kinds] == [4]
    # the k-th rows and columns of identical blocks have equal numbers
    rows = [found.program.rows[b.rows][:, b.columns].toarray() for b in found.blocks]
    assert all(np.array_equal(rows[0], other) for other in rows)


def test_one_other_number_makes_another_kind() -> None:
    m = bins([2, 3, 4], 7, 3)
    m.used[2].setub(0)
    assert sorted(kind.count for kind in rp.structure(m, linking=m.item).kinds) == [1, 2]


def test_a_program_without_blocks_has_none(tmp_path, capsys) -> None:
    m = pyo.ConcreteModel()
    m.x = pyo.Var(range(3), bounds=(0, 1))
    m.row = pyo.Constraint(expr=sum(m.x.values()) <= 1)
    m.cost = pyo.Objective(expr=-sum(m.x.values()))
    assert rp.structure(m).to_dict()["blocks"] == 0
    refused(rp.CapabilityError, "no blocks", rp.dantzig_wolfe, m)
    run = rp.dantzig_wolfe(m, method="auto")
    assert [run.status.value, run.method, run.objective] == ["optimal", "compact", -1.0]
    m.x.setub(None)
    m.row.set_value(m.x[0] - m.x[1] <= 1)
    rp.export(m, tmp_path / "endless.mps")
    assert main(["decompose", str(tmp_path / "endless.mps")]) == 0
    assert "unbounded, proved by a point and a ray: no objective" in capsys.readouterr().out


@pytest.mark.parametrize("verbose", [False, True])
def test_the_next_best_structures_are_printed_on_demand(verbose: bool, tmp_path, capsys) -> None:
    m = bins([2, 3, 4, 4], 7, 3)
    rp.export(m, tmp_path / "bins.mps")
    assert rp.structure(m).others
    assert main(["decompose", str(tmp_path / "bins.mps"), *["--verbose"] * verbose]) == 0
    assert ("\n  or " in capsys.readouterr().out) == verbose


def test_blocks_of_rings_are_one_kind_in_any_order() -> None:
    # every column and every row of a ring has the same colour
    rng, n, blocks = np.random.default_rng(0), 6, 4
    rows = np.zeros((1 + n * blocks, n * blocks))
    rows[0] = 1.0
    for b in range(blocks):
        names, of = rng.permutation(n) + b * n, rng.permutation(n) + b * n + 1
        for k in range(n):
            rows[of[k], [names[k], names[(k + 1) % n]]] = 1.0
    sides = np.append(7.0, np.ones(n * blocks))
    program = make_program(-np.ones(n * blocks), rows, row_upper=sides, upper=1, integer=True)
    block = {name: (i - 1) // n if i else None for i, name in enumerate(program.row_names)}
    found = structure_of(program, blocks=block.__getitem__)
    assert [kind.count for kind in found.kinds] == [blocks]
