"""Units whose behaviour is planted; a module of its own, which workers import."""

import os
import signal
import time
from pathlib import Path
from typing import Any

from radprog.base.errors import DataError
from radprog.base.limits import OutOfBudget
from radprog.decompositions.sweeps.units import Inside, Sweep, Unit


def square(shared: Any, item: Any, inside: Inside) -> Any:
    inside.step()
    return float(shared["matrix"][item] @ shared["matrix"][item]), os.getpid()


def planted(shared: Any, item: Any, inside: Inside) -> Any:
    """What the item says: a value, an error, a death, a wait until it is told to stop."""
    kind, argument = item
    if kind == "refused":
        raise DataError(argument)
    if kind == "wrong":
        raise ValueError(argument)
    if kind == "dies":
        os.kill(os.getpid(), signal.SIGKILL)
    if kind == "dies once" and not Path(argument).exists():
        Path(argument).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    if kind == "waits":
        while not inside.interrupted():
            time.sleep(0.01)
        raise OutOfBudget(argument)
    return argument


def sweep_of(*items: Any) -> Sweep:
    """A sweep of planted units."""
    units = [Unit(name=f"unit {number}", item=item) for number, item in enumerate(items)]
    return Sweep(call=planted, shared=None, units=units)
