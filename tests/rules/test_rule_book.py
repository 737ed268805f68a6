"""The rule book: every rule is in it, and what is wrong with one is said."""

import subprocess
import sys
from pathlib import Path

import pytest

import modular
from modular.cli import rule_book
from modular.cli.rule_book import RuleTextError, UnknownRuleError


RULES = Path(modular.__file__).parent / "rules"

TEXT = '''"""Shouting: names come out in capitals.

There is nothing more to it.

Parent `models/a/modeling_a.py`:

```python
x = 1
```

Modular `models/b/modular_b.py`:

```python
y = 2
```

Output `models/b/modeling_b.py`:

```python
Y = 2
```

Another one, without a parent:

Modular `models/c/modular_c.py`:

```python
z = 3
```

Output `models/c/modeling_c.py`:

```python
Z = 3
```
"""
'''


def test_every_rule_file_is_in_the_book():
    expected = {path.stem.replace("_", "-") for path in RULES.glob("*/[!_]*.py")} | {"layout"}
    assert {rule.name for rule in rule_book.rules()} == expected


def test_every_rule_has_tests_of_its_own():
    tests = {path.stem.removeprefix("test_").replace("_", "-") for path in Path(__file__).parent.glob("test_*.py")}
    assert {rule.name for rule in rule_book.rules()} - tests == set()


def test_every_rule_says_what_it_is_in_one_line():
    for rule in rule_book.rules():
        assert rule.summary.endswith("."), rule.name
        assert rule.text.splitlines()[1] == "", rule.name


def test_every_rule_has_an_example():
    assert [rule.name for rule in rule_book.rules() if not rule.examples] == []


def test_a_rule_is_read():
    rule = rule_book.read("shouting", TEXT)
    assert rule.name == "shouting"
    assert rule.summary == "Shouting: names come out in capitals."
    assert rule.text.startswith("Shouting: names come out in capitals.\n\nThere is nothing more to it.\n\nParent ")
    first, second = rule.examples
    assert first.files == {"models/a/modeling_a.py": "x = 1\n", "models/b/modular_b.py": "y = 2\n"}
    assert first.outputs == {"models/b/modeling_b.py": "Y = 2\n"}
    assert second.files == {"models/c/modular_c.py": "z = 3\n"}
    assert second.outputs == {"models/c/modeling_c.py": "Z = 3\n"}


@pytest.mark.parametrize("name", ["del-attribute", "del_attribute", "DEL-attribute"])
def test_a_rule_is_found_by_its_name(name):
    assert rule_book.find(name).name == "del-attribute"


def test_an_unknown_rule_names_its_neighbours():
    with pytest.raises(UnknownRuleError, match="no rule `docstring`; there is `docstrings`"):
        rule_book.find("docstring")


def test_a_rule_without_a_docstring():
    with pytest.raises(RuleTextError, match="the rule `silent` has no docstring"):
        rule_book.read("silent", "x = 1\n")


def test_an_example_without_an_output():
    text = TEXT[: TEXT.rindex("Output")] + '"""\n'
    with pytest.raises(RuleTextError, match="the rule `shouting` has no output after its last example"):
        rule_book.read("shouting", text)


def test_code_without_a_title():
    with pytest.raises(RuleTextError, match="the rule `shouting` has code without a title"):
        rule_book.read("shouting", TEXT.replace("Modular `models/c/modular_c.py`:", "Or so:"))


def test_printing_a_rule_imports_nothing_heavy():
    code = "import sys; from modular.cli import rule_book; rule_book.rules(); print('libcst' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
