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
    models/olmo/modular_olmo.py:6:25: `OlmoMLP` has no attribute `up_porj`, but `up_proj`
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
    models/olmo/modular_olmo.py:13:28: `OlmoConfig` has no attribute `hiden_size`, but `hidden_size`
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
    message = "`{owner}` has no attribute `{name}`, but `{meant}`"
    hint = "write `{meant}`"

    def check(self) -> None:
        """Check the attributes that the classes of the modular file read."""
        for name, definition in self.modular.definitions.classes.items():
            node = self.context.generated.get(name)
            if node is None:
                continue
            mask = definition.statement.code.mask
            self._check_reads_of_self(node, mask)
            if not name.endswith(_CONFIG):
                for attribute in sorted(set(_READ_OF_CONFIG.findall(mask))):
                    if self._is_rare(attribute):
                        self._check_config(node, attribute)

    def _check_reads_of_self(self, node: DraftStatement, mask: str) -> None:
        """Check the attributes of `self` that a class reads."""
        stored: set[str] = set()
        read: set[str] = set()
        for attribute, end in _ATTRIBUTE_OF_SELF.findall(mask):
            (stored if end else read).add(attribute)
        for attribute in sorted(read - stored):
            if self._is_rare(attribute):
                self._check_self(node, mask, attribute)

    def _is_rare(self, name: str) -> bool:
        """Whether only one generated definition has a name, as one that is misspelt."""
        uses = 0
        for node in self.context.generated.values():
            if name in node.words:
                uses += 1
        return uses == 1

    def _check_self(self, node: DraftStatement, mask: str, name: str) -> None:
        """Check an attribute of `self` that a class reads."""
        if f"def {name}(" in mask or self._is_inherited(node, name):
            return
        meant = find_meant_name(name, sorted(node.words - {name}))
        if not meant or self._is_quoted(node, name):
            return
        if self._is_attribute(node, meant) and bases_lack(
            self.context, node.name, name
        ):
            self._report_reads(node, f"{_SELF}.{name}", node.name, name, meant)

    def _is_inherited(self, node: DraftStatement, name: str) -> bool:
        """Whether the lines of a class from the parent class have a name."""
        for part in node.parts:
            if not self.context.is_from_modular(part.code) and name in part.code.mask:
                return True
        return False

    def _is_attribute(self, node: DraftStatement, name: str) -> bool:
        """Whether a name is that of a method or of an attribute of `self` in a class."""
        for part in node.parts:
            mask = part.code.mask
            if f"{_SELF}.{name}" in mask or f"def {name}(" in mask:
                return True
        return False

    def _is_quoted(self, node: DraftStatement, name: str) -> bool:
        """Whether a class has a name in a string or comment, as functions that set attributes do."""
        return any(
            len(list(find_word(part.code.text, name)))
            > len(list(find_word(part.code.mask, name)))
            for part in node.parts
        )

    def _check_config(self, node: DraftStatement, name: str) -> None:
        """Check an attribute of a configuration that a class reads."""
        configs = [other for other in self.context.generated if other.endswith(_CONFIG)]
        for config in configs:
            meant = find_meant_name(name, sorted(self.context.generated[config].words))
            if meant and not self._has_field(configs, name):
                self._report_reads(node, f"config.{name}", config, name, meant)
                return

    def _has_field(self, configs: list[str], name: str) -> bool:
        """Whether a configuration, or a base of it, may have a field."""
        for config in configs:
            if self._is_quoted(self.context.generated[config], name):
                return True
            for ancestor in find_ancestors(self.context, config):
                if ancestor.view is None and ancestor.name != "object":
                    return True
                if ancestor.view is not None and name in ancestor.view.statement.words:
                    return True
        return False

    def _report_reads(
        self, node: DraftStatement, read: str, owner: str, name: str, meant: str
    ) -> None:
        """Report the first read of an attribute in the modular file, unless a statement sets it."""
        statement = self.modular.definitions.classes[node.name].statement
        first = None
        for found in self.walk(statement.bare_code):
            targets = [*assigned(found), *deleted(found)]
            if any(dotted_name(target).endswith(read) for target in targets):
                return
            if first is None and isinstance(found, cst.Attribute):
                if f".{dotted_name(found)}".endswith(f".{read}"):
                    first = found
        if first is not None:
            self.report(
                first.attr, replacement=meant, owner=owner, name=name, meant=meant
            )
