"""min over w, b of mean(max(q r, (q - 1) r)) + beta |w|_1, r = y - X w - b."""

import numpy as np
from benchopt import BaseObjective


class Objective(BaseObjective):
    name = "quantile loss and l1 norm"
    min_benchopt_version = "1.8"
    sampling_strategy = "run_once"
    parameters = {"beta": [0.05, 0.02], "quantile": [0.5, 0.9]}

    def set_data(self, X, y):
        self.X, self.y = X, y

    def get_objective(self):
        return {"X": self.X, "y": self.y, "beta": self.beta, "quantile": self.quantile}

    def evaluate_result(self, w, b):
        r = self.y - self.X @ w - b
        loss = np.maximum(self.quantile * r, (self.quantile - 1.0) * r).mean()
        value = loss + self.beta * np.abs(w).sum()
        return {"value": value, "features": np.count_nonzero(w)}

    def get_one_result(self):
        return {"w": np.zeros(self.X.shape[1]), "b": 0.0}
