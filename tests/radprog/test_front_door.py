"""What a user meets at the door: start-up, messages, damaged files, the Python interface."""

import json
import os
import pty
import re
import signal
import subprocess
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path

import pytest
from processes import PATIENCE, call

from radprog.base.errors import warn_user
from radprog.base.limits import interruptible
from radprog.cli import main

SOLVE = ("solve", "vkr", "train.csv", "--kernels", "poly:1-2", "--scale", "ball")


@pytest.mark.parametrize(
    ("words", "absent"),
    [
        (["--help"], ("numpy", "radprog.catalog")),
        (["solve", "vkr", "--help"], ("scipy", "rich")),
    ],
    ids=" ".join,
)
def test_help_does_not_wait_for_solvers_and_plots(words, absent) -> None:
    code = (
        f"import sys\nfrom radprog.cli import main\n"
        f"try: main({words!r})\n"
        "except SystemExit: pass\n"
        "print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-Pc", code], capture_output=True, text=True, check=True)
    assert " ".join(["usage: radprog", *words[:-1]]) in done.stdout
    assert {"pyomo", "sklearn", "highspy", "matplotlib", *absent}.isdisjoint(done.stderr.split())


def loaded_by(words: Sequence[str], folder: Path) -> set[str]:
    """The modules that a command loads, which ends with 0."""
    code = (
        "import sys\nfrom radprog.cli import main\n"
        f"assert main({[*words, '--quiet']!r}) == 0\n"
        "print(*sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=folder
    )
    return set(done.stdout.split())


def test_a_solve_loads_what_it_uses(folder) -> None:
    loaded = loaded_by(SOLVE, folder)
    assert "highspy" in loaded
    assert {"pyomo", "sklearn", "scipy.stats", "scipy.special", "matplotlib"}.isdisjoint(loaded)


@pytest.mark.parametrize(
    "words",
    [
        ("certify", "plan.lp", "plan.sol"),
        *(("analyze", f"{n}.lp") for n in ("plan", "whole", "open")),
    ],
    ids=" ".join,
)
def test_a_program_file_needs_no_modelling_language(words, tmp_path) -> None:
    (tmp_path / "plan.lp").write_text("max\n 3 x + 2 y\nst\n hours: x + y <= 4\nend\n")
    (tmp_path / "whole.lp").write_text("max\n x\nst\n hours: 2 x <= 5\ngenerals\n x\nend\n")
    (tmp_path / "open.lp").write_text("max\n x\nst\n hours: 2 x - y = 1\ngenerals\n x y\nend\n")
    (tmp_path / "plan.sol").write_text("# Objective value = 12\nx 4\ny 0\n")
    unused = {"pyomo", "scipy.stats", "sklearn", "matplotlib"}
    assert unused.isdisjoint(loaded_by(words, tmp_path))


@pytest.mark.thorough
def test_a_terminal_sees_progress_that_goes_away(folder) -> None:
    master, terminal = pty.openpty()
    screen = {**os.environ, "TERM": "xterm", "COLUMNS": "120"}
    done = call(*SOLVE, folder=folder, stderr=terminal, env=screen)
    os.close(terminal)
    shown = os.read(master, 100_000).decode()
    os.close(master)
    assert done.returncode == 0
    assert "bound" in shown
    assert "gap" in shown
    assert shown.rstrip().endswith("\x1b[2K")  # the live line is erased
    assert "\x1b" not in done.stdout


def test_predictions_name_the_rows_of_the_file(radprog, folder) -> None:
    lines = Path("train.csv").read_text().splitlines()
    lines[3] = ",".join(["", *lines[3].split(",")[1:]])  # row 4 misses its first cell
    Path("holes.csv").write_text("\n".join(lines) + "\n")
    solved = radprog.ok("solve vkr holes.csv --kernels poly:1-2 --missing drop --save fit.json")
    assert solved.err == "radprog: warning: 1 row with missing cells dropped\n"
    found = radprog("predict", "fit.json", "holes.csv", "-o", "-")
    rows = [line.split(",") for line in found.out.splitlines()]
    assert rows[0] == ["label", "score", "row"]
    assert [int(row[2]) for row in rows[1:]] == [n for n in range(2, 42) if n != 4]
    assert "1 row with missing cells dropped" in found.err
    assert "1 rows of holes.csv have no prediction: 4\n" in found.err
    assert "rows wrong" in found.err
    quiet = radprog("predict", "fit.json", "holes.csv", "-o", "-", "--quiet")
    assert (quiet.out, quiet.err) == (found.out, "")


