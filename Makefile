# make demo            handwritten digits, sorted by questions; installs what ofakind needs, nothing else
# make quick           the tests that take no time, for after every change
# make test | lint     the whole test suite; ruff, mypy and the import rule
# make test-torch      the tests of what runs on a GPU, which need PyTorch and Triton (two gigabytes), but no GPU
# make setup           an environment for development; those above and below see to it themselves
# make format | bench | bench-scale | bench-peers | soak | clean             (needs Python 3.11 or newer)
PYTHON  ?= python3
VENV    := .venv
BIN     := $(VENV)/bin
PACKAGE := $(VENV)/.package
STAMP   := $(VENV)/.installed
TORCH   := $(VENV)/.torch
PEERS   := .venv-peers
AXE     := build/axe
INSTALL := -m pip install --quiet --disable-pip-version-check --no-compile
PYTEST  := $(BIN)/python -m pytest -n auto --dist loadfile --no-loadscope-reorder

.PHONY: setup demo browser test test-torch quick lint format bench bench-scale bench-peers soak clean

setup: $(STAMP)

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "ofakind needs Python 3.11 or newer: make PYTHON=python3.12 ..."; exit 1; }
	$(PYTHON) -m venv $(VENV) || { test "$$(id -u)" = 0 && apt-get update -qq && apt-get install -y -qq python3-venv && $(PYTHON) -m venv $(VENV); }

# what `pip install ofakind` installs
$(PACKAGE): pyproject.toml constraints.txt | $(BIN)/python
	$(BIN)/python $(INSTALL) --constraint constraints.txt --editable .
	@touch $@

# and what tests, checks and benchmarks need
$(STAMP): pyproject.toml constraints.txt | $(BIN)/python
	$(BIN)/python $(INSTALL) --constraint constraints.txt --editable '.[dev]'
	@$(BIN)/python -m compileall -q -j 0 $(VENV)/lib >/dev/null 2>&1 || true  # some files are for other Pythons
	@touch $(PACKAGE) $@

# and what the kernels for a GPU do
$(TORCH): $(STAMP)
	$(BIN)/python $(INSTALL) --constraint constraints.txt --editable '.[gpu]'
	@touch $@

demo: $(PACKAGE)
	$(BIN)/ofakind demo

test: setup browser
	$(PYTEST) $(OPTIONS)

# here alone the types of PyTorch are known
test-torch: $(TORCH)
	$(BIN)/mypy src/ofakind/kernels/gpu
	$(PYTEST) tests/kernels/gpu $(OPTIONS)

# tests of the page need the system's Chromium, and some axe-core; without them they are left out, and it is said
browser:
	@test -f $(AXE)/package/axe.min.js || { mkdir -p $(AXE) && cd $(AXE) && npm pack --silent axe-core@4.14.0 >/dev/null && tar -xzf axe-core-4.14.0.tgz package/axe.min.js; } 2>/dev/null || true
	@command -v chromium >/dev/null || command -v chromium-browser >/dev/null || { test "$$(id -u)" = 0 && command -v apt-get >/dev/null && apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium >/dev/null; } || true

quick: setup
	$(PYTEST) -m "not slow" $(OPTIONS)

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python tools/portable_arithmetic.py

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
	$(PEERS)/bin/python -m benchmarks.peers.dedupe_questions

$(PEERS)/.installed: pyproject.toml benchmarks/peers.txt
	test -x $(PEERS)/bin/python || $(PYTHON) -m venv $(PEERS)
	$(PEERS)/bin/python -m pip install --quiet --disable-pip-version-check --editable . --requirement benchmarks/peers.txt
	@touch $@

soak: setup
	OFAKIND_SOAK=1 $(PYTEST) $(OPTIONS)

clean:
	rm -rf $(VENV) $(PEERS) $(AXE) .pytest_cache .mypy_cache .ruff_cache .hypothesis demo-report.html
