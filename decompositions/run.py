"""What a fit is asked for, and what it hands back."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from radprog.decompositions.loop import (
    Budget,
    Observer,
    Reason,
    Record,
    certified_by,
    ignore,
    never,
    relative_gap,
)
from radprog.instances.errors import OptionError
from radprog.instances.types import FloatArray
from radprog.solvers.program import SolveSettings
from radprog.solvers.registry import offered

if TYPE_CHECKING:
    import pyomo.environ as pyo


class RunStatus(StrEnum):
    """What a run holds. ``optimal`` only with a recomputed certificate."""

    OPTIMAL = "optimal"
    CRITICAL_POINT = "critical_point"
    FEASIBLE = "feasible"
    LIMIT = "limit"
    INFEASIBLE = "infeasible"
    UNBOUNDED = "unbounded"
    FAILED = "failed"


def setting(
    default: Any, help: str | Callable[[], str], parse: Callable[[str], Any] = str, **more: Any
) -> Any:
    """A setting with its command-line text (or what tells it), parser and, in ``more``, how its
    option looks."""
    return field(default=default, metadata={"help": help, "parse": parse, **more})


@dataclass(frozen=True, kw_only=True)
class RunSettings:
    """Options common to every model; ``method`` None is the model's first.

    A field with metadata is an option of the command line.
    """

    method: str | None = setting(None, "the model's methods")
    solver: str | None = setting(None, offered)
    tol: float = setting(1e-6, "relative gap of a certificate (1e-6)", float)
    abs_tol: float = setting(1e-9, "absolute gap of a certificate (1e-9)", float)
    time_limit: float | None = setting(
        None, "keeps the best answer so far", float, metavar="SECONDS"
    )
    max_iter: int | None = setting(None, "iterations of the method", int, metavar="N")
    seed: int = setting(0, "seed of everything random (0)", int)
    threads: int = setting(1, "threads of the solver (1)", int)
    solver_options: Mapping[str, str] = field(
        default_factory=dict,
        metadata={"help": "passed to the solver", "parse": str, "metavar": "K=V"},
    )
    log: str | None = setting(None, "log of the solver", metavar="FILE")
    start: Any = None
    observe: Observer = ignore
    interrupted: Callable[[], bool] = never

    def __post_init__(self) -> None:
        for name, value in (("tol", self.tol), ("abs_tol", self.abs_tol)):
            if not (np.isfinite(value) and value >= 0):
                raise OptionError(f"{name} {value:g}: expected a finite number >= 0")
        if self.max_iter is not None and self.max_iter < 0:
            raise OptionError(f"max_iter {self.max_iter}: expected a number >= 0")
        if self.seed < 0:
            raise OptionError(f"seed {self.seed}: expected a number >= 0")
        if self.threads < 1:
            raise OptionError(f"threads {self.threads}: expected at least 1")
        if self.time_limit is not None and not self.time_limit > 0:
            raise OptionError(f"time_limit {self.time_limit:g}: expected a positive number")

    def budget(self) -> Budget:
        """A budget that starts now."""
        return Budget(time_limit=self.time_limit, interrupted=self.interrupted)

    def for_solver(self, budget: Budget, tolerance: float | None = None) -> SolveSettings:
        """What a solver that starts now is told: the time left of the budget and its interrupt,
        threads, seed, options and log; ``tolerance`` None keeps the solver's own."""
        return SolveSettings(
            tolerance=tolerance,
            time_limit=budget.limit,
            threads=self.threads,
            seed=self.seed,
            options=self.solver_options,
            log=self.log,
            interrupt=budget.spent,
        )


@dataclass(frozen=True)
class SolverUse:
    """Which solver did the work, and how it was set."""

    name: str
    version: str
    options: Mapping[str, str]


class Fit(Protocol):
    """A predictor; ``to_dict`` holds plain values, ``kind`` says who reads them back."""

    @property
    def kind(self) -> str:
        """Name of this kind of predictor in a saved fit."""
        ...

    def scores(self, X: Any, cross: Any = None) -> FloatArray:
        """Decision values (n,)."""
        ...

    def predict(self, X: Any, cross: Any = None) -> FloatArray:
        """Labels in {-1, +1} (n,)."""
        ...

    def to_dict(self) -> dict[str, Any]:
        """Plain values, enough to rebuild the predictor."""
        ...


@dataclass(frozen=True, kw_only=True)
class Run:
    """Result of a fit: objective and bound recomputed from the data, trace, predictor, program.

    ``summary`` is the ``fit`` block of the JSON result; ``evidence`` holds the primal and dual
    points behind objective and bound, so that anyone can recompute them.
    """

    name: str
    method: str
    spec: Any
    reason: Reason
    objective: float | None
    bound: float | None
    tol: float
    abs_tol: float
    trace: Sequence[Record]
    times: Mapping[str, float]
    solver: SolverUse
    fit: Fit
    summary: Mapping[str, Any]
    evidence: Mapping[str, Any]
    build: Callable[[], pyo.ConcreteModel]
    columns: int | None = None
    warnings: tuple[str, ...] = ()
    extra: Mapping[str, Any] = field(default_factory=dict)

    @property
    def gap(self) -> float | None:
        """Relative gap of the recomputed pair."""
        return relative_gap(self.objective, self.bound)

    @property
    def certified_by(self) -> str | None:
        """Which tolerance the recomputed pair meets."""
        return certified_by(self.objective, self.bound, self.tol, self.abs_tol)

    @property
    def certified(self) -> bool:
        """Whether the recomputed pair meets a tolerance."""
        return self.certified_by is not None

    @property
    def status(self) -> RunStatus:
        """optimal with a certificate; critical_point of DCA; limit when cut off; else feasible."""
        if self.certified:
            return RunStatus.OPTIMAL
        if self.reason is Reason.CRITICAL:
            return RunStatus.CRITICAL_POINT
        return RunStatus.LIMIT if self.reason.premature else RunStatus.FEASIBLE

    @property
    def stopped_by(self) -> Reason:
        """Why the run stopped: the tolerance whenever the certificate meets it."""
        return Reason.TOLERANCE if self.certified else self.reason

    def model(self) -> pyo.ConcreteModel:
        """The last program solved (the restricted master of a decomposition) in Pyomo."""
        return self.build()
