"""The attack on a few instances, on all that it ever found, and on answers that are wrong."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from attack_cases import CATALOG, KEPT, Case, draw
from attack_checks import examine, feasible
from differential import kept
from effort import seeds
from rational import root_up
from small_programs import make_program

from radprog.decompositions.vkr import fit_svm
from radprog.models.vkr.problem import VotedKernels


@pytest.mark.thorough
@pytest.mark.parametrize("path", sorted(KEPT.glob("*.json")), ids=lambda path: path.stem)
def test_what_was_found_once_is_found_no_more(path) -> None:
    assert examine(Case.load(path)).findings == []


@pytest.mark.parametrize("seed", seeds(len(CATALOG)))
def test_random_instances_show_nothing(seed: int) -> None:
    case = draw(seed)
    assert case == draw(seed)
    report = examine(case, programs=case.rows <= 4)
    assert report.findings == []
    assert report.counts["methods"] or report.counts["refused"]


@pytest.mark.slow
def test_many_random_instances_show_nothing(tmp_path) -> None:
    assert [found for seed in range(100, 320) for found in kept(seed, str(tmp_path))] == []


def test_a_bound_that_is_too_high_by_digits_16_alone_is_found(monkeypatch) -> None:
    true = fit_svm.svm_values

    def high(*given: object) -> tuple[float, ...]:
        objective, bias, bound = true(*given)
        return objective, bias, bound * (1 + 2e-15)

    monkeypatch.setattr(fit_svm, "svm_values", high)
    kinds = {finding.split()[0] for finding in examine(draw(38), programs=False).findings}
    assert "bound" in kinds


@pytest.mark.thorough
def test_a_lost_rounding_term_is_found_and_kept(monkeypatch: pytest.MonkeyPatch, tmp_path) -> None:
    monkeypatch.setattr(VotedKernels, "dual_bound", lambda self, d, ratios, **how: (d.sum(), 1.0))
    case = draw(0)
    report = examine(case, programs=False)
    assert {finding.split()[0] for finding in report.findings} >= {"bound", "optimum", "methods"}
    found = replace(case, found=report.findings)
    found.save(tmp_path / "kept.json")
    assert Case.load(tmp_path / "kept.json") == found


def test_roots_lie_above_by_next_to_nothing() -> None:
    for value in (Fraction(2), Fraction(1, 10**30), Fraction(10**30, 7)):
        for power in (2, 3):
            root = root_up(value, power)
            assert 0 <= root**power / value - 1 < Fraction(1, 10**36)


@pytest.mark.parametrize(
    ("entries", "side", "x", "held"),
    [
        ([1.0, -1.0], 1.0, [1.0, 0.0], True),
        ([1.0, -1.0], 1.0, [1.0 + 1e-10, 0.0], True),
        ([1.0, -1.0], 1e-22, [1e-12, 0.0], False),
        ([4.5e9, -4.5e9], 1e-3, [0.3, 0.3 - 1e-15], True),
        ([4.5e9, -4.5e9], 1e-6, [0.3, 0.3 - 1e-15], False),
    ],
)
def test_a_point_is_feasible_to_a_share_of_the_side(entries, side, x, held: bool) -> None:
    program = make_program(
        -np.ones(2), [entries], row_upper=[side], upper=2.0, columns="a b", names="row"
    )
    assert feasible(program, x) is held
    whole = replace(program, integer=np.ones(2, dtype=np.bool_))
    assert feasible(whole, x) is (held and x[0] >= 1.0)
