"""What a paper's folder hands to the front door: one typed function per question of a command.

``radprog/papers/<paper>/__init__.py`` fills a :class:`Wiring` per model, by real imports that a
type checker, an editor and a reader can follow; the catalog says which.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from radprog.instances.arrays import read_matrix
from radprog.instances.data import Data
from radprog.instances.dataset import Dataset
from radprog.instances.unlabelled import PartlyLabelled
from radprog.instances.views import ViewSet

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from radprog.base.sections import Table
    from radprog.decompositions.forms import BuiltForm
    from radprog.decompositions.questions import (
        Choice,
        ExactPair,
        FormSolution,
        FunctionClass,
        ParameterPath,
        PricingResult,
    )
    from radprog.decompositions.run import Attempt, Fit, Recomputed, Run, RunSettings
    from radprog.models.bounds import Bound

S = TypeVar("S")  # settings of the model
D = TypeVar("D", bound=Data | None)  # its data; None: options name files in their place
Values = Mapping[str, Any]
Fitted = tuple[Any, "Attempt"]  # settings, and their run or why there is none


@dataclass(frozen=True)
class Term:
    """``what`` a row or column is, and what the ``price`` of a row, or the reduced cost of a
    column, means."""

    what: str
    price: str = ""


def read_terms(paper: str, model: str) -> Mapping[str, Term]:
    """The words of a paper's file ``words.toml`` for the components of a model's programs."""
    file = files("radprog.papers").joinpath(paper, "words.toml")
    terms = tomllib.loads(file.read_text())[model]
    return {component: Term(*words) for component, words in terms.items()}


class Label(Protocol):
    """Words for a number in the index of a component."""

    def __call__(self, number: int, *, points: Sequence[str], iterate: Values) -> str:
        """points: the rows of the program in words; iterate: of the form."""
        ...


def no_tables(result: Values) -> Iterable[Table]:
    """Of a certificate without a number per row."""
    return ()


@dataclass(frozen=True, kw_only=True)
class Wiring(Generic[S, D]):
    """The functions of one model, whose settings are S and whose data are D.

    data: kinds that ``read`` reads and a fit takes. predictor: reads the ``fit`` of a saved fit.
    recompute: what the stored points are worth, from settings, data, evidence and seed.
    test: the ``test`` block of a result (None: errors of classes or of numbers). describe: what was
    found, in lines of text (None: the numbers of the ``fit`` block). plot: the figure of a result,
    its run and its data, which may not be at hand (None: objective and bound). terms: rows and
    columns of the forms in words; labels: of numbers that they name. multipliers: what the numbers
    of a certificate mean. read_cross: values of given kernels between new points (rows) and
    training points (columns).

    None where the model cannot: ``form`` builds programs, ``grid`` fits many settings at once,
    ``load`` reads solutions of exported forms back, ``price`` prices columns that a finished run
    has not, ``path`` solves exactly over an interval of a parameter, ``classes`` are those whose
    complexity can be estimated, ``bounds`` are those of the error that need the data once more,
    from settings, data, evidence, seed and delta, ``choose`` chooses among settings in place of
    folds that validate, ``prove`` values the points of a result in exact arithmetic.
    """

    data: tuple[type[Data], ...]
    read: Callable[..., D]
    fit: Callable[[S, D, RunSettings], Run]
    recompute: Callable[[S, D, Mapping[str, Any], int], Recomputed]
    predictor: Callable[[Mapping[str, Any]], Fit]
    test: Callable[[Any, D], dict[str, Any]] | None = None
    describe: Callable[[Values], list[str]] | None = None
    plot: Callable[[dict[str, Any], Run, D | None], Figure | None] | None = None
    multipliers: Callable[[Values], Iterable[Table]] = no_tables
    terms: Mapping[str, Term] = field(default_factory=dict)
    labels: Mapping[str, Label] = field(default_factory=dict)
    read_cross: Callable[[str], Any] = read_matrix
    form: Callable[[S, D, str, RunSettings], BuiltForm] | None = None
    grid: Callable[[Sequence[S], D, RunSettings], Iterator[Fitted]] | None = None
    load: Callable[[S, D, Sequence[FormSolution], RunSettings], Run] | None = None
    price: Callable[[S, D, Mapping[str, Any], int, str], PricingResult] | None = None
    path: Callable[[S, D, str, float, float, RunSettings, int], ParameterPath] | None = None
    classes: Callable[[S, D, int], list[FunctionClass]] | None = None
    bounds: Callable[[S, D, Mapping[str, Any], int, float], list[Bound]] | None = None
    choose: Callable[..., Choice] | None = None
    prove: Callable[[S, D, Mapping[str, Any], int], ExactPair] | None = None

    def term(self, form: str, component: str) -> Term | None:
        """The words for a component; one that means something else in a form has a key of its
        own, FORM:COMPONENT."""
        return self.terms.get(f"{form}:{component}", self.terms.get(component))


def adapted(data: Data, kinds: tuple[type[Data], ...]) -> Data:
    """A table of rows as one of ``kinds``; other data, and what is of these kinds, as they are.

    Rows of many classes become one view where a model learns these together, and points whose
    labels may be unknown where a model clusters or propagates.
    """
    if not isinstance(data, Dataset) or data.raw is None:
        return data
    shared: dict[str, Any] = {
        one.name: getattr(data, one.name) for one in fields(Dataset) if one.name != "labels"
    }
    shared["labels"] = data.labels if data.known.any() else ()
    if ViewSet in kinds and (len(data.labels) > 2 or Dataset not in kinds):
        return ViewSet(**shared, views=((data.name, 0, data.X.shape[1]),))
    if PartlyLabelled in kinds:
        return PartlyLabelled(**shared)
    return data
