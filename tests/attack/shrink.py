"""A smaller instance that still shows a finding of the same kind."""

import time
from collections.abc import Iterator
from dataclasses import replace

from attack_cases import Case
from attack_checks import examine

DIGITS = (1, 2, 4, 8)


def kinds(findings: list[str]) -> set[str]:
    """The words before the first colon: kind and method."""
    return {finding.partition(":")[0] for finding in findings}


def shrunk(case: Case, findings: list[str], seconds: float) -> Case:
    """The least that shows one of the kinds, with what it shows."""
    wanted, end = kinds(findings), time.perf_counter() + seconds
    best, shown = case, findings
    # the first smaller instance that shows it takes over, until none does
    progress = True
    while progress and time.perf_counter() < end:
        progress = False
        for smaller in candidates(best):
            if time.perf_counter() > end:
                break
            found = examine(smaller).findings
            if kinds(found) & wanted:
                best, shown, progress = smaller, found, True
                break
    return replace(best, found=shown)


def candidates(case: Case) -> Iterator[Case]:
    """Fewer rows, fewer columns, rounder numbers, options left out: the boldest first."""
    # rows: halves, quarters, down to single ones
    n = case.rows
    size = n // 2
    while size and n > 2:
        for start in range(0, n, size):
            yield case.without_rows(set(range(start, min(n, start + size))))
        size //= 2
    # columns
    d = len(case.X[0])
    for j in range(d):
        if d > 1:
            yield replace(case, X=[row[:j] + row[j + 1 :] for row in case.X])
    # options that have defaults
    for name in case.options:
        rest = {key: value for key, value in case.options.items() if key != name}
        if name not in ("kernels", "clusters", "variant", "lam"):
            yield replace(case, options=rest)
    # kernels of a list
    kernels = str(case.options.get("kernels", "")).split(",")
    for name in kernels if len(kernels) > 1 else []:
        fewer = ",".join(other for other in kernels if other != name)
        yield replace(case, options={**case.options, "kernels": fewer})
    # digits
    for digits in DIGITS:
        X = [[float(f"{value:.{digits}g}") for value in row] for row in case.X]
        if X != case.X:
            yield replace(case, X=X)
