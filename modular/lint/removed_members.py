"""What is removed from a class, and read all the same."""

import re
from collections.abc import Sequence

import libcst as cst

from modular.flatten.flattened import Flattened
from modular.lint.bases import bases_lack
from modular.lint.removals import ATTRIBUTE_SETTERS
from modular.lint.rule import LintRule, Syntax
from modular.rules.classes import class_attributes, raising_override
from modular.rules.files.drafts import DraftStatement
from modular.source import fixes
from modular.source.assignments import written_text
from modular.source.blocks import Kind, Statement
from modular.source.definition_view import view_definition
from modular.source.definitions import ModuleBinding, definitions
from modular.source.diagnostics import Place, Problem
from modular.source.places import place_at, place_of_word
from modular.source.reads import assigned, deleted
from modular.source.source_slice import find_word, generated
from modular.source.trees import dotted_name, plainly
from modular.source.trees import walk as walk_nodes
from modular.source.walking import descend, walk


_SELF = "self."
_REMOVED = "`{name}` still uses `{target}`, which is removed here, in {members}"
_PROVIDING = ATTRIBUTE_SETTERS | {"hasattr"}
"""Calls that name an attribute in a string, and after which it is there or was asked for."""

_CONFIG = "Config"
_HOLDERS = ("config", "self.config")


class RemovedMemberUsed(LintRule):
    """A deleted attribute is still read.

    `del self.x` removes the assignment alone. Where another method of the class reads `self.x`, and nothing else gives it a
    value, the generated code fails when that method runs.

    Use instead an override of each method that reads it, or keep the attribute.

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from torch import nn

    from ..llama.modeling_llama import LlamaMLP


    class OlmoMLP(LlamaMLP):
        def __init__(self, config):
            super().__init__(config)
            del self.up_proj
            self.gate_up_proj = nn.Linear(4, 8)
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:9:9: `del self.up_proj` removes only the assignment: `OlmoMLP` still reads `self.up_proj`, in `forward`
    hint: override `forward` as well, or keep `self.up_proj`
    ```

    Fixed `models/olmo/modular_olmo.py`:

    ```python
    from torch import nn

    from ..llama.modeling_llama import LlamaMLP


    class OlmoMLP(LlamaMLP):
        def __init__(self, config):
            super().__init__(config)
            self.gate_up_proj = nn.Linear(4, 8)
    ```

    Valid `models/olmo/modular_olmo.py`:

    ```python
    from torch import nn

    from ..llama.modeling_llama import LlamaMLP


    class OlmoMLP(LlamaMLP):
        def __init__(self, config):
            super().__init__(config)
            del self.up_proj
            self.gate_up_proj = nn.Linear(4, 8)

        def forward(self, x):
            return self.gate_up_proj(x)
    ```

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from ..llama.modeling_llama import LlamaModel


    class OlmoModel(LlamaModel):

        def get_input_embeddings(self):
            raise AttributeError("Olmo has no embeddings")

        def embed(self, x):
            return self.get_input_embeddings()(x)
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:6:5: `OlmoModel` still uses `self.get_input_embeddings`, which is removed here, in `embed`
    hint: override `embed` as well, or keep `self.get_input_embeddings`
    ```

    Fixed `models/olmo/modular_olmo.py`:

    ```python
    from ..llama.modeling_llama import LlamaModel


    class OlmoModel(LlamaModel):

        def embed(self, x):
            return self.get_input_embeddings()(x)
    ```
    """

    code = Problem.REMOVED_STILL_USED
    message = "`del {target}` removes only the assignment: `{name}` still reads `{target}`, in {members}"
    hint = "override {members} as well, or keep `{target}`"

    def check_class(self, flat: Flattened) -> None:
        """Look at what is deleted and what is removed, and is read while nothing provides it."""
        for target, statement in flat.deleted.items():
            self._check_removed(flat, target, statement, "")
        for name, statement in _removed(flat).items():
            self._check_removed(flat, f"{_SELF}{name}", statement, _REMOVED)

    def _check_removed(
        self, flat: Flattened, target: str, statement: Statement, message: str
    ) -> None:
        attribute, name = target.removeprefix(_SELF), flat.child.name
        if target == attribute or not any(
            target in part.code.mask for part in flat.parts
        ):
            return
        file = self.context.file_of(name)
        classes = definitions(self.context.outputs[file.file_type]).classes

        def bases(of: str) -> list[str]:
            return [
                base
                for base in view_definition(classes[of].statement).bases
                if base in classes
            ]

        readings = _readings(classes[name], attribute)
        is_provided = any(
            _readings(classes[base], attribute) is None for base in walk([name], bases)
        )
        if (
            not readings
            or is_provided
            or (message and not bases_lack(self.context, name, attribute))
        ):
            return
        line = file.at_line(readings[0][1])
        assert line is not None, "it was read in this file"
        self.report(
            view_definition(statement).header
            if statement.is_definition
            else statement.own,
            fixes.remove(statement, f"Keep `{target}`"),
            related=place_of_word(line[1], target),
            message=message,
            target=target,
            name=name,
            members=" and ".join(
                dict.fromkeys(f"`{member}`" for member, _ in readings)
            ),
        )


