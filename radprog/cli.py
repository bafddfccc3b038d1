"""The command line: options, errors and exit codes; the work is done in ``radprog.commands``."""

from __future__ import annotations

import argparse
import importlib
import importlib.metadata
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, fields
from typing import Any, NoReturn

from radprog.catalog import CATALOG, Entry
from radprog.instances.errors import OptionError, RadprogError, SolverError
from radprog.instances.scaling import SCALINGS
from radprog.instances.tabular import MISSING as MISSING_RULES
from radprog.reproduce import TABLES

DESCRIPTION = """Rademacher programs: learning problems as explicit mathematical programs, solved
by decomposition with a certificate, exported for any solver.
"""

DATA = "CSV, TSV, svmlight or ARFF"
SERIES = "series: UCR .tsv or .txt, .ts; or bags of patterns: .npz"
PROTOCOLS = ("cv", "paper", "holdout")
CRITERIA = {
    "error": "error: of labels held out",
    "bound": "bound: the generalisation bound",
    "distortion": "distortion: squares within the clusters of the embedding",
    "objective": "objective: the monitored one, relative to uniform weights",
    "eigengap": "eigengap: the largest one",
}

EXAMPLES = """exit codes:
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


class _Parser(argparse.ArgumentParser):
    """One line on stderr and exit code 2 for any misuse."""

    def error(self, message: str) -> NoReturn:
        print(f"radprog: error: {message} (see '{self.prog} --help')", file=sys.stderr)
        raise SystemExit(2)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Leftovers are reported by the command that they were given to, not by the top."""
        known, left = super().parse_known_args(args, namespace)
        if left:
            self.error(f"unknown option or argument: {' '.join(left)}")
        return known, left


