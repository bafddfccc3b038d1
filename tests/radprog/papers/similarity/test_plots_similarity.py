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


def test_similarity_is_sorted_by_cluster() -> None:
    labels = np.array(result()["fit"]["labels"])
    figure = similarity_figure(result(), (labels[:, None] == labels).astype(float))
    picture = np.asarray(figure.axes[0].images[0].get_array())
    np.testing.assert_array_equal(picture, np.kron(np.eye(3), np.ones((4, 4))) - np.eye(12))
    assert len(figure.axes) == 5  # one of them the scale of colours
    assert figure.axes[1].get_title() == "11 of 12 points have a weight"  # as the result says
    assert figure.axes[3].lines[0].get_xydata()[-1].tolist() == [4.0, -4.0]


def test_known_labels_are_ringed_and_classes_named() -> None:
    block = {**result(), "model": "lpdsk"}
    labels = ["a", "b", "c", *[""] * 9]
    data = rp.partly_labelled(np.random.default_rng(1).normal(size=(12, 2)), labels)
    _, points, _ = similarity_figure(block, None, data).axes
    np.testing.assert_array_equal(points.collections[0].get_offsets(), data.X[:3])
    legend = [text.get_text() for text in points.get_legend().get_texts()]
    assert legend == ["a", "b", "c", "3 known labels"]
    assert points.get_title() == "3 classes of 4, 4, 4 points"
    assert len(similarity_figure({**block, "trace": block["trace"][:1]}, None, data).axes) == 2


def test_few_pairs_that_are_much_alike_leave_the_others_their_shade() -> None:
    S = np.full((12, 12), 0.1)
    S[0, 1] = S[1, 0] = 1.0
    assert similarity_figure(result(), S).axes[0].images[0].get_clim() == (0.0, 0.1)