def _removed(flat: Flattened) -> dict[str, Statement]:
    """What a class removes of its parent, by raising or by `AttributeError()`."""
    inherited = flat.inherited_attributes.keys() | flat.inherited.keys()
    removed = {
        name: statement
        for name, statement in flat.attributes.items()
        if class_attributes.is_removal(statement)
    }
    removed |= {
        own.name: own.statement
        for own in flat.overriding.values()
        if raising_override.removes_method(own)
    }
    return {name: statement for name, statement in removed.items() if name in inherited}


def _readings(class_: ModuleBinding, attribute: str) -> list[tuple[str, int]] | None:
    """The members and lines of a class that read an attribute of `self`; None if the class may provide it."""
    readings: list[tuple[str, int]] = []
    for member in view_definition(class_.statement).body.statements:
        is_method = member.kind is Kind.FUNCTION
        if member.name == attribute:
            return None
        for statement in (
            view_definition(member).body.statements if is_method else (member,)
        ):
            if attribute in statement.own.text:
                lines = _lines_reading(statement, attribute, is_method)
                if lines is None:
                    return None
                readings += [(member.name, line) for line in lines]
    return readings


def _lines_reading(
    statement: Statement, attribute: str, is_in_method: bool
) -> list[int] | None:
    """The lines of a statement that read an attribute of `self`; None if it may provide it, or cannot be read."""
    syntax = Syntax.read(statement.own)
    if syntax is None:
        return None
    is_own = not is_in_method and isinstance(syntax.node, cst.SimpleStatementLine)
    lines, changed = [], set[int]()
    for node in syntax.walk():
        targets = tuple(assigned(node))
        if any(
            _is_of_self(target, attribute) or (is_own and plainly(target) == attribute)
            for target in targets
        ):
            return None
        changed.update(map(id, (*targets, *deleted(node))))
        match node:
            case cst.Attribute() if (
                _is_of_self(node, attribute) and id(node) not in changed
            ):
                lines.append(syntax.place(node).line)
            case cst.Call(
                func=cst.Name(value=called)
                | cst.Attribute(attr=cst.Name(value=called)),
                args=arguments,
            ):
                if called in _PROVIDING and any(
                    written_text(argument.value) == attribute for argument in arguments
                ):
                    return None
    return lines


