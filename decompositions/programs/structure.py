"""The block structure of a program: blocks, what links them, and which blocks are identical.

    min  sum_b c_b'x_b + c'x
    s.t. l <= sum_b D_b x_b + D x <= u       linking rows
         l_b <= A_b x_b + F_b x <= u_b       rows of block b = 1, ..., B

The columns x of no block are the linking columns. Two blocks are identical if an order of their
rows and columns makes all their numbers equal: A_b, F_b, D_b, c_b, sides, bounds and integers.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from radprog.base.errors import DataError, OptionError
from radprog.base.names import name_pattern
from radprog.base.types import BoolArray, FloatArray, IntArray
from radprog.solvers.program import Program

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NDArray64 = np.ndarray[tuple[Any, ...], np.dtype[np.uint64]]
NO_BLOCK = -1
#: Entries of the matrix that the detection may visit: 5 seconds.
DETECTION_WORK = 1e8


@dataclass(frozen=True)
class Block:
    """The rows (m_b,) and columns (n_b,) of a block, in the order of its kind."""

    rows: IntArray
    columns: IntArray


@dataclass(frozen=True)
class Kind:
    """Identical blocks: the k-th row and the k-th column of each have equal numbers."""

    blocks: tuple[Block, ...]

    @property
    def count(self) -> int:
        """The number of blocks."""
        return len(self.blocks)

    @property
    def first(self) -> Block:
        """The block that stands for all."""
        return self.blocks[0]


@dataclass(frozen=True, kw_only=True, repr=False)
class Structure:
    """The block structure of a program, see :func:`radprog.structure`.

    Attributes
    ----------
    program : Program
        The matrices of the program.
    kinds : tuple of Kind
        The blocks by kind. Blocks of one kind are identical.
    linking_rows : ndarray of int, shape (m_0,)
        Rows of no block.
    linking_columns : ndarray of int, shape (n_0,)
        Columns of no block.
    source : str
        Where the blocks come from.
    score : float
        The score of a detected structure, between 0 and 1, see :func:`radprog.structure`.
    others : tuple of Structure
        The next best structures, if the structure was detected.
    alt : str
        The picture of ``plot`` in words.

    Examples
    --------
    >>> import pyomo.environ as pyo
    >>> import radprog as rp
    >>> m = pyo.ConcreteModel()
    >>> m.x = pyo.Var(range(3), range(2), domain=pyo.Binary)
    >>> m.cost = pyo.Objective(expr=sum((1 + i) * m.x[i, b] for i, b in m.x))
    >>> m.once = pyo.Constraint(range(3), rule=lambda m, i: m.x[i, 0] + m.x[i, 1] == 1)
    >>> m.room = pyo.Constraint(
    ...     range(2), rule=lambda m, b: 2 * m.x[0, b] + 3 * m.x[1, b] + 4 * m.x[2, b] <= 5
    ... )
    >>> print(rp.structure(m, linking=m.once))
    2 blocks of 1 kind; 3 linking rows, 0 linking columns
      2 blocks of 1 row and 3 columns, 3 of them integer
        such as room[0] with x[0,0], x[1,0], x[2,0]
      linked by once[0], once[1], once[2]
    """

    program: Program
    kinds: tuple[Kind, ...]
    linking_rows: IntArray
    linking_columns: IntArray
    source: str = "given"
    score: float = math.nan
    others: tuple[Structure, ...] = field(default=(), compare=False)

    @property
    def blocks(self) -> tuple[Block, ...]:
        """All blocks, by kind."""
        return tuple(block for kind in self.kinds for block in kind.blocks)

    @property
    def linked(self) -> BoolArray:
        """Whether a linking column stands in a row of each kind (k,)."""
        columns = self.program.rows.tocsc()[:, self.linking_columns]
        rows = np.bincount(columns.indices, minlength=self.program.row_lower.size) > 0
        return np.array([bool(rows[kind.first.rows].any()) for kind in self.kinds])

    def __str__(self) -> str:
        blocks = f"{_count(len(self.blocks), 'block')} of {_count(len(self.kinds), 'kind')}"
        lines = [
            f"{blocks if self.kinds else 'no blocks'}; "
            f"{_count(self.linking_rows.size, 'linking row')}, "
            f"{_count(self.linking_columns.size, 'linking column')}"
        ]
        # a line for the blocks of one size, the most frequent first
        sizes: dict[tuple[int, int, int], list[Kind]] = {}
        for kind in self.kinds:
            first = kind.first
            integers = int(self.program.integer[first.columns].sum())
            size = int(first.rows.size), int(first.columns.size), integers
            sizes.setdefault(size, []).append(kind)
        frequent = sorted(sizes.items(), key=lambda item: -sum(kind.count for kind in item[1]))
        for (rows, columns, integers), kinds in frequent[:5]:
            kinds_text = f", in {len(kinds):,} kinds" if len(kinds) > 1 else ""
            lines.append(
                f"  {_count(sum(kind.count for kind in kinds), 'block')} of {_count(rows, 'row')} "
                f"and {_count(columns, 'column')}, {integers} of them integer{kinds_text}"
            )
            lines.append(f"    such as {self.members(kinds[0].first)}")
        if len(sizes) > 5:
            lines.append(f"  and blocks of {len(sizes) - 5} other sizes")
        if self.kinds and self.linking_rows.size + self.linking_columns.size:
            linking = Block(self.linking_rows, self.linking_columns)
            lines.append(f"  linked by {self.members(linking)}")
        if self.source != "given":
            lines.append(f"  from {self.source}")
        lines += [f"  or {str(s).splitlines()[0]}, from {s.source}" for s in self.others]
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<Structure: {str(self).splitlines()[0]}>"

    def members(self, block: Block, most: int = 3) -> str:
        """The names of a block's first rows and columns."""
        parts = self._names_of(np.sort(block.rows), np.sort(block.columns)).values()
        return " with ".join(
            ", ".join(names[:most]) + ", ..." * (len(names) > most) for names in parts if names
        )

    def _names_of(self, rows: IntArray, columns: IntArray) -> dict[str, list[str]]:
        """The names of some rows and columns."""
        return {
            "rows": [self.program.row_names[i] for i in rows.tolist()],
            "columns": [self.program.column_names[j] for j in columns.tolist()],
        }

    def to_dict(self) -> dict[str, Any]:
        """The counts, and the names of the rows and columns, as JSON-compatible values."""
        return {
            "blocks": len(self.blocks),
            "kinds": [
                {
                    "count": kind.count,
                    "rows": int(kind.first.rows.size),
                    "columns": int(kind.first.columns.size),
                    "names": [self._names_of(block.rows, block.columns) for block in kind.blocks],
                }
                for kind in self.kinds
            ],
            "linking_rows": int(self.linking_rows.size),
            "linking_columns": int(self.linking_columns.size),
            "linking_names": self._names_of(self.linking_rows, self.linking_columns),
        }

    @property
    def alt(self) -> str:
        """The picture of :meth:`plot` in words, for those who cannot see it."""
        m, n = self.program.rows.shape
        return (
            f"Nonzeros of a matrix of {_count(m, 'row')} and {_count(n, 'column')}, as given on "
            f"the left and ordered by blocks on the right: {str(self).splitlines()[0]}."
        )

    def plot(self, file: str | Path | None = None) -> Figure:
        """Draw the nonzeros of the matrix as they are, and ordered by blocks.

        Entries of linking rows and columns have a colour of their own.

        Parameters
        ----------
        file : str or Path, optional
            A file for the picture: .png, .svg or .pdf. Its description is ``alt``, the picture in
            words.

        Returns
        -------
        Figure
            The picture.
        """
        from matplotlib.figure import Figure

        rows = np.concatenate([*(block.rows for block in self.blocks), self.linking_rows])
        columns = np.concatenate([*(block.columns for block in self.blocks), self.linking_columns])
        matrix = self.program.rows.tocoo()
        r, c = matrix.coords
        m, n = matrix.shape
        linking = np.isin(r, self.linking_rows) | np.isin(c, self.linking_columns)
        figure = Figure(figsize=(9.0, 4.5), layout="constrained")
        axes = figure.subplots(1, 2)
        # the counts in two lines, which fit above their half of the picture
        titles = ("as given", str(self).splitlines()[0].replace("; ", ";\n"))
        size = min(4.0, max(0.8, 400.0 / max(m, n)))
        places: list[tuple[Any, Any]] = [(r, c), (np.argsort(rows)[r], np.argsort(columns)[c])]
        for axis, (y, x), title in zip(axes, places, titles, strict=True):
            for part, colour in ((~linking, "C0"), (linking, "C1")):
                axis.plot(x[part], y[part], "s", color=colour, markersize=size, mew=0)
            axis.set(xlim=(-0.5, n - 0.5), ylim=(m - 0.5, -0.5))
            axis.set(xlabel="column", ylabel="row", title=title)
            axis.locator_params(integer=True)
        if file is not None:
            key = "Subject" if str(file).endswith(".pdf") else "Description"
            figure.savefig(file, metadata={key: self.alt})
        return figure


