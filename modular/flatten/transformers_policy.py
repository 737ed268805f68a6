"""The policy that merges classes by the rules of transformers."""

from collections.abc import Callable, Collection, Iterator

from modular.flatten.autofixes import call_base_explicitly, rename_override
from modular.flatten.headers import merge_class_header
from modular.flatten.policy import Policy
from modular.rules.classes.bases import merge_bases
from modular.rules.classes.class_attributes import find_removed_names, is_removal
from modular.rules.classes.decorators import merge_decorators
from modular.rules.classes.explicit_parent_call import replace_parent_calls
from modular.rules.classes.init_order import move_super_init_first
from modular.rules.classes.merge_record import Fate, MemberStep, MethodMerge
from modular.rules.classes.methods import order_methods
from modular.rules.classes.super_call import BodyMerger, find_super_call
from modular.source.blocks import Statement
from modular.source.definition_view import DefinitionView
from modular.source.diagnostics import Problem, did_you_mean, nearest
from modular.source.headers import colon_of
from modular.source.source_slice import SourceSlice


class TransformersPolicy(Policy):
    """Merges classes as the converter of transformers does."""

    is_like_python = False

    def __init__(
        self,
        parent: DefinitionView,
        child: DefinitionView,
        base: str,
        added_decorators: Collection[str] = (),
        parent_bases_lack: Callable[[str], bool] = lambda member: False,
    ) -> None:
        """Prepare to merge two classes.

        Args:
            parent: The parent class, renamed to the child's model.
            child: The class of the modular file.
            base: The name of the parent class in the child's header.
            added_decorators: Names of decorators that do not replace the parent's.
            parent_bases_lack: Returns whether the bases of the parent class certainly
                lack a member.
        """
        other_bases = tuple(other for other in child.bases if other != base)
        super().__init__(parent, child, base, merge_bases(parent.bases, other_bases))
        self._added_decorators = added_decorators
        self._parent_bases_lack = parent_bases_lack
        self._merger = BodyMerger()

    def merge_class_head(self) -> list[SourceSlice]:
        """Return the decorators and the header of the flattened class.

        A comment after the header, as in `class A(B):  # why`, is dropped, as
        upstream's converter does.
        """
        decorators = self.merge_method_decorators(self.parent, self.child)
        header = merge_class_header(self.parent, self.child, self.bases)
        colon = colon_of(header.masked_text, start=0)
        line_end = len(header.text.rstrip("\r\n"))
        return [*decorators, header.replace([(colon + 1, line_end, "")])]

    def plan_members(self) -> Iterator[MemberStep]:
        """Yield the attributes of both classes, and then their methods."""
        yield from self._plan_attributes()
        yield from self._plan_methods()

    def _plan_attributes(self) -> Iterator[MemberStep]:
        """Yield the attributes of the flattened class: the parent's, then new ones.

        The child's `size = 8` takes the place of the parent's `size`. If the child also has
        `size = AttributeError()`, which removes the parent's `size`, it is a new one.
        """
        record = self.record
        # A dictionary keeps the place of a name whose statement is replaced.
        attributes = dict(record.inherited_attributes)
        for name in find_removed_names(self.child.body.statements):
            attributes.pop(name, None)
        attributes.update(record.attributes)
        for name, statement in attributes.items():
            if is_removal(statement):
                continue
            inherited_attribute = record.inherited_attributes.get(name)
            if inherited_attribute is None:
                yield MemberStep(statement, Fate.OWN, key=statement.name)
            elif statement is inherited_attribute:
                yield MemberStep(statement, Fate.KEPT, key=statement.name)
            else:
                yield MemberStep(
                    statement, Fate.MOVED, inherited_attribute, key=statement.name
                )

    def _plan_methods(self) -> Iterator[MemberStep]:
        """Yield the methods of the flattened class: the parent's, then new ones."""
        record = self.record
        for key in order_methods(record.inherited, record.overriding):
            inherited = record.inherited.get(key)
            override = record.overriding.get(key)
            if inherited is None:
                yield self._plan_new_method(key, record.overriding[key])
            elif inherited.name in record.removed:
                continue
            elif override is None:
                yield MemberStep(inherited.statement, Fate.KEPT, key=key)
            else:
                self.report_mixed_decorators(inherited, override)
                yield self.plan_method(key, override, inherited)

    def merge_method_decorators(
        self, parent: DefinitionView, child: DefinitionView
    ) -> list[SourceSlice]:
        """Return the child's decorators if it has any, else the parent's.

        If all of the child's decorators are in the setting `added-decorators`, both are
        returned.
        """
        return merge_decorators(parent, child, self._added_decorators)

    def merge_bodies(
        self, key: str, parent: DefinitionView, child: DefinitionView
    ) -> MethodMerge | None:
        """Return the override with the parent's body in place of a call to `super()`.

        The child's statements below the call are merged into the parent's body:
        `self.size = 2` replaces the parent's `self.size = 1`. As in upstream's
        converter, `nn.Module.f(self)` becomes `super().f()` only above the call.
        """
        statements = child.body_without_docstring
        index = find_super_call(statements, child.name)
        if index is None:
            return None
        parent_statements = parent.body_without_docstring
        merged = self._merger.merge(parent_statements, statements[index + 1 :])
        steps = [*self.plan_statements(child, statements[:index]), *merged]
        steps = move_super_init_first(steps, parent_statements)
        return MethodMerge(key, child, parent, index, steps)

    def rewrite(self, method: DefinitionView, statement: Statement) -> SourceSlice:
        """Return a statement in which `nn.Module.f(self)` has become `super().f()`."""
        return replace_parent_calls(statement, self.bases)

    def _plan_new_method(self, key: str, method: DefinitionView) -> MemberStep:
        """Return the step that adds a method that only the child class has.

        A call to `super().method()` in the method is an error.
        """
        statement = method.statement
        index = find_super_call(method.body.statements, method.name)
        if index is not None:
            call = method.body.statements[index].bare_code
            self._report_call_of_missing_method(call, method)
        code = self.rewrite(method, statement)
        return MemberStep(statement, Fate.OWN, rewritten=code, key=key)

    def _report_call_of_missing_method(
        self, call: SourceSlice, method: DefinitionView
    ) -> None:
        """Report a call to `super().method()` if the parent class has no such method.

        Usually, the body of the parent's method replaces such a call. Without a method of the
        parent, there is no body to write.

        Args:
            call: The statement with the call.
            method: The child's method that contains the call, and has the same name.
        """
        misspelt_names = nearest(method.name, self.record.inherited)
        intended_names = misspelt_names or self._likely_new_names(method)
        has_same_bases = self.bases == self.parent.bases
        if intended_names:
            hint = did_you_mean(method.name, intended_names, min_similarity=0)
            autofixes = [rename_override(method, call, name) for name in intended_names]
        elif has_same_bases and self._parent_bases_lack(method.name):
            hint = "write the code yourself: no base of the parent class has the method"
            autofixes = []
        else:
            # A base of the parent class may have the method.
            base = self.bases[0] if self.bases else "object"
            hint = (
                "write the code yourself; to call a base class at run time, write "
                f"`{base}.{method.name}(self, ...)`"
            )
            autofixes = [call_base_explicitly(call, method.name, base)]
        self.record.report(
            Problem.NOTHING_TO_UNRAVEL,
            at=call,
            message=f"`super().{method.name}(...)` cannot be replaced by the parent's code: "
            f"`{self.parent.name}` has no method `{method.name}`",
            hint=hint,
            parent=self.parent,
            fixes=autofixes,
        )

    def _likely_new_names(self, method: DefinitionView) -> list[str]:
        """Return the name that the parent's method probably has now; empty if unclear.

        The child's `run` overrides nothing if the parent's `run` was renamed to `forward`.
        The new name is clear if only one method of the parent has the same parameters and
        no override. Methods without parameters besides `self` are too similar to tell.

        Args:
            method: The method of the child, whose name the parent class does not have.
        """
        has_only_self = len(method.parameters) < 2
        if has_only_self:
            return []
        candidates = []
        for key, inherited in self.record.inherited.items():
            is_overridden = key in self.record.overriding
            if not is_overridden and inherited.parameters == method.parameters:
                candidates.append(inherited.name)
        return candidates if len(candidates) == 1 else []
