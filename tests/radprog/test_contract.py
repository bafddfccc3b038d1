"""What every model of the catalog keeps, whatever it is: each method fits and its result follows
the schema, is recomputed, saved, loaded, applied, shown and drawn; each form is written and solved.

A new model is taken in by its row of the catalog and the kind of its data; it adds a line here only
where its defaults do not fit a few rows. ``ridge`` is such a model, in one file of tests/support.
"""

import functools
import html
import json
import re
import shlex
import sys
from contextlib import chdir
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from contract_checks import check_errors, check_model, check_result
from refusals import refused
from ridge_model import ROW
from written import follows_the_schema

import radprog as rp
from radprog import catalog
from radprog.cli import build_parser, main
from radprog.decompositions.run import RunSettings
from radprog.result import errors_on

CATALOG = {**catalog.CATALOG, ROW.name: ROW}
STORED = Path(__file__).resolve().parent.parent / "stored"
FILES = {  # by kind of data; every so many rows suffice for programs and methods that enumerate
    "dataset": ("points.csv", 2),
    "partly_labelled": ("part.csv", 5),
    "regression": ("line.csv", 4),
    "series": ("series.tsv", 3),
}
POINTS = 10  # of a series in a program
FEW_ROWS = ("exact", "global")  # methods that enumerate
TINY_SERIES = "--length 5 --sigma 0.05 --max-iter 3"
OPTIONS = {
    "simsvm": "--kernels laplace:0.3",
    "complexity": "--trials 6 --starts 2",
    "srm": "--gammas 0.1,1 --As 0.1,1 --trials 4 --folds 3",
    "complexity exact": "",  # of every sign vector
    "cdsk exact": "--clusters 2",
    "cdsk labels": "--clusters 2",
    "cdsk general": "--clusters 2 --similarity S.npy",
    "lpdsk general": "--similarity P.npy",
    **{f"lpboost {form}": TINY_SERIES for form in CATALOG["lpboost"].forms},
    **{f"mkl {name}": "--variant dc --starts 2" for name in CATALOG["mkl"].local},
    "mkl global": "--variant dc --kernels linear,rbf:0.1,rbf:1 --C 0.01",
    "mkl step": "--variant dc",
    "mkl dc": "--variant dc",
    "mkl primal": "--norm 2",  # every kernel has a weight: SCIP misses cones at their apex
    "mkl svm": "--variant unif",
}
METHODS = [(name, method) for name, entry in CATALOG.items() for method in entry.methods]
FORMS = [(name, form) for name, entry in CATALOG.items() for form in entry.forms]
pytestmark = pytest.mark.cases(1000)


def options(model: str, what: str) -> list[str]:
    return OPTIONS.get(f"{model} {what}", OPTIONS.get(model, "")).split()


