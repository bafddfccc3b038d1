"""Column generation, certified to a relative gap."""

from benchopt import BaseSolver

from radprog.estimators import SparseHingeClassifier


class Solver(BaseSolver):
    name = "radprog"
    parameters = {"tol": [1e-6]}

    def set_objective(self, X, y, beta):
        self.X, self.y = X, y
        self.model = SparseHingeClassifier(beta=beta, tol=self.tol)

    def warm_up(self):
        self.model.fit(self.X[:50], self.y[:50])  # imports

    def run(self, _):
        self.model.fit(self.X, self.y)

    def get_result(self):
        return {"w": self.model.coef_[0], "b": self.model.intercept_[0]}
