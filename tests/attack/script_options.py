"""The command line of the attacks: how many, from which seed on."""

import argparse
from typing import Any


def read_options(about: str | None, **defaults: Any) -> argparse.Namespace:
    """The options of a script: ``--seed``, and one for each default, of its type."""
    parser = argparse.ArgumentParser(
        description=about, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for name, value in {"seed": 0, **defaults}.items():
        parser.add_argument(f"--{name}", type=type(value), default=value)
    return parser.parse_args()
