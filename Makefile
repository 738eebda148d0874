# Two commands need no set-up at all: `make demo` and `make test`.
# Each makes a virtual environment of its own the first time; a stamp file makes the next time quick.

SHELL   := /bin/bash
VENV    ?= .venv
PYTHON  ?= $(firstword $(foreach p,python3 python3.14 python3.13 python3.12 python3.11,\
             $(shell $(p) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $(p))))
BIN     := $(VENV)/bin
PIP     := $(BIN)/python -m pip --disable-pip-version-check --quiet
PYTEST  := $(BIN)/python -m pytest
WORKERS ?= 2
SEED    := $(or $(SEED),$(shell $(firstword $(PYTHON) python3) -c 'import random; print(random.randrange(2**20))' 2>/dev/null))
TIMES   ?= 5

.PHONY: help demo heat kalman bundle test test-thorough test-matrix bench bench-peers clean

help:
	@echo "make demo         fit a Gaussian mixture with gradients of plain loops (about half a minute, draws two pictures)"
	@echo "make heat         find the conductivity of a plate from its temperatures"
	@echo "make kalman       fit state-space models by the gradient of the Kalman filter"
	@echo "make bundle       bundle adjustment with a sparse Jacobian made of gradients"
	@echo "make test         run the tests, of long tables of cases a fixed part (minutes)"
	@echo "make test-thorough  run all tests with all their cases, and draw other examples than every day (hours):"
	@echo "                  TIMES=5 times as many, from a seed that is printed; SEED=n draws those of a run again"
	@echo "make test-matrix  run the documents and a corpus of compiled programs with the oldest and the newest dependencies allowed"
	@echo "make bench        measure all tables of docs/explanation/measurements.md in one run (installs JAX and PyTorch into $(VENV)-peers)"
	@echo "make bench-peers  run the same programs through JAX, PyTorch, autograd and tangent (installs them into $(VENV)-peers)"
	@echo "make clean        remove the virtual environments"

demo: $(VENV)/.stamp-examples
	$(BIN)/python examples/gmm_fit.py

heat: $(VENV)/.stamp-examples
	$(BIN)/python examples/heat_inverse.py

kalman: $(VENV)/.stamp-examples
	$(BIN)/python examples/kalman_fit.py

bundle: $(VENV)/.stamp-examples
	$(BIN)/python examples/bundle_adjustment.py

# Clocks are read in a second, quiet run: two busy workers would make every time limit a matter of luck.
test: $(VENV)/.stamp-test
	$(PYTEST) -n $(WORKERS) -m "not timing and not thorough"
	$(PYTEST) -m timing $$(grep -rl --include='*.py' mark.timing tests)

# All tests, and of tables all rows, of which everyday runs take a part (the marker `one_in`, tests/examples_of.py); all ways
# to each derivative, and new random programs: everyday runs draw the same ones each time. The seed that makes a run again is
# printed before and, with failures, after it.
test-thorough: $(VENV)/.stamp-test
	@echo "random programs of SEED=$(SEED)"
	LINAD_SEED=$(SEED) LINAD_EXAMPLES=$(TIMES) $(PYTEST) -n $(WORKERS) -m "not timing"

# In environments of its own, in .venv-matrix, which pip brings up to date: minutes, and a download of the packages the first time.
test-matrix:
	@test -n "$(PYTHON)" || { echo "linad needs Python 3.11 or newer; set PYTHON=/path/to/python3.11" >&2; exit 1; }
	$(PYTHON) tests/matrix/environments.py

bench: $(VENV)-peers/.stamp-peers
	$(VENV)-peers/bin/python -m benchmarks

bench-peers: $(VENV)-peers/.stamp-peers
	$(VENV)-peers/bin/python -m benchmarks.peers

$(VENV)/bin/python:
	@test -n "$(PYTHON)" || { echo "linad needs Python 3.11 or newer; set PYTHON=/path/to/python3.11" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.stamp-%: pyproject.toml | $(VENV)/bin/python
	$(PIP) install --editable '.[$*]'
	@touch $@

$(VENV)-peers/bin/python:
	@test -n "$(PYTHON)" || { echo "linad needs Python 3.11 or newer; set PYTHON=/path/to/python3.11" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)-peers

$(VENV)-peers/.stamp-peers: pyproject.toml | $(VENV)-peers/bin/python
	$(VENV)-peers/bin/python -m pip --disable-pip-version-check --quiet install --editable '.[peers,examples,lsp]'
	@touch $@

clean:
	rm -rf $(VENV) $(VENV)-peers .venv-matrix
