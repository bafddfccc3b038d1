"""What a voted kernel rests on: the preference property itself, ties, and every refusal."""

from dataclasses import replace

import numpy as np
import pytest
from small_data import mixture

import radprog as rp
from radprog.models.bounds import places
from radprog.models.vkr.settings import L1SVM, SVM, VKR

KERNELS = "rbf:0.5,rbf:2"


def told(spec: VKR | L1SVM | SVM, data: rp.Dataset, **settings: object) -> dict:
    return rp.fit(spec, data, **settings).extra["compression"]


def resting(spec: VKR | L1SVM, data: rp.Dataset) -> tuple[rp.Run, np.ndarray]:
    """A run and which points it rests on, of distinct points, by definition."""
    run = rp.fit(spec, data, tol=1e-12)
    margins = data.signs * run.fit.scores(data.X)
    inside = margins <= 1 + 1e-6
    inside[run.fit.centre] = True
    return run, inside


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("spec", [L1SVM(kernels="rbf:1", beta=0.005),
                                  VKR(kernels=KERNELS, complexity="none", beta=0.004)])  # fmt: skip
def test_points_outside_leave_the_solution_as_it_is(spec: VKR | L1SVM, seed: int) -> None:
    """Preference: the hinge as a sum, so that beta n stays fixed as points go."""
    data = mixture(40, seed)
    run, inside = resting(spec, data)
    found = run.extra["compression"]
    assert (found["points"], found["refused"]) == (40, None)
    assert found["size"] == inside.sum() < 40
    rng = np.random.default_rng(seed)
    outside = np.flatnonzero(~inside)
    for gone in (outside[:1], outside, rng.choice(outside, len(outside) // 2, replace=False)):
        kept = np.setdiff1d(np.arange(40), gone)
        part, rest = resting(replace(spec, beta=spec.beta * 40 / len(kept)), data.take(kept))
        assert part.fit.scores(data.X) == pytest.approx(run.fit.scores(data.X), abs=1e-6)
        assert rest.sum() == inside.sum()


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


@pytest.mark.parametrize(
    ("scale", "changes", "why"),
    [
        ("ball", {}, "scale 'ball' is fitted on the sample: use `scale='unit'` or none"),
        ("minmax", {}, "scale 'minmax' is fitted on the sample"),
        ("standard", {"complexity": "trace"}, "use `scale='unit'` or none"),
        (
            "standard",
            {"kernels": "poly:2", "complexity": "trace"},
            "'standard' is fitted on the sample: use `scale='unit'`",
        ),
        ("ball", {"complexity": "massart"}, "use `scale='unit'` or none with `complexity='none'`"),
        ("none", {"complexity": "massart"}, "'massart' is computed from the sample"),
        ("none", {"complexity": "montecarlo", "trials": 10}, "'montecarlo'"),
        ("unit", {"complexity": "local", "kernels": "rbf:1"}, "use `complexity='none'`"),
        ("none", {"kernels": "poly:2", "complexity": "trace"}, "use `scale='unit'`"),
        ("none", {"kernels": "poly:2", "complexity": "poly"}, "depends on the lengths"),
        ("ball", {"kernels": "rbf:scale", "complexity": "trace"}, "a number; scale 'ball'"),
        ("none", {"method": "cd"}, "not an exact vertex"),
        ("none", {"max_iter": 0}, "not an exact vertex"),
    ],
)
def test_refusals(scale: str, changes: dict, why: str) -> None:
    changes = {"kernels": KERNELS, "complexity": "none"} | changes
    settings = {name: changes.pop(name) for name in ("method", "max_iter") if name in changes}
    found = told(VKR(**changes), mixture(40, 4, scale=scale), **settings)
    assert why in found["refused"]
    assert found["size"] is found["bound"] is None


@pytest.mark.parametrize(
    "changes",
    [
        {"kernels": "poly:1-3", "complexity": "trace"},
        {"kernels": "rbf:1", "complexity": "trace"},
        {"kernels": "poly:2,rbf:1", "complexity": "none"},
    ],
)
def test_a_refused_scale_names_those_that_serve(changes: dict) -> None:
    refused = told(VKR(**changes), mixture(40, 4, scale="ball"))["refused"]
    scales = refused.partition("use `scale='")[2].partition(",")[0].replace("'`", "").split(" or ")
    serve = [scale for scale in ("unit", "none")
             if told(VKR(**changes), mixture(40, 4, scale=scale))["refused"] is None]  # fmt: skip
    assert scales == serve


@pytest.mark.parametrize(
    ("scale", "changes"),
    [
        ("unit", {"kernels": "poly:1-3", "complexity": "trace"}),
        ("unit", {"kernels": "poly:1-3", "complexity": "poly"}),
        ("none", {"kernels": "rbf:1,laplace:1", "complexity": "trace"}),
        ("none", {"kernels": "poly:2", "complexity": "none"}),
        ("none", {"kernels": "poly:2", "complexity": "massart", "lam": 0.0}),
    ],
)
def test_prices_that_are_fixed(scale: str, changes: dict) -> None:
    assert told(VKR(**changes), mixture(40, 4, scale=scale))["refused"] is None


def test_filled_cells() -> None:
    data = rp.dataset([[0.0, 1.0], [1.0, 0.0]], [1, -1])
    assert data.scaler is not None
    filled = replace(data, scaler=replace(data.scaler, fill=np.zeros(2)))
    assert "missing='drop'" in told(L1SVM(kernels="rbf:1", beta=0.1), filled)["refused"]


def test_a_kernel_file(tmp_path) -> None:
    data = mixture(20, 5)
    np.save(tmp_path / "K.npy", np.exp(-((data.X[:, None] - data.X) ** 2).sum(-1)))
    found = told(VKR(kernels=f"file:{tmp_path / 'K.npy'}", complexity="none"), data)
    assert "known only on these points" in found["refused"]


def test_several_solutions() -> None:
    """Two kernels that are one function: any share of their coefficients is as good."""
    data = mixture(40, 6)
    found = told(VKR(kernels="poly:1,linear", complexity="none", beta=0.01),
                 rp.dataset(np.sign(data.X), data.signs))  # fmt: skip
    assert found["refused"] is not None


def test_nothing_learned_rests_on_all() -> None:
    found = told(L1SVM(kernels="rbf:1", beta=10.0), mixture(20, 7))
    assert (found["size"], found["bound"]) == (20, 1.0)


def test_unit_rows_are_no_advice_for_a_kernel_of_ones_own() -> None:
    """Whether K(x, x) is one number is not known of it, whatever the rows."""
    own = VKR(kernels=lambda X, Z: (X @ Z.T + 1.0) ** 2, lam=0.01, beta=0.01)
    refused = told(own, mixture(40, 4, scale="unit"))["refused"]
    assert "use `complexity='none'`" in refused
    assert "scale='unit'" not in refused
