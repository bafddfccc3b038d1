"""The files beside which hostile command lines run, and one run of them in this process."""

import contextlib
import io
import os
import shlex
import warnings
from pathlib import Path
from typing import NamedTuple

import numpy as np

from radprog.cli import main

ROWS = "1,2,x\n2,1,y\n3,5,x\n5,4,y\n2,2,x\n7,1,y\n1,1,x\n6,3,y\n4,4,x\n8,2,y\n0,3,x\n9,1,y\n"
SERIES = "1\t1\t2\t3\t1\n2\t3\t1\t2\t0\n1\t1\t2\t4\t1\n2\t3\t1\t1\t0\n"
CENTRES = np.linspace(0.0, 3.0, 12)
KERNEL = np.exp(-(np.subtract.outer(CENTRES, CENTRES) ** 2))
LABELS = np.arange(12) % 2
TEXTS = {
    "d.csv": ROWS,
    "n.csv": ROWS.replace("x", "0.5").replace("y", "2"),
    "odd.csv": ROWS.replace("x", "0.5").replace("y", "2").partition("\n")[2],
    "n3.csv": "1,2,3,4\n2,3,4,5\n3,4,5,6\n",
    "u.csv": ROWS.replace("1,1,x", "1,1,").replace("8,2,y", "8,2,"),
    "test.csv": ROWS,
    "three.csv": ROWS.replace("1,1,x", "1,1,z").replace("8,2,y", "8,2,z"),
    "d.svm": "1 1:2 3:4\n-1 2:3\n1 1:1\n-1 3:2\n",
    "s.tsv": SERIES,
}
COMMANDS = (
    "solve svm d.csv --save fit.json --json run.json",
    "solve vkr d.csv --kernels poly:1 --save vkr.fit.json --json vkr.json",
    "export vkr d.csv --kernels linear --form dual -o p.mps",
)


class Found(NamedTuple):
    """What a command said and did."""

    code: int
    out: str
    err: str
    warned: list[str]


def call(words: list[str]) -> Found:
    """Run a command line here; warnings are those that a terminal would show."""
    out, err = io.StringIO(), io.StringIO()
    with (
        warnings.catch_warnings(record=True) as caught,
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        # each warning every time, for a line must not depend on those before it
        warnings.simplefilter("always")
        try:
            code = main(words)
        except SystemExit as end:
            code = int(end.code or 0)
    # Python hides these four kinds from users of a command
    hidden = (DeprecationWarning, PendingDeprecationWarning, ImportWarning, ResourceWarning)
    shown = [str(one.message) for one in caught if not issubclass(one.category, hidden)]
    return Found(code, out.getvalue(), err.getvalue(), shown)


def prepare(folder: Path) -> None:
    """The files that the command lines name."""
    # texts, then matrices: one a kernel, one too small, two that are not kernels, and archives
    for name, text in TEXTS.items():
        (folder / name).write_text(text)
    np.save(folder / "K.npy", KERNEL)
    np.save(folder / "K3.npy", KERNEL[:3, :3])
    np.save(folder / "indefinite.npy", np.diag([-1.0] + [1.0] * 11))
    np.save(folder / "askew.npy", np.triu(KERNEL))
    np.savez(folder / "g.npz", K=np.array([KERNEL, np.eye(12)]), y=LABELS)
    np.savez(folder / "b.npz", X=np.arange(72.0).reshape(12, 3, 2) % 7, y=LABELS)
    # results and programs that commands read are written by commands
    with contextlib.chdir(folder):
        for command in COMMANDS:
            assert call([*command.split(), "--quiet"]).code == 0, command
        (folder / "p.sol").write_text("# Objective value = 0\nx 1\n")


def contents(folder: Path) -> dict[str, tuple[int, int]]:
    """Every file of a folder: its size and when it was written."""
    found = {}
    for path in folder.rglob("*"):
        state = os.stat(path)
        found[str(path.relative_to(folder))] = (state.st_size, state.st_mtime_ns)
    return found


def line(command: str, value: str) -> tuple[list[str], str]:
    """The words of a command with a value, of its last option or else one more word; its name."""
    words = shlex.split(command)
    last = words[-1] if words else ""
    # with `=`, for a value that starts with a dash is still that of the option
    if last.startswith("--") and "=" not in last:
        words = [*words[:-1], f"{last}={value}"]
    else:
        words = [*words, value]
    return words, " ".join(words)
