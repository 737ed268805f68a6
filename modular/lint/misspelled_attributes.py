"""A rule for attributes that are misspelt by one letter."""

import re

import libcst as cst

from modular.lint.bases import bases_lack, find_ancestors
from modular.lint.misspellings import find_meant_name
from modular.lint.rule import LintRule
from modular.rules.files.drafts import DraftStatement
from modular.source.diagnostics import Problem
from modular.source.reads import assigned, deleted
from modular.source.source_slice import find_word, has_word
from modular.source.trees import dotted_name


_CONFIG = "Config"

# Trees are built only for attributes that seem to be misspelt.
_ATTRIBUTE_OF_SELF = re.compile(r"self\.(\w+)( =|:|,)?")
"""An attribute of `self`, and the text after it if it may be assigned."""

_READ_OF_CONFIG = re.compile(r"config\.(\w+)")


class MisspelledAttribute(LintRule):
    """An attribute does not exist, but one with almost the same name does.

    The modular file reads an attribute of `self`, or of its configuration, that nothing
    defines. Its name differs by one letter from that of an existing attribute, so it is
    probably misspelt. The code fails when it runs.

    Write the name of the existing attribute.

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from ..llama.modeling_llama import LlamaMLP


    class OlmoMLP(LlamaMLP):
        def forward(self, x):
            return 2 * self.up_porj(x)
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:6:25: `OlmoMLP` has no attribute `up_porj`; did you mean `up_proj`?
    hint: write `up_proj`
    ```

    Fixed `models/olmo/modular_olmo.py`:

    ```python
    from ..llama.modeling_llama import LlamaMLP


    class OlmoMLP(LlamaMLP):
        def forward(self, x):
            return 2 * self.up_proj(x)
    ```

    Given `models/siglip/configuration_siglip.py`:

    ```python
    class SiglipConfig:
        model_type = "siglip"
        hidden_size: int = 64
    ```

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from torch import nn

    from ..siglip.configuration_siglip import SiglipConfig


    class OlmoConfig(SiglipConfig):
        pass


    class OlmoHead(nn.Module):
        def __init__(self, config: OlmoConfig):
            super().__init__()
            self.size = config.hiden_size
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:13:28: `OlmoConfig` has no attribute `hiden_size`; did you mean `hidden_size`?
    hint: write `hidden_size`
    ```

    Fixed `models/olmo/modular_olmo.py`:

    ```python
    from torch import nn

    from ..siglip.configuration_siglip import SiglipConfig


    class OlmoConfig(SiglipConfig):
        pass


    class OlmoHead(nn.Module):
        def __init__(self, config: OlmoConfig):
            super().__init__()
            self.size = config.hidden_size
    ```

    Valid `models/olmo/modular_olmo.py`:

    ```python
    from ..llama.modeling_llama import LlamaMLP


    class OlmoMLP(LlamaMLP):
        def forward(self, x):
            return 2 * self.up_proj(x)
    ```
    """

    code = Problem.MISSPELLED_ATTRIBUTE
    message = "`{owner}` has no attribute `{name}`; did you mean `{meant}`?"
    hint = "write `{meant}`"

    def check(self) -> None:
        """Check the attributes of `self` and `config` that the classes of the modular file read."""
        for name, definition in self.modular.definitions.classes.items():
            generated_class = self.context.generated.get(name)
            if generated_class is None:
                continue
            # The class in the modular file, without its strings and comments.
            modular_code = definition.statement.code.mask
            self._check_reads_of_self(generated_class, modular_code)
            # In a configuration class, `config` may be anything, such as a dictionary.
            if not name.endswith(_CONFIG):
                self._check_reads_of_config(generated_class, modular_code)

    def _check_reads_of_self(self, class_: DraftStatement, modular_code: str) -> None:
        """Check the attributes of `self` that a class reads and does not seem to set.

        In `self.size = self.up_porj(x)`, this is `up_porj`.

        Args:
            class_: The generated class.
            modular_code: The class in the modular file, without strings and comments.
        """
        stored: set[str] = set()
        read: set[str] = set()
        # The pattern gives the text ` =`, `:` or `,` behind the attribute, if any.
        for attribute, text_after in _ATTRIBUTE_OF_SELF.findall(modular_code):
            # `self.size = 8`, `self.size: int` and `self.size, x = y` may set it.
            if text_after:
                stored.add(attribute)
            else:
                read.add(attribute)
        for attribute in sorted(read - stored):
            # The same slip is unlikely in two classes.
            if self._is_in_one_definition(attribute):
                self._check_self(class_, modular_code, attribute)

    def _check_reads_of_config(self, class_: DraftStatement, modular_code: str) -> None:
        """Check the attributes of `config` that a class reads.

        In `self.size = config.hiden_size`, this is `hiden_size`.

        Args:
            class_: The generated class.
            modular_code: The class in the modular file, without strings and comments.
        """
        for attribute in sorted(set(_READ_OF_CONFIG.findall(modular_code))):
            # The same slip is unlikely in two classes.
            if self._is_in_one_definition(attribute):
                self._check_config(class_, attribute)

    def _is_in_one_definition(self, name: str) -> bool:
        """Whether only one generated class, function or assignment contains a name.

        A name in several definitions is hardly misspelt.
        """
        generated = self.context.generated.values()
        definitions = [item for item in generated if name in item.words]
        return len(definitions) == 1

    def _check_self(self, class_: DraftStatement, modular_code: str, name: str) -> None:
        """Report an attribute of `self` that its class lacks if the class has a similar one.

        A class that reads `self.up_porj` is reported if it has an attribute `up_proj`, and
        does not seem to get `up_porj` from a method, inherited code, a string or a base.

        Args:
            class_: The generated class.
            modular_code: The class in the modular file, without strings and comments.
            name: An attribute that the class reads and does not assign, `up_porj`.
        """
        # Quick tests come first. The bases, whose files must be read, come last.
        is_method = f"def {name}(" in modular_code
        if is_method or self._is_in_inherited_code(class_, name):
            return
        # The words of a class are its attributes, but also its variables and so on.
        similar = find_meant_name(name, sorted(class_.words - {name}))
        if not similar:
            return
        text, mask = class_.code.text, class_.code.mask
        is_attribute = f"self.{similar}" in mask or f"def {similar}(" in mask
        # The mask has no strings. `setattr(self, "up_porj", 8)` may define the attribute.
        count_in_code = len(list(find_word(mask, name)))
        is_in_string = len(list(find_word(text, name))) > count_in_code
        if not is_attribute or is_in_string:
            return
        # True only if all bases can be read, and none defines the attribute.
        is_missing_in_bases = bases_lack(self.context, class_.name, name)
        if is_missing_in_bases:
            self._report_first_read(class_, f"self.{name}", class_.name, name, similar)

    def _is_in_inherited_code(self, class_: DraftStatement, name: str) -> bool:
        """Whether the code that a class has from its parent class contains a name."""
        for part in class_.parts:
            if not self.context.is_from_modular(part.code) and name in part.code.mask:
                return True
        return False

    def _check_config(self, class_: DraftStatement, name: str) -> None:
        """Report an attribute of `config` that no configuration has, if one has a similar field.

        `config.hiden_size` is reported if `OlmoConfig` has a field `hidden_size`. The
        finding names the first configuration with a similar field.

        Args:
            class_: The generated class that reads the attribute.
            name: The attribute, `hiden_size`.
        """
        generated = self.context.generated
        configs = [item for item in generated if item.endswith(_CONFIG)]
        for config in configs:
            # The identifiers in the class include its fields.
            similar = find_meant_name(name, sorted(generated[config].words))
            if not similar:
                continue
            # `config` may be an object of any of the classes. Their bases are read only for
            # the few names that seem to be misspelt, because reading is slow.
            if not any(self._may_have_field(other, name) for other in configs):
                self._report_first_read(class_, f"config.{name}", config, name, similar)
            return

    def _may_have_field(self, config: str, name: str) -> bool:
        """Whether a generated configuration class or one of its bases may define a field."""
        # Words in strings count, too: `setattr(self, "size", 8)` defines `size`.
        if has_word(self.context.generated[config].code.text, name):
            return True
        for base in find_ancestors(self.context, config):
            if base.view is not None:
                if name in base.view.statement.words:
                    return True
            elif base.name != "object":
                # The code of the base cannot be read, so the base may have any field.
                # `object` has no code either, but no fields.
                return True
        return False

    def _report_first_read(
        self,
        class_: DraftStatement,
        expression: str,
        owner: str,
        name: str,
        similar: str,
    ) -> None:
        """Report the first read of an attribute in the modular file.

        Nothing is reported if the class seems to set or delete the attribute.

        Args:
            class_: The generated class that reads the attribute.
            expression: The attribute with its object, such as `config.hiden_size`.
            owner: The class that should have the attribute.
            name: The attribute, `hiden_size`.
            similar: The attribute that exists, `hidden_size`.
        """
        statement = self.modular.definitions.classes[class_.name].statement
        first_read = None
        for node in self.walk(statement.bare_code):
            for target in (*assigned(node), *deleted(node)):
                # Setting `my_config.hiden_size` counts, because `my_config` may be the
                # same object as `config`.
                if dotted_name(target).endswith(expression):
                    return
            if first_read is None and isinstance(node, cst.Attribute):
                # Reading `self.config.hiden_size` counts. Reading `my_config.hiden_size`
                # does not, because `my_config` may be another object.
                if _ends_with_names(dotted_name(node), expression):
                    first_read = node
        if first_read is not None:
            self.report(
                first_read.attr,
                replacement=similar,
                owner=owner,
                name=name,
                meant=similar,
            )


def _ends_with_names(dotted: str, ending: str) -> bool:
    """Whether a dotted name ends with whole names, as `self.config.size` with `config.size`."""
    return f".{dotted}".endswith(f".{ending}")
