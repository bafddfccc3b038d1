"""Analyses of linear models with few features: loaded points, prices of features and exact
values.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from radprog.base.limits import poll
from radprog.decompositions.analyses import (
    BOUND_ROUNDING,
    Candidate,
    PricingResult,
)
from radprog.instances.arrays import read_matrix
from radprog.instances.data import Data
from radprog.instances.sparse import is_sparse
from radprog.models.linear.problem import assemble, signs_allowed, stored_point
from radprog.models.linear.settings import L1Linear

PRODUCTS = "products"  # of two features of the data


def price_linear(
    spec: L1Linear, data: Data, evidence: Mapping[str, Any], seed: int, features: str
) -> PricingResult:
    """Price additional features at the stored dual point.

    Each item in the string ``features`` is a family. The item ``products`` means products of two
    features. Any other item is a file with a matrix (m, k).
    """
    problem = assemble(spec, data)
    names = getattr(data, "features", ()) or tuple(map(str, range(problem.shape[1])))
    support, w, bias, d, mu = stored_point(problem, evidence)
    bound, candidates = problem.dual_bound(d, mu, problem.pricing(d, mu)), []
    for family in map(str.strip, features.split(",")):
        start, best, floor, name = time.perf_counter(), -1.0, bound, family
        for block, X in enumerate(_new_features(problem.X, family)):
            poll()
            # the program of these features only: d over its largest edge is a point of both
            p = X.shape[1]
            fields = {"X": X, "group": np.arange(p), "allowed": signs_allowed(spec, p)}
            part = replace(problem, **fields, grouped=False)
            gradient = part.pricing(d, mu)
            floor = min(floor, part.dual_bound(d, mu, gradient))
            edges = part.edges(gradient)
            if (ratio := float(edges.max(initial=0.0)) / spec.beta) > best:
                best, column = ratio, int(edges.argmax())
                name = f"{family}: column {column}"
                if family == PRODUCTS:
                    name = f"{family}: {names[block]} * {names[block + column]}"
        seconds = time.perf_counter() - start
        candidates.append(
            Candidate(
                name=name, price=spec.beta, ratio=best, floor=floor, column=None,
                kernel_seconds=0.0, seconds=seconds,
                keeps_bound=floor >= bound - BOUND_ROUNDING * abs(bound),
            )
        )  # fmt: skip
    return PricingResult(
        objective=problem.primal_value(support, w, bias), bound=bound,
        floor=min(candidate.floor for candidate in candidates), candidates=tuple(candidates),
    )  # fmt: skip


def _new_features(X: Any, family: str) -> Iterator[Any]:
    """The features (m, k) of each block in a family."""
    if family != PRODUCTS:
        yield read_matrix(family, (X.shape[0], None))
        return
    # every feature times itself and those after it
    for j in range(X.shape[1]):
        column = X[:, [j]]
        block = X[:, j:]
        yield block.multiply(column).tocsc() if is_sparse(X) else block * column
