"""Where results go: whole or not at all, never over an input, and only what was asked for."""

import io
import json
import os
import re
import signal
import sys
from pathlib import Path

import pytest
from program_files import lp

import radprog as rp
from radprog.base.writing import atomic_text, probe_writable

SOLVE = "solve vkr train.csv --kernels poly:1-2 --scale ball"
TUNE = "tune svm train.csv --scale ball --grid C=1,10 --folds 2"
JSON = {  # what --json follows
    "solve": SOLVE,
    "tune": TUNE,
    "verify": "verify p.mps",
    "check": "check run.json train.csv",
    "solvers": "solvers",
    "price": "price run.json --kernels rbf:1",
    "bounds": "bounds run.json",
    "analyze": SOLVE.replace("solve", "analyze"),
    "complexity": f"{SOLVE.replace('solve', 'complexity')} --trials 3",
}
WRITERS = {
    **{name: f"{line} --json new.json" for name, line in JSON.items()},
    "solve": f"{SOLVE} --save f.json --plot c.svg --json new.json",
    "tune": f"{TUNE} --save f.json --plot c.svg --json new.json",
    "export": "export vkr train.csv --kernels poly:1-2 --form dual -o new.mps",
    "predict": "predict fit.json test.csv -o new.csv",
    "decompose": "decompose b.lp --linking link -o other.sol --json new.json",
    "certify": "certify b.lp b.sol --prove p.vipr --json new.json",
    "prove": "prove b.lp -o new.json",
    "diff": "diff b.lp p.mps --json new.json",
    "analyze a file": "analyze b.lp --json new.json",
    "report": "report run.json -o new.html",
}


@pytest.fixture
def ready(once, folder) -> Path:
    """A folder that also holds run.json, fit.json, p.mps and p.mps.names.json."""
    once.ok(SOLVE, "--json run.json --save fit.json")
    once.ok("export vkr train.csv --kernels poly:1-2 --form dual -o p.mps")
    (folder / "sub").mkdir()
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
@pytest.mark.parametrize("writer", WRITERS)
def test_ctrl_c_in_printing_loses_no_file(radprog, ready, monkeypatch, writer, stream) -> None:
    rows = "link: x1 + x2 >= 1;a: x1 + y1 >= 1;b: x2 + y2 >= 1"
    Path("b.lp").write_text(lp("x1 + 2 y1 + x2 + 3 y2", rows))
    radprog.ok("decompose b.lp --linking link -o b.sol")
    before = contents(ready).keys()
    code, written = radprog(WRITERS[writer]).code, contents(ready).keys()
    assert written > before
    for name in written - before:
        Path(name).unlink()

    class Pressed(io.StringIO):
        def write(self, text: str) -> int:
            if not self.tell() and not text.startswith("b.lp: 2 blocks"):  # before the search
                super().write(" ")
                signal.raise_signal(signal.SIGINT)
            return super().write(text)

    monkeypatch.setattr(sys, stream, pressed := Pressed())
    assert radprog(WRITERS[writer]).code == code, pressed.getvalue()
    assert contents(ready).keys() == written


def test_an_old_result_may_be_replaced(radprog, ready) -> None:
    found = radprog.ok(SOLVE, "--lam 0.5 --json run.json --save fit.json")
    assert found.json["params"]["lam"] == 0.5
    os.symlink("run.json", "link.json")
    radprog.ok(SOLVE, "--lam 0.25 --json link.json")
    assert Path("link.json").is_symlink()
    assert json.loads(Path("run.json").read_text())["params"]["lam"] == 0.25


def test_a_file_keeps_its_permissions_and_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    for mode in (0o600, 0o640):
        path.touch()
        path.chmod(mode)
        with atomic_text(path) as stream:
            stream.write("new")
        assert (path.read_text(), path.stat().st_mode & 0o777) == ("new", mode)
    # an error while it is written leaves the old one, and nothing beside it
    with pytest.raises(TypeError), atomic_text(path) as stream:
        stream.writelines(["half", None])
    assert (path.read_text(), os.listdir(tmp_path)) == ("new", ["run.json"])


def test_a_link_is_opened_by_the_system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Which refuses those of others in a folder that all can write: nothing is moved over what it
    leads to."""
    (tmp_path / "run.json").write_text("old")
    link = tmp_path / "link.json"
    link.symlink_to("run.json")
    number = (tmp_path / "run.json").stat().st_ino
    with atomic_text(link) as stream:
        stream.write("new")
    assert (link.is_symlink(), (tmp_path / "run.json").read_text()) == (True, "new")
    assert (tmp_path / "run.json").stat().st_ino == number
    probe_writable(link)
    (tmp_path / "lost.json").symlink_to("nowhere/run.json")
    with pytest.raises(rp.OutputError, match="its folder does not exist"):
        probe_writable(tmp_path / "lost.json")


@pytest.mark.parametrize("writer", JSON)
def test_a_dash_is_stdout_and_holds_json_alone(radprog, ready, writer) -> None:
    before = contents(ready)
    found, quiet = (radprog.ok(JSON[writer], "--json -", more) for more in ("", "--quiet"))
    assert isinstance(found.json, dict)
    assert found.err  # the summary moves there
    assert quiet.err == ""
    plain = [re.sub(r'"(\w*seconds|peak_mb|kernels|build|solve|total)": [-+.\de]+', "", text)
             for text in (found.out, quiet.out)]  # fmt: skip
    assert (plain[0], contents(ready)) == (plain[1], before)
    # a file keeps it on stdout
    found, quiet = (radprog.ok(JSON[writer], "--json out.json", more) for more in ("", "--quiet"))
    assert found.out
    assert not found.out.startswith("{")
    assert (found.err, quiet.out, quiet.err) == ("", "", "")
    assert quiet.json
