"""``radprog decompose``: take a compact program apart, and prove an answer in its own variables."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from radprog.base.sections import bounded, few
from radprog.terminal import common
from radprog.terminal.common import Options
from radprog.terminal.output import finish, interruptible_to_the_end, say, show, status_word

if TYPE_CHECKING:
    from radprog.decompositions.programs.compact import CompactRun

HELP = "solve an .lp or .mps file by its blocks, with a bound"
EXAMPLES = (
    "decompose plan.mps --time-limit 60 -o plan.sol",
    "decompose plan.mps --linking 'demand*' --method dantzig-wolfe --json run.json",
    "decompose plan.mps.gz --blocks plan.dec --plot blocks.png",
)
CODES = """exit codes:
  0  answered: optimal, infeasible or unbounded; the first line says by what
  1  stopped before that: the best point and the bound are written
  2  bad input: nothing is written
  3  a solver that is not installed, or crashed
"""


def add(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("program", metavar="MODEL", help="an .lp or .mps file (also .gz)")
    help = "auto also runs a solver on the whole program, and ends with the first (default)"
    methods = ("auto", "dantzig-wolfe", "benders")
    parser.add_argument("--method", choices=methods, default="auto", help=help)
    group = parser.add_mutually_exclusive_group()
    group.add_argument("--blocks", metavar="FILE.dec", help="the block of each row, as GCG's files")
    pattern: Any = {"metavar": "PATTERN", "action": "append"}
    help = "names of the rows and columns that link, as 'demand*,stock*'; repeatable"
    group.add_argument("--linking", help=help, **pattern)
    help = "names of the columns of the first stage, for Benders; repeatable"
    group.add_argument("--first", help=help, **pattern)
    common.add_settings(parser, tol=None, abs_tol=None, time_limit=None, seed=None)
    common.add_sharing(parser, checkpoint=False)
    help = "solution file with a point of the program, by any solver: the answer is never worse"
    parser.add_argument("--start", metavar="FILE.sol", help=help)
    help = "file for the best point and the tree or the cuts, from which a stopped command goes on"
    parser.add_argument("--checkpoint", metavar="FILE", help=help)
    parser.add_argument("-o", "--output", metavar="ANSWER.sol", help="write the best point")
    help = "picture of the matrix, as given and by blocks"
    common.add_files(parser, json="the result as JSON", plot=help)


def run(options: Options) -> int:
    """Print the answer and return the exit code: 0 if it is final, otherwise 1."""
    from radprog.decompositions.programs.compact import (
        benders,
        dantzig_wolfe,
        find_structure,
        program_of_model,
    )
    from radprog.solvers.foreign import start_of, turned
    from radprog.solvers.program import Status
    from radprog.terminal.output import progress

    program = program_of_model(options.program)
    named = options.linking, options.blocks, options.first
    structure = find_structure(program, *named, method=options.method)
    # the next best structures are for those who want to know more
    lines = f"{options.program}: {structure}".splitlines()
    show(options, [line for line in lines if options.verbose or not line.startswith("  or ")])
    if options.plot is not None:
        structure.plot(options.plot)
        say(options, f"{options.plot}: {structure.alt}")
    names = ("tol", "abs_tol", "time_limit", "seed", "jobs", "scheduler", "checkpoint")
    settings = common.chosen(options, *names)
    if options.start is not None:
        settings["start"] = start_of(options.program, program, options.start)
    interruptible_to_the_end(options)
    with progress(quiet=options.quiet, verbose=options.verbose) as observe:
        settings |= {"structure": structure, "observe": observe}
        if options.method == "benders":
            result = benders(program, **settings)
        else:
            result = dantzig_wolfe(program, method=options.method, **settings)
    summary = "" if result.structure is structure else f"taken apart by {result.structure}"
    written, lacking = options.output is not None and result.objective is not None, []
    if written:
        result.write(options.output)
    elif options.output is not None:
        lacking = [f"{options.output}: not written, as there is no point"]
    lines = [*summary.splitlines(), *_lines(result, options, program.sense)]
    lines += turned(options.program)
    finish(options, _json(options, result), lines, warnings=lacking)
    answers = (Status.OPTIMAL, Status.INFEASIBLE, Status.UNBOUNDED)
    return 0 if result.status in answers else 1


def _json(options: Options, result: CompactRun) -> dict[str, Any]:
    """The result with the keys of its JSON."""
    return {
        "schema": 1,
        "model": str(options.program),
        "status": result.status.value,
        "objective": result.objective,
        "bound": result.bound,
        "bound_by": result.bound_by,
        "gap": result.gap,
        "proved_by": result.proved_by,
        "method": result.method,
        "bounds": dict(result.bounds),
        "stopped_by": result.reason.value,
        "nodes": result.nodes,
        "columns": result.columns,
        "root_bound": result.root_bound,
        "multipliers": result.multipliers and dict(result.multipliers),
        "message": result.message,
        "time": {"total": result.seconds},
        "structure": result.structure.to_dict(),
    }


def _lines(result: CompactRun, options: Options, sense: int) -> list[str]:
    """The answer in words, to a program with this sense of optimisation."""
    proof = {
        "duals": ", proved by multipliers",
        "tree": ", proved by the tree: every bound is recomputed",
        "solver": ", by a solver's search, which is not proved",
    }
    proved = proof.get(result.proved_by or "", "")
    if result.status == "unbounded":
        proved = ", proved by a point and a ray"
    elif result.status == "infeasible" and result.method == "compact":
        # the message says what else proves it
        other = {"duals": ", proved", "tree": ", proved by a tree in rational numbers"}
        proved = other.get(result.proved_by or "", proved)
    first = f"{status_word(result.status.value, result.gap, options.tol or 0.0)}{proved}"
    values = {"objective": result.objective, "bound": result.bound}
    parts = [f"{name} {value:.10g}" for name, value in values.items() if value is not None]
    parts += [f"no {name}" for name, value in values.items() if value is None]
    if result.bound_by and not proved:
        parts.append(f"bound {'by a solver' if result.bound_by == 'solver' else 'recomputed'}")
    if result.gap is not None:
        parts.append(f"gap {result.gap:.1e}")
    # what the way took
    words = ("round", "cut") if result.method == "benders" else ("node", "column")
    counts = (
        f"{number:,} {word}{'s' * (number != 1)}"
        for number, word in zip((result.nodes, result.columns), words, strict=True)
    )
    way = f"{result.method}: {', '.join(counts)}, {result.seconds:.1f} s"
    if result.method == "compact":
        way = f"compact: a solver on the whole program, {result.seconds:.1f} s"
    lines = [f"{first}: {', '.join(parts)}", way]
    if len(result.bounds) > 1:
        lines.append("bounds: " + ", ".join(f"{k} {b:.10g}" for k, b in result.bounds.items()))
    prices = {name: price for name, price in (result.multipliers or {}).items() if price}
    if prices:
        dearest = sorted(prices, key=lambda name: -abs(prices[name]))
        listed = few([f"{name} {prices[name]:.6g}" for name in dearest])
        root = bounded(result.root_bound, ".6g", up=sense < 0)
        lines.append(f"linking rows, dearest first: {listed}; root bound {root}")
    elif result.method == "compact" and result.structure.linking_rows.size:
        lines.append("no prices of linking rows: a solver took the whole program")
    goes_on = result.reason.premature and f"{options.checkpoint} has " in result.message
    message = result.message + "; the same command goes on" * goes_on
    return [*lines, *([message] if message else [])]
