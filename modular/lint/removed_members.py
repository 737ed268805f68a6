"""`del self.x` removes the assignment alone: what reads `self.x` elsewhere in the class stays, and would fail."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

import libcst as cst

from modular.flatten.flattened import Flattened
from modular.lint.bases import bases_lack
from modular.lint.rule import LintRule
from modular.lint.syntax import Syntax
from modular.rules.classes import class_attributes, raising_override
from modular.rules.drafts import Draft, Node
from modular.source import fixes, trees
from modular.source.assignments import written_text
from modular.source.blocks import Kind, Statement, split
from modular.source.diagnostics import Place, Problem
from modular.source.parts import parts_of
from modular.source.places import place_of, place_of_word
from modular.source.reads import assigned, deleted
from modular.source.walking import walk


_SELF = "self."
_REMOVED = "`{name}` still uses `{target}`, which is removed here, in {members}"
_PROVIDING = frozenset(
    {"setattr", "hasattr", "register_buffer", "register_parameter", "register_module", "add_module"}
)
"""Calls that name an attribute in a string, and after which it is there or was asked for."""


@dataclass(eq=False)
class _Uses:
    """What a class does with an attribute of `self`: what reads it, and whether it provides it."""

    bases: Sequence[str] = ()
    readings: list[tuple[Syntax, cst.Attribute]] = field(default_factory=list)
    is_provided: bool = False


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

    def check(self) -> None:
        """Look at the classes that read what is deleted, where nothing provides it."""
        for draft in self.layout.drafts.values():
            for name, flat in self.layout.flattened.items():
                if name in draft.nodes:
                    self._check_removed(draft, draft.nodes[name], flat.deleted, "")
                    self._check_removed(draft, draft.nodes[name], _removed(flat), _REMOVED)

    def _check_removed(self, draft: Draft, node: Node, removed: Mapping[str, Statement], message: str) -> None:
        for target, statement in removed.items():
            attribute = target.removeprefix(_SELF)
            if target == attribute or not any(target in part.code.mask for part in node.parts):
                continue
            uses = _uses(node, attribute)
            if uses.readings and not _is_provided(attribute, uses, draft):
                if not message or bases_lack(self.subject, node.name, attribute):
                    self._report(node, statement, target, uses, message)

    def _report(self, node: Node, statement: Statement, target: str, uses: _Uses, message: str) -> None:
        readings = [_at(node, syntax.place(reading).line, target) for syntax, reading in uses.readings]
        members = " and ".join(dict.fromkeys(f"`{member}`" for member, _ in readings))
        kept = fixes.remove(statement, f"Keep `{target}`")
        place = place_of(parts_of(statement).header if statement.is_definition else statement.own)
        names = {"target": target, "name": node.name, "members": members}
        self.report(place, kept, related=readings[0][1], message=message, **names)


def _removed(flat: Flattened) -> dict[str, Statement]:
    """What a class removes by raising, or by `AttributeError()`, as it is read."""
    attributes = flat.attributes
    inherited = flat.inherited_attributes.keys() | flat.inherited.keys()
    removed = {name: statement for name, statement in attributes.items() if class_attributes.is_removal(statement)}
    removed |= {own.name: own.statement for own in flat.overriding.values() if raising_override.removes(own)}
    return {f"{_SELF}{name}": statement for name, statement in removed.items() if name in inherited}


def _is_provided(attribute: str, uses: _Uses, draft: Draft) -> bool:
    """Whether the class, or a base in the same file, provides an attribute."""

    @cache
    def of(name: str) -> _Uses:
        return _uses(draft.nodes[name], attribute)

    def bases(own: _Uses) -> list[str]:
        return [base for base in own.bases if base in draft.nodes]

    reached = walk(bases(uses), lambda name: bases(of(name)))
    return uses.is_provided or any(of(name).is_provided for name in reached)


def _at(node: Node, line: int, target: str) -> tuple[str, Place]:
    """The member that a line of a class belongs to, and the place of the target on that line."""
    begin = 1
    for part in node.parts:
        lines = part.code.text.count("\n")
        if line < begin + lines:
            return part.member.partition(".")[0], place_of_word(part.code.line_at(line - begin), target)
        begin += lines
    raise AssertionError(f"{node.name} has no line {line}")


def _uses(node: Node, attribute: str) -> _Uses:
    """What a class does with an attribute: its statements in which the word appears are read, up to one that provides it."""
    uses = _Uses()
    for parts in (parts_of(statement) for statement in split(node.code).statements if statement.kind is Kind.CLASS):
        uses.bases = parts.bases
        for member in parts.body.statements:
            is_method = member.kind is Kind.FUNCTION
            uses.is_provided |= member.name == attribute
            for statement in parts_of(member).body.statements if is_method else (member,):
                if attribute in statement.own.text and not uses.is_provided:
                    _add_uses(uses, statement, attribute, is_method)
    return uses


def _add_uses(uses: _Uses, statement: Statement, attribute: str, is_in_method: bool) -> None:
    """Add what a statement does with an attribute; where it cannot be read, it may provide it."""
    syntax = Syntax.read(statement.own)
    if syntax is None:
        uses.is_provided = True
        return
    uses.is_provided |= not is_in_method and attribute in _assigned(syntax.node)
    changed: set[int] = set()
    for node in syntax.walk():
        targets = tuple(assigned(node))
        uses.is_provided |= any(_is_of_self(target, attribute) for target in targets)
        changed.update(map(id, (*targets, *deleted(node))))
        match node:
            case cst.Attribute() if _is_of_self(node, attribute) and id(node) not in changed:
                uses.readings.append((syntax, node))
            case cst.Call(func=cst.Name(value=called) | cst.Attribute(attr=cst.Name(value=called)), args=arguments):
                if called in _PROVIDING:
                    uses.is_provided |= any(written_text(argument.value) == attribute for argument in arguments)


def _assigned(statement: cst.CSTNode) -> Iterator[str]:
    """The names that a simple statement assigns to."""
    if isinstance(statement, cst.SimpleStatementLine):
        targets = (target for node in trees.walk(statement) for target in assigned(node))
        yield from (target.value for target in targets if isinstance(target, cst.Name))


def _is_of_self(node: cst.BaseExpression, attribute: str) -> bool:
    match node:
        case cst.Attribute(value=cst.Name(value="self"), attr=cst.Name(value=name)):
            return name == attribute
    return False
