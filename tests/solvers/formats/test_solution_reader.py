"""Solution files of seven programs, whole and broken."""

import re
import subprocess
from xml.sax import saxutils

import highspy
import numpy as np
import pyscipopt
import pytest
from program_files import write_highs_solution
from refusals import refused
from small_programs import make_program

from radprog.base.errors import DataError
from radprog.solvers.answer import duality_gap
from radprog.solvers.formats.program_writer import names_in, write_program
from radprog.solvers.formats.solution_reader import NoPointError, read_solution
from radprog.solvers.program import ProblemClass
from radprog.solvers.registry import solve_program

COLUMNS, ROWS = ("x(0)", "x(1)", "z"), ("first", "second")
X, DUALS = {"x(0)": 1.5, "x(1)": 0.0, "z": -2e-3}, {"first": 0.25, "second": -1.0}

HIGHS = """Model status
Optimal

# Primal solution values
Feasible
Objective 0.748
Objective_bound 0.748
MIP_rel_gap 0
# Columns 3
x(0) 1.5
x(1) 0
z -0.002
# Rows 2
first 1.5
second 3

# Dual solution values
Feasible
# Columns 3
x(0) 0
x(1) 0.5
z 0
# Rows 2
first 0.25
second -1

# Basis
HiGHS_basis_file v2
# Columns 3
x(0) 1
"""
SCIP = """solution status: optimal solution found
objective value:                                0.748
x(0)                                              1.5 \t(obj:0.5)
z                                              -0.002 \t(obj:1)
"""
GLPK = """c Problem:    radprog
c
s bas 2 3 f f 0.748
i 1 l 1.5 0.25
i 2 u 3 -1
j 1 b 1.5 0
j 2 l 0 0.5
j 3 b -0.002 0
e o f
"""
CBC = """Optimal - objective value 0.748
      0 first           1.5                    0.25
      1 second            3                      -1
      0 x(0)            1.5                       0
      1 x(1)              0                     0.5
      2 z            -0.002                       0
"""
GUROBI = """# Solution for model radprog
# Objective value = 0.748
x(0) 1.5
x(1) 0
z -0.002
"""
CPLEX = """<?xml version = "1.0" encoding="UTF-8" standalone="yes"?>
<CPLEXSolution version="1.2">
 <header
   problemName="p.lp" objectiveValue="0.748"
   solutionStatusString="optimal" primalFeasible="1" dualFeasible="1"/>
 <linearConstraints>
  <constraint name="first" index="0" status="LL" slack="0" dual="0.25"/>
  <constraint name="second" index="1" status="LL" slack="0" dual="-1"/>
 </linearConstraints>
 <variables>
  <variable name="x(0)" index="0" status="BS" value="1.5" reducedCost="0"/>
  <variable name="x(1)" index="1" status="LL" value="0" reducedCost="0.5"/>
  <variable name="z" index="2" status="BS" value="-0.002" reducedCost="0"/>
 </variables>
</CPLEXSolution>
"""
JSON = """{ "SolutionInfo": { "Status": 2, "Runtime": 6.5e-04, "ObjVal": 0.748, "IterCount": 0},
"Vars": [ { "VarName": "x(0)", "X": 1.5, "RC": 0, "VBasis": 0},
{ "VarName": "x(1)", "X": 0, "RC": 0.5},
{ "VarName": "z", "X": -2e-3, "RC": 0}],
"Constrs": [ { "ConstrName": "first", "Slack": 0, "Pi": 0.25},
{ "ConstrName": "second", "Slack": 0, "Pi": -1, "CBasis": -1}]}
"""
XPRESS = """NAME          p
  C x(0)                   1.5
  C x(1)                     0
  C z                   -0.002
  S first                    0
  D first                 0.25
  D second                  -1
  R x(1)                   0.5
ENDATA
"""
FILES = {
    "json": JSON,
    "xpress": XPRESS,
    "highs": HIGHS,
    "scip": SCIP,
    "glpk": GLPK,
    "cbc": CBC,
    "gurobi": GUROBI,
    "cplex": CPLEX,
}


