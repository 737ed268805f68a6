"""No program that is started runs anything of the project: neither a formatter, nor git, nor another Python."""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from modular.format import formatter_process
from modular.git import repository as git_repository
from modular.git.repository import GitError
from modular.system.machine import find_program
from modular.system.ruff import FormatterError
from tests.repository import commit
from tests.safety.projects import (
    PACKAGE,
    ended,
    environment,
    make,
    many_models,
    start,
    state,
)


MARK = "ran"

EVIL = f'import os\n\nopen(os.environ["{MARK}"], "a").close()\n'
OF_BLACK = ("black/__init__.py", "black/__main__.py", "pathspec.py")
OF_PYTHON = (
    "click.py",
    "multiprocessing/__init__.py",
    "pickle.py",
    "sitecustomize.py",
    "typing_extensions.py",
)
"""What Python would import for black, and for itself or modular, if it looked into the project."""


@pytest.fixture(autouse=True)
def mark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tell what should not run which file it makes."""
    monkeypatch.setenv(MARK, str(tmp_path / MARK))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    evil = {
        f"{folder}{name}": EVIL
        for folder in ("", "src/")
        for name in OF_BLACK + OF_PYTHON
    }
    return make(tmp_path / "project", many_models(12, "old") | evil, "black")


def ran(root: Path) -> bool:
    return (root.parent / MARK).exists()


def test_the_modules_of_the_project_would_be_found_if_anybody_looked(
    root: Path,
) -> None:
    subprocess.run([sys.executable, "-m", "black", "--version"], cwd=root)
    assert ran(root)


@pytest.mark.parametrize("end", ["", os.pathsep])
def test_black(root: Path, end: str) -> None:
    """An empty entry of the path means the current folder. Whatever this Python then imports itself, black's does not."""
    for name in OF_PYTHON if end else ():
        (root / name).unlink()
    done = ended(start(root, "check", PYTHONPATH=f"{PACKAGE}{end}"))
    assert "\n48 missing; " in done.stdout, done
    assert not ran(root)


SPAWNING = """\
from modular.cli.main import main
from modular.run import pool

if __name__ == "__main__":
    pool.get_all_start_methods = lambda: ["spawn"]
    main(["check", "--no-cache", "--jobs", "2"])
"""


def test_another_python_that_is_started_anew(root: Path) -> None:
    """That is how processes are made where they cannot be copied."""
    make(root, {})
    driver = root.parent / "driver.py"
    driver.write_text(SPAWNING, encoding="utf-8")
    environ = environment(root.parent / "cache")
    done = subprocess.run(
        [sys.executable, str(driver)],
        cwd=root,
        env=environ,
        capture_output=True,
        encoding="utf-8",
    )
    assert "\n48 missing; " in done.stdout, done
    assert not ran(root)


def evil_program(path: Path, program: str = f': >> "${MARK}"; exit 1') -> str:
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{program}\n", encoding="utf-8")
    path.chmod(0o755)
    return str(path)


