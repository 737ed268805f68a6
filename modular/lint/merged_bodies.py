"""Methods in which the parent's body replaced a call of `super()`."""

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import NamedTuple

import libcst as cst

from modular.flatten.flattened import Flattened
from modular.lint.statement_names import names_bound_by, names_read_by
from modular.rules.classes.super_call import find_super_call
from modular.source.assignments import assigned_target
from modular.source.blocks import Statement
from modular.source.definition_view import DefinitionView
from modular.source.source_slice import SourceSlice
from modular.source.trees import statement_tree


FINAL_KEYWORDS = frozenset({"return", "raise"})
"""Keywords of statements after which nothing is reached."""


@dataclass(eq=False)
class MergedBody:
    """The body of a method in which the parent's body replaced a call of `super()`.

    Attributes:
        key: The key of the method in its class.
        override: The method of the modular file.
        parent: The parent's method, renamed.
        super_call: The statement that was replaced.
        statements_above_call: The child's statements above the call.
        statements_below_call: The child's statements below the call.
        parent_statements: The statements of the parent's method without its docstring.
        generated_statements: The statements of the generated method, in its order, but
            without those above the call. They are statements of the parent, and
            statements from below the call, some of them in another method of the child.
    """

    key: str
    override: DefinitionView
    parent: DefinitionView
    super_call: Statement
    statements_above_call: Sequence[Statement]
    statements_below_call: Sequence[Statement]
    parent_statements: Sequence[Statement]
    generated_statements: Sequence[Statement] = ()

    @property
    def returns_call(self) -> bool:
        """Whether the call is `return super().f()`, below which Python runs nothing."""
        return "return" in self.super_call.words

    @cached_property
    def variables_above_call(self) -> Set[str]:
        """The names that the child's statements above the call set."""
        variables: set[str] = set()
        for statement in self.statements_above_call:
            variables |= names_bound_by(statement)
        return variables

    @cached_property
    def kept_parent_statements(self) -> list[Statement]:
        """The parent's statements that the generated method has."""
        return list(filter(self.is_of_parent, self.generated_statements))

    def is_of_parent(self, statement: Statement) -> bool:
        """Whether a statement is one of the parent's."""
        return statement in self._parent_statement_set

    @cached_property
    def _parent_statement_set(self) -> frozenset[Statement]:
        return frozenset(self.parent_statements)

    def find_replaced_assignments(self, target: str) -> list[Statement]:
        """Return the parent's assignments to a target that the child's code replaced or removed."""
        kept = set(self.generated_statements)
        replaced = []
        for statement in self.parent_statements:
            if statement not in kept:
                assigned = assigned_target(statement)
                if assigned is not None and assigned.text == target:
                    replaced.append(statement)
        return replaced

    def index_in_generated(self, statement: Statement) -> int | None:
        """Return the index in `generated_statements` of a child's statement below the call.

        If the parent's body contains the same statement, the generated method has only
        one of them. Then this is the index of the parent's.

        Returns:
            None if it has neither, as for `del self.x`, which only removes an assignment.
        """
        if statement in self.generated_statements:
            return self.generated_statements.index(statement)
        text = statement.bare_code.normalized()
        for index, generated_statement in enumerate(self.generated_statements):
            if generated_statement.bare_code.normalized() == text:
                return index
        return None

    def find_overtaken(self, index: int) -> list[Statement]:
        """Return the statements that an assignment overtakes in the generated method.

        The child's `self.total = 1` below the call takes the place of the parent's
        `self.total = 0`. The parent's next line is `self.size = 8`, which is returned:
        Python runs it before the assignment, the generated method after it.

        Args:
            index: The index of the assignment in `statements_below_call`.
        """
        position = self.index_in_generated(self.statements_below_call[index])
        if position is None:
            return []
        child_statements_before = set(self.statements_below_call[:index])
        overtaken = []
        for statement in self.generated_statements[position + 1 :]:
            # The child's statements below the assignment stay below it.
            if self.is_of_parent(statement) or statement in child_statements_before:
                overtaken.append(statement)
        return overtaken


@lru_cache(maxsize=64)
def merged_bodies(flat: Flattened) -> Sequence[MergedBody]:
    """Return the methods of a class in which the parent's body replaced a call of `super()`.

    The child's `__init__` calls `super().__init__()` and then sets `self.size = 8`. The
    parent's sets `self.scale = 2`. Then one method is returned, `__init__`, and its
    `generated_statements` are `self.scale = 2` and `self.size = 8`.
    """
    bodies = list(_find_bodies(flat))
    generated = _find_generated_statements(flat, bodies)
    return [replace(body, generated_statements=generated[body.key]) for body in bodies]


