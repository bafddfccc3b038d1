"""``radprog certify``: answers of several solvers to foreign files, sound and spoilt."""

import json
import re
import signal
from pathlib import Path

import program_files
import pyomo.environ as pyo
import pytest
from program_files import lp, write_highs_solution, write_scip_solution
from refusals import refused
from small_models import small_model
from vipr_reader import proved

import radprog as rp
from radprog.base.limits import poll
from radprog.cli import main

PLAN = program_files.PLAN.format(order="y - z >= -3")


@pytest.fixture
def certified(radprog, empty: Path):
    """Exit code, JSON and words for an answer to a program, both as text; what writes one is an
    answer too."""

    def certify(program: str, answer, *options: str):
        Path("p.lp").write_text(program)
        if isinstance(answer, str):
            Path("a.sol").write_text(answer)
        else:
            answer("p.lp", "a.sol")
        done = radprog("certify p.lp a.sol --json v.json", *options)
        return done.code, done.json, done.out + done.err

    return certify


@pytest.fixture
def answer(empty: Path) -> str:
    """HiGHS's solution file of PLAN."""
    Path("plan.lp").write_text(PLAN)
    write_highs_solution("plan.lp", "plan.sol")
    return Path("plan.sol").read_text()


@pytest.mark.parametrize("answer_of", [write_highs_solution, write_scip_solution])
def test_an_optimum(certified, answer_of) -> None:
    code, found, said = certified(PLAN, answer_of)
    assert (code, found["status"], found["certified_by"]) == (0, "optimal", "tol")
    assert found["objective"] == pytest.approx(24.0)
    assert "p.lp: optimal, proved: objective 24, bound 24" in said


def test_spoilt_answers_name_the_row(certified, answer) -> None:
    code, found, said = certified(PLAN, re.sub("(?m)^y .*", "y 9", answer, count=1))
    assert (code, found["status"], found["holds"]) == (1, "violated", False)
    assert {one["name"] for one in found["violated"]} == {"hours", "steel"}
    assert "violated   row hours by 9: 0.9 of its scale 10" in said
    code, found, said = certified(PLAN, re.sub("(?m)^x .*", "x 1", answer, count=1))
    assert (code, found["status"]) == (1, "feasible")
    assert found["bound"] == pytest.approx(24.0)  # of a maximum: from above
    why = "a better point may exist: with HiGHS's multipliers the bound is 24"
    assert f"\nwhy        {why}\n" in said
    assert (found["message"], found["violated"]) == (why, [])


def test_all_violated_rows_are_listed_or_counted(certified) -> None:
    program = lp("y", ";".join(f"c{i}: x{i} + y >= {i + 1}" for i in range(10)))
    zeros = dict.fromkeys([*(f"x{i}" for i in range(10)), "y"], 0.0)
    lines = "".join(f"{name} 0\n" for name in zeros)
    code, _, said = certified(program, f"# Objective value = 0\n{lines}")
    told = said.splitlines()
    assert [line.startswith("violated   row c") for line in told[1:]] == [True] * 5 + [False]
    assert (code, told[-1]) == (1, "violated   5 more")
    found = rp.certify("p.lp", zeros)
    assert (len(found.violated), len(found.parts)) == (10, 10)
    words = "violated: objective 0, bound 0, gap 0.0e+00, violation 1.0e+01, at c9"
    assert repr(found) == f"<Certificate {words}>"


SLOPE = lp("1000 x - 999 y", "c: x >= 1", "Bounds\n y = 1\n")
BOWL = lp("[ 2 x ^ 2 ] / 2", "c: x >= 1;d: y = 1")


@pytest.mark.parametrize(
    ("program", "x", "multiplier", "why"),
    [
        (SLOPE, 1.0, 900.0, "HiGHS's multipliers prove the point optimal, the given ones do not"),
        (BOWL, 1.0, 1.5, "HiGHS's multipliers prove the point optimal, the given ones do not"),
        (SLOPE, 1.0 + 1e-4, 1000.0, "a better point may exist"),
        (BOWL, 1.0 + 1e-4, 2.0, "a better point may exist"),
        (SLOPE, 1.0 - 5e-7, 1000.0, "the point is outside by 5e-07, which moves its objective"),
    ],
)
def test_why_a_point_is_not_proved(empty, program, x, multiplier, why) -> None:
    Path("p.lp").write_text(program)
    found = rp.certify("p.lp", {"x": x, "y": 1.0}, {"c": multiplier})
    assert (found.status, found.message[: len(why)]) == ("feasible", why)
    # the bound is that of the given multipliers
    assert found.gap > 1e-6


