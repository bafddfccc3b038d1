"""Grids, folds and the choice among cells, on hand-made cases."""

from dataclasses import replace

import numpy as np
import pytest
from refusals import refused

import radprog as rp
from radprog.analysis.grids import parse_entries, parse_list, settings_over
from radprog.catalog import Entry, entry_named
from radprog.decompositions.run import RunSettings
from radprog.models.kernels import kernel_names
from radprog.tuning import make_folds, tune_by_folds


def test_lists() -> None:
    for name, text, values in (
        ("lam", "1e-1,1e-3", ["1e-1", "1e-3"]),
        ("lam", "1e0..1e-3:4", ["1", "0.1", "0.01", "0.001"]),
        ("lam", "1e-1..1e1:3", ["0.1", "1", "10"]),
        ("beta", "5..5:1", ["5"]),
        ("C", "1, 10 ,100", ["1", "10", "100"]),
        ("complexity", "trace,poly", ["trace", "poly"]),
        ("kernels", "poly:1-3,linear", ["poly:1", "poly:2", "poly:3", "linear"]),
        ("kernels", "rbf:1e-2..1e0", ["rbf:0.01", "rbf:0.1", "rbf:1"]),
        ("kernels", "poly:1-3; rbf:1,linear", ["poly:1-3", "rbf:1,linear"]),
    ):
        assert parse_list(name, text, kernel_names if name == "kernels" else None) == values


def parse_grid(model: str, entries: list[str], base):
    entry = entry_named(model)
    return settings_over(entry, parse_entries(entry, entries, base), base)


def test_a_grid_starts_with_the_strongest_regularisation() -> None:
    specs = parse_grid("vkr", ["beta=1e-3,1e-1", "lam=1e-4,1"], {"kernels": "linear"})
    pairs = [(spec.lam, spec.beta) for spec in specs]
    assert pairs == [(1.0, 0.1), (1.0, 0.001), (1e-4, 0.1), (1e-4, 0.001)]
    assert {spec.kernels for spec in specs} == {"linear"}
    assert [spec.C for spec in parse_grid("svm", ["C=10,0.1,1"], {})] == [0.1, 1.0, 10.0]
    bank = parse_grid("svm", ["C=2,1", "kernels=poly:1-2"], {})
    banks = [(C, f"poly:{degree}") for C in (1.0, 2.0) for degree in (1, 2)]
    assert [(spec.C, spec.kernels) for spec in bank] == banks


@pytest.mark.parametrize(("protocol", "rounds"), [("cv", 4), ("paper", 4), ("holdout", 1)])
def test_folds_cut_all_rows(protocol, rounds) -> None:
    folds = make_folds(23, 4, protocol, seed=3)
    assert len(folds) == rounds
    for fold in folds:
        parts = [fold.train, fold.validation, *([] if fold.test is None else [fold.test])]
        assert sorted(np.concatenate(parts).tolist()) == list(range(23))
        assert (fold.test is not None) == (protocol == "paper")
        assert 5 <= len(fold.validation) <= 6
    again = make_folds(23, 4, protocol, seed=3)
    other = make_folds(23, 4, protocol, seed=4)
    assert all(np.array_equal(a.train, b.train) for a, b in zip(folds, again, strict=True))
    assert not all(np.array_equal(a.train, b.train) for a, b in zip(folds, other, strict=True))


def test_too_few_or_many_folds() -> None:
    cases = [(10, 1, "cv"), (10, 11, "cv"), (10, 2, "paper"), (10, 1, "holdout"), (3, 4, "paper")]
    for n, folds, protocol in cases:
        refused(rp.OptionError, f"folds {folds}", make_folds, n, folds, protocol, seed=0)


def read_train(folder, scale: str = "ball") -> rp.Dataset:
    return rp.read(folder / "train.csv", scale=scale)


def table_of(data, specs, **options):
    return tune_by_folds("vkr", specs, data, RunSettings(seed=1), **options)


@pytest.mark.parametrize("protocol", ["cv", "paper", "holdout"])
def test_a_cell_is_the_mean_of_single_fits(folder, protocol) -> None:
    """Every number of the table, made again fold by fold with scaling of the training rows."""
    data = read_train(folder, "standard")
    specs = [rp.VKR(kernels="poly:1-2", lam=lam) for lam in (1e-1, 1e-3)]
    table = table_of(data, specs, folds=3, protocol=protocol)
    for spec, cell in zip(specs, table["cells"], strict=True):
        errors, tests, vectors = [], [], []
        for fold in make_folds(data.rows, 3, protocol, seed=1):
            train, validation = data.partition(fold.train, fold.validation)
            run = rp.fit(spec, train)
            errors.append(float(np.mean(run.fit.predict(validation.X) != validation.targets)))
            vectors.append(run.summary["support_vectors"])
            if fold.test is not None:
                test = data.partition(fold.train, fold.test)[1]
                tests.append(float(np.mean(run.fit.predict(test.X) != test.targets)))
        assert cell["params"] == {"lam": spec.lam}
        assert cell["score"] == cell["error"] == pytest.approx(np.mean(errors))
        assert cell["error_std"] == pytest.approx(np.std(errors))
        assert (cell["standard_error"] is None) == (protocol == "holdout")
        if protocol != "holdout":
            assert cell["standard_error"] == pytest.approx(np.std(errors, ddof=1) / 3**0.5)
            # as docs/guides/vkr.md says: the square root of folds - 1
            assert cell["standard_error"] == pytest.approx(cell["error_std"] / 2**0.5)
        assert cell["support_vectors"] == pytest.approx(np.mean(vectors), abs=1.5)
        assert cell["certified"]
        assert cell["gap"] <= 1e-6
        assert cell["test_error"] == (pytest.approx(np.mean(tests)) if tests else None)
    best = min(table["cells"], key=lambda cell: cell["score"])
    assert (table["best"], table["cells"][table["best_index"]]) == (best, best)


