"""What decides the answers of a sweep of fits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from radprog.decompositions.run import RunSettings
from radprog.instances.data import Data, array_hash


def identity_of(
    specs: Sequence[Any], data: Data, settings: RunSettings, scales: Sequence[str] = ()
) -> dict[str, Any]:
    """What decides the fits of some settings of a model on one data set, under some scalings of
    its own."""
    return {
        **({"scales": list(scales)} if scales else {}),
        "settings": [str(spec) for spec in specs],
        "data": [data.sha256, array_hash(data.X, data.hashed)],
        "seed": settings.seed,
        "options": [
            settings.method, settings.solver, settings.tol, settings.abs_tol, settings.max_iter,
            settings.threads, sorted(settings.solver_options.items()),
        ],
    }  # fmt: skip
