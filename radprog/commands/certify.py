"""``radprog certify``: prove or refute any solver's answer to a program in a file."""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from radprog.base.errors import SOLUTION_FILES, DataError, RadprogError, UnfinishedError
from radprog.terminal import common
from radprog.terminal.common import JsonObject, Options
from radprog.terminal.output import finish, interruptible_to_the_end, say, show, status_word

if TYPE_CHECKING:
    from radprog.decompositions.own.certify import Certificate

HELP = "prove any solver's answer to an LP, convex QP or MIP in a file"
EXAMPLES = (
    "certify plan.mps answer.sol",
    "certify plan.lp answer.sol --tol 1e-9 --prove plan.vipr --json verdict.json",
)
CODES = """exit codes:
  0  the claim is proved, by multipliers or by --prove: an optimum, infeasible, or unbounded
  1  it is not: violated rows are named, worst first, or why the bound is too far
  2  wrong usage, or a program of another class: nothing is written
  3  a file cannot be read, or a solver crashed
"""
VERDICT = (
    *("holds", "status", "claimed", "objective", "bound", "gap", "certified", "certified_by"),
    *("claim", "violation", "worst", "message"),
)  # what the JSON verdict takes from the certificate
MEANING = {
    "optimal": "optimal, proved",
    "feasible": "feasible, not proved optimal",
    "violated": "NOT FEASIBLE",
    "infeasible": "infeasible, proved",
    "unbounded": "unbounded, proved by a feasible point and a ray",
    "unproved": "the claim is not proved",
}


def add(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("program", metavar="MODEL", help="an .lp or .mps file (also .gz)")
    help = (
        f"solution file of {SOLUTION_FILES}. Its row values and reduced costs are recomputed, and "
        "not compared"
    )
    parser.add_argument("answer", metavar="ANSWER.sol", help=help)
    common.add_settings(parser, tol=None, abs_tol=None, time_limit="time limit of --prove")
    common.add_files(
        parser,
        prove="write a proof of the optimum of a linear MODEL, also with integers, in rational "
        "numbers, of the file's decimals (VIPR); it proves an answer that has this value",
        json="the verdict as JSON",
    )


def run(options: Options) -> int:
    """Print the verdict and return the exit code.

    The code is 0 if the claim is proved, 1 if it is unproved or false, and 3 if a file cannot be
    read.
    """
    from radprog.decompositions.own.certify import certify

    try:
        settings = common.chosen(options, "tol", "abs_tol")
        certificate = certify(options.program, options.answer, **settings)
    except DataError as error:
        error.exit_code = 3  # exit code: one of the files cannot be read
        raise
    # a proof of the optimum is a bound, also of a program with integers
    proof, refused, by_proof = None, None, False
    pressed = interruptible_to_the_end(options)
    if options.prove is not None:
        from radprog.proofs.making import prove_program

        try:
            program = options.program
            (text, proof), _ = common.in_time(options, lambda: prove_program(program), pressed)
        except RadprogError as error:
            refused = error
        if proof is not None:
            relaxed, optimum = certificate, None if proof["infeasible"] else proof["objective"]
            certificate = relaxed.with_optimum(optimum, **settings)
            by_proof = certificate.status not in (relaxed.status, "feasible", "unproved")
    # the violated rows, bounds and integrality conditions, each with its sizes
    violated = [
        {"name": name, "by": relative, "part": part, "absolute": absolute, "scale": scale}
        for (name, relative), (part, absolute, scale) in zip(
            certificate.violated, certificate.parts, strict=True
        )
    ]
    lines = _lines(options, certificate, violated)
    verdict = {
        "schema": 1,
        "model": str(options.program),
        "answer": str(options.answer),
        **{name: getattr(certificate, name) for name in VERDICT},
        "violated": violated,
        "ray": [{"name": name, "value": value} for name, value in certificate.ray],
    }
    if refused is not None:  # the verdict first; with a class of no proof, nothing is written
        if isinstance(refused, UnfinishedError):
            finish(options, verdict, lines)
        else:
            show(options, lines)
        raise refused
    files, notes = dict[str, str | bytes](), list[str]()
    if proof is not None:
        verdict["exact"] = proof["fraction"]
        verdict["exact_status"] = "infeasible" if proof["infeasible"] else "optimal"
        verdict["proved_by"] = "proof" if by_proof else None
        files[options.prove] = text
        optimum = f"the optimum of the program is {proof['fraction']}"
        proved = "the program is infeasible" if proof["infeasible"] else optimum
        notes.append(f"{proved}, in rational numbers, of the file's decimals: {options.prove}")
        if proof["infeasible"] and certificate.status == "feasible":
            notes.append("the point of the answer is feasible within a tolerance only")
    finish(options, verdict, lines, files=files)
    say(options, *notes)
    return 0 if certificate.holds else 1


def _lines(options: Options, certificate: Certificate, violated: Sequence[JsonObject]) -> list[str]:
    """The verdict in one line, with its reasons in further lines."""
    from radprog.analysis.program_page import ray_lines
    from radprog.solvers.foreign import turned

    program, numbers = options.program, ""
    if certificate.objective is not None:
        numbers = f": objective {certificate.objective:.10g}"
        if math.isfinite(certificate.bound):
            numbers += f", bound {certificate.bound:.10g}"
        if certificate.gap is not None and math.isfinite(certificate.gap):
            numbers += f", gap {certificate.gap:.3g}"
        # absolute, of a point that counts as feasible, as each is at most 1e-6 of its scale
        if certificate.worst and not certificate.violated:
            numbers += f", violation {certificate.violation:.1e} of {certificate.worst}"
    # a false claim first: the rest is about the point, not about the claim
    word = status_word(certificate.status, certificate.gap, options.tol or 0.0)
    verdict = MEANING[certificate.status].replace(certificate.status, word) + numbers
    lines = [f"{program}: {verdict}"]
    if not certificate.agrees:
        lines = [f"{program}: claimed {certificate.wrong}"]
        lines += [f"verdict    {verdict}"] * (certificate.status != "unproved")
    lines += [f"note       {note}" for note in turned(program)]
    lines += ray_lines(certificate.ray)
    lines += [f"why        {certificate.message}"] * bool(certificate.message)
    # the five largest violations
    lines += [
        f"violated   {row['part']} {row['name']} by {row['absolute']:.3g}: {row['by']:.3g} of its "
        f"scale {row['scale']:.3g}"
        for row in violated[:5]
    ]
    lines += [f"violated   {len(violated[5:])} more"] * bool(violated[5:])
    return lines
