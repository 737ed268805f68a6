"""Random renames, judged by running the code before and after."""

import re
from collections.abc import Mapping
from pathlib import Path
from random import Random

import pytest
from click.testing import CliRunner

from modular.cli.main import main
from tests.refactor.random_projects import random_project, random_target, run_project


def rename_and_compare(root: Path, seed: int) -> str:
    """Rename something in a random project; return `renamed`, `listed` or `refused`.

    `listed` means that comments or strings with the old name are left for review.
    """
    random = Random(seed)
    files = random_project(random)
    old, new = random_target(random, files)
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    run_command("convert", "--root", str(root), "--no-cache", "--jobs", "1")
    texts = read_all(root)
    results = run_project(root)

    exit_code, output = run_command(
        "rename", old, new, "--root", str(root), "--no-cache", "--jobs", "1"
    )
    assert "Traceback" not in output, (seed, output)
    if exit_code != 0:
        assert read_all(root) == texts, (seed, old, new, output)
        return "refused"
    if count_definitions(texts) != count_definitions(read_all(root)):
        # The results below are compared by the places of definitions.
        return "overridden"
    names = renamed_definitions(texts, read_all(root))
    member = (old.split(".")[-1], new)
    expected = {key_after(key, names, member): results[key] for key in results}
    new_results = run_project(root)
    actual = {key_after(key, {}, member): new_results[key] for key in new_results}
    if "not renamed, please review" in output:
        # Objects of unknown classes may need the new name, too.
        return "listed"
    assert actual == expected, (seed, old, new, output)
    return "renamed"


def run_command(*arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(main, arguments, catch_exceptions=False)
    return done.exit_code, done.output


def read_all(root: Path) -> dict[str, str]:
    return {
        str(path.relative_to(root)): path.read_text()
        for path in sorted(root.rglob("*.py"))
    }


def renamed_definitions(
    before: Mapping[str, str], after: Mapping[str, str]
) -> dict[str, str]:
    """Return new dotted names of definitions, which keep their places in each file."""
    names = {}
    for path, text in before.items():
        old_names = definition_names(text)
        new_names = definition_names(after[path])
        for old, new in zip(old_names, new_names, strict=True):
            names[f"{Path(path).stem}.{old}"] = new
    return names


def count_definitions(texts: Mapping[str, str]) -> int:
    return sum(len(definition_names(text)) for text in texts.values())


def definition_names(text: str) -> list[str]:
    return [
        re.split(r"\W", line)[1]
        for line in text.split("\n")
        if line.startswith(("class ", "def "))
    ]


def key_after(key: str, names: Mapping[str, str], member: tuple[str, str]) -> str:
    """Return the key of a result after a rename: module, definition, method."""
    parts = key.split(".")
    parts[1:2] = [names.get(".".join(parts[:2]), part) for part in parts[1:2]]
    parts[2:] = ["*" if part in member else part for part in parts[2:]]
    return ".".join(parts)


def rename_many(root: Path, seeds: range) -> dict[str, int]:
    counts = {"renamed": 0, "listed": 0, "overridden": 0, "refused": 0}
    for seed in seeds:
        folder = root / str(seed)
        counts[rename_and_compare(folder, seed)] += 1
    print(counts)
    return counts


def test_twenty_random_renames_change_no_result(tmp_path: Path) -> None:
    counts = rename_many(tmp_path, range(20))
    assert counts["refused"] < 10


@pytest.mark.slow
def test_thirty_random_renames_change_no_result(tmp_path: Path) -> None:
    counts = rename_many(tmp_path, range(1000, 1030))
    assert counts["refused"] < 15
    assert counts["renamed"] > 6
