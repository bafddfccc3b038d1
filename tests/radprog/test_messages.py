"""Messages name parameters in Python, and the options of the command that ran at the terminal."""

import ast
import json
import re
from pathlib import Path
from typing import Any

import pytest

import radprog as rp
from radprog.cli import build_parser
from radprog.terminal.parser import Parser, filled

ROOT = Path(__file__).resolve().parents[2]
FLAG = re.compile(r"(?<![\w'/.-])--[a-z][a-z-]+")
MARKED = re.compile(r"`(\w+)[=`]")
# files of the command line, and those that write commands
OF_COMMANDS = re.compile(r"radprog/(commands/|terminal/|cli|__main__|reporting|catalog)")
TOP = filled(build_parser())


def parsers(parser: Parser, *names: str) -> list[tuple[tuple[str, ...], Parser]]:
    below = [one for name, sub in parser.below().items() for one in parsers(sub, *names, name)]
    return [*([(names, parser)] if names else []), *below]


EVERY = parsers(TOP)
PARAMETERS = {
    name
    for _, parser in EVERY
    for action in parser._actions
    for name in (action.dest, *(one[2:].replace("-", "_") for one in action.option_strings))
}


def messages() -> list[tuple[str, str]]:
    """The place and the text of each string of the library that is no docstring."""
    found = []
    for folder in ("radprog", "models", "decompositions", "instances", "solvers"):
        for path in (ROOT / folder).rglob("*.py"):
            tree, name = ast.parse(path.read_text()), str(path.relative_to(ROOT))
            alone = {id(one.value) for one in ast.walk(tree) if isinstance(one, ast.Expr)}
            found += [
                (f"{name}:{one.lineno}", one.value)
                for one in ast.walk(tree)
                if isinstance(one, ast.Constant) and isinstance(one.value, str)
                and id(one) not in alone
            ]  # fmt: skip
    return found


def test_messages_of_the_library_name_parameters_of_commands() -> None:
    for place, text in messages():
        if not OF_COMMANDS.match(place):
            plain = re.sub(r"'radprog [^']*'", "", text)
            assert not FLAG.search(plain) or place.startswith("radprog/base/errors.py"), place
        assert set(MARKED.findall(text)) <= PARAMETERS, (place, text)


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
