"""Uses of a parent class in the modular file, and whether another class can be written there."""

from collections.abc import Iterator, Mapping, Sequence
from enum import Enum, auto
from typing import NamedTuple

import libcst as cst

from modular.flatten.flattened import Flattened
from modular.lint.rule import Syntax
from modular.source import fixes
from modular.source.blocks import Kind, Statement
from modular.source.definition_view import view_definition
from modular.source.diagnostics import Edit, Place
from modular.source.module import Module
from modular.source.source_slice import find_word
from modular.source.walking import descend


_TYPE_CHECKS = ("isinstance", "issubclass")


class _Form(Enum):
    """How an expression uses a class."""

    TYPE = auto()
    """Only as a type: in an annotation, or in `isinstance(x, LlamaMLP)`."""
    MEMBER = auto()
    """For a member: `LlamaMLP.size`."""
    CALL = auto()
    """For an object: `LlamaMLP(config)`."""
    OTHER = auto()


class ClassUse(NamedTuple):
    """A use of a class's name in a top-level statement of the modular file.

    Attributes:
        statement: The statement.
        start: The offset of the name in the code of the statement.
        form: How the name is used.
        member: The member of the class that is used; empty without one.
    """

    statement: Statement
    start: int
    form: _Form
    member: str

    def replace(self, old: str, new: str) -> Edit:
        """Return the edit that replaces the name with another one."""
        end = self.start + len(old)
        return fixes.make_edit(self.statement.code, self.start, end, new)

    def is_at(self, place: Place) -> bool:
        """Whether the use is at a place of the modular file."""
        edit = self.replace("", "")
        return (edit.line, edit.column) == (place.line, place.column)

    def means_same_as(self, flat: Flattened) -> bool:
        """Whether a child of the used class can be written instead.

        `LlamaMLP.scale` is not `OlmoMLP.scale` if `OlmoMLP` has a `scale` of its own. If
        `OlmoMLP` uses `LlamaMLP` in its own code, or in code that it calls, it could call
        itself without end.

        Args:
            flat: The child, merged with the parent class.
        """
        if self.form is _Form.TYPE:
            return True
        if self.form is _Form.MEMBER:
            return self.member not in flat.overridden_names
        owner = self.statement.name
        return owner != flat.child.name and owner not in flat.child.code.words()


def find_class_uses(module: Module, name: str) -> Iterator[ClassUse]:
    """Yield the uses of a name in the code of the modular file.

    Imports, the headers of classes and attributes such as `self.name` do not count.
    """
    for statement in module.block.statements:
        if statement.kind is Kind.IMPORT or name not in statement.words:
            continue
        mask = statement.code.mask
        # Other statements than classes have no header that is left out.
        header_start = header_end = 0
        if statement.kind is Kind.CLASS:
            header_start = statement.header_start
            header_end = header_start + len(view_definition(statement).header.text)
        forms: Mapping[tuple[int, int], tuple[_Form, str]] | None = None
        for start in find_word(mask, name):
            is_in_header = header_start <= start < header_end
            is_attribute = mask[start - 1 : start] == "."
            if not is_in_header and not is_attribute:
                # Most classes name their parent class only in the header.
                if forms is None:
                    forms = _read_forms(statement, name)
                line = statement.code.line + mask.count("\n", 0, start)
                column = start - mask.rfind("\n", 0, start)
                form, member = forms.get((line, column), (_Form.OTHER, ""))
                yield ClassUse(statement, start, form, member)


class _FormOfNode(NamedTuple):
    """A node below a statement, and how it is used by the nodes above it."""

    node: cst.CSTNode
    form: _Form
    member: str = ""


def _read_forms(
    statement: Statement, name: str
) -> dict[tuple[int, int], tuple[_Form, str]]:
    """Return how each use of a name in a statement uses it, by line and column.

    The result is empty if LibCST cannot read the statement.
    """
    syntax = Syntax.read(statement.bare_code)
    if syntax is None:
        return {}
    forms = {}
    root = _FormOfNode(syntax.node, _Form.OTHER)
    for item in descend(root, _children_with_forms):
        if isinstance(item.node, cst.Name) and item.node.value == name:
            place = syntax.place(item.node)
            forms[place.line, place.column] = (item.form, item.member)
    return forms


def _children_with_forms(item: _FormOfNode) -> Sequence[_FormOfNode]:
    """Return the children of a node, each with how the node uses it."""
    form_of_child: dict[cst.CSTNode, _FormOfNode] = {}
    match item.node:
        case cst.Attribute(value=value, attr=cst.Name(value=member)):
            form_of_child[value] = _FormOfNode(value, _Form.MEMBER, member)
        case cst.Call(func=cst.Name(value=function) as func, args=arguments):
            form_of_child[func] = _FormOfNode(func, _Form.CALL)
            if function in _TYPE_CHECKS:
                for argument in arguments:
                    form_of_child[argument] = _FormOfNode(argument, _Form.TYPE)
        case cst.Annotation():
            return [_FormOfNode(child, _Form.TYPE) for child in item.node.children]
    # The name in `isinstance(x, (LlamaMLP, LlamaNorm))` is below a tuple.
    inherits = item.form is _Form.TYPE and not isinstance(item.node, cst.Call)
    inherited_form = _Form.TYPE if inherits else _Form.OTHER
    children = []
    for child in item.node.children:
        children.append(form_of_child.get(child) or _FormOfNode(child, inherited_form))
    return children
