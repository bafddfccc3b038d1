"""Conversion of .lp and .mps files, and of models of highspy, linopy and CVXPY, to matrices.

None of these packages is imported. Models are read through their own methods.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from radprog.base.errors import MALFORMED, CapabilityError, DataError
from radprog.base.types import FloatArray
from radprog.solvers.adapters.highs import matrices_of
from radprog.solvers.formats.program_reader import program_of
from radprog.solvers.formats.solution_reader import OtherNames, read_solution
from radprog.solvers.formats.unpacking import plain_file
from radprog.solvers.formats.valid_names import unique_names
from radprog.solvers.program import INFINITE, Program

_LINOPY_NUMBER = re.compile(r"#\d+$")  # which linopy puts behind every name


def foreign_program(model: Any) -> Program | None:
    """The matrices of a file, or of a model of highspy, linopy or CVXPY; None for other objects.

    Raises DataError as :func:`program_of` does, and CapabilityError for a CVXPY problem that has
    integers or is neither linear nor convex quadratic.
    """
    if isinstance(model, str | Path):
        with plain_file(model) as file:
            return program_of(file)
    # classes are recognised by name, because their packages may not be installed
    classes = {f"{kind.__module__.partition('.')[0]}.{kind.__name__}" for kind in type(model).mro()}
    if "highspy.Highs" in classes:
        return matrices_of(model)
    if "linopy.Model" in classes:
        # the suffix of a number is left out of its names
        live = model.to_highspy(explicit_coordinate_names=True, set_names=True)
        return matrices_of(live, rename=lambda name: _LINOPY_NUMBER.sub("", name))
    if "cvxpy.Problem" in classes:
        return _of_cvxpy(model)
    return None


def foreign_name(model: Any) -> str:
    """The path of a file or the class of a model, for messages."""
    return str(model) if isinstance(model, str | Path) else type(model).__name__


def other_names(model: Any, program: Program) -> OtherNames:
    """The names that the Pyomo model of a program has, or the one that its file was exported from.

    The latter stand in the names.json beside the file. Without one that names these columns and
    rows, there are no other names.
    """
    places = np.flatnonzero(program.lower == program.upper).tolist()
    fixed = {program.column_names[j]: float(program.lower[j]) for j in places}
    if hasattr(model, "component_data_objects"):
        from radprog.solvers.compile import component_names, scaling_of  # loads pyomo

        columns, rows = component_names(model)
        scaled, scale = bool((scaling_of(model).columns != 1.0).any()), float(program.sense)
        return OtherNames(columns=columns, rows=rows, scale=scale, fixed=fixed, scaled=scaled)
    if names := _described(model):
        with suppress(*MALFORMED):
            return OtherNames(
                columns=[str(names["columns"][name]) for name in program.column_names],
                rows=[str(names["rows"][name]) for name in program.row_names],
                units={name: float(unit) for name, unit in names.get("column_scale", {}).items()},
                scale=float(names["scale"]),
                fixed=fixed,
            )
    return OtherNames(fixed=fixed)


def start_of(model: Any, program: Program, start: Any) -> FloatArray:
    """A start (n,) of a program in the order of its columns; NaN where it has no value.

    It is an array, a mapping by name or variable, or a solution file, whose names may be those of
    the program, of a file of it, or of the model.
    """
    from radprog.solvers.compile import vector_of  # loads pyomo

    if isinstance(start, np.ndarray) and start.shape == program.cost.shape:
        return start.astype(np.float64)
    synonyms, own = other_names(model, program), hasattr(model, "component_data_objects")
    names: Sequence[str] = program.column_names
    if isinstance(start, str | Path):
        constant = program.sense * program.constant
        start = read_solution(start, names, program.row_names, constant, synonyms).x
    elif own:
        names = synonyms.columns
    if isinstance(start, Mapping):
        values = start.items()
        start = {
            getattr(key, "name", str(key)): value for key, value in values if value is not None
        }
        start = start if own else synonyms.translated(start, names)
    return vector_of(model, start, names, "start", math.nan)


def turned(model: Any) -> list[str]:
    """A note if the file of a program minimises what its model maximises."""
    scale = _described(model).get("scale")
    words = (
        "the model of this file maximises, and the file minimises the negative: signs are turned"
    )
    return [words] * (isinstance(scale, int | float) and scale < 0)


def _described(path: Any) -> Mapping[str, Any]:
    """The names.json beside a file; empty without a readable one."""
    with suppress(OSError, RecursionError, ValueError):
        if isinstance(path, str | Path):
            names = json.loads(Path(f"{path}.names.json").read_text(encoding="utf-8"))
            return names if isinstance(names, dict) else {}
    return {}


def held_by(model: Any) -> FloatArray | None:
    """The point (n,) of a highspy model. None if it has no point, and for other models."""
    if not hasattr(model, "getSolution") or not model.getSolution().value_valid:
        return None
    return np.asarray(model.getSolution().col_value)


def _of_cvxpy(problem: Any) -> Program:
    """The standard cone program min 1/2 x'Px + c'x s.t. A x + s = b.

    s is zero in the first rows and nonnegative in the others.
    """
    if getattr(problem, "is_mixed_integer", bool)():
        raise CapabilityError(
            "the problem of CVXPY has integer or Boolean variables, which are not read: write it "
            "as a Pyomo model, or as an .mps file"
        )
    try:
        data, _, inverse = problem.get_problem_data("CLARABEL")
    except Exception as error:  # its own errors have no common class
        raise CapabilityError(f"CVXPY: {error}") from error
    dims, A, b = data["dims"], sparse.csr_array(data["A"]), np.asarray(data["b"], dtype=np.float64)
    if len(b) != dims.zero + dims.nonneg:
        raise CapabilityError(
            "the problem of CVXPY has cones: expected a linear or a convex quadratic one"
        )
    cost = np.asarray(data["c"], dtype=np.float64)
    quadratic = sparse.csc_array(data["P"]) if data.get("P") is not None else None
    entries = [cost, A.data, *([] if quadratic is None else [quadratic.data])]
    if not np.isfinite(np.concatenate(entries)).all() or np.isnan(b).any():
        raise DataError("the problem of CVXPY has numbers that are not finite")
    # equalities first; a side of 1e20 or more is none
    equal = np.arange(len(b)) < dims.zero
    names = [""] * len(cost)
    stuffed = data["param_prob"]
    for variable in stuffed.variables:
        start = stuffed.var_id_to_col[variable.id]
        for j in range(variable.size):
            place = np.unravel_index(j, variable.shape, order="F") if variable.shape else ()
            index = ".".join(map(str, place))
            names[start + j] = f"{variable.name()}({index})" if index else variable.name()
    last = inverse[-1]
    constant = float(getattr(last, "inverse_data", last).get("offset", 0.0))
    return Program(
        cost=cost,
        rows=A,
        row_lower=np.where(equal, b, -np.inf),
        row_upper=np.where(b >= INFINITE, np.inf, b),
        lower=np.full(len(cost), -np.inf),
        upper=np.full(len(cost), np.inf),
        column_names=unique_names(names),
        row_names=(
            *(f"equal({i})" for i in range(dims.zero)),
            *(f"less({i})" for i in range(dims.nonneg)),
        ),
        constant=constant,
        sense=-1 if problem.objective.NAME == "maximize" else 1,
        quadratic=quadratic if quadratic is not None and quadratic.nnz else None,
    )
