"""Settings refuse what has no meaning, naming what was given."""

import numpy as np
import pytest
from refusals import refused

from radprog.base.errors import DataError
from radprog.models.kernels import parse_kernels
from radprog.models.vkr.settings import COMPLEXITIES, L1SVM, SVM, VKR

nan, inf = float("nan"), float("inf")


def test_defaults() -> None:
    spec = VKR()
    assert (spec.kernels, spec.complexity) == ("poly:1-10", "trace")
    assert spec.lam == spec.beta == L1SVM().beta == 1e-3
    assert (spec.local_r, spec.trials, spec.centres, spec.rho) == (None,) * 4
    assert L1SVM().kernels == SVM().kernels == "poly:1"
    assert SVM().C == 1.0


@pytest.mark.parametrize("model", [L1SVM, SVM])
def test_an_option_that_a_model_does_not_have(model: type) -> None:
    for name in ("lam", "complexity", "local_r", "trials"):
        refused(TypeError, name, model, **{name: 1})


def test_a_missing_kernel_file_is_a_data_error(tmp_path) -> None:
    refused(DataError, r"none\.npy", VKR, kernels=f"file:{tmp_path / 'none.npy'}")


def test_accepted() -> None:
    for complexity in COMPLEXITIES:
        assert VKR(complexity=complexity).complexity == complexity
    assert VKR(lam=0.0, beta=0.1).lam == 0.0
    assert VKR(lam=0.1, beta=0.0).beta == 0.0
    for r in ("auto", "0.25", 0.25):
        assert VKR(complexity="local", local_r=r).local_r == r
    assert VKR(complexity="montecarlo", trials=2).trials == 2
    assert VKR(rho=0.5).rho == 0.5


def test_l1svm_is_vkr_without_a_penalty(tmp_path) -> None:
    centres = str(tmp_path / "more.csv")
    spec = L1SVM(kernels="rbf:0.5", beta=0.25, centres=centres, rho=2.0)
    same = VKR(kernels="rbf:0.5", complexity="none", lam=0.0, beta=0.25, centres=centres, rho=2.0)
    assert vars(same) == vars(spec) | {
        name: getattr(spec, name) for name in vars(same).keys() - vars(spec).keys()
    }
    assert len(parse_kernels(spec.kernels)) == 1
    assert np.isfinite(spec.beta)
