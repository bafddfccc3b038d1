"""The models, with their settings, methods, forms and supported commands.

The rows of the catalog need no heavy imports. A string ``module:name`` refers to the
:class:`~radprog.wiring.Wiring` with the functions of a model, which is imported at its first use.
Help, usage errors and data commands therefore import neither Pyomo nor a solver.
"""

from __future__ import annotations

import functools
import importlib
import importlib.metadata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Literal, TypeVar, get_args

import numpy as np

from radprog.base.errors import DataError, OptionError, RadprogError, UnfinishedError
from radprog.base.settings import one_of
from radprog.base.types import FloatArray
from radprog.decompositions.run import (
    Attempt,
    Fit,
    RunSettings,
    Spec,
    attempted,
    constraint_entries,
    settings_from,
)
from radprog.decompositions.sweeps.sharing import ALONE, Sharing
from radprog.instances.data import Data
from radprog.instances.dataset import Dataset, Kind
from radprog.models.constraints import listed, realised, rows_of
from radprog.models.kernels import on_rows
from radprog.models.linear.settings import L1Linear
from radprog.models.lpboost.settings import LPBoost
from radprog.models.mkl.settings import MKL
from radprog.models.regression.settings import SRM, SVR, Complexity
from radprog.models.score_rows import AnyRow, ScoreRow
from radprog.models.similarity.settings import CDSK, CLUSTERING_CRITERIA, LPDSK, SimSVM
from radprog.models.vkr.settings import L1SVM, SVM, VKR

if TYPE_CHECKING:
    from radprog.decompositions.forms import BuiltForm
    from radprog.decompositions.run import Recomputed, Run
    from radprog.models.bounds import Bound
    from radprog.wiring import Wiring

S = TypeVar("S", bound=Spec)
R = TypeVar("R", bound=Any)  # a fit, with its reason, objective and bound
Ability = Literal[
    "bounds", "choose", "classes", "path", "price", "prove"
]  # optional functions of a Wiring


