"""The size of the project: lines of code by folder, comments, files, words of documents.

    python benchmarks/size.py

Docstrings, comments and blank lines are not lines of code. A comment line has only a comment.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PRODUCT = ("instances", "models", "solvers", "decompositions", "radprog")
OTHERS = ("tests", "benchmarks")
SKIPPED = {tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}


def count(path: Path) -> tuple[int, int]:
    """Lines of code, and of comments, of a Python file."""
    text = path.read_text()
    docstrings = set(_docstring_lines(ast.parse(text)))
    code: set[int] = set()
    comments: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        lines = range(token.start[0], token.end[0] + 1)
        if token.type == tokenize.COMMENT:
            comments.update(lines)
        elif token.type not in SKIPPED:
            code.update(lines)
    code -= docstrings
    return len(code), len(comments - code)


def _docstring_lines(tree: ast.Module) -> Iterator[int]:
    """The lines of all docstrings, strings that are statements included."""
    for node in ast.walk(tree):
        value = node.value if isinstance(node, ast.Expr) else None
        if isinstance(value, ast.Constant) and isinstance(value.value, str):
            yield from range(value.lineno, (value.end_lineno or value.lineno) + 1)


def modules(folder: str) -> list[Path]:
    """The Python files of a folder."""
    return [
        path
        for path in (ROOT / folder).rglob("*.py*")
        if path.suffix in (".py", ".pyi") and ".ns" not in path.parts
    ]


def rows() -> list[tuple[str, int, int, int]]:
    """Name, files, lines of code and comment lines of every folder, with the sum of the product."""
    found = []
    for folder in (*PRODUCT, *OTHERS):
        paths = modules(folder)
        counts = [count(path) for path in paths]
        code, comments = (sum(part) for part in zip(*counts, strict=True))
        found.append((folder, len(paths), code, comments))
    total = [sum(row[i] for row in found[: len(PRODUCT)]) for i in (1, 2, 3)]
    found.insert(len(PRODUCT), ("**the product**", total[0], total[1], total[2]))
    return found


def words() -> int:
    """Words of the documents, README included."""
    pages = [*(ROOT / "docs").rglob("*.md"), ROOT / "README.md"]
    pages = [page for page in pages if "_build" not in page.parts]
    return sum(len(re.findall(r"\S+", page.read_text())) for page in pages)


def table() -> str:
    """The table of folders in Markdown."""
    lines = [
        "| folder | files | lines of code | comment lines | code per comment line |",
        "|---|---:|---:|---:|---:|",
    ]
    for name, files, code, comments in rows():
        share = f"{code / comments:.0f}" if comments else "-"
        lines.append(f"| {name} | {files} | {code:,} | {comments:,} | {share} |")
    return "\n".join(lines)


def main() -> None:
    print(table())
    print(f"{words():,} words of documents")


if __name__ == "__main__":
    main()
