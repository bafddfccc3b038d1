"""min over w, b of mean(max(0, 1 - y (X w + b))) + beta |w|_1, y in {-1, 1}."""

import numpy as np
from benchopt import BaseObjective


class Objective(BaseObjective):
    name = "hinge loss and l1 norm"
    min_benchopt_version = "1.8"
    sampling_strategy = "run_once"
    parameters = {"beta": [0.1, 0.05]}

    def set_data(self, X, y):
        self.X, self.y = X, y

    def get_objective(self):
        return {"X": self.X, "y": self.y, "beta": self.beta}

    def evaluate_result(self, w, b):
        loss = np.maximum(0.0, 1.0 - self.y * (self.X @ w + b)).mean()
        value = loss + self.beta * np.abs(w).sum()
        return {"value": value, "features": np.count_nonzero(w)}

    def get_one_result(self):
        return {"w": np.zeros(self.X.shape[1]), "b": 0.0}
