"""The programs that are proved, in words; the checker has them too."""

from collections.abc import Mapping

_VOTED = (
    "min over alpha with G f <= h of (1/m) sum_i max(0, 1 - y_i f(x_i)) + sum_kj p_k "
    "|alpha_kj|, f(x) = sum_kj alpha_kj K_k(x, z_j), p_k = lam r_k + beta, rows: of G for "
    "f(x_1), ..., f(x_m) and last of h; at least 1'd - h'u for d in [0, 1/m]^m, u >= 0 with, "
    "for all k and j, |sum_i (y_i d_i - (G'u)_i) K_k(x_i, z_j)| <= p_k"
)
_MIXED = (
    "unit times min over w, b, v >= 0 with |(t_k v_k)_k|_p <= T of 1/2 sum_k |w_k|^2 / v_k + "
    "C sum_i max(0, 1 - y_i (sum_k <w_k, phi_k(x_i)> + b)), <phi_k(x), phi_k(z)> = K_k(x, z),"
    " t_k the trace sum_i K_k(x_i, x_i) or given; at least unit times 1'a - T/2 |(q_k / "
    "t_k)_k|_(p/(p-1)) for a in [0, C]^m, y'a = 0 if there is a bias b, q_k = sum_ij a_i a_j "
    "y_i y_j K_k(x_i, x_j); unit 1, if lam is given 2 lam and C = 1/(unit m); without T one "
    "kernel, t = T = 1: v = 1, the machine"
)
_BOOSTED = (
    "max over w >= 0, 1'w = 1, rho of rho - sum_i max(0, rho - y_i g(x_i)) / (nu m), where g is "
    "sum_kj w_kj h_kj and h_kj(x) is +-radius max over windows of K_k(., z_j) (or + alone); at "
    "most max_kj sum_i d_i y_i h_kj(x_i) for d >= 0, 1'd = 1, d <= 1/(nu m)"
)
PROGRAMS: Mapping[str, str] = {
    "vkr": _VOTED,
    "l1svm": _VOTED,
    "svm": _MIXED,
    "simsvm": _MIXED,
    "mkl": _MIXED,
    "lpboost": _BOOSTED,
}
