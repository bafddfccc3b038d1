"""The command line: the commands, errors and exit codes."""

from __future__ import annotations

import argparse
import functools
import sys
import traceback
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn, Protocol

from radprog.commands import (
    analyze,
    check,
    complexity,
    data,
    demo,
    export,
    load,
    predict,
    price,
    report,
    reproduce,
    solve,
    solvers,
    tune,
    verify,
)
from radprog.commands.common import Fill, add_parser
from radprog.instances.errors import OptionError, RadprogError, SolverError, safe

DESCRIPTION = """Rademacher programs: learning problems as explicit mathematical programs, solved
by decomposition with a certificate, exported for any solver.
"""

EPILOG = """exit codes:
  0  done as asked             1  stopped before that, or a mismatch: the result is still written
  2  bad input, nothing done   3  a solver that is not installed, or crashed

examples:
  radprog demo
  radprog solve vkr german.csv --scale ball --lam 1e-3 --beta 1e-3 --json run.json --save fit.json
  radprog solve vkr ionosphere.csv --scale unit --method direct --solver scip
  radprog export vkr german.csv --scale ball --form dual -o german.mps
  radprog verify german.mps --solver highs --solver scip
  radprog predict fit.json new.csv -o labels.csv
  radprog tune vkr ionosphere.csv --scale unit --grid lam=1e0..1e-6:7 --grid beta=1e0..1e-6:7
  radprog check run.json german.csv
  radprog analyze vkr german.csv --scale ball --form budget
  radprog load german.sol --names german.mps.names.json --data german.csv
  radprog solve mkl ionosphere.csv --kernels linear,rbf:1e-3..1e1 --theta 4 --variant dc
  radprog solve mkl --grams kernels.npz --norm 2 --json run.json
  radprog report run.json -o page.html
  radprog price run.json --kernels rbf:1e-6..1e3
"""


class Command(Protocol):
    """What the file of a command holds."""

    @property
    def HELP(self) -> str:
        """What it does."""
        ...

    @property
    def EXAMPLES(self) -> Sequence[str]:
        """How it is called."""
        ...

    def add(self, parser: argparse.ArgumentParser) -> None:
        """Give its parser the options."""
        ...

    def run(self, options: argparse.Namespace) -> int:
        """Do it; the exit code."""
        ...


COMMANDS: Mapping[str, Command] = {
    "solve": solve,
    "export": export,
    "tune": tune,
    "complexity": complexity,
    "analyze": analyze,
    "verify": verify,
    "predict": predict,
    "check": check,
    "load": load,
    "report": report,
    "price": price,
    "data": data,
    "solvers": solvers,
    "reproduce": reproduce,
    "demo": demo,
}


class Parser(argparse.ArgumentParser):
    """One line on stderr and exit code 2 for any misuse; options are added at the first use."""

    def __init__(self, *, fill: Fill | None = None, **how: Any) -> None:
        super().__init__(**how)
        self._fill = fill

    def error(self, message: str) -> NoReturn:
        print(safe(f"radprog: error: {message} (see '{self.prog} --help')"), file=sys.stderr)
        raise SystemExit(2)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Leftovers are reported by the command that they were given to, not by the top."""
        if self._fill is not None:
            fill, self._fill = self._fill, None
            fill(self)
        known, left = super().parse_known_args(args, namespace)
        if left:
            self.error(f"unknown option or argument: {' '.join(left)}")
        return known, left


class _Version(argparse.Action):
    """Print the version, which is looked up when it is asked for."""

    def __call__(self, parser: argparse.ArgumentParser, *given: Any) -> NoReturn:
        from importlib.metadata import version

        print(f"radprog {version('radprog')}")
        parser.exit()


@functools.cache
def build_parser() -> argparse.ArgumentParser:
    """Every command; the options of one are added when it is asked for."""
    top = Parser(
        prog="radprog",
        description=DESCRIPTION,
        epilog=EPILOG,
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    top.add_argument(
        "--version", action=_Version, nargs=0, help="show program's version number and exit"
    )
    subparsers = top.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, command in COMMANDS.items():
        add_parser(subparsers, name, command.HELP, command.EXAMPLES, command.add)
    return top


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code."""
    given = argparse.Namespace(debug=False)
    try:
        given = build_parser().parse_args(arguments)
        return COMMANDS[given.command].run(given)
    except RadprogError as error:
        return _refused(given, str(error), error.exit_code)
    except MemoryError:
        return _refused(given, "out of memory", OptionError.exit_code)
    except KeyboardInterrupt:
        return _refused(given, "interrupted before there was a result", 1)
    except BrokenPipeError:  # the reader of stdout has gone
        return 1
    except Exception as error:
        return _refused(
            given,
            f"unexpected {type(error).__name__}: {error} (a defect of radprog: see --debug)",
            SolverError.exit_code,
        )


def _refused(given: argparse.Namespace, message: str, code: int) -> int:
    """Called while an exception is handled: say what is wrong in one line."""
    if given.debug:
        traceback.print_exc()
    print(safe(f"radprog: error: {' '.join(message.split())}"), file=sys.stderr)
    return code
