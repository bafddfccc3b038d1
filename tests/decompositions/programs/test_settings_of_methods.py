"""Settings of the methods for the user's own programs: used, or refused by name."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import own_programs
import pyomo.environ as pyo
import pytest
from compact_models import assignment, stages
from own_programs import buy_papers, sell_papers
from refusals import refused
from small_models import small_model

import radprog as rp
from radprog.cli import main

MODEL, STAGES = assignment(2, 8, 0), stages(3, whole=False)


FREE = rp.Restrictions()


def partition(method: Any, **settings: Any) -> Any:
    """Three rows, each covered by one of the columns of a pricer."""
    master = own_programs.partition(3, 9.0)
    price = own_programs.pricer(master, {(i,): 1.0 + i for i in range(3)})
    return method(master, lambda y, restrictions=FREE: price(y, restrictions), **settings)


def cuts(**settings: Any) -> Any:
    """A square without a corner."""
    m = small_model(lambda m: m.x + m.y, sense=pyo.maximize, x=(0, 3), y=(0, 3))
    row = m.x + m.y <= 2
    return rp.cutting_planes(m, lambda v: [row] if v[m.x] + v[m.y] > 2 + 1e-6 else [], **settings)


def blocks(**settings: Any) -> Any:
    """A product, linear in each block."""
    m = small_model(lambda m: m.u * m.v, u=(1, 2, 1.5), v=(1, 2, 1.5))
    return rp.alternate(m, [m.u, m.v], **settings)


def concave(**settings: Any) -> Any:
    """A concave objective on an interval."""
    return rp.dca(small_model(lambda m: rp.concave(-(m.x**2)), x=(-1, 2, 0.3)), **settings)


def papers(**settings: Any) -> Any:
    """Newspapers for two demands."""
    return rp.two_stage(sell_papers, [20, 50], first=buy_papers, **settings)


METHODS: dict[str, Callable[..., Any]] = {
    "column_generation": lambda **how: partition(rp.column_generation, **how),
    "branch_and_price": lambda **how: partition(rp.branch_and_price, **how),
    "cutting_planes": cuts,
    "dca": concave,
    "alternate": blocks,
    "dantzig_wolfe": lambda **how: rp.dantzig_wolfe(MODEL, **how),
    "auto": lambda **how: rp.dantzig_wolfe(MODEL, method="auto", **how),
    "auto, linear": lambda **how: rp.dantzig_wolfe(STAGES, method="auto", **how),
    "benders": lambda **how: rp.benders(STAGES, first="capacity*", **how),
    "two_stage": papers,
}


@pytest.mark.parametrize("name", METHODS)
def test_a_setting_is_used_or_refused(name: str, tmp_path: Path) -> None:
    """No method ignores a log, an option of a solver, or the name of a solver."""
    log = tmp_path / "run.log"
    if name in ("dantzig_wolfe", "benders", "two_stage"):
        refused(rp.OptionError, "leave `log` out", METHODS[name], log=str(log))
    else:
        run = METHODS[name](log=str(log))
        assert log.exists() != ("no solver was called that writes one" in run.message)
    for setting in ({"solver_options": {"nonsense": "1"}}, {"solver": "nonsense"}):
        refused(rp.OptionError, "nonsense", METHODS[name], **setting)


@pytest.mark.cases(40)
@pytest.mark.parametrize("setting", ["observe", "stop", "interrupted"])
@pytest.mark.parametrize("name", METHODS)
def test_a_failing_function_ends_every_method(name: str, setting: str) -> None:
    """Also an error of radprog's own, in a solver, a heuristic or another thread."""
    for number in (1, 2, 4, 7):
        calls: list[Any] = []

        def fails(*given: Any, number: int = number, calls: list[Any] = calls) -> None:
            calls.append(given)
            if len(calls) == number:
                raise rp.SolverError("no such road")

        message = ""
        try:
            METHODS[name](**{setting: fails})
        except rp.SolverError as error:
            message = str(error)
        failed = f"`{setting}` failed: SolverError: no such road" in message
        assert failed == (len(calls) >= number)


@pytest.mark.parametrize("name", METHODS)
def test_a_run_of_every_method_is_drawn_and_has_a_record(name: str, tmp_path: Path) -> None:
    run = METHODS[name]()
    last = run.trace[-1]
    assert (last.objective, last.bound) == pytest.approx((run.objective, run.bound))
    assert run.status.value in repr(run)
    assert ("proved by" in repr(run)) == (getattr(run, "proved_by", None) is not None)
    rp.plot(run, file=tmp_path / "run.png")
    assert (tmp_path / "run.png").stat().st_size > 0
    with pytest.raises(rp.OptionError, match=r"rp\.plot draws it, and its check\(\)"):
        rp.save_run(run, None, tmp_path / "run.json")


@pytest.mark.parametrize("command", ["check", "report"])
def test_a_result_of_decompose_is_named_by_commands_of_fits(command: str, tmp_path, capsys) -> None:
    rp.export(MODEL, tmp_path / "plan.mps")
    file = str(tmp_path / "run.json")
    assert main(["decompose", str(tmp_path / "plan.mps"), "--json", file, "--quiet"]) == 0
    more = ["-o", str(tmp_path / "page.html")] if command == "report" else []
    assert main([command, file, *more]) == 2
    assert "this is a result of radprog decompose" in capsys.readouterr().err
    # an analysis has a page of its own
    assert main(["analyze", str(tmp_path / "plan.mps"), "--json", file, "--quiet"]) == 0
    assert main([command, file, *more]) == (0 if command == "report" else 2)
    if command == "report":
        assert "binding rows" in (tmp_path / "page.html").read_text()
    else:
        assert "this is an analysis: radprog report" in capsys.readouterr().err
