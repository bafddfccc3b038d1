"""Every planted bug can be planted: the script that does it takes too long for here."""

from mutants import MUTANTS
from mutation import misfits


def test_every_bug_can_be_planted() -> None:
    assert misfits() == []
    assert len({mutant.name for mutant in MUTANTS}) == len(MUTANTS) >= 40
    assert all(mutant.old != mutant.new for mutant in MUTANTS)
