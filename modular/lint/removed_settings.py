"""Attributes that are removed from a configuration while a class of the model still reads them of it."""

import re

import libcst as cst

from modular.flatten.flattened import Flattened
from modular.lint.bases import bases_lack
from modular.lint.rule import LintRule
from modular.lint.subject import Subject
from modular.lint.syntax import Syntax
from modular.rules.classes import class_attributes
from modular.rules.drafts import Node
from modular.source import fixes
from modular.source.blocks import Statement
from modular.source.code import generated, has_word
from modular.source.diagnostics import Place, Problem
from modular.source.places import place_at, place_of_word
from modular.source.trees import plainly


_CONFIG = "Config"
_HOLDERS = ("config", "self.config")
_SELF = "self."


class RemovedSettingRead(LintRule):
    """A class reads what was removed from its configuration.

    The configuration loses an attribute that it would inherit, and nothing else provides it. A class of the model, whose only
    configuration this is, still reads it; the code fails when that runs.

    Use instead an override of what reads it, or keep the attribute.

    Given `models/siglip/configuration_siglip.py`:

    ```python
    class SiglipConfig:
        model_type = "siglip"
        bias: bool = False
    ```

    Given `models/siglip/modeling_siglip.py`:

    ```python
    from .configuration_siglip import SiglipConfig


    class SiglipModel:
        def __init__(self, config: SiglipConfig):
            self.bias = config.bias
    ```

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from ..siglip.configuration_siglip import SiglipConfig
    from ..siglip.modeling_siglip import SiglipModel


    class OlmoConfig(SiglipConfig):
        bias = AttributeError()


    class OlmoModel(SiglipModel):
        pass
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:6:5: `bias` is removed from `OlmoConfig`, but `OlmoModel` still reads it
    hint: override what reads it in `OlmoModel`, or keep `bias`
    ```

    Fixed `models/olmo/modular_olmo.py`:

    ```python
    from ..siglip.configuration_siglip import SiglipConfig
    from ..siglip.modeling_siglip import SiglipModel


    class OlmoConfig(SiglipConfig):
        pass


    class OlmoModel(SiglipModel):
        pass
    ```

    Valid `models/olmo/modular_olmo.py`:

    ```python
    from ..siglip.configuration_siglip import SiglipConfig
    from ..siglip.modeling_siglip import SiglipModel


    class OlmoConfig(SiglipConfig):
        bias = AttributeError()


    class OlmoModel(SiglipModel):
        def __init__(self, config: OlmoConfig):
            self.bias = False
    ```
    """

    code = Problem.REMOVED_SETTING_READ
    message = "`{setting}` is removed from `{config}`, but `{reader}` still reads it"
    hint = "override what reads it in `{reader}`, or keep `{setting}`"

    def check_class(self, flat: Flattened) -> None:
        """Look for classes that are known to have this configuration, and read what is removed and not provided otherwise."""
        config = flat.own.name
        for name, statement in _removed(flat).items() if config.endswith(_CONFIG) else ():
            reader = _reader(self.subject, config, name)
            if reader is not None and not _is_provided(self.subject, flat, name):
                node, place = reader
                kept = fixes.take_out(statement, f"Keep `{name}`", flat.own.body.statements == (statement,))
                at = place_of_word(statement.own, name)
                self.report(at, kept, related=place, setting=name, config=config, reader=node.name)


def _removed(flat: Flattened) -> dict[str, Statement]:
    """The attributes that a configuration loses: of the class, and those that its methods set."""
    own = flat.attributes
    inherited = flat.inherited_attributes
    removed = {
        name: statement
        for name, statement in own.items()
        if class_attributes.is_removal(statement) and name in inherited
    }
    return removed | {target.removeprefix(_SELF): statement for target, statement in flat.deleted.items()}


def _is_provided(subject: Subject, flat: Flattened, name: str) -> bool:
    """Whether the configuration may have an attribute all the same: from a base, a property, a table of other names."""
    codes = (part.code for part in flat.parts if name in part.code.text)
    if any(has_word(code.normal(), name) for code in codes):
        return True
    return not bases_lack(subject, flat.own.name, name)


def _reader(subject: Subject, config: str, name: str) -> tuple[Node, Place] | None:
    """The first class that has this configuration and reads the attribute of it, and where it does."""
    for draft in subject.layout.drafts.values():
        for node in draft.nodes.values():
            if name in node.words and config in node.words and node.name != config:
                place = _place(node, name)
                if place is not None and _reads(node, config, name):
                    return node, place
    return None


def _place(node: Node, name: str) -> Place | None:
    """The first place where something like `config.name` is written; where there is none, nothing has to be read."""
    for code in (part.code for part in node.parts):
        if match := re.search(rf"(?<!\w)config\s*\.\s*({re.escape(name)})(?!\w)", code.mask):
            return place_at(code, match.start(), match.end() - match.start())
    return None


def _reads(node: Node, config: str, name: str) -> bool:
    """Whether a class whose only configuration is the one given reads an attribute of it, and never asks whether it is there."""
    text = "".join(part.code.text for part in node.parts)
    syntax = Syntax.read(generated(text, "", 1)) if f'"{name}"' not in text else None
    if syntax is None or not isinstance(syntax.node, cst.ClassDef):
        return False
    reads = False
    annotated = set()
    for part in syntax.walk():
        if isinstance(part, cst.Param | cst.AnnAssign) and part.annotation is not None:
            target = part.name if isinstance(part, cst.Param) else part.target
            if plainly(target) in _HOLDERS:
                annotated.add(plainly(part.annotation.annotation))
        elif isinstance(part, cst.AssignTarget | cst.AnnAssign) and _is_of_config(part.target, name):
            return False
        elif isinstance(part, cst.Attribute) and _is_of_config(part, name):
            reads = True
    return reads and annotated == {config}


def _is_of_config(node: cst.CSTNode, name: str) -> bool:
    """Whether a node is the attribute of a configuration."""
    return isinstance(node, cst.Attribute) and node.attr.value == name and plainly(node.value) in _HOLDERS
