"""What rows, columns and their prices are in the words of a paper.

The terms stand in the papers' folders. A component that means something else in one form has the
key FORM:COMPONENT. An index is named in order: {point} is a row of the data file, {kernel} a
kernel, {centre} a point or one of the further centres; others are labels of the paper, or stand for
the number itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from radprog.decompositions.run import Spec
from radprog.models.kernels import parse_kernels
from radprog.wiring import Label, Term

NO_LABELS: Mapping[str, Label] = {}
_FIELD = re.compile(r"{(\w+)}")


class Wording:
    """Names of the components of one form of a model on one data set, or on none.

    terms, labels: of the model; iterate: of the form; its ``rows`` are the rows of the data behind
    the program's points, where these are in another order, its ``kernels`` the kernels where these
    are not those of ``spec``.
    """

    def __init__(
        self,
        terms: Mapping[str, Term],
        form: str,
        spec: Spec | None,
        data: Any,
        iterate: Mapping[str, Any] | None = None,
        labels: Mapping[str, Label] = NO_LABELS,
    ) -> None:
        self._terms, self._form = terms, form
        iterate = iterate or {}
        rows = iterate.get("rows")
        self._rows: Sequence[int] = range(getattr(data, "rows", 0)) if rows is None else rows
        self._data = data
        self._centres: Sequence[int] | None = iterate.get("centre_rows")
        kernels = getattr(spec, "kernels", None)
        named = [kernel.name for kernel in parse_kernels(kernels)] if kernels else []
        self._kernels: list[str] = iterate.get("kernels", named)
        self._labels: dict[str, Callable[[int], str]] = {
            "point": self._point,
            "centre": self._centre,
            "kernel": lambda k: self._kernels[k] if k < len(self._kernels) else f"kernel {k}",
        }
        names = [self._point(i) for i in range(len(self._rows))] if labels else []
        for name, words in labels.items():
            self._labels[name] = partial(words, points=names, iterate=iterate)

    def _term(self, name: str) -> Term | None:
        return self._terms.get(f"{self._form}:{name}", self._terms.get(name))

    def _point(self, i: int) -> str:
        if i < len(self._rows):
            return str(self._data.row_name(self._rows[i]))
        return f"further centre {i - len(self._rows) + 1}"

    def _centre(self, j: int) -> str:
        return self._point(j if self._centres is None else self._centres[j])

    def what(self, component: str) -> str:
        """``margin[3]`` in words; the component itself where the paper has none."""
        name, _, rest = component.partition("[")
        term = self._term(name)
        if term is None:
            return component
        numbers = iter(int(number) for number in re.findall(r"-?\d+", rest))

        def label(field: re.Match[str]) -> str:
            number = next(numbers, None)
            if number is None:
                return ""
            return self._labels.get(field[1], str)(number)

        words = _FIELD.sub(label, term.what)
        rest_of_index = [str(number) for number in numbers]
        return f"{words} [{','.join(rest_of_index)}]" if rest_of_index else words

    def price(self, component: str) -> str:
        """What the price of a component's rows, or its reduced costs, mean; or nothing."""
        term = self._term(component.partition("[")[0])
        return "" if term is None else term.price
