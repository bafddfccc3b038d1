"""CDSK: monotone objectives, the discrete problem by three routes, labels, forms, limits."""

import itertools
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from clusters import blobs, labelling_value, labellings
from rational import dot, matrix, numbers, products
from refusals import refused
from table_generators import waveform

import radprog as rp
from radprog.base.errors import DataError, OptionError, SolverMissingError
from radprog.decompositions.run import RunSettings
from radprog.decompositions.similarity.assembly import assemble, collapse_warnings
from radprog.decompositions.similarity.cdsk import fit_cdsk, recompute_cdsk
from radprog.decompositions.similarity.forms import similarity_form
from radprog.decompositions.similarity.grid import choose_clustering, criterion
from radprog.instances.dataset import Dataset, partly_labelled
from radprog.models.similarity.agreement import matched_accuracy, normalised_information
from radprog.models.similarity.settings import CDSK
from radprog.models.similarity.spectral import spectral_clusters
from radprog.solvers.program import Status
from radprog.solvers.registry import SolverSpec, solve_model

OBJECTIVES = ("ratio", "ncut", "scaled", "ise")


def spec_of(objective: str, **more) -> CDSK:
    return CDSK(objective=objective, clusters=2 if objective == "ise" else 3, **more)


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize(("lam", "trace"), [("auto", "half"), (8.0, "half"), (60.0, "full")])
def test_objective_falls_on_every_run(objective: str, lam: str | float, trace: str) -> None:
    if objective == "ise" and trace == "full":
        trace = "half"
    data = blobs(45, seed=3, spread=2.0)
    spec = spec_of(objective, lam=lam, trace=trace, bandwidth="0.5*median")
    run = fit_cdsk(spec, data, RunSettings())
    values = np.array([record.objective for record in run.trace], dtype=float)
    assert (np.diff(values) <= 1e-11 * np.abs(values[1:])).all()
    instance = assemble(spec, data)
    if objective == "ratio":
        assert len(values)
        assert run.objective <= fit_cdsk(spec, data, RunSettings(max_iter=0)).objective + 1e-12
    a = np.asarray(run.evidence["a"])
    assert a.sum() == pytest.approx(1.0, abs=1e-12)
    assert a.min() >= 0
    assert a.max() <= instance.problem.upper * (1 + 1e-12)
    again = recompute_cdsk(spec, data, run.evidence)
    assert again.objective == pytest.approx(run.objective, rel=1e-9)


@pytest.mark.parametrize("objective", ["ratio", "ncut", "scaled"])
def test_clear_clusters_are_found(objective: str) -> None:
    data = blobs(60, seed=1, spread=9.0)
    run = fit_cdsk(spec_of(objective, bandwidth="0.4*median"), data, RunSettings())
    assert run.summary["accuracy"] == 1.0
    assert run.summary["nmi"] == pytest.approx(1.0)
    assert run.summary["cut_ratio"] is None or run.summary["cut_ratio"] >= 1.0


def test_two_densities_are_told_apart() -> None:
    data = blobs(40, c=2, seed=2, spread=8.0)
    run = fit_cdsk(spec_of("ise", bandwidth="0.5*median"), data, RunSettings())
    assert run.summary["accuracy"] >= 0.95
    (bound,) = run.extra["bounds"]
    assert bound["name"] == "Theorem 2"
    assert bound["vacuous"] == (bound["value"] >= 0)


