"""The papers' own files: what they hold, as their manifest says."""

import csv
import os
from collections import Counter
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest
from papers_files import listed, path_of

from radprog.instances.dataset import TableOptions, read, read_table
from radprog.instances.tables import read_bytes

pytestmark = pytest.mark.data
CATALOGUE = listed()


@pytest.fixture(scope="module")
def manifest():
    path = Path(os.environ["RADPROG_DATA"]) / "MANIFEST.tsv"
    with path.open(newline="", encoding="utf-8") as stream:
        return {row["file"]: row for row in csv.DictReader(stream, delimiter="\t")}


def counts_of(row):
    """``name:5 other name:7`` as a dictionary."""
    counts, words = {}, []
    for word in row["class_counts"].split():
        words.append(word)
        name, _, count = " ".join(words).rpartition(":")
        if name and count.isdigit():
            counts[name] = int(count)
            words = []
    return counts


def test_the_catalogue_is_the_manifest(manifest):
    assert {known["file"] for known in CATALOGUE} == set(manifest)
    for known in CATALOGUE:
        for key in ("rows", "features", "sha256"):
            assert known[key] == manifest[known["file"]][key]


def test_every_file_is_present():
    for known in CATALOGUE:
        assert sha256(path_of(known["file"]).read_bytes()).hexdigest() == known["sha256"]


@pytest.mark.parametrize("known", CATALOGUE, ids=lambda known: known["file"])
def test_every_table(manifest, known):
    row, path = manifest[known["file"]], path_of(known["file"])
    options = TableOptions(label="first" if known["file"].startswith("ucr/") else "last")
    table = read_table(str(path), read_bytes(str(path)), options)
    assert table.values.shape == (int(known["rows"]), int(known["features"]))
    assert Counter(table.roles.get("labels")) == counts_of(row)
    assert len(counts_of(row)) == int(row["classes"])
    # two classes are read as data, with the means of missing cells or without their rows
    if known["file"].startswith("vkr/"):
        data = read(path, missing="mean")
        assert (data.labels, data.sha256) == (("-1", "1"), row["sha256"])
        assert Counter(data.targets.tolist()) == {float(k): v for k, v in counts_of(row).items()}
        assert np.isnan(data.raw).sum() == int(row["missing"])
        dropped = read(path, missing="drop")
        assert dropped.rows == data.rows - np.isnan(data.raw).any(axis=1).sum()
