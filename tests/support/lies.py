"""What a solver that lies says in place of the truth."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from radprog.solvers.answer import SolverAnswer
from radprog.solvers.program import Program, Status

#: What becomes of a list of numbers.
NUMBERS: dict[str, Callable[[Any], Any]] = {
    "no numbers": lambda v: np.nan * v,
    "one that is none": lambda v: np.append(v[1:], np.nan),
    "infinite": lambda v: np.full_like(v, np.inf),
    "zero": lambda v: 0.0 * v,
    "the opposite": lambda v: -v,
    "twice as large": lambda v: 2.0 * v,
    "a thousandth more": lambda v: 1.001 * v,
    "far too large": lambda v: 1e300 * (1.0 + v),
    "far too small": lambda v: 1e-300 * v,
    "ones": lambda v: np.ones_like(v),
    "in another order": lambda v: np.roll(v, 1),
    "reversed": lambda v: v[::-1],
    "one too few": lambda v: v[:-1],
    "one too many": lambda v: np.append(v, 1.0),
    "none": lambda v: v[:0],
    "half": lambda v: v[: len(v) // 2],
}
#: What is handed over in the place of an array of numbers.
KINDS: dict[str, Callable[[Any], Any]] = {
    "nothing": lambda v: None,
    "a column": lambda v: v[:, None],
    "one number": lambda v: np.array(1.0),
    "text": lambda v: np.array([str(one) for one in v]),
    "bytes": lambda v: b"\xff" * len(v),
    "complex numbers": lambda v: v + 0j,
    "objects": lambda v: np.array([None] * len(v)),
}


def at(program: Program, truth: SolverAnswer, x: Any, **more: Any) -> SolverAnswer:
    """The point with its true value."""
    return replace(truth, x=x, claimed=program.objective(x), **more)


def inside(program: Program, x: Any) -> Any:
    """A feasible point that is worse than the optimum, or a point that is not feasible."""
    low, high = (np.where(np.isfinite(b), b, x) for b in (program.lower, program.upper))
    return np.clip(0.5 * x + 0.25 * (low + high) + 0.3, low, high)


#: Lies about the answer to a program, given the true answer.
LIES: dict[str, Callable[[Program, SolverAnswer], Any]] = {
    **{
        f"{part}: {name}": lambda p, t, part=part, lie=lie: replace(
            t, **{part: lie(getattr(t, part))}
        )
        for part in ("x", "row_duals")
        for name, lie in {**NUMBERS, **KINDS}.items()
    },
    "a point outside": lambda p, t: at(p, t, t.x + 0.01),
    "a point outside, called feasible": lambda p, t: at(p, t, 1.5 * t.x, status=Status.FEASIBLE),
    "a point far below": lambda p, t: at(p, t, t.x - np.arange(len(t.x)), status=Status.FEASIBLE),
    "a point of zeros": lambda p, t: at(p, t, 0.0 * t.x),
    "another point": lambda p, t: at(p, t, inside(p, t.x)),
    "another point without duals": lambda p, t: at(p, t, inside(p, t.x), row_duals=None),
    "a value too good": lambda p, t: replace(t, claimed=t.claimed - 1.0),
    "a value too good, called feasible": lambda p, t: replace(
        t, claimed=-1e9, x=0.9 * t.x, status=Status.FEASIBLE
    ),
    "a value that is not a number": lambda p, t: replace(t, claimed=float("nan")),
    "a value of text": lambda p, t: replace(t, claimed="-1e9"),
    "an infinite value": lambda p, t: replace(t, claimed=-float("inf")),
    "a status that is none": lambda p, t: replace(t, status="solved to optimality"),
    "a status of bytes": lambda p, t: replace(t, status=b"optimal"),
    "a limit": lambda p, t: replace(t, status=Status.LIMIT),
    "a failure": lambda p, t: replace(t, status=Status.FAILED),
    "nothing": lambda p, t: None,
    "a word": lambda p, t: "optimal",
}
