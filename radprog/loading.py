"""Evaluation of another solver's solution of an exported program."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyomo.environ as pyo

from radprog.base.errors import MALFORMED, DataError, OptionError, RadprogError
from radprog.base.settings import one_of, recorded
from radprog.base.tolerances import AGREEMENT
from radprog.catalog import Entry, entry_named, entry_of
from radprog.decompositions.analyses import FormSolution, by_component
from radprog.decompositions.forms import known_origin
from radprog.decompositions.run import Run, RunSettings, SolverUse, Spec
from radprog.exporting import names_at
from radprog.instances.data import Data, same_numbers
from radprog.saved import SavedFit, fit_of_recipe
from radprog.solvers.answer import FileAnswer
from radprog.solvers.compile import sense_of_model
from radprog.solvers.formats.solution_reader import (
    WITH_DUALS,
    OtherNames,
    read_solution,
)
from radprog.solvers.program import ProblemClass, Status, finite_number

NAMES_SUFFIX = ".names.json"
DUAL_FORMS = ("dual", "qcqp")  # forms whose solutions are points of the dual
WITHOUT_POINT = (*DUAL_FORMS, "master")  # forms whose row duals are the point of the model


@dataclass(frozen=True)
class Loaded:
    r"""A model's result, computed from the solution files of other solvers.

    Attributes
    ----------
    run : Run
        The result, with its certificate recomputed from the data.
    data : data set
        The data of the fit.
    settings : RunSettings
        Tolerances and seed of the run.
    agrees : bool or None
        Whether the point has the objective that the solution file claims. None if the file contains
        no claim, or if the value of the form is not that of the model.

    Examples
    --------
    >>> from pathlib import Path
    >>> import highspy
    >>> import radprog as rp
    >>> _ = Path("points.csv").write_text("x,kind\n0,-1\n1,-1\n2,1\n3,-1\n4,1\n5,1\n")
    >>> _ = rp.export(rp.build(rp.VKR(kernels="poly:1"), rp.read("points.csv")), "vkr.lp")
    >>> highs = highspy.Highs()
    >>> _ = highs.setOptionValue("output_flag", False)
    >>> _ = highs.readModel("vkr.lp"), highs.run(), highs.writeSolution("vkr.sol", 0)
    >>> loaded = rp.load("vkr.sol", "vkr.lp.names.json", "points.csv")
    >>> loaded.agrees, loaded.run.certified
    (True, True)
    """

    run: Run
    data: Data
    settings: RunSettings
    agrees: bool | None

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.run!r}, agrees: {self.agrees}>"


@dataclass(frozen=True)
class _NamesFile:
    """The names.json of an export, with its settings object."""

    path: str
    values: Mapping[str, Any]
    entry: Entry
    spec: Spec

    @property
    def form(self) -> str:
        return str(self.values["form"])


def load(
    solution: str | Path,
    names: str | Path,
    data: Data | str | Path | None = None,
    *,
    dual_sol: str | Path | None = None,
    dual_names: str | Path | None = None,
    tol: float = RunSettings.tol,
    abs_tol: float = RunSettings.abs_tol,
) -> Loaded:
    """Evaluate a solution file of an exported program on its data.

    Parameters
    ----------
    solution, names : str or Path
        The solver's solution file, and the names.json of the program.
    data : data set, str or Path, optional
        The exported data, or the path of their file. Data from arrays have no file, so pass the
        data set. Not needed if an option of the export named the files.
    dual_sol, dual_names : str or Path, optional
        The solution file and the names.json of the dual form.
    tol, abs_tol : float
        Largest relative and absolute gap of a certified run.

    Returns
    -------
    Loaded
        The evaluated run. Its certificate requires duals, in the solution file or in ``dual_sol``.

    Raises
    ------
    DataError
        If the files belong to different programs, are incomplete, or contain no solution.
    OptionError
        If a solution of the form does not determine a solution of the model.

    Notes
    -----
    Objective and bound are those of the model on its data, whatever was changed in the exported
    program after :func:`radprog.build`: :func:`radprog.certify` proves a changed program.

    Examples
    --------
    HiGHS solves the exported file through its own interface:

    >>> from pathlib import Path
    >>> import highspy
    >>> import radprog as rp
    >>> rows = ["x,kind", "0,-1", "1,-1", "2,1", "3,-1", "4,1", "5,1"]
    >>> _ = Path("points.csv").write_text(chr(10).join(rows))
    >>> data = rp.read("points.csv")
    >>> _ = rp.export(rp.build(rp.VKR(kernels="poly:1"), data), "vkr.lp")
    >>> highs = highspy.Highs()
    >>> _ = highs.setOptionValue("output_flag", False)
    >>> _ = highs.readModel("vkr.lp"), highs.run(), highs.writeSolution("vkr.sol", 0)
    >>> loaded = rp.load("vkr.sol", "vkr.lp.names.json", "points.csv")
    >>> loaded.run.certified
    True
    """
    # the exported form, and whether its solutions can be read
    main = _read_names(str(names))
    if main.entry.hooks.load is None:
        raise OptionError(
            f"{names}: programs of {main.entry.name} are parts of its method: their solutions are "
            "not read back"
        )
    if (dual_sol is None) != (dual_names is None):
        raise OptionError("`dual_sol` and `dual_names` belong together: give both or none")
    # a second file gives the other side of the pair, of the same program
    files = [(str(solution), main)]
    if dual_sol is not None and dual_names is not None:
        partner = _read_names(str(dual_names))
        for key in ("model", "params", "data_numbers", "seed"):
            if partner.values.get(key) != main.values.get(key):
                raise DataError(f"{dual_names}: another {key} than {main.path} has")
        files.append((str(dual_sol), partner))
    # the data that were exported, by their hash
    dataset = _read_data(main, data)
    settings = RunSettings(
        method="load", tol=tol, abs_tol=abs_tol, seed=int(main.values.get("seed", 0))
    )
    # values and multipliers by components, in units of the model
    loaded = [_read_point(path, described) for path, described in files]
    first, hint = loaded[0][0], WITH_DUALS.get(loaded[0][0].solver)
    # the certificate is recomputed from the points, without claims of the solver
    parts = f"{main.path}: its columns and rows"
    try:
        with _components_of(main.form, parts):
            run = main.entry.hooks.load(
                main.spec, dataset, [point for _, point in loaded], settings
            )
    except OptionError as error:
        # a dual form without duals: the solver's option for them
        if hint is None or first.row_duals is not None or main.form not in WITHOUT_POINT:
            raise
        raise OptionError(f"{error}, or {hint}") from None
    # the objective of the model that the file claims, if its form has that objective
    claimed, agrees = None, None
    if main.form in main.entry.value_forms and first.objective is not None:
        claimed = float(main.values["scale"]) * first.objective + float(main.values["offset"])
    warnings = [*run.warnings]
    if run.objective is not None and first.status is not Status.FEASIBLE:
        warnings.append(f"{solution} claims {first.status}, and its point is feasible")
        agrees = False
    elif run.objective is not None and claimed is not None:
        agrees = abs(run.objective - claimed) <= AGREEMENT * max(1.0, abs(claimed))
        if not agrees:
            warnings.append(
                f"{solution} claims an objective of {claimed:.10g}, recomputed from its point it "
                f"is {run.objective:.10g}"
            )
    if not run.certified:
        warnings.append(_uncertified(run, main, str(solution), first))
    # the result lists its source files
    pairs = zip(files, loaded, strict=True)
    blocks = [_source(path, names, file) for (path, names), (file, _) in pairs]
    solver, extra = SolverUse(first.solver, "", {}), {**run.extra, "loaded": blocks}
    run = replace(run, solver=solver, warnings=tuple(warnings), extra=extra)
    return Loaded(run, dataset, settings, agrees)


def _source(path: str, names: _NamesFile, file: FileAnswer) -> dict[str, Any]:
    """A solution file in a result."""
    return {
        "file": Path(path).name,
        "names": Path(names.path).name,
        "sha256": _sha256(path),
        "solver": file.solver,
        "form": names.form,
        "claimed": file.objective,
        "duals": file.row_duals is not None,
    }


def _uncertified(run: Run, main: _NamesFile, solution: str, file: FileAnswer) -> str:
    """The reason why the run is not certified, and a remedy."""
    # the form whose solution would give the other side of the pair, if there is one
    forms, of_dual = main.entry.forms, main.form in DUAL_FORMS
    wanted = ("primal", *DUAL_FORMS) if of_dual else DUAL_FORMS
    other_form = next((form for form in wanted if form in forms and form != main.form), None)
    names = "by `dual_sol` and `dual_names`"
    pair = f"export the form {other_form}, and load its solution beside this one, {names}"
    # a form with a parameter of its own: its multipliers are not those of the model
    entry, rho = main.entry, (main.values.get("iterate") or {}).get("rho", "none")
    if entry.form_options and main.form not in entry.value_forms and run.bound is not None:
        return (
            f"not certified: form {main.form} (rho {rho:.6}) is a program of its own, and its "
            f"optimum need not be one of {entry.name}: 'radprog certify "
            f"{main.path.removesuffix(NAMES_SUFFIX)} {solution}' certifies it"
        )
    # a bound that is too loose
    if run.bound is not None:
        message, remedy = "give no feasible point", ""
        if run.gap is not None:
            message, remedy = f"leave a gap of {run.gap:.1e}", f", or {pair}" if other_form else ""
        return (
            f"not certified: the values and duals in {solution} {message}: solve to a smaller "
            f"tolerance and print all digits{remedy}"
        )
    # no bound follows from any form
    if other_form is None:
        otherwise = main.entry.proved_by or f"radprog solve {main.entry.name} does"
        return (
            f"not certified: form {main.form} of {main.entry.name} proves no optimum: {otherwise}"
        )
    # row duals of linear and convex quadratic programs give the bound
    linear = main.values["class"] in (ProblemClass.LP, ProblemClass.QP)
    if linear and file.row_duals is None:
        option = WITH_DUALS.get(file.solver)
        hint = f"{pair}, or {option}" if option else pair
        return f"not certified: {solution} holds no duals: {hint}"
    return f"not certified: form {main.form} gives no bound: {pair}"


def predictor(model: pyo.ConcreteModel) -> SavedFit:
    """Create a predictor from a solved model of :func:`radprog.build`, or from a modified copy.

    Parameters
    ----------
    model : ConcreteModel or Block
        The model, or a block of a larger model.

    Returns
    -------
    SavedFit
        The predictor for the current values of the model.

    Raises
    ------
    OptionError
        If the model does not come from ``rp.build``, has no values, or has a form without a
        predictor.
    DataError
        If values are missing, not numbers, or violate the form.

    Notes
    -----
    In a primal form, the coefficients are values of variables. In a dual form, they are multipliers
    in the suffix ``dual``. The signs of these multipliers depend on the sense of the objective.
    Variables added to the model affect the scores only through the variables of the form.

    Examples
    --------
    >>> import numpy as np
    >>> import radprog as rp
    >>> data = rp.dataset(np.arange(6.0)[:, None], [-1, -1, 1, -1, 1, 1])
    >>> model = rp.build(rp.VKR(kernels="poly:1"), data)
    >>> _ = rp.solve(model)
    >>> rp.predictor(model).predict(np.array([[0.0], [5.0]]))
    array([-1,  1])
    """
    origin = known_origin(model)
    entry = entry_of(origin.spec)
    evaluate = entry.hooks.load
    if evaluate is None or (origin.data is not None and origin.data.classes):
        raise OptionError(f"form {origin.form} of {entry.name} gives no predictor")
    # the values in the model, as if they had been read from a file
    values = by_component(
        (_local(variable, model), _number(variable.value, variable))
        for variable in model.component_data_objects(pyo.Var, active=True)
        if variable.value is not None
    )
    if not values:
        raise OptionError(f"model {model.name} holds no values: solve it first")
    # multipliers are those of the minimisation; rows that are not active have 0
    suffix, duals = model.component("dual"), None
    rows = list(model.component_data_objects(pyo.Constraint))
    objective = next(model.component_data_objects(pyo.Objective, active=True), None)
    if suffix is not None and suffix.ctype is pyo.Suffix and objective is not None:
        multipliers = {id(row): suffix[row] for row in rows if row.active and row in suffix}
        sense = sense_of_model(model)
        if multipliers or not rows:
            duals = by_component(
                (_local(row, model), sense * _number(multipliers.get(id(row), 0.0), row))
                for row in rows
            )
    point = FormSolution(form=origin.form, values=values, multipliers=duals)
    settings = RunSettings(method="load", seed=origin.seed)
    with _components_of(origin.form, "the values"):
        # the certificate is not needed here, only the predictor
        fit = evaluate(origin.spec, origin.data, [point], settings).fit
    # a data set without rows has the options for reading new rows
    return fit_of_recipe(entry.name, type(origin.data), origin.data.recipe(), fit)


def _local(part: Any, model: pyo.ConcreteModel) -> str:
    return str(part.getname(fully_qualified=True, relative_to=model))


def _number(value: Any, part: Any) -> float:
    """A finite number. Raises DataError for another value of a variable or multiplier."""
    number = finite_number(value)
    if number is None:
        raise DataError(f"{part.name} holds {value!r}: expected a number")
    return number


def _read_names(path: str) -> _NamesFile:
    """The names of an exported program, checked against the program file if it exists.

    Raises DataError if the names are invalid or belong to another file.
    """
    names = names_at(path)
    # the program file beside its names must be the one that they describe
    program = path.removesuffix(NAMES_SUFFIX)
    if program != path and Path(program).is_file() and _sha256(program) != names.get("sha256"):
        raise DataError(f"{path}: belongs to another file than {program}: hashes differ")
    if "params" not in names or "reading" not in names:
        raise DataError(
            f"{path}: of a program of your own, and load reads answers to programs of radprog's "
            "models (radprog export, rp.build): 'radprog certify MODEL SOL' judges yours"
        )
    try:
        # all parts that are used below must exist
        entry = entry_named(str(names["model"]))
        spec = recorded(entry.spec, dict(names["params"]))
        one_of("form", names["form"], entry.forms)
        numbers = [names["scale"], names["offset"]]
        for key in ("column_scale", "row_scale"):
            numbers += names.get(key, {}).values()
        if not all(math.isfinite(float(number)) for number in numbers):
            raise DataError("a unit is not a number")
        dict(names["reading"])
    except (*MALFORMED, RadprogError) as error:
        raise DataError(f"{path}: not the names of an exported program: {error}") from None
    return _NamesFile(path, names, entry, spec)


@contextmanager
def _components_of(form: str, source: str) -> Iterator[None]:
    """Raise DataError if values have indices that the form does not have."""
    try:
        yield
    except RadprogError:
        raise
    except MALFORMED as error:
        raise DataError(f"{source} are not of form {form}: {error}") from error


def _read_data(names: _NamesFile, data: Data | str | Path | None) -> Data:
    """The exported data: the given data set, or the data in a file. The default is the file that an
    option of the export named.
    """
    reading = names.values["reading"]
    if not isinstance(data, str | Path | None):
        exported: Data = names.entry.adapt(data)
        _check_data(names, exported, data.name)
        return exported
    arrays = "" if reading else "; it was made from arrays: pass the data set to rp.load"
    path = None if data is None else str(data)
    # options that name files in place of the data
    made_of = {**reading, **names.values["params"]}
    for place in names.entry.in_place_of_data:
        files = made_of.get(place)
        path = path or (",".join(files) if isinstance(files, list) else files)
    if path is None:
        raise OptionError(f"`data` is required, as {names.path} names none{arrays}")
    try:
        options = {name: getattr(names.spec, name) for name in names.entry.read_by}
        exported = names.entry.hooks.read(path, **reading, **options)
    except TypeError as error:
        raise DataError(f"{names.path}: not the names of an exported program: {error}") from None
    _check_data(names, exported, path, arrays)
    return exported


def _check_data(names: _NamesFile, data: Data, source: str, hint: str = "") -> None:
    """Raise DataError if the numbers of the data differ from those of the exported data."""
    exported = {key: names.values.get(f"data_{key}") for key in ("sha256", "numbers")}
    if not same_numbers(data, exported):
        raise DataError(
            f"{source}: other data than {names.path} was made from: the numbers differ{hint}"
        )


def _read_point(path: str, names: _NamesFile) -> tuple[FileAnswer, FormSolution]:
    """A solution file, by the names in the file and by components; duals only for LPs and QPs."""
    columns, rows = names.values["columns"], names.values["rows"]
    units, row_units = (names.values.get(key, {}) for key in ("column_scale", "row_scale"))
    # the solution by the names of the file
    theirs = OtherNames(columns=tuple(columns.values()), rows=tuple(rows.values()), units=units)
    file = read_solution(path, tuple(columns), tuple(rows), other=theirs)
    multipliers = None
    if file.row_duals is not None and names.values["class"] in (ProblemClass.LP, ProblemClass.QP):
        # multipliers in units of the objective that is reported
        unit = abs(float(names.values["scale"]))
        multipliers = by_component(
            (rows[name], value * unit / row_units.get(name, 1.0))
            for name, value in file.row_duals.items()
        )
    else:
        file = replace(file, row_duals=None)
    values = by_component(
        (columns[name], value * units.get(name, 1.0)) for name, value in file.x.items()
    )
    return file, FormSolution(form=names.form, values=values, multipliers=multipliers)


def _sha256(path: str) -> str:
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()
