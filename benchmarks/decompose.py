"""Decomposition of files by ``radprog decompose``: value, bound, processor seconds and memory.

    python benchmarks/decompose.py FILES... --methods auto dantzig-wolfe --peers BASELINES.tsv

Each run is a process of its own, whose processor seconds include those of its solvers. The peers
file has the columns solver, file, limit_cpu_s, status, value, bound and cpu_s. ``highs`` as a
method is HiGHS on the whole file.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

HIGHS = """
import json, sys, highspy
h = highspy.Highs(); h.silent(); h.setOptionValue("threads", 1)
h.setOptionValue("time_limit", float(sys.argv[2])); h.readModel(sys.argv[1]); h.run()
i = h.getInfo(); mip = i.mip_node_count >= 0
print(json.dumps({"status": h.modelStatusToString(h.getModelStatus()).lower(),
    "objective": i.objective_function_value, "bound": i.mip_dual_bound if mip else None}))
"""


def run(file: Path, method: str, seconds: float) -> dict[str, Any]:
    """The result of a run with its processor seconds and its largest memory in MB."""
    program = [sys.executable, "-c", HIGHS, str(file), str(seconds)]
    if method != "highs":
        command = "from radprog.cli import main; raise SystemExit(main())"
        program = [sys.executable, "-c", command, "decompose", str(file), "--method", method]
        program += ["--time-limit", str(seconds), "--json", "-", "--quiet"]
    environment = os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    child = subprocess.Popen(program, stdout=subprocess.PIPE, env=environment)
    assert child.stdout is not None
    text = child.stdout.read().decode()
    _, _, used = os.wait4(child.pid, 0)
    child.returncode = 0
    found: dict[str, Any] = {"status": "died"}
    if "{" in text:
        found = json.loads(text[text.index("{") :])
    return found | {"cpu": used.ru_utime + used.ru_stime, "memory": used.ru_maxrss / 1024}


def main() -> None:
    """Print a line a file and method, and those of the peers."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument("--methods", nargs="+", default=["auto"])
    parser.add_argument("--time-limit", type=float, default=60.0)
    parser.add_argument("--peers", type=Path)
    options = parser.parse_args()
    peers: list[dict[str, str]] = []
    if options.peers is not None:
        with options.peers.open() as stream:
            peers = list(csv.DictReader(stream, delimiter="\t"))
    line = "{:26} {:13} {:10} {:>14} {:>14} {:>7} {:>6} {}"
    print(line.format("file", "by", "status", "value", "bound", "CPU s", "MB", "way"))
    for file in options.files:
        for method in options.methods:
            one = run(file, method, options.time_limit)
            value, bound = (
                "" if one.get(key) is None else f"{one[key]:.7g}" for key in ("objective", "bound")
            )
            way = f"{one.get('method', '')} {one.get('proved_by') or ''} {one.get('message', '')}"
            numbers = value, bound, f"{one['cpu']:.2f}", f"{one['memory']:.0f}"
            print(
                line.format(file.name[:26], method, one["status"][:10], *numbers, way), flush=True
            )
        for peer in (p for p in peers if p["file"] == file.name and p["limit_cpu_s"] == "60"):
            numbers = peer["value"][:14], peer["bound"][:14], peer["cpu_s"], ""
            print(line.format("", peer["solver"], peer["status"][:10], *numbers, ""), flush=True)


if __name__ == "__main__":
    main()
