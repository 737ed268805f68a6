"""Rules about members that a class removes, while generated code still reads them."""

import ast
import re
from collections.abc import Iterable, Iterator, Sequence, Set
from typing import NamedTuple

import libcst as cst

from modular.flatten.flattened import Flattened
from modular.lint.bases import bases_lack
from modular.lint.removals import ATTRIBUTE_SETTERS, calls_with_name
from modular.lint.rule import LintRule, Precision, Syntax
from modular.rules.classes import class_attributes, raising_override
from modular.rules.files.drafts import DraftStatement
from modular.source import fixes, python_trees
from modular.source.blocks import Kind, Statement
from modular.source.definition_view import DefinitionView, view_definition
from modular.source.definitions import ModuleBinding, find_definitions
from modular.source.diagnostics import Place, Problem
from modular.source.places import place_at, place_of_word
from modular.source.reads import assigned, deleted
from modular.source.source_slice import has_word
from modular.source.trees import UnreadableError, dotted_name, normalized_text
from modular.source.trees import walk as walk_nodes
from modular.source.walking import descend, walk


_SELF = "self."
_MEMBER_REMOVED = "`{name}` still uses `{target}` in {members}, but it is removed here"
_PROVIDING_FUNCTIONS = ATTRIBUTE_SETTERS | {"hasattr"}
"""Functions that set an attribute named by a string, or check whether it exists."""

_CONFIG = "Config"
_CONFIG_NAMES = ("config", "self.config")


