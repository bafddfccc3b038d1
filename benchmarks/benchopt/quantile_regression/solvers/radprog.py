"""Column generation, certified to a relative gap."""

from benchopt import BaseSolver

from radprog.estimators import SparseQuantileRegressor


class Solver(BaseSolver):
    name = "radprog"
    parameters = {"tol": [1e-6]}

    def set_objective(self, X, y, beta, quantile):
        self.X, self.y = X, y
        self.model = SparseQuantileRegressor(beta=beta, quantile=quantile, tol=self.tol)

    def warm_up(self):
        self.model.fit(self.X[:50], self.y[:50])  # imports

    def run(self, _):
        self.model.fit(self.X, self.y)

    def get_result(self):
        return {"w": self.model.coef_, "b": self.model.intercept_}
