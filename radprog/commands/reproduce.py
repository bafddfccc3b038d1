"""``radprog reproduce``: show a paper's table or figure beside the computed one."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Any

from radprog.base.sections import Part, Table
from radprog.terminal import common
from radprog.terminal.common import JsonObject, Options
from radprog.terminal.output import counted, csv_text, finish, probe, probe_figure, say

HELP = "compute a paper's table or figure beside the printed one"
QUICK_HELP = "smaller grids, fewer repeats, folds or sign vectors: not the paper's protocol"
FORCE_HELP = "also read files with another hash than 'radprog data list' expects"
EXAMPLES = (
    "reproduce vkr-table1 --data DIR --sets ionosphere,breastcancer",
    "reproduce svr-figure2 --plot figure2.png",
)


def add(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    from radprog.reproducing import DECLARED

    parser.add_argument("table", choices=tuple(DECLARED))
    parser.add_argument("--data", metavar="DIR", help="folder of the data (default RADPROG_DATA)")
    defaults = "; ".join(f"{name}: {','.join(DECLARED[name]['default'])}" for name in DECLARED)
    parser.add_argument("--sets", metavar="A,B", help=f"parts of the table ({defaults})")
    parser.add_argument(
        "--seed", type=int, default=0, help="seed of all random numbers (default 0)"
    )
    times = "; ".join(
        f"{name}: {declared['quick_time']}"
        for name, declared in DECLARED.items()
        if "quick_time" in declared
    )
    parser.add_argument("--quick", action="store_true", help=f"{QUICK_HELP} ({times})")
    parser.add_argument("--force", action="store_true", help=FORCE_HELP)
    parser.add_argument("--plot", metavar="FILE", help="the figure as .png, .svg or .pdf")
    parser.add_argument("--json", metavar="FILE|-", help="the rows as JSON")
    parser.add_argument("--page", metavar="FILE.html", help="the table as an HTML page")
    parser.add_argument("--csv", metavar="FILE", help="the rows as CSV")
    common.add_sharing(parser)
    common.add_talk_options(parser)


def run(options: Options) -> int:
    """Print the table; the exit code is 1 if rows are missing."""
    from radprog.reporting import check_page, table_page
    from radprog.reproducing import reproduce, table_named

    # usage is checked before any fit
    table = table_named(options.table)
    table.chosen(options.sets)
    check_page(options.page)
    probe_figure(options.plot)
    probe(options.json, options.plot, options.csv, options.page)
    if options.quick and table.quick_time:
        say(options, f"{table.name} --quick takes {table.quick_time}")
    with counted(options, "fits", start=True) as (interrupted, watch):
        report = reproduce(
            options.table,
            options.data,
            interrupted=interrupted,
            watch=watch,
            **common.chosen(options, "sets", "seed", "quick", "force", *common.WORKERS),
        )
    files = {} if options.csv is None else {options.csv: _csv(report)}
    if options.page is not None:
        files[options.page] = table_page(report, table.title, cells_of(report))
    if options.plot is not None:
        table.plot(report["rows"], options.plot, options.quick)
    finish(options, report, parts(report), files=files)
    return 0 if report["complete"] else 1


def parts(report: JsonObject) -> list[Part]:
    """The protocol of a quick table, the rows beside the paper's, and the differences."""
    from radprog.reproducing import table_named

    table = table_named(report["table"])
    missing, protocol = report.get("missing", ()), report.get("protocol")
    return [
        *([] if protocol is None else [f"quick: {protocol}"]),
        f"{table.paper}: {table.title}",
        cells_of(report),
        *(f"claim: {text}" for text in report.get("claims", ())),
        *(f"note: {text}" for text in report.get("notes", ())),
        *([f"missing: {', '.join(missing)}: no files in the folder"] if missing else []),
    ]


def cells_of(report: JsonObject) -> Table:
    """The rows as a table of strings; the columns that are quoted from the paper are marked."""
    from radprog.reproducing import table_named

    columns = table_named(report["table"]).columns
    # cells in bold or italic by the level of a test
    rows = [
        tuple(
            _at_level(_cell(row.get(column.key), column.style), row.get(column.level))
            for column in columns
        )
        for row in report["rows"]
    ]
    marks = tuple("(paper)" if column.paper else "" for column in columns)
    return Table(head=tuple(column.heading for column in columns), rows=[marks, *rows])


def _csv(report: JsonObject) -> str:
    """The rows as CSV with all digits; ``(paper)`` in a heading marks a quoted column."""
    from radprog.reproducing import table_named

    columns = table_named(report["table"]).columns
    head = [f"{column.key}{' (paper)' if column.paper else ''}" for column in columns]
    cells = [[row.get(column.key) for column in columns] for row in report["rows"]]
    return csv_text(
        head, [[_cell(x, "") if isinstance(x, Mapping) else x for x in row] for row in cells]
    )


def _at_level(text: str, level: str | None) -> str:
    """A number in Markdown: bold for the level 5 %, italic for 10 %."""
    mark = {"5 %": "**", "10 %": "*"}.get(level or "", "")
    return f"{mark}{text}{mark}"


def _cell(value: Any, style: str) -> str:
    from radprog.telling.results import setting_words

    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        return setting_words(value)
    return f"{value:{style}}"
