"""Discriminative similarity: wiring."""

from __future__ import annotations

from functools import partial

from radprog.decompositions.expansion import KernelExpansion
from radprog.decompositions.similarity.cdsk import fit_cdsk, recompute_cdsk
from radprog.decompositions.similarity.classifier import KernelClassifier
from radprog.decompositions.similarity.forms import cdsk_form, lpdsk_form
from radprog.decompositions.similarity.grid import choose_clustering, choose_propagation
from radprog.decompositions.similarity.loading import (
    cdsk_classes,
    load_cdsk,
    load_lpdsk,
    load_simsvm,
    prove_simsvm,
    simsvm_classes,
)
from radprog.decompositions.similarity.lpdsk import fit_lpdsk, recompute_lpdsk
from radprog.decompositions.similarity.report import agreement_block
from radprog.decompositions.similarity.simsvm import fit_simsvm, recompute_simsvm, simsvm_form
from radprog.instances.dataset import Dataset, read, read_partly_labelled
from radprog.models.similarity import settings
from radprog.papers.similarity.words import (
    SIMSVM_TERMS,
    TERMS,
    clustering_lines,
    draw,
    propagation_lines,
)
from radprog.telling.results import expansion_lines, per_row
from radprog.wiring import Wiring

# the weights of the points are a distribution over them, not multipliers
WEIGHTS = partial(
    per_row, key="a", title="Weight of each point in the similarity", what="weight", of="point"
)

CDSK: Wiring[settings.CDSK, Dataset] = Wiring(
    kinds=("partly_labelled",),
    read=read_partly_labelled,
    fit=fit_cdsk,
    recompute=recompute_cdsk,
    predictor=KernelClassifier.from_dict,
    test=partial(agreement_block, matched=True),
    describe=clustering_lines,
    plot=draw,
    multipliers=WEIGHTS,
    terms=TERMS,
    form=cdsk_form,
    load=load_cdsk,
    classes=cdsk_classes,
    choose=choose_clustering,
)
LPDSK: Wiring[settings.LPDSK, Dataset] = Wiring(
    kinds=("partly_labelled",),
    read=read_partly_labelled,
    fit=fit_lpdsk,
    recompute=recompute_lpdsk,
    predictor=KernelClassifier.from_dict,
    test=partial(agreement_block, matched=False),
    describe=propagation_lines,
    plot=draw,
    multipliers=WEIGHTS,
    terms=TERMS,
    form=lpdsk_form,
    load=load_lpdsk,
    choose=choose_propagation,
)
SIMSVM: Wiring[settings.SimSVM, Dataset] = Wiring(
    kinds=("dataset",),
    read=read,
    fit=fit_simsvm,
    recompute=recompute_simsvm,
    predictor=KernelExpansion.from_dict,
    describe=expansion_lines,
    multipliers=partial(per_row, key="mu"),
    terms=SIMSVM_TERMS,
    form=simsvm_form,
    load=load_simsvm,
    classes=simsvm_classes,
    prove=prove_simsvm,
)
