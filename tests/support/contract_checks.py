"""The checks that every model and every solver passes, of radprog or of a package beside it."""

from __future__ import annotations

import contextlib
import itertools
import json
import math
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from radprog.api import build, fit
from radprog.base.errors import OptionError, RadprogError
from radprog.base.types import FloatArray
from radprog.catalog import Entry, entry_named, entry_of
from radprog.checking import check
from radprog.decompositions.forms import known_origin
from radprog.decompositions.run import Run, Spec
from radprog.result import errors_on, result_of, to_json
from radprog.saved import load_fit
from radprog.solvers.answer import duality_gap, judge
from radprog.solvers.formats.program_writer import write_program
from radprog.solvers.program import (
    ProblemClass,
    Program,
    SolveSettings,
    Status,
    relative_gap,
    tolerance_met,
)
from radprog.solvers.registry import BRIDGE, SolverSpec, added_solvers, solve_model, solver
from radprog.telling import summary_lines


def check_model(spec: Spec, data: Any, forms: Sequence[str] | None = None) -> None:
    """Check that each method and form of a model keeps what every model of radprog keeps.

    Each method is fitted. Its result says one thing (:func:`check_result`), its certificate is
    recomputed from the data, and that of a changed objective is not. The bound of moved points is
    still a bound. The lines of the result are written. The fit is saved, and predicts and errs as
    the run does. Each form is built and solved, for at most ten seconds; its value is compared with
    the optimum that the form declares and, for ``value_forms`` of the entry, with the run's.
    """
    entry, runs = entry_of(spec), []
    for method in entry.methods:
        try:
            run = fit(spec, data, method=method)
        except OptionError as error:  # a method of other settings, such as of another variant
            if not str(error).startswith("unknown method"):
                raise
            continue
        runs.append(run)
        result = json.loads(to_json(result_of(run, data)))
        check_result(result)
        # the stored points alone give objective, bound and status; the digest covers any change
        problems = check(result, data)["problems"]
        assert not problems, f"method {method}: {'; '.join(problems)}"
        bad = {**result, "objective": 1.001 * result["objective"] + 1e-3, "digest": None}
        assert not check(bad, data)["holds"], f"method {method}: a changed objective is not seen"
        # the saved fit is the fit of the run
        with tempfile.TemporaryDirectory() as folder:
            place = Path(folder, "fit.npz")
            run.predictor.save(place)
            saved = load_fit(place)
        same = np.array_equal(saved.fit.predict(data.X), run.fit.predict(data.X))
        assert same, f"method {method}: the saved fit predicts other values than the run"
        if {"training_error", "mae"} & result["fit"].keys():
            check_errors(result, errors_on(entry.name, saved.fit, data))
        check_moved(entry, run, result, data)
        try:
            summary_lines(result)
        except Exception as error:
            raise AssertionError(f"method {method}: describe raises {error!r}") from error
    assert runs, f"none of the methods {', '.join(entry.methods)} takes these settings"
    written: Sequence[str] = getattr(spec, "written", entry.forms)
    for form in forms or written:
        check_form(entry, form, build(spec, data, form=form), runs)


def check_moved(entry: Entry, run: Run, result: Mapping[str, Any], data: Any) -> None:
    """Check that other points give no objective beyond the bound of a run, and no bound beyond its
    objective. The numbers in lists of the certificate are moved by up to a fifth.
    """
    rng, sense, seed = np.random.default_rng(0), entry.spec.sense, result["params"]["seed"]

    def moved(value: Any) -> Any:
        if isinstance(value, list):
            return [moved(item) for item in value]
        return value * rng.uniform(0.8, 1.2) if isinstance(value, float) else value

    points = {k: moved(v) if isinstance(v, list) else v for k, v in result["certificate"].items()}
    with contextlib.suppress(RadprogError):  # points that no certificate can have
        other = entry.recompute(run.spec, entry.adapt(data), points, seed)
        for low, high in ((other.bound, run.objective), (run.bound, other.objective)):
            if low is not None and high is not None:
                is_bound = sense * (low - high) <= 1e-6 * max(1.0, abs(high))
                assert is_bound, f"method {run.method}: the bound {low} of other points is no bound"


