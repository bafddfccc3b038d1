"""Files of the papers' programs have the values that SCIP finds."""

from pathlib import Path

import pytest
from paper_forms import draws, examine

from radprog.catalog import CATALOG
from radprog.solvers.registry import SOLVERS

FORMS = [f"{model}-{form}" for model, entry in CATALOG.items() for form in entry.forms]
SLOW = ("mkl-dc", "complexity-global")  # seconds of SCIP


@pytest.mark.cases(12)
@pytest.mark.parametrize("form", [form for form in FORMS if form not in SLOW])
@pytest.mark.skipif(not SOLVERS["scip"].installed(), reason="SCIP is not installed")
def test_a_file_agrees_with_scip(form: str, tmp_path: Path) -> None:
    (drawn,) = draws(1, tmp_path, [form])
    assert "DIFFERS" not in examine(drawn, tmp_path, seconds=10.0)


@pytest.mark.parametrize("seed", [1, 5])
def test_cones_of_weightless_kernels_are_fine(seed: int, tmp_path: Path) -> None:
    """The value was off by 2e-5 to 4e-4 with cones in units of their size."""
    (drawn,) = draws(seed, tmp_path, ["mkl-primal"])
    assert examine(drawn, tmp_path) == ""
