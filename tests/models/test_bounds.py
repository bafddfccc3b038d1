"""What bounds share, and the exact binomial limit against its defining equation."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused

from radprog.base.errors import OptionError
from radprog.models.bounds import Bound, binomial_upper


def test_a_bound_as_plain_values() -> None:
    plain = Bound(name="(1)", value=0.4, terms={"a": 0.1, "b": 0.3}).to_dict()
    assert (plain["value"], plain["vacuous"], plain["terms"]) == (0.4, False, {"a": 0.1, "b": 0.3})
    assert "form" not in plain


@pytest.mark.parametrize("value", [1.0, 2.0, math.inf, math.nan])
def test_a_bound_that_says_nothing(value: float) -> None:
    assert Bound(name="(1)", value=value).vacuous
    assert Bound(name="(1)", value=value, trivial=1.5).vacuous == (value != 1.0)


def binomial_tail(errors: int, n: int, q: float) -> float:
    """P(Binomial(n, q) <= errors)."""
    return math.fsum(math.comb(n, i) * q**i * (1 - q) ** (n - i) for i in range(errors + 1))


@given(st.integers(1, 200), st.data(), st.floats(1e-6, 0.9))
def test_binomial_limit_solves_its_defining_equation(
    n: int, data: st.DataObject, delta: float
) -> None:
    errors = data.draw(st.integers(0, n - 1))
    limit = binomial_upper(errors, n, delta)
    assert 0 < limit < 1
    assert binomial_tail(errors, n, limit) == pytest.approx(delta, rel=1e-7)


def test_binomial_limit_in_closed_form() -> None:
    # no error among 59: 1 - .05^(1/59) = .04951; one error of one, and the last but one
    assert binomial_upper(0, 59, 0.05) == pytest.approx(1 - 0.05 ** (1 / 59), rel=1e-12)
    assert binomial_upper(0, 59, 0.05) == pytest.approx(0.0495, abs=5e-5)
    assert binomial_upper(9, 10, 0.1) == pytest.approx(0.9**0.1, rel=1e-12)
    assert binomial_upper(7, 7, 0.05) == 1.0


@pytest.mark.parametrize("q", [0.01, 0.2, 0.5, 0.93])
def test_binomial_limit_covers_and_is_not_wasteful(q: float) -> None:
    n, delta = 40, 0.1
    weights = [math.comb(n, k) * q**k * (1 - q) ** (n - k) for k in range(n + 1)]
    limits = [binomial_upper(k, n, delta) for k in range(n + 1)]
    assert sum(w for w, limit in zip(weights, limits, strict=True) if q <= limit) >= 1 - delta
    # shifted down by one error, the limit would miss more than delta
    lower = [0.0, *limits[:-1]]
    assert sum(w for w, limit in zip(weights, lower, strict=True) if q <= limit) < 1 - delta


def test_binomial_limit_refuses() -> None:
    for errors, n in ((0, 0), (-1, 5), (6, 5)):
        refused(OptionError, "errors among", binomial_upper, errors, n, 0.05)
    refused(OptionError, "delta", binomial_upper, 1, 5, 1.0)
