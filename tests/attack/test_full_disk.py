"""A disk that is full after k bytes, for many k: an output is old or new, never half."""

import json
import resource
from contextlib import contextmanager

import hostile
import pytest
from effort import count

OLD = b"old"
#: What writes files, and the files.
WRITERS = {
    "solve svm d.csv --json r.json --save f.json": ("r.json", "f.json"),
    "solve svm d.csv --json r.json --plot r.svg": ("r.json", "r.svg"),
    "solve srm n.csv --gammas 1 --As 1 --trials 2 --starts 1 --json s.json": ("s.json",),
    "tune svm d.csv --grid C=1,2 --folds 2 --json t.json --save f.json": ("t.json", "f.json"),
    "export svm d.csv -o q.mps": ("q.mps", "q.mps.names.json"),
    "export svm d.csv -o q.lp.gz": ("q.lp.gz", "q.lp.gz.names.json"),
    "export svm d.csv -o q.nl": ("q.nl", "q.nl.names.json"),
    "complexity l1svm d.csv --trials 5 --json c.json": ("c.json",),
    "analyze svm d.csv --json a.json": ("a.json",),
    "price vkr.json --data d.csv --kernels rbf:1 --json p.json": ("p.json",),
    "predict fit.json d.csv -o o.csv": ("o.csv",),
    "check run.json d.csv --json c.json": ("c.json",),
    "report run.json -o r.html": ("r.html",),
    "verify p.mps --json v.json": ("v.json",),
}


@contextmanager
def disk_of(size: int):
    """No file may grow beyond so many bytes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def steps(sizes: list[int]) -> list[int]:
    """Bytes at which a write fails: none, the first ones, shares of the largest file, whose size
    is not the same twice: it tells times."""
    chosen = [0, 1, *(max(sizes) * i // 16 for i in range(1, 15))]
    few = count(len(chosen), quick=3)
    return [chosen[i * (len(chosen) - 1) // max(few - 1, 1)] for i in range(few)]


@pytest.mark.parametrize("command", WRITERS)
def test_a_full_disk_leaves_the_old_files(place, command: str, monkeypatch) -> None:
    monkeypatch.chdir(place)
    files = [place / name for name in WRITERS[command]]
    assert hostile.call([*command.split(), "--quiet"]).code in (0, 1)
    sizes = [path.stat().st_size for path in files]
    for size in steps(sizes):
        for path in files:
            path.unlink(missing_ok=True) if path.name == "c.json" else path.write_bytes(OLD)
        before = hostile.contents(place)
        with disk_of(size):
            found = hostile.call([*command.split(), "--quiet"])
        assert found.code == 2, (size, found)
        assert found.err.startswith("radprog: error: cannot "), found
        assert found.err.count("\n") == 1
        left = {place / name for name in set(hostile.contents(place)) ^ set(before)}
        assert left <= set(files), size  # no draft
        for path, whole in zip(files, sizes, strict=True):
            if path.exists() and path.read_bytes() != OLD:  # it had room before the other had none
                assert path.stat().st_size <= size or path.stat().st_size == whole
                if path.suffix == ".json":
                    json.loads(path.read_text())
    for path in files:
        path.unlink(missing_ok=True)
