"""A self-contained HTML page about a result, without network access or scripts."""

from __future__ import annotations

import base64
import importlib.resources
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from string import Template
from typing import Any

from radprog.analysis.bounds import bound_parts, bounds
from radprog.analysis.paths import path_parts
from radprog.analysis.program_page import analysis_parts
from radprog.base.errors import (
    MALFORMED,
    DataError,
    ExtraError,
    OptionError,
    RadprogError,
)
from radprog.base.sections import html_of, safe, styled
from radprog.base.writing import path_text
from radprog.catalog import entry_named
from radprog.decompositions.run import Run
from radprog.result import digest_state, plain
from radprog.saved import EDITED, no_result, read_json, result_content, supplied_by, write_all
from radprog.telling import SECTIONS, SHOWN_ROWS, ending, uncertified


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
        A run, a loaded result, or the path of a result file; or an analysis from ``rp.analyze``.
        Results of decompositions have no page.
    output : str or Path, optional
        The .html or .htm file to write.
    data : Data, optional
        The data of the fit; required if ``result`` is a run.
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
            # a program's analysis has a page of its own
            make = _analysis_page if "program" in content else _result_page
            page = make(plain(content), analysis)
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


def _analysis_page(report: Mapping[str, Any], analysis: object) -> str:
    """The page of an analysis of a program."""
    if analysis is not None:
        raise OptionError("analysis: expected no second one beside an analysis")
    section = f"<section>\n{html_of(analysis_parts(report, SHOWN_ROWS))}\n</section>"
    title, status = f"Analysis: {report['model']}", str(report["status"])
    return _page(title, status, status == "optimal", _cards(report), [section])


def _cards(result: Mapping[str, Any]) -> dict[str, str]:
    """The numbers of the certificate."""
    return {
        "objective": styled(result["objective"], ".10g", "none"),
        "bound": styled(result["bound"], ".10g", "none"),
        "relative gap": styled(result["gap"], ".2g", "none"),
    }


def _page(
    title: str, verdict: str, good: bool, cards: Mapping[str, str], sections: Sequence[str]
) -> str:
    """The whole page."""
    frame = importlib.resources.files("radprog").joinpath("report.html").read_text()
    return safe(
        Template(frame).substitute(
            title=escape(title),
            verdict=escape(verdict),
            tone="good" if good else "open",
            cards="\n".join(
                f'<div><span class="soft">{escape(name)}</span><b>{escape(value)}</b></div>'
                for name, value in cards.items()
            ),
            sections="\n".join(sections),
        )
    )


def _result_page(result: Mapping[str, Any], analysis: Mapping[str, Any] | None) -> str:
    """The page of a result of ``solve``, with an analysis of the same data."""
    from radprog.figures import convergence_image  # loads matplotlib

    # the sections of the result, with an analysis and the bounds before the last
    sections = {title: list(tell(result)) for title, tell in SECTIONS.items()}
    last = {"Reproduce": sections.pop("Reproduce")}
    if analysis is not None:
        try:
            # an analysis of other data does not belong to this result
            blocks_of = [content["data"] for content in (analysis, result)]
            key = "numbers" if all("numbers" in block for block in blocks_of) else "sha256"
            if blocks_of[0][key] != blocks_of[1][key]:
                raise DataError("the analysis is one of other data: the numbers differ")
            several = "pieces" in analysis
            parts = path_parts(analysis) if several else analysis_parts(analysis, SHOWN_ROWS)
        except MALFORMED as error:
            raise DataError(f"analysis: not the JSON of radprog analyze: {error!r}") from None
        sections["Analysis"] = parts
    if result.get("bounds") or result.get("compression"):
        sections["Bounds"] = bound_parts(bounds(result))
    # the verdict, its numbers, and the warnings
    certified = result["certified"] is True
    word = {"tol": "relative gap", "abs-tol": "absolute difference"}.get(result["certified_by"], "")
    worth = f"certified by its {word}" if certified else uncertified(result)
    cards = _cards(result) | {
        "seconds": f"{result['time']['total']:.3g}",
        "iterations": str(result["iterations"]),
    }
    warnings = [EDITED] * (digest_state(result) == "broken") + list(map(str, result["warnings"]))
    blocks = []
    if warnings:
        lines = (f'<p class="warn">{escape(text)}</p>' for text in warnings)
        blocks.append("\n".join(["<section>", "<h2>Warnings</h2>", *lines, "</section>"]))
    for title, parts in (sections | last).items():
        body = [html_of(parts)]
        image = convergence_image(result) if title == "Course of the run" else None
        if image is not None:  # as a data address, so that the page contains it
            address = "data:image/svg+xml;base64," + base64.b64encode(image).decode()
            body.insert(0, f'<img src="{address}" alt="{escape(title)}">')
        if parts or image is not None:
            heading = f"<h2>{escape(title)}</h2>"
            blocks.append("\n".join(["<section>", heading, *body, "</section>"]))
    verdict = f"{result['status']}, {ending(result)}: {worth}"
    title = f"{entry_named(result['model']).title}: {result['data']['name']}"
    return _page(title, verdict, certified, cards, blocks)
