"""Measurements in separate processes: wall and processor seconds, peak memory, medians, ratios.

With RADPROG_BENCHMARKS=FOLDER in the environment, every table is also written to SCRIPT.json in
this folder, with the date, versions, machine and rows.
"""

from __future__ import annotations

import json
import os
import platform
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

# generators that tests use too
sys.path.append(str(Path(__file__).resolve().parent.parent / "tests" / "support"))


def peak_mb() -> float:
    """Largest resident memory of this process so far, in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10


@contextmanager
def stopwatch() -> Iterator[dict[str, float]]:
    """Wall and processor seconds of what stands inside: ``seconds``, ``cpu``, filled at its end."""
    spent: dict[str, float] = {}
    wall, cpu = time.perf_counter(), time.process_time()
    yield spent
    spent["seconds"], spent["cpu"] = time.perf_counter() - wall, time.process_time() - cpu


def circumstances() -> dict[str, Any]:
    """Date, versions and machine of a measurement."""
    names = (
        "radprog", "numpy", "scipy", "scikit-learn", "highspy", "piqp", "cyipopt-wheels",
        "clarabel", "pyscipopt",
    )  # fmt: skip
    versions = {}
    for name in names:
        with suppress(PackageNotFoundError):
            versions[name] = version(name)
    here = Path(__file__).resolve().parent
    commit = subprocess.run(
        ["git", "rev-parse", "HEAD"], capture_output=True, text=True, check=False, cwd=here
    )
    lines = Path("/proc/cpuinfo").read_text().splitlines() if os.name == "posix" else []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "commit": commit.stdout.strip() or None,
        "versions": versions,
        "python": platform.python_version(),
        "machine": {
            "system": platform.system(),
            "processor": models[0] if models else platform.machine(),
            "cores": os.cpu_count(),
            "load_before": os.getloadavg()[0],
        },
    }


def here_and_now(results: dict[str, Any], around: dict[str, Any]) -> dict[str, Any]:
    """The part of ``results["measured"]`` with these versions and this machine, begun where there
    is none; it becomes the last one."""
    machine = {key: value for key, value in around["machine"].items() if key != "load_before"}
    place = {"versions": around["versions"], "python": around["python"], "machine": machine}
    parts = results.setdefault("measured", [])
    part = next((p for p in parts if place.items() == {k: p[k] for k in place}.items()), place)
    results["measured"] = [other for other in parts if other is not part] + [part]
    return part


def where(part: dict[str, Any]) -> str:
    """Version and machine of such a part."""
    machine = part["machine"]
    cores = f", {machine['cores']} cores" if machine.get("cores") else ""
    version = part["versions"].get("radprog", "(not recorded)")
    return f"radprog {version} on {machine['processor']}{cores}"


def packages(part: dict[str, Any]) -> str:
    """Python and the packages of such a part."""
    named = [f"{name} {value}" for name, value in part["versions"].items() if name != "radprog"]
    return ", ".join([f"Python {part['python']}", *named])


def write_section(name: str, text: str, page: str = "reference/benchmarks.md") -> None:
    """Replace the section of a benchmark in a page of docs, between its two marks."""
    place = Path(__file__).resolve().parents[1] / "docs" / page
    begin, end = (
        f"<!-- {name}: python benchmarks/{name}.py --write -->\n",
        f"<!-- end of {name} -->\n",
    )
    before, found, rest = place.read_text().partition(begin)
    assert found, f"{place}: no section {name}"
    place.write_text(f"{before}{begin}{text.strip()}\n{end}{rest.partition(end)[2]}")


def shifted_mean(values: Sequence[float], shift: float = 1.0) -> float:
    """The geometric mean of values + shift, less the shift."""
    return statistics.geometric_mean(value + shift for value in values) - shift


def child(task: Callable[[], dict[str, Any]]) -> None:
    """Run a task in this process and print seconds, peak memory and what it returns as JSON.

    A task that prepares its input, or checks its answer, returns its own ``seconds``, ``peak_mb``.
    """
    with stopwatch() as spent:
        answer = task()
    answer = {**spent, "peak_mb": peak_mb(), **answer}
    print(json.dumps(answer))


def measure(
    script: str, arguments: Sequence[str], runs: int, python: str = sys.executable
) -> dict[str, Any]:
    """Medians over ``runs`` fresh processes of ``python script arguments``."""
    answers = []
    for _ in range(runs):
        done = subprocess.run(
            [python, script, *arguments], capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise SystemExit(f"{script} {' '.join(arguments)} failed:\n{done.stderr}")
        answers.append(json.loads(done.stdout.splitlines()[-1]))
    median = dict(answers[-1])
    for key in ("seconds", "cpu", "peak_mb"):
        if key in median:
            median[key] = statistics.median(answer[key] for answer in answers)
    median["runs"] = runs
    return median


def keep(title: str, rows: Sequence[dict[str, Any]]) -> None:
    """Add a table to the JSON file of this script, where the environment names a folder."""
    folder = os.environ.get("RADPROG_BENCHMARKS")
    if not folder:
        return
    place = Path(folder) / f"{Path(sys.argv[0]).stem}.json"
    known = json.loads(place.read_text())["tables"] if place.is_file() else {}
    written = {**circumstances(), "tables": {**known, title: list(rows)}}
    place.write_text(json.dumps(written, indent=1) + "\n")


def table(title: str, rows: Sequence[dict[str, Any]], base: int = 0) -> None:
    """Print rows with ratios of seconds and memory to row ``base``."""
    keep(title, rows)
    print(f"\n{title}")
    print(f"{'':<34}{'runs':>5}{'seconds':>10}{'ratio':>8}{'MiB':>8}{'ratio':>7}  objective, note")
    for row in rows:
        seconds = row["seconds"] / rows[base]["seconds"]
        memory = row["peak_mb"] / rows[base]["peak_mb"]
        print(
            f"{row['name']:<34}{row['runs']:>5}{row['seconds']:>10.3f}{seconds:>8.1f}"
            f"{row['peak_mb']:>8.0f}{memory:>7.2f}  {row['objective']!r} {row.get('note', '')}"
        )
