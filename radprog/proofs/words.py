"""The programs that are proved, in words; the checker has them too."""

from collections.abc import Mapping

_VOTED = (
    "min over alpha of (1/m) sum_i max(0, 1 - y_i sum_kj alpha_kj K_k(x_i, z_j)) + sum_kj p_k "
    "|alpha_kj|, p_k = lam r_k + beta; at least 1'd for d in [0, 1/m]^m with, for all k and j, "
    "|sum_i d_i y_i K_k(x_i, z_j)| <= p_k"
)
PROGRAMS: Mapping[str, str] = {"vkr": _VOTED, "l1svm": _VOTED}
