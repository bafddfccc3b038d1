"""The parsers of texts that the settings of all models share, and one table of what every model
refuses, naming what was given."""

import dataclasses
import itertools

import numpy as np
import pytest
from refusals import refused

import radprog as rp
from radprog.base.settings import of_type
from radprog.catalog import CATALOG
from radprog.decompositions.run import RunSettings
from radprog.models.kernels import number_list
from radprog.models.settings import yes_or_no


def test_yes_or_no() -> None:
    assert all(yes_or_no(text) for text in ("yes", "True", "ON", "1"))
    assert not any(yes_or_no(text) for text in ("no", "False", "OFF", "0"))
    for text in ("", "y", "2", "yes no"):
        refused(ValueError, "expected yes or no", yes_or_no, text)


def test_every_flag_of_every_model_is_read_alike() -> None:
    fields = [field for entry in CATALOG.values() for field in dataclasses.fields(entry.spec)]
    flags = [field.metadata["parse"] for field in fields if field.default is False]
    assert len(flags) >= 5
    assert set(flags) == {yes_or_no}


@pytest.mark.parametrize("kind", [RunSettings, *(entry.spec for entry in CATALOG.values())])
def test_defaults_are_valid_as_they_stand(kind: type) -> None:
    """They are neither converted nor checked when settings are made."""
    for field in dataclasses.fields(kind):
        default, own = field.default, field.metadata
        if default is dataclasses.MISSING:
            assert field.default_factory() == {}
            continue
        assert of_type(field, default) is default
        if default is not None and own.get("make") is not None:
            made = own["make"](default)
            assert (type(made), made) == (type(default), default)
        if default is not None and own.get("allowed"):
            assert default in own["allowed"]
        if default is not None and own.get("check") is not None:
            own["check"](field.name, default)


def test_numbers() -> None:
    assert number_list("A", "1, 2.5,3e-2") == (1.0, 2.5, 0.03)
    powers = 10.0 ** np.arange(-3, 3)
    np.testing.assert_allclose(number_list("A", "1e-3..1e2:6"), powers, rtol=1e-11)
    assert number_list("A", "4..1:3") == (4.0, 2.0, 1.0)
    assert number_list("A", "7..9:1") == (7.0,)
    for text in ("a..b:3", "1..2", "1..2:x", "1,,2", "", "1..2:3:4"):
        refused(rp.OptionError, r"expected a\.\.b:N or numbers a,b,c", number_list, "A", text)
    for text in ("0..1:3", "-1..1:3", "1..inf:3", "1..2:0", "nan..1:2"):
        refused(rp.OptionError, "expected a, b > 0 and N >= 1", number_list, "A", text)


@pytest.mark.parametrize("error", [TypeError, rp.OptionError])
def test_an_unknown_keyword_is_told_the_nearest(error: type[Exception]) -> None:
    refused(error, "LPBoost has no parameter beta; did you mean nu", rp.LPBoost, beta=0.1)
    refused(error, "CDSK has no parameter n_clusters; did you mean clusters", rp.CDSK, n_clusters=3)


def test_defaults() -> None:
    spec = rp.VKR()
    assert (spec.kernels, spec.complexity) == ("poly:1-10", "trace")
    assert spec.lam == spec.beta == rp.L1SVM().beta == 1e-3
    assert (spec.local_r, spec.trials, spec.centres, spec.rho) == (None,) * 4
    assert rp.L1SVM().kernels == rp.SVM().kernels == "poly:1"
    assert rp.SVM().C == 1.0
    mkl = rp.MKL()
    assert (mkl.variant, mkl.p, mkl.cutoff, mkl.C, mkl.no_bias) == ("conv", 1.0, 1, 1.0, False)
    assert mkl.tail_bound(50) == rp.MKL(tail_budget="n").tail_bound(50) == 50.0
    assert rp.MKL(tail_budget=1.0).tail_bound(50) == 1.0
    assert rp.MKL(variant="lp").cutoff == 0


