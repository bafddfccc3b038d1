"""``check`` recomputes what a result claims, and nothing changed by hand passes it."""

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from radprog.result import digest_of

Result = dict[str, Any]

MODELS = {
    "vkr": ("vkr", "--kernels", "poly:1-3"),
    "vkr stopped": ("vkr", "--kernels", "poly:1-3", "--max-iter", "2"),
}


@pytest.fixture
def solved(once, folder) -> Callable[[str], Result]:
    """Solve one of MODELS into run.json."""

    def solve(name: str) -> Result:
        model, *options = MODELS[name]
        done = once("solve", model, "train.csv", "--scale", "ball", *options, "--json", "run.json")
        assert done.code in (0, 1), done.err
        return json.loads(Path("run.json").read_text())

    return solve


Change = tuple[str, Callable[[Any], Any]]  # where in a result, and what becomes of it
VKR: dict[str, Change] = {
    "other scaling": ("data reading scale", lambda value: "unit"),
    "other positive label": ("data reading positive", lambda value: "no"),
    "alpha sign": ("certificate alpha", lambda a: [-value for value in a]),
    "alpha too short": ("certificate alpha", lambda a: a[:-1]),
    "d above its box": ("certificate d", lambda d: [2 * value for value in d]),
    "d too long": ("certificate d", lambda d: [*d, 0.0]),
    "pairs outside": ("certificate pairs", lambda pairs: [[0, 10**6], *pairs[1:]]),
    "no pairs": ("certificate pairs", lambda pairs: []),
    "complexity": ("params complexity", lambda value: "poly"),
}
CLAIM = {"certified": True, "status": "optimal", "certified_by": "tol"}
STOPPED: dict[str, Change] = {
    "certified without reason": ("", lambda result: result | CLAIM),
    "gap smaller than it is": ("gap", lambda value: 1e-12),
}
CHANGES = {"vkr": VKR, "vkr stopped": STOPPED}
CASES = [(model, name) for model, changes in CHANGES.items() for name in changes]


@pytest.mark.parametrize(("model", "change"), CASES)
def test_what_is_changed_by_hand_does_not_hold(radprog, solved, model, change) -> None:
    """With a digest of its own, so that only what is recomputed gives it away."""
    whole = {"result": solved(model)}
    changed: Any = copy.deepcopy(whole)
    path, apply = CHANGES[model][change]
    *above, key = ["result", *path.split()]
    place = changed
    for part in above:
        place = place[part]
    place[key] = apply(place.get(key))
    assert changed != whole
    edited = changed["result"]
    Path("bad.json").write_text(json.dumps({**edited, "digest": digest_of(edited)}))
    found = radprog("check", "bad.json", "train.csv", "--json", "-")
    assert (found.code, "DOES NOT HOLD" in found.err) == (1, True), found
    report = json.loads(found.out)
    assert (report["holds"], report["digest"]) == (False, "holds")
    assert report["problems"]


@pytest.mark.parametrize(
    "key", ["model", "params", "certificate", "data", "objective", "bound", "certified"]
)
def test_a_result_with_a_part_missing_is_refused(radprog, solved, key) -> None:
    result = solved("vkr")
    del result[key]
    Path("bad.json").write_text(json.dumps(result))
    found = radprog("check", "bad.json", "train.csv")
    assert found.code == 2
    assert found.error.startswith(
        f"bad.json: not a result of radprog solve: it has no entry '{key}'"
    )