def test_constants_beyond_floats_leave_no_bound() -> None:
    rng = np.random.default_rng(0)
    data = partly_labelled(1e-3 * rng.normal(size=(12, 800)), np.arange(12) % 2)
    assert fit_cdsk(spec_of("ise"), data, RunSettings()).extra["bounds"] == []


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_permuted_rows_permute_the_answer(objective: str) -> None:
    data = blobs(42, seed=5, spread=2.5)
    order = np.random.default_rng(0).permutation(42)
    moved = data.take(order)
    spec = spec_of(objective, bandwidth="0.5*median")
    first, again, other = (fit_cdsk(spec, d, RunSettings(seed=3)) for d in (data, data, moved))
    assert first.summary["labels"] == again.summary["labels"]
    assert np.asarray(first.summary["labels"])[order].tolist() == other.summary["labels"]
    assert np.asarray(first.evidence["a"])[order].tolist() == list(other.evidence["a"])


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("seed", "lam", "sizes"), [(0, 3.0, (2, 4)), (1, 8.0, (1, 4)), (2, 2.0, (2, 3))]
)
def test_exact_is_enumeration(seed: int, lam: float, sizes: tuple[int, int]) -> None:
    data = blobs(7 if seed == 0 else 6, c=2, seed=seed, spread=1.0)
    spec = CDSK(clusters=2, lam=lam, min_size=sizes[0], max_size=sizes[1])
    expected = least_of(spec, data, sizes)
    run = fit_cdsk(spec, data, RunSettings(method="exact"))
    assert run.objective == pytest.approx(expected, abs=1e-6)
    assert run.bound <= expected + 1e-6
    counts = np.bincount(run.summary["labels"], minlength=2)
    assert sizes[0] <= counts.min() <= counts.max() <= sizes[1]
    assert (run.status, run.proved_by) == (Status.OPTIMAL, "solver")
    assert recompute_cdsk(spec, data, run.evidence).pair == (run.objective, run.bound)
    turned = {**run.evidence, "Y": [[1.0, 0.0] for _ in run.evidence["Y"]]}
    refused(DataError, "not a labelling of these sizes", recompute_cdsk, spec, data, turned)


@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(2))
def test_exact_with_negative_similarities(seed: int, tmp_path) -> None:
    S = np.triu(np.random.default_rng(seed).uniform(-1, 1, size=(6, 6)), 1)
    np.save(tmp_path / "s.npy", S + S.T + np.eye(6))
    spec = CDSK(similarity=str(tmp_path / "s.npy"), clusters=2, min_size=2, lam=4.0)
    data = blobs(6, c=2)
    run = fit_cdsk(spec, data, RunSettings(method="exact"))
    assert run.objective == pytest.approx(least_of(spec, data, (2, 6)), abs=1e-6)
    assert run.summary["indefinite"]
    assert fit_cdsk(replace(spec, min_size=None), data, RunSettings()).trace


def least_of(
    spec: CDSK, data: Dataset, sizes: tuple[int, int], upper: float | None = None
) -> float:
    """(12) by every labelling of these sizes."""
    problem = assemble(spec, data).problem
    every = labellings(np.full(data.rows, -1), 2, sizes)
    return min(labelling_value(problem, codes, upper) for codes in every)


@pytest.mark.thorough
@pytest.mark.parametrize("seed", [4, 6, 9])
def test_the_box_of_the_weights_is_said_and_can_be_left_out(seed: int) -> None:
    data = partly_labelled(np.random.default_rng(seed).normal(size=(5, 2)), None)
    specs = {box: CDSK(clusters=2, lam=8.0, min_size=2, box=box) for box in ("auto", "none", 0.3)}
    runs = {box: fit_cdsk(spec, data, RunSettings(method="exact")) for box, spec in specs.items()}
    assert all(run.certified for run in runs.values())
    least = least_of(specs["none"], data, (2, 3), 1.0)
    found = {box: run.objective for box, run in runs.items()}
    assert found["none"] == pytest.approx(least, abs=1e-6)
    assert found["auto"] > found[0.3] > found["none"] + 1e-3
    told = {box: run.summary["box"] for box, run in runs.items()}
    assert told == {"auto": 0.25, "none": None, 0.3: 0.3}
    assert any("not over the paper's simplex" in text for text in runs["auto"].warnings)
    assert not any("simplex" in text for text in runs["none"].warnings)
    built = similarity_form(specs["auto"], data, "labels", RunSettings())
    assert built.iterate["box"] == 0.25
    assert "weights are at most 0.25" in built.notes[-1]
    whole = similarity_form(specs["none"], data, "labels", RunSettings())
    assert (whole.notes, whole.expected) == ((), pytest.approx(least, abs=1e-6))
    assert solve_model(whole.model, "scip").objective == pytest.approx(least, abs=1e-5)


def test_weights_form_of_a_nonconvex_step_is_its_majoriser() -> None:
    data = blobs(30, seed=0, spread=1.0)
    spec = spec_of("ratio", bandwidth="0.5*median")
    built = similarity_form(spec, data, "weights", RunSettings())
    assert built.notes
    assert "majoriser" in built.notes[0]
    assert solve_model(built.model, "highs").objective == pytest.approx(built.expected, rel=1e-6)


