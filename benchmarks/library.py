"""Small instances of every form: stored with their optimal values, and read by every solver.

python benchmarks/library.py matrix     every form x file format x reader, against its value
python benchmarks/library.py build      write instances/library anew, each value by two solvers
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from radprog.catalog import CATALOG, Entry
from radprog.decompositions.forms import BuiltForm
from radprog.decompositions.run import RunSettings
from radprog.exporting import AGREEMENT, SUFFIXES, export, verify
from radprog.instances.errors import RadprogError
from radprog.solvers.compile import compile_model
from radprog.solvers.program import ProblemClass, Program, SolveSettings, Status
from radprog.solvers.readers import READERS
from radprog.solvers.registry import SOLVERS, solve_program

LIBRARY = Path(__file__).resolve().parent.parent / "instances" / "library"
FORMATS = tuple(suffix for suffix in SUFFIXES if suffix != ".nl")
LIMIT = SolveSettings(time_limit=120.0)
TIGHT = 1e-7  # absolute: a row or bound is active
CASES = ("plain", "degenerate")

# Options of a model and case where its own defaults do not give a small program.
OPTIONS: dict[str, dict[str, Any]] = {
    "vkr": {"kernels": "poly:1-2", "lam": 0.02, "beta": 0.01},
    "l1svm": {"kernels": "poly:2", "beta": 0.02},
    "svm": {"kernels": "rbf:0.5"},
}
FORM_OPTIONS: dict[str, dict[str, Any]] = {"margin": {"rho": 1.0}}  # a small big-M
ROWS = {"global": 8}  # rows of the data of a form, where 24 are too many to prove the optimum


def classes_text(case: str, rows: int) -> str:
    """Two noisy classes in the plane; degenerate: equal points, some under both labels."""
    rng = np.random.default_rng(7)
    X = rng.normal(size=(rows, 2)).round(2)
    if case == "degenerate":
        X = rng.integers(0, 3, size=(rows, 2)).astype(float)
    score = X[:, 0] * X[:, 1] + 0.5 * X[:, 0] + 0.4 * rng.normal(size=rows)
    labels = np.where(score > np.median(score), "yes", "no")
    return _csv([*map(list, X.tolist())], labels.tolist())


def regression_text(case: str, rows: int) -> str:
    """A noisy sine; degenerate: every input twice, with two targets."""
    rng = np.random.default_rng(7)
    x = rng.uniform(-3, 3, rows).round(2)
    if case == "degenerate":
        x[1::2] = x[::2]
    y = (np.sin(x) + 0.3 * rng.normal(size=rows)).round(2)
    return _csv([[value] for value in x.tolist()], y.tolist())


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

    def built(self, folder: Path) -> tuple[BuiltForm, str]:
        """The program, and the hash of its data."""
        regression = "regression" in self.entry.reader
        rows = ROWS.get(self.form, 24)
        path = folder / f"{self.name}.csv"
        path.write_text((regression_text if regression else classes_text)(self.case, rows))
        data = self.entry.read(str(path))
        options = OPTIONS.get(self.entry.name, {}) | FORM_OPTIONS.get(self.form, {})
        spec = self.entry.spec(**options)
        return self.entry.form(spec, data, self.form, RunSettings(tol=1e-9)), data.sha256

    def write(self, path: Path, built: BuiltForm, sha256: str, expected: float | None) -> None:
        """Export to ``path``."""
        export(
            built.model, path, name=self.entry.name, form=self.form, expected=expected,
            sense=built.sense, iterate=built.iterate, data_sha256=sha256,
        )  # fmt: skip


def instances() -> Iterator[Instance]:
    """Both cases of every form; models that share their forms take turns."""
    shared: dict[tuple[str, tuple[str, ...]], list[Entry]] = {}
    for entry in CATALOG.values():
        if entry.forms:
            shared.setdefault((entry.builder, entry.forms), []).append(entry)
    for entries in shared.values():
        for form in entries[0].forms:
            for case, entry in zip(CASES, (entries[0], entries[-1]), strict=True):
                yield Instance(entry, form, case)


def values(program: Program) -> dict[str, float]:
    """Optimal value by every installed solver that is declared for the program's class."""
    found = {}
    for name, solver in SOLVERS.items():
        if program.problem_class in solver.classes and solver.installed():
            try:
                solution = solve_program(program, name, LIMIT)
            except RadprogError as error:
                print(f"  {name}: {error}", file=sys.stderr)
                continue
            if solution.status is Status.OPTIMAL and solution.objective is not None:
                found[name] = solution.objective
    return found


def degenerate(program: Program, solver: str) -> bool | None:
    """Whether more rows and bounds are active at the optimal vertex than there are columns."""
    if program.problem_class is not ProblemClass.LP:
        return None
    x = solve_program(program, solver, LIMIT).x
    assert x is not None
    sides = [(program.activity(x), program.row_lower, program.row_upper)]
    sides.append((x, program.lower, program.upper))
    active = [(np.minimum(v - low, high - v) <= TIGHT).sum() for v, low, high in sides]
    return int(sum(active)) > len(x)


