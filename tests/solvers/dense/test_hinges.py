"""Batches of hinge regressions: what a program may say."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from radprog.base.errors import RadprogError
from radprog.solvers.dense.hinges import HingeProgram

SOUND = HingeProgram(
    F=np.ones((4, 2)), t1=np.zeros((3, 4)), t2=np.ones((3, 4)), c=np.zeros((3, 4)),
    box=(-1.0, 1.0), radius=1.0,
)  # fmt: skip


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"t2": np.ones((2, 4))}, r"\(2, 4\)"),
        ({"c": np.zeros((3, 5))}, r"\(3, 5\)"),
        ({"F": np.ones((5, 2))}, r"\(5, 2\)"),
        ({"costs": np.ones(3)}, "4 numbers > 0"),
        ({"costs": np.array([1.0, 0.0, 1.0, 1.0])}, "4 numbers > 0"),
        ({"gram": np.ones((4, 2))}, r"\(4, 4\)"),
        ({"radius": np.inf}, "finite radius"),
        ({"radius": 0.0}, "finite radius"),
        ({"price": -1.0}, "price"),
        ({"price": np.nan}, "price"),
        ({"box": (1.0, -1.0)}, "lower end"),
    ],
)
def test_what_is_no_program_is_refused(changed: dict[str, Any], said: str) -> None:
    with pytest.raises(RadprogError, match=said):
        replace(SOUND, **changed)


def test_some_of_a_batch() -> None:
    batch = replace(SOUND, c=np.arange(12.0).reshape(3, 4), radius=np.inf, price=2.0)
    some = batch.take([2, 0])
    assert some.c[:, 0].tolist() == [8.0, 0.0]
    assert some.t1.shape == some.t2.shape == (2, 4)
    assert some.price == 2.0