class RemovedMemberUsed(LintRule):
    """A removed attribute or method is still used.

    `del self.x` removes only the assignment. If another method of the class reads
    `self.x`, and nothing else sets it, the generated code fails when that method runs.
    The same is true for a method or class attribute that you remove.

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
    models/olmo/modular_olmo.py:6:5: `OlmoModel` still uses `self.get_input_embeddings` in `embed`, but it is removed here
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

    code = Problem.REMOVED_MEMBER_STILL_USED
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
        """Report a removed member that the generated class reads.

        Nothing is reported if the class or one of its bases may still provide the member.

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
        classes = find_definitions(self.context.outputs[file.file_type]).classes

        def bases_in_file(name: str) -> list[str]:
            bases = view_definition(classes[name].statement).bases
            return [base for base in bases if base in classes]

        readings = _find_readings(classes[class_name], attribute)
        if not readings:
            return
        for class_or_base in walk([class_name], bases_in_file):
            if _may_provide(classes[class_or_base], attribute):
                return
        # A base may also have a removed method or class attribute itself.
        if message and not bases_lack(self.context, class_name, attribute):
            return

        place = statement.bare_code
        if statement.is_definition:
            place = view_definition(statement).header
        first_line = file.at_line(readings[0].line)
        assert first_line is not None, "it was read in this file"
        members = dict.fromkeys(f"`{reading.member}`" for reading in readings)
        self.report(
            place,
            fixes.remove(statement, f"Keep `{target}`"),
            related=place_of_word(first_line.code, target),
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

    code = Problem.REMOVED_SETTING_STILL_READ
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
            reader = self._find_reader(config, name)
            if reader is None or self._is_provided(flat, name):
                continue
            is_alone = flat.child.body.statements == (statement,)
            self.report(
                place_of_word(statement.bare_code, name),
                fixes.remove_with_comments(statement, f"Keep `{name}`", is_alone),
                related=reader.place,
                setting=name,
                config=config,
                reader=reader.class_name,
            )

    def _is_provided(self, flat: Flattened, name: str) -> bool:
        """Whether the configuration may still have an attribute: from a base, a property or a table of other names."""
        for part in flat.parts:
            if name in part.code.text and has_word(part.code.normalized(), name):
                return True
        return not bases_lack(self.context, flat.child.name, name)

    def _find_reader(self, config: str, setting: str) -> "_Reader | None":
        """Return the first class that can only get this configuration, and reads an attribute of it."""
        for statement in self.context.generated.values():
            if setting not in statement.words or statement.name == config:
                continue
            place = _find_config_attribute(statement, setting)
            if place is None or f'"{setting}"' in _text(statement):
                continue
            class_node = _parse_class(statement)
            if class_node is None or not _reads_setting(class_node, setting):
                continue

            annotations = _find_config_annotations(class_node)
            gets_only_this = annotations == {config}
            if not annotations:
                gets_only_this = self._gets_no_other_configuration(statement, config)
            if gets_only_this:
                return _Reader(statement.name, place)
        return None

    def _gets_no_other_configuration(self, class_: DraftStatement, config: str) -> bool:
        """Whether a class that does not annotate its configuration can only get this one.

        A model with a second configuration class may pass that. `SiglipModel(config.text)`
        passes a part of the configuration, which is another configuration, too.
        """
        names = self.context.generated.keys() | class_.words
        for name in names:
            if name.endswith(_CONFIG) and name != config:
                return False
        for statement in self.context.generated.values():
            if class_.name in statement.words:
                if _passes_another_configuration(statement, class_.name):
                    return False
        return True


def _find_removed_members(flat: Flattened) -> dict[str, Statement]:
    """Return the removed methods and class attributes of the parent.

    Returns:
        The statement that removes each, such as `bias = AttributeError()`, by its name.
    """
    removed = {}
    for name, statement in flat.attributes.items():
        if class_attributes.is_removal(statement):
            removed[name] = statement
    for override in flat.overriding.values():
        if raising_override.removes_method(override):
            removed[override.name] = override.statement

    inherited = flat.inherited_attributes.keys() | flat.inherited.keys()
    return {name: removed[name] for name in removed if name in inherited}


class _Reader(NamedTuple):
    """A class that reads an attribute of its configuration, and the place where it does."""

    class_name: str
    place: Place


class _Reading(NamedTuple):
    """A read of an attribute of `self`.

    Attributes:
        member: The method or class attribute that contains it.
        line: Its line in the output file.
    """

    member: str
    line: int


def _find_readings(class_: ModuleBinding, attribute: str) -> list[_Reading]:
    """Return the places where a class reads an attribute of `self`."""
    readings: list[_Reading] = []
    for member in view_definition(class_.statement).body.statements:
        if attribute not in member.bare_code.text:
            continue
        optional: frozenset[str] = frozenset()
        if member.kind is Kind.FUNCTION:
            optional = _parameters_with_default_none(view_definition(member))
        for statement in _statements_with(member, attribute):
            for line in _find_reading_lines(statement, attribute, optional):
                readings.append(_Reading(member.name, line))
    return readings


def _may_provide(class_: ModuleBinding, attribute: str) -> bool:
    """Whether a class defines or sets an attribute, or LibCST cannot read a statement with its name."""
    for member in view_definition(class_.statement).body.statements:
        if member.name == attribute:
            return True
        is_in_method = member.kind is Kind.FUNCTION
        for statement in _statements_with(member, attribute):
            if _may_set(statement, attribute, is_in_method):
                return True
    return False


def _statements_with(member: Statement, attribute: str) -> list[Statement]:
    """Return the statements of a method, or a class attribute, whose text contains an attribute."""
    statements: Sequence[Statement] = (member,)
    if member.kind is Kind.FUNCTION:
        statements = view_definition(member).body.statements
    return [
        statement for statement in statements if attribute in statement.bare_code.text
    ]


def _may_set(statement: Statement, attribute: str, is_in_method: bool) -> bool:
    """Whether a statement sets an attribute of `self`, or LibCST cannot read it.

    `setattr(self, "x", ...)` and `hasattr(self, "x")` count as well.

    Args:
        statement: The statement.
        attribute: The name of the attribute.
        is_in_method: Whether the statement is in a method of the class.
    """
    syntax = Syntax.read(statement.bare_code)
    if syntax is None:
        return True
    is_simple = isinstance(syntax.node, cst.SimpleStatementLine)
    is_class_level = is_simple and not is_in_method
    for node in syntax.walk():
        for target in assigned(node):
            if _is_of_self(target, attribute):
                return True
            if is_class_level and normalized_text(target) == attribute:
                return True
        if calls_with_name(node, _PROVIDING_FUNCTIONS, attribute):
            return True
    return False


def _find_reading_lines(
    statement: Statement, attribute: str, optional: Set[str]
) -> Iterator[int]:
    """Yield the lines of a statement that read an attribute of `self`.

    Lines below `if x is not None` do not count if `x` is an optional parameter: perhaps
    nobody passes it.

    Args:
        statement: The statement.
        attribute: The name of the attribute.
        optional: The parameters of the method whose default is None.
    """
    syntax = Syntax.read(statement.bare_code)
    if syntax is None:
        return
    target_ids: set[int] = set()
    guarded_ids: set[int] = set()
    for node in syntax.walk():
        if isinstance(node, cst.If) and _tests_not_none(node.test, optional):
            guarded_ids.update(id(inner) for inner in walk_nodes(node.body))
        target_ids.update(id(target) for target in assigned(node))
        target_ids.update(id(target) for target in deleted(node))

        is_reading = id(node) not in target_ids and id(node) not in guarded_ids
        if is_reading and _is_of_self(node, attribute):
            yield syntax.place(node).line


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


def _find_config_attribute(statement: DraftStatement, name: str) -> Place | None:
    """Return the first place of the text `config.name` in a statement; None if it has none.

    Only a statement that has this text is worth parsing.
    """
    pattern = re.compile(rf"(?<!\w)config\s*\.\s*({re.escape(name)})(?!\w)")
    for part in statement.parts:
        match = pattern.search(part.code.mask)
        if match is not None:
            return place_at(part.code, match.start(), match.end() - match.start())
    return None


def _parse_class(statement: DraftStatement) -> ast.ClassDef | None:
    """Return a class of an output file as a tree; None if it is no class, or Python cannot read it."""
    match python_trees.parse(_text(statement)).body:
        case [ast.ClassDef() as class_node]:
            return class_node
    return None


def _text(statement: DraftStatement) -> str:
    return "".join(part.code.text for part in statement.parts)


def _reads_setting(class_node: ast.ClassDef, name: str) -> bool:
    """Whether a class reads an attribute of its configuration, and does not set it."""
    setting_names = [f"{config}.{name}" for config in _CONFIG_NAMES]
    for node in ast.walk(class_node):
        match node:
            case ast.Attribute(attr=attribute, ctx=ast.Store()) if attribute == name:
                if python_trees.dotted_name(node) in setting_names:
                    return False

    root: ast.AST = class_node
    for node in descend(root, _children_always_run):
        match node:
            case ast.Attribute(attr=attribute) if attribute == name:
                if python_trees.dotted_name(node) in setting_names:
                    return True
    return False


def _children_always_run(node: ast.AST) -> Iterable[ast.AST]:
    """Return the children of a node; of a conditional expression only the condition, since a default may never be used."""
    if isinstance(node, ast.IfExp):
        return (node.test,)
    return ast.iter_child_nodes(node)


def _find_config_annotations(class_node: ast.ClassDef) -> set[str]:
    """Return the annotations of `config` and `self.config` in a class.

    `def __init__(self, config: SiglipConfig)` has the annotation `SiglipConfig`.
    """
    annotations: set[str] = set()
    for node in ast.walk(class_node):
        match node:
            case ast.arg(arg=name, annotation=ast.expr() as annotation):
                target = name
            case ast.AnnAssign(target=node_target, annotation=annotation):
                target = python_trees.dotted_name(node_target)
            case _:
                continue
        if target in _CONFIG_NAMES:
            annotations.add(ast.unparse(annotation))
    return annotations


def _passes_another_configuration(statement: DraftStatement, class_name: str) -> bool:
    """Whether a class creates another class with a first argument that is not its own configuration.

    The first argument of `SiglipModel(config.text)` is not, that of `SiglipModel(config)`
    is. Methods such as `SiglipModel.from_config(config.text)` count as well.
    """
    class_node = _parse_class(statement)
    if class_node is None:
        return False
    for node in ast.walk(class_node):
        if not isinstance(node, ast.Call):
            continue
        called = node.func
        if isinstance(called, ast.Attribute):
            called = called.value
        if isinstance(called, ast.Name) and called.id == class_name:
            values = [*node.args]
            for keyword in node.keywords:
                values.append(keyword.value)
            if values and python_trees.dotted_name(values[0]) not in _CONFIG_NAMES:
                return True
    return False
