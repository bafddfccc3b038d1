import json

from refusals import refused

from radprog.base.types import Deferred


def test_a_deferred_module_stands_for_the_module() -> None:
    assert Deferred("json").loads is json.loads
    refused(AttributeError, "no attribute 'absent'", getattr, Deferred("json"), "absent")
    # an inspection does not import it
    absent = Deferred("no.such.module")
    assert not hasattr(absent, "__path__")
    refused(ModuleNotFoundError, "no", getattr, absent, "anything")