def read(folder, text: str, columns: tuple[str, ...] = COLUMNS):
    path = folder / "solution.txt"
    path.write_text(text)
    return read_solution(path, columns, ROWS)


@pytest.mark.parametrize("solver", FILES)
def test_every_format(tmp_path, solver) -> None:
    found = read(tmp_path, FILES[solver])
    name = {"json": "gurobi"}.get(solver, solver)
    objective = None if solver == "xpress" else 0.748  # an .slx file has none
    assert (found.solver, found.objective, dict(found.x)) == (name, objective, X)
    assert list(found.x) == list(COLUMNS)
    wanted = None if solver in ("scip", "gurobi") else DUALS
    assert found.row_duals == wanted


def variants() -> dict[str, tuple[str, bool]]:
    """Further files of the same point, and whether they hold multipliers."""
    first = "i 1 b 0.748 0\ni 2 l 1.5 0.25\ni 3 u 3 -1\n"
    lines = [re.sub(" [lub] ", " ", line) for line in GLPK.splitlines()[3:-1]]
    whole = [" ".join(line.split()[:3]) for line in lines]
    cbc, zero = CBC.splitlines(), '{ "VarName": "x(1)", "X": 0, "RC": 0.5},'
    return {
        "the objective as the first row": (
            GLPK.replace("bas 2", "bas 3").replace("i 1 l 1.5 0.25\ni 2 u 3 -1\n", first), True,
        ),
        "interior points": ("\n".join(["s ipt 2 3 o 0.748", *lines, "e o f\n"]), True),
        "integers": ("\n".join(["s mip 2 3 o 0.748", *whole, "e o f\n"]), False),
        "CBC without rows and zeros": ("\n".join([cbc[0], cbc[3], cbc[5]]) + "\n", False),
        "JSON without zeros": (JSON.replace(zero, "").replace("Constrs", "None"), False),
        "names and values alone": ("\nx(0) 1.5\nz -2e-3\nx(1) 0\n", False),
    }  # fmt: skip


@pytest.mark.parametrize("name", variants())
def test_variants_of_the_formats(tmp_path, name) -> None:
    text, priced = variants()[name]
    found = read(tmp_path, text)
    assert (found.x, found.row_duals) == (X, DUALS if priced else None)


@pytest.mark.parametrize("name", ["x(0)", "c", "NAME"])
def test_names_and_values_alone(tmp_path, name) -> None:
    whole = f"{name} 1.5\nz -2e-3\n"
    assert read(tmp_path, whole, (name, "z")).objective is None
    for text in (f"{name} 1\n", f"{whole}w 3\n", f"{name} 1\nz 2 3\n", f"{name} 1\nz a\n"):
        refused(DataError, "solution.txt", read, tmp_path, text, (name, "z"))
    refused(DataError, "not a solution file", read, tmp_path, "w 1\nz 2\n", (name, "z"))


