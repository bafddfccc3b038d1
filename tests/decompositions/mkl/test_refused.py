"""What fits, forms and prices of several kernels refuse, by name."""

import pytest
from refusals import refused
from small_data import class_grams, curved_points

import radprog as rp
from radprog.decompositions.mkl.fit import fit_mkl, recompute_mkl
from radprog.decompositions.mkl.forms import mkl_form
from radprog.decompositions.mkl.prices import price_mkl
from radprog.decompositions.run import RunSettings, first_form
from radprog.models.mkl.settings import FORMS_OF, MKL

POINTS = curved_points(4, 14)
THREE = rp.dataset(POINTS.X, [0, 1, 2, 0, 1, 2, 0] * 2, one_vs_rest=True)
BOTH = "rbf:1,poly:2"
GLOBAL = {"method": "global"}


def grams(n: int = 24, M: int = 4) -> rp.GramSet:
    return rp.gram_set(*class_grams((6,) * M, n, seed=4, apart=0.7, ridge=1e-3))


def fit(options: dict, data=None, **how):
    return fit_mkl(MKL(**options), data or grams(), RunSettings(**how))


def form(name: str, data=None, **options):
    return mkl_form(MKL(**options), data or grams(14, 3), name, RunSettings())


def price(data: rp.Dataset, **options):
    evidence = fit_mkl(MKL(kernels=BOTH), POINTS, RunSettings()).evidence
    return price_mkl(MKL(kernels=BOTH, **options), data, evidence, 0, "rbf:2")


def joint(how=None, **options):
    return fit({"kernels": BOTH, "multiclass": "joint", **options}, THREE, **(how or {}))


def rechecked(biases: list[float]):
    run = joint()
    return recompute_mkl(run.spec, THREE, {**run.evidence, "biases": biases})


OPTIONS = [
    (lambda: fit({}, method="dca"), "'dca' of variant 'conv'"),
    (lambda: fit({"variant": "dc"}, method="silp"), "'silp' of variant 'dc'"),
    (lambda: fit({"variant": "unif"}, method="qcqp"), "expected one of svm"),
    (lambda: fit({"norm": 3.0}, method="qcqp"), "norm 3 makes no quadratic program"),
    (lambda: fit({"variant": "dc", "norm": 2.0}, **GLOBAL), "for norm 1, not 2"),
    (lambda: fit({"variant": "dc"}, **GLOBAL), "4 kernels: method 'global' is for at most 3"),
    (lambda: fit({"variant": "dc"}, grams(41, 2), **GLOBAL), "at most 40 points, the data has 41"),
    (lambda: fit({"norm": 2.0}, method="qcqp", solver="clarabel"), "does not take the cone"),
    (lambda: fit({"theta": 24}), "theta 24: expected 0 <= theta < 24"),
    (lambda: fit({"kernels": BOTH}, POINTS, start=fit({"kernels": "rbf:1"}, POINTS).fit),
     "a fit of other kernels"),
    (lambda: form("dc", grams(50), variant="dc"), "at most 40 points, the data has 50"),
    (lambda: form("multiclass", loss="squared"), "hinge"),
    (lambda: form("multiclass", norm=2.0), "norm 1"),
    (lambda: price(POINTS, variant="dc"), "variant 'dc' is not convex"),
    (lambda: joint(variant="dc"), "not variant 'dc'"),
    (lambda: joint(loss="squared"), "loss 'squared'"),
    (lambda: joint(multiclass="all"), "rest"),
    (lambda: joint({"method": "qcqp"}), "'qcqp' of variant 'conv' with multiclass"),
    (lambda: form("svm", THREE, kernels=BOTH, multiclass="joint"),
     "'svm' is not one of variant 'conv' with multiclass"),
]  # fmt: skip
OTHERS = [
    (rp.DataError, lambda: price(curved_points(4, 16)), "do not fit"),
    *((rp.DataError, lambda b=b: rechecked(b), "biases") for b in ([0.0], [0.0, 0.0])),
]


@pytest.mark.cases(len(OPTIONS) + len(OTHERS))
@pytest.mark.parametrize(
    ("kind", "call", "words"), [*((rp.OptionError, *row) for row in OPTIONS), *OTHERS]
)
def test_refused(kind: type[Exception], call, words: str) -> None:
    refused(kind, words, call)


@pytest.mark.parametrize("variant", FORMS_OF)
def test_a_form_of_another_variant_is_refused(variant: str) -> None:
    for name in MKL.forms:
        if name not in FORMS_OF[variant]:
            words = f"'{name}' is not one of variant '{variant}'"
            refused(rp.OptionError, words, form, name, variant=variant)
    assert form(first_form(MKL(variant=variant)), variant=variant).model is not None
