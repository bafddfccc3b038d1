"""What a voted kernel or a machine rests on: preference, ties, refusals, how often it fails."""

import math
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from compression_draws import DELTA, DRAWS, musk_like, simulate, violations
from small_data import mixture

import radprog as rp
from radprog.models.bounds import places
from radprog.models.kernel_bank import KernelBank
from radprog.models.kernels import parse_kernels
from radprog.models.svm import best_bias, bias_interval
from radprog.models.vkr.bounds import svm_compression
from radprog.models.vkr.settings import L1SVM, SVM, VKR

KERNELS = "rbf:0.5,rbf:2"


def told(spec: VKR | L1SVM | SVM, data: rp.Dataset, **settings: object) -> dict:
    return rp.fit(spec, data, **settings).extra["compression"]


def resting(spec: VKR | L1SVM | SVM, data: rp.Dataset) -> tuple[rp.Run, np.ndarray]:
    """A run and which points it rests on, of distinct points, by definition."""
    if isinstance(spec, SVM):
        run = rp.fit(spec, data, solver="piqp")
        return run, data.signs * run.fit.scores(data.X) <= 1 + 1e-4
    run = rp.fit(spec, data, tol=1e-12)
    inside = data.signs * run.fit.scores(data.X) <= 1 + 1e-6
    inside[run.fit.centre] = True
    return run, inside


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("spec", [L1SVM(kernels="rbf:1", beta=0.005),
                                  VKR(kernels=KERNELS, complexity="none", beta=0.004),
                                  *(SVM(kernels="rbf:0.7", C=C) for C in (0.3, 3.0))])  # fmt: skip