def _count(number: int, word: str) -> str:
    return f"{number:,} {word}{'' if number == 1 else 's'}"


def structure_of(
    program: Program, linking: Any = None, blocks: Any = None, first: Any = None
) -> Structure:
    """The structure of a program; see :func:`radprog.structure` for the arguments.

    ``first`` are the columns of the first stage, in place of ``linking``. Raises OptionError for a
    pattern or a component without a match, and DataError for a damaged ``.dec`` file.
    """
    if linking is None and blocks is None and first is None:
        return detect(program)
    matrix = program.rows.tocsr()
    m, n = matrix.shape
    out_rows = np.zeros(m, dtype=np.bool_)
    out_columns = np.zeros(n, dtype=np.bool_)
    if first is not None:
        out_columns = _matches(program, first, "first")[1]
    elif linking is not None:
        out_rows, out_columns = _matches(program, linking, "linking")
    if blocks is None:
        # beside linking columns that are named, a block may be one column: a recourse of one
        return without_rows(program, ~out_rows, ~out_columns, 1 if out_columns.any() else 2)
    # blocks by rows: a label of each row, or None
    labels: list[Hashable | None]
    if isinstance(blocks, str | Path) and str(blocks).endswith(".dec"):
        labels = _read_dec(program, Path(blocks))
    elif callable(blocks):
        labels = [blocks(name) for name in program.row_names]
    else:
        parts = [blocks] if isinstance(blocks, str) else list(blocks)
        labels = [None] * m
        for number, part in enumerate(parts):
            for row in np.flatnonzero(_matches(program, part, "blocks")[0]).tolist():
                labels[row] = number
    codes = {label: k for k, label in enumerate(dict.fromkeys(x for x in labels if x is not None))}
    rows = np.array([NO_BLOCK if x is None else codes[x] for x in labels], dtype=np.intp)
    rows[out_rows] = NO_BLOCK
    # a column belongs to the only block in whose rows it stands
    entries = matrix.tocoo()
    inside = rows[entries.coords[0]] >= 0
    entry_columns, entry_blocks = entries.coords[1][inside], rows[entries.coords[0][inside]]
    lowest, highest = np.full(n, m, dtype=np.intp), np.full(n, NO_BLOCK, dtype=np.intp)
    np.minimum.at(lowest, entry_columns, entry_blocks)
    np.maximum.at(highest, entry_columns, entry_blocks)
    columns = np.where((lowest == highest) & ~out_columns, highest, NO_BLOCK)
    return with_kinds(program, rows, columns)


