"""Tables of settings and of complexities: lines of text, and the mappings that print so."""

from __future__ import annotations

from collections.abc import Sequence

from radprog.analysis.told import ToldTable
from radprog.catalog import entry_named
from radprog.decompositions.told import ASSUMED_OF_CHOICE
from radprog.text import refit_line, setting_words, styled
from radprog.wiring import Values

SHOWN_CELLS = 10  # settings of a table that are shown


class Tuned(ToldTable):
    """Settings over a grid, printed as ``radprog tune`` does.

    A mapping: ``model``, ``protocol``, ``by``; ``cells``, one a setting, with params, score,
    standard_error, error, gap and what else was measured of it (shares, not percent; None where it
    has no score); ``best``: the cell that is chosen; ``ties``: how many score alike.
    """

    def lines(self) -> list[str]:
        return tune_lines(self)

    def ended(self) -> str:
        best = self["best"]
        return f"{setting_words(best['params'])}, {self['by']} {best['score']:.4g}"


class Complexities(ToldTable):
    """Complexities of classes, printed as ``radprog complexity`` does.

    A mapping: ``model``, ``kind``; ``classes``, of each the name ``class``, value, standard_error,
    certified_upper and upper_by (None where none is known); ``complete``: no limit cut it off.
    """

    def lines(self) -> list[str]:
        return class_lines(self)

    def ended(self) -> str:
        told = (f"{row['class']} {row['value']:.4g}" for row in self["classes"][:SHOWN_CELLS])
        return f"{self['kind']} complexity of {', '.join(told)}"


def tune_lines(table: Values) -> list[str]:
    """The best settings in a table, and the choice."""
    own = "choose" in entry_named(table["model"]).can or table["by"] == "compression"
    return _choice_lines(table) if own else _fold_lines(table)


def _fold_lines(table: Values) -> list[str]:
    """Settings scored on folds."""
    best = table["best"]
    cells = [cell for cell in table["cells"] if cell["score"] is not None]
    tested = best["test_error"] is not None
    unit, heading = (1.0, "score") if table["by"] == "bound" else (100.0, "error %")
    rows = [
        f"{'1 - AUC %' if table['by'] == 'auc' else heading:>9}{'s.e.':>7}"
        + (f"{'test %':>8}" if tested else "")
        + f"{entry_named(table['model']).counted:>8}{'gap':>9}  settings"
    ]
    for cell in sorted(cells, key=lambda cell: float(cell["score"]))[:SHOWN_CELLS]:
        score = f"{cell['score']:.3g}" if unit == 1.0 else f"{unit * cell['score']:.2f}"
        error = None if cell["standard_error"] is None else unit * cell["standard_error"]
        test = f"{100 * cell['test_error']:>8.2f}" if tested else ""
        rows.append(
            f"{score:>9}{styled(error, '.2g' if unit == 1.0 else '.2f'):>7}{test}"
            f"{cell['support_vectors']:>8.1f}"
            f"{styled(cell['gap'], '.1e'):>9}  {setting_words(cell['params'])}"
        )
    if len(cells) > SHOWN_CELLS:
        rows.append(f"{'':>9}and {len(cells) - SHOWN_CELLS} more (JSON holds all)")
    rows += _unscored(table["cells"], 9)
    rows.append(
        f"choice     {setting_words(best['params'])}: validation error {100 * best['error']:.2f} %"
        + (f", one of {table['ties']} that tie" if table["ties"] > 1 else "")
    )
    if tested:
        rows.append(
            f"test       {100 * best['test_error']:.2f} % wrong, "
            f"+- {100 * best['test_error_std']:.2f} over {table['folds_finished']} folds"
        )
    if table["by"] == "bound" and best["score"] >= 1:
        rows.append("warning    the bound chosen by is vacuous: it is no less than 1")
    certified = sum(cell["certified"] for cell in cells)
    rows.append(
        f"work       {len(cells)} settings on {table['folds_finished']} of {table['rounds']} folds "
        f"(ended by {table['stopped_by']}), {certified} certified on every fold"
    )
    return rows


def _choice_lines(table: Values) -> list[str]:
    """Settings scored by a model's own criterion."""
    scored = [cell for cell in table["cells"] if cell["score"] is not None]
    told = any(cell["standard_error"] is not None for cell in scored)
    rows = [f"{table['by']:>12}{'s.e.' if told else '':>{9 * told}}  settings"]
    rows += [
        f"{cell['score']:>12.6g}{styled(cell['standard_error'], '.2g') if told else '':>{9 * told}}"
        f"  {setting_words(cell['params'])}"
        for cell in sorted(scored, key=lambda cell: float(cell["score"]))[:SHOWN_CELLS]
    ]
    rows += _unscored(table["cells"], 12)
    done = f"{len(scored)} of {len(table['cells'])} settings scored"
    rows += [f"choice     {setting_words(table['best']['params'])}", f"work       {done}"]
    if table["by"] != "compression":
        return rows
    best = table["best"]
    refit = refit_line(best["delta"], table["delta"])
    return [
        *rows,
        f"theory     error <= {100 * best['score']:.1f} % with probability "
        f"{100 * (1 - table['delta']):.4g} %, no test set, chosen among {len(table['cells'])}: the "
        f"solution rests on {best['size']} of {table['points']} points ({ASSUMED_OF_CHOICE})",
        *([refit] if len(table["cells"]) > 1 else []),
    ]


def _unscored(cells: Sequence[Values], width: int) -> list[str]:
    """Settings that the data do not allow, and why."""
    return [
        f"{'none':>{width}}  {setting_words(cell['params'])}: {cell['message']}"
        for cell in cells
        if cell["message"] is not None
    ]


def class_lines(table: Values) -> list[str]:
    """The value of every class, with its standard error and its certified bound."""
    data = table["data"]
    signs = "all" if table["enumerated"] else f"seed {table['seed']}"
    rows = [
        f"{table['model']} on {data['name']}: {table['kind']} complexity (1/m) E sup sum sigma h, "
        f"m = {data['rows']}, sign vectors: {signs}",
        f"{'value':>12}{'+-':>10}{'at most':>12}{'signs':>7}  class",
    ]
    rows += [
        f"{row['value']:>12.6g}{row['standard_error']:>10.2g}"
        f"{styled(row['certified_upper'], '.6g'):>12}{row['trials']:>7}  {row['class']}"
        + ("" if row["exact"] else " (an estimate from below: suprema are local optima)")
        for row in table["classes"]
    ]
    ended = "" if table["complete"] else f" (ended by {table['stopped_by']})"
    certified = {row["upper_by"] for row in table["classes"]} - {None}
    by = f"; at most: {', '.join(sorted(certified))}" if certified else ""
    return [*rows, f"{'':>12}+-: standard error{by}{ended}"]