#: The message about a model without a function of the wiring.
LACKING = {
    "tune": "is not tuned",
    "choose": "is tuned by folds",
    "classes": "has no class of functions",
    "path": "has no exact path",
    "price": "has no candidates to price",
    "prove": "is not proved",
}
#: The settings of parallel work.
WORKERS = ("jobs", "scheduler", "checkpoint")
TIE_RULE = (
    "among cells of equal score the first: the strongest regularisation, largest lam or nu first; "
    "other options in the order given"
)
#: The public function that reads or makes data of a kind.
READERS = {
    "dataset": "read",
    "regression": "read_regression",
    "partly_labelled": "read_partly_labelled",
    "views": "read_views",
    "sparse": "sparse_data",
    "grams": "read_grams",
    "series": "read_series",
    "bags": "bags",
}
#: The call that makes data of a kind from arrays.
DATA_MAKERS: Mapping[str, str] = {
    **dict.fromkeys(get_args(Kind), "rp.dataset(X, y)"),
    "regression": "rp.regression_data(X, y)",
    "sparse": "rp.sparse_data(X, y)",
    "series": "rp.series(X, y)",
    "grams": "rp.gram_set(K, y)",
}
#: Options of a table's reader.
TABLE = ("label", "scale", "missing", "categorical", "drop", "decimal", "header")


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One model. Its settings class ``spec`` lists its methods and forms.

    - ``wiring``: the place ``module:NAME`` of the model's :class:`~radprog.wiring.Wiring`. By
      default the module is the folder of the paper (or that of ``spec``), and NAME is the name of
      ``spec`` in capitals.
    - ``can``: the commands besides solving.
    - ``example``, ``grid_example``: typical options of commands and of ``tune --grid``, by default
      around the first option that is a positive number. A model with an empty one has no ``tune``.
    - ``form_options``: options that only forms use.
    - ``local``: methods without a certificate, which end by their own rule; ``proved_by``: a method
      with a certificate, of data with at most ``most_points`` rows.
    - ``stratified``: whether folds keep the shares of the classes.
    - ``data_options``: options of the reader. With ``one_vs_rest``, data with more than two
      ``classes`` are learned by one classifier for each class against the rest.
    - ``criteria``: possible values of ``tune --by``.
    - ``exporters``: methods whose runs give forms; empty if only the first method does.
    - ``completion``: the end, in words, of a run that is not one call of a solver.
    - ``divided``: whether workers can share one fit, and a checkpoint can store its parts.
    - ``read_by``: options of the model that choose the reader.
    - ``value_forms``: forms whose optimal value is the objective of the run that is loaded from
      their solution.
    - ``function_class``: the functions of ``radprog complexity``.
    """

    title: str
    spec: type[Spec]
    wiring: str = ""
    can: tuple[Ability, ...] = ()
    grid_example: str | None = None
    example: str = "data.csv --scale ball"
    form_options: tuple[str, ...] = ()
    data_options: tuple[str, ...] = TABLE
    function_class: str = ""
    criteria: tuple[str, ...] = ("error", "auc")
    local: tuple[str, ...] = ()
    proved_by: str = ""
    most_points: int | None = None
    value_forms: tuple[str, ...] = ()
    stratified: bool = False
    exporters: tuple[str, ...] = ()
    divided: bool = False
    completion: str = ""
    read_by: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        module = self.spec.__module__.replace("radprog.models.", "radprog.papers.")
        place = f"{module.removesuffix('.settings')}:{self.spec.__name__.upper()}"
        object.__setattr__(self, "wiring", self.wiring or place)
        if self.grid_example is None:
            defaults = {field.name: field.default for field in fields(self.spec)}
            grids = [
                f"--grid {name}={value / 100:g}..{value * 100:g}:5"
                for name, value in defaults.items()
                if isinstance(value, float) and value > 0
            ]
            object.__setattr__(self, "grid_example", (*grids, "")[0])

    @cached_property
    def name(self) -> str:
        """The name of the model on the command line and in results."""
        return self.spec.model_name

    @cached_property
    def in_place_of_data(self) -> tuple[str, ...]:
        """Options with files that replace DATA."""
        names = ("grams", "views")
        return tuple(n for n in names if n in self.data_options or hasattr(self.spec, n))

    @cached_property
    def priced(self) -> str:
        """The option of ``radprog price``."""
        return "length" if hasattr(self.spec, "length") else "kernels"

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods of a fit, with the default first."""
        return self.spec.methods

    @property
    def forms(self) -> tuple[str, ...]:
        """The forms that can be built, with the default first."""
        return self.spec.forms

    @cached_property
    def hooks(self) -> Wiring[Any, Any]:
        """The functions of the model, imported at their first use.

        Raises OptionError if ``wiring`` does not name a Wiring.
        """
        from radprog.wiring import Wiring

        module, _, name = self.wiring.partition(":")
        hooks = getattr(importlib.import_module(module), name, None)
        if not isinstance(hooks, Wiring):
            described = "nothing" if hooks is None else f"{hooks!r}"
            raise OptionError(
                f"model {self.name}: its Entry has the wiring {self.wiring}, which is {described}, "
                "expected a Wiring"
            )
        return hooks

    def run_settings(self, **settings: Any) -> RunSettings:
        """Checked settings of a run. Raises OptionError for an unknown setting."""
        # the settings of parallel work are one object
        workers = {name: settings.pop(name) for name in WORKERS if name in settings}
        if workers:
            settings["sharing"] = Sharing(**workers)
        return settings_from(RunSettings, settings)

    def fit(self, spec: Spec, data: Data | None, settings: RunSettings) -> Run:
        """Fit and certify, as :meth:`fitter` says."""
        fit, spec = self.fitter(spec, data, settings)
        return fit(spec, data, settings)

    def fit_constrained(
        self, spec: Spec, data: Data | None, settings: RunSettings, constraints: Any
    ) -> Run:
        """Fit and certify with constraints.

        Raises UnfinishedError if a limit ended the fit before its scores kept them.
        """
        spec = self.constrained(spec, data, constraints)
        conditions, run = listed(constraints), self.fit(spec, data, settings)
        if data is None or not conditions:
            return run
        if run.objective is None and run.reason.premature:
            raise UnfinishedError(f"{run.reason.value}: no scores keep the constraints yet")
        # rates and gaps beside the prices; a kernel from a file has no values for the predictor
        with suppress(DataError):
            measured = self.realised(run.fit, data, conditions)
            for entry in constraint_entries(run.extra):
                entry |= measured.get(entry["name"], {})
        return run

    def realised(self, fit: Fit, data: Data, constraints: Any) -> dict[str, dict[str, float]]:
        """The rates and gaps of the scores of a fit, by the names of the constraints."""
        return realised_by(np.column_stack([fit.scores(data.X)]), data, constraints)

    def fitter(
        self, spec: S, data: Data | None, settings: RunSettings
    ) -> tuple[Callable[[S, Data | None, RunSettings], Run], S]:
        """The function that fits the data, and the settings with their kernel widths.

        Raises OptionError for a setting that only exported forms use, for data that the model does
        not support, and for workers of a fit that is not divided.
        """
        for name in self.form_options:
            if getattr(spec, name) is not None:
                raise OptionError(f"{name} is not used by a fit, only by forms that are exported")
        self.check_data(data)
        spec = self.with_widths(spec, data)
        if data is not None and data.classes and self._is_one_vs_rest(data):
            from radprog.decompositions.one_vs_rest import fit_one_vs_rest

            # more than two classes: one fit per class
            read, build = self.hooks.predictor, self.hooks.form
            return partial(fit_one_vs_rest, self.fit_one, read=read, build=build), spec
        if settings.sharing is not ALONE:
            settings.sharing.refuse_one(self.name, divided=self.divided, kept=self.divided)
        return self.hooks.fit, spec

    def fit_grid(
        self,
        specs: Sequence[S],
        data: Data | None,
        settings: RunSettings,
        constraints: Any = None,
    ) -> Iterator[tuple[S, Attempt]]:
        """Fit several settings objects on one data set.

        Yields each settings object with its run, in any order. In place of a missing run it yields
        the error, for settings that the data do not allow or for a failed solver.
        """
        if constraints:
            # fits with constraints of their own are not on a grid
            for spec in specs:
                yield spec, attempted(self.fit_constrained, spec, data, settings, constraints)
            return
        # kernel widths come from these rows; results are yielded with the original settings
        originals = {self.fitter(spec, data, settings)[1]: spec for spec in specs}
        if list(originals) != list(specs):
            for spec, attempt in self.fit_grid(list(originals), data, settings):
                yield originals[spec], attempt
            return
        grid = self.hooks.grid
        if grid is not None and specs and self._is_one_vs_rest(data):
            from radprog.decompositions.one_vs_rest import grid_one_vs_rest

            yield from grid_one_vs_rest(grid, specs, data, settings)
        elif grid is not None:
            # the model fits the whole grid, with warm starts from neighbouring settings
            yield from grid(specs, data, settings)
        else:
            for spec in specs:
                # one by one; an error of one setting does not affect the others
                yield spec, attempted(self.fit, spec, data, settings)

    def fit_one(self, spec: Spec, data: Data | None, settings: RunSettings) -> Run:
        """One of several fits on the same points."""
        ((_, run),) = self.fit_grid([spec], data, settings)
        if isinstance(run, RadprogError):
            raise run
        return run

    def _is_one_vs_rest(self, data: Data | None) -> bool:
        """Whether the model learns one classifier per class."""
        return data is not None and "one_vs_rest" in self.data_options and bool(data.classes)

    def check_data(self, data: Data | None) -> None:
        """Raise OptionError if the model does not support the kind or a property of the data."""
        if data is None and self.in_place_of_data:
            return
        kind = getattr(data, "kind", None)
        if kind not in self.hooks.kinds:
            # the kind of the data, then their unsupported properties
            readers = dict.fromkeys(f"rp.{READERS[kind]}" for kind in self.hooks.kinds)
            described = type(data).__name__ if kind is None else f"data of kind {kind}"
            raise OptionError(
                f"{self.name} works on data of {' or '.join(readers)}: {described} given"
            )
        assert data is not None
        if data.weights is not None and "weights" not in self.data_options:
            raise OptionError(f"{self.name} takes no weights of rows: {_expected('weights')}")
        if data.classes and not self._is_one_vs_rest(data):
            raise OptionError(f"{self.name} does not learn one-vs-rest: {data.name} was read so")

    def adapt(self, data: Any) -> Any:
        """The rows of ``rp.dataset`` as the kind of data that a model needs; other data sets and
        None do not change.

        If the model learns all classes together, rows with more than two classes become a set with
        one view. If the model clusters points or propagates labels, rows become partly labelled
        points. Raises OptionError for arrays and data frames; the message names the function that
        makes a data set.
        """
        if data is None:
            return None
        if not isinstance(data, Data):
            # the message names the function that makes a data set
            makers = [DATA_MAKERS[kind] for kind in self.hooks.kinds if kind in DATA_MAKERS]
            raise OptionError(
                f"{self.name} works on data sets, {type(data).__name__} given: "
                f"{' or '.join(dict.fromkeys(makers))} makes one"
            )
        kinds = self.hooks.kinds
        if not isinstance(data, Dataset):
            return data
        if "views" in kinds and (len(data.labels) > 2 or "dataset" not in kinds):
            return data.as_kind("views")
        return data.as_kind("partly_labelled") if "partly_labelled" in kinds else data

    def constrained(self, spec: Spec, data: Data | None, constraints: Any) -> Any:
        """The settings with additional constraints on the scores of the data's points.

        Raises OptionError if the model does not support constraints.
        """
        conditions = listed(constraints)
        if not conditions:
            return spec
        # only some settings have a field for constraints on scores
        if not hasattr(self.spec, "constraints"):
            names = [entry.name for entry in CATALOG.values() if hasattr(entry.spec, "constraints")]
            expected = f"expected one of {', '.join(names)}"
            raise OptionError(f"{self.name} takes no constraints on scores: {expected}")
        self.check_data(data)
        assert data is not None
        # rows of the data behind the constraints, after the existing constraints
        existing = getattr(spec, "constraints", None) or ()
        rows = constraint_rows(conditions, data, existing, linear=hasattr(self.spec, "signs"))
        changes: Any = {"constraints": (*existing, *dict.fromkeys(rows))}
        return replace(spec, **changes)

    def with_widths(self, spec: S, data: Data | None) -> S:
        """The settings with kernel widths computed from the rows of the data."""
        kernels, X = getattr(spec, "kernels", None), getattr(data, "X", None)
        several = len(getattr(data, "views", ())) > 1  # each with its own distances
        if not isinstance(kernels, str) or X is None or several:
            return spec
        if X.ndim != 2 or X.dtype.kind != "f":
            return spec
        assert data is not None
        text = on_rows(kernels, X, data.weights)
        changes: Any = {"kernels": text}
        return spec if text == kernels else replace(spec, **changes)

    def form(self, spec: Spec, data: Data | None, form: str, settings: RunSettings) -> BuiltForm:
        """Build one of ``forms``. Raises OptionError for another form, or for a model without
        forms.
        """
        if self.hooks.form is None:
            raise OptionError(f"{self.name} has no program to build")
        one_of("form", form, self.forms)
        self.check_data(data)
        spec = self.with_widths(spec, data)
        if self._is_one_vs_rest(data):
            from radprog.decompositions.one_vs_rest import form_one_vs_rest

            return form_one_vs_rest(self._build_form, spec, data, form, settings)
        return self._build_form(spec, data, form, settings)

    def _build_form(
        self, spec: Spec, data: Data | None, form: str, settings: RunSettings
    ) -> BuiltForm:
        """A form of one classifier. Raises OptionError for ``max_iter`` if it has no effect."""
        assert self.hooks.form is not None
        built = self.hooks.form(spec, data, form, settings)
        # max_iter = 0 only omits the expected objective
        if built.iterate is None and settings.max_iter:
            raise OptionError(
                f"form {form} of {self.name} is the same at every iterate: leave `max_iter` out "
                "(`max_iter=0` leaves out the expected objective)"
            )
        return built

    def recompute(
        self, spec: Spec, data: Data | None, evidence: Mapping[str, Any], seed: int
    ) -> Recomputed:
        """Objective and bound of the stored points, recomputed from the data without a solver."""
        if self._is_one_vs_rest(data):
            from radprog.decompositions.one_vs_rest import recompute_one_vs_rest

            return recompute_one_vs_rest(self.hooks.recompute, spec, data, evidence, seed)
        return self.hooks.recompute(spec, data, evidence, seed)

    def ended(self, run: Run) -> bool:
        """Whether a run is finished: it is certified, or its local method ended by its own stop
        rule.
        """
        # a local method ends by its own stop rule, without a bound
        own_rule = run.method in self.local or run.bound is None
        return run.certified or (own_rule and not run.reason.premature and not run.crossed)

    def check_can(self, ability: Ability | Literal["tune"]) -> None:
        """Raise OptionError if the model does not have this ability: ``tune``, or a function of the
        wiring.
        """
        has = self.grid_example if ability == "tune" else getattr(self.hooks, ability)
        if not has:
            raise OptionError(f"{self.name} {LACKING[ability]}: {_expected(ability)}")

    def hook(self, ability: Ability, data: Data) -> Callable[..., Any]:
        """The function of the wiring for an ability.

        Raises OptionError if the model has no such function, or does not support the data.
        """
        self.check_can(ability)
        function: Callable[..., Any] = getattr(self.hooks, ability)
        self.check_data(data)
        return lambda spec, data, *arguments, **keywords: function(
            self.with_widths(spec, data), data, *arguments, **keywords
        )

    def error_bounds(
        self, spec: Spec, data: Data, evidence: Mapping[str, Any], seed: int, delta: float
    ) -> list[Bound]:
        """Further error bounds, besides those in the result.

        The list is empty for a model without such bounds, for one-vs-rest, and for rows with
        weights.
        """
        bounds = self.hooks.bounds
        if bounds is None or self._is_one_vs_rest(data) or data.weights is not None:
            return []
        self.check_data(data)
        return bounds(spec, data, evidence, seed, delta)