def split_names(text: str) -> list[str]:
    """Names or patterns between commas; commas inside an index, as in x[1,2], belong to a name."""
    return re.split(r",(?![^\[(]*[\])])", text)


def _matches(program: Program, spec: Any, option: str) -> tuple[BoolArray, BoolArray]:
    """Whether each row (m,) and each column (n,) matches a pattern, a name or a component.

    A first stage has columns, and blocks have rows.
    """
    parts = [spec] if isinstance(spec, str) or hasattr(spec, "ctype") else list(spec)
    rows = np.zeros(len(program.row_names), dtype=np.bool_)
    columns = np.zeros(len(program.column_names), dtype=np.bool_)
    sorts = {"row": (program.row_names, rows), "column": (program.column_names, columns)}
    sorts.pop({"first": "row", "blocks": "column"}.get(option, ""), None)
    split = [split_names(p) if isinstance(p, str) else [p] for p in parts]
    for part in itertools.chain.from_iterable(split):
        pattern = part if isinstance(part, str) else str(part.name)
        # a fixed variable is no column
        fits, matched = name_pattern(pattern), getattr(part, "fixed", False) is True
        for names, chosen in sorts.values():
            for k, name in enumerate(names):
                if fits(name):
                    chosen[k] = matched = True
        if not matched:
            examples = (
                f"the first {sort} is {names[0]}" for sort, (names, _) in sorts.items() if names
            )
            raise OptionError(
                f"{option} {pattern!r}: no {' and no '.join(sorts)} has such a name; "
                f"{', '.join(examples)}"
            )
    return rows, columns


