"""What commands refuse: the call, and words of the one line that says why. No file is left."""

from pathlib import Path

import numpy as np
import pytest

TUNE = "tune vkr train.csv --grid lam=1e-1..1e-3:6"
ANALYZE = "analyze vkr train.csv --kernels poly:1"
REFUSED = [
    (f"{ANALYZE} --fix shortfall", "NAME=VALUE"),
    (f"{ANALYZE} --fix shortfall[99]=0", "99"),
    (f"{ANALYZE} --fix margin=1", "alpha_plus"),
    (f"{ANALYZE} --method direct", "direct"),
    (f"{ANALYZE} --solver nobody", "nobody"),
    (f"{ANALYZE} --solver piqp", "LP"),
    (f"{ANALYZE} --json nowhere/a.json", "nowhere"),
    (f"{ANALYZE} --json train.csv", "overwrite"),
    (f"{ANALYZE} --solver-option k", "K=V"),
    ("analyze srm train.csv", "srm"),
    ("solve plan.mps", "radprog decompose, analyze, certify and prove do"),
    ("bounds run.json train.csv", "a table is given by --data train.csv"),
    ("complexity vkr train.csv --exact", "sign vectors"),
    ("complexity vkr train.csv --kernels edit", "strings"),
    ("complexity vkr nobody.csv", "nobody.csv"),
    ("complexity vkr train.csv --json nowhere/c.json", "nowhere/c.json"),
    ("complexity mkl train.csv --kernels rbf:1,rbf:2 --variant dc --norm 2", "norm 1"),
    ("solve svr one.csv", "one.csv"),
    ("solve svr nan.csv", "--missing"),
    ("solve complexity sinc.csv --C 1", "unknown option or argument: --C"),
    ("complexity svr sinc.csv", "invalid choice: 'svr'"),
    ("solve lpdsk train.csv --box none", "needs a box of at most 0.1 here"),
    ("solve svm sinc.csv --kernels linear", "(numeric targets: read_regression, of svr,"),
    ("solve svr sinc.csv --form step", "unknown option or argument: --form step"),
    ("solve cdsk train.csv --weights x", "unknown option or argument: --weights x"),
    ("tune complexity sinc.csv --grid A=1,2", "invalid choice: 'complexity'"),
    ("tune srm sinc.csv --grid A=1,2", "invalid choice: 'srm'"),
    ("tune cdsk train.csv --grid lam=1,2 --folds 3", "by distortion, which holds no rows out"),
    ("solve mkl train.csv --kernels linear --theta 3", "kernel linear has rank 3, so with theta 3"),
    ("solve mkl train.csv --method qcqp --max-iter 3", "--max-iter has no meaning"),
    ("tune vkr train.csv --grid lam=0..1:3", "a, b > 0"),
    ("tune vkr train.csv --grid scale=none,odd", "unknown scale 'odd'"),
    ("tune vkr train.csv --grid scale=none --grid scale=unit", "given twice"),
    ("tune vkr train.csv --grid scale=none --scale unit", "given twice"),
    ("tune vkr train.csv --grid scale=unit,unit", "each once"),
    ("tune cdsk train.csv --grid clusters=2,3 --jobs 2", "leave --jobs and --checkpoint out"),
    (f"{TUNE} --jobs 0", "jobs 0: expected a whole number >= 1, or all"),
    (f"{TUNE} --jobs -2", "jobs -2"),
    (f"{TUNE} --jobs many", "jobs many: expected a whole number >= 1, or all"),
    (f"{TUNE} --jobs 2 --log s.log", "s.log: 2 processes"),
    (f"{TUNE} --scheduler head:8786", "expected local, tls://HOST:PORT"),
    (
        f"{TUNE} --scheduler nowhere.json",
        "scheduler nowhere.json: No such file or directory: expected",
    ),
    ("solve vkr train.csv --method dual --jobs 2", "jobs 2: one fit of vkr is not divided"),
    ("solve svm train.csv --jobs 2", "jobs 2: one fit of svm is not divided"),
    ("solve svm train.csv --scheduler local", "scheduler local: one fit of svm"),
    ("solve svr sinc.csv --method global --jobs 2", "one fit of svr by method global"),
    (
        "solve complexity sinc.csv --method exact --checkpoint kept",
        "nothing of one fit of complexity by",
    ),
]


@pytest.fixture
def files(folder: Path) -> Path:
    """Files that some calls name."""
    x = np.linspace(-1, 1, 10)
    lines = [f"{a!r},{b!r}" for a, b in zip(x.tolist(), np.sinc(x).tolist(), strict=True)]
    contents = {"sinc.csv": lines, "one.csv": lines[:1], "nan.csv": [*lines, "nan,1"]}
    for name, rows in contents.items():
        Path(name).write_text("\n".join(rows) + "\n")
    return folder


@pytest.mark.parametrize(("call", "words"), REFUSED)
def test_refused(radprog, files, call, words) -> None:
    before = sorted(files.rglob("*"))
    radprog.refused(words, call)
    assert sorted(files.rglob("*")) == before
