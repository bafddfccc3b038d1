"""Descents whose kernel matrix has a high rank: warm steps, and radii at which much is fitted."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from radprog.decompositions.regression.fit import fit_svr
from radprog.decompositions.run import RunSettings, RunStatus
from radprog.instances.regression import RegressionData, regression_data
from radprog.models.regression.settings import SVR
from radprog.solvers.dense import active_hinges
from radprog.solvers.dense.batched_qp import solve_hinges
from radprog.solvers.dense.hinges import HingeProgram


def outliers(n: int = 240) -> RegressionData:
    """A smooth function of eight columns; every tenth target is far off."""
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(n, 8))
    y = np.sin(3.0 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.1 * rng.normal(size=n)
    y[::10] += 5.0 * rng.normal(size=len(y[::10]))
    return regression_data(X, y)


@pytest.mark.parametrize("spec", [{"A": 100.0}, {"A": 1000.0}, {"C": 10.0}], ids=str)
def test_interior_points_see_the_leading_columns_alone(
    spec: dict[str, float], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: set[int] = set()

    def watched(program: HingeProgram, **options: Any) -> Any:
        seen.add(program.F.shape[1])
        return solve_hinges(program, **options)

    monkeypatch.setattr(active_hinges, "solve_hinges", watched)
    run = fit_svr(SVR(starts=2, **spec), outliers(), RunSettings())
    assert run.status is RunStatus.CRITICAL_POINT
    assert not run.warnings
    assert seen == {active_hinges.LEADING}
