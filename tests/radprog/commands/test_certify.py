"""``radprog certify``: answers of several solvers to foreign files, sound and spoilt."""

import json
import signal
from pathlib import Path

import program_files
import pyomo.environ as pyo
import pytest
from program_files import write_highs_solution
from small_models import small_model
from vipr_reader import proved

import radprog as rp
from radprog.base.limits import poll
from radprog.cli import main

PLAN = program_files.PLAN.format(order="y - z >= -3")


def scip_answer(program: str, answer: str) -> None:
    """SCIP's solution file."""
    from pyscipopt import Model

    model = Model()
    model.hideOutput()
    model.readProblem(program)
    model.optimize()
    model.writeBestSol(answer)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("plan.lp").write_text(PLAN)
    return tmp_path


def verdict(*arguments: str) -> tuple[int, dict]:
    code = main(["certify", *arguments, "--json", "v.json", "--quiet"])
    return code, json.loads(Path("v.json").read_text())


@pytest.mark.parametrize("answer_of", [write_highs_solution, scip_answer])
def test_an_optimum(folder, answer_of, capsys) -> None:
    answer_of("plan.lp", "a.sol")
    assert main(["certify", "plan.lp", "a.sol"]) == 0
    assert "plan.lp: optimal, proved: objective 24, bound 24" in capsys.readouterr().out
    code, found = verdict("plan.lp", "a.sol")
    assert (code, found["status"], found["certified_by"]) == (0, "optimal", "tol")
    assert found["objective"] == pytest.approx(24.0)


def spoilt(name: str, value: str) -> None:
    """The raw answer of HiGHS with another value of a column."""
    lines = Path("a.sol").read_text().splitlines()
    start = lines.index("# Columns 3")
    place = next(i for i in range(start, len(lines)) if lines[i].startswith(f"{name} "))
    lines[place] = f"{name} {value}"
    Path("a.sol").write_text("\n".join(lines) + "\n")


def test_spoilt_answers_name_the_row(folder, capsys) -> None:
    write_highs_solution("plan.lp", "a.sol")
    spoilt("y", "9")
    code, found = verdict("plan.lp", "a.sol")
    assert (code, found["status"], found["holds"]) == (1, "violated", False)
    assert {one["name"] for one in found["violated"]} == {"hours", "steel"}
    main(["certify", "plan.lp", "a.sol"])
    assert "violated   row hours by 9: 0.9 of its scale 10" in capsys.readouterr().out
    write_highs_solution("plan.lp", "a.sol")
    spoilt("x", "1")
    code, found = verdict("plan.lp", "a.sol")
    assert (code, found["status"]) == (1, "feasible")
    assert found["bound"] == pytest.approx(24.0)  # of a maximum: from above
    main(["certify", "plan.lp", "a.sol"])
    why = "a better point may exist: with HiGHS's multipliers the bound is 24"
    assert f"\nwhy        {why}\n" in capsys.readouterr().out
    assert (found["message"], found["violated"]) == (why, [])


def test_all_violated_rows_are_listed_or_counted(folder, capsys) -> None:
    rows = "".join(f" c{i}: x{i} + y >= {i + 1}\n" for i in range(10))
    Path("plan.lp").write_text(f"Minimize\n obj: y\nSubject To\n{rows}End\n")
    found = rp.certify("plan.lp", dict.fromkeys([*(f"x{i}" for i in range(10)), "y"], 0.0))
    assert (len(found.violated), len(found.parts)) == (10, 10)
    assert repr(found) == (
        "<Certificate violated: objective 0, bound 0, gap 0.0e+00, violation 1.0e+01, at c9>"
    )
    Path("a.sol").write_text("".join(f"x{i} 0\n" for i in range(10)) + "y 0\n")
    Path("a.sol").write_text("# Objective value = 0\n" + Path("a.sol").read_text())
    assert main(["certify", "plan.lp", "a.sol"]) == 1
    told = capsys.readouterr().out.splitlines()
    assert [line.startswith("violated   row c") for line in told[1:]] == [True] * 5 + [False]
    assert told[-1] == "violated   5 more"


