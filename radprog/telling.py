"""The sections of a result of ``solve``, and lines that several papers share."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, replace

import numpy as np

from radprog.base.sections import Part, Table, amount, bounded, few, pairs, records, styled
from radprog.base.settings import recorded
from radprog.catalog import entry_named
from radprog.decompositions.run import RunSettings, constraint_entries
from radprog.solvers.registry import SOLVERS
from radprog.wiring import Values

SHOWN_ROWS = 12  # most rows of a table
ENDED = {  # the end of a run in plain words; the JSON result has the keys
    "tolerance": "stopped by tolerance",
    "max_iter": "stopped by max_iter",
    "time_limit": "stopped by time_limit",
    "interrupt": "stopped by interrupt",
    "no_column": "no column left that would improve it",
    "stalled": "no further progress",
    "critical_point": "no step of the method descends from here",
    "solver": "by the solver's own tolerances",
    "own_rule": "stopped by your own rule",
}


def summary_lines(result: Values) -> list[str]:
    """The lines of a result of ``solve``."""
    data, block = result["data"], result.get("compression")
    # the tolerance that certifies the gap
    gap = "" if result["gap"] is None else f", gap {result['gap']:.2g}"
    searched = f"optimal by {result['solver']['name']}'s search, which is not proved"
    claim = searched if result.get("proved_by") == "solver" else "certified"
    if result["certified_by"] is None:
        word = uncertified(result)
    elif result["certified_by"] == "tol":
        word = f"{claim} (gap within {result['params']['tol']:g})"
    else:
        word = f"{claim} only by its absolute difference (within {result['params']['abs_tol']:g})"
    solver = f"{result['solver']['name']} {result['solver']['version']}".strip()
    kernels = str(result["params"].get("kernels"))
    columns = "" if result["columns"] is None else f"{result['columns']} columns, "
    lines = [
        *([f"header: {data['header']}"] if data.get("header") else []),
        f"{result['model']} on {data['name']}: {data['rows']} rows, method {result['method']}, "
        f"solver {solver}",
        *([f"kernels    {kernels}"] if "=" in kernels else []),  # with widths from the rows
        f"status     {result['status']} ({ending(result)})",
        f"objective  {styled(result['objective'], '.10g', 'none')}",
        f"bound      {styled(result['bound'], '.10g', 'none')}{gap}: {word}",
        f"work       {result['iterations']} iterations, {columns}"
        f"{result['time']['total']:.2f} s, {result['peak_mb']:.0f} MiB",
        *(f"loaded     {x['file']}: form {x['form']}" for x in result.get("loaded", [])),
    ]
    # the lines of the model, or the numbers of its fit
    if (describe := entry_named(result["model"]).hooks.describe) is not None:
        lines += describe(result)
    else:
        numbers = [(k, v) for k, v in result["fit"].items() if isinstance(v, int | float)]
        lines.append("fit        " + ", ".join(f"{name} {value:.4g}" for name, value in numbers))
    # the compression bound on the error, or the reason why there is none
    if block is not None and block["refused"] is not None:
        lines.append(f"theory     no compression bound: {block['refused']}")
    elif block is not None:
        sizes = block["size"], block["points"]
        lines.append(compression_line(block["bound"], block["delta"], *sizes))
    # the user's constraints, and the test rows
    if rows := constraint_entries(result):
        priced, weighted = result["bound"] is not None, "weight" in result["data"]
        certain = result["certified"] or not priced
        open_gap = 0.0 if certain else abs(result["objective"] - result["bound"])
        lines += constraint_lines(result["model"], rows, open_gap, priced=priced, weighted=weighted)
    gaps = (result["test"] or {}).get("gaps", {})
    mean = "weighted mean" if "weight" in (result["test"] or {}) else "mean"
    return [
        *lines,
        *([] if result["test"] is None else test_lines(result)),
        *(
            f"test       {name}: {mean} scores of groups differ by up to {gap:.4g}"
            for name, gap in gaps.items()
        ),
    ]


def ending(result: Values) -> str:
    """The end of a run in words."""
    ended, entry = result["stopped_by"], entry_named(result["model"])
    # without a bound, pricing was local
    if ended == "no_column" and result["bound"] is None:
        return "the heuristic found no column that would improve it"
    return (ended == "solver" and entry.completion) or ENDED[ended]


def uncertified(result: Values) -> str:
    """The reason why a result is not certified, and a remedy."""
    entry, method, ended = entry_named(result["model"]), result["method"], result["stopped_by"]
    local = method in entry.local
    # a limit that kept settings which prove a bound from it
    cut = not local and ended in ("max_iter", "time_limit")
    if cut and hasattr(entry.spec, "proved"):
        cut = recorded(entry.spec, result["params"]).proved
    messages = [text for text in result.get("warnings", ()) if text.startswith("not certified: ")]
    # a loaded solution has its own reason
    if messages:
        return str(messages[0])
    if entry.proved_by and (local or result["bound"] is None) and not cut:
        subject = f"method {method} proves" if local else "these settings prove"
        reason = f"{subject} no optimum"
        # the method that proves one, unless it would refuse the data
        if entry.most_points is None or result["data"]["rows"] <= entry.most_points:
            reason = f"{reason}: {entry.proved_by}"
    elif ended in ("max_iter", "time_limit"):
        reason = f"it was stopped before: give a larger `{ended}`"
    elif ended == "interrupt":
        reason = "it was stopped before: run it to its end"
    else:
        reason = (
            f"the arithmetic leaves a gap above `tol={result['params']['tol']:g}`: `scale` the "
            "features, name another `solver`, or give a larger `tol`"
        )
    return f"not certified: {reason}"


def constraint_lines(
    model: str,
    constraints: Sequence[Values],
    open_gap: float = 0.0,
    *,
    priced: bool = True,
    weighted: bool = False,
) -> list[str]:
    """Lines with the price of each of the user's constraints, if there are duals (``priced``).

    A looser constraint may also gain what lies between the objective and the bound of a run that is
    not certified (``open_gap``). Of rows with weights (``weighted``), gaps are those of weighted
    means.
    """
    # the sense of the model: a looser bound saves, or adds. A smaller margin is looser
    sense = entry_named(model).spec.sense
    words = ("saves at most", "of") if sense > 0 else ("adds at most", "to")
    names = {"gap": "gap of weighted means"} if weighted else {}

    def worth(row: Values) -> str:
        keys = [key for key in ("slack", "gap", "rate", "surrogate") if key in row]
        room = ", ".join(f"{names.get(k, k)} {round(row[k], 12) + 0.0:.4g}" for k in keys)
        if not priced:
            return f"price unknown without duals ({room})"
        if not row["price"] + open_gap:
            return f"costs nothing ({room})"
        price = bounded(row["price"] + open_gap, ".6g") + ", with the open gap," * (open_gap > 0.0)
        return f"loosened by one unit, it {words[0]} {price} {words[1]} the objective ({room})"

    return [f"constraint {row['name']}: {worth(row)}" for row in constraints]


def score_row(number: int, *, points: Sequence[str], iterate: Values) -> str:
    """The name of a row of the user's constraints in an exported form."""
    return str(iterate["score_rows"][number])


