"""Voted Kernel Regularization, section 6: the experiment of Table 1 with Gaussian kernels.

python reproduction/vkr_gaussian.py --data DIR [--sets ionosphere,german] [--quick] [--csv FILE]

The paper prints no numbers of this experiment.
"""

from __future__ import annotations

from functools import partial

import vkr_protocol
from common import Column, Table, script

import radprog as rp

GAUSSIAN = "rbf:1e-6..1e0"
METHODS = vkr_protocol.methods(
    GAUSSIAN, "rbf:1e-2..1e0", ("VKRc", rp.VKR(kernels=GAUSSIAN, complexity="trace"))
)
TABLE = Table(
    paper="Voted Kernel Regularization, section 6",
    title="test errors and support vectors with Gaussian kernels, gamma 1e-6 to 1",
    sets=vkr_protocol.SETS,
    default=vkr_protocol.DEFAULT,
    columns=(
        Column("set", "data set"),
        Column("method", "method"),
        Column("error", "error %", ".2f"),
        Column("error_std", "+-", ".2f"),
        Column("paper_error", "error %", ".2f", paper=True),
        Column("support_vectors", "SVs", ".1f"),
        Column("support_vectors_std", "+-", ".1f"),
        Column("coefficients", "alphas", ".1f"),
        Column("p_value", "p", ".3f"),
        Column("better", "better at"),
        Column("params", "settings"),
        Column("ties", "ties", "d"),
        Column("certified", "certified", "d"),
        Column("cells", "of settings", "d"),
    ),
    quick="3 folds, 3 values of every C, lam and beta, rbf:1e-2..1e0 where one kernel is chosen",
    full_notes=("folds, protocol and grids are the paper's",),
    notes=(
        *vkr_protocol.NOTES,
        "the paper prints no numbers: 'comparable to the results with polynomial kernels, however "
        "improvements are not always as significant'",
        "K(x, x) = 1: Lemma 3 gives every gamma the same penalty, so that VKR is the L1-SVM on the "
        "union of the kernels, and its settings are the values of lam / sqrt(m) + beta",
    ),
)
ROWS = partial(vkr_protocol.rows, METHODS, {}, {})

script(__name__, TABLE, ROWS, vkr_protocol.claims)
