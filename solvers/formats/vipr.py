"""Certificates of linear programs in the format VIPR 1.0 (Cheung, Gleixner, Steffy, IPCO 2017).

Sections VER VAR INT OBJ CON RTP SOL DER: the program with its bounds as constraints, what is to be
proved, a point, and one constraint that follows as a linear combination of the others.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

import numpy as np

from radprog.solvers.program import Program
from radprog.solvers.questions.exact import ExactAnswer


def vipr_text(program: Program, answer: ExactAnswer) -> str:
    """The certificate of an exact answer; a constant of the objective is left out of it."""
    constraints, multipliers = _constraints(program, answer)
    n = len(program.cost)
    cost = _terms(enumerate(map(Fraction, program.cost.tolist())))
    lines = ["VER 1.0", f"VAR {n}", *program.column_names, "INT 0", "OBJ min", cost]
    lines += [f"CON {len(constraints)} {len(constraints)}", *constraints]
    lin = f"{{ lin {_terms(enumerate(multipliers))} }} -1"
    if answer.x is None or answer.objective is None:
        sides = (Fraction(constraint.split()[2]) for constraint in constraints)
        short = sum((m * v for m, v in zip(multipliers, sides, strict=True)), Fraction(0))
        return "\n".join([*lines, "RTP infeas", "SOL 0", "DER 1", f"none G {short} 0 {lin}", ""])
    value = answer.objective
    lines += [f"RTP range {value} {value}", "SOL 1", f"best {_terms(enumerate(answer.x))}"]
    return "\n".join([*lines, "DER 1", f"least G {value} OBJ {lin}", ""])


def _constraints(program: Program, answer: ExactAnswer) -> tuple[list[str], list[Fraction]]:
    """Every finite side of every row and bound, and its multiplier."""
    found: list[str] = []
    multipliers: list[Fraction] = []
    matrix = program.rows

    def add(name: str, terms: str, low: float, high: float, multiplier: Fraction) -> None:
        sides = [("E", low, True)] if low == high else [("G", low, multiplier > 0)]
        sides += [] if low == high else [("L", high, multiplier < 0)]
        for sense, side, takes in sides:
            if np.isfinite(side):
                found.append(f"{name}_{sense} {sense} {Fraction(side)} {terms}")
                multipliers.append(multiplier if takes else Fraction(0))

    for r, name in enumerate(program.row_names):
        start, stop = matrix.indptr[r], matrix.indptr[r + 1]
        entries = zip(matrix.indices[start:stop], matrix.data[start:stop], strict=True)
        terms = _terms((int(j), Fraction(float(value))) for j, value in entries)
        low, high = float(program.row_lower[r]), float(program.row_upper[r])
        add(f"row_{name}", terms, low, high, answer.rows[r])
    for j, name in enumerate(program.column_names):
        low, high = float(program.lower[j]), float(program.upper[j])
        add(f"bound_{name}", f"1 {j} 1", low, high, answer.bounds[j])
    return found, multipliers


def _terms(values: Iterable[tuple[int, Fraction]]) -> str:
    """``k i v i v ...`` of the values that are not 0."""
    kept = [(i, value) for i, value in values if value]
    return " ".join([str(len(kept)), *(f"{i} {value}" for i, value in kept)])