def test_letter_of_the_paper_warns_and_collapses() -> None:
    data = blobs(60, seed=2)
    run = fit_cdsk(CDSK(lam=2.0, objective="ncut", trace="full"), data, RunSettings())
    said = " ".join(run.warnings)
    for words in ("at most 2, as printed", "trace full", "collapsed onto"):
        assert words in said
    assert not fit_cdsk(CDSK(bandwidth="0.4*median"), data, RunSettings()).warnings


def test_collapse_is_reported() -> None:
    data = blobs(30, seed=1)
    instance = assemble(CDSK(), data)
    codes, a = instance.codes, np.zeros(30)
    a[np.flatnonzero(codes == 1)[:4]] = 0.25
    said = " ".join(collapse_warnings(instance, a, codes, 1e-8, data))
    assert "collapsed onto 4 of 30 points" in said
    assert "2 of 3 classes have no weight" in said
    assert "the embedding is arbitrary" in said
    assert not collapse_warnings(instance, instance.problem.uniform, codes, 0.1, data)


def test_predictor_labels_new_points(tmp_path) -> None:
    data = blobs(60, seed=1, spread=9.0)
    run = fit_cdsk(CDSK(bandwidth="0.4*median"), data, RunSettings())
    assert matched_accuracy(run.fit.predict(data.X).astype(np.intp), data.codes) == 1.0
    rebuilt = type(run.fit).from_dict(run.fit.to_dict())  # type: ignore[attr-defined]
    far = np.vstack([data.X + 1e-3, np.full((1, 2), 1e4)])
    np.testing.assert_array_equal(rebuilt.predict(far), run.fit.predict(far))
    assert rebuilt.scores(far)[-1].tolist() == [0.0, 0.0, 0.0]
    refused(DataError, "made on 2 features", run.fit.predict, np.ones((3, 5)))


def test_bad_input_is_named() -> None:
    data = blobs(8, c=2)
    cases = [
        (data, {"clusters": 9}, "clusters 9: more than the 8 points"),
        (data, {"clusters": 2, "lam": 17.0}, "lam 17.*lam at most 16"),
        (data, {"clusters": 2, "box": 0.1}, "weights at most 0.1.*expected a box of at least 1/n"),
        (partly_labelled(data.X), {}, "give `clusters`"),
        (partly_labelled(data.X, range(data.rows)), {}, "if the column of the labels is a feature"),
    ]
    for points, options, message in cases:
        refused((OptionError, DataError), message, fit_cdsk, CDSK(**options), points, RunSettings())
    exact = RunSettings(method="exact")
    cases = [
        (blobs(150), {"clusters": 3}, "67500 products, at most 60000"),
        (data, {"clusters": 3, "min_size": 4}, "no labelling of 8 points into 3 clusters of 4"),
        (data, {"clusters": 2, "objective": "ise"}, "objective 'ise' has no form labels"),
    ]
    for points, options, message in cases:
        refused(OptionError, message, fit_cdsk, CDSK(**options), points, exact)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(SolverSpec, "installed", lambda self: self.name != "scip")
        with pytest.raises(SolverMissingError, match=r"MIQP is installed: pip install"):
            fit_cdsk(CDSK(clusters=2), data, exact)


def test_duplicate_rows_and_trivial_counts_work() -> None:
    data = blobs(20, c=2, seed=1, spread=8.0)
    double = partly_labelled(np.vstack([data.X, data.X]), [*data.codes, *data.codes])
    run = fit_cdsk(CDSK(), double, RunSettings())
    labels = np.asarray(run.summary["labels"])
    assert np.array_equal(labels[:20], labels[20:])
    assert run.summary["accuracy"] == 1.0
    assert set(fit_cdsk(CDSK(clusters=1), data, RunSettings()).summary["labels"]) == {0}
    every = fit_cdsk(CDSK(clusters=5), blobs(5), RunSettings())
    assert sorted(every.summary["labels"]) == [0, 1, 2, 3, 4]


