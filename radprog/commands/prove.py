"""``radprog prove``: prove the certificate of a result in exact arithmetic for a separate
checker.
"""

from __future__ import annotations

import argparse
import re
import shlex
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from radprog.base.errors import OptionError
from radprog.base.sections import Part, Table, amount
from radprog.terminal import common
from radprog.terminal.common import JsonObject, Options
from radprog.terminal.output import finish, interruptible_to_the_end

HELP = "prove a result in exact arithmetic, for the independent radprog/proof_checker.py"
EXAMPLES = ("prove run.json train.csv -o proof.json", "prove dual.mps -o dual.vipr")
PROGRAM = re.compile(r"\.(lp|mps)(\.gz)?$", re.IGNORECASE)


def add(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    help = "file of solve --json; or an .lp or .mps file, for a VIPR certificate"
    parser.add_argument("result", metavar="RUN.json", help=help)
    parser.add_argument("data", metavar="DATA", nargs="?", help="the data file of the fit")
    help = "for one-vs-rest, the class of the program to prove"
    parser.add_argument("--class", dest="of_class", metavar="CLASS", help=help)
    help = "write a VIPR certificate: the default for names that end in .lp or .mps"
    parser.add_argument("--vipr", action="store_true", help=help)
    common.add_output(parser, "PROOF", "the proof")
    common.add_files(parser, json="the proved values as JSON")
    help = "time limit of the command, which writes a proof only in time"
    common.add_settings(parser, time_limit=help)


def run(options: Options) -> int:
    """Write the proof, and print the exact gap between objective and bound."""
    from radprog.proof_checker import WORK, outwards, upwards
    from radprog.proofs.making import prove
    from radprog.saved import read_json

    # the suffix of a program file asks for a VIPR certificate
    if options.vipr or PROGRAM.search(options.result):
        return _vipr(options)
    if options.data is None:
        raise OptionError("the data file is missing: RUN.json DATA -o PROOF, or FILE.mps -o PROOF")
    result = read_json(options.result, "a result of radprog solve")
    proof = _in_time(
        options, lambda: prove(options.result, options.data, of_class=options.of_class)
    )
    # the proved ends, rounded outwards
    low, high = outwards(*sorted((proof.objective, proof.bound)))
    bound, objective = (low, high) if proof.bound <= proof.objective else (high, low)
    # for one-vs-rest, the proved class
    classes = result.get("machines") or ()
    proved = next((part for part in classes if part["label"] == options.of_class), result)
    table = {
        "schema": 1,
        "model": proof.model,
        "rows": proof.rows,
        "claimed": {key: proved[key] for key in ("objective", "bound")},
        "objective": objective,
        "bound": bound,
        "gap": float(proof.gap),
        "exact": proof.gap == 0,
        "vertex": proof.vertex,
        "given": proof.content["statement"]["given"],
        "bytes": len(proof.to_json()),
    }
    proof.save(options.output)
    # a check above the usual work needs its argument
    words = [options.output, options.data, upwards(Fraction(proof.work))]
    hint = f"check      python proof_checker.py {shlex.join(words)}"
    finish(options, table, [*parts(table), *[hint] * (proof.work > WORK)])
    return 0


def _vipr(options: Options) -> int:
    """Write the certificate of the linear program in a file."""
    from radprog.proofs.making import prove_program
    from radprog.saved import write_all
    from radprog.terminal.output import phase

    if options.data is not None:
        raise OptionError("a VIPR certificate is of a program file: leave DATA out")
    if options.of_class is not None:
        raise OptionError("class is of a result of radprog solve: leave it out for a program file")
    with phase(f"proving {options.result}", quiet=options.quiet, verbose=options.verbose):
        text, table = _in_time(options, lambda: prove_program(options.result))
    write_all({options.output: text})
    short = table["infeasible"] or len(table["fraction"]) <= 40
    optimum = table["fraction"] if short else f"about {table['objective']!r}"
    verdict = "infeasible" if table["infeasible"] else f"optimum {optimum}"
    size = f"{amount(table['rows'], 'row')}, {amount(table['columns'], 'column')}"
    finish(
        options,
        table,
        [f"{options.result}: {size}: {verdict}, proved of its decimals in {options.output}"],
    )
    return 0


def _in_time(options: Options, prove: Callable[[], Any]) -> Any:
    """The result of ``prove``. Raises UnfinishedError after the time limit or an interrupt."""
    return common.in_time(options, prove, interruptible_to_the_end(options))[0]


def parts(table: JsonObject) -> list[Part]:
    """Lines with the claimed and the proved values, and the exact gap."""
    from radprog.proof_checker import upwards

    points = "a vertex, solved in rational numbers" if table["vertex"] else "the floats of the run"
    gap = "0, exactly" if table["exact"] else f"{upwards(Fraction(table['gap']))}, absolute"
    keys = ("objective", "bound")
    rows = [(key, str(table["claimed"][key]), repr(table[key])) for key in keys]
    return [
        Table(head=("", "claimed", "proved"), rows=rows),
        f"gap        {gap}; points: {points}",
        *(f"given      {text}" for text in table["given"]),
    ]