SLOPE = "Minimize\n obj: 1000 x - 999 y\nSubject To\n c: x >= 1\nBounds\n y = 1\nEnd\n"
BOWL = "Minimize\n obj: [ 2 x ^ 2 ] / 2\nSubject To\n c: x >= 1\n d: y = 1\nEnd\n"


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
def test_why_a_point_is_not_proved(folder, program, x, multiplier, why) -> None:
    Path("p.lp").write_text(program)
    found = rp.certify("p.lp", {"x": x, "y": 1.0}, {"c": multiplier})
    assert (found.status, found.message[: len(why)]) == ("feasible", why)
    # the bound is that of the given multipliers
    assert found.gap > 1e-6


def test_an_objective_that_the_point_does_not_have(folder, capsys) -> None:
    write_highs_solution("plan.lp", "a.sol")
    text = Path("a.sol").read_text().replace("Objective 24", "Objective 25")
    Path("a.sol").write_text(text)
    assert main(["certify", "plan.lp", "a.sol"]) == 1
    first, second = capsys.readouterr().out.splitlines()[:2]
    assert first.startswith("plan.lp: claimed 25, wrong: the point has the objective ")
    assert second.startswith("verdict    optimal, proved")


@pytest.mark.parametrize(
    ("claim", "why"),
    [("infeasible", "the point is feasible"), ("unbounded", "the optimum has a bound")],
)
def test_a_claim_that_is_refuted(folder, capsys, claim, why) -> None:
    write_highs_solution("plan.lp", "a.sol")
    text = Path("a.sol").read_text()
    Path("a.sol").write_text(text.replace("Optimal", claim.capitalize(), 1))
    code, found = verdict("plan.lp", "a.sol")
    assert (code, found["status"], found["holds"], found["claim"]) == (1, "optimal", False, claim)
    main(["certify", "plan.lp", "a.sol"])
    assert f": claimed {claim}, wrong: {why}" in capsys.readouterr().out
    assert f"claimed {claim}, wrong: {why}>" in repr(rp.certify("plan.lp", "a.sol"))
    # of an infeasible program the claim is proved, whatever the point
    Path("a.sol").write_text(text.replace("Optimal", "Infeasible", 1))
    Path("q.lp").write_text(PLAN.replace("2 x + y <= 14", "2 x + y >= 24"))
    code, found = verdict("q.lp", "a.sol")
    assert (code, found["status"]) == (0, "infeasible")


@pytest.mark.parametrize(
    ("rows", "status"),
    [(" c1: x + y >= 5\n c2: x + y <= 3\n", "infeasible"), (" c1: x - y >= -5\n", "unbounded")],
)
def test_no_optimum(folder, capsys, rows, status) -> None:
    Path("p.lp").write_text(f"Minimize\n obj: - x - y\nSubject To\n{rows}End\n")
    write_highs_solution("p.lp", "a.sol")
    code, found = verdict("p.lp", "a.sol")
    assert (code, found["status"], found["objective"]) == (0, status, None)
    # an unbounded program has a ray along which x + y grows
    ray = {one["name"]: one["value"] for one in found["ray"]}
    assert sum(ray.values()) > 0 if status == "unbounded" else not ray
    main(["certify", "p.lp", "a.sol"])
    assert ("\nray        the objective improves" in capsys.readouterr().out) == bool(ray)
    # VIPR has proofs of infeasible programs, and none of unbounded ones
    code = main(["certify", "p.lp", "a.sol", "--prove", "p.vipr"])
    words = "infeasible, in rational numbers" if code == 0 else "the program is unbounded"
    assert code == (2 if ray else 0)
    assert words in capsys.readouterr().err
    limit = ["--prove", "late.vipr", "--time-limit", "1e-9"]
    assert main(["certify", "p.lp", "a.sol", *limit]) == 1
    assert not Path("late.vipr").exists()
    # the claim of another program is not proved
    Path("q.lp").write_text("Minimize\n obj: x + y\nSubject To\n c1: x + y >= 1\nEnd\n")
    code, found = verdict("q.lp", "a.sol")
    # the file of the unbounded program has a point, and the other program has a bound
    assert (code, found["status"]) == (1, "violated" if ray else "unproved")
    main(["certify", "q.lp", "a.sol"])
    words = ": claimed unbounded, wrong" if ray else "\nwhy        no conflict and no ray shows"
    assert words in capsys.readouterr().out