def test_l1svm_is_vkr_without_a_penalty(tmp_path) -> None:
    own = {"kernels": "rbf:0.5", "beta": 0.25, "centres": str(tmp_path / "more.csv"), "rho": 2.0}
    spec, same = rp.L1SVM(**own), rp.VKR(complexity="none", lam=0.0, **own)
    others = {name: getattr(spec, name) for name in vars(same).keys() - vars(spec).keys()}
    assert vars(same) == vars(spec) | others
    for model, name in itertools.product((rp.L1SVM, rp.SVM), ("lam", "complexity", "trials")):
        refused(TypeError, name, model, **{name: 1})
    file = f"file:{tmp_path / 'none.npy'}"
    refused(rp.DataError, r"none\.npy", rp.VKR, kernels=file)


REFUSED = [
    (rp.VKR, {"lam": "0.1"}, "lam '0.1': expected a number"),
    (rp.VKR, {"lam": True}, "lam True: expected a number"),
    (rp.VKR, {"trials": 2.5, "complexity": "montecarlo"}, "trials 2.5: expected a whole number"),
    (rp.VKR, {"kernels": 5}, "kernels: item 1 is a int: expected text"),
    (rp.MKL, {"center": "yes"}, "center 'yes': expected True or False"),
    (rp.LPBoost, {"length": {"a": 1}}, "length .*: expected a number, a sequence of numbers"),
    (rp.LPBoost, {"families": "fourier"}, "'fourier': expected plain, diff, dilated:K with K >= 2"),
    (rp.LPBoost, {"families": "plain,dilated:1"}, "unknown family of patterns 'dilated:1'"),
    (rp.LPBoost, {"families": None}, "families None: expected"),
    (rp.LPBoost, {"sigma": [1.0]}, "sigma .*: expected a number or text"),
    (rp.SRM, {"gammas": None}, "gammas None: expected"),
    (rp.L1SVM, {"beta": 0.0}, "beta 0: expected a finite number > 0"),
    (rp.VKR, {"tradeoff": 1.0}, "tradeoff 1: expected a number > 1"),
    (rp.VKR, {"complexity": "lemma3"}, "unknown complexity 'lemma3': expected one of trace, poly"),
    (rp.VKR, {"complexity": "Lemma4"}, "none; did you mean poly?"),
    (rp.VKR, {"local_r": 0.5}, "local_r is not used by complexity 'trace'"),
    (rp.VKR, {"local_r": "auto", "complexity": "montecarlo"}, "'montecarlo'"),
    (rp.VKR, {"local_r": "wide", "complexity": "local"}, "local_r 'wide': expected 'auto' or"),
    (rp.VKR, {"local_r": "0", "complexity": "local"}, r"local_r 0: .*> 0"),
    (rp.VKR, {"trials": 10}, "trials is not used by complexity 'trace'"),
    (rp.VKR, {"trials": 1, "complexity": "montecarlo"}, "trials 1: expected at least 2"),
    (rp.VKR, {"rho": 0.0}, "rho 0: "),
    (rp.SVM, {"kernels": "poly:1,rbf:1"}, "svm takes one kernel, 'poly:1,rbf:1' gives 2"),
    (rp.MKL, {"variant": "best"}, "variant 'best': expected one of conv, dc, lp, unif"),
    (rp.MKL, {"loss": "log"}, "loss 'log'"),
    (rp.MKL, {"normalize": "max"}, "normalize 'max'"),
    (rp.MKL, {"tail_budget": "m"}, "tail_budget 'm'"),
    (rp.MKL, {"variant": "dc", "starts": 0}, "starts 0"),
    (rp.MKL, {"variant": "conv", "starts": 2}, "starts is not used by variant 'conv'"),
    (rp.MKL, {"variant": "lp", "theta": 1}, "theta is not used by variant 'lp'"),
    (rp.MKL, {"variant": "unif", "norm": 2.0}, "norm is not used by variant 'unif'"),
    (rp.MKL, {"kernels": "linear", "grams": "K.npz"}, "kernels and grams are both given"),
    (rp.LPBoost, {"nu": 1.5}, r"nu 1.5: .* cannot sum to 1, and the margin is unbounded"),
    (rp.LPBoost, {"learner": "tree"}, "unknown learner 'tree'"),
    (rp.LPBoost, {"sigma": "wide"}, "sigma 'wide': expected 'auto' or a number > 0"),
    (rp.LPBoost, {"sigma": "1", "pattern_kernel": "linear"}, "not used by pattern kernel 'linear'"),
    (rp.LPBoost, {"dca_iter": 5}, "dca_iter is not used by learner 'shapelet'"),
    (rp.LPBoost, {"starts": 5, "learner": "shapelet-plus"}, "starts is not used"),
    (rp.LPBoost, {"orientation": "both"}, "orientation is not used by learner 'shapelet'"),
    (rp.LPBoost, {"learner": "l1", "dca_iter": 0}, "dca_iter 0: expected at least 1"),
    (rp.LPBoost, {"learner": "l1", "orientation": "up"}, "unknown orientation 'up'"),
    (rp.LPBoost, {"learner": "rkhs", "pattern_kernel": "distance"}, "positive semidefinite"),
    (rp.LPBoost, {"length": 1.0}, "length 1.0: expected whole points, or a share below 1"),
    (rp.LPBoost, {"length": "0.5..1:3"}, "length 0.5..1:3: expected whole points, or shares"),
    (rp.SVR, {"A": 1.0, "C": 1.0}, "A and C are both given"),
    (rp.SVR, {"gamma": 1.0, "kernels": "linear"}, "gamma and kernels are both given"),
    (rp.Complexity, {"C": 1.0}, "Complexity has no parameter C"),
    (rp.Complexity, {"eps_up": -1.0}, "eps_up -1"),
    (rp.SRM, {"As": "1,1"}, "As: a value is given twice"),
    (rp.CDSK, {"objective": "cut"}, "expected one of ratio"),
    (rp.CDSK, {"similarity": "s.npy", "bandwidth": "1"}, "bandwidth is not used"),
    (rp.CDSK, {"similarity": "s.npy", "objective": "ncut"}, "similarity is not used"),
    (rp.CDSK, {"clusters": 3, "objective": "ise"}, "two classes"),
    (rp.CDSK, {"min_size": 4, "max_size": 2}, "above max_size"),
    (rp.CDSK, {"box": "some"}, "box 'some': expected auto, none or a number"),
    (rp.LPDSK, {"similarity": "s.npy", "bandwidth": "1"}, "bandwidth is not used"),
    (rp.L1Linear, {"loss": "squared"}, "unknown loss 'squared'"),
    (rp.L1Linear, {"signs": "up"}, "unknown signs 'up'"),
    (rp.L1Linear, {"bias": 1}, "bias 1: expected True or False"),
    (rp.L1Linear, {"quantile": 0.3}, "quantile is not used by loss 'hinge'"),
    (rp.L1Linear, {"loss": "quantile", "quantile": 1.0}, "between 0 and 1"),
    (rp.L1Linear, {"groups": "a,b"}, "groups 'a,b'"),
    (rp.L1Linear, {"groups": [0.5]}, "groups"),
    (rp.SimSVM, {}, "needs either similarity"),
    (rp.SimSVM, {"similarity": "s.npy", "kernels": "edit"}, "needs either similarity"),
]


