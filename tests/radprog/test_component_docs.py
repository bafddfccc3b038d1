"""The doc of every component names the paper's symbol with its indices, in words of the paper."""

import re
from pathlib import Path

import pytest
from paper_forms import draws

import radprog as rp
from radprog.base.modelling import pyo
from radprog.catalog import CATALOG

FORMS = [(model, form) for model, entry in CATALOG.items() for form in entry.forms]
LETTER = r"[a-z]"


@pytest.mark.cases(len(FORMS))
@pytest.mark.parametrize(("model", "form"), FORMS)
def test_a_doc_has_a_symbol_with_every_index(model: str, form: str, tmp_path: Path) -> None:
    built = None
    for seed in range(6):  # some data have no program of a step
        ((_, _, options, data),) = draws(seed, tmp_path, [f"{model}-{form}"])
        try:
            built = rp.build(CATALOG[model].spec(**options), data, form=form)
            break
        except rp.OptionError:
            continue
    assert built is not None
    for component in built.component_objects():
        doc, name = component.doc, component.local_name
        found = re.fullmatch(r"([A-Za-z_]+[+-]?)(?:\[(\w(?:, \w)*)\])?: (.+)", doc or "")
        assert found, (name, doc)
        letters = found[2].split(", ") if found[2] else []
        if component.ctype in (pyo.Var, pyo.Constraint) and len(component):
            assert len(letters) == (component.dim() if component.is_indexed() else 0), doc
        assert len(set(letters)) == len(letters)
        for letter in letters:  # every index has its meaning in the sentence
            assert re.search(rf"\b{letter}\b", found[3]), doc
        repeated = re.search(r"\b(\w{2,}) \1\b", found[3])
        assert repeated is None, doc
        assert "{" not in doc, doc


def test_the_sentence_of_a_label() -> None:
    built = rp.build(rp.CDSK(clusters=2), rp.partly_labelled([[0.0], [0.1], [5.0], [5.1]]))
    assert built.label.doc == "z[i, c]: whether point i is in cluster c"
    assert built.weight.doc == "alpha[i, c]: weight of point i in cluster c"
