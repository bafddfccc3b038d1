"""What a user meets at the door: start-up, messages, damaged files, the Python interface."""

import os
import pty
import signal
import subprocess
import sys
import warnings
from pathlib import Path

import pytest
from processes import PATIENCE, call
from program_files import lp

from radprog.base.errors import warn_user
from radprog.base.limits import interruptible
from radprog.cli import main

SOLVE = ("solve", "vkr", "train.csv", "--kernels", "poly:1-2", "--scale", "ball")


LOADED = """
import atexit, sys
atexit.register(lambda: print(*sys.modules, file=sys.stderr))
from radprog.cli import main
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.parametrize(
    ("line", "unused"),
    [
        ("--help", "numpy radprog.catalog highspy"),
        ("solve vkr --help", "scipy rich highspy"),
        (" ".join(SOLVE), "scipy.stats scipy.special"),
        ("certify plan.lp plan.sol", "scipy.stats"),
        *((f"analyze {name}.lp", "scipy.stats") for name in ("plan", "whole", "open")),
    ],
)
def test_a_command_loads_what_it_uses(line, unused, folder) -> None:
    Path("plan.lp").write_text(lp("3 x + 2 y", "hours: x + y <= 4", sense="max"))
    Path("whole.lp").write_text(lp("x", "hours: 2 x <= 5", "generals\n x\n", "max"))
    Path("open.lp").write_text(lp("x", "hours: 2 x - y = 1", "generals\n x y\n", "max"))
    Path("plan.sol").write_text("# Objective value = 12\nx 4\ny 0\n")
    words = [sys.executable, "-Pc", LOADED, *line.split()]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    loaded = set(done.stderr.split())
    assert {"pyomo", "sklearn", "matplotlib", *unused.split()}.isdisjoint(loaded)
    assert done.stdout.startswith("usage: radprog") == ("--help" in line)
    assert ("highspy" in loaded) == ("--help" not in line)


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
    lines[3] = "," + lines[3].partition(",")[2]  # row 4 misses its first cell
    Path("holes.csv").write_text("\n".join(lines) + "\n")
    solved = radprog.ok("solve vkr holes.csv --kernels poly:1-2 --missing drop --save fit.json")
    assert solved.err == "radprog: warning: 1 row with missing cells dropped\n"
    found = radprog("predict fit.json holes.csv -o -")
    head, *rows = [line.split(",") for line in found.out.splitlines()]
    assert head == ["label", "score", "row"]
    assert [int(row[2]) for row in rows] == [n for n in range(2, 42) if n != 4]
    assert "1 row with missing cells dropped" in found.err
    assert "1 rows of holes.csv have no prediction: 4\n" in found.err
    assert "rows wrong" in found.err
    quiet = radprog("predict fit.json holes.csv -o - --quiet")
    assert (quiet.out, quiet.err) == (found.out, "")


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
