"""The Similarity Machine in exact arithmetic, for kernels that are positive semidefinite.

Then |S| = S, and with C = 1 / (2 lam n) and multipliers mu / (2 lam) it is 2 lam times a support
vector machine. The spectrum of others is not rational: they are refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from radprog.base.errors import DataError, OptionError
from radprog.decompositions.exact_svm import ExactSvm
from radprog.decompositions.questions import ExactPair
from radprog.instances.dataset import Dataset
from radprog.models.exact import ExactKernels
from radprog.models.kernels import parse_kernels
from radprog.models.similarity.settings import SimSVM


def prove_simsvm(spec: SimSVM, data: Dataset, evidence: Mapping[str, Any], seed: int) -> ExactPair:
    """The multipliers mu of a result, or the solution next to them, and their values.

    Raises OptionError for a similarity from a file, DataError where there is no dual point.
    """
    if spec.similarity is not None:
        raise OptionError("a similarity from a file is not proved: its spectrum is not rational")
    if evidence["mu"] is None:
        raise DataError("the result holds no dual point, so there is no bound to prove")
    unit = 2 * Fraction(spec.lam)
    machine = ExactSvm(
        exact=ExactKernels(parse_kernels(spec.kernels or ""), data.X),
        y=data.signs.astype(int).tolist(),
        C=1 / (unit * data.rows),
        unit=unit,
        bias=not spec.no_bias,
    )
    a = np.asarray(evidence["mu"], dtype=np.float64) / (2.0 * spec.lam)
    return machine.prove(a, {"lam": spec.lam})
