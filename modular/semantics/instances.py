"""Tells what code does with an object, such as `self`, and with its attributes."""

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from modular.semantics.fact_reader import read_facts
from modular.semantics.facts import (
    BINDING_USAGES,
    CodeFacts,
    Mention,
    Opaque,
    Usage,
    When,
)
from modular.semantics.functions import model_function
from modular.semantics.statements import first_line_of, tree_of
from modular.source.blocks import Statement
from modular.source.walking import descend


REGISTERING_METHODS = frozenset(
    {"register_buffer", "register_parameter", "register_module", "add_module"}
)
"""Methods of `torch.nn.Module` that create the attribute named by the first argument."""

_TYPE_FUNCTIONS = frozenset({"callable", "id", "isinstance", "type"})
"""Functions that look at nothing but the type or identity of an object."""

_LATER = (When.ITERATED, When.LATER)
_HARMLESS_USAGES = frozenset({Usage.IDENTITY, Usage.IGNORED})


@dataclass(frozen=True)
class InstanceUses:
    """What code does with an object. One attribute can be in several of the sets.

    Attributes:
        read: The attributes that it reads: `size` and `f` for `self.f(self.size.x)`.
        set: The attributes that it sets or declares, those of
            `self.register_buffer("x", y)` included.
        deleted: The attributes that it deletes.
        changed: The attributes of whose object it sets an item or attribute, as
            `self.table[0] = 1` and `self.config.size = 1` do.
        called: The methods of the object that it calls: `f` for `self.f()`.
        escapes: The mentions by which other code gets the object itself, and can use
            any attribute: `f(self)`, `me = self`, `len(self)`, `self[0]`, and all in
            nested functions.
        rebinds: Whether it assigns to the variable itself, or deletes it.
        opaque: The places that can use attributes without naming them.
    """

    read: frozenset[str]
    set: frozenset[str]
    deleted: frozenset[str]
    changed: frozenset[str]
    called: frozenset[str]
    escapes: tuple[Mention, ...]
    rebinds: bool
    opaque: tuple[Opaque, ...]

    @property
    def is_contained(self) -> bool:
        """Whether the code only reads and sets attributes that are listed.

        Otherwise, methods and other code can read or change any attribute.
        """
        return not (self.called or self.escapes or self.rebinds or self.opaque)


def uses_of_instance(facts: CodeFacts, name: str) -> InstanceUses:
    """Return what code does with an object.

    Args:
        facts: The facts about the code.
        name: The variable of the object, such as `self`.
    """
    return facts.memoized(_find_uses, name)


def _find_uses(facts: CodeFacts, name: str) -> InstanceUses:
    """Return what code does with an object, without caching it. See `uses_of_instance`.

    Args:
        facts: The facts about the code.
        name: The variable of the object, such as `self`.
    """
    object_mentions: list[Mention] = []
    attribute_mentions: list[Mention] = []
    for mention in facts.mentions_of(name):
        mentions = attribute_mentions if mention.attributes else object_mentions
        mentions.append(mention)

    escapes = [mention for mention in object_mentions if _escapes(mention)]
    # A nested function can run at any time, so it counts as other code.
    escapes += [mention for mention in attribute_mentions if mention.when in _LATER]
    rebinding_usages = BINDING_USAGES | {Usage.DELETED}
    read: set[str] = set()
    set_ = _registered_attributes(facts, name)
    deleted: set[str] = set()
    changed: set[str] = set()
    called: set[str] = set()
    for mention in attribute_mentions:
        attribute = mention.attributes[0]
        # `self.size = 1` sets `size`. `self.size.x = 1` changes the object in `size`.
        is_direct = len(mention.attributes) == 1
        if mention.reads or not is_direct:
            read.add(attribute)
        if mention.usage is Usage.CALLED:
            if is_direct:
                called.add(attribute)
        elif is_direct and mention.usage in BINDING_USAGES:
            set_.add(attribute)
        elif is_direct and mention.usage is Usage.DELETED:
            deleted.add(attribute)
        elif mention.changes:
            changed.add(attribute)
    return InstanceUses(
        read=frozenset(read),
        set=frozenset(set_),
        deleted=frozenset(deleted),
        changed=frozenset(changed),
        called=frozenset(called),
        escapes=tuple(escapes),
        rebinds=any(mention.usage in rebinding_usages for mention in object_mentions),
        opaque=facts.opaque,
    )


