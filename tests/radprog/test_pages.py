"""Python in the pages runs as it stands."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

PAGES = Path(__file__).resolve().parents[2] / "docs"
FENCED = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
BLOCKS = [
    pytest.param(block, id=f"{page.stem}-{place}")
    for page in sorted(PAGES.glob("*.md"))
    for place, block in enumerate(
        re.findall(r"^```python\n(.*?)^```", page.read_text(), re.M | re.S)
    )
    if "import radprog" in block and "read(" not in block
]


@pytest.mark.parametrize("block", BLOCKS)
def test_a_block_runs(block: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert "assert " in block
    exec(compile(block, "page", "exec"), {})


def test_there_are_blocks() -> None:
    assert len(BLOCKS) >= 4
