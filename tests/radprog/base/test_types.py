import json

import pytest

from radprog.base.types import Deferred


def test_a_deferred_module_stands_for_the_module() -> None:
    deferred = Deferred("json")
    assert deferred.loads is json.loads
    with pytest.raises(AttributeError, match="no attribute 'absent'"):
        deferred.absent  # noqa: B018


def test_a_deferred_module_is_not_imported_by_inspection() -> None:
    deferred = Deferred("no.such.module")
    assert not hasattr(deferred, "__path__")
    with pytest.raises(ModuleNotFoundError):
        deferred.anything  # noqa: B018
