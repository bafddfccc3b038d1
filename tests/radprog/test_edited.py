"""An edit of a result is caught: by its digest, and, where that is made anew, by recomputing.

``DIGEST`` names the kinds that only the digest catches; recomputing catches all others, of every
model.
"""

import copy
import json
from contextlib import chdir
from pathlib import Path

import pytest

import radprog as rp
from radprog.catalog import CATALOG
from radprog.cli import main
from radprog.commands.check import parts
from radprog.result import digest_of
from radprog.saved import EDITED
from radprog.solvers.program import relative_gap

STORED = Path(__file__).resolve().parent.parent / "stored"
COMMANDS = {
    "vkr": "points.csv --scale ball --kernels poly:1-3,rbf:0.5",
    "l1svm": "gaps.csv --missing mean --scale minmax --kernels laplace:0.5",
    "svm": "points.csv --scale standard --kernels poly:2 --C 3",
    "l1linear": "points.csv --scale standard --beta 0.05",
    "lpboost": "series.tsv --positive ramp --length 5",
    "mkl": "points.csv --kernels linear,rbf:0.1,rbf:1",
    "svr": "line.csv --gamma 4 --A 2",
    "complexity": "line.csv --gamma 1 --trials 6 --starts 2",
    "srm": "line.csv --gammas 0.1,1 --As 0.1,1 --trials 4 --folds 3",
    "cdsk": "three.csv --bandwidth 0.25*median --scale standard",
    "lpdsk": "part.csv --class-mass",
    "simsvm": "points.csv --scale standard --kernels laplace:0.3",
}
SETTING = {
    "vkr": "lam", "l1svm": "beta", "svm": "kernels", "lpboost": "nu", "mkl": "C", "svr": "eps_up",
    "complexity": "eps_up", "srm": "delta", "cdsk": "lam", "lpdsk": "lam", "simsvm": "lam",
    "l1linear": "beta",
}  # fmt: skip
POINT = {  # of the certificate: what objective or bound are evaluated at
    "vkr": "alpha", "l1svm": "d", "svm": "a", "lpboost": "w", "mkl": "a", "svr": "coefficients",
    "complexity": "coefficients", "srm": "coefficients", "cdsk": "a", "lpdsk": "a", "simsvm": "a",
    "l1linear": "w",
}  # fmt: skip


@pytest.fixture(scope="module", autouse=True)
def place(tmp_path_factory: pytest.TempPathFactory):
    folder = tmp_path_factory.mktemp("edited")
    for path in (*STORED.glob("*.csv"), *STORED.glob("*.tsv")):
        (folder / path.name).write_bytes(path.read_bytes())
    with chdir(folder):
        yield folder


@pytest.fixture(scope="module", params=COMMANDS)
def result(request: pytest.FixtureRequest, place: Path):
    model, name = request.param, f"{request.param}.json"
    data, *more = COMMANDS[model].split()
    words = [data, "--test", data.replace(".", ".new."), *more, "--json", name, "--quiet"]
    assert main(["solve", model, *words]) == 0
    return json.loads(Path(name).read_text())


def top(key: str, change):
    return lambda result: result.update({key: change(result[key])})


def inside(block: str, key: str, change):
    return lambda result: result[block].update({key: change(result[block][key])})


def by_model(block: str, keys: dict[str, str], change, other: str):
    return lambda result: inside(block, keys.get(result["model"], other), change)(result)


def moved(values):
    """The entry of largest size is 1 % off."""
    if isinstance(values[0], list):
        return [moved(values[0]), *values[1:]]
    place = max(range(len(values)), key=lambda i: abs(values[i]))
    return [1.01 * x if i == place else x for i, x in enumerate(values)]


def bound(result) -> None:
    value = result["objective"] if result["bound"] is None else result["bound"]
    result["bound"] = value * (1 + 1e-6)


def setting(result) -> None:
    name = SETTING[result["model"]]
    value = result["params"][name]
    other = "linear" if name == "kernels" else 7.0
    result["params"][name] = other if isinstance(value, str) else 1.25 * value


def another_method(result) -> None:
    known = (*CATALOG[result["model"]].methods, "load")
    result["method"] = next(method for method in known if method != result["method"])


def trace(result) -> None:
    last = result["trace"][-1]
    last["objective"] *= 0.5
    last["gap"] = relative_gap(last["objective"], last["bound"])


