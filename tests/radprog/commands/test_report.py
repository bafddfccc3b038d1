"""The page about a result: complete, escaped, without network, in a real browser."""

import base64
import html
import json
import re
import shlex
from html.parser import HTMLParser
from pathlib import Path

import pytest

from radprog.base.sections import bounded
from radprog.reporting import report

SOLVED = {
    "vkr": ("--kernels", "poly:1-3", "--scale", "ball", "--lam", "0.01", "--test", "test.csv"),
    "svm": ("--kernels", "poly:2", "--scale", "ball", "--C", "3"),
    "l1linear": ("--scale", "ball", "--no-bias"),
}


class Page(HTMLParser):
    """Tags with their attributes, and the text outside them."""

    def __init__(self, content: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(content)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data + "\n"


def solved(radprog, model: str, data: object = "train.csv"):
    return radprog.ok("solve", model, data, *SOLVED[model], "--json", "run.json").json


def page_of(radprog, *more: str) -> Page:
    done = radprog("report", "run.json", "-o", "page.html", *more)
    assert (done.code, done.out) == (0, ""), done.err
    return Page(Path("page.html").read_text())


def test_examples_and_centres_have_the_row_of_their_file(radprog, empty) -> None:
    """A header, a blank line and a dropped row lie between the numbers and the file's own."""
    Path("t.csv").write_text("a,b,y\n1,2,1\n\n2,?,1\n3,1,0\n4,5,0\n2,2,1\n1,9,0\n")
    radprog.ok("solve", "vkr", "t.csv", "--missing", "drop", "--json", "run.json")
    words = page_of(radprog).text.split()
    head = words.index("multiplier") + 1
    rows = dict(zip(words[head : head + 15 : 3], words[head + 1 : head + 15 : 3], strict=True))
    assert rows == {"1": "2", "2": "5", "3": "6", "4": "7", "5": "8"}
    start = words.index("coefficient") + 1
    centres = [words[i + 1 : i + 3] for i in range(start, len(words)) if ":" in words[i]]
    assert all(rows[centre] == row for centre, row in centres[:3])
    assert len(centres) > 2


@pytest.mark.parametrize("model", SOLVED)
def test_the_page_holds_the_result(radprog, folder, model) -> None:
    result = solved(radprog, model)
    page = page_of(radprog)
    wanted = [f"{result[key]:.16g}" for key in ("objective", "bound")]
    wanted += [result["data"]["sha256"], result["radprog"], result["solver"]["version"]]
    wanted += ["train.csv", "certified", "run.json"]
    if model == "vkr":
        first = bounded(result["bounds"][0]["value"], ".4g")
        wanted += [first, "Multiplier of each example"]
        wanted += [f"{max(result['certificate']['d']):.6g}"]
    assert [text for text in wanted if text not in page.text] == []
    images = [attrs["src"] for tag, attrs in page.tags if tag == "img"]
    kinds = [str(source).partition(",")[0] for source in images]
    assert kinds == ["data:image/svg+xml;base64"]
    assert b"<svg" in base64.b64decode(str(images[0]).partition(",")[2])


@pytest.mark.thorough
def test_the_page_asks_for_nothing_else(radprog, folder) -> None:
    solved(radprog, "vkr")
    page = page_of(radprog)
    assert {"script", "link", "iframe", "object", "form", "a"}.isdisjoint(t for t, _ in page.tags)
    for tag, attributes in page.tags:
        for name, value in attributes.items():
            assert not re.match("href|srcset|on", name), (tag, name)
            assert name != "src" or str(value).startswith("data:")
    assert "url(" not in Path("page.html").read_text()
    first = Path("page.html").read_bytes()
    page_of(radprog)
    assert Path("page.html").read_bytes() == first


EVIL = "<script>alert(1)</script>&\"'<img src=x onerror=alert(2)>$\\frac$"


def test_names_are_text(radprog, folder) -> None:
    rows = Path("train.csv").read_text()
    name = Path("<svg onload=alert(3)>&$x.csv")
    name.write_text(rows)
    result = solved(radprog, "svm", name)
    page = page_of(radprog)
    assert {"script", "svg", "b"} & {t for t, _ in page.tags} == {"b"}  # only those of the cards
    assert str(name) in page.text
    result["data"]["name"] = EVIL
    result["warnings"] = [EVIL]
    page = Page(report(result))
    assert {"script", "svg"}.isdisjoint(t for t, _ in page.tags)
    assert [attrs for tag, attrs in page.tags if tag == "img" and "onerror" in attrs] == []
    assert page.text.count(EVIL) >= 3
    assert html.escape(EVIL, quote=False) not in page.text  # escaped once, not twice


@pytest.mark.parametrize("model", SOLVED)
def test_the_command_reproduces_the_result(radprog, folder, model) -> None:
    first = solved(radprog, model)
    commands = re.findall(r"^radprog (.*)$", page_of(radprog).text, re.MULTILINE)
    assert [radprog(*shlex.split(command)).code for command in commands] == [0, 0]
    second = json.loads(Path("run.json").read_text())
    for key in ("model", "method", "params", "data", "objective", "certificate", "test"):
        assert second[key] == first[key]


def test_a_run_without_certificate_says_so(radprog, folder) -> None:
    assert radprog("solve", "vkr", "train.csv", "--max-iter", 0, "--json", "run.json").code == 1
    assert "limit, stopped by max_iter: not certified" in page_of(radprog).text
    radprog.refused(".html", "report run.json -o page.pdf")
