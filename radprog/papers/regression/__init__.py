"""Bounded-loss regression and its complexity: wiring."""

from __future__ import annotations

from radprog.decompositions.regression.complexity import fit_complexity, recompute_complexity
from radprog.decompositions.regression.fit import KernelRegressor, fit_svr, recompute_svr
from radprog.decompositions.regression.forms import svr_form
from radprog.decompositions.regression.loading import load_svr
from radprog.decompositions.regression.srm import fit_srm, recompute_srm
from radprog.instances.dataset import Dataset, read_regression
from radprog.models.regression import settings
from radprog.papers.regression.words import (
    TERMS,
    complexity_lines,
    draw,
    regression_lines,
    srm_lines,
)
from radprog.wiring import Wiring

SVR: Wiring[settings.SVR, Dataset] = Wiring(
    kinds=("regression",),
    read=read_regression,
    fit=fit_svr,
    recompute=recompute_svr,
    predictor=KernelRegressor.from_dict,
    describe=regression_lines,
    plot=draw,
    terms=TERMS,
    form=svr_form,
    load=load_svr,
)
COMPLEXITY: Wiring[settings.Complexity, Dataset] = Wiring(
    kinds=("regression",),
    read=read_regression,
    fit=fit_complexity,
    recompute=recompute_complexity,
    predictor=KernelRegressor.from_dict,
    describe=complexity_lines,
    plot=draw,
    terms=TERMS,
    form=svr_form,
)
SRM: Wiring[settings.SRM, Dataset] = Wiring(
    kinds=("regression",),
    read=read_regression,
    fit=fit_srm,
    recompute=recompute_srm,
    predictor=KernelRegressor.from_dict,
    describe=srm_lines,
    plot=draw,
)