def _parser(add: Any, name: str, help: str, *examples: str) -> _Parser:
    lines = "".join(f"\n  radprog {example}" for example in examples)
    parser: _Parser = add(
        name,
        help=help,
        description=help,
        epilog=f"example{'s' * (len(examples) > 1)}:{lines}",
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    return parser


def _flag(name: str) -> str:
    return "--" + name.replace("_", "-")


def _add_model_options(
    parser: argparse.ArgumentParser, entry: Entry, leave_out: Sequence[str] = ()
) -> None:
    group = parser.add_argument_group(f"options of {entry.name}")
    for field in fields(entry.spec):
        if field.name in leave_out:
            continue
        default = None if field.default is MISSING else field.default
        if isinstance(default, bool):
            group.add_argument(
                _flag(field.name),
                dest=field.name,
                action="store_const",
                const=not default,
                default=argparse.SUPPRESS,
                help=field.metadata["help"],
            )
            continue
        shown = "" if default is None else f" (default {default})"
        group.add_argument(
            _flag(field.name),
            dest=field.name,
            type=field.metadata["parse"],
            default=argparse.SUPPRESS,
            help=field.metadata["help"] + shown,
        )


DATA_OPTIONS: Mapping[str, dict[str, Any]] = {
    "label": {
        "help": "label column: last, first, none, name, or number from 0 (last; of series first)"
    },
    "scale": {"choices": SCALINGS, "help": "scaling of the features (none)"},
    "missing": {"choices": MISSING_RULES, "help": "missing cells (error)"},
    "positive": {"help": "the label that becomes +1 (the second in order)"},
    "one_vs_rest": {
        "action": "store_true",
        "default": None,
        "help": "accept more than two classes: one machine per class",
    },
    "strings": {
        "metavar": "COLUMN",
        "help": "column of texts, name or number from 0, for the kernel edit",
    },
    "views": {"metavar": "A,B", "help": "files of several views of the same points, for DATA"},
    "classes": {"metavar": "LIST", "help": "the labels to keep, two or more (all)"},
}


def _add_data(parser: argparse.ArgumentParser, entry: Entry) -> None:
    others = (
        ", several joined by commas as views, or .npz of kernel matrices; none with "
        + " or ".join(f"--{name}" for name in entry.in_place_of_data)
        if entry.in_place_of_data
        else ""
    )
    nargs = "?" if entry.in_place_of_data else None
    parser.add_argument(
        "data", metavar="DATA", nargs=nargs, help=(SERIES if entry.stratified else DATA) + others
    )


def _add_data_options(parser: argparse.ArgumentParser, entry: Entry) -> None:
    group = parser.add_argument_group("data options")
    for name in entry.data_options:
        group.add_argument(_flag(name), **DATA_OPTIONS[name])


def _add_run_options(
    parser: argparse.ArgumentParser, entry: Entry, time_limit: str = "keeps the best answer so far"
) -> None:
    group = parser.add_argument_group("run options")
    group.add_argument("--method", choices=entry.methods, help=f"default {entry.methods[0]}")
    group.add_argument("--solver", help="highs, piqp, libsvm, ipopt, scip, clarabel or pyomo:NAME")
    group.add_argument("--tol", type=float, help="relative gap of a certificate (1e-6)")
    group.add_argument("--abs-tol", type=float, help="absolute gap of a certificate (1e-9)")
    group.add_argument("--time-limit", type=float, metavar="SECONDS", help=time_limit)
    group.add_argument("--max-iter", type=int, metavar="N", help="iterations of the method")
    group.add_argument("--seed", type=int, help="seed of everything random (0)")
    group.add_argument("--threads", type=int, help="threads of the solver (1)")
    group.add_argument(
        "--solver-option", action="append", default=[], metavar="K=V", help="passed to the solver"
    )
    group.add_argument("--log", metavar="FILE", help="log of the solver")


def _add_talk_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("messages")
    either = group.add_mutually_exclusive_group()
    either.add_argument("--quiet", action="store_true", help="no progress, no summary")
    either.add_argument("--verbose", action="store_true", help="one line per iteration or fit")
    group.add_argument("--debug", action="store_true", help="show the traceback of an error")


def _models(parser: argparse.ArgumentParser) -> Any:
    return parser.add_subparsers(
        dest="model", metavar="MODEL", required=True, parser_class=_Parser
    ).add_parser


def build_parser() -> argparse.ArgumentParser:
    """Every command with its options and examples."""
    top = _Parser(
        prog="radprog",
        description=DESCRIPTION,
        epilog=EXAMPLES,
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    top.add_argument(
        "--version", action="version", version=f"radprog {importlib.metadata.version('radprog')}"
    )
    add = top.add_subparsers(
        dest="command", metavar="COMMAND", required=True, parser_class=_Parser
    ).add_parser

    solve = _models(
        _parser(
            add,
            "solve",
            "build, solve with a certificate, report, save",
            "solve vkr german.csv --scale ball --json run.json --save fit.json",
            "solve svm german.csv --scale ball --kernels rbf:0.1 --C 10 --test new.csv",
        )
    )
    export = _models(
        _parser(
            add,
            "export",
            "build a program and write it for any solver",
            "export vkr german.csv --scale ball --form dual -o german.mps",
        )
    )
    tune = _models(
        _parser(
            add,
            "tune",
            "choose settings over a grid, every fit certified",
            "tune vkr german.csv --scale ball --grid lam=1e0..1e-6:7 --grid beta=1e-1,1e-3",
        )
    )
    complexity = _models(
        _parser(
            add,
            "complexity",
            "estimate the Rademacher complexity of a classifier's class",
            "complexity vkr german.csv --scale ball --kernels poly:1-10 --trials 1000",
            "complexity mkl sonar.csv --kernels rbf:1e-3..1e1 --theta 4",
            "solve complexity sinc.csv --gamma 1 --A 2        # classes of regressors",
        )
    )
    analyze = _models(
        _parser(
            add,
            "analyze",
            "what binds, what a unit is worth, how far numbers can move, what conflicts",
            "analyze vkr german.csv --scale ball --form budget",
            "analyze vkr german.csv --scale ball --fix slack=0 --json analysis.json",
            "analyze vkr small.csv --scale ball --path beta=1e-4..1e-1 --validate new.csv",
        )
    )
    for entry in CATALOG.values():
        _add_solve(solve, entry)
        if entry.classes is not None:
            _add_complexity(complexity, entry)
        if entry.forms:
            _add_export(export, entry)
            _add_analyze(analyze, entry)
        if entry.criteria is not None:
            _add_tune(tune, entry)
    _add_file_commands(add)
    _add_report(add)
    _add_price(add)
    _add_other_commands(add)
    return top


def _new(entry: Entry) -> str:
    """A file of new rows, of the kind of the example."""
    return "new." + entry.example.split()[0].rpartition(".")[2]


def _add_solve(add: Any, entry: Entry) -> None:
    name = entry.name
    parser = _parser(
        add,
        name,
        f"solve: {entry.title}",
        f"solve {name} {entry.example} --json run.json --plot run.png",
        f"solve {name} {entry.example} --save fit.json --test {_new(entry)} --time-limit 60",
    )
    _add_data(parser, entry)
    _add_model_options(parser, entry, leave_out=entry.form_options)
    _add_data_options(parser, entry)
    _add_run_options(parser, entry)
    group = parser.add_argument_group("results")
    group.add_argument("--json", metavar="FILE|-", help="the whole result as JSON")
    group.add_argument("--save", metavar="FIT", help="save the predictor, as JSON")
    group.add_argument(
        "--start", metavar="FIT", help="start from a saved fit, where the method can"
    )
    group.add_argument("--test", metavar="DATA2", help="also report the error on this data")
    group.add_argument(
        "--plot", metavar="FILE.png", help="convergence and what was found: .png, .svg or .pdf"
    )
    _add_talk_options(parser)
    parser.set_defaults(run="solve")


def _add_export(add: Any, entry: Entry) -> None:
    name = entry.name
    parser = _parser(
        add,
        name,
        f"export: {entry.title}",
        *(f"export {name} {entry.example} --form {f} -o {f}.mps" for f in entry.forms[:2]),
    )
    _add_data(parser, entry)
    parser.add_argument("--form", choices=entry.forms, help=f"default {entry.forms[0]}")
    parser.add_argument(
        "-o", "--output", required=True, metavar="FILE", help=".lp, .mps, either .gz, or .nl"
    )
    _add_model_options(parser, entry)
    _add_data_options(parser, entry)
    _add_run_options(parser, entry)
    _add_talk_options(parser)
    parser.set_defaults(run="export")


def _add_analyze(add: Any, entry: Entry) -> None:
    name = entry.name
    parser = _parser(
        add,
        name,
        f"analyze a program: {entry.title}",
        *(f"analyze {name} {entry.example} --form {form}" for form in entry.forms[:2]),
    )
    _add_data(parser, entry)
    parser.add_argument("--form", choices=entry.forms, help=f"default {entry.forms[0]}")
    parser.add_argument(
        "--fix",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="fix a variable of the program, or all of a name: slack=0 demands every margin",
    )
    parser.add_argument("--top", type=int, default=10, help="rows of every table (10)")
    parser.add_argument("--json", metavar="FILE|-", help="the whole analysis as JSON")
    if entry.pather is not None:
        group = parser.add_argument_group("exact path in one parameter")
        group.add_argument(
            "--path", metavar="NAME=FROM..TO", help="the optimum over an interval of a parameter"
        )
        group.add_argument(
            "--validate", metavar="DATA2", help="where on the path the error on this data is least"
        )
        group.add_argument("--rows", type=int, metavar="N", help="most rows of DATA (200)")
        group.add_argument(
            "--plot", metavar="FILE.png", help="value, trade-off curve and validation error"
        )
    _add_model_options(parser, entry)
    _add_data_options(parser, entry)
    _add_run_options(parser, entry, time_limit="of each program that is solved")
    _add_talk_options(parser)
    parser.set_defaults(run="analyze", module="radprog.commands_analysis")


def _add_tune(add: Any, entry: Entry) -> None:
    name = entry.name
    parser = _parser(
        add,
        name,
        f"tune: {entry.title}",
        f"tune {name} {entry.example} {entry.grid_example}",
        f"tune {name} {entry.example} {entry.grid_example} --seed 1 --save fit.json",
    )
    _add_data(parser, entry)
    parser.add_argument(
        "--grid",
        action="append",
        required=True,
        metavar="NAME=LIST",
        help="values of an option: comma-separated, or a..b:N (N points, log-spaced); "
        "kernels, length: each is tried alone, or whole lists separated by ';'",
    )
    criteria = entry.criteria or ()
    if "error" in criteria:
        parser.add_argument("--folds", type=int, default=5, help="number of folds (5)")
    if entry.tuner is None:
        parser.add_argument(
            "--protocol",
            choices=PROTOCOLS,
            default="cv",
            help="cv: each fold validates once (default); paper: fold i tests, i + 1 validates; "
            "holdout: the first fold validates",
        )
    parser.add_argument(
        "--by",
        choices=criteria,
        default=criteria[0],
        help=f"what is least (default {criteria[0]}): " + "; ".join(CRITERIA[c] for c in criteria),
    )
    _add_model_options(parser, entry, leave_out=entry.form_options)
    _add_data_options(parser, entry)
    _add_run_options(parser, entry, time_limit="of the whole command")
    group = parser.add_argument_group("results")
    group.add_argument("--json", metavar="FILE|-", help="the whole table as JSON")
    group.add_argument("--save", metavar="FIT", help="fit all rows with the choice and save it")
    _add_talk_options(parser)
    parser.set_defaults(run="tune")


def _add_complexity(add: Any, entry: Entry) -> None:
    name = entry.name
    parser = _parser(
        add,
        name,
        f"complexity: {entry.title}",
        f"complexity {name} {entry.example} --trials 1000 --json complexity.json",
    )
    _add_data(parser, entry)
    group = parser.add_argument_group("estimate")
    group.add_argument("--trials", type=int, default=100, help="random sign vectors (100)")
    group.add_argument(
        "--exact", action="store_true", help="all sign vectors in place of random ones (few points)"
    )
    group.add_argument(
        "--kind",
        choices=("rademacher", "discrepancy"),
        default="rademacher",
        help="discrepancy: sign vectors that sum to 0 (default rademacher)",
    )
    group.add_argument("--seed", type=int, default=0, help="of the sign vectors (0)")
    group.add_argument("--time-limit", type=float, metavar="SECONDS", help="keeps what is done")
    group.add_argument("--json", metavar="FILE|-", help="the whole table as JSON")
    _add_model_options(parser, entry, leave_out=(*entry.form_options, "trials"))
    _add_data_options(parser, entry)
    _add_talk_options(parser)
    parser.set_defaults(run="complexity")


def _add_file_commands(add: Callable[..., Any]) -> None:
    verify = _parser(
        add,
        "verify",
        "solve an exported file and compare with its names.json",
        "verify german.mps",
        "verify german.mps --solver highs --solver scip --solver glpk --json verdict.json",
    )
    verify.add_argument("file", metavar="FILE", help="an exported .lp or .mps, or .gz of one")
    verify.add_argument(
        "--solver",
        action="append",
        metavar="NAME",
        help="highs, scip, glpk, cbc or lp_solve; may be given several times (highs)",
    )
    verify.add_argument("--time-limit", type=float, metavar="SECONDS", help="of each solver")
    verify.add_argument("--json", metavar="FILE|-", help="the verdicts as JSON")
    _add_talk_options(verify)
    verify.set_defaults(run="verify")

    predict = _parser(
        add,
        "predict",
        "labels and scores of a saved fit",
        "predict fit.json new.csv -o labels.csv",
        "predict fit.json features.csv --label none -o -",
    )
    predict.add_argument("fit", metavar="FIT", help="what --save wrote")
    predict.add_argument(
        "data",
        metavar="DATA",
        nargs="?",
        help="the training data's columns, label or not; views: files joined by commas; "
        "a fit on --grams: .npz of K, or none and --cross",
    )
    predict.add_argument(
        "-o",
        "--output",
        required=True,
        metavar="OUT.csv",
        help="columns label, score, row; - is stdout",
    )
    predict.add_argument("--label", help="none: the data has no label column")
    predict.add_argument(
        "--cross", metavar="FILE.npy", help="values of given kernels, new points x training points"
    )
    _add_talk_options(predict)
    predict.set_defaults(run="predict")

    check = _parser(
        add,
        "check",
        "recompute the certificate of a result without any solver",
        "check run.json german.csv",
    )
    check.add_argument("result", metavar="RUN.json", help="what solve --json wrote")
    check.add_argument("data", metavar="DATA", help="the data file that it was solved on")
    check.add_argument("--json", metavar="FILE|-", help="claimed and recomputed values as JSON")
    _add_talk_options(check)
    check.set_defaults(run="check")

    load = _parser(
        add,
        "load",
        "another solver's solution of an exported file, back as a certified result",
        "load german.sol --names german.mps.names.json --data german.csv --json run.json",
        "load primal.sol --names primal.lp.names.json --data german.csv \\\n"
        "      --dual-sol dual.sol --dual-names dual.lp.names.json",
    )
    load.add_argument("solution", metavar="SOL", help="of HiGHS, SCIP, GLPK (-w), CBC or Gurobi")
    load.add_argument("--names", required=True, metavar="NAMES.json", help="written by export")
    load.add_argument(
        "--data", metavar="DATA", help="what was exported (default: its --grams or --views)"
    )
    load.add_argument(
        "--dual-sol", metavar="SOL2", help="solution of the exported dual form, for the bound"
    )
    load.add_argument("--dual-names", metavar="NAMES2.json", help="names of the dual form")
    load.add_argument("--tol", type=float, help="relative gap of a certificate (1e-6)")
    load.add_argument("--abs-tol", type=float, help="absolute gap of a certificate (1e-9)")
    load.add_argument("--json", metavar="FILE|-", help="the whole result as JSON")
    load.add_argument("--save", metavar="FIT", help="save the predictor, as JSON")
    _add_talk_options(load)
    load.set_defaults(run="load", module="radprog.commands_analysis")


def _add_price(add: Callable[..., Any]) -> None:
    price = _parser(
        add,
        "price",
        "can a kernel or length that was not tried improve the answer? proof, or best case",
        "price run.json --kernels rbf:1e-6..1e3",
        "price run.json --kernels rbf:0.1,laplace:1 --data german.csv --json prices.json",
    )
    price.add_argument("result", metavar="RUN.json", help="what solve --json wrote")
    what = price.add_mutually_exclusive_group(required=True)
    what.add_argument("--kernels", metavar="SPEC", help="candidates, as in solve --kernels")
    what.add_argument("--length", metavar="LIST", help="of lpboost: candidate lengths")
    price.add_argument(
        "--data", metavar="DATA", help="the data of RUN.json (default: its name, beside RUN.json)"
    )
    price.add_argument("--json", metavar="FILE|-", help="the table as JSON")
    _add_talk_options(price)
    price.set_defaults(run="price", module="radprog.commands_analysis")


def _add_report(add: Callable[..., Any]) -> None:
    report = _parser(
        add,
        "report",
        "one self-contained page about a result",
        "report run.json -o page.html",
        "report run.json --analysis analysis.json -o page.html",
    )
    report.add_argument("result", metavar="RUN.json", help="what solve --json wrote")
    report.add_argument("-o", "--output", required=True, metavar="OUT.html", help="the page")
    report.add_argument(
        "--analysis", metavar="FILE.json", help="tables of analyze --json, shown with it"
    )
    _add_talk_options(report)
    report.set_defaults(run="report", module="radprog.commands_analysis")


def _add_other_commands(add: Callable[..., Any]) -> None:
    data = _parser(
        add,
        "data",
        "the papers' data sets: list them, or fetch one",
        "data list",
        "data fetch german -o data",
    )
    data.add_argument("action", choices=("list", "fetch"))
    data.add_argument("name", nargs="?", help="which one to fetch")
    data.add_argument("-o", "--output", metavar="FOLDER", help="where to (default RADPROG_DATA)")
    _add_talk_options(data)
    data.set_defaults(run="data")

    solvers = _parser(
        add,
        "solvers",
        "what each solver can do here, found by solving",
        "solvers",
        "solvers --json -",
    )
    solvers.add_argument("--json", metavar="FILE|-", help="the table as JSON")
    _add_talk_options(solvers)
    solvers.set_defaults(run="solvers")

    reproduce = _parser(
        add,
        "reproduce",
        "a paper's table or figure beside ours",
        "reproduce vkr-table1 --data DIR --sets ionosphere,breastcancer",
        "reproduce svr-figure2 --plot figure2.png",
    )
    reproduce.add_argument("table", choices=tuple(TABLES))
    reproduce.add_argument("--data", metavar="DIR", help="folder of the data (RADPROG_DATA)")
    defaults = "; ".join(f"{table.name}: {','.join(table.default)}" for table in TABLES.values())
    reproduce.add_argument("--sets", metavar="A,B", help=f"parts of the table ({defaults})")
    reproduce.add_argument("--seed", type=int, default=0, help="of splits and draws (0)")
    reproduce.add_argument(
        "--quick", action="store_true", help="fewer repeats, folds or sign vectors"
    )
    reproduce.add_argument("--plot", metavar="FILE", help="the figure as .png, .svg or .pdf")
    reproduce.add_argument("--json", metavar="FILE|-", help="the rows as JSON")
    _add_talk_options(reproduce)
    reproduce.set_defaults(run="reproduce")

    demo = _parser(
        add,
        "demo",
        "the main job on a shipped real data set, in under a minute",
        "demo -o demo-output",
    )
    demo.add_argument(
        "-o", "--output", default="demo-output", metavar="FOLDER", help="default demo-output"
    )
    _add_talk_options(demo)
    demo.set_defaults(run="demo")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code."""
    given = build_parser().parse_args(arguments)
    try:
        module = getattr(given, "module", "radprog.commands")
        commands = importlib.import_module(module)  # solvers and plots load here
        code: int = getattr(commands, given.run)(given)
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
    return code


def _refused(given: argparse.Namespace, message: str, code: int) -> int:
    """Called while an exception is handled: say what is wrong in one line."""
    if given.debug:
        traceback.print_exc()
    print(f"radprog: error: {' '.join(message.split())}", file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())
