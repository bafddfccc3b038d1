"""The whole linear program: w = w+ - w-, b and a loss a row."""

import numpy as np
from benchopt import BaseSolver
from scipy.optimize import linprog


class Solver(BaseSolver):
    name = "HiGHS"
    parameters = {"method": ["highs-ds", "highs-ipm"]}

    def set_objective(self, X, y, beta):
        n, p = X.shape
        signed = y[:, None] * X
        self.rows = np.hstack([-signed, signed, -y[:, None], -np.eye(n)])
        self.costs = np.concatenate([np.full(2 * p, beta), [0.0], np.full(n, 1.0 / n)])
        self.bounds = np.tile([0.0, np.inf], (len(self.costs), 1))
        self.bounds[2 * p, 0] = -np.inf
        self.n, self.p = n, p

    def run(self, _):
        right = -np.ones(self.n)
        self.x = linprog(self.costs, self.rows, right, bounds=self.bounds, method=self.method).x

    def get_result(self):
        p = self.p
        return {"w": self.x[:p] - self.x[p : 2 * p], "b": self.x[2 * p]}