@pytest.fixture(scope="module", autouse=True)
def new_model():
    """The row of the new model stands in the catalog."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(catalog.CATALOG, ROW.name, ROW)  # type: ignore[arg-type]
        build_parser.cache_clear()
        yield
    build_parser.cache_clear()


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory):
    """A working folder with a file of every kind, and its ``few-`` beside it."""
    folder = tmp_path_factory.mktemp("contract")
    for file, step in FILES.values():
        lines = (STORED / file).read_text().splitlines()
        head = lines[:1] if file.endswith(".csv") else []
        (folder / file).write_text("\n".join(lines) + "\n")
        few = ["\t".join(line.split("\t")[: POINTS + 1]) for line in lines[len(head) :: step]]
        (folder / f"few-{file}").write_text("\n".join(head + few) + "\n")
    X = rp.read_partly_labelled(folder / "few-part.csv").X
    np.save(folder / "S.npy", np.tanh(X @ X.T))
    np.save(folder / "P.npy", np.exp(-0.1 * ((X[:, None] - X) ** 2).sum(axis=2)))
    with chdir(folder):
        yield folder


def file_of(entry, few: bool) -> str:
    file, _ = FILES[entry.hooks.kinds[0]]
    return f"few-{file}" if few else file


@functools.cache
def solved(place: Path, model: str, method: str):
    """The result of a method, the name of its files ``MODEL-METHOD.json``, ``.fit`` and ``.png``,
    and the file of its data."""
    name, file = f"{model}-{method}", file_of(CATALOG[model], method in FEW_ROWS)
    files = ["--json", f"{name}.json", "--save", f"{name}.fit", "--plot", f"{name}.png"]
    given = ["--method", method, *options(model, method), "--quiet"]
    assert main(["solve", model, file, *given, *files]) == 0
    text = Path(f"{name}.json").read_text()
    assert not re.search("NaN|Infinity", text)
    return json.loads(text), name, file


@pytest.fixture
def made(place: Path, case: tuple[str, str]):
    return solved(place, *case)


every_method = pytest.mark.parametrize("case", METHODS, ids="-".join)


@every_method
def test_a_result_follows_the_schema_and_says_one_thing(made, case) -> None:
    run, *_ = made
    follows_the_schema(run)
    assert (run["model"], run["method"]) == case
    check_result(run)


@every_method
def test_a_missing_solver_is_named_before_the_work(radprog, place, case, monkeypatch) -> None:
    model, method = case
    monkeypatch.setitem(sys.modules, "pyscipopt", None)
    monkeypatch.delitem(sys.modules, "radprog.solvers.adapters.scip", raising=False)
    monkeypatch.setattr(RunSettings, "budget", lambda self: pytest.fail("the work began"))
    given = ["--method", method, *options(model, method), "--solver", "scip"]
    unused = "solver" in getattr(CATALOG[model].spec, "unused", {}).get(method, ())
    words = "leave --solver out" if unused else "solver scip is not installed"
    done = radprog("solve", model, file_of(CATALOG[model], few=True), *given)
    assert (done.code, done.out, words in done.err) == (2 if unused else 3, "", True), done


@every_method
def test_a_result_is_recomputed_without_a_solver(radprog, made) -> None:
    run, name, file = made
    radprog.ok("check", f"{name}.json", file)
    bad = {**run, "objective": 1.001 * run["objective"] + 1e-3}
    del bad["digest"]  # so that only what is recomputed tells it
    Path("bad.json").write_text(json.dumps(bad))
    assert radprog("check", "bad.json", file).code == 1


@every_method
def test_a_saved_fit_gives_the_reported_errors(radprog, made, case) -> None:
    (run, name, file), entry = made, CATALOG[case[0]]
    saved = rp.load_fit(f"{name}.fit")
    assert saved.model == entry.name
    # arrays are stored as arrays, never pickled, and come back to the last bit
    saved.save("fit.npz")
    assert "json" in np.load("fit.npz", allow_pickle=False)
    assert rp.load_fit("fit.npz").to_json() == Path(f"{name}.fit").read_text()
    Path("cut.npz").write_bytes(Path("fit.npz").read_bytes()[:-30])
    refused(rp.DataError, "pickles are never read", rp.load_fit, "cut.npz")
    data = entry.hooks.read(file, like=saved.data)
    if {"training_error", "mae"} & run["fit"].keys():
        block = errors_on(entry.name, saved.fit, data)
        assert block["rows"] == data.rows
        check_errors(run, block)
    found = radprog.ok("predict", f"{name}.fit", file, "-o", "-")
    assert len(found.out.splitlines()) == 1 + run["data"]["rows"]


@every_method
def test_a_result_is_shown_and_drawn(radprog, made, case) -> None:
    run, name, _ = made
    radprog.ok("report", f"{name}.json", "-o", f"{name}.html")
    page = Path(f"{name}.html").read_text()
    assert CATALOG[case[0]].title in page or case[0] in page
    assert run["data"]["sha256"] in page
    commands = re.findall(r"^(?:<pre>)?radprog (.*?)(?:</pre>)?$", page, re.MULTILINE)
    assert len(commands) == 2
    for command in map(html.unescape, commands):
        build_parser().parse_args(shlex.split(command))
    assert Path(f"{name}.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("case", FORMS, ids="-".join)
def test_a_form_is_written_and_solved(radprog, place, case) -> None:
    model, form = case
    file, name = file_of(CATALOG[model], few=True), "-".join(case)
    given = ("export", model, file, "--form", form, *options(model, form))
    written = radprog(*given, "-o", f"{name}.mps")
    nonlinear = written.code == 2  # neither linear nor quadratic
    if nonlinear:
        written = radprog(*given, "-o", f"{name}.nl")
    assert written.code == 0, written.err
    path = f"{name}.nl" if nonlinear else f"{name}.mps"
    names = json.loads(Path(f"{path}.names.json").read_text())
    assert (names["schema"], names["model"], names["form"]) == (1, model, form)
    assert (names["class"] == "NLP") == nonlinear
    assert abs(names["scale"]) == 1.0 or "column_scale" in names
    if not nonlinear and case != ("mkl", "dc"):  # which SCIP may search for long
        report = radprog.ok(*("analyze", *given[1:]), "--json", "a.json").json
        assert report["claimed_optimal"]
        if names["class"] in ("LP", "QP"):
            assert report["status"] == "optimal"
        if model != ROW.name:
            for item in (*report["rows"], *report["columns"]):
                component = item["name"].partition("[")[0]
                assert {component, f"{form}:{component}"} & set(CATALOG[model].hooks.terms)
                assert "{" not in item["what"]
        reader = "highs" if names["class"] in ("LP", "QP", "MILP") else "scip"
        radprog.ok("verify", path, "--solver", reader)


CHECKED = {  # settings that a few rows suffice for; the others have their defaults
    "vkr": rp.VKR(kernels="poly:1-2"),
    "simsvm": rp.SimSVM(kernels="laplace:0.3"),
    "complexity": rp.Complexity(trials=6, starts=2),
    "srm": rp.SRM(gammas="0.1,1", As="0.1,1", trials=4, folds=3),
    "cdsk": rp.CDSK(clusters=2),
    "lpboost": rp.LPBoost(length="5", sigma=0.05),
}
SLOW = ("svm", "lpboost")  # seconds each


@pytest.mark.parametrize(
    "model",
    [pytest.param(name, marks=[pytest.mark.thorough] if name in SLOW else []) for name in CATALOG],
)
def test_every_model_passes_the_checks_for_ones_own(place, model) -> None:
    entry = CATALOG[model]
    data = entry.hooks.read(file_of(entry, few=True), scale="ball" if model == "vkr" else "none")
    spec = CHECKED.get(model) or entry.spec()
    # one form of a similarity in a file, which these settings do not name
    forms = getattr(spec, "written", entry.forms)
    check_model(spec, data, [form for form in forms if form != "general"])


def test_a_model_of_ones_own_is_checked_in_one_call(place, monkeypatch) -> None:
    """``check_model`` accepts a model that keeps the contract, and names what a broken one does."""
    data = rp.read(FILES["dataset"][0])
    check_model(ROW.spec(C=2.0), data)
    good = ROW.hooks
    low = replace(good, recompute=lambda *of: replace(good.recompute(*of), bound=0.0))

    def raised(*of):
        found = good.recompute(*of)
        return replace(found, bound=found.objective)

    def tenfold(spec, *of):
        built = good.form(replace(spec, C=10.0 * spec.C), *of)
        return replace(built, optimum=good.form(spec, *of).optimum)

    def declared(*of):
        built = good.form(*of)
        return replace(built, optimum=built.optimum + 1.0)

    for broken, said in (
        (low, "method equations: .*bound is claimed"),
        (replace(good, recompute=raised), "bound .* of other points is no bound"),
        (replace(good, form=tenfold), "form primal: its value is .* the declared one"),
        (replace(good, form=declared), "form primal: its value is .* the declared one"),
        (replace(good, describe=lambda result: result["nothing"]), "describe raises KeyError"),
        (replace(good, predictor=lambda plain: good.predictor({**plain, "bias": 9.0})), "predicts"),
    ):
        monkeypatch.setitem(vars(ROW), "hooks", broken)
        refused(AssertionError, said, check_model, ROW.spec(C=2.0), data)


def test_the_absolute_tolerance_certifies_alone(radprog, folder) -> None:
    options = ("--scale", "ball", "--kernels", "poly:1-3", "--max-iter", 2, "--json", "-")
    loose = radprog("solve", "vkr", "train.csv", *options, "--abs-tol", 1).json
    follows_the_schema(loose)
    assert (loose["certified"], loose["certified_by"]) == (True, "abs-tol")
    assert loose["gap"] > 1e-6
    tight = radprog("solve", "vkr", "train.csv", *options).json
    assert (tight["certified"], tight["certified_by"]) == (False, None)
