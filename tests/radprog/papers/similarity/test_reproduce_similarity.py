"""The table of clusterings: k-means of a kernel, and what is claimed of the others."""

import pytest
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs, make_circles
from sklearn.metrics.pairwise import rbf_kernel

from radprog.models.similarity.agreement import matched_accuracy
from radprog.papers.similarity.reproduce import claims, kernel_means


def test_kernel_means_are_means_of_a_linear_kernel_and_part_circles() -> None:
    X, _ = make_blobs(80, centers=4, cluster_std=2.0, random_state=0)
    codes = kernel_means(X @ X.T, 4, 0)
    inertia = sum(((X[codes == k] - X[codes == k].mean(axis=0)) ** 2).sum() for k in range(4))
    assert inertia == pytest.approx(KMeans(4, n_init=10, random_state=0).fit(X).inertia_, rel=0.01)
    X, y = make_circles(120, factor=0.2, noise=0.02, random_state=0)
    assert matched_accuracy(kernel_means(rbf_kernel(X, gamma=4.0), 2, 0), y) == 1.0


def test_a_tie_is_no_win_and_is_left_out_of_the_test() -> None:
    accuracies = {
        "cdsk": (80.0, 70.0, 60.0, 50.0),
        "KMeans": (70.0, 60.0, 60.0, 40.0),
        "GMM": (80.0, 70.0, 60.0, 50.0),
    }
    rows = [
        {"set": f"set {i}", "task": "clustering", "method": method, "accuracy": value}
        for method, values in accuracies.items()
        for i, value in enumerate(values)
    ]
    said = claims(rows)
    assert said[0] == "cdsk is the most accurate on 0 of 4 sets, level with the best on 4"
    # three wins of three without a tie: 2 of the 8 signs are as one-sided, p = 2/8
    assert said[1].startswith("cdsk against KMeans: ahead on 3, behind on 0, level on 1, +7.5")
    assert "p = 0.25" in said[1]
    assert not any("GMM" in sentence for sentence in said)
    # one set, or one without a tie, has no test
    one = claims([row for row in rows if row["set"] == "set 0"])
    assert one[1].startswith("cdsk against KMeans: ahead on 1, behind on 0, level on 0, +10.0")
    assert one[1].endswith("no test, which needs two sets")
