"""Program files as Pyomo models."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pyomo.environ as pyo
from pyomo.core.expr.numeric_expr import LinearExpression

from radprog.base.errors import OptionError
from radprog.solvers.adapters.pyomo_bridge import half_square
from radprog.solvers.foreign import foreign_program


def read_program(path: str | Path) -> pyo.ConcreteModel:
    """Read an .lp or .mps file as a Pyomo model with the names of the file.

    Parameters
    ----------
    path : str or Path
        The file, also compressed (.gz). Without quadratic rows it is read twice, as by
        :func:`radprog.solve`.

    Returns
    -------
    ConcreteModel
        A variable for each column and a constraint for each row, as attributes of these names, and
        ``objective``. For names such as ``x(1)``, use ``model.component("x(1)")``. A name that is
        taken, such as ``name``, ``dual`` or that of a column for a row, is followed by "_".

    Raises
    ------
    DataError
        If the file cannot be read, or is read in two ways.

    Examples
    --------
    >>> import radprog as rp
    >>> from pathlib import Path
    >>> text = "max\\n gain: 3 x + 2 y\\nst\\n hours: x + y <= 4\\nbounds\\n x <= 3\\nend\\n"
    >>> _ = Path("plan.lp").write_text(text)
    >>> model = rp.read_program("plan.lp")
    >>> model.x.ub, rp.solve(model).objective, model.dual[model.hours]
    (3.0, 11.0, 2.0)
    """
    if not isinstance(path, str | Path):
        raise OptionError(f"path {path!r}: expected that of an .lp or .mps file")
    program = foreign_program(path)
    assert program is not None
    model = pyo.ConcreteModel(name=Path(path).name)

    def add(name: str, component: object) -> None:
        while hasattr(model, name) or name in ("dual", "rc"):  # suffixes of a solution
            name += "_"
        model.add_component(name, component)

    # columns: a bound that is infinite is none
    ends = [
        [None if math.isinf(bound) else bound for bound in part.tolist()]
        for part in (program.lower, program.upper, program.row_lower, program.row_upper)
    ]
    columns = []
    for name, is_integer, low, high in zip(
        program.column_names, program.integer.tolist(), *ends[:2], strict=True
    ):
        kind = pyo.Binary if (low, high) == (0.0, 1.0) else pyo.Integers
        columns.append(pyo.Var(domain=kind if is_integer else pyo.Reals, bounds=(low, high)))
        add(name, columns[-1])
    # the objective in the sense of the file
    sense = float(program.sense)
    costs = [
        (sense * cost, column)
        for cost, column in zip(program.cost.tolist(), columns, strict=True)
        if cost
    ]
    value = _linear([c for c, _ in costs], [v for _, v in costs]) + sense * program.constant
    if program.quadratic is not None:
        value += sense * half_square(program.quadratic, columns)
    add("objective", pyo.Objective(expr=value, sense=pyo.minimize if sense > 0 else pyo.maximize))
    # rows
    rows = program.rows
    starts, places = rows.indptr.tolist(), rows.indices.tolist()
    entries: list[float] = rows.data.tolist()
    for i, (name, low, high) in enumerate(zip(program.row_names, *ends[2:], strict=True)):
        span = slice(starts[i], starts[i + 1])
        body: Any = _linear(entries[span], [columns[j] for j in places[span]])
        if i in program.quadratic_rows:
            body += half_square(program.quadratic_rows[i], columns)
        equal = low is not None and low == high
        add(name, pyo.Constraint(expr=body == low if equal else (low, body, high)))
    return model


def _linear(coefficients: list[float], variables: list[pyo.Var]) -> LinearExpression:
    return LinearExpression(constant=0.0, linear_coefs=coefficients, linear_vars=variables)