SCALES = ("none", "unit", "standard", "minmax")


def test_scaling_is_varied_and_fitted_on_training_rows(folder) -> None:
    """The cells are those of each scaling alone, whatever the data were read with."""
    specs = [rp.VKR(kernels="poly:1-2", lam=lam) for lam in (1e-1, 1e-3)]
    cells = table_of(read_train(folder, "standard"), specs, folds=3, scales=SCALES)["cells"]
    alone = [table_of(read_train(folder, scale), specs, folds=3)["cells"] for scale in SCALES]
    asked = [{"scale": scale, "lam": spec.lam} for scale in SCALES for spec in specs]
    assert [cell["params"] for cell in cells] == asked
    for key in ("error", "standard_error"):
        values = [cell[key] for part in alone for cell in part]
        assert [cell[key] for cell in cells] == pytest.approx(values)
        assert len(set(values)) > 2


def test_ties_are_counted_and_go_to_the_first(folder, monkeypatch) -> None:
    """Scores planted: 3, 1, 1, 2 in the order of the grid."""
    planted = {1.0: 3.0, 0.1: 1.0, 0.01: 1.0, 0.001: 2.0}
    monkeypatch.setattr("radprog.tuning._error", lambda run, *_: planted[run.spec.lam])
    specs = parse_grid("vkr", ["lam=1e-3,1e-2,1e-1,1"], {"kernels": "linear"})
    table = table_of(read_train(folder), specs, folds=2)
    assert [cell["score"] for cell in table["cells"]] == [3.0, 1.0, 1.0, 2.0]
    assert table["ties"] == 2
    assert (table["best"]["params"], table["edges"]) == ({"lam": 0.1}, [])
    assert "first" in table["tie_rule"]
    # the least score at an end of the grid
    planted[1.0] = 0.0
    (line,) = table_of(read_train(folder), specs, folds=2)["edges"]
    assert line == "lam 1 is the largest of the grid: a larger one may be better"
    # equal scores say nothing about the ends
    monkeypatch.setattr("radprog.tuning._error", lambda run, *_: 0.5)
    assert table_of(read_train(folder), specs, folds=2)["edges"] == []


def test_an_interrupt_keeps_finished_folds(folder) -> None:
    data = read_train(folder)
    specs = [rp.VKR(kernels="linear", lam=lam) for lam in (1e-1, 1e-2)]
    done = []
    settings = RunSettings(interrupted=lambda: len(done) >= 3)  # in the middle of round 2
    watch = lambda number, total: done.append(number)  # noqa: E731
    table = tune_by_folds("vkr", specs, data, settings, folds=4, watch=watch)
    assert (table["complete"], table["folds_finished"], len(table["cells"])) == (False, 1, 2)


@pytest.mark.parametrize("loss", ["hinge", "quantile"])
def test_a_linear_model_is_tuned_by_its_features(loss) -> None:
    X = np.random.default_rng(2).normal(size=(40, 5))
    y = X[:, 0] - X[:, 1]
    data = rp.dataset(X, np.sign(y)) if loss == "hinge" else rp.regression_data(X, y)
    specs = [rp.L1Linear(loss=loss, beta=beta) for beta in (0.1, 0.01)]
    table = tune_by_folds("l1linear", specs, data, RunSettings(), folds=2)
    for cell in table["cells"]:
        assert cell["certified"]
        assert 0 < cell["support_vectors"] == cell["coefficients"] <= 5
    # numbers are hardly ever predicted exactly: their error is half the mean deviation
    assert table["by"] == ("loss" if loss == "quantile" else "error")
    assert table["best"]["error"] < 0.2


def classified(labels: list[str]):
    X = np.random.default_rng(3).normal(size=(36, 2))
    return rp.dataset(X, np.array(labels)[(np.arange(36) % len(labels))])


def test_a_cell_whose_solver_fails_is_a_row(monkeypatch: pytest.MonkeyPatch) -> None:
    fit = entry_named("svm").hooks.fit

    def failing(spec: rp.SVM, data, settings: RunSettings):
        if spec.C == 1.0:
            raise rp.SolverError("planted")
        return fit(spec, data, settings)

    planted = replace(entry_named("svm").hooks, fit=failing)
    monkeypatch.setattr(Entry, "hooks", property(lambda self: planted))
    data = classified(["no", "yes"])
    table = tune_by_folds("svm", [rp.SVM(C=1.0), rp.SVM(C=2.0)], data, RunSettings(), folds=3)
    assert [cell["message"] for cell in table["cells"]] == ["planted", None]
    assert table["best_index"] == 1


def test_the_area_under_the_curve_chooses() -> None:
    specs = [rp.SVM(kernels="rbf:1e-4", C=1e-3), rp.SVM(kernels="rbf:1", C=1.0)]
    table = tune_by_folds("svm", specs, classified(["no", "yes"]), RunSettings(), folds=3, by="auc")
    scores = [cell["score"] for cell in table["cells"]]
    assert scores[table["best_index"]] == min(scores)
    assert all(0.0 < score < 1.0 for score in scores)
