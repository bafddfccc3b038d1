"""Recomputing what a result claims from the data with numpy alone: no solver is called."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np

from radprog.decompositions.loop import Reason, certified_by, crossed, relative_gap
from radprog.decompositions.run import (
    Recomputed,
    Run,
    run_status,
    sense_of,
)
from radprog.decompositions.told import contradiction, loosely
from radprog.instances.data import Data
from radprog.instances.errors import MALFORMED, DataError, OptionError, RadprogError
from radprog.instances.tolerances import DETAIL_FLOOR, GAP_FLOOR, RECOMPUTED, RECOMPUTED_DETAIL
from radprog.models.compression import UNSEEN, by_estimator, withheld
from radprog.models.own_kernels import supplied
from radprog.result import (
    SCHEMA,
    data_block,
    radprog_version,
    suited,
    supplied_by,
    test_block,
    told_result,
)
from radprog.saved import EDITED, StoredRun, digest_state, plain

_PAIR = ("objective", "bound")
_BLOCKS = ("params", "data", "fit", "test", "certificate")  # whose entries are claims of their own
_PART, _UNKNOWN = "recomputed in part", "not recomputed"
_LONGEST = 120  # characters of a value in a message
_Place = tuple[str, ...]
CLAIMS = ("status", "objective", "bound", "gap", "certified")
_REDEFINED = ("fit", "bounds", "columns", "machines")  # by a radprog that wrote no digests
_LOADED = "load"  # the method of a result that ``radprog load`` made
_TAKEN = ("tol", "abs_tol", "seed")  # settings of a run that the recomputation takes as they are
_OTHER_DATA = "the data file is another one than the result was made on (its hash)"
_FROM_ARRAYS = (
    "the result was made from arrays, so that no file has its hash: check it in Python, "
    "rp.check(result, data)"
)
_OTHER_TEST = "the test file is another one than the result was tested on (its hash)"


def check(
    result: Run | Mapping[str, Any] | str | Path,
    data: Data | str | Path,
    *,
    test: Data | str | Path | None = None,
    kernels: Mapping[str, Any] | None = None,
    complexity: Any = None,
) -> dict[str, Any]:
    """What a result claims beside what is recomputed from its data, without any solver.

    result: a run, the file of one, or its content. data, test: as they were given to the run.
    kernels, complexity: functions by name, and the penalty, that a file's result was made with.
    ``problems`` of what is returned says what does not hold, and ``holds`` whether there is nothing
    of the kind. Raises DataError, OptionError; KernelError where a function is missing.
    """
    told, source = told_result(result, data)
    with supplied_by(result), supplied(kernels, complexity):
        return check_result(told, _place(data), source, None if test is None else _place(test))


def _place(data: Data | str | Path) -> Data | str:
    return data if isinstance(data, Data) else str(data)


def check_result(
    result: Mapping[str, Any],
    data: Data | str,
    source: str = "result",
    test: Data | str | None = None,
) -> dict[str, Any]:
    """What a result claims beside what is recomputed; ``problems`` says what does not hold.

    ``claims`` has every claim: recomputed, wrong, recomputed in part, given (taken as it is), not
    recomputed. ``digest``: holds, broken or missing. ``differences``: claims beside the certificate
    of a result without a digest that are others today, by an older definition or by an edit.
    data, test: a file, or the data; the latter for the ``test`` block. source: what the result is
    called in an error. Raises DataError when the result or the data cannot be used, OptionError for
    a test file without a block.
    """
    stored, result = StoredRun.of(result, source), plain(result)
    try:
        claimed = {key: result[key] for key in CLAIMS}
        digest = digest_state(result)
    except KeyError as error:
        raise DataError(f"{source}: not a result of radprog solve: {error!r}") from None
    except RecursionError:
        raise DataError(f"{source}: not a result of radprog solve: nested too deeply") from None
    if test is not None and not isinstance(result.get("test"), Mapping):
        raise OptionError(f"{source} has no test block: leave --test out")
    known: Data = stored.read(data) if isinstance(data, str) else suited(stored.entry, data)
    held = stored.entry.read(test, like=known) if isinstance(test, str) else test
    check = _Check(result, stored)
    if digest == "broken":
        check.problems.append(EDITED)
    elif digest == "missing":
        check.lenient = _REDEFINED
    check.look(known, held)
    tolerances = {"tol": stored.tol, "abs-tol": stored.abs_tol, None: None}
    return {
        "schema": 1,
        "model": stored.entry.name,
        "data": known.name,
        "claimed": claimed,
        "recomputed": {
            "objective": check.objective,
            "bound": check.bound,
            "gap": relative_gap(check.objective, check.bound),
            "certified": check.certified_by is not None,
            "certified_by": check.certified_by,
            "tolerance": tolerances.get(check.certified_by),
            "status": check.status,
        },
        "digest": digest,
        "claims": check.claims.all(check.given()),
        "problems": check.problems,
        "differences": check.differences,
        "holds": not check.problems,
    }


@dataclass
class _Check:
    """One result against its data: what was recomputed, and what does not hold."""

    result: Mapping[str, Any]
    stored: StoredRun
    problems: list[str] = field(default_factory=list)
    differences: list[str] = field(default_factory=list)
    lenient: tuple[str, ...] = ()
    objective: float | None = None
    bound: float | None = None
    certified_by: str | None = None
    status: str | None = None

    def __post_init__(self) -> None:
        self.claims = Claims(self.result)

    def look(self, data: Data, test: Data | None) -> None:
        """Recompute on the data, and compare."""
        stored, found = self.stored, None
        other = data.sha256 != stored.sha256
        if other:
            arrays = data.reading and not stored.reading
            self.problems.append(_FROM_ARRAYS if arrays else _OTHER_DATA)
        try:
            with np.errstate(all="ignore"):  # of points that are no numbers of a fit
                found = stored.entry.recompute(stored.spec, data, stored.evidence, stored.seed)
            self.objective, self.bound = found.pair
            if self.result.get("changed"):  # of another program than the one that was solved
                self.bound = None
        except (*MALFORMED, RadprogError) as error:
            self.problems.append(f"its points cannot be evaluated on this data: {error}")
        sense = sense_of(stored.spec)
        pair = self.objective, self.bound
        self.certified_by = certified_by(*pair, stored.tol, stored.abs_tol, sense)
        if crossed(*pair, sense):
            self.problems.append(
                f"its bound {self.bound!r} lies beyond its objective {self.objective!r}: one of "
                "them is wrong"
            )
        self.status = self._status(crossed(*pair, sense))
        if other:
            return
        told = self._told(data, found)
        older = {key: told.pop(key) for key in self.lenient if key in told}
        self.problems += self.claims.compare(told)
        self.differences += self.claims.compare(older)
        if found is not None:
            self._warnings(data, found)
            if test is not None:
                self._test(data, found, test)

    def given(self) -> set[str]:
        """Claims from which the others are recomputed."""
        names = (*(field.name for field in fields(self.stored.entry.spec)), *_TAKEN)
        return {"model", "data.reading", "certificate", *(f"params.{name}" for name in names)}

    def _status(self, is_crossed: bool) -> str | None:
        """The status that the pair has, where the result says why the run stopped."""
        certified = self.certified_by is not None
        reason = str(self.result.get("stopped_by"))
        if reason not in [*Reason]:
            return None
        return run_status(Reason(reason), certified=certified, crossed=is_crossed).value

    def _told(self, data: Data, found: Recomputed | None) -> dict[str, Any]:
        """What the result should say, as far as that is known."""
        certified = self.certified_by is not None
        trace = _records(self.result.get("trace"))
        told: dict[str, Any] = {
            "schema": SCHEMA,
            "objective": self.objective,
            "bound": self.bound,
            "gap": relative_gap(self.objective, self.bound),
            "certified": certified,
            "certified_by": self.certified_by,
            "status": self.status,
            "iterations": len(trace),
            "trace": {
                number: {"gap": relative_gap(record["objective"], record["bound"])}
                for number, record in enumerate(trace)
                if all(_is_number(record.get(name)) for name in _PAIR)
            },
            "data": {k: v for k, v in data_block(data).items() if k not in ("name", "reading")},
        }
        if certified:
            told["stopped_by"] = Reason.TOLERANCE.value
        methods = (*self.stored.entry.methods, _LOADED)
        if self.result.get("method") not in methods:
            told["method"] = " or ".join(methods)
        if found is not None:
            told |= {"fit": dict(found.summary), **self._extra(found)}
            told["certificate"] = found.evidence
            for name in found.late if self._cut_off() else ():
                block, _, entry = name.rpartition(".")
                (told[block] if block else told).pop(entry, None)
        return told

    def _cut_off(self) -> bool:
        """Whether a limit ended the run, which then may not have known what is known now."""
        return self.result.get("stopped_by") in (Reason.TIME_LIMIT, Reason.INTERRUPT)

    def _extra(self, found: Recomputed) -> dict[str, Any]:
        """Entries of the top level, each machine of one-vs-rest with whether it is certified."""
        extra = withheld(found.extra, UNSEEN) if by_estimator(self.result) else dict(found.extra)
        if "machines" not in extra:
            return extra
        stored, sense = self.stored, sense_of(self.stored.spec)
        machines = [
            {
                **machine,
                "certified": certified_by(
                    machine["objective"], machine["bound"], stored.tol, stored.abs_tol, sense
                )
                is not None,
            }
            for machine in extra["machines"]
        ]
        return {**extra, "machines": machines}

    def _warnings(self, data: Data, found: Recomputed) -> None:
        """Warnings that follow must be there, but where the run was cut off before it knew them;
        those of another version may be worded otherwise."""
        stored = self.stored
        if self._cut_off() or self.result.get("radprog") != radprog_version():
            return
        due = [*data.warnings, *found.warnings]
        if crossed(*found.pair, sense_of(stored.spec)):
            due.append(contradiction(found))
        if self.certified_by == "abs-tol":
            objective, bound = found.pair
            if objective is not None and bound is not None:
                due.append(loosely(stored.abs_tol, objective, bound))
        self.problems += self.claims.contain("warnings", due)

    def _test(self, data: Data, found: Recomputed, test: Data) -> None:
        """The ``test`` block, of a fit that needs no matrix for new points."""
        claimed, stored = self.result["test"], self.stored
        if claimed.get("sha256") not in (None, test.sha256):
            self.problems.append(_OTHER_TEST)
        elif found.fit is not None:
            block = test_block(stored.entry.name, found.fit, test)
            self.problems += self.claims.compare(
                {"test": {key: value for key, value in block.items() if key != "name"}}
            )


class Claims:
    """Every claim of a result, by name, with what became of it."""

    def __init__(self, result: Mapping[str, Any]) -> None:
        self.result = result
        self.known: dict[str, str] = {}

    def compare(self, told: Mapping[str, Any]) -> list[str]:
        """Note which claims are as they were recomputed; says of each that is not what it is.

        What is told of a list by the numbers of its items is told of those alone; a claim that the
        result does not make is none.
        """
        problems: list[str] = []
        for key, value in plain(told).items():
            if key not in self.result:
                continue
            inside = key in _BLOCKS and isinstance(self.result[key], Mapping)
            parts = value if inside and isinstance(value, Mapping) else {None: value}
            for name, part in parts.items():
                claim = self.result[key] if name is None else self.result[key].get(name, _ABSENT)
                if claim is not _ABSENT:
                    path = (key,) if name is None else (key, name)
                    problems += self._compared(path, claim, part)
        return problems

    def contain(self, name: str, due: Sequence[str]) -> list[str]:
        """Note that a list of texts holds those that are due."""
        told = self.result.get(name)
        claim = told if isinstance(told, list) else []
        missing = [text for text in dict.fromkeys(due) if text not in claim]
        whole = "recomputed" if all(text in due for text in claim) else _PART
        self.known[name] = "wrong" if missing else whole
        return [f"of its {name} one is missing: {text}" for text in missing]

    def all(self, given: set[str]) -> dict[str, str]:
        """Every claim with what became of it; ``given``: those taken as they are."""
        found = {}
        for key, value in self.result.items():
            if key == "digest" or (value is None and key not in self.known):
                continue
            inside = key in _BLOCKS and isinstance(value, Mapping) and key not in given
            for name in [f"{key}.{part}" for part in value] if inside else [key]:
                known = "given" if name in given else _UNKNOWN
                found[name] = self.known.get(name, known)
        return found

    def _compared(self, path: _Place, claim: Any, value: Any) -> list[str]:
        name = ".".join(path)
        wrong = list(_differences(path, claim, value))
        whole = "recomputed" if _covered(claim, value) else _PART
        self.known[name] = "wrong" if wrong else whole
        if not wrong:
            return []
        (place, said, found), more = wrong[0], len(wrong) - 1
        others = f" ({more} more of {name})" if more else ""
        return [f"{place} is claimed as {said} and is {found}{others}"]


_ABSENT = object()
_WORDED = "caveats"  # of bounds: compared word by word only to say what was recomputed


def _covered(claim: Any, value: Any) -> bool:
    """Whether every number and word of a claim was recomputed."""
    if isinstance(value, dict):
        items = claim.items() if isinstance(claim, Mapping) else _numbered(claim)
        return all(
            key in value and (item == value[key] if key == _WORDED else _covered(item, value[key]))
            for key, item in items
        )
    if _named(value) and _named(claim):
        known = {_name(item): item for item in value}
        return all(_covered(item, known.get(_name(item), {})) for item in claim)
    if isinstance(value, list) and isinstance(claim, list):
        return all(_covered(*pair) for pair in zip(claim, value, strict=False))
    return True


def _differences(
    path: _Place, claim: Any, value: Any, scale: float = 0.0
) -> Iterator[tuple[str, str, str]]:
    """(place, claimed, recomputed) of each difference, in words; scale: the largest of a list."""
    if claim is None and len(path) > 1:
        return  # that a value is not known is no claim
    if path[0] == "bounds" and path[-1] == _WORDED and bool(claim) == bool(value):
        return  # in the words of the radprog that wrote them; that there are any is the claim
    if _named(value) and _named(claim):
        known = {_name(item): item for item in value}
        for number, item in enumerate(claim):
            place = (*path, str(number))
            yield from _differences(place, item, known.get(_name(item)), scale)
    elif isinstance(value, dict) and isinstance(claim, (dict, list)):
        items = claim if isinstance(claim, dict) else dict(_numbered(claim))
        for key, item in value.items():
            if key in items:
                yield from _differences((*path, key), items[key], item, scale)
    elif isinstance(value, list) and isinstance(claim, list):
        if len(value) != len(claim):
            yield ".".join(path), f"{len(claim)} items", str(len(value))
            return
        sizes = [abs(item) for item in value if _is_number(item)]
        for number, (one, other) in enumerate(zip(claim, value, strict=True)):
            place = (*path, str(number))
            yield from _differences(place, one, other, max([scale, *sizes]))
    elif not _same(path, claim, value, scale):
        said, found = (textwrap.shorten(repr(x), _LONGEST) for x in (claim, value))
        yield ".".join(path), said, found


def _named(value: Any) -> bool:
    """Whether it is a list of which every item has a name: of bounds, in any order and number."""
    return isinstance(value, list) and all(isinstance(x, dict) and "name" in x for x in value)


def _name(item: dict[str, Any]) -> tuple[str, str]:
    return repr(item["name"]), repr(item.get("form"))


def _records(trace: Any) -> list[dict[str, Any]]:
    """The records of a trace; those that are none are empty."""
    items = trace if isinstance(trace, list) else []
    return [record if isinstance(record, dict) else {} for record in items]


def _same(path: _Place, claim: Any, value: Any, scale: float) -> bool:
    """Whether a claimed value is a recomputed one, numbers up to rounding."""
    if not _is_number(value) or not _is_number(claim):
        return type(claim) is type(value) and bool(claim == value)
    if path[-1] == "gap":
        allowed = RECOMPUTED * max(abs(value), 1.0)
    elif path[-1] in _PAIR:
        allowed = RECOMPUTED * max(abs(value), GAP_FLOOR)
    else:
        allowed = RECOMPUTED_DETAIL * max(abs(value), scale) + DETAIL_FLOOR
    return math.isfinite(value) and abs(claim - value) <= allowed


def _numbered(claim: Any) -> Iterator[tuple[str, Any]]:
    """Items of a list by their numbers."""
    if isinstance(claim, list):
        yield from ((str(number), item) for number, item in enumerate(claim))


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
