"""Planted bugs: each is one replacement of text, and the tests that must see it."""

from typing import NamedTuple


class Mutant(NamedTuple):
    """``old``, which occurs once in ``file``, becomes ``new``; ``tests`` are the nearest ones."""

    name: str
    file: str
    old: str
    new: str
    tests: str


ANSWER = "solvers/answer.py"
ROUNDING = "models/rounding.py"
VOTED = "models/vkr/problem.py"
MARGIN = "models/lpboost/problem.py"
MACHINE = "models/similarity/svm.py"
SVM = "models/svm.py"
LOOP = "decompositions/loop.py"
MASTERS = "decompositions/drivers/masters.py"
BOOST = "decompositions/lpboost/report.py"
CERTIFICATE = "models/regression/certificate.py"

LIES = "tests/solvers/test_lies.py"
SUMS = "tests/models/test_rounding.py"
OF_VKR = "tests/models/vkr/test_vkr.py tests/decompositions/vkr/test_vkr.py"
OF_LPBOOST = "tests/models/lpboost/test_lpboost.py tests/decompositions/lpboost"
OF_MACHINE = (
    "tests/models/similarity/test_similarity_svm.py tests/decompositions/similarity/test_simsvm.py"
)
OF_SVM = "tests/models/test_svm.py tests/decompositions/vkr/test_fit_svm.py"
OF_LOOP = "tests/decompositions/test_loop.py tests/decompositions/test_certificate.py"
DRIVERS = "tests/decompositions/drivers"

