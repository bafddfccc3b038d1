"""LPBoost on tables: against the program over all trees, learners of the user, files, refusals."""

import math
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from refusals import refused
from sklearn.tree import DecisionTreeClassifier
from soft_margin import soft_margin

import radprog as rp
from radprog.base.types import FloatArray
from radprog.cli import main
from radprog.decompositions.drivers.sifting import CentredMaster
from radprog.decompositions.lpboost.votes import ExhaustiveTrees

RNG = np.random.default_rng(3)
X = np.round(RNG.normal(size=(24, 2)), 0)  # with ties
Y = np.where(0.6 * RNG.normal(size=24) + X[:, 0] > X[:, 1] ** 2 - 0.5, "yes", "no")
WEIGHTS = RNG.integers(1, 4, 24).astype(float)
G = np.vstack([Y == "yes", -np.ones(24)]) / 24
TABLE = rp.dataset(X, Y)


def every_tree(depth):
    """The values -1, 1 (T, m) of all trees, each once."""
    cuts = [X[:, j] <= t for j in (0, 1) for t in np.unique(X[:, j])]
    leaves = [np.full(24, -1.0), np.full(24, 1.0)]
    for _ in range(depth):
        trees = [np.where(cut, a, b) for cut in cuts for a, b in product(leaves, repeat=2)]
        leaves = list(np.unique(trees, axis=0))
    return np.array(leaves)


@pytest.mark.parametrize(("learner", "depth", "nu"), [("stump", 1, 0.4), ("tree2", 2, 0.6)])
@pytest.mark.parametrize("case", ["plain", "weighted", "from 0", "first ensemble", "312 rows"])
def test_the_optimum_over_all_trees(learner, depth, nu, case, tmp_path) -> None:
    # constraints that the score 0 keeps, and others
    h = np.array({"plain": [], "weighted": [], "from 0": [0.1, 0.05]}.get(case, [0.1, -0.1]))
    weights = WEIGHTS if case == "weighted" else np.ones(24)
    # copies of all rows have the same optimum; so many are priced half way
    copies = 13 if case == "312 rows" else 1
    data = rp.dataset(np.tile(X, (copies, 1)), np.tile(Y, copies), weights=np.tile(weights, copies))
    rows = rp.scores(np.tile(G, copies) / copies, h) if len(h) else None
    spec = rp.LPBoost(learner=learner, nu=nu)
    best = -soft_margin(every_tree(depth), TABLE.signs, nu, G[: len(h)], h, weights).fun
    run = rp.fit(spec, data, constraints=rows)
    assert run.certified
    assert run.objective == pytest.approx(best, abs=1e-8)
    assert run.bound >= best - 1e-9
    assert rp.solve(run.model()).objective == pytest.approx(best, abs=1e-7)
    assert (G[: len(h)] @ run.decision_function(X) <= h + 1e-7).all()
    # the trees are plain values: files hold the fit and its certificate
    rp.save_run(run, data, tmp_path / "run.json")
    assert rp.check(tmp_path / "run.json", data)["holds"]
    rp.save_fit(run, data, tmp_path / "fit.json")
    again = rp.load_fit(tmp_path / "fit.json")
    np.testing.assert_array_equal(again.decision_function(X), run.decision_function(X))
    warm = rp.fit(spec, data, constraints=rows, start=again)
    assert warm.certified
    assert warm.trace[0].objective == pytest.approx(run.objective, abs=1e-9)
    assert len(warm.trace) <= 5


class Codes:
    """A hypothesis with given predictions."""

    def __init__(self, predict: Any) -> None:
        self.predict = predict


class Told:
    """The exhaustive stumps, with another answer from the given round on."""

    def __init__(self, X: FloatArray, answer: Any, first: int = 0) -> None:
        self.X, self.answer, self.first = X, answer, first
        self.stumps = ExhaustiveTrees(X, 1)

    def best(self, weights: FloatArray) -> Any:
        tree, edge, exact = self.stumps.best(weights)
        self.first -= 1
        return self.answer(tree, edge, self.X) if self.first < 0 else (tree, edge, exact)


