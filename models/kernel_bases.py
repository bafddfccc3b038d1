"""What kernels are functions of: inner products, distances of points, edit distances of strings."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from radprog.base.errors import OptionError, extra
from radprog.base.types import FloatArray

PointArray = NDArray[Any]

BASES = ("inner", "squared", "cityblock", "edit")
BLOCK_PAIRS = 1 << 21  # pairs of points in a block of 16 MiB
STRING_PAIRS = 1 << 16  # the same of strings, which take longer


def pairs_at_once(base: str) -> int:
    """Pairs in a block, between two of which the limits in force are polled."""
    return STRING_PAIRS if base == "edit" else BLOCK_PAIRS


def base_matrix(base: str, X: PointArray, Z: PointArray) -> FloatArray:
    """The base quantity (n, c) between X and Z: inner product, distance or edit distance."""
    strings = X.dtype.kind == "U"
    if strings != (base == "edit"):
        needs, has = ("numbers", "strings") if strings else ("strings", "numbers")
        raise OptionError(f"this kernel needs {needs}, but the data set holds {has}")
    if base == "inner":
        return np.asarray(X @ Z.T, dtype=np.float64)
    if base == "edit":
        with extra("strings", "kernel edit"):
            from rapidfuzz.distance import Levenshtein
            from rapidfuzz.process import cdist as string_distances

        scorer = Levenshtein.normalized_distance
        return np.asarray(
            string_distances(X.tolist(), Z.tolist(), scorer=scorer, dtype=np.float64, workers=1)
        )
    from scipy.spatial.distance import cdist  # slow to import: a kernel's name is read without it

    return cdist(X, Z, "sqeuclidean" if base == "squared" else "cityblock")
