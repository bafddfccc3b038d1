"""Lies of the solver behind the curved master: they cost rounds, and never make a false claim."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from types import SimpleNamespace
from typing import Any

import numpy as np
import piqp
import pytest

from radprog.decompositions.mkl.fit import fit_mkl, recompute_mkl
from radprog.decompositions.run import Run, RunSettings, RunStatus
from radprog.instances.grams import GramSet, gram_set
from radprog.models.mkl.settings import MKL
from radprog.solvers.adapters.piqp import solve_dense
from radprog.solvers.dense import nearest

Lie = Callable[[Any], Any]
SOLVED = piqp.PIQP_SOLVED


def told(truth: Any, **lies: Any) -> SimpleNamespace:
    """The truth but for what is said otherwise."""
    known = {key: np.array(getattr(truth, key)) for key in ("x", "z_l", "z_u")}
    return SimpleNamespace(**{"status": SOLVED, **known, **lies})


def crash(truth: Any) -> Any:
    raise RuntimeError("out of order")


LIES: dict[str, Lie] = {
    "no status": lambda t: told(t, status=None),
    "a failure": lambda t: told(t, status=piqp.PIQP_MAX_ITER_REACHED),
    "a crash": crash,
    "no point": lambda t: told(t, x=None),
    "a point that is no number": lambda t: told(t, x=np.nan * t.x),
    "an infinite point": lambda t: told(t, x=np.full_like(t.x, np.inf)),
    "a point of text": lambda t: told(t, x=np.array(["1"] * len(t.x))),
    "a point of words": lambda t: told(t, x=np.array(["one"] * len(t.x))),
    "a complex point": lambda t: told(t, x=t.x + 0j),
    "half a point": lambda t: told(t, x=np.array(t.x)[: len(t.x) // 2]),
    "a point too long": lambda t: told(t, x=np.append(t.x, 0.0)),
    "a point as a column": lambda t: told(t, x=np.array(t.x)[:, None]),
    "one number": lambda t: told(t, x=np.array(0.5)),
    "the same point always": lambda t: told(t, x=np.ones(len(t.x))),
    "zero": lambda t: told(t, x=np.zeros(len(t.x))),
    "the opposite point": lambda t: told(t, x=-np.array(t.x)),
    "a point far away": lambda t: told(t, x=1e300 * np.array(t.x)),
    "a value far too small": lambda t: told(t, x=np.array(t.x) - 1e6 * np.eye(len(t.x))[0]),
    "another order": lambda t: told(t, x=np.roll(t.x, 1)),
    "no multipliers": lambda t: told(t, z_l=None, z_u=None),
    "multipliers that are no numbers": lambda t: told(t, z_l=np.nan * t.z_l),
    "one multiplier that is none": lambda t: told(t, z_l=np.append(t.z_l[1:], np.nan)),
    "infinite multipliers": lambda t: told(t, z_l=np.full_like(t.z_l, np.inf)),
    "multipliers of text": lambda t: told(t, z_l=np.array(["1"] * len(t.z_l))),
    "a multiplier too few": lambda t: told(t, z_l=np.array(t.z_l)[1:], z_u=np.array(t.z_u)[1:]),
    "a multiplier too many": lambda t: told(
        t, z_l=np.append(t.z_l, 1.0), z_u=np.append(t.z_u, 0.0)
    ),
    "one multiplier for all": lambda t: told(t, z_l=np.array(1.0), z_u=np.array(0.0)),
    "multipliers of zero": lambda t: told(t, z_l=0.0 * t.z_l, z_u=0.0 * t.z_u),
    "multipliers of the other sign": lambda t: told(t, z_l=t.z_u, z_u=t.z_l),
    "multipliers far too large": lambda t: told(t, z_l=1e300 * np.array(t.z_l)),
    "multipliers in another order": lambda t: told(t, z_l=np.roll(t.z_l, 1)),
    "equal multipliers": lambda t: told(t, z_l=np.ones(len(t.z_l)), z_u=np.zeros(len(t.z_l))),
}


def liar(lie: Lie, calls: list[None]) -> Any:
    """PIQP, whose answers are turned into lies."""

    def solve(*program: Any, tolerance: float) -> tuple[Any, bool]:
        calls.append(None)
        result = lie(solve_dense(*program, tolerance=tolerance)[0])
        return result, result.status == SOLVED

    return solve


def grams(n: int = 20) -> GramSet:
    rng = np.random.default_rng(3)
    y = np.arange(n) % 2
    F = [rng.normal(size=(n, d)) + 0.5 * rng.normal(size=(2, d))[y] for d in (3, 6, 9, 12)]
    return gram_set(np.array([f @ f.T + 0.1 * np.eye(n) for f in F]), y)


@cache
def optimum(spec: MKL) -> float:
    objective = fit_mkl(spec, grams(), RunSettings(tol=1e-9)).objective
    assert objective is not None
    return objective


def lied_to(lie: str, spec: MKL, monkeypatch: pytest.MonkeyPatch) -> Run:
    calls: list[None] = []
    monkeypatch.setattr(nearest, "solve_dense", liar(LIES[lie], calls))
    run = fit_mkl(spec, grams(), RunSettings(max_iter=60))
    assert calls  # the master was reached
    monkeypatch.undo()
    return run


def test_there_are_thirty() -> None:
    assert len(LIES) >= 30


@pytest.mark.cases(34)
@pytest.mark.parametrize("options", [{}, {"norm": 2.0}, {"loss": "squared"}])
@pytest.mark.parametrize("lie", LIES)
def test_the_curved_master_is_not_believed(
    lie: str, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = MKL(C=20.0, **options)
    true = optimum(spec)
    run = lied_to(lie, spec, monkeypatch)
    objective, bound = recompute_mkl(spec, grams(), run.evidence).pair
    assert (run.objective, run.bound) == (objective, bound)
    assert bound is not None
    assert bound <= true * (1 + 1e-9)
    assert objective >= true * (1 - 2e-9)
    assert (run.status is RunStatus.OPTIMAL) == run.certified
    if run.certified:
        assert objective - bound <= 1e-6 * objective


@pytest.mark.parametrize("lie", ["a crash", "half a point", "multipliers that are no numbers"])
def test_what_is_no_answer_is_made_up_for(lie: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The linear master takes over, and its run is certified."""
    assert lied_to(lie, MKL(C=20.0), monkeypatch).certified
