"""Voted Kernel Regularization and support vector machines: wiring."""

from __future__ import annotations

from functools import partial

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
from radprog.papers.vkr.words import LABELS, SVM_TERMS, TERMS, multipliers
from radprog.telling.results import expansion_lines, per_row
from radprog.wiring import Wiring

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
