"""Partly labelled points: labels of any number and kind, missing ones, files like another."""

from pathlib import Path

import numpy as np
import pytest
from refusals import refused
from small_files import written

import radprog as rp

ROWS = "1,2,b\n2,3,a\n3,1,\n4,4,?\n5,0,c\n0,1,a\n"


def test_missing_labels_are_unknown(tmp_path: Path) -> None:
    data = rp.read_partly_labelled(written(tmp_path, ROWS))
    assert data.labels == ("a", "b", "c")
    assert data.codes.tolist() == [1, 0, -1, -1, 2, 0]
    assert (data.rows, data.columns, data.n_classes) == (6, 2, 3)
    assert data.known.tolist() == [True, True, False, False, True, True]
    with pytest.raises(rp.DataError, match="row 3 has no label"):
        _ = data.targets


def test_hide_and_take() -> None:
    data = rp.partly_labelled([[0.0], [1.0], [2.0]], ["x", None, "y"])
    hidden = data.hide(np.array([0]))
    assert hidden.codes.tolist() == [-1, -1, 1]
    assert hidden.sha256 != data.sha256
    assert data.take(np.array([2, 0])).codes.tolist() == [1, 0]


def test_strings_and_holes_in_features_name_their_place(tmp_path: Path) -> None:
    with pytest.raises(rp.DataError, match=r"row 2, column 1.*got 'red', expected a number"):
        rp.read_partly_labelled(written(tmp_path, "1,2,a\n3,red,b\n"))
    with pytest.raises(rp.DataError, match=r"row 2, column 0.*cell is missing"):
        rp.read_partly_labelled(written(tmp_path, "1,2,a\n?,2,b\n"))
    refused(rp.DataError, "X holds strings", rp.partly_labelled, ["ab", "cd"])
    with pytest.raises(rp.DataError, match=r"y has shape \(2,\), expected \(3,\)"):
        rp.partly_labelled([[1.0], [2.0], [3.0]], ["a", "b"])
