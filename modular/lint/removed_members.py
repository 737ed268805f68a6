"""Rules about members that a class removes, while generated code still reads them."""

import re
from collections.abc import Sequence, Set
from typing import NamedTuple

import libcst as cst

from modular.flatten.flattened import Flattened
from modular.lint.bases import bases_lack
from modular.lint.removals import ATTRIBUTE_SETTERS, calls_with_name
from modular.lint.rule import LintRule, Precision, Syntax
from modular.rules.classes import class_attributes, raising_override
from modular.rules.files.drafts import DraftStatement
from modular.source import fixes
from modular.source.blocks import Kind, Statement
from modular.source.definition_view import DefinitionView, view_definition
from modular.source.definitions import ModuleBinding, definitions
from modular.source.diagnostics import Place, Problem
from modular.source.places import place_at, place_of_word
from modular.source.reads import assigned, deleted
from modular.source.source_slice import has_word, synthetic
from modular.source.trees import UnreadableError, dotted_name, normalized_text
from modular.source.trees import walk as walk_nodes
from modular.source.walking import descend, walk


_SELF = "self."
_MEMBER_REMOVED = "`{name}` still uses `{target}`, which is removed here, in {members}"
_PROVIDING_FUNCTIONS = ATTRIBUTE_SETTERS | {"hasattr"}
"""Functions that set an attribute named by a string, or check whether it exists."""

_CONFIG = "Config"
_CONFIG_NAMES = ("config", "self.config")


class RemovedMemberUsed(LintRule):
    """A removed attribute or method is still used.

    `del self.x` removes only the assignment. If another method of the class reads
    `self.x`, and nothing else sets it, the generated code fails when that method runs.
    The same holds for a method or class attribute that is removed.

    Override each method that reads the member, or keep the member.

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

    Given `models/clip/modeling_clip.py`:

    ```python
    class CLIPAttention:
        def __init__(self):
            self.layer_idx = 0

        def forward(self, x, cache=None):
            if cache is not None:
                x = cache.update(x, self.layer_idx)
            return x
    ```

    A reading that only an optional argument leads to may never happen.

    Valid `models/olmo/modular_olmo.py`:

    ```python
    from ..clip.modeling_clip import CLIPAttention


    class OlmoAttention(CLIPAttention):
        def __init__(self):
            super().__init__()
            del self.layer_idx
    ```
    """

    code = Problem.REMOVED_STILL_USED
    precision = Precision(findings=4, real=3)
    message = "`del {target}` removes only the assignment: `{name}` still reads `{target}`, in {members}"
    hint = "override {members} as well, or keep `{target}`"

    def check_class(self, flat: Flattened) -> None:
        """Check the members that are deleted or removed."""
        for target, statement in flat.deleted.items():
            if target.startswith(_SELF):
                self._check_member(flat, target.removeprefix(_SELF), statement, "")
        for attribute, statement in _find_removed_members(flat).items():
            self._check_member(flat, attribute, statement, _MEMBER_REMOVED)

    def _check_member(
        self, flat: Flattened, attribute: str, statement: Statement, message: str
    ) -> None:
        """Report a removed member that the generated class reads, unless it may exist all the same.

        Args:
            flat: The flattened class.
            attribute: The name of the member.
            statement: The statement that removes it.
            message: A message instead of the rule's; empty for a deleted assignment.
        """
        target = f"{_SELF}{attribute}"
        if not any(target in part.code.mask for part in flat.parts):
            return
        class_name = flat.child.name
        file = self.context.file_of(class_name)
        classes = definitions(self.context.outputs[file.file_type]).classes

        def bases_in_file(name: str) -> list[str]:
            bases = view_definition(classes[name].statement).bases
            return [base for base in bases if base in classes]

        readings = _find_readings(classes[class_name], attribute)
        if not readings:
            return
        for base in walk([class_name], bases_in_file):
            if _find_readings(classes[base], attribute) is None:
                return
        # A base may also have a removed method or class attribute itself.
        if message and not bases_lack(self.context, class_name, attribute):
            return

        place = statement.bare_code
        if statement.is_definition:
            place = view_definition(statement).header
        first = file.at_line(readings[0].line)
        assert first is not None, "it was read in this file"
        members = dict.fromkeys(f"`{reading.member}`" for reading in readings)
        self.report(
            place,
            fixes.remove(statement, f"Keep `{target}`"),
            related=place_of_word(first.code, target),
            message=message,
            target=target,
            name=class_name,
            members=" and ".join(members),
        )


