"""A self-contained HTML page about a result, without network access or scripts."""

from __future__ import annotations

import base64
import importlib.resources
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, replace
from html import escape
from pathlib import Path
from string import Template
from typing import Any

from radprog.analysis.bounds import bounds
from radprog.base.errors import (
    MALFORMED,
    DataError,
    ExtraError,
    OptionError,
    RadprogError,
)
from radprog.base.sections import Section, Table, html_of, named, pairs, records, safe, styled
from radprog.base.writing import path_text
from radprog.catalog import Entry, entry_named
from radprog.decompositions.run import Run, RunSettings
from radprog.result import digest_state, plain
from radprog.saved import EDITED, no_result, read_json, result_content, supplied_by, write_all
from radprog.solvers.registry import SOLVERS
from radprog.telling.analyses import analysis_parts, bound_parts, path_parts
from radprog.telling.results import ENDED, summary_lines, uncertified

SHOWN_ROWS = 12  # most rows of a table
PLACED = (  # parts of a result with their own place on the page
    *("schema", "radprog", "model", "method", "params", "data", "solver", "status", "stopped_by"),
    *("objective", "bound", "gap", "certified", "certified_by", "iterations", "columns", "time"),
    *("peak_mb", "trace", "warnings", "fit", "test", "certificate", "digest"),
)


def report(
    result: Run | Mapping[str, Any] | str | Path,
    output: str | Path | None = None,
    *,
    data: Any = None,
    analysis: Mapping[str, Any] | str | Path | None = None,
) -> str:
    """Create a self-contained HTML page about a result.

    Parameters
    ----------
    result : Run, mapping, str or Path
        A run, a loaded result, or the path of a result file.
    output : str or Path, optional
        The .html or .htm file to write.
    data : Data, optional
        The data of the fit, for a run.
    analysis : mapping, str or Path, optional
        An analysis from ``rp.analyze``, or the path of its file, to include in the page.

    Returns
    -------
    str
        The HTML of the page.

    Raises
    ------
    DataError
        If ``result`` is not a result, or the analysis belongs to other data.
    OptionError
        If the suffix of the output is not .html or .htm.
    OutputError
        If the output cannot be written.

    Examples
    --------
    >>> import numpy as np
    >>> import radprog as rp
    >>> data = rp.dataset(np.arange(6.0)[:, None], [-1, -1, 1, -1, 1, 1])
    >>> run = rp.fit(rp.VKR(kernels="poly:1"), data)
    >>> page = rp.report(run, "run.html", data=data)
    >>> page.startswith("<!DOCTYPE html>")
    True
    """
    check_page(output)
    # the JSON result, so that a run and its file have the same page
    content, source = result_content(result, data)
    if isinstance(analysis, str | Path):
        analysis = read_json(analysis, "a report of analyze")
    try:
        with supplied_by(result):
            page = _result_page(plain(content), analysis)
    except (DataError, ExtraError):
        raise
    except (*MALFORMED, RadprogError) as error:
        raise DataError(f"{source}: {no_result(content, error)}") from None
    if output is not None:
        write_all({path_text(output): page})
    return page


def check_page(output: str | Path | None) -> None:
    """Raise OptionError if the path of a page does not end with .html or .htm."""
    if output is not None and not path_text(output).lower().endswith((".html", ".htm")):
        raise OptionError(f"{output}: expected a file that ends in .html")


def page_of(
    title: str,
    verdict: str,
    *,
    certified: bool,
    cards: Mapping[str, str],
    warnings: Sequence[str],
    sections: Sequence[Section],
) -> str:
    """HTML of sections below a title, a verdict, and cards with its numbers."""
    blocks = []
    if warnings:
        lines = (f'<p class="warn">{escape(text)}</p>' for text in warnings)
        blocks.append("\n".join(["<section>", "<h2>Warnings</h2>", *lines, "</section>"]))
    for section in sections:
        if section.parts or section.image:
            picture = f'<img src="{section.image}" alt="{escape(section.title)}">'
            heading = f"<h2>{escape(section.title)}</h2>"
            body = [picture] * bool(section.image) + [html_of(section.parts)]
            blocks.append("\n".join(["<section>", heading, *body, "</section>"]))
    frame = importlib.resources.files("radprog").joinpath("report.html").read_text()
    return safe(
        Template(frame).substitute(
            title=escape(title),
            verdict=escape(verdict),
            tone="good" if certified else "open",
            cards="\n".join(
                f'<div><span class="soft">{escape(name)}</span><b>{escape(value)}</b></div>'
                for name, value in cards.items()
            ),
            sections="\n".join(blocks),
        )
    )


