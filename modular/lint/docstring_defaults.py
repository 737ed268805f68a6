"""A rule for default values that a docstring states wrongly."""

import ast
import re

from modular.lint.rule import LintRule, Precision
from modular.rules.classes.class_attributes import find_attributes
from modular.source.blocks import Statement
from modular.source.definition_view import view_definition
from modular.source.diagnostics import Problem
from modular.source.places import place_at, place_of


_DEFAULTS_TO = "efaults to "
"""The common part of "Defaults to" and "defaults to"."""

_STATED_DEFAULT = re.compile(
    r"^[ \t]*(?P<name>\w+)[ \t]*\([^\n]*?[dD]efaults to [`'\"]*(?P<value>[\w.+-]+)",
    re.MULTILINE,
)
"""A line such as "size (`int`, *optional*, defaults to 8):"."""


class WrongDocstringDefault(LintRule):
    '''A docstring states a default value that is not the value in the class.

    Users read a wrong default value in the docstring. Often, your class sets a new
    value, but inherits a docstring that still states the parent's value. In the
    example, the docstring says 8, but `hidden_size` is 16.

    modular compares only numbers, True and False. It reports nothing if your class
    inherits both the docstring and the value from the parent class.

    Write the right default in the docstring of your class, or correct the value.

    Given `models/siglip/configuration_siglip.py`:

    ```python
    class SiglipConfig:
        r"""
        hidden_size (`int`, *optional*, defaults to 8):
            The width of the layers.
        """

        hidden_size: int = 8
    ```

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from ..siglip.configuration_siglip import SiglipConfig


    class OlmoConfig(SiglipConfig):
        hidden_size: int = 16
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:5:5: the docstring of `OlmoConfig` says that `hidden_size` defaults to 8, but its value is 16
    hint: correct the docstring or the value
    ```

    Valid `models/olmo/modular_olmo.py`:

    ```python
    from ..siglip.configuration_siglip import SiglipConfig


    class OlmoConfig(SiglipConfig):
        r"""
        hidden_size (`int`, *optional*, defaults to 16):
            The width of the layers.
        """

        hidden_size: int = 16
    ```

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from ..siglip.configuration_siglip import SiglipConfig


    class OlmoConfig(SiglipConfig):
        r"""
        hidden_size (`int`, *optional*, defaults to 16):
            The width of the layers.
        """
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:6:49: the docstring of `OlmoConfig` says that `hidden_size` defaults to 16, but its value is 8
    hint: correct the docstring or the value
    ```
    '''

    code = Problem.WRONG_DOCSTRING_DEFAULT
    precision = Precision(findings=14, real=14)
    is_stylistic = True
    message = (
        "the docstring of `{class_name}` says that `{name}` defaults to {stated}, "
        "but its value is {value}"
    )
    hint = "correct the docstring or the value"

    def check(self) -> None:
        """Report docstrings that state a default value that is not the one in the class."""
        for class_name, definition in self.modular.definitions.classes.items():
            merged_class = self.layout.flattened.get(class_name)
            codes = [definition.statement.code]
            if merged_class is not None:
                # The class may inherit the docstring of its parent class.
                codes.append(merged_class.parent.code)
            # Most docstrings have no "Defaults to" or "defaults to"; their classes are not
            # parsed.
            if any(_DEFAULTS_TO in code.text for code in codes):
                self._check_class(class_name, definition.statement)

    def _check_class(self, class_name: str, statement: Statement) -> None:
        """Report the defaults in a class's docstring that differ from its attributes.

        For example, the docstring says "size (`int`, *optional*, defaults to 8)", and
        the class has `size = 16`.

        Args:
            class_name: The class.
            statement: The class in the modular file.
        """
        child = view_definition(statement)
        docstring = child.docstring
        attributes = find_attributes(child.body.statements)
        is_docstring_inherited = docstring is None
        # None if the class has no parent class.
        merged_class = self.layout.flattened.get(class_name)
        if merged_class is not None:
            if is_docstring_inherited:
                # The parent's values are not compared with the parent's docstring: the
                # author of the modular file can change neither.
                docstring = merged_class.parent.docstring
            else:
                attributes = {**merged_class.inherited_attributes, **attributes}
        if docstring is None:
            return

        for match in _STATED_DEFAULT.finditer(docstring.code.text):
            name = match["name"]
            if name not in attributes:
                continue
            attribute = attributes[name].bare_code
            stated = match["value"].rstrip(".")
            value = _read_number(attribute.text.partition("=")[2])
            stated_value = _read_number(stated)
            if value is None or stated_value is None or value == stated_value:
                continue
            # The finding is at what the modular file contains; the other place is related.
            place = place_at(docstring.code, match.start("value"), len(stated))
            related = place_of(attribute)
            if is_docstring_inherited:
                place, related = related, place
            self.report(
                place,
                related=related,
                class_name=class_name,
                name=name,
                stated=stated,
                value=value,
            )


def _read_number(text: str) -> float | None:
    """Return the value of a text such as `4` or `True`; None for another text."""
    try:
        value = ast.literal_eval(text.strip())
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return value if isinstance(value, int | float) else None
