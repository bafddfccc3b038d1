"""How hard random tests try, RADPROG_TESTS: quick (the default), full (the gate), random (nightly).

Quick draws fewer random cases; ``pytest --sample N`` leaves out more (conftest.py). Quick and full
draw the same cases each time; random draws new ones, as many as full.
"""

from __future__ import annotations

import os

from hypothesis import settings

PROFILES = ("quick", "full", "random")
PROFILE = os.environ.get("RADPROG_TESTS", "quick")
if PROFILE not in PROFILES:
    raise ValueError(f"RADPROG_TESTS is '{PROFILE}': expected one of {', '.join(PROFILES)}")
FULL = PROFILE != "quick"
# of every property, also one that does not say how many examples: a loaded machine fails none
settings.register_profile("radprog", deadline=None, derandomize=PROFILE != "random")
settings.load_profile("radprog")


def count(full: int, quick: int | None = None) -> int:
    """``full``, or in the quick profile ``quick``: a quarter unless said, and no fewer than 5."""
    few = max(full // 4, 5) if quick is None else quick
    return full if FULL else min(few, full)


def seeds(full: int, quick: int | None = None) -> range:
    """The first seeds."""
    return range(count(full, quick))


def examples(full: int, quick: int | None = None) -> settings:
    """Settings of a property: so many examples."""
    return settings(max_examples=count(full, quick))
