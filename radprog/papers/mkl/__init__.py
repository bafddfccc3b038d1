"""Multiple kernel learning: wiring."""

from __future__ import annotations

from radprog.decompositions.mkl.fit import fit_grid, fit_mkl, recompute_mkl
from radprog.decompositions.mkl.forms import mkl_form
from radprog.decompositions.mkl.predictor import MultiKernelExpansion
from radprog.decompositions.mkl.prices import load_mkl, mkl_classes, price_mkl
from radprog.decompositions.mkl.proof import prove_mkl
from radprog.instances.dataset import MklData, read_mkl
from radprog.instances.grams import read_cross
from radprog.models.mkl import settings
from radprog.papers.mkl.words import TERMS, mkl_lines
from radprog.wiring import Wiring

MKL: Wiring[settings.MKL, MklData] = Wiring(
    kinds=("dataset", "views", "grams"),
    read=read_mkl,
    fit=fit_mkl,
    recompute=recompute_mkl,
    predictor=MultiKernelExpansion.from_dict,
    describe=mkl_lines,
    terms=TERMS,
    read_cross=read_cross,
    form=mkl_form,
    grid=fit_grid,
    load=load_mkl,
    price=price_mkl,
    classes=mkl_classes,
    prove=prove_mkl,
)
