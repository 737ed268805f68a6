"""What a lint rule is: one class, whose docstring is its page and whose examples are its tests."""

from collections.abc import Iterator
from contextlib import suppress
from functools import cached_property
from typing import ClassVar, Final

import libcst as cst
from libcst.metadata import CodeRange, MetadataWrapper, PositionProvider

from modular.flatten.flattened import Flattened
from modular.lint.subject import LintContext
from modular.source import fixes, trees
from modular.source.definition_view import DefinitionView
from modular.source.diagnostics import Diagnostic, Fix, Place, Problem, Severity
from modular.source.places import place_at, place_of
from modular.source.source_slice import SourceSlice
from modular.source.trees import written


class Syntax:
    """A statement as a tree; nodes have places in the file."""

    def __init__(self, code: SourceSlice, tree: trees.Tree) -> None:
        self.code: Final = code
        self.node: Final = tree.node
        self._tree: Final = tree

    @staticmethod
    def read(code: SourceSlice) -> "Syntax | None":
        """Read one statement; None where LibCST cannot read it, and for comments and blank lines."""
        code = code.cut(len(code.text) - len(code.text.lstrip("\n")))
        if code.mask.strip():
            with suppress(trees.UnreadableError, RecursionError, MemoryError):
                return Syntax(code, trees.parse(code))
        return None

    def walk(self) -> Iterator[cst.CSTNode]:
        """Yield all nodes in their order."""
        return trees.walk(self.node)

    def place(self, node: cst.CSTNode) -> Place:
        """Return the place of a node; of one over several lines that of its first."""
        start, end = self._positions[node].start, self._positions[node].end
        line = self.code.line_at(start.line - 1 - (not self._tree.is_bare))
        width = (
            end.column if end.line == start.line else len(line.text.rstrip())
        ) - start.column
        return place_at(line, start.column, width)

    @cached_property
    def _positions(self) -> "dict[cst.CSTNode, CodeRange]":
        wrapper = MetadataWrapper(self._tree.module, unsafe_skip_copy=True)
        return dict(wrapper.resolve(PositionProvider))


class LintRule:
    """A rule that looks at one modular file, and at what was generated from it.

    ``code`` is its code, with its name and level. ``message`` and ``hint`` are what is reported, with names in braces for what
    `report` is given. The docstring of a rule says what is wrong, why, and what to use instead; then come its examples, `Invalid`
    with the `Finding`, `Fixed` where there is an autofix, and `Valid`.
    """

    code: ClassVar[Problem]
    message: ClassVar[str]
    hint: ClassVar[str] = ""

    def __init__(self, subject: LintContext) -> None:
        self.subject = subject
        self.layout = subject.layout
        self.modular = subject.modular
        self.findings: list[Diagnostic] = []

    def check(self) -> None:
        """Look at the modular file. A rule that does not say how looks at each class that has a parent class."""
        for flat in self.layout.flattened.values():
            self.check_class(flat)

    def check_class(self, flat: Flattened) -> None:
        """Look at a class. A rule that does not say how looks at each method that overrides one of the parent's."""
        for key, own in flat.overriding.items():
            if key in flat.inherited:
                self.check_override(flat, key, flat.inherited[key], own)

    def check_override(
        self, flat: Flattened, key: str, parent: DefinitionView, own: DefinitionView
    ) -> None:
        """Look at a method of a class, and at the parent's method of the same ``key`` that it overrides."""

    def walk(self, code: SourceSlice) -> Iterator[cst.CSTNode]:
        """Yield the statement and all its nodes in their order, which can be reported; none where LibCST cannot read it."""
        self._syntax = Syntax.read(code)
        return iter(()) if self._syntax is None else self._syntax.walk()

    def as_rule(self, rule: "type[LintRule]") -> "LintRule":
        """Return another rule whose findings are reported among this one's."""
        other = rule(self.subject)
        other.findings = self.findings
        return other

    def report(
        self,
        at: cst.CSTNode | Place | SourceSlice,
        *autofixes: Fix,
        replacement: cst.CSTNode | str | None = None,
        related: Place | SourceSlice | None = None,
        message: str = "",
        hint: str = "",
        **names: object,
    ) -> None:
        """Report a finding at a node of the tree that was read last, a place, or the first line of some code.

        ``replacement`` is an autofix, too: what to write there instead. ``related`` is a second place. ``message`` and ``hint``
        are for findings with others than the rule's; ``names`` fill the names in all of them.
        """
        if isinstance(at, cst.CSTNode):
            assert self._syntax is not None, "the node is of a tree that was read"
            at = self._syntax.place(at)
        place = at if isinstance(at, Place) else place_of(at)
        if replacement is not None:
            text = replacement if isinstance(replacement, str) else written(replacement)
            autofixes = (fixes.write(place, text), *autofixes)
        self.findings.append(
            Diagnostic(
                self.code,
                place,
                (message or self.message).format(**names),
                (hint or self.hint).format(**names),
                place_of(related) if isinstance(related, SourceSlice) else related,
                fixes=autofixes,
            )
        )

    def raise_last_finding(self) -> None:
        """Make the finding that was reported last an error, though that of its code is a warning."""
        self.findings[-1] = self.findings[-1]._replace(level=Severity.ERROR)
