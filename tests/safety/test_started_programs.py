"""No program that is started runs anything of the project: neither a formatter, nor git, nor another Python."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from modular.git.git import git as git_of_modular
from tests.safety.projects import PACKAGE, environment, make, many_models, state


MARK = "ran"

EVIL = f'import os\n\nopen(os.environ["{MARK}"], "a").close()\n'
SHADOWED = (
    "black/__init__.py",
    "black/__main__.py",
    "click.py",
    "multiprocessing/__init__.py",
    "pathspec.py",
    "pickle.py",
    "platformdirs.py",
    "sitecustomize.py",
    "tomllib.py",
    "typing_extensions.py",
    "usercustomize.py",
)
"""What Python would import for black, or for itself, if it looked into the project."""

BLACK = {"pyproject.toml": '[tool.modular]\nformatter = "black"\n'}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    evil = dict.fromkeys(SHADOWED, EVIL) | {f"src/{name}": EVIL for name in SHADOWED}
    return make(tmp_path / "project", many_models(12, "old") | evil | BLACK)


def ran(root: Path) -> bool:
    return (root.parent / MARK).exists()


def run(root: Path, *command: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a command in the project's folder."""
    return subprocess.run(
        command,
        cwd=root,
        env=environment(root.parent / "cache", **{MARK: str(root.parent / MARK)}, **variables),
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=60,
    )


