"""SCIP: any program of linear and quadratic algebra to global optimality; no duals."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyscipopt
from pyscipopt import SCIP_EVENTTYPE, Eventhdlr, Model
from pyscipopt.scip import Expr, Term
from scipy import sparse

from radprog.instances.errors import OptionError, OutputError
from radprog.solvers.answer import Answer
from radprog.solvers.options import parsed
from radprog.solvers.program import Program, SolveSettings, Status

#: Every word of SCIP. "inforunbd" is settled by a second run without presolving.
STATUS: Mapping[str, Status] = {
    "unknown": Status.FAILED,
    "optimal": Status.OPTIMAL,
    "infeasible": Status.INFEASIBLE,
    "unbounded": Status.UNBOUNDED,
    "inforunbd": Status.FAILED,
    "userinterrupt": Status.INTERRUPTED,
    "terminate": Status.INTERRUPTED,
    "nodelimit": Status.LIMIT,
    "totalnodelimit": Status.LIMIT,
    "stallnodelimit": Status.LIMIT,
    "timelimit": Status.LIMIT,
    "memlimit": Status.LIMIT,
    "gaplimit": Status.LIMIT,
    "primallimit": Status.LIMIT,
    "duallimit": Status.LIMIT,
    "sollimit": Status.LIMIT,
    "bestsollimit": Status.LIMIT,
    "restartlimit": Status.LIMIT,
}
