"""Every model and method under ``--time-limit``: how long it takes, and what it has by then.

python tests/attack/limits.py                       every method on 3,000 rows, at most 2 seconds
python tests/attack/limits.py --only vkr --rows 10000 --limit 1

A process of its own a run. It is to end within the limit, a second, and 5 % of it in CPU seconds
of its own, and to have written a result with a bound or to say in one line why there is none; the
exit code is 1 where one does not. Times on the wall are printed too: they count on an idle machine.
Modules are compiled before, as an installation does it.
"""

import compileall
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import chdir
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from determinism import calls_of, write_data
from script_options import read_options

import radprog
from radprog.catalog import CATALOG


def compile_modules() -> None:
    """Byte code of every module, where there is none or an old one."""
    for folder, _, names in os.walk(Path(radprog.__file__).parent, followlinks=True):
        for name in names:
            if name.endswith(".py"):
                compileall.compile_file(Path(folder, name), quiet=1)


def runs(only: Sequence[str], limit: float) -> Iterator[bool]:
    """Every method of the models named, one after another: whether it was late or silent."""
    for model in only or CATALOG:
        for method in CATALOG[model].methods:
            words = [*calls_of(model, method, few=False), "--time-limit", f"{limit:g}", "--quiet"]
            yield ended(f"{model} {method}", ["solve", *words, "--method", method], limit)


def ended(case: str, arguments: Sequence[str], limit: float) -> bool:
    """Print one run, measured by the system; whether it was late or silent."""
    result = Path("result.json")
    # no result of the run before may count as that of this one
    result.unlink(missing_ok=True)
    start = time.perf_counter()
    # a process of its own: the system counts its CPU seconds, also after a kill
    with tempfile.TemporaryFile() as err:
        command = [sys.executable, "-m", "radprog", *arguments, "--json", result.name]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=err)
        _, code, used = os.wait4(process.pid, 0)
        wall = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(code)
        err.seek(0)
        lines = err.read().decode().splitlines()
    # a result says its status and bound; without one the lines of errors count, warnings do not
    told = json.loads(result.read_text()) if result.exists() else {}
    errors = [line for line in lines if "warning" not in line]
    status = f"{told['status']} ({told['stopped_by']})" if told else " ".join(errors)
    cpu = used.ru_utime + used.ru_stime
    late = cpu > 1.05 * limit + 1.0
    silent = not 0 <= process.returncode <= 2 or (not told and len(errors) != 1)
    bound = "yes" if told.get("bound") is not None else "no"
    wrong = "LATE " * late + "SILENT " * silent
    print(f"{case:<22}{cpu:7.2f}{wall:8.2f}  {bound:>5}  {wrong}{status[:80]}", flush=True)
    return late or silent


if __name__ == "__main__":
    options = read_options(__doc__, only=CATALOG, rows=3000, limit=2.0)
    # data and byte code before any clock starts: neither is part of a method's time
    with tempfile.TemporaryDirectory() as place, chdir(place):
        write_data(options.rows)
        compile_modules()
        print(f"{'':<22}{'CPU s':>7}{'wall s':>8}  bound  end")
        wrong = [*runs(options.only, options.limit)]
    # one run that is too slow or silent is enough to fail
    print(f"{len(wrong)} runs, {sum(wrong)} late or silent")
    sys.exit(any(wrong))
