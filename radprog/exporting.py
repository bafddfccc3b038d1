"""Export programs to files for any solver, and describe each file in a names.json."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Unpack

import numpy as np
import pyomo.environ as pyo
from pyomo.core.base.block import BlockData

from radprog.base.errors import (
    DataError,
    NonlinearError,
    OptionError,
    OutputError,
    SolverError,
    warn_user,
)
from radprog.base.sections import Report, amount, styled
from radprog.base.tolerances import (
    AGREEMENT,
    CERTIFIED_DIFFERENCE,
    CLAIM_TOLERANCE,
    LEEWAY,
)
from radprog.base.types import FloatArray
from radprog.catalog import entry_of
from radprog.decompositions.forms import Origin, origin_of
from radprog.decompositions.run import settings_from, settings_of, stoppable
from radprog.instances.tables import read_bytes
from radprog.saved import read_json, write_json
from radprog.solvers.answer import BY_DUALS, BY_SOLVER, FileAnswer, SolverAnswer, judge, own_limit
from radprog.solvers.claims import prove_claim
from radprog.solvers.compile import compile_model, component_names, scaling_of, sense_of_model
from radprog.solvers.convexity import check_convex, is_convex
from radprog.solvers.foreign import foreign_name, foreign_program
from radprog.solvers.formats.program_reader import answer_of, program_of, reader_of
from radprog.solvers.formats.program_writer import check_suffix, names_in, write_nl, write_program
from radprog.solvers.formats.unpacking import plain_file
from radprog.solvers.formats.valid_names import CONSTANT, unique_names
from radprog.solvers.integers import judge_integers
from radprog.solvers.program import (
    ProblemClass,
    Program,
    Solution,
    SolveOptions,
    SolveSettings,
    Status,
    refuse_no_number,
    relative_gap,
)
from radprog.solvers.registry import preferred, solved_by_any
from radprog.solvers.rescale import GOOD_VALUES, natural_units
from radprog.solvers.violations import relative_violation

INFEASIBLE = Status.INFEASIBLE.value


class Names(Report):
    """The content of a names.json file, a mapping of JSON types."""

    def _parts(self) -> list[str]:
        size = f"{amount(len(self['rows']), 'row')} and {amount(len(self['columns']), 'column')}"
        lines = [f"{self['class']} with {size}, {expected_words(self, '.12g')}"]
        # what another solver prints, beside what the model has; the first renamed column stands
        # for all
        parts, scale = list[str](), self["scale"]
        if scale != 1.0:
            minimises = ", which minimises" * (scale < 0.0)
            parts.append(f"the model's objective is {scale:.10g} times the file's{minimises}")
        constants = [name for name, part in self["columns"].items() if part == CONSTANT]
        parts += [f"its constant is the cost of {name}, fixed at 1" for name in constants]
        renamed = (pair for pair in self["columns"].items() if CONSTANT != pair[1] != pair[0])
        parts += [f"{part} is named {name}" for name, part in [*renamed][:1]]
        if "column_scale" in self:
            parts.append("values times column_scale of names.json are those of the model")
        return [*lines, *["; ".join(parts)] * bool(parts)]


def expected_words(names: Mapping[str, Any], digits: str) -> str:
    """The expected optimal value or status in names.json, in words."""
    if names.get("expected_status"):
        return f"expected {names['expected_status']}"
    expected, scale = names["expected_objective"], names.get("scale") or 1.0
    line = f"expected objective {styled(expected, digits, 'unknown')}"
    # a file in units of its optimum, or of a maximum, has another number than the model
    if expected is None or scale == 1.0:
        return line
    return f"{line}, {styled(scale * expected + (names.get('offset') or 0.0), digits)} in the model"


def names_path(path: str | Path) -> Path:
    """The path FILE.names.json for an exported FILE."""
    return Path(f"{path}.names.json")


def export(model: Any, path: str | Path, *, expected: float | bool | None = None) -> Names:
    """Write a program to an .lp or .mps (optionally .gz) or .nl file, and write FILE.names.json.

    Parameters
    ----------
    model : ConcreteModel, str, Path, or model of highspy, linopy or CVXPY
        The model. For a model from :func:`radprog.build` or a copy of it, names.json also describes
        the form, the iterate, the data and the settings. Only a Pyomo model can be written to .nl.
    path : str or Path
        Path of the file. The suffix determines the format.
    expected : float or bool, optional
        The optimal value of the model as a minimisation problem. For an infeasible model, pass
        infinity. If True, a certified run computes this value. The model must then be an unchanged
        model of :func:`radprog.build`.

    Returns
    -------
    Names
        The content of names.json, a ``dict``; ``print`` shows its class, size and optimal value,
        and how the objective, its constant, names and units of the file differ from the model's.

    Raises
    ------
    OptionError
        If the path has any other suffix, or a value is invalid.
    CapabilityError
        If the format cannot express the functions of the model.
    OutputError
        If the file cannot be written.

    Notes
    -----
    .lp and .mps files contain minimisation problems, because some solvers refuse a statement of the
    sense. The objective of a model that maximises is negated there, and ``scale`` is negative. .nl
    files keep the sense of the model. In all formats, the model is scaled by its suffix
    ``scaling_factor``. ``expected`` refers to the unscaled model, and names.json contains the
    scaling factors. names.json lists rows and columns in the order of the file.

    Examples
    --------
    >>> import numpy as np
    >>> import radprog as rp
    >>> data = rp.dataset(np.arange(6.0)[:, None], [-1, -1, 1, -1, 1, 1])
    >>> model = rp.build(rp.VKR(kernels="poly:1"), data)
    >>> names = rp.export(model, "vkr.lp", expected=True)
    >>> names["model"], names["form"]
    ('vkr', 'primal')
    """
    check_suffix(path)
    program = foreign_program(model)
    if program is not None:
        if str(path).endswith(".nl"):
            raise OptionError(f"{path}: only a Pyomo model can be written to .nl")
        # without a Pyomo model, an empty one takes its place
        called, model = foreign_name(model), pyo.ConcreteModel()
    # what names.json cannot hold is refused before any file is written
    if not isinstance(model, BlockData):
        raise OptionError(f"export: {model!r} is not a Pyomo model")
    if expected is not None and not (isinstance(expected, int | float) and expected == expected):
        raise OptionError(f"expected {expected!r}: expected a number")
    # a model of rp.build has its settings and data
    origin = origin_of(model)
    described: dict[str, Any] = {
        "model": model.name if program is None else called,
        **dict.fromkeys(("form", "iterate", "data_sha256")),
    }
    if origin is not None:
        data = origin.data
        described = {
            "model": entry_of(origin.spec).name,
            "form": origin.form,
            "iterate": origin.built.iterate,
            "data_sha256": None if data is None else data.sha256,
            "data_numbers": None if data is None else data.numbers,
            "params": settings_of(origin.spec),
            "reading": {} if data is None else dict(data.reading),
            "seed": origin.seed,
        }
    # True stands for the optimal value, which a certified run computes
    if expected is True and (origin is None or not origin.describes(model)):
        raise OptionError(
            "expected=True: not a model of rp.build, or changed since it was built: pass "
            "expected=NUMBER, the optimal value of the file"
        )
    if isinstance(expected, bool):
        expected = origin.built.expected if expected and origin is not None else None
    # a program without a point has the status in place of a value
    infeasible = expected == math.inf
    value = None if infeasible else expected
    # the program first, then its names, both or none
    names: dict[str, Any] = {
        "schema": 1,
        **described,
        **_write_model(model, path, value, origin, foreign=program),
        "offset": 0.0,
        **({"expected_status": INFEASIBLE} if infeasible else {}),
        "sha256": hashlib.sha256(Path(path).read_bytes()).hexdigest(),
    }
    try:
        write_json(names_path(path), names)
    except OutputError:
        Path(path).unlink()
        raise
    return Names(names)


def _write_model(
    model: pyo.ConcreteModel,
    path: str | Path,
    expected: float | None,
    origin: Origin | None,
    *,
    foreign: Program | None = None,
) -> dict[str, Any]:
    """Write the program, and return its class, optimal value and names.

    The optimum of a linear program of rp.build, which has an ``origin``, may be too small or too
    large for the absolute tolerances of solvers. The program is then written in units of its
    optimum. ``foreign`` replaces the program of the model.
    """
    if foreign is None:
        columns, rows = component_names(model)
    else:
        columns, rows = foreign.column_names, foreign.row_names
        # names that every reader accepts
        foreign = replace(foreign, column_names=unique_names(columns), row_names=unique_names(rows))
    # the units of the file: the suffix scaling_factor of the model
    scaling = scaling_of(model)
    if foreign is not None:
        scaling = replace(scaling, columns=np.ones(len(columns)), rows=np.ones(len(rows)))
    nl = str(path).endswith(".nl")
    if origin is not None and expected and not nl:
        program = compile_model(model)
        # a linear program whose optimum is far from 1 is written in units of the optimum
        suited = GOOD_VALUES[0] <= abs(expected) <= GOOD_VALUES[1] and scaling.trivial
        suited |= abs(expected) <= CERTIFIED_DIFFERENCE
        if not suited and program.problem_class is ProblemClass.LP:
            scaling = natural_units(program, expected)
    if expected is not None:
        expected *= scaling.objective
    if nl:
        # .nl keeps the sense and the algebra of the model
        write_nl(model, path)
        kind = "NLP"
        sense = sense_of_model(model) if origin is None else origin.built.sense
        expected = None if expected is None else sense * expected
        scale = 1.0
        file_rows, file_columns = ({name: i for i, name in enumerate(n)} for n in (rows, columns))
    else:
        try:
            program = foreign or scaling.scaled(compile_model(model))
        except NonlinearError as error:
            raise NonlinearError(
                f"{path}: {error}, which .lp and .mps cannot hold: choose .nl"
            ) from None
        write_program(program, path)
        # absolute tolerances of solvers do not suit costs of very different sizes
        costs = np.abs(program.cost[program.cost != 0.0])
        # a ratio that no tolerance suits
        if costs.size and costs.max() > 1e9 * costs.min():
            warn_user(
                f"{path}: costs span {costs.min():.1e} to {costs.max():.1e}, more than solvers' "
                "tolerances can tell apart: scale the features, or measure the variables in other "
                "units by the suffix scaling_factor"
            )
        kind = program.problem_class.value
        scale = float(program.sense) if origin is None else origin.built.sense
        file_columns, file_rows = names_in(program, path)
    # the constant of the objective is a column fixed at 1
    meaning = [*columns, CONSTANT]
    # the factors from numbers in the file to numbers of the model, except factors of 1
    units: dict[str, dict[str, float]] = {}
    for key, places, factors in (
        ("row_scale", file_rows, scaling.rows), ("column_scale", file_columns, scaling.columns)
    ):  # fmt: skip
        inverses = {
            n: 1.0 / float(f) for n, i in places.items() for f in factors[i : i + 1] if f != 1.0
        }
        units |= {key: inverses} if inverses else {}
    return {
        "class": kind,
        "expected_objective": expected,
        "scale": scale / scaling.objective,
        "rows": {name: rows[row] for name, row in file_rows.items()},
        "columns": {name: meaning[column] for name, column in file_columns.items()},
        **units,
    }


@dataclass(frozen=True, repr=False)
class Verdict:
    """The answer of one solver to an exported file, evaluated with the matrices of the file.

    Attributes
    ----------
    answer : FileAnswer
        The solver's answer: status, objective, x and row_duals by name, seconds, message, and the
        bound from its search.
    objective, violation : float or None
        The recomputed values. None without a point.
    difference : float or None
        |objective - expected| / |expected|, or 0 if the two differ by at most 1e-9. None without an
        expected value.
    infeasible : bool
        Whether names.json states that the program in the file has no feasible point.
    proven : bool
        Whether duals prove optimality. The duals come from the solver, or from HiGHS at the point.
    refuted : bool
        Whether the duals leave a gap that is too large.
    own_duals : bool
        Whether these duals are the solver's.
    gap : float or None
        Gap between the objectives of the point and of the duals. None without duals.
    searched : bool
        Whether the solver's search ended with a bound that meets the point. The search is not
        proved.

    Examples
    --------
    >>> import numpy as np
    >>> import radprog as rp
    >>> data = rp.dataset(np.arange(6.0)[:, None], [-1, -1, 1, -1, 1, 1])
    >>> _ = rp.export(rp.build(rp.VKR(kernels="poly:1"), data), "vkr.mps", expected=True)
    >>> verdict = rp.verify("vkr.mps", solver="highs")
    >>> verdict.agrees, verdict.proven
    (True, True)
    """

    answer: FileAnswer
    objective: float | None
    violation: float | None
    difference: float | None
    infeasible: bool = False
    proven: bool = False
    own_duals: bool = False
    refuted: bool = False
    gap: float | None = None
    searched: bool = False

    def __repr__(self) -> str:
        value = "" if self.objective is None else f", objective {self.objective:.10g}"
        word = "agrees" if self.agrees else "is cut off" if self.cut_off else "does not agree"
        if self.agrees and self.difference is None and not self.infeasible:
            word = "no expected objective"
        return f"<Verdict of {self.answer.solver}: {self.answer.status.value}{value}, {word}>"

    @property
    def cut_off(self) -> bool:
        """Whether a limit or an interrupt ended the solver.

        The answer then does not refute the expected value.
        """
        return self.answer.status in (Status.LIMIT, Status.INTERRUPTED)

    @property
    def agrees(self) -> bool:
        """Whether the answer agrees with the file.

        The answer agrees if it is optimal and feasible, has the claimed objective, and is not
        refuted by its duals. If the expected value is known, the objective must also equal it. For
        an infeasible file, the answer must be infeasible.
        """
        if self.infeasible:
            return self.answer.status is Status.INFEASIBLE
        # the point has the claimed value, is feasible, and has the expected value
        apart = _difference(self.answer.objective, self.objective)
        if self.answer.status is not Status.OPTIMAL or apart is None:
            return False
        honest = apart <= AGREEMENT
        # absolute, of a row: some solvers print six digits of their point
        feasible = self.violation is not None and self.violation <= 1e-5
        if self.difference is None:
            return honest and feasible and not self.refuted
        return honest and feasible and self.difference <= AGREEMENT


def names_at(path: str | Path) -> dict[str, Any]:
    """The content of a names.json file. Raises DataError if the file is of another kind."""
    names = read_json(path, "the names of an exported program")
    expected = names.get("expected_objective", "missing")
    if (
        names.get("schema") != 1
        or names.get("class") not in ("NLP", *ProblemClass)
        or not (isinstance(names.get("columns"), dict) and isinstance(names.get("rows"), dict))
        or not (expected is None or type(expected) in (int, float))
        or names.get("expected_status", INFEASIBLE) != INFEASIBLE
    ):
        raise DataError(f"{path}: not the names of an exported program")
    return names


def read_names(path: str | Path) -> dict[str, Any]:
    """The names.json of an exported file. Raises DataError if the names belong to another file."""
    # the file and its names must be in one folder
    actual = hashlib.sha256(read_bytes(path, unpack=False)).hexdigest()
    if not names_path(path).exists():
        raise DataError(
            f"{path}: {names_path(path).name} is not beside it: radprog export writes both; "
            "radprog analyze and certify read a program without it"
        )
    names = names_at(names_path(path))
    # the hash of the file, or of what its user packed, shows that they belong together
    if names.get("sha256") != actual and Path(path).suffix == ".gz":
        with plain_file(path) as file:
            actual = hashlib.sha256(file.place.read_bytes()).hexdigest()
    if names.get("sha256") != actual:
        raise DataError(f"{names_path(path)}: belongs to another file than {path}: hashes differ")
    return names


def verify(
    path: str | Path,
    solver: str | None = None,
    **settings: Unpack[SolveOptions],
) -> Verdict:
    """Solve an exported file with one solver, and evaluate the resulting point and duals.

    Ctrl-C ends the solver in the same way as its time limit.

    Parameters
    ----------
    path : str or Path
        An .lp or .mps file (optionally .gz). Its names.json must be in the same folder.
    solver : str, optional
        Name of the solver, as in ``radprog solvers``. One that does not read files gets the
        matrices. The default is the first installed solver for this class.
    **settings
        Settings of :func:`radprog.solve`. The time limit applies to the solver.

    Returns
    -------
    Verdict
        The solver's answer with its evaluation.

    Raises
    ------
    CapabilityError
        If the solver does not support the class or the format of the file.
    ConvexityError
        If the program is nonconvex and the solver requires a convex one.
    SolverMissingError, SolverError, DataError
        If the solver is not installed, if it fails, or if the two files belong to different
        programs.

    Examples
    --------
    >>> import numpy as np
    >>> import radprog as rp
    >>> data = rp.dataset(np.arange(6.0)[:, None], [-1, -1, 1, -1, 1, 1])
    >>> model = rp.build(rp.VKR(kernels="poly:1"), data)
    >>> _ = rp.export(model, "vkr.mps", expected=True)
    >>> verdict = rp.verify("vkr.mps")
    >>> verdict.proven, verdict.violation < 1e-6, abs(verdict.difference) < 1e-6
    (True, True, True)
    """
    # settings of the solver, checked
    solving = settings_from(SolveSettings, settings)
    if solving.time_limit is not None:
        refuse_no_number("time_limit", solving.time_limit, positive=True)
    names = read_names(path)
    if names["class"] == "NLP":
        raise OptionError(
            f"{path}: .nl files are not verified: export .lp or .mps, which hold what is linear or "
            "quadratic, solve the Pyomo model by rp.solve(model, 'ipopt'), or the file by a "
            "program that reads it: ipopt FILE.nl, scip -f FILE.nl"
        )
    if solving.tol is None and names["class"] not in (ProblemClass.LP, ProblemClass.MILP):
        # the residual of a row times its multiplier must be small beside a small value
        solving = replace(solving, tol=1e-10 if names["class"] == ProblemClass.QP else 1e-9)
    kind = ProblemClass(names["class"])
    spec = None if solver is None else reader_of(solver, path, kind)
    infeasible = names.get("expected_status") == INFEASIBLE
    with plain_file(path) as file:
        # our own reader first: its errors name the line
        program = program_of(file)
        if set(program.column_names) != set(names["columns"]):
            raise DataError(f"{names_path(file.path)}: names other columns than {file.path} has")
        if spec is None:
            convex = bool(program.integer.any()) or is_convex(program)
            spec = reader_of(preferred(kind, nonconvex=not convex), path, kind)
        if spec.declared.convex_only:
            check_convex(program)
        with stoppable(solving) as solving:
            answer = answer_of(spec, file, solving, program)
    if not answer.x:
        return Verdict(answer, None, None, None, infeasible=infeasible)
    expected = names["expected_objective"]
    missing = [name for name in program.column_names if name not in answer.x]
    if missing:
        raise SolverError(f"{answer.solver} gave no value for {', '.join(missing[:5])}")
    x = np.array([answer.x[column] for column in program.column_names])
    # its duals, or some of HiGHS at its point, prove that it is optimal
    proof, own_duals = _proof(program, x, answer)
    x = x if proof.x is None else proof.x
    objective = program.objective(x)
    return Verdict(
        answer,
        objective,
        program.violation(x),
        _difference(objective, expected),
        infeasible=infeasible,
        proven=proof.proved_by == BY_DUALS,
        own_duals=own_duals,
        refuted=(proof.gap is not None and not proof.claimed_optimal) or proof.x is None,
        gap=proof.gap,
        searched=proof.proved_by == BY_SOLVER,
    )


def _proof(program: Program, x: FloatArray, answer: FileAnswer) -> tuple[Solution, bool]:
    """The proof of an answer, and whether its duals are the solver's own, of which a missing one
    counts as 0.
    """
    duals = None
    if answer.row_duals is not None:
        duals = np.array([answer.row_duals.get(row, 0.0) for row in program.row_names])
    convex, settings = is_convex(program), SolveSettings()
    point: FloatArray | None = x
    # a point that is outside is judged as it is: what would be solved again is another one
    is_close = (
        np.isfinite(x).all() and relative_violation(program, x, leeway=LEEWAY) <= CLAIM_TOLERANCE
    )
    if program.integer.any() and is_close:
        limited = replace(settings, time_limit=own_limit(settings, answer.seconds))
        point, _ = judge_integers(program, x, solved_by_any, limited)
    # the same judgement as for any solution: only the proof decides the status
    solution = judge(
        program,
        SolverAnswer(status=answer.status, x=point, row_duals=duals, bound=answer.bound),
        solver=answer.solver,
        version=answer.version,
        seconds=answer.seconds,
        settings=settings,
        convex=convex,
    )
    checked = prove_claim(program, solution, settings, convex=convex)
    return checked, duals is not None and checked.proved_by == solution.proved_by


def agreeing(value: float | None, reference: float | None) -> bool:
    """Whether two values differ by at most 1e-6 of the second value, or by at most 1e-9. True if a
    value is unknown.
    """
    difference = _difference(value, reference)
    return difference is None or difference <= AGREEMENT


def _difference(objective: float | None, expected: float | None) -> float | None:
    """abs(objective - expected) / abs(expected), or 0 if the two differ by at most 1e-9. None if a
    value is unknown.
    """
    if objective is None or expected is None:
        return None
    apart = abs(objective - expected)
    return 0.0 if apart <= CERTIFIED_DIFFERENCE else relative_gap(expected, objective)
