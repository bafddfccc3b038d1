"""Packed files are read as what they hold."""

import gzip
import zipfile
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from refusals import refused

import radprog as rp
from radprog.base.limits import OutOfBudget, under
from radprog.examples import write_examples
from radprog.instances import tables


def packed(path: Path) -> Path:
    target = path.with_name(path.name + ".gz")
    target.write_bytes(gzip.compress(path.read_bytes(), mtime=0))
    return target


def test_a_packed_file_is_the_file(tmp_path: Path) -> None:
    write_examples(["classes", "series", "sinc"], tmp_path)
    for name, read in (
        ("few.csv", rp.read),
        ("waves_TRAIN.tsv", rp.read_series),
        ("sinc.csv", rp.read_regression),
    ):
        plain, same = read(tmp_path / name), read(packed(tmp_path / name))
        assert np.array_equal(plain.X, same.X)
        assert plain.sha256 == same.sha256
        assert same.name == f"{name}.gz"


def test_the_format_is_that_of_what_is_packed(tmp_path: Path) -> None:
    path = tmp_path / "a.SVM"
    path.write_text("1 1:2.5\n-1 2:1\n")
    assert rp.read(packed(path)).X.tolist() == [[2.5, 0.0], [0.0, 1.0]]


def test_damaged_and_too_large_files_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.csv"
    path.write_text("1,2,a\n3,4,b\n" * 100)
    whole = packed(path)
    cut = tmp_path / "cut.csv.gz"
    cut.write_bytes(whole.read_bytes()[:-12])
    refused(rp.DataError, r"cut\.csv\.gz: cannot be unpacked", rp.read, cut)
    monkeypatch.setattr(tables, "LARGEST_UNPACKED", 1000)
    refused(rp.DataError, "more than 0 MiB, unpacked", rp.read, whole)


def test_packed_arrays_are_capped_by_the_directory_of_the_archive(tmp_path: Path) -> None:
    path = tmp_path / "bomb.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in ("X.npy", "json.npy"):
            with archive.open(name, "w") as entry:
                for _ in range(65):
                    entry.write(bytes(1 << 22))
    for read in (rp.read_series, rp.load_fit):
        refused(rp.DataError, r"bomb\.npz: .* MiB unpacked, expected at most", read, path)


def test_a_limit_ends_the_unpacking_of_a_table(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("1,2,a\n3,4,b\n")
    with pytest.raises(OutOfBudget), under(SimpleNamespace(spent=lambda: True)):
        tables.read_bytes(packed(path))
