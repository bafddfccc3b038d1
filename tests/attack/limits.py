"""Every model and method under ``--time-limit``: how long it takes, and what it has by then.

python tests/attack/limits.py                       every method on 3,000 rows, at most 2 seconds
python tests/attack/limits.py --only vkr --rows 10000 --limit 1

A process of its own a run. It is to end within the limit, a second, and 5 % of it in CPU seconds
of its own, and to have written a result with a bound or to say in one line why there is none; the
exit code is 1 where one does not. Times on the wall are printed too: they count on an idle machine.
Modules are compiled before, as an installation does it.
"""

import argparse
import compileall
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parent))

from determinism import ADDED, ALONE, OPTIONS, write_data

import radprog
from radprog.catalog import CATALOG

FILES = {"partly_labelled": "part.csv", "regression": "line.csv", "series": "series.tsv"}


class Ended(NamedTuple):
    """How one run ended; status: of its result, or its one line."""

    case: str
    cpu: float
    wall: float
    code: int
    status: str
    bound: bool
    lines: int

    def late(self, limit: float) -> bool:
        """Whether it took longer than was allowed."""
        return self.cpu > 1.05 * limit + 1.0

    @property
    def silent(self) -> bool:
        """Neither a result nor one line."""
        return self.code > 2 or self.code < 0 or (not self.status and self.lines != 1)


def compile_modules() -> None:
    """Byte code of every module, where there is none or an old one."""
    for folder, _, names in os.walk(Path(radprog.__file__).parent, followlinks=True):
        for name in names:
            if name.endswith(".py"):
                compileall.compile_file(Path(folder, name), quiet=1)


def runs(only: Sequence[str], folder: Path, limit: float) -> Iterator[Ended]:
    """Every method of the models named, one after another."""
    # a model takes the file of its kind of data, a method the options that end it on many rows
    for model in only or CATALOG:
        entry = CATALOG[model]
        data = FILES.get(entry.hooks.kinds[0], "points.csv")
        for method in entry.methods:
            case = f"{model} {method}"
            given = ALONE.get(case, OPTIONS.get(model, "")) + " " + ADDED.get(case, "")
            ask = ["solve", model, data, "--method", method, *given.split(), "--quiet"]
            yield ended(case, [*ask, "--time-limit", f"{limit:g}"], folder)


def ended(case: str, arguments: Sequence[str], folder: Path) -> Ended:
    """One run, measured by the system."""
    result = folder / "result.json"
    # no result of the run before may count as that of this one
    result.unlink(missing_ok=True)
    start = time.perf_counter()
    # a process of its own: the system counts its CPU seconds, also after a kill
    with tempfile.TemporaryFile() as err:
        command = [sys.executable, "-m", "radprog", *arguments, "--json", result.name]
        process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=err)
        _, code, used = os.wait4(process.pid, 0)
        wall = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(code)
        err.seek(0)
        lines = err.read().decode().splitlines()
    # a result says its status and bound; without one the lines of errors count, warnings do not
    told = json.loads(result.read_text()) if result.exists() else {}
    status = f"{told['status']} ({told['stopped_by']})" if told else ""
    cpu = used.ru_utime + used.ru_stime
    bound = told.get("bound") is not None
    errors = [line for line in lines if "warning" not in line]
    return Ended(
        case, cpu, wall, process.returncode, status or " ".join(errors), bound, len(errors)
    )


def main(arguments: list[str] | None = None) -> int:
    """Exit code 1 where a run was late or silent."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--only", action="append", default=[], choices=list(CATALOG))
    parser.add_argument("--rows", type=int, default=3000)
    parser.add_argument("--limit", type=float, default=2.0)
    options = parser.parse_args(arguments)
    # data and byte code before any clock starts: neither is part of a method's time
    with tempfile.TemporaryDirectory() as place:
        here = Path.cwd()
        os.chdir(place)
        write_data(options.rows)
        os.chdir(here)
        compile_modules()
        print(f"{'':<22}{'CPU s':>7}{'wall s':>8}  bound  end")
        found = []
        for run in runs(options.only, Path(place), options.limit):
            found.append(run)
            wrong = "LATE " * run.late(options.limit) + "SILENT " * run.silent
            told = f"{'yes' if run.bound else 'no':>5}  {wrong}{run.status[:80]}"
            print(f"{run.case:<22}{run.cpu:7.2f}{run.wall:8.2f}  {told}", flush=True)
    # one run that is too slow or silent is enough to fail
    late = sum(run.late(options.limit) for run in found)
    silent = sum(run.silent for run in found)
    print(f"{len(found)} runs, {late} late, {silent} silent")
    return 1 if late or silent else 0


if __name__ == "__main__":
    sys.exit(main())
