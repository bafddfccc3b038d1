"""One self-contained page about a result: no network, no script, every text escaped."""

from __future__ import annotations

import base64
import importlib.resources
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

from radprog.analysis.bounds import bound_lines, bounds
from radprog.base.errors import (
    MALFORMED,
    DataError,
    ExtraError,
    OptionError,
    RadprogError,
    safe,
)
from radprog.base.writing import path_text
from radprog.catalog import Entry, entry_named
from radprog.decompositions.run import Run, RunSettings
from radprog.result import supplied_by, told_result
from radprog.saved import EDITED, digest_state, no_result, plain, read_json, write_all
from radprog.solvers.registry import SOLVERS
from radprog.telling.analyses import analysis_lines, path_lines
from radprog.telling.results import ENDED
from radprog.telling.tables import Table
from radprog.wiring import Ranking

SHOWN_ROWS = 12  # of a long table
SHOWN_VALUES = 8  # of a long list in one cell
MAIN = (
    *("schema", "radprog", "model", "method", "params", "data", "solver", "status", "stopped_by"),
    *("objective", "bound", "gap", "certified", "certified_by", "iterations", "columns", "time"),
    *("peak_mb", "trace", "warnings", "fit", "test", "certificate", "digest"),
)


@dataclass(frozen=True)
class PageSection:
    """A part of the page: lines of text, an image as a data address, tables."""

    title: str
    lines: tuple[str, ...] = ()
    image: str = ""
    tables: tuple[Table, ...] = ()

    @property
    def pictured(self) -> bool:
        """Whether it has a picture: it comes first."""
        return bool(self.image)

    @property
    def wide(self) -> bool:
        """Whether it takes both columns of the page."""
        return self.pictured or any(table.main or len(table.head) > 4 for table in self.tables)


@dataclass(frozen=True)
class Page:
    """What the template shows."""

    title: str
    verdict: str
    certified: bool
    cards: tuple[tuple[str, str], ...]
    warnings: tuple[str, ...]
    sections: tuple[PageSection, ...] = field(default=())


def report(
    result: Run | Mapping[str, Any] | str | Path,
    output: str | Path | None = None,
    *,
    data: Any = None,
    analysis: Mapping[str, Any] | str | Path | None = None,
) -> str:
    """One self-contained page about a result: its HTML, written to ``output`` where given.

    result: a run, with the ``data`` that it was fitted to, the file of one, or its content.
    analysis: what ``rp.analyze`` returns, or its file, shown with it. Raises DataError, OptionError
    for an output of another suffix than .html or .htm, OutputError.
    """
    if output is not None and not path_text(output).lower().endswith((".html", ".htm")):
        raise OptionError(f"{output}: expected a file that ends in .html")
    # the result as JSON has it: a page from a run is that of its file
    told, source = told_result(result, data)
    if isinstance(analysis, str | Path):
        analysis = read_json(analysis, "a report of analyze")
    with supplied_by(result):
        page = report_page(plain(told), source, analysis)
    if output is not None:
        write_all({path_text(output): page})
    return page


def report_page(
    result: Mapping[str, Any], source: str = "result", analysis: Mapping[str, Any] | None = None
) -> str:
    """HTML of a result of ``solve``, with the tables of ``analyze --json`` where given.

    source: what the result is called in an error. Raises DataError where it is no result;
    ExtraError without matplotlib.
    """
    try:
        page = _page(result, analysis)
    except (DataError, ExtraError):
        raise
    except (*MALFORMED, RadprogError) as error:
        raise DataError(f"{source}: {no_result(result, error)}") from None
    return _rendered(page)


def _rendered(page: Page) -> str:
    # one template, every text escaped
    template = importlib.resources.files("radprog").joinpath("report.html.j2").read_text()
    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined)
    shown = environment.from_string(template).render(page=page, text=_text, is_number=_is_number)
    return safe(shown) + "\n"


