"""Plots of clusterings: every panel is drawn, and files have the format of their suffix."""

from typing import Any

import numpy as np

import radprog as rp
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
            "support": n - 1,
            "embedding": rng.normal(size=(n, 3)).tolist(),
        },
    }


def test_without_data_the_relaxed_labels_are_drawn() -> None:
    points, trace = similarity_figure(result()).axes
    assert points.get_title() == "relaxed labels: 3 clusters of 4, 4, 4 points"
    assert trace.lines[0].get_xydata()[-1].tolist() == [4.0, -4.0]


def test_known_labels_are_ringed_and_classes_named() -> None:
    block = {**result(), "model": "lpdsk"}
    labels = ["a", "b", "c", *[""] * 9]
    data = rp.partly_labelled(np.random.default_rng(1).normal(size=(12, 2)), labels)
    points, _ = similarity_figure(block, data).axes
    np.testing.assert_array_equal(points.collections[0].get_offsets(), data.X[:3])
    legend = [text.get_text() for text in points.get_legend().get_texts()]
    assert legend == ["a", "b", "c", "3 known labels"]
    assert points.get_title() == "3 classes of 4, 4, 4 points"
    assert len(similarity_figure({**block, "trace": block["trace"][:1]}, data).axes) == 1
