"""Multiple kernel learning: wiring, words, plots, tables."""

from __future__ import annotations

from typing import Any

from radprog.decompositions.mkl.fit import fit_mkl, recompute_mkl
from radprog.decompositions.mkl.forms import mkl_form
from radprog.decompositions.mkl.grid import fit_grid
from radprog.decompositions.mkl.predictor import MultiKernelExpansion
from radprog.decompositions.mkl.proof import prove_mkl
from radprog.decompositions.mkl.questions import load_mkl, mkl_classes, price_mkl
from radprog.decompositions.run import Run
from radprog.instances.dataset import Dataset
from radprog.instances.grams import GramSet, read_cross
from radprog.instances.mkl_data import MklData, read_mkl
from radprog.instances.views import ViewSet
from radprog.models.mkl import settings
from radprog.papers.mkl.words import TERMS, mkl_lines
from radprog.wiring import Wiring


def draw(result: dict[str, Any], path: str, run: Run, data: MklData) -> None:
    """Weights beside single kernels, tail sums, convergence."""
    from radprog.papers.mkl.plot import plot_mkl

    plot_mkl(result, path, run, data)


MKL: Wiring[settings.MKL, MklData] = Wiring(
    data=(Dataset, ViewSet, GramSet),
    read=read_mkl,
    fit=fit_mkl,
    recompute=recompute_mkl,
    predictor=MultiKernelExpansion.from_dict,
    describe=mkl_lines,
    plot=draw,
    terms=TERMS,
    read_cross=read_cross,
    form=mkl_form,
    grid=fit_grid,
    load=load_mkl,
    price=price_mkl,
    classes=mkl_classes,
    prove=prove_mkl,
)
