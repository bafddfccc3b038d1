"""Settings refuse what has no meaning, naming what was given: one table of every model."""

from typing import Any

import numpy as np
import pytest

from radprog.base.errors import OptionError
from radprog.catalog import CATALOG
from radprog.models.linear.settings import L1Linear
from radprog.models.lpboost.settings import LPBoost
from radprog.models.mkl.settings import MKL
from radprog.models.regression.settings import SRM, SVR, Complexity
from radprog.models.similarity.settings import CDSK, LPDSK, SimSVM
from radprog.models.vkr.settings import L1SVM, SVM, VKR

nan, inf = float("nan"), float("inf")
REFUSED: list[tuple[type, dict[str, Any], str]] = [
    (VKR, {"lam": "0.1"}, "lam '0.1': expected a number"),
    (VKR, {"lam": True}, "lam True: expected a number"),
    (VKR, {"beta": None}, "beta None: expected a number"),
    (VKR, {"trials": 2.5, "complexity": "montecarlo"}, "trials 2.5: expected an integer"),
    (VKR, {"kernels": 5}, "kernels: item 1 is a int: expected text"),
    (L1SVM, {"beta": [0.1]}, r"beta \[0.1\]: expected a number"),
    (MKL, {"center": "yes"}, "center 'yes': expected True or False"),
    (MKL, {"variant": 3}, "variant 3: expected text"),
    (LPBoost, {"length": {"a": 1}}, "length .*: expected a number, a sequence of numbers or text"),
    (LPBoost, {"length": []}, "length .*: expected a number, a sequence"),
    (LPBoost, {"families": "fourier"}, "'fourier': expected plain, diff, dilated:K with K >= 2"),
    (LPBoost, {"families": "plain,dilated:1"}, "unknown family of patterns 'dilated:1'"),
    (LPBoost, {"families": None}, "families None: expected"),
    (LPBoost, {"sigma": [1.0]}, "sigma .*: expected a number or text"),
    (SVR, {"starts": "5"}, "starts '5': expected an integer"),
    (SRM, {"gammas": None}, "gammas None: expected"),
    (CDSK, {"clusters": 2.0}, "clusters 2.0: expected an integer"),
    (SimSVM, {"kernels": "linear", "no_bias": 1}, "no_bias 1: expected True or False"),
    (VKR, {"lam": -1.0}, r"lam -1: .*>= 0"),
    (VKR, {"beta": -0.5}, r"beta -0\.5: .*>= 0"),
    (VKR, {"lam": nan}, "lam nan"),
    (VKR, {"beta": nan}, "beta nan"),
    (VKR, {"lam": inf}, "lam inf"),
    (VKR, {"beta": inf}, "beta inf"),
    (VKR, {"tradeoff": 1.0}, "tradeoff 1: expected a number > 1"),
    (VKR, {"ridge": 0.0}, "ridge"),
    (VKR, {"complexity": "lemma3"}, "unknown complexity 'lemma3': expected one of trace, poly"),
    (VKR, {"complexity": "Lemma4"}, "none; did you mean poly?"),
    (VKR, {"complexity": ""}, "unknown complexity ''"),
    (VKR, {"local_r": 0.5}, "local_r is not used by complexity 'trace'"),
    (VKR, {"local_r": "auto"}, "local_r is not used by complexity 'trace'"),
    (VKR, {"local_r": "auto", "complexity": "montecarlo"}, "'montecarlo'"),
    (VKR, {"local_r": "wide", "complexity": "local"}, "local_r 'wide': expected 'auto' or"),
    (VKR, {"local_r": "0", "complexity": "local"}, r"local_r 0: .*> 0"),
    (VKR, {"local_r": -2.0, "complexity": "local"}, "local_r -2"),
    (VKR, {"local_r": "nan", "complexity": "local"}, "local_r nan"),
    (VKR, {"trials": 10}, "trials is not used by complexity 'trace'"),
    (VKR, {"trials": 10, "complexity": "local"}, "trials is not used by complexity 'local'"),
    (VKR, {"trials": 1, "complexity": "montecarlo"}, "trials 1: expected at least 2"),
    (VKR, {"rho": 0.0}, "rho 0: "),
    (VKR, {"rho": -1.0}, "rho -1: "),
    (VKR, {"rho": nan}, "rho nan"),
    (VKR, {"kernels": "cosine"}, "unknown kernel 'cosine'"),
    (VKR, {"kernels": ""}, "unknown kernel ''"),
    (VKR, {"kernels": "poly:2,poly:1-3"}, "'poly:2' is given twice"),
    (VKR, {"kernels": "poly:3-1"}, "'poly:3-1'"),
    (VKR, {"kernels": "rbf:0"}, "'0' is not a positive number"),
    (L1SVM, {"beta": 0.0}, r"beta 0: .*> 0"),
    (L1SVM, {"beta": -1.0}, "beta -1"),
    (L1SVM, {"beta": nan}, "beta nan"),
    (L1SVM, {"rho": 0.0}, "rho 0"),
    (L1SVM, {"kernels": "poly:1-3"}, "l1svm takes one kernel, 'poly:1-3' gives 3"),
    (L1SVM, {"kernels": "linear,edit"}, "gives 2"),
    (SVM, {"kernels": "poly:1,rbf:1"}, "svm takes one kernel, 'poly:1,rbf:1' gives 2"),
    (SVM, {"C": 0.0}, r"C 0: .*> 0"),
    (SVM, {"C": -3.0}, "C -3"),
    (SVM, {"C": nan}, "C nan"),
    (SVM, {"C": inf}, "C inf"),
    (MKL, {"variant": "best"}, "variant 'best': expected one of conv, dc, lp, unif"),
    (MKL, {"loss": "log"}, "loss 'log'"),
    (MKL, {"normalize": "max"}, "normalize 'max'"),
    (MKL, {"repair": "maybe"}, "repair 'maybe'"),
    (MKL, {"C": 0.0}, "C 0: expected a finite number > 0"),
    (MKL, {"C": -1.0}, "C -1"),
    (MKL, {"C": float("inf")}, "C inf"),
    (MKL, {"norm": 0.5}, "norm 0.5: expected a finite number >= 1"),
    (MKL, {"norm": float("inf")}, "norm inf"),
    (MKL, {"theta": -1}, "theta -1: expected at least 0"),
    (MKL, {"theta": 1.5}, "theta 1.5: expected an integer"),
    (MKL, {"tail_budget": 0.0}, "tail_budget 0"),
    (MKL, {"tail_budget": "m"}, "tail_budget 'm'"),
    (MKL, {"variant": "dc", "starts": 0}, "starts 0"),
    (MKL, {"variant": "conv", "starts": 2}, "starts is not used by variant 'conv'"),
    (MKL, {"variant": "lp", "theta": 1}, "theta is not used by variant 'lp'"),
    (MKL, {"variant": "lp", "tail_budget": 1.0}, "tail_budget is not used by variant 'lp'"),
    (MKL, {"variant": "unif", "norm": 2.0}, "norm is not used by variant 'unif'"),
    (MKL, {"variant": "unif", "theta": 1}, "theta is not used by variant 'unif'"),
    (MKL, {"kernels": "rbf"}, "kernel 'rbf'"),
    (MKL, {"kernels": "linear", "grams": "K.npz"}, "kernels and grams are both given"),
    (LPBoost, {"nu": 0.0}, r"nu 0: expected 0 < nu <= 1 \(1/\(nu m\) divides by it\)"),
    (LPBoost, {"nu": -0.1}, "nu -0.1"),
    (LPBoost, {"nu": 1.5}, r"nu 1.5: .* cannot sum to 1, and the margin is unbounded"),
    (LPBoost, {"nu": float("nan")}, "nu nan"),
    (LPBoost, {"radius": 0.0}, "radius 0"),
    (LPBoost, {"radius": float("inf")}, "radius inf"),
    (LPBoost, {"learner": "tree"}, "unknown learner 'tree'"),
    (LPBoost, {"pattern_kernel": "rbf"}, "unknown pattern kernel 'rbf'"),
    (LPBoost, {"sigma": 0.0}, "sigma 0: expected a finite number > 0"),
    (LPBoost, {"sigma": "-1"}, "sigma -1: expected a finite number > 0"),
    (LPBoost, {"sigma": "wide"}, "sigma 'wide': expected 'auto' or a number > 0"),
    (LPBoost, {"sigma": "1", "pattern_kernel": "linear"}, "not used by pattern kernel 'linear'"),
    (LPBoost, {"dca_iter": 5}, "dca_iter is not used by learner 'shapelet'"),
    (LPBoost, {"starts": 5, "learner": "shapelet-plus"}, "starts is not used"),
    (LPBoost, {"orientation": "both"}, "orientation is not used by learner 'shapelet'"),
    (LPBoost, {"learner": "l1", "dca_iter": 0}, "dca_iter 0: expected at least 1"),
    (LPBoost, {"learner": "rkhs", "starts": -1}, "starts -1: expected at least 1"),
    (LPBoost, {"learner": "l1", "orientation": "up"}, "unknown orientation 'up'"),
    (LPBoost, {"learner": "rkhs", "pattern_kernel": "distance"}, "positive semidefinite"),
    (LPBoost, {"length": "0"}, "length '0'"),
    (LPBoost, {"length": "1.5"}, "length 1.5: expected whole points"),
    (LPBoost, {"length": "a..b:3"}, "expected a..b:N"),
    (LPBoost, {"length": "0.1,"}, "length ''"),
    (SVR, {"eps_low": -0.1}, "eps_low -0.1"),
    (SVR, {"eps_up": 0.0}, "eps_up 0"),
    (SVR, {"A": -1.0}, "A -1"),
    (SVR, {"A": nan}, "A nan"),
    (SVR, {"C": 0.0}, "C 0"),
    (SVR, {"A": 1.0, "C": 1.0}, "A and C are both given"),
    (SVR, {"gamma": 0.0}, "gamma 0"),
    (SVR, {"gamma": 1.0, "kernels": "linear"}, "gamma and kernels are both given"),
    (SVR, {"kernels": "poly:1-2"}, "takes one kernel"),
    (SVR, {"starts": 0}, "starts 0"),
    (Complexity, {"trials": 1}, "trials 1"),
    (Complexity, {"kind": "gauss"}, "kind 'gauss'"),
    (Complexity, {"C": 1.0}, "C has no meaning"),
    (Complexity, {"sign_vector": -1}, "sign_vector -1"),
    (Complexity, {"eps_up": -1.0}, "eps_up -1"),
    (SRM, {"delta": 0.0}, "delta 0"),
    (SRM, {"delta": 1.0}, "delta 1"),
    (SRM, {"trials": 1}, "trials 1"),
    (SRM, {"kind": "gauss"}, "kind 'gauss'"),
    (SRM, {"gammas": "0,1"}, "gammas 0: "),
    (SRM, {"gammas": "x"}, "gammas 'x'"),
    (SRM, {"As": "-1"}, "As -1: "),
    (SRM, {"As": "1,1"}, "As: a value is given twice"),
    (SRM, {"folds": 1}, "folds 1"),
    (SRM, {"starts": 0}, "starts 0"),
    (SRM, {"eps_up": -1.0}, "eps_up -1"),
    (CDSK, {"clusters": 0}, "clusters 0"),
    (CDSK, {"bandwidth": "0"}, "bandwidth '0'"),
    (CDSK, {"bandwidth": "-1*median"}, "bandwidth"),
    (CDSK, {"lam": 0.0}, "lam 0"),
    (CDSK, {"lam": -1.0}, "lam -1"),
    (CDSK, {"objective": "cut"}, "expected one of ratio"),
    (CDSK, {"self_loops": True}, "self_loops is not used"),
    (CDSK, {"similarity": "s.npy", "bandwidth": "1"}, "bandwidth is not used"),
    (CDSK, {"similarity": "s.npy", "objective": "ncut"}, "similarity is not used"),
    (CDSK, {"clusters": 3, "objective": "ise"}, "two classes"),
    (CDSK, {"min_size": 4, "max_size": 2}, "above max_size"),
    (CDSK, {"box": "some"}, "box 'some': expected auto, none or a number"),
    (CDSK, {"box": 0.0}, "box 0"),
    (LPDSK, {"self_loops": True}, "cancels"),
    (LPDSK, {"dca_iter": 0}, "dca_iter 0"),
    (LPDSK, {"lam": nan}, "lam nan"),
    (LPDSK, {"bandwidth": "0"}, "bandwidth '0'"),
    (LPDSK, {"similarity": "s.npy", "bandwidth": "1"}, "bandwidth is not used"),
    (L1Linear, {"loss": "squared"}, "unknown loss 'squared'"),
    (L1Linear, {"signs": "up"}, "unknown signs 'up'"),
    (L1Linear, {"beta": 0.0}, "beta 0"),
    (L1Linear, {"bias": 1}, "bias 1: expected True or False"),
    (L1Linear, {"quantile": 0.5}, "quantile is not used by loss 'hinge'"),
    (L1Linear, {"loss": "quantile", "quantile": 1.0}, "between 0 and 1"),
    (L1Linear, {"groups": "a,b"}, "groups 'a,b'"),
    (L1Linear, {"groups": [0.5]}, "groups"),
    (SimSVM, {}, "from similarity or from kernels"),
    (SimSVM, {"similarity": "s.npy", "kernels": "edit"}, "from similarity or from kernels"),
    (SimSVM, {"kernels": "poly:1-3"}, "takes one kernel"),
    (SimSVM, {"kernels": "edit", "lam": 0.0}, "lam 0"),
]


@pytest.mark.parametrize(("model", "options", "words"), REFUSED)
def test_refused(model: type, options: dict[str, Any], words: str) -> None:
    with pytest.raises(OptionError, match=words):
        model(**options)


def test_every_model_has_rows() -> None:
    assert {model for model, *_ in REFUSED} == {entry.spec for entry in CATALOG.values()}


def test_numbers_are_numbers_whoever_made_them() -> None:
    spec = VKR(lam=np.float32(0.5), beta=np.int64(1))
    assert (type(spec.lam), type(spec.beta)) == (float, int)
    assert LPBoost(length=15) == LPBoost(length="15")
    assert LPBoost(length=[0.1, 0.2]) == LPBoost(length=np.array([0.1, 0.2]))
    assert LPBoost(length=(0.1, 0.2)).length == "0.1,0.2"
    assert SRM(gammas=[0.1, 1], As=2.0).gamma_values == (0.1, 1.0)
    assert CDSK(bandwidth=0.5) == CDSK(bandwidth="0.5")
    assert VKR(kernels=["poly:1", "rbf:1"]).kernels == "poly:1,rbf:1"
