"""Bounded-loss regression: the grid against one conic program per convex step; single steps.

    python benchmarks/svr.py grid            # 10 x 10 cells, 100 sign vectors, 2 starts
    python benchmarks/svr.py grid11          # the same with 11 starts
    python benchmarks/svr.py steps           # one Tikhonov step by PIQP and by HiGHS
    python benchmarks/svr.py seeds           # does the bound choose what the MAPE chooses?
    python benchmarks/svr.py all --quick     # a coarser grid, fewer sign vectors

Seconds are CPU seconds of one thread. Every measurement is a separate process. The peer of the grid
is Clarabel on the second-order cone program of a step (low rank, matrices built beforehand). It
solves a sample of the grid's steps in the same process, and its time is scaled to all steps.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from measure import child, measure, stopwatch
from scipy import sparse

THIS = str(Path(__file__).resolve())
SAMPLE = 60  # steps of the grid that the peer solves, spread evenly


def whole(points: str, trials: str, starts: str, seed: str) -> dict[str, Any]:
    """Every convex step of the grid by Clarabel too, as it comes: processor seconds of either."""
    from table_generators import sinc

    import radprog.decompositions.regression.cccp as svr_cccp
    from radprog.decompositions.regression.srm import fit_srm
    from radprog.decompositions.run import RunSettings
    from radprog.models.regression.settings import SRM

    own, spent = svr_cccp.solve_hinges_of_rank, [0.0, 0.0, 0.0, 0.0]

    def both(program: Any, **options: Any) -> Any:
        found = own(program, **options)
        rows = [(program, k, float(found.value[k])) for k in range(len(program.c))]
        with stopwatch() as peer:
            mean, worst = clarabel_steps(rows)
        spent[0] += mean * len(rows)
        spent[1:] = max(spent[1], worst), spent[2] + len(rows), spent[3] + peer["cpu"]
        return found

    svr_cccp.solve_hinges_of_rank = both
    started = time.process_time()
    spec = SRM(
        gammas=f"1e-3..1e2:{points}", As=f"1e-3..1e2:{points}",
        trials=int(trials), starts=int(starts),
    )  # fmt: skip
    run = fit_srm(spec, sinc(seed=int(seed)), RunSettings(seed=int(seed)))
    note = f"{spent[2]:.0f} steps, largest relative difference of values {spent[1]:.1e}"
    ours, value = time.process_time() - started - spent[3], run.objective
    return {
        "seconds": spent[0], "cpu": spent[0], "objective": value, "note": note,
        "ours": {"seconds": ours, "cpu": ours, "objective": value, "runs": 1},
    }  # fmt: skip


def grid(points: str, trials: str, starts: str, seed: str) -> dict[str, Any]:
    """The grid by our own solver, then a sample of its steps by Clarabel."""
    from table_generators import sinc

    import radprog.decompositions.regression.cccp as svr_cccp
    from radprog.decompositions.regression.srm import fit_srm
    from radprog.decompositions.run import RunSettings
    from radprog.models.regression.settings import SRM

    kept: list[Any] = []
    calls = [0]
    own = svr_cccp.solve_hinges_of_rank

    def watched(program: Any, **options: Any) -> Any:
        found = own(program, **options)
        calls[0] += 1
        if calls[0] % 7 == 0:
            k = calls[0] % len(program.c)
            kept.append((program.take([k]), 0, float(found.value[k])))
        return found

    spec = SRM(
        gammas=f"1e-3..1e2:{points}",
        As=f"1e-3..1e2:{points}",
        trials=int(trials),
        starts=int(starts),
    )
    started = time.process_time()
    svr_cccp.solve_hinges_of_rank = watched
    run = fit_srm(spec, sinc(seed=int(seed)), RunSettings(seed=int(seed)))
    svr_cccp.solve_hinges_of_rank = own
    seconds = time.process_time() - started
    steps = run.extra["steps"]
    sample = kept[:: max(1, len(kept) // SAMPLE)]
    peer, worst = clarabel_steps(sample) if sample and int(seed) == 0 else (0.0, 0.0)
    cells, chosen = run.extra["cells"], run.extra["chosen"]
    best = cells[chosen["bound"]]
    line = [c for c in cells if c["gamma"] == best["gamma"]]
    coincide = min(line, key=lambda c: c["mape"])["A"] == best["A"]
    return {
        "seconds": seconds,
        "cpu": seconds,
        "steps": steps,
        "peer_per_step": peer,
        "sample": len(sample),
        "worst": worst,
        "objective": run.objective,
        "gamma": best["gamma"],
        "A": best["A"],
        "mape": best["mape"],
        "complexity": best["complexity"],
        "error": best["standard_error"],
        "empirical": best["empirical"],
        "coincide": coincide,
        "warnings": list(run.warnings),
    }


def clarabel_steps(sample: list[Any]) -> tuple[float, float]:
    """Mean CPU seconds per step by Clarabel, and the largest relative difference of values; of
    (program, k, value) problem k is taken."""
    import clarabel

    settings = clarabel.DefaultSettings()
    settings.verbose = False
    total, worst = 0.0, 0.0
    for program, k, value in sample:
        F, t1, t2, c = program.F, program.t1[k], program.t2[k], program.c[k]
        n, r = F.shape
        H, eye = np.hstack([F, np.ones((n, 1))]), sparse.eye(n)
        rows = [
            sparse.hstack([-H, -eye, sparse.csc_matrix((n, n))]),
            sparse.hstack([H, sparse.csc_matrix((n, n)), -eye]),
            sparse.hstack([sparse.csc_matrix((2 * n, r + 1)), -sparse.eye(2 * n)]),
            sparse.csc_matrix((1, r + 1 + 2 * n)),
            sparse.hstack([-sparse.eye(r), sparse.csc_matrix((r, 1 + 2 * n))]),
        ]
        A = sparse.csc_matrix(sparse.vstack(rows))
        b = np.concatenate([-t1, t2, np.zeros(2 * n), [program.radius], np.zeros(r)])
        q = np.concatenate([H.T @ c, np.ones(2 * n)])
        cones = [clarabel.NonnegativeConeT(4 * n), clarabel.SecondOrderConeT(r + 1)]
        empty = sparse.csc_matrix((len(q), len(q)))
        started = time.process_time()
        solution = clarabel.DefaultSolver(empty, q, A, b, cones, settings).solve()
        total += time.process_time() - started
        worst = max(worst, abs(solution.obj_val - value) / (1 + abs(value)))
    return total / len(sample), worst


def steps(n: str, gamma: str, repeats: str) -> dict[str, Any]:
    """One Tikhonov step (8) as a low-rank program: PIQP and HiGHS, adapters alone, medians."""
    from table_generators import sinc

    from radprog.models.complexity import draw_signs
    from radprog.models.regression.problem import BoundedLoss as Loss
    from radprog.models.regression.problem import regression_class, slopes
    from radprog.models.regression.programs import build_step, build_step_dual
    from radprog.solvers.adapters import highs, piqp
    from radprog.solvers.compile import compile_model
    from radprog.solvers.program import SolveSettings

    data = sinc(int(n))
    x = data.X[:, 0]
    K = np.exp(-float(gamma) * (x[:, None] - x) ** 2)
    problem = regression_class(K, data.targets, Loss())
    signs = draw_signs(int(n), 2, 0, "rademacher")[0]
    h = np.full((1, int(n)), float(np.median(data.targets)))
    c = slopes(h, data.targets, signs[None], Loss())[0]
    program = compile_model(build_step(problem, signs, c, 1.0))
    programs = {"piqp (8)": (piqp, program), "highs (8)": (highs, program)}
    if int(n) <= 100:
        dual = compile_model(build_step_dual(problem, signs, c, 1.0))
        programs["piqp (9)"] = (piqp, dual)
        programs["highs (9)"] = (highs, dual)
    answer: dict[str, Any] = {"seconds": 0.0, "objective": None, "rank": problem.rank}
    for name, (adapter, matrices) in programs.items():
        times = []
        for _ in range(int(repeats)):
            started = time.process_time()
            found = adapter.solve(matrices, SolveSettings())
            times.append(time.process_time() - started)
        answer[name] = [float(np.median(times)), found.claimed]
    return answer


TASKS = {"grid": grid, "whole": whole, "steps": steps}


def show_grid(title: str, *arguments: str) -> None:
    """One line of the grid's figures."""
    a = measure(THIS, ["--child", "grid", *arguments], 1)
    print(f"\n{title}")
    print(
        f"  ours {a['seconds']:.1f} s CPU, {a['steps']} convex steps, "
        f"{1e3 * a['seconds'] / a['steps']:.2f} ms per step, all overhead included"
    )
    if a["peer_per_step"]:
        whole = a["peer_per_step"] * a["steps"]
        print(
            f"  Clarabel {1e3 * a['peer_per_step']:.2f} ms per step (mean of {a['sample']}), so "
            f"{whole:.0f} s: ratio {whole / a['seconds']:.1f}; largest difference of values "
            f"{a['worst']:.1e}"
        )
    print(
        f"  chosen gamma {a['gamma']:.4g}, A {a['A']:.4g}: bound {a['objective']:.4f}, empirical "
        f"{a['empirical']:.4f}, complexity {a['complexity']:.4f} ({a['error']:.4f}), MAPE "
        f"{a['mape']:.2f} %; least MAPE on that gamma at the same A: {a['coincide']}"
    )
    for warning in a["warnings"]:
        print(f"  warning: {warning}")


