# make run needs Python 3.11 or newer with pip, and nothing else. See docs/operations.md for the options.
#   make run ARGS="--port 9000 --no-demo"      make test ARGS="tests/chat -x"      make PYTHON=python3.12 run

# The first Python that is new enough and has pip; otherwise python3, whose message then says what is missing.
PYTHON ?= $(or $(shell for p in python3 python3.14 python3.13 python3.12 python3.11 python; do \
	"$$p" -c 'import sys, pip; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1 && echo "$$p" && break; done),python3)
IN_VENV := .venv/bin/python

# Values that let mypy's Django plugin import the settings; nothing is connected to.
CHECK_ENV := SECRET_KEY=only-for-type-checks-0123456789-0123456789 CREDENTIAL_KEYS=check:$(shell printf 'A%.0s' $$(seq 43))= \
	DATABASE_URL=postgresql://app@/parley DATABASE_AUTH_URL=postgresql://auth@/parley \
	DATABASE_OWNER_URL=postgresql://owner@/parley DATABASE_SYSTEM_URL=postgresql://system@/parley \
	REDIS_URL=redis://localhost

# Compiled once: otherwise every process of a run compiles a thousand modules of ours again.
unexport PYTHONDONTWRITEBYTECODE

# Two workers more than cores (tests/support/suite/lanes.py shares the tests out); a failed test is run once more alone.
PYTEST := $(IN_VENV) -m pytest -n auto --dist loadscope --no-loadscope-reorder -p tests.support.suite.flaky

.PHONY: help setup run test test-frontend test-python test-fast test-nightly test-deploy lint format messages types lock supply bench bench-engine follow-trial pictures soak

help:
	@echo "make run     start Parley with everything it needs (Ctrl-C stops it)"
	@echo "make test    all tests, Python and browser code; with ARGS=path only those"
	@echo "make test-fast     the tests that need no server, within a minute"
	@echo "make test-nightly  all tests, also the cases that make test leaves out"
	@echo "make test-deploy   deploy/ with nginx, Caddy, PgBouncer, buildah, promtool and systemd of the distribution (root; docs/deploy.md)"
	@echo "make crash-trials  kill the owners of 200 answers at each point of a step (CONTRIBUTING.md)"
	@echo "make attach-trials  viewers come and go at random while 100 answers are written (CONTRIBUTING.md)"
	@echo "make rolling-trial  restart all processes one after the other under 30 answers (CONTRIBUTING.md)"
	@echo "make follow-trial  200 sends into slow pages: the end of the chat stays in sight (CONTRIBUTING.md)"
	@echo "make pictures  take the pictures of docs/ anew that browser tests reach (CONTRIBUTING.md)"
	@echo "make soak    100 chats for an hour with a fault each minute (CONTRIBUTING.md)"
	@echo "make lint    formatting, lint rules, types, layers"
	@echo "make format  format the Python code"
	@echo "make messages  write the server's message catalogues again, and compile them"
	@echo "make types   write the browser's types from the server's shapes again"
	@echo "make bench   measure speed and cost on this machine, with servers of its own (docs/performance.md)"
	@echo "make bench-engine  what a step costs the engine alone, by the length of the history"
	@echo "make supply  write the bill of materials, and refuse licences and known holes"
	@echo "make lock    resolve pyproject.toml into config/locks again"

run:
	@"$(PYTHON)" -m tools.bootstrap run && exec $(IN_VENV) -m tools.embedded run $(ARGS)

# With ARGS only the tests that it names.
test: $(if $(strip $(ARGS)),,test-frontend) test-python

test-frontend: setup
	@$(IN_VENV) -m tools.frontend npm run --silent test

test-python: setup
	@$(PYTEST) $(ARGS)

setup:
	@"$(PYTHON)" -m tools.bootstrap test

test-fast:
	@"$(PYTHON)" -m tools.bootstrap test
	@$(PYTEST) --fast $(ARGS)

test-nightly:
	@"$(PYTHON)" -m tools.bootstrap test
	@$(PYTEST) --nightly $(ARGS)

test-deploy:
	@"$(PYTHON)" -m tools.bootstrap test
	@sh tests/deploy/install.sh "$(PYTHON)"
	@$(IN_VENV) -m pytest --deploy -o faulthandler_timeout=1800 tests/deploy tests/telemetry/test_documents.py $(ARGS)

attach-trials:
	@"$(PYTHON)" -m tools.bootstrap test
	@$(IN_VENV) -m tests.system.attach_trials $(ARGS)

rolling-trial:
	@"$(PYTHON)" -m tools.bootstrap test
	@$(IN_VENV) -m tests.system.rolling_restart $(ARGS)

follow-trial:
	@"$(PYTHON)" -m tools.bootstrap test
	@$(IN_VENV) -m pytest -s tests/e2e/chat/many_sends.py $(ARGS)

# Those that publish come before the two admins, whose picture shows an agent's releases.
PICTURED = operations/test_overview admin_config/test_own_agents admin_config/test_assistants accounts/test_sign_on \
	admin_config/test_agent_page admin_config/test_shared_agents admin_config/test_two_admins runs/test_evaluations \
	admin_config/test_publishing runs/test_replays runs/test_runs
pictures:
	@"$(PYTHON)" -m tools.bootstrap test
	@SHOTS=docs/screenshots $(IN_VENV) -m pytest $(addsuffix .py,$(addprefix tests/e2e/,$(PICTURED))) $(ARGS)

soak:
	@"$(PYTHON)" -m tools.bootstrap test
	@$(IN_VENV) -m tests.system.soak $(ARGS)

crash-trials:
	@"$(PYTHON)" -m tools.bootstrap test
	@$(IN_VENV) -m tests.system.crash.trials $(ARGS)

lint:
	@"$(PYTHON)" -m tools.bootstrap test
	@$(IN_VENV) -m ruff check .
	@$(IN_VENV) -m ruff format --check .
	@$(CHECK_ENV) $(IN_VENV) -m mypy
	@$(IN_VENV) -c "from importlinter.cli import lint_imports_command; lint_imports_command()" --no-cache
	@$(IN_VENV) -m tools.frontend npm run --silent typecheck

format:
	@"$(PYTHON)" -m tools.bootstrap test
	@$(IN_VENV) -m ruff check --fix-only .
	@$(IN_VENV) -m ruff format .

messages:
	@"$(PYTHON)" -m tools.bootstrap test
	@$(IN_VENV) -m tools.messages

types:
	@"$(PYTHON)" -m tools.bootstrap test
	@$(CHECK_ENV) $(IN_VENV) -m tools.browser_types

supply:
	@"$(PYTHON)" -m tools.bootstrap test
	@$(IN_VENV) -m tools.supply

lock:
	@"$(PYTHON)" -m tools.bootstrap test
	@$(IN_VENV) -m tools.lock

bench:
	@"$(PYTHON)" -m tools.bootstrap run
	@$(IN_VENV) -m bench $(ARGS)

bench-engine:
	@"$(PYTHON)" -m tools.bootstrap run
	@$(IN_VENV) -m bench.engine $(ARGS)
