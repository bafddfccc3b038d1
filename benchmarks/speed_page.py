"""The section Speed of docs/reference/benchmarks.md, from the results of ``speed.py``."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any

from measure import packages, shifted_mean, where

Json = dict[str, Any]
VERIFIED = 1e-4  # gap of peers that solve the task
SHIFT = 1.0  # second, of the means: small beside what takes minutes, large beside milliseconds
HEAD = """\
## Speed

Processor seconds and memory of radprog, and of other solvers (peers) on the same tasks.

- **times**: seconds of the peer, divided by those of radprog. Below 1, the peer is faster.
- **verified gap**: the value of the peer's point, computed from the data, against the best bound
  that radprog proved. A peer's own claims are not used, because they have other tolerances.
- The last rows are geometric means of the seconds, with a shift of 1 second: over all peers, and
  over the peers with a verified gap of at most 1e-4.

Every measurement runs in its own process with one thread. Reading the data and building the
matrices of the peers do not count. `python benchmarks/speed.py --peer PYTHON` repeats all of it;
`PYTHON` is an interpreter with cvxpy.
"""


def seconds_of(row: Json) -> float:
    """Processor seconds of a row: of a peer that tells no others, those that it tells."""
    return float(row.get("cpu", row["seconds"]))


def digits(value: float) -> str:
    """Three digits."""
    return f"{value:.3g}" if value < 100 else f"{value:.0f}"


def span(dates: Iterable[str]) -> str:
    """The first and the last date."""
    ordered = sorted(dates)
    return " to ".join(dict.fromkeys((ordered[0], ordered[-1])))


def fastest(peers: list[Json]) -> Json:
    """The row of the least seconds."""
    return min(peers, key=seconds_of)


def page(results: Json, order: list[str]) -> str:
    """The whole section, of the newest measurements; order: of the cases."""
    part = results["measured"][-1]
    cases = [part["cases"][key] for key in order if key in part["cases"]]
    return "\n".join([HEAD, *_around(part, cases), *_verdict(cases), *_table(cases)])


def _around(part: Json, cases: list[Json]) -> Iterator[str]:
    """Versions and machine of a table, dates, commits and load of its cases."""
    loads = sorted(case["load_before"] for case in cases)
    commits = dict.fromkeys(f"`{case['commit'][:10]}`" for case in cases)
    yield f"### {where(part)}\n"
    dates = span(case["date"] for case in cases)
    yield (
        f"Measured {dates}, commit {', '.join(commits)}; load before "
        f"{loads[0]:.1f} to {loads[-1]:.1f}. {packages(part)}.\n"
    )


def _verdict(cases: list[Json]) -> Iterator[str]:
    """Where we win, lose, and have no peer."""
    beside = [
        (case["title"], row["name"], seconds_of(row) / seconds_of(case["rows"][0]))
        for case in cases
        for row in case["rows"][1:]
    ]
    lost = [
        f"- lost: {title}: {name} takes {digits(r)} times the seconds of radprog"
        for title, name, r in beside
        if r <= 1
    ]
    won = len(beside) - len(lost)
    yield f"Radprog is faster in {won} of {len(beside)} comparisons and slower in {len(lost)}.\n"
    if lost:
        yield from [*lost, ""]


def _table(cases: list[Json]) -> Iterator[str]:
    """All rows of all cases, and the means at the foot."""
    yield "| task | way | processor s | times | verified gap | MiB | objective | runs | |"
    yield "|---|---|---|---|---|---|---|---|---|"
    for case in cases:
        for number, row in enumerate(case["rows"]):
            objective, gap = row.get("objective", row.get("bound")), row.get("gap")
            cells = (
                "" if number else case["title"],
                row["name"] or "radprog",
                digits(seconds_of(row)),
                digits(seconds_of(row) / seconds_of(case["rows"][0])),
                "–" if gap is None else f"{gap:.1e}",
                f"{row['peak_mb']:.0f}" if row.get("peak_mb") else "",
                "" if objective is None else f"{objective:.6g}",
                str(row.get("runs", "")),
                row.get("note") or "",
            )
            yield f"| {' | '.join(cells)} |"
    yield from _means(cases, "the fastest peer", math.inf)
    yield from _means(cases, f"the fastest peer of a gap up to {VERIFIED:g}", VERIFIED)
    yield ""


def _means(cases: list[Json], name: str, most: float) -> Iterator[str]:
    """Shifted geometric means of ours and of the fastest peer, over the cases that have a peer with
    a verified gap up to ``most``, or of any."""
    both = []
    for case in cases:
        ours, *peers = case["rows"]
        peers = [row for row in peers if most == math.inf or row.get("gap", math.inf) <= most]
        if peers:
            both.append((seconds_of(ours), seconds_of(fastest(peers))))
    if both:
        mine, theirs = (shifted_mean(column, SHIFT) for column in zip(*both, strict=True))
        title = f"shifted geometric mean, {len(both)} tasks"
        yield f"| {title} | radprog | {digits(mine)} | 1 | | | | | |"
        yield f"|  | {name} | {digits(theirs)} | {digits(theirs / mine)} | | | | | |"