MUTANTS = (
    # what a solver's word must meet
    Mutant("a tolerance of a claim", ANSWER, "gap > 1e-5 * max", "gap > 1e-1 * max", LIES),
    Mutant("swapped bounds in the gap", ANSWER,
           "side = np.where(multiplier > 0, lower, upper)",
           "side = np.where(multiplier < 0, lower, upper)", LIES),
    Mutant("no fractions of integers", "solvers/violations.py",
           "fraction = np.abs(x - np.rint(x))[program.integer]",
           "fraction = 0.0 * np.abs(x - np.rint(x))[program.integer]", LIES),
    Mutant("a gain outside the bounds", "solvers/program.py",
           "relative_gap(objective, bound), abs(objective - bound)",
           "relative_gap(objective, bound), objective - bound", LIES),
    Mutant("multipliers at missing bounds", "solvers/certificate.py",
           "np.where(finite, value, np.where(away, np.inf, -np.inf))",
           "np.where(finite, value, np.inf)", LIES),
    Mutant("the sign of reduced costs", "solvers/program.py",
           "value -= row_duals[row] * (matrix @ x)",
           "value += row_duals[row] * (matrix @ x)", LIES),
    # rounding
    Mutant("one rounding too few", ROUNDING,
           "return math.nextafter(value + abs(value) * roundings * UNIT_ROUNDOFF, math.inf)",
           "return value", SUMS),
    Mutant("errors that improve margins", ROUNDING,
           "1.0 - margins[rough] + errors[rough]", "1.0 - margins[rough] - errors[rough]", SUMS),
    Mutant("no doubt about a sum of products", ROUNDING,
           "doubt = np.abs(x) * errors + ", "doubt = ", SUMS),
    Mutant("the rounding term of a shapelet's edge", MARGIN,
           "return 4.0 * (self.m + 2) * UNIT_ROUNDOFF * largest", "return 0.0", OF_LPBOOST),
    Mutant("the rounding of a voted kernel's ratio", VOTED,
           "upper = (np.abs(values) + error) /", "upper = np.abs(values) /", OF_VKR),
    # values and certificates of models
    Mutant("a price of the other parameter", VOTED,
           "prices = self.lam * self.penalties + self.beta",
           "prices = self.beta * self.penalties + self.lam", OF_VKR),
    Mutant("a dual point that is not scaled", VOTED,
           "divisor = max(1.0, up(largest))",
           "divisor = 1.0", OF_VKR),
    Mutant("a cap of one row less", MARGIN,
           "np.full(self.m, 1.0 / (self.nu * self.m))",
           "np.full(self.m, 1.0 / (self.nu * (self.m - 1)))", OF_LPBOOST),
    Mutant("the best margins for the worst", MARGIN,
           'order = np.argsort(margins, kind="stable")\n        d = np',
           'order = np.argsort(-margins, kind="stable")\n        d = np', OF_LPBOOST),
    Mutant("a clip without its upper side", MACHINE,
           "np.clip(mu, 0.0, upper)", "np.clip(mu, 0.0, None)", OF_MACHINE),
    Mutant("a factor of two in C", MACHINE,
           "return self.c / (2.0 * self.lam)", "return self.c / self.lam",
           OF_MACHINE),
    Mutant("a bias off by one kink", SVM,
           "float(kinks[positives - 1])", "float(kinks[positives - 2])", OF_SVM),
    Mutant("unbalanced multipliers", SVM,
           "a = np.where(y > 0, a * (minus / plus), a)", "pass", OF_SVM),
    Mutant("an insensitive zone of the wrong sign", CERTIFICATE,
           "gain = G @ y - loss.low *", "gain = G @ y + loss.low *",
           "tests/models/regression/test_certificate.py"),
    Mutant("pieces that leave out a way", CERTIFICATE,
           "for kind in (FITTED, SATURATED)]", "for kind in (SATURATED,)]",
           "tests/models/regression/test_certificate.py"),
    Mutant("a tail off by one eigenvalue", "models/mkl/kernel_sets.py",
           "return float(spectrum(K)[theta:].sum())",
           "return float(spectrum(K)[theta + 1 :].sum())",
           "tests/models/mkl/test_tail_sums.py"),
    Mutant("a confidence for one class only", "models/regression/bounds.py",
           "math.log(2.0 * classes / delta)", "math.log(2.0 / delta)",
           "tests/models/regression/test_svr_bounds.py"),
    Mutant("an exact limit off by one", "models/bounds.py",
           "betainccinv(errors + 1, n - errors, delta)", "betainccinv(errors, n - errors, delta)",
           "tests/models/test_bounds.py"),
    # the loop and its drivers
    Mutant("a bound that may cross", LOOP,
           "return sense * (bound - objective) > allowed", "return False", OF_LOOP),
    Mutant("one iteration too many", LOOP,
           "lambda trace: len(trace) >= limit", "lambda trace: len(trace) > limit", OF_LOOP),
    Mutant("steps that do not descend", "decompositions/drivers/dca.py",
           "descends = (values < previous)", "descends = (values > previous)", DRIVERS),
    Mutant("the sign of a coefficient", "decompositions/drivers/exchange.py",
           "return -multipliers", "return multipliers", DRIVERS),
    Mutant("multipliers in other units", MASTERS,
           "multipliers /= np.concatenate(self._factors)",
           "multipliers *= np.concatenate(self._factors)", DRIVERS),
    Mutant("a stale warm start", BOOST,
           "index = np.where(apart <= 1e-9 * np.abs(stacked).max(), nearest, -1)",
           "index = nearest", OF_LPBOOST),
    Mutant("a hypothesis outside its ball", BOOST,
           "if size > problem.radius * (1.0 + BALL_EXCESS) + 1e-12:", "if False:", OF_LPBOOST),
    # data
    Mutant("a tie at 0 on the other side", "decompositions/run.py",
           "return np.where(scores >= 0, 1.0, -1.0)", "return np.where(scores > 0, 1.0, -1.0)",
           "tests/decompositions/test_expansion.py"),
    Mutant("an absolute support", "decompositions/run.py",
           "sizes > 1e-12 * sizes.max(initial=0.0)", "sizes > 1e-9",
           "tests/decompositions/test_expansion.py"),
    Mutant("labels in the order of the file", "instances/tables.py",
           "texts = sorted(set(labels))", "texts = list(dict.fromkeys(labels))",
           "tests/instances/test_readers.py tests/instances/test_dataset.py"),
    Mutant("numbers in the order of texts", "instances/tables.py",
           "values = [int(m[1]) if m else float(x) for", "values = [x for",
           "tests/instances/test_readers.py tests/instances/test_dataset.py"),
    Mutant("a scaling that sees the test rows", "instances/data.py",
           "return fit_scaler(kind or self.kind, X, fill=fill, weights=weights, ends=self.ends)",
           "return self",
           "tests/instances/test_scaling.py tests/instances/test_dataset.py"),
    Mutant("an array that is not copied", "instances/arrays.py",
           "array = np.array(array, dtype=np.float64)", "array = np.asarray(array, np.float64)",
           "tests/instances/test_arrays.py"),
    Mutant("parts that are not stratified", "instances/splits.py",
           "rng.permutation(np.flatnonzero(y == label)) for label in np.unique(y)",
           "rng.permutation(len(y)) for label in [0]",
           "tests/instances/test_dataset.py"),
    # files and models
    Mutant("a maximisation solved as it stands", "solvers/compile.py",
           "sense = -1 if objective.sense == pyo.maximize else 1", "sense = 1",
           "tests/solvers/test_compile.py"),
    Mutant("a range on the wrong side", "solvers/formats/program_writer.py",
           "side = low if from_low else high", "side = high if from_low else low",
           "tests/solvers/formats/test_program_writer.py"),
    Mutant("half a file", "radprog/base/writing.py",
           "            os.replace(draft, target)\n        finally:\n", "        finally:\n",
           "tests/radprog/test_outputs.py"),
)  # fmt: skip
