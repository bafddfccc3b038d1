"""Constraints in scores by name: their rows, and what is refused."""

import json
from dataclasses import asdict, replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from refusals import refused

import radprog as rp
from radprog.catalog import entry_of
from radprog.decompositions.run import RunSettings
from radprog.models.constraints import parse_constraint, read_constraints, realised, rows_of
from radprog.models.score_arrays import ScoreRows
from radprog.models.score_rows import CoefficientSign, ScoreRow
from radprog.tuning import tune_by_folds

X = np.column_stack([np.arange(6.0), [1, 1, 2, 2, 2, 1], [7] * 6])
DATA = rp.dataset(X, [1, -1, 1, -1, 1, 1], features=("a", "sex", "same"), scale="minmax")


def dense(made: Any) -> tuple[np.ndarray, np.ndarray]:
    rows = ScoreRows.of_points([row for row in made if isinstance(row, ScoreRow)], 6)
    return rows.G.toarray(), rows.h


def test_rows() -> None:
    G, h = dense(rows_of(rp.scores([[0, 1, 0, 0, 0, 2.0]], 3.0, ["mine"]), DATA))
    assert (G.tolist(), h.tolist()) == ([[0, 1, 0, 0, 0, 2]], [3])
    one, two = X[:, 1] == 1, X[:, 1] == 2
    positive = np.array([1, 0, 1, 0, 1, 1]) * (one / 2 - two / 2)
    gaps = [(rp.parity(group, 0.25), one / 3 - two / 3) for group in ("sex", 1, "1", X[:, 1], one)]
    for made, gap in (*gaps, (rp.equal_opportunity("sex", 0.25), positive)):
        G, h = dense(rows_of(made, DATA))
        assert sorted(map(tuple, G)) == sorted([tuple(gap), tuple(-gap)])
        assert h.tolist() == [0.25, 0.25]
    # the other class of two as the positive one
    negative = np.array([0, 1, 0, 1, 0, 0]) * (one - two * 1.0)
    made = rows_of(rp.equal_opportunity("sex", 0.25, positive=-1), DATA)
    assert sorted(map(tuple, dense(made)[0])) == sorted([tuple(negative), tuple(-negative)])
    assert {row.of for row in made} == {"equal opportunity of '-1' by sex"}
    assert {row.of for row in rows_of(rp.equal_opportunity("sex", 0.25), DATA)} == {
        "equal opportunity of '1' by sex"
    }
    words = "equal opportunity of '7': data has the labels '-1' and '1'"
    refused(rp.OptionError, words, rows_of, rp.equal_opportunity("sex", 0.25, positive=7), DATA)
    for made, rows, side in (
        (rp.monotone([(0, 3), (4, 1)], gap=0.5), [[1, 0, 0, -1, 0, 0], [0, -1, 0, 0, 1, 0]], -0.5),
        (rp.must_classify([0, 1], 0.7), [[-1, 0, 0, 0, 0, 0], [0, 1, 0, 0, 0, 0]], -0.7),
        (rp.positive_rate(0.3), [[1 / 6] * 6], -0.4),
    ):
        G, h = dense(rows_of(made, DATA))
        assert (G.tolist(), h.tolist()) == (rows, [side] * len(rows))
    (row,), (same,) = rows_of(rp.positive_rate(0.3), DATA), rows_of(rp.mean_score(-0.4), DATA)
    assert row.name == f"{same.name}, in place of a positive rate of 0.3"
    assert (same.name, same.weights, same.bound) == ("mean score at most -0.4", row.weights, -0.4)
    assert len(rows_of([rp.parity("sex", 0.1), rp.positive_rate(0.5)], DATA)) == 3
    made = rows_of(rp.parity([0, 0, 1, 1, 2, 2], 0.1), DATA)  # three groups are compared by pairs
    assert {row.of for row in made} == {"parity of group"}
    assert len({row.name for row in made}) == len(made) == 6