def _read_dec(program: Program, path: Path) -> list[Hashable | None]:
    """The block of each row in a ``.dec`` file of GCG: sections BLOCK k and MASTERCONSS."""
    try:
        lines = path.read_text().splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"{path}: cannot be read: {error}") from None
    place = {name: k for k, name in enumerate(program.row_names)}
    labels: list[Hashable | None] = [None] * len(place)
    block: int | None = None
    reading = False
    for number, line in enumerate(lines, 1):
        words = line.split()
        if not words or words[0].startswith("\\"):
            continue
        key = words[0].upper()
        if key == "BLOCK" and len(words) == 2 and words[1].isdecimal():
            block, reading = int(words[1]), True
        elif key in ("MASTERCONSS", "MASTERCONS"):
            block, reading = None, True
        elif key in ("PRESOLVED", "NBLOCKS", "CONSDEFAULTMASTER", "INCOMPLETE", "LINKINGVARS"):
            reading = False
        elif reading:
            if len(words) != 1 or words[0] not in place:
                raise DataError(f"{path}: line {number}: no row is named '{line.strip()[:40]}'")
            labels[place[words[0]]] = block
    if all(label is None for label in labels):
        raise DataError(f"{path}: no row of a block, expected BLOCK 1 and names of rows below it")
    return labels


def without_rows(program: Program, *masks: Any) -> Structure:
    """The components of the kept rows (m,) and columns (n,) as blocks; see :func:`_components`."""
    return with_kinds(program, *_components(program.rows.tocsr(), *masks))


def _components(
    matrix: sparse.csr_array, rows: BoolArray, columns: BoolArray, smallest: int = 2
) -> tuple[IntArray, IntArray]:
    """The component (m,), (n,) of the kept rows and columns; NO_BLOCK for the others.

    A component is a block if it has a row and at least ``smallest`` columns; what is left links.
    """
    m, n = matrix.shape
    entries = matrix.tocoo()
    r, c = entries.coords
    inside = rows[r] & columns[c]
    graph = sparse.coo_array(
        (np.ones(int(inside.sum()), dtype=np.int8), (r[inside], c[inside] + m)), (m + n, m + n)
    )
    number, label = connected_components(graph, directed=False)
    of_row, of_column = label[:m].astype(np.intp), label[m:].astype(np.intp)
    height = np.bincount(of_row[rows], minlength=number)
    width = np.bincount(of_column[columns], minlength=number)
    is_block = (height > 0) & (width >= smallest)
    of_row[~rows | ~is_block[of_row]] = NO_BLOCK
    of_column[~columns | ~is_block[of_column]] = NO_BLOCK
    return of_row, of_column


