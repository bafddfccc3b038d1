"""What ``radprog complexity`` estimates: the classes behind the classifiers, one oracle each.

The supremum of sum_i sigma_i h(x_i) over a class is what the pricing problem of its model computes,
with signs in place of weighted labels.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from radprog.decompositions.loop import Budget
from radprog.decompositions.lpboost.fit import learner_of
from radprog.decompositions.lpboost.shapelets import Shapelets, assemble
from radprog.decompositions.mkl.fit import gram_data
from radprog.decompositions.mkl.methods import ball_of, complexity_upper, problem_of
from radprog.instances.bags import Bags
from radprog.instances.dataset import Dataset
from radprog.instances.errors import OptionError
from radprog.instances.types import FloatArray
from radprog.models.class_complexity import (
    Suprema,
    finite_suprema,
    kernel_suprema,
    oracle_suprema,
)
from radprog.models.complexity import massart
from radprog.models.kernels import KernelBank, parse_kernels
from radprog.models.lpboost.programs import SoftMargin
from radprog.models.lpboost.settings import LPBoost
from radprog.models.mkl.kernel_sets import kernel_set
from radprog.models.mkl.settings import MKL
from radprog.models.settings import L1SVM, VKR


@dataclass(frozen=True, kw_only=True)
class FunctionClass:
    """A class of functions on m points.

    exact: whether each supremum is the optimum; otherwise it is a value from below.
    upper: a bound of the complexity over random signs, proved without sampling; None without one.
    """

    name: str
    m: int
    suprema: Suprema
    exact: bool
    upper: float | None
    upper_by: str | None = None


def vkr_classes(spec: VKR | L1SVM, data: Dataset, seed: int) -> list[FunctionClass]:
    """H_k = {x -> +-K_k(x, x_j): all points x_j} for every kernel, exactly; by Massart at most."""
    if isinstance(spec, VKR) and spec.centres is not None:
        raise OptionError("complexity is that of the points' own kernels: leave --centres out")
    found = []
    for kernel in parse_kernels(spec.kernels):
        bank = KernelBank([kernel], data.X)
        found.append(
            FunctionClass(
                name=kernel.name,
                m=data.rows,
                suprema=finite_suprema(bank.gram(0), both_signs=True),
                exact=True,
                upper=massart(bank.column_norms()[0], data.rows),
                upper_by="Massart",
            )
        )
    return found


def lpboost_classes(spec: LPBoost, data: Bags, seed: int) -> list[FunctionClass]:
    """The hypotheses of the learner: the finite class of shapelets exactly, balls from below."""
    if data.classes:
        codes = (data.codes == 0).astype(np.intp)
        data = replace(data, codes=codes, labels=("rest", data.labels[0]))  # of no effect
    problem = assemble(spec, data)
    features = np.concatenate([family.features for family in problem.families]).T
    if spec.exact:
        signed = spec.learner == "shapelet"
        return [
            FunctionClass(
                name=f"{features.shape[1]} shapelets",
                m=data.rows,
                suprema=finite_suprema(features, both_signs=signed),
                exact=True,
                upper=massart(np.linalg.norm(features, axis=0), data.rows),
                upper_by="Massart",
            )
        ]
    return [
        FunctionClass(
            name=f"{spec.learner} ball of radius {spec.radius:g}",
            m=data.rows,
            suprema=oracle_suprema(lambda sigma: largest_sum(spec, problem, sigma, seed)),
            exact=False,
            upper=None,
        )
    ]


def largest_sum(spec: LPBoost, problem: Shapelets, sigma: FloatArray, seed: int) -> float:
    """sup_h sum_i sigma_i h(x_i) from below, by the weak learner with labels sigma (m,)."""
    signed = replace(problem, margin=SoftMargin(y=sigma, nu=spec.nu))
    learner = learner_of(spec, signed, seed)
    return learner(np.ones(len(sigma)), np.inf, (), Budget()).edge


def mkl_classes(spec: MKL, data: Any, seed: int) -> list[FunctionClass]:
    """{x -> w'phi_mu(x): |w| <= 1, mu in the set of the variant}: radius of the best kernel, exact.

    sup_h sum sigma_i h(x_i) = sqrt(max_mu sigma'K_mu sigma), a support function of the set of mu.
    Of ``dc`` with norm 1 it is that of ``conv``: see ``mkl_suprema``. By Jensen's inequality the
    complexity is at most sqrt(sum over m of tr(K_m) / T(K_m) budget) / n for norm 1.
    """
    if spec.variant == "dc" and spec.p != 1.0:
        raise OptionError(f"complexity of variant dc is known for norm 1, not {spec.p:g}")
    kernels = kernel_set(spec, gram_data(spec, data))
    problem = problem_of(spec, kernels)
    if spec.variant == "unif":

        def support(q: FloatArray) -> float:
            return float(q.mean())
    else:
        support = ball_of(spec, problem).support

    return [
        FunctionClass(
            name=f"{spec.variant}, {kernels.M} kernels",
            m=kernels.n,
            suprema=kernel_suprema(kernels.K, support),
            exact=True,
            upper=complexity_upper(spec, problem),
            upper_by="Jensen",
        )
    ]
