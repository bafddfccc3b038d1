PYTHON ?= python3
PIP_INSTALL = .venv/bin/python -m pip install --quiet --disable-pip-version-check --only-binary=:all: -c constraints.txt

.PHONY: demo test test-slow lint clean

demo: .venv/installed
	.venv/bin/radprog demo

test: .venv/installed-dev
	.venv/bin/python -m pytest

test-slow: .venv/installed-dev
	.venv/bin/python -m pytest -m slow

lint: .venv/installed-dev
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/mypy
	cd tests/.ns && ../../.venv/bin/lint-imports --config ../../pyproject.toml

.venv/installed: pyproject.toml constraints.txt
	test -x .venv/bin/python || $(PYTHON) -m venv .venv
	$(PIP_INSTALL) -e .
	touch $@

.venv/installed-dev: .venv/installed
	$(PIP_INSTALL) -e '.[dev]'
	touch $@

clean:
	rm -rf .venv build dist *.egg-info demo-output