EDITS = {
    "status": top("status", lambda x: "feasible" if x == "optimal" else "optimal"),
    "stopped_by": top("stopped_by", lambda x: "interrupt"),
    "objective": top("objective", lambda x: x * (1 - 1e-6)),
    "bound": bound,
    "gap": top("gap", lambda x: 1e-3 if x is None else x + 1e-3),
    "certified": top("certified", lambda x: not x),
    "certified_by": top("certified_by", lambda x: None if x else "tol"),
    "tol": inside("params", "tol", lambda x: 1e-16),
    "test error": inside("test", "error", lambda x: 0.5 * x + 0.01),
    "test mae": inside("test", "mae", lambda x: 0.5 * x),
    "test rows": inside("test", "rows", lambda x: 10 * x),
    "test file": inside("test", "numbers", lambda x: "0" * 64),
    "a warning more": top("warnings", lambda x: [*x, "all is well"]),
    "data hash": inside("data", "numbers", lambda x: "0" * 64),
    "setting of the model": setting,
    "max_iter": inside("params", "max_iter", lambda x: 10**6),
    "coefficients": by_model("certificate", POINT, moved, ""),
    "a word for a point": by_model(
        "certificate", {**POINT, "mkl": "weights"}, lambda x: "none", ""
    ),
    "method": another_method,
    "model": top("model", lambda x: "simsvm" if x == "svm" else "svm"),
    "version": top("radprog", lambda x: "9.9"),
    "solver": inside("solver", "name", lambda x: "gurobi"),
    "trace": trace,
}
DIGEST = {"a warning more", "max_iter", "method", "version", "solver", "trace", "certified_by",
          "test rows"}  # fmt: skip
#: A result may hold as well with another tolerance or reason: then only the digest tells.
EITHER = {"tol", "stopped_by"}
REGRESSION = ("svr", "complexity", "srm")
WITHOUT = {  # models whose results make no such claim
    "test error": REGRESSION,
    "test mae": tuple(COMMANDS.keys() - {*REGRESSION}),
}


def checked(result) -> list[str]:
    """What does not hold, the test file at hand."""
    data, test = files_of(result)
    try:
        problems: list[str] = rp.check(result, data, test=test)["problems"]
    except rp.DataError as error:
        return [str(error)]
    return problems


def files_of(result) -> tuple[str, str]:
    name = result["data"]["name"]
    return name, name.replace(".", ".new.")


def test_edits_are_caught(result) -> None:
    model = result["model"]
    made = {kind for kind in EDITS if model not in WITHOUT.get(kind, ())}
    for kind in EDITS.keys() - made:
        with pytest.raises((KeyError, IndexError, TypeError, AttributeError)):
            EDITS[kind](copy.deepcopy(result))
    caught = set()
    for kind in made:
        edited = copy.deepcopy(result)
        EDITS[kind](edited)
        assert digest_of(edited) != result["digest"], kind
        edited["digest"] = digest_of(edited)
        if checked(edited):
            caught.add(kind)
    assert made - caught - EITHER == DIGEST


def test_a_stale_digest_fails_alone(radprog, result) -> None:
    edited = {**result, "radprog": "9.9"}
    assert checked(edited) == [EDITED]
    Path("edited.json").write_text(json.dumps(edited))
    told = radprog("check", "edited.json", files_of(result)[0])
    assert told.code == 1
    assert "digest     BROKEN" in told.out
    assert f"DOES NOT HOLD: {EDITED}" in told.out


def test_the_digest_leaves_out_times_and_the_way_of_writing(result) -> None:
    def rewritten(value):
        if isinstance(value, dict):
            return {key: rewritten(value[key]) for key in sorted(value, reverse=True)}
        if isinstance(value, list):
            return [rewritten(item) for item in value]
        return int(value) if isinstance(value, float) and value.is_integer() else value

    other = {**rewritten(result), "time": {"total": 1e9}, "peak_mb": 1.0}
    for record in other["trace"]:
        record["seconds"] += 1.0
    assert digest_of(other) == digest_of(json.loads(json.dumps(other, indent=3)))
    assert digest_of(other) == result["digest"]


def test_without_a_digest_check_says_so(result) -> None:
    old = {key: value for key, value in result.items() if key != "digest"}
    data, _ = files_of(result)
    report = rp.check(old, data)
    assert (report["holds"], report["digest"]) == (True, "missing")
    assert parts(report)[-1].startswith(
        ("the values above hold; the rest is not", "the certificate")
    )
    old["objective"] += 1e-3
    assert not rp.check(old, data)["holds"]
