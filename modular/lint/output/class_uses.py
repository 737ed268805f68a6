"""Uses of a parent class in the modular file, and whether another class can be written there."""

from collections.abc import Iterator
from enum import Enum, auto
from typing import NamedTuple

from modular.flatten.merged_class import MergedClass
from modular.semantics.facts import Mention, Usage, When
from modular.semantics.statements import facts_of
from modular.source import fixes
from modular.source.blocks import Kind, Statement
from modular.source.definition_view import view_definition
from modular.source.diagnostics import Edit, Place
from modular.source.module import Module
from modular.source.source_slice import find_word


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

    def means_same_as(self, merged_class: MergedClass) -> bool:
        """Whether the name of a child can replace the used class.

        `LlamaMLP.scale` is not `OlmoMLP.scale` if `OlmoMLP` has a `scale` of its own.
        If `OlmoMLP` uses `LlamaMLP` in its own code, or in code that it calls, it could
        call itself without end.

        Args:
            merged_class: The child, merged with the parent class.
        """
        if self.form is _Form.TYPE:
            return True
        if self.form is _Form.MEMBER:
            return self.member not in merged_class.overridden_names
        user = self.statement.name
        is_in_child = user == merged_class.child.name
        may_be_called_by_child = user in merged_class.child.code.words()
        return not is_in_child and not may_be_called_by_child


def find_class_uses(module: Module, name: str) -> Iterator[ClassUse]:
    """Yield the uses of a name in the code of the modular file.

    Imports, the headers of classes and attributes such as `self.name` do not count.
    """
    for statement in module.block.statements:
        if statement.kind is Kind.IMPORT or name not in statement.words:
            continue
        starts = _find_starts(statement, name)
        # Most classes name their parent class only in the header, and are not parsed.
        if not starts:
            continue
        form_of_line = _read_forms(statement, name)
        for start in starts:
            line_index = statement.code.masked_text.count("\n", 0, start)
            line = statement.code.line + line_index
            form, member = form_of_line.get(line, (_Form.OTHER, ""))
            yield ClassUse(statement, start, form, member)


def _find_starts(statement: Statement, name: str) -> list[int]:
    """Return the offsets of a name in a statement.

    Those in the header of a class, and those of attributes such as `self.name`, are left
    out.
    """
    masked_text = statement.code.masked_text
    header = range(0)
    if statement.kind is Kind.CLASS:
        header_start = statement.header_start
        header_length = len(view_definition(statement).header.text)
        header = range(header_start, header_start + header_length)
    starts = []
    for start in find_word(masked_text, name):
        is_attribute = masked_text[start - 1 : start] == "."
        if start not in header and not is_attribute:
            starts.append(start)
    return starts


def _read_forms(statement: Statement, name: str) -> dict[int, tuple[_Form, str]]:
    """Return how each line of a statement uses a class, and which member of it.

    For the line `x = LlamaMLP.size`, this is the form `MEMBER`, and `size`. Lines that
    use the class in several ways are left out.
    """
    form_of_line: dict[int, tuple[_Form, str]] = {}
    ambiguous_lines = set()
    first_line = statement.bare_code.line
    for mention in facts_of(statement).mentions_of(name):
        line = first_line + mention.line - 1
        form = _form_of(mention)
        if form_of_line.setdefault(line, form) != form:
            ambiguous_lines.add(line)
    for line in ambiguous_lines:
        del form_of_line[line]
    return form_of_line


def _form_of(mention: Mention) -> tuple[_Form, str]:
    """Return how a mention uses a class, and which member: `MEMBER`, `size` for `X.size`.

    The member is empty for the other forms.
    """
    is_annotation = mention.when in (When.ANNOTATION, When.QUOTED)
    if is_annotation or mention.passed_to in _TYPE_CHECKS:
        return _Form.TYPE, ""
    if mention.attributes:
        return _Form.MEMBER, mention.attributes[0]
    if mention.usage is Usage.CALLED:
        return _Form.CALL, ""
    return _Form.OTHER, ""
