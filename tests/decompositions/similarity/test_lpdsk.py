"""LPDSK: descent, harmonic labels, class masses, flagged rows, symmetry, bad input, forms."""

import re

import numpy as np
import pytest
from clusters import blobs, labelling_value, labellings, with_few_labels
from refusals import refused

import radprog as rp
from radprog.base.tolerances import WEIGHT_STEP_GAP
from radprog.decompositions.analyses import FormSolution
from radprog.decompositions.run import RunSettings
from radprog.decompositions.similarity.assembly import assemble
from radprog.decompositions.similarity.forms import similarity_form
from radprog.decompositions.similarity.grid import choose_propagation, hidden_parts
from radprog.decompositions.similarity.lpdsk import (
    assign_labels,
    fit_lpdsk,
    load_lpdsk,
    recompute_lpdsk,
)
from radprog.models.similarity.svm import flipped_spectrum
from radprog.solvers.registry import solve_model


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("lam", "trace"), [("auto", "half"), (6.0, "half"), (2.0, "full")])
def test_objective_falls_to_a_stationary_point(seed: int, lam: str | float, trace: str) -> None:
    data = with_few_labels(blobs(36, seed=seed, spread=2.0))
    spec = rp.LPDSK(lam=lam, trace=trace, bandwidth="0.5*median")
    run = fit_lpdsk(spec, data, RunSettings())
    values = np.array([record.objective for record in run.trace], dtype=float)
    assert len(values) >= 2
    assert (np.diff(values) <= 1e-12 * np.maximum(1.0, np.abs(values[1:]))).all()
    assert all(record.detail["weight_gap"] <= WEIGHT_STEP_GAP * 36 for record in run.trace)
    again = recompute_lpdsk(spec, data, run.evidence)
    assert again.objective == pytest.approx(run.objective, rel=1e-10)
    Y = np.asarray(run.summary["shares"])
    np.testing.assert_allclose(Y.sum(axis=1), 1.0, atol=1e-10)
    assert Y.min() >= 0


def test_uniform_weights_are_label_propagation() -> None:
    """Before the first round Y is the harmonic function of the kernel itself."""
    from sklearn.semi_supervised import LabelPropagation

    data = with_few_labels(blobs(45, seed=2))
    run = fit_lpdsk(rp.LPDSK(bandwidth="0.5*median"), data, RunSettings(max_iter=0))
    peer = LabelPropagation(gamma=0.5 / run.summary["bandwidth"] ** 2, max_iter=20000, tol=1e-10)
    theirs = peer.fit(data.X, data.codes).label_distributions_
    np.testing.assert_allclose(run.summary["shares"], theirs, atol=1e-4)


def test_class_mass_gives_the_shares_of_the_labels() -> None:
    Y = np.array([[1.0, 0.0], [0.0, 1.0], [0.6, 0.4], [0.7, 0.3], [0.9, 0.1]])
    codes, lost = np.array([0, 1, -1, -1, -1]), np.zeros(5, dtype=bool)
    assert assign_labels(Y, codes, lost, class_mass=False).tolist() == [0, 1, 0, 0, 0]
    # columns sum to 2.2 and 0.8: 0.6/2.2 < 0.4/0.8, 0.7/2.2 < 0.3/0.8, 0.9/2.2 > 0.1/0.8
    assert assign_labels(Y, codes, lost, class_mass=True).tolist() == [0, 1, 1, 1, 0]


def test_a_class_that_another_has_taken_is_named() -> None:
    """Overlapping classes: few labels of one spread over the rows of the other."""
    taken = []
    for seed in (0, 4):
        rng = np.random.default_rng(seed)
        codes = np.arange(200) % 2
        X = rng.normal(size=(200, 8)) + 0.6 * codes[:, None]
        y = np.where(rng.permutation(200) < 16, codes, -1)
        data = rp.partly_labelled(X, [None if k < 0 else k for k in y.tolist()])
        run = fit_lpdsk(rp.LPDSK(), data, RunSettings())
        labels, held = np.array(run.summary["labels"]), y >= 0
        least = [(labels[~held] == k).mean() < 0.1 * (y[held] == k).mean() for k in (0, 1)]
        told = [text for text in run.warnings if "may have taken its rows" in text]
        assert len(told) == sum(least)
        assert all(f"class {k} has" in told[0] for k in (0, 1) if least[k])
        taken.append(sum(least))
    assert taken == [1, 0]


