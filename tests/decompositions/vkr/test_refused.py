"""What fits, prices, paths, forms and sampled centres refuse, by name."""

import numpy as np
import pytest
from refusals import refused
from small_data import curved_points, grouped_points

import radprog as rp
from radprog.decompositions.run import RunSettings
from radprog.decompositions.vkr.fit import fit_vkr
from radprog.decompositions.vkr.fit_svm import fit_svm
from radprog.decompositions.vkr.forms import vkr_form
from radprog.decompositions.vkr.path import vkr_path
from radprog.decompositions.vkr.prices import price_vkr
from radprog.decompositions.vkr.proof import prove_vkr

D = curved_points(4, 12)
GROUPS = grouped_points(3, 20)
FEW = rp.VKR(kernels="poly:1-2", centres=3)


def fit(spec, **how):
    method = fit_svm if isinstance(spec, rp.SVM) else fit_vkr
    return method(spec, D, RunSettings(**how))


def price(kernels: str, data=D, **options):
    spec = rp.VKR(kernels="rbf:1", beta=0.1, **options)
    return price_vkr(spec, data, fit(spec).evidence, 0, kernels)


def path(name: str, first: float, last: float, spec=None):
    return vkr_path(spec or rp.VKR(), D, name, first, last, RunSettings())


def form(spec, form: str):
    return vkr_form(spec, D, form, RunSettings())


def held(spec, constraint, **how):
    return rp.fit(spec, GROUPS, constraints=constraint, **how)


OPTIONS = [
    (lambda: fit(rp.VKR(centres=61)), "more than the 12 points"),
    *((lambda n=n: rp.VKR(centres=n), "at least 1") for n in (0, "-3")),
    (lambda: prove_vkr(FEW, D, fit(FEW).evidence, 0), "sampled centres are not proved"),
    (lambda: price("any:poly:1-3"), "only Gaussian kernels"),
    (lambda: price("any:rbf:1"), "expected any:rbf:LOW..HIGH"),
    (lambda: price("any:rbf:1..10", complexity="massart"), "no price for every width"),
    (lambda: path("gamma", 0.1, 1.0), "expected lam or beta"),
    (lambda: path("lam", 0.1, 1.0, rp.L1SVM()), "expected beta"),
    *((lambda ends=ends: path("beta", *ends), "expected 0 <= from < to")
      for ends in ((1.0, 1.0), (1.0, 0.1), (-1.0, 1.0), (0.1, np.inf), (np.nan, 1.0))),
    (lambda: path("lam", 0.1, 1.0, rp.VKR(complexity="none")), "lam changes nothing"),
    (lambda: path("beta", 0.0, 1.0, rp.VKR(lam=0.0)), "would cost nothing"),
    (lambda: form(rp.L1SVM(beta=1e4), "budget"), "alpha = 0, so the budget 1/rho .*: give `rho`"),
    (lambda: form(rp.L1SVM(beta=1e4), "margin"), "give `rho`"),
    (lambda: held(rp.SVM(), rp.must_classify([0]), solver="libsvm"), "takes no constraints"),
]  # fmt: skip
OTHERS = [
    *((rp.CapabilityError, lambda name=name: fit(rp.VKR(), solver=name), f"solver {name}")
      for name in ("scip", "piqp")),
    (rp.RadprogError, lambda: fit(rp.SVM(), solver="pyomo:glpk"), "class QP|is not installed"),
    (rp.DataError, lambda: price("rbf:1", curved_points(4, 13)), "do not fit"),
    (rp.UnfinishedError, lambda: fit(rp.SVM(), solver="highs", time_limit=1e-6),
     "time_limit: ended before the first step"),
]  # fmt: skip


@pytest.mark.cases(len(OPTIONS) + len(OTHERS))
@pytest.mark.parametrize(
    ("kind", "call", "words"), [*((rp.OptionError, *row) for row in OPTIONS), *OTHERS]
)
def test_refused(kind: type[Exception], call, words: str) -> None:
    refused(kind, words, call)


@pytest.mark.parametrize("solver", [None, "piqp", "highs"])
def test_matrices_that_are_none(solver: str | None, tmp_path) -> None:
    asymmetric = np.eye(12) + 0.1 * np.random.default_rng(0).random((12, 12))
    indefinite = asymmetric + asymmetric.T - 4.0 * np.eye(12)
    file = f"file:{tmp_path / 'K.npy'}"
    for K, words in ((asymmetric, "not symmetric"), (indefinite, "not positive semidefinite")):
        np.save(tmp_path / "K.npy", K)
        refused(rp.OptionError, words, fit, rp.SVM(kernels=file), solver=solver)
    spec = rp.VKR(kernels=file, complexity="none", centres=5)
    refused(rp.OptionError, "is not used by kernel", fit, spec)
