"""Which tests run: ``data`` only where RADPROG_DATA is set, ``checkout`` only where the links of
tests/.ns are,
``slow`` only when asked for, and under ``--sample N`` no ``thorough`` ones and at most N cases of a
function, unless RADPROG_TESTS says more. But in full, of a function marked ``cases(N)`` at most N
cases; of one that is not at most THOROUGH where it is ``thorough``, else at the gate CASES."""

import os
import signal
from collections import defaultdict
from collections.abc import Iterator, Sequence

import pytest
from effort import EVERY_CASE, FULL

THOROUGH = 1  # case of a function, each of a second or more, that the gate runs
CASES = 6  # of any other


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--sample",
        type=int,
        metavar="N",
        help="quick tests alone, each with at most N of its cases, spread evenly",
    )


def allowed(item: pytest.Item) -> int | None:
    """How many cases of a function its marks allow."""
    marker = item.get_closest_marker("cases")
    if marker is not None:
        return int(marker.args[0])
    if item.get_closest_marker("thorough"):
        return THOROUGH
    return CASES if FULL else None


def sampled(items: Sequence[pytest.Item], cases: int | None) -> list[pytest.Item]:
    """At most ``cases`` items of each test function, and no more than its marks allow: the first,
    the last, evenly between."""
    functions = defaultdict(list)
    for item in items:
        functions[item.nodeid.partition("[")[0]].append(item)
    kept = []
    for alike in functions.values():
        limits = (cases, None if EVERY_CASE else allowed(alike[0]))
        few = min([len(alike), *(limit for limit in limits if limit is not None)])
        places = {i * (len(alike) - 1) // max(few - 1, 1) for i in range(few)}
        kept += [alike[i] for i in sorted(places)]
    return kept


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    sample = None if FULL else config.getoption("sample")
    left_out = []
    if "slow" not in (config.getoption("-m") or ""):
        left_out.append("slow")
    if not os.environ.get("RADPROG_DATA"):
        left_out.append("data")
    if not (config.rootpath / "tests" / ".ns").exists():
        left_out.append("checkout")
    if sample is not None:
        left_out.append("thorough")
    kept = [item for item in items if not any(item.get_closest_marker(m) for m in left_out)]
    kept = sampled(kept, sample)
    if len(kept) < len(items):
        those = set(kept)
        config.hook.pytest_deselected(items=[item for item in items if item not in those])
        items[:] = kept


@pytest.fixture
def ctrl_c() -> Iterator[None]:
    """Ctrl-C has its usual effect: the background job of a shell ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
