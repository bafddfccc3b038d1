"""Lies of the solver behind the curved master: they cost rounds, and never make a false claim."""

from functools import cache
from types import SimpleNamespace

import numpy as np
import piqp
import pytest
from lies import NUMBERS
from small_data import class_grams

import radprog as rp
from radprog.decompositions.drivers import exchange
from radprog.decompositions.mkl.fit import fit_mkl, recompute_mkl
from radprog.decompositions.run import RunSettings
from radprog.solvers.adapters.piqp import solve_dense
from radprog.solvers.program import Status

SOLVED = piqp.PIQP_SOLVED


def told(truth, **lies) -> SimpleNamespace:
    """The truth but for what is said otherwise."""
    known = {key: np.array(getattr(truth, key)) for key in ("x", "z_l", "z_u")}
    return SimpleNamespace(**{"status": SOLVED, **known, **lies})


def crash(truth):
    raise RuntimeError("out of order")


LIES = {
    **{
        f"a point of {name}": lambda t, f=f: told(t, x=f(np.array(t.x)))
        for name, f in NUMBERS.items()
    },
    **{
        f"multipliers of {name}": lambda t, f=f: told(t, z_l=f(np.array(t.z_l)))
        for name, f in NUMBERS.items()
    },
    "no status": lambda t: told(t, status=None),
    "a crash": crash,
    "no point": lambda t: told(t, x=None),
    "a value far too small": lambda t: told(t, x=np.array(t.x) - 1e6 * np.eye(len(t.x))[0]),
    "no multipliers": lambda t: told(t, z_l=None, z_u=None),
    "a multiplier too many": lambda t: told(
        t, z_l=np.append(t.z_l, 1.0), z_u=np.append(t.z_u, 0.0)
    ),
}


GRAMS = rp.gram_set(*class_grams((3, 6, 9, 12), 20, seed=3, apart=0.5, ridge=0.1))


@cache
def optimum(spec: rp.MKL) -> float:
    return fit_mkl(spec, GRAMS, RunSettings(tol=1e-9)).objective


@pytest.mark.cases(24)
@pytest.mark.parametrize("options", [{}, {"norm": 2.0}, {"loss": "squared"}])
@pytest.mark.parametrize("lie", LIES)
def test_the_curved_master_is_not_believed(lie: str, options: dict, monkeypatch) -> None:
    """PIQP, whose answers are turned into lies."""
    spec, calls = rp.MKL(C=20.0, **options), list[None]()
    true = optimum(spec)

    def solve(*program, tolerance: float) -> tuple:
        calls.append(None)
        result = LIES[lie](solve_dense(*program, tolerance=tolerance)[0])
        return result, result.status == SOLVED

    with monkeypatch.context() as patch:
        patch.setattr(exchange, "solve_dense", solve)
        run = fit_mkl(spec, GRAMS, RunSettings(max_iter=60))
    assert calls  # the master was reached
    objective, bound = recompute_mkl(spec, GRAMS, run.evidence).pair
    assert (run.objective, run.bound) == (objective, bound)
    assert bound <= true * (1 + 1e-9)
    assert objective >= true * (1 - 2e-9)
    assert (run.status is Status.OPTIMAL) == run.certified
    if run.certified:
        assert objective - bound <= 1e-6 * objective
