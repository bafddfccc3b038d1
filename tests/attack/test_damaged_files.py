"""Damaged data, fits, results, programs and solutions: read, or refused in one line, and soon."""

import contextlib
import gzip
import hashlib
import json
from pathlib import Path

import hostile
import numpy as np
import pytest
from effort import examples
from hostile_files import npy, npz
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from program_files import write_highs_solution
from within import within

SECONDS = 60.0
INSERTED = st.one_of(
    st.sampled_from([b"1e999", b"1e308", b"-1e200", b"1e-320", b"nan", b"inf", b"\xff\xfe"]),
    st.sampled_from([b"\x1b[31m", *(bytes([c]) for c in b"\n >=:,\"'?@[]{^/-+\\\0" + b"0")]),
    st.sampled_from([b"End\n", b"RANGES\n", b"QUADOBJ\n", b"BOUNDS\n", b"General\n", b"null"]),
    st.binary(max_size=5),
)
DAMAGE = st.lists(
    st.tuples(st.floats(0, 1), st.integers(0, 40), INSERTED, st.booleans()), min_size=1, max_size=4
)


K, LABELS = hostile.KERNEL, hostile.LABELS
SERIES = [f"{i % 3},{i % 2},{i},2.5:{'ab'[i % 2]}" for i in range(6)]
WHOLE = {
    "bad.csv": hostile.TEXTS["d.csv"].encode(),
    "numbers.csv": hostile.TEXTS["n.csv"].encode(),
    "centres.csv": b"1,2\n3,1\n",
    "bad.svm": hostile.TEXTS["d.svm"].encode(),
    "bad.arff": b"@relation r\n@attribute u real\n@attribute 'v w' {0,1}\n@attribute c {x,'y z'}\n"
    b"@data\n1,0,x\n2,1,'y z'\n4,0,x\n3,1,'y z'\n",
    "bad.tsv": hostile.SERIES.encode(),
    "bad.ts": "\n".join(["@timeStamps false", "@classLabel true a b", "@data", *SERIES]).encode(),
    "bad.npz": npz(X=np.arange(48.0).reshape(12, 2, 2), y=LABELS),
    "grams.npz": npz(K=np.array([K]), y=LABELS),
    "bad.npy": npy(K),
}
#: The file that is damaged, and the command that reads it.
READERS = [
    ("p.mps", "verify {} --time-limit 5"),
    ("p.lp", "verify {} --time-limit 5"),
    ("p.mps.gz", "verify {} --time-limit 5"),
    ("p.mps.names.json", "verify p.mps --time-limit 5"),
    ("true.sol", "load {} --names p.mps.names.json --data d.csv"),
    ("names.json", "load true.sol --names {} --data d.csv"),
    ("bad.tsv", "solve lpboost {} --length 2 --time-limit 5"),
    ("bad.csv", "solve l1svm {} --kernels poly:2 --time-limit 5"),
    ("bad.csv", "solve vkr {} --kernels edit --strings 0 --complexity massart --time-limit 5"),
    ("bad.csv", "solve cdsk {} --missing mean --time-limit 5"),
    ("bad.csv", "solve mkl --views {},d.csv --time-limit 5"),
    ("bad.csv", "predict fit.json {} -o -"),
    ("centres.csv", "solve l1svm d.csv --centres {} --time-limit 5"),
    ("numbers.csv", "solve svr {} --starts 2 --time-limit 5"),
    ("bad.svm", "solve svm {} --scale unit --time-limit 5"),
    ("bad.arff", "solve simsvm {} --kernels linear --time-limit 5"),
    ("bad.ts", "solve lpboost {} --length 2 --time-limit 5"),
    ("bad.npz", "solve lpboost {} --time-limit 5"),
    ("grams.npz", "solve mkl --grams {} --time-limit 5"),
    ("bad.npy", "solve lpdsk u.csv --similarity {} --time-limit 5"),
    ("bad.npy", "solve vkr d.csv --kernels file:{} --time-limit 5"),
    ("fit.json", "predict {} d.csv -o -"),
    ("run.json", "check {} d.csv"),
    ("run.json", "report {} -o page.html"),
]


@pytest.fixture(scope="module")
def whole(place: Path) -> Path:
    """Whole files of every kind."""
    with contextlib.chdir(place):
        for name in ("p.lp", "p.mps.gz"):
            command = f"export vkr d.csv --kernels linear --form dual -o {name} --quiet"
            assert hostile.call(command.split()).code == 0
        write_highs_solution("p.mps", "true.sol")
        Path("names.json").write_bytes(Path("p.mps.names.json").read_bytes())
        for name, content in WHOLE.items():
            Path(name).write_bytes(content)
    return place


def damaged(whole: bytes, damage: list[tuple[float, int, bytes, bool]]) -> bytes:
    """Bytes cut out, put in and cut off."""
    for share, length, inserted, cut in damage:
        start = int(share * len(whole))
        whole = whole[:start] + inserted + (b"" if cut else whole[start + length :])
    return whole


@settings(examples(150, quick=4), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(damage=DAMAGE)
@example(damage=[(0.12109375, 0, b"1e999", False)])  # an index that is none of the form
@pytest.mark.cases(14)
@pytest.mark.parametrize(("name", "command"), READERS, ids=[command for _, command in READERS])
def test_a_damaged_file_ends_in_an_answer_or_in_one_line(
    whole: Path, name: str, command: str, damage: list[tuple[float, int, bytes, bool]]
) -> None:
    file, names = whole / name, whole / f"{name}.names.json"
    before, named = file.read_bytes(), names.read_bytes() if names.exists() else None
    content = gzip.decompress(before) if name.endswith(".gz") else before
    content = damaged(content, damage)
    file.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    if named is not None:  # the hash is that of the damaged file, or it would not be read
        told = json.loads(named) | {"sha256": hashlib.sha256(file.read_bytes()).hexdigest()}
        names.write_text(json.dumps(told))
    (whole / "page.html").unlink(missing_ok=True)
    try:
        with contextlib.chdir(whole), within(SECONDS):
            found = hostile.call([*command.replace("{}", name).split(), "--quiet"])
    finally:
        file.write_bytes(before)
        if named is not None:
            names.write_bytes(named)
    assert found.code in (0, 1, 2), found
    assert "\x1b" not in found.err
    assert "defect of radprog" not in found.err
    if found.code == 2:
        assert found.err.startswith("radprog: error: ")
        assert found.err.count("\n") == 1
        assert (found.out, found.warned) == ("", [])
        assert not (whole / "page.html").exists()