def detect(program: Program, classes: int = 3) -> Structure:
    """The block structure with the best score, and the next two with other numbers of blocks.

    Classes of rows are removed, up to ``classes`` at a time, and classes of columns with many
    entries. The components of what is left are the blocks. The score is the share of columns in
    blocks, times 1 less the share of the largest block, times (1 less the share of linking
    rows)^0.2, times 1 less 0.05 for each class that was removed, 0.2 if its coefficients are
    general: capacities make the bound of blocks. Blocks of an integer program
    without other coefficients than +-1 count a tenth: their relaxations have whole vertices, so
    that columns give no better bound than the program itself.
    """
    matrix = program.rows.tocsr()
    m, n = matrix.shape
    counts = np.diff(matrix.indptr)
    of_entry = np.repeat(np.arange(m), counts)
    ones = np.bincount(of_entry, np.abs(matrix.data) != 1.0, m) == 0
    candidates: list[tuple[float, str, IntArray, IntArray]] = []
    keys = set[int]()
    work = 0.0
    # three structures of different blocks, or only the best of a large program
    count = 3 if n <= 2e5 else 1
    scores: dict[int, float] = {}  # by the numbers of blocks
    for share, rows, columns, words in _candidates(program, matrix, classes):
        # hashes: the bytes are up to 100 MB of a million columns
        key = hash(rows.tobytes() + columns.tobytes())
        if key in keys:
            continue
        keys.add(key)
        # what is removed bounds the score: 20 of 265 candidates are left at 90,600 columns
        bound = float(columns.mean()) * float(rows.mean()) ** 0.2 * (1.0 - share)
        if len(scores) >= count and bound < sorted(scores.values())[-count]:
            continue
        work += matrix.nnz + m + n
        if work > DETECTION_WORK and len(keys) > 20:
            break
        of_row, of_column = _components(matrix, rows, columns)
        sizes = np.bincount(of_column[of_column >= 0], minlength=1)
        covered = int(sizes.sum())
        if (sizes > 0).sum() < 2:
            continue
        score = (
            covered / n
            * (1.0 - float(sizes.max()) / covered)
            * (1.0 - float((of_row < 0).sum()) / m) ** 0.2
            * (1.0 - share)
        )  # fmt: skip
        if program.integer.any() and ones[of_row >= 0].all():
            score *= 0.1
        candidates.append((score, words, of_row, of_column))
        number = int((sizes > 0).sum())
        scores[number] = max(score, scores.get(number, 0.0))
        threshold = sorted(scores.values())[-count:][0]
        candidates = [candidate for candidate in candidates if candidate[0] >= threshold]
    candidates.sort(key=lambda candidate: -candidate[0])
    best: list[Structure] = []
    for score, words, of_row, of_column in candidates:
        number = len(np.unique(of_column[of_column >= 0]))
        if len(best) == count:
            break
        if all(number != len(other.blocks) for other in best):
            structure = with_kinds(program, of_row, of_column)
            best.append(replace(structure, source=words, score=score))
    if not best:
        everything = np.arange(m, dtype=np.intp), np.arange(n, dtype=np.intp)
        return Structure(
            program=program, kinds=(), linking_rows=everything[0], linking_columns=everything[1],
            source="classes of rows and columns, none of which separates blocks",
        )  # fmt: skip
    return replace(best[0], others=tuple(best[1:]))


def _candidates(
    program: Program, matrix: sparse.csr_array, most_classes: int
) -> Iterator[tuple[float, BoolArray, BoolArray, str]]:
    """What removed classes take from a score, the kept rows (m,) and columns (n,), and what was
    removed.
    """
    m, n = matrix.shape
    degree = np.diff(matrix.tocsc().indptr)
    all_rows, all_columns = np.ones(m, dtype=np.bool_), np.ones(n, dtype=np.bool_)
    column_masks = [(0.0, all_columns, "")]
    # columns in more rows than nearly all others: those of a first stage
    for limit in np.unique(degree).tolist():
        if 0.0 < (degree > limit).mean() <= 0.1 and len(column_masks) < 7:
            column_masks.append((0.05, degree <= limit, f"columns in more than {limit} rows"))
    levels = [_classes(program, matrix, level) for level in range(4 if most_classes else 1)]
    # the simplest removals first
    for number in range(most_classes + 1):
        for classes, words, shares in levels:
            largest = np.argsort(-np.bincount(classes), kind="stable")[:12].tolist()
            for removed in itertools.combinations(largest, number):
                rows = ~np.isin(classes, removed) if removed else all_rows
                if not rows.any():
                    continue
                for wide, columns, label in column_masks[: 1 if number > 1 else None]:
                    parts = [*(words[k] for k in removed), *([label] if label else [])]
                    text = " and ".join(dict.fromkeys(parts))
                    share = wide + sum(shares[k] for k in removed)
                    yield share, rows, columns, f"removing {text}" if text else "components"