def _marked(text: str) -> str:
    """The HTML of a text that Markdown's signs of bold or italic may enclose."""
    for mark, tone in (("**", "strong"), ("*", "em")):
        if len(text) > 2 * len(mark) and text.startswith(mark) and text.endswith(mark):
            inner = text[len(mark) : -len(mark)]
            return Markup("<{0}>{1}</{0}>").format(Markup(tone), inner)
    return text


def table_page(
    report: Mapping[str, Any], title: str, head: Sequence[str], rows: Sequence[Sequence[str]]
) -> str:
    """HTML of a paper's table beside ours, as ``rp.reproduce`` returns it; rows: its cells."""
    cells = [tuple(map(_marked, row)) for row in rows]
    missing = [f"no files of {', '.join(report['missing'])}"] if report["missing"] else []
    protocol = report["protocol"]
    short = [] if protocol is None else [f"quick: {protocol}"]
    return _rendered(
        Page(
            title=title,
            verdict=report["paper"],
            certified=bool(report["complete"]),
            cards=(
                ("rows", "all" if report["complete"] else "ended before the last"),
                ("seed", str(report["seed"])),
                ("quick", "yes" if report["quick"] else "no"),
            ),
            warnings=(*short, *missing),
            sections=(
                PageSection(
                    "Ours beside the paper's",
                    tables=(Table(head=tuple(head), rows=cells, main=True),),
                ),
                PageSection("Claims", tuple(report["claims"])),
                PageSection("Notes", tuple(report["notes"])),
            ),
        )
    )


def _page(result: Mapping[str, Any], analysis: Mapping[str, Any] | None) -> Page:
    entry, data, fit = entry_named(result["model"]), result["data"], dict(result["fit"])
    # the verdict, and the numbers that it rests on
    certified = result["certified"] is True
    word = {"tol": "relative gap", "abs-tol": "absolute difference"}.get(result["certified_by"], "")
    verdict = f"{result['status']}, {ENDED[result['stopped_by']]}: " + (
        f"certified by its {word}" if certified else "not certified"
    )
    cards = (
        ("objective", _text(result["objective"], ".10g")),
        ("bound", _text(result["bound"], ".10g")),
        ("relative gap", _text(result["gap"], ".2g")),
        ("seconds", _text(result["time"]["total"], ".3g")),
        ("iterations", _text(result["iterations"])),
    )
    # blocks of a model of its own
    extra = {key: value for key, value in result.items() if key not in MAIN}
    sections = [
        PageSection("What was solved", tables=_solved(entry, result)),
        PageSection("Certificate", tables=_certificate(result)),
        PageSection("Solution", tuple(entry.describe(result)), tables=tuple(_blocks("", fit))),
        PageSection("Sensitivity", tables=tuple(map(_ranked, entry.hooks.multipliers(result)))),
        *([] if analysis is None else [_analysis(result, analysis)]),
        PageSection("Course of the run", image=_image(result), tables=tuple(_trace(result))),
        PageSection("Test", tables=tuple(_blocks("", result["test"] or {}))),
        *_bounds(result),
        PageSection("More results", tables=tuple(_blocks("", extra))),
        PageSection("Reproduce", tuple(reproduction(entry, result)), tables=_versions(result)),
    ]
    return Page(
        title=f"{entry.title}: {data['name']}",
        verdict=verdict,
        certified=certified,
        cards=cards,
        warnings=(
            *([EDITED] if digest_state(result) == "broken" else []),
            *(str(text) for text in result["warnings"]),
        ),
        sections=tuple(part for part in sections if part.tables or part.lines or part.image),
    )