def _result_page(result: Mapping[str, Any], analysis: Mapping[str, Any] | None) -> str:
    """The page of a result of ``solve``, with an analysis of the same data."""
    from radprog.figures import bounds_image, convergence_image  # loads matplotlib

    entry, trace = entry_named(result["model"]), result["trace"]
    # the verdict, and its numbers
    certified = result["certified"] is True
    word = {"tol": "relative gap", "abs-tol": "absolute difference"}.get(result["certified_by"], "")
    worth = f"certified by its {word}" if certified else uncertified(result)
    exact = {key: styled(result[key], ".16g", "none") for key in ("objective", "bound")}
    settings = {"solver": result["solver"]["name"], "version": result["solver"]["version"]}
    # blocks of the result, those of the model's own last
    blocks = {
        "settings": result["params"] | settings,
        "data": result["data"],
        "fit": result["fit"],
        "test": result["test"] or {},
        "seconds": result["time"],
        "more results": {key: value for key, value in result.items() if key not in PLACED},
        "made by": {"radprog": result["radprog"], "largest memory, MiB": result["peak_mb"]},
    }
    multipliers = [replace(table, most=SHOWN_ROWS) for table in entry.hooks.multipliers(result)]
    analyses = []
    if analysis is not None:
        try:
            # an analysis of other data does not belong to this result
            own = [one["data"] for one in (analysis, result)]
            key = "numbers" if all("numbers" in block for block in own) else "sha256"
            if own[0][key] != own[1][key]:
                raise DataError("the analysis is one of other data: the numbers differ")
            several = "pieces" in analysis
            parts = path_parts(analysis) if several else analysis_parts(analysis, SHOWN_ROWS)
        except MALFORMED as error:
            raise DataError(f"analysis: not the JSON of radprog analyze: {error!r}") from None
        analyses.append(Section(title="Analysis", parts=parts))
    if result.get("bounds") or result.get("compression"):
        table = bounds(result)
        image = _address(bounds_image(table))
        analyses.append(Section(title="Bounds", parts=bound_parts(table), image=image))
    return page_of(
        f"{entry.title}: {result['data']['name']}",
        f"{result['status']}, {ENDED[result['stopped_by']]}: {worth}",
        certified=certified,
        cards={
            "objective": styled(result["objective"], ".10g", "none"),
            "bound": styled(result["bound"], ".10g", "none"),
            "relative gap": styled(result["gap"], ".2g", "none"),
            "seconds": f"{result['time']['total']:.3g}",
            "iterations": str(result["iterations"]),
        },
        warnings=(
            *([EDITED] if digest_state(result) == "broken" else []),
            *(str(text) for text in result["warnings"]),
        ),
        sections=[
            Section(title="Result", parts=summary_lines(result)),
            Section(
                title="Course of the run",
                parts=[records("Last iterations", trace[-SHOWN_ROWS:])] if trace else (),
                image=_address(convergence_image(result)),
            ),
            Section(title="Certificate", parts=[pairs("Recomputed from the data", exact)]),
            Section(title="Sensitivity", parts=multipliers),
            *analyses,
            Section(
                title="Details",
                parts=[
                    table for name, block in blocks.items() for table in block_tables(name, block)
                ],
            ),
            Section(title="Reproduce", parts=list(reproduction(entry, result))),
        ],
    )


def _address(image: bytes | None) -> str:
    """A picture as a data address, so that the page contains it."""
    return "" if image is None else "data:image/svg+xml;base64," + base64.b64encode(image).decode()


def block_tables(title: str, block: Mapping[str, Any]) -> Iterator[Table]:
    """The tables of one block of a result: its values, values per kernel side by side, records, and
    inner blocks.
    """
    kernels = block.get("kernels")
    several = len(kernels) if isinstance(kernels, list) else 0
    columns = {
        key: value
        for key, value in block.items()
        if several > 1 and isinstance(value, list) and len(value) == several
    }
    values = {k: v for k, v in block.items() if k not in columns and not _nested(v)}
    if any(value is not None for value in values.values()):
        yield pairs(title, {k: v for k, v in values.items() if v is not None})
    if columns:
        rows = list(zip(*columns.values(), strict=True))
        heads = tuple(map(named, columns))
        yield Table(title=f"{title}, per kernel", head=heads, rows=rows)
    for key, value in block.items():
        if isinstance(value, Mapping):
            yield from block_tables(f"{title}, {named(key)}", value)
        elif _nested(value):
            yield records(f"{title}, {named(key)}", value, SHOWN_ROWS)


def _nested(value: Any) -> bool:
    """Whether a value is a mapping or a list of records."""
    return isinstance(value, Mapping) or (
        isinstance(value, list) and bool(value) and all(isinstance(v, Mapping) for v in value)
    )


def reproduction(entry: Entry, result: Mapping[str, Any]) -> Iterator[str]:
    """The command lines that repeat the fit and check its certificate."""
    data, params = result["data"], result["params"]
    check = shlex.join(["radprog", "check", "run.json", str(data["name"])])
    # a solution from a file: load
    if "loaded" in result:
        first, *dual = result["loaded"]
        words = ["load", first["file"], "--names", first["names"], "--data", data["name"]]
        for other in dual:
            words += ["--dual-sol", other["file"], "--dual-names", other["names"]]
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
    yield shlex.join(["radprog", *map(str, words), "--json", "run.json"])
    yield check
