"""Neither a person's settings of git nor the variables of a hook change what is read."""

import os
import sys
from pathlib import Path
from typing import Any

import pytest

from modular.git.history import History
from modular.git.repository import (
    changed_since,
    is_shallow,
    list_files,
    merge_files,
    path_in_repository,
    read_texts_at,
    resolve_commit,
)
from tests.repository import MODELS, Repository, make


LONE = "models/lone/modular_lone.py"
LONG_AGO = 1_000_000_000
"""A time of a file, in seconds."""

COMMANDS = [
    ("check", "--since", "start", "--output-format", "json"),
    ("check", "--since", "HEAD", "--diff"),
    ("impact", "--since", "start"),
    ("drift",),
]
SETTINGS = """
    color.ui = always
    color.diff = always
    column.ui = always
    core.abbrev = 5
    core.attributesFile = ATTRIBUTES
    core.autocrlf = true
    core.autocrlf = input
    core.checkStat = minimal
    core.eol = crlf
    core.excludesFile = IGNORED
    core.fileMode = false
    core.ignoreCase = true
    core.ignoreStat = true
    core.pager = false
    core.quotePath = false
    core.safecrlf = true
    core.symlinks = false
    core.trustctime = false
    core.untrackedCache = true
    core.useReplaceRefs = false
    diff.algorithm = patience
    diff.autoRefreshIndex = false
    diff.context = 0
    diff.external = false
    diff.ignoreSubmodules = all
    diff.interHunkContext = 9
    diff.mnemonicPrefix = true
    diff.noprefix = true
    diff.orderFile = ORDER
    diff.orderFile = /missing
    diff.relative = true
    diff.renames = copies
    diff.submodule = log
    diff.wordRegex = .
    format.pretty = oneline
    i18n.commitEncoding = latin-1
    i18n.logOutputEncoding = UTF-16
    index.sparse = true
    log.abbrevCommit = true
    log.date = relative
    log.decorate = full
    log.diffMerges = combined
    log.follow = true
    log.mailmap = true
    log.showRoot = false
    log.showSignature = true
    merge.renames = false
    status.showUntrackedFiles = no
    submodule.recurse = true
"""
"""Settings of git, one a line. Names in capitals are files that the test writes."""

GROUPS = 10
"""How many tests share the settings. Settings that are close to each other are in different groups."""


def read_settings() -> list[tuple[str, str]]:
    """Return the names and values of the settings."""
    settings = []
    for line in SETTINGS.strip().splitlines():
        name, value = line.split(" = ")
        settings.append((name.strip(), value))
    return settings


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    """A project in a subfolder, with a merge, renames, and changes of each kind."""
    repository = make(tmp_path_factory.mktemp("git") / "project")
    start = {f"python/{path}": text for path, text in MODELS.items()}
    repository.write({**start, "python/old.py": "old = 1\n" * 9})
    repository.commit()
    repository.git("tag", "start")

    repository.git("switch", "--quiet", "--create", "mine")
    repository.git("mv", "python/old.py", "python/new.py")
    repository.write({f"python/{LONE}": "class LoneLeaf:\n    size = 2\n"})
    repository.git("add", "--all")
    repository.git("commit", "--quiet", "--message", "größer")
    repository.git("switch", "--quiet", "main")
    elder = "python/models/elder/modeling_elder.py"
    repository.write({elder: "class ElderLeaf:\n    size = 3\n"})
    os.utime(repository.root / elder, (LONG_AGO, LONG_AGO))
    repository.commit()
    repository.git("merge", "--quiet", "--no-edit", "mine")

    text = repository.git("rev-parse", f"start:python/{LONE}").stdout.strip()
    other = repository.git("rev-parse", "start:python/old.py").stdout.strip()
    repository.git("replace", text, other)

    # A file that is only touched, with other line ends, renamed, staged, untracked.
    young = repository.root / "python/models/young/modeling_young.py"
    young.write_bytes(young.read_bytes())
    grown = repository.root / "python/models/grown/modeling_grown.py"
    grown.write_bytes(grown.read_bytes().replace(b"\n", b"\r\n"))
    repository.git("mv", "python/new.py", "python/newest.py")
    repository.write({"python/models/staged.py": "", "above.py": ""})
    repository.git("add", "python/models/staged.py", "above.py")
    repository.write({"python/models/untracked.py": "", "python/models/Lone/x.py": ""})
    # Git sees the change of this file only by the time of its inode.
    repository.write({elder: "class ElderLeaf:\n    size = 4\n"})
    os.utime(repository.root / elder, (LONG_AGO, LONG_AGO))
    return repository


def read_everything(repository: Repository, folder: Path) -> dict[str, Any]:
    """Return what git says about a project, and what the commands say that ask it.

    Args:
        repository: The repository.
        folder: An empty folder for files to merge.
    """
    root = repository.root / "python"
    start = resolve_commit(root, "start")
    history = History(root, [LONE])
    results: dict[str, Any] = {
        "changed": changed_since(root, "start"),
        "commits": history.commits(LONE),
        "commits above": History(repository.root, [LONE]).commits(LONE),
        "commits of a renamed file": History(root, ["new.py"]).commits("new.py"),
        "texts": list(history.texts(LONE, history.commits(LONE))),
        "files": list_files(root, start),
        "texts at start": read_texts_at(root, "start", [LONE, "missing.py"]),
        "folder": path_in_repository(root),
        "shallow": is_shallow(root),
    }
    texts = {"ours": "a\nb\nc\n1\n", "base": "a\nb\nc\n", "theirs": "0\na\nb\nc\n"}
    for name, text in texts.items():
        (folder / name).write_text(text)
    files = [folder / name for name in texts]
    results["merged"] = merge_files(*files)
    for command in COMMANDS:
        done = repository.modular(*command, folder="python")
        results[" ".join(command)] = (done.returncode, done.stdout, done.stderr)
    return results


