"""Stochastic gradients: a number of passes after the other."""

from benchopt import BaseSolver
from sklearn.linear_model import SGDClassifier


class Solver(BaseSolver):
    name = "SGD"
    sampling_strategy = "iteration"

    def set_objective(self, X, y, beta):
        self.X, self.y, self.beta = X, y, beta

    def run(self, passes):
        self.model = SGDClassifier(
            loss="hinge", penalty="l1", alpha=self.beta, max_iter=passes + 1, tol=None,
            random_state=0,
        ).fit(self.X, self.y)  # fmt: skip

    def get_result(self):
        return {"w": self.model.coef_[0], "b": self.model.intercept_[0]}
