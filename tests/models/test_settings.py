"""The parsers of texts that the settings of all models share."""

import dataclasses

import numpy as np
import pytest
from refusals import refused

import radprog as rp
from radprog.base.settings import of_type
from radprog.catalog import CATALOG
from radprog.decompositions.run import RunSettings
from radprog.models.kernels import number_list
from radprog.models.settings import yes_or_no


def test_yes_or_no() -> None:
    assert all(yes_or_no(text) for text in ("yes", "True", "ON", "1"))
    assert not any(yes_or_no(text) for text in ("no", "False", "OFF", "0"))
    for text in ("", "y", "2", "yes no"):
        refused(ValueError, "expected yes or no", yes_or_no, text)


def test_every_flag_of_every_model_is_read_alike() -> None:
    flags = [
        field.metadata["parse"]
        for entry in CATALOG.values()
        for field in dataclasses.fields(entry.spec)
        if field.default is False
    ]
    assert len(flags) >= 5
    assert set(flags) == {yes_or_no}


@pytest.mark.parametrize("kind", [RunSettings, *(entry.spec for entry in CATALOG.values())])
def test_defaults_are_valid_as_they_stand(kind: type) -> None:
    """They are neither converted nor checked when settings are made."""
    for field in dataclasses.fields(kind):
        default, own = field.default, field.metadata
        if default is dataclasses.MISSING:
            assert field.default_factory() == {}
            continue
        assert of_type(field, default) is default
        if default is not None and own.get("make") is not None:
            made = own["make"](default)
            assert (type(made), made) == (type(default), default)
        if default is not None and own.get("allowed"):
            assert default in own["allowed"]
        if default is not None and own.get("check") is not None:
            own["check"](field.name, default)


def test_numbers() -> None:
    assert number_list("A", "1, 2.5,3e-2") == (1.0, 2.5, 0.03)
    np.testing.assert_allclose(
        number_list("A", "1e-3..1e2:6"), 10.0 ** np.arange(-3, 3), rtol=1e-11
    )
    assert number_list("A", "4..1:3") == (4.0, 2.0, 1.0)
    assert number_list("A", "7..9:1") == (7.0,)
    for text in ("a..b:3", "1..2", "1..2:x", "1,,2", "", "1..2:3:4"):
        refused(rp.OptionError, r"expected a\.\.b:N or numbers a,b,c", number_list, "A", text)
    for text in ("0..1:3", "-1..1:3", "1..inf:3", "1..2:0", "nan..1:2"):
        refused(rp.OptionError, "expected a, b > 0 and N >= 1", number_list, "A", text)


@pytest.mark.parametrize("error", [TypeError, rp.OptionError])
def test_an_unknown_keyword_is_told_the_nearest(error: type[Exception]) -> None:
    with pytest.raises(error, match="LPBoost has no parameter beta; did you mean nu"):
        rp.LPBoost(beta=0.1)  # type: ignore[call-arg]
    with pytest.raises(error, match="CDSK has no parameter n_clusters; did you mean clusters"):
        rp.CDSK(n_clusters=3)  # type: ignore[call-arg]
