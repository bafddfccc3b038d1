"""Linear models with few features: wiring and descriptions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from radprog.base.sections import Table
from radprog.decompositions.linear.fit import LinearFit, fit_grid, fit_linear, recompute_linear
from radprog.decompositions.linear.forms import linear_form, load_linear
from radprog.decompositions.linear.proof import prove_linear
from radprog.instances.sparse import Linear, read_linear
from radprog.instances.tables import shown
from radprog.models.linear import settings
from radprog.telling import class_lines, number_errors, score_row, training_error
from radprog.wiring import Label, Values, Wiring, read_terms

TERMS = read_terms("linear", "terms")
LABELS: Mapping[str, Label] = {"score_row": score_row}


def linear_lines(result: Values) -> list[str]:
    """Lines with features, norm and training error."""
    if "machines" in result:
        return class_lines(result, "objective", lambda fit: _fit(fit, result))
    fit = result["fit"]
    # the six largest coefficients are shown
    lines, features = [f"fit        {_fit(fit, result)}"], fit.get("largest", ())[:6]
    if features:
        hidden = fit["coefficients"] - len(features)
        largest = ", ".join(f"{shown(name) or repr(name)} {w:.4g}" for name, w in features)
        lines.append(f"weights    {largest}" + (f", and {hidden} more" if hidden else ""))
    return lines


def _fit(fit: Values, result: Values) -> str:
    error = (
        training_error(fit, result)
        if "training_error" in fit
        else number_errors({**result["data"], "rows": "the", **fit})
        if "quantile" in fit
        else f"{'weighted ' * ('weight' in result['data'])}mean absolute error {fit['mae']:.6g}"
    )
    # without features the prediction is a constant
    none = "" if fit["coefficients"] else " (a lower `beta` keeps more)"
    count = fit["coefficients"]
    return f"{count} feature{'s' * (count != 1)}{none}, norm {fit['norm']:.6g}, {error}"


def multipliers(result: Values) -> Iterator[Table]:
    """A table of the largest coefficients."""
    fit = result["fit"]
    if fit.get("largest"):
        yield Table(
            title="Largest coefficients",
            head=("feature", "coefficient"),
            rows=[(shown(name), w) for name, w in fit["largest"]],
            note=f"{fit['coefficients']} coefficients are not 0",
        )


L1LINEAR: Wiring[settings.L1Linear, Linear] = Wiring(
    kinds=("dataset", "regression", "sparse"),
    read=read_linear,
    fit=fit_linear,
    grid=fit_grid,
    recompute=recompute_linear,
    predictor=LinearFit.from_dict,
    describe=linear_lines,
    multipliers=multipliers,
    terms=TERMS,
    labels=LABELS,
    form=linear_form,
    load=load_linear,
    prove=prove_linear,
)