_CLASS = "class {}: "  # before the names of the constraints on one classifier among several


def _classifiers(data: Data) -> list[tuple[str | None, Data]]:
    """The data of each binary classifier, with its class; or the data themselves."""
    if not data.classes:
        return [(None, data)]
    from radprog.decompositions.one_vs_rest import against

    return [(label, against(data, label)) for label in data.labels]


def constraint_rows(
    constraints: Any, data: Data, own: Sequence[AnyRow] = (), *, linear: bool = False
) -> list[AnyRow]:
    """The rows of constraints for each binary classifier of the data; their names differ from those
    of ``own``. ``linear`` chooses the rows for linear models.
    """
    return [
        row
        for label, part in _classifiers(data)
        for row in _rows_of_class(label, rows_of(constraints, part, own, linear=linear))
    ]


def realised_by(f: FloatArray, data: Data, constraints: Any) -> dict[str, dict[str, float]]:
    """The rates and gaps of the scores f (n, C) of the binary classifiers of the data, by the names
    of the constraints.
    """
    return {
        ("" if label is None else _CLASS.format(label)) + name: values
        for (label, part), column in zip(_classifiers(data), f.T, strict=True)
        for name, values in realised(constraints, part, column).items()
    }


def _rows_of_class(label: str | None, rows: Iterable[AnyRow]) -> list[AnyRow]:
    """The rows for the classifier of one class."""
    if label is None:
        return list(rows)
    class_rows, mark = list[AnyRow](), _CLASS.format(label)
    for row in rows:
        if isinstance(row, ScoreRow):
            class_rows.append(replace(row, name=mark + row.name, of=mark + row.of, label=label))
        else:
            class_rows.append(replace(row, name=mark + row.name, label=label))
    return class_rows


