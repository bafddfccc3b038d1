"""Names that every reader of .lp and .mps files accepts unchanged."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache

MAX_LENGTH = 64
#: The name of the objective row, which no row of a program can have.
OBJECTIVE = "obj"
#: The name of a column fixed at 1; its cost is the constant of the objective.
CONSTANT = "objective_constant"
#: The name of a row 0 <= 1 in .lp files without rows, which GLPK refuses; no list of rows has it.
NO_ROWS = "no_rows"
_VALID = re.compile(r"[A-Za-z_][A-Za-z0-9_.()]{0,63}")
_FORBIDDEN = re.compile(r"[^A-Za-z0-9_.()]")
# a reader may take these, or their start, for a number: e12, E(3), e.5, influence, nanny
_NUMBER_LIKE = re.compile(r"e+([0-9.(].*)?|(inf|nan).*", re.IGNORECASE)
KEYWORDS = frozenset(
    re.findall(
        r"\S+",
        """
        max maximise maximize maximum min minimise minimize minimum obj objective
        subject such st s.t. to that bounds bound free end
        gen general generals int integer integers bin binary binaries semi sin sec sos sos1 sos2
        name rows columns rhs ranges endata objsense objname quadobj qmatrix qsection qcmatrix
        indicators lazy user cuts constraints bnd rng marker
        """,
    )
)


def is_valid_name(name: str) -> bool:
    """Whether every reader of .lp and .mps files accepts a name unchanged.

    A valid name has at most 64 letters, digits and ``_ . ( )``. It is not an LP or MPS keyword,
    with or without an index, and does not start like a number (``e12``, ``inf...``, ``nan...``).
    """
    return _VALID.fullmatch(name) is not None and _is_word(name.split("(", 1)[0])


@lru_cache(maxsize=256)
def _is_word(stem: str) -> bool:
    """Whether a name without its index, which thousands have in common, is no keyword or number."""
    return stem.lower() not in KEYWORDS and _NUMBER_LIKE.fullmatch(stem) is None


def unique_names(proposals: Iterable[str]) -> tuple[str, ...]:
    """Valid and distinct names, in order and as close as possible to the proposals."""
    taken: set[str] = set()
    names = []
    for raw in proposals:
        name = raw
        if not is_valid_name(name):
            name = _FORBIDDEN.sub("_", raw)[:MAX_LENGTH]
            name = name if is_valid_name(name) else "_" + name[: MAX_LENGTH - 1]
        if name in taken:  # it gets the first number that makes it new
            tails = (f"_{number}" for number in itertools.count(2))
            numbered = (name[: MAX_LENGTH - len(tail)] + tail for tail in tails)
            name = next(candidate for candidate in numbered if candidate not in taken)
        taken.add(name)
        names.append(name)
    return tuple(names)


def one_word(name: str) -> str:
    """A name without blanks, as a line of a solution file has it."""
    return re.sub(r"\s", "_", name)


def matched(
    given: Collection[str], names: Sequence[str], other: Sequence[str] = ()
) -> tuple[dict[str, str], bool]:
    """The program's name of each given name, and whether all are ``other`` names of its parts.

    ``other`` lists a model's names in the order of ``names``. Names that are in neither list may
    differ from one of ``names`` by the characters that writers replace: ``u[2,5]``, ``u(2.5)`` and
    ``u(2_5)`` are one, and Pyomo's rows begin with ``c_e_``. A name without a counterpart, or with
    several, stands for itself.
    """
    ours, wanted = set(names), set(given)
    if wanted <= ours:
        return {name: name for name in given}, False
    pairs = list(zip(other, names, strict=bool(other)))
    theirs = {**{one_word(mine): name for mine, name in pairs}, **dict(pairs)}
    if wanted <= theirs.keys():
        return {name: theirs[name] for name in given}, True
    # one name of each side, which the other side does not have as it is
    plain, folds = Counter(map(_folded, names)), Counter(map(_folded, wanted))
    twin = {_folded(name): name for name in ours - wanted if plain[_folded(name)] == 1}
    lone = {name for name in wanted - ours if folds[_folded(name)] == 1}
    return {name: twin.get(_folded(name), name) if name in lone else name for name in given}, False


def _folded(name: str) -> str:
    """A name without the characters that a writer of files may replace."""
    return re.sub(r"[^A-Za-z0-9]", "_", re.sub(r"^[cr]_[elu]_", "", name)).strip("_")


def upper_half(row: str) -> str:
    """The name of the upper half of a ranged row, which has two rows in .lp files."""
    return row[: MAX_LENGTH - len("_upper")] + "_upper"


def is_upper_half(name: str, row: str) -> bool:
    """Whether a name is that of the upper half of a ranged row, perhaps with a number behind it."""
    return name.startswith(upper_half(row)[: MAX_LENGTH - len("_999")])