def test_a_dropped_column_is_a_group_also_after_rows_were_chosen(tmp_path) -> None:
    path = tmp_path / "g.csv"
    path.write_text("a,city,age,y\n" + "1,Bern,20,0\n2,Bern,50,1\n3,Basel,30,1\n4,,41,0\n" * 2)
    data = rp.read(path, drop=["city", "age"]).take(np.array([0, 1, 2, 4]))
    assert data.features == ("a",)
    for name, groups in (("city", [0, 0, 1, 0]), ("age > 40", [0, 1, 0, 0])):
        rows = [
            ScoreRows.of_points(rows_of(rp.parity(g, 0.1), data), 4).G.toarray()
            for g in (name, groups)
        ]
        assert sorted(map(tuple, rows[0])) == sorted(map(tuple, rows[1]))
    whole = rp.read(path, drop="city")
    words = "group 'city': 2 of 8 values are missing"
    refused(rp.OptionError, words, rows_of, rp.parity("city", 0.1), whole)


def test_refused() -> None:
    for make, message in (
        (lambda: rp.scores(np.ones((1, 5)), 0.0), r"G has 5 columns, data has 6 points"),
        (lambda: rp.scores(np.ones((2, 6)), 0.0), r"G of shape \(2, 6\) and h of shape \(1,\)"),
        (lambda: rp.scores(np.ones((2, 6)), [0, 1], ["a"]), "1 names for 2 rows"),
        (lambda: rp.parity("same", 0.1), r"group 'same' has one value \(7\) in all rows"),
        (lambda: rp.parity([1] * 6, 0.1), r"group 'group' has one value \(1\) in all rows"),
        (lambda: rp.equal_opportunity([1, 2, 1, 2, 1, 1], 0.1), "one value .* rows of '1'"),
        (lambda: rp.parity("colour", 0.1), "group 'colour': expected a feature .* a, sex, same"),
        (lambda: rp.parity(3, 0.1), "its number from 0 to 2"),
        (lambda: rp.parity("groups", 0.1), "no `groups` reached fit: sklearn.set_config"),
        (lambda: rp.parity("a > 9", 0.1), r"\(False\) .* needed; values are those after earlier"),
        (lambda: rp.parity([1, 2], 0.1), r"shape \(2,\): expected \(6,\)"),
        (lambda: rp.parity(range(6), np.nan), "parity nan: expected a finite number >= 0"),
        (lambda: rp.parity("sex", -0.1), "parity -0.1"),
        (lambda: rp.monotone([(0, 6)]), "no row 6, but 0 to 5"),
        (lambda: rp.monotone([(1, 1)]), "row 1 is paired with itself"),
        (lambda: rp.monotone([]), "expected numbers of rows"),
        (lambda: rp.must_classify([1, 1]), r"'X\[1\] right with margin 1' is given twice"),
        (lambda: rp.must_classify([0.5]), "expected numbers of rows"),
        (lambda: rp.positive_rate(1.5), "expected a share from 0 to 1"),
        (lambda: rp.mean_score(np.inf), "mean score inf: expected a finite number"),
        (lambda: 3, "constraints: 3, expected"),
        (lambda: ["parity"], "constraints: 'parity', expected"),
    ):
        refused(rp.OptionError, message, lambda make=make: rows_of(make(), DATA))
    refused(rp.DataError, "G", rp.scores, [[np.nan] * 6], 0.0)
    many = rp.dataset(np.arange(42.0)[:, None], [1, -1] * 21)
    refused(rp.OptionError, "has 42 values: at most 20", rows_of, rp.parity(0, 0.1), many)


def test_settings_take_their_rows_back_from_json() -> None:
    spec = rp.VKR(constraints=rows_of([rp.parity("sex", 0.1), rp.mean_score(2.0)], DATA))
    stored = json.loads(json.dumps(asdict(spec)["constraints"]))
    assert rp.VKR(constraints=stored) == spec
    assert hash(rp.VKR(constraints=stored)) == hash(spec)
    assert rp.VKR(constraints=()).constraints is rp.VKR(constraints=[]).constraints is None
    for wrong in ([3], [{"name": "x"}], ["parity"]):
        refused(rp.OptionError, "is not a row", rp.VKR, constraints=wrong)


