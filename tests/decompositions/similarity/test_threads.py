"""The same answer to the last digit, whatever the threads of the machine and the hash seed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

import pytest

FITS = """
import json
import numpy as np
from radprog.decompositions.run import RunSettings
from radprog.decompositions.similarity.cdsk import fit_cdsk
from radprog.decompositions.similarity.forms import cdsk_form
from radprog.decompositions.similarity.lpdsk import fit_lpdsk
from radprog.decompositions.similarity.simsvm import fit_simsvm
from radprog.instances.dataset import dataset
from radprog.instances.unlabelled import partly_labelled
from radprog.models.similarity.settings import CDSK, LPDSK, SimSVM

rng = np.random.default_rng(0)
X = rng.normal(size=(150, 6)) + 1.5 * (np.arange(150) % 3)[:, None]
points, part = partly_labelled(X, np.arange(150) % 3), partly_labelled(X, np.arange(150) % 3)
part = part.hide(np.arange(30, 150))
few = RunSettings(max_iter=10)
runs = [
    *(fit_cdsk(CDSK(objective=name), points, few) for name in ("ratio", "scaled")),
    fit_lpdsk(LPDSK(), part, RunSettings(max_iter=5)),
    fit_simsvm(SimSVM(kernels="laplace:0.3"), dataset(X, np.arange(150) % 2), RunSettings()),
]
built = cdsk_form(CDSK(), points, "weights", RunSettings(max_iter=3))
told = [[run.objective, run.bound, run.summary, run.evidence] for run in runs]
print(json.dumps([*told, built.expected, built.iterate]))
"""


def answers(threads: int) -> Any:
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "PYTHONHASHSEED")
    environment = {**os.environ, **dict.fromkeys(names, str(threads))}
    done = subprocess.run(
        [sys.executable, "-Pc", FITS], env=environment, capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)


@pytest.mark.slow
def test_threads_and_hash_seed_change_nothing() -> None:
    assert answers(1) == answers(2)
