"""Branching on components: cutting stock over demands, against the program over all patterns."""

import itertools
import re
from dataclasses import replace

import numpy as np
import pyomo.environ as pyo
import pytest
from effort import seeds
from scipy.optimize import LinearConstraint, milp

import radprog as rp
from radprog.decompositions.own.branching import Rows
from radprog.decompositions.own.columns import Multipliers
from radprog.decompositions.own.pricing import Pricer
from radprog.solvers.compile import compile_model
from radprog.solvers.program import SolveSettings


class Stock:
    """Rolls of one width or two, each with a cost, one for every piece, and cuts that are whole."""

    def __init__(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        m = int(rng.integers(3, 5))
        self.sizes = rng.integers(12, 60, m)
        self.demands = rng.integers(2, 8, m)
        self.widths = [132, 97][: 1 + seed % 2]
        # costs a roll, and a piece: what is cut in excess counts
        self.rolls = [float(rng.integers(5, 12)) for _ in self.widths]
        self.pieces = rng.integers(0, 3, m) * float(seed % 3 == 2)
        self.exact = seed % 4 == 1  # no piece in excess
        self.build()

    def build(self) -> None:
        """The master, whose own columns are dear."""
        m = range(len(self.sizes))
        low = self.demands.tolist()
        high = [n if self.exact else None for n in low]
        model = self.master = pyo.ConcreteModel()
        model.dear = pyo.Var(m, domain=pyo.NonNegativeIntegers)
        model.demand = pyo.Constraint(m, rule=lambda b, i: (low[i], b.dear[i], high[i]))
        model.cost = pyo.Objective(expr=50 * sum(model.dear.values()))

    def patterns(self) -> list[tuple[int, tuple[int, ...], float]]:
        """Place of the width, pieces and cost of every pattern."""
        return [
            (k, p, self.rolls[k] + float(np.dot(p, self.pieces)))
            for k, width in enumerate(self.widths)
            for p in itertools.product(*(range(width // size + 1) for size in self.sizes))
            if np.dot(p, self.sizes) <= width
        ]

    def optimum(self) -> float:
        patterns = self.patterns()
        matrix = np.array([p for _, p, _ in patterns]).T.astype(float)
        full = np.hstack([matrix, np.eye(len(self.sizes))])
        cost = np.array([c for *_, c in patterns] + [50.0] * len(self.sizes))
        rows = LinearConstraint(full, self.demands, self.demands if self.exact else np.inf)
        whole, exact = np.ones(len(cost)), {"mip_rel_gap": 0.0}
        return float(milp(cost, integrality=whole, constraints=rows, options=exact).fun)

    def models(self) -> list[rp.PricingModel]:
        """A pricing model for every width."""

        def knapsack(k: int) -> rp.PricingModel:
            sizes, model = self.sizes.tolist(), pyo.ConcreteModel()
            model.cut = pyo.Var(range(len(sizes)), domain=pyo.NonNegativeIntegers)
            for i, cut in model.cut.items():
                cut.setub(self.widths[k] // sizes[i])
            load = sum(sizes[i] * cut for i, cut in model.cut.items())
            model.width = pyo.Constraint(expr=load <= self.widths[k])
            cost = self.rolls[k] + sum(float(self.pieces[i]) * x for i, x in model.cut.items())
            parts = {self.master.demand[i]: cut for i, cut in model.cut.items()}
            return rp.PricingModel(model, cost, parts, count=float(self.demands.sum()))

        return [knapsack(k) for k in range(len(self.widths))]

    def price(self, multipliers: Multipliers, restrictions: rp.Restrictions):
        """All patterns, by a function."""
        rows = self.master.demand
        columns = [
            rp.Column(c, {rows[i]: float(n) for i, n in enumerate(p) if n}, payload=p)
            for _, p, c in self.patterns()
        ]
        worth = [multipliers.reduced_cost(column) for column in columns]
        k = int(np.argmin(worth))
        parts = columns[k].coefficients.items()
        by_hand = columns[k].cost - sum(a * multipliers[r] for r, a in parts)
        sets = [one for one in restrictions.components if one.holds(columns[k])]
        by_hand -= sum(multipliers[one] for one in sets)
        assert worth[k] == pytest.approx(by_hand)
        return rp.PricedColumns([columns[k]], worth[k], float(self.demands.sum()))


@pytest.mark.parametrize("seed", seeds(100, 10))
def test_patterns_over_demands_are_cheapest(seed: int) -> None:
    stock = Stock(seed)
    if seed % 5 == 4:
        run = rp.branch_and_price(stock.master, stock.price, branch="components")
    else:
        run = rp.branch_and_price(stock.master, stock.models())
    assert run._tree.branch == "components"  # which branch="auto" selects for models
    best = stock.optimum()
    assert run.status == "optimal"
    assert run.objective == pytest.approx(best)
    assert run.bound <= best + 1e-6
    assert run.check() == ()


@pytest.mark.parametrize("seed", seeds(200, 40))
def test_a_pricing_model_knows_its_sets(seed: int) -> None:
    """Its least reduced cost under terms of either sign, against that of all patterns."""
    stock, rng = Stock(2 * seed), np.random.default_rng(seed)
    rows = list(stock.master.demand.values())
    sets: list[rp.Components] = []
    for number in range(3):
        chosen = rng.choice(len(rows), min(number + 1, 2), replace=False).tolist()
        lows, highs = rng.choice([-np.inf, 1, 2, 3], 2), rng.choice([0, 1, 2, np.inf], 2)
        sides = [(rows[i], lows[k], highs[k]) for k, i in enumerate(chosen)]
        sets.append(rp.Components(tuple(sides)))
    master = Rows(compile_model(stock.master), rows)
    pricer = Pricer(0, stock.models()[0], SolveSettings(), master, "components")
    pricer.limits = rp.Restrictions(bounds=tuple((s, 0.0, 1.0) for s in sets))
    duals = np.concatenate([rng.uniform(0, 4, len(rows)), rng.uniform(-9, 9, 3)])
    multipliers = Multipliers([*rows, *sets], duals, 1)
    answer = pricer(multipliers, 1, SolveSettings(), 0.0)
    columns = [
        rp.Column(c, {row: float(n) for row, n in zip(rows, p, strict=True)})
        for _, p, c in stock.patterns()
    ]
    least = min(map(multipliers.reduced_cost, columns))
    assert answer.reduced_cost == pytest.approx(least, abs=1e-6)
    assert multipliers.reduced_cost(answer.columns[0]) == pytest.approx(least, abs=1e-6)


def test_a_gap_of_a_roll_is_closed(tmp_path) -> None:
    """259/132 rolls, and three are needed: halves and thirds of patterns are divided."""
    stock = Stock(0)
    stock.sizes, stock.demands = np.array([44, 33, 12]), np.array([2, 3, 6])
    stock.pieces, stock.rolls = np.zeros(3), [1.0]
    stock.build()
    for price in (stock.models, lambda: stock.price):
        run = rp.branch_and_price(stock.master, price(), branch="components")
        assert (run.status, run.objective) == ("optimal", pytest.approx(3.0))
        assert run.nodes[0].bound == pytest.approx(259 / 132)
        assert run.check() == ()
    # a tree that is kept, read and gone on with is the same one, and so is a finished one
    file, sizes = tmp_path / "tree.json", []
    for nodes in (3, None, None):
        settings = {"branch": "components", "checkpoint": file, "max_iter": nodes}
        again = rp.branch_and_price(stock.master, stock.price, **settings)
        sizes.append((len(again.nodes), len(again.open), len(again.columns)))
    assert (again.status, again.objective) == ("optimal", pytest.approx(3.0))
    assert sizes[1] == sizes[2]
    assert len(again.nodes) > 3
    assert again.check() == ()
    # what is spoilt is seen: a branch between whole numbers, a set that is another, a bound
    divided = next(node for node in run.nodes if isinstance(node.branch.variable, rp.Components))
    others = [node for node in run.nodes if node is not divided]
    other = replace(divided.branch, variable=rp.Components(((stock.master.demand[0], 1.0, 1.0),)))
    leaf = next(node for node in run.nodes if node.branch is None)
    spoilt = {
        "not whole": [*others, replace(divided, branch=replace(divided.branch, below=0.5))],
        "other restrictions": [*others, replace(divided, branch=other)],
        "proves": [replace(n, bound=n.bound + 2.0) if n is leaf else n for n in run.nodes],
    }
    for words, nodes in spoilt.items():
        assert any(words in fault for fault in replace(run, nodes=tuple(nodes)).check()), words


def test_what_is_refused() -> None:
    stock = Stock(0)
    half = rp.Column(1.0, {stock.master.demand[0]: 0.5})
    with pytest.raises(rp.StoppedError, match=r"0\.5 in row"):
        rp.branch_and_price(stock.master, lambda y, limits: [half], branch="components")
    for price, change in itertools.product(stock.models()[:1], ("factor", "bound")):
        cut = price.model.cut
        if change == "bound":
            cut[0].setub(None)
        part = 1.5 * cut[0] if change == "factor" else cut[0]
        loose = replace(price, coefficients={stock.master.demand[0]: part})
        lacks = "a factor is not" if change == "factor" else f"{cut[0].name} has no upper bound"
        with pytest.raises(rp.CapabilityError, match=re.escape(lacks)):
            rp.branch_and_price(stock.master, loose, branch="components")
        if change == "bound":  # no rule divides all columns: the run names the one that may
            run = rp.branch_and_price(stock.master, loose, max_iter=30)
            assert run.certified or "components" in run.message or run.reason == "max_iter"
