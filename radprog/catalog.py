"""The models: settings, methods, forms, and who fits and builds them.

Wiring is named as ``module:function`` and imported when first used, so that help, usage errors and
data commands do not wait for modelling layers and solvers.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, get_args, get_type_hints

from radprog.instances.errors import OptionError, SettingError
from radprog.models.lpboost.settings import LPBoost
from radprog.models.mkl.settings import MKL
from radprog.models.regression.settings import SRM, SVR, Complexity
from radprog.models.settings import L1SVM, SVM, VKR
from radprog.models.similarity.settings import CDSK, LPDSK, SimSVM

if TYPE_CHECKING:
    from radprog.decompositions.forms import BuiltForm
    from radprog.decompositions.questions import FormSolution, ParameterPath, PricingResult
    from radprog.decompositions.run import Run, RunSettings
    from radprog.instances.dataset import Dataset


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One model: first method and first form are the defaults; ``grid`` None fits one by one.

    example, grid_example: what commands and ``tune --grid`` are usually given. form_options: used
    by forms alone. bounded: whether a run's ``extra["bounds"]`` holds bounds of its error. local:
    methods without a certificate, which end by their own rule. stratified: folds keep the shares of
    the classes. data_options: of the reader; one_vs_rest among them: data of more than two
    ``classes`` are learned one-vs-rest. tuner: chooses among settings in place of folds that
    validate; criteria: what ``tune --by`` may name, None where the model is not tuned. exporters:
    methods that forms may be asked of, if not the first alone. in_place_of_data: options that name
    files where DATA may be left out. cross_reader: reads the values of given kernels between new
    points and training points. classes: the classes of functions whose complexity can be estimated.
    loader: reads solutions of exported forms back; value_forms: those whose optimal value is the
    objective that a result reports. pricer: prices columns that a finished run has not, asked for
    by the option ``priced``. pather: solves exact paths in a parameter.
    """

    name: str
    title: str
    spec: type[Any]
    methods: tuple[str, ...]
    forms: tuple[str, ...]
    fitter: str
    builder: str
    recomputer: str
    grid: str | None = None
    grid_example: str
    example: str = "data.csv --scale ball"
    form_options: tuple[str, ...] = ()
    bounded: bool = False
    reader: str = "radprog.instances.dataset:read"
    data_options: tuple[str, ...] = (
        "label",
        "scale",
        "missing",
        "positive",
        "one_vs_rest",
        "strings",
    )
    plotter: str = "radprog.papers.vkr.plot:plot_expansion"
    tester: str = "radprog.result:classification_block"
    describer: str = "radprog.text:expansion_lines"
    pricer: str | None = None
    priced: str = "kernels"
    pather: str | None = None
    criteria: tuple[str, ...] | None = ("error", "bound")
    tuner: str | None = None
    classes: str | None = None
    local: tuple[str, ...] = ()
    loader: str = ""
    value_forms: tuple[str, ...] = ()
    stratified: bool = False
    exporters: tuple[str, ...] = ()
    in_place_of_data: tuple[str, ...] = ()
    cross_reader: str = "radprog.instances.arrays:read_matrix"

    def fit(self, spec: Any, data: Dataset, settings: RunSettings) -> Run:
        """Fit and certify; OptionError for a setting that only exported forms use."""
        self._check_fit(spec)
        self._check_data(data)
        run: Run
        if self._several(data):
            run = _named(f"{ONE_VS_REST}:fit_one_vs_rest")(self._fit_one, spec, data, settings)
        else:
            run = _named(self.fitter)(spec, data, settings)
        return run

    def _several(self, data: Any) -> bool:
        """Whether one machine per class is to be learned."""
        return "one_vs_rest" in self.data_options and bool(data.classes)

    def _fit_one(self, spec: Any, data: Dataset, settings: RunSettings) -> Run:
        """One of several fits on the same points."""
        ((_, run),) = self.fit_grid([spec], data, settings)
        if isinstance(run, SettingError):
            raise run
        return run

    def _check_fit(self, spec: Any) -> None:
        for name in self.form_options:
            if getattr(spec, name) is not None:
                raise OptionError(f"{name} is not used by a fit, only by forms that are exported")

    def _check_data(self, data: Any) -> None:
        if data is None and self.in_place_of_data:
            return
        reader = _named(self.reader)
        kind = get_type_hints(reader)["return"]
        if not isinstance(data, kind):
            names = " or ".join(part.__name__ for part in get_args(kind) or (kind,))
            raise OptionError(
                f"{self.name} works on {names}, which {reader.__name__} reads: "
                f"{type(data).__name__} given"
            )
        if getattr(data, "classes", ()) and not self._several(data):
            raise OptionError(f"{self.name} does not learn one-vs-rest: {data.name} was read so")

    def form(self, spec: Any, data: Dataset, form: str, settings: RunSettings) -> BuiltForm:
        """Build one of ``forms``."""
        self._check_data(data)
        built: BuiltForm
        build = _named(self.builder)
        if self._several(data):
            built = _named(f"{ONE_VS_REST}:form_one_vs_rest")(build, spec, data, form, settings)
        else:
            built = build(spec, data, form, settings)
        return built

    def read(self, path: str, **options: Any) -> Dataset:
        """Read a data file of this model's kind."""
        data: Dataset = _named(self.reader)(path, **options)
        return data

    def read_cross(self, path: str) -> Any:
        """Kernel values between new points (rows) and training points (columns)."""
        return _named(self.cross_reader)(path)

    def recompute(
        self, spec: Any, data: Dataset, evidence: Mapping[str, Any], seed: int
    ) -> tuple[float, float | None]:
        """Objective and bound of the stored points, from the data alone: no solver is called."""
        values: tuple[float, float | None]
        recompute = _named(self.recomputer)
        if self._several(data):
            several = _named(f"{ONE_VS_REST}:recompute_one_vs_rest")
            values = several(recompute, spec, data, evidence, seed)
        else:
            values = recompute(spec, data, evidence, seed)
        return values

    def function_classes(self, spec: Any, data: Any, seed: int) -> list[Any]:
        """The classes of functions of the model on these data."""
        self._check_data(data)
        found: list[Any] = _named(self.classes or "")(spec, data, seed)
        return found

    def load(
        self, spec: Any, data: Dataset, points: Sequence[FormSolution], settings: RunSettings
    ) -> Run:
        """The run that solutions of exported forms amount to, evaluated on the data."""
        run: Run = _named(self.loader)(spec, data, points, settings)
        return run

    def ended(self, run: Run) -> bool:
        """Whether a run has a certificate, or ended by the rule of a method that gives none."""
        own_rule = run.method in self.local or run.bound is None
        return run.certified or (own_rule and not run.reason.premature)

    def plot(self, result: dict[str, Any], path: str, run: Run, data: Dataset) -> None:
        """Draw a result."""
        _named(self.plotter)(result, path, run, data)

    def test(self, run: Run, test: Dataset) -> dict[str, Any]:
        """The ``test`` block of a result."""
        block: dict[str, Any] = _named(self.tester)(run.fit, test)
        return block

    def describe(self, result: Mapping[str, Any]) -> list[str]:
        """What was found, in lines of text."""
        lines: list[str] = _named(self.describer)(result)
        return lines

    def price(
        self, spec: Any, data: Dataset, evidence: Mapping[str, Any], seed: int, candidates: str
    ) -> PricingResult:
        """Price candidates at the stored dual point; OptionError where the model has no pricer."""
        if self.pricer is None:
            able = ", ".join(entry.name for entry in CATALOG.values() if entry.pricer is not None)
            raise OptionError(f"{self.name} has no candidates to price: expected one of {able}")
        priced: PricingResult = _named(self.pricer)(spec, data, evidence, seed, candidates)
        return priced

    def path(
        self,
        spec: Any,
        data: Dataset,
        parameter: str,
        first: float,
        last: float,
        settings: RunSettings,
        most_rows: int,
    ) -> ParameterPath:
        """The exact path in one parameter; OptionError where the model has none."""
        if self.pather is None:
            able = ", ".join(entry.name for entry in CATALOG.values() if entry.pather is not None)
            raise OptionError(f"{self.name} has no exact path: expected one of {able}")
        path: ParameterPath = _named(self.pather)(
            spec, data, parameter, first, last, settings, most_rows
        )
        return path

    def choose(self, specs: Sequence[Any], data: Dataset, settings: RunSettings, **how: Any) -> Any:
        """Scores of settings and the best, by the model's own tuner."""
        return _named(self.tuner or "")(specs, data, settings, **how)

    def fit_grid(
        self, specs: Sequence[Any], data: Dataset, settings: RunSettings
    ) -> Iterator[tuple[Any, Run | SettingError]]:
        """Fit several settings objects on one data set: each with its run, in any order, or with
        why these data do not allow it."""
        for spec in specs:
            self._check_fit(spec)
        if self.grid is not None and not self._several(data):
            yield from _named(self.grid)(specs, data, settings)
        else:
            for spec in specs:
                yield spec, self.fit(spec, data, settings)


