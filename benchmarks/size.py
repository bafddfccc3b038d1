"""The size of the project: lines of code by folder, comments, files, words of documents.

    python benchmarks/size.py            the table
    python benchmarks/size.py --write    into docs/explanation/architecture.md and notes/lines.md

Docstrings, comments and blank lines are not lines of code. A comment line has only a comment.
"""

from __future__ import annotations

import argparse
import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PRODUCT = ("instances", "models", "solvers", "decompositions", "radprog")
OTHERS = ("tests", "benchmarks")
PAGE = ROOT / "docs" / "explanation" / "architecture.md"
BEGIN, END = "<!-- sizes: python benchmarks/size.py --write -->", "<!-- end of sizes -->"
# What the lines of the product are for: a table whose rows name their files and folders.
PARTS = ROOT / "docs" / "explanation" / "notes" / "lines.md"
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


def parts(page: str) -> dict[str, int]:
    """Lines of code of every part; a file belongs to the row with its longest path."""
    homes = {
        home: name.strip()
        for name, paths in re.findall(r"^\|([^|]+)\| *[\d,]+ *\|([^|]+)\|", page, re.MULTILINE)
        for home in re.findall(r"`([^`]+)`", paths)
    }
    lines = dict.fromkeys(homes.values(), 0)
    for path in (path for folder in PRODUCT for path in modules(folder)):
        place = path.relative_to(ROOT)
        home = next(str(part) for part in (place, *place.parents) if str(part) in homes)
        lines[homes.pop(home) if home == str(place) else homes[home]] += count(path)[0]
    # A file that is named and not there would be a row of nothing.
    missing = [home for home in homes if not (ROOT / home).is_dir()]
    if missing:
        raise SystemExit(f"{PARTS.name}: no such file: {', '.join(missing)}")
    return lines


def counted(page: str) -> str:
    """The page of the parts with the lines as they are."""
    for name, code in parts(page).items():
        row = re.compile(rf"^(\| {re.escape(name)} \|) *[\d,]+", re.MULTILINE)
        page = row.sub(rf"\g<1> {code:,}", page)
    return page


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
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "--write",
        action="store_true",
        help="put it into docs/explanation/architecture.md, and the parts into notes/lines.md",
    )
    made = table()
    if not parser.parse_args().write:
        print(made, f"\n{words():,} words of documents")
        return
    before, _, rest = PAGE.read_text().partition(BEGIN)
    _, _, after = rest.partition(END)
    PAGE.write_text(f"{before}{BEGIN}\n\n{made}\n\n{END}{after}")
    PARTS.write_text(counted(PARTS.read_text()))


if __name__ == "__main__":
    main()
