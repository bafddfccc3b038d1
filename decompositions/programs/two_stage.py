"""A program with two stages, written by a function of one scenario."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Unpack

from radprog.base.errors import OptionError
from radprog.base.modelling import pyo
from radprog.decompositions.programs.compact import (
    CompactRun,
    benders,
    dantzig_wolfe,
    fixed_values,
    program_of_model,
)
from radprog.decompositions.programs.structure import structure_of
from radprog.decompositions.run import DriverOptions, RunSettings, settings_from
from radprog.solvers.foreign import start_of


def two_stage(
    build: Callable[[Any, Any], Any],
    scenarios: Sequence[Any],
    probabilities: Sequence[float] | None = None,
    *,
    first: Callable[[Any], Any],
    method: str = "benders",
    start: Any = None,
    jobs: int | str = 1,
    scheduler: Any = None,
    checkpoint: str | Path | None = None,
    **settings: Unpack[DriverOptions],
) -> CompactRun:
    """Minimise the cost of a first stage plus the expected cost of a second.

    Parameters
    ----------
    build : callable
        ``build(block, scenario)`` adds the second stage of a scenario to a Pyomo block, and returns
        its cost. ``block.model()`` has the variables of the first stage.
    scenarios : sequence
        What ``build`` receives, one for each scenario.
    probabilities : sequence of float, optional
        The probabilities of the scenarios, equal by default.
    first : callable
        ``first(model)`` adds the first stage to an empty Pyomo model, and returns its cost. Its
        fixed variables are constants; if all are fixed, the answer is the expected cost of this
        first stage.
    method : {"benders", "dantzig-wolfe", "auto"}
        Benders cuts, or a method of :func:`radprog.dantzig_wolfe`, which also takes integers in the
        second stage.
    start, jobs, scheduler, checkpoint, **settings
        As in :func:`radprog.benders`. The building of the model is part of ``time_limit``.

    Returns
    -------
    CompactRun
        The best point and a bound. ``values`` has the first stage by its names, and the variable
        ``made`` of the scenario with number 3 as ``scenario[3].made``. ``load()`` writes them into
        the model of all scenarios, which ``model()`` copies.

    Raises
    ------
    OptionError
        If there is no scenario or no variable of the first stage, or if the probabilities are not
        one nonnegative number for each scenario with the sum 1.
    CapabilityError
        As :func:`radprog.benders`, for example for integers in a second stage.

    Notes
    -----
    For a risk in place of the mean, add a variable eta with finite bounds to the first stage, and
    to its cost. The worst case has the row cost <= eta in each second stage, which itself costs 0.
    CVaR at level alpha has a variable excess >= 0 in each, the row excess >= cost - eta, and the
    cost excess / (1 - alpha) (Rockafellar and Uryasev 2000).

    Examples
    --------
    Newspapers are bought at 1 before the demand is known, and sold at 3:

    >>> import pyomo.environ as pyo
    >>> import radprog as rp
    >>> def buy(model):
    ...     model.bought = pyo.Var(bounds=(0, 100))
    ...     return model.bought
    >>> def sell(block, demand):
    ...     block.sold = pyo.Var(bounds=(0, demand))
    ...     block.papers = pyo.Constraint(expr=block.sold <= block.model().bought)
    ...     return -3 * block.sold
    >>> run = rp.two_stage(sell, [20, 50, 80], [0.2, 0.5, 0.3], first=buy)
    >>> round(run.objective, 6), round(run.values["bought"], 6)
    (-82.0, 50.0)
    """
    began = time.monotonic()
    limit = settings_from(RunSettings, settings, tuple(DriverOptions.__annotations__)).time_limit
    count = len(scenarios)
    weights = [1.0 / max(count, 1)] * count if probabilities is None else list(probabilities)
    if not count:
        raise OptionError("two_stage: there is no scenario")
    if method not in (methods := ("benders", "dantzig-wolfe", "auto")):
        raise OptionError(f"method {method!r}: expected {' or '.join(map(repr, methods))}")
    if len(weights) != count or min(weights) < 0.0 or abs(sum(weights) - 1.0) > 1e-9:
        raise OptionError(
            f"probabilities: {len(weights)} with the sum {sum(weights):g}, expected {count} "
            "nonnegative numbers with the sum 1"
        )
    model = pyo.ConcreteModel()
    cost = _cost_of("first", first, model)
    variables = list(model.component_objects(pyo.Var))
    if not variables:
        raise OptionError("first: it adds no variable to the model")
    # fixed variables are no columns of the program
    stage = [part for part in variables if not all(variable.fixed for variable in part.values())]
    # a block for each scenario, and the expected cost
    model.scenario = pyo.Block(range(count))
    for number, (scenario, weight) in enumerate(zip(scenarios, weights, strict=True)):
        cost += weight * _cost_of("build", build, model.scenario[number], scenario)
    model.expected = pyo.Objective(expr=cost)
    # rows of a block are a second stage, also where it has a single column
    program = program_of_model(model)
    blocks = structure_of(program, stage, _scenario) if stage else None
    start = None if start is None else start_of(model, program, start)
    if limit is not None:
        settings["time_limit"] = max(1e-9, limit - (time.monotonic() - began))
    if blocks is not None and method == "benders":
        run = benders(
            *(program, None), structure=blocks, start=start, jobs=jobs,
            scheduler=scheduler, checkpoint=checkpoint, **settings,
        )  # fmt: skip
    else:  # where nothing links the scenarios, it is one program that needs no cuts
        chosen = "auto" if blocks is None else method
        run = dantzig_wolfe(
            *(program, None, None), structure=blocks, method=chosen, start=start,
            jobs=jobs, scheduler=scheduler, checkpoint=checkpoint, **settings,
        )  # fmt: skip
    values = {**fixed_values(model), **run.values} if run.values else run.values
    # the model that load() writes to, and that model() copies
    return replace(run, _model=model, values=values)


def _cost_of(name: str, function: Callable[..., Any], *arguments: Any) -> Any:
    """The cost that a function of the user returns. Raises OptionError if it returns none."""
    cost = function(*arguments)
    if cost is None:
        caller = getattr(function, "__name__", repr(function))
        raise OptionError(
            f"{name}: {caller} returned None, expected the cost of its stage: `return` it"
        )
    return cost


def _scenario(row: str) -> str | None:
    """The scenario of a row by its name, or None for a row of the first stage."""
    return row.partition("]")[0] if row.startswith("scenario[") else None