@pytest.mark.parametrize("program", ["git", "ruff"])
def test_programs_in_the_current_folder(
    root: Path, program: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    evil_program(root / program)
    monkeypatch.chdir(root)
    monkeypatch.setenv("PATH", f".{os.pathsep}{os.pathsep}{os.environ['PATH']}")
    ended(start(root, "check", "--since", "HEAD"))
    assert not ran(root)
    assert os.path.isabs(find_program(program) or root)


def test_programs_that_do_not_end_are_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = evil_program(tmp_path / "bin/git", "exec sleep 60")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"), prepend=os.pathsep)
    monkeypatch.setattr(git_repository, "_GIT_TIMEOUT_S", 0.2)
    monkeypatch.setattr(formatter_process, "FORMATTER_TIMEOUT_S", 0.2)
    with pytest.raises(GitError, match="did not answer"):
        git_repository.run_git(tmp_path, "status")
    with pytest.raises(FormatterError, match="did not end"):
        formatter_process.run_formatter([program], [], tmp_path)


def test_a_folder_that_is_called_like_an_option_is_refused_alone(
    tmp_path: Path,
) -> None:
    models = {
        f"models/{name}/modular_{name}.py": "class AModel:\n    pass\n"
        for name in ("--fix", "a")
    }
    root = make(tmp_path / "project", models, "ruff")
    done = ended(start(root, "convert"))
    assert done.returncode == 1 and "begins with `-`" in done.stderr
    assert (root / "models/a/modeling_a.py").exists() and not (
        root / "models/--fix/modeling_--fix.py"
    ).exists()


def git(root: Path, *arguments: str, given: str = "") -> str:
    """Run git in a folder, and return what it prints."""
    return subprocess.run(
        ["git", *arguments],
        cwd=root,
        input=given,
        check=True,
        capture_output=True,
        encoding="utf-8",
    ).stdout


def configure(root: Path, settings: Mapping[str, str]) -> None:
    for name, value in settings.items():
        git(root, "config", name, value)


@pytest.fixture
def repository(root: Path) -> Path:
    commit(root)
    return root


def assert_git_would_run_it(repository: Path, *arguments: str) -> None:
    """Nothing has been run until now. Without the rest a test would prove nothing."""
    assert not ran(repository)
    subprocess.run(["git", *arguments], cwd=repository)
    assert ran(repository)


def test_what_a_repository_configures(repository: Path) -> None:
    """Its filters, its hooks and its monitor are programs. Git writes nothing, either."""
    evil = f': >> "${MARK}"; cat'
    names = (
        "filter.evil.clean",
        "filter.evil.process",
        "core.fsmonitor",
        "diff.evil.command",
        "diff.evil.textconv",
    )
    configure(
        repository, {**dict.fromkeys(names, evil), "filter.evil.required": "true"}
    )
    (repository / ".git/info/attributes").write_text(
        "* filter=evil diff=evil\n", encoding="utf-8"
    )
    evil_program(repository / ".git/hooks/post-index-change", evil)
    for number in range(12):
        os.utime(repository / f"models/m{number}/modular_m{number}.py", (1, 1))
    before = state(repository)
    done = ended(start(repository, "check", "--since", "HEAD"))
    assert "12 models skipped" in done.stderr, done
    assert state(repository) == before
    assert_git_would_run_it(repository, "diff", "HEAD")


def test_a_program_that_would_fetch_what_is_missing(repository: Path) -> None:
    """The setting for one protocol counts more than the one for all."""
    settings = {
        "core.repositoryFormatVersion": "1",
        "extensions.partialClone": "origin",
        "remote.origin.promisor": "true",
        "remote.origin.url": f"ext::{evil_program(repository.parent / 'evil')}",
        "protocol.ext.allow": "always",
    }
    configure(repository, settings)
    blob = git(repository, "rev-parse", "HEAD:models/m1/modular_m1.py").strip()
    (repository / ".git/objects" / blob[:2] / blob[2:]).unlink()
    (repository / "models/m1/modular_m1.py").write_text("size = 2\n", encoding="utf-8")
    ended(start(repository, "check", "--since", "HEAD"))
    assert_git_would_run_it(repository, "cat-file", "-p", blob)


def test_hooks_that_are_configured_by_name(repository: Path) -> None:
    """Newer releases of git know them; the folder of hooks has nothing to do with them."""
    configure(
        repository,
        {"hook.evil.command": "evil", "hook.evil.event": "post-index-change"},
    )
    assert (
        git_repository.run_git(repository, "config", "hook.evil.enabled") == "false\n"
    )
    configure(repository, {"filter.a=b.clean": "evil"})  # no option can turn that off
    with pytest.raises(GitError, match="`=` in its name"):
        git_repository.run_git(repository, "status")


def test_a_repository_that_is_a_folder_of_another_one(repository: Path) -> None:
    """What is cloned can hold a bare repository, with a configuration of its own."""
    inner = make(repository / "inner", many_models(1, "old"))
    git(inner, "init", "--bare", ".")
    for setting in (
        "core.bare=false",
        "core.worktree=.",
        f'core.fsmonitor=: >> "${MARK}"; true',
    ):
        git(inner, "--git-dir", ".", "config", *setting.split("=", 1))
    done = ended(start(inner, "check", "--since", "HEAD"))
    assert "repository" in done.stderr and done.returncode == 2, done
    assert not ran(repository)