def modular(root: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run the command as its script does: the current folder is not where Python looks for modules."""
    return run(root, sys.executable, "-P", "-m", "modular", *arguments, **variables)


def test_the_modules_of_the_project_would_be_found_if_anybody_looked(root: Path) -> None:
    run(root, sys.executable, "-m", "black", "--version")
    assert ran(root)


def test_black(root: Path) -> None:
    done = modular(root, "check")
    assert "\n48 missing; " in done.stdout, done
    assert not ran(root)


def test_black_where_the_path_has_the_current_folder(root: Path) -> None:
    """An empty entry means it. Whatever this Python then imports itself, black's does not."""
    for name in SHADOWED:
        if not name.startswith(("black", "pathspec")):
            (root / name).unlink()
    done = modular(root, "check", PYTHONPATH=f"{PACKAGE}{os.pathsep}")
    assert "\n48 missing; " in done.stdout, done
    assert not ran(root)


SPAWNING = """\
from modular.run import pool

if __name__ == "__main__":
    pool.get_all_start_methods = lambda: ["spawn"]
    from modular.cli.main import main

    main(["check", "--no-cache", "--jobs", "2"])
"""


def test_another_python_that_is_started_anew(root: Path) -> None:
    """That is how processes are made where they cannot be copied."""
    (root / "pyproject.toml").write_text('[tool.modular]\nformatter = "none"\n', encoding="utf-8")
    driver = root.parent / "driver.py"
    driver.write_text(SPAWNING, encoding="utf-8")
    done = run(root, sys.executable, str(driver))
    assert "\n48 missing; " in done.stdout, done
    assert not ran(root)


def evil_program(path: Path, program: str = f': >> "${MARK}"; exit 1') -> str:
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{program}\n", encoding="utf-8")
    path.chmod(0o755)
    return str(path)


@pytest.mark.parametrize("program", ["git", "ruff"])
def test_programs_in_the_current_folder(root: Path, program: str) -> None:
    evil_program(root / program)
    git(root, "init")
    modular(root, "check", "--since", "HEAD", PATH=f".{os.pathsep}{os.pathsep}{os.environ['PATH']}")
    code = f"from modular.source.system import machine; print(machine.find_program('{program}'))"
    done = run(root, sys.executable, "-P", "-c", code, PATH=f".{os.pathsep}{os.pathsep}{Path(sys.executable).parent}")
    assert done.stdout.strip() in ("None", str(Path(sys.executable).parent / program)), done
    assert not ran(root)


def git(root: Path, *arguments: str, given: str = "") -> str:
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main")
    return subprocess.run(
        ["git", *identity, *arguments], cwd=root, input=given, check=True, capture_output=True, encoding="utf-8"
    ).stdout


@pytest.fixture
def repository(root: Path) -> Path:
    git(root, "init")
    git(root, "add", ".")
    git(root, "commit", "--message", "all")
    return root


def assert_git_would_run_it(repository: Path, *arguments: str) -> None:
    """Without this a test would prove nothing."""
    assert not ran(repository)
    subprocess.run(["git", *arguments], cwd=repository, env={**os.environ, MARK: str(repository.parent / MARK)})
    assert ran(repository)


def test_what_a_repository_configures(repository: Path) -> None:
    """Its filters, its hooks and its monitor are programs. Git writes nothing, either."""
    evil = f': >> "${MARK}"; cat'
    for name in ("filter.evil.clean", "filter.evil.process", "core.fsmonitor", "core.sshCommand", "diff.evil.command"):
        git(repository, "config", name, evil)
    git(repository, "config", "filter.evil.required", "true")
    git(repository, "config", "diff.evil.textconv", evil)
    (repository / ".git/info/attributes").write_text("* filter=evil diff=evil\n", encoding="utf-8")
    evil_program(repository / ".git/hooks/post-index-change", evil)
    for number in range(12):
        os.utime(repository / f"models/m{number}/modular_m{number}.py", (1, 1))
    before = state(repository)
    done = modular(repository, "check", "--since", "HEAD")
    assert "12 models left out" in done.stderr, done
    assert state(repository) == before
    assert_git_would_run_it(repository, "diff", "HEAD")


def test_a_program_for_signatures(repository: Path) -> None:
    """`git log` starts it for a signed commit, where the repository says that signatures are shown."""
    header, _, message = git(repository, "cat-file", "commit", "HEAD").partition("\n\n")
    signature = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n abc\n -----END PGP SIGNATURE-----"
    signed = git(
        repository, "hash-object", "-t", "commit", "-w", "--stdin", given=f"{header}\n{signature}\n\n{message}"
    )
    git(repository, "update-ref", "HEAD", signed.strip())
    git(repository, "config", "log.showSignature", "true")
    git(repository, "config", "gpg.program", evil_program(repository.parent / "evil"))
    done = modular(repository, "stats", "--history", "--output-format", "json")
    assert signed.strip() in done.stdout, done
    assert_git_would_run_it(repository, "log")


def test_a_program_that_would_fetch_what_is_missing(repository: Path) -> None:
    """The setting for one protocol counts more than the one for all."""
    git(repository, "config", "core.repositoryFormatVersion", "1")
    git(repository, "config", "extensions.partialClone", "origin")
    git(repository, "config", "remote.origin.promisor", "true")
    git(repository, "config", "remote.origin.url", f"ext::{evil_program(repository.parent / 'evil')}")
    git(repository, "config", "protocol.ext.allow", "always")
    blob = git(repository, "rev-parse", "HEAD:models/m1/modular_m1.py").strip()
    (repository / ".git/objects" / blob[:2] / blob[2:]).unlink()
    (repository / "models/m1/modular_m1.py").write_text("size = 2\n", encoding="utf-8")
    modular(repository, "check", "--since", "HEAD")
    assert_git_would_run_it(repository, "cat-file", "-p", blob)


def test_hooks_that_are_configured_by_name(repository: Path) -> None:
    """Newer releases of git know them; the folder of hooks has nothing to do with them."""
    git(repository, "config", "hook.evil.command", evil_program(repository.parent / "evil"))
    git(repository, "config", "hook.evil.event", "post-index-change")
    assert git_of_modular(repository, "config", "hook.evil.enabled") == "false\n"


def test_a_repository_that_is_a_folder_of_another_one(repository: Path) -> None:
    """What is cloned can hold a bare repository, with a configuration of its own."""
    inner = make(repository / "inner", many_models(1, "old"))
    git(inner, "init", "--bare", ".")
    git(inner, "--git-dir", ".", "config", "core.bare", "false")
    git(inner, "--git-dir", ".", "config", "core.worktree", ".")
    git(inner, "--git-dir", ".", "config", "core.fsmonitor", f': >> "${MARK}"; true')
    done = modular(inner, "check", "--since", "HEAD")
    assert "repository" in done.stderr and done.returncode == 2, done
    assert not ran(repository)
