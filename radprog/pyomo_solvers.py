"""Radprog as solvers of Pyomo: ``pyo.SolverFactory("radprog")`` and decompositions.

``import radprog`` registers them as soon as Pyomo is imported. Other modules of radprog are
imported by the first solve.
"""

from __future__ import annotations

import importlib
import re
import sys
from functools import partial
from typing import Any

from pyomo.common.collections import Bunch, ComponentMap
from pyomo.opt import (
    ProblemSense,
    Solution,
    SolverFactory,
    SolverResults,
    SolverStatus,
    TerminationCondition,
)

from radprog.base.errors import OptionError

#: The status of a solution, or the reason why a run ended before, in Pyomo's words.
WORDS = {
    "optimal": (SolverStatus.ok, TerminationCondition.optimal),
    "feasible": (SolverStatus.ok, TerminationCondition.feasible),
    "time_limit": (SolverStatus.aborted, TerminationCondition.maxTimeLimit),
    "max_iter": (SolverStatus.aborted, TerminationCondition.maxIterations),
    "interrupted": (SolverStatus.aborted, TerminationCondition.userInterrupt),
    "infeasible": (SolverStatus.warning, TerminationCondition.infeasible),
    "unbounded": (SolverStatus.warning, TerminationCondition.unbounded),
}
OTHER = SolverStatus.warning, TerminationCondition.unknown


#: The functions that are solvers of Pyomo, and what they are.
CALLS = {
    "solve": "any solver's answer, with a recomputed proof",
    "dantzig_wolfe": "Dantzig-Wolfe decomposition",
    "benders": "Benders decomposition",
}