def _registered_attributes(facts: CodeFacts, name: str) -> set[str]:
    """Return the attributes that calls such as `self.register_buffer("x", y)` create.

    Args:
        facts: The facts about the code with the calls.
        name: The variable of the object, such as `self`.
    """
    functions = {f"{name}.{method}" for method in REGISTERING_METHODS}
    attributes: set[str] = set()
    for call in facts.calls:
        if call.function not in functions or not call.arguments:
            continue
        attribute = call.arguments[0].string
        if attribute is not None:
            attributes.add(attribute)
    return attributes


def _escapes(mention: Mention) -> bool:
    """Whether a mention of an object lets other code use any attribute of it."""
    if mention.when in _LATER:
        return True
    if mention.usage is Usage.PASSED and mention.passed_to in _TYPE_FUNCTIONS:
        return False
    return mention.reads and mention.usage not in _HARMLESS_USAGES


class FirstUses(NamedTuple):
    """The attributes of an object by what code does with them first.

    Attributes:
        read: The attributes that it always reads, before it sets them.
        set: The attributes that it may set without having read them.
    """

    read: frozenset[str]
    set: frozenset[str]


def find_first_uses(parts: Iterable[CodeFacts], name: str) -> FirstUses:
    """Return what code does first with each attribute of an object.

    `self.size += 1` and `if self.size is None: self.size = 1` read `size` first.
    `getattr(self, "size", None)` does not need `size`, and so does not count.

    Args:
        parts: The facts about the statements of the code, in their order.
        name: The variable of the object, such as `self`.
    """
    read: set[str] = set()
    set_: set[str] = set()
    for facts in parts:
        bound: set[str] = set()
        for mention in facts.mentions_of(name):
            if not mention.attributes:
                continue
            attribute = mention.attributes[0]
            is_bound = len(mention.attributes) == 1 and mention.usage in BINDING_USAGES
            needs_value = mention.reads or len(mention.attributes) > 1
            if is_bound:
                bound.add(attribute)
            if is_bound and not needs_value and attribute not in read:
                set_.add(attribute)
            is_certain = mention.when is When.NOW and not mention.is_conditional
            if needs_value and is_certain and attribute not in set_ | facts.strings:
                read.add(attribute)
        # `self.register_buffer("size", x)` sets `size`, too.
        set_ |= uses_of_instance(facts, name).set - bound
    return FirstUses(frozenset(read), frozenset(set_))


def leaves_object_alone(trees: Sequence[ast.AST], name: str) -> bool:
    """Whether some code uses an object only by reading and setting its attributes.

    The answer is yes for `self.size = self.width`, and no for `self.reset()`,
    `register(self)` and `super().reset()`, which may run any method of the object.

    Args:
        trees: The statements or the expression.
        name: The variable of the object, such as `self`.
    """
    facts = read_facts(trees)
    return not facts.super_uses and uses_of_instance(facts, name).is_contained


class AttributeRead(NamedTuple):
    """A read of an attribute: its name, and its line in the code, from 1."""

    attribute: str
    line: int


def find_required_reads(method: Statement) -> Iterator[AttributeRead]:
    """Yield the reads of attributes of `self` in a method, in document order.

    If a parameter `x` has the default None, perhaps nobody passes `x`. Then the block
    below `if x is not None` never runs, and is left out; its `else` block is not.
    """
    tree = tree_of(method)
    if tree is None:
        return
    optional_names = set()
    for parameter in model_function(method).parameters:
        if parameter.default == "None":
            optional_names.add(parameter.name)

    def children_outside_optional_blocks(node: ast.AST) -> Iterable[ast.AST]:
        """Return the children of a node, of `if x is not None` only the `else` block."""
        match node:
            case ast.If(
                test=ast.Compare(
                    left=ast.Name(id=name),
                    ops=[ast.IsNot()],
                    comparators=[ast.Constant(value=None)],
                ),
                orelse=other_statements,
            ) if name in optional_names:
                return other_statements
        return ast.iter_child_nodes(node)

    root: ast.AST = tree
    first_line = first_line_of(method.bare_code.text)
    for node in descend(root, children_outside_optional_blocks):
        match node:
            case (
                ast.Attribute(value=ast.Name(id="self"), attr=name, ctx=ast.Load())
                | ast.AugAssign(
                    target=ast.Attribute(value=ast.Name(id="self"), attr=name)
                )
            ):
                yield AttributeRead(name, node.lineno - first_line + 1)
