"""libsvm, through scikit-learn: it solves only the dual of the support vector machine.

:func:`radprog.solvers.dense.svm.solve_svm` is the typed function that oracles call.
"""

from __future__ import annotations

import numpy as np
import sklearn

from radprog.base.errors import CapabilityError
from radprog.base.tolerances import TRIAL_VALUE
from radprog.solvers.answer import SolverAnswer
from radprog.solvers.declared import Declared
from radprog.solvers.dense.svm import solve_svm
from radprog.solvers.program import Program, SolveSettings


def version() -> str:
    """The version of scikit-learn, which contains libsvm."""
    return f"scikit-learn {sklearn.__version__}"


def solve(program: Program, settings: SolveSettings) -> SolverAnswer:
    """Raise CapabilityError, because libsvm requires a kernel matrix and labels."""
    raise CapabilityError("libsvm solves no programs, only the dual of the support vector machine")


def trial() -> str:
    """The result of a test on the points -1 and +1; both alpha must be 1/2."""
    solution = solve_svm(np.array([[1.0, -1.0], [-1.0, 1.0]]), np.array([-1.0, 1.0]), 10.0)
    right = np.allclose(solution.alpha, 0.5, rtol=0, atol=TRIAL_VALUE)
    return f"SVM dual: {'ok' if right else 'declared but failed'}"


DECLARED = Declared(trial=trial)
