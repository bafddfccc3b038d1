"""Exact paths of VKR in lam or beta."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from radprog.base.errors import OptionError
from radprog.base.tolerances import PATH_SOLVE_TOL
from radprog.decompositions.paths import Line, ParameterPath, check_path, envelope
from radprog.decompositions.run import RunSettings
from radprog.decompositions.vkr.fit import (
    assemble,
    generate_columns,
)
from radprog.decompositions.vkr.pricing import merge_starts
from radprog.instances.dataset import Dataset
from radprog.models.score_rows import refuse_rows
from radprog.models.vkr.settings import L1SVM, VKR

SLOPES = {"beta": "norm", "lam": "complexity"}  # sum |alpha_kj|, sum r_k |alpha_kj|


def vkr_path(
    spec: VKR | L1SVM,
    data: Dataset,
    parameter: str,
    first: float,
    last: float,
    settings: RunSettings,
) -> ParameterPath:
    """The exact path of VKR in lam or beta from ``first`` to ``last``, with the other parameter
    fixed.

    The value of the path is the minimum over alpha of mean hinge + sum (lam r_k + beta) |alpha_kj|.
    For every alpha, this function is linear in lam and in beta. Raises OptionError if the parameter
    is neither of these, or the interval is invalid.
    """
    # what a path cannot be of
    prices = ("beta",) if isinstance(spec, L1SVM) else ("lam", "beta")
    if parameter not in prices:
        raise OptionError(f"path of '{parameter}': expected {' or '.join(prices)}")
    check_path(first, last)
    if settings.method not in (None, "colgen"):
        raise OptionError(f"method '{settings.method}': a path is solved by colgen")
    refuse_rows(spec.constraints, "an exact path is one of the program without them")
    # the kernels once; every solve is at other prices
    budget = settings.budget()
    at_last: Any = {parameter: last}
    problem, penalties = assemble(replace(spec, **at_last), data, settings.seed)
    if parameter == "lam" and not penalties.r.any():
        raise OptionError("path of lam: the penalties are all 0, so lam changes nothing")
    tight = replace(settings, tol=PATH_SOLVE_TOL, abs_tol=0.0, max_iter=None)

    def solve(price: float, neighbours: Sequence[Line]) -> Line:
        warm = merge_starts([w for line in neighbours if (w := line.solution.warm) is not None])
        cell = problem.at_prices(**{"lam": spec.lam, "beta": spec.beta, parameter: price})
        solved = generate_columns(cell, tight, budget, warm, neighbours=True)
        solved.incumbent.certify(cell)
        best = solved.incumbent
        pairs, size = best.pairs, np.abs(best.alpha)
        detail = {
            "loss": float(cell.costs @ np.maximum(0.0, 1.0 - cell.y * best.scores)),
            "rest": 0.0,
            "norm": float(size.sum()),
            "complexity": float(cell.penalties[pairs[:, 0]] @ size),
            "coefficients": float(len(pairs)),
        }
        slope = detail[SLOPES[parameter]]
        detail["rest"] = best.objective - price * slope
        return Line(
            at=price, value=best.objective, slope=slope, bound=best.bound, detail=detail,
            solution=solved,
        )  # fmt: skip

    # where two known lines cross: a breakpoint, or a third line between them
    path = envelope(solve, first, last, budget.spent)
    warnings = (*problem.bank.warnings, *penalties.warnings)
    return replace(path, trade=(SLOPES[parameter], "rest"), warnings=warnings)
