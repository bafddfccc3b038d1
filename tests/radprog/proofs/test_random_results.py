"""Proofs of every model: accepted by the checker, exact where they can be, else refused."""

import json
from fractions import Fraction
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from effort import seeds
from planted import PLACES, claim, noisy, refused_everywhere, sealed, value_of, verdict
from small_files import write_csv

import radprog as rp
from radprog.models.kernels import parse_kernels

pytest.importorskip("flint")
MACHINES = ("linear", "poly:3", "rbf:0.5", "laplace:1", "poly:1", "linear")
MIXES = ("linear,poly:2-3", "rbf:1e-1..1e1", "poly:2,rbf:0.5,laplace:1", "linear,poly:2")
NORMS = (1.0, 2.0, 1.5, 1.1, 3.0, 40.0)


def linear(seed: int) -> tuple[rp.L1Linear, rp.Dataset]:
    rng = np.random.default_rng(seed)
    m, d = int(rng.integers(8, 40)), int(rng.integers(2, 30))
    X, y = noisy(rng, m, d, -1, 2)
    spec = rp.L1Linear(beta=float(10.0 ** rng.uniform(-3, -1)), bias=seed % 3 > 0)
    return spec, rp.dataset(X, y, scale=("none", "standard", "unit")[seed % 3])


def machine(seed: int) -> tuple[rp.SVM | rp.SimSVM, rp.Dataset]:
    rng = np.random.default_rng(seed)
    m, d = int(rng.integers(6, 50)), int(rng.integers(1, 5))
    X, y = noisy(rng, m, d, -2, 3)
    kernels, data = MACHINES[seed % 6], rp.dataset(X, y, scale=("ball", "standard")[seed % 2])
    if seed % 4 > 1:
        return rp.SimSVM(kernels=kernels, lam=1e-2, no_bias=seed % 8 > 5), data
    return rp.SVM(kernels=kernels, C=float(10.0 ** rng.integers(-2, 3))), data


def mixed(seed: int) -> tuple[rp.MKL, rp.Dataset]:
    rng = np.random.default_rng(seed)
    m, d = int(rng.integers(8, 40)), int(rng.integers(2, 5))
    X, y = noisy(rng, m, d, -1, 2)
    lp = seed % 5 == 4
    spec = rp.MKL(
        kernels=MIXES[seed % 4],
        norm=NORMS[seed % 6],
        variant="lp" if lp else "conv",
        theta=None if lp else seed % 3 % 2,
        tail_budget=None if lp or seed % 7 else 2.5,
        normalize="none" if seed % 9 > 6 else "trace",
        C=float(10.0 ** rng.integers(-1, 3)),
        no_bias=seed % 8 > 5,
    )
    return spec, rp.dataset(X, y, scale=("ball", "standard")[seed % 2])


def boosted(seed: int) -> tuple[rp.LPBoost, rp.Bags]:
    rng = np.random.default_rng(seed)
    m, L = int(rng.integers(6, 16)), int(rng.integers(5, 14))
    X, y = rng.normal(size=(m, L)), np.where(np.arange(m) % 2, 1, -1)
    X[y > 0, 1:3] += rng.uniform(0.5, 2.5)
    learner = ("shapelet", "shapelet-plus")[seed % 2]
    nu = float(rng.choice([0.1, 0.25, 0.4, 1.0]))
    length = ("3", "2,4", "0.5")[seed % 3]
    return rp.LPBoost(learner=learner, nu=nu, length=length, radius=2.0), rp.series(X, y)


