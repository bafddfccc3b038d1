"""Lies told to the live master, in solution files, and about exported files: no claim is false."""

import contextlib
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from lies import NUMBERS
from program_files import write_highs_solution

import radprog as rp
from radprog.decompositions.drivers import masters
from radprog.solvers.adapters import highs
from radprog.solvers.answer import FileAnswer
from radprog.solvers.program import Status

PARTS = ("col_value", "row_dual")
SPECS = [
    (rp.VKR(kernels="poly:1-2"), "d.csv"),
    (rp.LPBoost(length="2"), "s.tsv"),
]


def true_of(run, value: float, sense: float = 1.0) -> None:
    """What a run claims holds, for an optimum that is known."""
    size = abs(value)
    assert sense * (run.objective - value) >= -1e-9 * size
    if run.bound is not None:
        assert sense * (value - run.bound) >= -1e-9 * size
    assert (run.status is Status.OPTIMAL) == run.certified
    if run.certified:
        assert abs(run.objective - value) <= 2e-6 * size


@pytest.mark.parametrize(("spec", "file"), SPECS, ids=["vkr", "lpboost"])
@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("lie", NUMBERS)
def test_the_live_master_is_not_believed(
    place, lie: str, part: str, spec, file: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(place)
    data = rp.read_series(file) if file == "s.tsv" else rp.read(file)
    truth = rp.fit(spec, data, tol=1e-9)
    assert truth.certified
    calls = []
    honest = masters.solution_of

    def lying(*given):
        calls.append(lie)
        found = honest(*given)
        told = {name: np.asarray(getattr(found, name)) for name in PARTS}
        return SimpleNamespace(**{**told, part: NUMBERS[lie](told[part])})

    monkeypatch.setattr(masters, "solution_of", lying)
    run = None
    with contextlib.suppress(rp.RadprogError), np.errstate(all="ignore"):
        run = rp.fit(spec, data, max_iter=20)
    assert calls
    if run is not None:
        true_of(run, truth.objective, -1.0 if file == "s.tsv" else 1.0)


STATUSES = ["Infeasible", "Unbounded", "Unknown", "Time limit reached", "", "\x1b[31mOptimal"]


@pytest.fixture(scope="module")
def solved(place) -> tuple[list[str], float]:
    """The lines of an honest solution file of p.mps, and the optimum of its model."""
    write_highs_solution(place / "p.mps", place / "true.sol")
    truth = rp.fit(rp.VKR(kernels="linear"), rp.read(place / "d.csv"), tol=1e-9)
    return (place / "true.sol").read_text().splitlines(), truth.objective


def loaded(place, text: str | bytes):
    (place / "lie.sol").write_bytes(text if isinstance(text, bytes) else text.encode())
    with contextlib.suppress(rp.RadprogError):
        names = str(place / "p.mps.names.json")
        return rp.load(str(place / "lie.sol"), names, str(place / "d.csv"))
    return None


def changed(lines: list[str], section: str, lie: str) -> str:
    """The file with other numbers in a section: of columns, or of rows after the duals."""
    dual = lines.index("# Dual solution values")
    rows = section == "duals of rows"
    start = next(i for i in range(dual if rows else 0, len(lines))
                 if lines[i].startswith("# Rows" if rows else "# Columns"))  # fmt: skip
    count = int(lines[start].split()[-1])
    pairs = [line.split() for line in lines[start + 1 : start + 1 + count]]
    values = NUMBERS[lie](np.array([float(value) for _, value in pairs]))
    told = [f"{name} {value!r}" for (name, _), value in zip(pairs, values.tolist(), strict=False)]
    return "\n".join([*lines[: start + 1], *told, *lines[start + 1 + count :]]) + "\n"


@pytest.mark.parametrize("section", ["columns", "duals of rows"])
@pytest.mark.parametrize("lie", NUMBERS)
def test_a_solution_file_is_not_believed(
    place, solved: tuple[list[str], float], lie: str, section: str
) -> None:
    lines, value = solved
    assert loaded(place, "\n".join(lines) + "\n").run.certified
    found = loaded(place, changed(lines, section, lie))
    if found is not None:
        true_of(found.run, value)


def test_words_parts_and_bytes_of_a_solution_file_are_not_believed(
    place, solved: tuple[list[str], float]
) -> None:
    lines, value = solved
    whole = ("\n".join(lines) + "\n").encode()
    texts: list[str | bytes] = ["\n".join([lines[0], word, *lines[2:], ""]) for word in STATUSES]
    texts += [whole[: len(whole) * i // 40] for i in range(40)]
    texts += [whole[:at] + b"\xff\xfe" + whole[at + 2 :] for at in range(0, len(whole), 97)]
    for text in texts:
        found = loaded(place, text)
        if found is not None:
            true_of(found.run, value)
    claim = next(i for i, line in enumerate(lines) if line.startswith("Objective"))
    for word in ("-1e9", "0", "1e300"):
        found = loaded(place, "\n".join([*lines[:claim], f"Objective {word}", *lines[claim + 1 :]]))
        assert found is None or found.agrees is False


CLAIMS = {
    **{f"a point of {name}": lambda c, f=lie: told_of(c, "x", f) for name, lie in NUMBERS.items()},
    **{f"duals of {name}": lambda c, f=lie: told_of(c, "row_duals", f)
       for name, lie in NUMBERS.items()},
    "a value too good": lambda c: replace(c, objective=c.objective - 1.0),
    "a value that is not a number": lambda c: replace(c, objective=float("nan")),
    "a value of text": lambda c: replace(c, objective="much"),
    "no value": lambda c: replace(c, objective=None),
    "another status": lambda c: replace(c, status=Status.INFEASIBLE),
    "a status that is none": lambda c: replace(c, status="solved"),
    "other columns": lambda c: replace(c, x={f"{name}_": v for name, v in c.x.items()}),
    "other rows": lambda c: replace(c, row_duals={f"{n}_": v for n, v in c.row_duals.items()}),
    "numbers of text": lambda c: replace(c, x=dict.fromkeys(c.x, "one")),
    "a word": lambda c: "optimal",
    "nothing": lambda c: None,
}  # fmt: skip


def told_of(claim: FileAnswer, part: str, lie) -> FileAnswer:
    values = getattr(claim, part)
    told = lie(np.array(list(values.values())))
    return replace(claim, **{part: dict(zip(values, told.tolist(), strict=False))})


@pytest.mark.parametrize("lie", CLAIMS)
def test_verify_believes_none(place, lie: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What it calls proven is an optimum; where it agrees, value and point are those expected."""
    file = place / "p.mps"
    truth = rp.verify(file)
    assert truth.agrees
    assert truth.proven
    honest = highs.solve_file
    monkeypatch.setattr(highs, "solve_file", lambda p, s: CLAIMS[lie](honest(p, s)))
    found = None
    with contextlib.suppress(rp.RadprogError), np.errstate(all="ignore"):
        found = rp.verify(file)
    if found is None:
        return
    if found.proven or found.agrees:
        assert found.objective == pytest.approx(truth.objective, rel=1e-5)
        assert found.violation <= 1e-6
    if found.agrees and found.answer.objective is not None:
        assert found.answer.objective == pytest.approx(truth.objective, rel=1e-5)
