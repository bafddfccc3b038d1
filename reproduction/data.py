"""The data files of the papers: size, source and, with ``--data``, the state of the folder.

python reproduction/data.py [--data DIR]
"""

from __future__ import annotations

import argparse
from pathlib import Path

from common import file_list, sha256_of


def state(path: Path, expected: str) -> str:
    """Whether a file is there, and whether it is the one in the list."""
    if not path.is_file():
        return "absent"
    if not expected:
        return "unchecked"
    return "present" if sha256_of(path) == expected else "other bytes"


def main() -> None:
    """Print one line for each file."""
    parser = argparse.ArgumentParser(description="the data files of the papers")
    parser.add_argument("--data", metavar="DIR", type=Path, help="the folder of the data sets")
    folder = parser.parse_args().data
    print(f"{'file':36}{'rows':>6}{'features':>10}  {'state':12}source")
    for name, line in file_list().items():
        found = "" if folder is None else state(folder / name, line["sha256"])
        print(f"{name:36}{line['rows']:>6}{line['features']:>10}  {found:12}{line['source']}")


if __name__ == "__main__":
    main()
