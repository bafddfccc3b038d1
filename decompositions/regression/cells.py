"""Finished cells of structural risk minimisation, and the file that keeps them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from radprog.base.errors import MALFORMED, DataError, OptionError, RadprogError
from radprog.base.types import FloatArray
from radprog.base.writing import atomic_text
from radprog.decompositions.loop import Record
from radprog.decompositions.regression.cccp import StepCounts
from radprog.decompositions.run import RunSettings
from radprog.instances.regression import RegressionData
from radprog.models.regression.settings import SRM

ClassEstimate = dict[str, Any]
CHECKPOINT = 1  # schema of the file
NO_STEPS = StepCounts()


@dataclass(kw_only=True)
class Progress:
    """Finished cells, the functions of the last one (starts of the next), and the best so far.

    With a ``path`` it is one file, rewritten whole after each cell: killed at any moment and
    started again, a run continues with the same numbers. elapsed: seconds to the end of each cell,
    those of the runs before counted in.
    """

    path: str | None
    fingerprint: str
    cells: list[ClassEstimate] = field(default_factory=list)
    elapsed: list[float] = field(default_factory=list)
    steps: StepCounts = field(default_factory=StepCounts)
    carried: FloatArray | None = None
    best: dict[str, Any] = field(default_factory=dict)

    @staticmethod
    def open(path: str | None, fingerprint: str) -> Progress:
        """What the file holds, or nothing; OptionError where it belongs to another run."""
        progress = Progress(path=path, fingerprint=fingerprint)
        if path is None or not Path(path).exists():
            return progress
        try:
            stored = json.loads(Path(path).read_text(encoding="utf-8"))
            if stored["radprog_srm"] != CHECKPOINT:
                raise DataError(f"{path}: a checkpoint of another version")
            if stored["fingerprint"] != fingerprint:
                raise OptionError(
                    f"checkpoint {path} belongs to other data, options or seed: name another file"
                )
            progress.cells, progress.best = list(stored["cells"]), dict(stored["best"])
            progress.steps = StepCounts(**stored.get("steps", {}))
            progress.elapsed = list(stored.get("elapsed", [0.0] * len(progress.cells)))
            if len(progress.elapsed) != len(progress.cells):
                raise DataError(f"{path}: {len(progress.elapsed)} times of its cells")
            carried = stored["carried"]
            progress.carried = None if carried is None else np.asarray(carried, dtype=np.float64)
        except RadprogError:
            raise
        except (OSError, *MALFORMED) as error:
            raise DataError(f"{path}: not a checkpoint of srm: {error!r}") from None
        return progress

    @property
    def spent(self) -> float:
        """Seconds of all runs together."""
        return self.elapsed[-1] if self.elapsed else 0.0

    def record(self, index: int, total: int) -> Record:
        """The line of the trace that the cell was."""
        done, seconds = index + 1, self.elapsed[index]
        left = seconds / done * (total - done)
        detail = {"cells": float(done), "of": float(total), "seconds_left": left}
        return Record(index, seconds, min(c["bound"] for c in self.cells[:done]), None, detail)

    def take(self, other: Progress) -> None:
        """Take in the cells of the gamma that comes next."""
        before, index = self.spent, len(self.cells)
        self.cells += other.cells
        self.elapsed += [before + seconds for seconds in other.elapsed]
        self.carried, self.steps = other.carried, self.steps.joined(other.steps)
        if other.best:
            found = {**other.best, "index": index + other.best["index"]}
            if not self.best or (
                self.cells[found["index"]]["bound"] < self.cells[self.best["index"]]["bound"]
            ):
                self.best = found

    def add(
        self,
        cell: ClassEstimate,
        x: FloatArray,
        functions: Mapping[str, Any],
        steps: StepCounts = NO_STEPS,
        seconds: float = 0.0,
    ) -> None:
        """Take in a finished cell, and write."""
        self.cells.append(cell)
        self.carried, self.steps = x, self.steps.joined(steps)
        self.elapsed.append(seconds)
        if not self.best or cell["bound"] < self.cells[self.best["index"]]["bound"]:
            self.best = {"index": len(self.cells) - 1, **functions}
        if self.path is None:
            return
        with atomic_text(self.path) as stream:
            json.dump(
                {
                    "radprog_srm": CHECKPOINT,
                    "fingerprint": self.fingerprint,
                    "cells": self.cells,
                    "elapsed": self.elapsed,
                    "steps": asdict(self.steps),
                    "carried": x.tolist(),
                    "best": self.best,
                },
                stream,
                allow_nan=False,
            )


def fingerprint_of(spec: SRM, data: RegressionData, settings: RunSettings) -> str:
    """What must agree for a checkpoint to be continued."""
    content = {
        **asdict(replace(spec, checkpoint=None)),
        "data": data.sha256,
        "scaled": hashlib.sha256(np.ascontiguousarray(data.X).tobytes()).hexdigest(),
        "truth": None if data.truth is None else data.truth.tolist(),
        "seed": settings.seed,
        "solver": settings.solver,
        "max_iter": settings.max_iter,
        "options": dict(settings.solver_options),
    }
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
