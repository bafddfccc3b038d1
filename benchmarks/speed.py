"""Speed measurements: stored as JSON, and written to the page and the table of the README.

    python benchmarks/speed.py                       # every case, with 5 runs of the short ones
    python benchmarks/speed.py german mkl --runs 1   # only these; other results stay unchanged
    python benchmarks/speed.py --table               # the table from the JSON file, without runs
    python benchmarks/speed.py --write               # into README.md, between its markers, and
                                                     # docs/reference/benchmarks.md

The benchmark needs RADPROG_DATA. ``--peer PYTHON`` is an interpreter with cvxpy; without it, the
rows of cvxpy are omitted. Every measurement is a separate process with one thread. The compared
processor seconds exclude reading data and building the peers' matrices. Rows that take minutes run
once. Results are stored by versions and machine; each combination has its own part of the JSON
file.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from decompose import front
from measure import child, circumstances, here_and_now, measure, stopwatch, write_section
from speed_page import digits, fastest, page, seconds_of, span

HERE = Path(__file__).resolve()
RESULTS = HERE.with_name("results") / "speed.json"
README = HERE.parent.parent / "README.md"
START, END = "<!-- speed: python benchmarks/speed.py --write -->", "<!-- end of speed -->"
SAME_VALUE = 1e-4  # verified gap of a peer up to which it is not told


@dataclass(frozen=True)
class Row:
    """One way to solve a case: a script of this folder with its arguments; a process that solves it
    in ours too tells what that took as ``ours``."""

    name: str
    script: str
    arguments: tuple[str, ...]
    once: bool = False  # it takes minutes
    peer: bool = False  # by the interpreter that has cvxpy


@dataclass(frozen=True)
class Case:
    """A line of the table; the first row is ours."""

    title: str
    rows: tuple[Row, ...]


def _vkr(name: str, task: str, case: str, once: bool = False) -> Row:
    return Row(name, "vkr.py", ("--child", task, case), once)


def _step(way: str, name: str) -> Row:
    return Row(name, "lpboost.py", ("--task", "step", way, "random"))


def _conv(name: str, *arguments: str) -> Row:
    return Row(name, "mkl.py", ("--task", *arguments))


def _stream(rows: str, price: str) -> Row:
    return Row("", "vkr.py", ("--child", "stream", rows, price), once=True)


def _centres(name: str, task: str) -> Row:
    return Row(name, "centres.py", ("--child", task, "5000", "200"))


def _linear(name: str, case: str, peer: str) -> Row:
    return Row(name, "l1linear.py", ("--child", case, peer), once=bool(name))


def _choice(name: str, way: str) -> Row:
    return Row(name, "choice.py", ("--child", way, "poly:1-10", "12"))


def _own(name: str, *arguments: str, once: bool = False) -> Row:
    return Row(name, "speed.py", ("--child", *arguments), once)


CASES = {
    "german": Case(
        "`vkr`, german, 20 million nonzeros, certified",
        (
            _vkr("", "ours", "german"),
            _vkr("HiGHS on the scaled dual, presolve off", "plain", "german", once=True),
            _vkr("HiGHS on the scaled dual, with presolve", "dual", "german", once=True),
            _vkr("HiGHS on the primal", "primal", "german", once=True),
        ),
    ),
    "waveform01": Case(
        "`vkr`, waveform (1982 training rows of 3304), tiny prices, certified",
        (
            _vkr("", "ours", "waveform01"),
            _vkr("HiGHS on the scaled dual, presolve off", "plain", "waveform01", once=True),
            _vkr("HiGHS on the primal", "primal", "waveform01", once=True),
        ),
    ),
    "choice": Case(
        "`VKRClassifierCV`, german, 12 pairs of lam and beta, 5 folds",
        (_choice("", "cv"), _choice("GridSearchCV over VKRClassifier", "search")),
    ),
    "stream": Case(
        "`vkr`, 20,000 generated rows, poly:1-4, certified",
        (_stream("20000", "1e-2"),),
    ),
    "stream-prices": Case(
        "`vkr`, 20,000 generated rows, poly:1-4, prices 1e-4, certified",
        (_stream("20000", "1e-4"),),
    ),
    "stream-100000": Case(
        "`vkr`, 100,000 generated rows, every point a centre, poly:1-4, certified",
        (_stream("100000", "1e-2"),),
    ),
    "centres": Case(
        "`vkr --centres 2000`, 100,000 generated rows, poly:1-4, certified over that family",
        (
            Row("", "vkr.py", ("--child", "centres"), once=True),
            Row("SGD, hinge and l1", "centres.py", ("--child", "sgd", "100000", "2000"), once=True),
        ),
    ),
    "centres-small": Case(
        "`vkr --centres 200`, 5,000 generated rows, poly:1-4, certified over that family",
        (
            _centres("", "ours"),
            _centres("HiGHS on the scaled dual, presolve off", "whole"),
            _centres("SGD, hinge and l1", "sgd"),
            _centres("liblinear with l1 and the squared hinge", "liblinear"),
        ),
    ),
    "l1-hinge": Case(
        "`l1linear`, hinge, 300 x 10,000",
        (
            _linear("", "hinge-300-1e4", "radprog"),
            _linear("HiGHS, dual simplex", "hinge-300-1e4", "highs simplex"),
            _linear("HiGHS, interior point", "hinge-300-1e4", "highs ipm, no crossover"),
            _linear("SGD, hinge and l1", "hinge-300-1e4", "SGD"),
        ),
    ),
    "l1-quantile": Case(
        "`l1linear`, quantile, 300 x 20,000",
        (
            _linear("", "quantile-300-2e4", "radprog"),
            _linear("HiGHS, dual simplex", "quantile-300-2e4", "highs simplex"),
            _linear("HiGHS, interior point", "quantile-300-2e4", "highs ipm, no crossover"),
        ),
    ),
    "l1-text": Case(
        "`l1linear`, hinge, 20,000 x 100,000 sparse",
        (
            _linear("", "text-20000-1e5", "radprog"),
            _linear("HiGHS, dual simplex", "text-20000-1e5", "highs simplex"),
            _linear("SGD, hinge and l1", "text-20000-1e5", "SGD"),
            _linear(
                "liblinear with l1 and the squared hinge", "text-20000-1e5", "LinearSVC"
            ),
        ),
    ),
    "l1-rows": Case(
        "`l1linear`, quantile, 20,000 x 50",
        (
            _linear("", "quantile-20000-50", "radprog"),
            _linear("scikit-learn's QuantileRegressor", "quantile-20000-50", "QuantileRegressor"),
        ),
    ),
    "mkl": Case(
        "`mkl` conv, sonar, 5 kernels, gap 1e-7",
        (
            _conv("", "conv", "sonar", "1", "silp", "curved"),
            Row("cvxpy + Clarabel, squares of factors", "mkl.py", ("factors",), peer=True),
            Row("cvxpy + Clarabel, quadratic forms", "mkl.py", ("quadratic",), peer=True),
            Row("cvxpy + Clarabel, primal", "mkl.py", ("primal",), peer=True),
            _conv("Ipopt on the QCQP", "conv", "sonar", "1", "qcqp", "curved"),
        ),
    ),
    "mkl-dc": Case(
        "`mkl` dc, protein folds, one start",
        (
            _conv("", "dc", "protein", "hybrid", "curved"),
            _conv("exact steps by linear masters", "dc", "protein", "dca", "highs"),
        ),
    ),
    "mkl-5000": Case(
        "`mkl` conv, 5,000 generated rows, 5 kernels, kernels and all, gap 1e-6",
        (_own("", "kernels", "5000", once=True),),
    ),
    "svr-5000": Case(
        "`svr --A 10`, 5,000 generated rows of 8 columns, 5 starts, kernel and all",
        (_own("", "bounded", "5000", once=True),),
    ),
    "lpboost": Case(
        "`lpboost`, one convex step over the l1 ball",
        (
            _step("generation", ""),
            _step("dual", "HiGHS on the explicit dual"),
            _step("primal", "HiGHS on the primal"),
        ),
    ),
    "srm": Case(
        "`srm`, 100 classes x 100 sign vectors",
        (
            Row("Clarabel, every convex step of that run", "svr.py",
                ("--child", "whole", "10", "100", "2", "0"), once=True),
        ),
    ),
    "cdsk": Case(
        "`cdsk`, 1000 points, 7 clusters",
        (
            _own("", "cdsk", "1000", "0"),
            _own("SpectralClustering (rbf)", "spectral", "1000", "0"),
        ),
    ),
    "cdsk-10000": Case(
        "`cdsk --neighbours 10`, 10,000 points, 7 clusters",
        (
            _own("", "cdsk", "10000", "10"),
            _own("SpectralClustering (10 nearest neighbours)", "spectral", "10000", "10"),
        ),
    ),
}  # fmt: skip

FRONT = ("german", "waveform01", "mkl")  # cases in the README


def cdsk(n: str, neighbours: str) -> dict[str, Any]:
    """A clustering with default settings, or of nearest neighbours."""
    import sklearn.cluster  # noqa: F401  # loaded before the seconds begin, as for the peer
    from similarity import points

    from radprog.decompositions.run import RunSettings
    from radprog.decompositions.similarity.cdsk import fit_cdsk
    from radprog.models.similarity.settings import CDSK

    data = points(int(n))
    with stopwatch() as spent:
        run = fit_cdsk(CDSK(neighbours=int(neighbours) or "all"), data, RunSettings())
    note = f"accuracy {run.summary['accuracy']:.3f}"
    return {**spent, "objective": run.objective, "note": note}


def spectral(n: str, neighbours: str) -> dict[str, Any]:
    """scikit-learn's spectral clustering on the same points."""
    from similarity import points
    from sklearn.cluster import SpectralClustering

    from radprog.models.similarity.agreement import matched_accuracy
    from radprog.models.similarity.problem import Distances

    data = points(int(n))
    if int(neighbours):
        more = {"affinity": "nearest_neighbors", "n_neighbors": int(neighbours)}
    else:
        more = {"gamma": 0.5 / Distances.of(data.X).median ** 2}
    with stopwatch() as spent:
        found = SpectralClustering(7, n_init=20, random_state=0, **more).fit(data.X).labels_
    accuracy = matched_accuracy(found.astype(int), data.codes)
    return {**spent, "objective": None, "note": f"accuracy {accuracy:.3f}"}


