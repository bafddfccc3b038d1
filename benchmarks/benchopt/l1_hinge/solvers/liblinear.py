"""liblinear's l1 norm, which comes with the squared hinge and a priced b: another program."""

from benchopt import BaseSolver
from sklearn.svm import LinearSVC


class Solver(BaseSolver):
    name = "liblinear, squared hinge"

    def set_objective(self, X, y, beta):
        self.X, self.y = X, y
        self.model = LinearSVC(
            penalty="l1", dual=False, C=1.0 / (len(y) * beta), max_iter=5_000, random_state=0
        )

    def run(self, _):
        self.model.fit(self.X, self.y)

    def get_result(self):
        return {"w": self.model.coef_[0], "b": self.model.intercept_[0]}
