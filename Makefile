# Each target sets itself up: the virtual environment is made once, and again when its description changes.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: demo test test-all audit attacks coverage bench lint clean

demo: $(READY)
	$(BIN)/autograder demo

test: lint
	$(BIN)/mypy
	$(BIN)/pytest -n auto

test-all: test audit attacks

audit: $(READY)
	$(BIN)/autograder audit

attacks: $(READY)
	$(BIN)/pytest -n auto -m attack_all tests/attacks

coverage: $(READY)
	$(BIN)/python -m autograder.audit.coverage

bench: $(READY)
	$(BIN)/python tests/benchmarks/split.py
	$(BIN)/python tests/benchmarks/throughput.py

lint: $(READY)
	$(BIN)/ruff check .

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install -q --disable-pip-version-check -c constraints.txt -e '.[dev]'
	touch $@

clean:
	rm -rf $(VENV) demo build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis *.egg-info
	find . \( -name __pycache__ -o -name .ruff_cache \) -type d -prune -exec rm -rf {} +