class RemovedSettingRead(LintRule):
    """A class reads an attribute that is removed from its configuration.

    The configuration removes an attribute of its parent, and nothing else provides it. A
    class that can only get this configuration still reads the attribute, so the code
    fails when it runs.

    Override the code that reads the attribute, or keep the attribute.

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
    precision = Precision(findings=2, real=2)
    message = "`{setting}` is removed from `{config}`, but `{reader}` still reads it"
    hint = "override what reads it in `{reader}`, or keep `{setting}`"

    def check_class(self, flat: Flattened) -> None:
        """Check the attributes that are removed from a configuration."""
        config = flat.child.name
        if not config.endswith(_CONFIG):
            return
        removed = {**_find_removed_members(flat), **flat.deleted}
        for target, statement in removed.items():
            name = target.removeprefix(_SELF)
            found = self._find_reader(config, name)
            if found is None or self._is_provided(flat, name):
                continue
            reader, place = found
            is_alone = flat.child.body.statements == (statement,)
            self.report(
                place_of_word(statement.bare_code, name),
                fixes.remove_with_comments(statement, f"Keep `{name}`", is_alone),
                related=place,
                setting=name,
                config=config,
                reader=reader.name,
            )

    def _is_provided(self, flat: Flattened, name: str) -> bool:
        """Whether the configuration may still have an attribute: from a base, a property or a table of other names."""
        for part in flat.parts:
            if name in part.code.text and has_word(part.code.normalized(), name):
                return True
        return not bases_lack(self.context, flat.child.name, name)

    def _find_reader(
        self, config: str, name: str
    ) -> tuple[DraftStatement, Place] | None:
        """Return the first class that has this configuration and reads an attribute of it, and the place."""
        for node in self.context.nodes.values():
            if name not in node.words or node.name == config:
                continue
            place = _find_config_attribute(node, name)
            if place is None or not _reads(node, name):
                continue
            annotations = _find_config_annotations(node)
            if annotations == {config}:
                return node, place
            if not annotations and self._has_no_other_configuration(node, config):
                return node, place
        return None

    def _has_no_other_configuration(self, node: DraftStatement, config: str) -> bool:
        """Whether a class without annotations gets this configuration.

        It does if the model has no other configuration, and no class passes it another one.
        """
        nodes = self.context.nodes
        names = (nodes.keys() | node.words) - {config}
        if any(name.endswith(_CONFIG) for name in names):
            return False
        users = (user for user in nodes.values() if node.name in user.words)
        return not any(_passes_another_configuration(user, node.name) for user in users)


def _find_removed_members(flat: Flattened) -> dict[str, Statement]:
    """Return the statements that remove a parent's method or class attribute by the member's name."""
    removed = {}
    for name, statement in flat.attributes.items():
        if class_attributes.is_removal(statement):
            removed[name] = statement
    for override in flat.overriding.values():
        if raising_override.removes_method(override):
            removed[override.name] = override.statement
    inherited = flat.inherited_attributes.keys() | flat.inherited.keys()
    return {name: removed[name] for name in removed if name in inherited}


class _Reading(NamedTuple):
    """A read of an attribute of `self`: the member of the class, and the line in the file."""

    member: str
    line: int


def _find_readings(class_: ModuleBinding, attribute: str) -> list[_Reading] | None:
    """Return the places where a class reads an attribute of `self`; None if it may provide the attribute."""
    readings: list[_Reading] = []
    for member in view_definition(class_.statement).body.statements:
        if member.name == attribute:
            return None
        is_method = member.kind is Kind.FUNCTION
        statements: Sequence[Statement] = (member,)
        optional: frozenset[str] = frozenset()
        if is_method:
            method = view_definition(member)
            statements = method.body.statements
            if attribute in member.bare_code.text:
                optional = _parameters_with_default_none(method)
        for statement in statements:
            if attribute not in statement.bare_code.text:
                continue
            lines = _find_reading_lines(statement, attribute, is_method, optional)
            if lines is None:
                return None
            readings += [_Reading(member.name, line) for line in lines]
    return readings


def _find_reading_lines(
    statement: Statement, attribute: str, is_in_method: bool, optional: Set[str]
) -> list[int] | None:
    """Return the lines of a statement that read an attribute of `self`.

    Lines below `if x is not None` do not count if `x` is an optional parameter: perhaps
    nobody passes it.

    Args:
        statement: The statement.
        attribute: The name of the attribute.
        is_in_method: Whether the statement is in a method of the class.
        optional: The parameters of the method whose default is None.

    Returns:
        The lines; None if the statement may provide the attribute, or LibCST cannot read it.
    """
    syntax = Syntax.read(statement.bare_code)
    if syntax is None:
        return None
    is_class_level = not is_in_method and isinstance(
        syntax.node, cst.SimpleStatementLine
    )
    lines = []
    target_ids: set[int] = set()
    guarded_ids: set[int] = set()
    for node in syntax.walk():
        if isinstance(node, cst.If) and _tests_not_none(node.test, optional):
            guarded_ids.update(id(inner) for inner in walk_nodes(node.body))
        for target in assigned(node):
            target_ids.add(id(target))
            if _is_of_self(target, attribute):
                return None
            if is_class_level and normalized_text(target) == attribute:
                return None
        target_ids.update(id(target) for target in deleted(node))
        if calls_with_name(node, _PROVIDING_FUNCTIONS, attribute):
            return None
        is_reading = id(node) not in target_ids and id(node) not in guarded_ids
        if is_reading and _is_of_self(node, attribute):
            lines.append(syntax.place(node).line)
    return lines


def _parameters_with_default_none(method: DefinitionView) -> frozenset[str]:
    """Return the parameters of a method whose default is None."""
    try:
        node = method.node
    except UnreadableError:
        return frozenset()
    if not isinstance(node, cst.FunctionDef):
        return frozenset()
    names = set()
    for parameter in (*node.params.params, *node.params.kwonly_params):
        if (
            isinstance(parameter.default, cst.Name)
            and parameter.default.value == "None"
        ):
            names.add(parameter.name.value)
    return frozenset(names)


def _tests_not_none(test: cst.BaseExpression, names: Set[str]) -> bool:
    """Whether an expression is `x is not None` for one of some names."""
    match test:
        case cst.Comparison(
            left=cst.Name(value=name),
            comparisons=[
                cst.ComparisonTarget(
                    operator=cst.IsNot(), comparator=cst.Name(value="None")
                )
            ],
        ):
            return name in names
    return False


def _is_of_self(node: cst.CSTNode, attribute: str) -> bool:
    is_attribute = isinstance(node, cst.Attribute)
    return is_attribute and dotted_name(node) == f"{_SELF}{attribute}"


def _find_config_attribute(node: DraftStatement, name: str) -> Place | None:
    """Return the first place of the text `config.name`, without which no tree has to be built."""
    pattern = re.compile(rf"(?<!\w)config\s*\.\s*({re.escape(name)})(?!\w)")
    for part in node.parts:
        match = pattern.search(part.code.mask)
        if match is not None:
            return place_at(part.code, match.start(), match.end() - match.start())
    return None


def _parse_class(node: DraftStatement) -> cst.ClassDef | None:
    """Return a class of an output file as a tree; None if it is no class, or LibCST cannot read it."""
    syntax = Syntax.read(synthetic(_text(node), "", 1))
    if syntax is None or not isinstance(syntax.node, cst.ClassDef):
        return None
    return syntax.node


def _text(node: DraftStatement) -> str:
    return "".join(part.code.text for part in node.parts)


def _reads(node: DraftStatement, name: str) -> bool:
    """Whether a class reads an attribute of its configuration, and neither sets it nor names it in a string."""
    class_node = _parse_class(node)
    if class_node is None or f'"{name}"' in _text(node):
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


def _find_config_annotations(node: DraftStatement) -> set[str]:
    """Return the annotations that a class gives its configuration, in parameters and in assignments."""
    annotations: set[str] = set()
    class_node = _parse_class(node)
    if class_node is None:
        return annotations
    for part in walk_nodes(class_node):
        match part:
            case (
                cst.Param(name=target, annotation=cst.Annotation(annotation=written))
                | cst.AnnAssign(
                    target=target, annotation=cst.Annotation(annotation=written)
                )
            ) if normalized_text(target) in _CONFIG_NAMES:
                annotations.add(normalized_text(written))
    return annotations


def _passes_another_configuration(node: DraftStatement, name: str) -> bool:
    """Whether a class calls another one, or a method of it, with a first argument that is not its own configuration."""
    class_node = _parse_class(node)
    if class_node is None:
        return False
    for part in walk_nodes(class_node):
        match part:
            case cst.Call(
                func=(
                    cst.Name(value=called) | cst.Attribute(value=cst.Name(value=called))
                ),
                args=[cst.Arg(value=first), *_],
            ) if called == name and normalized_text(first) not in _CONFIG_NAMES:
                return True
    return False


def _is_of_config(node: cst.CSTNode, name: str) -> bool:
    """Whether a node is an attribute of a configuration."""
    if not isinstance(node, cst.Attribute) or node.attr.value != name:
        return False
    return normalized_text(node.value) in _CONFIG_NAMES
