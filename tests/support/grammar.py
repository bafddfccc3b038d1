"""Words of two languages, for kernels of strings."""

import numpy as np

from radprog.instances.dataset import Dataset, dataset

GRAMMARS = (("ab", "cd"), ("ad", "cb"))


def grammar_strings(n: int, blocks: tuple[int, int] = (2, 8), seed: int = 0) -> Dataset:
    """Words of two regular languages, X (n,) of strings: (ab|cd)+ is -1, (ad|cb)+ is +1.

    The number of two-letter blocks is uniform on the range ``blocks``, both ends included.
    """
    least, most = blocks
    rng = np.random.default_rng(seed)
    # equal classes in random order
    y = rng.permutation(np.where(np.arange(n) % 2 == 0, -1, 1))
    lengths = rng.integers(least, most, n, endpoint=True)
    # a word is blocks of its language, each drawn by itself
    words = [
        "".join(rng.choice(GRAMMARS[int(sign > 0)], length))
        for sign, length in zip(y, lengths, strict=True)
    ]
    return dataset(words, y, name=f"grammar_strings({n}, seed={seed})")
