"""The command line: commands, errors and exit codes."""

from __future__ import annotations

import argparse
import functools
import importlib
import logging
import sys
import time
import traceback
import warnings
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from typing import Any

from radprog.base.errors import MALFORMED, OptionError, RadprogError, SolverError
from radprog.terminal.output import coloured, probe, say, worded
from radprog.terminal.parser import Parser, add_parser, listed

DESCRIPTION = """Mathematical programs solved by decomposition, with a bound that you can recompute.
Decide: a Pyomo model, or an .mps or .lp file. Learn: sparse classifiers. Prove: papers as programs.
"""

EXIT_CODES = """exit codes:
  0  done as asked             1  stopped before that, or a mismatch: the result is still written
  2  bad input, nothing done   3  a solver that is not installed, or crashed;
                                  of certify also a file that cannot be read
"""

#: The commands in the order of the help. Each is a file in ``radprog/commands`` with HELP,
#: EXAMPLES, ``add`` for its options, and ``run``, which returns the exit code.
ORDER = (
    "solve export tune complexity analyze diff verify certify decompose predict check prove load "
    "report price bounds solvers demo"
)
COMMANDS: Mapping[str, Any] = {
    name: importlib.import_module(f"radprog.commands.{name}") for name in ORDER.split()
}


@functools.cache
def build_parser() -> argparse.ArgumentParser:
    """The parser of all commands; the options of a command are added at its first use."""
    examples = [command.EXAMPLES[0] for command in COMMANDS.values()]
    top = Parser(
        prog="radprog",
        description=DESCRIPTION,
        epilog=f"{EXIT_CODES}\n{listed(examples)}",
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    subparsers = top.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, command in COMMANDS.items():
        codes = getattr(command, "CODES", "")  # the meaning of its own exit codes
        add_parser(subparsers, name, command.HELP, command.EXAMPLES, command.add, codes)
    return top


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return the exit code.

    Without arguments it runs the command line of this process. The time limit then includes the
    start of the process.
    """
    options, top = argparse.Namespace(debug=False, quiet=False), build_parser()
    if arguments is None:  # warnings as all other lines, without the place in the code
        warnings.showwarning = lambda text, *_: say(options, str(text), warning=True)
    # the start of the interpreter counts towards a time limit
    began = time.perf_counter() - (time.process_time() if arguments is None else 0.0)
    try:
        # the exit code is that of the command, or of its error
        if not (sys.argv[1:] if arguments is None else arguments):
            top.print_help(sys.stderr)  # as git and ruff do
            return OptionError.exit_code
        options = top.parse_args(arguments)
        options.began, options.parser = began, top
        level = logging.ERROR if options.quiet else logging.WARNING
        logging.getLogger("radprog").setLevel(level)
        probe(options)
        with ExitStack() as options.ending:
            code: int = COMMANDS[options.command].run(options)
        return code
    except RadprogError as error:
        return _print_error(options, str(error), error.exit_code)
    except MemoryError:
        return _print_error(options, "out of memory", OptionError.exit_code)
    except KeyboardInterrupt:
        return _print_error(options, "interrupted before there was a result", 1)
    except BrokenPipeError:  # the reader of stdout has gone
        return 1
    except OSError as error:  # of the system, such as a deleted working folder
        place = "the working folder" if error.filename is None else str(error.filename)
        return _print_error(options, f"{place}: {error.strerror}", OptionError.exit_code)
    except Exception as error:
        # the reader of a result or fit does not see every entry that its printer needs
        file = getattr(options, "result", None) or getattr(options, "fit", None)
        if isinstance(file, str) and isinstance(error, (*MALFORMED, RecursionError)):
            reason = f"{file}: its content cannot be used: {type(error).__name__}: {error}"
            return _print_error(options, reason, OptionError.exit_code)
        reason = f"unexpected {type(error).__name__}: {error}"
        reason += " (a defect of radprog, or of a package that adds to it: see --debug)"
        return _print_error(options, reason, SolverError.exit_code)


def _print_error(options: argparse.Namespace, message: str, code: int) -> int:
    """Print an error in one line, and return the exit code."""
    if options.debug:
        traceback.print_exc()
    line = f"radprog: error: {worded(' '.join(message.split()), options)}"
    print(coloured(line, sys.stderr), file=sys.stderr)
    return code
