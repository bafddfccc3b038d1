"""``radprog predict``: compute labels and scores with a saved fit."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from radprog.base.errors import DataError, OptionError
from radprog.base.sections import few
from radprog.terminal import common
from radprog.terminal.common import Options
from radprog.terminal.output import csv_text, emit, header_lines, interruptible_to_the_end, say

if TYPE_CHECKING:
    from radprog.saved import SavedFit

HELP = "labels and scores of a saved fit"
EXAMPLES = (
    "predict fit.json test.csv -o labels.csv",
    "predict fit.json test.csv --label none -o -",
)


def add(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("fit", metavar="FIT", help="file of --save")
    parser.add_argument(
        "data",
        metavar="DATA",
        nargs="?",
        help="file with the columns of the training data, with or without labels; views: files "
        "joined by commas; a fit on --grams: .npz of K, or --cross instead",
    )
    words = "file for the columns label, score, row; - is stdout. Scores are not probabilities: "
    common.add_output(parser, "OUT.csv|-", f"{words}rp.calibrate in Python makes these")
    differing = "data options, where this file differs from the training data"
    common.add_data_options(parser, ("label", "decimal", "header"), differing)
    common.add_files(parser, cross="values of given kernels, new points x training points")


def run(options: Options) -> int:
    """Write a CSV with the label, the score and the row number of each point.

    With more than two classes, the score is the largest one, the score of the predicted label.
    """
    from radprog.catalog import entry_named
    from radprog.instances.splits import regression_errors
    from radprog.saved import load_fit, write_all
    from radprog.telling import number_errors

    # the fit has the options for reading the data
    saved = load_fit(options.fit)
    _place_cross(options, saved)
    entry = entry_named(saved.model)
    reading = common.chosen(options, "decimal", "header")
    for name in reading.keys() - set(entry.data_options):
        raise OptionError(f"{name} '{reading[name]}': data of {entry.name} have no such tables")
    data = entry.hooks.read(options.data, like=saved.data, label=options.label, **reading)
    cross = None if options.cross is None else entry.hooks.read_cross(options.cross)
    try:
        # scores, and the numbers of classes or clusters
        scores, numbers = saved.numbered(data.X, cross)
    except DataError as error:
        raise DataError(f"{options.fit} on {options.data}: {error}") from None
    names = saved.class_names
    rows = range(1, data.rows + 1) if data.lines is None else data.lines.tolist()
    head, values = ["prediction", "row"], [scores.tolist(), rows]
    if numbers is not None:
        labels = [names[number] if names else number for number in numbers]
        head, values = ["label", "score", "row"], [labels, *values]
    text = csv_text(head, zip(*values, strict=True))
    interruptible_to_the_end(options)
    if options.output == "-":
        emit(text)
    else:
        write_all({options.output: text})
    lost = list(map(str, data.left_out))
    none = [f"{len(lost)} rows of {data.name} have no prediction: {few(lost, 20)}"] if lost else []
    say(options, *data.warnings, *none, warning=True)
    say(options, *header_lines(data))
    if names and numbers is not None:
        # rows with a label say how many are wrong
        labelled = data.codes >= 0
        wrong, count = int((data.codes != numbers)[labelled].sum()), int(labelled.sum())
        if count:
            say(options, f"{wrong} of {count} rows wrong ({100 * wrong / count:.2f} %)")
    elif data.target is not None:
        quantile = getattr(saved.fit, "quantile", None)
        errors = regression_errors(scores, data.target, data.weights, quantile)
        say(options, number_errors({"rows": data.rows, **errors}))
    return 0


def _place_cross(options: Options, saved: SavedFit) -> None:
    """Use --cross as the data of a fit on kernel matrices. Raises OptionError if DATA and --cross
    are both missing, or if --cross does not suit the fit.
    """
    from radprog.instances.grams import GramSet
    from radprog.models.kernels import GIVEN_KERNELS

    # a fit on matrices has values of kernels as its rows
    if isinstance(saved.data, GramSet):
        if options.data is not None and options.cross is not None:
            raise OptionError("cross: a fit on kernel matrices takes --cross or DATA, not both")
        options.data, options.cross = options.data or options.cross, None
    parts = getattr(saved.fit, "fits", (saved.fit,))
    kernels = [kernel for part in parts for kernel in getattr(part, "kernels", ())]
    # the values of a kernel, or of the kernel with this name, are in a file
    from_files = (getattr(item, "given", str(item).startswith(GIVEN_KERNELS)) for item in kernels)
    matrices = any(from_files) or getattr(saved.fit, "bandwidth", 0.0) is None
    if options.cross is not None and not matrices:
        raise OptionError("cross: no kernel of this fit was given as a file, leave --cross out")
    if options.data is None:
        raise OptionError(
            "the following argument is required: DATA, also beside --cross; only a fit on --grams "
            "takes --cross alone (see 'radprog predict --help')"
        )