def reproduction(entry: Entry, result: Mapping[str, Any]) -> Iterator[str]:
    """The command lines that solve again and that check the certificate."""
    data, params = result["data"], result["params"]
    # a solution that was read back: load, and check
    if "loaded" in result:
        first, *dual = result["loaded"]
        words = ["load", first["file"], "--names", first["names"], "--data", data["name"]]
        for other in dual:
            words += ["--dual-sol", other["file"], "--dual-names", other["names"]]
        yield shlex.join(["radprog", *map(str, words), "--json", "run.json"])
        yield shlex.join(["radprog", "check", "run.json", str(data["name"])])
        return
    # files in place of DATA are options
    stands_in = any(params.get(name) for name in entry.in_place_of_data)
    place = [] if stands_in else [str(data["name"])]
    words = ["radprog", "solve", entry.name, *place, "--method", result["method"]]
    if result["solver"]["name"] in SOLVERS:
        words += ["--solver", result["solver"]["name"]]
    # options that are not the default, of the reader, the model and the run
    reading = {key: data["reading"].get(key) for key in entry.data_options}
    own = {f.name: f.default for f in fields(entry.spec) if f.name not in entry.form_options}
    usual = {f.name: f.default for f in fields(RunSettings)}
    given = {key: params[key] for key in own if key in params and params[key] != own[key]}
    given |= {key: params[key] for key in usual if key in params and params[key] != usual[key]}
    # a flag has no value
    for key, value in {**reading, **given, "seed": params["seed"]}.items():
        if value is True:
            words.append(_flag(key))
        elif value is not None and value is not False:
            words += [_flag(key), str(value)]
    for key, value in result["solver"]["options"].items():
        words += ["--solver-option", f"{key}={value}"]
    if result["test"] is not None and "name" in result["test"]:
        words += ["--test", result["test"]["name"]]
    yield shlex.join([*map(str, words), "--json", "run.json"])
    yield shlex.join(["radprog", "check", "run.json", str(data["name"])])


def _flag(name: str) -> str:
    return "--" + name.replace("_", "-")


def _solved(entry: Entry, result: Mapping[str, Any]) -> tuple[Table, ...]:
    data, solver = result["data"], result["solver"]
    size = f"{data['rows']} rows, {data['columns']} columns"
    # which label is which sign
    labels = data["labels"]
    named = labels.items() if isinstance(labels, Mapping) else enumerate(labels or ())
    program = {
        "program": f"{entry.name}: {entry.title}",
        "method": result["method"],
        "solver": f"{solver['name']} {solver['version']}".strip(),
        "data": f"{data['name']}, {size}",
    }
    if labels:
        program["labels"] = ", ".join(f"{name} as {sign}" for sign, name in named)
    reading = {key: value for key, value in data["reading"].items() if value is not None}
    settings = {key: value for key, value in result["params"].items() if value is not None}
    return (
        _pairs("", program),
        _pairs("Settings", settings),
        _pairs("Reading of the data", reading),
    )


def _certificate(result: Mapping[str, Any]) -> tuple[Table, ...]:
    params = result["params"]
    values = {
        "objective, recomputed from the data": _text(result["objective"], ".16g"),
        "bound, recomputed from the data": _text(result["bound"], ".16g"),
        "relative gap": _text(result["gap"], ".3g"),
        "asked for": f"relative gap {params['tol']:g} or difference {params['abs_tol']:g}",
        "verdict": "certified" if result["certified"] else "not certified",
    }
    return (_pairs("", values),)


def _analysis(result: Mapping[str, Any], analysis: Mapping[str, Any]) -> PageSection:
    """What ``analyze --json`` wrote of the same data; DataError for anything else."""
    try:
        # an analysis of other data says nothing of this result
        if analysis["data"]["sha256"] != result["data"]["sha256"]:
            raise DataError("the analysis is one of other data: hashes differ")
        lines = (
            path_lines(analysis) if "pieces" in analysis else analysis_lines(analysis, SHOWN_ROWS)
        )
    except MALFORMED as error:
        raise DataError(f"analysis: not the JSON of radprog analyze: {error!r}") from None
    return PageSection("Analysis", tuple(lines))


def _ranked(ranking: Ranking) -> Table:
    """The largest numbers of a certificate."""
    notes = [ranking.note, ranking.when_cut if len(ranking.rows) > SHOWN_ROWS else ""]
    return Table(
        title=ranking.title,
        head=ranking.head,
        rows=ranking.rows[:SHOWN_ROWS],
        note="; ".join(note for note in notes if note),
    )


