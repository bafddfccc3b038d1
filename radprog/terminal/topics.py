"""What ``radprog help TOPIC`` prints, and the page of topics in the documentation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from textwrap import wrap


@dataclass(frozen=True, kw_only=True)
class Topic:
    """A subject that no single command has: a title, and what makes its text."""

    title: str
    text: Callable[[], str]


FILES = """\
Tables: CSV, TSV, blanks (header recognised), svmlight and ARFF; .gz of any of
them; Parquet (pip install 'radprog[parquet]').
The label is the last column, else --label NAME, NUMBER, first or none.
  --scale ball      standardise, then divide by the largest training row norm
                    (also standard, minmax, unit; none is the default). The
                    numbers come from the training rows and go into the fit.
                    tune varies it: --grid scale=none,unit,standard,minmax
  --missing mean    empty cells become column means (drop, error)
  --positive LABEL  the label that becomes +1
  --categorical A,B columns of texts: a feature 0 or 1 for each level (auto: all
                    in which a text stands). A level that the training data
                    has not is an error.
  --decimal ,       decimal commas; cells between tabs, semicolons or blanks
  --header yes      the first row names the columns (no, auto)
  --strings COLUMN  texts, for --kernels edit
Series (lpboost): .tsv and .txt of the UCR archive, .ts; bags of patterns .npz.
Views (mkl): --views A.csv,B.csv; kernel matrices: --grams FILE.npz with arrays
K (M, n, n) and y (n,). Label propagation: rows without a label have an empty
cell or ?.
Small data of every kind: radprog example all
"""

KERNELS = """\
--kernels takes a list, separated by commas:
  linear        x'z
  poly:3        (x'z + 1)^3;        poly:1-10 are ten kernels
  rbf:0.1       exp(-0.1 |x - z|^2); rbf:1e-3..1e1 one for every decade
  laplace:0.1   exp(-0.1 |x - z|_1)
  edit          strings: minus the edit distance over the longer length
  file:K.npy    a matrix of your own, rows are points, columns are centres
vkr, l1svm and simsvm ask neither symmetry nor positive semidefiniteness.
A fit on file: predicts with --cross FILE.npy, values between new and old
points. From Python a kernel may be any function k(X, Z).
"""

CERTIFICATES = """\
objective   the program's value at the point found, evaluated from the data
bound       no point is better than this: recomputed from a dual point, and
            weakened by the rounding error of its own evaluation
gap         |objective - bound| / |objective|
certified   gap <= --tol (1e-6), or the difference <= --abs-tol (1e-9)
No word of a solver is used. "optimal" is said of certified results alone;
"critical_point" is where a local method ends, "feasible" a point without a
proof, and bound is then null or further away.
  radprog check RUN.json DATA            the same again, without a solver
  radprog prove RUN.json DATA -o PROOF   the same in fractions, for a stranger
"""

LIMITS = """\
--time-limit SECONDS   of reading, set-up, solving and writing together
--max-iter N           rounds of the method
Ctrl-C, SIGTERM, SIGHUP  stop inside a solve; a second one stops at once
In each case the best answer so far is written, with its bound, and the exit
code is 1. What would not fit into the memory is refused before it starts.
  --threads N   of linear algebra; every result is the same for any N
  --seed N      of random starts and folds (0)
  radprog load SOL --names FILE.names.json --data DATA   an answer of another
                solver, however it ended, becomes a certified result
"""

PIPES = """\
--json -    the result on stdout, and nothing else; the summary goes to stderr
--quiet     no progress, no summary, no warnings
-o, --json, --save, --plot   files, written whole or not at all
  radprog solve svm train.csv --scale ball --json - --quiet | jq .objective
Progress is live on terminals, elsewhere a line each minute.
NO_COLOR is respected, and TERM=dumb.
Lines fit 80 columns on a terminal that is no wider; in a pipe they are as long
as they are. Errors are one line, `radprog: error: ...`; --debug shows where.
exit codes: 0 done as asked; 1 stopped before that, or a mismatch; 2 bad input;
3 a solver that is not installed, or crashed.
"""

PLOTS = """\
--plot FILE.png (.svg, .pdf) of
  solve     objective and bound against time, beside them what was learned:
            the points by class in their two principal components, the weights
            of kernels, the curve, the patterns, or the clusters
  tune      the score over the grid, the choice marked
  analyze   with --path: value, trade-off and errors along the parameter
  report    one page of HTML with its pictures inside, no network, no script
"""


CONSTRAINTS = """\
vkr, l1svm and svm learn under rows in the scores of the points:
  --constraint parity:COLUMN:EPS       mean scores of groups differ by <= EPS
  --constraint opportunity:COLUMN:EPS  the same within the positive class
  --constraint 'monotone:3<7'          the score of row 3 is below that of 7
  --constraint classify:1,5:1          rows 1 and 5 are right, with margin 1
  --constraint mean:-0.4               mean score at most -0.4
  --constraint rate:0.3                the same: 2 * 0.3 - 1; no rate is held
  --constraint cap:poly:3:0.5          coefficients of a kernel sum to <= 0.5
  --constraints FILE                   one a line, or a row of G and its h
Rows count as lines of the file do. Each comes back with its price: what a unit
more of its bound would save. Those that cannot hold together are named, and
nothing is fitted.
"""


def _methods() -> str:
    from radprog.catalog import CATALOG

    lines = ["--method M; the first is the default. Those in brackets give no certificate.", ""]
    for entry in CATALOG.values():
        local = entry.local
        names = ", ".join(f"({name})" if name in local else name for name in entry.methods)
        lines.append(f"  {entry.name:<11}{names}")
    lines += [
        "",
        "colgen, silp, qcqp, direct and dual solve convex programs. cccp, dca, hybrid,",
        "algorithm1 and alternate end at critical points of programs that are not convex;",
        "global and exact enclose their optimum, for few points or kernels.",
    ]
    return "\n".join(lines) + "\n"


def _exports() -> str:
    from radprog.catalog import CATALOG

    lines = [
        "radprog export MODEL DATA --form FORM -o FILE: .lp, .mps, .gz of them, or .nl,",
        "and FILE.names.json: what rows and columns mean, and what to expect.",
        "",
    ]
    for entry in CATALOG.values():
        if entry.forms:
            names = f"  {entry.name:<11}{', '.join(entry.forms)}"
            lines += wrap(names, 80, subsequent_indent=" " * 13, break_on_hyphens=False)
    lines += [
        "",
        "Files are minimisations; the objective is scale * value + offset of names.json.",
        "  radprog verify FILE --solver highs --solver scip   do they agree with it?",
        "  radprog load SOL --names FILE.names.json --data DATA   and back again",
        "  radprog solvers                                    which can read what",
    ]
    return "\n".join(lines) + "\n"


def fixed(title: str, text: str) -> Topic:
    """A topic whose text is known."""
    return Topic(title=title, text=lambda: text)


TOPICS: Mapping[str, Topic] = {
    "files": fixed("what is read", FILES),
    "kernels": fixed("how kernels are named", KERNELS),
    "methods": Topic(title="the methods of each model", text=_methods),
    "constraints": fixed("learning under rows of your own", CONSTRAINTS),
    "certificates": fixed("what optimal means here", CERTIFICATES),
    "limits": fixed("time, rounds, memory, interrupts", LIMITS),
    "exports": Topic(title="programs as files for other solvers", text=_exports),
    "pipes": fixed("JSON, stdout, exit codes", PIPES),
    "plots": fixed("pictures and pages", PLOTS),
}


def listed_topics() -> str:
    """One line a topic."""
    return "".join(f"  {name:<14}{topic.title}\n" for name, topic in TOPICS.items())
