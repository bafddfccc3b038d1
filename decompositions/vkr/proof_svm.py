"""The support vector machine in exact arithmetic."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from radprog.decompositions.exact_svm import ExactSvm
from radprog.decompositions.questions import ExactPair
from radprog.instances.dataset import Dataset
from radprog.models.exact import ExactKernels
from radprog.models.kernels import parse_kernels
from radprog.models.score_rows import refuse_rows
from radprog.models.vkr.settings import SVM


def prove_svm(spec: SVM, data: Dataset, evidence: Mapping[str, Any], seed: int) -> ExactPair:
    """The stored multipliers, or the solution next to them, and their values in exact arithmetic.

    Raises DataError where they do not fit the data, OptionError for a kernel that is not enclosed.
    """
    refuse_rows(spec.constraints, "of svm with constraints on scores is nothing proved")
    machine = ExactSvm(
        exact=ExactKernels(parse_kernels(spec.kernels), data.X),
        y=data.signs.astype(int).tolist(),
        C=Fraction(spec.C),
        unit=Fraction(1),
        bias=True,
    )
    return machine.prove(np.asarray(evidence["a"], dtype=np.float64), {"C": spec.C})
