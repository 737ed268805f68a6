"""A flattened class: a parent's class merged with a class of the modular file."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from functools import cached_property

from modular.rules.classes import raising_override
from modular.rules.classes.class_attributes import (
    find_attributes,
    find_child_attributes,
)
from modular.rules.classes.merge_record import MethodMerge
from modular.rules.classes.methods import find_methods
from modular.rules.files.drafts import OutputRun, Provenance, make_output_run
from modular.source.blocks import Statement
from modular.source.definition_view import DefinitionView
from modular.source.diagnostics import Diagnostic, Fix, Place, Problem
from modular.source.places import place_of
from modular.source.source_slice import SourceSlice, words


@dataclass(eq=False)
class Flattened:
    """A flattened class.

    Attributes:
        parent: The parent's class, renamed.
        child: The class of the modular file.
        parts: The lines of the class as runs of the same origin, in their order. The
            lines outside of methods belong to the member with the empty name.
        merges: The overrides in which the parent's body replaces a call of `super()`, by
            the key of the method.
        deleted: The `del` statements that removed an assignment, by what they delete.
        diagnostics: The errors that were found while merging.
        kept_names: The names of the parent's methods that are kept under private names.
        is_like_python: Whether the class does what Python's inheritance does.
        added_decorators: Names of decorators that do not replace the parent's.
    """

    parent: DefinitionView
    child: DefinitionView
    parts: list[OutputRun] = field(default_factory=list)
    merges: dict[str, MethodMerge] = field(default_factory=dict)
    deleted: dict[str, Statement] = field(default_factory=dict)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    kept_names: tuple[str, ...] = ()
    is_like_python: bool = False
    added_decorators: Collection[str] = ()

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
        if self.is_like_python:
            return find_attributes(self.child.body.statements)
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
    def words(self) -> frozenset[str]:
        """All identifiers in the class. It is complete when all parts are added."""
        return frozenset(words("\n".join(part.code.mask for part in self.parts)))

    def add(
        self,
        *codes: SourceSlice,
        member: str = "",
        parent_provenance: Provenance = Provenance.INHERITED,
    ) -> None:
        """Append lines to the flattened class, and record where they come from.

        Args:
            codes: The lines. Empty code is skipped.
            member: The method or attribute that the lines belong to; empty for others.
            parent_provenance: The provenance of lines from the parent class. Lines of the
                child class always get `Provenance.OWN`.
        """
        for code in codes:
            if code.text:
                run = make_output_run(code, self.path, parent_provenance, member)
                self.parts.append(run)

    def insert(self, position: int, codes: Iterable[SourceSlice]) -> None:
        """Insert lines that belong to no member into the flattened class.

        Args:
            position: The index in `parts` of the first inserted lines.
            codes: The lines. Empty code is skipped.
        """
        runs = []
        for code in codes:
            if code.text:
                runs.append(make_output_run(code, self.path, Provenance.INHERITED))
        self.parts[position:position] = runs

    def add_merged_header(
        self, header: SourceSlice, parent_header: SourceSlice, member: str
    ) -> None:
        """Append the header of an override, which may have parts of the parent's header.

        Both headers are recorded as sources, so that `modular blame` can find the right
        one for each line.

        Args:
            header: The header of the method in the flattened class.
            parent_header: The header of the parent's method.
            member: The key of the method.
        """
        run = OutputRun(header, Provenance.OWN, member, parent_header)
        self.parts.append(run)

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
