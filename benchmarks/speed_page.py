"""The page docs/reference/benchmarks.md from what ``speed.py`` measured, which writes it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

Json = dict[str, Any]
HEAD = """\
# Benchmarks

Processor seconds and memory of decompositions beside their peers on the same task, by version,
each with its date, packages and machine. This page is written by `python benchmarks/speed.py
--write` from `benchmarks/results/speed.json`, and a test compares the two; `python
benchmarks/speed.py --peer PYTHON` measures anew (`PYTHON`: an interpreter that has cvxpy). One
thread, a process of its own for every measurement; reading of data and building of the peers'
matrices are not counted. The times are a peer's processor seconds over ours: above 1 we are
faster, below 1 the peer is.

Accuracies have pages of their own, of [classifiers](comparison.md) and of
[clusterings](../guides/similarity.md). A goal is missed there: over nine sets on which nothing was
chosen (`python benchmarks/cdsk.py held-out`)
`cdsk` matches 54.8 % of the points with their classes, ahead
of spectral clustering with a kernel (51.6 %) and level with k-means (54.6 %).
"""


def seconds_of(row: Json) -> float:
    """Processor seconds of a row: of a peer that tells no others, those that it tells."""
    return float(row.get("cpu", row["seconds"]))


def digits(value: float) -> str:
    """Three digits."""
    return f"{value:.3g}" if value < 100 else f"{value:.0f}"


def page(results: Json, order: list[str]) -> str:
    """The whole page; order: of the cases."""
    cases = [results["cases"][key] for key in order if key in results["cases"]]
    versions = sorted({_version(case) for case in cases}, key=_recorded, reverse=True)
    parts = [HEAD, *_verdicts(cases)]
    for version in versions:
        parts.append(f"## radprog {version}\n")
        for case in cases:
            if _version(case) == version:
                parts += _case(case)
    return "\n".join(parts)


def _ratios(case: Json) -> Iterator[tuple[str, float]]:
    ours, *peers = case["rows"]
    for row in peers:
        yield row["name"], seconds_of(row) / seconds_of(ours)


def _version(case: Json) -> str:
    """Of radprog, where it was written down."""
    return str(case["versions"].get("radprog", "of a version not recorded"))


def _recorded(version: str) -> tuple[bool, str]:
    """Those that are known before those that are not."""
    return version[0].isdigit(), version


def _verdicts(cases: list[Json]) -> Iterator[str]:
    """Where we win, lose, and have no peer."""
    beside = [(case["title"], name, ratio) for case in cases for name, ratio in _ratios(case)]
    lost = [entry for entry in beside if entry[2] <= 1]
    won = [entry for entry in beside if entry[2] > 1]
    yield "## Wins and losses\n"
    yield f"Of {len(beside)} comparisons {len(won)} are won and {len(lost)} lost.\n"
    for word, entries in (("Lost", lost), ("Won", won)):
        if entries:
            yield f"{word}:\n"
            for title in dict.fromkeys(title for title, _, _ in entries):
                told = [f"{n} {digits(r)} times" for t, n, r in entries if t == title]
                yield f"- {title}: {'; '.join(told)}"
            yield ""
    alone = [case["title"] for case in cases if len(case["rows"]) == 1]
    if alone:
        yield f"Measured without a peer: {'; '.join(alone)}.\n"


def _case(case: Json) -> Iterator[str]:
    """A case with all its rows."""
    ours = case["rows"][0]
    yield f"### {case['title']}\n"
    yield "| way | processor s | times | MiB | objective | runs | |"
    yield "|---|---|---|---|---|---|---|"
    for row in case["rows"]:
        objective = row.get("objective")
        cells = (
            row["name"] or "radprog",
            digits(seconds_of(row)),
            digits(seconds_of(row) / seconds_of(ours)),
            f"{row['peak_mb']:.0f}" if row.get("peak_mb") else "",
            "" if objective is None else f"{objective:.6g}",
            str(row.get("runs", "")),
            row.get("note") or "",
        )
        yield f"| {' | '.join(cells)} |"
    machine, told = case["machine"], [f"{name} {v}" for name, v in case["versions"].items()]
    cores = f", {machine['cores']} cores" if machine.get("cores") else ""
    load = machine.get("load_before")
    busy = "" if load is None else f", load {load:.1f} before"
    yield (
        f"\nMeasured {case['date']}, commit `{case['commit'][:10]}`, on "
        f"{machine['processor']}{cores}{busy}; Python {case['python']}, {', '.join(told)}.\n"
    )
