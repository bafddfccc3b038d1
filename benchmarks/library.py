"""Small instances of every form, with their optimal values, and tests of all solvers on them.

python benchmarks/library.py matrix     every form x file format x reader, against its value
python benchmarks/library.py build      rewrite instances/library, each value by two solvers
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from radprog.analysis.case import fix
from radprog.base.errors import CapabilityError, RadprogError
from radprog.base.tolerances import AGREEMENT
from radprog.catalog import CATALOG, Entry
from radprog.decompositions.forms import BuiltForm
from radprog.decompositions.run import RunSettings
from radprog.exporting import export, verify
from radprog.solvers.compile import compile_model
from radprog.solvers.formats.program_writer import SUFFIXES
from radprog.solvers.program import ProblemClass, Program, SolveSettings, Status
from radprog.solvers.questions.conflict import conditions_of, restricted
from radprog.solvers.registry import SOLVERS, readers, solve_program

LIBRARY = Path(__file__).resolve().parent.parent / "instances" / "library"
FORMATS = tuple(suffix for suffix in SUFFIXES if suffix != ".nl")
LIMIT = SolveSettings(time_limit=60.0)
READ = tuple(readers())
TIGHT = 1e-7  # absolute: a row or bound is active
CASES = ("plain", "degenerate")
INFEASIBLE = "infeasible"

# Options of a model and case where its own defaults do not give a small program.
OPTIONS: dict[str, dict[str, Any]] = {
    "vkr": {"kernels": "poly:1-2", "lam": 0.02, "beta": 0.01},
    "l1svm": {"kernels": "rbf:0.5", "beta": 0.02},
    "svm": {"kernels": "rbf:0.5"},
    "simsvm": {"kernels": "laplace:0.5"},
    "mkl": {"kernels": "linear,rbf:0.1,rbf:1"},
    "lpboost": {"length": "4"},
}
# Options of one form: a small big-M; weight on every kernel, as a cone row without any is hard.
FORM_OPTIONS: dict[str, dict[str, Any]] = {
    "vkr-margin": {"rho": 1.0},
    "l1svm-margin": {"rho": 1.0},
    "mkl-primal": {"norm": 2.0},
    "mkl-step": {"variant": "dc"},
}
UNPROVED = ("dc",)  # whose optimum no solver proves within LIMIT
# Rows of the data of a form, where 24 are too many to prove the optimum.
ROWS = {"global": 8, "labels": 8, "general": 8, "joint": 8}
ROWS |= {"weak-l1-mip": 8, "weak-rkhs": 8}
# Infeasible: (model, form) to data, options and variables that are numbers. Equal points under both
# labels without slack; margins out of reach of the norm; ten in clusters of eight points; residuals
# that the ball cannot remove.
WITHOUT_POINT: dict[tuple[str, str], tuple[str, dict[str, Any], tuple[str, ...]]] = {
    ("vkr", "primal"): ("degenerate", {}, ("shortfall=0",)),
    ("l1svm", "budget"): ("plain", {"rho": 1.0}, ("shortfall=0",)),
    ("l1svm", "margin"): ("degenerate", {"rho": 0.01}, tuple(f"miss[{i}]=0" for i in range(20))),
    ("cdsk", "labels"): ("plain", {"min_size": 5}, ()),
    ("svr", "step-ivanov"): ("plain", {"A": 0.1}, ("xi=0", "xihat=0")),
}


def classes_text(case: str, rows: int, known: int = 1) -> str:
    """Two noisy classes in the plane; degenerate: equal points, some under both labels. Every
    ``known``-th label is known."""
    rng = np.random.default_rng(7)
    X = rng.normal(size=(rows, 2)).round(2)
    if case == "degenerate":
        X = rng.integers(0, 3, size=(rows, 2)).astype(float)
    score = X[:, 0] * X[:, 1] + 0.5 * X[:, 0] + 0.4 * rng.normal(size=rows)
    labels = np.where(score > np.median(score), "yes", "no")
    labels[np.arange(rows) % known > 0] = "?"
    return _csv([*map(list, X.tolist())], labels.tolist())


def regression_text(case: str, rows: int) -> str:
    """A noisy sine; degenerate: every input twice, with two targets."""
    rng = np.random.default_rng(7)
    x = rng.uniform(-3, 3, rows).round(2)
    if case == "degenerate":
        x[1::2] = x[::2]
    y = (np.sin(x) + 0.3 * rng.normal(size=rows)).round(2)
    return _csv([[value] for value in x.tolist()], y.tolist())


def series_text(case: str, rows: int) -> str:
    """Noisy steps up and down; degenerate: every series twice, two under both labels."""
    rng = np.random.default_rng(7)
    up = np.arange(rows) // 2 % 2 if case == "degenerate" else np.arange(rows) % 2
    X = np.where(np.arange(8) >= rng.integers(2, 6, rows)[:, None], 2 * up[:, None] - 1, 0)
    X = (X + 0.4 * rng.normal(size=X.shape)).round(2)
    if case == "degenerate":
        X[1::2] = X[::2]
        up[1] = 1 - up[1] if rows > 8 else up[1]
    return "".join("\t".join(map(str, [y, *x])) + "\n" for y, x in zip(up, X.tolist(), strict=True))


def similarity_file(path: Path, *, signed: bool) -> str:
    """A symmetric similarity of the rows of a file, of both signs or one, written beside it."""
    X = np.array([line.split(",")[:-1] for line in path.read_text().split()], dtype=float)
    file = path.with_suffix(".npy")
    S = np.exp(-np.abs(X[:, 1, None] - X[:, 1]))
    np.save(file, S * np.cos(X[:, 0, None] - X[:, 0]) if signed else S)
    return str(file)


def _csv(X: list[list[float]], y: list[Any]) -> str:
    return "".join(f"{','.join(map(repr, row))},{last}\n" for row, last in zip(X, y, strict=True))


@dataclass(frozen=True)
class Instance:
    """One form of one model on one small data set."""

    entry: Entry
    form: str
    case: str

    @property
    def name(self) -> str:
        """Name of its file."""
        return f"{self.entry.name}-{self.form}-{self.case}"

    def made(self) -> Made | None:
        """Build the program; None where it is neither linear nor quadratic and goes to .nl alone:
        nothing here proves the optimum of such a program."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"{self.name}.csv"
            rows = ROWS.get(self.form, 24)
            case, own, fixed = self.case, {}, ()
            if case == INFEASIBLE:
                case, own, fixed = WITHOUT_POINT[self.entry.name, self.form]
            if self.entry.name in ("svr", "complexity", "srm"):
                path.write_text(regression_text(case, rows))
            elif self.entry.name == "lpboost":
                path = path.with_suffix(".tsv")
                path.write_text(series_text(case, rows))
            else:
                known = 3 if self.entry.name == "lpdsk" else 1
                path.write_text(classes_text(case, rows, known))
            options = OPTIONS.get(self.entry.name, {}) | FORM_OPTIONS.get(
                f"{self.entry.name}-{self.form}", {}
            )
            options |= own
            if self.form == "general":
                options["similarity"] = similarity_file(path, signed=self.entry.name != "lpdsk")
            data = self.entry.hooks.read(str(path))
            spec = self.entry.spec(**options)
            built = self.entry.form(spec, data, self.form, RunSettings(tol=1e-9))
            for text in fixed:
                fix(built.model, text)
            if fixed:
                built = replace(built, expected=None)  # that of another program
        try:
            program = compile_model(built.model)
        except CapabilityError:
            return None
        return Made(self, built, program, data.sha256)


