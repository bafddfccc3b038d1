"""Data sets with several feature views of the same points, one file per view."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Unpack

from radprog.base.errors import DataError, OptionError
from radprog.base.types import FloatArray, IntArray
from radprog.instances.data import Points, unknown
from radprog.instances.labels import chosen_codes
from radprog.instances.tables import AnyPath, Table
from radprog.instances.tabular import ReadOptions, read_rows, scaled, settled


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ViewSet(Points):
    r"""Points with several groups of features, from two or more classes.

    Attributes
    ----------
    X : ndarray (n, d)
        The views side by side; each view is scaled separately.
    views : tuple of (str, int, int)
        The name of each view, its first column, and the column after its last.
    labels, codes, y, raw, features, lines, weights, rows, columns, name, sha256
        See :class:`radprog.Dataset`.

    Examples
    --------
    >>> from pathlib import Path
    >>> import radprog as rp
    >>> _ = Path("sizes.csv").write_text("a,b,kind\n1,2,no\n3,4,yes\n5,7,yes\n")
    >>> _ = Path("colours.csv").write_text("c,kind\n0.1,no\n0.5,yes\n0.3,yes\n")
    >>> data = rp.read_views(["sizes.csv", "colours.csv"])
    >>> [(name, data.X[:, start:end].shape) for name, start, end in data.views]
    [('sizes', (3, 2)), ('colours', (3, 1))]
    """

    KIND: ClassVar[str] = "views"
    READER: ClassVar[str] = "read_views"
    raw: FloatArray
    views: tuple[tuple[str, int, int], ...]

    def recipe(self) -> dict[str, Any]:
        """The options for reading other files in the same way, as JSON types."""
        return {**super().recipe(), "views": [list(view) for view in self.views]}

    @classmethod
    def _shaped(cls, recipe: Mapping[str, Any]) -> dict[str, Any]:
        if "scalers" in recipe:  # as fits were saved at first
            recipe = {**recipe, "scaler": recipe["scalers"], "features": ()}
        return {
            **super()._shaped(recipe),
            "views": tuple((str(name), int(a), int(b)) for name, a, b in recipe["views"]),
        }


def read_views(
    paths: Sequence[AnyPath],
    *,
    classes: Sequence[str] | None = None,
    positive: str | None = None,
    weights: str | None = None,
    like: ViewSet | None = None,
    **reading: Unpack[ReadOptions],
) -> ViewSet:
    r"""Read several views of the same points, one file per view.

    Parameters
    ----------
    paths : sequence of str or Path
        Files with the same points in the same order, and with the same labels.
    classes : sequence of str, optional
        Two or more labels to keep. The default is all labels. Rows from other classes are omitted.
    positive : str, optional
        The label of +1. The default is the second of two labels in increasing order.
    weights : str, optional
        The column with the nonnegative weights of the rows.
    like : ViewSet, optional
        The training set. Its options, classes, scaling and order of views are used; only ``label``,
        ``decimal`` and ``header`` may differ.
    **reading
        - ``label``, ``missing``, ``decimal``, ``header``: see :func:`radprog.read`.
        - ``scale``: see :func:`radprog.read`; each view is scaled separately.
        - ``categorical``: see :func:`radprog.read`; only for a single file.

    Returns
    -------
    ViewSet
        The data set. It has no labels if the files contain none and ``like`` is set.

    Raises
    ------
    DataError
        If files differ in rows or labels, or a cell is missing.
    OptionError
        If an option is invalid.

    Examples
    --------
    >>> from pathlib import Path
    >>> import radprog as rp
    >>> _ = Path("sizes.csv").write_text("a,b,kind\n1,2,no\n3,4,yes\n5,7,yes\n")
    >>> _ = Path("colours.csv").write_text("c,kind\n0.1,no\n0.5,yes\n0.3,yes\n")
    >>> rp.read_views(["sizes.csv", "colours.csv"]).views
    (('sizes', 0, 2), ('colours', 2, 3))
    """
    if not paths:
        raise OptionError("no view given: expected at least one file")
    options = settled(like, reading, weights=weights)
    if like is not None and len(paths) != len(like.views):
        raise DataError(
            f"{len(paths)} views given, the training data has {len(like.views)}: "
            f"{', '.join(name for name, _, _ in like.views)}"
        )
    # the files side by side, each with the width of its view in the training data
    widths = None if like is None else [end - first for _, first, end in like.views]
    rows = read_rows(paths, options, like, widths)
    rows, codes, labels = _of_classes(rows, classes, positive, like)
    views = zip(paths, (0, *rows.ends), (*rows.ends, len(rows.columns)), strict=True)
    data = ViewSet(
        **{**scaled(rows, options, like), "codes": codes, "features": ()},
        labels=labels,
        views=tuple((Path(path).stem, first, end) for path, first, end in views)
        if like is None
        else like.views,
        reading={
            **options.reading("label", "scale", "missing"),
            "views": [str(path) for path in paths] if len(paths) > 1 else None,
            "classes": None if classes is None else list(classes),
            "positive": positive,
        },
    )
    return data.weighed(rows.weights, scaled=like is not None)


def _of_classes(
    rows: Table, classes: Sequence[str] | None, positive: str | None, like: ViewSet | None
) -> tuple[Table, IntArray, tuple[str, ...]]:
    """The rows of these classes, or of the classes of ``like``, their codes, and the labels in
    order.
    """
    if rows.labels is None:
        if like is None:
            raise DataError(f"{rows.source}: no label column")
        return rows, unknown(len(rows.lines)), like.labels
    kept, codes, labels = chosen_codes(
        rows.labels,
        rows.source,
        rows.lines,
        classes=classes if like is None else like.reading.get("classes"),
        positive=positive if like is None else None,
        like=None if like is None else like.labels,
    )
    return rows.take(kept), codes, labels
