"""Rademacher complexities of the classes behind the classifiers, under the same sign vectors."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from radprog.base.errors import OptionError, UnfinishedError
from radprog.base.limits import OutOfBudget, poll, under
from radprog.base.sections import Part, Report
from radprog.base.types import FloatArray
from radprog.catalog import Entry, entry_of
from radprog.decompositions.loop import Budget, NamedWatcher, first_step, never
from radprog.decompositions.questions import FunctionClass
from radprog.decompositions.run import RunSettings, Spec, settings_of
from radprog.decompositions.sweeps.checkpoint import identity_of
from radprog.decompositions.sweeps.sharing import Sharing, answers
from radprog.decompositions.sweeps.units import Inside, Partial, Sweep, Unit
from radprog.models.complexity import KINDS, estimate_of, sign_blocks
from radprog.models.settings import function, positive
from radprog.result import data_block, radprog_version
from radprog.saved import suited
from radprog.telling.analyses import class_parts

MOST_UNITS = 32  # of one class: sign vectors are handed out in so many parts


class Complexities(Report):
    """Complexities of classes; ``print`` and a notebook show the table of ``radprog complexity``.

    A mapping with these keys:

    - ``model``, ``kind``
    - ``classes``: for each the name ``class``, value, standard_error, certified_upper and
      upper_by (None where none is known)
    - ``complete``: whether no limit cut it off

    Examples
    --------
    >>> import numpy as np
    >>> import radprog as rp
    >>> data = rp.dataset(np.arange(6.0)[:, None], [-1, -1, 1, -1, 1, 1])
    >>> result = rp.complexity(rp.VKR(kernels="poly:1-2"), data, exact=True)
    >>> len(result["classes"]), result["complete"]
    (2, True)
    """

    def _parts(self) -> list[Part]:
        return class_parts(self)


def complexity(
    spec: Spec,
    data: Any,
    *,
    trials: int = 100,
    exact: bool = False,
    kind: str = KINDS[0],
    within: float | None = None,
    seed: int = 0,
    time_limit: float | None = None,
    interrupted: Callable[[], bool] = never,
    used: float = 0.0,
    jobs: int | str = 1,
    checkpoint: str | Path | None = None,
    scheduler: Any = None,
    insecure: bool = False,
    watch: NamedWatcher = lambda name, done, total: None,
) -> Complexities:
    """Estimate (1/m) E sup_h sum sigma_i h(x_i) of every class of functions of a classifier.

    Parameters
    ----------
    spec : settings of a model
        Whose classes of functions are meant.
    data : Data
        The m points.
    trials : int
        Random sign vectors.
    exact : bool
        All sign vectors in place of random ones, of few points.
    kind : str
        ``rademacher``; ``discrepancy``: sign vectors that sum to 0; ``gaussian``: sigma is standard
        normal.
    within : float, optional
        The local complexity: of the functions whose mean square on the points is at most this
        positive number. Of kernels; of ``mkl``, of every kernel alone.
    seed : int
        Of the sign vectors.
    time_limit : float, optional
        Seconds, of which ``used`` are gone; what is done by then is kept.
    interrupted : callable
        Called between sign vectors; where it returns True, the work ends.
    used : float
        Seconds of the time limit that are gone before the call.
    jobs, scheduler, insecure, checkpoint
        Processes that share the work, those of a dask cluster (an address, the path of a scheduler
        file or a ``distributed.Client``), a folder that keeps what is done.
    watch : callable
        Called with a class, and how many of how many of its sign vectors are done.

    Returns
    -------
    Complexities
        ``classes`` have value, standard error, trials, whether suprema are exact, and where there
        is one a certified upper bound, but for the discrepancy.

    Raises
    ------
    OptionError, DataError
        For what cannot be estimated.
    UnfinishedError
        Where a limit comes before two sign vectors are done.

    Notes
    -----
    For a class H of functions, m points and independent signs sigma_i, -1 or +1 with probability
    1/2, the empirical Rademacher complexity is

        R(H) = (1/m) E_sigma sup_(h in H) sum_i sigma_i h(x_i).

    The value is the mean over the sign vectors, and the standard error is that of this mean. With
    independent standard normal sigma_i it is the Gaussian complexity G(H), and
    R(H) <= sqrt(pi / 2) G(H).
    With ``within`` r, H has the functions with (1/m) sum_i h(x_i)^2 <= r alone.

    Examples
    --------
    >>> import numpy as np
    >>> import radprog as rp
    >>> data = rp.dataset(np.arange(6.0)[:, None], [-1, -1, 1, -1, 1, 1])
    >>> result = rp.complexity(rp.VKR(kernels="poly:1"), data, exact=True)
    >>> row = result["classes"][0]
    >>> row["trials"], row["standard_error"]  # all 2^6 sign vectors
    (64, 0.0)
    >>> row["value"] <= row["certified_upper"]
    True
    """
    function("watch", watch)
    if trials is None:
        raise OptionError("trials None: expected a whole number, or exact for all sign vectors")
    settings = RunSettings(
        seed=seed,
        time_limit=time_limit,
        interrupted=interrupted,
        used=used,
        sharing=Sharing(jobs=jobs, scheduler=scheduler, insecure=insecure, checkpoint=checkpoint),
    )
    entry, signs = entry_of(spec), (None if exact else trials, seed, kind)
    if within is not None:
        positive("within", within)
    data = suited(entry, data)
    drawn = _Drawn(entry=entry, spec=spec, data=data, signs=signs, within=within)
    return Complexities(_estimated(drawn, settings, watch))


def _estimated(drawn: _Drawn, settings: RunSettings, watch: NamedWatcher) -> dict[str, Any]:
    """The table of :func:`complexity`."""
    budget, (trials, seed, kind) = settings.budget(), drawn.signs
    with first_step(budget):
        # the classes, and the division of their sign vectors into units
        classes = drawn.classes()
        units = [unit for number in range(len(classes)) for unit in drawn.units(number)]
    # units are pure functions: any number of workers finds the same suprema
    sweep = Sweep(
        call=_suprema,
        shared=drawn,
        units=units,
        identity={
            **identity_of([drawn.spec], drawn.data, settings),
            "signs": list(drawn.signs),
            "within": drawn.within,
        },
    )
    totals = [sum(unit.size for unit in units if unit.item[0] == k) for k in range(len(classes))]

    def count(done: int, total: int) -> None:
        at = next(k for k in range(len(totals)) if done <= sum(totals[: k + 1]))
        watch(classes[at].name, done - sum(totals[:at]), totals[at])

    # suprema by class, in the order of the sign vectors
    values, cut = [list[float]() for _ in classes], False
    for answer in answers(sweep, settings.sharing, budget, count):
        if answer.error is not None:
            raise answer.error
        values[answer.unit.item[0]] += answer.value or []
        cut = cut or answer.cut
    # a limit leaves out sign vectors: the estimate is over those that are done
    rows = []
    for item, suprema, total in zip(classes, values, totals, strict=True):
        estimate = estimate_of(
            np.array(suprema), total, enumerated=trials is None, exact=item.exact
        )
        if estimate is not None:
            upper, by = (None, None) if kind == "discrepancy" else (item.upper, item.upper_by)
            certified = {"certified_upper": upper, "upper_by": by}
            rows.append({"class": item.name, **asdict(estimate), **certified})
    if not rows:
        raise UnfinishedError(f"{budget.reason.value}: ended before two sign vectors were done")
    return {
        "schema": 1,
        "radprog": radprog_version(),
        "model": drawn.entry.name,
        "params": settings_of(drawn.spec),
        "kind": kind,
        "within": drawn.within,
        "seed": seed,
        "enumerated": trials is None,
        "complete": not cut,
        "stopped_by": budget.reason.value if cut else "completion",
        "data": data_block(drawn.data),
        "classes": rows,
    }


@dataclass(kw_only=True)
class _Drawn:
    """The classes of a model, made once in every process, and their sign vectors."""

    entry: Entry
    spec: Spec
    data: Any
    signs: tuple[int | None, int, str]
    within: float | None = None
    made: list[FunctionClass] | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "made": None}

    def classes(self) -> list[FunctionClass]:
        if self.made is None:
            make = self.entry.hook("classes", self.data)
            self.data.alike("this complexity")
            self.made = make(self.spec, self.data, self.signs[1])
            if self.within is not None:
                self.made = [part for item in self.made for part in _local(item, self.within)]
        return self.made

    def blocks(self, number: int) -> list[FloatArray]:
        """The sign vectors of a class, so many as are taken at once."""
        item = self.classes()[number]
        return sign_blocks(item.m, *self.signs, exact=item.exact)

    def units(self, number: int) -> list[Unit]:
        """Runs of blocks of a class."""
        item, blocks = self.classes()[number], self.blocks(number)
        # blocks in at most 32 units a class
        size = math.ceil(len(blocks) / MOST_UNITS)
        return [
            Unit(
                name=f"{item.name}, blocks {first + 1} to {first + len(blocks[first:][:size])}",
                item=(number, first, size),
                size=sum(map(len, blocks[first : first + size])),
            )
            for first in range(0, len(blocks), size)
        ]


def _local(item: FunctionClass, r: float) -> list[FunctionClass]:
    """Those of its functions whose mean square is at most r."""
    if item.local is None:
        raise OptionError(f"within {r:g}: of the class '{item.name}' no local complexity is known")
    return item.local(r)


def _suprema(drawn: _Drawn, place: tuple[int, int, int], inside: Inside) -> Any:
    """The suprema over m of a run of sign vectors; those before a cut."""
    number, first, size = place
    suprema: list[float] = []
    budget = Budget(None, inside.interrupted)
    try:
        with under(budget):
            item, whole = drawn.classes()[number], drawn.blocks(number)[first : first + size]
            # (1/m) sup_h sum sigma_i h(x_i) of every sign vector of a block
            for signs in whole:
                poll()
                suprema += (np.asarray(item.suprema(signs), dtype=np.float64) / item.m).tolist()
                for _ in signs:
                    inside.step()
                if budget.spent():
                    break
    except OutOfBudget:
        return Partial(suprema)
    # fewer than the unit has: it was cut off
    return suprema if len(suprema) == sum(map(len, whole)) else Partial(suprema)