def test_points_outside_leave_the_solution_as_it_is(spec: Any, seed: int) -> None:
    """Preference: the hinge as a sum, so that beta n, or C, stays fixed as points go."""
    data = mixture(40, seed)
    run, inside = resting(spec, data)
    found = run.extra["compression"]
    assert (found["points"], found["refused"]) == (40, None)
    assert found["size"] == inside.sum() < 40
    rng = np.random.default_rng(seed)
    outside = np.flatnonzero(~inside)
    for gone in (outside[:1], outside, rng.choice(outside, len(outside) // 2, replace=False)):
        kept = np.setdiff1d(np.arange(40), gone)
        machine = isinstance(spec, SVM)
        fewer = spec if machine else replace(spec, beta=spec.beta * 40 / len(kept))
        part, rest = resting(fewer, data.take(kept))
        close = pytest.approx(run.fit.scores(data.X), abs=1e-4 if machine else 1e-6)
        assert part.fit.scores(data.X) == close
        assert rest.sum() == inside.sum() == part.extra["compression"]["size"]


@pytest.mark.parametrize("seed", range(3))
def test_a_point_inside_counts(seed: int) -> None:
    """A new point of margin below 1 changes the solution or is among those that it rests on."""
    data, spec = mixture(40, seed), L1SVM(kernels="rbf:1", beta=0.005)
    run, _ = resting(spec, data)
    new = mixture(30, 100 + seed)
    margins = new.signs * run.fit.scores(new.X)
    for i in np.flatnonzero(margins < 0.99)[:4]:
        X, y = np.vstack([data.X, new.X[i]]), np.append(data.signs, new.signs[i])
        more, among = resting(replace(spec, beta=spec.beta * 40 / 41), rp.dataset(X, y))
        assert among[40] or more.fit.scores(data.X) != pytest.approx(run.fit.scores(data.X))


def test_equal_points_are_one_column() -> None:
    """Copies count as often as they are inside, a column among equals once; nothing is refused."""
    data = mixture(30, 1)
    spec = L1SVM(kernels="rbf:1", beta=0.005)
    run, inside = resting(spec, data)
    twice = rp.dataset(np.vstack([data.X, data.X]), np.tile(data.signs, 2))
    found = told(spec, twice)  # the mean hinge of copies is the same
    margins = data.signs * run.fit.scores(data.X)
    near = margins <= 1 + 1e-6
    assert found["refused"] is None
    assert found["size"] == 2 * near.sum() + (inside & ~near).sum()
    assert len(np.unique(places(twice.X))) == 30


def test_further_centres_are_no_points(tmp_path) -> None:
    data = mixture(40, 2)
    file = tmp_path / "centres.csv"
    np.savetxt(file, np.random.default_rng(0).normal(size=(30, 2)), delimiter=",")
    run = rp.fit(L1SVM(kernels="rbf:1", beta=0.005, centres=str(file)), data)
    inside = data.signs * run.fit.scores(data.X) <= 1 + 1e-6
    own = {int(j) for j in run.fit.centre if j < 40 and not inside[j]}
    assert any(j >= 40 for j in run.fit.centre)
    assert run.extra["compression"]["size"] == inside.sum() + len(own)


@pytest.mark.parametrize("spec", [L1SVM(kernels="rbf:1", beta=0.01), SVM(kernels="rbf:1")])
def test_delta_is_that_of_all_bounds(spec: L1SVM | SVM) -> None:
    data = mixture(60, 3)
    extra, usual = rp.fit(replace(spec, delta=0.001), data).extra, told(spec, data)
    assert [bound["parameters"]["delta"] for bound in extra.get("bounds", [])[:1]] in ([], [0.001])
    assert (extra["compression"]["delta"], usual["delta"]) == (0.001, 0.05)
    assert usual["bound"] < extra["compression"]["bound"]


@pytest.mark.cases(30)
@pytest.mark.parametrize(
    ("scale", "changes", "why"),
    [
        ("ball", {}, "scale 'ball' is fitted on the sample: use `scale='unit'` or none"),
        ("minmax", {}, "scale 'minmax' is fitted on the sample"),
        ("standard", {"complexity": "trace"}, "use `scale='unit'` or none"),
        ("standard", {"kernels": "poly:2", "complexity": "trace"}, "sample: use `scale='unit'`"),
        ("ball", {"complexity": "massart"}, "use `scale='unit'` or none with `complexity='none'`"),
        ("none", {"complexity": "massart"}, "'massart' is computed from the sample"),
        ("none", {"complexity": "montecarlo", "trials": 10}, "'montecarlo'"),
        ("unit", {"complexity": "local", "kernels": "rbf:1"}, "use `complexity='none'`"),
        ("none", {"kernels": "poly:2", "complexity": "trace"}, "use `scale='unit'`"),
        ("none", {"kernels": "poly:2", "complexity": "poly"}, "depends on the lengths"),
        ("ball", {"kernels": "rbf:scale", "complexity": "trace"}, "a number; scale 'ball'"),
        ("none", {"method": "cd"}, "not an exact vertex"),
        ("none", {"max_iter": 0}, "not an exact vertex"),
        # prices that are fixed
        ("unit", {"kernels": "poly:1-3", "complexity": "trace"}, None),
        ("unit", {"kernels": "poly:1-3", "complexity": "poly"}, None),
        ("none", {"kernels": "rbf:1,laplace:1", "complexity": "trace"}, None),
        ("none", {"kernels": "poly:2"}, None),
        ("none", {"kernels": "poly:2", "complexity": "massart", "lam": 0.0}, None),
    ],
)
def test_refusals(scale: str, changes: dict, why: str | None) -> None:
    changes = {"kernels": KERNELS, "complexity": "none"} | changes
    settings = {name: changes.pop(name) for name in ("method", "max_iter") if name in changes}
    found = told(VKR(**changes), mixture(40, 4, scale=scale), **settings)
    assert (found["refused"] is None) == (found["bound"] is not None) == (why is None)
    assert why is None or why in found["refused"]


def test_data_and_kernels_that_allow_none(tmp_path: Path) -> None:
    two = rp.dataset([[0.0, 1.0], [1.0, 0.0]], [1, -1])
    filled = replace(two, scaler=replace(two.scaler, fill=np.zeros(2)))
    data, far = mixture(20, 5), rp.dataset([[0.0], [100.0]], [1, -1])
    np.save(tmp_path / "K.npy", np.exp(-((data.X[:, None] - data.X) ** 2).sum(-1)))
    stored = VKR(kernels=f"file:{tmp_path / 'K.npy'}", complexity="none")
    # two kernels that are one function: any share of their coefficients is as good
    several = VKR(kernels="poly:1,linear", complexity="none", beta=0.01)
    signs = rp.dataset(np.sign(data.X), data.signs)
    # whether K(x, x) is one number is not known of a kernel of one's own, whatever the rows
    own = VKR(kernels=lambda X, Z: (X @ Z.T + 1.0) ** 2, lam=0.01, beta=0.01)
    for spec, points, why in (
        (L1SVM(kernels="rbf:1", beta=0.1), filled, "missing='drop'"),
        (stored, data, "known only on these points"),
        (several, signs, "may be as good"),
        (own, mixture(40, 4, scale="unit"), "use `complexity='none'`"),
        (SVM(kernels="rbf:1", C=0.1), far, "another `C`"),  # every bias from -1 to 1 is as good
    ):
        refused = told(spec, points)["refused"]
        assert why in refused
        assert "scale='unit'" not in refused
    assert bias_interval(np.zeros(2), np.array([1.0, -1.0])) == (-1.0, 1.0)


def test_nothing_learned_rests_on_all() -> None:
    found = told(L1SVM(kernels="rbf:1", beta=10.0), mixture(20, 7))
    assert (found["size"], found["bound"]) == (20, 1.0)


def test_a_wide_gap_counts_more_points_and_then_too_many() -> None:
    data, spec = mixture(50, 0), SVM(kernels="rbf:0.7")
    bank = KernelBank(parse_kernels("rbf:0.7"), data.X)
    scores = bank.gram(0) @ (np.asarray(rp.fit(spec, data).evidence["a"]) * data.signs)
    bias = best_bias(scores, data.signs)
    gaps, given = (0.0, 1e-4, 1e-3, 1e-2, 1.0), (spec, data, bank, scores, bias)
    *few, none = (svm_compression(*given, gap) for gap in gaps)
    sizes = [found["size"] for found in few]
    assert sizes == sorted(sizes)
    assert sizes[0] < sizes[-1]
    assert none["size"] is None
    assert "smaller `tol`" in none["refused"]


def test_the_true_margins_are_within_the_slack() -> None:
    """Scores of a rough solution lie within sqrt(2 gap) of the exact ones."""
    data, spec = mixture(60, 1), SVM(kernels="rbf:0.7", C=2.0)
    exact = rp.fit(spec, data, solver="piqp")
    for run in (rp.fit(spec, data, solver_options={}, tol=1e-2), exact):
        shift = np.sqrt(2 * max(run.objective - run.bound, 0.0))
        assert np.abs(run.fit.scores(data.X) - exact.fit.scores(data.X)).max() <= 4 * shift + 1e-6


FEW, MANY = (
    pytest.param(25, 50, marks=pytest.mark.thorough),
    pytest.param(1000, 100, marks=pytest.mark.slow),
)


@pytest.mark.parametrize("name", DRAWS)
@pytest.mark.parametrize(("draws", "n"), [FEW, MANY])
def test_the_bound_fails_no_more_often_than_it_says(name: str, draws: int, n: int) -> None:
    """Over draws of four known distributions."""
    found = simulate(name, draws, n)
    assert violations(found) <= DELTA + 3 * math.sqrt(DELTA * (1 - DELTA) / draws)
    assert np.isnan(found["compression"]).mean() <= 0.05  # refused
    assert np.nanmean(found["compression"]) < 1
    assert (found["error"] <= found["within"]).all()


POLY, RBF = VKR(kernels="poly:1-4"), VKR(kernels="rbf:0.1,rbf:1,rbf:10,rbf:100")


@pytest.mark.parametrize("spec", [POLY, RBF])
def test_molecules_with_few_small_margins(spec: VKR) -> None:
    assert told(spec, musk_like())["bound"] < 0.25


@pytest.mark.cases(3)
@pytest.mark.data
@pytest.mark.thorough
@pytest.mark.parametrize("spec", [POLY, RBF])
@pytest.mark.parametrize(
    ("name", "most"),
    [("ionosphere", 0.5), ("breastcancer", 0.5), ("diabetes", 0.8), ("german", 0.7)],
)
def test_papers_data(name: str, most: float, spec: VKR) -> None:
    """Rows of unit norm: never below half of the error of a fifth held out."""
    path = Path(os.environ["RADPROG_DATA"]) / "vkr" / f"{name}.csv"
    data = rp.read(path, scale="unit", missing="drop")
    bound = told(spec, data)["bound"]
    assert bound < most
    order = np.random.default_rng(0).permutation(data.rows)
    held, rest = order[: data.rows // 5], order[data.rows // 5 :]
    train, test = data.partition(np.sort(rest), np.sort(held))
    assert bound >= (rp.fit(spec, train).fit.predict(test.X) != test.signs).mean() / 2
