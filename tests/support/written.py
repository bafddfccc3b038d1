"""What commands wrote: a result that follows its schema, and the rows of a CSV file."""

import csv
import json
from importlib import resources
from pathlib import Path
from typing import Any

import jsonschema

SCHEMA = json.loads((resources.files("radprog") / "result.schema.json").read_text())


def follows_the_schema(result: object) -> None:
    """A result of a command; an error says where it does not."""
    jsonschema.Draft202012Validator(SCHEMA).validate(result)


def result_in(path: str | Path = "r.json") -> dict[str, Any]:
    """A result that follows the schema and holds no NaN."""
    text = Path(path).read_text()
    assert "NaN" not in text
    result: dict[str, Any] = json.loads(text)
    follows_the_schema(result)
    return result


def rows_in(path: str | Path = "o.csv") -> list[dict[str, str]]:
    """The rows of a CSV file with a header."""
    return list(csv.DictReader(Path(path).read_text().splitlines()))
