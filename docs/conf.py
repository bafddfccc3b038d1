"""The documentation: `make docs` builds it without a network; a warning is an error there."""

from __future__ import annotations

import contextlib
import io
import logging
import os
import re
import shutil
import sys
import tempfile
from importlib.metadata import version as installed
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "tests" / "support"))  # runs a page
sys.path.insert(0, str(HERE.parent / "tests" / ".ns"))  # the layers as they are installed

from fences import run_page  # noqa: E402

import radprog as rp  # noqa: E402
from radprog import estimators  # noqa: E402
from radprog.catalog import CATALOG  # noqa: E402
from radprog.cli import COMMANDS, main  # noqa: E402

os.environ["COLUMNS"] = "88"  # of help texts
logging.getLogger("matplotlib.category").setLevel(logging.WARNING)

project = "radprog"
version = release = installed("radprog")
extensions = [
    "myst_parser",  # pages in Markdown
    "sphinx.ext.autodoc",  # the reference from docstrings
    "sphinx.ext.autosummary",  # a page for every name that reference/api.md lists
    "sphinx.ext.napoleon",  # sections of numpydoc
    "sphinx.ext.viewcode",  # and a link to the source of each name
    "sphinx.ext.mathjax",  # formulas
    "sphinx-mathjax-offline",  # MathJax beside the pages
    "sphinx_copybutton",  # a button that copies a command
    "sphinx_gallery.gen_gallery",  # pictures that the build makes
]
exclude_patterns = [
    "_build",
    "_templates",
    "gallery/README.rst",
    # for owners of the code
    "explanation/architecture.md",
    "explanation/notes",
    "reference/rows.md",
]
templates_path = ["_templates"]
# names that differ in case alone, path and Path, are two files wherever the pages are built
autosummary_filename_map = {
    f"radprog.{name}": f"radprog.{name}-class"
    for name in rp.__all__
    if name[0].isupper() and name.lower() in rp.__all__
}
napoleon_google_docstring = False
napoleon_custom_sections = [("Attributes", "params_style")]  # a list, as of parameters
napoleon_use_rtype = False
myst_enable_extensions = ["dollarmath", "deflist"]
myst_heading_anchors = 3
autodoc_preserve_defaults = True  # of a signature, as the source writes them
autodoc_typehints = "signature"
maximum_signature_line_length = 88  # beyond, a line for each parameter
autodoc_typehints_format = "short"
autodoc_type_aliases = {"ArrayLike": "ArrayLike"}
autodoc_member_order = "bysource"
autodoc_default_options = {
    # scikit-learn's, and what an estimator's class holds for its own code
    "exclude-members": "get_metadata_routing, set_fit_request, set_score_request, spec, attributes"
}
suppress_warnings = ["config.cache"]

html_theme = "furo"
html_title = f"radprog {version}"
html_static_path = ["_static"]
html_css_files = ["pictures.css"]
html_show_sphinx = False
html_show_copyright = False


def readable(conf: Any, script: str) -> None:
    """Text of pictures that is still read when a phone shows them at half their size."""
    import matplotlib as mpl

    mpl.rcParams.update({"font.size": 12.5, "legend.fontsize": 11, "savefig.bbox": "tight"})


sphinx_gallery_conf = {
    "doc_module": ("radprog",),
    "backreferences_dir": "_gallery/of",  # the pictures that use a name, for the page of that name
    "examples_dirs": "gallery",
    "gallery_dirs": "_gallery",
    "filename_pattern": "/plot_",
    "abort_on_example_error": True,
    "download_all_examples": False,
    "show_memory": False,
    "write_computation_times": False,  # its page fetches scripts
    "show_signature": False,
    "within_subsection_order": "FileNameSortKey",
    "min_reported_time": 10,
    "image_srcset": ["2x"],  # sharp on a phone
    "thumbnail_size": (640, 448),  # of the gallery's page
    "reset_modules": ("matplotlib", readable),
}

TEXTS = ("Notes", "Examples", "References")  # sections that are not lists
LITERAL = re.compile(r"(``.*?``|:\w+:`.*?`)")  # words and formulas in a line


def escaped(line: str) -> str:
    """A docstring's line with what markup would take for its own made plain: |, * and x_."""
    pieces = LITERAL.split(line)
    pieces[::2] = [
        re.sub(r"(?<=\w)_(?=\W|$)", r"\\_", re.sub(r"([|*])", r"\\\1", piece))
        for piece in pieces[::2]
    ]
    return "".join(pieces)


