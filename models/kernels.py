"""The kernels of a SPEC, a string such as ``poly:1-3,rbf:0.1``.

The rows of a kernel matrix are points, and its columns are centres. The matrix need not be
symmetric. Kernel values are stored by four classes, because they have four uses:

- ``KernelBank`` of ``models/kernel_bank``: any kernels between points and centres, whole columns
  and products with vectors; rectangular, computed tile by tile (VKR, L1SVM, SVM).
- ``KernelSet`` of ``models/mkl``: square, positive semidefinite matrices in memory, which are
  repaired, centred and normalised. It computes their weighted sums, spectra and tail sums.
- ``Distances`` of ``models/similarity``: squared distances of pairs, stored as half a matrix. One
  exponential of them gives the Gaussian kernel of a bandwidth.
- ``LazyGram`` of ``models/lpboost``: rows of the kernel matrix of tens of thousands of patterns. A
  weak learner reads a few hundred of these rows, and the whole matrix is never computed.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from math import inf, nan
from typing import Any

import numpy as np

from radprog.base.errors import OptionError
from radprog.base.types import FloatArray
from radprog.instances.arrays import read_matrix
from radprog.models.kernel_functions import (
    RBF,
    RULES,
    EditSimilarity,
    KernelFunction,
    Laplace,
    Linear,
    Polynomial,
    Precomputed,
)
from radprog.models.own_kernels import Kernels, OwnText, kernel_text, own_of

MOST_NUMBERS = 10_000  # of one list
EXTREME = 1e100  # settings lie between this and its reciprocal: products of three stay finite


def number_list(name: str, text: str) -> tuple[float, ...]:
    """The numbers in a string of the form ``a,b,c`` or ``a..b:N``.

    The second form gives N logarithmically spaced numbers from a to b, rounded to 12 digits. Raises
    OptionError for any other text.
    """
    try:
        if ".." not in text:
            return tuple(float(item) for item in text.split(","))
        ends, _, count = text.rpartition(":")
        first, _, last = ends.partition("..")
        low, high, n = float(first), float(last), int(count)
    except ValueError:
        raise OptionError(f"{name} '{text}': expected a..b:N or numbers a,b,c") from None
    if not (0 < low < inf and 0 < high < inf and n >= 1):
        raise OptionError(f"{name} '{text}': expected a, b > 0 and N >= 1")
    if n > MOST_NUMBERS:
        raise OptionError(f"{name} '{text}': expected at most {MOST_NUMBERS} numbers")
    return tuple(float(f"{value:.12g}") for value in np.geomspace(low, high, n))


def _number(text: str, item: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = np.nan
    if not (np.isfinite(value) and value > 0):
        kind = item.partition(":")[0]
        raise OptionError(
            f"kernel '{item}': '{text}' is not a positive number, expected {kind}:G or "
            f"{kind}:G1..G2, G the factor of the distance, such as {kind}:0.5"
        )
    if not 1 / EXTREME <= value <= EXTREME:
        raise OptionError(
            f"kernel '{item}': {text} is out of range, expected {1 / EXTREME:g} to {EXTREME:g}"
        )
    return value


def _widths(text: str, item: str) -> list[float]:
    """G, the decades of G1..G2, or the N equal steps of the logarithm in G1..G2:N."""
    if ".." in text and ":" in text:
        return [_number(f"{value:.12g}", item) for value in number_list(f"kernel {item}:", text)]
    first, dots, last = text.partition("..")
    if not dots:
        return [_number(text, item)]
    low, high = _number(first, item), _number(last, item)
    # decades from the first to the last
    steps = np.log10(high / low)
    if steps < 0:
        raise OptionError(f"kernel '{item}': the range runs backwards")
    # a whole number of things, up to rounding
    count = int(np.floor(steps + 1e-9)) + 1
    return [float(f"{low * 10.0**i:.12g}") for i in range(count)]


def _kernels_of(item: str, own: Mapping[str, KernelFunction]) -> list[KernelFunction]:
    if item in own:
        return [own[item]]
    kind, _, argument = item.partition(":")
    if kind == "poly":
        match = re.fullmatch(r"(\d+)(?:-(\d+))?", argument)
        if not match:
            raise OptionError(f"kernel '{item}': expected poly:DEGREE or poly:FIRST-LAST")
        first, last = int(match[1]), int(match[2] or match[1])
        if not 1 <= first <= last <= 50:
            raise OptionError(f"kernel '{item}': degrees must satisfy 1 <= first <= last <= 50")
        return [Polynomial(degree) for degree in range(first, last + 1)]
    if kind == "rbf":
        rule, _, gamma = argument.partition("=")
        if rule in RULES:
            return [RBF(_number(gamma, item) if gamma else nan, rule)]
        return [RBF(gamma) for gamma in _widths(argument, item)]
    if kind == "laplace":
        return [Laplace(gamma) for gamma in _widths(argument, item)]
    if item == "linear":
        return [Linear()]
    if item == "edit":
        return [EditSimilarity()]
    if kind == "file" and argument:
        return [Precomputed(argument, read_matrix(argument))]
    raise OptionError(
        f"unknown kernel '{item}': expected poly:D, poly:D1-D2, rbf:G, rbf:G1..G2, rbf:G1..G2:N, "
        "rbf:scale, rbf:median, linear, "
        "laplace:G, edit or file:K.npy"
    )


def parse_kernels(spec: Kernels) -> tuple[KernelFunction, ...]:
    """Kernels of a comma-separated SPEC such as ``poly:1-10`` or ``linear,rbf:1e-3..1e1``.

    All inputs of :func:`~radprog.models.own_kernels.kernel_text` are accepted. Raises OptionError
    for an unknown, malformed or repeated kernel, and KernelError for a missing one.
    """
    # texts without functions, matrices and files mean the same kernels at every call
    if type(spec) is str and not re.search("own:|gram:|file:", spec):
        return _parsed(spec)
    return _parsed.__wrapped__(kernel_text(spec))


@functools.cache
def _parsed(text: str) -> tuple[KernelFunction, ...]:
    # every item of the SPEC, of which some are several kernels; none may come twice
    items, own = [item.strip() for item in text.split(",")], own_of(text)
    kernels = tuple(kernel for item in items for kernel in _kernels_of(item, own))
    names = [kernel.name for kernel in kernels]
    for name in names:
        if names.count(name) > 1:
            raise OptionError(f"kernel '{name}' is given twice in '{text}'")
    return kernels


def on_rows(kernels: str, X: Any, weights: FloatArray | None) -> str:
    """The SPEC; rules such as ``rbf:scale`` receive the widths for training rows X (n, d)."""
    if not any(rule in kernels for rule in RULES):
        return kernels
    own, unset = own_of(kernels), {f"rbf:{rule}": RBF(nan, rule) for rule in RULES}
    items = [item.strip() for item in kernels.split(",")]
    text = ",".join(unset[one].on(X, weights).name if one in unset else one for one in items)
    return OwnText(text, own) if own else text


def off_rows(kernels: str) -> str:
    """The SPEC without the widths of its rules; other training rows can then determine them."""
    text = re.sub(rf"(rbf:(?:{'|'.join(RULES)}))=[^,]*", r"\1", kernels)
    return OwnText(text, own) if (own := own_of(kernels)) else text


def kernel_names(text: str) -> list[str]:
    """The kernels of a SPEC, each as a separate SPEC."""
    return [kernel.name for kernel in parse_kernels(text)]
