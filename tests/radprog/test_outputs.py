"""Where results go: whole or not at all, never over an input, and only what was asked for."""

import io
import json
import os
import re
import signal
import sys
from pathlib import Path

import pytest

import radprog as rp
from radprog.base.writing import atomic_text, probe_writable

SOLVE = ("solve", "vkr", "train.csv", "--kernels", "poly:1-2", "--scale", "ball")
TUNE = ("tune", "svm", "train.csv", "--scale", "ball", "--grid", "C=1,10", "--folds", "2")
EXPORT = ("export", "vkr", "train.csv", "--kernels", "poly:1-2", "--form", "dual")


@pytest.fixture
def ready(once, folder) -> Path:
    """A folder that also holds run.json, fit.json, p.mps and p.mps.names.json."""
    assert once(*SOLVE, "--json", "run.json", "--save", "fit.json").code == 0
    assert once(*EXPORT, "-o", "p.mps").code == 0
    (folder / "sub").mkdir()
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


WRITERS = {
    "solve --json": (*SOLVE, "--json"),
    "solve --save": (*SOLVE, "--save"),
    "solve --plot": (*SOLVE, "--plot"),
    "tune --json": (*TUNE, "--json"),
    "tune --save": (*TUNE, "--save"),
    "export": (*EXPORT, "-o"),
    "predict": ("predict", "fit.json", "test.csv", "-o"),
    "verify": ("verify", "p.mps", "--json"),
    "check": ("check", "run.json", "train.csv", "--json"),
    "solvers": ("solvers", "--json"),
    "price": ("price", "run.json", "--kernels", "rbf:1", "--json"),
    "bounds": ("bounds", "run.json", "--json"),
    "analyze": ("analyze", *SOLVE[1:], "--json"),
    "complexity": ("complexity", *SOLVE[1:], "--trials", "3", "--json"),
}
JSON = [name for name in WRITERS if name not in ("solve --save", "solve --plot", "tune --save",
                                                 "export", "predict")]  # fmt: skip


BLOCKS = """min
 obj: x1 + 2 y1 + x2 + 3 y2
st
 link: x1 + x2 >= 1
 a: x1 + y1 >= 1
 b: x2 + y2 >= 1
end
"""
OTHERS = {
    "solve": (*SOLVE, "--save f.json --plot c.svg --json"),
    "tune": (*TUNE, "--save f.json --plot c.svg --json"),
    "decompose": ("decompose b.lp --linking link -o other.sol --json",),
    "certify": ("certify b.lp b.sol --prove p.vipr --json",),
    "prove": ("prove b.lp -o",),
    "diff": ("diff b.lp p.mps --json",),
    "analyze": ("analyze b.lp --json",),
    "report": ("report run.json -o",),
}


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
@pytest.mark.parametrize("writer", [*WRITERS, *(f"all of {name}" for name in OTHERS)])
def test_ctrl_c_while_a_result_is_printed_loses_no_file(
    radprog, ready, monkeypatch, writer: str, stream: str
) -> None:
    suffix = {"export": "mps", "solve --plot": "svg", "all of report": "html"}.get(writer, "json")
    Path("b.lp").write_text(BLOCKS)
    radprog.ok("decompose b.lp --linking link -o b.sol")
    before = contents(ready).keys()
    words = WRITERS.get(writer) or OTHERS[writer.removeprefix("all of ")]
    code, written = radprog(*words, f"new.{suffix}").code, contents(ready).keys()
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
    assert radprog(*words, f"new.{suffix}").code == code, pressed.getvalue()
    assert contents(ready).keys() == written


@pytest.mark.parametrize(("good", "bad"), [("--json", "--save"), ("--save", "--json")])
@pytest.mark.parametrize("command", [SOLVE, TUNE], ids=["solve", "tune"])
def test_several_outputs_are_written_all_or_none(radprog, folder, command, good, bad) -> None:
    before = contents(folder)
    radprog.refused("/dev/full", *command, good, "one.json", bad, "/dev/full")
    assert contents(folder) == before


def test_an_old_result_may_be_replaced(radprog, ready) -> None:
    assert radprog(*SOLVE, "--lam", 0.5, "--json", "run.json", "--save", "fit.json").code == 0
    assert json.loads(Path("run.json").read_text())["params"]["lam"] == 0.5
    os.symlink("run.json", "link.json")
    assert radprog(*SOLVE, "--lam", 0.25, "--json", "link.json").code == 0
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
    found = radprog.ok(*WRITERS[writer], "-")
    assert isinstance(json.loads(found.out), dict)
    assert found.err  # the summary moves there
    quiet = radprog(*WRITERS[writer], "-", "--quiet")
    assert quiet.err == ""
    plain = [re.sub(r'"(\w*seconds|peak_mb|kernels|build|solve|total)": [-+.\de]+', "", text)
             for text in (found.out, quiet.out)]  # fmt: skip
    assert plain[0] == plain[1]
    assert contents(ready) == before


@pytest.mark.parametrize("writer", JSON)
def test_a_file_keeps_the_summary_on_stdout_unless_quiet(radprog, ready, writer) -> None:
    found = radprog(*WRITERS[writer], "out.json")
    assert (found.code, found.err) == (0, "")
    assert found.out
    assert not found.out.startswith("{")
    quiet = radprog(*WRITERS[writer], "quiet.json", "--quiet")
    assert (quiet.code, quiet.out, quiet.err) == (0, "", "")
    assert json.loads(Path("quiet.json").read_text())
