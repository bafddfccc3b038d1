"""Complexities of the classes of svm, simsvm and cdsk: suprema by their maximisers, and bounds."""

from pathlib import Path

import numpy as np
import pytest
from clusters import blobs

import radprog as rp
from radprog.decompositions.analyses import ball_class
from radprog.decompositions.similarity.assembly import assemble
from radprog.decompositions.similarity.cdsk import cdsk_classes
from radprog.decompositions.similarity.simsvm import simsvm_classes
from radprog.decompositions.vkr.error_bounds import svm_classes
from radprog.models.complexity import all_signs
from radprog.models.similarity.bounds import lemma_1, margins


@pytest.mark.parametrize("c", [2, 3])
def test_supremum_of_margins_is_reached_and_never_passed(c: int) -> None:
    data, rng = blobs(7, c=c, seed=c), np.random.default_rng(0)
    (margin_class,) = cdsk_classes(rp.CDSK(bandwidth=1.0, clusters=c), data, 0)
    K = np.exp(-((data.X[:, None] - data.X) ** 2).sum(axis=2) / 2.0)
    signs = all_signs(7, "rademacher")
    suprema = margin_class.suprema(signs)
    for sigma, largest in zip(signs[::9], suprema[::9], strict=True):
        # coefficients (n, c) of the functions h(., y): the maximiser, and random ones
        best = sigma[:, None] * np.where(data.codes[:, None] == np.arange(c), 1.0, -1.0)
        reached = []
        for a in (best, *rng.normal(size=(20, 7, c))):
            scores = K @ a
            norm = np.sqrt(np.einsum("ik,ik->", a, scores))
            reached.append(sigma @ margins(scores / norm, data.codes, summed=True))
        assert reached[0] == pytest.approx(largest)
        assert max(reached) <= largest * (1 + 1e-12)
    value = suprema.mean() / 7
    assert value <= margin_class.upper <= lemma_1(7, c, 1.0)


def test_one_kernel_and_both_parts_of_a_similarity(tmp_path: Path) -> None:
    X, y = np.random.default_rng(1).normal(size=(8, 2)), np.repeat([0, 1], 4)
    data, signs = rp.dataset(X, y), all_signs(8, "rademacher")
    (ball,) = svm_classes(rp.SVM(kernels="rbf:1"), data, 0)
    K = np.exp(-((X[:, None] - X) ** 2).sum(axis=2))
    expected = np.sqrt([s @ K @ s for s in signs])
    np.testing.assert_allclose(ball.suprema(signs), expected)
    assert ball.upper == pytest.approx(8**-0.5)
    # of a positive similarity it is the same class, of another the sum of two norms
    S = K - 0.6
    np.save(tmp_path / "s.npy", S)
    (both,) = simsvm_classes(rp.SimSVM(similarity=str(tmp_path / "s.npy")), data, 0)
    values, vectors = np.linalg.eigh(S)
    parts = [np.maximum(side * values, 0.0) for side in (1, -1)]
    sizes = [np.sqrt(((signs @ vectors) ** 2) @ part) for part in parts]
    np.testing.assert_allclose(both.suprema(signs), sum(sizes), atol=1e-6)
    (kernel,) = simsvm_classes(rp.SimSVM(kernels="rbf:1"), data, 0)
    np.testing.assert_allclose(kernel.suprema(signs), expected, atol=1e-6)
    assert ball_class("zero", [np.zeros((3, 3))]).upper == 0.0


def test_margins_need_classes_and_all_pairs() -> None:
    data = blobs(12)
    with pytest.raises(rp.OptionError, match="needs the class of every row"):
        cdsk_classes(rp.CDSK(clusters=3), data.hide(np.arange(3)), 0)
    for spec, named in ((rp.CDSK(objective="ise"), "ise"), (rp.CDSK(neighbours=3), "neighbours")):
        with pytest.raises(rp.OptionError, match=named):
            cdsk_classes(spec, data, 0)
    # many points are of all pairs here too
    assert assemble(rp.CDSK(neighbours="all"), data).neighbours is None