def kernels(n: str) -> dict[str, Any]:
    """Weights of five Gaussian kernels on generated waveforms."""
    import sklearn.svm  # noqa: F401  # loaded before the seconds begin
    from table_generators import waveform

    from radprog.decompositions.mkl.fit import fit_mkl
    from radprog.decompositions.run import RunSettings
    from radprog.instances.dataset import dataset
    from radprog.models.mkl.settings import MKL

    points = waveform(int(n), seed=0)
    data = dataset(points.X, points.y, scale="standard")
    with stopwatch() as spent:
        run = fit_mkl(MKL(kernels="rbf:1e-3..1e1"), data, RunSettings())
    note = f"{run.summary['machines']} SVMs"
    return {**spent, "objective": run.objective, "bound": run.bound, "note": note}


def bounded(n: str) -> dict[str, Any]:
    """A regression of bounded loss on a smooth function of four of eight columns; every tenth
    target is moved by noise of standard deviation 5."""
    import numpy as np

    from radprog.decompositions.regression.fit import fit_svr
    from radprog.decompositions.run import RunSettings
    from radprog.instances.dataset import regression_data
    from radprog.models.regression.settings import SVR

    rng = np.random.default_rng(0)
    X = rng.uniform(size=(int(n), 8))
    y = np.sin(3.0 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.5 * X[:, 3] ** 2
    y += 0.1 * rng.normal(size=len(y))
    moved = rng.choice(len(y), len(y) // 10, replace=False)
    y[moved] += 5.0 * rng.normal(size=len(moved))
    data = regression_data(X, y)
    with stopwatch() as spent:
        run = fit_svr(SVR(A=10.0), data, RunSettings())
    return {**spent, "objective": run.objective, "note": f"{run.status}, {len(run.trace)} steps"}


def peer_of_mkl(python: str, form: str, runs: int) -> dict[str, Any]:
    """cvxpy on the kernels of sonar, by its own interpreter."""
    import mkl
    import numpy as np

    spec, kernels = mkl.prepared("sonar")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "problem.npz"
        c = kernels.tails(spec.cutoff) / kernels.n
        np.savez(path, K=kernels.K, y=kernels.labels[0], c=c, C=1.0, p=1.0)
        script = str(HERE.with_name("mkl_peer.py"))
        return measure(script, [str(path), form], runs, python)


def measured(case: Case, runs: int, peer: str | None) -> dict[str, Any]:
    """A case, every row by processes of its own."""
    rows = []
    for row in case.rows:
        times = 1 if row.once else runs
        if not row.peer:
            answer = measure(str(HERE.with_name(row.script)), row.arguments, times)
        elif peer:
            answer = peer_of_mkl(peer, row.arguments[0], times)
        else:
            continue
        kept = ("seconds", "cpu", "wall", "peak_mb", "objective", "bound", "note", "runs")
        told = {"": answer.get("ours"), row.name: answer}
        for name, values in told.items():
            if values:
                found = {"name": name, **{key: values[key] for key in kept if key in values}}
                seconds, note = seconds_of(found), found.get("note", "")
                print(f"  {name or 'ours':<45}{seconds:>10.3f} s  {note}", flush=True)
                rows.append(found)
    verify(rows)
    return {"title": case.title, "rows": rows}


def verify(rows: list[dict[str, Any]]) -> None:
    """The gap of every row that tells a value: of a point (``objective``, evaluated by us there) to
    the best bound of the case; of multipliers (``bound`` alone) to the best point's value."""
    values = [row["objective"] for row in rows if row.get("objective") is not None]
    bounds = [row["bound"] for row in rows if row.get("bound") is not None]
    for row in rows if values and bounds else []:
        value, bound = row.get("objective"), row.get("bound")
        if value is not None or bound is not None:
            least = min(values) if value is None else value
            most = bound if value is None else max(bounds)
            row["gap"] = max(0.0, least - most) / max(abs(least), 1e-10)


def cells(case: dict[str, Any]) -> str:
    """A line of the table: a case beside its fastest peer."""
    ours, best = case["rows"][0], fastest(case["rows"][1:])
    beside = f"{best['name']}: {spent(best)}"
    if best.get("gap", 0.0) > SAME_VALUE:
        beside += f", verified gap {100 * best['gap']:.1f} %"
    times = digits(seconds_of(best) / seconds_of(ours))
    return f"| {case['title']} | {spent(ours)} | {beside} | {times} |"


def spent(row: dict[str, Any]) -> str:
    """Time of a row, and memory where it was measured."""
    memory = f", {row['peak_mb']:.0f} MiB" if row.get("peak_mb") else ""
    return f"{digits(seconds_of(row))} s{memory}"


def table(results: dict[str, Any]) -> str:
    """The table of the README: the cases of FRONT, each beside its fastest peer, of the last part
    that has them all."""
    parts = results["measured"]
    part = next((p for p in reversed(parts) if set(FRONT) <= set(p["cases"])), parts[-1])
    known = [part["cases"][key] for key in FRONT if key in part["cases"]]
    row, date = front()
    lines = ["| task | radprog | best peer | times |", "|---|---|---|---|", *map(cells, known), row]
    runs = {row["runs"] for case in known for row in case["rows"] if "runs" in row}
    how = "one run each"
    if max(runs) > 1:
        some = f"{min(runs)} to {max(runs)}" if min(runs) < max(runs) else f"{max(runs)}"
        how = f"medians of {some} runs"
    dates = span([*(case["date"] for case in known), date])
    processor = part["machine"]["processor"]
    return "\n".join([*lines, "", f"Measured {dates} on {processor}, one thread; {how}."])


def readme(text: str, results: dict[str, Any]) -> str:
    """The README with this table between its markers."""
    before, _, rest = text.partition(START)
    _, _, after = rest.partition(END)
    return f"{before}{START}\n{table(results)}\n{END}{after}"


def main() -> None:
    """Measure, or write the table."""
    tasks = {"cdsk": cdsk, "spectral": spectral, "kernels": kernels, "bounded": bounded}
    if sys.argv[1:2] == ["--child"]:
        task, *arguments = sys.argv[2:]
        child(lambda: tasks[task](*arguments))
        return
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("cases", nargs="*", help=f"which of {', '.join(CASES)} (all)")
    parser.add_argument("--runs", type=int, default=5, help="processes per measurement (5)")
    parser.add_argument("--peer", help="interpreter that has cvxpy")
    parser.add_argument("--table", action="store_true", help="print the table, run nothing")
    parser.add_argument(
        "--write",
        action="store_true",
        help="into README.md and docs/reference/benchmarks.md, run nothing",
    )
    options = parser.parse_args()
    results = json.loads(RESULTS.read_text()) if RESULTS.is_file() else {}
    if unknown := [key for key in options.cases if key not in CASES]:
        parser.error(f"no case {', '.join(unknown)}: known are {', '.join(CASES)}")
    if not (options.table or options.write):
        os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
        for key in options.cases or CASES:
            print(f"{key}: {CASES[key].title}", flush=True)
            started, around = time.monotonic(), circumstances()
            try:
                case = measured(CASES[key], options.runs, options.peer)
            except SystemExit as error:  # the others need not wait for it
                print(f"  left as it was: {error}", flush=True)
                continue
            load = around["machine"]["load_before"]
            case |= {"date": around["date"], "commit": around["commit"], "load_before": load}
            here_and_now(results, around).setdefault("cases", {})[key] = case
            RESULTS.parent.mkdir(exist_ok=True)
            RESULTS.write_text(json.dumps(results, indent=1) + "\n")
            print(f"  {time.monotonic() - started:.0f} s in all", flush=True)
    if options.write:
        README.write_text(readme(README.read_text(), results))
        write_section("speed", page(results, list(CASES)))
    else:
        print(f"\n{table(results)}")


if __name__ == "__main__":
    main()
