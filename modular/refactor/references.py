"""Finds the places of a file that refer to renamed definitions or to a renamed member."""

from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from modular.refactor.errors import RenameError
from modular.refactor.member_references import MemberFinder, MemberRename
from modular.refactor.name_references import NameFinder
from modular.refactor.project_files import Definition, ProjectFiles
from modular.refactor.reference_finder import References
from modular.rules.files.drafts import ALL
from modular.source.blocks import Kind, Statement
from modular.source.definition_view import view_definition
from modular.source.module import Module
from modular.source.source_slice import SourceSlice
from modular.system.printable import one_line


@dataclass(frozen=True)
class Renames:
    """Definitions with their new names, or one member of several classes."""

    names: Mapping[Definition, str] = field(default_factory=dict)
    member: MemberRename | None = None

    @property
    def old_words(self) -> frozenset[str]:
        """The names that are replaced."""
        words = {name for _, name in self.names}
        if self.member is not None:
            words.add(self.member.old)
        return frozenset(words)

    @property
    def class_names(self) -> frozenset[str]:
        """The names of the classes whose member is renamed."""
        if self.member is None:
            return frozenset()
        return frozenset(name for _, name in self.member.types.classes_with_member)


def find_references(files: ProjectFiles, path: str, renames: Renames) -> References:
    """Find the places of one file that refer to a renamed definition or member.

    Returns:
        The edits of the file, places at which the new name is in use already, and
        places that may be meant.

    Raises:
        RenameError: Python cannot parse the file, or it has a syntax error.
    """
    module = files.readable_module(path)
    if module is None:
        return References()
    slices = list(_relevant_slices(module, renames))
    try:
        if renames.member is None:
            references = NameFinder(files, path, slices, renames.names).find()
        else:
            references = MemberFinder(files, path, slices, renames.member).find()
    except (SyntaxError, RecursionError, MemoryError):
        raise RenameError(
            f"`{one_line(path)}` uses syntax that this Python cannot read; rename there "
            "by hand"
        ) from None

    # The same place can be found more than once.
    references.edits = sorted(dict.fromkeys(references.edits))
    edited = {(edit.line, edit.column) for edit in references.edits}
    references.unclear = [
        place
        for place in sorted(dict.fromkeys(references.unclear))
        if (place.line, place.column) not in edited
    ]
    references.conflicts.sort()
    references.merged_names.sort()
    return references


def _relevant_slices(module: Module, renames: Renames) -> Iterator[SourceSlice]:
    """Yield the parts of a file that must be parsed to find references.

    Parsing takes long. If possible, only the imports of a file are parsed, and the
    statements that have one of the names.
    """
    if _needs_whole_file(module, renames.member):
        yield module.code
        return

    # A statement with a new name may use it for something else already.
    new_names = renames.names.values()
    words = {*renames.old_words, *renames.class_names, *new_names}
    # A rename of a member needs whole classes: `self.mlp = LlamaMLP()` in one method
    # tells the class of `self.mlp.act_fn` in another one.
    splits_classes = renames.member is None
    for statement in module.block.statements:
        yield from _relevant_parts(statement, words, splits_classes=splits_classes)


def _needs_whole_file(module: Module, member: MemberRename | None) -> bool:
    """Tell whether all statements of a file must be parsed to find references."""
    has_statements_on_one_line = ";" in module.code.mask
    if has_statements_on_one_line:
        # A part that is parsed alone must have whole lines, unlike `a = 1; b = 2`.
        return True
    if member is not None:
        for statement in module.block.statements:
            if not statement.is_definition and member.old in statement.words:
                # For `mlp.act_fn` at module level, the class of `mlp` must be known. Any
                # statement at module level may assign `mlp`.
                return True
    return False


def _relevant_parts(
    statement: Statement, words: AbstractSet[str], *, splits_classes: bool
) -> Iterator[SourceSlice]:
    """Yield the parts of a statement that have one of the words.

    Args:
        statement: The statement. Imports and `__all__` are always relevant.
        words: The words.
        splits_classes: Whether only the relevant members of a class are returned.
    """
    code = statement.code
    is_import = statement.kind in (Kind.IMPORT, Kind.GUARD)
    is_always_relevant = is_import or statement.name == ALL
    if not is_always_relevant and words.isdisjoint(code.words()):
        return
    is_whole = statement.kind is not Kind.CLASS or not splits_classes
    # `class A: x = 1` has its members on the line of the header.
    if is_whole or view_definition(statement).is_inline:
        yield code
        return

    # The header and the first statement stay, so that the class has a body.
    first, *members = view_definition(statement).body.statements
    yield code.cut(0, statement.header_end)
    yield first.code
    for member in members:
        yield from _relevant_parts(member, words, splits_classes=True)
