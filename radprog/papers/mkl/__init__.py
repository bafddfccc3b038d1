"""Multiple kernel learning: wiring."""

from __future__ import annotations

from radprog.base.sections import bounded
from radprog.decompositions.mkl.fit import MultiKernelExpansion, fit_grid, fit_mkl, recompute_mkl
from radprog.decompositions.mkl.forms import mkl_form
from radprog.decompositions.mkl.prices import load_mkl, mkl_classes, price_mkl
from radprog.decompositions.mkl.proof import prove_mkl
from radprog.instances.dataset import MklData, read_mkl
from radprog.instances.grams import read_cross
from radprog.models.mkl import settings
from radprog.telling import training_error
from radprog.wiring import Values, Wiring, read_terms

TERMS = read_terms("mkl", "terms")


def mkl_lines(result: Values) -> list[str]:
    """Lines with kernel weights, and the bounds of the value for variant ``dc``."""
    fit = result["fit"]
    pairs = zip(fit["weight_per_kernel"], fit["kernels"], strict=True)
    shares = sorted(pairs, key=lambda pair: -pair[0])
    shown = [f"{name} {100 * share:.1f} %" for share, name in shares[: fit["kernels_used"]]]
    # the six largest weights are shown
    note = f", and {len(shown) - 6} more" if len(shown) > 6 else ""
    # variant unif has no tail sums
    sums = dict(zip(fit["kernels"], fit["tail_sums"] or (), strict=False))
    tails = ", ".join(f"{name} {sums[name]:.4g}" for _, name in shares[:6] if sums)
    # the kernel sum whose tail sum is bounded
    power, mixture = result["params"].get("norm") or 1.0, "the learned kernel"
    if result["params"].get("variant") == "dc" and power != 1.0:
        mixture = f"the kernels weighted by mu^{power:g}"
    lines = [
        f"weights    {', '.join(shown[:6])}{note} (of the trace)",
        *([f"tail sums  {tails} (theta {fit['theta']:.6g})"] if sums else []),
        *([f"tail sum   {fit['tail_sum']:.6g} of {mixture}"] if "tail_sum" in fit else []),
        f"fit        {len(shown)} of {len(fit['kernels'])} kernels, "
        f"{fit['support_vectors']} points, {training_error(fit, result)}, "
        f"{fit['machines']} SVMs solved",
    ]
    if fit.get("residual") is not None:
        drop = max(fit["residual"], 0.0) / max(abs(result["objective"]), 1e-10)
        note = ", more than `tol`: method dca goes on" if result["stopped_by"] == "stalled" else ""
        lines.append(f"descent    a step lowers this by at most {bounded(drop, '.1e')} of it{note}")
    sandwich = result.get("sandwich")
    if sandwich is not None:
        low, high = bounded(sandwich["bound"], ".10g", up=False), bounded(sandwich["value"], ".10g")
        lines.append(f"sandwich   {low} (convex relaxation) <= global optimum <= {high} (this fit)")
        if sandwich["global_value"] is not None:
            # both bounds are valid: the larger one, with its source
            searched, source = sandwich["global_bound"], "the solver's search"
            proved = bounded(searched, ".10g", up=False)
            if searched < sandwich["bound"]:
                source = f"the relaxation, as the solver's search proved only {proved}"
                proved = low
            high = bounded(sandwich["global_value"], ".10g")
            lines.append(f"global     {proved} <= global optimum <= {high} ({source})")
    return lines + [
        f"theory     complexity of the learned kernel's class, not an error: {bound['name']}, "
        f"{bounded(bound['value'], '.3g')}"
        for bound in result.get("bounds", [])
        if bound["name"] == "fixed point of (3)"
    ]


MKL: Wiring[settings.MKL, MklData] = Wiring(
    kinds=("dataset", "views", "grams"),
    read=read_mkl,
    fit=fit_mkl,
    recompute=recompute_mkl,
    predictor=MultiKernelExpansion.from_dict,
    describe=mkl_lines,
    terms=TERMS,
    read_cross=read_cross,
    form=mkl_form,
    grid=fit_grid,
    load=load_mkl,
    price=price_mkl,
    classes=mkl_classes,
    prove=prove_mkl,
)
