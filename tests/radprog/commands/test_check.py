"""The lines of radprog check."""

import pytest

from radprog.commands.check import parts


@pytest.mark.parametrize(
    ("name", "bound", "verdict"),
    [
        ("radprog", "1.5", "the certificate holds"),
        ("scip", "not recomputed, of scip's search", "the result holds"),
    ],
)
def test_a_bound_that_a_solver_searched_is_not_called_recomputed(name, bound, verdict) -> None:
    values = {"objective": 1.5, "bound": 1.5, "gap": 0.0, "status": "optimal"}
    recomputed = {**values, "bound_by": name, "certified_by": "tol", "tolerance": 1e-6}
    table, *lines = parts(
        {"claimed": values, "recomputed": recomputed, "digest": "holds", "notes": (), "holds": True}
    )
    assert table.rows[1] == ("bound", "1.5", bound)
    assert not any("not recomputed" in line for line in lines)
    assert lines[-1] == f"{verdict}: its gap is within 1e-06"
