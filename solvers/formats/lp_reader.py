"""A reader of programs in the LP format of CPLEX, as CPLEX and Gurobi read them."""

from __future__ import annotations

import math
import re
from itertools import zip_longest
from pathlib import Path
from typing import Any

from radprog.base.errors import DataError
from radprog.solvers.formats.reading import SHOWN, Number, Reading

_NUMBER = r"(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_NAME = r"[A-Za-z_!\"#$%&()?@'`{}|~][^\s+\-*/^<>=:\[\]\\]*(?:\[[^\s\[\]]*\][^\s+\-*/^<>=:\[\]\\]*)*"
# a term: sign, coefficient and column; or a number alone; or what is neither
_TERM = re.compile(
    rf"\s*([+-]?)\s*((?>{_NUMBER}))?\s*({_NAME})|\s*([+-]?\s*{_NUMBER})|\s*(\S)", re.ASCII
)
_SQUARE = re.compile(
    rf"\s*([+-]?)\s*({_NUMBER})?\s*({_NAME})\s*(?:\^\s*(2)(?!\.?\d)|\*\s*({_NAME}))|\s*(\S)",
    re.ASCII,
)
_OPEN, _CLOSE = re.compile(r"[\s+\-:]\["), re.compile(r"\]\s*(/\s*2)?\s*")  # of squares
_SIDE = re.compile(
    rf"\s*([+-]?\s*(?:{_NUMBER}|inf(?:inity)?\b))[ \t]*(\n|$)?", re.ASCII | re.IGNORECASE
)
_COMPARE = re.compile(r"(<=|=<|>=|=>|<|>|=)")
_LABEL = re.compile(r"\s*(?:([^\s:<>=+*^\[\]][^\s:]*)\s*:(?!:))?")
_BOUND = re.compile(
    rf"(?:([+-]?\s*(?:{_NUMBER}|inf(?:inity)?\b))\s*(<=|=<|>=|=>|<|>|=)\s*)?({_NAME})"
    rf"(?:\s*(<=|=<|>=|=>|<|>|=)\s*([+-]?\s*(?:{_NUMBER}|inf(?:inity)?))|\s+(free))?",
    re.ASCII | re.IGNORECASE,
)
_START = re.compile(r"\s*(min|max)(?:imum|imize)?(?=\s|$)", re.IGNORECASE)
_ROWS = re.compile(
    r"^[ \t]*(?:subject[ \t]+to|such[ \t]+that|s\.t\.|st\.|st)(?=\s|$):?",
    re.IGNORECASE | re.MULTILINE,
)
_HEADS = {
    "bounds?": "bounds",
    "gen(?:erals?)?": "integer",
    "int(?:egers?)?": "integers",
    "bin(?:ary|aries)?": "binary",
    "end": "end",
    "semi(?:s|-continuous)?": "semi-continuous variables",
    r"sos[12]?": "special ordered sets",
    r"lazy[ \t]+constraints": "lazy constraints",
    r"user[ \t]+cuts": "user cuts",
    r"general[ \t]+constraints?|gencons?": "general constraints",
    r"pwlobj": "piecewise linear objectives",
    r"scenario|multi-objectives": "several objectives",
}
_SQUARES_LAST = (
    "quadratic terms are read at the end, as + [ ... ] / 2 in the objective and + [ ... ] in a row"
)
_SECTION = re.compile(
    "^[ \t]*(?:" + "|".join(f"({head})" for head in _HEADS) + ")[ \t]*$",
    re.IGNORECASE | re.MULTILINE,
)


def read_lp(path: Path, number: Number = float) -> Reading:
    """Read a linear or quadratic program. Raises DataError with the line of what is not read."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError(f"a name in it is not UTF-8 text: {error.reason}") from None
    return _LpReader(re.sub(r"\\[^\n]*", "", text), number).read()


class _LpReader:
    """The text without comments, and what was read of it."""

    def __init__(self, text: str, number: Number) -> None:
        self.text, self.number, self.out = text, number, Reading(number)
        self.binary = dict[int, int]()
        self.bounded = set[int]()

    def line(self, place: int) -> int:
        return self.text.count("\n", 0, place) + 1

    def error(self, place: int, why: str) -> DataError:
        """The error of the line of the first character from here on that is not blank."""
        place += len(self.text[place:]) - len(self.text[place:].lstrip())
        return DataError(f"line {self.line(place)}: {why}")

    def read(self) -> Reading:
        """Read the objective, the rows, and each section under its head."""
        start = _START.match(self.text)
        if start is None:
            raise self.error(0, "expected Minimize or Maximize, spelled so, first")
        self.out.sense = -1 if start[1].lower() == "max" else 1
        heads = list(_SECTION.finditer(self.text, start.end()))
        end = heads[0].start() if heads else len(self.text)
        rows = _ROWS.search(self.text, start.end(), end)
        self.take_objective(start.end(), rows.start() if rows else end)
        if rows:
            self.take_rows(rows.end(), end)
        for head, following in zip_longest(heads, heads[1:]):
            kind = list(_HEADS.values())[head.lastindex - 1] if head.lastindex else ""
            stop = following.start() if following else len(self.text)
            if kind == "end":
                if self.text[head.end() :].strip():
                    raise self.error(head.end(), "End is not the last line")
                # a line of one word is a section or a column: of two of ROWS, one may be a column
                for place in (*heads, *list(_ROWS.finditer(self.text, 0, end))[1:]):
                    if (word := place[0].strip()) in self.out.columns:
                        raise self.error(
                            place.start(), f"{word} is a section here and the name of a column"
                        )
                return self.finished()
            if kind == "bounds":
                self.take_bounds(head.end(), stop)
            elif kind in ("integer", "integers", "binary"):
                self.take_integers(kind, head.end(), stop)
            else:
                # HiGHS writes an empty section semi; the head that follows may name a column
                named = following is not None and following[0].strip() in self.out.columns
                if named or self.text[head.end() : stop].strip():
                    raise self.error(head.start(), f"{kind} ({head[0].strip()}) are not read")
        raise DataError("it ends without End: the file is cut off")

    def terms(self, start: int, text: str, *, constant: bool) -> tuple[list[int], list[Any], Any]:
        """Columns, values and constant of a linear expression, equal columns added."""
        terms = _TERM.findall(text)
        if not terms:
            return [], [], 0
        signs, numbers, names, alone, unknown = zip(*terms, strict=True)
        if any(unknown) or "" in signs[1:] or any(alone):
            self.check_terms(start, text, constant=constant)
        texts = [sign + (digits or "1") for sign, digits in zip(signs, numbers, strict=True)]
        total = 0
        if any(alone):
            total = sum(self.decimal(start, text) for text in alone if text)
            texts = [text for text, name in zip(texts, names, strict=True) if name]
            names = tuple(filter(None, names))
        try:
            values = list(map(float, texts)) if self.number is float else None
        except ValueError:
            values = None
        if values is None or not all(map(math.isfinite, values)):
            values = [self.decimal(start, text) for text in texts]
        columns = self.out.places(names)
        if len(set(columns)) < len(columns):
            sums = dict[int, Any]()
            for column, value in zip(columns, values, strict=True):
                sums[column] = sums.get(column, 0) + value
            columns, values = list(sums), list(sums.values())
        return columns, values, total

    def check_terms(self, start: int, text: str, *, constant: bool) -> None:
        """Raise the error of the first part that is no term with a sign."""
        for place, term in enumerate(_TERM.finditer(text)):
            sign, _, name, alone, unknown = term.groups()
            begin, shown = start + term.start(), term[0].strip()[:SHOWN]
            if unknown == "[":
                raise self.error(begin, _SQUARES_LAST)
            if unknown or (place and not sign and (alone or "")[:1] not in ("+", "-")):
                raise self.error(
                    begin,
                    f"got '{shown}', expected a sign, a number and a name"
                    + ("" if unknown else f": '{name or alone}' has no sign before it"),
                )
            if alone and not constant:
                raise self.error(
                    begin, f"the number {shown} stands at the left of a row: write it at the right"
                )

    def decimal(self, place: int, text: str, *, side: bool = False) -> Any:
        """A number or side, whose sign may stand apart."""
        read = self.out.side if side else self.out.decimal
        try:
            return read("".join(text.split()))
        except DataError as error:
            raise self.error(place, str(error)) from None

    def take_objective(self, start: int, end: int) -> None:
        label = _LABEL.match(self.text, start, end)
        start = label.end() if label else start
        _, self.out.constant = self.take_expression(Reading.COST, start, end)

    def take_expression(self, row: int, start: int, end: int) -> tuple[bool, Any]:
        """Read linear terms, then + [ ... ] with quadratic ones; whether there are any, and the
        constant.
        """
        of_row, bracket = row != Reading.COST, _OPEN.search(self.text, start - 1, end)
        text = self.text[start : bracket.end() - 1 if bracket else end]
        if bracket and (text := text.rstrip()):
            if text[-1] != "+":
                raise self.error(bracket.start(), _SQUARES_LAST)
            text = text[:-1]
        columns, values, constant = self.terms(start, text, constant=not of_row)
        self.out.add([row] * len(columns), columns, values)
        if bracket is None:
            return bool(columns), constant
        close = _CLOSE.search(self.text, bracket.end(), end)
        # those of an objective are halved
        fits = close is not None and close.end() == end and bool(close[1]) != of_row
        if close is None or not fits:
            raise self.error(bracket.start(), _SQUARES_LAST)
        squares = self.out.squares.setdefault(row, {})
        for place, term in enumerate(_SQUARE.finditer(self.text, bracket.end(), close.start())):
            sign, digits, name, square, factor, unknown = term.groups()
            if unknown or (place and not sign):
                raise self.error(
                    term.start(),
                    f"got '{term[0].strip()[:SHOWN]}', expected a sign, a number and x ^2 or x * y",
                )
            i, j = self.out.column(name), self.out.column(name if square else factor)
            key, value = (max(i, j), min(i, j)), self.decimal(term.start(), sign + (digits or "1"))
            # x * y stands twice in x'Qx
            value = value if i == j else value / 2
            squares[key] = squares.get(key, 0) + value
        return True, constant

    def take_rows(self, start: int, end: int) -> None:
        """Read the rows: label, terms, comparison, number, end of line."""
        parts, names = _COMPARE.split(self.text[start:end]), dict[str, int]()
        head, place = parts[0], start
        for k in range(1, len(parts), 2):
            compare, rest = parts[k], parts[k + 1]
            label = _LABEL.match(head)
            name, begin = (label[1] or "", label.end()) if label else ("", 0)
            side = _SIDE.match(rest)
            behind = place + len(head) + len(compare)
            if side is None or (side[2] is None):
                self.refuse_row(name, head[begin:], rest, behind)
            assert side is not None
            row = len(self.out.rows)
            if name and names.setdefault(name, row) != row:
                raise self.error(place, f"the row {name} comes twice")
            if not self.take_expression(row, place + begin, place + len(head))[0]:
                raise self.error(place, f"the row {name} has no terms")
            self.out.rows.append(name)
            value = self.decimal(behind, side[1], side=True)
            self.out.row_lower.append(value if ">" in compare or compare == "=" else -math.inf)
            self.out.row_upper.append(value if "<" in compare or compare == "=" else math.inf)
            head, place = rest[side.end() :], behind + side.end()
        if head.strip():
            raise self.error(
                place, f"got '{head.strip()[:SHOWN]}', expected a row with a comparison"
            )

    def refuse_row(self, name: str, body: str, rest: str, behind: int) -> None:
        """Raise the error of a row whose comparison is not followed by a number and a new line."""
        row = f"row {name}" if name else "this row"
        if "->" in self.text[behind:].split("\n")[0]:
            why = f"{row} is an indicator constraint (->), which is not read"
        elif re.fullmatch(rf"\s*[+-]?\s*{_NUMBER}\s*", body):
            why = f"{row} begins with a number: write a row with two sides as two rows"
        elif _SIDE.match(rest):
            ending = rest[_SIDE.match(rest).end() :].split("\n")[0].strip()  # type: ignore[union-attr]
            why = f"got '{ending[:SHOWN]}' behind the number of {row}, expected a new line"
        else:
            word = self.text[behind:].strip().split("\n")[0][:SHOWN]
            why = f"got '{word}' at the right of {row}, expected a number"
        raise self.error(behind - 1, why)  # the line of the comparison

    def take_bounds(self, start: int, end: int) -> None:
        """Read a bound of each line; the last one of a side holds, as in all solvers."""
        out = self.out
        for text in self.text[start:end].split("\n"):
            place, start = start, start + len(text) + 1
            if not (text := text.strip()):
                continue
            bound = _BOUND.fullmatch(text)
            if bound is None or not (bound[1] or bound[5] or bound[6]) or (bound[1] and bound[6]):
                raise self.error(
                    place,
                    f"got '{text[:SHOWN]}', expected a bound such as 0 <= x <= 4, x >= 1 or x free",
                )
            left, sign_l, name, sign_r, right, free = bound.groups()
            if left and right and ("<" in sign_l, ">" in sign_l) != ("<" in sign_r, ">" in sign_r):
                raise self.error(place, f"the bounds '{text[:SHOWN]}' have two directions")
            if re.fullmatch("(inf(inity)?\\W*){2}", text, re.IGNORECASE):
                raise self.error(place, f"'{text}' are a column and a number of one name")
            j = self.known(name, place)
            self.bounded.add(j)
            if free:
                out.lower[j], out.upper[j] = -math.inf, math.inf
            # l <= x is x >= l
            for number, compare, low in ((left, sign_l, "<"), (right, sign_r, ">")):
                if number:
                    value = self.decimal(place, number, side=True)
                    if compare == "=" or low in compare:
                        out.lower[j] = value
                    if compare == "=" or low not in compare:
                        out.upper[j] = value

    def known(self, name: str, place: int) -> int:
        """The number of a column; a new one has a note, as CPLEX leaves it out."""
        if name not in self.out.columns:
            self.out.notes.append(
                f"line {self.line(place)}: the column {name} stands in no row and not in the "
                "objective: a misprint?"
            )
        return self.out.column(name)

    def take_integers(self, kind: str, start: int, end: int) -> None:
        for word in re.compile(r"\S+").finditer(self.text, start, end):
            if not re.fullmatch(_NAME, word[0]):
                raise self.error(
                    word.start(), f"got '{word[0][:SHOWN]}', expected names of columns"
                )
            j = self.known(word[0], word.start())
            self.out.integer[j] = True
            if kind == "binary":
                self.binary[j] = 1
            elif kind == "integers" and j not in self.bounded:
                self.out.notes.append(
                    f"line {self.line(word.start())}: the integer {word[0]} without a bound is "
                    "read as at least 0, as in Gurobi, HiGHS and SCIP; CPLEX reads 0 or 1 under "
                    "this head: write General or Binary"
                )

    def finished(self) -> Reading:
        """Binary columns are 0 or 1, wherever their bounds stand."""
        out = self.out
        for j in self.binary:
            low, high = max(out.lower[j], 0), min(out.upper[j], 1)
            if (low, high) != (out.lower[j], out.upper[j]):
                out.differs.add(j)
            out.lower[j], out.upper[j] = low, high
        return out
