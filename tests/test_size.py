"""The tables of sizes in architecture.md and notes/lines.md are those of the code."""

import importlib.util
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
spec = importlib.util.spec_from_file_location("size", ROOT / "benchmarks" / "size.py")
size = importlib.util.module_from_spec(spec)
spec.loader.exec_module(size)


def numbers(table: str) -> dict[str, list[int]]:
    """The numbers of every row, by its first cell."""
    found = {}
    for line in table.splitlines():
        name, *cells = (cell.strip() for cell in line.strip("|").split("|"))
        found[name] = [
            int(cell.replace(",", "")) for cell in cells if re.fullmatch(r"[\d,]+", cell)
        ]
    return found


def test_every_line_has_one_part() -> None:
    page = size.PARTS.read_text()
    found = size.parts(page)
    product = sum(code for name, _, code, _ in size.rows() if name in size.PRODUCT)
    assert sum(found.values()) == product
    told = numbers(page)
    for name, code in found.items():
        assert abs(told[name][0] - code) <= max(10, 0.02 * code), (name, told[name], code)


def test_the_page_holds_the_sizes() -> None:
    told = size.PAGE.read_text().partition(size.BEGIN)[2].partition(size.END)[0].strip()
    written, counted = numbers(told), numbers(size.table())
    assert written.keys() == counted.keys()
    for folder, values in counted.items():
        for said, there in zip(written[folder], values, strict=True):
            assert abs(said - there) <= max(10, 0.02 * there), (folder, said, there)


def test_docstrings_and_comments_are_no_code(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text('"""Two\nlines."""\n\n# a comment\nx = """not\na docstring"""  # code\n')
    assert size.count(path) == (2, 1)
    assert re.fullmatch(r"[\d,]+", f"{size.words():,}")
