"""Steps (8), (9) and their Ivanov form: duality, the batched solver, scikit-learn, PIQP."""

import numpy as np
import pytest
from sklearn.svm import SVR as LibSVR
from small_data import LOSSES, sine_class

from radprog.models.complexity import draw_signs
from radprog.models.regression.problem import BoundedLoss, convex_part, slopes, tangent_constant
from radprog.models.regression.programs import (
    build_global,
    build_step,
    build_step_dual,
    build_step_ivanov,
    tikhonov_radius,
)
from radprog.solvers.compile import compile_model
from radprog.solvers.dense.hinges import HingeProgram, solve_hinges
from radprog.solvers.program import ProblemClass, SolveSettings
from radprog.solvers.registry import solve_model

TIGHT = SolveSettings(tol=1e-10)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("seed", range(5))
def test_strong_duality_of_every_step(loss: BoundedLoss, seed: int) -> None:
    """(8) = -(9) + constant = our own solver, for random signs, C and iterate."""
    n = 18
    problem = sine_class(n, seed, loss)
    rng = np.random.default_rng(seed)
    signs = draw_signs(n, 2, seed, "rademacher")[:1]
    weight = float(10.0 ** rng.uniform(-1, 1))
    h = problem.functions(rng.normal(size=(1, problem.rank + 1)) * 0.5)
    c = slopes(h, problem.y, signs, loss)
    tangent = tangent_constant(h, problem.y, signs, loss, c)
    arguments = (problem, signs[0], c[0], weight, float(tangent[0]))
    primal = solve_model(build_step(*arguments), "piqp", TIGHT).objective
    dual = solve_model(build_step_dual(*arguments), "piqp", TIGHT).objective
    hinges = convex_part(problem.y, signs, loss, 1e3)
    box = problem.bias_box(tikhonov_radius(weight * loss.up, n))
    program = HingeProgram(
        F=problem.factor, t1=hinges.t1, t2=hinges.t2, c=c, box=box, price=1 / weight
    )
    own = weight * float((solve_hinges(program).value + hinges.constant + tangent)[0])
    scale = 1 + abs(primal)
    assert abs(primal + dual) <= 1e-7 * scale
    assert abs(primal - own) <= 1e-7 * scale
    assert np.abs(c).sum() > 0


def test_all_minimised_with_zero_slopes_is_support_vector_regression() -> None:
    loss = BoundedLoss(low=0.1, up=1.0)
    problem = sine_class(40, 1, loss)
    signs, C = -np.ones(40), 3.0
    ours = solve_model(build_step(problem, signs, np.zeros(40), C), "piqp", TIGHT)
    peer = LibSVR(kernel="precomputed", C=C, epsilon=loss.low, tol=1e-10)
    peer.fit(problem.kernel, problem.y)
    a = np.zeros(40)
    a[peer.support_] = peer.dual_coef_[0]
    h = problem.kernel @ a + peer.intercept_[0]
    tube = np.maximum(np.abs(problem.y - h) - loss.low, 0.0)
    assert ours.objective == pytest.approx(0.5 * a @ problem.kernel @ a + C * tube.sum(), rel=1e-7)
    assert np.allclose(problem.functions(ours.x[: problem.rank + 1][None])[0], h, atol=1e-4)


def test_classes_of_the_programs() -> None:
    problem = sine_class(6, 0, LOSSES[1])
    signs = np.array([1.0, -1, 1, -1, 1, -1])
    c = np.zeros(6)
    kinds = {
        ProblemClass.QP: [
            build_step(problem, signs, c, 1.0),
            build_step_dual(problem, signs, c, 1),
        ],
        ProblemClass.QCQP: [build_step_ivanov(problem, signs, c, 1.0)],
        ProblemClass.MIQCQP: [build_global(problem, signs, A=1.0)],
        ProblemClass.MIQP: [build_global(problem, signs, C=1.0)],
    }
    for kind, models in kinds.items():
        for model in models:
            assert compile_model(model).problem_class is kind


def test_dual_with_the_factor_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = sine_class(20, 3, LOSSES[0], 0.5)
    signs = draw_signs(20, 2, 0, "rademacher")[0]
    c = np.zeros(20)
    dense = solve_model(build_step_dual(problem, signs, c, 2.0), "piqp", TIGHT).objective
    monkeypatch.setattr("radprog.models.regression.programs.DENSE_DUAL", 10)
    factored = solve_model(build_step_dual(problem, signs, c, 2.0), "piqp", TIGHT).objective
    assert factored == pytest.approx(dense, rel=1e-7)
