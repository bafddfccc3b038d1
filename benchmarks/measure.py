"""Measuring in processes of their own: wall seconds, peak memory, medians and ratios."""

from __future__ import annotations

import json
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any


def peak_mb() -> float:
    """Largest resident memory of this process so far, in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10


def child(task: Callable[[], dict[str, Any]]) -> None:
    """Run a task in this process and print seconds, peak memory and what it returns as JSON.

    A task that prepares its input, or checks its answer, returns its own ``seconds``, ``peak_mb``.
    """
    started = time.perf_counter()
    answer = task()
    answer.setdefault("seconds", time.perf_counter() - started)
    answer.setdefault("peak_mb", peak_mb())
    print(json.dumps(answer))


def measure(script: str, arguments: Sequence[str], runs: int) -> dict[str, Any]:
    """Medians over ``runs`` fresh processes of ``python script arguments``."""
    answers = []
    for _ in range(runs):
        done = subprocess.run(
            [sys.executable, script, *arguments], capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise SystemExit(f"{script} {' '.join(arguments)} failed:\n{done.stderr}")
        answers.append(json.loads(done.stdout.splitlines()[-1]))
    median = dict(answers[-1])
    for key in ("seconds", "peak_mb"):
        median[key] = statistics.median(answer[key] for answer in answers)
    median["runs"] = runs
    return median


def table(title: str, rows: Sequence[dict[str, Any]], base: int = 0) -> None:
    """Print rows with ratios of seconds and memory to row ``base``."""
    print(f"\n{title}")
    print(f"{'':<34}{'runs':>5}{'seconds':>10}{'ratio':>8}{'MiB':>8}{'ratio':>7}  objective, note")
    for row in rows:
        seconds = row["seconds"] / rows[base]["seconds"]
        memory = row["peak_mb"] / rows[base]["peak_mb"]
        print(
            f"{row['name']:<34}{row['runs']:>5}{row['seconds']:>10.3f}{seconds:>8.1f}"
            f"{row['peak_mb']:>8.0f}{memory:>7.2f}  {row['objective']!r} {row.get('note', '')}"
        )
