"""LPBoost for tables, over trees or the hypotheses of a learner: programs (2) and (3).

A hypothesis h(x) is 1 if a tree votes for the second class, otherwise -1. A learner maximises its
edge h(X)'v, the sum of the gains [-v_i, v_i] of the votes on all rows i.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from radprog.base.errors import CapabilityError, DataError, OptionError, SettingError
from radprog.base.tolerances import SUPPORT
from radprog.base.types import FloatArray, IntArray
from radprog.decompositions.conflicts import listed_names, surrogate_note
from radprog.decompositions.loop import Budget, first_step, ignore
from radprog.decompositions.lpboost.generation import MarginOracle
from radprog.decompositions.lpboost.report import (
    LOCAL_WARNING,
    lower_value,
    margin_numbers,
    stored_point,
    weighted_sum,
)
from radprog.decompositions.lpboost.shapelets import Rows, margin_of
from radprog.decompositions.lpboost.votes import (
    Learner,
    Split,
    class_numbers,
    learner_for,
    price_hypotheses,
)
from radprog.decompositions.lpboost.weak_learners import WeakAnswer, constraint_block
from radprog.decompositions.predictors import check_rows, plain_values, reading, rebuilt
from radprog.decompositions.run import Outcome, Recomputed, Run, RunSettings, packed, signs
from radprog.instances.dataset import Dataset
from radprog.models.bounds import compression_block
from radprog.models.kernels import user_objects
from radprog.models.lpboost.problem import SoftMargin
from radprog.models.lpboost.programs import build_dual
from radprog.models.lpboost.settings import LPBoost
from radprog.models.score_arrays import ScoreRows

OF_USER = "which no file holds"
TRUSTED = "the bound holds if your learner's edges are the largest, as it says: nothing repeats it"


@dataclass(frozen=True, kw_only=True, eq=False)
class Vote:
    """A tree and its values (m,), -1 or 1, on the rows of the program."""

    tree: Any
    values: FloatArray


@dataclass(frozen=True, kw_only=True, eq=False)
class TreeProblem:
    """Rows X (m, d) with their margin problem, and the learner that prices trees.

    ``depth`` is the depth of the exhaustive search, or None for any other learner. If ``slacks`` is
    given, the values of a tree are the slacks (R,) of these constraints in units of their rows,
    instead of its votes. The ensemble with the largest margin then decides whether any ensemble
    satisfies the constraints.
    """

    X: FloatArray
    margin: SoftMargin
    learner: Learner
    depth: int | None
    slacks: ScoreRows | None = None

    @property
    def largest(self) -> float:
        """The largest absolute value of a tree."""
        if self.slacks is None:
            return 1.0
        sums = np.abs(self.slacks.h) + abs(self.slacks.G).sum(axis=1)
        return float((sums / self.slacks.sizes).max())

    def vote(self, tree: Any) -> Vote:
        """The values of a tree. Raises OptionError unless the tree predicts class numbers 0 and
        1.
        """
        return self._vote(tree, class_numbers(tree, self.X, 2))

    def _vote(self, tree: Any, codes: IntArray) -> Vote:
        values = np.asarray(2.0 * codes - 1.0, dtype=np.float64)
        rows = self.slacks
        if rows is not None:
            values = (rows.h - rows.G @ values) / rows.sizes
        return Vote(tree=tree, values=values)

    def best(
        self, v: FloatArray, enough: float = np.inf
    ) -> tuple[list[Vote], list[float], float | None]:
        """Hypotheses with large edges at v (m,), best first, their edges, and the largest edge, if
        known. The search may stop at edges above ``enough``.
        """
        gains, constant = v, 0.0
        if self.slacks is not None:
            mu = v / self.slacks.sizes
            gains, constant = -self.slacks.shift(mu), float(self.slacks.h @ mu)
        sides = np.column_stack([-gains, gains])
        priced, largest = price_hypotheses(self.learner, sides, self.X, enough - constant)
        votes = [self._vote(tree, codes) for tree, codes, _ in priced]
        edges = [float(vote.values @ v) for vote in votes]
        return votes, edges, None if largest is None else max(edges[0], largest + constant)

    def rounding(self, z: FloatArray) -> float:
        """A bound on the rounding error in the largest edge that a search returns at z (m + R,)."""
        # the running sums of a search of depth 2 have three times the error of an edge
        return 3.0 * self.margin.rounding(self.largest, z)

    def __call__(
        self, z: FloatArray, threshold: float, current: Sequence[Any], budget: Budget
    ) -> WeakAnswer:
        """Price trees at a dual point, as the weak learner of the oracle."""
        votes, edges, largest = self.best(self.margin.pricing_vector(z), threshold)
        bound = None if largest is None else largest + self.rounding(z)
        return WeakAnswer(hypotheses=tuple(votes), edge=edges[0], bound=bound)


@dataclass(frozen=True, kw_only=True, eq=False)
class TreeVotes:
    """The predictor g(x) = sum_t w_t h_t(x), with label +1 if g(x) >= 0. Rows have ``columns``
    columns.
    """

    trees: tuple[Any, ...]
    weights: FloatArray
    columns: int
    kind = "tree_votes"

    def scores(self, X: FloatArray, cross: Any = None) -> FloatArray:
        """Decision values g (n,) of rows X (n, d)."""
        check_rows(X, self.columns)
        votes = (2.0 * np.asarray(tree.predict(X)) - 1.0 for tree in self.trees)
        return sum((w * h for w, h in zip(self.weights, votes, strict=True)), np.zeros(len(X)))

    def predict(self, X: FloatArray, cross: Any = None) -> FloatArray:
        """The predicted labels (n,), each -1 or +1."""
        return signs(self.scores(X, cross))

    def to_dict(self) -> dict[str, Any]:
        """The predictor as plain values. Raises OptionError for hypotheses from a user's
        learner.
        """
        return {**plain_values(self, "trees"), "trees": plain_trees(self.trees)}

    @staticmethod
    def from_dict(values: Mapping[str, Any]) -> TreeVotes:
        """Rebuild the predictor from :meth:`to_dict`. Raises DataError if values are invalid."""
        with reading():
            trees = tuple(tree_from(tree, int(values["columns"])) for tree in values["trees"])
            return rebuilt(TreeVotes, values, trees=trees)


def plain_trees(trees: Sequence[Any]) -> list[dict[str, Any]]:
    """Trees as plain values. Raises OptionError for hypotheses from a user's learner."""
    for tree in trees:
        if not isinstance(tree, Split):
            raise OptionError(
                f"hypotheses of type {type(tree).__name__} are objects, {OF_USER}: only a fit of "
                "learner stump or tree2 can be saved"
            )
    return [asdict(tree) for tree in trees]


