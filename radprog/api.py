"""The Python interface: build, solve, fit, plot and save."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from radprog.base.errors import (
    CapabilityError,
    DataError,
    OptionError,
    RadprogError,
    RadprogWarning,
    WeakFitWarning,
    warn_user,
)
from radprog.base.limits import poll, under
from radprog.base.modelling import pyo
from radprog.base.types import FloatArray
from radprog.catalog import Entry, entry_of
from radprog.decompositions.forms import Origin
from radprog.decompositions.loop import Budget, Reason
from radprog.decompositions.own.result import OwnRun
from radprog.decompositions.run import (
    Run,
    RunOptions,
    RunSettings,
    Spec,
    end_failed,
    first_form,
    settings_from,
    stoppable,
)
from radprog.instances.data import Data
from radprog.instances.dataset import Dataset
from radprog.models.constraints import Constraints
from radprog.models.kernels import GIVEN_KERNELS, supplied, user_objects
from radprog.result import result_of
from radprog.saved import SavedFit, data_of, fit_of_recipe, start_of, write_json
from radprog.solvers.program import Program, Solution, SolveOptions, SolveSettings, Status
from radprog.solvers.registry import no_log, solve_foreign, solve_model
from radprog.solvers.registry import solver as registered
from radprog.solvers.tee import with_log_shown

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from radprog.solvers.questions.tree import ExactTree


def build(
    model: Spec,
    data: Dataset,
    form: str | None = None,
    *,
    constraints: Constraints | None = None,
    **settings: Unpack[RunOptions],
) -> pyo.ConcreteModel:
    """Build the explicit program of a model as a Pyomo model.

    Parameters
    ----------
    model : settings of a model
        Settings such as :class:`radprog.VKR`.
    data : Dataset or other data set
        The data of the program.
    form : str, optional
        Name of the form. The default is the first form available for these settings. If the form
        depends on an iterate, the model is fitted first and the form is built at the last iterate.
    constraints : Constraint or sequence, optional
        Linear constraints on the scores, for example from :func:`radprog.scores`.
    **settings
        Settings of a run, as in :func:`radprog.fit`.

    Returns
    -------
    ConcreteModel
        The program. The attribute ``doc`` of a variable or constraint explains its meaning in the
        paper and the meaning of its multiplier.

    Raises
    ------
    OptionError
        If a form or setting is unknown.
    DataError
        If the data are invalid.

    Notes
    -----
    :func:`radprog.export` writes the model with its settings. :func:`radprog.predictor` creates a
    predictor from a solved model, even if the program has been changed.

    Examples
    --------
    >>> import numpy as np
    >>> import pyomo.environ as pyo
    >>> import radprog as rp
    >>> data = rp.dataset(np.arange(6.0)[:, None], [-1, -1, 1, -1, 1, 1])
    >>> model = rp.build(rp.VKR(kernels="poly:1"), data)
    >>> [part.name for part in model.component_objects(pyo.Var)]
    ['alpha_plus', 'alpha_minus', 'shortfall']
    >>> len(model.margin)  # one constraint per point
    6
    """
    entry = entry_of(model)
    data = entry.adapt(data)
    spec = entry.with_widths(entry.constrained(model, data, constraints), data)
    form = form or first_form(spec)
    with stoppable(run_settings(entry, **settings)) as solving:
        built = entry.form(spec, data, form, solving)
    # the ``doc`` of each component: the paper's symbol and its meaning
    for component in built.model.component_objects():
        name, term = component.local_name, entry.hooks.term(form, component.local_name)
        if name == "objective":
            component.doc = f"objective: of form {form} of {entry.name}, {entry.title}"
        elif component.ctype in (pyo.Set, pyo.RangeSet):
            component.doc = f"{name}: the index numbers of other components"
        elif component.ctype is pyo.Suffix:
            component.doc = f"{name}: {_SUFFIXES[name]}"
        elif term is not None and component.doc is None:
            component.doc = term.doc(name)
    return Origin(spec=spec, data=data, form=form, built=built, seed=solving.seed).keep()


def solve(
    model: Any,
    solver: str | None = None,
    *,
    start: Any = None,
    tee: bool = False,
    prove: bool = False,
    **settings: Unpack[SolveOptions],
) -> Solution:
    """Solve a program, and recompute its objective, feasibility and bound.

    Parameters
    ----------
    model : ConcreteModel, str, Path, or model of highspy, linopy or CVXPY
        A Pyomo model, an .lp or .mps file, or a model of another modelling language. For programs
        that are neither linear nor quadratic, Ipopt computes a local optimum. Values of variables
        are written only into a Pyomo model. For other models, ``x`` of the solution follows the
        order of the columns; for CVXPY these are the columns of its standard cone program.
    solver : str, optional
        Name of the solver. The default is the first installed solver for the class of the program.
        If a solver's duals refute its answer to a convex quadratic program, the next solver is
        tried.
    start : mapping, array (n,), str or Path, optional
        A point with which HiGHS or SCIP begins the search of a program with integers: values by
        name or, in a ``pyo.ComponentMap``, by variable, such as ``values`` of an earlier result;
        an array in the order of the columns; or a solution file, as in :func:`radprog.certify`.
        Missing values are searched for. The answer is never worse than a feasible start. A
        start that is infeasible is left out, with a warning.
    tee : bool
        Whether to print the solver's log, if it writes one.
    prove : bool
        Whether to prove the answer to an integer linear program by a tree of our own, whose leaves
        are closed in rational arithmetic. It begins with the solver's point. This may take much
        longer than the search, which has half of the time limit. If the limit ends the tree, the
        status is ``feasible``, with the bound that it has proved.
    **settings
        ``tol``, ``time_limit`` (seconds), ``threads``, ``seed``, ``solver_options``, ``log``,
        ``interrupted``. With integers, a ``tol`` above 1e-6 is the relative MIP gap (``mipgap``,
        ``mip_rel_gap``) at which HiGHS or SCIP ends the search; rows hold as without it.

    Returns
    -------
    Solution
        The solution, in the model's sense of optimisation. For a maximisation problem, ``bound`` is
        an upper bound, and the dual of a binding ``<=`` row is at least 0.

    Raises
    ------
    OptionError
        If a setting is unknown or invalid, or ``start`` names no variable of the program.
    CapabilityError
        If the solver does not support the class of the program, or no start.
    SolverError
        If the solver fails.

    Notes
    -----
    The values of the variables and the suffixes ``dual`` and ``rc`` are written into a Pyomo model.
    Without a solution, the suffixes are cleared, and the variables keep their values. The status is
    one of

    - ``optimal``: proved by multipliers, as in :func:`radprog.certify`. SCIP returns no duals, so
      HiGHS computes them at the point. An integer or nonconvex program is also ``optimal`` if
      the solver's search ended with a bound that equals the recomputed objective of a point with
      whole integers. ``proved_by`` is then ``solver`` instead of ``duals``, or ``tree`` with
      ``prove=True``.
    - ``feasible``: the point is feasible but not proved optimal. ``claimed_optimal`` records
      whether the solver called the point optimal. ``message`` describes the missing part of the
      proof.
    - ``infeasible``: proved by the multipliers of the constraints in ``ray`` (Farkas), or by
      divisibility in a constraint with integer variables.
    - ``unbounded``: proved by a feasible point and the direction in ``ray``.
    - ``limit``, ``interrupted``: a limit or Ctrl-C ended the solver. The best point and the bound
      of branch and bound are kept, if there are any.
    - ``failed``: nothing is proved. ``claim`` contains the solver's claim that the program is
      infeasible or unbounded, if it made one. If another solver has a point that holds only
      within a tolerance, ``message`` names both.

    Examples
    --------
    >>> import pyomo.environ as pyo
    >>> import radprog as rp
    >>> model = pyo.ConcreteModel()
    >>> model.x = pyo.Var(bounds=(0, None))
    >>> model.y = pyo.Var(bounds=(0, None))
    >>> model.cost = pyo.Objective(expr=2 * model.x + 3 * model.y)
    >>> model.demand = pyo.Constraint(expr=model.x + model.y >= 4)
    >>> solution = rp.solve(model, solver="highs")
    >>> str(solution.status), solution.objective
    ('optimal', 8.0)
    >>> model.dual[model.demand]
    2.0
    """
    # the solution is converted to the sense of the model
    from radprog.solvers.compile import load_values, sense_of_model  # loads pyomo
    from radprog.solvers.foreign import foreign_program

    for name, value in (("tee", tee), ("prove", prove)):
        if not isinstance(value, bool):
            raise OptionError(f"{name} {value!r}: expected True or False")
    program, began = foreign_program(model), time.perf_counter()
    options = settings_from(SolveSettings, settings)
    tree = _new_tree(model, program) if prove else None  # refused before the search
    if solver is not None and options.time_limit and not registered(solver).declared.timed:
        warn_user(f"time_limit: solver {solver} has none; an iteration limit is among its options")
    if start is not None:
        options = replace(options, start=_read_start(model, program, start, solver))
    with stoppable(options) as options, with_log_shown(options, tee=tee) as solving:
        # half of the time is for the search, so that the tree has a bound
        half = None if solving.time_limit is None or tree is None else solving.time_limit / 2.0
        search = solving if half is None else replace(solving, time_limit=half)
        if program is not None:
            solution = solve_foreign(program, solver, search)
        else:
            solution = solve_model(model, solver, search).in_sense(sense_of_model(model))
        if tree is not None and solution.status is not Status.UNBOUNDED:
            limit = solving.after(time.perf_counter() - began).time_limit
            with under(Budget(limit, solving.interrupted)):
                solution = tree.prove(solution)
            if program is None and solution.x is not None:
                load_values(model, solution.x)
        end_failed(solving, solution)
    # a limit of the code that calls this function has ended the solver
    if solution.status in (Status.LIMIT, Status.INTERRUPTED):
        poll()
    for warning in no_log(settings.get("log"), time.perf_counter() - began):
        warn_user(warning)
    return solution


def _read_start(model: Any, program: Program | None, start: Any, name: str | None) -> FloatArray:
    """The start (n,) of a search in the order of the columns; NaN where it has no value."""
    from radprog.solvers.compile import compile_model
    from radprog.solvers.foreign import start_of

    compiled = compile_model(model) if program is None else program
    if not compiled.integer.any():
        raise CapabilityError(
            f"start: a {compiled.problem_class} has no integers, expected a program with a search"
        )
    if name is not None and not registered(name).declared.starts:
        raise CapabilityError(f"start: solver {name} takes none: use highs or scip")
    return start_of(model, compiled, start)


def _new_tree(model: Any, program: Program | None) -> ExactTree | None:
    """The tree that is to prove the answer to a program with integers; None for another one, whose
    multipliers prove it.
    """
    from radprog.models.exact import flint
    from radprog.solvers.compile import compile_model
    from radprog.solvers.formats.program_reader import exact_program
    from radprog.solvers.questions.tree import ExactTree

    numbers = None
    if isinstance(model, str | Path):
        program, numbers = exact_program(model)
    compiled = compile_model(model) if program is None else program
    return ExactTree(compiled, flint, numbers) if compiled.integer.any() else None


def fit(
    model: Spec,
    data: Any,
    *labels: Any,
    constraints: Constraints | None = None,
    **settings: Unpack[RunOptions],
) -> Run:
    """Fit a model and certify the result.

    Parameters
    ----------
    model : settings of a model
        Settings such as :class:`radprog.VKR`.
    data : Dataset or other data set
        The points with their labels.
    *labels
        Not accepted, because the data set contains the labels.
    constraints : Constraint or sequence, optional
        Linear constraints on the scores, for example from :func:`radprog.scores` or
        :func:`radprog.parity`. ``run.multipliers`` contains their prices.
    **settings
        - ``method``, ``solver``: a method of the model, and the name of a solver.
        - ``tol`` (1e-6), ``abs_tol`` (1e-9): the largest relative and absolute gap of a certified
          run.
        - ``time_limit`` (seconds), ``max_iter``: limits of the run.
        - ``seed``: the seed of all random numbers.
        - ``threads``, ``solver_options``, ``log``: options of the solver.
        - ``start``: a saved fit, or its path.
        - ``observe``: a function that is called with the :class:`radprog.Record` of each round, of
          a method without rounds once, at its end.
        - ``stop``: your own stop rule, a function of the trace (a list of :class:`radprog.Record`,
          of at least one) that returns True to end the run. ``run.stopped_by`` is then
          ``own_rule``. Methods without rounds refuse it.
        - ``interrupted``: a function that is called between rounds; the run ends if it returns
          True, as it does after Ctrl-C, and the best answer so far is kept.

    Returns
    -------
    Run
        The fitted run. ``run.predict(X)`` accepts points in the units of ``data``.

    Raises
    ------
    SettingError
        If no coefficients satisfy the constraints. The message lists the conflicting constraints
        and states whether this conflict is irreducible.
    OptionError, DataError, SolverError
        If a setting is unknown, the data are invalid, or a solver fails.
    UnfinishedError
        If a limit ends the run before its first step.
    StoppedError
        If ``observe``, ``stop`` or ``interrupted`` fails. Its attribute ``run`` is the run so far.

    Notes
    -----
    A result has an objective f and a bound b, both recomputed from the data. The result is
    certified if

        |f - b| <= tol |f|  or  |f - b| <= abs_tol.

    Warnings about the data and the run are issued as RadprogWarning.

    Examples
    --------
    >>> import numpy as np
    >>> import radprog as rp
    >>> data = rp.dataset(np.arange(6.0)[:, None], [-1, -1, 1, -1, 1, 1])
    >>> run = rp.fit(rp.VKR(kernels="poly:1"), data)
    >>> run.certified, run.gap < 1e-6
    (True, True)
    >>> run.predict(np.array([[0.0], [5.0]]))
    array([-1,  1])
    """
    entry = entry_of(model)
    data = entry.adapt(data)
    if labels:
        raise OptionError(f"{entry.name}: the data set has labels: leave y out")
    with stoppable(run_settings(entry, model, **settings)) as solving:
        if constraints:
            run = entry.fit_constrained(model, data, solving, constraints)
        else:
            fitter, spec = entry.fitter(model, data, solving)
            run = fitter(spec, data, solving)
        end_failed(solving, replace(predicting(run, data), reason=Reason.OWN_RULE))
    # each warning of the data and of the run once
    for warning in dict.fromkeys((*getattr(data, "warnings", ()), *run.warnings)):
        weak = str(run.summary.get("weakness", warning + " "))
        warn_user(warning, WeakFitWarning if weak in warning else RadprogWarning)
    return predicting(run, data)


def fit_grid(
    specs: Sequence[Spec], data: Any, **settings: Unpack[RunOptions]
) -> list[Run | RadprogError]:
    """Fit several settings of one model to the same data.

    The fits share kernels, and a fit starts from neighbouring ones where the model allows it.

    Parameters
    ----------
    specs : sequence of settings of a model
        Settings objects of the same class.
    data : data set
        The points with their labels, such as ``data.take(rows)``.
    **settings
        Settings of a run, as in :func:`radprog.fit`. ``time_limit`` (seconds) applies to each fit.

    Returns
    -------
    list of Run
        The run of each settings object, in order. If the data do not allow a setting, or its solver
        fails, its error takes the place of the run. Warnings stand in ``run.warnings``.

    Raises
    ------
    OptionError
        If there are no settings, or settings of several models.
    UnfinishedError
        If a limit ends a fit before its first step.

    Examples
    --------
    >>> import numpy as np
    >>> import radprog as rp
    >>> data = rp.dataset(np.arange(6.0)[:, None], [-1, -1, 1, -1, 1, 1])
    >>> specs = [rp.VKR(kernels="poly:1", lam=lam) for lam in (1e-1, 1e-3)]
    >>> [run.certified for run in rp.fit_grid(specs, data)]
    [True, True]
    """
    names = {entry_of(spec).name for spec in specs}
    if len(names) != 1:
        raise OptionError(f"specs of {', '.join(sorted(names)) or 'no model'}: expected one model")
    entry = entry_of(specs[0])
    data = entry.adapt(data)
    with stoppable(run_settings(entry, **settings)) as solving:
        runs = dict(entry.fit_grid(specs, data, solving))
        ordered = [runs[spec] for spec in specs]
        ended: list[Run | RadprogError] = [
            run if isinstance(run, RadprogError) else predicting(run, data) for run in ordered
        ]
        end_failed(solving, ended)
    return ended


def predicting(run: Run, data: Any) -> Run:
    """The run with a method ``predict`` for rows in the original units. If there are no data,
    because the settings name kernel matrices, the run is unchanged.
    """
    if data is None:
        return run
    # labels, features and scaling of the data without its rows
    reader = partial(fit_of_recipe, run.name, type(data), data.recipe())
    return replace(run, reader=reader, numbers=data.numbers)


def plot(run: Run | OwnRun, data: Data | None = None, *, file: str | Path | None = None) -> Figure:
    """Plot a run, like ``radprog solve --plot``.

    Parameters
    ----------
    run : Run, or OwnRun
        The run to plot. That of a program of your own shows objective and bound against time.
    data : data set, optional
        The data of the fit. Without data, most plots show the objective and the bound against time
        in seconds.
    file : str or Path, optional
        Path of the figure file, with the suffix .png, .svg or .pdf.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    OptionError
        If ``file`` has any other suffix, or if ``data`` is missing for a run with kernel matrices.
    OutputError
        If the file cannot be written.

    Examples
    --------
    >>> import numpy as np
    >>> import radprog as rp
    >>> data = rp.dataset(np.arange(6.0)[:, None], [-1, -1, 1, -1, 1, 1])
    >>> run = rp.fit(rp.VKR(kernels="poly:1"), data)
    >>> figure = rp.plot(run, data, file="run.svg")
    >>> len(figure.axes) > 0
    True
    """
    from radprog.figures import figure_of, own_figure, save  # loads matplotlib

    if isinstance(data, str | Path):
        raise OptionError(f"plot of data {str(data)!r}: expected a data set; a picture is file=...")
    if isinstance(run, OwnRun):
        figure = own_figure(run)
        if file is not None:
            save(figure, file)
        return figure
    _refuse_no_run(run)
    # without data, the figure uses the parts of the data that the run contains
    drawn = data if data is not None or run.predictor is None else run.predictor.data
    if drawn is None:
        raise OptionError("plot of a run without data: give those that it was fitted to")
    entry = entry_of(run.spec)
    drawn = entry.adapt(drawn) if data is None else data_of(run, drawn)
    entry.check_data(drawn)
    result = result_of(run, drawn)
    figure = figure_of(result, run, None if data is None else drawn)
    if file is not None:
        save(figure, file)
    return figure


def save_fit(run: Run, data: Dataset, path: str | Path) -> None:
    """Save the predictor of a run, together with the steps for reading new data.

    Parameters
    ----------
    run : Run
        The run to save.
    data : data set
        The data of the fit.
    path : str or Path
        Path of the file. The suffix .npz selects a NumPy archive; any other suffix selects JSON.

    Raises
    ------
    DataError
        If the scaling or the labels of the data differ from those of the run.
    OutputError
        If the file cannot be written.

    Examples
    --------
    >>> import numpy as np
    >>> import radprog as rp
    >>> data = rp.dataset(np.arange(6.0)[:, None], [-1, -1, 1, -1, 1, 1])
    >>> run = rp.fit(rp.VKR(kernels="poly:1"), data)
    >>> rp.save_fit(run, data, "fit.json")
    >>> rp.load_fit("fit.json").predict(np.array([[0.0], [5.0]]))
    array([-1,  1])
    """
    data = _data_of(run, data)
    if data is None:
        raise OptionError("data None: expected the data set that the run was fitted to")
    SavedFit(model=run.name, data=data, fit=run.fit).save(path)


def save_run(run: Run, data: Data, path: str | Path, test: Data | None = None) -> None:
    """Write the result of a run, including the points of its certificate, like ``--json``.

    Parameters
    ----------
    run : Run
        The run. Functions in its settings are written by name only.
    data : data set
        The data of the fit.
    path : str or Path
        Path of the file.
    test : data set, optional
        Test data, for the ``test`` block of the result.

    Raises
    ------
    DataError
        If the scaling or the labels of the data differ from those of the run.
    OutputError
        If the file cannot be written.

    Examples
    --------
    >>> import numpy as np
    >>> import radprog as rp
    >>> data = rp.dataset(np.arange(6.0)[:, None], [-1, -1, 1, -1, 1, 1])
    >>> rp.save_run(rp.fit(rp.VKR(kernels="poly:1"), data), data, "run.json")
    >>> rp.check("run.json", data)["holds"]
    True
    """
    data, test = _data_of(run, data), entry_of(run.spec).adapt(test)
    write_json(path, result_of(run, data, test))


def _data_of(run: Run, data: Any) -> Any:
    """The data set of a run. Raises OptionError for other objects, and DataError if the numbers or
    labels differ from those of the run.
    """
    _refuse_no_run(run)
    if isinstance(data, str | Path):
        raise OptionError(f"data '{data}': a path is given, expected the data set of the fit")
    data = data_of(run, data)
    entry_of(run.spec).check_data(data)
    if data is not None and run.predictor is not None and run.predictor.data.labels != data.labels:
        raise DataError(f"{data.name} is not the data set of the run: other labels")
    return data


def _refuse_no_run(run: object) -> None:
    if not isinstance(run, Run):
        hint = ": take its run_" * hasattr(run, "run_")
        hint += ": rp.plot draws it, and its check() verifies it" * isinstance(run, OwnRun)
        raise OptionError(f"{run!r}: expected a run, as rp.fit returns one{hint}")


_SUFFIXES = {
    "dual": "d objective / d right-hand side of each row, after a solve",
    "rc": "the reduced cost of each column, after a solve",
    "scaling_factor": "what solvers and files multiply each column, row and objective by",
}


def need_points(spec: Spec, purpose: str) -> None:
    """Raise OptionError for kernels and similarities with values only at the training points."""
    similarity, kernels = getattr(spec, "similarity", None), getattr(spec, "kernels", "")
    if similarity is not None:
        raise OptionError(f"{similarity}: a similarity given as a file cannot {purpose}")
    if any(kind in str(kernels) for kind in GIVEN_KERNELS):
        raise OptionError(f"kernels '{kernels}': a kernel given as a file cannot {purpose}")


def run_settings(entry: Entry, spec: Spec | None = None, **settings: Any) -> RunSettings:
    """Checked settings of a run. Raises OptionError for an unknown setting, or if ``start`` is a
    fit of another model. The kernels of ``spec`` may be those of ``start``.
    """
    if settings.get("start") is not None:
        # a saved start may need the functions that its kernels are
        with supplied(user_objects(getattr(spec, "kernels", None))):
            settings["start"] = start_of(entry, settings["start"])
    return entry.run_settings(**settings)
