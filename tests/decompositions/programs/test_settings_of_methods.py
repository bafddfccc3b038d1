"""Settings of the methods for the user's own programs: used, or refused by name."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyomo.environ as pyo
import pytest
from own_programs import buy_papers, sell_papers

import radprog as rp
from radprog.cli import main


def assignment() -> pyo.ConcreteModel:
    """Four jobs to two agents."""
    m = pyo.ConcreteModel()
    m.x = pyo.Var(range(2), range(4), domain=pyo.Binary)
    m.cost = pyo.Objective(expr=sum((3 * i + 2 * j) % 5 * m.x[i, j] for i, j in m.x))
    m.job = pyo.Constraint(range(4), rule=lambda m, j: m.x[0, j] + m.x[1, j] == 1)
    m.time = pyo.Constraint(
        range(2), rule=lambda m, i: sum((j + 2 + i) * m.x[i, j] for j in range(4)) <= 9
    )
    return m


def stages() -> pyo.ConcreteModel:
    """Capacity now, demand of three scenarios later."""
    m = pyo.ConcreteModel()
    m.size = pyo.Var(bounds=(0, 9))
    m.late = pyo.Var(range(3), bounds=(0, None))
    m.own = pyo.Var(range(3), bounds=(0, 1))
    m.meet = pyo.Constraint(range(3), rule=lambda m, s: m.size + m.late[s] + m.own[s] >= 2 * s + 2)
    m.cost = pyo.Objective(expr=m.size + sum(m.late[s] + m.own[s] / 2 for s in range(3)))
    return m


def partition(**settings: Any) -> Any:
    """Three rows, each covered by one of the columns of a pricer."""
    master = pyo.ConcreteModel()
    master.none = pyo.Var(range(3), domain=pyo.NonNegativeIntegers)
    master.job = pyo.Constraint(range(3), rule=lambda m, i: m.none[i] == 1)
    master.cost = pyo.Objective(expr=9 * sum(master.none.values()))

    def price(multipliers: Any, restrictions: Any = None) -> Any:
        columns = [rp.Column(1.0 + i, {master.job[i]: 1.0}) for i in range(3)]
        best = min(columns, key=multipliers.reduced_cost)
        return rp.PricedColumns([best], reduced_cost=multipliers.reduced_cost(best), count=3)

    method = settings.pop("method")
    return method(master, price, **settings)


def cuts(**settings: Any) -> Any:
    """A square without a corner."""
    m = pyo.ConcreteModel()
    m.x = pyo.Var(range(2), bounds=(0, 3))
    m.gain = pyo.Objective(expr=m.x[0] + m.x[1], sense=pyo.maximize)

    def separate(values: Any) -> Any:
        return [m.x[0] + m.x[1] <= 2] if values[m.x[0]] + values[m.x[1]] > 2 + 1e-6 else []

    return rp.cutting_planes(m, separate, **settings)


def blocks(**settings: Any) -> Any:
    """A product, linear in each block."""
    m = pyo.ConcreteModel()
    m.u = pyo.Var(bounds=(1, 2), initialize=1.5)
    m.v = pyo.Var(bounds=(1, 2), initialize=1.5)
    m.cost = pyo.Objective(expr=m.u * m.v)
    return rp.alternate(m, [m.u, m.v], **settings)


def concave(**settings: Any) -> Any:
    """A concave objective on an interval."""
    m = pyo.ConcreteModel()
    m.x = pyo.Var(bounds=(-1, 2), initialize=0.3)
    m.cost = pyo.Objective(expr=rp.concave(-(m.x**2)))
    return rp.dca(m, **settings)


def papers(**settings: Any) -> Any:
    """Newspapers for two demands."""
    return rp.two_stage(sell_papers, [20, 50], first=buy_papers, **settings)


METHODS: dict[str, Callable[..., Any]] = {
    "column_generation": lambda **how: partition(method=rp.column_generation, **how),
    "branch_and_price": lambda **how: partition(method=rp.branch_and_price, **how),
    "cutting_planes": cuts,
    "dca": concave,
    "alternate": blocks,
    "dantzig_wolfe": lambda **how: rp.dantzig_wolfe(assignment(), **how),
    "auto": lambda **how: rp.dantzig_wolfe(assignment(), method="auto", **how),
    "auto, linear": lambda **how: rp.dantzig_wolfe(stages(), method="auto", **how),
    "benders": lambda **how: rp.benders(stages(), first="size", **how),
    "two_stage": papers,
}


@pytest.mark.parametrize("name", METHODS)
def test_a_setting_is_used_or_refused(name: str, tmp_path: Path) -> None:
    """No method ignores a log, an option of a solver, or the name of a solver."""
    log = tmp_path / "run.log"
    if name in ("dantzig_wolfe", "benders", "two_stage"):
        with pytest.raises(rp.OptionError, match="leave `log` out"):
            METHODS[name](log=str(log))
    else:
        run = METHODS[name](log=str(log))
        assert log.exists() != ("no solver was called that writes one" in run.message)
    for setting in ({"solver_options": {"nonsense": "1"}}, {"solver": "nonsense"}):
        with pytest.raises(rp.OptionError, match="nonsense"):
            METHODS[name](**setting)


@pytest.mark.parametrize("name", METHODS)
def test_a_run_of_every_method_is_drawn_and_has_a_record(name: str, tmp_path: Path) -> None:
    run = METHODS[name]()
    assert (run.trace[-1].objective, run.trace[-1].bound) == pytest.approx(
        (run.objective, run.bound)
    )
    assert run.status.value in repr(run)
    assert ("proved by" in repr(run)) == (getattr(run, "proved_by", None) is not None)
    rp.plot(run, file=tmp_path / "run.png")
    assert (tmp_path / "run.png").stat().st_size > 0
    with pytest.raises(rp.OptionError, match=r"rp\.plot draws it, and its check\(\)"):
        rp.save_run(run, None, tmp_path / "run.json")


@pytest.mark.parametrize("command", ["check", "report"])
def test_a_result_of_decompose_is_named_by_commands_of_fits(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rp.export(assignment(), tmp_path / "plan.mps")
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