def tree_from(values: Mapping[str, Any], columns: int, depth: int = 2) -> Split:
    """A tree of at most this depth, read from plain values. Raises DataError for any other tree."""
    feature, sides = int(values["feature"]), (values["left"], values["right"])
    if not depth or not 0 <= feature < columns:
        raise DataError(f"a tree deeper than its learner's, or of another feature than {columns}")
    left, right = (
        int(side) if side in (0, 1) else tree_from(side, columns, depth - 1) for side in sides
    )
    return Split(feature, float(values["threshold"]), left, right)


def assemble_trees(spec: LPBoost, data: Rows) -> TreeProblem:
    """The program for a table. Raises OptionError or DataError for any other data."""
    if not isinstance(data, Dataset) or data.X.ndim != 2:
        kind = "strings" if isinstance(data, Dataset) else type(data).__name__
        raise OptionError(
            f"learner '{spec.learner}' takes tables of numbers, which rp.dataset makes: {kind} "
            "given"
        )
    margin, user_learners = margin_of(spec, data), user_objects(spec.learner)
    codes = (margin.y > 0).astype(np.intp)
    if len(np.unique(codes)) < 2:
        raise DataError(f"{data.name}: all rows are of one class, expected both")
    if spec.depth is None and not user_learners:
        raise OptionError(f"learner '{spec.learner}' is an object, {OF_USER}")
    learner = learner_for(user_learners.get(spec.learner, spec.learner), data.X, codes)
    return TreeProblem(X=data.X, margin=margin, learner=learner, depth=spec.depth)


