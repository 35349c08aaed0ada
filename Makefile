# Every target works without an activated environment. One comment line each; `make` alone lists them.
.DEFAULT_GOAL := help
.PHONY: help setup setup-all wheels demo test test-everything current lint build release collect grade feedback report export lab bench bench-growth bench-isolation bench-ordinary pictures vscode train-model train-plays mutants lock clean

EXERCISE ?= attention
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Written last, so that make resumes an interrupted installation.
READY := $(VENV)/.ready
ALL_READY := $(VENV)/.all-ready

# Python keeps what it has compiled: compiling all of nbgrader at each start takes longer than most tests.
unexport PYTHONDONTWRITEBYTECODE
# Nothing here asks questions.
export PIP_NO_INPUT := 1
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# After make wheels, everything is installed from wheels/, without a network.
ifneq ($(wildcard wheels/.ready),)
export PIP_NO_INDEX := 1
export PIP_FIND_LINKS := wheels
export UV_NO_INDEX := 1
export UV_FIND_LINKS := wheels
endif

help: ## list all targets
	@sed -n 's/^\([a-z-]*\):[^#]*## /  make \1 ~/p' $(firstword $(MAKEFILE_LIST)) | while IFS='~' read -r target about; do printf '%-24s %s\n' "$$target" "$$about"; done
	@echo 'Targets for one exercise take EXERCISE=name; now it is $(EXERCISE).'

setup: $(READY) ## install everything that the kit needs into .venv; the command is .venv/bin/autograder
	@:

$(READY): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' || { echo 'make: $(PYTHON): missing, or older than 3.10; run make setup PYTHON=python3.11' >&2; exit 2; }
	@$(BIN)/python -m pip --version >/dev/null 2>&1 || $(PYTHON) -m venv --clear $(VENV) || { echo 'make: $(PYTHON): cannot create $(VENV); install python3-venv, or choose another Python with PYTHON=' >&2; exit 2; }
	@echo 'installing into $(VENV): about 100 MB to download, 450 MB on disk'
	@# Only little is compiled here; Python compiles the rest at its first import.
	@$(BIN)/python .ci/install.py requirements.lock
	@touch $(READY)

setup-all: $(ALL_READY) ## also install the packages for tests, PostgreSQL, Dask and sites
	@:

$(ALL_READY): requirements-all.lock $(READY)
	@echo 'installing the packages for tests, PostgreSQL, Dask and sites: about 240 MB to download, 700 MB on disk'
	@$(BIN)/python .ci/install.py requirements-all.lock
	@touch $(ALL_READY)

wheels: ## download all packages into wheels/; after that, make setup and make setup-all need no network
	@$(PYTHON) -m venv build/wheels
	@echo 'downloading packages into wheels/: about 400 MB'
	@for lock in requirements.lock requirements-all.lock; do env -u PIP_NO_INDEX -u PIP_FIND_LINKS build/wheels/bin/python -m pip download -qq --only-binary :all: --require-hashes --requirement $$lock --dest wheels || exit; done
	@touch wheels/.ready
	@du -sh wheels

demo: setup ## release, collect and grade EXERCISE for a sample class, with feedback and report, in build/demo/
	@$(BIN)/python -m demo $(EXERCISE)

test: setup-all ## run the tests that must pass before a change is merged, like make lint; 6 minutes
	$(BIN)/python -m pytest -n auto --dist loadfile --no-loadscope-reorder

test-everything: setup-all ## run the exhaustive tests (make test runs only a sample of them); 50 minutes
	$(BIN)/python -m pytest -n auto --dist loadfile --no-loadscope-reorder -m everything

current: setup ## check that the built notebooks are up to date; make test does this, too
	@$(BIN)/autograder build --check

lint: setup-all ## check types and style
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

build: setup ## write the notebooks of EXERCISE from solutions/EXERCISE.py
	@$(BIN)/autograder build $(EXERCISE)

