"""Edits the text of a modular file: its statements, the members of classes, imports."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from modular.rules.classes.class_attributes import find_attributes
from modular.rules.classes.methods import find_methods
from modular.rules.files.imports import bound_names
from modular.source import module as modules
from modular.source.blocks import Kind, Statement, split
from modular.source.definition_view import DefinitionView, view_definition
from modular.source.import_statements import Import
from modular.source.indentation import STEP
from modular.source.module import Module
from modular.source.source_slice import SourceSlice, synthetic


class ModularText:
    """The text of a modular file. Edits return new texts, and change nothing here.

    Attributes:
        module: The statements of the file.
    """

    def __init__(self, path: str, text: str) -> None:
        """Read a modular file.

        Args:
            path: The path of the file, relative to the root.
            text: Its text.
        """
        self.module: Module = modules.read(path, text)

    @property
    def text(self) -> str:
        """The text of the file."""
        return self.module.code.text

    def statement_named(self, name: str) -> Statement | None:
        """Return the last statement that defines a name; None if none does."""
        return modules.statement_named(self.module, name)

    def first_definition(self) -> Statement | None:
        """Return the first class or function; None if the file has none."""
        for statement in self.module.block.statements:
            if statement.is_definition:
                return statement
        return None

    def first_below_imports(self) -> Statement | None:
        """Return the first statement below all imports; None if an import is the last one."""
        first_below = None
        # From the end of the file upwards, the last import comes first.
        for statement in reversed(self.module.block.statements):
            if statement.kind is Kind.IMPORT:
                break
            first_below = statement
        return first_below

    def replace_statement(self, statement: Statement, text: str) -> str:
        """Return the text of the file with one statement replaced or deleted.

        Comments above a replaced statement stay, and those above a deleted one go.

        Args:
            statement: A statement of this file. If it is from another file, nothing is
                replaced.
            text: The new text with line ends; empty to delete the statement.
        """
        for offset, candidate in self.module.statements_with_offsets():
            # Two statements can have the same code, so they are compared by identity.
            if candidate is statement:
                start_with_comments = offset
                start_without_comments = offset + statement.start
                start = start_without_comments if text else start_with_comments
                end = offset + len(statement.code.text)
                return self.module.code.replace([(start, end, text)]).text
        return self.text

    def insert_definition(self, text: str, *, before: Statement | None) -> str:
        """Return the text of the file with a new definition, between blank lines.

        Args:
            text: The definition, with its line end.
            before: The statement below it; None to add it at the end of the file.
        """
        insertion_offset = len(self.text)
        for offset, statement in self.module.statements_with_offsets():
            if statement is before:
                insertion_offset = offset
                break
        text_above = self.text[:insertion_offset].rstrip("\n")
        definition = text.strip("\n")
        text_below = self.text[insertion_offset:].strip("\n")
        parts = [part for part in (text_above, definition, text_below) if part]
        return "\n\n\n".join(parts) + "\n"

    def add_imports(self, lines: Iterable[str]) -> str:
        """Return the text of the file with new import statements below its last import.

        A statement that the file has already is not added again.

        Args:
            lines: Import statements with line ends, such as `from torch import nn\\n`.
        """
        existing_lines = {
            import_.statement.bare_code.text.strip() for import_ in self.module.imports
        }
        unique_lines = dict.fromkeys(lines)
        new_lines = [
            line for line in unique_lines if line.strip() not in existing_lines
        ]
        if not new_lines:
            return self.text
        offset = self._end_of_imports()
        added = "".join(new_lines)
        return self.module.code.replace([(offset, offset, added)]).text

    def _end_of_imports(self) -> int:
        """Return the offset at which the last import ends.

        In a file without imports, this is the end of the comments at its top.
        """
        end = len(self.module.header.text)
        for offset, statement in self.module.statements_with_offsets():
            if statement.kind is Kind.IMPORT:
                end = offset + len(statement.code.text)
        return end

    @property
    def imports(self) -> Sequence[Import]:
        """The plain imports of the file."""
        return self.module.imports

    @cached_property
    def bound_names(self) -> frozenset[str]:
        """Return the names that imports and definitions of the file bind."""
        names: set[str] = set()
        for import_ in self.imports:
            names |= import_.bound_names
        for statement in self.module.block.statements:
            if statement.kind is Kind.GUARD:
                names |= bound_names(statement)
            elif statement.name:
                names.add(statement.name)
        return frozenset(names)


def rewrite_class(
    view: DefinitionView,
    *,
    header: str | None = None,
    replaced: Mapping[Statement, str] | None = None,
    added: str = "",
    before: Statement | None = None,
) -> str:
    """Return a class with another header, replaced or deleted statements, or new members.

    Comments above the class are left out.

    Args:
        view: The class.
        header: The new decorators and the `class` line; None to keep them.
        replaced: New texts of statements of its body; an empty text deletes the
            statement.
        added: The text of new members.
        before: The statement of the body above which these are added; None to add them
            at the end.
    """
    replaced = replaced or {}
    if header is None:
        header = view.decorators.text + view.header.text
    texts: list[str] = []
    for statement in view.body.statements:
        if statement is before:
            texts.append(added)
        texts.append(replaced.get(statement, statement.code.text))
    if before is None:
        texts.append(added)
    body = "".join(texts)
    # Comments are blank in the masked text.
    if synthetic(body, "", 1).masked_text.strip():
        body = _without_placeholders(body, view)
    else:
        # Python allows no class without statements.
        body += f"{STEP}pass\n"
    comments_at_end = view.body.footer.text
    return header + body + comments_at_end


def class_members(class_: DefinitionView) -> dict[str, Statement]:
    """Return the attributes and methods of a class by their keys."""
    statements = class_.body.statements
    members = dict(find_attributes(statements))
    for key, method in find_methods(statements).items():
        members[key] = method.statement
    return members


def take_member(
    target: DefinitionView, source: DefinitionView, key: str
) -> Iterator[str]:
    """Yield texts of a target class in which one member is that of a source class.

    - If both classes have the member, it is replaced.
    - If only the target has it, it is deleted.
    - If only the source has it, it is added. This yields a text for each place that the
      member can have: in the order of the source, above the methods, and at the end.

    Args:
        target: The class of the modular file.
        source: The class that has the wanted member.
        key: The key of the attribute or method.
    """
    target_members = class_members(target)
    source_members = class_members(source)
    old = target_members.get(key)
    new = source_members.get(key)
    if old is not None:
        text = "" if new is None else _with_comments_of(old, new)
        yield rewrite_class(target, replaced={old: text})
    elif new is not None:
        for place in _possible_places(target, source, key):
            yield rewrite_class(target, added=new.code.text, before=place)


def _possible_places(
    target: DefinitionView, source: DefinitionView, key: str
) -> Iterator[Statement | None]:
    """Yield the statements of a target class above which a new member can be added.

    The best place is above the member that follows it in the source class. An attribute
    can also stand above the first method. None is the end of the class.

    Args:
        target: The class to which the member is added.
        source: The class that has the member.
        key: The key of the member.
    """
    target_members = class_members(target)
    source_members = class_members(source)
    keys = list(source_members)
    for later_key in keys[keys.index(key) + 1 :]:
        if later_key in target_members:
            yield target_members[later_key]
            break
    is_attribute = source_members[key].kind is not Kind.FUNCTION
    if is_attribute:
        for statement in target.body.statements:
            if statement.kind is Kind.FUNCTION:
                yield statement
                break
    yield None


def with_old_members(
    old_class: Statement, text: str, *, keeps_shorter: bool = False
) -> str:
    """Return a new text of a class that keeps the comments of an old text.

    A member whose code is the same keeps its old text, with the comments in it. Another
    member keeps the comments above it.

    Args:
        old_class: The class that is replaced.
        text: The text that replaces it.
        keeps_shorter: Whether a member also keeps its old text if the new one is longer.
    """
    old = view_definition(old_class)
    new = view_definition(split(synthetic(text, "", 1)).statements[0])
    old_members = class_members(old)
    new_keys = {member: key for key, member in class_members(new).items()}
    has_old_header = _code_words(old.header) == _code_words(new.header)
    header = old.header if has_old_header else new.header

    parts = [new.decorators.text, header.text]
    for member in new.body.statements:
        # A statement that is no member, such as a docstring, has no key.
        old_member = old_members.get(new_keys.get(member, ""))
        if old_member is None:
            parts.append(member.code.text)
            continue
        old_code = old_member.bare_code
        new_code = member.bare_code
        is_unchanged = _code_words(old_code) == _code_words(new_code)
        is_longer = new_code.text.count("\n") > old_code.text.count("\n")
        keeps_old_text = is_unchanged or (keeps_shorter and is_longer)
        if keeps_old_text:
            parts.append(old_member.code.text)
        else:
            parts.append(_with_comments_of(old_member, member))
    parts.append(old.body.footer.text)
    return "".join(parts)


def _with_comments_of(old: Statement, new: Statement) -> str:
    """Return the new text of a member, with the old comments above it if it has none."""
    lead = new.lead.text if new.lead.text.strip() else old.lead.text
    return lead + new.bare_code.text


def _code_words(code: SourceSlice) -> list[str]:
    """Return code without its comments, split at blanks."""
    return code.masked_text.split()


def _without_placeholders(body: str, view: DefinitionView) -> str:
    """Return the body of a class without `pass`, unless that is all it has.

    Args:
        body: The new text of the body.
        view: The class.
    """
    class_text = f"class {view.name}:\n{body}"
    class_statement = modules.read("", class_text).block.statements[0]
    statements = view_definition(class_statement).body.statements
    needed = [statement for statement in statements if not statement.does_nothing]
    if not needed or len(needed) == len(statements):
        return body
    texts = [statement.code.text for statement in needed]
    # The first statement follows the header without a blank line.
    texts[0] = texts[0].lstrip("\n")
    return "".join(texts)
