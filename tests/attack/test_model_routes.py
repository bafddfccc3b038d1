"""Programs of ``rp.build`` by every solver, and a solver's value that contradicts the fit."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from model_routes import MODELS, draw, examine

import radprog as rp


def test_six_random_models_show_nothing() -> None:
    small = [seed for seed in range(60) if len(draw(seed).X) <= 12]
    first = [next(seed for seed in small if draw(seed).model == model) for model in MODELS]
    small = [*first, *(seed for seed in small if seed not in first)][:6]
    assert [str(found) for seed in small if (found := examine(seed))] == []


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ({"status": "infeasible"}, "infeasible"),
        ({"bound": 1e3, "status": "feasible"}, "bound"),
        ({"objective": -1e3, "status": "optimal"}, "optimal"),
    ],
)
def test_a_claim_that_contradicts_the_fit_is_found(
    monkeypatch: pytest.MonkeyPatch, said: dict[str, Any], kind: str
) -> None:
    true = rp.solve

    def false(*given: Any, **settings: Any) -> rp.Solution:
        solution = true(*given, **settings)
        status = type(solution.status)(said["status"])
        return replace(solution, **{**said, "status": status, "sense": 1})

    monkeypatch.setattr(rp, "solve", false)
    seed = next(seed for seed in range(60) if draw(seed).model == "l1svm")
    case = replace(draw(seed), pairs=(("primal", "highs"),))
    found = examine(replace(case, X=case.X[:8], y=case.y[:8]), shrink=False)
    assert found is not None
    assert found.found[0].startswith(f"primal by highs: {kind}")
