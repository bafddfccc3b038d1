"""What works without the packages of the extras, and what the rest says in one line."""

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from program_files import lp
from refusals import refused
from small_data import alternating_points

import radprog as rp
from radprog.base.errors import CapabilityError, ExtraError, SolverMissingError, pip_install
from radprog.base.modelling import pyo
from radprog.cli import build_parser
from radprog.commands import verify
from radprog.examples import write_examples
from radprog.proofs.making import prove_program
from radprog.solvers.program import ProblemClass
from radprog.solvers.registry import SolverSpec, preferred

ROOT = Path(__file__).resolve().parents[2]
BLOCKED = (
    *("matplotlib", "rapidfuzz", "cyipopt", "pyscipopt", "clarabel", "flint"),
    *("distributed", "cryptography"),
)
SCRIPT = """
import contextlib, io, json, sys
class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {blocked!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Absent())
from radprog.cli import main
said = []
for line in sys.stdin.read().splitlines():
    err = io.StringIO()
    with contextlib.redirect_stderr(err), contextlib.redirect_stdout(io.StringIO()):
        try:
            code = main(line.split())
        except SystemExit as stop:
            code = stop.code
    said.append([line, code, err.getvalue()])
json.dump(said, sys.stdout)
"""
WORKS = """\
solve vkr small.csv --scale ball --kernels poly:1-2 --json run.json --save fit.json --quiet
check run.json small.csv
predict fit.json test.csv -o labels.csv
export svm small.csv --scale ball --form dual -o dual.mps
verify dual.mps --solver highs
analyze l1svm few.csv --path beta=1e-2..1e-1 --quiet
tune svm few.csv --grid C=1,2 --quiet
solve mkl small.csv --scale ball --kernels rbf:0.1,rbf:1 --quiet
solve svr ten.csv --quiet
solve lpdsk partly.csv --max-iter 2 --quiet
bounds run.json
solvers
"""
REFUSED = {
    "solve vkr none.csv --plot p.png": ("plot", "a picture needs matplotlib"),
    "tune svm few.csv --grid C=1,2 --plot p.png": ("plot", "a picture needs matplotlib"),
    "report run.json -o page.html": ("plot", "a picture needs matplotlib"),
    "solve svm texts.csv --strings 0 --kernels edit": ("strings", "kernel edit needs rapidfuzz"),
    "solve mkl small.csv --kernels rbf:1 --method qcqp --solver ipopt": ("ipopt", "no cyipopt"),
    "verify dual.mps --solver scip": ("check", "no pyscipopt"),
    "prove run.json small.csv -o proof.json": ("exact", "python-flint is not installed"),
    "tune svm few.csv --grid C=1,2 --scheduler local": ("dask", "a cluster needs cryptography"),
}


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[int, str]]:
    """Exit code and stderr of every command, one after the other, where no extra is installed."""
    folder = tmp_path_factory.mktemp("bare")
    write_examples(["all"], folder)
    words = [sys.executable, "-c", SCRIPT.format(blocked=BLOCKED)]
    lines = WORKS + "\n".join(REFUSED)
    done = subprocess.check_output(words, input=lines, text=True, cwd=folder)
    return {line: (code, err) for line, code, err in json.loads(done)}


@pytest.mark.parametrize("name", sorted({name for name, _ in REFUSED.values()}))
def test_a_remedy_names_the_extra_and_its_packages(name: str) -> None:
    words = rf"pip install '\.\[{name}\]' in a checkout, or pip install '\w"
    assert re.match(words, pip_install(name))


@pytest.mark.parametrize("kind", list(ProblemClass))
def test_a_class_that_no_solver_takes_names_the_extras(kind: ProblemClass, monkeypatch) -> None:
    monkeypatch.setattr(SolverSpec, "installed", lambda self: False)
    with pytest.raises(SolverMissingError) as refusal:
        preferred(kind, nonconvex=True)
    assert "'.[check]'" in str(refusal.value)
    assert "cyipopt" not in str(refusal.value)  # the extra brings SCIP, which takes every class


@pytest.mark.thorough
@pytest.mark.parametrize("line", WORKS.splitlines())
def test_the_main_job_needs_no_extra(said: dict[str, tuple[int, str]], line: str) -> None:
    code, err = said[line]
    assert code in ((0, 1) if "--max-iter" in line else (0,)), err
    assert "error" not in err


