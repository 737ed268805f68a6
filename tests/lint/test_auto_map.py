"""Entries of `auto_map` in the `config.json` of a Hub repository (MOD477)."""

import json
from pathlib import Path

import pytest

from modular.cache.inputs import affected
from modular.project.opening import open_project
from modular.run import api
from modular.source.diagnostics import Problem, Severity


MODULAR = "class AcmeConfig:\n    size = 1\n\n\nclass AcmeModel:\n    size = 1\n"


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    settings = '[tool.modular]\npreset = "hub"\nformatter = "none"\n'
    (tmp_path / "pyproject.toml").write_text(settings)
    (tmp_path / "modular_acme.py").write_text(MODULAR)
    return tmp_path


def write_auto_map(repository: Path, value: object) -> None:
    text = json.dumps({"auto_map": {"AutoModel": value}}, indent=2)
    (repository / "config.json").write_text(text)


def check(repository: Path) -> list[str]:
    """Return the messages about `auto_map`. Results are cached."""
    report = api.check(options=api.Options(root=repository, jobs=1))
    found = [
        diagnostic
        for diagnostic in report.diagnostics
        if diagnostic.code is Problem.UNKNOWN_NAME_IN_STRING
    ]
    assert {diagnostic.severity for diagnostic in found} <= {Severity.ERROR}
    assert {diagnostic.place.position for diagnostic in found} <= {"config.json:3:18"}
    return [diagnostic.message for diagnostic in found]


def test_a_class_that_is_not_generated_is_an_error_until_the_entry_is_corrected(
    repository: Path,
) -> None:
    write_auto_map(repository, "modeling_acme.AcmeModel")
    assert check(repository) == []

    write_auto_map(repository, "modeling_acme.AcmeHead")
    assert check(repository) == [
        "`auto_map` of `config.json` names `modeling_acme.AcmeHead`, "
        "which `modeling_acme.py` does not define"
    ]

    write_auto_map(repository, "configuration_acme.AcmeConfig")
    assert check(repository) == []


def test_a_file_that_does_not_exist_is_an_error(repository: Path) -> None:
    write_auto_map(repository, "modeling_acne.AcmeModel")
    assert check(repository) == [
        "`auto_map` of `config.json` names `modeling_acne.AcmeModel`, "
        "but there is no file `modeling_acne.py`"
    ]


@pytest.mark.parametrize(
    "value",
    ["me/other--modeling_b.B", [None, "modeling_acme.AcmeModel"], 1, "", "a b.C"],
)
def test_what_cannot_be_judged_is_not_reported(repository: Path, value: object) -> None:
    write_auto_map(repository, value)
    assert check(repository) == []


@pytest.mark.parametrize("text", ["", "[" * 100_000, "[]", '{"auto_map": []}', "\0"])
def test_a_damaged_configuration_is_no_error(repository: Path, text: str) -> None:
    (repository / "config.json").write_text(text)
    assert check(repository) == []


def test_a_change_of_the_configuration_affects_the_model(repository: Path) -> None:
    project = open_project(repository)
    assert affected(project, ["config.json"]) == ("modular_acme.py",)