def expansion_lines(result: Values) -> list[str]:
    """Fit and bounds of a kernel classifier."""
    # one line for the classifier, or one a class
    if "machines" in result:
        lines = class_lines(result, "objective", lambda fit: _expansion(fit, result))
    else:
        lines = [f"fit        {_expansion(result['fit'], result)}"]
    return [*lines, *theory(result.get("bounds", []))]


def _expansion(fit: Values, result: Values) -> str:
    if not fit["coefficients"]:
        return "no coefficients: the constant classifier"
    points = amount(fit["support_vectors"], "point")
    count = amount(fit["coefficients"], "coefficient")
    return f"{count} on {points}, {training_error(fit, result)}"


def training_error(fit: Values, result: Values) -> str:
    """The share of training rows predicted wrongly, in words; of their weight if they have some."""
    weighted = "weighted " * ("weight" in result["data"])
    return f"{weighted}training error {100 * fit['training_error']:.2f} %"


def class_lines(result: Values, value: str, described: Callable[[Values], str]) -> list[str]:
    """One line per one-vs-rest classifier."""
    return [
        f"class      {part['label']}: {value} {part['objective']:.6g}, {described(part['fit'])}"
        for part in result["machines"]
    ]


def theory(bounds: Sequence[Values]) -> list[str]:
    """Lines with the bounds below 1 and the gaps in their proofs; ``radprog bounds`` lists all
    bounds.
    """
    telling = [bound for bound in bounds if not bound["vacuous"]]
    # a bound with a missing step in its proof is an estimate
    estimates = [bound for bound in telling if bound["caveats"]]
    proved = [bound for bound in telling if not bound["caveats"]]
    texts = [f"{bound['name']}: {bounded(bound['value'], '.3g')}" for bound in proved]
    lines = [f"theory     error bounded by {', '.join(texts)}"] if proved else []
    return lines + [
        f"theory     error estimated by {bound['name']}: {bound['value']:.3g}, no proved bound: "
        + "; ".join(bound["caveats"])
        for bound in estimates
    ]