def check_form(entry: Entry, form: str, model: Any, runs: list[Run]) -> None:
    """Check the optimum of a form against the declared one, and of a form with the value of the
    model against that of the first certified run.
    """
    built = known_origin(model).built
    solution = solve_model(model, None, SolveSettings(time_limit=10.0))
    values = {"declared": built.expected}
    for run in runs[:1]:
        if run.certified and form in entry.value_forms and run.objective is not None:
            values["run's"] = run.objective / built.sense
    for name, value in values.items():
        if value is None or solution.objective is None or math.isinf(value):
            continue
        # any feasible point is above the optimum, and a proved one is at it
        excess = solution.objective - value
        error = abs(excess) if solution.status is Status.OPTIMAL else -excess
        room = 1e-4 * max(1.0, abs(value))
        assert error <= room, (
            f"form {form}: its value is {solution.objective}, the {name} one {value}"
        )


def check_result(result: Mapping[str, Any]) -> None:
    """Check that the parts of a JSON result agree. Raises AssertionError with those that do not."""
    prefix = f"method {result['method']}: "
    objective, bound, gap = result["objective"], result["bound"], result["gap"]
    assert math.isfinite(objective), f"{prefix}objective {objective}"
    assert (bound is None) == (gap is None), f"{prefix}bound {bound}, gap {gap}"
    if bound is not None:
        # the bound is on its side, and the gap is that of the two numbers
        entry, params = entry_named(result["model"]), result["params"]
        sense = entry.spec.sense
        excess = sense * (bound - objective)
        assert excess <= 1e-9 * max(1e-3, abs(objective), abs(bound)), f"{prefix}the bound crosses"
        share = relative_gap(objective, bound)
        assert share is not None
        assert math.isclose(gap, share, rel_tol=1e-6, abs_tol=1e-12), (
            f"{prefix}gap {gap}, not {share}"
        )
        met = tolerance_met(objective, bound, params["tol"], params["abs_tol"]) is not None
        assert result["certified"] == met, f"{prefix}certified {result['certified']}, gap {gap}"
        assert met or result["method"] in entry.local, f"{prefix}ended at the gap {gap}"
    words = result["status"] == "optimal", result["certified"], result["certified_by"] is not None
    assert len(set(words)) == 1, f"{prefix}status {result['status']}, certified {words[1]}"
    assert result["time"]["total"] >= result["time"]["solve"] >= 0.0, f"{prefix}{result['time']}"
    numbers = [record["iteration"] for record in result["trace"]]
    assert result["iterations"] == len(numbers), f"{prefix}{len(numbers)} records of the trace"
    assert all(np.diff(numbers) == 1), f"{prefix}the trace leaves iterations out"


def check_errors(result: Mapping[str, Any], block: Mapping[str, Any]) -> None:
    """Check that the training errors in a JSON result are those of a fit on its rows, a ``test``
    block. Raises AssertionError with the one that is not.
    """
    for reported, tested in (("training_error", "error"), ("mae", "mae")):
        if reported in result["fit"]:
            claim, value = result["fit"][reported], block[tested]
            assert abs(claim - value) <= 1e-9, f"{reported} {claim}, but the fit has {value}"


def check_solver(name: str) -> None:
    """Check that a solver keeps what every solver of radprog keeps.

    It solves programs with a known optimum of each class that it declares, as matrices and in files
    of its formats. Points, multipliers and bounds are compared with the optimum. A verdict
    on an infeasible or unbounded program, or at a time limit, must not be wrong; the solver may
    give none. It must refuse an option that it does not have, except through Pyomo.
    """
    added_solvers()  # warns of a package whose solver has a name of radprog's own
    spec = solver(name)
    adapter, declared = spec.adapter(), spec.declared
    assert declared.classes, f"solver {name}: DECLARED has no classes"
    for kind, seed in itertools.product(sorted(declared.classes), range(3)):
        if seed and kind.startswith("MI"):
            continue  # each solve of a search may be a process of its own
        (program, best), prefix = known_program(kind, seed), f"solver {name}, {kind} {seed}: "
        if hasattr(adapter, "solve"):
            _check_answers(spec, program, best, prefix)
        for form in () if seed else sorted(declared.formats):
            with tempfile.TemporaryDirectory() as folder:
                place = Path(folder, f"program.{form}")
                write_program(program, place)
                read = adapter.solve_file(place, SolveSettings())
            x = np.array([read.x.get(column, np.nan) for column in program.column_names])
            error = abs(program.objective(x) - program.objective(best))
            assert error <= 1e-4, (
                f"{prefix}{read.status} of a .{form} file, off the optimum by {error}"
            )


