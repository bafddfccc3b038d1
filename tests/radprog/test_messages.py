"""Messages name parameters in Python, and the options of the command that ran at the terminal."""

import json
from pathlib import Path
from typing import Any

import pytest

import radprog as rp
from radprog.telling import uncertified

SMALL = {"kernels": "poly:1"}
REFUSED: list[tuple[Any, dict[str, Any], str, str]] = [
    (rp.VKR(), {"method": "cd", "solver_options": {"a": "1"}},
     "solve vkr train.csv --method cd --solver-option a=1", "leave {solver_options} out"),
    (rp.VKR(), {"method": "cd", "log": "a.log"},
     "solve vkr train.csv --method cd --log a.log", "leave {log} out"),
    (rp.VKR(), {"method": "cd", "solver": "highs"},
     "solve vkr train.csv --method cd --solver highs", "leave {solver} out"),
]  # fmt: skip
FLAGS = {"solver_options": "--solver-option", "log": "--log", "solver": "--solver"}


@pytest.mark.parametrize(("spec", "settings", "command", "words"), REFUSED)
def test_one_message_names_both(data, radprog, folder, spec, settings, command, words) -> None:
    with pytest.raises(rp.OptionError, match=words.format(**{name: f"`{name}`" for name in FLAGS})):
        rp.fit(spec, data, **settings)
    assert words.format(**FLAGS) in radprog(*command.split()).error


def test_a_stored_reason_names_parameters(data, radprog, folder) -> None:
    run = rp.fit(rp.L1SVM(**SMALL), data)
    words = "scale 'ball' is fitted on the sample: use {}"
    given = ("l1svm", "train.csv", "--kernels", "poly:1", "--scale", "ball", "--json", "run.json")
    assert radprog("solve", *given).code == 0
    stored = json.loads(Path("run.json").read_text())["compression"]["refused"]
    reasons = stored, run.extra["compression"]["refused"], rp.bounds(run, data)["refused"]
    assert {one.startswith(words.format("`scale='unit'`")) for one in reasons} == {True}
    assert f"compression: {words.format('--scale unit')}" in radprog("bounds", "run.json").out


@pytest.mark.parametrize(("model", "method"), [("mkl", "hybrid"), ("svr", "cccp")])
def test_a_method_that_refuses_the_data_is_not_advised(model, method) -> None:
    result = {"model": model, "method": method, "stopped_by": "critical_point", "bound": None}
    few, many = (uncertified({**result, "data": {"rows": rows}}) for rows in (40, 41))
    assert "`method='global'` does, of at most" in few
    assert "40 points" in few
    assert many.endswith("no optimum")


def test_constraints_of_a_model_without_them_name_the_models_that_take_them(radprog) -> None:
    said = radprog("solve", "svr", "sinc.csv", "--constraint", "mean:0").err
    assert "--constraint mean:0; vkr, l1svm, svm, l1linear, lpboost take constraints" in said
