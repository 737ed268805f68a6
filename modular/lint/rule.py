"""The base class of all lint rules. A rule's docstring is its page, and the examples on it are its tests."""

from collections.abc import Iterator
from contextlib import suppress
from functools import cached_property
from typing import ClassVar, Final, NamedTuple

import libcst as cst
from libcst.metadata import CodeRange, MetadataWrapper, PositionProvider

from modular.flatten.merged_class import MergedClass
from modular.lint.context import LintContext
from modular.source import fixes, trees
from modular.source.definition_view import DefinitionView
from modular.source.diagnostics import Diagnostic, Fix, Place, Problem, Severity
from modular.source.places import place_at, place_of
from modular.source.source_slice import SourceSlice
from modular.source.unreadable import UnreadableError
from modular.system.printable import counted


MEASURED_RELEASE = "transformers 5.23"
"""The release whose models the precision of rules is measured on."""


class Precision(NamedTuple):
    """How often a rule is right about the models of transformers 5.23.

    Attributes:
        findings: Number of findings at the level of the rule's code.
        real: Number of findings that are worth following: that corrects what the
            generated code does, or removes code that has no effect.
    """

    findings: int
    real: int

    def as_sentence(self) -> str:
        """Return the sentence about this precision on the page of the rule."""
        if not self.findings:
            return f"This rule has no findings in {MEASURED_RELEASE}."
        findings = counted(self.findings, "finding")
        real = self.real or "none"
        verb = "are" if self.real > 1 else "is"
        return (
            f"In {MEASURED_RELEASE}, this rule has {findings}, "
            f"of which {real} {verb} worth fixing."
        )


class LintRule:
    """A rule that checks one modular file and what is generated from it.

    The docstring of a rule says what is wrong, why, and what to write instead. Examples
    follow: `Invalid` with its `Finding`, `Fixed` if there is an autofix, and `Valid`.

    Attributes:
        code: The code of the findings, with their title and severity.
        message: The message. Names in braces are filled by `report`.
        hint: What to do, in the same form; may be empty.
        precision: How often the rule is right. A test measures the number of findings,
            and checks that the severity of the code follows from the precision.
        is_stylistic: Whether following a finding only makes the modular file shorter,
            or corrects only documentation.
        levels: The levels that findings can have, the most common first. Empty if all
            findings have the level of the code. The page says when which level applies.
        findings: What was found.
    """

    code: ClassVar[Problem]
    message: ClassVar[str]
    hint: ClassVar[str] = ""
    precision: ClassVar[Precision] = Precision(findings=0, real=0)
    is_stylistic: ClassVar[bool] = False
    levels: ClassVar[tuple[Severity, ...]] = ()

    def __init__(self, context: LintContext) -> None:
        self.context = context
        self.layout = context.layout
        self.modular = context.modular
        self.findings: list[Diagnostic] = []

    def check_in_steps(self) -> Iterator[None]:
        """Check the modular file, by default in one step.

        A rule overrides this method, instead of `check`, if a large file takes it long.

        Yields:
            None after each step, so that the language server can answer the editor.
        """
        self.check()
        yield

    def check(self) -> None:
        """Check the modular file. By default, `check_class` checks each class with a parent class."""
        for merged_class in self.layout.flattened.values():
            self.check_class(merged_class)

    def check_class(self, merged_class: MergedClass) -> None:
        """Check a class with a parent class. By default, `check_override` checks each override."""
        for key, override in merged_class.overriding.items():
            if key in merged_class.inherited:
                self.check_override(
                    merged_class, key, merged_class.inherited[key], override
                )

    def check_override(
        self,
        merged_class: MergedClass,
        key: str,
        parent_method: DefinitionView,
        override: DefinitionView,
    ) -> None:
        """Check a method that overrides one of the parent class.

        By default, nothing is checked.

        Args:
            merged_class: The class, in which the parent class and the modular class are merged.
            key: The key of both methods in the class: their name, or one such as
                `size.setter`.
            parent_method: The method of the parent class, renamed for the new model.
            override: The method of the modular file.
        """

    def report(
        self,
        at: Place | SourceSlice,
        *autofixes: Fix,
        replacement: str | None = None,
        related: Place | SourceSlice | None = None,
        message: str = "",
        hint: str = "",
        is_error: bool = False,
        level: Severity | None = None,
        **names: object,
    ) -> None:
        """Add a finding to the findings of this rule.

        Its message and hint are those of the rule, unless others are given.

        Args:
            at: What is marked: a place, or the first line of code.
            *autofixes: Fixes, the best first.
            replacement: A text that replaces what is marked. This is then the first
                fix.
            related: A second place, or code whose first line is this place.
            message: A message for this finding instead of the rule's.
            hint: A hint for this finding instead of the rule's.
            is_error: Whether the finding is an error, though the rule's code is a
                warning.
            level: The level of this finding instead of the code's.
            **names: Values for the names in braces in the message and the hint.
        """
        place = at if isinstance(at, Place) else place_of(at)
        if isinstance(related, SourceSlice):
            related = place_of(related)
        if replacement is not None:
            autofixes = (fixes.replace(place, replacement), *autofixes)
        diagnostic = Diagnostic(
            code=self.code,
            place=place,
            message=(message or self.message).format(**names),
            hint=(hint or self.hint).format(**names),
            related=related,
            level=Severity.ERROR if is_error else level,
            fixes=autofixes,
        )
        self.findings.append(diagnostic)


class Syntax:
    """The tree of a statement, whose nodes have places in the file."""

    def __init__(self, code: SourceSlice, tree: trees.Tree) -> None:
        self.code: Final = code
        self.node: Final = tree.node
        self._tree: Final = tree

    @staticmethod
    def read(code: SourceSlice) -> "Syntax | None":
        """Parse one statement, so that its nodes can be reported with their places.

        Args:
            code: The statement. Blank lines above it are skipped.

        Returns:
            The tree; None for comments and blank lines, and if LibCST cannot read it.
        """
        blank_line_count = len(code.text) - len(code.text.lstrip("\n"))
        code = code.cut(blank_line_count)
        if code.masked_text.strip():
            with suppress(UnreadableError, RecursionError, MemoryError):
                return Syntax(code, trees.parse(code))
        return None

    def walk(self) -> Iterator[cst.CSTNode]:
        """Yield all nodes in source order."""
        return trees.walk(self.node)

    def place(self, node: cst.CSTNode) -> Place:
        """Return the place of a node in the file.

        If the node has several lines, this is the place of its part on the first line.
        """
        start, end = self._positions[node].start, self._positions[node].end
        # LibCST counts lines from 1, and `line_at` counts from 0.
        index = start.line - 1
        # LibCST cannot parse an indented statement alone. So an indented statement is
        # parsed below a line `if True:`, which is not in the file.
        if not self._tree.is_bare:
            index -= 1
        line = self.code.line_at(index)
        end_column = end.column
        if end.line != start.line:
            end_column = len(line.text.rstrip())
        return place_at(line, start.column, end_column - start.column)

    @cached_property
    def _positions(self) -> "dict[cst.CSTNode, CodeRange]":
        """The positions of all nodes in the text that was parsed."""
        wrapper = MetadataWrapper(self._tree.module, unsafe_skip_copy=True)
        return dict(wrapper.resolve(PositionProvider))
