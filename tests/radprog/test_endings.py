"""The words for the end of a run: the rule that ended it, and what a proof would take."""

import pytest

from radprog.catalog import CATALOG
from radprog.decompositions.loop import Reason
from radprog.telling import ENDED, ending, uncertified


def result(model: str, stopped_by: str, **values: object) -> dict[str, object]:
    entry = CATALOG[model]
    usual = {"method": entry.spec.methods[-1], "bound": None, "params": {"tol": 1e-6}}
    return {"model": model, "stopped_by": stopped_by, "data": {"rows": 9}, **usual, **values}


@pytest.mark.parametrize("reason", sorted(one.value for one in Reason))
@pytest.mark.parametrize("model", sorted(CATALOG))
def test_every_end_has_words(model: str, reason: str) -> None:
    words = ending(result(model, reason))
    local = "the heuristic found no column that would improve it"
    assert words in (*ENDED.values(), CATALOG[model].completion, local)
    # only a bound proves that no column is left
    assert "no column left" not in words
    if reason == "no_column":
        assert words == local
        assert "no column left" in ending(result(model, reason, bound=1.0))


@pytest.mark.parametrize("model", ["srm", "complexity"])
def test_a_run_over_a_grid_or_signs_ended_by_no_solver(model: str) -> None:
    assert ending(result(model, "solver")).startswith("every ")


@pytest.mark.parametrize("limit", ["time_limit", "max_iter"])
@pytest.mark.parametrize(
    ("model", "method", "params"),
    [
        ("lpboost", "colgen", {"learner": "l1", "pricing": "exact"}),
        ("lpboost", "colgen", {"learner": "l1", "pricing": "local"}),
        ("lpboost", "colgen", {"learner": "shapelet"}),
        ("cdsk", "exact", {}),
        ("svr", "global", {}),
    ],
)
def test_settings_that_prove_lack_only_time(model, method, params, limit) -> None:
    given, local = {"tol": 1e-6, **params}, params.get("pricing") == "local"
    words = uncertified(result(model, limit, method=method, params=given))
    assert (f"give a larger `{limit}`" in words) is not local
    assert ("these settings prove no optimum" in words) is local