def test_rows_of_the_fit_have_no_bound_as_test_rows(radprog, folder) -> None:
    """A copy under another name has the same hash."""
    Path("copy.csv").write_bytes(Path("train.csv").read_bytes())
    found = radprog.ok("solve svm train.csv --test copy.csv --json run.json")
    assert "40 of 40 test rows are also rows of the fit: no bound" in found.out
    assert json.loads(Path("run.json").read_text())["test"]["error_upper_bound"] is None
    assert radprog("check run.json train.csv --test copy.csv").code == 0
    asked = ("bounds", "run.json", "--data", "train.csv", "--test", "copy.csv")
    radprog.refused("copy.csv: 40 of 40 rows are also rows of the fit", *asked)
    other = radprog.ok("solve svm train.csv --test test.csv")
    assert re.search(r"rows wrong; at most [0-9.]+ % with probability 95%", other.out)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_first_signal_raises_a_flag_and_the_second_one_stops(capfd, number) -> None:
    before = signal.getsignal(number)
    with interruptible() as pressed:
        os.kill(os.getpid(), number)
        assert pressed()
        assert "Ctrl-C again" in capfd.readouterr().err
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), number)
    with interruptible(quiet=True) as pressed:
        os.kill(os.getpid(), number)
        assert pressed()
        assert capfd.readouterr().err == ""
    assert signal.getsignal(number) is before


@pytest.mark.usefixtures("hangup")
def test_a_terminal_that_is_gone_takes_nothing_along(folder) -> None:
    """Its processes get SIGHUP, and whatever they write to it from then on fails."""
    behind, front = os.openpty()
    code = "import sys; from radprog.base.limits import interruptible\n"
    code += "with interruptible() as hit:\n print('ready', flush=True)\n while not hit(): pass\n"
    code += "print('done', file=sys.stderr, flush=True); open('done', 'w').close()"
    process = subprocess.Popen([sys.executable, "-c", code], stdout=front, stderr=front)
    os.close(front)
    assert os.read(behind, 5) == b"ready"
    process.send_signal(signal.SIGHUP)
    os.close(behind)
    assert process.wait(timeout=PATIENCE) == 0
    assert Path("done").exists()


def test_a_signal_while_python_ends(folder) -> None:
    code = "import os, signal, sys, radprog.cli; radprog.cli.main = lambda: 0\n"
    code += "from radprog.__main__ import main; code = main()\n"
    code += "os.kill(os.getpid(), signal.SIGINT); sys.exit(code)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=PATIENCE)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


PRESSED = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores it
class Pressed:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            os.kill(os.getpid(), {number})
sys.meta_path.insert(0, Pressed())
from radprog.__main__ import main
sys.exit(main())
"""


@pytest.mark.parametrize(
    ("module", "number"),
    [
        ("radprog.cli", signal.SIGINT),
        ("radprog.terminal.common", signal.SIGTERM),
        ("radprog.catalog", signal.SIGTERM),
        ("radprog.result", signal.SIGINT),
    ],
)
def test_a_signal_while_modules_are_imported(folder, module, number) -> None:
    code = PRESSED.format(module=module, number=int(number))
    done = subprocess.run(
        [sys.executable, "-c", code, *SOLVE, "--json", "r.json"],
        capture_output=True, text=True, timeout=PATIENCE,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "radprog: error: interrupted before there was a result\n"
    assert not Path("r.json").exists()


def test_ctrl_c_twice_writes_nothing(radprog, folder, monkeypatch) -> None:
    def pressed_twice(*arguments: object) -> None:
        for _ in range(2):
            os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr("radprog.catalog.Entry.fitter", pressed_twice)
    found = radprog(*SOLVE, "--quiet", "--json", "r.json")
    assert (found.code, "interrupted" in found.error) == (1, True)
    assert not Path("r.json").exists()


@pytest.mark.parametrize("quiet", [False, True])
def test_a_warning_is_one_line(monkeypatch, capsys, quiet) -> None:
    def warned(options: object) -> int:
        warn_user("two words")
        return 0

    monkeypatch.setattr(warnings, "showwarning", warnings.showwarning)
    monkeypatch.setattr("radprog.commands.solvers.run", warned)
    monkeypatch.setattr(sys, "argv", ["radprog", "solvers", *["--quiet"] * quiet])
    warnings.simplefilter("always")
    assert main() == 0
    assert capsys.readouterr().err == "radprog: warning: two words\n" * (not quiet)


@pytest.mark.parametrize("ask", ["cdsk --clusters 1", "l1svm --beta 0.3"])
def test_one_thing_is_named_in_the_singular(radprog, folder, ask: str) -> None:
    done = radprog("solve", ask.split()[0], "train.csv", *ask.split()[1:], "--max-iter", 1)
    assert done.out, done
    plurals = "clusters|classes|points|hypotheses|coefficients"
    assert not re.search(rf"\b1 ({plurals})\b", done.out), done
