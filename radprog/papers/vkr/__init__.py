"""Voted Kernel Regularization and support vector machines: wiring."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

import numpy as np

from radprog.base.sections import Table
from radprog.decompositions.expansion import KernelExpansion
from radprog.decompositions.vkr.error_bounds import (
    svm_classes,
    svm_error_bounds,
    vkr_classes,
    vkr_error_bounds,
)
from radprog.decompositions.vkr.fit import fit_grid, fit_vkr, recompute_vkr
from radprog.decompositions.vkr.fit_svm import fit_svm, prove_svm, recompute_svm
from radprog.decompositions.vkr.forms import load_svm, load_vkr, svm_form, vkr_form
from radprog.decompositions.vkr.path import vkr_path
from radprog.decompositions.vkr.prices import price_vkr
from radprog.decompositions.vkr.proof import prove_vkr
from radprog.instances.dataset import Dataset, read
from radprog.models.vkr import settings
from radprog.telling import expansion_lines, per_row, row_numbers, score_row
from radprog.wiring import Label, Values, Wiring, read_terms

TERMS = read_terms("vkr", "terms")
SVM_TERMS = read_terms("vkr", "svm")


LABELS: Mapping[str, Label] = {"score_row": score_row}


def multipliers(result: Values) -> Iterator[Table]:
    """Tables of the dual point d and the primal point alpha."""
    yield from per_row(result, "d")
    points = result["certificate"]
    # coefficients by size, each with its kernel and the row of its centre
    pairs, alpha = points.get("pairs"), points.get("alpha")
    if pairs and alpha and len(pairs) == len(alpha):
        names = result["fit"]["kernels"]
        heads, numbers, counted = row_numbers(result)
        rows = result["fit"].get("centre_rows") or range(len(numbers))
        order = np.argsort(-np.abs(np.asarray(alpha, dtype=np.float64)), kind="stable")
        yield Table(
            title="Largest coefficients",
            head=("kernel", "centre", *heads, "coefficient"),
            rows=[
                (names[pairs[i][0]], *numbers[rows[pairs[i][1]]], alpha[i]) for i in order.tolist()
            ],
            note=f"{len(alpha)} coefficients are not 0; centres are {counted}",
        )


VKR: Wiring[settings.VKR | settings.L1SVM, Dataset] = Wiring(
    kinds=("dataset",),
    read=read,
    fit=fit_vkr,
    recompute=recompute_vkr,
    predictor=KernelExpansion.from_dict,
    describe=expansion_lines,
    multipliers=multipliers,
    terms=TERMS,
    labels=LABELS,
    form=vkr_form,
    grid=fit_grid,
    load=load_vkr,
    price=price_vkr,
    path=vkr_path,
    classes=vkr_classes,
    bounds=vkr_error_bounds,
    prove=prove_vkr,
)
L1SVM = VKR  # a special case of the same program
SVM: Wiring[settings.SVM, Dataset] = Wiring(
    kinds=("dataset",),
    read=read,
    fit=fit_svm,
    recompute=recompute_svm,
    predictor=KernelExpansion.from_dict,
    describe=expansion_lines,
    multipliers=partial(per_row, key="a"),
    terms=SVM_TERMS,
    labels=LABELS,
    form=svm_form,
    load=load_svm,
    classes=svm_classes,
    bounds=svm_error_bounds,
    prove=prove_svm,
)
