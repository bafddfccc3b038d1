"""Results and fits as JSON: written atomically, read back with clear errors."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from radprog.decompositions.expansion import KernelExpansion
from radprog.decompositions.run import Fit
from radprog.instances.dataset import Dataset, dataset_from
from radprog.instances.errors import DataError
from radprog.instances.files import atomic_text

FIT_SCHEMA = 1
READERS: Mapping[str, Callable[[Mapping[str, Any]], Fit]] = {
    KernelExpansion.kind: KernelExpansion.from_dict,
}


def plain(value: Any) -> Any:
    """The same value in JSON's types; NaN and infinity become null."""
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def to_json(value: Any) -> str:
    """JSON text, floats with all their digits."""
    return json.dumps(plain(value), allow_nan=False, indent=1, ensure_ascii=False) + "\n"


def write_json(path: str | Path, value: Any) -> None:
    """Write JSON atomically; raises OutputError."""
    with atomic_text(path) as stream:
        stream.write(to_json(value))


def read_json(path: str | Path, what: str) -> dict[str, Any]:
    """Read a JSON object; raises DataError naming the file and what was expected in it."""
    try:
        text = Path(path).read_bytes().decode()
        value = json.loads(text)
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror}") from None
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise DataError(f"{path}: expected {what} in JSON: {error}") from None
    if not isinstance(value, dict):
        raise DataError(f"{path}: expected {what}, a JSON object")
    return value


@dataclass(frozen=True, kw_only=True)
class SavedFit:
    """A predictor with what reading new data its way needs."""

    model: str
    data: Dataset
    fit: Fit

    def save(self, path: str | Path) -> None:
        """Write as JSON; raises OutputError."""
        write_json(
            path,
            {
                "radprog_fit": FIT_SCHEMA,
                "model": self.model,
                "data": self.data.recipe(),
                "kind": self.fit.kind,
                "fit": self.fit.to_dict(),
            },
        )


def load_fit(path: str | Path) -> SavedFit:
    """Read a saved fit; raises DataError when the file is none."""
    value = read_json(path, "a saved fit")
    if value.get("radprog_fit") != FIT_SCHEMA:
        raise DataError(f"{path}: not a saved fit of radprog (schema {FIT_SCHEMA})")
    try:
        return SavedFit(
            model=str(value["model"]),
            data=dataset_from(value["data"]),
            fit=READERS[value["kind"]](value["fit"]),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise DataError(f"{path}: the saved fit is damaged: {error!r}") from None
    except DataError as error:
        raise DataError(f"{path}: {error}") from None
