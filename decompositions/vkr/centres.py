"""Centres of kernels that are some of the points: sampled by the seed of the run."""

from __future__ import annotations

import numpy as np

from radprog.base.errors import OptionError
from radprog.base.types import IntArray
from radprog.models.kernels import parse_kernels
from radprog.models.vkr.settings import L1SVM, VKR, centre_number

FEW_CENTRES = (
    "the columns are the kernels at {} of the {} points, sampled by seed {}: the certificate is "
    "over that family"
)


def centre_rows(spec: VKR | L1SVM, m: int, seed: int) -> IntArray | None:
    """The points, of m, that are the only centres, in order; None where they are not sampled.

    Raises OptionError for more than there are, or with a kernel from a file.
    """
    number = centre_number(spec.centres)
    if number is None:
        return None
    if number > m:
        raise OptionError(f"centres {number}: more than the {m} points")
    for kernel in parse_kernels(spec.kernels):
        if kernel.base == "matrix":
            raise OptionError(
                f"centres {number} is not used by kernel {kernel.name}: it has its own"
            )
    chosen = np.random.default_rng(seed).choice(m, number, replace=False)
    return np.asarray(np.sort(chosen), dtype=np.intp)
