"""Normal features, of which ten matter: numbers with noise of heavy tails."""

import numpy as np
from benchopt import BaseDataset


class Dataset(BaseDataset):
    name = "simulated"
    parameters = {"n, p": [(300, 1_000), (300, 10_000), (2_000, 1_000)]}
    test_parameters = {"n, p": [(40, 60)]}

    def get_data(self):
        rng = np.random.default_rng(self.get_seed())
        X = rng.standard_normal((self.n, self.p))
        scores = X[:, :10].sum(axis=1)
        return {"X": X, "y": scores + rng.standard_t(3, self.n)}