def test_unreached_rows_are_flagged() -> None:
    data = blobs(12, c=2, seed=1)
    X = np.vstack([data.X, [[500.0, 0.0], [500.1, 0.0]]])
    far = rp.partly_labelled(X, [*[0, 1] * 6, None, None])
    run = fit_lpdsk(rp.LPDSK(bandwidth="1"), far, RunSettings())
    assert run.summary["labels"][-2:] == [-1, -1]
    assert run.summary["unreached"] == [12, 13]
    assert any("no label reaches 2 rows (first: X[12])" in text for text in run.warnings)
    assert run.summary["labels"][:12] == [0, 1] * 6


def test_a_tie_is_flagged() -> None:
    data = rp.partly_labelled([[0.0], [2.0], [1.0]], ["a", "b", None])
    run = fit_lpdsk(rp.LPDSK(bandwidth="1"), data, RunSettings(max_iter=0))
    assert run.summary["labels"] == [0, 1, -1]
    assert any("no largest class share" in text for text in run.warnings)


def test_permuted_rows_permute_the_answer() -> None:
    data = with_few_labels(blobs(40, seed=5, spread=2.0))
    order = np.random.default_rng(0).permutation(40)
    spec = rp.LPDSK(bandwidth="0.5*median", class_mass=True)
    first = fit_lpdsk(spec, data, RunSettings())
    other = fit_lpdsk(spec, data.take(order), RunSettings())
    assert np.asarray(first.summary["labels"])[order].tolist() == other.summary["labels"]
    assert first.objective == other.objective


def test_general_similarities(tmp_path) -> None:
    data = with_few_labels(blobs(10, c=2, seed=1, spread=8.0), 1)
    rng = np.random.default_rng(0)
    codes = np.arange(10) % 2
    S = np.where(np.equal.outer(codes, codes), 0.8, 0.3) + 0.02 * rng.random((10, 10))
    S = (S + S.T) / 2
    np.fill_diagonal(S, 0.1)
    np.save(tmp_path / "s.npy", S)
    assert np.linalg.eigvalsh(S)[0] < 0
    spec = rp.LPDSK(similarity=str(tmp_path / "s.npy"), lam=2.0, class_mass=True)
    run = fit_lpdsk(spec, data, RunSettings())
    assert run.summary["labels"] == codes.tolist()
    assert run.summary["min_similarity"] >= -1e-12
    refused(rp.DataError, "cross", run.fit.predict, data.X)
    np.testing.assert_array_equal(run.fit.predict(data.X, S), codes)


SIMILARITIES = {  # of products and distances, none a kernel
    "tanh": lambda K, D: np.tanh(K),
    "a share of tanh": lambda K, D: (1.0 + np.tanh(K)) / 2.0,
    "parabola": lambda K, D: np.maximum(0.0, 1.0 - (D / 4.0) ** 2),
    "step": lambda K, D: 1.0 * (D < 2.0),
    "near one": lambda K, D: 0.9 + 0.05 * np.sin(D),
}


@pytest.mark.parametrize("name", SIMILARITIES)
def test_an_indefinite_similarity_is_taken_or_its_diagonal_is_named(name, tmp_path) -> None:
    X = np.random.default_rng(0).normal(size=(24, 3)) + 2.0 * (np.arange(24)[:, None] % 2)
    data = with_few_labels(rp.dataset(X, np.arange(24) % 2), 3)
    S = SIMILARITIES[name](X @ X.T, np.linalg.norm(X[:, None] - X, axis=2))
    assert np.linalg.eigvalsh(S)[0] < -0.01

    def fit(S):
        np.save(tmp_path / "s.npy", S)
        return fit_lpdsk(rp.LPDSK(similarity=str(tmp_path / "s.npy")), data, RunSettings())

    if name == "tanh":
        refused(rp.OptionError, "different rows need similarities of at least 0", fit, S)
        return
    off_diagonal = ~np.eye(24, dtype=np.bool_)
    # with lam = n/2: |s|_ij <= (2n / lam) s_ij
    if (flipped_spectrum(S).size <= 4.0 * S)[off_diagonal].all():
        run = fit(S)
    else:
        with pytest.raises(rp.OptionError, match="all weights up to 1/n: add") as error:
            fit(S)
        advice = re.search(r"add (\S+) to its diagonal", str(error.value))
        run = fit(S + float(advice[1]) * np.eye(24))
    assert run.summary["min_similarity"] >= -1e-12


