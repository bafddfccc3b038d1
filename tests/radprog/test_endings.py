"""The words for the end of a run: the rule that ended it, and what a proof would take."""

import numpy as np
import pytest

import radprog as rp
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


@pytest.mark.parametrize(("ended", "limit"), [("time_limit",) * 2, ("max_iter",) * 2])
@pytest.mark.parametrize(
    ("model", "method", "params"),
    [
        ("lpboost", "colgen", {"learner": "l1", "pricing": "exact"}),
        ("lpboost", "colgen", {"learner": "shapelet"}),
        ("cdsk", "exact", {}),
        ("svr", "global", {}),
    ],
)
def test_settings_that_prove_lack_only_time(model, method, params, ended, limit) -> None:
    given = {"tol": 1e-6, **params}
    words = uncertified(result(model, ended, method=method, params=given))
    assert f"give a larger `{limit}`" in words
    assert "prove no optimum" not in words


@pytest.mark.parametrize("ended", ["time_limit", "no_column"])
def test_local_pricing_proves_nothing_in_any_time(ended: str) -> None:
    params = {"learner": "l1", "pricing": "local", "tol": 1e-6}
    words = uncertified(result("lpboost", ended, method="colgen", params=params))
    assert "these settings prove no optimum" in words


def test_the_line_of_local_pricing(radprog, folder) -> None:
    rng = np.random.default_rng(2)
    X = np.cumsum(rng.normal(size=(10, 12)), axis=1)
    np.savetxt("few.tsv", np.column_stack([[1, 2] * 5, X]), delimiter="\t", fmt="%.4f")
    local = ("solve", "lpboost", "few.tsv", "--learner", "l1", "--length", "4")
    out = radprog.ok(*local, "--starts", "1").out
    assert "(the heuristic found no column that would improve it)" in out
    assert rp.LPBoost(learner="l1").proved is False
