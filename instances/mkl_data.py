"""Data of multiple kernel learning: a table, several views of the same points, or matrices."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Unpack

from radprog.base.errors import OptionError
from radprog.instances.dataset import Dataset, of_rows, read
from radprog.instances.grams import GramSet, read_grams
from radprog.instances.labels import plain_label
from radprog.instances.tabular import (
    OF_THE_FILE,
    ReadOptions,
    read_rows,
    settled,
)
from radprog.instances.views import ViewSet, read_views

MklData = Dataset | ViewSet | GramSet

MATRICES = ".npz"


def file_list(text: str) -> list[str]:
    """The files in a comma-separated list.

    If the whole string is the name of an existing file, the list contains only that file.
    """
    return [text] if "," not in text or Path(text).exists() else text.split(",")


def read_mkl(
    path: str,
    *,
    views: str | Sequence[str] | None = None,
    classes: str | Sequence[str] | None = None,
    positive: str | None = None,
    strings: str | None = None,
    weights: str | None = None,
    like: MklData | None = None,
    **reading: Unpack[ReadOptions],
) -> MklData:
    """Read kernel matrices (.npz), views (one file each), or a table with two or more classes.

    - path: a file, or a comma-separated list of views.
    - views: the files of all views, or of the views besides ``path``.
    - classes: the labels to keep.
    - label, scale, missing, positive, strings, weights, categorical, decimal, header: options of
      :func:`radprog.read`.
    - like: the training data.

    Raises DataError, and OptionError for an option that this kind of data does not have.
    """
    table: dict[str, Any] = {"weights": weights, **reading}
    paths, chosen = _paths(path, _items(views)), _items(classes)
    # new rows for a training set: as that was read
    if isinstance(like, GramSet):
        return read_grams(path, like=like)
    if isinstance(like, ViewSet):
        own = {key: table.get(key) for key in (*OF_THE_FILE, "weights")}
        return read_views(paths, like=like, **own)
    if like is not None:
        return read(path, positive=positive, strings=strings, like=like, **table)
    # kernel matrices have no options of tables
    if path.endswith(MATRICES):
        for name, value in {**table, "views": views, "strings": strings}.items():
            if value is not None:
                raise OptionError(f"{name} has no meaning for kernel matrices ({path})")
        return read_grams(path, classes=chosen, positive=positive)
    # one table of at most two classes is a data set; else views, one for each file
    alone = len(paths) == 1 and chosen is None
    if strings is not None:
        if alone:
            return read(path, positive=positive, strings=strings, **table)
        raise OptionError("strings has no meaning with several views or chosen classes")
    if alone:
        options = settled(None, reading, positive=positive, weights=weights)
        rows = read_rows(paths, options)
        if _two_classes(rows.labels):
            return of_rows(rows, options)
    return read_views(paths, classes=chosen, positive=positive, **table)


def _items(items: str | Sequence[str] | None) -> list[str] | None:
    if isinstance(items, str):
        return [item.strip() for item in items.split(",") if item.strip()]
    return None if items is None else [str(item) for item in items]


def _paths(path: str, views: list[str] | None) -> list[str]:
    """The files of all views: the list in ``path``, ``views``, or ``path`` and ``views``."""
    paths = file_list(path)
    if views is None or len(paths) == len(views) > 1:
        return paths
    return views if set(paths) <= set(views) else [*paths, *views]


def _two_classes(labels: Sequence[str] | None) -> bool:
    """Whether a table has at most two different labels."""
    return labels is None or len({plain_label(text) for text in labels}) <= 2
