"""Results of regression with a bounded loss, in words."""

import json
import re
from pathlib import Path

import numpy as np


def test_a_bound_by_sampled_signs_has_its_probability(radprog, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    X = np.linspace(-3, 3, 60)
    rows = zip(X.tolist(), np.sin(X).tolist(), strict=True)
    Path("sine.csv").write_text("".join(f"{x!r},{y!r}\n" for x, y in rows))
    few = ("--gamma", 0.1, "--trials", 50, "--starts", 1, "--json", "run.json")
    for A, name, more in ((1e-3, "sampled", " with probability 95%"), (30, "trivial", "")):
        found = radprog.ok("solve", "complexity", "sine.csv", "--A", A, *few)
        by = json.loads(Path("run.json").read_text())["certified_upper_by"]
        assert by["name"] == name
        assert re.search(rf"certified  at most [0-9.]+{more} \({name}\)\n", found.out)
    grid = ("--gammas", 0.1, "--As", "1e-3,30", "--trials", 50, "--starts", 1)
    found = radprog.ok("solve", "srm", "sine.csv", *grid)
    assert found.out.count("  *\n") == 1
    assert "at most: certified; *: with probability 95%" in found.out


def test_a_cut_enumeration_is_an_interval_that_check_recomputes(
    radprog, tmp_path, monkeypatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("four.csv").write_text("0,0.1\n1,0.9\n2,0.2\n3,0.7\n")
    solve = "solve complexity four.csv --gamma 1 --method exact --json run.json"
    for more, status, code in (((), "optimal", 0), (("--max-iter", 5), "limit", 1)):
        found = radprog(*solve.split(), *more)
        run = json.loads(Path("run.json").read_text())
        assert (found.code, run["status"], run["certified"]) == (code, status, code == 0)
        assert run["objective"] <= run["bound"] == run["certified_upper"]
        assert radprog("check", "run.json", "four.csv").code == 0
    assert "from below: 5 of 16 suprema are exact" in found.out
    assert "give a larger --max-iter" in found.out
