"""Solvers of other packages, by entry points of the group radprog.solvers."""

import importlib.metadata
import inspect
import sys
from collections.abc import Callable

import linprog_solver
import pytest
from beside import write_package
from contract_checks import check_solver
from program_files import read_file_with
from refusals import refused
from small_models import small_model

import radprog as rp
from radprog.commands.solvers import solver_rows
from radprog.solvers.formats.program_writer import write_program
from radprog.solvers.program import ProblemClass
from radprog.solvers.registry import able, list_solvers, offered, readers, solve_program, solver

SOURCE = inspect.getsource(linprog_solver)
FILES = """
from radprog.solvers.adapters.highs import solve_file
from radprog.solvers.answer import Declared
from radprog.solvers.program import ProblemClass
DECLARED = Declared(classes=frozenset({ProblemClass.LP}), formats=frozenset({"mps"}))
version = lambda: "7.1"
"""


@pytest.fixture
def install(tmp_path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Installs a package: a module of one file and the folder of its metadata."""

    def install(entry: str, source: str = SOURCE, package: str = "tiny-lp") -> None:
        site = write_package(tmp_path / package, package, "radprog.solvers", entry, tiny_lp=source)
        monkeypatch.delitem(sys.modules, "tiny_lp", raising=False)
        monkeypatch.syspath_prepend(site)

    yield install
    sys.modules.pop("tiny_lp", None)


def test_a_package_beside_this_one_adds_a_solver(install, small_lp) -> None:
    install("tiny = tiny_lp")
    assert "tiny" in list_solvers()
    assert "tiny_lp" not in sys.modules  # a list loads nothing
    best = solve_program(small_lp)
    solution = solve_program(small_lp, "tiny")
    assert (solution.solver, solution.status, solution.proved_by) == ("tiny", "optimal", "duals")
    assert solution.objective == pytest.approx(best.objective)
    model = small_model(lambda m: m.x, lambda m: m.x >= 3, x=(0, None))
    assert rp.solve(model, solver="tiny").objective == 3.0
    check_solver("tiny")
    (row,) = (row for row in solver_rows() if row["name"] == "tiny")
    assert (row["installed"], row["classes"]["LP"], row["classes"]["QP"]) == (True, True, False)
    model.goal.expr = model.x**2
    refused(rp.CapabilityError, "tiny cannot solve programs of class QP", rp.solve, model, "tiny")


def test_a_package_adds_a_reader_of_files(install, small_lp, tmp_path) -> None:
    install("tiny = tiny_lp", FILES)
    for form in ("mps", "lp"):
        write_program(small_lp, tmp_path / f"m.{form}")
    answer = read_file_with("tiny", tmp_path / "m.mps")
    assert (answer.status, answer.solver, answer.version) == ("optimal", "tiny", "7.1")
    words = r"tiny does not read \.lp files: use highs"
    refused(rp.CapabilityError, words, read_file_with, "tiny", tmp_path / "m.lp")
    # messages name it where it can help; nothing chooses it
    assert "tiny" in readers("mps", ProblemClass.LP)
    assert "tiny" not in readers("lp")
    assert "tiny" in offered()
    assert "tiny" not in offered(logs=True)
    assert "tiny" in able(ProblemClass.LP, added=True)
    assert "tiny" not in able(ProblemClass.LP)
    refused(rp.CapabilityError, "class LP: use .*tiny", solve_program, small_lp, "libsvm")


@pytest.mark.parametrize(
    ("entry", "source", "words"),
    [
        ("tiny = tiny_lp", "import no_such_module", "ModuleNotFoundError: .*no_such_module"),
        ("tiny = tiny_lp", "1 / 0", "ZeroDivisionError"),
        ("tiny = tiny_lp:adapter", SOURCE, "AttributeError: .*adapter"),
        ("tiny = tiny_lp", "def version(): ...", "is no adapter: tiny_lp needs DECLARED"),
        ("tiny = tiny_lp", SOURCE.replace("def solve", "def find"), "solve or solve_file"),
    ],
)
def test_a_broken_entry_is_one_error_that_names_its_package(
    install, small_lp, entry, source, words
) -> None:
    install(entry, source)
    words = f"solver tiny of the package tiny-lp .*{words}"
    refused(rp.SolverMissingError, words, solve_program, small_lp, "tiny")
    (row,) = (row for row in solver_rows() if row["name"] == "tiny")
    assert (row["installed"], "tiny-lp" in row["note"]) == (False, True)


def test_names_that_are_in_use(install, small_lp) -> None:
    install("highs = tiny_lp")
    with pytest.warns(rp.RadprogWarning, match="solver highs of the package tiny-lp is never"):
        check_solver("piqp")
    assert solve_program(small_lp, "highs").version != linprog_solver.version()
    install("tiny = tiny_lp", package="one-lp")
    install("tiny = tiny_lp", package="other-lp")
    refused(rp.OptionError, "'tiny' is in two packages: one-lp and other-lp", solver, "tiny")
    refused(rp.OptionError, "unknown solver 'tin': known are highs, .*, tiny", solver, "tin")


def test_names_of_radprog_need_no_list_of_packages(small_lp, monkeypatch) -> None:
    monkeypatch.setattr(importlib.metadata, "entry_points", None)
    assert solve_program(small_lp).status == "optimal"
    assert solver("pyomo:glpk").name == "pyomo:glpk"