@pytest.mark.parametrize(
    ("y", "code", "status", "words"),
    [
        ("6.0015", 1, "violated", "violated   row hours by 0.0015"),
        ("6.000001", 0, "optimal", "optimal, proved"),
    ],
)
def test_a_point_within_a_millionth_is_feasible(certified, y, code, status, words) -> None:
    found = certified(PLAN, f"x 4\ny {y}\nz 0\n")
    assert (found[0], words in found[2]) == (code, True), found
    assert (found[1]["status"], found[1]["bound"]) == (status, pytest.approx(24.0))


def test_a_loose_point_refutes_no_claim(certified, answer) -> None:
    claim = answer.replace("Optimal", "Infeasible", 1)
    loose = re.sub("(?m)^y .*", "y 6.0015", claim, count=1)
    for file, status, wrong in ((claim, "optimal", True), (loose, "violated", False)):
        code, found, said = certified(PLAN, file)
        assert (code, found["status"], ": claimed infeasible, wrong" in said) == (1, status, wrong)


def test_an_objective_that_the_point_does_not_have(certified, answer) -> None:
    code, _, said = certified(PLAN, answer.replace("Objective 24", "Objective 25"))
    first, second = said.splitlines()[:2]
    assert code == 1
    assert first.startswith("p.lp: claimed 25, wrong: the point has the objective ")
    assert second.startswith("verdict    optimal, proved")


@pytest.mark.parametrize(
    ("claim", "why"),
    [("infeasible", "the point is feasible"), ("unbounded", "the optimum has a bound")],
)
def test_a_claim_that_is_refuted(certified, answer, claim, why) -> None:
    code, found, said = certified(PLAN, answer.replace("Optimal", claim.capitalize(), 1))
    assert (code, found["status"], found["holds"], found["claim"]) == (1, "optimal", False, claim)
    assert f": claimed {claim}, wrong: {why}" in said
    assert f"claimed {claim}, wrong: {why}>" in repr(rp.certify("p.lp", "a.sol"))
    # of an infeasible program the claim is proved, whatever the point
    other = PLAN.replace("2 x + y <= 14", "2 x + y >= 24")
    code, found, _ = certified(other, answer.replace("Optimal", "Infeasible", 1))
    assert (code, found["status"]) == (0, "infeasible")


@pytest.mark.parametrize(
    ("rows", "status"),
    [("c1: x + y >= 5;c2: x + y <= 3", "infeasible"), ("c1: x - y >= -5", "unbounded")],
)
def test_no_optimum(certified, rows, status) -> None:
    program = lp("- x - y", rows)
    code, found, said = certified(program, write_highs_solution)
    assert (code, found["status"], found["objective"]) == (0, status, None)
    # an unbounded program has a ray along which x + y grows
    ray = {one["name"]: one["value"] for one in found["ray"]}
    assert sum(ray.values()) > 0 if status == "unbounded" else not ray
    assert ("\nray        the objective improves" in said) == bool(ray)
    # VIPR has proofs of infeasible programs, and none of unbounded ones
    code, _, said = certified(program, write_highs_solution, "--prove p.vipr")
    words = "infeasible, in rational numbers" if code == 0 else "the program is unbounded"
    assert code == (2 if ray else 0)
    assert words in said
    late = certified(program, write_highs_solution, "--prove late.vipr --time-limit 1e-9")
    assert (late[0], Path("late.vipr").exists()) == (1, False)
    # the claim of another program is not proved; it has a bound where the file has a point
    code, found, said = certified(lp("x + y", "c1: x + y >= 1"), Path("a.sol").read_text())
    assert (code, found["status"]) == (1, "violated" if ray else "unproved")
    words = ": claimed unbounded, wrong" if ray else "\nwhy        no conflict and no ray shows"
    assert words in said


WHOLE = "General\n x\n y\n"


def test_integers_by_the_relaxation(certified) -> None:
    # 2 x + 3 y = 7 has a solution in whole numbers: the relaxation proves it
    assert certified(lp("2 x + 3 y", "c: 2 x + 3 y >= 7", WHOLE), write_scip_solution)[0] == 0
    # the objective is whole: a bound of 6.2 is one of 7
    _, found, _ = certified(lp("2 x + 3 y", "c: 2 x + 3 y >= 6.2", WHOLE), write_scip_solution)
    assert found["bound"] == pytest.approx(7.0)
    # 3 x + 3 y >= 4 needs 6, and the relaxation says 4
    code, found, said = certified(lp("3 x + 3 y", "c: 3 x + 3 y >= 4", WHOLE), write_scip_solution)
    assert (code, found["status"], found["bound"]) == (1, "feasible", pytest.approx(4.0))
    assert "\nwhy        the bound is that of the relaxation" in said
    assert "radprog prove" in found["message"]
    assert "radprog decompose" in found["message"]
    parts = {name: size for name, size, _ in rp.certify("p.lp", {"x": 0.5, "y": -3.0}).parts}
    assert parts == {"bound": 3.0, "row": pytest.approx(11.5), "integer": 0.5}


