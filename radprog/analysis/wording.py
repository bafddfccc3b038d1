"""What rows, columns and their prices are in the words of each paper.

A component that means something else in one form has the key FORM:COMPONENT. An index is named in
order: {point} is a row of the data file, {kernel} a kernel, {centre} a point or one of the further
centres, {hypothesis} a shapelet where the program says which; any other name stands for the number
itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from radprog.models.kernels import parse_kernels

_FIELD = re.compile(r"{(\w+)}")


@dataclass(frozen=True)
class Term:
    """``what`` a row or column is, and what the ``price`` of a row, or the reduced cost of a
    column, means."""

    what: str
    price: str = ""


_MARGIN = Term("margin of {point}", "weight d of the example: cost of a unit more of margin")
_VKR = {
    "margin": _MARGIN,
    "norm_budget": Term("norm budget sum |alpha|", "gain of a unit of norm: -beta in (1)"),
    "correlation": Term("edge of {kernel} at {centre}", "alpha, the coefficient of the column"),
    "alpha_plus": Term("+ {kernel} at {centre}", "price less edge: what keeps the column out"),
    "alpha_minus": Term("- {kernel} at {centre}", "price plus edge: what keeps the column out"),
    "slack": Term("hinge loss of {point}", "1/m less the weight d of the example"),
    "weight": Term("weight d of {point}", "at 0: margin beyond 1, at 1/m: hinge loss"),
    "miss": Term("margin error of {point}", "cost of one more error"),
}
_SVR = {
    "below": Term("lower side of the tube at {point}", "its multiplier"),
    "above": Term("upper side of the tube at {point}", "its multiplier"),
    "ball": Term("ball |w|^2", "gain of a unit of A: half the multiplier lambda"),
    "balance": Term("balance of the coefficients", "the bias b"),
    "coefficient": Term("coefficient g of {point}", "minus the value h of the point"),
    "xi": Term("loss above the tube at {point}"),
    "xihat": Term("loss below the tube at {point}"),
    "alpha": Term("multiplier of the lower side at {point}"),
    "alphahat": Term("multiplier of the upper side at {point}"),
    "g": Term("coefficient of {point}"),
    "w": Term("component {part} of w"),
    "b": Term("bias"),
    "v": Term("bounded loss of {point}"),
    "q": Term("is {point} saturated"),
    "p": Term("is {point} above"),
    "saturated": Term("saturation of {point}", "its multiplier"),
    "side": Term("side of the tube of {point}", "its multiplier"),
    "over": Term("loss of {point} from above", "its multiplier"),
    "under": Term("loss of {point} from below", "its multiplier"),
}
_WEIGHT = Term("weight of {point}", "how much too dear the point is to weigh more")
_SIMILARITY = {
    "label": Term("is {point} in cluster {cluster}"),
    "weight": _WEIGHT,
    "shared": Term("weight of {point} where {point} is in cluster {cluster}"),
    "one_class": Term("one cluster for {point}"),
    "size": Term("size of cluster {cluster}", "cost of a point more in the cluster"),
    "sum_of_weights": Term("sum of the weights", "what a unit more of weight costs"),
    "weight_of_class": Term("no weight of {point} outside of its cluster: {cluster}"),
    "shared_weight": Term("shared weight of {point} and {point} in cluster {cluster}"),
    "shared_label": Term("shared weight of {point} and {point} in cluster {cluster}"),
    "shared_least": Term("least shared weight of {point} and {point} in cluster {cluster}"),
    "share": Term("share of class {cluster} in unlabelled point {number}"),
    "one_label": Term("shares of unlabelled point {number}"),
}
_MACHINE = {
    "margin": Term("margin of {point}", "multiplier mu: cost of a unit more of margin"),
    "slack": Term("hinge loss of {point}", "1/n less the multiplier mu of the example"),
    "coefficient": Term("coefficient of {point}"),
    "bias": Term("bias"),
    "multiplier": Term("multiplier of {point}", "at 0: margin beyond 1, at 1/n: hinge loss"),
    "balance": Term("balance of the classes", "the bias b"),
}
_LPBOOST = {
    "margin": Term("margin of {point}", "weight d of the row: what a unit more of margin costs"),
    "convex": Term("sum of the weights of hypotheses", "the largest edge gamma"),
    "rho": Term("margin rho"),
    "weight": Term("weight of {hypothesis}", "edge less gamma: what keeps the hypothesis out"),
    "slack": Term("shortfall of {point}", "d less 1/(nu m)"),
    "edge": Term("edge of {hypothesis}", "minus the weight of the hypothesis"),
    "dual:mass": Term("sum of the weights of rows", "the margin rho"),
    "mass": Term("weight of {point} on its pattern {pattern}"),
    "gamma": Term("largest edge gamma"),
    "d": Term("weight d of {point}", "at 0: margin beyond rho; at 1/(nu m): shortfall, negative"),
    "above": Term("level of {point} over its pattern {pattern}", "mass of the pattern"),
    "weak-l1-dual:above": Term("correlation of pattern {k}, one side", "its coefficient"),
    "weak-l1-dual:below": Term("correlation of pattern {k}, other side", "its coefficient"),
    "ball": Term("ball of the coefficients", "gain of a unit of radius"),
    "share": Term("weight of {point} shared by its patterns", "its level"),
    "reached": Term("height of {point} under its pattern {pattern}"),
    "one": Term("one pattern of {point}"),
    "coordinate": Term("coordinate {r} of the hypothesis"),
    "alpha_plus": Term("coefficient of pattern {k}, positive"),
    "alpha_minus": Term("coefficient of pattern {k}, negative"),
    "alpha": Term("coefficient of pattern {k}"),
    "v": Term("component {r} of the hypothesis"),
    "level": Term("level of {point}"),
    "height": Term("height of {point}"),
    "chosen": Term("does {point} choose its pattern {pattern}"),
    "largest": Term("largest correlation"),
}
_MKL = {
    "energy": Term("energy of {kernel}", "half the weight mu of the kernel"),
    "norm": Term("norm of the shares"),
    "balance": Term("balance of problem {class}", "the bias of the problem"),
    "a": Term("dual point, problem {class}, {point}", "at 0: margin beyond 1, at C: hinge loss"),
    "height": Term("height of the largest energy"),
    "share": Term("share of {kernel}"),
    "image": Term("coordinate of {kernel}, problem {class}, {j}"),
    "image_of": Term("coordinate of {kernel}, problem {class}, {j}"),
    "cut": Term("cut of dual point {t}", "its share in the best dual point"),
    "ball": Term("ball of the weights", "gain of a unit of the ball"),
    "mu": Term("weight of {kernel}", "how much too dear the kernel is to enter"),
    "value": Term("value J"),
    "w": Term("component of {kernel}, problem {class}, {j}"),
    "block": Term("norm of the part of {kernel}"),
    "slack": Term("hinge loss, problem {class}, {point}"),
    "bias": Term("bias of problem {class}"),
    "margin": Term("margin, problem {class}, {point}", "its dual point"),
    "cone": Term("cone of {kernel}"),
    "balanced_point": Term("balance of {point}"),
}
TERMS: Mapping[str, Mapping[str, Term]] = {
    "vkr": _VKR,
    "l1svm": _VKR,
    "svm": {
        "balance": Term("balance of the classes", "the bias b"),
        "a": Term("multiplier of {point}", "at 0: margin beyond 1, at C: hinge loss"),
    },
    "svr": _SVR,
    "complexity": _SVR,
    "lpboost": _LPBOOST,
    "mkl": _MKL,
    "cdsk": _SIMILARITY,
    "lpdsk": _SIMILARITY,
    "simsvm": _MACHINE,
}


class Wording:
    """Names of the components of one form of a model on one data set.

    iterate: of the form; its ``rows`` are the rows of the data behind the program's points, where
    these are in another order, its ``windows`` the [length, number per row] of shapelets.
    """

    def __init__(
        self, model: str, form: str, spec: Any, data: Any, iterate: Mapping[str, Any] | None = None
    ) -> None:
        self._terms, self._form = TERMS.get(model, {}), form
        iterate = iterate or {}
        rows, self._windows = iterate.get("rows"), iterate.get("windows", [])
        known = data.lines
        lines = range(1, data.rows + 1) if known is None else known.tolist()
        self._lines: Sequence[int] = lines if rows is None else [lines[row] for row in rows]
        kernels = getattr(spec, "kernels", None)
        self._kernels = [kernel.name for kernel in parse_kernels(kernels)] if kernels else []
        self._labels: Mapping[str, Callable[[int], str]] = {
            "point": self._point,
            "centre": self._point,
            "hypothesis": self._hypothesis,
            "kernel": lambda k: self._kernels[k] if k < len(self._kernels) else f"kernel {k}",
        }

    def _term(self, name: str) -> Term | None:
        return self._terms.get(f"{self._form}:{name}", self._terms.get(name))

    def _point(self, i: int) -> str:
        if i < len(self._lines):
            return f"row {self._lines[i]}"
        return f"further centre {i - len(self._lines) + 1}"

    def _hypothesis(self, t: int) -> str:
        """Positive shapelets of all lengths come first, then their negatives."""
        rows = len(self._lines)
        sizes = [rows * count for _, count in self._windows]
        if not sizes:
            return f"hypothesis {t}"
        sign, place = divmod(t, sum(sizes))
        for (length, count), size in zip(self._windows, sizes, strict=True):
            if place < size:
                row, start = divmod(place, count)
                what = f"shapelet of {length} at {start} of {self._point(row)}"
                return f"minus {what}" if sign else what
            place -= size
        return f"hypothesis {t}"

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