def voted(seed: int):
    """A spec and noisy points, some of them badly scaled."""
    rng = np.random.default_rng(seed)
    m, d = int(rng.integers(5, 60)), int(rng.integers(1, 6))
    X = rng.normal(size=(m, d)) * 10.0 ** rng.integers(-4, 4, size=d)
    if seed % 3 == 0:
        X = np.round(X, 1)  # ties
    y = np.where(X[:, 0] / np.abs(X[:, 0]).max() + 0.4 * rng.normal(size=m) > 0, 1.0, -1.0)
    y[:2] = 1.0, -1.0
    data = rp.dataset(X, y, scale=("ball", "none", "standard", "unit", "minmax")[seed % 5])
    beta = float(10.0 ** rng.uniform(-4, -1))
    if seed % 2:
        return rp.L1SVM(kernels=("linear", "poly:2", "rbf:0.5")[seed % 3], beta=beta), data
    kernels = ("poly:1-4", "linear,rbf:0.3,laplace:2", "poly:1-2,rbf:1e-2..1e0")[seed % 7 % 3]
    how = ("trace", "none", "massart", "montecarlo")[seed // 2 % 4]
    return rp.VKR(kernels=kernels, complexity=how, lam=beta, beta=beta), data


def held(seed: int):
    """A model, points, and rows G f <= h."""
    rng = np.random.default_rng(seed)
    m = int(rng.integers(12, 40))
    X, y = noisy(rng, m, 3, -2, 3)
    data = rp.dataset(X, y, scale=("ball", "standard", "unit")[seed % 3])
    rows = [rp.positive_rate(0.45), rp.parity((np.arange(m) % 3 > 0).astype(int), 0.01)]
    if seed % 2:
        rows = [rp.monotone([(2, 3)], 0.1), rp.scores(np.eye(m)[4], 0.2)]
    if seed % 4 > 1:
        return rp.VKR(kernels="poly:1,rbf:1", complexity="trace", lam=0.01, beta=0.01), data, rows
    return rp.L1SVM(kernels=("poly:2", "rbf:0.5")[seed % 5 % 2], beta=0.005), data, rows


def kernel_rounding(fit, X) -> float:
    """How far f may be off as the certificate takes kernel values as they are computed, a proof as
    they are: nothing but for points of large features without a scaling."""
    sizes = 0.0
    for number, name in enumerate(fit.kernels):
        used = fit.kernel == number
        (kernel,) = parse_kernels(name)
        lengths = [np.sqrt([kernel(x[None], x[None])[0, 0] for x in Z])
                   for Z in (X, fit.points[used])]  # fmt: skip
        sizes += float(lengths[0].max() * (np.abs(fit.coefficients[used]) @ lengths[1]))
    return 16.0 * float(np.finfo(float).eps) * sizes


def told(proof: rp.Proof) -> str:
    return verdict(dict(proof.content), proof.data or b"")


def proved(spec, data, rows=None) -> rp.Proof:
    return rp.prove(rp.fit(spec, data, constraints=rows, tol=1e-6 if rows is None else 1e-9), data)


DRAWN = {
    linear: seeds(40, 10), machine: seeds(100, 16), mixed: seeds(60, 12), boosted: seeds(60, 12),
    voted: seeds(200, 24), held: seeds(40, 6),
}  # fmt: skip


@pytest.mark.cases(48)
@pytest.mark.parametrize(("draw", "seed"), [(draw, s) for draw in DRAWN for s in DRAWN[draw]])
def test_a_random_result_is_proved(draw, seed: int) -> None:
    spec, data, *rows = draw(seed)
    run = rp.fit(spec, data, **({"constraints": rows[0], "tol": 1e-9} if rows else {}))
    proof = rp.prove(run, data)
    said = told(proof)
    assert said.startswith(f"VALID: {proof.model}, ")
    # the bound of the run is on its side of the exact optimum
    sense = spec.sense
    assert sense * (proof.objective - proof.bound) >= 0
    assert sense * (proof.objective - Fraction(run.bound)) >= 0
    if draw is voted:
        left = 1e-9 if run.certified else 1.01 * (run.objective - run.bound) + 1e-7
        assert proof.gap <= Fraction(left + kernel_rounding(run.fit, data.X))
        near = pytest.approx(run.objective, rel=max(1e-7, run.gap), abs=1e-8)
        assert float(proof.objective) == near
    if draw is held:
        assert "the rows of G f <= h" in said.split("; given: ")[1]
        assert proof.gap <= Fraction(1e-8)
    if draw in (voted, held):
        assert proof.gap == 0 or not (proof.vertex and spec.kernels in ("linear", "poly:2"))
        return
    least = Fraction(1e-3) if draw is boosted else proof.objective
    allowed = 2.0 * max(run.gap or 0.0, 1e-9) if draw is mixed else 1e-6
    assert proof.gap <= Fraction(allowed) * max(abs(proof.bound), least)
    if draw is linear:
        assert Fraction(run.bound) <= proof.bound <= proof.objective <= Fraction(run.objective)
    elif draw is mixed:
        assert float(proof.objective) == pytest.approx(run.objective, rel=1e-9)
        given = proof.content["statement"]["given"]
        sums = spec.theta == 1 if spec.variant == "conv" else spec.normalize == "none"
        assert given == ["the tail sums t_k"] * sums + ["the shift and divisor"]
        if spec.variant == "conv" and sums:  # of the kernels as named: times trace / n
            tails = np.divide(run.summary["tail_sums"], run.summary["trace_factors"])
            stated = proof.content["statement"]["settings"]["tails"]
            assert stated == pytest.approx(tails.tolist(), rel=1e-12)
    elif proof.vertex:
        enclosed = draw is boosted or seed % 6 in (2, 3)
        assert proof.gap == 0 or (enclosed and proof.gap < 2.0**-80 * max(1, proof.objective))


@cache
def proofs(draw) -> list[rp.Proof]:
    """Of l1linear the only feature has a coefficient: one without may change and prove the same."""
    seeds = {linear: (1,), machine: (0, 2, 5), boosted: (2,), voted: (1, 7, 4, 10, 16), held: (0,)}
    drawn = [draw(seed) for seed in seeds.get(draw, range(4))]
    if draw is linear:
        drawn = [(spec, rp.dataset(data.X[:, :1], data.targets)) for spec, data in drawn]
    made = [proved(*one) for one in drawn]
    assert all(proof.vertex for proof in made) or draw not in (voted, held)
    return made


@pytest.mark.cases(40)
@pytest.mark.parametrize(
    ("draw", "place"),
    [
        *((voted, place) for place in PLACES),
        *((linear, place) for place in PLACES),
        *((machine, place) for place in PLACES if place not in ("primal", "gap")),
        *((mixed, place) for place in (*PLACES, "weights", "norm")),
        *((boosted, place) for place in PLACES if place not in ("setting", "scale")),
    ],
)
def test_a_planted_error_is_refused(draw, place: str) -> None:
    refused_everywhere(proofs(draw), place, 25 if draw is voted else 9)


def test_a_point_out_of_its_box_or_balance_is_refused() -> None:
    spec, data = linear(1)
    proof = proved(spec, data)
    dual = dict(proof.content["dual"])
    for change in ({"numbers": [dual["over"]] * data.rows}, {"scale": ["0x2", "0x1"]}):
        content = {**proof.content, "dual": dual | change}
        assert "d: its box" in verdict(sealed(content), proof.data or b"")


def test_sparse_rows_are_proved_by_a_table_of_them() -> None:
    _, data = linear(2)
    sparse = rp.sparse_data(data.X, data.targets)
    assert told(proved(rp.L1Linear(beta=0.02), sparse)).startswith("VALID")


def test_most_solutions_of_machines_are_rational() -> None:
    assert sum(proved(*machine(seed)).vertex for seed in range(8)) >= 6


def test_a_run_that_was_cut_off_leaves_a_gap() -> None:
    data = rp.dataset(np.random.default_rng(0).normal(size=(12, 2)), [1, -1] * 6)
    spec = rp.SVM(kernels="rbf:1", C=100.0)
    proof = rp.prove(rp.fit(spec, data, solver="libsvm", max_iter=1), data)
    assert proof.gap > 0
    assert told(proof).startswith("VALID: svm")


def test_a_file_of_series(radprog, empty: Path) -> None:
    _, data = boosted(0)
    write_csv("series.tsv", data.signs.astype(int), data.X)
    options = ("--length", 3, "--json", "run.json", "--quiet")
    assert radprog("solve", "lpboost", "series.tsv", *options).code == 0
    assert radprog("prove", "run.json", "series.tsv", "-o", "proof.json").code == 0
    proof = json.loads(Path("proof.json").read_text())
    assert verdict(proof, Path("series.tsv").read_bytes()).startswith("VALID")


def set_rows(change):
    return lambda proof: change(proof["statement"]["settings"]["rows"])


def priced(proof, factor: int) -> None:
    """The price of a row that has one, times a factor, and the claims that this would make."""
    dual, settings = proof["dual"], proof["statement"]["settings"]
    r = next(r for r, text in enumerate(dual["rows"]) if int(text, 16))
    n = int(dual["rows"][r], 16)
    dual["rows"][r] = hex(factor * n)
    side, scale = Fraction(settings["rows"][r][-1]), value_of(dual["scale"])
    less = scale * (factor - 1) * n * side / int(dual["over"], 16)
    claim(proof, bound=value_of(proof["bound"]) - less)


def loose(proof) -> int:
    return next(r for r, text in enumerate(proof["dual"]["rows"]) if not int(text, 16))


def tighter(proof) -> None:
    """A row without a price, so that no claim changes, to a side that no score keeps."""
    proof["statement"]["settings"]["rows"][loose(proof)][-1] = -64.0


def without(proof) -> None:
    proof["statement"]["settings"]["rows"].clear()
    proof["dual"]["rows"].clear()


FORGED = {
    "no price": lambda proof: priced(proof, 0),
    "twice the price": lambda proof: priced(proof, 2),
    "a price below 0": lambda proof: priced(proof, -1),
    "another side": lambda proof: tighter(proof),
    "another coefficient": set_rows(lambda rows: rows[0].__setitem__(3, 8.0)),
    "a side less": set_rows(lambda rows: rows[0].pop()),
    "a column more": set_rows(lambda rows: rows[0].insert(0, 0.0)),
    "no rows": without,
    "rows not told": lambda proof: proof["statement"].update(given=[]),
    "no setting": lambda proof: proof["statement"]["settings"].pop("rows"),
}


@pytest.mark.parametrize("how", FORGED)
def test_forged_rows_are_refused(how: str) -> None:
    (honest,) = proofs(held)
    assert any(int(text, 16) for text in honest.content["dual"]["rows"])
    proof, raw = json.loads(honest.to_json()), honest.data or b""
    FORGED[how](proof)
    said = verdict(sealed(proof), raw)
    assert said.startswith("INVALID"), how
    assert "that of the points" not in said


@pytest.mark.parametrize("kernels", ["linear", "poly:1-2,rbf:1"])
def test_a_solution_without_columns_is_proved(kernels: str) -> None:
    data = rp.dataset(np.arange(6.0)[:, None], [1, -1, 1, -1, 1, -1], scale="ball")
    run = rp.fit(rp.VKR(kernels=kernels, complexity="none", beta=8.0), data)
    assert run.objective == 1.0
    proof = rp.prove(run, data)
    assert verdict(dict(proof.content), proof.data or b"").startswith("VALID: vkr")
    assert proof.objective == 1
    assert proof.gap < Fraction(1e-9)


def similarity(X: np.ndarray, Z: np.ndarray) -> np.ndarray:
    """Neither symmetric nor positive semidefinite, and not enclosed."""
    return np.tanh(X @ Z.T) + 0.25 * X[:, :1]


def quadratic(X: np.ndarray, Z: np.ndarray) -> np.ndarray:
    return 0.5 * (X @ Z.T + 0.5) ** 2


@pytest.mark.parametrize("how", ["none", "trace", "massart"])
@pytest.mark.parametrize("of", ["file", "callable"])
def test_values_that_are_not_enclosed_are_taken_as_given(of: str, how: str, tmp_path) -> None:
    rng = np.random.default_rng(2)
    X = rng.normal(size=(30, 2))
    data = rp.dataset(X, np.where(X[:, 0] + 0.5 * rng.normal(size=30) > 0, 1, -1))
    values = quadratic if how == "trace" else similarity
    np.save(tmp_path / "K.npy", values(X, X))
    kernel = f"file:{tmp_path / 'K.npy'}" if of == "file" else values
    spec = rp.VKR(kernels=[kernel, "poly:1", "rbf:0.5"], complexity=how, lam=0.01, beta=0.01)
    proof = rp.prove(rp.fit(spec, data), data)
    assert proof.vertex
    assert proof.gap < 2.0**-80
    statement = proof.content["statement"]
    name = statement["kernels"][0]
    assert statement["given"][0] == "the values of kernel 1"
    assert verdict(dict(proof.content), proof.data or b"").startswith("VALID: vkr")
    content = json.loads(proof.to_json())
    table = content["statement"]["values"][name]
    i = next(i for i, n in enumerate(content["dual"]["numbers"]) if int(n, 16))
    table[i] = [64.0 * value for value in table[i]]
    assert verdict(sealed(content), proof.data or b"").startswith("INVALID")
    del content["statement"]["values"][name]
    assert verdict(sealed(content), proof.data or b"").startswith("INVALID")


CLASSIFIERS = [rp.VKR(kernels="poly:1-2", lam=0.01, beta=0.01), rp.SVM(kernels="linear"),
         rp.SimSVM(kernels="rbf:1", lam=0.1), rp.LPBoost(length="2", nu=0.5)]  # fmt: skip


@pytest.mark.parametrize("spec", CLASSIFIERS, ids=lambda spec: type(spec).__name__)
def test_every_classifier_is_proved(spec) -> None:
    rng = np.random.default_rng(5)
    y = np.arange(18) % 3
    X = rng.normal(size=(18, 4)) + y[:, None]
    data = rp.series(X, y) if isinstance(spec, rp.LPBoost) else rp.dataset(X, y, one_vs_rest=True)
    run = rp.fit(spec, data)
    total, bound = Fraction(0), Fraction(0)
    for label, classifier in zip(data.labels, run.extra["machines"], strict=True):
        proof = rp.prove(run, data, of_class=label)
        assert verdict(dict(proof.content), proof.data or b"").startswith("VALID")
        assert float(proof.objective) == pytest.approx(classifier["objective"], rel=1e-5)
        total, bound = total + proof.objective, bound + proof.bound
    assert float(total) == pytest.approx(run.objective, rel=1e-5)
    assert abs(total - bound) < Fraction(1e-5) * abs(total)


def test_the_command_proves_one_class(radprog, tmp_path: Path) -> None:
    rng = np.random.default_rng(6)
    rows = [f"{a:.3f},{b:.3f},{'xyz'[n % 3]}" for n, (a, b) in enumerate(rng.normal(size=(15, 2)))]
    data, run, out = (tmp_path / name for name in ("data.csv", "run.json", "proof.json"))
    data.write_text("\n".join(rows) + "\n")
    assert radprog("solve", "l1svm", data, "--one-vs-rest", "--json", run, "--quiet").code == 0
    assert "class, one of x, y, z" in radprog("prove", run, data, "-o", out).error
    told = tmp_path / "told.json"
    radprog.ok("prove", run, data, "--class", "y", "-o", out, "--json", told)
    content = json.loads(out.read_text())
    assert content["statement"]["data"]["signs"] == {"x": -1, "y": 1, "z": -1}
    assert verdict(content, data.read_bytes()).startswith("VALID: l1svm, 15 points")
    claimed = json.loads(run.read_text())["machines"][1]["objective"]
    assert json.loads(told.read_text())["claimed"]["objective"] == claimed
    assert "leave it out" in radprog("prove", "a.mps", "--vipr", "--class", "y", "-o", out).error


RNG = np.random.default_rng(4)
X = RNG.normal(size=(14, 3))
Y = np.where(np.arange(14) % 2, 1, -1)
TABLE = rp.dataset(X, Y)
SERIES = rp.series(RNG.normal(size=(8, 7)), Y[:8])
ROWS = "constraints on scores"
NAMED = "is not proved: expected linear"


def refused(spec: object, words: str, data=None, /, **options: object) -> None:
    data = data or (SERIES if isinstance(spec, rp.LPBoost) else TABLE)
    run = rp.fit(spec, data, **options)
    with pytest.raises(rp.RadprogError, match=words) as caught:
        rp.prove(run, data)
    assert "\n" not in str(caught.value)


def test_one_class_at_a_time() -> None:
    data = rp.dataset(X, np.arange(14) % 3, one_vs_rest=True)
    refused(rp.L1SVM(kernels="poly:1"), "is proved at a time: `of_class`, one of 0, 1, 2", data)
    run = rp.fit(rp.L1SVM(kernels="poly:1"), data)
    with pytest.raises(rp.RadprogError, match="class '3': expected one of 0, 1, 2"):
        rp.prove(run, data, of_class="3")
    with pytest.raises(rp.RadprogError, match="only for one-vs-rest"):
        rp.prove(rp.fit(rp.L1SVM(kernels="poly:1"), TABLE), TABLE, of_class="1")


@pytest.mark.parametrize(
    ("spec", "words", "settings"),
    [
        # constraints that no words are for
        (rp.SVM(kernels="poly:1"), ROWS, {"constraints": rp.positive_rate(0.3)}),
        (rp.LPBoost(length="3", nu=0.5), ROWS, {"constraints": rp.positive_rate(0.5)}),
        # functions that need not be positive semidefinite
        (rp.SVM(kernels=lambda A, B: A @ B.T), f"{NAMED}, poly, rbf or laplace", {}),
        (rp.MKL(kernels=["linear", lambda A, B: A @ B.T], theta=0), NAMED, {}),
        (rp.SimSVM(kernels=lambda A, B: np.tanh(A @ B.T)), NAMED, {}),
        # settings without exact values
        (rp.L1Linear(groups=[0, 0, 1]), "is proved with loss hinge", {}),
        (rp.L1Linear(signs="nonnegative"), "is proved with loss hinge", {}),
        (rp.MKL(kernels="rbf:1", variant="unif"), "variant conv or lp, not unif", {}),
        (rp.MKL(kernels="rbf:1,rbf:2", variant="dc"), "variant conv or lp, not dc", {}),
        (rp.MKL(kernels="rbf:1", loss="squared"), "loss hinge, not squared", {}),
        (rp.MKL(kernels="rbf:1", center=True), "center False, not True", {}),
        (rp.LPBoost(length="3", learner="l1"), "lpboost is proved with", {"max_iter": 2}),
        (rp.LPBoost(length="3", pattern_kernel="distance"), "lpboost is proved with", {}),
        (rp.LPBoost(length="3", normalize=True), "lpboost is proved with", {}),
        (rp.LPBoost(length="3", families="plain,diff"), "lpboost is proved with", {}),
    ],
)
def test_models_and_settings(spec, words: str, settings) -> None:
    refused(spec, words, **settings)


def test_files_that_need_not_be_positive_semidefinite(tmp_path) -> None:
    path = tmp_path / "K.npy"
    np.save(path, X @ X.T)
    refused(rp.SVM(kernels=f"file:{path}"), NAMED)
    refused(rp.MKL(kernels=f"file:{path}", theta=0), NAMED)
    for values in (np.sin(X @ X.T), np.eye(14)):
        np.save(path, values)
        refused(rp.SimSVM(similarity=str(path)), "not proved|spectrum is not rational")
