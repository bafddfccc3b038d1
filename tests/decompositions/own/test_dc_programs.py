"""A hundred programs with concave parts: descent, critical end points, values beside SCIP's."""

import importlib.util
import itertools
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from refusals import refused
from small_models import small_model

import radprog as rp
from radprog.solvers.derivatives import Smooth

PLACE = Path(__file__).resolve().parents[3] / "benchmarks" / "dc_programs.py"


def programs() -> ModuleType:
    spec = importlib.util.spec_from_file_location("dc_programs", PLACE)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


DC = programs()
ALL = [(kind, seed) for kind in DC.KINDS for seed in range(DC.EACH)]


@pytest.mark.parametrize(("kind", "seed"), ALL)
def test_end_points_are_critical(kind: str, seed: int) -> None:
    arrays = DC.drawn(kind, seed)
    model, point = DC.pyomo_model(kind, arrays, rp.concave)
    seen: list[rp.Record] = []
    run = rp.dca(model, observe=seen.append)
    assert run.status.value == "critical_point"
    assert run.residual <= 1e-6
    value, violation = DC.valued(kind, arrays, point(run.values))
    assert value == pytest.approx(run.objective, abs=1e-6)
    assert violation <= 1e-6
    free = [record for record in seen if record.detail["slack"] <= 1e-6]
    for before, after in itertools.pairwise(free):
        assert after.objective <= before.objective + 1e-9 * max(1.0, abs(before.objective))


def test_a_kink_has_one_of_its_slopes() -> None:

    model = small_model(lambda m: 0.1 * m.x**2 + rp.concave(-abs(m.x)), x=(-2, 1, 0.0))
    run = rp.dca(model, starts=[{"x": 0.5}, {"x": -0.5}, {"x": 0.0}])
    assert run.objective == pytest.approx(-1.6)
    assert run.ends[2, 0] <= 1e-9  # 0 is critical by the slope 0; what rounding leaves, descends


def test_gradients_are_those_of_differences() -> None:
    import pyomo.environ as pyo

    model = pyo.ConcreteModel()
    model.x = pyo.Var(range(3))
    model.p = pyo.Param(initialize=2.0, mutable=True)
    x = model.x
    model.inner = pyo.Expression(expr=x[0] * x[1] - x[2] ** 2 / x[0])
    parts = [
        pyo.exp(-model.p * model.inner) + pyo.log(x[0]) - pyo.sqrt(x[1]),
        abs(x[0] - x[1]) * pyo.sin(x[2]) + pyo.tanh(model.inner) + 3.0,
        x[0] ** x[1] + pyo.atan(x[2]) * pyo.cosh(x[0]) / (1 + x[1] ** 2),
        2 * x[0] - 3 * x[2] + 1,
    ]
    place = {id(x[j]): j for j in range(3)}
    point = np.array([0.7, 1.3, 0.4])
    for part in parts:
        smooth = Smooth(part, place)
        x.set_values(dict(enumerate(point.tolist())))
        assert smooth.value(point) == pytest.approx(pyo.value(part), rel=1e-14)
        found = np.zeros(3)
        found[list(smooth.columns)] = smooth.gradient(point)
        steps = np.eye(3) * 1e-6
        known = [(smooth.value(point + h) - smooth.value(point - h)) / 2e-6 for h in steps]
        np.testing.assert_allclose(found, known, rtol=1e-6, atol=1e-8)
    assert np.isnan(Smooth(pyo.log(x[0]), place).value([-1.0, 0.0, 0.0]))
    other = pyo.ConcreteModel()
    other.y = pyo.Var()
    refused(rp.RadprogError, "y is not in the model", Smooth, other.y**2, place)
    refused(rp.RadprogError, "ceil is not a function", Smooth, pyo.ceil(x[0]), place)
