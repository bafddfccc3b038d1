"""Results of regression with a bounded loss, in words."""

from pathlib import Path


def test_an_exact_complexity_is_no_local_maximisation(radprog, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("four.csv").write_text("0,0.1\n1,0.9\n2,0.2\n3,0.7\n")
    found = radprog("solve", "complexity", "four.csv", "--method", "exact", "--gamma", 1)
    assert "by enumeration, exact: every sign vector" in found.out
    assert "None" not in found.out
    assert "local maximisation" not in found.out
    drawn = radprog("solve", "complexity", "four.csv", "--trials", 4, "--gamma", 1)
    assert "by local maximisation from 5 starts" in drawn.out