def _expected(ability: str) -> str:
    models = [
        entry.name
        for entry in CATALOG.values()
        if ability in (*entry.can, *entry.data_options)
        or (ability == "tune" and entry.grid_example)
    ]
    return f"expected one of {', '.join(models)}"


CLASSIFIER = (*TABLE, "positive", "one_vs_rest", "strings")
_VKR: dict[str, Any] = {
    "data_options": (*CLASSIFIER, "weights"),
    "form_options": ("rho",),
    "criteria": ("error", "bound", "auc"),
    "value_forms": ("primal", "dual", "master"),
    "local": ("cd",),
    "proved_by": "`method='colgen'` does",
    "can": ("bounds", "classes", "path", "price", "prove"),
}
_SVR: dict[str, Any] = {"local": ("cccp",), "divided": True}
_SIMILARITY: dict[str, Any] = {
    "example": "data.csv --scale standard",
    "local": ("alternate",),
}

CATALOG: Mapping[str, Entry] = {
    entry.name: entry
    for entry in (
        Entry(
            title="Voted Kernel Regularization",
            spec=VKR,
            function_class="for each kernel K: +-K(., x_j), x_j any of the rows",
            grid_example="--grid lam=1e0..1e-6:7 --grid beta=1e0..1e-6:7",
            **_VKR,
        ),
        Entry(
            title="norm-1 support vector machine",
            spec=L1SVM,
            function_class="+-K(., x_j), x_j any of the rows",
            grid_example="--grid kernels=poly:1-10 --grid beta=1e0..1e-6:7",
            **_VKR,
        ),
        Entry(
            title="support vector machine",
            spec=SVM,
            function_class="w'phi(x), |w| <= 1: the unit ball of the kernel's RKHS",
            can=("bounds", "classes", "prove"),
            value_forms=("dual",),
            criteria=("error", "auc"),
            grid_example="--grid kernels=poly:1-4 --grid C=1e-2..1e2:5",
            data_options=(*CLASSIFIER, "weights"),
        ),
        Entry(
            title="linear model with few features",
            spec=L1Linear,
            can=("prove",),
            value_forms=("primal", "dual"),
            grid_example="--grid beta=1e-1..1e-4:7",
            data_options=(*TABLE, "positive", "one_vs_rest", "weights"),
        ),
        Entry(
            read_by=("learner",),
            title="LPBoost over kernelized shapelets of series and bags of patterns",
            spec=LPBoost,
            function_class="the hypotheses of the learner: +-shapelets, or its ball of patterns",
            proved_by="`learner='shapelet'` does, and `learner='l1'` with `pricing='exact'`",
            can=("classes", "price", "prove"),
            value_forms=("primal", "dual"),
            grid_example="--grid length=0.1,0.2,0.3,0.4 --grid nu=0.2,0.15,0.1",
            example="series.tsv --positive 1",
            criteria=("error", "bound", "auc"),
            data_options=(*TABLE, "positive", "one_vs_rest", "weights"),
            stratified=True,
        ),
        Entry(
            title="multiple kernel learning with local Rademacher complexity",
            spec=MKL,
            function_class="w'phi_mu(x), |w| <= 1, mu any weights that the variant allows",
            can=("classes", "price", "prove"),
            value_forms=("primal", "qcqp"),
            grid_example="--grid theta=1,2,4,8,16 --grid C=1e-2..1e2:5",
            data_options=(*TABLE, "positive", "strings", "views", "classes", "weights"),
            local=("hybrid", "dca", "algorithm1"),
            proved_by="`method='global'` may, of at most 3 kernels and 40 points",
            most_points=40,
            exporters=MKL.methods,
        ),
        Entry(
            title="support vector regression with a bounded loss",
            spec=SVR,
            proved_by="`method='global'` may, of at most 40 points",
            most_points=40,
            value_forms=("global",),
            criteria=("error",),
            grid_example="--grid A=1e-2..1e2:5 --grid gamma=0.1,1,10",
            data_options=(*TABLE, "weights"),
            **_SVR,
        ),
        Entry(
            title="Rademacher complexity of a regression class",
            spec=Complexity,
            proved_by="it is an estimate, and an upper bound of the complexity is below; "
            "`method='exact'` without `trials` does, of few points",
            completion="every sign vector was evaluated",
            grid_example="",
            **_SVR,
        ),
        Entry(
            title="structural risk minimisation over classes of regressors",
            spec=SRM,
            proved_by="it takes estimated complexities; each cell has a bound with a proved one",
            completion="every cell of the grid was computed",
            grid_example="",
            **_SVR,
        ),
        Entry(
            title="clustering by discriminative similarity",
            spec=CDSK,
            function_class="margins h(x, y) - sum of h(x, y') over y' != y, sum_y |h(., y)|^2 <= 1",
            proved_by="`method='exact'` does, of few points",
            can=("choose", "classes"),
            value_forms=("labels", "general"),
            criteria=CLUSTERING_CRITERIA,
            grid_example="--grid bandwidth=0.25*median,0.5*median,median",
            **_SIMILARITY,
        ),
        Entry(
            title="label propagation by discriminative similarity",
            spec=LPDSK,
            proved_by="`method='exact'` does, of few points",
            can=("choose",),
            value_forms=("labels", "general"),
            criteria=("error",),
            grid_example="--grid bandwidth=0.25*median,0.5*median,median --grid class_mass=yes,no",
            **_SIMILARITY,
        ),
        Entry(
            title="support vector machine on an indefinite similarity",
            spec=SimSVM,
            function_class="w'phi+(x) - v'phi-(x), |w| <= 1, |v| <= 1, phi+, phi-: parts of S",
            can=("classes", "prove"),
            value_forms=("primal", "dual"),
            grid_example="--grid kernels=linear,laplace:0.1,laplace:1 --grid lam=1e-1..1e-4:4",
            data_options=(*CLASSIFIER, "weights"),
        ),
    )
}


