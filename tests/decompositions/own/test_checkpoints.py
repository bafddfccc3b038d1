"""Checkpoints of branch and price: of the same program, of others, and damaged ones."""

import contextlib
import functools
import itertools
import json
import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyomo.environ as pyo
import pytest
from compact_models import assignment, bins, stages
from own_programs import partition, pricer
from refusals import refused

import radprog as rp
from radprog.decompositions.own import tree

JOBS = range(7)


class Machines:
    """Jobs with hours, packed into machines of a capacity; pricers of every kind."""

    def __init__(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.hours = rng.integers(18, 60, len(JOBS)).tolist()
        self.master = partition(len(JOBS), 10.0)

    def function(self, capacity: float, cost: float = 1.0) -> Any:
        sets = (load for size in range(1, 5) for load in itertools.combinations(JOBS, size))
        fit = [load for load in sets if sum(self.hours[j] for j in load) <= capacity]
        return pricer(self.master, dict.fromkeys(fit, cost))

    def model(self, capacity: float, cost: float = 1.0, change: str = "", count: int = 7) -> Any:
        m = pyo.ConcreteModel()
        m.x = pyo.Var(JOBS, domain=pyo.Binary)
        m.room = pyo.Param(initialize=capacity, mutable=True)
        m.fits = pyo.Constraint(expr=sum(self.hours[j] * m.x[j] for j in JOBS) <= m.room)
        if change == "fixed":
            m.x[0].fix(0)
        if change == "domain":
            m.x[0].setub(0)
        parts = {self.master.row[j]: m.x[j] for j in JOBS}
        if change == "coefficients":
            parts[self.master.row[0]] = 1 - m.x[1]
        does = lambda model: [j for j in JOBS if model.x[j].value > 0.5]  # noqa: E731
        return rp.PricingModel(m, cost, parts, count=count, payload=does)

    def run(self, price: Any, **how: Any) -> rp.TreeRun:
        return rp.branch_and_price(self.master, price, branch="pairs", whole_objective=True, **how)


def test_a_full_disk_ends_no_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that cannot be written is an error before the run, and a warning in it."""
    machines = Machines(0)
    with pytest.raises(rp.OutputError, match="folder does not exist"):
        machines.run(machines.function(110.0), checkpoint=tmp_path / "none" / "tree.json")

    @contextlib.contextmanager
    def full(path: Any) -> Any:
        raise rp.OutputError(f"cannot write {path}: No space left on device")
        yield

    monkeypatch.setattr(tree, "atomic_text", full)
    with pytest.warns(rp.RadprogWarning, match="No space left on device; the run goes on"):
        run = machines.run(machines.function(110.0), checkpoint=tmp_path / "tree.json")
    assert run.status == "optimal"
    assert run.check() == ()


@pytest.mark.parametrize("kind", ["function", "model"])
def test_a_failure_in_any_call_is_seen(kind: str) -> None:
    """Also in those of dives; what was found is kept."""
    machines = Machines(3)
    price = getattr(machines, kind)(110.0)
    right = price if kind == "function" else price.payload

    def run(number: int, calls: Iterator[int]) -> rp.TreeRun:
        def spoilt(*given: Any) -> Any:
            return {}["road"] if next(calls) == number else right(*given)

        return machines.run(spoilt if kind == "function" else replace(price, payload=spoilt))

    truth = run(0, calls := itertools.count(1))
    for number in range(1, next(calls)):
        with pytest.raises(rp.StoppedError, match="pricer 1 failed: KeyError: 'road'") as stopped:
            run(number, itertools.count(1))
        found = stopped.value.run
        assert found.objective is None or found.objective >= truth.objective
    assert number > 10


PROVED: dict[str, Callable[..., Any]] = {
    "pairs": lambda **how: (m := Machines(0)).run(m.function(110.0), **how),
    "pairs of a model": lambda **how: (m := Machines(0)).run(m.model(110.0), **how),
    "blocks": lambda **how: rp.dantzig_wolfe(assignment(4, 16, 1), **how),
    "equal blocks": lambda **how: rp.dantzig_wolfe(bins([20, 30, 50, 60, 45], 100, 4), **how),
    "auto": lambda **how: rp.dantzig_wolfe(
        bins([20, 30, 50, 60, 45], 100, 4), method="auto", **how
    ),
    "stages": lambda **how: rp.benders(stages(5, whole=True), "capacity*", **how),
    "linear stages": lambda **how: rp.benders(stages(5, whole=False), "capacity*", **how),
}


@pytest.mark.parametrize("kind", PROVED)
def test_a_finished_checkpoint_is_the_same_answer(tmp_path: Path, kind: str) -> None:
    """With the same nodes and columns, and without another round."""
    first, *others = (PROVED[kind](checkpoint=tmp_path / "tree.json") for _ in range(3))
    assert first.certified
    for run in others:
        assert len(run.trace) == 1
        for part in ("status", "objective", "bound", "nodes", "open", "columns", "method"):
            old, new = (getattr(one, part, ()) for one in (first, run))
            if isinstance(old, tuple):
                old, new = len(old), len(new)
            assert new == (pytest.approx(old) if part == "bound" else old), part


CHANGES: dict[str, Callable[[Machines], Any]] = {
    "function, less room": lambda m: m.function(75.0),
    "function, more room": lambda m: m.function(150.0),
    "function, another cost": lambda m: m.function(110.0, 2.0),
    "model, less room": lambda m: m.model(75.0),
    "model, more room": lambda m: m.model(150.0),
    "model, another cost": lambda m: m.model(110.0, 2.0),
    "model, a fixed variable": lambda m: m.model(110.0, change="fixed"),
    "model, a bound": lambda m: m.model(110.0, change="domain"),
    "model, a coefficient": lambda m: m.model(110.0, change="coefficients"),
    "model, a count": lambda m: m.model(110.0, count=99),
    "model, a function": lambda m: m.function(110.0),
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("seed", range(2))
def test_a_record_of_other_pricers_is_refused(tmp_path: Path, seed: int, change: str) -> None:
    machines, file = Machines(seed), tmp_path / "tree.json"
    old = machines.function if change.startswith("function") else machines.model
    first = machines.run(old(110.0), checkpoint=file, max_iter=2)
    text = file.read_text()
    # its own pricers, made anew, go on
    same = machines.run(old(110.0), checkpoint=file)
    assert same.status == "optimal"
    assert same.check() == ()
    assert len(same.nodes) >= len(first.nodes)
    # others do not
    for record in (text, file.read_text()):
        file.write_text(record)
        with pytest.raises(rp.OptionError, match=r"other pricers|pricers do not give") as error:
            machines.run(CHANGES[change](machines), checkpoint=file)
        assert str(file) in str(error.value)


def test_two_pricers_and_restrictions_are_reproduced(tmp_path: Path) -> None:
    """Functions beside models, deep in the tree, for pairs."""
    machines, file = Machines(5), tmp_path / "tree.json"
    prices = lambda: [machines.function(70.0, 1.0), machines.model(110.0, 2.0)]  # noqa: E731
    truth = machines.run(prices())
    for nodes in (1, 2, 3, None):
        run = machines.run(prices(), checkpoint=file, max_iter=nodes)
    assert (run.status, run.objective) == ("optimal", truth.objective)
    assert run.check() == ()


@pytest.mark.parametrize("kind", ["function", "model", "blocks"])
def test_a_smaller_tolerance_opens_the_leaves_of_a_larger_one(tmp_path: Path, kind: str) -> None:
    loose = 0
    for seed in range(4):
        file = tmp_path / f"{seed}.json"
        if kind == "blocks":
            solve = functools.partial(rp.dantzig_wolfe, assignment(4, 16, seed), linking="job*")
        else:
            machines = Machines(seed)
            given = machines.master, getattr(machines, kind)(110.0)
            solve = functools.partial(rp.branch_and_price, *given, branch="pairs")
        truth = solve()
        loose += (
            solve(checkpoint=file, tol=0.2 if kind == "blocks" else 0.5).bound < truth.bound - 1e-6
        )
        again = solve(checkpoint=file)
        assert (again.status, again.objective) == ("optimal", truth.objective)
        assert again.gap <= 1e-6
        assert again.check() == ()
    assert loose


@pytest.mark.parametrize("kind", ["function", "model"])
def test_every_edited_record_is_one_error(tmp_path: Path, kind: str) -> None:
    machines, file = Machines(0), tmp_path / "tree.json"
    price = getattr(machines, kind)
    truth = machines.run(price(110.0), checkpoint=file, max_iter=2)
    record, rng = json.loads(file.read_text()), np.random.default_rng(1)
    whole = json.dumps(record)
    texts = ["", "[]", "null", '"x"', "[" * 5000, "{}", "\x00"]  # no record at all
    for place in rng.integers(len(whole), size=40).tolist():  # truncated, and with a bit turned
        texts += [whole[:place], whole[:place] + chr(ord(whole[place]) ^ 1) + whole[place + 1 :]]
    for key in record:  # without a part, and with another one
        texts += [json.dumps({k: v for k, v in record.items() if k != key})]
        texts += [json.dumps({**record, key: other}) for other in (None, "x", [], {}, -1, math.nan)]
    for text in texts:
        with contextlib.suppress(ValueError, RecursionError):
            if json.loads(text) == record:  # a digit beyond those of a float
                continue
        file.write_text(text)
        refused(rp.DataError, "checkpoint .*tree.json: damaged", machines.run, price(110.0),
                checkpoint=file)  # fmt: skip
    file.write_bytes(b"\xff\xfe")
    refused(rp.DataError, "damaged", machines.run, price(110.0), checkpoint=file)
    # a reformatted file is the same record
    file.write_text(json.dumps(record, indent=1))
    assert machines.run(price(110.0), checkpoint=file, max_iter=2).objective == truth.objective
