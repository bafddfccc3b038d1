"""Names that every reader takes unchanged."""

import re

from hypothesis import given
from hypothesis import strategies as st

from radprog.solvers.formats.valid_names import KEYWORDS, is_valid_name, unique_names

RULE = re.compile(r"[A-Za-z_][A-Za-z0-9_.()]{0,63}")


def test_good_names_are_kept() -> None:
    names = ("margin(3)", "alpha_plus(2.5)", "x", "_e", "eta(1)", "epsilon", "freedom(1)", "a" * 64)
    assert all(map(is_valid_name, names))
    assert unique_names(names) == names


def test_bad_names_are_changed_to_good_ones() -> None:
    for name in (
        *("", "3x", ".x", "x y", "x[1]", "x,1", "x-1", "x^2", "x*", "a" * 65, "größe"),
        *("e12", "E", "e(3)", "ee.1", "e.5"),
        *("free", "FREE", "st", "s.t.", "End", "inf", "Infinity", "bounds", "min", "max(3)"),
        *("subject", "binary", "obj", "influence(1)", "BND(2)", "marker", "NaN_", "infinity_2"),
        *(f"{word}(1)" for word in sorted(KEYWORDS)),
    ):
        assert not is_valid_name(name)
        (changed,) = unique_names([name])
        assert is_valid_name(changed)


@given(st.lists(st.text(alphabet="ab1.([,_ e", max_size=70), max_size=30))
def test_names_are_valid_distinct_and_in_order(wanted) -> None:
    names = unique_names(wanted)
    assert len(names) == len(wanted) == len(set(names))
    assert all(RULE.fullmatch(name) and is_valid_name(name) for name in names)
    for place, raw in enumerate(wanted):  # a valid name is kept, unless it is taken
        if is_valid_name(raw) and raw not in wanted[:place]:
            assert names[place] == raw or raw in names[:place]


def test_long_names_with_the_same_start_stay_apart() -> None:
    names = unique_names(["v" * 80 + str(i) for i in range(200)])
    assert len(set(names)) == 200
    assert max(map(len, names)) <= 64