def test_texts(tmp_path: Any) -> None:
    for text, made in (
        ("parity:sex:0.25", rp.parity("sex", 0.25)),
        ("opportunity:1:0.5", rp.equal_opportunity(1, 0.5)),
        ("monotone:1<4,5<2", rp.monotone([(0, 3), (4, 1)])),
        ("classify:1,2:0.7", rp.must_classify([0, 1], 0.7)),
        ("rate:0.3", rp.positive_rate(0.3)),
        ("rate:false negative:0.2", rp.rate("false negative", 0.2)),
        ("rate:positive:0.2:sex", rp.rate("positive", 0.2, "sex")),
        ("mean:-0.4", rp.mean_score(-0.4)),
        ("falling:a", rp.monotone("a", sign=-1)),
        ("parity:a > 2:0.25", rp.parity("a > 2", 0.25)),
    ):
        assert rows_of(parse_constraint(text), DATA) == rows_of(made, DATA)
        path = tmp_path / "rows.txt"
        path.write_text(f"# rows\n\n{text}  # by name\n1, 0,0 0,0,-2, 0.5\n")
        named, row = read_constraints(str(path))
        assert rows_of(named, DATA) == rows_of(made, DATA)
        G, h = dense(rows_of(row, DATA))
        assert (G.tolist(), h.tolist()) == ([[1, 0, 0, 0, 0, -2]], [0.5])


def test_texts_that_are_none(tmp_path: Any) -> None:
    texts = "parity parity:sex parity:sex:x rate rate:a:b rate:positive:b cap:2 classify:1: "
    texts += "monotone: monotone:1<2<3 monotone:1 colour:sex:1 classify:a:1"
    for text in (*texts.split(), ""):
        refused(rp.OptionError, "expected one of parity:COLUMN:EPS", parse_constraint, text)
    path = tmp_path / "rows.txt"
    refused(rp.DataError, "no such file", read_constraints, str(path))
    for content, message in (
        ("# nothing\n", "no constraint in it"),
        ("1 2 x\n", "line 1: expected numbers"),
        ("\n7\n", "line 2: expected coefficients"),
    ):
        path.write_text(content)
        refused(rp.DataError, message, read_constraints, str(path))


def test_monotone_in_a_feature() -> None:
    (sign,) = rows_of(rp.monotone("sex", sign=-1), DATA, linear=True)
    assert sign == CoefficientSign(name="score falls with sex", feature=1, sign=-1)
    # each row beside one of a larger value that has its sex, if there is one
    made = rows_of(rp.monotone(0), DATA)
    assert [row.points for row in made] == [(0, 1), (1, 5), (2, 3), (3, 4), (4, 5)]
    name = "scores of 5 pairs of rows in the {}order of a, whose other columns may differ"
    assert {row.of for row in made} == {name.format("")}
    down = rows_of(rp.monotone("a", sign=-1), DATA)
    assert [row.points for row in down] == [row.points[::-1] for row in made]
    assert {row.of for row in down} == {name.format("falling ")}
    alone = rows_of(rp.monotone(0), rp.dataset(X[:, :1], DATA.y))
    assert {row.of for row in alone} == {"scores of 5 pairs of rows in the order of column 0"}
    # two features that pair the same rows have no numbered names
    twins = rp.dataset(np.column_stack([X[:, 0], 2 * X[:, 0]]), DATA.y, features=("a", "b"))
    both = rows_of([rp.monotone("a"), rp.monotone("b")], twins)
    assert both[0].points == both[5].points
    assert {row.of for row in both} == {
        f"scores of 5 pairs of rows in the order of {one}, whose other columns may differ"
        for one in "ab"
    }
    # of rows that are left out, other rows keep their numbers, and no pair has one
    gone = DATA.X.copy()
    gone[1, 1] = np.nan
    for left, kept in (
        (rp.dataset(X, DATA.y, weights=[1, 0, 1, 1, 1, 1]), X[[0, 2, 3, 4, 5]]),
        (rp.dataset(gone, DATA.y, missing="drop"), DATA.X[[0, 2, 3, 4, 5]]),
    ):
        assert np.array_equal(left.X, kept)
        assert [row.points for row in rows_of(rp.monotone(0), left)] == [
            (0, 4), (1, 2), (2, 3), (3, 4)
        ]  # fmt: skip
    refused(rp.OptionError, "one value in all rows", rows_of, rp.monotone("same"), DATA)
    refused(rp.OptionError, "expected 1 or -1", rp.monotone, "a", sign=2)
    refused(rp.OptionError, "and no gap; for a falling score: sign=-1", rp.monotone, "a", -1)
    refused(rp.OptionError, "'incom': expected a feature", rows_of, rp.monotone("incom"), DATA)