@pytest.mark.cases(100)
@pytest.mark.parametrize(("model", "options", "words"), REFUSED)
def test_refused(model: type, options: dict, words: str) -> None:
    refused(rp.OptionError, words, model, **options)


def test_every_model_has_rows() -> None:
    assert {model for model, *_ in REFUSED} == {entry.spec for entry in CATALOG.values()}


def test_numbers_are_numbers_whoever_made_them() -> None:
    spec = rp.VKR(lam=np.float32(0.5), beta=np.int64(1))
    assert (type(spec.lam), type(spec.beta)) == (float, int)
    assert rp.LPBoost(length=15) == rp.LPBoost(length="15")
    assert rp.LPBoost(length=[1, 0.5]) == rp.LPBoost(length="1,0.5")
    assert rp.LPBoost(length=[0.1, 0.2]) == rp.LPBoost(length=np.array([0.1, 0.2]))
    assert rp.LPBoost(length=(0.1, 0.2)).length == "0.1,0.2"
    assert rp.SRM(gammas=[0.1, 1], As=2.0).gamma_values == (0.1, 1.0)
    assert rp.CDSK(bandwidth=0.5) == rp.CDSK(bandwidth="0.5")
    assert rp.VKR(kernels=["poly:1", "rbf:1"]).kernels == "poly:1,rbf:1"