def test_a_grid_is_chosen_by_its_criterion() -> None:
    data = blobs(45, seed=1, spread=6.0)
    specs = [CDSK(bandwidth=b) for b in ("0.001", "median", "0.5*median")]
    chosen, _ = choose_clustering(specs, data, RunSettings(), by="distortion")
    assert chosen[0]["score"] is None
    assert "similar to no other row" in chosen[0]["message"]
    runs = {spec: fit_cdsk(spec, data, RunSettings()) for spec in specs[1:]}
    for by in ("distortion", "objective", "eigengap"):
        scores = [criterion(runs[spec], by) for spec in specs[1:]]
        chosen, _ = choose_clustering(specs[1:], data, RunSettings(), by=by)
        assert [one["score"] for one in chosen] == scores


def test_only_the_eigengap_chooses_the_number_of_clusters() -> None:
    """The other criteria are smallest for one cluster, whatever the points."""
    data = blobs(45, seed=1, spread=6.0)
    specs = [CDSK(clusters=k) for k in (1, 2, 3, 4)]
    for by in ("distortion", "objective"):
        with pytest.raises(OptionError, match=f"{by} rises .* give `by='eigengap'`"):
            choose_clustering(specs, data, RunSettings(), by=by)
    chosen, _ = choose_clustering(specs, data, RunSettings(), by="eigengap")
    scores = [one["score"] for one in chosen]
    assert scores.index(min(scores)) == 2


def test_agreement_measures() -> None:
    known = np.array([0, 0, 1, 1, 2, 2])
    assert matched_accuracy(np.array([2, 2, 0, 0, 1, 1]), known) == 1.0
    assert matched_accuracy(np.array([0, 0, 0, 0, 1, 1]), known) == pytest.approx(4 / 6)
    assert matched_accuracy(np.array([-1, 0, 1, 1, 2, 2]), known) == pytest.approx(5 / 6)
    from sklearn.metrics import normalized_mutual_info_score

    rng = np.random.default_rng(0)
    for _ in range(10):
        found = rng.integers(0, 3, 30)
        truth = rng.integers(0, 4, 30)
        peer = normalized_mutual_info_score(truth, found)
        assert normalised_information(found, truth) == pytest.approx(peer, abs=1e-12)
    assert normalised_information(known, np.zeros(6, dtype=np.intp)) == 0.0


@pytest.mark.parametrize("objective", ["ratio", "ncut", "scaled"])
def test_the_criterion_is_steady_where_the_label_free_part_vanishes(objective: str) -> None:
    """At lam = n equal weights have a label-free part of 0."""
    data = blobs(24, seed=1)
    specs = [spec_of(objective, lam=lam) for lam in (24.0, np.nextafter(24.0, 0.0), 23.9, 24.1)]
    scores = [criterion(fit_cdsk(spec, data, RunSettings()), "objective") for spec in specs]
    assert np.abs(scores).max() < 1e2
    assert np.ptp(scores) < 0.1
    auto = fit_cdsk(spec_of(objective), data, RunSettings())
    K = assemble(spec_of(objective), data).problem.s
    assert criterion(auto, "objective") == pytest.approx(auto.objective / (K.sum() / 48))


def test_degree_zero_is_refused_where_it_is_used_alone() -> None:
    near = blobs(6, c=2)
    far = partly_labelled(np.vstack([near.X, [[1e6, 1e6]]]), None)
    spec = {"clusters": 2, "bandwidth": "3"}
    for objective in ("ratio", "ncut", "scaled"):
        with pytest.raises(DataError, match=r"X\[6\] is similar to no other row"):
            fit_cdsk(CDSK(objective=objective, **spec), far, RunSettings())
    # the only similarity of the last row is the least float, which its weights round to 0
    least = partly_labelled(np.append(1e-3 * np.arange(40), 38.61)[:, None], None)
    with pytest.raises(DataError, match=r"X\[40\] has degree 0 at equal weights"):
        fit_cdsk(CDSK(objective="ncut", clusters=2, bandwidth="1"), least, RunSettings())
    assert fit_cdsk(CDSK(**spec), far, RunSettings(method="exact")).certified
    assert fit_cdsk(CDSK(objective="ise", **spec), far, RunSettings()).objective is not None
    for objective in ("ncut", "scaled"):
        with pytest.raises(OptionError, match=r"lam 12: from 2n = 12 on.*expected a smaller lam"):
            fit_cdsk(CDSK(objective=objective, lam=12.0, **spec), near, RunSettings())
    specs = [CDSK(objective="ncut", lam=lam, **spec) for lam in (12.0, 3.0)]
    (first, second), _ = choose_clustering(specs, near, RunSettings(), by="objective")
    assert second["score"] is not None
    assert "from 2n = 12 on" in str(first["message"])