@pytest.fixture(scope="module")
def expected(
    repository: Repository, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Any]:
    """Everything that is read with no settings."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
        results = read_everything(repository, tmp_path_factory.mktemp("merge"))
    assert results["changed"] == (
        "../above.py",
        "models/Lone/x.py",
        "models/elder/modeling_elder.py",
        "models/grown/modeling_grown.py",
        "models/lone/modular_lone.py",
        "models/staged.py",
        "models/untracked.py",
        "newest.py",
        "old.py",
    )
    titles = [commit.title for commit in results["commits"]]
    assert titles == ["Merge branch 'mine'", "all"]
    assert results["check --since start --output-format json"][0] == 1
    return results


@pytest.mark.parametrize("group", range(GROUPS))
def test_settings_of_git_change_nothing(
    repository: Repository,
    expected: dict[str, Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    group: int,
) -> None:
    files = {
        "ATTRIBUTES": "*.py -diff text eol=crlf working-tree-encoding=UTF-16 ident\n",
        "IGNORED": "*.py\n",
        "ORDER": "*.md\n",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    lines = []
    for name, value in read_settings()[group::GROUPS]:
        section, _, key = name.partition(".")
        if value in files:
            value = str(tmp_path / value)
        lines.append(f"[{section}]\n\t{key} = {value}\n")
    configuration = tmp_path / "gitconfig"
    configuration.write_text("".join(lines))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(configuration))
    monkeypatch.setattr(
        Repository,
        "environment",
        {**repository.environment, "GIT_CONFIG_GLOBAL": str(configuration)},
    )
    assert read_everything(repository, tmp_path) == expected, lines


@pytest.fixture
def linked(repository: Repository, tmp_path: Path) -> Repository:
    """A linked worktree of the repository, with a change."""
    root = tmp_path / "linked"
    repository.git("worktree", "add", "--quiet", "--detach", str(root))
    linked = Repository(root)
    linked.write({f"python/{LONE}": "class LoneLeaf:\n    size = 5\n"})
    return linked


@pytest.mark.parametrize(
    "variables",
    [
        {"GIT_DIR": "FOLDER"},
        {"GIT_DIR": "FOLDER", "GIT_WORK_TREE": "."},
        {
            "GIT_DIR": "FOLDER",
            "GIT_INDEX_FILE": "FOLDER/index",
            "GIT_PREFIX": "python/",
        },
        {"GIT_DIR": ".git", "GIT_INDEX_FILE": ".git/index"},
        {"GIT_COMMON_DIR": "/missing"},
        {"GIT_INDEX_FILE": "/missing"},
        {"GIT_OBJECT_DIRECTORY": "/missing"},
        {"GIT_WORK_TREE": "/"},
        {"GIT_LITERAL_PATHSPECS": "1"},
        {"GIT_ICASE_PATHSPECS": "1"},
        {"GIT_NO_REPLACE_OBJECTS": "1"},
        {"GIT_EXTERNAL_DIFF": "false"},
        {"GIT_DIFF_OPTS": "-u0"},
        {"GIT_TRACE": "TRACE"},
    ],
    ids=" ".join,
)
def test_the_variables_of_a_hook_change_nothing(
    linked: Repository,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    variables: dict[str, str],
) -> None:
    expected = read_everything(linked, tmp_path)
    assert LONE in expected["changed"]
    folder = linked.git("rev-parse", "--absolute-git-dir").stdout.strip()
    trace = tmp_path / "trace"
    environment = linked.environment
    for name, value in variables.items():
        value = value.replace("FOLDER", folder).replace("TRACE", str(trace))
        monkeypatch.setenv(name, value)
        environment[name] = value
    monkeypatch.setattr(Repository, "environment", environment)
    assert read_everything(linked, tmp_path) == expected
    assert not trace.exists()


def test_a_hook_of_a_linked_worktree_sees_only_what_changed(linked: Repository) -> None:
    """Git sets GIT_DIR there, and no GIT_WORK_TREE."""
    command = f"{sys.executable} -m modular impact"
    hooks = linked.git("rev-parse", "--git-path", "hooks").stdout.strip()
    hook = Path(hooks) / "pre-commit"
    text = f"#!/bin/sh\ncd python && {command} > ../output\n"
    hook.write_text(text, encoding="utf-8")
    hook.chmod(0o755)
    try:
        linked.git("commit", "--quiet", "--all", "--message", "five")
    finally:
        hook.unlink()
    lines = linked.read("output").splitlines()
    assert lines[-1] == "1 file of 1 model would change: +1 -1, 1 cause"


def test_a_change_that_git_was_told_not_to_look_for_counts(tmp_path: Path) -> None:
    repository = make(tmp_path / "project")
    repository.git("update-index", "--assume-unchanged", LONE)
    elder = "models/elder/modeling_elder.py"
    repository.git("update-index", "--skip-worktree", elder)
    assert changed_since(repository.root / "models", "HEAD") == (
        "elder/modeling_elder.py",
        "lone/modular_lone.py",
    )
    (repository.root / elder).unlink()
    assert changed_since(repository.root, "HEAD") == (LONE,)
