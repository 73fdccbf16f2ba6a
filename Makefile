# memfold: every command a developer needs. `make` alone lists them.
.DEFAULT_GOAL := help
SHELL := /bin/bash
.SHELLFLAGS := -o pipefail -c
VENV := .venv
BIN := $(VENV)/bin
CLIENTS := $(HOME)/.cache/coding-clients
# Compiled modules are part of what a hook costs.
unexport PYTHONDONTWRITEBYTECODE

help: ## list these commands
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 12

# The newest Python of these that really runs, is new enough and can make an environment (version
# managers leave names behind that do not run).
PYTHON := $(shell for p in python3.13 python3.12 python3.11 python3; do \
  if $$p -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; \
  then echo $$p; break; fi; done)

$(VENV)/installed: pyproject.toml
	@test -n "$(PYTHON)" || { echo "memfold needs Python 3.11 or newer with venv; none was found."; exit 1; }
	@echo "installing memfold into $(VENV) ($$($(PYTHON) --version))"
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	@touch $@

$(VENV)/developing: $(VENV)/installed
	@echo "installing the tools of the dev group"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade 'pip>=25.1'
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --group dev
	@touch $@

demo: $(VENV)/installed ## a recorded session is remembered, searched and traced, in two minutes
	@$(BIN)/python examples/demo.py

lint: $(VENV)/developing ## formatting, rules, types, imports
	@$(BIN)/ruff format --check --quiet . && echo "format: ok"
	@$(BIN)/ruff check --quiet . && echo "rules: ok"
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-cache | tail -n 8

clients: ## fetch the real clients that tests drive, where they can be had
	@for client in claude codex; do \
	  if [ -x "$(CLIENTS)/$$client" ]; then echo "client $$client: there"; \
	  elif [ "$$(uname -sm)" != "Linux x86_64" ]; then echo "client $$client: only for Linux x86_64; its tests skip"; \
	  elif [ -f ../shared/harness/get_clients.sh ]; then \
	    bash ../shared/harness/get_clients.sh "$(CLIENTS)" $$client || echo "client $$client: cannot be had here; its tests skip"; \
	  else echo "client $$client: ../shared/harness is not beside this checkout; its tests skip"; fi; done

COVER = $(BIN)/coverage report --format=total --fail-under=90 --include="src/memfold/$$room/*"
test: lint clients ## everything CI runs
	@rm -f .coverage .coverage.*
	@$(BIN)/pytest -n 2 --dist loadgroup --cov --cov-report=
	@for room in disclose workstate capture; do \
	  share=$$($(COVER)) || { echo "$$room/ is covered by $$share %, less than 90 %"; exit 1; }; \
	  echo "branch coverage of $$room/: $$share %"; done

golden: $(VENV)/developing ## rewrite what an agent reads, then read the diff
	@$(BIN)/pytest tests/golden --golden -q; git --no-pager diff --stat tests/golden

bench: $(VENV)/developing ## the figures: hook, cold start, idle, store
	@for bench in bench/*.py; do echo "== $$bench"; $(BIN)/python $$bench || exit 1; done

docs: $(VENV)/developing ## write the reference pages from the code
	@$(BIN)/python docs/generate.py

clean: ## remove what these commands made
	@rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis .coverage .coverage.* dist build
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

.PHONY: help demo lint clients test golden bench docs clean
