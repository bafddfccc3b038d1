"""scikit-learn's QuantileRegressor: HiGHS on the whole linear program."""

from benchopt import BaseSolver
from sklearn.linear_model import QuantileRegressor


class Solver(BaseSolver):
    name = "scikit-learn"
    parameters = {"method": ["highs-ds", "highs-ipm"]}

    def set_objective(self, X, y, beta, quantile):
        self.X, self.y = X, y
        self.model = QuantileRegressor(quantile=quantile, alpha=beta, solver=self.method)

    def run(self, _):
        self.model.fit(self.X, self.y)

    def get_result(self):
        return {"w": self.model.coef_, "b": self.model.intercept_}