def build(folder: Path = LIBRARY) -> list[dict[str, Any]]:
    """Write every instance as .mps.gz with its names, index.json and README.md."""
    folder.mkdir(parents=True, exist_ok=True)
    index = []
    for instance in instances():
        with tempfile.TemporaryDirectory() as scratch:
            built, sha256 = instance.built(Path(scratch))
        program = compile_model(built.model)
        found = values(program)
        if built.expected is not None:
            found = {"radprog": built.expected, **found}
        agreed = sorted(found.values())
        if len(found) < 2 or agreed[-1] - agreed[0] > AGREEMENT * max(1.0, abs(agreed[0])):
            raise SystemExit(f"{instance.name}: no two solvers agree: {found}")
        value = next(iter(found.values()))
        path = folder / f"{instance.name}.mps.gz"
        instance.write(path, built, sha256, value)
        m, n = program.rows.shape
        index.append(
            {
                "file": path.name,
                "model": instance.entry.name,
                "form": instance.form,
                "class": program.problem_class.value,
                "rows": m,
                "columns": n,
                "nonzeros": int(program.rows.nnz),
                "status": "optimal",
                "value": value,
                "degenerate": degenerate(program, "highs"),
                "verified": found,
            }
        )
        print(f"{path.name:<40}{value:>20.12g}  {', '.join(found)}")
    (folder / "index.json").write_text(json.dumps(index, indent=1) + "\n")
    (folder / "README.md").write_text(readme(index))
    return index


def readme(index: list[dict[str, Any]]) -> str:
    """The table of the library."""
    head = (
        "# Instances with known optimal values\n\n"
        "Every form of every model, as `.mps.gz` with `names.json`: always a minimisation. The\n"
        "value was found by all the solvers named, which agree within 1e-6 relative to\n"
        "max(1, |value|); `radprog` is the value of the decomposition, certified or proved by\n"
        "enumeration. Degenerate: more rows and bounds are active at the optimal vertex than\n"
        "there are columns. `python benchmarks/library.py build` writes this folder anew.\n\n"
        "| file | class | rows | columns | nonzeros | optimal value | degenerate | verified by |\n"
        "|---|---|---|---|---|---|---|---|\n"
    )
    words = {True: "yes", False: "no", None: ""}
    lines = [
        f"| `{row['file']}` | {row['class']} | {row['rows']} | {row['columns']} "
        f"| {row['nonzeros']} | {row['value']:.10g} | {words[row['degenerate']]} "
        f"| {', '.join(row['verified'])} |\n"
        for row in index
    ]
    return head + "".join(lines)


def matrix() -> int:
    """Print the worst relative difference of every form in every reader, over all formats and both
    cases; the number of files that were read."""
    names = list(READERS)
    print(f"{'form':<24}{'class':<8}" + "".join(f"{name:>13}" for name in names))
    wrong = files = 0
    worst = 0.0
    forms: dict[tuple[str, str], list[Instance]] = {}
    for instance in instances():
        first = forms.setdefault((instance.entry.builder, instance.form), [])
        first.append(instance)
    for members in forms.values():
        cells: dict[str, list[float | None]] = {name: [] for name in names}
        kind = ""
        with tempfile.TemporaryDirectory() as scratch:
            for instance in members:
                built, sha256 = instance.built(Path(scratch))
                kind = compile_model(built.model).problem_class
                for suffix in FORMATS:
                    path = Path(scratch) / f"{instance.name}{suffix}"
                    instance.write(path, built, sha256, built.expected)
                    for name in names:
                        form = suffix.split(".")[1]
                        if kind in READERS[name].classes and form in READERS[name].formats:
                            cells[name].append(_difference(path, name))
        shown = [_cell(cells[name], READERS[name].installed()) for name in names]
        print(f"{members[0].entry.name + ' ' + members[0].form:<24}{kind:<8}" + "".join(shown))
        for name in names:
            if READERS[name].installed():
                files += len(cells[name])
                known = [d for d in cells[name] if d is not None]
                wrong += len(cells[name]) - len(known) + sum(d > AGREEMENT for d in known)
                worst = max([worst, *known])
    print(
        f"{files} files read, {wrong} not as they should; largest relative difference {worst:.1e}"
    )
    return 1 if wrong else 0


def _difference(path: Path, name: str) -> float | None:
    """Relative difference from the expected value; None where the verdict is no agreement."""
    try:
        verdict = verify(path, name, LIMIT)
    except RadprogError as error:
        print(f"  {path.name} in {name}: {error}", file=sys.stderr)
        return None
    return verdict.difference if verdict.agrees else None


def _cell(differences: list[float | None], installed: bool) -> str:
    if not differences:
        return f"{'-':>13}"
    if not installed:
        return f"{'missing':>13}"
    if None in differences:
        return f"{'DIFFERS':>13}"
    largest = max(d for d in differences if d is not None)
    return f"{f'{len(differences)}: {largest:.0e}':>13}"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("task", choices=("matrix", "build"))
    if parser.parse_args().task == "build":
        build()
    else:
        sys.exit(matrix())
