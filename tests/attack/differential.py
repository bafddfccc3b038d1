"""Random instances of all models against all their methods, solvers and rational arithmetic.

python tests/attack/differential.py --count 2000 --seed 0 --jobs 2

Counts by model stand at the end; an instance that shows something is kept in tests/attack/kept,
and the exit code is 1.
"""

import sys
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from attack_cases import KEPT, draw
from attack_checks import examine
from script_options import TALLY, run, silent


def kept(seed: int, keep: str) -> list[str]:
    """What the instance of a seed shows; it is kept with that, to run again."""
    with silent():
        report = examine(draw(seed))
    case, found = report.case, report.findings
    TALLY.update({f"{case.model}: {name}": n for name, n in report.counts.items()})
    if found:
        replace(case, found=found).save(Path(keep) / f"{case.model}-{seed}.json")
    return [f"seed {seed}: {text}" for text in found]


if __name__ == "__main__":
    sys.exit(run(__doc__, kept, keep=str(KEPT)))
