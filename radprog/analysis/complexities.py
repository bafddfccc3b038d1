"""Rademacher complexities of classifiers' function classes, estimated with common sign vectors."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from radprog.base.errors import OptionError, UnfinishedError
from radprog.base.limits import OutOfBudget, poll, under
from radprog.base.sections import Part, Report, Table, bounded, styled
from radprog.base.types import FloatArray
from radprog.catalog import Entry, entry_of
from radprog.decompositions.analyses import FunctionClass
from radprog.decompositions.loop import Budget, NamedWatcher, first_step
from radprog.decompositions.run import RunSettings, Spec, settings_of
from radprog.decompositions.sweeps.checkpoint import identity_of
from radprog.decompositions.sweeps.sharing import Sharing, answers
from radprog.decompositions.sweeps.units import Inside, Sweep, Unit
from radprog.models.complexity import KINDS, estimate_of, sign_blocks
from radprog.models.settings import positive
from radprog.result import data_block, radprog_version
from radprog.wiring import Values


class Complexities(Report):
    """Complexities of function classes. ``print`` and notebooks show them as a table.

    This class is a mapping with these keys:

    - ``model``, ``kind``
    - ``classes``: for each class, its name ``class``, its ``value`` and ``standard_error``, and
      ``certified_upper`` and ``upper_by``, both None without an upper bound
    - ``complete``: whether no limit ended the estimate early

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
    model: Spec,
    data: Any,
    *,
    trials: int = 100,
    exact: bool = False,
    kind: str = KINDS[0],
    within: float | None = None,
    seed: int = 0,
    time_limit: float | None = None,
    jobs: int | str = 1,
    checkpoint: str | Path | None = None,
    scheduler: Any = None,
) -> Complexities:
    """Estimate (1/m) E sup_h sum sigma_i h(x_i) for each function class of a model.

    Parameters
    ----------
    model : settings of a model
        The model that defines the function classes.
    data : Data
        The m points.
    trials : int
        Number of random sign vectors.
    exact : bool
        Whether to use all sign vectors instead of random ones. Possible only for few points.
    kind : str
        Distribution of sigma. ``rademacher``: independent signs; ``discrepancy``: signs with sum 0;
        ``gaussian``: standard normal numbers.
    within : float, optional
        Bound on the mean square of the functions on the points, for the local complexity. Only
        kernel classes accept it. For ``mkl`` with ``within``, each kernel has its own class.
    seed : int
        Seed of the sign vectors.
    time_limit : float, optional
        Time limit in seconds. The estimate uses the sign vectors finished by then.
    jobs : int or str
        Number of processes that share the work.
    scheduler : str, Path or distributed.Client, optional
        A Dask cluster in place of ``jobs``: ``local``, the address of its scheduler, its scheduler
        file, or a client.
    checkpoint : str or Path, optional
        Folder in which finished parts are saved.

    Returns
    -------
    Complexities
        Each entry of ``classes`` contains the value, the standard error, the number of trials, and
        whether the suprema are exact. For most kinds there is a certified upper bound; for the
        discrepancy there is none.

    Raises
    ------
    OptionError, DataError
        If the model or the data allow no estimate.
    UnfinishedError
        If a limit is reached before two sign vectors have finished.

    Notes
    -----
    Let H be a class of functions, and let sigma_i be independent signs, -1 or +1 with probability
    1/2. On m points the empirical Rademacher complexity is

        R(H) = (1/m) E_sigma sup_(h in H) sum_i sigma_i h(x_i).

    The value is the mean over the sign vectors, and the standard error belongs to this mean. For
    independent standard normal sigma_i the mean is the Gaussian complexity G(H), and R(H) <=
    sqrt(pi / 2) G(H). With ``within`` r, H contains only functions with (1/m) sum_i h(x_i)^2 <= r.

    The class H of each model, with phi the feature map of a kernel K and S a similarity:

    - ``vkr``: for each kernel K: +-K(., x_j), x_j any of the rows
    - ``l1svm``: +-K(., x_j), x_j any of the rows
    - ``svm``: w'phi(x), |w| <= 1: the unit ball of the kernel's RKHS
    - ``lpboost``: the hypotheses of the learner: +-shapelets, or its ball of patterns
    - ``mkl``: w'phi_mu(x), |w| <= 1, mu any weights that the variant allows
    - ``cdsk``: margins h(x, y) - sum of h(x, y') over y' != y, sum_y |h(., y)|^2 <= 1
    - ``simsvm``: w'phi+(x) - v'phi-(x), |w| <= 1, |v| <= 1, phi+, phi-: parts of S

    ``upper_by`` names the upper bound. ``Massart`` is max_h |(h(x_i))_i|_2 sqrt(2 log N) / m for N
    functions h, counting signs. ``Lemma 3`` is sqrt(max_i K(x_i, x_i) Tr K) / m, and ``Jensen`` is
    sqrt(Tr K) / m for a ball of norm 1. ``explanation/bounds`` has their sources and the others.

    :class:`radprog.Complexity` uses the losses of regressors in place of h, and (2/n) in place of
    (1/m).

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
    sharing = Sharing(jobs=jobs, scheduler=scheduler, checkpoint=checkpoint)
    settings = RunSettings(seed=seed, time_limit=time_limit, sharing=sharing)
    return watched_complexity(
        model, data, settings, trials=trials, exact=exact, kind=kind, within=within
    )


def watched_complexity(
    spec: Spec,
    data: Any,
    settings: RunSettings,
    *,
    trials: int = 100,
    exact: bool = False,
    kind: str = KINDS[0],
    within: float | None = None,
    watch: NamedWatcher = lambda name, done, total: None,
) -> Complexities:
    """See :func:`complexity`. ``watch`` is called with a class, the number of its finished sign
    vectors, and the total number of its sign vectors.
    """
    if trials is None:
        raise OptionError("trials None: expected a whole number, or exact for all sign vectors")
    entry, signs = entry_of(spec), (None if exact else trials, settings.seed, kind)
    if within is not None:
        positive("within", within)
    data = entry.adapt(data)
    drawn = _Drawn(entry=entry, spec=spec, data=data, signs=signs, within=within)
    budget = settings.budget()
    with first_step(budget):
        # the classes, and the division of their sign vectors into units
        classes = drawn.classes()
        units = [unit for number in range(len(classes)) for unit in drawn.units(number)]
    # units are pure functions: any number of workers computes the same suprema
    sweep = Sweep(
        call=_suprema,
        shared=drawn,
        units=units,
        identity={**identity_of([spec], data, settings), "signs": list(signs), "within": within},
    )
    totals = [sum(unit.size for unit in units if unit.item[0] == k) for k in range(len(classes))]

    def count(done: int, total: int) -> None:
        place = next(k for k in range(len(totals)) if done <= sum(totals[: k + 1]))
        watch(classes[place].name, done - sum(totals[:place]), totals[place])

    # suprema by class, in the order of the sign vectors
    values, cut = [list[float]() for _ in classes], False
    for answer in answers(sweep, settings.sharing, budget, count):
        if answer.error is not None:
            raise answer.error
        values[answer.unit.item[0]] += answer.value or []
        cut = cut or answer.cut
    # after a limit, the estimate is over the finished sign vectors
    rows = []
    for item, suprema, total in zip(classes, values, totals, strict=True):
        estimate = estimate_of(np.array(suprema), total, enumerated=exact, exact=item.exact)
        if estimate is not None:
            upper, upper_by = (None, None) if kind == "discrepancy" else (item.upper, item.upper_by)
            certified = {"certified_upper": upper, "upper_by": upper_by}
            rows.append({"class": item.name, **estimate, **certified})
    if not rows:
        raise UnfinishedError(f"{budget.reason.value}: ended before two sign vectors were done")
    return Complexities(
        schema=1,
        radprog=radprog_version(),
        model=entry.name,
        params=settings_of(spec),
        kind=kind,
        within=within,
        seed=settings.seed,
        enumerated=exact,
        complete=not cut,
        stopped_by=budget.reason.value if cut else "completion",
        data=data_block(data),
        classes=rows,
    )


@dataclass(kw_only=True)
class _Drawn:
    """The classes of a model and their sign vectors, built once per process."""

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
            self.data.refuse_weights("this complexity")
            self.made = make(self.spec, self.data, self.signs[1])
            if (r := self.within) is not None:
                # functions with a mean square of at most r
                classes, self.made = self.made, []
                for item in classes:
                    if item.local is None:
                        raise OptionError(
                            f"within {r:g}: the class '{item.name}' has no local complexity; "
                            "classes of kernels, those of svm, mkl and cdsk, have one"
                        )
                    self.made += item.local(r)
        return self.made

    def blocks(self, number: int) -> list[FloatArray]:
        """The blocks of a class: sign vectors that are processed together."""
        item = self.classes()[number]
        return sign_blocks(item.m, *self.signs, exact=item.exact)

    def units(self, number: int) -> list[Unit]:
        """The units of a class: runs of blocks."""
        item, blocks = self.classes()[number], self.blocks(number)
        # at most 32 units of work per class
        size = math.ceil(len(blocks) / 32)
        return [
            Unit(
                name=f"{item.name}, blocks {first + 1} to {first + len(blocks[first:][:size])}",
                item=(number, first, size),
                size=sum(map(len, blocks[first : first + size])),
            )
            for first in range(0, len(blocks), size)
        ]


def _suprema(drawn: _Drawn, place: tuple[int, int, int], inside: Inside) -> Any:
    """The suprema, divided by m, of a run of sign vectors. After an interrupt, only those computed
    so far.
    """
    number, first, size = place
    suprema: list[float] = []
    budget = Budget(None, inside.interrupted)
    try:
        with under(budget):
            item, blocks = drawn.classes()[number], drawn.blocks(number)[first : first + size]
            # (1/m) sup_h sum sigma_i h(x_i) of every sign vector of a block
            for signs in blocks:
                poll()
                suprema += (np.asarray(item.suprema(signs), dtype=np.float64) / item.m).tolist()
                for _ in signs:
                    inside.step()
                if budget.spent():
                    break
    except OutOfBudget:
        raise OutOfBudget(suprema) from None
    # fewer suprema than the unit has: it was cut off
    if len(suprema) < sum(map(len, blocks)):
        raise OutOfBudget(suprema)
    return suprema


def class_parts(table: Values) -> list[Part]:
    """The value of each class, with its standard error and its certified bound."""
    data = table["data"]
    signs = "all" if table["enumerated"] else f"seed {table['seed']}"
    remarks = {True: "", False: " (too low on average: suprema are local optima)"}
    values = Table(
        head=("value", "+-", "at most", "signs", "class"),
        rows=[
            (
                row["value"],
                styled(row["standard_error"], ".2g"),
                bounded(row["certified_upper"], ".6g"),
                row["trials"],
                row["class"] + remarks[bool(row["exact"])],
            )
            for row in table["classes"]
        ],
    )
    ended = "" if table["complete"] else f" (ended by {table['stopped_by']})"
    certified = {row["upper_by"] for row in table["classes"]} - {None}
    sources = f"; at most: {', '.join(sorted(certified))}" if certified else ""
    normal = table["kind"] == "gaussian"
    if normal:
        sources += "; Rademacher complexities are at most sqrt(pi/2) = 1.2533 times these"
    return [
        f"{table['model']} on {data['name']}: {table['kind']} complexity (1/m) E sup sum sigma h, "
        f"m = {data['rows']}, {'normal' if normal else 'sign'} vectors: {signs}",
        values,
        f"+-: standard error{sources}{ended}",
    ]