def test_bad_input_is_named() -> None:
    data = blobs(9)
    only = data.hide(np.flatnonzero(data.codes == 2))
    cases = [
        (data.hide(np.arange(9)), {}, "no row has a label"),
        (only, {}, "class '2' has no labelled row"),
        (data, {"clusters": 4}, "labels are of 3 classes"),
        (data, {"lam": 19.0}, "lam at most 18"),
    ]
    for points, options, message in cases:
        with pytest.raises((rp.DataError, rp.OptionError), match=message):
            fit_lpdsk(rp.LPDSK(**options), points, RunSettings())


def test_held_out_labels_choose() -> None:
    data = with_few_labels(blobs(60, seed=1, spread=3.0), 6)
    parts = hidden_parts(data, 3, seed=0)
    assert np.array_equal(np.sort(np.concatenate(parts)), np.flatnonzero(data.known))
    for part in parts:
        assert set(data.hide(part).codes[data.hide(part).known].tolist()) == {0, 1, 2}
    specs = [rp.LPDSK(bandwidth=b) for b in ("3*median", "0.4*median")]
    (first, second), _ = choose_propagation(specs, data, RunSettings())
    assert first["score"] > second["score"]
    with pytest.raises(rp.OptionError, match="nothing can be held out"):
        hidden_parts(with_few_labels(data, 1), 3, seed=0)


@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(20))
def test_exact_is_the_least_of_all_labellings(seed: int) -> None:
    c = 2 + seed % 2
    data = with_few_labels(blobs(9 if c == 2 else 7, c=c, seed=seed, spread=1.0), 1 + seed % 2)
    spec = rp.LPDSK(bandwidth=0.3 + 0.1 * (seed % 5), lam="auto" if seed % 3 else 3.0)
    instance = assemble(spec, data)
    run = fit_lpdsk(spec, data, RunSettings(method="exact"))
    assert run.certified
    every = labellings(instance.codes, c)
    least = min(labelling_value(instance.problem, codes) for codes in every)
    assert run.objective == pytest.approx(least, abs=1e-6)
    labels = np.asarray(run.summary["labels"])
    np.testing.assert_array_equal(labels[data.known], data.codes[data.known])
    again = recompute_lpdsk(spec, data, run.evidence).pair
    assert again == pytest.approx((run.objective, run.bound), rel=1e-12)
    # better than the same labels at equal weights
    uniform = instance.problem.uniform
    assert run.objective <= instance.problem.labelled_value(uniform, labels[instance.order])


@pytest.mark.thorough
def test_labels_form_has_the_exact_value_and_is_read_back() -> None:
    data = with_few_labels(blobs(6, c=2, seed=3, spread=1.0), 1)
    spec = rp.LPDSK(bandwidth=0.8)
    exact = fit_lpdsk(spec, data, RunSettings(method="exact"))
    built = similarity_form(spec, data, "labels", RunSettings())
    assert solve_model(built.model, "scip").objective == pytest.approx(built.expected, abs=1e-6)
    assert exact.objective == pytest.approx(built.expected, abs=1e-9)
    assert exact.proved_by == "solver"
    # its labels and weights, in the order of the data, as a solution; and with known labels turned
    Y, a = (np.asarray(exact.evidence[key]) for key in ("Y", "a"))
    points = []
    for label in (Y, Y[:, ::-1]):
        parts = {"label": label, "weight": a[:, None] * label}
        values = {name: dict(np.ndenumerate(part)) for name, part in parts.items()}
        points.append([FormSolution(form="labels", values=values)])
    loaded = load_lpdsk(spec, data, points[0], RunSettings())
    assert loaded.objective == pytest.approx(exact.objective, abs=1e-12)
    assert loaded.bound is None
    words = "other labels than the data"
    refused(rp.DataError, words, load_lpdsk, spec, data, points[1], RunSettings())
    with pytest.raises(rp.OptionError, match="form general is"):
        similarity_form(spec, data, "general", RunSettings())


def test_exact_refuses_what_it_does_not_use() -> None:
    for name, value in (("trace", "full"), ("class_mass", True)):
        with pytest.raises(rp.OptionError, match=f"{name} is not used by method exact"):
            fit_lpdsk(rp.LPDSK(**{name: value}), blobs(8), RunSettings(method="exact"))