ONE_VS_REST = "radprog.decompositions.one_vs_rest"


def _named(place: str) -> Any:
    module, _, name = place.partition(":")
    return getattr(importlib.import_module(module), name)


_VKR: dict[str, Any] = {
    "methods": ("colgen", "direct", "dual", "cd"),
    "forms": ("primal", "dual", "master", "budget", "margin"),
    "fitter": "radprog.decompositions.vkr.fit:fit_vkr",
    "builder": "radprog.decompositions.vkr.forms:vkr_form",
    "recomputer": "radprog.decompositions.vkr.fit:recompute_vkr",
    "grid": "radprog.decompositions.vkr.grid:fit_grid",
    "form_options": ("rho",),
    "bounded": True,
    "loader": "radprog.decompositions.vkr.questions:load_vkr",
    "value_forms": ("primal", "dual"),
    "local": ("cd",),
    "pricer": "radprog.decompositions.vkr.questions:price_vkr",
    "pather": "radprog.decompositions.vkr.questions:vkr_path",
    "classes": "radprog.decompositions.vkr.questions:vkr_classes",
}
_SVR: dict[str, Any] = {
    "reader": "radprog.instances.regression:read_regression",
    "data_options": ("label", "scale", "missing"),
    "builder": "radprog.decompositions.regression.forms:svr_form",
    "tester": "radprog.decompositions.regression.fit:regression_test_block",
    "local": ("cccp", "exact"),
    "criteria": None,
    "grid_example": "",
}
_MKL_METHODS = ("silp", "qcqp", "hybrid", "dca", "algorithm1", "global", "svm")
_SIMILARITY: dict[str, Any] = {
    "reader": "radprog.instances.unlabelled:read_partly_labelled",
    "data_options": ("label", "scale", "missing"),
    "example": "data.csv --scale standard",
    "grid": "radprog.decompositions.similarity.grid:fit_grid",
    "plotter": "radprog.papers.similarity.plot:plot_similarity",
    "local": ("alternate",),
}
_SVR_FORMS = ("step", "step-dual", "step-ivanov", "global")

