"""Every form in every format: what the file and its names.json hold."""

import gzip
import hashlib
import json
from pathlib import Path

import pytest
from program_files import read_program
from small_files import write_few

import radprog as rp

SUFFIXES = (".lp", ".mps", ".lp.gz", ".mps.gz")
KERNELS = {"vkr": "poly:1-2", "l1svm": "poly:2", "svm": "poly:2"}


@pytest.fixture
def few(folder) -> Path:
    write_few(14)
    return folder


def write(radprog, model: str, form: str, file: str, *options: object) -> dict:
    how = ("few.csv --scale ball --kernels", KERNELS[model], "--form", form, "-o", file)
    done = radprog.ok("export", model, *how, *options)
    assert (done.out, file in done.err) == ("", True)
    return json.loads(Path(f"{file}.names.json").read_text())


def test_all_formats_hold_one_program(radprog, few) -> None:
    found = {suffix: write(radprog, "vkr", "dual", f"p{suffix}") for suffix in SUFFIXES}
    for suffix, names in found.items():
        content, program = Path(f"p{suffix}").read_bytes(), read_program(f"p{suffix}")
        assert names["sha256"] == hashlib.sha256(content).hexdigest()
        assert list(program.column_names) == list(names["columns"])  # in the order of the file
        assert list(program.row_names) == list(names["rows"])
        if suffix.endswith(".gz"):
            assert gzip.decompress(content) == Path(f"p{suffix[:-3]}").read_bytes()
    for key in ("expected_objective", "columns", "scale", "iterate", "class"):
        assert len({json.dumps(names[key], sort_keys=True) for names in found.values()}) == 1


def test_nl_keeps_the_sense_of_the_model(radprog, few) -> None:
    done = radprog("export", "l1svm", "few.csv", "--form", "dual", "-o", "d.lp")
    turned = "the model's objective is -1 times the file's, which minimises; "
    assert turned + "weight[0] is named weight(0)" in done.err.splitlines()
    for form, scale in (("primal", 1), ("dual", -1)):
        nl, mps = (write(radprog, "vkr", form, f"{form}{end}") for end in (".nl", ".mps"))
        assert nl["class"] == "NLP"
        assert nl["expected_objective"] == pytest.approx(scale * mps["expected_objective"])
        assert (len(nl["columns"]), len(nl["rows"])) == (len(mps["columns"]), len(mps["rows"]))
        assert Path(f"{form}.nl").read_bytes().startswith(b"g3")
    assert ".nl" in radprog("verify", "dual.nl").error


def test_verify_tells_a_wrong_program_from_a_right_one(radprog, few) -> None:
    """The file itself is changed, and its hash with it: only the value gives it away."""
    names = write(radprog, "vkr", "primal", "p.lp")
    text = Path("p.lp").read_text()
    column = next(iter(names["columns"]))
    assert text.count(column) > 1
    place = text.lower().index("bounds")
    changed = text[:place] + text[place:].replace(f"{column} >= 0", f"{column} >= 3", 1)
    if changed == text:
        changed = text[:place] + f"bounds\n {column} >= 3\n" + text[place + len("bounds\n") :]
    Path("p.lp").write_text(changed)
    radprog.refused("hashes differ", "verify", "p.lp")
    names["sha256"] = hashlib.sha256(Path("p.lp").read_bytes()).hexdigest()
    Path("p.lp.names.json").write_text(json.dumps(names))
    found = radprog("verify", "p.lp", "--solver", "highs", "--solver", "scip", "--json", "v.json")
    assert (found.code, found.out.count("DIFFERS")) == (1, 2)
    assert not json.loads(Path("v.json").read_text())["rows"][0]["agrees"]


def test_a_value_that_nobody_knows_is_not_compared(radprog, few) -> None:
    assert write(radprog, "vkr", "primal", "p.mps", "--max-iter", 0)["expected_objective"] is None
    found = radprog("verify", "p.mps")
    assert (found.code, "unknown" in found.out) == (0, True)
    radprog.refused("not beside it", "verify few.csv")


@pytest.mark.parametrize("model", ["svm", "vkr"])
def test_rounds_are_refused_where_no_iterate_is_in_the_form(radprog, few, model) -> None:
    line = ("export", model, "few.csv --form dual --kernels linear -o p.mps")
    radprog.refused("the same at every iterate: leave --max-iter out", *line, "--max-iter", "2")
    assert not Path("p.mps").exists()
    assert radprog(*line, "--max-iter", "0").code == 0


@pytest.mark.parametrize("name", ["qcqp.lp", "qcqp.mps", "dual.mps", "bent.lp"])
def test_solvers_that_read_no_files_get_the_matrices(radprog, few, name) -> None:
    """A convex program is proved by the duals of each; a bent one needs a search."""
    spec, data = rp.SVM(kernels="rbf:1"), rp.read("few.csv")
    if name == "bent.lp":
        Path("bent.mod.lp").write_text("min\n o: x\nst\n r: [ x^2 ] >= 4\nend\n")
        rp.export("bent.mod.lp", name, expected=2.0)
    else:
        spec = rp.MKL(kernels="rbf:1,linear") if name.startswith("qcqp") else spec
        form = name.partition(".")[0]
        rp.export(rp.build(spec, data, form=form), name, expected=True)
    able = {"dual.mps": ["highs", "piqp"], "bent.lp": ["scip"]}.get(name, ["ipopt", "clarabel"])
    for solver in (None, *able, "scip"):
        verdict = rp.verify(name, solver)
        assert verdict.agrees, verdict
        assert verdict.proven == (name != "bent.lp")
        assert verdict.answer.solver == solver or (able[0] if solver is None else solver)
    if name == "bent.lp":
        for solver in ("ipopt", "clarabel"):
            assert "not convex" in radprog("verify", name, "--solver", solver).error


@pytest.mark.parametrize("solver", ["glpk", "cbc"])
def test_verify_refuses_what_a_solver_is_not_declared_for(radprog, few, solver) -> None:
    write(radprog, "svm", "dual", "q.mps")
    radprog.refused("QP", "verify", "q.mps", "--solver", solver, "--json", "v.json")
    assert not Path("v.json").exists()
