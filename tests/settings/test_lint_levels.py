"""Tests of `[tool.modular.lint]` and `--strict`."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from textwrap import dedent

import pytest
from click.testing import CliRunner, Result

from modular.cli.main import main
from modular.settings.settings import SettingsError, from_table
from tests.support import statuses, write_project


PARENT = """\
class LlamaMLP:
    def forward(self, x):
        return x


class LlamaNorm:
    eps = 1
"""
MODULAR = """\
from ..llama.modeling_llama import LlamaMLP, LlamaNorm


class {cased}MLP(LlamaMLP):
    def forward(self, x):
        return rotate(x)
"""
"""It has a MOD453 in line 1 and a MOD408 in line 6."""

Check = Callable[..., Result]


@pytest.fixture
def check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Check:
    """Converts a project with the models `olmo` and `aya`, and checks it with these settings and arguments."""
    monkeypatch.setenv("MODULAR_CACHE_DIR", str(tmp_path / "cache"))
    files = {
        "models/llama/modeling_llama.py": PARENT,
        "models/olmo/modular_olmo.py": MODULAR.format(cased="Olmo"),
        "models/aya/modular_aya.py": MODULAR.format(cased="Aya"),
    }

    def run(lint: str = "", *arguments: str) -> Result:
        root = tmp_path / "project"
        write_project(
            root, {**files, "pyproject.toml": f"[tool.modular.lint]\n{dedent(lint)}\n"}
        )
        monkeypatch.chdir(root)
        CliRunner().invoke(main, ["convert"])
        return CliRunner().invoke(
            main,
            ["check", "--output-format", "json", *arguments],
            catch_exceptions=False,
        )

    return run


def found(result: Result) -> Mapping[str, list[str]]:
    """The codes of each model that were reported, and at which level."""
    models: dict[str, list[str]] = {}
    for error in json.loads(result.stdout)["errors"]:
        models.setdefault(error["path"].split("/")[1], []).append(
            f"{error['code']} {error['severity']}"
        )
    return models


BOTH = ["MOD453 warning", "MOD408 error"]


def test_without_settings_warnings_do_not_count(check: Check) -> None:
    done = check('ignore = ["MOD408"]')
    warnings = ["MOD453 warning"]
    assert (found(done), done.exit_code) == ({"aya": warnings, "olmo": warnings}, 0)


def test_a_certain_name_error_counts_and_the_file_is_not_written(check: Check) -> None:
    done = check()
    assert (found(done), done.exit_code) == ({"aya": BOTH, "olmo": BOTH}, 1)
    assert set(statuses(done).values()) == {"missing"}
    assert found(check()) == {"aya": BOTH, "olmo": BOTH}, "also from the cache"


def test_files_with_warnings_that_count_as_errors_are_not_written(check: Check) -> None:
    done = check('error = ["MOD453"]\nwarning = ["MOD408"]')
    expected = ["MOD453 error", "MOD408 warning"]
    assert (found(done), done.exit_code) == ({"aya": expected, "olmo": expected}, 1)
    assert set(statuses(done).values()) == {"missing"}


def test_ignored_warnings_are_not_reported(check: Check) -> None:
    done = check('ignore = ["MOD453"]')
    assert (found(done), done.exit_code) == (
        {"aya": ["MOD408 error"], "olmo": ["MOD408 error"]},
        1,
    )


def test_the_longest_prefix_wins(check: Check) -> None:
    assert found(check('error = ["MOD4"]\nignore = ["MOD453"]'))["olmo"] == [
        "MOD408 error"
    ]
    assert found(check('error = ["MOD453"]\nignore = ["MOD4"]'))["olmo"] == [
        "MOD453 error"
    ]
    assert found(check('error = ["MOD4"]\nignore = ["MOD4"]')) == {}


def test_infos_are_reported_only_with_verbose(check: Check) -> None:
    setting = 'info = ["MOD453"]\nignore = ["MOD408"]'
    done = check(setting)
    assert (found(done), done.exit_code) == ({}, 0)
    infos = ["MOD453 info"]
    done = check(setting, "--verbose")
    assert (found(done), done.exit_code) == ({"aya": infos, "olmo": infos}, 0)


def test_strict_does_not_count_infos(check: Check) -> None:
    done = check('info = ["MOD4"]', "--strict", "--verbose")
    infos = ["MOD453 info", "MOD408 info"]
    assert (found(done), done.exit_code) == ({"aya": infos, "olmo": infos}, 0)


def test_a_certain_error_can_become_a_warning(check: Check) -> None:
    done = check('warning = ["MOD408"]')
    warnings = ["MOD453 warning", "MOD408 warning"]
    assert (found(done), done.exit_code) == ({"aya": warnings, "olmo": warnings}, 0)


def test_the_longest_prefix_wins_between_all_levels(check: Check) -> None:
    done = check('info = ["MOD"]\nwarning = ["MOD4"]\nerror = ["MOD453"]')
    assert found(done)["olmo"] == ["MOD453 error", "MOD408 warning"]


def test_the_lowest_level_wins_if_prefixes_are_the_same(check: Check) -> None:
    done = check('info = ["MOD4"]\nwarning = ["MOD4"]\nerror = ["MOD4"]')
    assert found(done) == {}


def test_warnings_can_be_ignored_in_some_files(check: Check) -> None:
    by_path = '[tool.modular.lint.per-file-ignores]\n"models/a*/*" = ["MOD4"]'
    assert found(check(by_path)) == {"olmo": BOTH}
    by_name = '[tool.modular.lint.per-file-ignores]\n"modular_olmo.py" = ["MOD453"]'
    assert found(check(by_name)) == {"aya": BOTH, "olmo": ["MOD408 error"]}


def test_strict_makes_all_warnings_errors_except_ignored_ones(check: Check) -> None:
    done = check('ignore = ["MOD453"]', "--strict")
    assert (found(done), done.exit_code) == (
        {"aya": ["MOD408 error"], "olmo": ["MOD408 error"]},
        1,
    )
    assert check('ignore = ["MOD4"]', "--strict").exit_code == 0


def test_strict_takes_the_same_results_from_the_cache(
    check: Check, monkeypatch: pytest.MonkeyPatch
) -> None:
    check()
    monkeypatch.setattr("modular.conversion.converter.Converter.convert", None)
    assert found(check("", "--strict"))["olmo"] == ["MOD453 error", "MOD408 error"]


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (
            {"error": ["MOD9"]},
            "tool.modular.lint.error: no finding has a code that begins with 'MOD9'",
        ),
        (
            {"ignore": ["MOD2"]},
            "tool.modular.lint.ignore: no finding has a code that begins with 'MOD2'",
        ),
        (
            {"ignore": [""]},
            "tool.modular.lint.ignore: no finding has a code that begins with ''",
        ),
        ({"warn": []}, "tool.modular.lint.warn: unknown key"),
        (
            {"per-file-ignores": {"a/*": "MOD4"}},
            "tool.modular.lint.per-file-ignores.a/\\*: expected a list of strings",
        ),
        (
            {"per-file-ignores": {"a.py": ["E5"]}},
            "per-file-ignores.a.py: no finding has a code that begins with 'E5'",
        ),
    ],
)
def test_wrong_settings_name_the_key(table: dict[str, object], message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        from_table({"lint": table})