def own(predict, exact):
    """A learner of the user, whose bound counts only where it says that it is exact."""
    return Told(X, lambda tree, edge, X: (Codes(predict or tree.predict), edge, exact))


@pytest.mark.parametrize(
    ("learner", "exact"),
    [(own(None, True), True), (own(None, False), False), (DecisionTreeClassifier(), False)],
)
def test_a_learner_of_the_user(learner, exact, tmp_path) -> None:
    run, stump = (rp.fit(rp.LPBoost(learner=one, nu=0.4), TABLE) for one in (learner, "stump"))
    assert run.certified == (run.bound is not None) == exact
    assert any("local optima" in text for text in run.warnings) == (not exact)
    # a bound that rests on the user's word says so
    assert run.proved_by == ("learner" if exact else None)
    assert any("if your learner's edges" in text for text in run.warnings) == exact
    assert stump.proved_by == "duals"
    assert run.objective > 0.99 * stump.objective > 0.08
    assert run.predict(X).tolist() == np.where(run.decision_function(X) >= 0, "yes", "no").tolist()
    with pytest.raises(rp.CapabilityError, match="nothing of this result can be recomputed"):
        rp.check(run, TABLE)
    with pytest.raises(rp.RadprogError, match="are objects, which no file holds"):
        rp.save_fit(run, TABLE, tmp_path / "fit.json")


def test_files_of_the_command_line(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    lines = ["a,b,y", *(f"{a},{b},{y}" for (a, b), y in zip(X, Y, strict=True))]
    Path("t.csv").write_text("\n".join(lines))
    Path("three.csv").write_text("\n".join([*lines, "9,9,maybe"]))
    for command in (
        "solve lpboost t.csv --learner stump --json r.json --save f.json",
        "check r.json t.csv",
        "predict f.json t.csv -o out.csv",
        "solve lpboost three.csv --learner stump --one-vs-rest",
        "tune lpboost t.csv --learner stump --grid nu=0.3,0.5",
        "export lpboost t.csv --learner stump --form primal -o primal.mps",
        "export lpboost t.csv --learner stump --form dual -o dual.mps",
        "verify primal.mps",
        "verify dual.mps",
    ):
        assert main(command.split()) == 0


SERIES = rp.series(X, Y)
STUMP = rp.LPBoost(learner="stump")


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: rp.LPBoost(learner="vine"), "unknown learner 'vine': expected .*, tree2"),
        (lambda: rp.LPBoost(learner=DecisionTreeClassifier), "expected one of .*, an object"),
        (lambda: rp.LPBoost(learner="stump", length=3), "length is not used by learner 'stump'"),
        (lambda: rp.LPBoost(learner="stump", normalize=True), "normalize is not used"),
        (lambda: rp.fit(STUMP, SERIES), "takes tables of numbers, .* Bags given"),
        (lambda: rp.fit(rp.LPBoost(), TABLE), "'shapelet' takes series or bags, .*stump and tree2"),
        (lambda: rp.fit(STUMP, rp.dataset(Y, Y)), "strings given"),
        (lambda: rp.fit(STUMP, TABLE, constraints=rp.scores(G, [-1.0, -1.0])), "no ensemble keeps"),
        (lambda: rp.fit(rp.LPBoost(learner="own:Mine"), TABLE), "is an object, which no file"),
        (lambda: rp.fit(rp.LPBoost(learner=own(lambda X: X, True)), TABLE), "class numbers from 0"),
        (lambda: rp.build(STUMP, TABLE, "weak-l1"), "works on tables, and this needs patterns"),
        (lambda: rp.complexity(STUMP, TABLE), "works on tables"),
        (lambda: rp.prove(rp.fit(STUMP, TABLE), TABLE), "works on tables"),
    ],
)  # fmt: skip
def test_refused(call, words) -> None:
    refused(rp.RadprogError, words, call)