def _check_answers(spec: SolverSpec, program: Program, best: FloatArray, prefix: str) -> None:
    """Check an adapter's answers to a program with its optimal point, and to changes of it."""
    adapter, declared, integer = spec.adapter(), spec.declared, bool(program.integer.any())
    settings = SolveSettings(start=best if integer and declared.starts else None)
    answer = adapter.solve(program, settings)
    solution = judge(
        program, answer, solver=spec.name, version=adapter.version(), seconds=0.0,
        settings=settings, convex=not integer,
    )  # fmt: skip
    x, y, optimum = solution.x, answer.row_duals, program.objective(best)
    assert solution.claimed_optimal, f"{prefix}{answer.status}, {solution.message}"
    assert x is not None
    if declared.duals and not integer:
        # a multiplier has the sign of the side that its row is at
        assert y is not None, f"{prefix}no row_duals, although DECLARED has duals"
        gap = duality_gap(program, x, y, program.reduced_costs(x, y))
        assert gap <= 1e-3, f"{prefix}row_duals leave a gap of {gap}: wrong signs?"
    for part, value in (("objective", solution.objective), ("bound", solution.bound)):
        error = 0.0 if value is None else abs(value - optimum)
        assert error <= 1e-4, f"{prefix}the {part} is {value}, the optimum {optimum}"
    # the last column has no upper bound; an equation twice, with two sides
    unbounded = replace(program, upper=np.append(program.upper[:-1], np.inf))
    infeasible = replace(program.of_rows([0, *range(len(program.row_lower))]), row_names=())
    for side in (infeasible.row_lower, infeasible.row_upper):
        side[0] += 1.0
    for word, changed, limit in (
        (Status.UNBOUNDED, unbounded, None),
        (Status.INFEASIBLE, infeasible, None),
        (Status.OPTIMAL, program, 1e-9),
    ):
        status = adapter.solve(changed, SolveSettings(time_limit=limit)).status
        wrong = status in {*Status} - {word, Status.FEASIBLE, Status.LIMIT, Status.FAILED}
        assert not wrong, f"{prefix}an {word} program is called {status}"
    if spec.name.startswith(BRIDGE):
        return  # Pyomo's interfaces may ignore an unknown option
    with contextlib.suppress(OptionError):
        adapter.solve(program, SolveSettings(solver_options={"no such option": "1"}))
        raise AssertionError(f"{prefix}an unknown option raises no OptionError")


def known_program(kind: ProblemClass, seed: int) -> tuple[Program, FloatArray]:
    """A random program of a class, with its optimal point by construction.

    A point and multipliers of the right signs are chosen; the cost makes the point stationary. The
    rows, and all columns but the last, are an equation, sides that bind, ranges, and one without
    sides. The last column is at most 1.5 and in no row: 1 is its best integer.
    """
    rng, integer = np.random.default_rng(seed), kind.startswith("MI")
    low = np.array([0.0, 0.0, -np.inf, 0.0, -2.0, -2.0, -np.inf])
    high = np.array([0.0, np.inf, 0.0, 2.0, 0.0, 2.0, np.inf])
    y, reduced = rng.uniform(0.2, 1.2, (2, 7)) * [1, 1, -1, 1, -1, 0, 0]
    x = np.append(rng.integers(-3, 4, 7), 1.0 if integer else 1.5)
    rows = np.pad(rng.integers(-3, 4, (7, 7)).astype(float), ((0, 0), (0, 1)))
    factors = np.pad(rng.normal(size=(2, 7, 7)), ((0, 0), (0, 1), (0, 0)))
    squares = [sparse.csc_array(factor @ factor.T) for factor in factors]
    program = Program(
        cost=np.zeros(8), rows=sparse.csr_array(rows), row_lower=low, row_upper=high,
        lower=np.append(x[:-1] + low, 0.0), upper=np.append(x[:-1] + high, 1.5),
        integer=np.full(8, integer), constant=2.5,
        quadratic=None if kind.endswith("LP") else squares[0],
        quadratic_rows={2: squares[1]} if kind.endswith("QCQP") else {},
    )  # fmt: skip
    activity = program.activity(x)
    cost = np.append(reduced, -1.0) - program.reduced_costs(x, y)
    return replace(program, cost=cost, row_lower=activity + low, row_upper=activity + high), x
