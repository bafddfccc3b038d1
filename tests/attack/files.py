"""Random .mps and .lp files with the right program beside them, valid and damaged.

A valid file is read as meant or refused; a damaged one is refused or warned of.
Run: python tests/attack/files.py --count 60 --seed 0
"""

import random
import re
import tempfile
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from script_options import read_options

import radprog as rp
from radprog.solvers.formats.program_reader import exact_numbers_of, program_of
from radprog.solvers.formats.unpacking import plain_file

INF = float("inf")
NAMES = [
    *("x", "RHS", "BOUNDS", "free", "e1", "x[1]", "y(2)", "a.b", "st", "obj2", "inf", "bin", "q#1"),
    *("end", "max", "Binary", "E", "x" * 200, "z[1,2]", "_", "to", "MARKER", "ranges", "N1"),
]
BOUNDS = [
    *((0.0, INF), (0.0, 5.0), (-INF, INF), (-INF, 4.0), (2.0, INF), (3.0, 3.0), (-3.0, -1.0)),
    *((-INF, -1.0), (0.0, 1.0), (5.0, 3.0)),  # no bound below, binary, crossing
]
#: Constructs that are not read: the name in the message, a line to find, and what stands before it.
UNREAD = {
    "mps": [
        ("SOS", "ENDATA", "SOS\n S1 SOS s1\n    SOS {x} 1"),
        ("INDICATORS", "ENDATA", "INDICATORS\n IF r0 {x} 1"),
        ("LAZYCONS", "COLUMNS", "LAZYCONS\n L l0"),
        ("semi-continuous", "after BOUNDS", " SC B {x} 9"),
        ("RHS comes twice", "ENDATA", "RHS\n S r0 1"),
        ("second set", "BOUNDS", " other r0 4"),
        ("blanks", "RHS", " a name obj 4 r0 1 5"),
        ("D exponents", "RHS", " last obj 4D0"),
    ],
    "lp": [
        ("special ordered sets", "End", "SOS2\n s1: S2:: {x}: 1"),
        ("indicator", "after rows", " i0: {x} = 1 -> {x} >= 2"),
        ("lazy", "End", "Lazy Constraints\n l0: {x} >= 2"),
        ("semi-continuous", "End", "Semi-Continuous\n {x}"),
        ("two sides", "after rows", " t0: 1 <= {x} <= 4"),
        ("general constraints", "End", "General Constraints\n g: {x} = MAX ( {x} , 2 )"),
    ],
}


def right_program(draw: random.Random) -> dict[str, Any]:
    """Names, costs, rows with both sides, bounds, integers, constant and sense."""
    names = draw.sample(NAMES, 3)
    numbers = [-2.5, -1.0, 0.125, 1.0, 3.0, 1e3]
    titles = draw.choice([["r0", "r1", "r2"], ["r0", "RHS", "obj9"], ["r0", "c" * 150, "row[2]"]])
    rows = []
    for title in titles[: draw.randint(1, 3)]:
        low = draw.choice([-INF, -4.0, 1.0])
        high = draw.choice([INF, low, low + 6.0]) if low > -INF else draw.choice([2.0, 7.0])
        entries = {name: draw.choice(numbers) for name in draw.sample(names, draw.randint(1, 3))}
        rows.append((title, entries, low, high))
    return {
        "names": names,
        "cost": [draw.choice(numbers) for _ in names],
        "rows": rows,
        "bounds": [draw.choice(BOUNDS) for _ in names],
        "integer": [draw.random() < 0.3 for _ in names],
        "constant": draw.choice([0.0, 10.0, -1.5]),
        "sense": draw.choice([1, -1]),
    }


def number(value: float, draw: random.Random) -> str:
    if abs(value) == INF:
        return ("-" if value < 0 else "") + draw.choice(["inf", "1e30", "Infinity", "1.0E+20"])
    return format(value, draw.choice(["", "g", ".3E", "+.3f", ".17g"]))