@pytest.mark.parametrize("seed", range(12))
def test_the_value_of_a_labelling_is_rounded_up(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = 6
    data = partly_labelled(rng.normal(size=(n, 2)) * 10.0 ** rng.uniform(-3, 3, size=2), None)
    spec = CDSK(clusters=2, min_size=2, lam=10.0 ** rng.uniform(-3, 1))
    problem = assemble(spec, data).problem
    for codes in map(np.array, itertools.product((0, 1), repeat=n)):
        a = rng.dirichlet(np.ones(n))
        at = numbers(a)
        value = dot(at, slopes(problem, codes, at))
        high = Fraction(problem.labelled_value_up(a, codes))
        assert value <= high <= value + Fraction(1, 10**12) * (1 + abs(value))


def slopes(problem, codes, a: list[Fraction]) -> list[Fraction]:
    """(Qa + b)_i of J by its definition, in rational arithmetic."""
    lam = Fraction(problem.lam)
    out = []
    together = codes[:, None] == codes
    for row, size, same in zip(matrix(problem.s), matrix(problem.size), together, strict=True):
        pull = dot(row, numbers(np.where(same, 1.0, -1.0)))
        out.append(lam * dot(size, products(numbers(same), a)) - pull)
    return out


def test_a_given_similarity_has_no_bandwidth_to_widen(tmp_path) -> None:
    S = np.kron(np.eye(3), np.ones((4, 4)))
    S[0] = S[:, 0] = 1e-14 * (np.arange(12) > 0)
    S[0, 0] = 1.0
    np.save(tmp_path / "S.npy", S)
    data = partly_labelled(np.arange(12.0)[:, None])
    run = fit_cdsk(CDSK(similarity=str(tmp_path / "S.npy"), clusters=3), data, RunSettings())
    (told,) = [text for text in run.warnings if "tiny degrees" in text]
    assert "bandwidth" not in told
    assert "a similarity with larger entries" in told


def test_negative_degrees_are_not_called_tiny(tmp_path) -> None:
    S = np.random.default_rng(0).normal(size=(12, 12))
    S += S.T
    np.save(tmp_path / "S.npy", S)
    data = partly_labelled(np.arange(12.0)[:, None])
    run = rp.fit(CDSK(similarity=str(tmp_path / "S.npy"), clusters=3, lam=1.0), data)
    (told,) = [text for text in run.warnings if "degrees" in text]
    a = np.array(run.evidence["a"])
    weighted = (a[:, None] + a - np.outer(a, a)) * S
    degrees = weighted.sum(axis=1) - weighted.diagonal()
    negative, least = (degrees < 0.0).sum(), degrees.argmin()
    assert told == f"{negative} rows have negative degrees (least: X[{least}])"


DRAWN = waveform(120, (1, 2), seed=0)
WAVES = rp.partly_labelled(DRAWN.X, DRAWN.codes, scale="standard")


@pytest.mark.parametrize("objective", ["ratio", "ncut"])
@pytest.mark.parametrize("bandwidth", ["auto", "median"])
@pytest.mark.parametrize("neighbours", [None, 10])
def test_labels_are_those_of_lower_objective(objective: str, bandwidth: str, neighbours) -> None:
    spec = rp.CDSK(objective=objective, bandwidth=bandwidth, neighbours=neighbours)
    run, instance = fit_cdsk(spec, WAVES, RunSettings()), assemble(spec, WAVES)
    codes, _ = spectral_clusters(instance.problem.s.copy(), 2)
    a = np.asarray(run.summary["weights"])[instance.order]
    value = instance.problem.labelled_value(a, codes)
    assert run.summary["labelled_objective"] <= value + 1e-9
    again = recompute_cdsk(spec, WAVES, run.evidence)
    np.testing.assert_array_equal(again.fit.predict(WAVES.X), run.fit.predict(WAVES.X))