def _find_bodies(flat: Flattened) -> Iterator[MergedBody]:
    """Yield the methods with a call of `super()`, still without generated statements."""
    for key, override in flat.overriding.items():
        parent = flat.inherited.get(key)
        if parent is None or override.name in flat.removed:
            # The method overrides nothing, or the child removes the parent's method.
            continue
        if "super" not in override.code.mask:
            # Most methods do not mention `super`. Their statements need not be read.
            continue
        statements = override.body.statements
        index = find_super_call(statements, override.name)
        if index is not None:
            yield MergedBody(
                key=key,
                override=override,
                parent=parent,
                super_call=statements[index],
                statements_above_call=statements[:index],
                statements_below_call=statements[index + 1 :],
                parent_statements=parent.body_without_docstring,
            )


def _find_generated_statements(
    flat: Flattened, bodies: Sequence[MergedBody]
) -> Mapping[str, Sequence[Statement]]:
    """Return the statements that each generated method has in place of the call.

    They are statements of the parent, and statements of the child from below the call.

    Args:
        flat: The class.
        bodies: Its methods with a call of `super()`.

    Returns:
        The statements by the key of their method.
    """
    # This has the statements of all methods, because a statement of one method can be
    # generated in another. The child's `self.size = 8` in `__init__` is also generated in
    # `reset` if the parent assigns to `self.size` there.
    statement_by_code: dict[SourceSlice, Statement] = {}
    for body in bodies:
        for statement in (*body.parent_statements, *body.statements_below_call):
            statement_by_code[statement.code] = statement

    # `flat.parts` is the generated class as a list of runs of code. In these methods, each
    # run is one statement, and `run.member` is the key of its method.
    generated: dict[str, list[Statement]] = {body.key: [] for body in bodies}
    for run in flat.parts:
        if run.member in generated and run.code in statement_by_code:
            generated[run.member].append(statement_by_code[run.code])
    return generated


def bodies_continued_below_call(flat: Flattened) -> Iterator[MergedBody]:
    """Yield the merged bodies in which Python runs the child's code below the call.

    Below `return super().f()`, Python runs nothing. `CodeAfterReturn` and
    `UnreachableAfterSuper` report the code there.
    """
    for body in merged_bodies(flat):
        if not body.returns_call:
            yield body


class UnreachableCode(NamedTuple):
    """The statements of a generated method below the end of the parent's body.

    Attributes:
        parent_end: The last statement of the parent, which contains `final_line`.
        final_line: The tree of its line, which ends in `return` or `raise`.
        statements: The child's statements below it, which never run.
    """

    parent_end: Statement
    final_line: cst.SimpleStatementLine
    statements: Sequence[Statement]


def find_unreachable_code(body: MergedBody) -> UnreachableCode | None:
    """Return the child's statements below a parent's body that ends in `return` or `raise`.

    The child has `super().f()` and then `self.x = 2`. If the parent's body is `return 1`,
    the generated method is `return 1` and then `self.x = 2`, which never runs.

    Returns:
        None if there are no such statements.
    """
    # The child's statements can replace all statements of the parent.
    if not body.kept_parent_statements:
        return None
    parent_end = body.kept_parent_statements[-1]
    end_index = body.generated_statements.index(parent_end)
    statements = body.generated_statements[end_index + 1 :]
    if not statements or parent_end.words.isdisjoint(FINAL_KEYWORDS):
        return None
    match statement_tree(parent_end).node:
        case cst.SimpleStatementLine(body=[*_, cst.Return() | cst.Raise()]) as line:
            return UnreachableCode(parent_end, line, statements)
    return None


def assignments_by_target(statements: Sequence[Statement]) -> dict[str, Statement]:
    """Return the assignments to a single target such as `self.size`, by the target.

    If several statements assign to a target, the last assignment counts.
    """
    assignments = {}
    for statement in statements:
        target = assigned_target(statement)
        if target is not None:
            assignments[target.text] = statement
    return assignments


def parent_reads_variable(body: MergedBody, name: str) -> bool:
    """Whether a parent's statement in the generated method reads a variable, as in `x.size`."""
    for statement in body.kept_parent_statements:
        if name in statement.words:
            for read in names_read_by(statement):
                if read.partition(".")[0] == name:
                    return True
    return False


def is_used(name: str, used_names: Set[str]) -> bool:
    """Whether a name or an attribute of it is among the names that some code uses.

    Code that uses `self.size.width` uses `self.size`, too.
    """
    return any(f"{used_name}.".startswith(f"{name}.") for used_name in used_names)


def first_shared(bound: Set[str], used: Set[str]) -> str:
    """Return the first bound name, in alphabetical order, that some code uses.

    Args:
        bound: The names that one statement binds.
        used: The names that other code uses.

    Returns:
        Empty if it uses none of them.
    """
    for name in sorted(bound):
        if is_used(name, used):
            return name
    return ""


def may_use(statement: Statement, names: Set[str]) -> bool:
    """Whether a statement has the last word of one of some names.

    Other statements cannot use them, so they need not be parsed.
    """
    return any(name.rpartition(".")[2] in statement.words for name in names)