def mps_lines(p: dict[str, Any], draw: random.Random) -> list[str]:
    def write(value: float) -> str:
        return number(value, draw)

    head = draw.choice(["NAME t", "NAME", "* no name", "NAME  two words"])
    word = draw.choice(["MAX", "MAXIMIZE", "max"] if p["sense"] == -1 else ["MIN", "Minimize"])
    sense = [draw.choice(["OBJSENSE", "objsense"]), "    " + word]
    if word in ("MAX", "MIN") and draw.random() < 0.3:
        sense = [f"OBJSENSE {word}"]
    sense = sense if p["sense"] == -1 or draw.random() < 0.3 else []
    last = draw.random() < 0.2 and len(sense) == 2
    lines = ["* a comment", head, *([] if last else sense), "ROWS", " N obj"]
    free = draw.random() < 0.3  # a second row without a side
    sets = [draw.choice([" S", ""]), draw.choice([" R", ""]), draw.choice([" B", ""])]
    rhs, ranges = [], []
    for name, _, low, high in p["rows"]:
        letter = "E" if low == high else "G" if high == INF else "L" if low == -INF else ""
        letter = letter or draw.choice("EGL")
        lines.append(f" {letter}  {name}")
        base = high if letter == "L" else low
        if low < high and letter == "E" and draw.random() < 0.5:
            base, span = high, low - high
        else:
            span = (high - low) * (1 if letter == "E" else draw.choice([1, -1]))
        if -INF < low < high < INF or (low == high and draw.random() < 0.1):
            ranges.append(f"{sets[1]} {name} {write(span)}")
        rhs.append(f"{sets[0]} {name} {write(base)}")
    if free:
        lines.append(" N free1")
    if p["constant"]:
        rhs.insert(draw.randint(0, len(rhs)), f"{sets[0]} obj {write(-p['constant'])}")
    lines.append("COLUMNS")
    blank = draw.choice([" ", "\t", "    "])
    for j, name in enumerate(p["names"]):
        entries = [("obj", p["cost"][j])] + [(r, e[name]) for r, e, *_ in p["rows"] if name in e]
        entries += [("free1", 7.0)] if free else []
        draw.shuffle(entries)
        whole = p["integer"][j] and not (p["bounds"][j] == (0.0, 1.0) and draw.random() < 0.5)
        p.setdefault("marked", []).append(whole)
        if whole:
            lines.append(" M1 'MARKER' 'INTORG'")
        while entries:
            size = draw.randint(1, 2)
            pairs, entries = entries[:size], entries[size:]
            lines.append(blank + blank.join([name, *(f"{r}{blank}{write(v)}" for r, v in pairs)]))
        if whole:
            lines.append(" M2 'MARKER' 'INTEND'")
    lines += ["RHS", *rhs, *(["RANGES", *ranges] if ranges else []), "BOUNDS"]
    for name, (low, high), whole, marked in zip(
        *(p["names"], p["bounds"], p["integer"], p.pop("marked")), strict=True
    ):
        title = f"{sets[2]} {name}"
        lower = f" MI B {name}" if low == -INF else f" LO{title} {write(low)}"
        upper = f" PL B {name}" if high == INF else f" UP{title} {write(high)}"
        sets[2] = " B" if "B" in lower[3:6] or "B" in upper[3:6] else sets[2]
        both = [lower, upper]
        if whole and not marked:
            both = [f" BV B {name}"]
        elif low == high:
            both = [f" FX{title} {write(low)}"]
        elif (low, high) == (-INF, INF):
            both = [f" FR B {name}"]
        elif (low == 0.0 and high > 0.0 and not marked) or (low == -INF and high < 0.0):
            both = draw.choice([[upper], both])
        elif marked and (low, high) == (0.0, 1.0):
            both = draw.choice([[], both])
        lines += draw.sample(both, len(both))
    if any(text[4:6] == "B " for text in lines[lines.index("BOUNDS") :]):  # one set
        k = lines.index("BOUNDS") + 1
        lines[k:] = [t if t[4:6] == "B " else t[:3] + " B" + t[3:] for t in lines[k:]]
    lines += [*(sense if last else []), "ENDATA"]
    if draw.random() < 0.2:
        lines = [
            text if text[0] in " \t" or text[:9] == "OBJSENSE " else text.lower() for text in lines
        ]
    return lines


