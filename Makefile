# make setup | demo | test | lint | bench | bench-scale | bench-peers | soak        (needs Python 3.11 or newer)
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed
PEERS  := .venv-peers

.PHONY: setup demo test lint format bench bench-scale bench-peers soak clean

setup: $(STAMP)

$(STAMP): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "ofakind needs Python 3.11 or newer: make PYTHON=python3.12 ..."; exit 1; }
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV) || { test "$$(id -u)" = 0 && apt-get update -qq && apt-get install -y -qq python3-venv && $(PYTHON) -m venv $(VENV); }
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	@touch $(STAMP)

demo: setup
	$(BIN)/ofakind demo

test: setup
	$(BIN)/python -m pytest -n auto

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: setup
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: setup
	$(BIN)/python -m benchmarks

bench-scale: setup
	$(BIN)/python -m benchmarks.bench_scale
	$(BIN)/python -m benchmarks.bench_entropy_million long

bench-peers: $(PEERS)/.installed
	$(PEERS)/bin/python -m benchmarks.peers

$(PEERS)/.installed: pyproject.toml benchmarks/peers.txt
	test -x $(PEERS)/bin/python || $(PYTHON) -m venv $(PEERS)
	$(PEERS)/bin/python -m pip install --quiet --disable-pip-version-check --editable . --requirement benchmarks/peers.txt
	@touch $@

soak: setup
	OFAKIND_SOAK=1 $(BIN)/python -m pytest -n auto

clean:
	rm -rf $(VENV) $(PEERS) .pytest_cache .mypy_cache .ruff_cache .hypothesis demo-report.html
