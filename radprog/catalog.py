"""The models: settings, methods, forms, and who fits and builds them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from radprog.decompositions import svm as svm_wiring
from radprog.decompositions import vkr as vkr_wiring
from radprog.decompositions.forms import BuiltForm, svm_form, vkr_form
from radprog.decompositions.path import fit_grid
from radprog.decompositions.run import Run, RunSettings
from radprog.instances.dataset import Dataset
from radprog.instances.errors import OptionError
from radprog.models.settings import L1SVM, SVM, VKR

Fitter = Callable[[Any, Dataset, RunSettings], Run]
FormBuilder = Callable[[Any, Dataset, str, RunSettings], BuiltForm]
GridFitter = Callable[[Sequence[Any], Dataset, RunSettings], Iterator[tuple[Any, Run]]]


@dataclass(frozen=True)
class Entry:
    """One model: first method and first form are the defaults."""

    name: str
    title: str
    spec: type[Any]
    methods: tuple[str, ...]
    forms: tuple[str, ...]
    fit: Fitter
    form: FormBuilder
    fit_grid: GridFitter


def _one_by_one(fit: Fitter) -> GridFitter:
    def fit_grid(
        specs: Sequence[Any], data: Dataset, settings: RunSettings
    ) -> Iterator[tuple[Any, Run]]:
        for spec in specs:
            yield spec, fit(spec, data, settings)

    return fit_grid


_VKR_FORMS = ("primal", "dual", "master", "budget", "margin")

CATALOG: Mapping[str, Entry] = {
    entry.name: entry
    for entry in (
        Entry(
            name="vkr",
            title="Voted Kernel Regularization",
            spec=VKR,
            methods=vkr_wiring.METHODS,
            forms=_VKR_FORMS,
            fit=vkr_wiring.fit_vkr,
            form=vkr_form,
            fit_grid=fit_grid,
        ),
        Entry(
            name="l1svm",
            title="norm-1 support vector machine",
            spec=L1SVM,
            methods=vkr_wiring.METHODS,
            forms=_VKR_FORMS,
            fit=vkr_wiring.fit_vkr,
            form=vkr_form,
            fit_grid=fit_grid,
        ),
        Entry(
            name="svm",
            title="support vector machine",
            spec=SVM,
            methods=svm_wiring.METHODS,
            forms=("dual",),
            fit=svm_wiring.fit_svm,
            form=svm_form,
            fit_grid=_one_by_one(svm_wiring.fit_svm),
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
