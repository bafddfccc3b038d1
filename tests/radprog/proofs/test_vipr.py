"""VIPR certificates of exported programs, read by a reader of the tests, and by viprchk: that of
RADPROG_VIPRCHK, or the one on the path."""

import json
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from effort import seeds
from small_programs import make_program
from vipr_reader import proved, refused

import radprog as rp
from radprog.base.limits import OutOfBudget
from radprog.models.exact import flint
from radprog.proofs.making import prove_program
from radprog.solvers.questions.exact import solve_exactly, vipr_text
from radprog.solvers.questions.tree import ExactTree

pytest.importorskip("flint")
LIBRARY = Path(__file__).resolve().parents[3] / "instances" / "library"
NAMES = [
    path
    for path in sorted(LIBRARY.glob("*.names.json"))
    if json.loads(path.read_text())["class"] == "LP"
]


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


@pytest.mark.parametrize("place", ["RTP", "SOL", "DER"])
def test_the_reader_sees_a_planted_error(place: str) -> None:
    text, _ = prove_program(next(p for p in LIBRARY.glob("vkr-dual-plain.mps.gz")))
    start = text.index(place)
    digits = [i for i in range(start, len(text)) if text[i] in "12345678" and text[i - 1] == " "]
    seen = 0
    for i in digits[2:12]:
        changed = text[:i] + str(int(text[i]) + 1) + text[i + 1 :]
        try:
            proved(changed)
        except (AssertionError, StopIteration, ValueError, IndexError, RuntimeError):
            seen += 1
    assert seen == len(digits[2:12])


def test_the_command(radprog, tmp_path: Path) -> None:
    source, target = LIBRARY / "l1svm-dual-degenerate.mps.gz", tmp_path / "dual.vipr"
    assert "optimum" in radprog.ok("prove", source, "--vipr", "-o", target).out
    assert proved(target.read_text())[0] == "optimal"
    assert "leave DATA out" in radprog("prove", source, "x.csv", "--vipr", "-o", target).error
    assert "data file is missing" in radprog("prove", "run.json", "-o", target).error
    # the suffix of a program says what is meant
    assert "optimum" in radprog.ok("prove", source, "-o", target).out
    quadratic = LIBRARY / "svm-dual-plain.mps.gz"
    assert "expected an LP" in radprog("prove", quadratic, "--vipr", "-o", target).error


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
    program = make_program(
        rng.normal(size=n),
        A,
        low,
        np.maximum(low, high),
        lower=np.where(rng.random(n) < 0.1, -1.0, 0.0),
        upper=1.0,
        columns=tuple(f"x{j}" for j in range(n)),
        names=tuple(f"r{i}" for i in range(m)),
    )
    answer = solve_exactly(program, flint)
    assert proved(vipr_text(program, answer))[0] == (
        "infeasible" if answer.x is None else "optimal"
    )


def test_a_time_limit_ends_it_without_a_proof(radprog, tmp_path: Path) -> None:
    target = tmp_path / "dual.vipr"
    done = radprog("prove", unscaled(tmp_path), "--vipr", "-o", target, "--time-limit", "0.001")
    assert done.code != 0
    assert "time_limit: ended before" in done.error
    assert not target.exists()


@pytest.mark.parametrize("sense", ["min", "max"])
def test_the_bound_of_a_tree_without_an_end_has_the_sense_of_the_program(
    sense: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "triangle.lp"
    cost = "1.01 x + y + z" if sense == "max" else "- 1.01 x - y - z"
    path.write_text(f"{sense}\n o: {cost}\nst\n a: x + y <= 1\n b: y + z <= 1\n c: x + z <= 1\n"
                    "binary\n x y z\nend\n")  # fmt: skip
    visit = ExactTree._visit

    def first(tree: ExactTree, node: Any) -> Any:
        if tree.nodes:
            raise OutOfBudget
        return visit(tree, node)

    monkeypatch.setattr(ExactTree, "_visit", first)
    bound = {"min": "-1.505", "max": "1.505"}[sense]
    with pytest.raises(rp.UnfinishedError, match=f"has 1 node and a bound of {bound}: not proved"):
        prove_program(path)


@pytest.mark.parametrize("seed", range(12))
def test_the_optimum_of_a_mixed_program_is_exact(seed: int, tmp_path: Path) -> None:
    # costs that differ by less than the tolerance of any solver; z is the dear rest of the cover
    rng = np.random.default_rng(seed)
    weights = rng.integers(10, 50, 10).tolist()
    costs = [f"1000.{digits:08d}" for digits in rng.integers(0, 30, 10).tolist()]
    binaries = [f"y{i}" for i in range(10)]
    cost = " + ".join(map(" ".join, zip(costs, binaries, strict=True)))
    row = " + ".join(f"{w} {y}" for w, y in zip(weights, binaries, strict=True))
    path = tmp_path / "cover.lp"
    path.write_text(
        f"min\n obj: {cost} + 50 z\nst\n r: {row} + z >= 160\nbounds\n z <= 200\n"
        f"binary\n {' '.join(binaries)}\nend\n"
    )
    text, table = prove_program(path)
    exact = [Fraction(cost) for cost in costs]
    least = min(
        sum(c for c, kept in zip(exact, chosen, strict=True) if kept) + 50 * rest
        for chosen in product((0, 1), repeat=10)
        if (rest := max(0, 160 - sum(w for w, kept in zip(weights, chosen, strict=True) if kept)))
        <= 200
    )
    assert Fraction(table["fraction"]) == least
    assert f"RTP range {least} {least}\n" in text
    proved(text)
    solution = rp.solve(path, prove=True, tol=1e-12)
    assert solution.proved_by == "tree"
    assert solution.gap == pytest.approx(0.0, abs=1e-15)