WRONG = [
    ("highs", "z -0.002\n# Rows", "# Rows", "no value for the columns z"),
    ("highs", "second -1\n", "", "no value for the rows second"),
    ("highs", "x(0) 1.5", "y 1.5", "columns that the program does not have: y"),
    ("highs", "x(0) 1.5", "x(0) nan", "line 10: got 'nan', expected a finite number"),
    ("highs", "x(0) 1.5", "x(0)", "line 10"),
    ("highs", "x(0) 1.5", "x(0) 1.5 2", "line 10: got 'x(0) 1.5 2'"),
    ("highs", "first 0.25", "first 0.25 junk", "line 24: got 'first 0.25 junk'"),
    ("highs", "x(1) 0\nz -", "x(0) 0\nz -", "line 11: 'x(0)' comes twice"),
    ("highs", "Optimal", "Infeasible", None),
    ("highs", "values\nFeasible\nObj", "values\nInfeasible\nObj", "no feasible solution"),
    ("scip", "z      ", "y      ", "columns that the program does not have: y"),
    ("scip", "1.5 \t", "2.5 \t", "add up to an objective of 1.24"),
    ("scip", SCIP.splitlines()[2], "", "add up"),
    ("scip", SCIP[SCIP.index("x(0)") :], "", "add up"),
    ("glpk", "s bas 2 3", "s bas 4 3", "4 rows and 3 columns, the program has 2 and 3"),
    ("glpk", "f f 0.748", "f n 0.748", None),
    ("glpk", "f f 0.748", "n f 0.748", "no feasible solution"),
    ("glpk", "j 3 b", "j 4 b", "there is no number 4"),
    ("glpk", "e o f\n", "", "ends before"),
    ("cbc", "      1 x(1)              0                     0.5\n", "", "left out"),
    ("cbc", "      1 second            3                      -1\n", "", "left out"),
    ("cbc", "2 z", "2 y", "printi all solution"),
    ("cbc", "Optimal", "Infeasible", "no feasible solution"),
    ("cbc", "      0 x(0)", "**    0 x(0)", "line 4: holds no feasible solution"),
    ("cplex", 'name="z"', 'name="y"', "does not have: y"),
    ("cplex", 'primalFeasible="1"', 'primalFeasible="0"', "no feasible solution"),
    ("xpress", "ENDATA\n", "", "ends before its last line, 'ENDATA'"),
    ("xpress", "  C z     ", "  Z z     ", "line 4: got '  Z z"),
    ("xpress", "ENDATA", "ENDATA\nNAME          q", "line 10: got 'NAME"),
    ("xpress", XPRESS[: XPRESS.index("ENDATA")], "", "no feasible solution, xpress says 'ENDATA'"),
    ("json", JSON[-30:], "", "no JSON solution of Gurobi"),
    ("json", '"Status": 2', '"Status": 3', "gurobi says status 3"),
    ("json", '"Status": 2', '"Status": []', "no JSON solution of Gurobi"),
    ("json", '"Vars": [', '"Vars": [3, ', "no JSON solution of Gurobi"),
    ("json", '"Vars"', '"Columns"', "expected Status, ObjVal, and Vars"),
    ("json", '"VarName": "z"', '"VTag": ["z"]', "tagged ones have no name"),
    ("json", '"VarName": "z"', '"VarName": 3', "no JSON solution of Gurobi"),
    ("json", '"X": 1.5', '"X": NaN', "got 'nan', expected a finite number"),
    ("json", '"X": 1.5', '"X": true', "got 'True'"),
    ("json", '"ConstrName": "second"', '"CTag": ["second"]', "no value for the rows second"),
    ("gurobi", "z -0.002", "z -0.002\nw 1", "does not have: w"),
]


@pytest.mark.parametrize(("solver", "old", "new", "message"), WRONG)
def test_wrong_and_partial_files(tmp_path, solver, old, new, message) -> None:
    assert old in FILES[solver]
    text = FILES[solver].replace(old, new, 1)
    if message is None:  # what the file says of the solver is not what it holds
        assert read(tmp_path, text).x == X
        return
    refused(DataError, f"(?s)solution.txt.*{re.escape(message)}", read, tmp_path, text)


def test_files_without_a_point(tmp_path) -> None:
    for text in ("", "\0", "hello\n", "Problem:\nRows: 2\n", "Columns\n    Index Status\n", "{}"):
        refused(DataError, "solution.txt", read, tmp_path, text)
    many, text = tuple(f"x({j})" for j in range(12)), "# Objective value = 1\nx(3) 1\n"
    refused(DataError, "and 6 more", read, tmp_path, text, many)
    with pytest.raises(NoPointError) as caught:
        read(tmp_path, JSON.replace('"Status": 2', '"Status": 4'))
    assert caught.value.claims == {"infeasible", "unbounded"}


