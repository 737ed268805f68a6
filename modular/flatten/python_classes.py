"""Flattens one class so that it does what Python's inheritance does.

This is for projects with the setting `inheritance = "python"`.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from modular.flatten.flatten import (
    complete_method_header,
    make_pass_statement,
    merge_class_docstring,
    merge_class_header,
    merge_method_parameters,
    report_mixed_decorators,
)
from modular.flatten.flattened import Flattened
from modular.rules.classes.bases import merge_bases_in_order
from modular.rules.classes.body_order import (
    BodyMerge,
    Member,
    Slot,
    find_members,
    inherits_value,
    is_removed,
    with_inherited_value,
)
from modular.rules.classes.decorators import (
    has_no_inherit_decorator,
    short_decorator_names,
    split_decorators,
)
from modular.rules.classes.del_attribute import deleted_target
from modular.rules.classes.docstrings import merge_docstring
from modular.rules.classes.inlined_call import inline_parent_body, passes_super_kwargs
from modular.rules.classes.instance_facts import InstanceFacts
from modular.rules.classes.kept_methods import (
    SuperRewriter,
    keep_method,
    obstacle_to_keeping,
    private_names,
)
from modular.rules.classes.merge_record import Fate, MethodMerge
from modular.rules.files.drafts import Provenance
from modular.source.blocks import Kind, Statement
from modular.source.definition_view import DefinitionView, view_definition
from modular.source.diagnostics import Place, Problem
from modular.source.places import place_of, place_of_word
from modular.source.source_slice import SourceSlice, has_word


_DATACLASS = "dataclass"
_IMPLICIT_MEMBERS = ("__annotations__", "__dict__", "__doc__", "__module__")
"""Members that a class has even if its body does not define them."""

_GENERATED_METHODS = ("__init__", "__repr__", "__eq__", "__hash__")
"""Methods that `@dataclass` writes."""


def flatten_like_python(
    parent: DefinitionView,
    child: DefinitionView,
    base: str,
    merges_docstrings: bool,
    find_class: Callable[[str], Statement | None] = lambda name: None,
) -> Flattened:
    """Merge a child class with its parent class, as Python's inheritance joins them.

    If `class LlamaMLP(nn.Module)` has the method `f`, and the child
    `class MyModelMLP(LlamaMLP)` has `g`, the result is `class MyModelMLP(nn.Module)`
    with `f` and `g`.

    Args:
        parent: The parent class. In its code, `Llama` is already renamed to `MyModel`.
        child: The class of the modular file, which the author writes.
        base: The name of the parent class in the child's header, such as `LlamaMLP`.
        merges_docstrings: Whether the docstrings are merged argument by argument.
        find_class: Returns a class of the generated file by its name; None for others.
    """
    flat = Flattened(parent, child, is_like_python=True)
    return _PythonFlattener(flat, base, find_class).flatten(merges_docstrings)


class _PythonFlattener:
    """Merges one class with its parent class.

    If a method of the child calls `super().f()`, there are two ways to replace the call:
    the body of the parent's `f` is inlined there, or the flat class keeps the parent's
    method under a private name, such as `_llama_mlp_f`.
    """

    def __init__(
        self,
        flat: Flattened,
        base: str,
        find_class: Callable[[str], Statement | None],
    ) -> None:
        """Prepare to merge a class of the modular file with its parent class.

        Args:
            flat: Both classes, and the flattened class, which is still empty.
            base: The name of the parent class in the child's header, such as `LlamaMLP`.
            find_class: Returns a class of the generated file by its name.
        """
        self._flat = flat
        self._parent = flat.parent
        self._child = flat.child
        self._base = base
        self._parent_members = find_members(flat.parent.body.statements)
        self._child_members = find_members(flat.child.body.statements)

        self._parent_names = _defined_names(self._parent_members)
        index = flat.child.bases.index(base)
        self._rewriter = SuperRewriter(
            class_name=flat.child.name,
            base=base,
            members=self._parent_names,
            bases_before_parent=flat.child.bases[:index],
        )
        self._facts = InstanceFacts(
            members=self._parent_names | _defined_names(self._child_members),
            bases=[*self._parent.bases, *(set(self._child.bases) - {base})],
            find_class=find_class,
        )
        # The parent's methods to keep, by name: `{"forward": <def _llama_mlp_forward>}`. An
        # entry is removed once its method has been added to the flattened class.
        self._kept_methods: dict[str, Statement] = {}

    def flatten(self, merges_docstrings: bool) -> Flattened:
        """Add all lines to the flattened class, and return it.

        Args:
            merges_docstrings: Whether the docstrings are merged argument by argument.
        """
        flat = self._flat
        merge = BodyMerge(self._parent_members, self._child_members)
        self._check_class(merge)
        # A call `super().f()` can become `self._llama_mlp_f()`. Such names are chosen
        # before the first method is written.
        self._decide_calls()

        bases = merge_bases_in_order(self._parent.bases, self._child.bases, self._base)
        report_mixed_decorators(self._parent, self._child, flat)
        # The lead is the comments and blank lines above the parent class.
        flat.add(self._parent.lead, *self._class_decorators())
        flat.add(merge_class_header(self._parent, self._child, bases))

        header_part_count = len(flat.parts)
        flat.add(
            *merge_class_docstring(self._parent, self._child, merges_docstrings, flat)
        )
        # A slot is a place in the merged body: it has the parent's member, the child's
        # member, or both, if the child overrides the parent's member there.
        for slot in merge.slots:
            self._add_slot(slot)
        has_empty_body = len(flat.parts) == header_part_count
        if has_empty_body:
            flat.add(make_pass_statement(self._child))
        return flat

    # What Python's inheritance does, and a flat class cannot do, is an error.

    def _check_class(self, merge: BodyMerge) -> None:
        """Report code of the child class that would do something else in a flat class.

        The flat class has the members of both classes in one body, and no parent class.

        Args:
            merge: The members of both classes, merged into one body.
        """
        # In Python, `limit = size` in the child reads a variable of the module. In one
        # body with the parent's `size = 1`, it would read this member.
        for member in merge.readers_of_parent_names:
            self._report_error(
                place_of(member.statement.bare_code),
                "it uses a name that is also a member of "
                f"`{self._base}`; in the modular file, that is another variable",
                "rename the variable",
            )
        # The child removes the parent's `size`, which `area = size * size` still reads.
        for member in merge.impossible_removals:
            self._report_error(
                place_of(member.statement.bare_code),
                f"the body of `{self._base}` needs `{member.name}`",
                "keep the member, or define the class without a parent class",
            )
        # `limit = Parent.size` names the parent class. In a method, that is replaced.
        for member in self._child_members:
            is_method = member.is_method
            if not is_method and has_word(member.statement.code.mask, self._base):
                self._report_error(
                    place_of_word(member.statement.bare_code, self._base),
                    f"the generated class does not have `{self._base}`",
                    "write out what is needed of it",
                )
            # In a nested class, `super()` means the bases of that class.
            is_nested_class = member.statement.kind is Kind.CLASS
            if not is_method and not is_nested_class:
                if has_word(member.statement.code.mask, "super"):
                    self._report_error(
                        place_of_word(member.statement.bare_code, "super"),
                        "`super()` is in no method of the class",
                        "call it in a method that is defined in the class itself",
                    )

    def _report_error(self, at: Place | SourceSlice, reason: str, hint: str) -> None:
        """Report that the flat class would do something else than Python."""
        self._flat.report(
            Problem.CANNOT_FLATTEN,
            at,
            f"`{self._child.name}` cannot be flattened: {reason}",
            hint,
            self._parent,
        )

    # Each use of the parent class is inlined, or the parent's method is kept.

    def _decide_calls(self) -> None:
        """Decide for each method that the child calls by `super()` what replaces the call.

        1. If only the child's `f` calls the parent's `f`, and calls it once, the body of
           the parent's `f` is inlined in place of the call, where that is possible.
        2. Otherwise the flat class keeps the parent's `f` under a private name, and each
           call becomes `self._llama_mlp_f(x)`.
        """
        methods_to_keep: dict[str, DefinitionView] = {}
        for name, callers in self._find_callers().items():
            # An error about the parent's method is reported once, at its first call.
            first_caller = callers[0]
            place = self._place_of_use(first_caller.statement)
            parent_method = self._find_called_method(name, place)
            if parent_method is None:
                continue
            merge = None
            # Case 1: `callers` has the child's `f` once, and no other method.
            if len(callers) == 1 and first_caller.key == name:
                override = view_definition(first_caller.statement)
                merge = inline_parent_body(
                    name, parent_method, override, self._child.name, self._facts
                )
            if merge is not None:
                self._flat.merges[name] = merge
                self._record_deletions(merge)
            # Case 2.
            else:
                methods_to_keep[name] = parent_method
        self._keep_methods(methods_to_keep)

    def _record_deletions(self, merge: MethodMerge) -> None:
        """Record each `del self.x` of an override that removed the parent's assignment."""
        for step in merge.steps:
            target = deleted_target(step.statement)
            if step.fate is Fate.DROPPED and target is not None:
                self._flat.deleted[target] = step.statement

    def _keep_methods(self, methods: Mapping[str, DefinitionView]) -> None:
        """Let the flat class keep methods of the parent class under private names.

        The copies of the methods are only prepared here, and added with their slots.

        Args:
            methods: The methods by name.
        """
        if methods and "__getattribute__" in self._facts.members:
            self._report_error(
                place_of(self._child.header),
                "its `__getattribute__` would see the private name of a kept method",
                "write out what the methods of the parent do",
            )
        self._flat.kept_names = tuple(methods)
        taken_names = self._parent.code.words() | self._child.code.words()
        private_by_name = private_names(self._base, methods, taken_names)
        for name, parent_method in methods.items():
            self._kept_methods[name] = keep_method(parent_method, private_by_name[name])
        # With the private names, the rewriter replaces `super().f` by `self._llama_mlp_f`.
        self._rewriter = replace(self._rewriter, private=private_by_name)

    def _find_callers(self) -> dict[str, list[Member]]:
        """Return the child's methods that call methods of the parent, by the called name.

        If the child's `forward` and `reset` both call `super().reset()`, these two are
        the callers of `reset`. A method with two such calls is in the list twice. Calls
        that a flat class cannot have are reported.
        """
        callers_by_name: dict[str, list[Member]] = {}
        for member in self._child_members:
            if member.is_method and self._rewriter.may_use_parent(member.statement):
                method = view_definition(member.statement)
                for name in self._find_used_names(method):
                    callers_by_name.setdefault(name, []).append(member)
                self._check_calls_of_dataclass_methods(method)
        return callers_by_name

    def _find_used_names(self, method: DefinitionView) -> Iterator[str]:
        """Yield the names of parent members that a method of the child uses.

        For `super().f(x)` and `Parent.f`, this is `f`. Uses that cannot be replaced, such
        as `super()` in a nested function, are reported, and not yielded.
        """
        for statement in method.body.statements:
            for use in self._rewriter.find_uses(method, statement):
                if use.problem:
                    self._report_error(
                        self._place_of_use(statement),
                        use.problem,
                        "call the method in a statement of the method itself, as "
                        "`super().method(...)`",
                    )
                else:
                    yield use.name

    def _check_calls_of_dataclass_methods(self, method: DefinitionView) -> None:
        """Report a call of a method that `@dataclass` writes into the parent class.

        The parent's body does not define this method, so `super().__init__(size)` can
        neither be inlined nor call a private copy.

        Args:
            method: A method of the child, which may contain such a call.
        """
        if _dataclass_decorator(self._parent) is None:
            return
        for name in _GENERATED_METHODS:
            # Any receiver counts: `super()`, the parent's name, or another one.
            is_called = f".{name}" in method.code.mask
            if is_called and name not in self._parent_names:
                self._report_error(
                    place_of_word(method.code, name),
                    f"`@dataclass` writes the `{name}` of `{self._base}`",
                    "write out what is needed of it",
                )

    def _place_of_use(self, statement: Statement) -> Place:
        """Return the place of `super`, or of the parent's name, in a statement."""
        word = "super" if has_word(statement.bare_code.mask, "super") else self._base
        return place_of_word(statement.bare_code, word)

    def _find_called_method(self, name: str, place: Place) -> DefinitionView | None:
        """Return the parent's method that the child calls, or report an error.

        For `super().forward(x)` this is the method `forward`. The flat class may have to
        call it `_llama_mlp_forward`, so a decorator that depends on the name is an error.

        Args:
            name: The name of the method.
            place: The place of the call, where errors are reported.

        Returns:
            The method. None after an error, also if the parent has no such method.
        """
        method = None
        for member in self._parent_members:
            # As in Python, the last of several members with the same name counts. A
            # block such as `if` may define any of its words.
            is_block = not member.name and name in member.statement.words
            if is_block or (member.key == name and not member.is_method):
                method = None
            elif member.key == name:
                method = view_definition(member.statement)
        if method is None:
            # The name may be that of an attribute: `super().size`.
            self._report_error(
                place,
                f"`{self._base}.{name}` is not a method in the body of the class",
                f"read `self.{name}`, or write out the value",
            )
            return None
        decorator = obstacle_to_keeping(method)
        if decorator:
            self._report_error(
                place,
                f"`{self._base}.{name}` has the decorator `@{decorator}`, which "
                "depends on the name of the method",
                "write out what the method does",
            )
            return None
        return method

    # The lines of the class.

    def _class_decorators(self) -> Iterator[SourceSlice]:
        """Yield the decorators of the flat class: the child's, then the parent's others.

        A child with the marker `@no_inherit_decorator` gets no decorators at all.
        """
        if has_no_inherit_decorator(self._child):
            return
        if not self._child.decorators.text:
            yield self._parent.decorators
            return
        yield self._child.decorators
        # `@wrap` and `@nn.wrap` are the same decorator.
        child_names = short_decorator_names(self._child)
        for name, code in split_decorators(self._parent):
            if name.rpartition(".")[2] not in child_names:
                yield code

    def _add_slot(self, slot: Slot) -> None:
        """Add the member for one place of the class body to the flattened class.

        If the flat class keeps the parent's `f` under a private name, the copy
        `_llama_mlp_f` is added in the first place of the parent's or the child's `f`.

        Args:
            slot: The place.
        """
        parent, child = slot.parent, slot.child
        # The child's `f`, which is new, or replaces the parent's `f` in this place.
        if child is not None:
            self._add_kept_method(child.name)
            self._add_member_of_child(child, parent)
        # The parent's `f`. If it is overridden, the child's `f` is in another place, and
        # only the copy is added here.
        elif parent is not None:
            if not slot.is_overridden:
                self._flat.add(parent.statement.code, member=parent.key)
            self._add_kept_method(parent.name)

    def _add_member_of_child(self, child: Member, parent: Member | None) -> None:
        """Add a member of the child class, unless it is there to remove the parent's.

        Args:
            child: The member. `size = AttributeError()` removes the parent's `size`.
            parent: The member of the parent class that it replaces, if there is one.
        """
        if is_removed(child):
            return
        if child.is_method:
            overridden = None
            if parent is not None and parent.is_method:
                overridden = view_definition(parent.statement)
            self._add_method(child.key, view_definition(child.statement), overridden)
            return
        statement = child.statement
        # `size: int` in the child has the value of the parent's `size = 1`.
        if child.is_attribute and parent is not None and parent.is_attribute:
            if inherits_value(statement, parent.statement):
                statement = with_inherited_value(statement, parent.statement)
        code = statement.code
        is_below_docstring = self._is_below_docstring(child)
        is_below_attribute = self._flat.parts[-1].member in self._parent_names
        if child.is_attribute and is_below_docstring and is_below_attribute:
            # The blank line above it separates it from the docstring.
            code = code.cut(len(code.text) - len(code.text.lstrip("\n")))
        self._flat.add(code, member=child.key)

    def _is_below_docstring(self, member: Member) -> bool:
        """Whether a member is the first one below the docstring of the child."""
        return member is self._child_members[0] and self._child.docstring is not None

    def _add_kept_method(self, name: str) -> None:
        """Add the copy of a parent's method, if there is one that is not added yet."""
        kept = self._kept_methods.pop(name, None)
        if kept is not None:
            self._flat.add(kept.code, member=kept.name)

    def _add_method(
        self, key: str, method: DefinitionView, overridden: DefinitionView | None
    ) -> None:
        """Add a method of the child class to the flattened class.

        Args:
            key: The key of the method: its name, or `size.setter` for a setter.
            method: The method.
            overridden: The parent's method that it replaces, or None.
        """
        if overridden is not None:
            report_mixed_decorators(overridden, method, self._flat)
        # A kept method `_llama_mlp_forward` has the comments and the docstring of the
        # parent's method, so the override does not get them as well.
        parent_method_is_kept = method.name in self._rewriter.private
        if overridden is None or parent_method_is_kept:
            decorators = self._method_decorators(method)
            self._flat.add(method.lead, decorators, method.header, member=key)
            self._add_method_body(key, method, method.docstring)
        else:
            self._add_completed_header(key, method, overridden)
            docstring = merge_docstring(overridden, method)
            self._add_method_body(key, method, docstring)

    def _add_completed_header(
        self, key: str, override: DefinitionView, parent_method: DefinitionView
    ) -> None:
        """Add all lines above the body of an override, completed from the parent's method.

        These are the comments above the parent's method, the decorators of the override,
        and the header of the override with the parent's return annotation. If the parent's
        body is inlined in the override, the parent's parameters replace `**super_kwargs`.

        Args:
            key: The key of both methods.
            override: The child's method.
            parent_method: The parent's method.
        """
        flat = self._flat
        decorators = self._method_decorators(override)
        flat.add(parent_method.lead, decorators, member=key)
        changes: dict[str, object] = {}
        if key in flat.merges and passes_super_kwargs(override):
            changes["params"] = merge_method_parameters(parent_method, override, flat)
        header = complete_method_header(parent_method, override, changes)
        flat.add_merged_header(header, parent_method.header, member=key)

    def _add_method_body(
        self, key: str, method: DefinitionView, docstring: Statement | None
    ) -> None:
        """Add the docstring and the body of a child's method to the flattened class.

        A method without a docstring and without other statements gets `pass`.

        Args:
            key: The key of the method.
            method: The method.
            docstring: The docstring that it gets in the flattened class, or None.
        """
        # This body has no docstring. The body is empty if the child's only statement is
        # `super().f()`, and the parent's `f` has only `pass`, which is not inlined.
        body = self._body_without_super(key, method)
        if docstring is not None:
            self._flat.add(docstring.code, member=key)
        elif not body:
            body = [make_pass_statement(method)]
        # Inlined lines of the parent are recorded as merged, not as inherited.
        self._flat.add(
            *body, method.body.footer, member=key, parent_provenance=Provenance.MERGED
        )

    def _body_without_super(
        self, key: str, method: DefinitionView
    ) -> list[SourceSlice]:
        """Return the body of a child's method, in which no call needs the parent class.

        If the parent's `f` is inlined, the parent's statements replace `super().f()`
        between the statements of the child. In the child's statements, a call of a kept
        method becomes `self._llama_mlp_f()`.
        """
        statements: Sequence[Statement] = method.body_without_docstring
        merge = self._flat.merges.get(key)
        if merge is not None:
            statements = merge.all_generated_statements
        child_statements = set(method.body.statements)
        body = []
        for statement in statements:
            # In the parent's statements, `super()` means a base of the parent, and stays.
            if statement in child_statements:
                statement = self._rewriter.rewrite(method, statement)
            body.append(statement.code)
        return body

    def _method_decorators(self, method: DefinitionView) -> SourceSlice:
        """Return the decorators that a method of the child has in the flat class.

        1. A method with the marker `@no_inherit_decorator` has no decorators.
        2. `@LlamaMLP.size.setter` becomes `@size.setter`, because the flat class contains
           the property `size` itself.
        3. Any other decorator that names the parent class is an error.
        """
        code = method.decorators
        if has_no_inherit_decorator(method):
            no_decorators = code.cut(0, 0)
            return no_decorators
        setter = f"@{self._base}.{method.name}."
        start = code.mask.find(setter)
        if start >= 0:
            end = start + len(setter)
            code = code.replace([(start, end, f"@{method.name}.")])
        if has_word(code.mask, self._base):
            self._report_error(
                place_of_word(code, self._base),
                f"the generated class does not have `{self._base}`",
                "write out what is needed of it",
            )
        return code


def _defined_names(members: Iterable[Member]) -> set[str]:
    """Return the names of the members that a class itself has, not only its bases.

    Args:
        members: The statements of the body of the class.
    """
    names = set(_IMPLICIT_MEMBERS)
    for member in members:
        if member.name:
            names.add(member.name)
        else:
            # A block such as `if` may define any of its words.
            names |= member.statement.words
    return names


def _dataclass_decorator(view: DefinitionView) -> SourceSlice | None:
    """Return the decorator `@dataclass` of a class, or None."""
    if _DATACLASS in view.decorators.mask:
        for name, code in split_decorators(view):
            if name.rpartition(".")[2] == _DATACLASS:
                return code
    return None