@dataclass(frozen=True)
class Made:
    """An instance that is built, with its matrices."""

    instance: Instance
    built: BuiltForm
    program: Program
    sha256: str

    def write(self, folder: Path, suffix: str, value: float | None) -> tuple[Path, dict[str, Any]]:
        """Export; the file, and what its names.json holds."""
        path = folder / f"{self.instance.name}{suffix}"
        built = self.built
        names = export(
            built.model, path, name=self.instance.entry.name, form=self.instance.form,
            expected=value, sense=built.sense, iterate=built.iterate, data_sha256=self.sha256,
        )  # fmt: skip
        return path, names

    def values(self) -> dict[str, float]:
        """Optimal value by the decomposition, where it is known, and by every installed solver that
        is declared for the program's class; infinite where it is infeasible, which the rows and
        bounds alone decide."""
        program = self.program
        if self.instance.case == INFEASIBLE:
            program = restricted(program, conditions_of(program))
        found = {} if self.built.expected is None else {"radprog": self.built.expected}
        for name, solver in SOLVERS.items():
            if solver.takes(program.problem_class) and solver.installed():
                try:
                    solution = solve_program(program, name, LIMIT)
                except RadprogError as error:
                    print(f"  {self.instance.name} in {name}: {error}", file=sys.stderr)
                    continue
                if solution.claimed_optimal and solution.objective is not None:
                    found[name] = solution.objective
                elif solution.status is Status.INFEASIBLE:
                    found[name] = math.inf
        return found

    def degenerate(self) -> bool | None:
        """Whether more rows and bounds are active at the optimal vertex of a linear program than
        there are columns."""
        program = self.program
        if program.problem_class is not ProblemClass.LP or self.instance.case == INFEASIBLE:
            return None
        x = solve_program(program, "highs", LIMIT).x
        assert x is not None
        sides = [(program.activity(x), program.row_lower, program.row_upper)]
        sides.append((x, program.lower, program.upper))
        active = [(np.minimum(v - low, high - v) <= TIGHT).sum() for v, low, high in sides]
        return int(sum(active)) > len(x)