def plain_docstrings(
    app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]
) -> None:
    """Docstrings are text with formulas: nothing in them is emphasis. Before napoleon, which
    reads names of parameters and escapes them itself; examples stay as they are."""
    if what == "property":
        lines[0] = f": {lines[0]}"  # napoleon takes what is before a first colon for a type
    section, code, formula = "Notes", False, False
    for i, line in enumerate(lines):
        if lines[i + 1 : i + 2] and re.fullmatch("-{3,}", lines[i + 1]):
            section = line
        code = line.startswith(">>>") or (code and line != "")
        formula = line.startswith(".. math::") or (formula and line[:1] in ("", " "))
        # labels of scikit-learn's own pages, in what its classes add
        lines[i] = line = re.sub(r":ref:`(.+?) <.+?>`", r"\1", line)
        if not code and not formula and (section in TEXTS or line.startswith(" ")):
            lines[i] = escaped(line)


#: Classes that users make themselves: their constructors are shown, those of results are not.
SETTINGS = {entry.spec.__name__ for entry in CATALOG.values()} | {"Settings"}
MADE = SETTINGS | {
    "Kernel",
    "Column",
    "Columns",
    "PricedColumns",
    "PricingModel",
    "Separated",
    *estimators.__all__,
}


def own_signature(
    app: Any, what: str, name: str, obj: Any, options: Any, signature: str | None, returned: str
) -> tuple[str, str] | None:
    """No arguments of a class that nobody but radprog makes; types by their names."""
    if signature and what in ("class", "exception") and name.rpartition(".")[2] not in MADE:
        return "", ""
    if signature is None:
        return None
    signature = re.sub(r"TypeAliasForwardRef\('(\w+)'\)", r"\1", signature)
    # the shape and type of an array stand in the docstring
    array = r"~numpy\.ndarray\[tuple\[.*?\], ~numpy\.dtype\[.*?\]\]"
    return re.sub(array, "~numpy.ndarray", signature), re.sub(
        array, "~numpy.ndarray", returned or ""
    )


def without_fitted(
    app: Any, what: str, name: str, obj: Any, skip: bool, options: Any
) -> bool | None:
    """Leave out what a fit sets, which stands among the attributes of an estimator, and the methods
    by which radprog reads a model's settings.
    """
    owner = getattr(obj, "__qualname__", "").partition(".")[0]
    return True if re.fullmatch(r"[a-z]\w*[^_]_", name) or owner in SETTINGS else None


def command_pages(app: Any) -> None:
    """One page of all commands, as their ``--help`` prints them."""
    page = [
        "# Commands",
        "",
        "What `radprog COMMAND --help` prints; exit codes are below the list.",
        "",
    ]
    calls = [[], *([name] for name in COMMANDS), *(["solve", model] for model in CATALOG)]
    for call in calls:
        shown = io.StringIO()
        with contextlib.redirect_stdout(shown), contextlib.suppress(SystemExit):
            main([*call, "--help"])
        title = " ".join(["radprog", *call])
        page += [f"## {title}", "", "```text", shown.getvalue().rstrip(), "```", ""]
    kept(HERE / "_commands.md", page)


def tutorial_pictures(app: Any) -> None:
    """Run each tutorial in an empty folder, as its test does, and keep its picture."""
    import matplotlib as mpl

    (HERE / "_pictures").mkdir(exist_ok=True)
    for page in sorted((HERE / "tutorials").glob("*.md")):
        picture = HERE / "_pictures" / f"{page.stem}.png"
        if picture.exists() and picture.stat().st_mtime > page.stat().st_mtime:
            continue  # of this page
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder), mpl.rc_context():
            readable({}, page.stem)
            run_page(page)
            shutil.copy(picture.name, picture)


def kept(target: Path, lines: list[str]) -> None:
    """Write a page that is not there yet, or is another one."""
    text = "\n".join(lines)
    if not target.exists() or target.read_text() != text:
        target.write_text(text)


def setup(app: Any) -> None:
    """Hooks of the build."""
    app.connect("autodoc-process-docstring", plain_docstrings, priority=400)
    app.connect("autodoc-process-signature", own_signature)
    app.connect("autodoc-skip-member", without_fitted)
    app.connect("builder-inited", command_pages)
    app.connect("builder-inited", tutorial_pictures)
