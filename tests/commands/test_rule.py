"""`modular rule`."""

from collections.abc import Callable

import pytest
from click.testing import Result


Modular = Callable[..., Result]


def test_without_a_name_all_rules_and_codes_are_listed(modular: Modular) -> None:
    lines = modular("rule").stdout.splitlines()
    assert any(line.lstrip().startswith("super-call ") for line in lines)
    assert any("MOD301" in line and "two-parents" in line for line in lines)


@pytest.mark.parametrize("name", ["MOD301", "mod301", "two-parents"])
def test_the_page_of_a_code_is_found_by_its_code_and_name(
    modular: Modular, name: str
) -> None:
    assert modular("rule", name).stdout.startswith("# MOD301 two-parents (error)\n")


def test_an_unknown_name_is_a_usage_error(modular: Modular) -> None:
    done = modular("rule", "two-parent")
    assert done.exit_code == 2
    assert "Did you mean `two-parents`" in done.stderr


def test_a_word_suggests_the_names_that_contain_it(modular: Modular) -> None:
    done = modular("rule", "super")
    assert "`super-call`, `super-kwargs`" in done.stderr
