"""Proofs in exact arithmetic, from a result and its data or from a program in a file."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from radprog.base.errors import MALFORMED, DataError, OptionError, RadprogError, UnfinishedError
from radprog.base.sections import amount
from radprog.base.writing import atomic_bytes
from radprog.catalog import Entry, entry_of
from radprog.decompositions.analyses import ExactPair
from radprog.decompositions.one_vs_rest import against
from radprog.decompositions.run import Run, Spec
from radprog.instances.bags import Bags
from radprog.instances.data import Data, Points
from radprog.instances.dataset import Dataset
from radprog.instances.dataset import read as read_dataset
from radprog.models.exact import BITS, flint
from radprog.proof_checker import (
    CHECKS,
    LONGEST,
    VERSION,
    Invalid,
    Problem,
    check_sizes,
    given,
    outwards,
    read_points,
    upwards,
)
from radprog.proofs.statement import data_statement
from radprog.result import digest_state, plain
from radprog.saved import EDITED, StoredRun, data_of, read_json
from radprog.solvers.formats.program_reader import exact_program
from radprog.solvers.program import SolveSettings, Status
from radprog.solvers.questions.exact import solve_exactly, vipr_text
from radprog.solvers.questions.tree import ExactTree
from radprog.solvers.registry import solved_by_any


@dataclass(frozen=True, kw_only=True, repr=False)
class Proof:
    """A certificate in exact arithmetic.

    Attributes
    ----------
    model : str
        Name of the model.
    rows : int
        Number of points.
    objective, bound : Fraction
        The exact objective and bound at the points of the proof. The optimum lies between them.
    vertex : bool
        Whether the points are rational solutions of linear equations.
    content : mapping
        The content of the proof file.
    work : float
        Number of products of short integers that the check takes.
    data : bytes or None
        The table to which the proof refers, if the data are arrays or no path was given.

    Examples
    --------
    >>> import numpy as np
    >>> import radprog as rp
    >>> data = rp.dataset(np.arange(6.0)[:, None], [-1, -1, 1, -1, 1, 1])
    >>> proof = rp.prove(rp.fit(rp.VKR(kernels="poly:1"), data), data)
    >>> proof.model, proof.rows, proof.bound <= proof.objective
    ('vkr', 6, True)
    """

    model: str
    rows: int
    objective: Fraction
    bound: Fraction
    vertex: bool
    content: Mapping[str, Any]
    work: float
    data: bytes | None = None

    def __repr__(self) -> str:
        low, high = outwards(*sorted((self.objective, self.bound)))
        gap = f"gap {upwards(self.gap)}" if self.gap else "gap 0, exactly"
        return f"<Proof of {self.model}: {self.rows} points, optimum {low} to {high}, {gap}>"

    @property
    def gap(self) -> Fraction:
        """The absolute difference between the objective and the bound."""
        return abs(self.objective - self.bound)

    def to_json(self) -> str:
        """The text of the file for ``proof_checker.py``."""
        return json.dumps(self.content, sort_keys=True, indent=None, separators=(",", ":")) + "\n"

    def save(self, path: str | Path, data: str | Path | None = None) -> None:
        """Write the proof to a file, and its table of rows to the path ``data``.

        Raises OutputError, and OptionError if the proof has no table.
        """
        if data is not None and self.data is None:
            raise OptionError("this proof refers to an existing data file: leave data out")
        with atomic_bytes(path) as stream:
            stream.write(self.to_json().encode())
        if data is not None and self.data is not None:
            with atomic_bytes(data) as stream:
                stream.write(self.data)


def prove(
    run: Run | Mapping[str, Any] | str | Path,
    data: Any,
    path: str | Path | None = None,
    of_class: str | None = None,
) -> Proof:
    """Prove a run, or its result as JSON, in exact arithmetic.

    Parameters
    ----------
    run : Run, mapping, str or Path
        The run, its loaded result, or the path of the result file.
    data : data set, str or Path
        The data of the fit. For a result, the path of the data file is also accepted.
    path : str or Path, optional
        The file that contains ``data``. Without it, the proof refers to ``Proof.data``, a table of
        the rows.
    of_class : str, optional
        For one-vs-rest, the class whose program is proved. This class has the label +1, and all
        other classes have the label -1.

    Returns
    -------
    Proof
        The proof, with its exact objective and bound.

    Raises
    ------
    OptionError
        If the values of the model or of a kernel cannot be computed exactly.
    DataError
        If the data are not those of the fit, or if the result was edited or lacks the points of its
        certificate.
    SolverMissingError
        If python-flint is not installed.

    Notes
    -----
    Let P and D be the primal and dual points of the certificate, as exact rational numbers. The
    proof encloses their objective values in intervals. Weak duality then yields

        value of D <= optimum <= value of P.

    Examples
    --------
    >>> import numpy as np
    >>> import radprog as rp
    >>> data = rp.dataset(np.arange(6.0)[:, None], [-1, -1, 1, -1, 1, 1])
    >>> run = rp.fit(rp.VKR(kernels="poly:1"), data)
    >>> proof = rp.prove(run, data)
    >>> proof.bound <= proof.objective, proof.gap < 1e-9
    (True, True)
    """
    if isinstance(run, Run):
        entry, spec, seed, data = entry_of(run.spec), run.spec, 0, data_of(run, data)
        evidence = plain(run.evidence)
    else:
        content: Mapping[str, Any]
        if isinstance(run, str | Path):
            content, source = read_json(run, "a result of radprog solve"), str(run)
        else:
            content, source = run, "result"
        stored = StoredRun.of(content, source)
        if digest_state(content) == "broken":
            raise DataError(f"{source}: {EDITED}")
        entry, spec, evidence, seed = stored.entry, stored.spec, stored.evidence, stored.seed
        if isinstance(data, str | Path):
            path = str(data)
        data = stored.data_set(data)
    if not isinstance(data, Data):
        raise DataError("data: expected what was fitted, or of a result the path of its file")
    if not isinstance(data, Points | Bags):
        raise OptionError(f"{data.name}: a proof is about rows of numbers, not kernel matrices")
    # for one-vs-rest, the program of one class
    names = f"one of {', '.join(data.labels)}"
    if not data.classes and of_class is not None:
        raise OptionError(f"class {of_class!r} is only for one-vs-rest, not for two classes")
    if data.classes and of_class is None:
        raise OptionError(
            f"{data.name}: of one-vs-rest, one class is proved at a time: `of_class`, {names}"
        )
    if of_class is not None:
        if of_class not in data.labels:
            raise OptionError(f"class {of_class!r}: expected {names}")
        evidence = evidence["machines"][data.labels.index(of_class)]
        data = against(data, of_class)
    flint()  # a missing package is named before the work
    # primal and dual point in rational numbers, with their exact values
    try:
        prove_pair = entry.hook("prove", data)
        data.refuse_weights("a proof")
        pair: ExactPair = prove_pair(spec, data, evidence, seed)
    except RadprogError:
        raise
    except MALFORMED as error:
        raise DataError(f"the result has no points that can be proved: {error!r}") from None
    return _proof(entry, spec, data, pair, None if path is None else str(path))


def _proof(
    entry: Entry, spec: Spec, data: Points | Bags, pair: ExactPair, path: str | None
) -> Proof:
    # the steps from the text of the data to points
    reading, raw = data_statement(data, path)
    centres = getattr(spec, "centres", None)
    if centres is not None:
        assert isinstance(data, Dataset)
        reading["centres"] = read_dataset(centres, label="none", like=data).X.tolist()
    # the proved statement, with the docstrings of the checker
    statement = {
        "program": _words(CHECKS[entry.name][0]),
        "numbers": _words(read_points),
        "data": reading,
        "kernels": list(pair.kernels),
        "settings": dict(pair.settings),
        "values": dict(pair.values),
        "bits": BITS,
    }
    statement["given"] = given(statement)
    content = {
        "radprog_proof": VERSION,
        "model": entry.name,
        "statement": statement,
        "primal": _encode(pair.primal),
        "dual": _encode(pair.dual),
        "objective": _encode(pair.objective),
        "bound": _encode(pair.bound),
        "gap": _encode(abs(pair.objective - pair.bound)),
    }
    # the seal shows that a proof was edited
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), allow_nan=False)
    try:
        check_sizes(text.encode())
        problem, values = Problem(raw, statement, math.inf), CHECKS[entry.name][0]
    except Invalid as error:
        raise OptionError(f"{error}: the checker would refuse the proof") from None
    return Proof(
        model=entry.name,
        rows=data.rows,
        objective=pair.objective,
        bound=pair.bound,
        vertex=pair.vertex,
        content={**content, "seal": hashlib.sha256(text.encode()).hexdigest()},
        work=problem.work(values, content["primal"], content["dual"]),
        data=raw if path is None else None,
    )


def _words(function: Callable[..., Any]) -> str:
    """The docstring of a function of the checker, which a proof repeats."""
    return " ".join(str(function.__doc__).split())


def _encode(value: Any) -> Any:
    """Integers in hexadecimal digits, fractions as pairs of integers; ``pairs`` are indices."""
    if isinstance(value, Mapping):
        return {k: v if k == "pairs" else _encode(v) for k, v in value.items()}
    if isinstance(value, Fraction):
        return [hex(value.numerator), hex(value.denominator)]
    if isinstance(value, list):
        return [_encode(item) for item in value]
    if isinstance(value, int):
        if value.bit_length() > 4 * LONGEST:
            raise OptionError(f"integers of more than {LONGEST} hexadecimal digits are not proved")
        return hex(value)
    return value


def prove_program(path: str | Path) -> tuple[str, dict[str, Any]]:
    """Prove the optimum of an .lp or .mps file, or its infeasibility, in exact arithmetic.

    The proof is of the decimals of the file, as fractions, with the constant of the objective.

    Parameters
    ----------
    path : str or Path
        File of a linear program, with or without integers.

    Returns
    -------
    text : str
        The certificate in the format VIPR.
    table : dict
        A mapping with ``rows``, ``columns``, ``infeasible``, the optimum ``objective`` as a float,
        and the optimum as a ``fraction``, in the sense of the program. The certificate is for a
        minimisation.

    Raises
    ------
    DataError, CapabilityError
        If the file cannot be read, or the program is not linear.
    SolverError
        If no optimal solution in rational numbers is found.
    UnfinishedError
        If a limit ends the tree of an integer program.
    SolverMissingError
        If python-flint is not installed.

    Notes
    -----
    A linear program is solved in rational numbers. An integer program is proved by a tree: each
    leaf is closed by rational multipliers whose bound is the optimum or above. If all costs belong
    to integers, a bound is rounded up to the next value of an integer point.
    """
    program, numbers = exact_program(path)
    if program.integer.any():
        # a solver's point to begin with, then a tree of our own
        tree = ExactTree(program, flint, numbers)
        tree.solve(solved_by_any(program, program, SolveSettings(time_limit=10.0)).x)
        if tree.status not in (Status.OPTIMAL, Status.INFEASIBLE):
            bound = f", with the proved bound {program.sense * tree.bound:.10g}"
            nodes = amount(tree.nodes, "node") + bound * math.isfinite(tree.bound)
            raise UnfinishedError(f"a limit ended the tree at {nodes}")
        objective, text = tree.objective, tree.vipr()
    else:
        # the optimum and its multipliers in rational numbers
        answer = solve_exactly(program, flint, numbers)
        objective, text = answer.objective, vipr_text(program, answer, numbers)
    value = None if objective is None else program.sense * objective
    return text, {
        "schema": 1,
        "rows": len(program.row_names),
        "columns": len(program.column_names),
        "infeasible": value is None,
        "objective": None if value is None else float(value),
        "fraction": None if value is None else str(value),
    }