def test_integers_by_the_relaxation(folder, capsys) -> None:
    text = "Minimize\n obj: 2 x + 3 y\nSubject To\n c: 2 x + 3 y >= {side}\nGeneral\n x\n y\nEnd\n"
    # 2 x + 3 y = 7 has a solution in whole numbers: the relaxation proves it
    Path("p.lp").write_text(text.format(side=7))
    scip_answer("p.lp", "a.sol")
    assert verdict("p.lp", "a.sol")[0] == 0
    # the objective is whole: a bound of 6.2 is one of 7
    Path("p.lp").write_text(text.format(side=6.2))
    scip_answer("p.lp", "a.sol")
    assert verdict("p.lp", "a.sol")[1]["bound"] == pytest.approx(7.0)
    # 3 x + 3 y >= 4 needs 6, and the relaxation says 4
    Path("p.lp").write_text(text.replace("2 x", "3 x").format(side=4))
    scip_answer("p.lp", "a.sol")
    code, found = verdict("p.lp", "a.sol")
    assert (code, found["status"], found["bound"]) == (1, "feasible", pytest.approx(4.0))
    main(["certify", "p.lp", "a.sol"])
    assert "\nwhy        the bound is that of the relaxation" in capsys.readouterr().out
    proof = rp.certify("p.lp", {"x": 0.5, "y": -3.0})
    assert {part: absolute for part, absolute, _ in proof.parts} == {
        "bound": 3.0,
        "row": pytest.approx(11.5),
        "integer": 0.5,
    }
    assert "radprog prove" in found["message"]
    assert "radprog decompose" in found["message"]


def test_an_interrupted_proof_leaves_the_verdict(folder, capsys, monkeypatch) -> None:
    Path("p.lp").write_text("Minimize\n obj: x\nSubject To\n c: x >= 1\nGeneral\n x\nEnd\n")
    Path("a.sol").write_text("x 1\n")

    def begun(path: str) -> None:
        signal.raise_signal(signal.SIGINT)
        poll()

    monkeypatch.setattr("radprog.proofs.making.prove_program", begun)
    code = main(["certify", "p.lp", "a.sol", "--prove", "p.vipr", "--json", "v.json"])
    found, said = json.loads(Path("v.json").read_text()), capsys.readouterr()
    assert (code, found["status"], found["objective"]) == (1, "optimal", 1.0)
    assert "optimal, proved" in said.out
    assert "interrupt" in said.err.splitlines()[-1]
    assert not Path("p.vipr").exists()