def test_an_interrupted_proof_leaves_the_verdict(certified, monkeypatch) -> None:
    def begun(path: str) -> None:
        signal.raise_signal(signal.SIGINT)
        poll()

    monkeypatch.setattr("radprog.proofs.making.prove_program", begun)
    program = lp("x", "c: x >= 1", "General\n x\n")
    code, found, said = certified(program, "x 1\n", "--prove p.vipr")
    assert (code, found["status"], found["objective"]) == (1, "optimal", 1.0)
    assert "optimal, proved" in said
    assert "interrupt" in said.splitlines()[-1]
    assert not Path("p.vipr").exists()


@pytest.mark.parametrize("sense", ["Minimize", "Maximize"])
@pytest.mark.parametrize(
    ("x", "y", "status", "by", "code"),
    [
        (2, 0, "optimal", "proof", 0),
        (2, 1, "feasible", None, 1),  # the proof refutes it: its value is another
        (0, 0, "violated", None, 1),
    ],
)
def test_a_proof_is_the_bound_of_an_answer(certified, sense, x, y, status, by, code) -> None:
    """The relaxation does not prove an answer to an integer program; the tree does."""
    cost, sign = ("- 3 x - 3 y", "-") if sense == "Maximize" else ("3 x + 3 y", "")
    claim = f"# Objective value = {sign}{3 * (x + y)}\nx {x}\ny {y}\n"
    program = lp(cost, "c: 3 x + 3 y >= 4", WHOLE, sense)
    ended, found, said = certified(program, claim, "--prove p.vipr")
    assert (ended, found["status"], found["proved_by"]) == (code, status, by)
    assert found["exact"] == f"{sign}6"
    assert proved(Path("p.vipr").read_text()) == ("optimal", 6)
    assert status == "violated" or f"bound {sign}6" in said
    assert ("optimal, proved: objective" in said) == (code == 0)


@pytest.mark.parametrize(
    "answer",
    [
        "Model status\nInfeasible\n\n# Primal solution values\nNone\n",
        "Infeasible - objective value 0\n",
        "Model status\nInfeasible\n\n# Primal solution values\nFeasible\nObjective 3\n"
        "# Columns 3\nx 1\ny 0\nz 0\n# Rows 1\nc 3\n",
    ],
)
@pytest.mark.parametrize(("side", "true"), [(4.7, True), (3.2, False)])
@pytest.mark.parametrize("sense", ["Minimize", "Maximize"])
def test_a_proof_judges_the_claim_of_no_point(certified, sense, side, true, answer) -> None:
    """3 x + 5 y + z = 4.7 with z <= 0.4 has no point of whole x and y, and the relaxation has."""
    box = "Bounds\n x <= 1\n y <= 1\n z <= 0.4\n"
    program = lp("x", f"c: 3 x + 5 y + z = {side}", box + WHOLE, sense)
    code, found, _ = certified(program, answer)
    assert (code, found["holds"], found["claim"]) == (1, False, "infeasible")
    code, found, said = certified(program, answer, "--prove p.vipr")
    assert (code, found["holds"], found["claim"]) == (int(not true), true, "infeasible")
    assert (found["status"] == "infeasible") is (found["proved_by"] == "proof") is true
    assert proved(Path("p.vipr").read_text())[0] == ("infeasible" if true else "optimal")
    words = "infeasible, proved" if true else "claimed infeasible, wrong: the optimum is 1"
    assert f"p.lp: {words}" in said
    assert "not proved" not in said


@pytest.mark.parametrize(("tol", "words"), [("0.5", "optimal within 50 %, "), ("1e-9", "feasible")])
def test_a_large_tolerance_is_told(certified, tol, words) -> None:
    """x >= 3.5 whole, with a relaxation that stops at 3.5, of a cost that is not whole."""
    program = lp("1.01 x + 1.02 y", "c: 2 x + 2 y >= 7", WHOLE)
    assert f"p.lp: {words}" in certified(program, "x 4\ny 0\n", "--tol", tol)[2]


def test_a_quadratic_program_with_integers_is_sent_to_what_takes_it(certified) -> None:
    program = lp("x + [ x^2 + y^2 ] / 2", "c: 2 x + 2 y >= 7", WHOLE)
    code, found, _ = certified(program, "x 2\ny 2\n")
    assert (code, found["status"]) == (1, "feasible")
    assert "radprog" not in found["message"]
    assert main(["decompose", "p.lp"]) == main(["prove", "p.lp", "-o", "p.vipr"]) == 2