@functools.cache
def added_models() -> Mapping[str, Entry]:
    """The rows of packages beside this one, by the name of the model.

    They are the entry points of the group ``radprog.models``, each the place of an :class:`Entry`.
    They are loaded at an unknown name and in listings only. Raises OptionError with the name of the
    package if one cannot be loaded, is no Entry, or has a name that is taken.
    """
    rows: dict[str, Entry] = {}
    for point in importlib.metadata.entry_points(group="radprog.models"):
        place = f"package {point.dist.name if point.dist else '?'}, model {point.value}"
        try:
            row = point.load()
        except Exception as error:
            raise OptionError(f"{place}: {type(error).__name__}: {error}") from error
        if not isinstance(row, Entry):
            raise OptionError(f"{place}: a {type(row).__name__}, expected an Entry of the catalog")
        try:
            row.hooks  # noqa: B018  # its functions are imported here
        except Exception as error:
            message = str(error) if isinstance(error, OptionError) else repr(error)
            raise OptionError(f"{place}: {message}") from error
        if row.name in {**CATALOG, **rows}:
            raise OptionError(f"{place}: a model is called '{row.name}' already")
        rows[row.name] = row
    return rows


def entry_of(spec: Spec) -> Entry:
    """The entry of a settings object. Raises OptionError for any other object."""
    # settings of a subclass belong to another model
    for entry in CATALOG.values():
        if type(spec) is entry.spec:
            return entry
    for entry in added_models().values():
        if type(spec) is entry.spec:
            return entry
    names = ", ".join(entry.spec.__name__ for entry in CATALOG.values())
    names += "; it is a class: call it" if isinstance(spec, type) else ""
    names += "; rp.solve, rp.certify, rp.analyze take Pyomo's" if hasattr(spec, "component") else ""
    raise OptionError(f"{spec!r} is not a model: expected one of {names}")


def entry_named(name: str) -> Entry:
    """The entry of a model's name. Raises OptionError for an unknown name."""
    entry = CATALOG.get(name) or added_models().get(name)
    if entry is None:
        names = ", ".join([*CATALOG, *added_models()])
        raise OptionError(f"unknown model '{name}': expected one of {names}")
    return entry


def varied_options(specs: Sequence[Spec], named: Sequence[str] = ()) -> list[str]:
    """The options in which settings of one model differ, and the options ``named``."""
    names = [field.name for field in fields(specs[0])]
    return [
        name for name in names if name in named or len({getattr(spec, name) for spec in specs}) > 1
    ]