LIES: dict[str, Any] = {  # what an untrue learner makes of a true answer for rows X
    "edge nan": lambda tree, edge, X: (tree, math.nan, True),
    "edge -5": lambda tree, edge, X: (tree, -5.0, True),
    "half the edge": lambda tree, edge, X: (tree, 0.5 * edge, True),
    "twice the edge": lambda tree, edge, X: (tree, 2.0 * edge + 1.0, True),
    "text": lambda tree, edge, X: (tree, str(edge), True),
    "exact as text": lambda tree, edge, X: (tree, edge, "yes"),
    "two values": lambda tree, edge, X: (tree, edge),
    "nothing": lambda tree, edge, X: None,
    "class 7": lambda tree, edge, X: (Codes(lambda Z: np.full(len(Z), 7)), edge, True),
    "class -1": lambda tree, edge, X: (Codes(lambda Z: np.full(len(Z), -1)), edge, True),
    "half a class": lambda tree, edge, X: (Codes(lambda Z: np.full(len(Z), 0.5)), edge, True),
    "one row less": lambda tree, edge, X: (Codes(lambda Z: tree.predict(Z)[1:]), edge, True),
    "no predict": lambda tree, edge, X: (object(), edge, True),
    "ragged": lambda tree, edge, X: (Codes(lambda Z: [[0], [1, 1]]), edge, True),
}


def drawn(seed: int, classes: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(30, 4))
    return X, np.digitize(X[:, 0] + 0.7 * rng.normal(size=30), [-0.5, 0.5][: classes - 1])


@pytest.mark.parametrize("first", [0, 2])
@pytest.mark.parametrize("lie", LIES)
def test_an_untrue_answer_is_one_error(lie: str, first: int) -> None:
    X, y = drawn(first, 2)
    spec = rp.LPBoost(learner=Told(X, LIES[lie], first))
    refused(rp.OptionError, "", rp.fit, spec, rp.dataset(X, y))
    for classes in (2, 3):
        X, y = drawn(first, classes)
        model = rp.LPBoostClassifier(learner=Told(X, LIES[lie], first), beta=0.001)
        refused(rp.OptionError, "", model.fit, X, y)


def test_single_precision_is_true_enough() -> None:
    X, y = drawn(0, 2)
    single = Told(X, lambda tree, edge, X: (tree, float(np.float32(edge)), True))
    known, own = (rp.LPBoostClassifier(**how).fit(X, y) for how in ({}, {"learner": single}))
    assert own.objective_ == pytest.approx(known.objective_, rel=1e-6)


@pytest.mark.parametrize("beta", [1e-12, 1e-9, 1e-3])
@pytest.mark.parametrize("learner", ["stump", "tree2"])
def test_certified_means_the_gap_of_its_page(learner: str, beta: float) -> None:
    X, y = drawn(3, 3)
    model = rp.LPBoostClassifier(learner=learner, beta=beta, max_iter=40).fit(X, y)
    assert model.certified_ is (model.gap_ <= 1e-6)


@pytest.mark.parametrize(("learner", "depth", "nu"), [("stump", 1, 0.4), ("tree2", 2, 0.6)])
@pytest.mark.parametrize(("weighted", "copies"), [(False, 1), (True, 1), (True, 13)])
def test_margins_from_inside_end_at_the_optimum_over_all_trees(
    learner: str, depth: int, nu: float, weighted: bool, copies: int, monkeypatch
) -> None:
    monkeypatch.setattr(CentredMaster, "sifting_size", 0)
    weights = WEIGHTS if weighted else np.ones(24)
    best = -soft_margin(every_tree(depth), TABLE.signs, nu, G[:0], np.zeros(0), weights).fun
    data = rp.dataset(np.tile(X, (copies, 1)), np.tile(Y, copies), weights=np.tile(weights, copies))
    run = rp.fit(rp.LPBoost(learner=learner, nu=nu), data)
    assert run.certified
    assert run.objective == pytest.approx(best, abs=1e-6)
    assert run.objective <= best + 1e-9
    assert run.bound >= best - 1e-9
    # every round's bound holds, and so does that of a run that is stopped
    assert all(record.bound >= best - 1e-9 for record in run.trace)
    for count in (1, 2):
        stopped = rp.fit(rp.LPBoost(learner=learner, nu=nu), data, max_iter=count)
        assert stopped.objective <= best + 1e-9 <= stopped.bound + 2e-9
        assert rp.solve(stopped.model()).objective == pytest.approx(stopped.objective, abs=1e-6)
