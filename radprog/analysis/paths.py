"""Exact parameter paths: the optimum over an interval of a parameter, and its bounds."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, Unpack

from radprog.api import run_settings
from radprog.base.errors import OptionError
from radprog.base.sections import Part, Report, Table, named
from radprog.base.tolerances import PATH_TOL
from radprog.catalog import entry_of
from radprog.decompositions.paths import ParameterPath
from radprog.decompositions.run import RunOptions, Spec, stoppable
from radprog.models.constraints import Constraints
from radprog.wiring import Values

ParameterInterval = tuple[str, float, float]  # a parameter, from and to


HEADS = {"coefficients": "nonzeros"}  # shorter column headers
NOT_SHOWN = ("from", "to", "value_from", "value_to", "rest")  # of a piece


class Path(Report):
    """Solutions for all values of a parameter. ``print`` shows the table of ``analyze --path``.

    This class is a mapping with these keys:

    - ``parameter``, ``from``, ``to``
    - ``breakpoints``: the values of the parameter at which the form of the solution changes
    - ``pieces``: for each interval between breakpoints, its ends and the optimal values there. A
      piece also contains the quantities that are constant on it: loss, norm, nonzeros and others,
      depending on the model.
    - ``gap``: relative gap over the whole interval; ``certified``
    - ``trade``: the names of the two quantities on the axes of the trade-off curve
    - ``warnings``

    Examples
    --------
    >>> import numpy as np
    >>> import radprog as rp
    >>> data = rp.dataset(np.arange(6.0)[:, None], [-1, -1, 1, -1, 1, 1])
    >>> path = rp.path(rp.L1SVM(kernels="poly:1"), data, ("beta", 1e-3, 1.0))
    >>> path["parameter"], len(path["pieces"]), path["certified"]
    ('beta', 3, True)
    """

    def _parts(self) -> list[Part]:
        return path_parts(self)


def path(
    model: Spec,
    data: Any,
    path: str | ParameterInterval,
    *,
    plot: str | None = None,
    constraints: Constraints | None = None,
    **settings: Unpack[RunOptions],
) -> Path:
    """Solve a model for all values of a parameter in an interval, with certified breakpoints.

    Parameters
    ----------
    model : VKR or L1SVM
        The settings.
    data : data set
        The points of the fit.
    path : tuple or str
        The parameter and its interval: ``("beta", 1e-4, 1e-1)``, or the string ``NAME=FROM..TO``.
    plot : str, optional
        File for a figure with the value and the trade-off curve.
    constraints : Constraint or sequence, optional
        Linear constraints on the scores, as in :func:`radprog.fit`.
    **settings
        Settings of a run, as in :func:`radprog.fit`.

    Returns
    -------
    Path
        A mapping of JSON types that ``print`` shows as a table, with ``breakpoints``, ``pieces``,
        ``gap``, ``certified`` and others. ``gap`` is the relative gap over the whole interval.

    Raises
    ------
    OptionError
        If the model, parameter or interval is invalid.
    DataError
        If the data cannot be used.
    OutputError
        If the figure cannot be written.
    SolverError
        If a solver fails.

    Notes
    -----
    For the norm-1 SVM and its parameter beta the value is

        v(beta) = min_(alpha, b) (1/m) sum_i max(0, 1 - y_i f(x_i)) + beta ||alpha||_1.

    Every (alpha, b) defines a function that is linear in beta, so v is concave and piecewise
    linear. The solution at one beta defines a line that touches v there. The next program is solved
    where two neighbouring lines meet. The method ends when every such point lies on
    the graph of v.

    Examples
    --------
    >>> import numpy as np
    >>> import radprog as rp
    >>> data = rp.dataset(np.arange(6.0)[:, None], [-1, -1, 1, -1, 1, 1])
    >>> path = rp.path(rp.L1SVM(kernels="poly:1"), data, ("beta", 1e-3, 1.0))
    >>> path["certified"]
    True
    >>> [round(at, 4) for at in path["breakpoints"]]
    [0.0758, 0.2273]
    >>> len(path["pieces"]) == len(path["breakpoints"]) + 1
    True
    """
    if plot is not None:
        from radprog.analysis.plots import plot_path  # loads matplotlib, or raises ExtraError
    entry = entry_of(model)
    data = entry.adapt(data)
    # the settings with the constraints on these rows
    spec = entry.constrained(model, data, constraints)
    chosen = run_settings(entry, **settings)
    # the parameter and its interval, from NAME=FROM..TO or from a tuple
    parts: tuple[Any, ...] = tuple(path) if isinstance(path, Sequence) else ()
    if isinstance(path, str):
        name, _, ends = path.partition("=")
        parts = (name.strip().replace("-", "_"), *ends.split(".."))
    try:
        name, first, last = parts
        interval = str(name), float(first), float(last)
    except (ValueError, TypeError):
        expected = "expected NAME=FROM..TO, such as beta=1e-4..1e-1"
        raise OptionError(f"path '{path}': {expected}") from None
    # the exact path: pieces between breakpoints, each with its solution
    with stoppable(chosen) as solving:
        began = time.perf_counter()
        exact: ParameterPath = entry.hook("path", data)(spec, data, *interval, solving)
    block = {
        "schema": 1,
        "model": entry.name,
        "data": data.identity,
        "parameter": interval[0],
        "from": exact.marks[0],
        "to": exact.marks[-1],
        "breakpoints": list(exact.breakpoints),
        "gap": exact.gap,
        "certified": exact.complete and exact.gap <= max(PATH_TOL, solving.tol),
        "complete": exact.complete,
        "solves": exact.solves,
        "seconds": time.perf_counter() - began,
        "trade": list(exact.trade),
        # the value is linear on a piece
        "pieces": [
            {
                "from": low,
                "to": high,
                "value_from": exact.value(low),
                "value_to": float(line.value + line.slope * (high - line.at)),
                **line.detail,
            }
            for low, high, line in exact.pieces
        ],
        "warnings": list(exact.warnings),
    }
    if plot is not None:
        plot_path(block, plot)
    return Path(block)


def path_parts(block: Values) -> list[Part]:
    """The lines and the table of a path: breakpoints, and some of the pieces."""
    # the interval, and how exact the path is
    name, pieces = block["parameter"], block["pieces"]
    ended = "" if block["complete"] else "; STOPPED before all pieces were found"
    # pieces spread over the path, with the numbers of the model
    keys = [key for key in pieces[0] if key not in NOT_SHOWN]
    steps = max(1, min(12, len(pieces)) - 1)  # shown pieces of a path
    places = sorted({round(i * (len(pieces) - 1) / steps) for i in range(steps + 1)})
    hidden = len(pieces) - len(places)
    return [
        f"path of {name} from {block['from']:g} to {block['to']:g}: {len(pieces)} pieces, "
        f"{len(block['breakpoints'])} breakpoints{ended}",
        f"certified  within {block['gap']:.1e} (relative) of the optimum at every {name} of the "
        f"interval; {block['solves']} solves, {block['seconds']:.2f} s",
        Table(
            head=("from", "to", "value", *(HEADS.get(key, named(key)) for key in keys)),
            rows=[
                (piece["from"], piece["to"], piece["value_from"], *(piece[key] for key in keys))
                for piece in (pieces[i] for i in places)
            ],
            note=f"{'':>9}and {hidden} pieces between (JSON holds all)" if hidden else "",
        ),
    ]
