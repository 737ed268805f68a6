"""Plans how a class of a modular file is merged with its parent class.

A `Policy` makes the record of the merge: what becomes of each member, and of each
statement of an overridden method. `modular.flatten.merged_class.render` writes the lines.
There is one policy for each value of the setting `inheritance`.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from typing import ClassVar

import libcst as cst

from modular.flatten.autofixes import add_defaults, keep_one_kind_of_decorators
from modular.flatten.headers import complete_method_header
from modular.flatten.merged_class import MergedClass
from modular.rules.classes.class_attributes import is_removal
from modular.rules.classes.config_docstrings import merge_docstring_entries
from modular.rules.classes.decorators import (
    NO_INHERIT_DECORATOR,
    has_no_inherit_decorator,
)
from modular.rules.classes.docstrings import merge_docstring
from modular.rules.classes.inlined_call import passes_super_kwargs
from modular.rules.classes.merge_record import (
    Fate,
    MemberStep,
    MethodMerge,
    MethodParts,
    Step,
)
from modular.rules.classes.super_kwargs import merge_parameters
from modular.source.blocks import Statement
from modular.source.definition_view import DefinitionView
from modular.source.diagnostics import Problem
from modular.source.places import place_of_word
from modular.source.source_slice import SourceSlice


class Policy(ABC):
    """Decides how a class of a modular file is merged with its parent class.

    This class does what is the same for all policies. A subclass for each value of the
    setting `inheritance` does the rest.

    Attributes:
        parent: The parent class. In its code, `Llama` is already renamed to `MyModel`.
        child: The class of the modular file, which the author writes.
        base: The name of the parent class in the child's header, such as `LlamaMLP`.
        bases: The bases of the flattened class.
        record: The record of the merge, to which `plan` adds what is decided.
    """

    is_like_python: ClassVar[bool]
    """Whether the flattened class does what Python's inheritance does."""

    def __init__(
        self,
        parent: DefinitionView,
        child: DefinitionView,
        base: str,
        bases: tuple[str, ...],
    ) -> None:
        """Prepare to merge two classes. The arguments are the attributes of this class."""
        self.parent = parent
        self.child = child
        self.base = base
        self.bases = bases
        self.record = MergedClass(parent, child, self.is_like_python)

    @abstractmethod
    def merge_class_head(self) -> Iterable[SourceSlice]:
        """Return the decorators and the header of the flattened class."""

    @abstractmethod
    def plan_members(self) -> Iterator[MemberStep]:
        """Yield the members of the flattened class in their order."""

    @abstractmethod
    def merge_method_decorators(
        self, parent: DefinitionView, child: DefinitionView
    ) -> Sequence[SourceSlice]:
        """Return the decorators of a method of the child class.

        Args:
            parent: The method of the parent class; the method itself if it has none.
            child: The method.
        """

    @abstractmethod
    def merge_bodies(
        self, key: str, parent: DefinitionView, child: DefinitionView
    ) -> MethodMerge | None:
        """Return the override with the parent's body in place of a call to `super()`.

        Args:
            key: The key of the override.
            parent: The method of the parent class; the override itself if it has none.
            child: The override.

        Returns:
            None if the override does not contain the parent's body.
        """

    @abstractmethod
    def rewrite(self, method: DefinitionView, statement: Statement) -> SourceSlice:
        """Return the generated code of a statement in a method of the child class."""

    def plan(self, merges_docstrings: bool = False) -> MergedClass:
        """Decide how the classes are merged into one class without the parent class.

        Args:
            merges_docstrings: Whether the docstrings are merged argument by argument.

        Returns:
            The record of the merge, from which the lines of the class are rendered.
        """
        record = self.record
        self.report_mixed_decorators(self.parent, self.child)
        record.head = [self.parent.lead, *self.merge_class_head()]
        for member in self.plan_members():
            record.members.append(member)
        record.members += list(self._find_left_out())
        # `del self.x` in a method removes the entry of `x` in the docstring.
        record.docstring = self._merge_class_docstring(merges_docstrings)
        return record

    def _find_left_out(self) -> Iterator[MemberStep]:
        """Yield the statements of both class bodies that the flattened class does not have.

        The fate of each says why:

        - The child's `size = AttributeError()` is dropped: it only removes a member.
        - The parent's `size = 4` is replaced by the child's `size = 8`, its cause.
        - All other statements are left out.
        """
        generated = {member.statement for member in self.record.members}
        child_by_name = {}
        for statement in self.child.body_without_docstring:
            child_by_name[statement.name] = statement
            if statement not in generated:
                removes_member = statement.name in self.record.removed
                fate = Fate.DROPPED if removes_member else Fate.LEFT_OUT
                yield MemberStep(statement, fate)
        # An `if`, for example, has no name, and is never replaced.
        child_by_name.pop("", None)
        for statement in self.parent.body_without_docstring:
            if statement not in generated:
                replacement = child_by_name.get(statement.name)
                fate = Fate.LEFT_OUT if replacement is None else Fate.REPLACED
                yield MemberStep(statement, fate, cause=replacement)

    def _merge_class_docstring(self, merges_docstrings: bool) -> Sequence[SourceSlice]:
        """Return the lines of the docstring of the flattened class.

        Args:
            merges_docstrings: Whether the docstrings are merged argument by argument. The
                entries of removed attributes are dropped then.
        """
        parent, child = self.parent, self.child
        if merges_docstrings and child.docstring and parent.docstring:
            removed = self._removed_attributes()
            merged = merge_docstring_entries(parent.docstring, child.docstring, removed)
            if merged is not None:
                return merged

        docstring = merge_docstring(parent, child)
        return [] if docstring is None else [docstring.code]

    def _removed_attributes(self) -> set[str]:
        """Return the names of the parent's attributes that the child class removes.

        The child removes `size` by `size = AttributeError()` in its body, or by
        `del self.size` in a method.
        """
        removed = set()
        for name, statement in self.record.attributes.items():
            if is_removal(statement):
                removed.add(name)
        for deleted_target in self.record.deleted:
            removed.add(deleted_target.removeprefix("self."))
        return removed

    def plan_method(
        self, key: str, child: DefinitionView, replaced: DefinitionView | None
    ) -> MemberStep:
        """Return the step that writes a method of the child, merged with the parent's.

        Decorators, header, docstring and body of both are merged. For example, the
        parent's body replaces `super().forward(x)` in the child's.

        Args:
            key: The key of the method: its name, or `size.setter` for a property's setter.
            child: The method of the child class.
            replaced: The method of the parent class whose place it takes, or None.
        """
        # A method that replaces none is merged with itself, which does not change it.
        merged_with = child if replaced is None else replaced
        # This is None if the method does not contain the parent's body.
        merge = self.merge_bodies(key, merged_with, child)
        if merge is None:
            steps = self.plan_statements(child, child.body_without_docstring)
        else:
            steps = list(merge.steps)
        parts = MethodParts(
            lead=merged_with.lead,
            decorators=self.merge_method_decorators(merged_with, child),
            header=self._merge_method_header(merged_with, child, merge),
            parent_header=None if replaced is None else replaced.header,
            docstring=merge_docstring(merged_with, child),
            steps=steps,
            footer=child.body.footer,
            merge=merge,
        )
        if replaced is None:
            return MemberStep(child.statement, Fate.OWN, key=key, parts=parts)
        return MemberStep(
            child.statement, Fate.MOVED, replaced.statement, key=key, parts=parts
        )

    def _merge_method_header(
        self,
        merged_with: DefinitionView,
        child: DefinitionView,
        merge: MethodMerge | None,
    ) -> SourceSlice:
        """Return the header of an override, completed from the parent's header.

        The parent's parameters replace `**super_kwargs`. By the rules of transformers, the
        override is `async` if the parent's method is.

        Args:
            merged_with: The parent's method whose place the override takes. The override
                itself if it takes no place, even if it has the body of a parent's method.
            child: The override.
            merge: The merge with the body of a parent's method, or None.
        """
        # The attributes of the override's LibCST node that change.
        changes: dict[str, object] = {}
        if child.is_async != merged_with.is_async and not self.is_like_python:
            changes["asynchronous"] = merged_with.function_node.asynchronous
        # In Python, `super_kwargs` stays a dictionary, unless the parent's body is inlined.
        replaces_super_kwargs = merge is not None or not self.is_like_python
        if replaces_super_kwargs and passes_super_kwargs(child):
            called = merged_with if merge is None else merge.parent
            changes["params"] = self._merge_parameters(called, child)
        # This adds the parent's return annotation, and its comments at the parameters.
        return complete_method_header(merged_with, child, changes)

    def plan_statements(
        self, method: DefinitionView, statements: Iterable[Statement]
    ) -> list[Step]:
        """Return a step for each statement of the child's method, which is generated.

        Args:
            method: The method.
            statements: The statements, which are rewritten so that they need no parent.
        """
        steps = []
        for statement in statements:
            code = self.rewrite(method, statement)
            steps.append(Step(statement, Fate.OWN, rewritten=code))
        return steps

    def _merge_parameters(
        self, parent: DefinitionView, child: DefinitionView
    ) -> cst.Parameters:
        """Return the parameters of an override, with those of the parent's method.

        The parent's parameters replace `**super_kwargs`. It is an error if a parameter
        without a default then follows one with a default.
        """
        merged = merge_parameters(
            parent.function_node.params, child.function_node.params
        )
        if merged.misplaced:
            self.record.report(
                Problem.DEFAULT_MISSING,
                at=child.header,
                message=f"`{merged.misplaced}` has no default, but comes after a parameter "
                "with a default: `**super_kwargs` inserts the parent's parameters before it",
                hint=f"give `{merged.misplaced}` a default, or list all parameters instead of "
                "`**super_kwargs`",
                parent=parent,
                fixes=add_defaults(child, merged.misplaced),
            )
        return merged.parameters

    def report_mixed_decorators(
        self, parent: DefinitionView, child: DefinitionView
    ) -> None:
        """Report `@no_inherit_decorator` if it is combined with other decorators.

        The marker says that the parent's decorators are not inherited, so it must be the
        only decorator.

        Args:
            parent: The parent's class or method.
            child: The class or method of the modular file.
        """
        if not has_no_inherit_decorator(child) or len(child.decorator_names) == 1:
            return
        marker = f"`@{NO_INHERIT_DECORATOR}`"
        self.record.report(
            Problem.NO_INHERIT_DECORATOR_WITH_OTHERS,
            at=place_of_word(child.decorators, NO_INHERIT_DECORATOR),
            message=f"{marker} is combined with other decorators of `{child.name}`",
            hint=f"to drop the parent's decorators, keep only {marker}; to write your own, "
            f"delete {marker}, because yours replace the parent's anyway",
            parent=parent,
            fixes=keep_one_kind_of_decorators(child),
        )