def compression_line(bound: float, delta: float, size: int, points: int) -> str:
    """A line with the compression bound of a fit."""
    mark = " (vacuous)" if bound >= 1.0 else ""
    return (
        f"theory     error <= {bounded(bound, '.1%')} %{mark} with probability "
        f"{100 * (1 - delta):.4g} %, no test set: {size} of {points} points fix the solution, by "
        "their margins or as centres (if rows are independent draws, and settings were fixed "
        "before)"
    )


def test_lines(result: Values) -> list[str]:
    """A line with the errors on test rows: of classes with a bound, of numbers, or of clusters."""
    test = result["test"]
    shared = test.get("shared_rows", 0)
    also = f"; {shared} of {test['rows']} test rows are also rows of the fit" * bool(shared)
    if "nmi" in test:
        return [f"test       {agreement(test)}, {amount(test['rows'], 'row')}{also}"]
    if "mae" in test:
        return [f"test       {number_errors(test)}{also}"]
    curve = "" if test.get("auc") is None else f"; AUC {test['auc']:.4f}"
    # rows with weights, and rows of the fit, have no binomial bound
    wrong, upper = f"test       {100 * test['error']:.2f} %", test["error_upper_bound"]
    if shared:
        wrong += f" of {test['rows']} rows wrong{also}: no bound"
    elif upper is None:
        wrong += f" of the weight of {test['rows']} rows wrong"
    else:
        wrong += f" of {test['rows']} rows wrong; at most {bounded(upper, '.2%')} % with "
        wrong += f"probability {1 - test['delta']:.0%}"
    return [wrong + curve]


def agreement(block: Values) -> str:
    """The agreement of clusters with classes, in words."""
    accuracy, nmi = block["accuracy"], block["nmi"]
    if accuracy is None:
        return "none: the rows have no classes to compare with"
    return f"accuracy {100 * accuracy:.1f} %, NMI {nmi:.3f}"


def number_errors(test: Values) -> str:
    """The errors of predicted numbers in words. For a quantile, coverage and loss come first."""
    rows, mean = amount(test["rows"], "row"), "weighted mean" if "weight" in test else "mean"
    error = f"{mean} absolute error {test['mae']:.6g}"
    if "quantile" not in test:
        return f"{error}, MAPE {percent(test['mape'])}, {rows}"
    share = f"{100 * test['below']:.2f} % of {'the weight of ' * ('weight' in test)}{rows}"
    loss = f"{mean} quantile loss {test['quantile_loss']:.6g}"
    return f"{share} at or below the prediction (quantile {test['quantile']:g}), {loss}, {error}"


def percent(mape: float | None) -> str:
    """A mean absolute percentage error in words."""
    return "none: a target is 0" if mape is None else f"{mape:.4g} %"


def row_numbers(result: Values) -> tuple[tuple[str, ...], list[tuple[int, ...]], str]:
    """The heads after that of a row's number, the numbers of each row, counted from 1, and a note.

    Of the data of a file there are two numbers, where the result has the runs of its rows.
    """
    own = np.arange(1, result["data"]["rows"] + 1)
    if runs := result["data"].get("lines"):
        starts, firsts = np.array(runs, dtype=np.intp).T
        run = np.searchsorted(starts, own, side="right") - 1
        file = (firsts[run] + own - starts[run]).tolist()
        words = "counted from 1, without a header; the file row counts all lines"
        return ("file row",), list(zip(own.tolist(), file, strict=True)), words
    return (), [(number,) for number in own.tolist()], "counted from 1, without a header"


