"""The programs that are proved, in words; the checker has them too."""

from collections.abc import Mapping

_VOTED = (
    "min over alpha of (1/m) sum_i max(0, 1 - y_i sum_kj alpha_kj K_k(x_i, z_j)) + sum_kj p_k "
    "|alpha_kj|, p_k = lam r_k + beta; at least 1'd for d in [0, 1/m]^m with, for all k and j, "
    "|sum_i d_i y_i K_k(x_i, z_j)| <= p_k"
)
_MACHINE = (
    "unit times min over w, b of 1/2 |w|^2 + C sum_i max(0, 1 - y_i (<w, phi(x_i)> + b)), where "
    "w = sum_i a_i y_i phi(x_i), <phi(x), phi(z)> = K(x, z); at least unit times 1'a - 1/2 |w|^2, "
    "a in [0, C]^m, y'a = 0 if there is a bias b; unit 1, or if lam is given 2 lam, "
    "C = 1/(unit m)"
)
_MIXED = (
    "min over w, b, v >= 0 with |(t_k v_k)_k|_p <= T of 1/2 sum_k |w_k|^2 / v_k + C sum_i max(0, "
    "1 - y_i (sum_k <w_k, phi_k(x_i)> + b)), <phi_k(x), phi_k(z)> = K_k(x, z), t_k the trace sum_i "
    "K_k(x_i, x_i) or given; at least 1'a - T/2 |(q_k / t_k)_k|_(p/(p-1)) for a in [0, C]^m, y'a = "
    "0 if there is a bias b, q_k = sum_ij a_i a_j y_i y_j K_k(x_i, x_j)"
)
_BOOSTED = (
    "max over w >= 0, 1'w = 1, rho of rho - sum_i max(0, rho - y_i g(x_i)) / (nu m), where g is "
    "sum_kj w_kj h_kj and h_kj(x) is +-radius max over windows of K_k(., z_j) (or + alone); at "
    "most max_kj sum_i d_i y_i h_kj(x_i) for d >= 0, 1'd = 1, d <= 1/(nu m)"
)
PROGRAMS: Mapping[str, str] = {
    "vkr": _VOTED,
    "l1svm": _VOTED,
    "svm": _MACHINE,
    "simsvm": _MACHINE,
    "mkl": _MIXED,
    "lpboost": _BOOSTED,
}