def _classes(
    program: Program, matrix: sparse.csr_array, level: int
) -> tuple[IntArray, list[str], list[float]]:
    """The class (m,) of each row, each class in words, and what its removal takes from a score; a
    higher level has finer classes.
    """
    m = matrix.shape[0]
    counts = np.diff(matrix.indptr)
    of_entry = np.repeat(np.arange(m), counts)

    def number_of(entries: BoolArray) -> IntArray:
        return np.bincount(of_entry[entries], minlength=m)

    # coefficients: all of one sign and 1, +-1, or general
    ones = number_of(np.abs(matrix.data) != 1.0) == 0
    one_sign = (number_of(matrix.data < 0.0) == 0) | (number_of(matrix.data > 0.0) == 0)
    coefficients = np.where(ones & one_sign, 0, np.where(ones, 1, 2))
    integers = number_of(program.integer[matrix.indices])
    columns = np.where(integers == counts, 0, np.where(integers == 0, 1, 2))
    low, high = program.row_lower, program.row_upper
    sense = np.where(low == high, 0, np.where(np.isinf(low) | np.isinf(high), 1, 2))
    direction = np.where(np.isinf(low), 1, np.where(np.isinf(high), 2, 0))
    sign = np.sign(np.where(np.isfinite(high), high, low)).astype(np.intp)
    keys = [coefficients, columns, sense]
    keys += [direction, sign] if level > 0 else []
    keys += [np.round(np.log2(np.maximum(counts, 1)))] if level == 2 else []
    keys += [counts] if level == 3 else []
    values, classes = np.unique(np.stack(keys, axis=1), axis=0, return_inverse=True)
    tags = (("1", "+-1", "general"), ("integer", "continuous", "mixed"), ("equality", "", "ranged"))
    words = []
    for value in values.astype(int).tolist():
        text = [group[k] for group, k in zip(tags, value, strict=False)]
        words.append(f"{text[2]} rows of {text[1]} columns, coefficients {text[0]}".strip())
    # of 4 plans of plants and products, the gap after 30 s is 5 to 50 % where capacities are in
    # blocks, and 34 to 75 % where they link
    return classes.ravel(), words, np.where(values[:, 0] == 2, 0.2, 0.05).tolist()


def with_kinds(program: Program, of_row: IntArray, of_column: IntArray) -> Structure:
    """The structure with the block of each row (m,) and column (n,), identical blocks merged.

    Colours of rows and columns are refined until they are stable (Weisfeiler and Leman): a colour
    is the hash of the own numbers and of the colours of neighbours. Blocks with the same colours
    are ordered by these, and compared entry by entry. Where a comparison fails, one of the columns
    that share a colour gets its own in each of these blocks, and colours are refined again. All
    orders are those of colours, so that they do not depend on the order of the program.
    """
    blocks = [block for block in _group_blocks(of_row, of_column) if block.columns.size]
    entries = program.rows.tocoo()
    r, c = (part.astype(np.intp) for part in entries.coords)
    values = np.asarray(entries.data, dtype=np.float64)
    column = _mix(program.cost, program.lower, program.upper, program.integer)
    row, column = refine_colours(_mix(program.row_lower, program.row_upper), column, r, c, values)
    outside = np.ones(row.size, dtype=np.bool_), np.ones(column.size, dtype=np.bool_)
    for block in blocks:
        outside[0][block.rows] = outside[1][block.columns] = False
    # linking rows and columns are ordered by colours; their places then colour what they link
    linking = []
    for outer, colours in zip(outside, (row, column), strict=True):
        places = np.flatnonzero(outer)
        linking.append(places[np.argsort(colours[places], kind="stable")])
        colours[linking[-1]] = np.arange(places.size)
    for target, source, mask in ((column, row[r], outside[0][r]), (row, column[c], outside[1][c])):
        indices = c if target is column else r
        summed = _sum_hashes(indices[mask], _mix(source[mask], values[mask]), target.size)
        target[:] = _mix(target, summed)
    inner = ~outside[0][r] & ~outside[1][c]
    r, c, values = r[inner], c[inner], values[inner]
    links = program, program.rows[:, outside[1]], program.rows[outside[0]].tocsc()
    for attempt in range(10):
        row, column = refine_colours(row, column, r, c, values)
        groups: dict[bytes, list[list[Block]]] = {}  # colours: kinds
        for block in blocks:
            order_r, order_c = np.argsort(row[block.rows]), np.argsort(column[block.columns])
            ordered = Block(block.rows[order_r], block.columns[order_c])
            key = row[ordered.rows].tobytes() + b"|" + column[ordered.columns].tobytes()
            kinds = groups.setdefault(key, [])
            for kind in kinds:
                if same_block(links, kind[0], ordered):
                    kind.append(ordered)
                    break
            else:
                kinds.append([ordered])
        # one column of those that share a colour, in each block that is like no other
        tied = list[int]()
        for kinds in groups.values():
            for block in (block for kind in kinds for block in kind if len(kinds) > 1):
                same = np.diff(column[block.columns]) == 0
                tied += block.columns[:-1][same][:1].tolist()
        if not tied:
            break
        column[tied] += np.uint64(1 + attempt)
    return Structure(
        program=program,
        kinds=tuple(Kind(tuple(kind)) for key in sorted(groups) for kind in groups[key]),
        linking_rows=linking[0],
        linking_columns=linking[1],
    )


