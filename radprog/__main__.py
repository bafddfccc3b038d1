"""``python -m radprog``, and the script ``radprog``."""

import os
import signal
import sys


def main() -> int:
    """Run the command line; an interrupt ends it in one line, while it is imported too.

    SIGTERM, which batch schedulers send, is taken as Ctrl-C. A call that was given up on at a limit
    ends with the process, at once.
    """
    try:
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        from radprog.cli import main as command_line
        from radprog.instances.limits import given_up

        code = command_line()
        if given_up():
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)
        return code
    except KeyboardInterrupt:
        sys.stderr.write("radprog: error: interrupted before there was a result\n")
        return 1


if __name__ == "__main__":
    sys.exit(main())
