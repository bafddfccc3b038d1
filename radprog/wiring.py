"""The functions of a model that the commands use, one typed function per purpose.

``radprog/papers/<paper>/__init__.py`` makes a :class:`Wiring` for each model from imported
functions, which type checkers, editors and readers can follow. The catalog refers to these objects.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from radprog.instances.arrays import read_matrix
from radprog.instances.data import Data

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from radprog.base.sections import Table
    from radprog.decompositions.analyses import (
        ExactPair,
        FormSolution,
        FunctionClass,
        PricingResult,
        Scores,
    )
    from radprog.decompositions.forms import BuiltForm
    from radprog.decompositions.paths import ParameterPath
    from radprog.decompositions.run import Attempt, Fit, Recomputed, Run, RunSettings
    from radprog.models.bounds import Bound

S = TypeVar("S")  # settings of the model
D = TypeVar("D", bound=Data | None)  # its data; None: files in options replace them
Values = Mapping[str, Any]
Fitted = tuple[Any, "Attempt"]  # settings, and their run or the reason for its absence


# Letters of the indices that placeholders stand for; others have their first letter.
_LETTERS = {"point": "ij", "centre": "jl", "kernel": "k", "cluster": "cd", "class": "r"}
_LETTERS |= {"pattern": "q", "hypothesis": "t", "score_row": "s"}
_NOUNS = {"point": "point ", "centre": "centre ", "kernel": "kernel ", "hypothesis": "hypothesis ",
          "score_row": "constraint "}  # fmt: skip


@dataclass(frozen=True)
class Term:
    """``what`` is the meaning of a row or column; ``price`` that of its price or reduced cost;
    ``symbol`` is the paper's symbol, if it is not the name of the component.
    """

    what: str
    price: str = ""
    symbol: str = ""

    def doc(self, name: str) -> str:
        """The symbol with its indices, and its meaning with these letters in the placeholders."""
        symbol, _, index = (self.symbol or name).rstrip("]").partition("[")
        fields = re.findall(r"\{(\w+)\}", self.what)
        letters = index.split(", ") if index else []
        for place, field_name in enumerate(fields if not index else ()):
            row = _LETTERS.get(field_name, field_name[0])
            letters.append(row[fields[:place].count(field_name)])
        indices = iter(letters)
        words = re.sub(r"\{(\w+)\}", lambda f: _NOUNS.get(f[1], "") + next(indices), self.what)
        price = f" (price: {self.price})" if self.price else ""
        return (
            f"{symbol}[{', '.join(letters)}]: {words}{price}"
            if letters
            else f"{symbol}: {words}{price}"
        )


def read_terms(paper: str, model: str) -> Mapping[str, Term]:
    """The descriptions in a paper's file ``words.toml`` for the components of a model's
    programs."""
    return {component: Term(*words) for component, words in _words(paper)[model].items()}


def form_words(wiring: str, model: str) -> Mapping[str, str]:
    """The descriptions of a model's forms, from the file of its paper. The table ``forms.MODEL``
    takes precedence over the common table ``forms``."""
    forms = _words(wiring.partition(":")[0].rpartition(".")[2]).get("forms", {})
    return {**forms, **forms.get(model, {})}


def _words(paper: str) -> dict[str, Any]:
    file = files("radprog.papers").joinpath(paper, "words.toml")
    return tomllib.loads(file.read_text()) if file.is_file() else {}


#: The description of an index number of a component: of the number, ``points``, the descriptions of
#: the program's rows, and ``iterate``, the iterate of the form.
Label = Callable[..., str]


def no_tables(result: Values) -> Iterable[Table]:
    """An empty list of tables, for certificates without multipliers of rows."""
    return ()


@dataclass(frozen=True, kw_only=True)
class Wiring(Generic[S, D]):
    """The functions of one model with settings S and data D.

    - kinds: kinds of the data of ``read`` and of a fit.
    - predictor: reads the ``fit`` of a saved fit.
    - recompute: objective and bound of the stored points, from settings, data, evidence and seed.
    - test: the ``test`` block of a result (None: errors of classes or of numbers).
    - describe: the result in lines of text (None: the numbers of the ``fit`` block).
    - plot: the figure of a result, from its run and, if given, its data (None: objective and
      bound).
    - terms: descriptions of rows and columns of the forms; labels: descriptions of their indices.
    - multipliers: the meaning of the multipliers in a certificate.
    - read_cross: values of given kernels, new points (rows) x training points (columns).

    These are None for a model without the feature:

    - ``form`` builds programs.
    - ``grid`` fits many settings at once.
    - ``load`` reads solutions of exported forms.
    - ``price`` prices columns outside a finished run.
    - ``path`` solves the model exactly for all values of a parameter in an interval.
    - ``classes`` are the function classes for complexity estimates.
    - ``bounds`` are error bounds that need the data, from settings, data, evidence, seed and delta.
    - ``choose`` chooses among settings without validation folds.
    - ``prove`` evaluates the points of a result in exact arithmetic.
    """

    kinds: tuple[str, ...]
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
    path: Callable[[S, D, str, float, float, RunSettings], ParameterPath] | None = None
    classes: Callable[[S, D, int], list[FunctionClass]] | None = None
    bounds: Callable[[S, D, Mapping[str, Any], int, float], list[Bound]] | None = None
    choose: Callable[..., Scores] | None = None
    prove: Callable[[S, D, Mapping[str, Any], int], ExactPair] | None = None

    def term(self, form: str, component: str) -> Term | None:
        """The description of a component; the key FORM:COMPONENT takes precedence in one form."""
        return self.terms.get(f"{form}:{component}", self.terms.get(component))
