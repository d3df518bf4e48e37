# make help lists the targets; each sets up what it needs first.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: help setup run test fuzz test-datasets check format bench bench-peers docs retrieval template-vectors kill-everywhere chaos attack full-disk soak real prompt-trials trace-tree wheel clients record-runs clean

help: ## list the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 18

PAGE := $(shell find web -type f -not -path 'web/node_modules/*' 2>/dev/null)

setup: .venv/.ready .venv/.page ## make the virtual environment .venv with everything installed, and build the page

.venv/.ready: pyproject.toml integrations/llm-moot/pyproject.toml tools/setup
	@PYTHON=$(PYTHON) sh tools/setup
	@touch $@

.venv/.page: tools/build-page $(PAGE) | .venv/.ready
	@sh tools/build-page
	@touch $@

run: setup ## start the server and the page; prints the address
	@$(BIN)/moot serve

test: setup ## run all checks: format, lint, types, docs, tests
	@sh tools/test

fuzz: setup ## run the randomized tests with new seeds and ten times as many cases; MINUTES=60, SEED=7
	@sh tools/fuzz

test-datasets: setup ## check that exported traces load with the datasets library, which it fetches (large)
	@sh tools/test-datasets

check: setup ## run ruff and mypy, and Prettier, ESLint and tsc for the page
	@$(BIN)/ruff format --check src tests bench tools clients integrations
	@$(BIN)/ruff check src tests bench tools clients integrations
	@$(BIN)/mypy
	@$(BIN)/mypy integrations/llm-moot/llm_moot
	@sh tools/page check

format: setup ## format all code with ruff and Prettier
	@$(BIN)/ruff format src tests bench tools clients integrations
	@$(BIN)/ruff check --fix src tests bench tools clients integrations
	@sh tools/page format

docs: .venv/.ready ## rewrite the generated tables of the docs and the page's types
	@PYTHONPATH=. $(BIN)/cog -r -P README.md docs/*.md docs/modes/*.md
	@$(BIN)/python tools/page_types.py

bench: setup ## measure what deliberating costs, as ratios to a bare script; writes docs/benchmarks.md (minutes)
	@$(BIN)/python -m bench

bench-peers: setup ## run the same council on other people's libraries, fetched from PyPI (minutes, large)
	@$(BIN)/python -m bench.peers

retrieval: setup ## measure how well, and how fast, reasoning templates are found for held-out questions
	@$(BIN)/moot templates check
	@$(BIN)/python -m bench.search

template-vectors: setup ## embed the template library again, after its texts have changed
	@$(BIN)/python tools/template_vectors.py

kill-everywhere: setup ## kill the server after every single call of every mode, and resume (minutes)
	@$(BIN)/pytest -q tests/laws/test_kill.py tests/laws/test_kill_modes.py --every-call --timeout 3600

record-runs: setup ## record databases of this version for the tests, once before its release
	@$(BIN)/python -m tools.record_runs

chaos: setup ## ask a fleet 500 questions while it loses workers, a door and its database (minutes)
	@$(BIN)/python -m tests.fleet.chaos --write

.PHONY: fleet-bench
fleet-bench: setup ## measure throughput of 1, 2 and 4 workers, takeover, drain and live text through another door (minutes)
	@$(BIN)/python -m bench.fleet --write

full-disk: setup ## run a server on a real file system that is full (needs permission to mount one)
	@$(BIN)/python tools/full_disk.py

attack: setup ## read twenty thousand ballots of each kind, hostile and everyday: none may be misread (minutes)
	@$(BIN)/pytest -q -s tests/laws/test_grammars.py --grammar-cases 20000

real: setup ## run every mode with real small models, which it fetches (hours); MODES=, RUNS=, MINUTES=, PANEL=smol, LABEL=
	@$(BIN)/python -m bench.real --modes "$(MODES)" --runs $(or $(RUNS),1) --minutes $(or $(MINUTES),600) \
		--panel $(or $(PANEL),qwen) --label $(or $(LABEL),after)
	@PYTHONPATH=. $(BIN)/cog -r -P docs/real-models.md

prompt-trials: setup ## try several wordings of prompts on a real small model (minutes to hours); SAMPLES=, TRIALS=
	@$(BIN)/python -m bench.real.trials --trials "$(TRIALS)" --samples $(or $(SAMPLES),4)
	@PYTHONPATH=. $(BIN)/cog -r -P docs/prompts.md

soak: setup ## measure a server's memory over 2,000 runs with answers of 200 kB (minutes)
	@$(BIN)/python -m bench.soak

trace-tree: setup ## write the tree of docs/opentelemetry.md as a collector receives it
	@$(BIN)/python -m tests.telemetry.tree

.PHONY: telemetry-cost
telemetry-cost: setup ## measure what OpenTelemetry costs, off and on; writes docs/opentelemetry.md (minutes)
	@$(BIN)/python -m bench.telemetry --write

wheel: setup ## build wheel and sdist, install the wheel into a clean environment, serve from it (a minute)
	@sh tools/check-wheel
.PHONY: contract
contract: setup ## check every route against its own description with schemathesis, signed in and out
	@$(BIN)/python tools/schema_contract.py $(or $(EXAMPLES),20)

.PHONY: oidc
oidc: setup ## sign in at a second OpenID Connect provider, npm's oidc-provider, which it fetches
	@$(BIN)/python -m tools.second_oidc_provider

clients: setup ## try other people's clients at /v1 and /mcp, in an environment of their own (downloads; minutes)
	@sh tools/clients

.PHONY: audit lock
audit: setup ## look up known vulnerabilities in the locked packages, Python and page (needs the network)
	@$(BIN)/python tools/audit.py

lock: setup ## rewrite deploy/requirements.txt: every package moot needs, with hashes (needs the network)
	@sh tools/lock

clean:
	rm -rf .venv build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
