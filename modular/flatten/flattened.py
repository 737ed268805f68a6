"""A flattened class: its parts in order, and what was found on the way."""

from dataclasses import dataclass, field
from functools import cached_property

from modular.rules.classes import raising_override
from modular.rules.classes.class_attributes import find_attributes
from modular.rules.classes.methods import methods
from modular.rules.files.drafts import OutputRun, Provenance, make_output_run
from modular.source.blocks import Statement
from modular.source.code import SourceSlice, words
from modular.source.diagnostics import Diagnostic, Fix, Place, Problem
from modular.source.parts import DefinitionView
from modular.source.places import place_of


@dataclass(eq=False)
class Flattened:
    """A flattened class, of the parent's and the modular's own: its parts in order, and what was found on the way.

    The class's own lines belong to the member with the empty name. ``path`` is that of the modular file, and ``deleted`` are
    the `del` statements that removed an assignment, by what they delete.
    """

    parent: DefinitionView
    own: DefinitionView
    parts: list[OutputRun] = field(default_factory=list)
    deleted: dict[str, Statement] = field(default_factory=dict)
    diagnostics: list[Diagnostic] = field(default_factory=list)

    @property
    def path(self) -> str:
        """The path of the modular file."""
        return self.own.code.path

    @cached_property
    def inherited(self) -> dict[str, DefinitionView]:
        """The methods of the parent's class, by their keys."""
        return methods(self.parent.body.statements)

    @cached_property
    def overriding(self) -> dict[str, DefinitionView]:
        """The methods of the modular's class, by their keys."""
        return methods(self.own.body.statements)

    @cached_property
    def inherited_attributes(self) -> dict[str, Statement]:
        """The attributes of the parent's class, by name."""
        return find_attributes(self.parent.body.statements)

    @cached_property
    def attributes(self) -> dict[str, Statement]:
        """The attributes of the modular's class, by name."""
        return find_attributes(self.own.body.statements)

    @cached_property
    def removed(self) -> frozenset[str]:
        """The names of the parent's methods that the modular's class removes: by raising, or by an attribute of that name."""
        raising = (
            method.name
            for method in self.overriding.values()
            if raising_override.removes_method(method)
        )
        return frozenset((*raising, *self.attributes))

    @cached_property
    def words(self) -> frozenset[str]:
        """Every identifier in it; asked for when all parts are there."""
        return frozenset(words("\n".join(part.code.mask for part in self.parts)))

    def add(
        self,
        member: str,
        *codes: SourceSlice,
        parents: Provenance = Provenance.INHERITED,
    ) -> None:
        """Append runs of lines that belong to a member; ``parents`` is how those came in that are the parent's."""
        self.parts += [
            make_output_run(member, code, self.path, parents)
            for code in codes
            if code.text
        ]

    def report(
        self,
        kind: Problem,
        at: SourceSlice | Place,
        message: str,
        hint: str,
        parent: DefinitionView,
        *suggested: Fix,
    ) -> None:
        """Record a diagnostic about some code; ``parent`` is what it should have found in the parent."""
        place = at if isinstance(at, Place) else place_of(at)
        self.diagnostics.append(
            Diagnostic(
                kind, place, message, hint, place_of(parent.header), fixes=suggested
            )
        )
