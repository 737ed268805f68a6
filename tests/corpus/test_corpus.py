"""The judge: converting the 326 modular files of transformers gives its 667 generated files, byte for byte."""

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from bench.corpus import RELEASE
from modular.lint.inspection import RULES
from modular.lint.rule import MEASURED_RELEASE
from modular.source.diagnostics import Problem
from tests.support import statuses


MODULAR_FILES = 326
GENERATED_FILES = 667
FLOOR = int((Path(__file__).parent / "floor.txt").read_text(encoding="utf-8"))


def modular(
    *arguments: str, cwd: Path, cache: Path, seed: str = "0"
) -> subprocess.CompletedProcess[str]:
    environment = {
        **os.environ,
        "MODULAR_CACHE_DIR": str(cache),
        "PYTHONHASHSEED": seed,
    }
    command = [sys.executable, "-m", "modular", *arguments]
    return subprocess.run(
        command,
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="module")
def checked(corpus: Path, cache: Path) -> subprocess.CompletedProcess[str]:
    """One check of everything, from the root, without anything known from before."""
    arguments = ("check", "--verbose", "--output-format", "json")
    return modular(*arguments, cwd=corpus, cache=cache)


def generated_files(corpus: Path) -> list[str]:
    """The files whose banner says that they were generated from a modular file, found without the tool."""
    found = []
    for path in sorted((corpus / "src/transformers/models").glob("*/*.py")):
        head = path.read_text(encoding="utf-8")[:1000]
        if (
            "This file was automatically generated from src/transformers/models/"
            in head
        ):
            found.append(path.relative_to(corpus).as_posix())
    return found


def test_the_corpus_is_what_it_is_said_to_be(corpus: Path) -> None:
    assert (
        len(list((corpus / "src/transformers/models").glob("*/modular_*.py")))
        == MODULAR_FILES
    )
    assert len(generated_files(corpus)) == GENERATED_FILES


def test_every_generated_file_is_identical(
    corpus: Path, checked: subprocess.CompletedProcess[str]
) -> None:
    by_path = statuses(checked)
    assert sorted(by_path) == generated_files(corpus)
    different = {
        path: status for path, status in by_path.items() if status != "identical"
    }
    assert len(by_path) - len(different) >= FLOOR, (
        f"{len(different)} files differ: {different}"
    )
    assert FLOOR == GENERATED_FILES


def test_no_model_is_in_error(checked: subprocess.CompletedProcess[str]) -> None:
    assert checked.returncode == 0
    assert "Traceback" not in checked.stderr
    assert [
        error
        for error in json.loads(checked.stdout)["errors"]
        if error["severity"] == "error"
    ] == []


def test_the_precision_of_each_rule_states_its_findings(
    checked: subprocess.CompletedProcess[str],
) -> None:
    levels = {code.id: code.severity.value for code in Problem}
    findings: Counter[str] = Counter()
    for error in json.loads(checked.stdout)["errors"]:
        # A rule may report some of its findings at a lower level.
        if error["severity"] == levels[error["code"]]:
            findings[error["code"]] += 1
    stated = {rule.code.id: rule.precision.findings for rule in RULES}
    measured = {code: findings[code] for code in stated}
    assert stated == measured
    assert RELEASE.startswith(MEASURED_RELEASE.removeprefix("transformers "))


def test_a_changed_generated_file_is_found(corpus: Path, cache: Path) -> None:
    path = corpus / "src/transformers/models/olmo2/modeling_olmo2.py"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("self.q_norm", "self.query_norm", 1), encoding="utf-8")
    try:
        done = modular("check", "olmo2", cwd=corpus, cache=cache)
    finally:
        path.write_text(text, encoding="utf-8")
    assert done.returncode == 1
    assert "-        self.query_norm = Olmo2RMSNorm(" in done.stdout
    assert "+        self.q_norm = Olmo2RMSNorm(" in done.stdout
