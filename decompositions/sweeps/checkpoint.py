"""A folder with the finished units of a sweep, one file per unit."""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from radprog.base.errors import DataError, OptionError, OutputError
from radprog.base.writing import atomic_text
from radprog.decompositions.sweeps.units import Unit, UnitAnswer
from radprog.instances.data import Data

SWEEP_FILE = "sweep.json"
VALUE_HASH = "sha256"  # the entry of a unit's file that is the hash of its value
VERSION = "radprog"  # the entry of the identity for the version that wrote it
READING = "reading"  # that of the options of the reader, which only say why the data differ


def identity_of(
    specs: Sequence[Any], data: Data, settings: Any, scales: Sequence[str] = ()
) -> dict[str, Any]:
    """Plain values that determine the fits of ``specs`` on one data set with the run ``settings``.

    ``scales`` are the scalings of a grid.
    """
    return {
        **({"scales": list(scales)} if scales else {}),
        "settings": [str(spec) for spec in specs],
        "data": [data.sha256, data.numbers],
        READING: dict(data.reading),
        "seed": settings.seed,
        "options": [
            settings.method, settings.solver, settings.tol, settings.abs_tol, settings.max_iter,
            settings.threads, sorted(settings.solver_options.items()),
        ],
    }  # fmt: skip


def sweep_hash(identity: Mapping[str, Any]) -> str:
    """The SHA-256 hash of plain values."""
    return hashlib.sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest()


@dataclass(frozen=True)
class Checkpoint:
    """The folder of one sweep. Every file contains the ``key`` of the sweep."""

    folder: Path
    key: str

    @staticmethod
    def open(place: str | Path, identity: Mapping[str, Any]) -> Checkpoint:
        """The folder of the sweep with this ``identity``. It is created if it does not exist.

        Raises OptionError if the folder belongs to another sweep or version, or if it contains
        other files. Raises DataError if the description of the sweep is damaged, and OutputError if
        the folder cannot be written.
        """
        folder = Path(place)
        # plain values, as they come back from a file
        expected = {VERSION: importlib.metadata.version("radprog"), **identity}
        expected = json.loads(json.dumps(expected))
        reading = expected.pop(READING, {})
        file = folder / SWEEP_FILE
        try:
            folder.mkdir(parents=True, exist_ok=True)
            files = sorted(name for name in os.listdir(folder) if not name.startswith(".radprog"))
        except FileExistsError:
            raise OutputError(f"checkpoint {folder}: this is a file, expected a folder") from None
        except OSError as error:
            raise OutputError(f"cannot make the folder {folder}: {error.strerror}") from None
        # a folder of this sweep is gone on with; any other is left alone
        if SWEEP_FILE in files:
            stored = _read(file)
            stored_reading = stored.pop(READING, {})
            # another version may answer otherwise
            if stored.get(VERSION) != expected[VERSION]:
                raise OptionError(
                    f"checkpoint {folder}: written by radprog {stored.get(VERSION)}, this is "
                    f"{expected[VERSION]}: name a new folder"
                )
            names = sorted(
                key for key in {*stored, *expected} if stored.get(key) != expected.get(key)
            )
            if names:
                changed = [f"`{key}`" for key in {**reading, **stored_reading}
                       if reading.get(key) != stored_reading.get(key)]  # fmt: skip
                options = f" ({', '.join(changed)})" if changed and "data" in names else ""
                raise OptionError(
                    f"checkpoint {folder}: it belongs to another sweep, whose {', '.join(names)} "
                    f"{'differs' if names in (['data'], ['seed']) else 'differ'}{options}: name a "
                    "new folder"
                )
        elif files:
            raise OptionError(
                f"checkpoint {folder}: it holds {files[0]}, and no sweep: name a new folder"
            )
        else:
            with atomic_text(file) as stream:
                json.dump({**expected, READING: reading}, stream, indent=1)
        return Checkpoint(folder, sweep_hash(expected))

    def load(self, number: int, unit: Unit) -> UnitAnswer | None:
        """The stored answer of a unit, or None. Raises DataError if the answer is damaged."""
        file = self._file(number)
        if not file.exists():
            return None
        # a file of another sweep is not an answer of this one
        stored = _read(file)
        if stored.get("sweep") != self.key or stored.get("unit") != unit.name:
            raise OptionError(f"checkpoint {file}: it is of another sweep: delete it")
        # a value that was edited, or written in part, has another hash
        if stored.get(VALUE_HASH) != sweep_hash({"value": stored.get("value")}):
            raise _damaged(file)
        return UnitAnswer(unit=unit, value=stored["value"])

    def store(self, number: int, answer: UnitAnswer) -> None:
        """Write the answer of a finished unit. Raises OutputError if this fails."""
        if answer.cut or answer.error is not None:  # it is worked again by the next run
            return
        with atomic_text(self._file(number)) as stream:
            value = json.loads(json.dumps(answer.value, default=lambda item: item.tolist()))
            stored = {"sweep": self.key, "unit": answer.unit.name, "value": value}
            json.dump({**stored, VALUE_HASH: sweep_hash({"value": value})}, stream)

    def _file(self, number: int) -> Path:
        return self.folder / f"unit-{number:05d}.json"


def _read(file: Path) -> dict[str, Any]:
    try:
        stored = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        raise _damaged(file) from None
    if not isinstance(stored, dict):
        raise _damaged(file)
    return stored


def _damaged(file: Path) -> DataError:
    return DataError(
        f"checkpoint {file}: truncated, edited, or no file of a sweep: delete it, and what it "
        "held is computed again"
    )
