"""A rule for attributes that are misspelt by one letter."""

import re

import libcst as cst

from modular.lint.bases import bases_lack, find_ancestors
from modular.lint.misspellings import find_meant_name
from modular.lint.rule import LintRule
from modular.rules.files.drafts import DraftStatement
from modular.source.diagnostics import Problem
from modular.source.reads import assigned, deleted
from modular.source.source_slice import find_word
from modular.source.trees import dotted_name


_SELF = "self"
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
            mask = definition.statement.code.mask
            self._check_reads_of_self(generated_class, mask)
            # The fields of a configuration class are attributes of `self`. There,
            # `config` may be anything, such as a dictionary.
            if not name.endswith(_CONFIG):
                for attribute in sorted(set(_READ_OF_CONFIG.findall(mask))):
                    if self._is_rare(attribute):
                        self._check_config(generated_class, attribute)

    def _check_reads_of_self(self, class_: DraftStatement, mask: str) -> None:
        """Check the attributes of `self` that a class reads and does not seem to set.

        Args:
            class_: The generated class.
            mask: The code of the class in the modular file, without strings and comments.
        """
        stored: set[str] = set()
        read: set[str] = set()
        # The pattern gives the text ` =`, `:` or `,` behind the attribute, if any.
        for attribute, text_after in _ATTRIBUTE_OF_SELF.findall(mask):
            # `self.size = 8`, `self.size: int` and `self.size, x = y` may set it.
            if text_after:
                stored.add(attribute)
            else:
                read.add(attribute)
        for attribute in sorted(read - stored):
            if self._is_rare(attribute):
                self._check_self(class_, mask, attribute)

    def _is_rare(self, name: str) -> bool:
        """Whether only one generated definition contains a name.

        A name in several definitions is hardly misspelt, so these need not be checked.
        """
        count = 0
        for definition in self.context.generated.values():
            if name in definition.words:
                count += 1
                # Most names are in several definitions. The others need no look.
                if count == 2:
                    return False
        return count == 1

    def _check_self(self, class_: DraftStatement, mask: str, name: str) -> None:
        """Report an attribute of `self` if the class and its bases lack it, but have a similar one.

        Args:
            class_: The generated class.
            mask: The code of the class in the modular file, without strings and comments.
            name: The attribute.
        """
        if f"def {name}(" in mask or self._is_inherited(class_, name):
            return
        meant = find_meant_name(name, sorted(class_.words - {name}))
        if not meant or self._is_quoted(class_, name):
            return
        # The similar word need not be an attribute: it may be a variable.
        has_similar = self._is_attribute(class_, meant)
        if has_similar and bases_lack(self.context, class_.name, name):
            self._report_reads(class_, f"{_SELF}.{name}", class_.name, name, meant)

    def _is_inherited(self, class_: DraftStatement, name: str) -> bool:
        """Whether the inherited code of a class contains a name."""
        for part in class_.parts:
            if not self.context.is_from_modular(part.code) and name in part.code.mask:
                return True
        return False

    def _is_attribute(self, class_: DraftStatement, name: str) -> bool:
        """Whether a class contains `self.name` or defines a method with this name."""
        for part in class_.parts:
            mask = part.code.mask
            if f"{_SELF}.{name}" in mask or f"def {name}(" in mask:
                return True
        return False

    def _is_quoted(self, class_: DraftStatement, name: str) -> bool:
        """Whether a class has a name in a string or comment, as in `setattr(self, "size", 8)`."""
        for part in class_.parts:
            count_in_text = len(list(find_word(part.code.text, name)))
            # The mask has no strings and comments.
            count_in_code = len(list(find_word(part.code.mask, name)))
            if count_in_text > count_in_code:
                return True
        return False

    def _check_config(self, class_: DraftStatement, name: str) -> None:
        """Report an attribute of `config` if no configuration has it, but one has a similar one."""
        generated = self.context.generated
        configs = [config for config in generated if config.endswith(_CONFIG)]
        for config in configs:
            meant = find_meant_name(name, sorted(generated[config].words))
            if meant and not self._has_field(configs, name):
                self._report_reads(class_, f"config.{name}", config, name, meant)
                return

    def _has_field(self, configs: list[str], name: str) -> bool:
        """Whether one of some configurations or a base of it may have a field.

        A base that cannot be read may have any field.
        """
        for config in configs:
            if self._is_quoted(self.context.generated[config], name):
                return True
            for ancestor in find_ancestors(self.context, config):
                if ancestor.view is None:
                    may_have_field = ancestor.name != "object"
                else:
                    may_have_field = name in ancestor.view.statement.words
                if may_have_field:
                    return True
        return False

    def _report_reads(
        self, class_: DraftStatement, read: str, owner: str, name: str, meant: str
    ) -> None:
        """Report the first read of an attribute in the modular file, unless the class sets it.

        Args:
            class_: The generated class that reads the attribute.
            read: The attribute with its object, such as `config.hidden_sise`.
            owner: The class that should have the attribute.
            name: The attribute.
            meant: The similar attribute that exists.
        """
        statement = self.modular.definitions.classes[class_.name].statement
        first_read = None
        for node in self.walk(statement.bare_code):
            for target in (*assigned(node), *deleted(node)):
                # To be on the safe side, `self.my_config.size` counts as `config.size`.
                if dotted_name(target).endswith(read):
                    return
            if first_read is None and isinstance(node, cst.Attribute):
                # The dots keep `my_config.size` from being taken for `config.size`.
                if f".{dotted_name(node)}".endswith(f".{read}"):
                    first_read = node
        if first_read is not None:
            self.report(
                first_read.attr, replacement=meant, owner=owner, name=name, meant=meant
            )
