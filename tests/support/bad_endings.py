"""Calls that do not come back, in the place of a solver in a process of its own."""

from __future__ import annotations

import os
import time


def ends_its_process(given: str, settings: object) -> str:
    """What SCIP does on some programs of wide numbers."""
    os.abort()


def never_ends(given: str, settings: object) -> str:
    """Until it is ended."""
    time.sleep(600.0)
    return given
