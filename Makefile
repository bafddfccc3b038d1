PYTHON ?= python3
PIP_INSTALL = .venv/bin/python -m pip install --quiet --disable-pip-version-check --only-binary=:all: --no-compile -c constraints.txt

PYTEST = .venv/bin/python -m pytest -n auto --maxprocesses 8 --dist worksteal

.PHONY: help demo test test-full test-slow test-kernels test-oldest test-newest release-check nightly reproduce docs lint clean

help:
	@echo "make demo          install into .venv and run the main job (under a minute)"
	@echo "make test          the tests, under two minutes"
	@echo "make lint          ruff, mypy and the order of imports"
	@echo "make docs          the pages, in docs/_build"
	@echo "make test-full     every case of every test"
	@echo "make test-slow     the tests that take minutes"
	@echo "make test-kernels  numerical tests with other BLAS kernels"
	@echo "make test-oldest   some tests on the oldest allowed dependencies"
	@echo "make test-newest   the tests on the newest dependencies"
	@echo "make nightly       random programs, faults and planted bugs: hours"
	@echo "make reproduce     the papers' tables and figures by their short protocols"
	@echo "make release-check what an upload would hold, installed and tested apart"
	@echo "make clean         delete environments and builds"

demo: .venv/installed
	.venv/bin/radprog demo

test: .venv/installed-dev
	$(PYTEST) --sample 1

test-full: .venv/installed-dev
	RADPROG_TESTS=full $(PYTEST)

test-slow: .venv/installed-dev
	RADPROG_TESTS=full .venv/bin/python -m pytest -m slow

# Numerical tests with other kernels of BLAS than the processor's own, as far as it has them: no test
# may depend on last bits.
KERNELS = Prescott $(shell grep -qsw avx2 /proc/cpuinfo && echo Haswell)
test-kernels: .venv/installed-dev
	for kernel in $(KERNELS); do \
	  OPENBLAS_CORETYPE=$$kernel RADPROG_TESTS=quick $(PYTEST) --sample 1 \
	    tests/solvers/dense tests/models tests/decompositions/drivers || exit 1; \
	done

# On the oldest releases that pyproject.toml allows: every model, solver, kind of data, proof and worker.
OLDEST = tests/radprog/test_contract.py tests/radprog/test_python.py tests/radprog/test_predicting.py \
  tests/radprog/commands/test_help.py tests/radprog/estimators/test_inputs.py tests/radprog/proofs/test_random_results.py \
  tests/solvers/adapters tests/instances/test_readers.py tests/decompositions/sweeps/test_sweeps.py
test-oldest: .venv-oldest/installed
	.venv-oldest/bin/python -m pytest -n auto --maxprocesses 8 --dist worksteal $(OLDEST)

# On the newest releases of all that it depends on, whatever constraints.txt says.
test-newest: .venv-newest/installed
	.venv-newest/bin/python -m pytest -n auto --maxprocesses 8 --dist worksteal --sample 1

