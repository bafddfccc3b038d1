"""VIPR certificates of exported programs, read by a reader of the tests, and by viprchk: that of
RADPROG_VIPRCHK, or the one on the path."""

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from effort import seeds
from program_files import lp
from small_programs import make_program
from vipr_reader import proved, refused

import radprog as rp
from radprog import proof_checker
from radprog.base.limits import OutOfBudget
from radprog.models.exact import flint
from radprog.proofs.making import prove_program
from radprog.solvers.questions.exact import solve_exactly, vipr_text
from radprog.solvers.questions.tree import ExactTree

pytest.importorskip("flint")
LIBRARY = Path(__file__).resolve().parents[3] / "instances" / "library"
EVERY = sorted(LIBRARY.glob("*.names.json"))
NAMES = [path for path in EVERY if json.loads(path.read_text())["class"] == "LP"]


@pytest.mark.parametrize("names", NAMES, ids=lambda path: path.name.partition(".")[0])
def test_every_linear_program_of_the_library_is_proved(names: Path) -> None:
    told = json.loads(names.read_text())
    text, table = prove_program(names.with_name(names.name.removesuffix(".names.json")))
    verdict, value = proved(text)
    assert (verdict == "infeasible") == table["infeasible"]
    if verdict == "optimal":
        assert Fraction(table["fraction"]) == value
        assert table["objective"] == pytest.approx(told["expected_objective"], rel=1e-9, abs=1e-9)
    else:
        assert told["expected_objective"] is None
    assert not refused(text)


def test_the_command(radprog, capsys, tmp_path: Path) -> None:
    source, target = LIBRARY / "l1svm-dual-degenerate.mps.gz", tmp_path / "dual.vipr"
    # the suffix of a program says what is meant
    assert "optimum" in radprog.ok("prove", source, "-o", target).out
    assert "optimum" in radprog.ok("prove", source, "--vipr", "-o", target).out
    assert proved(target.read_text())[0] == "optimal"
    # it has another checker than proofs of fits, which gives no verdict on it
    assert proof_checker.main([str(target), str(source)]) == 2
    assert "viprchk" in capsys.readouterr().err
    radprog.refused("leave DATA out", "prove", source, "x.csv --vipr -o", target)
    radprog.refused("data file is missing", "prove run.json -o", target)
    quadratic = LIBRARY / "svm-dual-plain.mps.gz"
    radprog.refused("expected an LP", "prove", quadratic, "--vipr -o", target)


def unscaled(tmp_path: Path) -> Path:
    """A program whose right-hand sides are below what HiGHS sees."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 3)) * 10.0 ** np.array([0, 2, 4])
    y = np.where(X[:, 0] + rng.normal(size=30) > 0, 1, -1)
    spec, path = rp.L1SVM(kernels="poly:2", beta=0.01), tmp_path / "dual.mps"
    rp.export(rp.build(spec, rp.dataset(X, y), form="dual"), path)
    return path


def test_refinements_end_where_floats_tell_nothing(tmp_path: Path) -> None:
    path = unscaled(tmp_path)
    text, table = prove_program(path)
    assert proved(text) == ("optimal", Fraction(table["fraction"]))
    assert rp.verify(path, "highs").answer.objective != pytest.approx(table["objective"], rel=1e-9)


@pytest.mark.parametrize("seed", seeds(40, 6))
def test_programs_of_unlike_sizes_are_proved(seed: int) -> None:
    """Columns and rows over ten decades, sides that are met up to 1e-12, some contradictory."""
    rng = np.random.default_rng(seed)
    m, n = int(rng.integers(1, 20)), int(rng.integers(1, 20))
    A = rng.normal(size=(m, n)) * 10.0 ** rng.integers(-5, 5, size=n)
    activity = A @ np.where(rng.random(n) < 0.5, 0.0, rng.random(n))
    high = activity + rng.choice([0.0, 1e-12, 1e-3], size=m)
    low = np.where(rng.random(m) < 0.5, -np.inf, activity + (seed % 3 == 0))
    cost, lower = rng.normal(size=n), np.where(rng.random(n) < 0.1, -1.0, 0.0)
    names = {"columns": tuple(f"x{j}" for j in range(n)), "names": tuple(f"r{i}" for i in range(m))}
    sides = {"lower": lower, "upper": 1.0}
    program = make_program(cost, A, low, np.maximum(low, high), **sides, **names)
    answer = solve_exactly(program, flint)
    status = "infeasible" if answer.x is None else "optimal"
    assert proved(vipr_text(program, answer))[0] == status


def test_a_time_limit_ends_it_without_a_proof(radprog, tmp_path: Path) -> None:
    target = tmp_path / "dual.vipr"
    done = radprog("prove", unscaled(tmp_path), "--vipr --time-limit 0.001 -o", target)
    assert (done.code, target.exists()) == (1, False)
    assert "time_limit: ended before" in done.error


def test_an_unfinished_tree_names_the_bound_that_it_proves(radprog, empty, monkeypatch) -> None:
    rows = "a: x + y <= 1;b: y + z <= 1;c: x + z <= 1"
    Path("triangle.lp").write_text(lp("1.01 x + y + z", rows, "binary\n x y z\n", "max"))
    Path("answer.sol").write_text("x 1\ny 0\nz 0\n")
    visit = ExactTree._visit

    def first(tree: ExactTree, node):
        if tree.nodes:
            raise OutOfBudget
        return visit(tree, node)

    monkeypatch.setattr(ExactTree, "_visit", first)
    done = radprog("certify triangle.lp answer.sol --prove triangle.vipr")
    assert (done.code, Path("triangle.vipr").exists()) == (1, False)
    assert done.error.splitlines()[-1].endswith(
        "a limit ended the tree at 1 node, with the proved bound 1.5"
    )
    assert "objective 1.01, bound 1.5" in done.out
