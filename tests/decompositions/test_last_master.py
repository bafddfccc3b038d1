"""The program of a run cut by max_iter is the restricted master that the run solved last."""

import numpy as np
import pytest
from series_generators import cylinder_bell_funnel

import radprog as rp

RNG = np.random.default_rng(5)
X = RNG.normal(size=(30, 4))
TABLE = rp.dataset(X, np.where(X[:, 0] + X[:, 1] ** 2 + 0.5 * RNG.normal(size=30) > 1, "yes", "no"))
CURVES = cylinder_bell_funnel(30, length=40, seed=2)
CASES = {
    "shapelet": (rp.LPBoost(length="8", sigma=0.1, nu=0.3), CURVES),
    "shapelet-plus": (rp.LPBoost(length="8", learner="shapelet-plus", sigma=0.1, nu=0.3), CURVES),
    "l1": (rp.LPBoost(length="8", learner="l1", nu=0.3), CURVES),
    "stump": (rp.LPBoost(learner="stump", nu=0.6), TABLE),
    "tree2": (rp.LPBoost(learner="tree2", nu=0.6), TABLE),
    "vkr": (rp.VKR(kernels="rbf:0.1,rbf:1", lam=0.01, beta=0.01), TABLE),
    "l1linear": (rp.L1Linear(beta=0.01), TABLE),
}


@pytest.mark.parametrize("rounds", [1, 2, 3, 5])
@pytest.mark.parametrize("name", CASES)
def test_the_optimum_of_the_program_is_the_objective_of_the_run(name, rounds) -> None:
    spec, data = CASES[name]
    run = rp.fit(spec, data, max_iter=rounds)
    model = run.model()
    assert abs(rp.solve(model).objective) == pytest.approx(abs(run.objective), rel=1e-6, abs=1e-8)
    if isinstance(spec, rp.LPBoost):
        assert run.columns == len(model.edge) == run.trace[-1].detail["columns"]


def test_the_program_of_method_direct_is_the_whole_dual() -> None:
    run = rp.fit(rp.L1Linear(beta=0.01), TABLE, method="direct")
    assert abs(rp.solve(run.model()).objective) == pytest.approx(run.objective, rel=1e-6)
    assert run.columns == 8
