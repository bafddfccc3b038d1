"""Plant the bugs of ``mutants.py`` one at a time in a copy: the nearest tests must fail.

    python tests/attack/mutation.py [--only REGEX] [--check]

Prints a line a bug and the count. Exit code 1 where a bug survives, where the unchanged copy fails
its tests, or where a bug can no longer be planted: its text is gone or stands there twice.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from mutants import MUTANTS, Mutant
from script_options import read_options

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("instances", "models", "solvers", "decompositions", "radprog", "tests", "docs")
FILES = ("pyproject.toml", "README.md", "constraints.txt", "Makefile")
SECONDS = 900.0  # a run that takes longer is counted as a survivor: tests have limits of their own
FAILED = 1  # exit code of pytest where a test failed


def misfits(mutants: Sequence[Mutant] = MUTANTS, root: Path = ROOT) -> list[str]:
    """Bugs that cannot be planted in a tree, and tests that are not there."""
    found = []
    for mutant in mutants:
        # a text that is gone or stands twice would plant nothing, or more than one bug
        times = (root / mutant.file).read_text().count(mutant.old)
        if times != 1:
            found.append(f"{mutant.name}: its text stands {times} times in {mutant.file}")
        missing = [path for path in mutant.tests.split() if not (root / path).exists()]
        found += [f"{mutant.name}: no tests {path}" for path in missing]
    return found


def copied(folder: Path) -> Path:
    """A copy of the tree without what tests do not need."""
    ignored = shutil.ignore_patterns("__pycache__", ".hypothesis", "*.pyc")
    # links stay links: tests/.ns then leads to the folders of the copy
    for name in FOLDERS:
        shutil.copytree(ROOT / name, folder / name, symlinks=True, ignore=ignored)
    for name in FILES:
        shutil.copy(ROOT / name, folder / name)
    return folder


def tested(tree: Path, tests: str) -> int | None:
    """Exit code of pytest in a tree; None where it did not end in time."""
    # the packages of the copy, also where editable finders come first; one thread; no byte code
    # that outlives a bug
    links = str(tree / "tests" / ".ns")
    place = {"PYTHONPATH": links, "PYTHONSAFEPATH": "1", "RADPROG_LINKS": "1"}
    quiet = {"PYTHONDONTWRITEBYTECODE": "1", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    command = [
        *(sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider"),
        *("--hypothesis-seed=0", *tests.split()),
    ]
    try:
        return subprocess.run(
            command, cwd=tree, env=os.environ | place | quiet, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, timeout=SECONDS,
        ).returncode  # fmt: skip
    except subprocess.TimeoutExpired:
        return None


@contextmanager
def planted(tree: Path, mutant: Mutant) -> Iterator[None]:
    """The tree with one bug."""
    path = tree / mutant.file
    text = path.read_text()
    path.write_text(text.replace(mutant.old, mutant.new))
    try:
        yield
    finally:
        path.write_text(text)


def attack(mutants: Sequence[Mutant]) -> list[str]:
    """Names of the bugs that survive, of those whose tests pass without them."""
    survivors = []
    with tempfile.TemporaryDirectory() as folder:
        tree = copied(Path(folder))
        sound: dict[str, bool] = {}
        for mutant in mutants:
            start = time.perf_counter()
            # tests that fail without the bug prove nothing: run once on the unchanged copy
            if mutant.tests not in sound:
                sound[mutant.tests] = tested(tree, mutant.tests) == 0
            # killed: a test failed; an error of pytest or a run without end is none
            with planted(tree, mutant):
                code = tested(tree, mutant.tests)
            killed = code == FAILED and sound[mutant.tests]
            if not killed:
                survivors.append(mutant.name)
            word = "killed" if killed else "SURVIVES" if sound[mutant.tests] else "RED WITHOUT IT"
            seconds = time.perf_counter() - start
            print(f"{word:14}  {mutant.name}  ({mutant.file}, {seconds:.0f} s)", flush=True)
    return survivors


if __name__ == "__main__":
    given = read_options(__doc__, only="", check=False)
    chosen = [mutant for mutant in MUTANTS if re.search(given.only, mutant.name)]
    # nothing is run while one bug cannot be planted
    faults = misfits(chosen)
    print(*faults, sep="\n", end="\n" * bool(faults))
    if faults or given.check:
        sys.exit(bool(faults))
    survivors = attack(chosen)
    print(f"mutation: {len(chosen)} planted, {len(chosen) - len(survivors)} killed")
    sys.exit(bool(survivors))
