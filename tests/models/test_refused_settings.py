"""Settings refuse what has no meaning, naming what was given: one table of every model."""

from typing import Any

import numpy as np
import pytest

import radprog as rp
from radprog.catalog import CATALOG

nan, inf = float("nan"), float("inf")
REFUSED: list[tuple[type, dict[str, Any], str]] = [
    (rp.VKR, {"lam": "0.1"}, "lam '0.1': expected a number"),
    (rp.VKR, {"lam": True}, "lam True: expected a number"),
    (rp.VKR, {"beta": None}, "beta None: expected a number"),
    (rp.VKR, {"trials": 2.5, "complexity": "montecarlo"}, "trials 2.5: expected a whole number"),
    (rp.VKR, {"kernels": 5}, "kernels: item 1 is a int: expected text"),
    (rp.L1SVM, {"beta": [0.1]}, r"beta \[0.1\]: expected a number"),
    (rp.MKL, {"center": "yes"}, "center 'yes': expected True or False"),
    (rp.MKL, {"variant": 3}, "variant 3: expected text"),
    (
        rp.LPBoost,
        {"length": {"a": 1}},
        "length .*: expected a number, a sequence of numbers or text",
    ),
    (rp.LPBoost, {"families": "fourier"}, "'fourier': expected plain, diff, dilated:K with K >= 2"),
    (rp.LPBoost, {"families": "plain,dilated:1"}, "unknown family of patterns 'dilated:1'"),
    (rp.LPBoost, {"families": None}, "families None: expected"),
    (rp.LPBoost, {"sigma": [1.0]}, "sigma .*: expected a number or text"),
    (rp.SVR, {"starts": "5"}, "starts '5': expected a whole number"),
    (rp.SRM, {"gammas": None}, "gammas None: expected"),
    (rp.CDSK, {"clusters": 2.0}, "clusters 2.0: expected a whole number"),
    (rp.SimSVM, {"kernels": "linear", "no_bias": 1}, "no_bias 1: expected True or False"),
    (rp.VKR, {"lam": -1.0}, r"lam -1: .*>= 0"),
    (rp.VKR, {"beta": -0.5}, r"beta -0\.5: .*>= 0"),
    (rp.VKR, {"beta": inf}, "beta inf"),
    (rp.VKR, {"tradeoff": 1.0}, "tradeoff 1: expected a number > 1"),
    (rp.VKR, {"ridge": 0.0}, "ridge"),
    (rp.VKR, {"complexity": "lemma3"}, "unknown complexity 'lemma3': expected one of trace, poly"),
    (rp.VKR, {"complexity": "Lemma4"}, "none; did you mean poly?"),
    (rp.VKR, {"local_r": 0.5}, "local_r is not used by complexity 'trace'"),
    (rp.VKR, {"local_r": "auto", "complexity": "montecarlo"}, "'montecarlo'"),
    (rp.VKR, {"local_r": "wide", "complexity": "local"}, "local_r 'wide': expected 'auto' or"),
    (rp.VKR, {"local_r": "0", "complexity": "local"}, r"local_r 0: .*> 0"),
    (rp.VKR, {"local_r": "nan", "complexity": "local"}, "local_r nan"),
    (rp.VKR, {"trials": 10}, "trials is not used by complexity 'trace'"),
    (rp.VKR, {"trials": 1, "complexity": "montecarlo"}, "trials 1: expected at least 2"),
    (rp.VKR, {"rho": 0.0}, "rho 0: "),
    (rp.VKR, {"kernels": "cosine"}, "unknown kernel 'cosine'"),
    (rp.VKR, {"kernels": "poly:2,poly:1-3"}, "'poly:2' is given twice"),
    (rp.VKR, {"kernels": "poly:3-1"}, "'poly:3-1'"),
    (rp.VKR, {"kernels": "rbf:0"}, "'0' is not a positive number"),
    (rp.L1SVM, {"beta": 0.0}, r"beta 0: .*> 0"),
    (rp.L1SVM, {"kernels": "poly:1-3"}, "l1svm takes one kernel, 'poly:1-3' gives 3"),
    (rp.SVM, {"kernels": "poly:1,rbf:1"}, "svm takes one kernel, 'poly:1,rbf:1' gives 2"),
    (rp.SVM, {"C": 0.0}, r"C 0: .*> 0"),
    (rp.MKL, {"variant": "best"}, "variant 'best': expected one of conv, dc, lp, unif"),
    (rp.MKL, {"loss": "log"}, "loss 'log'"),
    (rp.MKL, {"normalize": "max"}, "normalize 'max'"),
    (rp.MKL, {"C": 0.0}, "C 0: expected a finite number > 0"),
    (rp.MKL, {"norm": 0.5}, "norm 0.5: expected a finite number >= 1"),
    (rp.MKL, {"theta": -1}, "theta -1: expected at least 0"),
    (rp.MKL, {"tail_budget": "m"}, "tail_budget 'm'"),
    (rp.MKL, {"variant": "dc", "starts": 0}, "starts 0"),
    (rp.MKL, {"variant": "conv", "starts": 2}, "starts is not used by variant 'conv'"),
    (rp.MKL, {"variant": "lp", "theta": 1}, "theta is not used by variant 'lp'"),
    (rp.MKL, {"variant": "lp", "tail_budget": 1.0}, "tail_budget is not used by variant 'lp'"),
    (rp.MKL, {"variant": "unif", "norm": 2.0}, "norm is not used by variant 'unif'"),
    (rp.MKL, {"variant": "unif", "theta": 1}, "theta is not used by variant 'unif'"),
    (rp.MKL, {"kernels": "rbf"}, "kernel 'rbf'"),
    (rp.MKL, {"kernels": "linear", "grams": "K.npz"}, "kernels and grams are both given"),
    (rp.LPBoost, {"nu": 0.0}, r"nu 0: expected 0 < nu <= 1 \(1/\(nu m\) divides by it\)"),
    (rp.LPBoost, {"nu": 1.5}, r"nu 1.5: .* cannot sum to 1, and the margin is unbounded"),
    (rp.LPBoost, {"learner": "tree"}, "unknown learner 'tree'"),
    (rp.LPBoost, {"pattern_kernel": "rbf"}, "unknown pattern kernel 'rbf'"),
    (rp.LPBoost, {"sigma": 0.0}, "sigma 0: expected a finite number > 0"),
    (rp.LPBoost, {"sigma": "wide"}, "sigma 'wide': expected 'auto' or a number > 0"),
    (rp.LPBoost, {"sigma": "1", "pattern_kernel": "linear"}, "not used by pattern kernel 'linear'"),
    (rp.LPBoost, {"dca_iter": 5}, "dca_iter is not used by learner 'shapelet'"),
    (rp.LPBoost, {"starts": 5, "learner": "shapelet-plus"}, "starts is not used"),
    (rp.LPBoost, {"orientation": "both"}, "orientation is not used by learner 'shapelet'"),
    (rp.LPBoost, {"learner": "l1", "dca_iter": 0}, "dca_iter 0: expected at least 1"),
    (rp.LPBoost, {"learner": "rkhs", "starts": -1}, "starts -1: expected at least 1"),
    (rp.LPBoost, {"learner": "l1", "orientation": "up"}, "unknown orientation 'up'"),
    (rp.LPBoost, {"learner": "rkhs", "pattern_kernel": "distance"}, "positive semidefinite"),
    (rp.LPBoost, {"length": "1.5"}, "length 1.5: expected whole points"),
    (rp.LPBoost, {"length": 1.0}, "length 1.0: expected whole points, or a share below 1"),
    (rp.LPBoost, {"length": "0.5..1:3"}, "length 0.5..1:3: expected whole points, or shares"),
    (rp.LPBoost, {"length": "a..b:3"}, "expected a..b:N"),
    (rp.LPBoost, {"length": "0.1,"}, "length ''"),
    (rp.SVR, {"eps_low": -0.1}, "eps_low -0.1"),
    (rp.SVR, {"A": 1.0, "C": 1.0}, "A and C are both given"),
    (rp.SVR, {"gamma": 1.0, "kernels": "linear"}, "gamma and kernels are both given"),
    (rp.SVR, {"kernels": "poly:1-2"}, "takes one kernel"),
    (rp.Complexity, {"kind": "gauss"}, "kind 'gauss'"),
    (rp.Complexity, {"C": 1.0}, "Complexity has no parameter C"),
    (rp.Complexity, {"eps_up": -1.0}, "eps_up -1"),
    (rp.SRM, {"trials": 1}, "trials 1"),
    (rp.SRM, {"kind": "gauss"}, "kind 'gauss'"),
    (rp.SRM, {"gammas": "0,1"}, "gammas 0: "),
    (rp.SRM, {"As": "1,1"}, "As: a value is given twice"),
    (rp.SRM, {"starts": 0}, "starts 0"),
    (rp.CDSK, {"bandwidth": "-1*median"}, "bandwidth"),
    (rp.CDSK, {"objective": "cut"}, "expected one of ratio"),
    (rp.CDSK, {"similarity": "s.npy", "bandwidth": "1"}, "bandwidth is not used"),
    (rp.CDSK, {"similarity": "s.npy", "objective": "ncut"}, "similarity is not used"),
    (rp.CDSK, {"clusters": 3, "objective": "ise"}, "two classes"),
    (rp.CDSK, {"min_size": 4, "max_size": 2}, "above max_size"),
    (rp.CDSK, {"box": "some"}, "box 'some': expected auto, none or a number"),
    (rp.LPDSK, {"similarity": "s.npy", "bandwidth": "1"}, "bandwidth is not used"),
    (rp.L1Linear, {"loss": "squared"}, "unknown loss 'squared'"),
    (rp.L1Linear, {"signs": "up"}, "unknown signs 'up'"),
    (rp.L1Linear, {"beta": 0.0}, "beta 0"),
    (rp.L1Linear, {"bias": 1}, "bias 1: expected True or False"),
    (rp.L1Linear, {"quantile": 0.3}, "quantile is not used by loss 'hinge'"),
    (rp.L1Linear, {"loss": "quantile", "quantile": 1.0}, "between 0 and 1"),
    (rp.L1Linear, {"groups": "a,b"}, "groups 'a,b'"),
    (rp.L1Linear, {"groups": [0.5]}, "groups"),
    (rp.SimSVM, {}, "needs either similarity"),
    (rp.SimSVM, {"similarity": "s.npy", "kernels": "edit"}, "needs either similarity"),
    (rp.SimSVM, {"kernels": "poly:1-3"}, "takes one kernel"),
    (rp.SimSVM, {"kernels": "edit", "lam": 0.0}, "lam 0"),
]


@pytest.mark.parametrize(("model", "options", "words"), REFUSED)
def test_refused(model: type, options: dict[str, Any], words: str) -> None:
    with pytest.raises(rp.OptionError, match=words):
        model(**options)


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
