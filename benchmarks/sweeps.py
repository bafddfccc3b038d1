"""The speedup of sweeps by two workers over one: wall seconds of whole commands.

    python benchmarks/sweeps.py                  # every case: about 20 minutes on two idle cores
    python benchmarks/sweeps.py tune --runs 3    # only this case; other results stay unchanged
    python benchmarks/sweeps.py --short          # small cases, as a test; stores nothing
    python benchmarks/sweeps.py --table          # the table from the JSON file, without runs

A case is a command. It is run by one process, by two (``--jobs 2``), and by two workers of a
temporary dask cluster on this computer over TLS. All results must be equal except for times. The
measurements are stored in results/sweeps.json. Data are generated, and every process uses one
thread.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from measure import circumstances
from table_generators import sinc, waveform

RESULTS = Path(__file__).resolve().with_name("results") / "sweeps.json"
WAYS = {
    "one process": (),
    "two processes": ("--jobs", "2"),
    "two dask workers": ("--scheduler", "local", "--jobs", "2"),
}
OF_TIME = ("time", "trace", "digest", "peak_mb")  # of a result: not the same twice
GOAL = 1.7


@dataclass(frozen=True)
class Sweep:
    """A command that takes a minute or more, and one like it that takes seconds."""

    command: tuple[str, ...]
    short: tuple[str, ...]


def _tune(rows: int, values: int, folds: int) -> tuple[str, ...]:
    grid = f"1e-1..1e-5:{values}"
    return ("tune", "vkr", f"wave{rows}.csv", "--scale", "ball", "--kernels", "poly:1-10",
            "--grid", f"lam={grid}", "--grid", f"beta={grid}", "--folds", str(folds))  # fmt: skip


def _srm(classes: int, trials: int, starts: int) -> tuple[str, ...]:
    return ("solve", "srm", "sinc.csv", "--gammas", f"1e-3..1e2:{classes}", "--As",
            f"1e-3..1e2:{classes}", "--trials", str(trials), "--starts", str(starts))  # fmt: skip


def _starts(starts: int) -> tuple[str, ...]:
    return ("solve", "svr", "sinc.csv", "--gamma", "5", "--A", "50", "--starts", str(starts))


CASES = {
    "tune": Sweep(_tune(2000, 9, 10), _tune(150, 3, 4)),
    "srm": Sweep(_srm(10, 100, 5), _srm(4, 10, 2)),
    "starts": Sweep(_starts(4000), _starts(40)),
}


def prepare(folder: Path) -> None:
    """The data that commands name."""
    for rows in (150, 2000):
        data = waveform(rows, seed=1)
        lines = [",".join([*map(repr, point), str(int(sign))])
                 for point, sign in zip(data.X.tolist(), data.targets, strict=True)]  # fmt: skip
        (folder / f"wave{rows}.csv").write_text("\n".join(lines) + "\n")
    line = sinc(100, seed=0)
    rows = zip(line.X[:, 0].tolist(), line.targets.tolist(), strict=True)
    (folder / "sinc.csv").write_text("".join(f"{x!r},{y!r}\n" for x, y in rows))


def timed(command: Sequence[str], folder: Path) -> tuple[float, str]:
    """Wall seconds of a command, and its result without times."""
    begun = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "radprog", *command, "--json", "result.json", "--quiet"],
        cwd=folder, capture_output=True, text=True, check=False,
    )  # fmt: skip
    seconds = time.perf_counter() - begun
    if done.returncode:
        raise SystemExit(f"radprog {' '.join(command)} failed:\n{done.stderr}")
    result = json.loads((folder / "result.json").read_text())
    return seconds, json.dumps({k: v for k, v in result.items() if k not in OF_TIME})


def measured(command: Sequence[str], folder: Path, runs: int) -> dict[str, Any]:
    """A command by every way: medians of the seconds, and whether all results are one."""
    rows, answers = [], set()
    for name, workers in WAYS.items():
        found = [timed([*command, *workers], folder) for _ in range(runs)]
        answers |= {answer for _, answer in found}
        seconds = [second for second, _ in found]
        rows.append({"name": name, "wall": statistics.median(seconds), "runs": runs})
        print(f"  {name:<20}{rows[-1]['wall']:>9.1f} s", flush=True)
    return {**circumstances(), "command": " ".join(command), "same": len(answers) == 1,
            "goal": GOAL, "rows": rows}  # fmt: skip


def table(cases: dict[str, Any]) -> str:
    """What was measured, as lines of Markdown."""
    lines = [f"| command | {' | '.join(WAYS)} | results |", "|---" * (len(WAYS) + 2) + "|"]
    for case in cases.values():
        first = case["rows"][0]["wall"]
        cells = [f"{case['rows'][0]['wall']:.1f} s"]
        cells += [f"{row['wall']:.1f} s, {first / row['wall']:.2f} times as fast"
                  for row in case["rows"][1:]]  # fmt: skip
        same = "the same" if case["same"] else "DIFFERENT"
        lines.append(f"| `radprog {case['command']}` | {' | '.join(cells)} | {same} |")
    return "\n".join(lines)


def main() -> None:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("cases", nargs="*", help=f"which of {', '.join(CASES)} (all)")
    parser.add_argument("--runs", type=int, default=3, help="runs of every way (3)")
    parser.add_argument("--short", action="store_true", help="small sweeps; nothing is kept")
    parser.add_argument("--table", action="store_true", help="print the table, run nothing")
    options = parser.parse_args()
    if unknown := [name for name in options.cases if name not in CASES]:
        parser.error(f"no case {', '.join(unknown)}: known are {', '.join(CASES)}")
    known = json.loads(RESULTS.read_text())["cases"] if RESULTS.is_file() else {}
    cases: dict[str, Any] = {} if options.short else known
    if not options.table:
        os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
        with tempfile.TemporaryDirectory() as folder:
            prepare(Path(folder))
            for name in options.cases or CASES:
                command = CASES[name].short if options.short else CASES[name].command
                print(f"{name}: radprog {' '.join(command)}", flush=True)
                cases[name] = measured(command, Path(folder), options.runs)
                if not options.short:
                    RESULTS.write_text(json.dumps({"cases": cases}, indent=1) + "\n")
    print(f"\n{table(cases)}")
    if not all(case["same"] for case in cases.values()):
        raise SystemExit("results differ")


if __name__ == "__main__":
    main()
