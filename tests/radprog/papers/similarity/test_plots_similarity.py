"""Plots of clusterings: every panel is drawn, and files have the format of their suffix."""

from typing import Any

import numpy as np

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
