"""Kernels whose behaviour in a worker is planted; a module of its own, which workers import."""

import os
import signal
from dataclasses import dataclass
from pathlib import Path

from radprog.base.limits import poll
from radprog.base.types import FloatArray


@dataclass(frozen=True)
class Planted:
    """(x'z + 1)^2. In another process than ``home``, once there is a file ``armed``: the first to
    remove it dies (``dies``), every one dies (``all die``), or goes on until it is told to stop
    (``stays``)."""

    kind: str
    armed: str
    home: int

    def __call__(self, X: FloatArray, Z: FloatArray) -> FloatArray:
        # at home, or before it is armed, it is an ordinary kernel
        if os.getpid() != self.home and Path(self.armed).exists():
            # the first to rename the file disarms the others
            if self.kind == "dies":
                Path(self.armed).rename(f"{self.armed}.done")
            if self.kind == "stays":
                Path(f"{self.armed}.done").touch()
                while True:
                    poll()
            os.kill(os.getpid(), signal.SIGKILL)
        return (X @ Z.T + 1.0) ** 2
