"""Classifiers whose scores are kernel expansions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from radprog.decompositions.expansion import KernelExpansion
from radprog.estimators.base import CertifiedClassifier
from radprog.instances.types import FloatArray, IntArray


@dataclass(kw_only=True, eq=False, repr=False)
class ExpansionClassifier(CertifiedClassifier):
    """A classifier whose scores are kernel expansions.

    Fitted besides: ``support_`` (s,) numbers of the training rows in an expansion, ``dual_coef_``
    (machines x kernels, s) their coefficients, a row per machine and kernel, ``intercept_``
    (machines,).
    """

    @property
    def _machines(self) -> tuple[KernelExpansion, ...]:
        machines: tuple[KernelExpansion, ...] = getattr(self._fitted, "fits", (self._fitted,))
        return machines

    @property
    def support_(self) -> IntArray:
        """Numbers (s,) of the rows that have a coefficient, in order."""
        return np.unique(np.concatenate([machine.centre for machine in self._machines]))

    @property
    def dual_coef_(self) -> FloatArray:
        """Coefficients (machines x kernels, s) of the rows ``support_``."""
        support, rows = self.support_, []
        for machine in self._machines:
            part = np.zeros((len(machine.kernels), len(support)))
            place = np.searchsorted(support, machine.centre)
            np.add.at(part, (machine.kernel, place), machine.coefficients)
            rows.append(part)
        return np.concatenate(rows)

    @property
    def intercept_(self) -> FloatArray:
        """The constant (machines,) of every score."""
        return np.array([machine.bias for machine in self._machines])