def lp_lines(p: dict[str, Any], draw: random.Random) -> list[str]:
    def terms(pairs: Any) -> str:
        parts = []
        for name, value in pairs:
            digits = number(abs(value), draw).lstrip("+")
            digits = "" if abs(value) == 1.0 and draw.random() < 0.5 else digits
            parts.append(f"{'-' if value < 0 else '+'} {digits} {name}")
        return draw.choice([" ", "\n  "]).join(parts)

    head = {1: ["Minimize", "MIN", "minimum"], -1: ["Maximize", "max", "MAXIMUM"]}[p["sense"]]
    cost = list(zip(p["names"], p["cost"], strict=True))
    if p["constant"]:  # anywhere among the terms
        cost.insert(draw.randint(0, 3), ("", p["constant"]))
    lines = [draw.choice(head), draw.choice([" obj: ", " ", "\\ words: 3 x\n"]) + terms(cost)]
    lines.append(draw.choice(["Subject To", "SUBJECT TO", "s.t.", "such that", "St"]))
    for name, entries, low, high in p["rows"]:
        signs, side = (["="], low) if low == high else ([">=", ">", "=>"], low)
        if low == -INF:
            signs, side = ["<=", "<", "=<"], high
        label = f"{name}:" if draw.random() < 0.8 else ""
        lines.append(f" {label} {terms(entries.items())} {draw.choice(signs)} {number(side, draw)}")
    bounds = []
    for name, (low, high) in zip(p["names"], p["bounds"], strict=True):
        a, b = number(low, draw), number(high, draw)
        forms = [[f"{a} <= {name} <= {b}"], [f"{name} >= {a}", f"{name} <= {b}"]]
        forms += [[f"{b} >= {name}", f"{a} <= {name}"], [f"{a} < {name} =< {b}"]]
        if (low, high) == (-INF, INF):
            forms = [[f"{name} free"], [f"{name} FREE"]]
        elif low == high:
            forms.append([f"{name} = {a}"])
        elif low == 0.0:
            forms += [[f"{name} <= {b}"]] if high < INF else [[]]
        bounds += forms[0] if name == "inf" else draw.choice(forms)
    for j, name in enumerate(p["names"]):  # alone on a line, a keyword is a section
        p["integer"][j] &= name not in ("bin", "Binary", "BOUNDS", "end")
    tail = [["Bounds", *(" " + text for text in bounds)]]
    for name, kind, bound in zip(p["names"], p["integer"], p["bounds"], strict=True):
        if kind:
            words = ["BINARIES", "Binary"] if bound == (0.0, 1.0) and draw.random() < 0.5 else []
            words = words or ["General", "GENERALS", "gen", "Integers"]
            tail.append([draw.choice(words), f" {name} "])
    tail[1:] = draw.sample(tail[1:], len(tail) - 1)
    if draw.random() < 0.3:  # bounds behind integers
        tail.reverse()
    return [*lines, *(text for part in tail for text in part), draw.choice(["End", "END"])]


def damaged(lines: list[str], draw: random.Random) -> list[str]:
    """The lines with one fault that changes the program, leaves it open, or is harmless."""
    mps = lines[-1].upper() == "ENDATA"
    data = [k for k, text in enumerate(lines) if k > 2 and text_is_number(text.split()[-1])]
    k = draw.choice(data)
    out, words = list(lines), lines[k].split()
    kinds = {"comma": "1,5", "word": "abc", "unknown": "1.5 q", "digits": "1.5.2", "signs": "--1"}
    kinds |= {"d": "1.5D1", "exponent": "1e", "hex": "0x10", "nan": "nan", "foreign": "\u0663"}
    kind = draw.choice([*kinds, "end", "cut", "twice", "heads", "section", "stranger", "fields"])
    if kind in kinds:
        out[k] = " " + " ".join([*words[:-1], kinds[kind]])
    elif kind == "cut":
        out = lines[: draw.randint(3, len(lines) - 1)]
        out[-1] = out[-1][: draw.randint(1, len(out[-1]))]
    elif kind == "twice" and mps:
        out.insert(k, lines[k])
    elif kind == "heads" and mps:
        out.insert(-1, draw.choice(["ROWS\n E r0", "COLUMNS\n x r0 1", "RANGES\n R r9 1"]))
    elif kind == "section":
        heads = [j for j, text in enumerate(lines) if text[0].isalpha() and j > 1]
        out[j] = lines[j := draw.choice(heads)][:1] + "zz"
    elif kind == "stranger":
        place = -1 if not mps else next(j for j, t in enumerate(lines) if t.upper() == "ENDATA")
        out.insert(place, "BOUNDS\n UP B nobody 4" if mps else "Bounds\n nobody <= 4")
    elif kind == "fields" and mps:
        del words[draw.randrange(len(words))]
        out[k] = " " + " ".join(words)
    else:
        out = lines[:-1]
    return out


