"""Writing figures."""

from __future__ import annotations

import io
from pathlib import Path

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from radprog.instances.errors import OptionError
from radprog.instances.files import atomic_bytes

FORMATS = (".png", ".svg", ".pdf")


def save(figure: Figure, path: str | Path) -> None:
    """Write a figure as .png, .svg or .pdf; OptionError for another suffix, OutputError."""
    suffix = Path(path).suffix.lower()
    if suffix not in FORMATS:
        raise OptionError(f"{path}: expected one of {', '.join(FORMATS)}")
    FigureCanvasAgg(figure)
    content = io.BytesIO()
    figure.savefig(content, format=suffix[1:], dpi=150)
    with atomic_bytes(path) as stream:
        stream.write(content.getvalue())
