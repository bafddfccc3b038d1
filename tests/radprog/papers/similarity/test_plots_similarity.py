"""Plots of clusterings: every panel is drawn, and files have the format of their suffix."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from radprog.base.errors import OptionError
from radprog.figures import save
from radprog.papers.similarity.plot import similarity_figure


def result(n: int = 12) -> dict[str, Any]:
    rng = np.random.default_rng(0)
    labels = np.arange(n) % 3
    return {
        "model": "cdsk",
        "status": "feasible",
        "data": {"name": "points"},
        "trace": [{"iteration": k, "objective": -1.0 - k, "bound": None} for k in range(4)],
        "fit": {
            "labels": labels.tolist(),
            "weights": np.full(n, 1 / n).tolist(),
            "largest_weight": 2 / n,
            "embedding": rng.normal(size=(n, 3)).tolist(),
        },
    }


def test_similarity_is_sorted_by_cluster() -> None:
    labels = np.array(result()["fit"]["labels"])
    S = (labels[:, None] == labels).astype(float)
    figure = similarity_figure(result(), S)
    picture = np.asarray(figure.axes[0].images[0].get_array())
    expected = np.kron(np.eye(3), np.ones((4, 4))) - np.eye(12)
    np.testing.assert_array_equal(picture, expected)
    assert len(figure.axes) == 4
    assert figure.axes[3].lines[0].get_xydata()[-1].tolist() == [4.0, -4.0]


def test_one_column_and_flagged_rows_are_drawn(tmp_path: Path) -> None:
    shown = result()
    shown["fit"]["embedding"] = np.arange(12.0)[:, None].tolist()
    shown["fit"]["labels"][0] = -1
    target = tmp_path / "plot.png"
    save(similarity_figure(shown), target)
    assert target.read_bytes().startswith(b"\x89PNG")


def test_other_formats_are_refused(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="expected one of"):
        save(similarity_figure(result()), tmp_path / "plot.bmp")