def instances() -> Iterator[Instance]:
    """Both cases of every form, models that share their forms taking turns; then those without a
    feasible point."""
    shared: dict[tuple[str, tuple[str, ...]], list[Entry]] = {}
    for entry in CATALOG.values():
        if entry.forms:
            paper = entry.wiring.partition(":")[0]
            shared.setdefault((paper, entry.forms), []).append(entry)
    for entries in shared.values():
        for form in entries[0].forms:
            if form in UNPROVED:
                continue
            for case, entry in zip(CASES, (entries[0], entries[-1]), strict=True):
                yield Instance(entry, form, case)
    for model, form in WITHOUT_POINT:
        yield Instance(CATALOG[model], form, INFEASIBLE)


def close(first: float, second: float) -> bool:
    """Equal within 1e-6 relative to max(1, |value|)."""
    return first == second or abs(first - second) <= AGREEMENT * max(1.0, abs(first))


def build(folder: Path = LIBRARY) -> None:
    """Write every instance with its names, index.json and README.md."""
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    index = []
    for instance in instances():
        made = instance.made()
        if made is not None:
            index.append(stored(made, folder))
    (folder / "index.json").write_text(json.dumps(index, indent=1) + "\n")
    (folder / "README.md").write_text(readme(index))


def stored(made: Made, folder: Path) -> dict[str, Any]:
    """Write an instance on whose optimum at least two agree; its entry in index.json."""
    instance, found = made.instance, made.values()
    agreed = sorted(found.values())
    if len(found) < 2 or not close(agreed[0], agreed[-1]):
        raise SystemExit(f"{instance.name}: no two solvers agree: {found}")
    value = next(iter(found.values()))
    if (value == math.inf) != (instance.case == INFEASIBLE):
        raise SystemExit(f"{instance.name}: the optimal value is {value}")
    path, names = made.write(folder, ".mps.gz", value)
    print(f"{path.name:<40}{value:>20.12g}  {', '.join(found)}", flush=True)
    return {
        "file": path.name,
        "model": instance.entry.name,
        "form": instance.form,
        "class": names["class"],
        "rows": len(names["rows"]),
        "columns": len(names["columns"]),
        "status": names.get("expected_status", "optimal"),
        "value": names["expected_objective"],
        "degenerate": made.degenerate(),
        "verified": {name: known if known < math.inf else None for name, known in found.items()},
    }


