"""One plan under the names of the model, of the exported file, and of Pyomo's own writers."""

from collections.abc import Callable
from pathlib import Path

import pyomo.environ as pyo
import pyscipopt
import pytest
from program_files import write_highs_solution

import radprog as rp
from radprog.cli import main
from radprog.solvers.formats.valid_names import matched

LONG = "a warehouse in a town whose name is longer than any reader of files accepts"


def roster(sense: int, *, constant: float = 0.0, scaled: bool = False) -> pyo.ConcreteModel:
    """Names with pairs, negative numbers, blanks, keywords, and beyond the length of readers."""
    model = pyo.ConcreteModel("roster")
    model.put = pyo.Var(["crew 1", "crew(2)"], [-1, 1, "D-02"], domain=pyo.Binary)
    model.bin = pyo.Var([0, 1], bounds=(0, 3), domain=pyo.Integers)
    model.far = pyo.Var([f"{LONG}, east", f"{LONG}, west"], bounds=(0, 2))
    parts = [*model.put.values(), *model.bin.values(), *model.far.values()]
    worth = sum((3 + k * k % 7) * part for k, part in enumerate(parts))
    model.pick = pyo.Constraint([-1, 1, "D-02"], rule=lambda m, d: sum(m.put[:, d]) == 1)
    least = pyo.Constraint(expr=sum(parts) >= 6)
    model.least = pyo.Constraint(expr=sum(parts) <= 6) if sense < 0 else least
    model.worth = pyo.Objective(expr=worth + constant, sense=pyo.maximize if sense < 0 else 1)
    if scaled:
        model.scaling_factor = pyo.Suffix(direction=pyo.Suffix.EXPORT)
        model.scaling_factor[model.far[f"{LONG}, east"]] = 4.0
    return model


def ours(model: pyo.ConcreteModel, path: str) -> None:
    rp.export(model, path)


def pyomos(model: pyo.ConcreteModel, path: str) -> None:
    model.write(path, io_options={"symbolic_solver_labels": True})


KINDS = {
    "plain": {},
    "a constant": {"constant": 2.5},
    "other units": {"scaled": True},
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("sense", [1, -1])
@pytest.mark.parametrize("suffix", ["mps", "lp"])
def test_a_plan_of_the_model_is_one_of_its_file(
    kind: str, sense: int, suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    model, path = roster(sense, **KINDS[kind]), f"p.{suffix}"
    ours(model, path)
    run = rp.dantzig_wolfe(model, linking="least", method="auto")
    run.write("plan.sol")
    write_highs_solution(path, "highs.sol")
    for file, value in ((path, sense * run.objective), (model, run.objective)):
        for answer in ("plan.sol", "highs.sol", *([run.values] if kind != "other units" else [])):
            if (file, answer) == (model, "highs.sol") and kind == "other units":
                # in the units of the file, which it does not say
                with pytest.raises(rp.OptionError, match="suffix scaling_factor"):
                    rp.certify(file, answer)
                continue
            found = rp.certify(file, answer)
            assert (found.status, found.agrees) in (("optimal", True), ("feasible", True)), found
            assert found.objective == pytest.approx(value, rel=1e-9)
        started = rp.solve(file, start="plan.sol")
        assert started.objective == pytest.approx(value, rel=1e-9)


@pytest.mark.parametrize("write", [ours, pyomos])
@pytest.mark.parametrize("sense", [1, -1])
@pytest.mark.parametrize("suffix", ["mps", "lp"])
def test_a_file_of_scip_lists_the_constant_as_a_column(
    write: Callable[[pyo.ConcreteModel, str], None], sense: int, suffix: str, tmp_path: Path
) -> None:
    model, path, answer = roster(sense, constant=2.5), tmp_path / f"p.{suffix}", tmp_path / "a.sol"
    if write is pyomos:
        model.far.fix(0.0)  # names longer than SCIP reads
    write(model, str(path))
    scip = pyscipopt.Model()
    scip.hideOutput()
    scip.readProblem(str(path))
    scip.optimize()
    scip.writeBestSol(str(answer))
    values = {program: rp.certify(program, answer) for program in (model, path)}
    assert {str(found.status) for found in values.values()} == {"optimal"}
    turned = sense if write is ours else 1
    assert values[model].objective == pytest.approx(turned * values[path].objective)


@pytest.mark.parametrize("write", [ours, pyomos])
@pytest.mark.parametrize("suffix", ["mps", "lp"])
def test_a_solver_s_answer_to_a_file_is_one_of_the_model(
    write: Callable[[pyo.ConcreteModel, str], None],
    suffix: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    model = pyo.ConcreteModel("plan")
    model.x = pyo.Var(["A", "B"], [1, 2], bounds=(0, 3))
    model.need = pyo.Constraint(["A", "B"], rule=lambda m, s: sum(m.x[s, :]) >= 2)
    model.room = pyo.Constraint([1, 2], rule=lambda m, k: sum(m.x[:, k]) <= 3)
    model.cost = pyo.Objective(expr=sum((k + 1) * x for k, x in enumerate(model.x.values())))
    write(model, f"p.{suffix}")
    write_highs_solution(f"p.{suffix}", "a.sol")
    Path(f"p.{suffix}.names.json").unlink(missing_ok=True)
    values = {f"x[{s},{k}]": 2.0 * (k == 1) for s in "AB" for k in (1, 2)}
    for name in ("A", "B"):
        values[f"x[{name},2]"], values[f"x[{name},1]"] = (1.0, 1.0) if name == "B" else (0.0, 2.0)
    best = rp.certify(model, "a.sol")
    assert (best.status, best.certified, best.agrees) == ("optimal", True, True)
    for program in (model, f"p.{suffix}"):
        assert rp.certify(program, values).objective == pytest.approx(2.0 + 3.0 + 4.0)


@pytest.mark.parametrize(
    ("given", "names", "expected"),
    [
        (["u[2,5]", "v"], ["u(2.5)", "v"], ["u(2.5)", "v"]),
        (["u[2,5]"], ["u(2_5)"], ["u(2_5)"]),
        (["bin[1]"], ["_bin(1)"], ["_bin(1)"]),
        (["cover[D00]"], ["c_e_cover(D00)_"], ["c_e_cover(D00)_"]),
        (["u[2,5]"], ["u(2.5)", "u(2_5)"], ["u[2,5]"]),  # two columns could be meant
        (["u[2,5]", "u(2_5)"], ["u(2.5)"], ["u[2,5]", "u(2_5)"]),  # two values of one
        (["u[2,5]", "u(2.5)"], ["u(2.5)"], ["u[2,5]", "u(2.5)"]),
        (["u[-1]"], ["u(1)"], ["u[-1]"]),  # another index
        (["w"], ["u", "v"], ["w"]),
    ],
)
def test_a_name_has_one_counterpart_or_stands_for_itself(given, names, expected) -> None:
    assert [matched(given, names)[0][name] for name in given] == expected


@pytest.mark.parametrize("sense", [1, -1])
def test_a_file_of_a_maximisation_says_that_its_signs_are_turned(
    sense: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    rp.export(roster(sense), "p.mps")
    write_highs_solution("p.mps", "a.sol")
    for command in (["certify", "p.mps", "a.sol"], ["analyze", "p.mps"]):
        main(command)
        assert ("signs are turned" in capsys.readouterr().out) == (sense < 0)
    assert main(["load", "a.sol", "--names", "p.mps.names.json"]) == 2
    assert "of a program of your own" in capsys.readouterr().err
