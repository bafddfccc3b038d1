"""Views of the same points from several files, and many classes."""

import json
from pathlib import Path

import numpy as np
import pytest
from refusals import refused

import radprog as rp
from radprog.instances.data import fit_scaler

ROWS = 9
LABELS = ["7", "16", "3", "7", "16", "3", "7", "16", "7"]


def write(path: Path, width: int, seed: int, labels: list[str] = LABELS) -> None:
    values = np.random.default_rng(seed).normal(size=(ROWS, width)).round(3) + seed
    rows = zip(values.tolist(), labels, strict=True)
    path.write_text("".join(",".join(map(str, [*row, label])) + "\n" for row, label in rows))


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    paths = [tmp_path / "one.csv", tmp_path / "two.csv"]
    for seed, (path, width) in enumerate(zip(paths, (3, 2), strict=True)):
        write(path, width, seed)
    return paths


def test_views_stand_side_by_side(files: list[Path]) -> None:
    data = rp.read_views(files)
    assert data.X.shape == (ROWS, 5)
    assert data.views == (("one", 0, 3), ("two", 3, 5))
    assert data.labels == ("3", "7", "16")
    assert data.targets.tolist() == [1, 2, 0, 1, 2, 0, 1, 2, 1]
    assert data.name == "2 views"


def test_two_of_many_classes(files: list[Path]) -> None:
    data = rp.read_views(files, classes=["7", "16"])
    assert data.rows == 7
    assert data.targets.tolist() == [-1, 1, -1, 1, -1, 1, -1]
    assert rp.read_views(files, classes=["7", "16"], positive="7").targets[0] == 1


@pytest.mark.parametrize("scale", ["standard", "ball", "unit"])
def test_every_view_is_scaled_by_itself(files: list[Path], scale: str) -> None:
    raw = rp.read_views(files).raw
    scaled = rp.read_views(files, scale=scale).X
    for first, end in ((0, 3), (3, 5)):
        part = raw[:, first:end]
        assert np.allclose(scaled[:, first:end], fit_scaler(scale, part)(part))


def test_folds_are_scaled_by_their_training_rows(files: list[Path]) -> None:
    data = rp.read_views(files, scale="standard")
    train, test = data.partition(np.arange(5), np.arange(5, 9))
    assert np.allclose(train.X.mean(axis=0), 0.0)
    assert np.allclose(test.X[:, :3], fit_scaler("standard", data.raw[:5, :3])(data.raw[5:, :3]))
    assert test.targets.tolist() == data.targets[5:].tolist()


def test_recipes_of_some_classes(files: list[Path]) -> None:
    data = rp.read_views(files, classes=["7", "16"], scale="standard")
    like = rp.Dataset.from_recipe(json.loads(json.dumps(data.recipe())))
    assert like.recipe() == data.recipe()
    again = rp.read_views(files, like=like)
    assert np.allclose(again.X, data.X)
    assert again.targets.tolist() == data.targets.tolist()


def test_files_that_do_not_fit_together(files: list[Path], tmp_path: Path) -> None:
    short, other, holed = (tmp_path / name for name in ("s.csv", "o.csv", "h.csv"))
    short.write_text("\n".join(files[1].read_text().splitlines()[:-1]) + "\n")
    write(other, 2, 1, LABELS[::-1])
    for path, message in ((short, "8 rows, but .* has 9"), (other, "other labels")):
        refused(rp.DataError, message, rp.read_views, [files[0], path])
    lines = files[1].read_text().splitlines()
    holed.write_text("\n".join([",".join(["?", *lines[0].split(",")[1:]]), *lines[1:]]) + "\n")
    refused(rp.DataError, "the cell is missing", rp.read_views, [files[0], holed])
    refused(rp.OptionError, "no view", rp.read_views, [])
    refused(rp.OptionError, "scale 'loud'", rp.read_views, files, scale="loud")
    with pytest.raises(rp.DataError, match="1 views given, the training data has 2"):
        rp.read_views(files[:1], like=rp.read_views(files))
