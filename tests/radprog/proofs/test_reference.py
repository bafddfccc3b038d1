"""Forms of the models against exact solvers that share nothing with the proofs."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from effort import seeds
from exact_solvers import by_lemke

import radprog as rp
from radprog.proofs.making import prove_program
from radprog.solvers.formats.program_reader import program_of
from radprog.solvers.formats.unpacking import plain_file

pytest.importorskip("flint")
FORMS = [
    ("l1svm", "primal"), ("l1svm", "dual"), ("vkr", "primal"), ("vkr", "dual"), ("vkr", "budget"),
    ("vkr", "master"), ("lpboost", "primal"), ("lpboost", "dual"),
    ("mkl", "silp"),
]  # fmt: skip


def exported(name: str, form: str, m: int, rng: np.random.Generator, path: Path) -> Any:
    """A form of a model on m random points, in a file, and the run of the whole model."""
    X = np.round(4 * rng.normal(size=(m, 2))) / 4
    y = np.where(X[:, 0] + rng.normal(size=m) > 0, 1, -1)
    y[:2] = 1, -1
    data: Any = rp.dataset(X, y)
    spec: Any = {
        "l1svm": rp.L1SVM(kernels="poly:2", beta=0.0625),
        "vkr": rp.VKR(kernels="linear,rbf:0.5", lam=0.0625, beta=0.0625),
        "lpboost": rp.LPBoost(length="2", nu=0.5),
        "mkl": rp.MKL(kernels="linear,poly:2,rbf:1", theta=1, C=2.0),
    }[name]
    if name == "lpboost":
        data = rp.series(rng.normal(size=(m, 3)), y)
    rp.export(rp.build(spec, data, form=form), path)
    return rp.fit(spec, data, tol=1e-9)


@pytest.mark.thorough
@pytest.mark.parametrize("seed", seeds(3, 1))
@pytest.mark.parametrize(("name", "form"), FORMS)
def test_the_exact_optimum_is_that_of_lemke(name: str, form: str, seed: int, tmp_path) -> None:
    path = tmp_path / "form.mps"
    exported(name, form, 7, np.random.default_rng(seed), path)
    _, table = prove_program(path)
    with plain_file(path) as file:
        # Lemke's is of the nearest doubles, the proof of the decimals that the file has
        difference = Fraction(table["fraction"]) - by_lemke(program_of(file))
        assert abs(difference) <= Fraction(1, 10**13)