def boost_trees(problem: TreeProblem, settings: RunSettings, budget: Budget) -> MarginOracle:
    """Run column generation, starting with the best tree at uniform weights and the trees of
    ``start``. If the best tree violates a constraint, it starts with trees that satisfy them.

    Raises SettingError if no ensemble satisfies the constraints.
    """
    margin, rows, start = problem.margin, problem.margin.rows, settings.start
    free_votes = list[Vote]()
    if len(rows.owner):
        # rates that a fit without them keeps cost nothing (1,000 rows, 2 rates: 3.4 s, and 11 s)
        free = replace(problem, margin=replace(margin, rows=rows.plain))
        oracle = boost_trees(free, settings, budget)
        free_votes, weights = oracle.ensemble()
        if rows.met(weights @ np.array([vote.values for vote in free_votes])):
            return oracle.under(margin)
    (best, *_), _, largest = problem.best(margin.pricing_vector(margin.uniform()))
    initial, weights = [best], np.ones(1)
    # the best tree violates a row: start with the constant trees, whose mean score is 0, or with
    # the ensemble whose smallest slack is largest
    if not rows.met(best.values) and rows.met(np.zeros(margin.m)):
        constant = [problem.best(np.full(margin.m, sign))[0][0] for sign in (1.0, -1.0)]
        initial, weights = [*constant, best], np.array([0.5, 0.5, 0.0])
    elif not rows.met(best.values):
        initial, weights = feasible_trees(problem, best, settings, budget)
    initial = [*initial, *free_votes]
    if start is not None:
        if not isinstance(start, TreeVotes):
            raise OptionError(f"start: a fit of kind '{start.kind}', expected one of trees")
        # trees that the learner could find
        with suppress(DataError, OptionError):
            initial = [*initial, *stored_votes(problem, plain_trees(start.trees))]
    slack = 2e-3 if largest is None else 1e-10  # of a learner of the user's
    # stumps gain nothing by it, and few rows little: 150 rows 0.85 s, 0.79 without
    halfway = problem.depth == 2 and margin.m >= 300
    oracle = MarginOracle(margin, problem.largest, problem, slack=slack, halfway=halfway)
    return oracle.generate(initial, weights, settings, budget, 500)


def feasible_trees(
    problem: TreeProblem, best: Vote, settings: RunSettings, budget: Budget
) -> tuple[list[Vote], FloatArray]:
    """Trees with weights that satisfy the constraints, with the largest smallest slack.

    A rate begins with the row of all its points, and has one more of the positive terms at each
    ensemble that violates it. Raises SettingError if there is no such ensemble.
    """
    rows, found = problem.margin.rows, [best]
    parts = [rows.linearised(np.ones(len(rows.owner)))]
    while True:
        budget.check()
        sets = ScoreRows.joined(parts)
        slack = SoftMargin(y=np.ones(len(sets)), nu=1.0 / len(sets))
        phase = replace(problem, margin=slack, slacks=sets)
        oracle = MarginOracle(slack, phase.largest, phase)
        quiet = replace(settings, max_iter=None, observe=ignore)
        start = np.eye(1, len(found))[0]
        oracle.generate([phase.vote(vote.tree) for vote in found], start, quiet, budget, 500)
        feasible, weights = oracle.ensemble()
        found = [problem.vote(vote.tree) for vote in feasible]
        f = weights @ np.array([vote.values for vote in found])
        if rows.met(f):
            return found, weights
        if not sets.met(f):
            names = (sets.names[r] for r in np.flatnonzero(oracle.z > SUPPORT))
            listed = listed_names(list(dict.fromkeys(names)))
            raise SettingError(f"no ensemble keeps the constraints: {listed}{surrogate_note(rows)}")
        parts.append(rows.linearised(1.0 + rows.G[rows.given :] @ f))