def show_steps(quick: bool) -> None:
    """PIQP against HiGHS on single steps."""
    print("\none Tikhonov step, CPU ms (median)")
    for n, gamma in (("100", "0.6"), ("100", "100"), ("1000", "0.6"), ("1000", "60")):
        a = measure(THIS, ["--child", "steps", n, gamma, "3" if quick else "9"], 1)
        parts = [
            f"{name} {1e3 * value[0]:.1f}" for name, value in a.items() if isinstance(value, list)
        ]
        ratio = a["highs (8)"][0] / a["piqp (8)"][0]
        print(f"  n {n}, rank {a['rank']}: {', '.join(parts)}; HiGHS / PIQP on (8) {ratio:.1f}")


def main() -> None:
    """Run the cases asked for."""
    if len(sys.argv) > 1 and sys.argv[1] == "--child":
        task, *arguments = sys.argv[2:]
        child(lambda: TASKS[task](*arguments))
        return
    cases = ("grid", "grid11", "steps", "seeds")
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("cases", nargs="+", choices=[*cases, "all"])
    parser.add_argument("--quick", action="store_true", help="coarser grid, fewer sign vectors")
    options = parser.parse_args()
    os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
    points, trials = ("4", "10") if options.quick else ("10", "100")
    for case in cases if "all" in options.cases else options.cases:
        if case == "grid":
            show_grid(f"{points} x {points}, {trials} signs, 2 starts", points, trials, "2", "0")
        elif case == "grid11":
            show_grid(f"{points} x {points}, {trials} signs, 11 starts", points, trials, "11", "0")
        elif case == "steps":
            show_steps(options.quick)
        else:
            for seed in "0123":
                show_grid(f"seed {seed}, 20 signs", points, "20", "2", seed)


if __name__ == "__main__":
    main()