def _group_blocks(of_row: IntArray, of_column: IntArray) -> list[Block]:
    """The rows and columns of each block."""
    labels = np.unique(of_row[of_row >= 0])
    parts = []
    for labelled in (of_row, of_column):
        order = np.argsort(labelled, kind="stable")
        starts = np.searchsorted(labelled[order], labels)
        ends = np.searchsorted(labelled[order], labels, side="right")
        parts.append([order[a:b] for a, b in zip(starts.tolist(), ends.tolist(), strict=True)])
    return [Block(rows, columns) for rows, columns in zip(*parts, strict=True)]


def _mix(*parts: Any) -> Any:
    """A hash of arrays (k,) of 64 bits, element by element (the finaliser of splitmix64)."""
    value = np.zeros(1, dtype=np.uint64)
    for part in parts:
        bits = np.asarray(part)
        bits = (bits + 0.0).view(np.uint64) if bits.dtype == np.float64 else bits.astype(np.uint64)
        value = (value ^ bits) + np.uint64(0x9E3779B97F4A7C15)
        value = (value ^ (value >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        value = (value ^ (value >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        value ^= value >> np.uint64(31)
    return value


def _sum_hashes(places: IntArray, hashes: NDArray64, size: int) -> NDArray64:
    total = np.zeros(size, dtype=np.uint64)
    np.add.at(total, places, hashes)
    return total


def refine_colours(
    row: NDArray64, column: NDArray64, r: IntArray, c: IntArray, values: FloatArray
) -> tuple[NDArray64, NDArray64]:
    """Stable colours of rows (m,) and columns (n,) with the entries values at (r, c)."""
    number = 0
    while True:
        row = _mix(row, _sum_hashes(r, _mix(column[c], values), row.size))
        column = _mix(column, _sum_hashes(c, _mix(row[r], values), column.size))
        # sorted: np.unique hashes, 6 s of 12 at 320,000 columns
        divided = sum(int((np.diff(np.sort(part)) > 0).sum()) for part in (column, row))
        if divided <= number:
            return row, column
        number = divided


def same_block(links: tuple[Program, Any, Any], first: Block, second: Block) -> bool:
    """Whether two blocks have the same numbers in their orders.

    ``links`` contains the program, its rows (m, n_0) in the linking columns, and its linking rows
    (m_0, n).
    """
    program, of_columns, of_rows = links
    if first.rows.size != second.rows.size or first.columns.size != second.columns.size:
        return False
    pairs: list[tuple[Any, Any]] = [
        (p[first.rows], p[second.rows]) for p in (program.row_lower, program.row_upper)
    ]
    pairs += [
        (p[first.columns], p[second.columns])
        for p in (program.cost, program.lower, program.upper, program.integer)
    ]
    if not all(np.array_equal(a, b) for a, b in pairs):
        return False

    def parts(block: Block) -> Iterator[Any]:
        yield program.rows[block.rows][:, block.columns]
        yield of_columns[block.rows]
        yield of_rows[:, block.columns]

    return all((a != b).nnz == 0 for a, b in zip(parts(first), parts(second), strict=True))
