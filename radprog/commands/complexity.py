"""``radprog complexity``: estimate the Rademacher or Gaussian complexity of a class."""

from __future__ import annotations

import argparse
from textwrap import wrap
from typing import TYPE_CHECKING

from radprog.terminal import common
from radprog.terminal.common import Options
from radprog.terminal.output import counted, finish

if TYPE_CHECKING:
    from radprog.catalog import Entry

HELP = "estimate the Rademacher or Gaussian complexity of a classifier's class"
DEFINED = """\
R(H) = (1/m) E_sigma sup_(h in H) sum_i sigma_i h(x_i): m rows x_i, independent signs
sigma_i = -1 or +1. The help of a MODEL defines its class H. 'radprog solve complexity'
has the losses of regressors in place of h, and (2/n) in place of (1/m)."""
EXAMPLES = (
    "complexity vkr train.csv --scale ball --kernels poly:1-10 --trials 1000",
    "complexity mkl sonar.csv --kernels rbf:1e-3..1e1 --theta 4",
    "complexity mkl sonar.csv --kernels rbf:1e-3..1e1 --within 0.01   # local",
    "solve complexity sinc.csv --gamma 1 --A 2        # classes of regressors",
)
EACH = ("complexity {entry.name} {entry.example} --trials 1000 --json complexity.json",)


def add(parser: argparse.ArgumentParser) -> None:
    """Add a sub-parser for each model with function classes."""
    parser.description = f"{parser.description}\n\n{DEFINED}"
    common.add_models(parser, "complexity", _options, EACH, lambda entry: "classes" in entry.can)


def _options(parser: argparse.ArgumentParser, entry: Entry) -> None:
    from radprog.models.complexity import KINDS

    common.add_data(parser, entry)
    about = f"(1/m) E_sigma sup_(h in H) sum_i sigma_i h(x_i), H = {{{entry.function_class}}}"
    # wrapped to the width of a line of the help
    group = parser.add_argument_group("estimate", "\n  ".join(wrap(about, 76)))
    group.add_argument("--trials", type=int, default=100, help="random sign vectors (100)")
    help = "all sign vectors in place of random ones (few points)"
    group.add_argument("--exact", action="store_true", help=help)
    help = "discrepancy: sign vectors that sum to 0; gaussian: standard normal numbers (default "
    group.add_argument("--kind", choices=KINDS, default=KINDS[0], help=f"{help}{KINDS[0]})")
    help = "of functions whose mean square is at most R: the class of svm, of cdsk, and of each "
    help += "kernel of mkl alone, not that of all its weights"
    group.add_argument("--within", type=float, metavar="R", help=help)
    group.add_argument("--seed", type=int, default=0, help="seed of the sign vectors (0)")
    common.add_settings(group, time_limit="time limit; finished sign vectors are used")
    common.add_files(group, json="the whole table as JSON")
    common.add_model_options(parser, entry, leave_out=(*entry.form_options, "trials"))
    common.add_data_options(parser, entry.data_options)
    common.add_sharing(parser)


def run(options: Options) -> int:
    """Print the estimates; the exit code is 1 if a limit ended the work before all classes were
    finished.
    """
    from radprog.analysis.complexities import class_parts, watched_complexity
    from radprog.catalog import entry_named
    from radprog.decompositions.run import RunSettings
    from radprog.decompositions.sweeps.sharing import Sharing

    entry = entry_named(options.model)
    settings = common.model_options(options, entry)
    settings.pop("trials", None)  # of the estimate, not of a penalty
    spec = entry.spec(**settings)
    data, seconds = common.read_model(options, entry)
    with counted(options, "sign vectors") as (interrupted, watch):
        solving = RunSettings(
            interrupted=interrupted,
            used=seconds,
            sharing=Sharing(**common.chosen(options, *common.WORKERS)),
            **common.chosen(options, "seed", "time_limit"),
        )
        arguments = common.chosen(options, "trials", "exact", "kind", "within")
        table = watched_complexity(spec, data, solving, watch=watch, **arguments)
    finish(options, table, class_parts(table), data=data)
    return 0 if table["complete"] else 1