class CertifiedSolver:
    """A solver of Pyomo that calls a function of :mod:`radprog`: one of ``CALLS``.

    Options of the function are ``options`` of the solver or keywords of ``solve``.
    """

    def __init__(self, call: str, /, **options: Any) -> None:
        self.call, self.options = call, Bunch(**options)

    def available(self, exception_flag: bool = True) -> bool:
        """Whether the solver can be used: always, because radprog brings HiGHS."""
        return True

    def license_is_valid(self) -> bool:
        """Whether there is a licence, of which none is needed."""
        return True

    def version(self) -> tuple[int, ...]:
        """The version of radprog."""
        text = importlib.import_module("radprog").__version__
        return tuple(int(number) for number in re.findall(r"\d+", text)[:3])

    def warm_start_capable(self) -> bool:
        """Whether ``warmstart=True`` begins a search with the values of the variables."""
        return self.call == "solve"

    def set_options(self, text: str) -> None:
        """Set an option from a text such as ``time_limit=60``."""
        name, _, value = text.partition("=")
        is_integer, is_number = (re.fullmatch(p, value) for p in (r"[-+]?\d+(\.0*)?", r"[-+.\de]+"))
        self.options[name] = (
            int(float(value)) if is_integer else float(value) if is_number else value
        )

    def __enter__(self) -> CertifiedSolver:
        return self

    def __exit__(self, *error: object) -> None:
        """Nothing is held between two calls."""

    def solve(
        self,
        model: Any,
        *,
        tee: bool = False,
        load_solutions: bool = True,
        warmstart: bool = False,
        options: dict[str, Any] | None = None,
        keepfiles: bool = False,
        symbolic_solver_labels: bool = False,
        **keywords: Any,
    ) -> SolverResults:
        """Solve a model, and return the status and both bounds in Pyomo's form.

        Parameters
        ----------
        model : ConcreteModel
            Its variables receive the best point, and its suffixes ``dual`` and ``rc``, if it has
            them, the multipliers.
        tee : bool
            Whether to print the log.
        load_solutions : bool
            Whether to load the point and the multipliers. If not,
            ``model.solutions.load_from(results)`` does.
        warmstart : bool
            Whether to begin the search with the values of the variables.
        options, **more
            Options of the function, beside those of the solver. ``timelimit`` is ``time_limit``, in
            seconds; ``tol`` is also the MIP gap.
        keepfiles, symbolic_solver_labels : bool
            Ignored, because no files are written.

        Returns
        -------
        SolverResults
            ``solver.termination_condition``, ``problem.lower_bound`` and ``problem.upper_bound``,
            ``solver.message``. "infeasible" and "unbounded" are proved; a claim of a solver that
            nothing proves is "unknown", and the message names it.
        """
        chosen = {**self.options, **(options or {}), **keywords, "tee": tee}
        if (limit := chosen.pop("timelimit", None)) is not None:
            chosen["time_limit"] = limit
        if warmstart and not self.warm_start_capable():
            raise OptionError(
                f"warmstart: {self.call} begins with no point; pyo.SolverFactory('radprog') does"
            )
        pyo = importlib.import_module("pyomo.environ")
        variables = [v for v in model.component_data_objects(pyo.Var, active=True) if not v.fixed]
        values = [v.value for v in variables]
        suffixes = {suffix.local_name: suffix for suffix in model.component_objects(pyo.Suffix)}
        multipliers = {
            name: list(suffixes[name].items()) for name in ("dual", "rc") if name in suffixes
        }
        if warmstart and not all(v.is_continuous() for v in variables):
            chosen["start"] = ComponentMap(zip(variables, values, strict=True))
        answer = self.run(model, chosen)
        # multipliers only where the model asks for them
        for name in {"dual", "rc"} - suffixes.keys():
            model.del_component(name)
        results = self.results(model, answer, chosen)
        if not load_solutions:
            point = Solution()
            point._cuid = False
            for variable, value in zip(variables, values, strict=True):
                point.variable[variable.name] = {"Value": variable.value}
                variable.set_value(value, skip_validation=True)
            # the multipliers move from the suffixes to the results
            for name, entries in multipliers.items():
                kind = point.variable if name == "rc" else point.constraint
                for part, multiplier in suffixes[name].items():
                    kind.setdefault(part.name, {})[name.capitalize()] = multiplier
                suffixes[name].clear()
                suffixes[name].update(entries)
            if answer.objective is not None:
                results.solution.insert(point)
        return results

    def run(self, model: Any, options: dict[str, Any]) -> Any:
        """The solution or the result of a decomposition, loaded into the model."""
        call = getattr(importlib.import_module("radprog"), self.call)
        if self.call == "solve":
            return call(model, **options)
        if options.pop("tee"):
            options["observe"] = lambda record: sys.stdout.write(f"{record}\n")
        run = call(model, **options)
        if run.objective is not None:
            run.load()
        return run

    def results(self, model: Any, answer: Any, options: dict[str, Any]) -> SolverResults:
        """The answer in Pyomo's form."""
        results = SolverResults()
        results._smap_id = None
        results.problem.name = model.name
        maximised = importlib.import_module("radprog.solvers.compile").sense_of_model(model) < 0
        results.problem.sense = ProblemSense.maximize if maximised else ProblemSense.minimize
        infinite = (float("inf"), -float("inf"))[maximised]
        objective = infinite if answer.objective is None else answer.objective
        bound = -infinite if answer.bound is None else answer.bound
        results.problem.lower_bound = min(objective, bound) if maximised else bound
        results.problem.upper_bound = bound if maximised else objective
        # a status that is proved, the reason of a run, or a limit of time
        word = str(answer.status)
        reason = str(getattr(answer, "reason", ""))
        if word in ("limit", "feasible", "failed") and reason in WORDS:
            word = reason
        elif word == "limit" and options.get("time_limit") is not None:
            word = "time_limit"
        results.solver.name = f"radprog {self.call}"
        results.solver.status, results.solver.termination_condition = WORDS.get(word, OTHER)
        results.solver.message = answer.message
        results.solver.wallclock_time = answer.seconds
        return results


for _call, _doc in CALLS.items():
    _name = "radprog" if _call == "solve" else f"radprog.{_call}"
    SolverFactory.register(_name, doc=f"radprog: {_doc}")(partial(CertifiedSolver, _call))
