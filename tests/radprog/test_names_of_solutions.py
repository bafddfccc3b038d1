"""One plan under the names of the model, of the exported file, and of Pyomo's own writers."""

import pyomo.environ as pyo
import pytest
from program_files import write_highs_solution, write_scip_solution
from refusals import refused

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


KINDS = {"plain": {}, "a constant": {"constant": 2.5}, "other units": {"scaled": True}}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("sense", [1, -1])
@pytest.mark.parametrize("suffix", ["mps", "lp"])
def test_a_plan_of_the_model_is_one_of_its_file(kind, sense, suffix, empty) -> None:
    model, path = roster(sense, **KINDS[kind]), f"p.{suffix}"
    rp.export(model, path)
    run = rp.dantzig_wolfe(model, linking="least", method="auto")
    run.write("plan.sol")
    write_highs_solution(path, "highs.sol")
    for file, value in ((path, sense * run.objective), (model, run.objective)):
        for answer in ("plan.sol", "highs.sol", *([run.values] if kind != "other units" else [])):
            if (file, answer) == (model, "highs.sol") and kind == "other units":
                # in the units of the file, which it does not say
                refused(rp.OptionError, "suffix scaling_factor", rp.certify, file, answer)
                continue
            found = rp.certify(file, answer)
            assert (found.status, found.agrees) in (("optimal", True), ("feasible", True)), found
            assert found.objective == pytest.approx(value, rel=1e-9)
        started = rp.solve(file, start="plan.sol")
        assert started.objective == pytest.approx(value, rel=1e-9)


def test_an_answer_from_elsewhere_is_certified_and_loaded(empty) -> None:
    model = roster(-1)
    rp.export(model, "p.mps")
    write_highs_solution("p.mps", "a.sol")
    found = rp.certify(model, "a.sol")
    assert [part.value for part in model.component_data_objects(pyo.Var)] == [None] * 10
    found.load()
    assert pyo.value(model.worth) == pytest.approx(found.objective, rel=1e-9)
    assert {part.name: part.value for part in model.component_data_objects(pyo.Var)} == found.values
    assert type(model.bin[0].value) is int
    again = rp.certify(model)
    assert (again.objective, again.status) == (found.objective, found.status)
    # a violated point is loaded as it is
    rp.certify(model, {**found.values, "bin[0]": 0.5}).load()
    assert model.bin[0].value == 0.5
    model.far.fix(0.0)
    refused(rp.OptionError, "has changed", found.load)
    of_file = rp.certify("p.mps", "a.sol")
    assert of_file.values["_bin(0)"] == found.values["bin[0]"]
    refused(rp.CapabilityError, "no Pyomo model: use certificate.values", of_file.load)
    bound = rp.certify(roster(-1), multipliers={"least": 0.0})
    refused(rp.OptionError, "no point", bound.load)


@pytest.mark.parametrize("own", [True, False])
@pytest.mark.parametrize("sense", [1, -1])
@pytest.mark.parametrize("suffix", ["mps", "lp"])
def test_a_file_of_scip_lists_the_constant_as_a_column(own, sense, suffix, empty) -> None:
    """Of this program's files, and of Pyomo's own writers."""
    model, path = roster(sense, constant=2.5), f"p.{suffix}"
    if own:
        rp.export(model, path)
    else:
        model.far.fix(0.0)  # names longer than SCIP reads
        model.write(path, io_options={"symbolic_solver_labels": True})
    write_scip_solution(path, "a.sol")
    values = {program: rp.certify(program, "a.sol") for program in (model, path)}
    assert {str(found.status) for found in values.values()} == {"optimal"}
    turned = sense if own else 1
    assert values[model].objective == pytest.approx(turned * values[path].objective)


def test_a_name_has_one_counterpart_or_stands_for_itself() -> None:
    for given, names, expected in (
        ("u[2,5] v", "u(2.5) v", "u(2.5) v"),
        ("u[2,5]", "u(2_5)", "u(2_5)"),
        ("bin[1]", "_bin(1)", "_bin(1)"),
        ("cover[D00]", "c_e_cover(D00)_", "c_e_cover(D00)_"),
        ("u[2,5]", "u(2.5) u(2_5)", "u[2,5]"),  # two columns could be meant
        ("u[2,5] u(2_5)", "u(2.5)", "u[2,5] u(2_5)"),  # two values of one
        ("u[2,5] u(2.5)", "u(2.5)", "u[2,5] u(2.5)"),
        ("u[-1]", "u(1)", "u[-1]"),  # another index
        ("w", "u v", "w"),
    ):
        found = matched(given.split(), names.split())[0]
        assert [found[name] for name in given.split()] == expected.split()


@pytest.mark.parametrize("sense", [1, -1])
def test_a_file_of_a_maximisation_says_that_its_signs_are_turned(sense, empty, capsys) -> None:
    rp.export(roster(sense), "p.mps")
    write_highs_solution("p.mps", "a.sol")
    for command in ("certify p.mps a.sol", "analyze p.mps", "decompose p.mps", "verify p.mps"):
        main(command.split())
        assert ("signs are turned" in capsys.readouterr().out) == (sense < 0)
    assert main(["load", "a.sol", "--names", "p.mps.names.json"]) == 2
    assert "of a program of your own" in capsys.readouterr().err