def test_groups_by_a_comparison_a_function_or_an_array() -> None:
    data, weights = replace(DATA, groups=np.array(list("ababab"))), np.arange(1.0, 7.0)
    for group, same, title in (
        ("a > 2", X[:, 0] > 2, "a > 2"),
        ("1 == 2", X[:, 1] == 2, "1 == 2"),
        (lambda rows: rows[:, 0] > 2, X[:, 0] > 2, "<lambda>"),
        ("groups", list("ababab"), "groups"),
    ):
        for held in (data, replace(data, weights=weights)):
            made = rows_of(rp.parity(group, 0.1), held)
            assert {row.of for row in made} == {f"parity of {title}"}
            assert (dense(made)[0] == dense(rows_of(rp.parity(same, 0.1), held))[0]).all()
    # folds keep the groups of their rows
    assert data.take(np.array([1, 2, 3])).groups.tolist() == ["b", "a", "b"]
    means = rows_of(rp.parity([0, 0, 0, 1, 1, 1], 0.1), replace(DATA, weights=weights))
    low, high = weights[:3] / 6, weights[3:] / 15
    assert sorted(map(tuple, dense(means)[0])) == sorted([(*low, *-high), (*-low, *high)])
    refused(rp.OptionError, "a has numbers, 'x' given", rows_of, rp.parity("a > x", 0.1), DATA)


def test_rates() -> None:
    made = rows_of(rp.rate("false negative", 0.2, "sex"), DATA)
    assert [row.of for row in made] == [
        f"false negative rate of '1' with sex = {sex} at most 0.2" for sex in (1, 2)
    ]
    # of the positive rows 0, 5 and 2, 4
    rows = ScoreRows.of_points(made, 6)
    assert rows.G.toarray().tolist() == [[0] * 6] * 2 + [
        [-(i == j) for j in range(6)] for i in (0, 5, 2, 4)
    ]
    assert rows.T.toarray()[:2].tolist() == [[0.5, 0.5, 0, 0], [0, 0, 0.5, 0.5]]
    assert rows.T.toarray()[2:].tolist() == (-np.eye(4)).tolist()
    assert rows.h == pytest.approx([0.2] * 2 + [-1.0] * 4)
    # scores that violate the surrogate at one row of one group
    held, G_of_sex = rp.rate("false positive", 0.2), dense(rows_of(rp.parity("sex", 0.1), DATA))[0]
    f = np.array([0.0, -2.0, 0.0, 0.5, 0.0, 0.0])
    one = ScoreRows.of_points(rows_of(held, DATA), 6)
    assert one.activity(f)[0] == pytest.approx(0.75)
    assert not one.met(f)
    assert one.met(f - 2.0)
    # multipliers of the terms are at most the shares of that of the rate
    assert one.feasible(np.array([2.0, 3.0, -1.0])) == pytest.approx([2.0, 1.0, 0.0])
    name = "false positive rate of '1' at most 0.2"
    values = realised([held, rp.parity("sex", 0.1)], DATA, f)
    # of the negative rows 1 and 3: their terms are 0 and 1.5
    assert values[name] == {"rate": 0.5, "surrogate": 0.75, "slack": pytest.approx(0.2 - 0.75)}
    assert values["parity of sex"] == {"gap": pytest.approx(np.abs(G_of_sex @ f).max())}
    # of the other label: predictions and classes change places
    turned = replace(DATA, codes=1 - DATA.codes)
    for kind in ("positive", "false positive", "false negative"):
        (row,) = rows_of(rp.rate(kind, 0.2, positive=-1), DATA)
        (same,) = rows_of(rp.rate(kind, 0.2), turned)
        assert (row.of, row.points) == (f"{kind} rate of '-1' at most 0.2", same.points)
        assert row.bound == same.bound
        assert np.allclose(row.weights, -np.array(same.weights))
    third = rp.rate("positive", 0.2, positive=2)
    refused(rp.OptionError, "labels '-1' and '1'", rows_of, third, DATA)
    refused(rp.OptionError, "expected one of positive, false", rp.rate, "precision", 0.1)
    refused(rp.OptionError, "finite number >= 0", rp.rate, "positive", -0.1)