def readme(index: list[dict[str, Any]]) -> str:
    """The table of the library."""
    head = (
        "# Instances with known optimal values\n\n"
        "This folder holds an `.mps.gz` file and its `names.json` for every linear or quadratic\n"
        "form of every model. Every file contains a minimisation problem. The solvers in the last\n"
        "column found the optimal value, within 1e-6 relative to max(1, |value|). There `radprog`\n"
        "stands for the decomposition, certified or by enumeration. *Degenerate*: the number of\n"
        "rows and bounds that are active at the optimal vertex exceeds the number of columns.\n"
        "*Infeasible*: all solvers in the last column find that no point satisfies the rows and\n"
        "bounds. The command `python benchmarks/library.py build` rewrites the folder.\n\n"
        "| file | class | rows | columns | optimal value | degenerate | verified by |\n"
        "|---|---|---|---|---|---|---|\n"
    )
    words = {True: "yes", False: "no", None: ""}
    lines = [
        f"| `{row['file']}` | {row['class']} | {row['rows']} | {row['columns']} "
        f"| {optimum(row)} | {words[row['degenerate']]} | {', '.join(row['verified'])} |\n"
        for row in index
    ]
    return head + "".join(lines)


def optimum(row: dict[str, Any]) -> str:
    """Optimal value, or the status where there is none."""
    return row["status"] if row["value"] is None else f"{row['value']:.10g}"


def matrix() -> int:
    """Print, for every form and reader, how many files were read and the largest relative
    difference from the optimal value, over both cases and all formats; 1 where one is wrong."""
    print(f"{'form':<22}{'class':<8}" + "".join(f"{name:>13}" for name in READ))
    everything: list[float] = []
    forms: dict[tuple[str, str], list[Instance]] = {}
    for instance in instances():
        if instance.case in CASES:
            paper = instance.entry.wiring.partition(":")[0]
            forms.setdefault((paper, instance.form), []).append(instance)
    for (_, form), members in forms.items():
        cells: dict[str, list[float]] = {name: [] for name in READ}
        kind = "NLP: .nl"
        for made in filter(None, (instance.made() for instance in members)):
            kind = made.program.problem_class
            for name, difference in differences(made):
                cells[name].append(difference)
        shown = "".join(f"{cell(cells[name]):>13}" for name in READ)
        print(f"{members[0].entry.name + ' ' + form:<22}{kind:<8}{shown}", flush=True)
        everything += [difference for found in cells.values() for difference in found]
    wrong = sum(not difference <= AGREEMENT for difference in everything)
    print(f"{len(everything)} readings, {wrong} wrong; largest difference {max(everything):.1e}")
    missing = [name for name in READ if not SOLVERS[name].installed()]
    if missing:
        print(f"not installed: {', '.join(missing)}")
    return 1 if wrong else 0


def cell(found: list[float]) -> str:
    """How many files, and the worst of them."""
    return f"{len(found)}: {max(found):.0e}" if found else "-"


def differences(made: Made) -> Iterator[tuple[str, float]]:
    """(reader, relative difference from the optimal value) of every file of an instance; infinite
    where the answer is none."""
    expected = made.built.expected
    if expected is None:
        expected = next(iter(made.values().values()))
    with tempfile.TemporaryDirectory() as folder:
        for suffix in FORMATS:
            path, _ = made.write(Path(folder), suffix, expected)
            for name in readers(suffix.split(".")[1], made.program.problem_class):
                if SOLVERS[name].installed():
                    try:
                        verdict = verify(path, name, time_limit=60.0)
                    except RadprogError as error:
                        print(f"  {path.name} in {name}: {error}", file=sys.stderr)
                        yield name, np.inf
                    else:
                        good = verdict.agrees and verdict.difference is not None
                        yield name, verdict.difference if good else np.inf


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("task", choices=("matrix", "build"))
    if parser.parse_args().task == "build":
        build()
    else:
        sys.exit(matrix())
