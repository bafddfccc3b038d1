"""Programs with numbers of all sizes: kernels, prices and budgets over many orders of magnitude."""

from typing import Any

import numpy as np
import pytest
from small_data import mixed_kernel

import radprog as rp
from radprog.decompositions.mkl.fit import fit_mkl
from radprog.decompositions.mkl.forms import mkl_form
from radprog.decompositions.run import RunSettings
from radprog.solvers.registry import solve_model

QCQP = RunSettings(method="qcqp")


def harsh(seed: int) -> tuple[rp.MKL, rp.GramSet]:
    """10 to 60 points, up to 4 kernels of sizes 1e-4..1e4, C 1e-4..1e3, budgets 1e-3..1e3."""
    rng = np.random.default_rng(seed)
    n, M, p = int(rng.integers(10, 61)), int(rng.integers(1, 5)), float(rng.integers(1, 3))
    y = np.where(rng.random(n) < rng.choice([0.5, 0.3]), 1, -1)
    y[:2] = 1, -1
    K = []
    for _ in range(M):
        matrix, _ = mixed_kernel(rng, y)
        K.append(matrix * 10.0 ** rng.uniform(-4, 4))
    C = 10.0 ** rng.uniform(-4, 3)
    budget = "n" if rng.random() < 0.2 else 10.0 ** rng.uniform(-3, 3)
    options: dict[str, Any] = {"variant": "lp" if rng.random() < 0.25 else "conv"}
    options["normalize"] = str(rng.choice(["trace", "none"]))
    options["loss"] = "squared" if rng.random() < 0.25 else "hinge"
    options["no_bias"] = bool(rng.random() < 0.2)
    if options["variant"] == "conv":
        options |= {"tail_budget": budget, "theta": int(rng.integers(0, 2))}
    return rp.MKL(norm=p, C=C, **options), rp.gram_set(np.array(K), y)


# unscaled: a point that violates the program (70, 91, 109), or a gap of 1e-4 to 0.7 (the others);
# 266: the energy of its optimum is not part of the objective
@pytest.mark.parametrize("seed", [30, 37, 68, 69, 70, 91, 93, 109, 119, 141, 266])
def test_the_whole_program_is_solved_whatever_its_units(seed: int) -> None:
    run = fit_mkl(*harsh(seed), QCQP)
    assert run.certified
    assert not [told for told in run.warnings if "exchange" in told]


@pytest.mark.parametrize("seed", [70, 91, 109])
@pytest.mark.parametrize("name", ["ipopt", "clarabel"])
def test_the_program_is_scaled_for_any_solver(seed: int, name: str) -> None:
    spec, data = harsh(seed)
    built = mkl_form(spec, data, "qcqp", RunSettings())
    solution = solve_model(built.model, name)
    assert solution.claimed_optimal
    assert built.expected is not None
    assert solution.objective == pytest.approx(built.expected, rel=1e-6)
