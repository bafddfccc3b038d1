"""Decomposition of files by ``radprog decompose``, beside other solvers: value, bound, processor s.

    python benchmarks/decompose.py FILES... --methods auto dantzig-wolfe --peers BASELINES.tsv
    python benchmarks/decompose.py FILES... --methods auto gcg highs scip --gcg PYTHON --store
    python benchmarks/decompose.py --write   # docs/reference/benchmarks.md, from what is stored

The files are those of ``benchmarks/families.py``, or your own. Each run is a process of its own
with one thread. Processor seconds are those of solving, with the search for blocks and the
processes of solvers, without the start of Python and the reading of the file. Runs of less than 5
seconds are repeated (``--runs``), and the median counts. ``highs`` and ``scip`` as methods are
these solvers on the whole file, and ``gcg`` is GCG, by PyGCGOpt of another interpreter (``--gcg``),
all with their own options. The peers file has the columns solver, file, limit_cpu_s, status, value,
bound and cpu_s. Every point is tested in the file by HiGHS's reader, apart from the program that
gave it. ``--store`` keeps the runs in benchmarks/results; ``speed.py --write`` puts one into the
README.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from measure import circumstances, here_and_now, packages, shifted_mean, where, write_section

RESULTS = Path(__file__).resolve().with_name("results") / "decompose.json"
FRONT = "packing-u"  # the family in the README
KEPT = ("status", "objective", "bound", "cpu", "memory", "off", "structure", "columns", "message")
GCG = "GCG 3.6.2 (PyGCGOpt 0.4.0, PySCIPOpt 5.2.1)"
NAMES = {"auto": "radprog", "gcg": "GCG", "highs": "HiGHS", "scip": "SCIP"}
#: Programs of all ways: a file, the processor seconds, a file for the point, and the method. Each
#: prints status, objective, bound and seconds as JSON.
OURS = """
import json, os, resource, sys, time
from contextlib import suppress
from glob import glob
import radprog as rp
from radprog.base import limits
from radprog.decompositions.programs.compact import program_of_model
def cpu():
    both = resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN
    used = sum(u.ru_utime + u.ru_stime for u in map(resource.getrusage, both))
    # searches that run now, which count as children when they have ended
    for task in glob("/proc/self/task/*/children"):
        with suppress(OSError):  # it has just ended
            for child in open(task).read().split():
                times = open(f"/proc/{child}/stat").read().rpartition(")")[2].split()[11:13]
                used += sum(map(int, times)) / os.sysconf("SC_CLK_TCK")
    return used
file, limit, answer, method = sys.argv[1:]
solve, how = rp.dantzig_wolfe, {"method": method}
if method == "benders": solve, how = rp.benders, {}
program = program_of_model(file); began = cpu()
run = solve(program, interrupted=lambda: cpu() - began > float(limit),
    time_limit=10.0 * float(limit), **how)
limits._end_idle()
used = cpu() - began
if run.objective is not None:
    open(answer, "w").writelines(f"{a} {v!r}\\n" for a, v in run.values.items())
print(json.dumps({"status": run.status.value, "objective": run.objective, "bound": run.bound,
    "method": run.method, "proved_by": run.proved_by, "message": run.message,
    "structure": run.structure.to_dict(), "cpu": used}))
"""
HIGHS = """
import json, sys, time, highspy
h = highspy.Highs(); h.silent(); h.setOptionValue("threads", 1)
h.readModel(sys.argv[1]); began = time.process_time()
def stop(event):
    if time.process_time() - began > float(sys.argv[2]): event.interrupt()
for one in (h.cbMipInterrupt, h.cbSimplexInterrupt, h.cbIpmInterrupt): one += stop
h.run(); used = time.process_time() - began
i = h.getInfo(); word = h.modelStatusToString(h.getModelStatus()).lower()
x = h.getSolution(); names = h.getLp().col_names_
if x.value_valid:
    open(sys.argv[3], "w").writelines(f"{a} {v!r}\\n" for a, v in zip(names, x.col_value))
value = i.objective_function_value if x.value_valid else None
bound = i.mip_dual_bound if i.mip_node_count >= 0 else value if word == "optimal" else None
print(json.dumps({"status": word, "objective": value, "bound": bound, "cpu": used}))
"""
SCIP = """
import json, sys, time
from MODULE import Model
m = Model(); m.hideOutput(); m.setParam("timing/clocktype", 1)
m.setParam("limits/time", float(sys.argv[2])); m.readProblem(sys.argv[1])
names = [v.name for v in m.getVars()]; began = time.process_time()
m.optimize(); used = time.process_time() - began
if m.getNSols():
    s = m.getBestSol(); value = {v.name: m.getSolVal(s, v) for v in m.getVars()}
    open(sys.argv[3], "w").writelines(f"{a} {value.get(a, 0.0)!r}\\n" for a in names)