@pytest.mark.parametrize("sense", ["Minimize", "Maximize"])
@pytest.mark.parametrize(
    ("points", "status", "by", "code"),
    [
        ({"x": 2, "y": 0}, "optimal", "proof", 0),
        ({"x": 2, "y": 1}, "feasible", None, 1),  # the proof refutes it: its value is another
        ({"x": 0, "y": 0}, "violated", None, 1),
    ],
)
def test_a_proved_optimum_is_the_bound_of_an_answer(
    folder, capsys, sense, points, status, by, code
) -> None:
    """The relaxation does not prove an answer to an integer program; the tree does."""
    sign = "-" if sense == "Maximize" else ""
    cost = f"{sign}3 x + {sign}3 y" if not sign else "- 3 x - 3 y"
    Path("p.lp").write_text(
        f"{sense}\n obj: {cost}\nSubject To\n c: 3 x + 3 y >= 4\nGeneral\n x\n y\nEnd\n"
    )
    value = 3.0 * sum(points.values()) * (-1 if sign else 1)
    lines = "".join(f"{name} {number}\n" for name, number in points.items())
    Path("a.sol").write_text(f"# Objective value = {value}\n{lines}")
    found = verdict("p.lp", "a.sol", "--prove", "p.vipr")
    assert (found[0], found[1]["status"], found[1]["proved_by"]) == (code, status, by)
    assert found[1]["exact"] == ("-6" if sign else "6")
    assert proved(Path("p.vipr").read_text()) == ("optimal", 6)
    assert main(["certify", "p.lp", "a.sol", "--prove", "p.vipr"]) == code
    said = capsys.readouterr().out
    if status != "violated":
        assert f"bound {'-' if sign else ''}6" in said
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
def test_a_proof_judges_the_claim_that_there_is_no_point(
    folder, capsys, sense, side, true, answer
) -> None:
    """3 x + 5 y + z = 4.7 with z <= 0.4 has no point of whole x and y, and the relaxation has."""
    Path("p.lp").write_text(
        f"{sense}\n obj: x\nSubject To\n c: 3 x + 5 y + z = {side}\nBounds\n x <= 1\n y <= 1\n"
        " z <= 0.4\nGeneral\n x\n y\nEnd\n"
    )
    Path("a.sol").write_text(answer)
    code, found = verdict("p.lp", "a.sol")
    assert (code, found["holds"], found["claim"]) == (1, False, "infeasible")
    code, found = verdict("p.lp", "a.sol", "--prove", "p.vipr")
    assert (code, found["holds"], found["claim"]) == (int(not true), true, "infeasible")
    assert (found["status"] == "infeasible") is true
    assert (found["proved_by"] == "proof") is true
    assert proved(Path("p.vipr").read_text())[0] == ("infeasible" if true else "optimal")
    capsys.readouterr()
    main(["certify", "p.lp", "a.sol", "--prove", "p.vipr"])
    said = capsys.readouterr().out
    words = "infeasible, proved" if true else "claimed infeasible, wrong: the optimum is 1"
    assert f"p.lp: {words}" in said
    assert "not proved" not in said


@pytest.mark.parametrize(("tol", "words"), [("0.5", "optimal within 50 %, "), ("1e-9", "feasible")])
def test_a_large_tolerance_is_told(folder, capsys, tol, words) -> None:
    """x >= 3.5 whole, with a relaxation that stops at 3.5, of a cost that is not whole."""
    Path("p.lp").write_text(
        "Minimize\n obj: 1.01 x + 1.02 y\nSubject To\n c: 2 x + 2 y >= 7\nGeneral\n x\n y\nEnd\n"
    )
    Path("a.sol").write_text("x 4\ny 0\n")
    main(["certify", "p.lp", "a.sol", "--tol", tol])
    assert f"p.lp: {words}" in capsys.readouterr().out


def test_a_quadratic_program_with_integers_is_sent_to_what_takes_it(folder) -> None:
    Path("p.lp").write_text(
        "Minimize\n obj: x + [ x^2 + y^2 ] / 2\nSubject To\n c: 2 x + 2 y >= 7\n"
        "General\n x\n y\nEnd\n"
    )
    Path("a.sol").write_text("x 2\ny 2\n")
    code, found = verdict("p.lp", "a.sol")
    assert (code, found["status"]) == (1, "feasible")
    assert "radprog" not in found["message"]
    assert main(["decompose", "p.lp"]) == main(["prove", "p.lp", "-o", "p.vipr"]) == 2


def test_what_stopped_a_decomposition_is_told(folder, capsys) -> None:
    rows = "".join(f" c{i}: 3 x{i} + 5 y{i} <= 6\n" for i in range(3))
    names = [f"{n}{i}" for i in range(3) for n in "xy"]
    Path("p.lp").write_text(
        f"Maximize\n obj: {' + '.join(names)}\nSubject To\n{rows} all: {' + '.join(names)} <= 4\n"
        f"Binary\n {' '.join(names)}\nEnd\n"
    )
    command = ["decompose", "p.lp", "--method", "dantzig-wolfe", "--checkpoint", "t.json"]
    assert main([*command, "--time-limit", "1e-9"]) == 1
    assert "\nstopped by time_limit" in capsys.readouterr().out
    assert main([*command, "--tol", "0.5"]) == 0
    assert "stopped by" not in capsys.readouterr().out