def _is_of_self(node: cst.BaseExpression, attribute: str) -> bool:
    return (
        isinstance(node, cst.Attribute) and dotted_name(node) == f"{_SELF}{attribute}"
    )


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
        config = flat.child.name
        removed = {**_removed(flat), **flat.deleted} if config.endswith(_CONFIG) else {}
        for name, statement in removed.items():
            name = name.removeprefix(_SELF)
            reader = self._reader(config, name)
            if reader is not None and not self._is_provided(flat, name):
                node, place = reader
                kept = fixes.take_out(
                    statement,
                    f"Keep `{name}`",
                    flat.child.body.statements == (statement,),
                )
                at = place_of_word(statement.own, name)
                self.report(
                    at,
                    kept,
                    related=place,
                    setting=name,
                    config=config,
                    reader=node.name,
                )

    def _is_provided(self, flat: Flattened, name: str) -> bool:
        """Whether the configuration may have an attribute all the same: from a base, a property, a table of other names."""
        codes = (part.code for part in flat.parts if name in part.code.text)
        is_named = any(
            next(find_word(code.normal(), name), None) is not None for code in codes
        )
        return is_named or not bases_lack(self.context, flat.child.name, name)

    def _reader(self, config: str, name: str) -> tuple[DraftStatement, Place] | None:
        """Return the first class that has this configuration and reads the attribute of it, and where it does."""
        for node in self.context.nodes.values():
            if name not in node.words or node.name == config:
                continue
            place = _place(node, name)
            if place is None or not _reads(node, name):
                continue
            annotations = _annotations_of_config(node)
            if annotations == {config} or (
                not annotations and self._has_no_other_configuration(node, config)
            ):
                return node, place
        return None

    def _has_no_other_configuration(self, node: DraftStatement, config: str) -> bool:
        """Whether a class without annotations gets this configuration: the model has no other one, and passes it on as it is."""
        nodes = self.context.nodes
        names = (nodes.keys() | node.words) - {config}
        if any(name.endswith(_CONFIG) for name in names):
            return False
        users = (user for user in nodes.values() if node.name in user.words)
        return not any(_passes_another_configuration(user, node.name) for user in users)


def _place(node: DraftStatement, name: str) -> Place | None:
    """The first place where something like `config.name` is written; where there is none, nothing has to be read."""
    for code in (part.code for part in node.parts):
        if match := re.search(
            rf"(?<!\w)config\s*\.\s*({re.escape(name)})(?!\w)", code.mask
        ):
            return place_at(code, match.start(), match.end() - match.start())
    return None


def _parse_class(node: DraftStatement) -> cst.ClassDef | None:
    """Return a class of an output file as a tree; None if it is no class, or LibCST cannot read it."""
    text = "".join(part.code.text for part in node.parts)
    syntax = Syntax.read(generated(text, "", 1))
    if syntax is None or not isinstance(syntax.node, cst.ClassDef):
        return None
    return syntax.node


def _reads(node: DraftStatement, name: str) -> bool:
    """Whether a class reads an attribute of its configuration, and neither sets it nor asks whether it is there."""
    text = "".join(part.code.text for part in node.parts)
    class_node = _parse_class(node)
    if f'"{name}"' in text or class_node is None:
        return False
    for part in walk_nodes(class_node):
        if isinstance(part, cst.AssignTarget | cst.AnnAssign):
            if _is_of_config(part.target, name):
                return False
    root: cst.CSTNode = class_node
    always_run = descend(root, _children_always_run)
    return any(_is_of_config(part, name) for part in always_run)


def _children_always_run(node: cst.CSTNode) -> Sequence[cst.CSTNode]:
    """Return the children of a node; of a conditional expression only the condition, since a default may never be used."""
    if isinstance(node, cst.IfExp):
        return (node.test,)
    return node.children


def _annotations_of_config(node: DraftStatement) -> set[str]:
    """Return the annotations that a class gives its configuration, in parameters and in assignments."""
    annotations = set[str]()
    class_node = _parse_class(node)
    for part in () if class_node is None else walk_nodes(class_node):
        match part:
            case (
                cst.Param(name=target, annotation=cst.Annotation(annotation=written))
                | cst.AnnAssign(
                    target=target, annotation=cst.Annotation(annotation=written)
                )
            ) if plainly(target) in _HOLDERS:
                annotations.add(plainly(written))
    return annotations


def _passes_another_configuration(node: DraftStatement, name: str) -> bool:
    """Whether a class calls another one, or a method of it, with something else than its own configuration first."""
    class_node = _parse_class(node)
    for part in () if class_node is None else walk_nodes(class_node):
        match part:
            case cst.Call(
                func=(
                    cst.Name(value=called) | cst.Attribute(value=cst.Name(value=called))
                ),
                args=[cst.Arg(value=first), *_],
            ) if called == name and plainly(first) not in _HOLDERS:
                return True
    return False


def _is_of_config(node: cst.CSTNode, name: str) -> bool:
    """Whether a node is the attribute of a configuration."""
    return (
        isinstance(node, cst.Attribute)
        and node.attr.value == name
        and plainly(node.value) in _HOLDERS
    )
