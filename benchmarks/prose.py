"""Words, long sentences and banned words of the documents.

    python benchmarks/prose.py            a line per page, and the totals
    python benchmarks/prose.py --long     also every sentence of more than 25 words

Code, tables, formulas and quotations are omitted. Pages of reference and notes are counted
separately, because they contain output of programs and records of experiments.
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
LONGEST = 25  # words of a sentence
APART = ("reference", "notes")
BANNED = re.compile(
    r"\b(told|tells|telling|dear|dearer|regardless|machines of one|pairs of floats|given up on"
    r"|numbers that are none|a point that is none|what follows|whatever solves|knows|asks)\b"
    r"|\balone\b",
    re.IGNORECASE,
)


def pages() -> list[Path]:
    """The documents: README, contributing and all of docs but what the build writes."""
    docs = sorted((ROOT / "docs").rglob("*.md"))
    built = ("_build", "_gallery", "_commands", "_topics")
    return [
        ROOT / "README.md",
        ROOT / "CONTRIBUTING.md",
        *(page for page in docs if not any(part in str(page) for part in built)),
    ]


def written(text: str) -> str:
    """A page without what its commands print, and without its displayed formulas."""
    return re.sub(r"^```output\n.*?^```$|\$\$.*?\$\$", "", text, flags=re.DOTALL | re.MULTILINE)


def prose(text: str) -> str:
    """A page without code, tables, formulas, link targets and quotations."""
    text = re.sub(r"^```.*?^```", "\n\n", text, flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"\$\$.*?\$\$|\$[^$\n]+\$", "X", text, flags=re.DOTALL)
    text = re.sub(r"^\|.*$", "", text, flags=re.MULTILINE)
    text = re.sub(r"\]\([^)]*\)", "]", text)
    return re.sub(r"`[^`]*`|\"[^\"]*\"", "X", text)


def sentences(text: str) -> list[str]:
    """The sentences of a page's prose; an item of a list and a heading end one."""
    text = re.sub(r"\n\s*(?:[-*]|\d+\.|#+)\s", "\n\n", text)
    found = []
    for paragraph in re.split(r"\n\s*\n", text):
        line = " ".join(paragraph.split())
        found += re.split(r"(?<=[.!?:;])\s+(?=[A-Z*\[(])", line)
    return [one for one in found if len(one.split()) > 1]


def apart(page: Path) -> bool:
    """Whether a page is of reference or notes."""
    return any(part in APART for part in page.relative_to(ROOT).parts)


def main() -> None:
    """Print the counts."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--long", action="store_true", help="print every long sentence")
    options = parser.parse_args()
    total, others, long, banned, count = 0, 0, 0, 0, 0
    for page in pages():
        raw = page.read_text()
        text = prose(raw)
        lines = sentences(text)
        over = [one for one in lines if len(one.split()) > LONGEST]
        words, wrong = len(written(raw).split()), [match.group() for match in BANNED.finditer(text)]
        if apart(page):
            others += words
            continue
        total, long, banned = total + words, long + len(over), banned + len(wrong)
        count += len(lines)
        place = page.relative_to(ROOT)
        print(f"{words:6} words {len(over):4} of {len(lines):4} long  {place}  {', '.join(wrong)}")
        if options.long:
            for one in over:
                print(f"         {one}")
    print(
        f"{total} words of README, CONTRIBUTING, docs; {others} of reference and notes beside them"
    )
    print(f"{long} of {count} sentences have more than {LONGEST} words; {banned} banned words")


if __name__ == "__main__":
    main()
