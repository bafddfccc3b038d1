"""Results, fits and tables whose JSON was edited at random: an answer, or one line of error.

``python tests/attack/edited_results.py --count 500 --seed 0`` prints each edit that ends otherwise.
"""

from __future__ import annotations

import contextlib
import copy
import json
import random
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1] / "support")]
import hostile  # noqa: E402
from script_options import read_options  # noqa: E402

from radprog.result import digest_of  # noqa: E402

#: The commands that make the files, and those that read each of them.
MADE = (
    "solve l1svm d.csv --kernels poly:1 --json l1svm.json --save l1svm.fit.json",
    "solve vkr d.csv --kernels poly:1-2,rbf:1 --complexity massart --json vkr.json --test d.csv",
    "solve svm d.csv --kernels rbf:1 --json svm.json",
    "solve cdsk d.csv --json cdsk.json",
    "solve mkl d.csv --kernels rbf:1,linear --json mkl.json --save mkl.fit.json",
    "analyze l1svm d.csv --kernels poly:1 --json analysis.json",
    "bounds vkr.json --json bounds.json",
)
OF_RESULT = (
    "check {} d.csv",
    "check {} d.csv --test d.csv",
    "bounds {} --data d.csv --json -",
    "bounds {}",
    "report {} -o page.html",
    "price {} --kernels rbf:2 --data d.csv",
    "prove {} d.csv -o proof.json",
)
READ = {
    **{f"{name}.json": OF_RESULT for name in ("l1svm", "vkr", "svm", "cdsk", "mkl")},
    "l1svm.fit.json": (
        "predict {} d.csv -o -",
        "solve l1svm d.csv --kernels poly:1 --start {} --json -",
    ),
    "mkl.fit.json": ("predict {} d.csv -o -",),
    "analysis.json": ("report l1svm.json --analysis {} -o page.html",),
}
VALUES: list[Any] = [
    None, True, False, 0, -1, 3, 1e300, -0.5, 10**30, "", "nan", "x", "[]", [], {}, [[]], [None],
    ["a"], {"a": 1}, [1.0] * 3, [[1.0, 2.0]], {"0": [1]}, "NaN!", "1e999",
]  # fmt: skip


def places(value: Any, here: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The keys to every entry of a JSON value."""
    inside: Any = ()
    if isinstance(value, dict):
        inside = value.items()
    elif isinstance(value, list):
        inside = list(enumerate(value))[:4]
    return [at for key, one in inside for at in [(*here, key), *places(one, (*here, key))]]


def edit(content: Any, rng: random.Random) -> Any:
    """The content with one to three entries dropped, replaced or taken from elsewhere."""
    content = copy.deepcopy(content)
    for _ in range(rng.randint(1, 3)):
        *path, last = rng.choice(places(content))
        owner = content
        for key in path:
            owner = owner[key]
        kind = rng.random()
        if kind < 0.3:
            del owner[last]
        elif kind < 0.8:
            owner[last] = copy.deepcopy(rng.choice(VALUES))
        elif kind < 0.9 and isinstance(owner[last], list):
            owner[last] = owner[last][:-1] if rng.random() < 0.5 else owner[last] * 2
        else:
            owner[last] = {"inside": owner[last]}
    return content


def prepare(folder: Path) -> dict[str, Any]:
    """Make the files in a folder, and return their contents by name."""
    hostile.prepare(folder)
    with contextlib.chdir(folder):
        for command in MADE:
            assert hostile.call([*command.split(), "--quiet"]).code in (0, 1), command
        return {name: json.loads(Path(name).read_text()) for name in READ}


def attack(contents: dict[str, Any], count: int, seed: int) -> list[str]:
    """The commands that ended with more or less than an answer or one line, in this folder."""
    rng, wrong = random.Random(seed), []
    for _ in range(count):
        name = rng.choice(list(READ))
        edited = edit(contents[name], rng)
        if rng.random() < 0.7 and "digest" in edited:
            with contextlib.suppress(Exception):
                edited["digest"] = digest_of(edited)
        # some texts become numbers that JSON does not have
        text = json.dumps(edited).replace('"NaN!"', "NaN")
        Path("edited.json").write_text(text)
        command = rng.choice(READ[name]).replace("{}", "edited.json")
        found = hostile.call([*command.split(), "--quiet"])
        one_line = found.err.startswith("radprog: error: ") and found.err.count("\n") == 1
        if found.code not in (0, 1, 2) or (found.code == 2 and not one_line):
            Path(f"wrong{len(wrong)}.json").write_text(text)
            wrong.append(f"{name}: {command}: {found.code}: {found.err}")
    return wrong


if __name__ == "__main__":
    options = read_options(__doc__, count=500)
    place = Path(tempfile.mkdtemp())
    files = prepare(place)
    with contextlib.chdir(place):
        lines = attack(files, options.count, options.seed)
    print(*lines, f"{len(lines)} of {options.count} ended otherwise, files in {place}", sep="\n")
    sys.exit(bool(lines))