def fit_trees(spec: LPBoost, data: Rows, settings: RunSettings) -> Run:
    """Fit LPBoost to a table. If the learner proves the largest edge, the fit is certified.

    Raises OptionError and DataError for invalid input, and SettingError if constraints conflict.
    """
    budget = settings.budget()
    with first_step(budget):
        problem = assemble_trees(spec, data)
        budget.kernels = budget.seconds
        oracle = boost_trees(problem, settings, budget)
    outcome = outcome_of(spec, problem, *oracle.ensemble(), oracle.z, oracle.bound)
    return packed(spec, settings, budget, oracle.finished(outcome))


def outcome_of(
    spec: LPBoost,
    problem: TreeProblem,
    votes: Sequence[Vote],
    weights: FloatArray,
    z: FloatArray,
    bound: float | None = None,
) -> Outcome:
    """The outcome for trees with weights (T,), with the bound at a dual point z = (d, mu) (m + R,).

    For the exhaustive search, the bound comes from a search of all trees at z. Otherwise it is the
    learner's ``bound``.
    """
    # both values from the data
    margin = problem.margin
    objective = lower_value(margin, votes, weights, z)
    if problem.depth is not None:
        z = margin.feasible(z)
        *_, largest = problem.best(margin.pricing_vector(z))
        bound = margin.bound((largest or 0.0) + problem.rounding(z), z)
    # the predictor, and the features of its trees
    trees, H = tuple(vote.tree for vote in votes), np.array([vote.values for vote in votes])
    splits = {feature for tree in trees if isinstance(tree, Split) for feature in tree.features}
    d, columns = z[: margin.m].tolist(), problem.X.shape[1]
    sizes = {"features": len(splits), "nonzero_share": len(splits) / columns} if splits else {}
    return Outcome(
        objective=objective,
        bound=bound,
        fit=TreeVotes(trees=trees, weights=weights, columns=columns),
        summary={
            **dict.fromkeys(("hypotheses", "coefficients", "support_vectors"), len(trees)),
            **sizes,
            **margin_numbers(margin, weighted_sum(votes, weights)),
        },
        evidence={
            "hypotheses": None if problem.depth is None else plain_trees(trees),
            "w": weights.tolist(),
            "d": d,
            **({"mu": z[margin.m :].tolist()} if len(margin.rows) else {}),
        },
        program=partial(build_dual, H, margin),
        trace=[],
        columns=len(trees),
        warnings=(LOCAL_WARNING,) if bound is None else (TRUSTED,) * (problem.depth is None),
        extra={
            "compression": compression_block(
                margin.m,
                spec.delta,
                None,
                "trees are not part of the rows, which the theorem needs",
            ),
            "figure": {"rows": []},
            **constraint_block(margin, weights @ H, z),
        },
    )


def recompute_trees(spec: LPBoost, data: Rows, evidence: Mapping[str, Any]) -> Recomputed:
    """The objective and bound of the stored trees, from a new search of all trees at the stored d.

    Raises CapabilityError for a user's learner, and DataError if the trees do not match the data.
    """
    if spec.depth is None:
        raise CapabilityError(
            f"learner '{spec.learner}' and its hypotheses are objects, {OF_USER}: nothing of this "
            "result can be recomputed; the fit evaluated its objective from the data"
        )
    problem = assemble_trees(spec, data)
    votes = stored_votes(problem, evidence["hypotheses"])
    w, z = np.asarray(evidence["w"], dtype=np.float64), stored_point(problem.margin, evidence)
    return outcome_of(spec, problem, votes, w, z)


def stored_votes(problem: TreeProblem, trees: Sequence[Mapping[str, Any]]) -> list[Vote]:
    """The stored trees with their values. Raises DataError if a tree is outside the learner's
    class.
    """
    columns, depth = problem.X.shape[1], problem.depth or 2
    return [problem.vote(tree_from(tree, columns, depth)) for tree in trees]
