"""Patterns of names, as Pyomo and files write them."""

import pytest

from radprog.base.names import name_pattern

NAMES = [
    "need1x", "need[1]", "need[1,a]", "need[12]", "need(1.a)", "needs", "b[1].cap", "b(1).cap[2]",
    "x.y", "a*b", "",
]  # fmt: skip


@pytest.mark.cases(16)
@pytest.mark.parametrize(
    ("pattern", "fitting"),
    [
        ("need", ["need[1]", "need[1,a]", "need[12]", "need(1.a)"]),
        ("need[1]", ["need[1]"]),
        ("need(1)", ["need[1]"]),
        ("need[1]*", ["need[1]"]),
        ("need[1,*]", ["need[1,a]", "need(1.a)"]),
        ("need[*]", ["need[1]", "need[1,a]", "need[12]", "need(1.a)"]),
        ("need[1?]", ["need[12]"]),
        ("need?", ["needs"]),
        ("need*", ["need1x", "need[1]", "need[1,a]", "need[12]", "need(1.a)", "needs"]),
        ("b", ["b[1].cap", "b(1).cap[2]"]),
        ("b[*].cap", ["b[1].cap"]),
        ("b[*].cap*", ["b[1].cap", "b(1).cap[2]"]),
        ("x.y", ["x.y"]),
        ("x?y", ["x.y"]),
        ("a*b", ["a*b"]),
        ("NEED", []),
    ],
)
def test_only_stars_and_question_marks_are_wildcards(pattern, fitting) -> None:
    fits = name_pattern(pattern)
    assert [name for name in NAMES if fits(name)] == fitting