def test_a_proof_in_rational_numbers(folder) -> None:
    write_highs_solution("plan.lp", "a.sol")
    code, found = verdict("plan.lp", "a.sol", "--prove", "p.vipr")
    assert code == 0
    assert float(found["exact"]) == 24.0  # of the maximum in the file
    assert Path("p.vipr").read_text().startswith("VER")


def test_a_proof_has_no_tolerance_and_says_so(folder, capsys) -> None:
    """A row that is missed by less than a tolerance: two verdicts in two arithmetics."""
    for side, exact in (("0.3", "optimal"), ("0.30000000001", "infeasible")):
        Path("p.lp").write_text(
            f"min\n x + y + 10\nst\n a: x = 0.1\n b: y = 0.2\n c: x + y = {side}\nend\n"
        )
        Path("p.sol").write_text("# Objective value = 10.3\nx 0.1\ny 0.2\n")
        code, found = verdict("p.lp", "p.sol", "--prove", "p.vipr")
        refuted = exact == "infeasible"
        status = "feasible" if refuted else "optimal"
        assert (code, found["status"], found["exact_status"]) == (int(refuted), status, exact)
        assert found["holds"] is not refuted
        assert found["exact"] == (None if refuted else "103/10")
        assert main(["certify", "p.lp", "p.sol", "--prove", "p.vipr"]) == int(refuted)
        said = "".join(capsys.readouterr())
        assert "in rational numbers, of the file's decimals" in said
        assert ("within a tolerance only" in said) == refuted
        assert ("optimal, proved" in said) is not refuted


@pytest.mark.parametrize(
    ("model", "answer", "code", "words"),
    [
        ("plan.lp", "gone.sol", 3, "gone.sol"),
        ("gone.lp", "a.sol", 3, "gone.lp"),
        ("plan.lp", "plan.lp", 3, "not a solution file"),
        ("plan.txt", "a.sol", 2, "plan.txt"),
    ],
)
def test_refused(folder, capsys, model, answer, code, words) -> None:
    write_highs_solution("plan.lp", "a.sol")
    assert main(["certify", model, answer]) == code
    assert words in capsys.readouterr().err


def test_points_of_a_caller(folder) -> None:
    model = small_model(lambda m: m.x + m.y, lambda m: m.x + 2 * m.y >= 4, x=(0, None), y=(0, None))
    assert rp.certify(model, pyo.ComponentMap([(model.x, 0.0), (model.y, 2.0)])).certified
    assert rp.certify(model, {"x": 0.0, "y": 2.0}, {"row": 0.5}).bound == pytest.approx(2.0)
    assert not rp.certify(model, {"x": 4.0, "y": 0.0}).certified
    with pytest.raises(rp.OptionError, match="y has no value, expected"):
        rp.certify(model, {"x": 4.0})


def test_names_of_a_model_are_its_own(folder) -> None:
    model = pyo.ConcreteModel()
    model.x = pyo.Var([0, 1], bounds=(0, None))
    model.fixed = pyo.Var(initialize=3.0)
    model.fixed.fix()
    model.r = pyo.Constraint([0], rule=lambda m, i: m.x[0] + m.x[1] >= 1)
    model.cost = pyo.Objective(expr=model.x[0] + 2 * model.x[1])
    found = rp.certify(model, {"x[0]": 0.5, "x[1]": 0.0, "fixed": 3.0})
    assert [name for name, _ in found.violated] == ["r[0]"]
    # a solution file has the names of the exported program
    rp.export(model, "p.lp")
    write_highs_solution("p.lp", "a.sol")
    found = rp.certify(model, "a.sol")
    assert (found.certified, found.claimed) == (True, pytest.approx(1.0))