def optimal(program, found, rows, tolerance: float) -> bool:
    """Is the point feasible, and do the duals prove that it is optimal?"""
    x = np.array([found.x[name] for name in program.column_names])
    duals = np.zeros(len(program.row_names))
    for name, row in rows.items():
        duals[row] += found.row_duals[name]
    assert np.abs(duals).max() > 0.1
    gap = duality_gap(program, x, duals, program.reduced_costs(x, duals))
    return program.violation(x) <= tolerance and gap <= tolerance


@pytest.mark.parametrize("suffix", [".lp", ".mps"])
@pytest.mark.parametrize("seed", range(4))
def test_what_highs_and_scip_write(tmp_path, known, seed, suffix) -> None:
    program = known(seed, ProblemClass.LP).program
    model, solution = tmp_path / f"p{suffix}", str(tmp_path / "s.sol")
    write_program(program, model)
    columns, rows = names_in(program, model)
    names, highs = (tuple(columns), tuple(rows)), highspy.Highs()
    highs.setOptionValue("output_flag", False)
    highs.readModel(str(model))
    highs.run()
    highs.writeSolution(solution, 0)
    assert optimal(program, read_solution(solution, *names), rows, 1e-9)
    for style in (-1, 1, 4):  # old, pretty, sparse
        highs.writeSolution(solution, style)
        words = r"write the style raw, writeSolution\(FILE, 0\)"
        refused(DataError, words, read_solution, solution, *names)
    scip = pyscipopt.Model()
    scip.hideOutput()
    scip.readProblem(str(model))
    scip.optimize()
    scip.writeBestSol(solution)
    found = read_solution(solution, *names).x
    x = np.array([found[name] for name in program.column_names])
    assert program.objective(x) == pytest.approx(solve_program(program).objective, rel=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("suffix", [".lp", ".mps"])
@pytest.mark.parametrize("seed", range(4))
def test_what_glpk_and_cbc_write(tmp_path, known, seed, suffix) -> None:
    """GLPK numbers rows and columns in the order of the names."""
    program = known(seed, ProblemClass.LP).program
    model = tmp_path / f"p{suffix}"
    write_program(program, model)
    columns, rows = names_in(program, model)
    form = "--lp" if suffix == ".lp" else "--freemps"
    for command in (
        ["glpsol", form, model.name, "-w", "s.sol"],
        ["cbc", model.name, "-printingOptions", "all", "-solve", "-solution", "s.sol"],
    ):
        subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
        found = read_solution(tmp_path / "s.sol", tuple(columns), tuple(rows))
        assert optimal(program, found, rows, 1e-5)


def test_the_row_that_stands_for_none_is_passed_over(tmp_path) -> None:
    """Of an .lp file without rows, which names no row to users."""
    program, solution = tmp_path / "m.lp", tmp_path / "m.sol"
    write_program(make_program([2.0], lower=1.0, upper=5.0, columns="x"), program)
    write_highs_solution(program, solution)
    assert "no_rows" in solution.read_text()
    found = read_solution(solution, ("x",), ())
    assert (found.x, found.row_duals) == ({"x": 1.0}, {})
    solution.write_text("s bas 1 1 f f 2\ni 1 b 0 0\nj 1 l 1 2\ne o f\n")
    assert read_solution(solution, ("x",), ()).x == {"x": 1.0}


@pytest.mark.cases(50)
@pytest.mark.parametrize("name", ["a&b", 'q"<', "#c", "it's", "x[1,2]"])
@pytest.mark.parametrize("kind", FILES)
def test_names_of_each_solver(tmp_path, name, kind) -> None:
    escapes = {"cplex": saxutils.escape(name, {'"': "&quot;"}), "json": name.replace('"', r"\"")}
    text = FILES[kind].replace("x(0)", escapes.get(kind, name))
    found = read(tmp_path, text, (name, "x(1)", "z"))
    assert found.x == {name: 1.5, "x(1)": 0.0, "z": -2e-3}
