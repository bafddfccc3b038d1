"""``python -m radprog``, and the script ``radprog``."""

import signal
import sys


def main() -> int:
    """Run the command line; an interrupt ends it in one line, while it is imported too.

    SIGTERM, which batch schedulers send, is taken as Ctrl-C.
    """
    try:
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        from radprog.cli import main as command_line

        return command_line()
    except KeyboardInterrupt:
        sys.stderr.write("radprog: error: interrupted before there was a result\n")
        return 1


if __name__ == "__main__":
    sys.exit(main())