release: setup ## hand out EXERCISE; DUE="2026-12-01 18:00 Europe/Berlin" sets its due date
	@$(BIN)/autograder release $(EXERCISE) $(if $(DUE),--due "$(DUE)")

collect: setup ## collect EXERCISE from the exchange and from downloads in course/inbox/
	@$(BIN)/autograder collect $(EXERCISE)

grade: setup ## grade the collected submissions into course/gradebook.db
	@$(BIN)/autograder grade $(EXERCISE)

feedback: setup ## write a page for each student
	@$(BIN)/autograder feedback $(EXERCISE)

report: setup ## show the results of the class, and write its page to course/reports/
	@$(BIN)/autograder report $(EXERCISE)

export: setup ## write the scores of EXERCISE for another system; TO=canvas, moodle, …; FILL=the file downloaded from it
	@$(BIN)/autograder export $(EXERCISE) $(if $(TO),--to $(TO)) $(if $(FILL),--fill "$(FILL)")

lab: setup ## open JupyterLab with nbgrader's formgrader on the course
	@$(BIN)/autograder lab

bench: setup-all ## measure how fast a class is graded, compared with stock nbgrader and Otter-Grader; half an hour, less with QUICK=1
	@$(BIN)/python -m benchmarks.bench $(if $(QUICK),--quick)

bench-growth: setup-all ## compare the cost of a submission in classes of 10,000 and of 100; a quarter of an hour
	@$(BIN)/python -m benchmarks.growth

bench-isolation: setup-all ## measure what each isolation level costs per submission
	@$(BIN)/python -m benchmarks.isolation

bench-ordinary: setup-all ## measure how fast assignments of nbgrader's own are graded, compared with nbgrader
	@$(BIN)/python -m benchmarks.ordinary

pictures: setup-all demo ## take the pictures of README.md again, in docs/pictures/
	@$(BIN)/python -m demo.pictures

vscode: setup-all ## open every notebook in VS Code, in a browser: lines of tools above step 1, and pictures; installs code-server into build/vscode/
	@$(BIN)/python -m demo.vscode

train-model: ## train the models of the exercises again, in a .venv of their own; four minutes
	@$(PYTHON) -m venv build/train
	@build/train/bin/python -m pip install -qq '$(CURDIR)[train]'
	@PYTHONPATH=. build/train/bin/python -m models.train $(SEED)
	@echo 'next: make build for each exercise, and make test'

train-plays: ## train the model that writes plays in transformer again, from TEXT; about ten minutes of CPU
	@$(PYTHON) -m venv build/train
	@build/train/bin/python -m pip install -qq '$(CURDIR)[train]'
	@PYTHONPATH=. build/train/bin/python -m models.plays $(TEXT) $(SEED)
	@echo 'next: make build EXERCISE=transformer, and make test'

mutants: ## make new mutants of the solutions of EXERCISE; the tests must catch them
	@$(PYTHON) -m venv build/mutants
	@build/mutants/bin/python -m pip install -qq mutmut==3.8.1 cosmic-ray==8.7.0
	@PYTHONPATH=. build/mutants/bin/python tests/support/mutate.py $(EXERCISE)

LOCK = $(BIN)/uv pip compile --quiet --universal --python-version 3.10 --generate-hashes --no-emit-package autograder-kit --no-header --no-annotate pyproject.toml

lock: setup ## update both lock files from pyproject.toml
	@printf '%s\n' '# Everything that make setup installs, for Python 3.10 and newer; written by make lock.' > requirements.lock.part
	@$(LOCK) --extra teacher --group setup >> requirements.lock.part
	@printf '%s\n' '# Everything that make setup-all installs; what requirements.lock names has the same versions here.' > requirements-all.lock.part
	@$(LOCK) --extra test --group setup --constraint requirements.lock.part >> requirements-all.lock.part
	@mv requirements.lock.part requirements.lock
	@mv requirements-all.lock.part requirements-all.lock

clean: ## remove everything that make created, except wheels/ and the course's data in course/
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find autograder demo tests -name __pycache__ -type d -prune -exec rm -rf {} +
