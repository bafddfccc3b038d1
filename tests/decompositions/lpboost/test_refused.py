"""What boosted patterns refuse, by name: data, constraints, paths, lengths, families, forms."""

import numpy as np
import pytest
from refusals import refused
from series_generators import cylinder_bell_funnel

import radprog as rp
from radprog.decompositions.lpboost import prices
from radprog.decompositions.lpboost.fit import fit_lpboost
from radprog.decompositions.lpboost.forms import lpboost_form
from radprog.decompositions.run import RunSettings
from radprog.models.lpboost.cuts import parse_families

CURVES = cylinder_bell_funnel(12, length=16, seed=0)
LARGE = cylinder_bell_funnel(40, length=120, seed=1)
THREE = cylinder_bell_funnel(9, 16, classes=("cylinder", "bell", "funnel"))
UP = CURVES.take(np.flatnonzero(CURVES.targets > 0))
PATCHES = rp.bags(np.random.default_rng(0).normal(size=(6, 3, 4)), [0, 1] * 3)
L1, SMALL = rp.LPBoost(learner="l1", length="4"), rp.LPBoost(length="4")
DISTANCE = rp.LPBoost(length="5", pattern_kernel="distance")
START = RunSettings(max_iter=0)


def fit(data, **options):
    return fit_lpboost(rp.LPBoost(**{"length": "8", **options}), data, RunSettings())


def held(constraint, spec=SMALL):
    return rp.fit(spec, CURVES, constraints=constraint)


OPTIONS = [
    (lambda: fit(CURVES, length="41"), "length 41"),
    (lambda: fit(PATCHES, length=None, families="diff"), "'diff' given, but the patterns of bags"),
    (lambda: rp.LPBoost(length="3,6", families="plain,dilated:6").cuts(24),
     "'dilated:6' has patterns of 7 points or more"),
    (lambda: held(rp.positive_rate(0.6), L1), "learner 'l1' is priced by local search"),
    (lambda: held(rp.scores(np.ones(3), 1.0)), "G has 3 columns"),
    (lambda: prices.price_lpboost(L1, CURVES, {}, 0, "4"), "proves no bound"),
    *((lambda form=form: lpboost_form(DISTANCE, CURVES, form, START), "positive semidefinite")
      for form in ("weak-rkhs", "weak-minnorm")),
    (lambda: lpboost_form(rp.LPBoost(length="4", nu=1.0), LARGE, "weak-l1", START), "coefficients"),
    (lambda: rp.build(SMALL, CURVES, "weak-l1", constraints=rp.positive_rate(0.5)), "weak learner"),
]  # fmt: skip
DATA = [
    (lambda: fit(UP), "all rows are of one class"),
    (lambda: fit(THREE), "works with two classes"),
]


@pytest.mark.cases(len(OPTIONS) + len(DATA))
@pytest.mark.parametrize(
    ("kind", "call", "words"),
    [*((rp.OptionError, *row) for row in OPTIONS), *((rp.DataError, *row) for row in DATA)],
)
def test_refused(kind: type[Exception], call, words: str) -> None:
    refused(kind, words, call)


def test_names_of_families_are_read() -> None:
    assert parse_families("diff, plain,diff,dilated:02") == ("diff", "plain", "dilated:2")
