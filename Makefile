# make run | test | check | bench: each sets up what it needs first.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: help setup run test test-datasets check format bench docs retrieval template-vectors kill-everywhere full-disk soak clean

help: ## what there is to make
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 18

PAGE := $(shell find web -type f -not -path 'web/node_modules/*' 2>/dev/null)

setup: .venv/.ready .venv/.page ## the virtual environment .venv with everything installed, and the page

.venv/.ready: pyproject.toml tools/setup
	@PYTHON=$(PYTHON) sh tools/setup
	@touch $@

.venv/.page: tools/build-page $(PAGE) | .venv/.ready
	@sh tools/build-page
	@touch $@

run: setup ## start the server and the page; prints the address
	@$(BIN)/moot serve

test: setup ## everything: format, lint, types, docs, tests
	@sh tools/test

test-datasets: setup ## exported traces load with the datasets library, which is fetched for it (large)
	@sh tools/test-datasets

check: setup ## ruff and mypy
	@$(BIN)/ruff format --check src tests bench tools
	@$(BIN)/ruff check src tests bench tools
	@$(BIN)/mypy

format: setup
	@$(BIN)/ruff format src tests bench
	@$(BIN)/ruff check --fix src tests bench

docs: setup ## write the generated tables of the docs anew
	@PYTHONPATH=. $(BIN)/cog -r -P README.md docs/*.md docs/modes/*.md

bench: setup ## overhead, load and start-up, as ratios in one run
	@$(BIN)/python -m bench

retrieval: setup ## how well reasoning templates are found, over held-out questions, and how fast
	@$(BIN)/moot templates check
	@$(BIN)/python -m bench.search

template-vectors: setup ## embed the library of templates anew, after its texts have changed
	@$(BIN)/python tools/template_vectors.py

kill-everywhere: setup ## kill the server after every single call of every mode, and resume (minutes)
	@$(BIN)/pytest -q tests/laws/test_kill.py tests/laws/test_kill_modes.py --every-call --timeout 3600

full-disk: setup ## a server on a real file system that is full (needs the right to mount one)
	@$(BIN)/python tools/full_disk.py

soak: setup ## a server's memory over 2,000 runs with answers of 200 kB (minutes)
	@$(BIN)/python -m bench.soak

clean:
	rm -rf .venv build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
