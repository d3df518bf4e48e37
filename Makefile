# make run | test | check | bench: each sets up what it needs first.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: help setup run test fuzz test-datasets check format bench bench-peers docs retrieval template-vectors kill-everywhere chaos attack full-disk soak real prompt-trials trace-tree wheel clients record-runs clean

help: ## what there is to make
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 18

PAGE := $(shell find web -type f -not -path 'web/node_modules/*' 2>/dev/null)

setup: .venv/.ready .venv/.page ## the virtual environment .venv with everything installed, and the page

.venv/.ready: pyproject.toml integrations/llm-moot/pyproject.toml tools/setup
	@PYTHON=$(PYTHON) sh tools/setup
	@touch $@

.venv/.page: tools/build-page $(PAGE) | .venv/.ready
	@sh tools/build-page
	@touch $@

run: setup ## start the server and the page; prints the address
	@$(BIN)/moot serve

test: setup ## everything: format, lint, types, docs, tests
	@sh tools/test

fuzz: setup ## tests that draw their cases, with new seeds and ten times as many; MINUTES=60, SEED=7
	@sh tools/fuzz

test-datasets: setup ## exported traces load with the datasets library, which is fetched for it (large)
	@sh tools/test-datasets

check: setup ## ruff and mypy; Prettier, ESLint and tsc for the page
	@$(BIN)/ruff format --check src tests bench tools clients integrations
	@$(BIN)/ruff check src tests bench tools clients integrations
	@$(BIN)/mypy
	@$(BIN)/mypy integrations/llm-moot/llm_moot
	@sh tools/page check

format: setup ## let ruff and Prettier lay out all code
	@$(BIN)/ruff format src tests bench tools clients integrations
	@$(BIN)/ruff check --fix src tests bench tools clients integrations
	@sh tools/page format

docs: .venv/.ready ## write the generated tables of the docs and the page's types anew
	@PYTHONPATH=. $(BIN)/cog -r -P README.md docs/*.md docs/modes/*.md
	@$(BIN)/python tools/page_types.py

bench: setup ## what deliberating costs, as ratios to a bare script; writes docs/benchmarks.md (minutes)
	@$(BIN)/python -m bench

bench-peers: setup ## the same council on other people's work, each fetched from PyPI (minutes, large)
	@$(BIN)/python -m bench.peers

retrieval: setup ## how well reasoning templates are found, over held-out questions, and how fast
	@$(BIN)/moot templates check
	@$(BIN)/python -m bench.search

template-vectors: setup ## embed the library of templates anew, after its texts have changed
	@$(BIN)/python tools/template_vectors.py

kill-everywhere: setup ## kill the server after every single call of every mode, and resume (minutes)
	@$(BIN)/pytest -q tests/laws/test_kill.py tests/laws/test_kill_modes.py --every-call --timeout 3600

record-runs: setup ## record databases of this version for the tests, once before it is released
	@$(BIN)/python -m tools.record_runs

chaos: setup ## a fleet that loses workers, a door and its database while 500 questions are asked (minutes)
	@$(BIN)/python -m tests.fleet.chaos --write

.PHONY: fleet-bench
fleet-bench: setup ## throughput of 1, 2 and 4 workers, takeover, drain, tokens through a foreign door (minutes)
	@$(BIN)/python -m bench.fleet --write

full-disk: setup ## a server on a real file system that is full (needs the right to mount one)
	@$(BIN)/python tools/full_disk.py

attack: setup ## twenty thousand ballots of each kind, hostile and everyday: none may be misread (minutes)
	@$(BIN)/pytest -q -s tests/laws/test_grammars.py --grammar-cases 20000

real: setup ## every mode with real small models, fetched for it (hours); MODES=, RUNS=, MINUTES=, PANEL=smol, LABEL=
	@$(BIN)/python -m bench.real --modes "$(MODES)" --runs $(or $(RUNS),1) --minutes $(or $(MINUTES),600) \
		--panel $(or $(PANEL),qwen) --label $(or $(LABEL),after)
	@PYTHONPATH=. $(BIN)/cog -r -P docs/real-models.md

prompt-trials: setup ## prompts in several wordings, put to a real small model (minutes to hours); SAMPLES=, TRIALS=
	@$(BIN)/python -m bench.real.trials --trials "$(TRIALS)" --samples $(or $(SAMPLES),4)
	@PYTHONPATH=. $(BIN)/cog -r -P docs/prompts.md

soak: setup ## a server's memory over 2,000 runs with answers of 200 kB (minutes)
	@$(BIN)/python -m bench.soak

trace-tree: setup ## write the tree of docs/opentelemetry.md as a collector receives it
	@$(BIN)/python -m tests.telemetry.tree

.PHONY: telemetry-cost
telemetry-cost: setup ## what OpenTelemetry costs, off and on; writes docs/opentelemetry.md (minutes)
	@$(BIN)/python -m bench.telemetry --write

wheel: setup ## build wheel and sdist, install the wheel into a clean environment, serve from it (a minute)
	@sh tools/check-wheel
.PHONY: contract
contract: setup ## every route against its own description, by schemathesis, signed in and not: no 500
	@$(BIN)/python tools/schema_contract.py $(or $(EXAMPLES),20)

.PHONY: oidc
oidc: setup ## sign in at a second provider of OpenID Connect, npm's oidc-provider, fetched for it
	@$(BIN)/python -m tools.second_oidc_provider

clients: setup ## other people's clients at /v1 and /mcp, in an environment of their own (downloads; minutes)
	@sh tools/clients

.PHONY: audit lock
audit: setup ## what is known about faults in the locked packages, Python and page (asks the network)
	@$(BIN)/python tools/audit.py

lock: setup ## write deploy/requirements.txt anew: every package moot needs, with hashes (asks the network)
	@sh tools/lock

clean:
	rm -rf .venv build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