# Before an upload: what it would hold, installed and tested apart, then on the oldest and newest dependencies.
APART = .venv-release/bin/python -P -m
APART_PIP = $(APART) pip install --quiet --disable-pip-version-check --only-binary=:all:
release-check:
	rm -rf build dist
	$(PYTHON) -m venv --clear .venv-release
	$(APART_PIP) build twine
	$(APART) build
	$(APART) twine check --strict dist/*
	for wheel in dist/*.whl; do $(APART_PIP) -c constraints.txt "$$wheel[all,dev]" || exit 1; done
	cd .venv-release && bin/radprog demo
	mkdir .venv-release/source && tar -xzf dist/*.tar.gz -C .venv-release/source --strip-components 1
	cd .venv-release/source && PYTHONSAFEPATH=1 ../bin/python -m pytest -n auto --maxprocesses 8 --dist worksteal --sample 1
	$(MAKE) test-oldest
	$(MAKE) test-newest

nightly: .venv/installed-dev
	.venv/bin/python tests/attack/differential.py --count 2000 --jobs 2
	.venv/bin/python tests/attack/side_routes.py --count 2000 --jobs 2
	.venv/bin/python tests/attack/integers.py --count 2000 --jobs 2
	.venv/bin/python tests/attack/fronts.py --count 500 --seed 10000
	.venv/bin/python tests/attack/mutation.py
	.venv/bin/python tests/attack/faults.py --count 20
	.venv/bin/python tests/attack/determinism.py
	.venv/bin/python tests/attack/interrupts.py
	.venv/bin/python tests/attack/limits.py
	$(MAKE) reproduce
	RADPROG_TESTS=random $(PYTEST)
	$(MAKE) test-oldest
	$(MAKE) test-newest

# The papers' tables and figures by their short protocols, all data sets: about 15 minutes on one core.
REPRODUCED = vkr_table1 vkr_gaussian mkl_table1 mkl_figure2 lpboost_table1 similarity svr_figure2
reproduce: .venv/installed-dev
	for script in $(REPRODUCED); do .venv/bin/python reproduction/$$script.py --quick || exit 1; done

# One test per core: no threads below it. Bytecode is kept: tests start many processes.
test test-full test-slow test-kernels test-oldest test-newest release-check nightly reproduce: export OMP_NUM_THREADS = 1
test test-full test-slow test-kernels test-oldest test-newest release-check nightly reproduce: export OPENBLAS_NUM_THREADS = 1
test test-full test-slow test-kernels: export PYTHONDONTWRITEBYTECODE =

# A warning is an error: a broken link, a picture whose script fails.
docs: .venv/installed-docs
	.venv/bin/python -m sphinx -W --keep-going -q -b html docs docs/_build
	@echo docs/_build/index.html

lint: .venv/installed-dev
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/mypy
	cd tests/.ns && RADPROG_LINKS=1 ../../.venv/bin/lint-imports --config ../../pyproject.toml

.venv/bin/python:
	$(PYTHON) -m venv .venv

# Python that starts in the folder of a clone named radprog would take the clone for a package without
# files: the finder of folders comes before that of an editable install. This line, run at the start
# from a file whose name sorts after the install's own, turns the order round.
EDITABLE_FIRST = import os, sys; "RADPROG_LINKS" in os.environ or sys.meta_path.sort(key=lambda finder: not getattr(finder, "__name__", "").startswith("_Editable"))
SITE = $$(.venv/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')

# The demo shows pictures, and programs are proved by exact numbers; tests need all that is optional.
.venv/installed: pyproject.toml constraints.txt | .venv/bin/python
	@echo "installing into .venv, a few minutes"
	$(PIP_INSTALL) -e '.[plot,exact]'
	@echo '$(EDITABLE_FIRST)' > "$(SITE)/radprog-first.pth"
	touch $@

.venv/installed-dev: pyproject.toml constraints.txt | .venv/bin/python
	@echo "installing into .venv with what tests need, a few minutes"
	$(PIP_INSTALL) -e '.[all,dev]'
	@echo '$(EDITABLE_FIRST)' > "$(SITE)/radprog-first.pth"
	touch .venv/installed $@

.venv/installed-docs: .venv/installed
	$(PIP_INSTALL) -e '.[all,docs]'
	touch $@

# The lower bound of every package, extras and tools of the tests included; what these bring is new.
.venv-oldest/installed: pyproject.toml
	$(PYTHON) -m venv --clear .venv-oldest
	.venv-oldest/bin/python -m pip install --quiet --disable-pip-version-check --only-binary=:all: uv
	.venv-oldest/bin/uv pip install --quiet --python .venv-oldest/bin/python --resolution lowest-direct --only-binary :all: -e '.[all,dev]'
	touch $@

# Made anew each time: what is newest changes from day to day.
.PHONY: .venv-newest/installed
.venv-newest/installed:
	$(PYTHON) -m venv --clear .venv-newest
	.venv-newest/bin/python -m pip install --quiet --disable-pip-version-check --only-binary=:all: -e '.[all,dev]'
	.venv-newest/bin/python -m pip list

clean:
	rm -rf .venv .venv-oldest .venv-newest .venv-release build dist *.egg-info demo-output