def per_row(
    result: Values,
    key: str,
    title: str = "Multiplier of each example's margin constraint",
    what: str = "multiplier",
    of: str = "example",
) -> Iterator[Table]:
    """A table of the point ``key`` (>= 0) of a certificate, if it has one number per row of the
    data.
    """
    values, rows = result["certificate"].get(key), result["data"]["rows"]
    if isinstance(values, list) and len(values) == rows and rows:
        d = np.asarray(values, dtype=np.float64)
        # the largest first
        heads, numbers, counted = row_numbers(result)
        order = np.argsort(-d, kind="stable").tolist()
        # multipliers of this share of the largest are rounding
        zeros = int((d <= 1e-9 * d.max()).sum())
        yield Table(
            title=title,
            head=(of, *heads, what),
            rows=[(*numbers[i], float(d[i])) for i in order],
            note=f"{zeros} of {rows} {what}s are 0; {of}s are {counted}",
        )


def setting_words(params: Values) -> str:
    """The varied options in words."""
    return ", ".join(f"{key}={value}" for key, value in params.items()) or "the only one"


def reproduction(result: Values) -> Iterator[str]:
    """The command lines that repeat the fit and check its certificate."""
    entry, data, params = entry_named(result["model"]), result["data"], result["params"]
    check = shlex.join(["radprog", "check", "run.json", str(data["name"])])
    # a solution from a file: load
    if "loaded" in result:
        first, *dual = result["loaded"]
        words = ["load", first["file"], "--names", first["names"], "--data", data["name"]]
        for source in dual:
            words += ["--dual-sol", source["file"], "--dual-names", source["names"]]
        yield shlex.join(["radprog", *map(str, words), "--json", "run.json"])
        yield check
        return
    # files in place of DATA are options
    stands_in = any(params.get(name) for name in entry.in_place_of_data)
    place = [] if stands_in else [str(data["name"])]
    words = ["solve", entry.name, *place, "--method", result["method"]]
    solver = result["solver"]["name"]
    # solvers of kernel programs are chosen by their size, beside that of a master problem
    if solver in SOLVERS and solver not in ("libsvm", "piqp"):
        words += ["--solver", solver]
    # options that are not the default, of the reader, the model and the run
    usual = {f.name: f.default for f in (*fields(entry.spec), *fields(RunSettings))}
    chosen = {key: data["reading"].get(key) for key in entry.data_options}
    chosen |= {
        key: value
        for key, value in params.items()
        if key in usual and key not in entry.form_options and value != usual[key]
    }
    rows = chosen.pop("constraints", None) or ()
    for key, value in {**chosen, "seed": params["seed"]}.items():
        flag = "--" + key.replace("_", "-")
        # a switch has no value, and one that is on by default is turned off
        if value is True:
            words.append(flag)
        elif value is False and usual.get(key) is True:
            words.append(f"--no-{key}")
        elif value is not None and value is not False:
            words += [flag, str(value)]
    for key, value in result["solver"]["options"].items():
        words += ["--solver-option", f"{key}={value}"]
    if result["test"] is not None and "name" in result["test"]:
        words += ["--test", result["test"]["name"]]
    if rows:
        names = list(dict.fromkeys(row.get("of", row["name"]) for row in rows))
        yield f"# with the constraints of the run: {few(names, 20)}"
    yield shlex.join(["radprog", *map(str, words), "--json", "run.json"])
    yield check


#: The sections of a result, by title. The command line prints the first, a page has all.
SECTIONS: Mapping[str, Callable[[Values], Iterable[Part]]] = {
    "Result": summary_lines,
    "Course of the run": lambda result: [
        records("Last iterations", rows) for rows in (result["trace"][-SHOWN_ROWS:],) if rows
    ],
    "Certificate": lambda result: [
        pairs(
            "Recomputed from the data",
            {key: styled(result[key], ".16g", "none") for key in ("objective", "bound")},
        ),
        pairs("From", {"data": result["data"]["sha256"], "radprog": result["radprog"]}),
    ],
    "Sensitivity": lambda result: [
        replace(table, most=SHOWN_ROWS)
        for table in entry_named(result["model"]).hooks.multipliers(result)
    ],
    "Reproduce": reproduction,
}