print(json.dumps({"status": m.getStatus(), "bound": m.getDualbound(), "cpu": used,
    "objective": m.getObjVal() if m.getNSols() else None}))
"""
PROGRAMS = {
    "highs": HIGHS,
    "scip": SCIP.replace("MODULE", "pyscipopt"),
    "gcg": SCIP.replace("MODULE", "pygcgopt"),
}


def run(file: Path, method: str, seconds: float, python: str = sys.executable) -> dict[str, Any]:
    """The result of a run with its processor seconds and its largest memory in MB."""
    with tempfile.TemporaryDirectory() as folder:
        answer = Path(folder, "answer.sol")
        program = [python, "-c", PROGRAMS.get(method, OURS), str(file), str(seconds), str(answer)]
        environment = os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        child = subprocess.Popen([*program, method], stdout=subprocess.PIPE, env=environment)
        assert child.stdout is not None
        text = child.stdout.read().decode()
        _, _, used = os.wait4(child.pid, 0)
        child.returncode = 0
        found: dict[str, Any] = {"status": "died", "cpu": used.ru_utime + used.ru_stime}
        if "{" in text:
            found = json.loads(text[text.index("{") :])
        for key in ("objective", "bound"):
            value = found.get(key)
            found[key] = None if value is None or abs(value) > 1e18 else value
        if found["objective"] is not None:
            found["off"], found["columns"] = judged(file, answer)
    return found | {"memory": used.ru_maxrss / 1024}


def judged(file: Path, answer: Path) -> tuple[float, int]:
    """The largest violation of a row, a bound or an integer by a point, relative to 1 + |side|, and
    the number of columns.
    """
    import highspy
    import numpy as np

    highs = highspy.Highs()
    highs.silent()
    highs.readModel(str(file))
    lp = highs.getLp()
    values = dict(
        line.split() for line in answer.read_text().splitlines() if line and line[0] != "#"
    )
    x = np.array([float(values.get(name, 0.0)) for name in lp.col_names_])
    kinds = lp.integrality_ or [highspy.HighsVarType.kContinuous] * x.size
    whole = np.array([kind == highspy.HighsVarType.kInteger for kind in kinds])
    activity = np.zeros(lp.num_row_)
    matrix, columns = lp.a_matrix_, np.arange(x.size)
    of = np.repeat(columns, np.diff(matrix.start_))
    np.add.at(activity, np.asarray(matrix.index_), np.asarray(matrix.value_) * x[of])
    worst = float(np.abs(x - np.rint(x))[whole].max(initial=0.0))
    for values_, low, high in (
        (activity, lp.row_lower_, lp.row_upper_),
        (x, lp.col_lower_, lp.col_upper_),
    ):
        for excess, side in (
            (np.asarray(low) - values_, np.asarray(low)),
            (values_ - np.asarray(high), np.asarray(high)),
        ):
            kept = np.isfinite(side)
            worst = max(worst, float((excess[kept] / (1.0 + np.abs(side[kept]))).max(initial=0.0)))
    return worst, x.size


def measured(file: Path, method: str, options: argparse.Namespace) -> dict[str, Any]:
    """A run, or the one of median seconds where they are few."""
    runs = []
    for _ in range(options.runs):
        python = options.gcg if method == "gcg" else sys.executable
        runs.append(run(file, method, options.time_limit, python))
        if runs[-1]["cpu"] > 5.0:
            break
    middle = statistics.median_low(one["cpu"] for one in runs)
    return next(one for one in runs if one["cpu"] == middle)


def proved(one: dict[str, Any]) -> bool:
    """Whether the bound meets the value of a point without violation, within 1e-4 as HiGHS ends."""
    value, bound = one.get("objective"), one.get("bound")
    if value is None or bound is None or one.get("off", 0.0) > 1e-5:
        return False
    return bool(abs(value - bound) <= 1e-4 * abs(value) + 1e-6)


def cell(one: dict[str, Any]) -> str:
    """Seconds of a proof, or value and bound."""
    if proved(one):
        return f"{one['cpu']:.1f} s"
    if one["status"] == "died":
        return f"died after {one['cpu']:.0f} s"
    value, bound = (
        "none" if v is None else f"{v:.6g}" for v in (one.get("objective"), one.get("bound"))
    )
    return f"{value}, bound {bound}"


def page(part: dict[str, Any]) -> str:
    """The section of the page: a row a file, with the methods that all files have."""
    files: dict[str, dict[str, Any]] = part["files"]
    methods = [m for m in NAMES if all(m in answers for answers in files.values())]
    names = [NAMES[method] for method in methods]
    dates = sorted({one["date"] for answers in files.values() for one in answers.values()})
    commits = {one["commit"][:10] for answers in files.values() for one in answers.values()}
    lines = [
        f"{where(part)}, {dates[-1]}, commit {', '.join(f'`{c}`' for c in sorted(commits))}; "
        f"{packages(part)}, {part['gcg']}.",
        "",
        f"| file | columns | blocks | kinds | {' | '.join(names)} |",
        "|---" * (4 + len(names)) + "|",
    ]
    for file, answers in files.items():
        blocks = answers["auto"]["structure"]
        cells = [file, f"{answers['auto']['columns']:,}", blocks["blocks"], len(blocks["kinds"])]
        lines.append(f"| {' | '.join(map(str, [*cells, *(cell(answers[m]) for m in methods)]))} |")
    counts = [sum(proved(answers[m]) for answers in files.values()) for m in methods]
    lines.append(f"| proved | | | | {' | '.join(f'{c} of {len(files)}' for c in counts)} |")
    means = []
    for m in methods:
        ends = [one[m]["cpu"] if proved(one[m]) else part["limit"] for one in files.values()]
        means.append(f"{shifted_mean(ends):.1f} s")
    lines.append(f"| shifted geometric mean | | | | {' | '.join(means)} |")
    return "\n".join(lines)


def front() -> tuple[str, str]:
    """The row of the README, the largest file of FRONT beside its fastest peer, and its date."""
    part = json.loads(RESULTS.read_text())["measured"][-1]
    files = {name: one for name, one in part["files"].items() if name.startswith(FRONT)}
    answers = max(files.values(), key=lambda one: one["auto"]["columns"])
    ours = answers["auto"]
    peers = [m for m in answers if m in NAMES and m != "auto"]
    best = min(peers, key=lambda m: (not proved(answers[m]), peers.index(m)))
    peer, times = answers[best], f"{answers[best]['cpu'] / ours['cpu']:.3g}"
    what = f"{peer['cpu']:.3g} s"
    if not proved(peer):
        what, times = (
            f"unproved in {part['limit']:.0f} s",
            f"over {part['limit'] / ours['cpu']:.2g}",
        )
    row = (
        f"| `decompose`, bin packing, {ours['columns']:,} shuffled columns | {ours['cpu']:.3g} s, "
        f"{ours['memory']:.0f} MiB | {NAMES[best]}: {what} | {times} |"
    )
    return row, ours["date"]


def main() -> None:
    """Print a line a file and method, and those of the peers."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", type=Path, nargs="*")
    parser.add_argument("--methods", nargs="+", default=["auto"])
    parser.add_argument("--time-limit", type=float, default=60.0)
    parser.add_argument("--peers", type=Path)
    parser.add_argument("--gcg", metavar="PYTHON", help="an interpreter with pygcgopt")
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--store", action="store_true", help="keep the runs in benchmarks/results")
    parser.add_argument("--write", action="store_true", help="docs/reference/benchmarks.md")
    options = parser.parse_args()
    results = json.loads(RESULTS.read_text()) if RESULTS.is_file() else {}
    around = circumstances()
    peers: list[dict[str, str]] = []
    if options.peers is not None:
        with options.peers.open() as stream:
            peers = list(csv.DictReader(stream, delimiter="\t"))
    line = "{:26} {:13} {:10} {:>14} {:>14} {:>7} {:>6} {:>8} {}"
    print(line.format("file", "by", "status", "value", "bound", "CPU s", "MB", "off", "way"))
    for file in options.files:
        for method in options.methods:
            one = measured(file, method, options)
            if options.store:
                kept = {key: one[key] for key in KEPT if key in one}
                kept |= {"date": around["date"], "commit": around["commit"]}
                part = here_and_now(results, around)
                part |= {"limit": options.time_limit, "gcg": GCG}
                part.setdefault("files", {}).setdefault(file.name.partition(".")[0], {})[method] = (
                    kept
                )
                RESULTS.write_text(json.dumps(results, indent=1) + "\n")
            value, bound = (
                "" if one.get(key) is None else f"{one[key]:.7g}" for key in ("objective", "bound")
            )
            way = f"{one.get('method', '')} {one.get('proved_by') or ''} {one.get('message', '')}"
            numbers = value, bound, f"{one['cpu']:.2f}", f"{one['memory']:.0f}"
            off = f"{one['off']:.0e}" if "off" in one else ""
            status = one["status"][:10]
            print(line.format(file.name[:26], method, status, *numbers, off, way), flush=True)
        for peer in (p for p in peers if p["file"] == file.name and p["limit_cpu_s"] == "60"):
            numbers = peer["value"][:14], peer["bound"][:14], peer["cpu_s"], ""
            print(line.format("", peer["solver"], peer["status"][:10], *numbers, "", ""))
    if options.write:
        write_section("decompose", page(results["measured"][-1]))


if __name__ == "__main__":
    main()
