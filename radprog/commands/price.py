"""``radprog price``: bound the improvement by additional kernels or lengths."""

from __future__ import annotations

import argparse
from pathlib import Path

from radprog.base.errors import DataError
from radprog.base.sections import Part, Table
from radprog.terminal import common
from radprog.terminal.common import JsonObject, Options
from radprog.terminal.output import finish, probe

HELP = "bound the improvement of a result by further kernels or lengths"
EXAMPLES = (
    "price run.json --kernels rbf:1e-6..1e3",
    "price run.json --kernels any:rbf:1e-2..1e1",
    "price run.json --length 3..24,0.5",
    "price run.json --kernels rbf:0.1,laplace:1 --data train.csv --json prices.json",
)


def add(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.description = (
        f"{HELP}\n\nprice: the cost of a unit of the candidate (lpboost: the bound of the run)\n"
        "ratio: its largest gain at the dual point of the run, divided by the price"
    )
    parser.add_argument("result", metavar="RUN.json", help="file of solve --json")
    candidates = parser.add_mutually_exclusive_group()
    candidates.add_argument(
        "--kernels",
        metavar="SPEC",
        help="candidate kernels, as in solve --kernels; for vkr also any:rbf:LOW..HIGH, all widths "
        "of the interval at all centres",
    )
    candidates.add_argument(
        "--length", metavar="LIST", help="candidate lengths for lpboost: 12,0.2 or 3..24"
    )
    common.add_files(
        parser,
        data="the data of the fit (default: its name in the folder of RUN.json)",
        json="the table as JSON",
    )


def run(options: Options) -> int:
    """Print the bound on the improvement by each candidate."""
    from radprog.analysis.pricing import price
    from radprog.saved import StoredRun, read_json

    result = read_json(options.result, "a result of radprog solve")
    stored = StoredRun.of(result, options.result)
    stored.entry.check_can("price")
    # the data lie beside the result, unless they are named
    path = Path(options.result).with_name(Path(stored.name).name)
    if options.data is None and not path.is_file():
        raise DataError(f"{path}: not found: give the data of {options.result} as --data DATA")
    options.data = options.data or str(path)
    probe(options)
    candidates = common.chosen(options, "kernels", "length")
    table = price(options.result, options.data, **candidates)
    finish(options, table, parts(table), warnings=table["warnings"])
    return 0


def parts(table: JsonObject) -> list[Part]:
    """The verdict on each candidate."""
    side, extreme = ("above", "most") if table["maximise"] else ("below", "least")
    gap = (
        ""
        if table["certified"]
        else (
            " (not certified, so candidates keep this bound or weaken it: solve to the end first)"
        )
    )
    rows = []
    for row in table["rows"]:
        verdict = f"may help: not {side} {row['floor']:.6g}"
        if row["present"]:
            verdict = "in the program"
        elif row["keeps_bound"]:
            verdict = "cannot help" if row["useless"] else "keeps the bound"
        numbers = f"{row['price']:.4g}", f"{row['ratio']:.4g}", f"{1e3 * row['seconds']:.2f}"
        place = " at a new centre" if row["centre"] else ""
        rows.append((row["name"] + place, *numbers, verdict))
    useless = sum(row["useless"] for row in table["rows"])
    candidates = sum(not row["present"] for row in table["rows"])
    return [
        f"objective {table['objective']:.10g}, bound {table['bound']:.10g}{gap}",
        Table(head=("candidate", "price", "ratio", "ms", "verdict"), rows=rows),
        f"{useless} of {candidates} proved useless; with all of them added the optimum is at "
        f"{extreme} {table['floor']:.10g}",
    ]
