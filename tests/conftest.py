"""Which tests run: ``data`` only where RADPROG_DATA is set, ``slow`` only when asked for."""

from __future__ import annotations

import os

import pytest


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    left_out = []
    if "slow" not in (config.getoption("-m") or ""):
        left_out.append("slow")
    if not os.environ.get("RADPROG_DATA"):
        left_out.append("data")
    deselected = [item for item in items if any(item.get_closest_marker(m) for m in left_out)]
    if deselected:
        config.hook.pytest_deselected(items=deselected)
        items[:] = [item for item in items if item not in set(deselected)]
