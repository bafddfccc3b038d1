"""Multiple kernel learning with tail sums of eigenvalues (Cortes, Kloft, Mohri): values and bounds.

Symbols: K_m (n, n) are symmetric positive semidefinite, m = 1..M. There are k problems with common
weights mu >= 0: one row of labels for two classes, otherwise one row per class against the rest.
K_mu = sum mu_m K_m; a (k, n) are dual points, z = a * labels, q_m(a) = sum over the rows of
z'K_m z. Then

    J(mu) = min over w, b  1/2 sum_m |w_m|^2 / mu_m + C sum of losses
          = max over a     s(a) - 1/2 <q(a), mu>

For the hinge loss max(0, 1 - y f), s(a) = 1'a with 0 <= a <= C. For the squared loss (y - f)^2 / 2,
s(a) = 1'a - |a|^2 / (2C) with free a. With a bias, y'a = 0 in every row. For rows with weights w_i
> 0, C is replaced by the costs C_i = C w_i. A row of weight 2 is then equivalent to two equal rows:
the sum of their z gives the same q. J is convex and nonincreasing, and every feasible a gives a cut
J(mu)
>= s - 1/2 <q, mu>  for all mu.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from radprog.base.limits import poll
from radprog.base.tolerances import UNIT_ROUNDOFF
from radprog.base.types import FloatArray
from radprog.models.mkl.joint import JointSystem, joint_feasible
from radprog.models.mkl.kernel_sets import KernelSet, Tail, tail
from radprog.models.mkl.settings import MKL
from radprog.models.rounding import EXTENDED_ROUNDOFF, dot_up, hinge_up, products, sum_up, up
from radprog.models.svm import best_bias, svm_feasible


@dataclass(frozen=True)
class WeightBall:
    """The set of weights mu >= 0 with ||c * mu||_p <= 1, for positive c (M,) and 1 <= p < infinity.

    In the coordinates u = c * mu it is a unit ball. J does not increase if mu increases.
    """

    c: FloatArray
    p: float = 1.0

    @property
    def dual(self) -> float:
        """The exponent p/(p-1) of the dual norm."""
        return np.inf if self.p == 1.0 else self.p / (self.p - 1.0)

    def length(self, mu: FloatArray) -> float:
        """The norm ||c * mu||_p for mu (M,) >= 0."""
        return norm(self.c * mu, self.p)

    def support(self, q: FloatArray) -> float:
        """The maximum ||q / c||_{p/(p-1)} of <q, mu> over the ball, for q (M,) >= 0."""
        return norm(q / self.c, self.dual)

    def curvature(self, u: FloatArray, q: FloatArray, H: FloatArray) -> FloatArray:
        """The second derivative of J on the sphere ||u||_p = 1 (M, M) at u, from H with respect to
        mu.

        The sphere adds the diagonal nu (p - 1) u^(p-2) to it, where nu = ||q / c||_{p*} / 2 is the
        multiplier of the ball.
        """
        curvature = np.asarray(H / np.multiply.outer(self.c, self.c))
        if self.p > 1.0:
            # weights below 1e-9 bend the p-norm no further; for p < 2 they bend it by 1e4 at most
            steep = (self.p - 1.0) * np.maximum(u, 1e-9) ** (self.p - 2.0)
            curvature += np.diag(0.5 * self.support(q) * np.minimum(steep, 1e4))
        return curvature

    def to_sphere(self, u: FloatArray) -> FloatArray:
        """The vector u (M,) >= 0, scaled to ||u||_p = 1.

        For u = 0 the result is the vector of norm 1 with equal entries.
        """
        length = norm(u, self.p)
        return u / length if length > 0 else np.full(len(u), len(u) ** (-1.0 / self.p))


def norm(x: FloatArray, p: float) -> float:
    """The norm ||x||_p for x >= 0 and 1 <= p <= infinity, computed without overflow."""
    largest = float(x.max(initial=0.0))
    if largest == 0.0 or np.isinf(p):
        return largest
    return largest * float(((x / largest) ** p).sum() ** (1.0 / p))


@dataclass(frozen=True, kw_only=True)
class Value:
    """The primal value at mu of the w from a (k, n), an upper bound on J(mu), and the cut of a.

    ``s`` and ``energies`` define the cut J >= s - 1/2 <energies, mu>, with the value ``cut`` at mu.
    ``images`` (M, k, n) are K_m z, and ``scores`` (k, n) are those of w, without the bias.
    """

    objective: float
    mu: FloatArray
    a: FloatArray
    biases: FloatArray
    s: float
    energies: FloatArray
    cut: float
    images: FloatArray
    scores: FloatArray


@dataclass(frozen=True, kw_only=True, eq=False)
class MultipleKernels:
    """The data of J: the kernels with their labels, C > 0, the loss (hinge or squared) and the
    bias.

    C is one number, or has one number for each point (n,).
    """

    kernels: KernelSet
    C: float | FloatArray
    loss: str = "hinge"
    bias: bool = True
    #: The labels as rows (k, n) of -1 and +1.
    labels: FloatArray = field(init=False)
    #: The cost C of each point (n,).
    costs: FloatArray = field(init=False)

    def __post_init__(self) -> None:
        costs = np.broadcast_to(self.C, self.kernels.n)
        self.__dict__.update(labels=self.kernels.labels, costs=costs)

    def combine(self, mu: FloatArray, room: FloatArray | None = None) -> FloatArray:
        """The matrix K_mu (n, n), written to the array ``room`` (n, n) unless that is None."""
        poll()
        M, n = self.kernels.M, self.kernels.n
        active, K_mu = np.flatnonzero(mu), np.empty((n, n)) if room is None else room
        line = K_mu.reshape(n * n)
        flat = self.kernels.K.reshape(M, n * n)
        # few weights: one kernel after the other, else one product with all of them
        if len(active) <= M // 2:
            line[:] = 0.0
            for m in active:
                line += mu[m] * flat[m]
        else:
            np.matmul(mu, flat, out=line)
        return K_mu

    def images(self, a: FloatArray) -> FloatArray:
        """The products K_m z of each kernel and each row of z (M, k, n)."""
        M, n = self.kernels.M, self.kernels.n
        products = np.zeros((M, n, len(a)))
        z = (a * self.labels).T
        for K, product in zip(self.kernels.K if z.any() else (), products, strict=False):
            poll()
            np.matmul(K, z, out=product)
        return products.transpose(0, 2, 1)

    def feasible(self, a: FloatArray) -> FloatArray:
        """A dual feasible point (k, n) near a."""
        rows = []
        for point, y in zip(a, self.labels, strict=True):
            if self.loss == "hinge":
                # the hinge loss has a box, a bias the plane y'a = 0
                clipped = np.clip(point, 0.0, self.C)
                rows.append(svm_feasible(y, self.C, clipped) if self.bias else clipped)
            else:
                rows.append(point - y * (y @ point) / len(y) if self.bias else point)
        return np.array(rows)

    def typical_point(self, support: Callable[[FloatArray], float]) -> FloatArray:
        """A dual point (k, n) with entries of about the same size as the entries of an optimal
        point.

        It is the best multiple of a point with equal entries. ``support`` is max <q, mu> for q
        (M,), over the allowed weights or at fixed weights.
        """
        # equal entries, as large as the box allows
        a = self.feasible(np.broadcast_to(self.C, self.labels.shape))
        curve = support(self.energies(a))
        if self.loss != "hinge":
            curve += float((a * a / self.C).sum())
        # the maximum of t sum a - t^2 curve / 2 over the multiples t of it
        t = float(a.sum()) / curve if curve > 0 else np.inf
        return a * (min(1.0, t) if self.loss == "hinge" or t == np.inf else t)

    def gain(self, a: FloatArray) -> float:
        """The part s(a) of the dual objective that does not depend on the kernels."""
        gain = float(a.sum())
        return gain if self.loss == "hinge" else gain - float((a * a / self.C).sum()) / 2.0

    def value(self, mu: FloatArray, a: FloatArray, biases: FloatArray | None = None) -> Value:
        """The primal value of w_m = mu_m sum_i z_i phi_m(x_i) at mu (M,), and the cut of a (k, n).

        The default biases (k,) minimise the sum of losses.
        """
        images = self.images(a)
        z = a * self.labels
        # q_m = z'K_m z, and the scores of w_m = mu_m sum z_i phi_m(x_i)
        energies = np.maximum(np.einsum("mki,ki->m", images, z), 0.0)
        scores, s = np.einsum("m,mki->ki", mu, images), self.gain(a)
        # the bias of least losses for these scores, one a row
        biases = self.best_biases(scores) if biases is None else biases
        losses = self.losses_up(scores + biases[:, None], np.zeros(z.shape))
        objective = 0.5 * float((z * scores).sum()) + losses
        return Value(
            objective=objective,
            mu=mu,
            a=a,
            biases=biases,
            s=s,
            energies=energies,
            cut=s - 0.5 * float(energies @ mu),
            images=images,
            scores=scores,
        )

    def objective_up(self, value: Value, excess: float = 1.0) -> float:
        """An upper bound on the objective of a value's w and biases, in exact arithmetic.

        The kernel matrices are treated as exact. Every score is worsened by the error of its sum,
        and sums are rounded up. The weights may exceed their set by a factor of at most ``excess``.
        The norm is therefore computed at weights divided by this factor.
        """
        K, active = self.kernels.K, np.flatnonzero(value.mu)
        norm, rows, doubts = 0.0, [], []
        for z, bias in zip(value.a * self.labels, value.biases, strict=True):
            # K_mu z in extended precision, with the rounding errors of products and of their sum
            support, n = np.flatnonzero(z), len(z)
            scores, errors, sizes = np.zeros(n, dtype=np.longdouble), np.zeros(n), np.zeros(n)
            for m in active:
                poll()
                image, error = products(K[m][:, support], z[support])
                scores += value.mu[m] * image
                errors += value.mu[m] * error
                sizes += value.mu[m] * np.abs(image).astype(np.float64)
            errors += (len(active) + 1) * EXTENDED_ROUNDOFF * sizes
            errors *= 1.0 + (2 * len(active) + 8) * UNIT_ROUNDOFF
            # |w|^2 rounded up, and the doubt about the scores with the bias
            norm = up(norm + dot_up(z, scores, errors))
            scores = scores + np.longdouble(bias)
            rows.append(scores)
            doubts.append(
                errors + 2.0 * EXTENDED_ROUNDOFF * (1.0 + np.abs(scores).astype(np.float64))
            )
        loss = self.losses_up(np.array(rows), np.array(doubts))
        return up(up(0.5 * norm * max(1.0, excess), 2) + loss)

    def losses_up(self, scores: NDArray[Any], errors: FloatArray) -> float:
        """An upper bound on the losses at scores (k, n) with errors of at most ``errors``."""
        loss = 0.0
        for margins, doubt in zip(self.labels * scores, errors, strict=True):
            # losses at margins that are less by their error
            if self.loss == "hinge":
                loss = up(loss + hinge_up(margins, doubt, self.costs))
            else:
                residual = np.nextafter((np.abs(1.0 - margins) + doubt).astype(np.float64), np.inf)
                loss = up(loss + up(0.5 * up(sum_up(residual * residual * self.costs), 3)))
        return loss

    def curvature(self, value: Value, K: FloatArray) -> FloatArray:
        """The second derivative (M, M) of J at the mu of ``value``, if its a is optimal.

        K (n, n) is K_mu. For the squared loss, a may change at all points; for the hinge loss, at
        the points with a strictly between 0 and C. On these points let g_m = K_m z, and A = K_mu
        (plus I/C for the squared loss). The derivative is the sum of g_m'S g_l over the rows, where
        S is the inverse of A. With a bias, S is the inverse on the subspace 1'd = 0.
        """
        dual_at_bound = 1e-6  # share of C within which a dual point counts as at its bound
        M = self.kernels.M
        total = np.zeros((M, M))
        for row, a in enumerate(value.a):
            # A on the points that may move; a ridge makes up for rounding
            inside = (a > dual_at_bound * self.costs) & (a < (1.0 - dual_at_bound) * self.costs)
            free = np.flatnonzero(inside) if self.loss == "hinge" else np.arange(len(a))
            if len(free) < 2:
                continue
            A = K[np.ix_(free, free)]
            if self.loss != "hinge":
                A.flat[:: len(A) + 1] += 1.0 / self.costs
            # ridge of kernels on the free points, relative to their mean diagonal
            A.flat[:: len(A) + 1] += 1e-10 * (float(np.trace(A)) / len(A) or 1.0)
            try:
                L = linalg.cholesky(A, lower=True, overwrite_a=True, check_finite=False)
            except linalg.LinAlgError:  # no curvature: the cuts alone lead on
                continue
            # L^-1 g_m, with a bias orthogonal to L^-1 1
            sides = np.column_stack([value.images[:, row, free].T, np.ones(len(free))])
            solutions = linalg.solve_triangular(L, sides, lower=True, check_finite=False)
            solved, ones = solutions[:, :M], solutions[:, M]
            if self.bias:
                solved = solved - np.outer(ones, ones @ solved) / (ones @ ones)
            total += solved.T @ solved
        return total

    def best_biases(self, scores: FloatArray) -> FloatArray:
        """The biases (k,) that minimise the losses at scores (k, n); zeros without a bias."""
        y = self.labels
        if not self.bias:
            return np.zeros(len(y))
        if self.loss == "hinge":
            pairs = zip(scores, y, strict=True)
            return np.array([best_bias(f, row, self.C) for f, row in pairs])
        return np.asarray(np.average(y - scores, axis=1, weights=self.costs))

    def energies(self, a: FloatArray, *, raised: bool = False) -> FloatArray:
        """The squared norms q(a) (M,), one per kernel; ``raised`` adds a bound on their rounding
        errors.
        """
        energies = np.maximum(np.einsum("mki,ki->m", self.images(a), a * self.labels), 0.0)
        for m, K in enumerate(self.kernels.K if raised and a.any() else ()):
            poll()
            sizes = np.abs(a)
            total = float((sizes @ np.abs(K) * sizes).sum())
            doubt = 2.0 * self.kernels.n * UNIT_ROUNDOFF * total
            # products that cancel, as of a wide kernel with an intercept: in extended precision
            if doubt > 1e-8 * energies[m]:
                signed = a * self.labels
                energies[m] = sum_up(np.array([dot_up(z, *products(K, z)) for z in signed]))
            else:
                energies[m] += doubt
        return np.asarray(energies)

    def dual_bound(self, support: Callable[[FloatArray], float], a: FloatArray) -> float:
        """A lower bound on J over a set of weights from a (k, n), valid despite rounding.

        ``support`` is max <q, mu> over the set for q (M,), or <q, mu> at fixed weights. The point a
        is first made feasible. The minimum of s - 1/2 <q, mu> is s - 1/2 support(q).
        """
        a = self.feasible(a)
        # q rounded up, s down
        q = self.energies(a, raised=True)
        size = float((np.abs(a) + a * a / self.C).sum())
        gain = self.gain(a) - 2.0 * a.size * UNIT_ROUNDOFF * size
        return gain - 0.5 * support(q) * (1.0 + 8.0 * UNIT_ROUNDOFF * len(q))


@dataclass(frozen=True, kw_only=True, eq=False)
class JointKernels(MultipleKernels):
    """The program with the joint hinge loss of Crammer and Singer, instead of one loss per class.

    The objective J is 1/2 sum_mr |w_mr|^2 / mu_m + C sum_i max over r of (f_r(x_i) - f_{y_i}(x_i) +
    [r is not y_i]). Its dual points a = z * labels (k, n) are nonnegative. For each point, the
    entry of its own class is at most C_i and equals the sum of the other entries. The gain s(a) is
    half the sum of all entries. See :mod:`radprog.models.mkl.joint`. Two classes have two rows; the
    program is then the binary problem with 2 C.
    """

    #: An array (k, n) that is 1 for the class of each point, and 0 otherwise.
    onehot: FloatArray = field(init=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        rows = self.labels
        rows = rows if len(rows) > 1 else np.concatenate([-rows, rows])
        self.__dict__.update(labels=rows, onehot=(rows > 0).astype(np.float64))

    def feasible(self, a: FloatArray) -> FloatArray:
        """A dual feasible point (k, n) near a."""
        onehot, labels = self.onehot, self.labels
        d = onehot * self.costs
        return (d - joint_feasible(d - a * labels, self.costs, onehot, bias=self.bias)) * labels

    def gain(self, a: FloatArray) -> float:
        """The part s(a) of the dual objective: half the sum of all entries."""
        return float(a.sum()) / 2.0

    def best_biases(self, scores: FloatArray) -> FloatArray:
        """Zeros, because :func:`solve_joint` returns biases with its dual points."""
        return np.zeros(len(scores))

    def curvature(self, value: Value, K: FloatArray) -> FloatArray:
        """The second derivative of J at the mu of ``value``, as in :class:`MultipleKernels`.

        Here the entries of a with p > 0 may change.
        """
        onehot, scores = self.onehot, value.scores + value.biases[:, None]
        p = np.maximum(onehot * self.costs - value.a * self.labels, 0.0)
        # slacks of the dual conditions; where they vanish the weight is that of a free point
        slacks = onehot - scores
        slacks -= slacks.min(axis=0)
        # slack of the joint loss below which a dual point may move
        # a multiplier within 1e-12 of 0, relative to C, may hardly move
        w = np.maximum(p, 1e-12 * self.costs) / np.maximum(slacks, 1e-6)
        try:
            system = JointSystem(K, w, bias=self.bias)
        except linalg.LinAlgError:  # no curvature: the cuts alone lead on
            return np.zeros((len(value.mu), len(value.mu)))
        solved = np.array([system(images)[0].ravel() for images in value.images])
        H = value.images.reshape(len(solved), -1) @ solved.T
        return np.asarray((H + H.T) / 2.0)

    def losses_up(self, scores: NDArray[Any], errors: FloatArray) -> float:
        """An upper bound on the losses at scores (k, n) with errors of at most ``errors``."""
        mask = self.labels > 0
        margins = scores[mask] - np.where(mask, -np.inf, scores).max(axis=0)[_order(mask)]
        doubt = errors[mask] + np.where(mask, 0.0, errors).max(axis=0)[_order(mask)]
        doubt += 2.0 * EXTENDED_ROUNDOFF * (1.0 + np.abs(margins).astype(np.float64))
        return hinge_up(margins, doubt, self.costs[_order(mask)])


def _order(mask: NDArray[np.bool_]) -> NDArray[np.intp]:
    """The points in the order of a mask (k, n) over their classes."""
    return np.nonzero(mask)[1]


@dataclass(frozen=True, eq=False)
class TailBudget:
    """The set of weights mu >= 0 with T(K_{mu^P}) <= budget, for P >= 1.

    T is the tail sum beyond theta. For nu = mu^P the constraint is T(K_nu) <= budget, with T
    concave, homogeneous and superadditive.
    """

    problem: MultipleKernels
    theta: int
    budget: float
    power: float = 1.0

    def tail(self, mu: FloatArray) -> Tail:
        """The tail sum T(K_{mu^P}) with its eigenvectors."""
        return tail(self.problem.combine(mu**self.power), self.theta)

    def used_share(self, mu: FloatArray, value: float) -> float:
        """A lower bound on the share T(K_{mu^P}) / budget, from the computed tail sum ``value``.

        The eigenvalues have errors of about n eps times the trace.
        """
        K = self.problem.combine(mu**self.power)
        # what the eigensolver may have lost
        rounding = 4.0 * len(K) * float(np.finfo(float).eps * np.trace(K))
        return (value - rounding) / self.budget

    def to_boundary(self, mu: FloatArray) -> FloatArray:
        """A nonzero mu (M,), scaled so that T = budget.

        If T is smaller than the budget, this does not increase J.
        """
        value = self.tail(mu).value
        return np.asarray(mu * (self.budget / value) ** (1.0 / self.power))

    def supergradient(self, point: Tail) -> FloatArray:
        """A vector v (M,) with T(K_nu) <= <v, nu> for all nu >= 0, and equality at that of
        ``point``.
        """
        return point.of(self.problem.kernels.K)

    def inner(self, v: FloatArray) -> WeightBall:
        """The set {mu: <v, mu^P> <= budget}, a subset of the feasible set.

        It touches the boundary of the feasible set at the point of v. The printed linearisation
        <v, mu - mu_0> <= 1 lacks the constant T(mu_0) = <v, mu_0>.
        """
        return WeightBall((v / self.budget) ** (1.0 / self.power), self.power)

    def outer(self) -> WeightBall:
        """The set {mu: sum_m T(K_m) mu_m^P <= budget}.

        It contains the feasible set, because T is superadditive.
        """
        return self.inner(self.problem.kernels.tails(self.theta))

    def update(self, mu: FloatArray, q: FloatArray, v: FloatArray) -> FloatArray:
        """The minimiser nu over inner(v) of sum_m mu_m^2 q_m / nu_m: the new weights for fixed w.

        nu_m is proportional to (mu_m^2 q_m / v_m)^(1/(P+1)), with <v, nu^P> = budget; q (M,) are
        z'K_m z at mu. For P = 1 this is the update of Algorithm 1.
        """
        # stationary point of the majoriser, then scaled to the budget
        raw = (mu**2 * q / v) ** (1.0 / (self.power + 1.0))
        total = float(v @ raw**self.power)
        if total <= 0:
            return mu
        return np.asarray(raw * (self.budget / total) ** (1.0 / self.power))


def squared_dual(K: FloatArray, y: FloatArray, C: float | FloatArray, *, bias: bool) -> FloatArray:
    """The dual point (n,) of the squared loss, in closed form.

    For z = a * y, (K + I/C) z + b 1 = y and, with a bias b, 1'z = 0. If 1/C is below the rounding
    errors of K, eigenvalues of K + I/C below 1/C are replaced by 1/C.
    """
    sides = np.column_stack([y, np.ones(len(y))])
    A = K.copy()
    # (K + I/C) u = y and (K + I/C) t = 1 by one Cholesky factor
    A.flat[:: len(A) + 1] += 1.0 / np.broadcast_to(C, len(y))
    try:
        solutions = linalg.cho_solve((linalg.cholesky(A, lower=True), True), sides)
    except linalg.LinAlgError:
        values, vectors = np.linalg.eigh(A)
        smallest = 1.0 / float(np.max(C))
        solutions = vectors @ ((vectors.T @ sides) / np.maximum(values, smallest)[:, None])
    z, ones = solutions.T
    if bias:
        # z = u - b t with the b that makes 1'z = 0
        z = z - ones * (z.sum() / ones.sum())
    return np.asarray(y * z)


def problem_of(spec: MKL, kernels: KernelSet) -> MultipleKernels:
    """The data of J for prepared kernels."""
    C = spec.C if kernels.weights is None else spec.C * kernels.weights
    kind = JointKernels if spec.multiclass == "joint" else MultipleKernels
    return kind(kernels=kernels, C=C, loss=spec.loss, bias=not spec.no_bias)


def tail_budget(spec: MKL, problem: MultipleKernels) -> TailBudget:
    """The constraint of variant ``dc``."""
    return TailBudget(problem, spec.cutoff, spec.tail_bound(problem.kernels.n), spec.p)


def ball_of(spec: MKL, problem: MultipleKernels) -> WeightBall:
    """A convex set of weights over which the minimum of J is a lower bound on the optimum.

    For variants ``conv`` and ``lp`` it is the set of the variant itself. Raises SettingError if a
    tail sum is zero.
    """
    kernels = problem.kernels
    if spec.variant == "conv":
        return WeightBall(kernels.tails(spec.cutoff) / spec.tail_bound(kernels.total), spec.p)
    if spec.variant == "dc":
        return tail_budget(spec, problem).outer()
    return WeightBall(np.ones(kernels.M), spec.p)
