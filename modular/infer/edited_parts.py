"""Finds the parts of generated files that somebody has edited."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from modular.infer.equivalence import normal_form
from modular.infer.flat import FlatFile
from modular.rules.classes.class_attributes import find_attributes
from modular.rules.classes.methods import find_methods
from modular.rules.files.drafts import ALL, GETATTR
from modular.source.blocks import Kind, Statement, split
from modular.source.definition_view import view_definition
from modular.source.import_statements import plain_imports
from modular.source.source_slice import SourceSlice


class PartKind(str, Enum):
    """The kinds of parts of a generated file.

    Attributes:
        METHOD: A method of a class.
        ATTRIBUTE: An attribute in the body of a class.
        DOCSTRING: The docstring of a class.
        HEADER: The comments, decorators and bases of a class.
        DEFINITION: A whole class, function or assignment at module level.
        EXPORTS: The list `__all__`.
        IMPORTS: All imports of the file.
        LAYOUT: The layout and order of imports, and blank lines outside of definitions,
            if nothing else differs there.
        OTHER: Any other code: the heading, guards, the order of statements.
    """

    METHOD = "method"
    ATTRIBUTE = "attribute"
    DOCSTRING = "docstring"
    HEADER = "header"
    DEFINITION = "definition"
    EXPORTS = "exports"
    IMPORTS = "imports"
    LAYOUT = "layout"
    OTHER = "other code"


@dataclass(frozen=True)
class PartId:
    """The identity of a part, which an edit does not change.

    Attributes:
        path: The generated file.
        kind: The kind of the part.
        definition: The name of the class or definition; empty for other parts.
        member: The key of the method or attribute; empty for other parts.
    """

    path: str
    kind: PartKind
    definition: str = ""
    member: str = ""

    @property
    def title(self) -> str:
        """A short description, such as `OlmoMLP.forward`."""
        if self.member:
            return f"{self.definition}.{self.member}"
        if self.definition:
            name = self.definition.partition("\n")[0]
            if self.kind in (PartKind.DOCSTRING, PartKind.HEADER):
                return f"{self.kind.value} of {name}"
            return name
        return ALL if self.kind is PartKind.EXPORTS else self.kind.value


@dataclass(frozen=True)
class EditedPart:
    """A part of a generated file whose text on disk is not what is generated.

    Attributes:
        id: The identity of the part.
        generated: The code that is generated; None if the part was added.
        edited: The code on disk; None if the part was removed.
        line: The first line of the part on disk, or of the code around it, from 1.
    """

    id: PartId
    generated: SourceSlice | None
    edited: SourceSlice | None
    line: int


def find_edited_parts(
    generated: FlatFile | None, edited: FlatFile
) -> Iterator[EditedPart]:
    """Yield the parts of a file on disk that differ from the generated file.

    If somebody edited `OlmoMLP.forward` on disk, this method is the part. If all
    members of a class are equal but their order is not, the whole class is the part.

    Args:
        generated: The formatted generated file; None if none is generated.
        edited: The file on disk.
    """
    path = edited.path
    if generated is None:
        code = edited.module.code
        yield EditedPart(PartId(path, PartKind.OTHER), None, code, line=1)
        return
    if generated.text == edited.text:
        return
    parts = list(_find_edited_definitions(generated, edited))
    old_imports = _join_imports(generated)
    new_imports = _join_imports(edited)
    has_other_import_layout = _differ_only_in_layout(old_imports, new_imports)
    if not has_other_import_layout:
        imports_id = PartId(path, PartKind.IMPORTS)
        parts += _compare_parts(imports_id, old_imports, new_imports)
    yield from parts

    # All other edits together are one part.
    kind = _kind_of_rest(generated, edited)
    if kind is None and has_other_import_layout:
        kind = PartKind.LAYOUT
    if kind is None and not parts:
        # The texts differ, but nothing above has found where.
        only_blank_lines = _code_lines(generated.text) == _code_lines(edited.text)
        kind = PartKind.LAYOUT if only_blank_lines else PartKind.OTHER
    if kind is not None:
        code, new_code = generated.module.code, edited.module.code
        line = _first_line_of_rest(generated, edited)
        yield EditedPart(PartId(path, kind), code, new_code, line=line)


def _find_edited_definitions(
    generated: FlatFile, edited: FlatFile
) -> Iterator[EditedPart]:
    """Yield the definitions, members of classes, and `__all__` that somebody edited.

    A class that only has its members in another order is one edited definition.

    Args:
        generated: The file as it is generated.
        edited: The file on disk.
    """
    generated_classes = {class_.name: class_ for class_ in generated.classes}
    edited_classes = {class_.name: class_ for class_ in edited.classes}
    common_classes = generated_classes.keys() & edited_classes.keys()
    generated_parts = dict(_read_parts(generated, common_classes))
    edited_parts = dict(_read_parts(edited, common_classes))
    names_of_edited = set()
    for part_id in {**edited_parts, **generated_parts}:
        old, new = generated_parts.get(part_id), edited_parts.get(part_id)
        for part in _compare_parts(part_id, old, new):
            names_of_edited.add(part_id.definition)
            yield part

    # All members of these classes are equal, so only their order can differ.
    for name in sorted(common_classes - names_of_edited):
        class_id = PartId(edited.path, PartKind.DEFINITION, name)
        old, new = generated_classes[name].code, edited_classes[name].code
        yield from _compare_parts(class_id, old, new)


def _read_parts(
    file: FlatFile, split_classes: Collection[str]
) -> Iterator[tuple[PartId, SourceSlice]]:
    """Yield the parts in which a file is compared: definitions, members and `__all__`.

    Args:
        file: The file.
        split_classes: The classes whose members are compared one by one. Any other class
            is one part.
    """
    path = file.path
    for name, statement in file.definitions.items():
        if name in split_classes:
            yield from _read_class_parts(path, statement)
        else:
            yield PartId(path, PartKind.DEFINITION, name), statement.code
    deprecated_names = file.special(GETATTR)
    if deprecated_names is not None:
        yield PartId(path, PartKind.DEFINITION, GETATTR), deprecated_names.code
    exports = file.special(ALL)
    if exports is not None:
        yield PartId(path, PartKind.EXPORTS), exports.code


def _read_class_parts(
    path: str, statement: Statement
) -> Iterator[tuple[PartId, SourceSlice]]:
    """Yield the parts of a class: its header, its docstring and its members."""
    view = view_definition(statement)
    above_body = view.lead.text + view.decorators.text + view.header.text
    yield PartId(path, PartKind.HEADER, view.name), view.code.cut(0, len(above_body))
    if view.docstring is not None:
        yield PartId(path, PartKind.DOCSTRING, view.name), view.docstring.code
    for key, attribute in find_attributes(view.body.statements).items():
        yield PartId(path, PartKind.ATTRIBUTE, view.name, key), attribute.code
    for key, method in find_methods(view.body.statements).items():
        yield PartId(path, PartKind.METHOD, view.name, key), method.code


def _kind_of_rest(generated: FlatFile, edited: FlatFile) -> PartKind | None:
    """Return what was edited outside of definitions, imports and `__all__`, if anything.

    This is `OTHER` for code and the order of definitions, and `LAYOUT` if only blank lines
    were edited.

    Args:
        generated: The file as it is generated.
        edited: The file on disk.
    """
    generated_code = _code_outside_of_parts(generated)
    edited_code = _code_outside_of_parts(edited)
    if _code_lines(generated_code) != _code_lines(edited_code):
        return PartKind.OTHER
    if first_order_difference(generated, edited) is not None:
        return PartKind.OTHER
    if generated_code != edited_code:
        return PartKind.LAYOUT
    return None


def _first_line_of_rest(generated: FlatFile, edited: FlatFile) -> int:
    """Return the line of the first edit outside of definitions, imports and `__all__`.

    This is the line of a new statement, such as a guard, or else of the first definition
    that was moved, or else line 1.
    """
    generated_texts = {item.bare_code.text for item in generated.other_statements}
    for statement in edited.other_statements:
        is_new = statement.bare_code.text not in generated_texts
        if is_new:
            return statement.line
    difference = first_order_difference(generated, edited)
    if difference is not None:
        return edited.definitions[difference.edited_name].line
    return 1


class OrderDifference(NamedTuple):
    """The names that two files have at the first place at which their order differs."""

    generated_name: str
    edited_name: str


def first_order_difference(
    generated: FlatFile, edited: FlatFile
) -> OrderDifference | None:
    """Return where the order of the definitions of two files differs first.

    Only definitions that both files have count. If the generated file has `A, B, C`, and
    the file on disk has `B, A, D`, the names are `A` and `B`. None if the order is the
    same.
    """
    generated_order = [
        name for name in generated.definitions if name in edited.definitions
    ]
    edited_order = [
        name for name in edited.definitions if name in generated.definitions
    ]
    for generated_name, edited_name in zip(generated_order, edited_order, strict=True):
        if generated_name != edited_name:
            return OrderDifference(generated_name, edited_name)
    return None


def _code_outside_of_parts(file: FlatFile) -> str:
    """Return the heading of a file, and its statements that are not definitions."""
    texts = [file.module.header.text]
    for statement in file.other_statements:
        if statement.name not in (ALL, GETATTR):
            texts.append(statement.code.text)
    return "".join(texts)


def _code_lines(text: str) -> list[str]:
    """Return the lines of a text that are not blank."""
    return [line for line in text.split("\n") if line.strip()]


def _differ_only_in_layout(old: SourceSlice | None, new: SourceSlice | None) -> bool:
    """Return whether the imports of two files differ, but only in their layout or order.

    The converter decides on the layout and order of imports, so such an edit is lost.
    """
    if old is None or new is None or old.text == new.text:
        return False
    return _normalized_imports(old) == _normalized_imports(new)


def _normalized_imports(code: SourceSlice) -> list[str]:
    """Return the imports of some code, each without its layout, sorted if possible.

    The imports keep their order if it can matter: two of them bind the same name, one is
    in an `if` or `try`, or one is `from x import *`.
    """
    statements = split(code).statements
    texts = [normal_form(statement.code) for statement in statements]
    names: list[str] = []
    for import_ in plain_imports(statements):
        names += import_.bound_names
    are_plain = all(statement.kind is Kind.IMPORT for statement in statements)
    has_duplicates = len(set(names)) < len(names)
    order_matters = not are_plain or has_duplicates or "*" in names
    return texts if order_matters else sorted(texts)


def _compare_parts(
    part_id: PartId, old: SourceSlice | None, new: SourceSlice | None
) -> Iterator[EditedPart]:
    """Yield a part of a generated file if it was edited, added or removed on disk.

    Blank lines above the part do not count.

    Args:
        part_id: The identity of the part.
        old: The generated code; None if the part was added.
        new: The code on disk; None if the part was removed.
    """
    old_text = None if old is None else old.text.lstrip("\n")
    new_text = None if new is None else new.text.lstrip("\n")
    if old_text == new_text:
        return
    code = new if new is not None else old
    assert code is not None
    blank_lines_above = len(code.text) - len(code.text.lstrip("\n"))
    yield EditedPart(part_id, old, new, line=code.line + blank_lines_above)


def _join_imports(file: FlatFile) -> SourceSlice | None:
    """Return all imports of a file as one piece of code; None if it has none."""
    imports: list[SourceSlice] = []
    for statement in file.module.block.statements:
        if statement.kind in (Kind.IMPORT, Kind.GUARD):
            imports.append(statement.code)
    if not imports:
        return None
    # The joined code begins on the line of the first import.
    return imports[0]._replace(
        text="".join(code.text for code in imports),
        masked_text="".join(code.masked_text for code in imports),
    )
