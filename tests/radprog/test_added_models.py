"""Models of packages beside this one: the entry points of the group ``radprog.models``."""

import re
import sys

import pytest
from beside import write_package

import radprog as rp
from radprog.catalog import added_models, entry_named
from radprog.cli import build_parser

#: A model whose fit is broken.
DEFECT = """
from dataclasses import replace
from ridge_model import RIDGE as whole, ROW as row
RIDGE = replace(whole, fit=lambda spec, data, settings: data.X + "1")
ROW = replace(row, wiring="tiny_defect:RIDGE")
"""
#: Settings in capitals beside their row: the default place of the functions is the class itself.
CAPITAL = """
from radprog.catalog import Entry
from ridge_model import Ridge
class RIDGE(Ridge): pass
ROW = Entry(title="ridge", spec=RIDGE)
"""
PLACE = CAPITAL.replace("spec=RIDGE", "spec=RIDGE, wiring='ridge_model:NONE'")


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """Installs a package whose metadata name the place of a model."""

    def install(place: str, **modules: str) -> None:
        given = "tiny-models", "radprog.models", f"tiny = {place}"
        monkeypatch.syspath_prepend(write_package(tmp_path / "site", *given, **modules))
        forget()

    def forget() -> None:
        for name in [name for name in sys.modules if name.startswith("tiny_")]:
            del sys.modules[name]
        added_models.cache_clear()
        build_parser.cache_clear()

    yield install
    forget()


def test_a_model_of_another_package_is_solved_and_listed(radprog, folder, installed) -> None:
    installed("ridge_model:ROW")
    given = ("solve", "ridge", "train.csv", "--scale", "ball", "--C", "2")
    result = radprog(*given, "--json", "-", "--quiet").json
    assert (result["model"], result["certified"], result["params"]["C"]) == ("ridge", True, 2.0)
    radprog(*given, "--json", "run.json", "--save", "fit.json", "--quiet")
    assert rp.check("run.json", "train.csv")["holds"]
    assert rp.load_fit("fit.json").model == "ridge"
    assert "ridge regression of the labels" in radprog("solve", "--help").out
    ridge = entry_named("ridge").spec(C=2.0)
    assert type(ridge) is rp.Ridge
    assert rp.fit(ridge, rp.read("train.csv", scale="ball")).objective == result["objective"]


def test_it_is_tuned_and_its_help_has_what_it_uses(radprog, folder, installed) -> None:
    installed("ridge_model:ROW")
    shown = radprog("solve", "ridge", "--help").out
    unused = ("--max-iter", "--start", "--solver", "--log", "--jobs", "--checkpoint")
    assert not [option for option in unused if f"{option} " in shown]
    assert "--time-limit" in shown
    for given in ("--max-iter 3", "--solver highs", "--jobs 2"):
        radprog.refused(given.split()[0], "solve", "ridge", "train.csv", given)
    (example,) = re.findall("--grid C=.*:5", radprog("tune", "ridge", "--help").out)
    found = radprog("tune", "ridge", "train.csv", "--scale", "ball", example, "--json", "-")
    assert len(found.json["cells"]) == 5


def test_a_defect_of_a_package_names_it(radprog, folder, installed) -> None:
    installed("tiny_defect:ROW", tiny_defect=DEFECT)
    found = radprog("solve", "ridge", "train.csv", "--scale", "ball")
    assert found.code == 3
    assert "(a defect of radprog, or of a package that adds to it: see --debug)" in found.err


def test_the_row_names_the_place_of_the_functions(installed) -> None:
    place = CAPITAL.replace("spec=RIDGE", "spec=RIDGE, wiring='ridge_model:RIDGE'")
    installed("tiny_named:ROW", tiny_named=place)
    data = rp.dataset([[0.0], [1.0], [2.0]], [-1, 1, 1])
    assert rp.fit(entry_named("ridge").spec(), data).certified


@pytest.mark.parametrize(
    ("place", "module", "named"),
    [
        ("tiny_absent:ROW", None, "ModuleNotFoundError: No module named 'tiny_absent'"),
        ("tiny_broken:ROW", "1 / 0", "ZeroDivisionError"),
        ("tiny_other:ROW", "ROW = 7", "a int, expected an Entry"),
        ("radprog.catalog:CATALOG", None, "expected an Entry"),
        ("tiny_capital:ROW", CAPITAL, "wiring tiny_capital:RIDGE, which is <class "),
        ("tiny_place:ROW", PLACE, "wiring ridge_model:NONE, which is nothing"),
        ("tiny_taken:ROW", "from radprog.catalog import CATALOG\nROW = CATALOG['vkr']", "already"),
    ],
)
def test_a_broken_model_is_named(radprog, folder, installed, place, module, named) -> None:
    installed(place, **({} if module is None else {place.partition(":")[0]: module}))
    # it costs those who name a model of this package nothing
    assert radprog("solve", "vkr", "train.csv", "--quiet").code == 0
    said = radprog.refused(named, "solve", "ridge", "train.csv")
    assert f"package tiny-models, model {place}" in said
    with pytest.raises(rp.OptionError, match="package tiny-models"):
        entry_named("ridge")