def test_entry_points_that_take_none_say_so() -> None:
    held = rp.parity("sex", 0.1)
    spec = rp.VKR(kernels="poly:1", constraints=rows_of(held, DATA))
    for words, model, options in (
        (r"mkl takes no constraints .* vkr, l1svm", rp.MKL(), {"constraints": held}),
        ("method 'cd' moves one", rp.VKR(kernels="poly:1"), {"constraints": held, "method": "cd"}),
    ):  # fmt: skip
        refused(rp.OptionError, words, rp.fit, model, DATA, **options)
    refused(rp.OptionError, "the data have 4", rp.fit, spec, rp.dataset(X[:4], [1, -1, 1, -1]))
    refused(rp.OptionError, "folds", tune_by_folds, "vkr", [spec], DATA, RunSettings(), folds=2)
    path = entry_of(spec).hooks.path
    refused(rp.OptionError, "exact path", path, spec, DATA, "beta", 1e-3, 1e-2, RunSettings())
    run = rp.fit(rp.SVM(constraints=spec.constraints), DATA)
    refused(rp.OptionError, "with constraints on scores is nothing proved", rp.prove, run, DATA)


def test_every_constraint_is_an_entry_of_its_own() -> None:
    age, term = np.array([0, 1, 0, 1, 1, 0]), np.array([0, 0, 1, 1, 0, 1])
    held = [rp.parity(age, 0.05), rp.parity(term, 0.05)]
    spec = rp.L1SVM(kernels="poly:2", beta=1e-3)
    run = rp.fit(spec, DATA, constraints=held, tol=1e-9)
    first, second = "parity of group", "parity of group (2)"
    told = [(entry["name"], entry["rows"]) for entry in run.extra["constraints"]]
    assert told == [(first, 2), (second, 2)]
    # each price is that of its own bound
    assert list(run.multipliers) == [first, second]
    assert min(run.multipliers.values()) > 1e-3
    for k, name in enumerate((first, second)):
        looser = [rp.parity(age, 0.051 - 0.001 * k), rp.parity(term, 0.05 + 0.001 * k)]
        saved = run.objective - rp.fit(spec, DATA, constraints=looser, tol=1e-9).objective
        assert saved / 1e-3 == pytest.approx(run.multipliers[name], rel=0.02)
    assert rp.check(run, DATA)["holds"]
    # constraints of the settings have their names too, and a series has a name
    (named, _) = rows_of(rp.parity(pd.Series(age, name="age"), 0.05), DATA)
    assert named.of == "parity of age"
    again = rp.fit(run.spec, DATA, constraints=[held[0], rp.parity(pd.Series(age), 0.05)])
    assert list(again.multipliers) == [first, *(f"{first} ({k})" for k in (2, 3, 4))]
    # one row has the name of its row, and rows of two constraints are told apart
    rights = [rp.must_classify(numbers) for numbers in ([0], [4], [0], [4, 5], [4, 5])]
    rows = rows_of(rights, DATA)
    of = [row.of for row in rows]
    assert of[:3] == ["X[0] right", "X[4] right", "X[0] right (2)"]
    assert of[3:] == ["rows right (2)"] * 2 + ["rows right (3)"] * 2
    assert len({row.name for row in rows}) == len(rows)