CATALOG: Mapping[str, Entry] = {
    entry.name: entry
    for entry in (
        Entry(
            name="vkr",
            title="Voted Kernel Regularization",
            spec=VKR,
            grid_example="--grid lam=1e0..1e-6:7 --grid beta=1e0..1e-6:7",
            **_VKR,
        ),
        Entry(
            name="l1svm",
            title="norm-1 support vector machine",
            spec=L1SVM,
            grid_example="--grid kernels=poly:1-10 --grid beta=1e0..1e-6:7",
            **_VKR,
        ),
        Entry(
            name="svm",
            title="support vector machine",
            spec=SVM,
            methods=("dual",),
            forms=("dual",),
            fitter="radprog.decompositions.vkr.fit_svm:fit_svm",
            builder="radprog.decompositions.vkr.forms:svm_form",
            recomputer="radprog.decompositions.vkr.fit_svm:recompute_svm",
            loader="radprog.decompositions.vkr.questions:load_svm",
            value_forms=("dual",),
            grid_example="--grid kernels=poly:1-4 --grid C=1e-2..1e2:5",
        ),
        Entry(
            name="lpboost",
            title="LPBoost over kernelized shapelets of series and bags of patterns",
            spec=LPBoost,
            pricer="radprog.decompositions.lpboost.questions:price_lpboost",
            priced="length",
            pather="radprog.decompositions.lpboost.questions:lpboost_path",
            methods=("colgen",),
            forms=(
                "primal",
                "dual",
                "weak-l1",
                "weak-l1-dual",
                "weak-l1-mip",
                "weak-rkhs",
                "weak-minnorm",
            ),
            fitter="radprog.decompositions.lpboost.fit:fit_lpboost",
            builder="radprog.decompositions.lpboost.forms:lpboost_form",
            recomputer="radprog.decompositions.lpboost.fit:recompute_lpboost",
            loader="radprog.decompositions.lpboost.questions:load_lpboost",
            value_forms=("primal", "dual"),
            grid="radprog.decompositions.lpboost.grid:fit_grid",
            grid_example="--grid length=0.1,0.2,0.3,0.4 --grid nu=0.2,0.15,0.1",
            example="series.tsv --positive 1",
            bounded=True,
            reader="radprog.instances.series:read_series",
            data_options=("label", "positive", "one_vs_rest"),
            plotter="radprog.papers.lpboost.plot:plot_lpboost",
            describer="radprog.text:ensemble_lines",
            classes="radprog.decompositions.lpboost.questions:lpboost_classes",
            stratified=True,
        ),
        Entry(
            name="mkl",
            title="multiple kernel learning with local Rademacher complexity",
            spec=MKL,
            pricer="radprog.decompositions.mkl.questions:price_mkl",
            methods=_MKL_METHODS,
            forms=("qcqp", "silp", "primal", "svm", "step", "multiclass", "dc"),
            fitter="radprog.decompositions.mkl.fit:fit_mkl",
            builder="radprog.decompositions.mkl.forms:mkl_form",
            recomputer="radprog.decompositions.mkl.fit:recompute_mkl",
            loader="radprog.decompositions.mkl.questions:load_mkl",
            value_forms=("primal", "qcqp"),
            grid="radprog.decompositions.mkl.grid:fit_grid",
            grid_example="--grid theta=1,2,4,8,16 --grid C=1e-2..1e2:5",
            reader="radprog.instances.mkl_data:read_mkl",
            data_options=(
                "label",
                "scale",
                "missing",
                "positive",
                "strings",
                "views",
                "classes",
            ),
            plotter="radprog.papers.mkl.plot:plot_mkl",
            describer="radprog.text:mkl_lines",
            classes="radprog.decompositions.mkl.questions:mkl_classes",
            local=("hybrid", "dca", "algorithm1"),
            exporters=_MKL_METHODS,
            in_place_of_data=("grams", "views"),
            cross_reader="radprog.instances.grams:read_cross",
        ),
        Entry(
            name="svr",
            title="support vector regression with a bounded loss",
            spec=SVR,
            methods=("cccp",),
            forms=_SVR_FORMS,
            fitter="radprog.decompositions.regression.fit:fit_svr",
            recomputer="radprog.decompositions.regression.fit:recompute_svr",
            loader="radprog.decompositions.regression.questions:load_svr",
            value_forms=("global",),
            plotter="radprog.papers.regression.plot:plot_svr",
            describer="radprog.text:regression_lines",
            **_SVR,
        ),
        Entry(
            name="complexity",
            title="Rademacher complexity of a regression class",
            spec=Complexity,
            methods=("cccp", "exact"),
            forms=_SVR_FORMS,
            fitter="radprog.decompositions.regression.complexity:fit_complexity",
            recomputer="radprog.decompositions.regression.complexity:recompute_complexity",
            plotter="radprog.papers.regression.plot:plot_svr",
            describer="radprog.text:complexity_lines",
            **_SVR,
        ),
        Entry(
            name="srm",
            title="structural risk minimisation over classes of regressors",
            spec=SRM,
            methods=("cccp",),
            forms=(),
            fitter="radprog.decompositions.regression.srm:fit_srm",
            recomputer="radprog.decompositions.regression.srm:recompute_srm",
            plotter="radprog.papers.regression.plot:plot_srm",
            describer="radprog.text:srm_lines",
            **_SVR,
        ),
        Entry(
            name="cdsk",
            title="clustering by discriminative similarity",
            spec=CDSK,
            methods=("alternate", "exact"),
            forms=("labels", "weights", "general", "joint"),
            fitter="radprog.decompositions.similarity.cdsk:fit_cdsk",
            builder="radprog.decompositions.similarity.forms:cdsk_form",
            recomputer="radprog.decompositions.similarity.cdsk:recompute_cdsk",
            loader="radprog.decompositions.similarity.questions:load_cdsk",
            value_forms=("labels", "general"),
            tester="radprog.decompositions.similarity.report:clustering_block",
            describer="radprog.text:clustering_lines",
            criteria=("distortion", "objective", "eigengap"),
            tuner="radprog.decompositions.similarity.grid:choose_clustering",
            grid_example="--grid bandwidth=0.25*median,0.5*median,median",
            **_SIMILARITY,
        ),
        Entry(
            name="lpdsk",
            title="label propagation by discriminative similarity",
            spec=LPDSK,
            methods=("alternate",),
            forms=("weights", "harmonic", "joint"),
            fitter="radprog.decompositions.similarity.lpdsk:fit_lpdsk",
            builder="radprog.decompositions.similarity.forms:lpdsk_form",
            recomputer="radprog.decompositions.similarity.lpdsk:recompute_lpdsk",
            tester="radprog.decompositions.similarity.report:propagation_block",
            describer="radprog.text:propagation_lines",
            criteria=("error",),
            tuner="radprog.decompositions.similarity.grid:choose_propagation",
            grid_example="--grid bandwidth=0.25*median,0.5*median,median --grid class_mass=yes,no",
            **_SIMILARITY,
        ),
        Entry(
            name="simsvm",
            title="support vector machine on an indefinite similarity",
            spec=SimSVM,
            methods=("dual", "primal"),
            forms=("primal", "dual"),
            fitter="radprog.decompositions.similarity.simsvm:fit_simsvm",
            builder="radprog.decompositions.similarity.simsvm:simsvm_form",
            recomputer="radprog.decompositions.similarity.simsvm:recompute_simsvm",
            loader="radprog.decompositions.similarity.questions:load_simsvm",
            value_forms=("primal", "dual"),
            grid_example="--grid kernels=linear,laplace:0.1,laplace:1 --grid lam=1e-1..1e-4:4",
        ),
    )
}


def entry_of(spec: Any) -> Entry:
    """The entry of a settings object; OptionError for anything else."""
    for entry in CATALOG.values():
        if type(spec) is entry.spec:
            return entry
    known = ", ".join(entry.spec.__name__ for entry in CATALOG.values())
    raise OptionError(f"{spec!r} is no model: expected one of {known}")


def entry_named(name: str) -> Entry:
    """The entry of a model's name; OptionError for an unknown one."""
    if name not in CATALOG:
        raise OptionError(f"unknown model '{name}': expected one of {', '.join(CATALOG)}")
    return CATALOG[name]
