"""Ctrl-C and a time limit inside a long solve keep the best certified answer so far."""

import json
import signal
from pathlib import Path

import pytest
from processes import ended, until

from radprog.instances.generators import waveform


@pytest.fixture
def long(folder, request) -> Path:
    """A file whose fit takes many seconds."""
    data = waveform(getattr(request, "param", 1500), seed=0)
    lines = [
        ",".join([*map(repr, point), str(int(sign))])
        for point, sign in zip(data.X.tolist(), data.targets, strict=True)
    ]
    path = folder / "long.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


ARGUMENTS = ("--scale", "ball", "--lam", "1e-6", "--beta", "1e-6", "--tol", "1e-9")


def check(result: dict, reason: str) -> None:
    assert (result["status"], result["stopped_by"]) == ("limit", reason)
    assert not result["certified"]
    assert 0 < result["bound"] < result["objective"] <= 1


@pytest.mark.thorough
@pytest.mark.usefixtures("hangup")
@pytest.mark.parametrize(
    ("long", "method", "number"),
    [
        (1000, "colgen", signal.SIGINT),
        (1000, "colgen", signal.SIGTERM),
        (1000, "colgen", signal.SIGHUP),
        (400, "dual", signal.SIGINT),
    ],
    indirect=["long"],
)
def test_ctrl_c(start, long, method, number) -> None:
    log = long.parent / "solver.log"
    process = start("solve", "vkr", long, *ARGUMENTS, "--method", method, "--json", "r.json",
                    "--verbose", "--log", log)  # fmt: skip
    if method == "colgen":
        for _ in range(3):  # some rounds are done
            assert process.stderr.readline()
    else:  # built and handed over: the solver counts its iterations
        until(lambda: log.exists() and "Iteration" in log.read_text(), process)
    process.send_signal(number)
    code, _, errors = ended(process)
    assert code == 1, errors
    files = ["long.csv", "solver.log", "test.csv", "train.csv"]
    if method == "colgen" or "before the first step" not in errors:  # the solver has a point or not
        check(json.loads((long.parent / "r.json").read_text()), "interrupt")
        files.append("r.json")
    assert sorted(path.name for path in long.parent.iterdir()) == sorted(files)
