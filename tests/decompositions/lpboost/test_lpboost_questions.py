"""The path of LPBoost in 1/nu against cold runs and the whole program."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from radprog.decompositions.lpboost.fit import fit_lpboost
from radprog.decompositions.lpboost.path import lpboost_path
from radprog.decompositions.parametric import Path
from radprog.decompositions.run import RunSettings
from radprog.instances.bags import Bags
from radprog.instances.errors import OptionError
from radprog.instances.series_generators import cylinder_bell_funnel
from radprog.models.lpboost.settings import LPBoost

SPEC = LPBoost()
ANY = RunSettings()
COLD = RunSettings(tol=1e-11, abs_tol=1e-12)


@pytest.fixture(scope="module")
def curves() -> Bags:
    return cylinder_bell_funnel(20, length=30, seed=2)


@pytest.fixture(scope="module")
def path(curves: Bags) -> Path:
    return lpboost_path(SPEC, curves, "nu", 0.1, 1.0, ANY, 200)


def test_cold_runs_between_breakpoints_agree(curves: Bags, path: Path) -> None:
    found = path.envelope
    assert found.complete
    assert found.gap <= 1e-9
    assert len(found.breakpoints) >= 10
    assert (found.marks[0], found.marks[-1]) == (1.0, 10.0)
    for s in np.random.default_rng(0).uniform(1, 10, 50):
        run = fit_lpboost(replace(SPEC, nu=float(1 / s)), curves, COLD)
        assert run.certified
        assert path.sense * found.value(s) == pytest.approx(run.objective, abs=1e-8)


def test_it_is_linear_in_the_inverse_of_nu_alone(curves: Bags, path: Path) -> None:
    found = path.envelope
    sloped = [piece for piece in found.pieces if piece[2].slope > 1e-3]
    low, high, _ = max(sloped, key=lambda piece: piece[1] - piece[0])
    s = np.array([low, (low + high) / 2, high])
    values = [fit_lpboost(replace(SPEC, nu=float(1 / t)), curves, COLD).objective for t in s]
    assert values[1] == pytest.approx((values[0] + values[2]) / 2, abs=1e-9)
    nu = 1 / s
    chord = np.interp(nu[1], nu[[2, 0]], [values[2], values[0]])
    assert abs(values[1] - chord) > 1e-6


def test_labels_of_a_piece_are_those_of_the_run(curves: Bags, path: Path) -> None:
    low, high, line = max(path.envelope.pieces, key=lambda piece: piece[1] - piece[0])
    run = fit_lpboost(replace(SPEC, nu=2 / (low + high)), curves, COLD)
    np.testing.assert_array_equal(path.labels(line, curves.X), run.fit.predict(curves.X))
    assert len(path.errors(curves)) == len(path.envelope.lines)


def test_refused(curves: Bags) -> None:
    cases = {
        ("beta", 0.1, 1.0, SPEC): "expected nu",
        ("nu", 0.0, 1.0, SPEC): "expected 0 < from < to <= 1",
        ("nu", 0.1, 1.5, SPEC): "expected 0 < from < to <= 1",
        ("nu", 0.5, 0.1, SPEC): "expected 0 <= from < to",
        ("nu", 0.1, 1.0, LPBoost(learner="l1")): "proves no bound",
    }
    for (name, first, last, spec), message in cases.items():
        with pytest.raises(OptionError, match=message):
            lpboost_path(spec, curves, name, first, last, ANY, 200)
    with pytest.raises(OptionError, match="20 rows"):
        lpboost_path(SPEC, curves, "nu", 0.1, 1.0, ANY, 19)
