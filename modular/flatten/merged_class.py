"""The record of a flattened class: a parent's class merged with a class of the modular file."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from modular.rules.classes import raising_override
from modular.rules.classes.class_attributes import (
    find_attributes,
    find_child_attributes,
)
from modular.rules.classes.merge_record import (
    Fate,
    MemberStep,
    MethodMerge,
    Obstacle,
    render_steps,
)
from modular.rules.classes.methods import find_methods
from modular.rules.files.drafts import OutputRun, Provenance, make_output_run
from modular.source.blocks import Statement
from modular.source.definition_view import DefinitionView
from modular.source.diagnostics import Diagnostic, Fix, Place, Problem
from modular.source.indentation import STEP
from modular.source.places import place_of
from modular.source.source_slice import SourceSlice, synthetic, words


@dataclass(eq=False)
class MergedClass:
    """The record of a flattened class. A policy makes it, and `render` returns its lines.

    Attributes:
        parent: The parent's class, renamed.
        child: The class of the modular file.
        is_like_python: Whether the class does what Python's inheritance does.
        head: The comments above the class, its decorators and its header.
        docstring: The lines of its docstring.
        members: Its members with their fates, in their order.
        diagnostics: The errors that were found while merging.
        obstacles: What prevents the merge, although the modular file is correct.
    """

    parent: DefinitionView
    child: DefinitionView
    is_like_python: bool
    head: Sequence[SourceSlice] = ()
    docstring: Sequence[SourceSlice] = ()
    members: list[MemberStep] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    obstacles: list[Obstacle] = field(default_factory=list)

    @property
    def path(self) -> str:
        """The path of the modular file."""
        return self.child.code.path

    @cached_property
    def inherited(self) -> dict[str, DefinitionView]:
        """The methods of the parent's class by key."""
        return find_methods(self.parent.body.statements)

    @cached_property
    def overriding(self) -> dict[str, DefinitionView]:
        """The methods of the child class by key."""
        return find_methods(self.child.body.statements)

    @cached_property
    def inherited_attributes(self) -> dict[str, Statement]:
        """The attributes of the parent's class by name."""
        return find_attributes(self.parent.body.statements)

    @cached_property
    def attributes(self) -> dict[str, Statement]:
        """The attributes of the child class by name."""
        return find_child_attributes(self.child.body.statements)

    @cached_property
    def overridden_names(self) -> frozenset[str]:
        """The names of the methods and attributes that the child class defines itself."""
        methods = {method.name for method in self.overriding.values()}
        return frozenset(methods.union(self.attributes))

    @cached_property
    def removed(self) -> frozenset[str]:
        """The names whose methods the flattened class does not get from the parent.

        These are the names of all attributes of the child: `f = 1` takes the place of the
        parent's method `f`. An override that only raises an error,
        `def f(self): raise AttributeError(...)`, also removes the parent's `f`, except
        with the setting `inheritance = "python"`.
        """
        removed = set(self.attributes)
        for method in self.overriding.values():
            if self.removes_by_raising(method):
                removed.add(method.name)
        return frozenset(removed)

    def removes_by_raising(self, override: DefinitionView) -> bool:
        """Whether an override only removes the parent's method, because it raises."""
        if self.is_like_python:
            return False
        return raising_override.removes_method(override)

    @cached_property
    def merges(self) -> Mapping[str, MethodMerge]:
        """The overrides with the parent's body in place of a call to `super()`, by key."""
        merges = {}
        for member in self.members:
            if member.parts is not None and member.parts.merge is not None:
                merges[member.key] = member.parts.merge
        return merges

    @cached_property
    def deleted(self) -> Mapping[str, Statement]:
        """The `del` statements that removed an assignment, by what they delete."""
        deleted: dict[str, Statement] = {}
        for merge in self.merges.values():
            deleted.update(merge.deletions)
        return deleted

    @cached_property
    def kept_methods(self) -> Sequence[Statement]:
        """The parent's methods that are kept under private names."""
        return [
            member.statement for member in self.members if member.fate is Fate.PRIVATE
        ]

    @cached_property
    def parts(self) -> Sequence[OutputRun]:
        """The lines of the class as runs of the same origin, in their order."""
        return render(self)

    @cached_property
    def words(self) -> frozenset[str]:
        """All identifiers in the class."""
        return frozenset(words("\n".join(part.code.masked_text for part in self.parts)))

    def report(
        self,
        kind: Problem,
        at: SourceSlice | Place,
        message: str,
        hint: str,
        parent: DefinitionView,
        fixes: Iterable[Fix] = (),
    ) -> None:
        """Add an error about the merge of a child class and its parent class.

        Args:
            kind: The kind of error.
            at: The wrong code, or its place.
            message: The description of the error.
            hint: A sentence that says how to correct it.
            parent: The parent's class or method that the code does not match.
            fixes: Fixes that editors offer.
        """
        place = at if isinstance(at, Place) else place_of(at)
        related = place_of(parent.header)
        diagnostic = Diagnostic(kind, place, message, hint, related, fixes=tuple(fixes))
        self.diagnostics.append(diagnostic)


def render(record: MergedClass) -> list[OutputRun]:
    """Return the lines of a flattened class in runs, each from one file."""
    return [run for run in _render_class(record) if run.code.text]


def _render_class(record: MergedClass) -> Iterator[OutputRun]:
    """Yield the lines of a flattened class in runs, each from one file.

    A run may be empty. A class without a docstring and members gets the body `pass`.
    """
    path = record.path
    for code in record.head:
        yield make_output_run(code, path, Provenance.INHERITED)
    is_empty = not record.docstring
    for code in record.docstring:
        yield make_output_run(code, path, Provenance.INHERITED)
    for member in record.members:
        if member.fate.is_generated:
            is_empty = False
            yield from _render_member(member, path)
    if is_empty:
        yield make_output_run(_pass_in(record.child.statement), path, Provenance.MADE)


def _render_member(member: MemberStep, path: str) -> Iterator[OutputRun]:
    """Yield the lines of a member of a class in runs, each from one file.

    A run may be empty: that of a method without decorators, for example.

    Args:
        member: The member.
        path: The path of the modular file.
    """
    key, parts = member.key, member.parts
    if parts is None:
        yield make_output_run(member.code, path, Provenance.INHERITED, key)
        return
    for code in (parts.lead, *parts.decorators):
        yield make_output_run(code, path, Provenance.INHERITED, key)
    # With both headers, `modular blame` can find the right one for each line.
    yield OutputRun(parts.header, Provenance.OWN, key, parts.parent_header)

    body = render_steps(parts.steps)
    if parts.docstring is not None:
        code = parts.docstring.code
        yield make_output_run(code, path, Provenance.INHERITED, key)
    elif not body:
        # The child's `del self.x` below `super().f()` has removed the only statement.
        body = [_pass_in(member.statement)]
    for code in (*body, parts.footer):
        yield make_output_run(code, path, Provenance.MERGED, key)


def _pass_in(definition: Statement) -> SourceSlice:
    """Return the line `pass`, indented as the body of a class or method."""
    text = f"{definition.indent + STEP}pass\n"
    return synthetic(text, definition.code.path, definition.line)
