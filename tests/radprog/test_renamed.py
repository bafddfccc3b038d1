"""A former name works, warns, and says what it is called now."""

from __future__ import annotations

import pytest

import radprog as rp


def test_a_former_name_warns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(rp._RENAMED, "read_file", ("read", "0.3"))
    with pytest.warns(DeprecationWarning, match=r"read_file is radprog\.read now.*version 0\.3"):
        assert rp.read_file is rp.read
    assert "read_file" not in dir(rp)


def test_former_names_lead_somewhere() -> None:
    for old, (present, gone) in rp._RENAMED.items():
        assert old not in rp.__all__
        assert hasattr(rp, present)
        assert tuple(map(int, gone.split("."))) > tuple(map(int, rp.__version__.split(".")[:2]))
