"""What a reader of the product must hold, as a table.

    python benchmarks/holdable.py

The first two rows run a fit twice and profile the second run with ``sys.setprofile``. They count
the product's files and functions that the fit enters, and the product's frames above the deepest
call into a solver (highspy, piqp, libsvm). The other rows count with ``ast``.
"""

from __future__ import annotations

import ast
import contextlib
import io
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
LAYERS = ("instances", "models", "solvers", "decompositions", "radprog")
SOLVERS = ("highspy", "piqp", "sklearn/svm")


def product_file(name: str) -> str | None:
    """The file relative to the repository if it is in a layer of the product, otherwise None."""
    path = Path(name)
    if not path.is_absolute() or not path.is_relative_to(ROOT):
        return None
    relative = path.relative_to(ROOT)
    return str(relative) if relative.parts[0] in LAYERS else None


def entered(job: Callable[[], Any]) -> tuple[int, int, int]:
    """Files and functions that a job enters, and frames above its deepest call into a solver."""
    files: dict[str, str | None] = {}
    functions: set[tuple[str, int]] = set()
    deepest = 0

    def depth(frame: FrameType | None) -> int:
        count = 0
        while frame is not None:
            # comprehensions and lambdas belong to the function around them
            own = place(frame.f_code.co_filename) is not None
            count += own and not frame.f_code.co_name.startswith("<")
            frame = frame.f_back
        return count

    def place(name: str) -> str | None:
        if name not in files:
            files[name] = product_file(name)
        return files[name]

    def observe(frame: FrameType, event: str, value: Any) -> None:
        nonlocal deepest
        if event == "call" and (name := place(frame.f_code.co_filename)):
            if not frame.f_code.co_name.startswith("<"):
                functions.add((name, frame.f_code.co_firstlineno))
        elif event == "call" and any(name in frame.f_code.co_filename for name in SOLVERS):
            deepest = max(deepest, depth(frame))
        elif event == "c_call":
            owner = type(getattr(value, "__self__", None)).__module__ or ""
            if any(name in f"{owner} {getattr(value, '__module__', '')}" for name in SOLVERS):
                deepest = max(deepest, depth(frame))

    job()  # imports and caches
    sys.setprofile(observe)
    try:
        job()
    finally:
        sys.setprofile(None)
    return len({name for name, _ in functions}), len(functions), deepest


def solve_job(folder: Path) -> Callable[[], Any]:
    """``radprog solve vkr train.csv`` in this process, its output thrown away."""
    from radprog.cli import main

    def job() -> None:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            main(["solve", "vkr", str(folder / "train.csv")])

    return job


def fit_job(folder: Path) -> Callable[[], Any]:
    """``rp.fit(rp.MKL(...), data)``."""
    import radprog as rp

    data = rp.read(str(folder / "train.csv"), scale="standard")
    return lambda: rp.fit(rp.MKL(kernels="rbf:0.1,rbf:1"), data)


def write_data(folder: Path) -> None:
    """A data set of 60 points with two classes."""
    import numpy as np

    rng = np.random.default_rng(0)
    y = np.repeat([-1, 1], 30)
    X = rng.normal(size=(60, 3)) + 0.8 * y[:, None]
    rows = (",".join([*(f"{v:.4f}" for v in x), str(c)]) for x, c in zip(X, y, strict=True))
    lines = ["a,b,c,label", *rows]
    (folder / "train.csv").write_text("\n".join(lines) + "\n")


def trees() -> dict[Path, ast.Module]:
    """The syntax trees of the product's files."""
    return {
        path: ast.parse(path.read_text())
        for layer in LAYERS
        for path in sorted((ROOT / layer).rglob("*.py"))
    }


def is_number(node: ast.expr | None) -> bool:
    """Whether an expression is a number, or a sum, product or power of numbers."""
    if isinstance(node, ast.UnaryOp):
        return is_number(node.operand)
    if isinstance(node, ast.BinOp):
        return is_number(node.left) and is_number(node.right)
    return isinstance(node, ast.Constant) and type(node.value) in (int, float)


def named_numbers(files: dict[Path, ast.Module]) -> tuple[int, int]:
    """Numbers with a name at module level, and those with one use in the product."""
    words = Counter(re.findall(r"\b[A-Z_][A-Z0-9_]+\b", "\n".join(p.read_text() for p in files)))
    names = []
    for tree in files.values():
        for node in tree.body:
            if isinstance(node, ast.Assign) and is_number(node.value):
                names += [target.id for target in node.targets if isinstance(target, ast.Name)]
            elif isinstance(node, ast.AnnAssign) and is_number(node.value):
                names += [node.target.id] if isinstance(node.target, ast.Name) else []
    return len(names), sum(words[name] <= 2 for name in names)


def private_functions(files: dict[Path, ast.Module]) -> tuple[int, int]:
    """Private functions and methods, and those that one place of their file calls."""
    total = single = 0
    for path, tree in files.items():
        text = path.read_text()
        for node in ast.walk(tree):
            private = isinstance(node, ast.FunctionDef) and re.match(r"_(?!_)", node.name)
            if isinstance(node, ast.FunctionDef) and private:
                total += 1
                single += len(re.findall(rf"\b{re.escape(node.name)}\b", text)) == 2
    return total, single


def classes(files: dict[Path, ast.Module]) -> int:
    """Classes of the product."""
    return sum(isinstance(node, ast.ClassDef) for tree in files.values() for node in ast.walk(tree))


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_data(folder)
        solve, fit = entered(solve_job(folder)), entered(fit_job(folder))
    files = trees()
    numbers, private = named_numbers(files), private_functions(files)
    rows = [
        ("`radprog solve vkr train.csv`: files / functions / frames above the solver", solve),
        ("`rp.fit(rp.MKL(...), data)`: files / functions / frames above the solver", fit),
        ("named numbers at module level / used once", numbers),
        ("private functions with one caller in their file / of", private[::-1]),
        ("classes", (classes(files),)),
    ]
    print("| what a reader must hold | now |\n|---|---:|")
    for what, values in rows:
        print(f"| {what} | {' / '.join(f'{value:,}' for value in values)} |")


if __name__ == "__main__":
    main()
