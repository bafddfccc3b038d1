"""The same answer whatever the hash seed."""

import json

import pytest
from determinism import CATALOG, ROWS, compared, differences


@pytest.mark.slow
@pytest.mark.thorough
def test_two_models_on_few_rows() -> None:
    count, files = compared(["svm", "lpdsk"], 48)
    assert count >= 15
    assert files == []


@pytest.mark.slow
def test_every_method_and_form_of_every_model() -> None:
    count, files = compared((), ROWS)
    assert files == []
    assert count > 2 * sum(len(entry.methods) for entry in CATALOG.values())


def test_times_are_left_out_and_digits_are_not(tmp_path) -> None:
    first, second = tmp_path / "a", tmp_path / "b"
    for folder, seconds, value in ((first, 1.0, 0.1), (second, 2.0, 0.1)):
        folder.mkdir()
        result = {
            "time": {"total": seconds},
            "trace": [{"seconds": seconds, "objective": value}],
        }
        (folder / "run.json").write_text(json.dumps(result))
        (folder / "p.mps").write_bytes(b"NAME\n")
    assert list(differences(first, second)) == []
    (second / "run.json").write_text('{"trace": [{"objective": 0.10000000000000002}]}')
    (second / "p.mps").unlink()
    assert list(differences(first, second)) == ["p.mps", "run.json"]
