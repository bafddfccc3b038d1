"""Multiple kernel learning in words: rows and columns, what was found."""

from __future__ import annotations

from collections.abc import Mapping

from radprog.telling.results import classification_test, theory
from radprog.wiring import Term, Values

SHOWN_SHARE = 5e-4  # of the weights: less would be written as 0.0 %

SHOWN_KERNELS = 6  # largest weights that are shown

TERMS: Mapping[str, Term] = {
    "energy": Term("energy of {kernel}", "half the weight mu of the kernel"),
    "norm": Term("norm of the shares"),
    "balance": Term("balance of problem {class}", "the bias of the problem"),
    "a": Term("dual point, problem {class}, {point}", "at 0: margin beyond 1, at C: hinge loss"),
    "height": Term("height of the largest energy"),
    "share": Term("share of {kernel}"),
    "image": Term("coordinate of {kernel}, problem {class}, {j}"),
    "image_of": Term("coordinate of {kernel}, problem {class}, {j}"),
    "cut": Term("cut of dual point {t}", "its share in the best dual point"),
    "ball": Term("ball of the weights", "gain of a unit of the ball"),
    "mu": Term("weight of {kernel}", "how much too dear the kernel is to enter"),
    "value": Term("value J"),
    "w": Term("component of {kernel}, problem {class}, {j}"),
    "block": Term("norm of the part of {kernel}"),
    "shortfall": Term("hinge loss, problem {class}, {point}"),
    "bias": Term("bias of problem {class}"),
    "margin": Term("margin, problem {class}, {point}", "its dual point"),
    "cone": Term("cone of {kernel}"),
    "free": Term("orthogonality to the free kernels, problem {class}, {j}"),
    "offset": Term("coordinate of the free kernels, problem {class}, {j}"),
    "V": Term("coordinate of a vector of an orthonormal basis"),
    "orthonormal": Term("norm of a vector of the basis, product of two"),
    "tail_budget": Term("budget of the weighted tail sums", "gain of a unit of budget"),
    "balanced_point": Term("balance of {point}"),
}


def mkl_lines(result: Values) -> list[str]:
    """Kernel weights, the value between its bounds for variant dc, and test error."""
    fit = result["fit"]
    total = sum(fit["weights"])
    shares = sorted(zip(fit["weights"], fit["kernels"], strict=True), key=lambda pair: -pair[0])
    used = [f"{name} {100 * w / total:.1f} %" for w, name in shares if w > SHOWN_SHARE * total]
    more = f", and {len(used) - SHOWN_KERNELS} more" if len(used) > SHOWN_KERNELS else ""
    lines = [
        f"weights    {', '.join(used[:SHOWN_KERNELS])}{more} (of their sum)",
        f"fit        {fit['kernels_used']} of {len(fit['kernels'])} kernels, "
        f"{fit['support_vectors']} points, training error {100 * fit['training_error']:.2f} %, "
        f"{fit['machines']} machines solved",
    ]
    sandwich = result.get("sandwich")
    if sandwich is not None:
        lines.append(
            f"sandwich   {sandwich['bound']:.10g} (convex relaxation) <= global optimum <= "
            f"{sandwich['value']:.10g} (this fit)"
        )
        if sandwich["global_value"] is not None:
            lines.append(
                f"global     {sandwich['global_bound']:.10g} <= global optimum <= "
                f"{sandwich['global_value']:.10g} (branch and bound)"
            )
    return [*lines, *theory(result.get("bounds", []), ""), *classification_test(result)]
