"""Seeded series and bags of patterns with a known definition."""

import numpy as np

from radprog.instances.bags import Bags, bags, series

SHAPES = ("cylinder", "bell", "funnel")


def cylinder_bell_funnel(
    n: int, length: int = 128, classes: tuple[str, ...] = ("cylinder", "bell"), seed: int = 0
) -> Bags:
    """Saito's cylinder, bell and funnel: X (n, length), classes in turn, by default two of them.

    Between a and b a series is (6 + eta) s(t), else 0, with standard normal noise added; s is 1 for
    a cylinder, rises from 0 to 1 for a bell and falls from 1 to 0 for a funnel; eta is standard
    normal, a uniform on [length/8, length/4], b - a uniform on [length/4, 3 length/4].
    """
    # classes in turn, then in random order; all starts as noise
    rng = np.random.default_rng(seed)
    labels = rng.permutation([classes[i % len(classes)] for i in range(n)])
    t = np.arange(1, length + 1)
    X = rng.standard_normal((n, length))
    for row, label in zip(X, labels, strict=True):
        # the event lasts from a to b
        a = rng.integers(length // 8, length // 4, endpoint=True)
        b = a + rng.integers(length // 4, 3 * length // 4, endpoint=True)
        inside = (t >= a) & (t <= b)
        shape = {
            "cylinder": np.ones(length),
            "bell": (t - a) / (b - a),
            "funnel": (b - t) / (b - a),
        }[str(label)]
        row += (6.0 + rng.standard_normal()) * np.where(inside, shape, 0.0)
    return series(X, labels, name=f"cylinder_bell_funnel({n}, {length}, seed={seed})")


def planted_bags(n: int, scale: float = 1.0, seed: int = 0) -> Bags:
    """Bags of equidistant patterns with one planted in each class: X (n, 6, 8).

    The patterns are ``scale`` e_k, k = 0..7. Every bag of class +1 holds e_0 and none
    holds e_1; in class -1 it is the other way round; the rest of a bag is drawn from the others.
    n must be even and half of the bags are of each class. So the optimal margin of the ensembles
    over +h and -h of single patterns is :func:`planted_margin` for every nu in (0, 1].
    """
    # half of the bags of each class
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.where(np.arange(n) % 2 == 0, -1, 1))
    # patterns of no class, then the planted one at a random place
    choice = rng.integers(2, 8, size=(n, 6))
    choice[np.arange(n), rng.integers(0, 6, size=n)] = np.where(y > 0, 0, 1)
    return bags(scale * np.eye(8)[choice], y, name=f"planted_bags({n}, seed={seed})")


def planted_margin(near: float, far: float) -> float:
    """Optimal margin of :func:`planted_bags`: half the difference of the similarity of a pattern to
    itself (``near``) and to another (``far``).

    With equal weights every h_k has an edge of half (near - far) times a difference of shares, so
    no margin is larger; the mean of h_0 and -h_1 reaches it in every bag.
    """
    return 0.5 * (near - far)
