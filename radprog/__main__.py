"""The entry point of ``python -m radprog`` and of the script ``radprog``."""

import os
import signal
import sys


def main() -> int:
    """Run the command line. An interrupt, also during imports, ends it with a one-line message.

    SIGTERM (from batch schedulers) and SIGHUP (from a closed terminal) act like Ctrl-C, unless
    SIGHUP is ignored (nohup).
    """
    try:
        _open_streams()
        # signals that end a process act like Ctrl-C
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
            signal.signal(signal.SIGHUP, signal.default_int_handler)
        from radprog.cli import main as command_line

        # imports are heavy: an interrupt may come before them
        code = command_line()
        _let_end()
        return code
    except KeyboardInterrupt:
        _let_end()
        sys.stderr.write("radprog: error: interrupted before there was a result\n")
        return 1


def _open_streams() -> None:
    """Open the standard streams that the caller has closed, so that no other file takes their
    numbers. Writing to stdout is then an error, and messages go nowhere.
    """
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:
            # the lowest free number is that of the stream
            number = os.open(os.devnull, os.O_WRONLY if name == "stderr" else os.O_RDONLY)
            setattr(sys, name, os.fdopen(number, "r" if name == "stdin" else "w", closefd=False))


def _let_end() -> None:
    """Ignore signals at the end: no work is left to stop, and the workers end with Python."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)


if __name__ == "__main__":
    sys.exit(main())
