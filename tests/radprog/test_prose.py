"""The documents keep to their size and to plain words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

MOST_WORDS = 26_000  # of docs, without reference and notes
MOST_OF_README = 900
MOST_LONG = 0.08  # share of sentences with more words than the script's limit


@pytest.fixture
def prose(benchmark: Callable[[str], Any]) -> Any:
    return benchmark("prose")


def test_documents_keep_their_size(prose: Any) -> None:
    words = {page: len(prose.written(page.read_text()).split()) for page in prose.pages()}
    readme, _contributing, *docs = words
    assert words[readme] <= MOST_OF_README
    assert 15_000 < sum(words[page] for page in docs if not prose.apart(page)) <= MOST_WORDS


def test_documents_have_plain_words_and_short_sentences(prose: Any) -> None:
    pages = {page: prose.prose(page.read_text()) for page in prose.pages() if not prose.apart(page)}
    assert {page.name: prose.BANNED.findall(text) for page, text in pages.items()} == {
        page.name: [] for page in pages
    }
    lines = [line for text in pages.values() for line in prose.sentences(text)]
    long = [line for line in lines if len(line.split()) > prose.LONGEST]
    assert len(lines) > 1000
    assert len(long) <= MOST_LONG * len(lines)


def test_outputs_and_formulas_are_not_counted(prose: Any) -> None:
    assert prose.written("a\n\n```output\nb c\n```\n\n$$x\ny$$ d").split() == ["a", "d"]


@pytest.mark.parametrize(
    ("text", "words"),
    [("It is told.", ["told"]), ('`told` and "asks"', []), ("```\nalone\n```\n", [])],
)
def test_code_and_quotations_are_no_prose(prose: Any, text: str, words: list[str]) -> None:
    assert prose.BANNED.findall(prose.prose(text)) == words
