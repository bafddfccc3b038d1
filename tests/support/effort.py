"""How hard random tests try, RADPROG_TESTS: quick (the default), gate, full or random (nightly).

Quick draws fewer random cases, the gate a third of all; ``pytest --sample N`` leaves out more of
quick (conftest.py). All but random draw the same cases each time; random draws new ones, as many as
full.
"""

import os

from hypothesis import settings

PROFILES = ("quick", "gate", "full", "random")
PROFILE = os.environ.get("RADPROG_TESTS", "quick")
if PROFILE not in PROFILES:
    raise ValueError(f"RADPROG_TESTS is '{PROFILE}': expected one of {', '.join(PROFILES)}")
FULL = PROFILE != "quick"
EVERY_CASE = PROFILE in ("full", "random")  # of every function
# of every property, also one that does not say how many examples: a loaded machine fails none
settings.register_profile("radprog", deadline=None, derandomize=PROFILE != "random")
settings.load_profile("radprog")


def count(full: int, quick: int | None = None) -> int:
    """``full``, or in the quick profile ``quick``: a quarter unless said, and no fewer than 5; at
    the gate a third of ``full``, and no fewer than in quick."""
    few = min(max(full // 4, 5) if quick is None else quick, full)
    if PROFILE == "gate":
        return max(full // 3, few)
    return full if FULL else few


def seeds(full: int, quick: int | None = None) -> range:
    """The first seeds."""
    return range(count(full, quick))


def examples(full: int, quick: int | None = None) -> settings:
    """Settings of a property: so many examples."""
    return settings(max_examples=count(full, quick))
