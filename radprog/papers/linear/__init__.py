"""Linear models with few features: wiring and descriptions."""

from __future__ import annotations

from radprog.decompositions.linear.fit import LinearFit, fit_grid, fit_linear, recompute_linear
from radprog.decompositions.linear.forms import linear_form, load_linear
from radprog.decompositions.linear.prices import price_linear
from radprog.decompositions.linear.proof import prove_linear
from radprog.instances.sparse import Linear, read_linear
from radprog.models.linear import settings
from radprog.papers.linear.words import LABELS, TERMS, linear_lines, multipliers
from radprog.wiring import Wiring

L1LINEAR: Wiring[settings.L1Linear, Linear] = Wiring(
    kinds=("dataset", "regression", "sparse"),
    read=read_linear,
    fit=fit_linear,
    grid=fit_grid,
    recompute=recompute_linear,
    predictor=LinearFit.from_dict,
    describe=linear_lines,
    multipliers=multipliers,
    terms=TERMS,
    labels=LABELS,
    form=linear_form,
    load=load_linear,
    price=price_linear,
    prove=prove_linear,
)
