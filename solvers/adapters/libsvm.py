"""libsvm, through scikit-learn: it solves only the dual of the support vector machine.

:func:`radprog.solvers.dense.svm.solve_svm` is the typed function that oracles call.
"""

from __future__ import annotations

import sklearn

from radprog.base.errors import CapabilityError
from radprog.solvers.answer import Declared, SolverAnswer
from radprog.solvers.program import Program, SolveSettings


def version() -> str:
    """The version of scikit-learn, which contains libsvm."""
    return f"scikit-learn {sklearn.__version__}"


def solve(program: Program, settings: SolveSettings) -> SolverAnswer:
    """Raise CapabilityError, because libsvm requires a kernel matrix and labels."""
    raise CapabilityError("libsvm solves no programs, only the dual of the support vector machine")


DECLARED = Declared(note="the dual of a support vector machine")
