"""Programs that a solver failed on, kept in the user's state folder: the last ten."""

from __future__ import annotations

import os
import secrets
import time
from pathlib import Path

from radprog.instances.errors import OutputError
from radprog.solvers.program import Program

VARIABLE = "XDG_STATE_HOME"
MOST = 10


def state_folder() -> Path:
    """``$XDG_STATE_HOME/radprog``, or ``~/.local/state/radprog`` where that is no absolute path."""
    base = Path(os.environ.get(VARIABLE, ""))
    if not base.is_absolute():
        base = Path("~/.local/state").expanduser()
    return base / "radprog"


def keep_failed(program: Program) -> str:
    """Write a program that a solver failed on; where it is, or why it could not be kept."""
    from radprog.solvers.formats.program_writer import write_program  # loads pyomo

    try:
        folder = state_folder() / "failed"
        folder.mkdir(parents=True, exist_ok=True)
        moment = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
        path = folder / f"{moment}-{secrets.token_hex(4)}.mps"
        write_program(program, path)
        for old in sorted(folder.glob("*.mps"), key=_age)[:-MOST]:
            old.unlink(missing_ok=True)
    except (OSError, OutputError, RuntimeError) as error:
        return f"it could not be kept ({error})"
    return f"the program is kept in {path}, the last {MOST} are"


def _age(path: Path) -> int:
    """When a file was written, in ns; one that is gone by now counts as old."""
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0