def _image(result: Mapping[str, Any]) -> str:
    from radprog.figures import convergence_image  # loads matplotlib

    return _embedded(convergence_image(result))


def _embedded(image: bytes | None) -> str:
    return "" if image is None else "data:image/svg+xml;base64," + base64.b64encode(image).decode()


def _bounds(result: Mapping[str, Any]) -> Iterator[PageSection]:
    """The bounds of the error, where the result has any, or the reason why not."""
    if result.get("bounds") or result.get("compression"):
        from radprog.figures import bounds_image  # loads matplotlib

        table = bounds(result)
        yield PageSection("Bounds", tuple(bound_lines(table)), image=_embedded(bounds_image(table)))


def _trace(result: Mapping[str, Any]) -> Iterator[Table]:
    trace = result["trace"]
    if trace:
        name = "Last iterations" if len(trace) > SHOWN_ROWS else "Iterations"
        yield _records(name, trace[-SHOWN_ROWS:])
    yield _pairs("Seconds", result["time"])


def _versions(result: Mapping[str, Any]) -> tuple[Table, ...]:
    solver = result["solver"]
    values = {
        "radprog": result["radprog"],
        solver["name"]: solver["version"] or "-",
        f"SHA-256 of {result['data']['name']}": result["data"]["sha256"],
        "largest memory, MiB": _text(result["peak_mb"], ".0f"),
    }
    return (_pairs("", values),)


def _blocks(title: str, block: Mapping[str, Any]) -> Iterator[Table]:
    """A block of a result as tables: its plain values, its columns, its records, its blocks."""
    # plain values in one table, nested ones below
    plain = {key: value for key, value in block.items() if not _nested(value)}
    columns = {
        key: plain.pop(key)
        for key, value in list(plain.items())
        if isinstance(value, list) and len(value) > 1 and len(value) == len(_kernels(block))
    }
    if plain:
        yield _pairs(title, plain)
    if len(columns) > 1:
        records = [
            dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)
        ]
        yield _records(_joined(title, "per kernel"), records, limit=len(records))
    elif columns:
        yield _pairs(_joined(title, "per kernel"), columns)
    for key, value in block.items():
        if isinstance(value, Mapping):
            yield from _blocks(_joined(title, key), value)
        elif _nested(value):
            yield _records(_joined(title, key), value)


def _kernels(block: Mapping[str, Any]) -> Sequence[Any]:
    kernels = block.get("kernels")
    return kernels if isinstance(kernels, list) else ()


def _joined(*parts: str) -> str:
    text = ", ".join(_words(part) for part in parts if part)
    return text[:1].upper() + text[1:]


def _words(name: str) -> str:
    return str(name).replace("_", " ")


def _nested(value: Any) -> bool:
    """A block, or a list of records."""
    return isinstance(value, Mapping) or (
        isinstance(value, list) and bool(value) and all(isinstance(v, Mapping) for v in value)
    )


def _pairs(title: str, values: Mapping[str, Any]) -> Table:
    return Table(title=title, rows=[(_words(key), value) for key, value in values.items()])


def _records(title: str, records: Sequence[Mapping[str, Any]], limit: int = SHOWN_ROWS) -> Table:
    # columns in the order in which records name them
    keys = list(dict.fromkeys(key for record in records for key in record))
    left = len(records) - limit
    return Table(
        title=title,
        head=tuple(map(_words, keys)),
        rows=[tuple(record.get(key) for key in keys) for record in records[:limit]],
        note=f"and {left} more" if left > 0 else "",
    )


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _text(value: Any, style: str = ".6g") -> str:
    if value is None:
        return "none"
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:{style}}"
    if isinstance(value, Mapping):
        return "; ".join(f"{_words(key)}: {_text(item)}" for key, item in value.items())
    if _nested(value):
        return f"{len(value)} records"
    if isinstance(value, (list, tuple)):
        shown = ", ".join(_text(item) for item in value[:SHOWN_VALUES])
        more = f", ... ({len(value)} values)" if len(value) > SHOWN_VALUES else ""
        return shown + more if value else "none"
    return str(value)
