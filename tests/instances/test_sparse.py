"""Sparse rows: what is read and made stays sparse, and is what dense rows would be."""

from pathlib import Path

import numpy as np
import pytest
from refusals import refused
from scipy import sparse

import radprog as rp
from radprog.instances.sparse import read_linear

CLASSES = "b 1:2.5 4:1\na 2:-1\nb 4:3 # a comment\n".replace("b", "1").replace("a", "-1")
ROWS = [[2.5, 0, 0, 1], [0, -1, 0, 0], [0, 0, 0, 3]]


def written(folder: Path, text: str, name: str = "rows.svm") -> Path:
    (folder / name).write_text(text)
    return folder / name


def test_new_files_have_the_features_of_the_training_data(tmp_path: Path) -> None:
    data = read_linear(written(tmp_path, CLASSES))
    new = read_linear(written(tmp_path, "-1 2:7\n", "new.svm"), like=data)
    assert new.X.toarray().tolist() == [[0, 7, 0, 0]]
    assert new.targets.tolist() == [-1.0]
    with pytest.raises(rp.DataError, match="5 features given, expected 4"):
        read_linear(written(tmp_path, "-1 5:7\n", "new.svm"), like=data)


def test_other_files_and_scaled_ones_are_dense(tmp_path: Path) -> None:
    assert isinstance(read_linear(written(tmp_path, CLASSES), scale="standard"), rp.Dataset)
    table = "a,b,y\n1,2,0.5\n3,4,0.25\n5,6,1.5\n"
    assert isinstance(read_linear(written(tmp_path, table, "t.csv")), rp.Dataset)
    assert isinstance(read_linear(written(tmp_path, table, "t.csv"), one_vs_rest=True), rp.Dataset)


def test_rows_are_taken_and_hashed_by_their_entries() -> None:
    X = sparse.csc_matrix(ROWS)
    data = rp.sparse_data(X, [1, -1, 1])
    assert data.sha256 == rp.sparse_data(sparse.coo_array(ROWS), [1, -1, 1]).sha256
    assert data.sha256 != rp.sparse_data(X, [1, -1, -1]).sha256
    assert data.sha256 != rp.sparse_data(X * 2, [1, -1, 1]).sha256
    assert data.take(np.array([2, 0])).X.toarray().tolist() == [ROWS[2], ROWS[0]]
    assert data.weighed([2.0, 1.0, 1.0]).weights.tolist() == [2.0, 1.0, 1.0]


def test_sparse_rows_are_not_scaled() -> None:
    data = rp.sparse_data(np.eye(2), [0, 1])
    assert data.rescaled("none") is data
    refused(rp.OptionError, "dense", data.rescaled, "standard")