def test_what_stopped_a_decomposition_is_told(radprog, empty) -> None:
    total = " + ".join(f"{n}{i}" for i in range(3) for n in "xy")
    rows = ";".join(f"c{i}: 3 x{i} + 5 y{i} <= 6" for i in range(3))
    binary = f"Binary\n {total.replace('+', '')}\n"
    Path("p.lp").write_text(lp(total, f"{rows};all: {total} <= 2", binary, "Maximize"))
    command = "decompose p.lp --method dantzig-wolfe --checkpoint t.json"
    late = radprog(command, "--time-limit 1e-9")
    assert (late.code, "\nstopped by time_limit" in late.out) == (1, True)
    for tol in ("0.5", "1e-6"):  # the second one goes on
        solved = radprog.ok(command, f"--tol {tol} --json run.json").out
        assert "stopped by" not in solved
        assert "linking rows, dearest first: all 1; root bound 2\n" in solved
        found = json.loads(Path("run.json").read_text())
        assert (found["multipliers"], found["root_bound"]) == ({"all": 1.0}, 2.0)
    others = rows.replace("3 x1", "4 x1").replace("3 x2", "2 x2")  # the solver begins
    Path("q.lp").write_text(lp(total, f"{others};all: {total} <= 2", binary, "Maximize"))
    assert "no prices of linking rows" in radprog.ok("decompose q.lp").out


@pytest.mark.parametrize("sense", [1, -1])
def test_the_bound_of_the_root_has_the_digits_of_its_prices(radprog, empty, sense) -> None:
    """It is 12 1/6, and printed on its safe side."""
    costs = [[3, 8, 8], [3, 2, 8], [7, 7, 5], [3, 4, 4]]
    sizes = [[2, 2, 3], [3, 6, 6], [3, 5, 2], [4, 3, 2]]
    model = pyo.ConcreteModel()
    model.x = pyo.Var(range(4), range(3), domain=pyo.Binary)
    total = sum(costs[j][i] * model.x[j, i] for j in range(4) for i in range(3))
    model.cost = pyo.Objective(expr=sense * total)
    model.job = pyo.Constraint(range(4), rule=lambda m, j: sum(m.x[j, :]) == 1)
    model.room = pyo.Constraint(
        range(3), rule=lambda m, i: sum(sizes[j][i] * m.x[j, i] for j in range(4)) <= 8
    )
    rp.export(model, "p.lp")
    text = Path("p.lp").read_text()
    Path("p.lp").write_text(text if sense > 0 else text.replace("Minimize", "Maximize"))
    solve = "decompose p.lp --method dantzig-wolfe --linking job* --json r.json"
    solved = radprog.ok(solve)
    assert solved.json["root_bound"] == pytest.approx(sense * 73 / 6, rel=1e-9)
    assert solved.out.endswith(f"; root bound {'-' * (sense < 0)}12.1666\n")


def test_a_proof_has_no_tolerance_and_says_so(certified) -> None:
    """A row that is missed by less than a tolerance: two verdicts in two arithmetics."""
    for side, refuted in (("0.3", False), ("0.30000000001", True)):
        program = lp("x + y + 10", f"a: x = 0.1;b: y = 0.2;c: x + y = {side}")
        claim = "# Objective value = 10.3\nx 0.1\ny 0.2\n"
        code, found, said = certified(program, claim, "--prove p.vipr")
        verdicts = ("feasible", "infeasible", None) if refuted else ("optimal", "optimal", "103/10")
        assert (found["status"], found["exact_status"], found["exact"]) == verdicts
        assert (code == 0) is found["holds"] is not refuted
        assert "in rational numbers, of the file's decimals" in said
        assert ("within a tolerance only" in said) == refuted
        assert ("optimal, proved" in said) is not refuted


def test_refused(radprog, answer) -> None:
    for files, code, words in (
        ("plan.lp gone.sol", 3, "gone.sol"),
        ("gone.lp plan.sol", 3, "gone.lp"),
        ("plan.lp plan.lp", 3, "not a solution file"),
        ("plan.txt plan.sol", 2, "plan.txt"),
    ):
        done = radprog("certify", files)
        assert (done.code, words in done.err) == (code, True)


def test_points_of_a_caller() -> None:
    model = small_model(lambda m: m.x + m.y, lambda m: m.x + 2 * m.y >= 4, x=(0, None), y=(0, None))
    assert rp.certify(model, pyo.ComponentMap([(model.x, 0.0), (model.y, 2.0)])).certified
    assert rp.certify(model, {"x": 0.0, "y": 2.0}, {"row": 0.5}).bound == pytest.approx(2.0)
    assert not rp.certify(model, {"x": 4.0, "y": 0.0}).certified
    refused(rp.OptionError, "y has no value, expected", rp.certify, model, {"x": 4.0})