def test_scores_of_zero_meet_their_row_up_to_rounding() -> None:
    """Points on the wrong side must get a margin of 0, which the optimum gives some of them."""
    for spec, seed in (
        (rp.L1Linear(loss="hinge", beta=0.01), 1),
        (rp.LPBoost(learner="stump", nu=0.4), 0),
        (rp.SVM(kernels="rbf:1"), 0),
        (rp.VKR(kernels="poly:1-2"), 0),
    ):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(40, 3))
        y = np.where(X[:, 0] + 0.8 * X[:, 2] + 1.2 * rng.normal(size=40) > 0.2, 1, -1)
        data = rp.dataset(X, y, scale="ball")
        margins = y * rp.fit(spec, data).fit.scores(data.X)
        wrong = [int(i) for i in np.flatnonzero(margins < 0.0)[:3]]
        run = rp.fit(spec, data, constraints=rp.must_classify(wrong, margin=0.0))
        scores = run.fit.scores(data.X)
        assert run.certified
        assert (y * scores)[wrong].min() >= -1e-8 * np.abs(scores).max()


def test_a_column_of_texts_is_a_group_by_its_name() -> None:
    sex = np.array(["f", "m", "f", "m", "m", "f"])
    frame = pd.DataFrame({"city": list("abcabc"), "age": np.arange(6.0), "sex": sex})
    data = rp.dataset(frame, [0, 1, 1, 0, 1, 0], categorical="auto", scale="standard")
    for group, values in (("sex", sex), ("city", frame["city"].to_numpy())):
        named, given = rows_of(rp.parity(group, 0.1), data), rows_of(rp.parity(values, 0.1), data)
        assert all((dense(named)[k] == dense(given)[k]).all() for k in (0, 1))
    (first, *_) = rows_of(rp.parity("sex", 0.1), data)
    assert "sex = f at most 0.1 above that with sex = m" in first.name
    gaps = frame.assign(sex=["f", None, "m", "m", "f", "f"])
    filled = rp.dataset(gaps, [0, 1, 1, 0, 1, 0], categorical="auto", missing="mean")
    missing, words = "'sex': the column has missing cells", "'{}': .* its name: city, age, sex"
    refused(rp.OptionError, missing, rows_of, rp.parity("sex", 0.1), filled)
    for other in ("nobody", 1):  # a number would count the levels of the columns before it
        refused(rp.OptionError, words.format(other), rows_of, rp.parity(other, 0.1), data)


def test_a_name_of_two_features_is_none() -> None:
    data = rp.dataset(np.arange(8.0).reshape(4, 2), [0, 1, 0, 1], features=["age", "age"])
    refused(rp.OptionError, "2 features of data have this name: give its index, such as 0",
            rp.fit, rp.L1Linear(), data, constraints=rp.monotone("age"))  # fmt: skip
    assert rp.fit(rp.L1Linear(), data, constraints=rp.monotone(1)).certified


def test_numbers_of_rows_count_those_of_weight_0() -> None:
    X, y = np.arange(8.0)[:, None], np.array([1, -1, 1, -1, 1, -1, 1, 1])
    data = rp.dataset(X, y, weights=[0.0, *[1.0] * 7])
    run = rp.fit(rp.L1Linear(beta=0.01), data, constraints=rp.must_classify([1, 7], 2.0))
    assert (run.decision_function(X) * y)[[1, 7]].min() >= 2.0 - 1e-6
    assert data.row_name(0) == "X[1]"
    first, words = rp.must_classify([0], 2.0), "row 0 of data was left out"
    refused(rp.OptionError, words, rp.fit, run.spec, data, constraints=first)
