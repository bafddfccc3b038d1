"""What is public is listed in ``tests/public_names.txt``: names, parameters, commands, options.

    python tests/radprog/test_public_names.py

prints the names of today in that form.
"""

import argparse
import inspect
import sys
from pathlib import Path

import radprog
from radprog import estimators
from radprog.cli import build_parser
from radprog.terminal.parser import filled

LIST = Path(__file__).resolve().parents[1] / "public_names.txt"
ANY = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


def parameters(thing: object) -> set[str]:
    """Of a function, or of the constructor of a class: those of results are their attributes."""
    called = thing.__init__ if isinstance(thing, type) else thing
    if not callable(called):
        return set()
    taken = inspect.signature(called).parameters.values()
    names = {one.name for one in taken if one.kind not in ANY} - {"self"}
    return {name for name in names if not name.startswith("_")}


def options(parser: argparse.ArgumentParser) -> set[str]:
    """The options of a command, whichever model they belong to."""
    found = {word for action in parser._actions for word in action.option_strings}
    return found.union(*(options(below) for below in commands(parser).values()))


def commands(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """The parsers directly below a parser."""
    kind = argparse._SubParsersAction
    return {
        k: v for one in parser._actions if isinstance(one, kind) for k, v in one.choices.items()
    }


def public() -> dict[str, set[str]]:
    """Every public name with what belongs to it."""
    found = {
        f"{module.__name__}.{name}": parameters(getattr(module, name))
        for module in (radprog, estimators)
        for name in module.__all__
    }
    below = commands(filled(build_parser()))
    return found | {f"radprog {name}": options(parser) for name, parser in below.items()}


def listed() -> dict[str, set[str]]:
    """The same as the list has it."""
    lines = (line.split(": ", 1) for line in LIST.read_text().splitlines())
    return {name.rstrip(":"): set(" ".join(rest).split()) for name, *rest in lines}


def differences(before: dict[str, set[str]], now: dict[str, set[str]]) -> list[str]:
    """What was dropped from a list, or is not in it yet."""
    told = []
    for name in sorted(before.keys() | now.keys()):
        old, new = before.get(name, set()), now.get(name, set())
        gone, more = old - new, new - old
        if name not in now or gone:
            what = " ".join(sorted(gone)) if name in now else "all of it"
            told.append(f"{name} lost {what}: a public name goes only after a deprecation")
        if name not in before or more:
            what = f"{name} {' '.join(sorted(more))}".rstrip()
            told.append(f"{what} is new: add it to {LIST.name} by hand")
    return told


def test_public_names_are_those_of_the_list() -> None:
    assert differences(listed(), public()) == []
    assert {"radprog.fit", "radprog.estimators.VKRClassifier", "radprog solve"} <= set(listed())


def test_a_name_that_comes_or_goes_is_noticed() -> None:
    before = {"f": {"a", "b"}, "g": set()}
    assert differences(before, before) == []
    assert differences(before, {"f": {"a"}, "h": set()}) == [
        "f lost b: a public name goes only after a deprecation",
        "g lost all of it: a public name goes only after a deprecation",
        "h is new: add it to public_names.txt by hand",
    ]
    assert differences(before, before | {"f": {"a", "b", "c"}}) == [
        "f c is new: add it to public_names.txt by hand"
    ]


if __name__ == "__main__":
    lines = (f"{name}: {' '.join(sorted(words))}".rstrip() for name, words in public().items())
    sys.stdout.write("\n".join(sorted(lines)) + "\n")