def text_is_number(text: str) -> bool:
    try:
        return abs(float(text)) < INF
    except ValueError:
        return False


def same(p: dict[str, Any], path: Path) -> bool:
    """Whether the file is read as this program, in floats and in fractions."""
    with plain_file(path) as file:
        program, exact = program_of(file), exact_numbers_of(file)
    place = {name: j for j, name in enumerate(program.column_names)}
    order = [place[name] for name in p["names"]]
    matrix = np.zeros(program.rows.shape)
    for i, (_, entries, *_) in enumerate(p["rows"]):
        for name, value in entries.items():
            matrix[i, place[name]] = value
    rows = np.array([row[2:] for row in p["rows"]])
    fractions = np.zeros(matrix.shape)
    for i, row in enumerate(exact.rows):
        for j, value in row.items():
            fractions[i, j] = float(value)
    return (
        program.sense == p["sense"]
        and program.constant == p["sense"] * p["constant"] == float(exact.constant)
        and np.array_equal(program.cost[order], p["sense"] * np.array(p["cost"]))
        and np.array_equal(program.rows.toarray(), matrix)
        and np.array_equal(fractions, matrix)
        and np.array_equal(np.array([program.row_lower, program.row_upper]).T, rows)
        and [(program.lower[j], program.upper[j]) for j in order] == p["bounds"]
        and [bool(program.integer[j]) for j in order] == p["integer"]
    )


def refused_by_name(error: Exception, word: str) -> bool:
    """Whether the message has a line of the file and this word, and does not speak of HiGHS."""
    text = str(error)
    return re.search(r"\bline \d+: ", text) is not None and word in text and "HiGHS" not in text


def attack(count: int, seed: int) -> tuple[list[str], int]:
    """The texts of files that are misread or silent, and how many valid files are refused."""
    draw, wrong, refusals = random.Random(seed), list[str](), 0
    with tempfile.TemporaryDirectory() as folder:
        for k in range(count):
            form, valid = ("mps", "lp")[k % 2], k % 4 < 2
            p = right_program(draw)
            if form == "lp":  # a row has one side
                p["rows"] = [
                    (n, e, lo if hi in (lo, INF) else -INF, hi) for n, e, lo, hi in p["rows"]
                ]
            lines, word = (mps_lines if form == "mps" else lp_lines)(p, draw), ""
            if not valid:
                lines = damaged(lines, draw)
            elif draw.random() < 0.05:
                word, lines = unread(draw.choice(UNREAD[form]), lines, p)
            path, ends = Path(folder) / f"m.{form}", draw.choice(["\n", "\r\n"])
            path.write_bytes(("\n".join([*lines, ""])).replace("\n", ends).encode())
            why = ""
            with warnings.catch_warnings(record=True) as said:
                warnings.simplefilter("always")
                try:
                    right = (same(p, path) and not word) or (not valid and bool(said))
                except rp.RadprogError as error:
                    why, refusals = str(error), refusals + valid
                    right = not valid or refused_by_name(error, word)
            if not right:
                wrong.append("\n".join([*lines, f"-> {why or 'read'}"]))
    return wrong, refusals


def unread(
    construct: tuple[str, str, str], lines: list[str], p: dict[str, Any]
) -> tuple[str, list[str]]:
    """The word of the refusal, and the lines with a construct that is not read."""
    word, place, text = construct
    head = place.removeprefix("after ").upper()
    k = 2 if head == "ROWS" else next(k for k, line in enumerate(lines) if line.upper() == head)
    k += place.startswith("after")
    return word, [*lines[:k], *text.format(x=max(p["names"])).split("\n"), *lines[k:]]


if __name__ == "__main__":
    options = read_options(__doc__, count=240)
    wrong, refusals = attack(options.count, options.seed)
    print(*wrong, sep="\n\n")
    print(f"{len(wrong)} of {options.count} files wrong, {refusals} valid ones refused")
    raise SystemExit(bool(wrong))