def test_a_program_without_proof_is_refused_before_its_extra(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "flint", None)
    path = tmp_path / "mip.lp"
    path.write_text(lp("x + [ x ^ 2 ] / 2", "r: x >= 1"))
    refused(CapabilityError, "no exact proof of a QP", prove_program, path)
    path.write_text(lp("x", "r: x >= 1"))
    refused(SolverMissingError, "python-flint", prove_program, path)
    # multipliers of floats prove a program without integers
    assert rp.solve(path, prove=True).proved_by == "duals"


def plan() -> pyo.ConcreteModel:
    """A program with an integer."""
    model = pyo.ConcreteModel()
    model.x, model.y = pyo.Var(within=pyo.NonNegativeIntegers), pyo.Var(bounds=(0, 9))
    model.rows = pyo.Constraint(expr=model.x + model.y >= 3)
    model.cost = pyo.Objective(expr=model.x + 2 * model.y)
    return model


def front():
    model = plan()
    return rp.front(model, model.x, model.y, prove=True, step=0.1)


def second_reader() -> None:
    words = ["verify", "a.mps", "--solver", "highs", "--solver", "scip"]
    verify.run(build_parser().parse_args(words))


DATA, SVM = alternating_points(12), rp.SVM(kernels="rbf:1")
RUN = rp.fit(rp.L1SVM(kernels="poly:1", beta=0.1), DATA)
GLOBAL, SECOND = (
    rp.MKL(kernels="linear,rbf:1", variant="dc", C=0.01),
    "--solver highs --solver scip",
)
BEFORE = {  # where a package is needed late
    "the tree of a file": ("flint", lambda: rp.solve("a.mps", prove=True)),
    "the tree of a model": ("flint", lambda: rp.solve(plan(), prove=True)),
    "the trees of a front": ("flint", front),
    "the tree of a proof": ("flint", lambda: prove_program("a.mps")),
    "the proof of a fit": ("flint", lambda: rp.prove(RUN, DATA)),
    "a search after descents": ("pyscipopt", lambda: rp.fit(GLOBAL, DATA, method="global")),
    "a second reader": ("pyscipopt", second_reader),
    "a solver of columns": ("pyscipopt", lambda: rp.column_generation(plan(), list, solver="scip")),
    "a solver of cuts": ("pyscipopt", lambda: rp.cutting_planes(plan(), list, solver="scip")),
    "a solver of prices": ("pyscipopt", lambda: rp.PricingModel(plan(), 0.0, {}, solver="scip")),
    "workers of blocks": ("distributed", lambda: rp.dantzig_wolfe("a.mps", scheduler="local")),
    "workers of signs": ("distributed", lambda: rp.complexity(SVM, DATA, scheduler="local")),
    "workers of folds": ("cryptography", lambda: rp.tune(SVM, DATA, {"C": [1]}, scheduler="local")),
}
WORK = (
    "radprog.solvers.registry.SolverSpec.solve",
    "radprog.solvers.adapters.highs.solve_file",
    "radprog.solvers.adapters.highs.run",
    "radprog.decompositions.run.RunSettings.budget",
    "radprog.models.kernel_bank.KernelBank.__init__",
)


@pytest.mark.parametrize("what", BEFORE)
def test_a_missing_package_is_named_before_the_work(what: str, empty, monkeypatch) -> None:
    package, call = BEFORE[what]
    rp.export(plan(), "a.mps")
    for place in WORK:
        monkeypatch.setattr(place, lambda *_, **__: pytest.fail(f"{what}: work began"))
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.delitem(sys.modules, "radprog.solvers.adapters.scip", raising=False)
    refused((SolverMissingError, ExtraError), f"{package}|python-flint", call)


@pytest.mark.thorough
@pytest.mark.parametrize("line", REFUSED)
def test_the_rest_names_its_extra(said: dict[str, tuple[int, str]], line: str) -> None:
    (code, err), (name, words) = said[line], REFUSED[line]
    assert code in (2, 3)
    assert words in err
    asked = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    alone = words.removeprefix("no ") if words.startswith("no ") else ""  # one of several
    needed = [one for one in asked[name] if one.startswith(alone)]
    packages = " ".join(f"'{one.partition(';')[0]}'" for one in needed)
    assert err.endswith(f"pip install {packages}\n")  # by their own names, true everywhere
    assert err.startswith("radprog: error: ")
    assert err.count("\n") == 1
