"""The policy that merges classes as Python's inheritance joins them.

This is for projects with the setting `inheritance = "python"`.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace

from modular.flatten.headers import merge_class_header
from modular.flatten.policy import Policy
from modular.rules.classes.bases import merge_bases_in_order
from modular.rules.classes.body_order import (
    BodyMember,
    BodyMerge,
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
from modular.rules.classes.inlined_call import inline_parent_body
from modular.rules.classes.instance_facts import InstanceFacts
from modular.rules.classes.kept_methods import (
    SuperRewriter,
    keep_method,
    obstacle_to_keeping,
    private_names,
)
from modular.rules.classes.merge_record import (
    Fate,
    MemberStep,
    MethodMerge,
    Obstacle,
)
from modular.semantics.classes import mentions_super_outside_methods
from modular.source.blocks import Statement
from modular.source.definition_view import DefinitionView, view_definition
from modular.source.diagnostics import Place
from modular.source.places import place_of, place_of_word
from modular.source.scan import count_leading_blanks
from modular.source.source_slice import SourceSlice, has_word


_DATACLASS = "dataclass"
_IMPLICIT_MEMBERS = ("__annotations__", "__dict__", "__doc__", "__module__")
"""Members that a class has even if its body does not define them."""

_GENERATED_METHODS = ("__init__", "__repr__", "__eq__", "__hash__")
"""Methods that `@dataclass` writes."""


class PythonPolicy(Policy):
    """Merges classes as Python's inheritance joins them.

    If `class LlamaMLP(nn.Module)` has the method `f`, and the child
    `class MyModelMLP(LlamaMLP)` has `g`, the result is `class MyModelMLP(nn.Module)`
    with `f` and `g`.

    If a method of the child calls `super().f()`, there are two ways to replace the call:
    the body of the parent's `f` is inlined there, or the merged class keeps the parent's
    method under a private name, such as `_llama_mlp_f`.
    """

    is_like_python = True

    def __init__(
        self,
        parent: DefinitionView,
        child: DefinitionView,
        base: str,
        find_class: Callable[[str], Statement | None] = lambda name: None,
    ) -> None:
        """Prepare to merge two classes.

        Args:
            parent: The parent class, renamed to the child's model.
            child: The class of the modular file.
            base: The name of the parent class in the child's header.
            find_class: Returns a class of the generated file by its name; None for others.
        """
        bases = merge_bases_in_order(parent.bases, child.bases, base)
        super().__init__(parent, child, base, bases)
        self._parent_members = find_members(parent.body.statements)
        self._child_members = find_members(child.body.statements)
        self._parent_names = _defined_names(self._parent_members)
        self._rewriter = SuperRewriter(
            class_name=child.name,
            base=base,
            members=self._parent_names,
            class_methods=frozenset(self._find_class_methods()),
            bases_before_parent=child.bases[: child.bases.index(base)],
        )
        self._facts = InstanceFacts(
            members=self._parent_names | _defined_names(self._child_members),
            bases=[*parent.bases, *(set(child.bases) - {base})],
            find_class=find_class,
        )
        # The methods of the child that contain the parent's body.
        self._merges: dict[Statement, MethodMerge] = {}
        # The parent's methods to keep, by name: `{"forward": <def _llama_mlp_forward>}`. An
        # entry is removed once its method has been added to the flattened class.
        self._kept_methods: dict[str, MemberStep] = {}

    def plan_members(self) -> Iterator[MemberStep]:
        """Yield the members of the flattened class in the order of Python's class bodies.

        A slot is a place in the merged body: it has the parent's member, the child's
        member, or both, if the child overrides the parent's member there. If the merged
        class keeps the parent's `f` under a private name, the copy `_llama_mlp_f` comes in
        the first slot of the parent's or the child's `f`.
        """
        body_merge = BodyMerge(self._parent_members, self._child_members)
        self._check_class(body_merge)
        # A call `super().f()` can become `self._llama_mlp_f()`. Such names are chosen
        # before the first method is planned.
        self._decide_calls()
        for slot in body_merge.slots:
            parent = slot.parent
            child = slot.child
            if child is not None:
                yield from self._take_kept_method(child.name)
                # `size = AttributeError()` only removes the parent's `size`.
                if not is_removed(child):
                    yield self._plan_member_of_child(child, parent)
            else:
                assert parent is not None, "a slot is not empty"
                # If the parent's `f` is overridden, the child's `f` is in another place, and
                # only the copy comes here.
                if not slot.is_overridden:
                    yield MemberStep(parent.statement, Fate.KEPT, key=parent.key)
                yield from self._take_kept_method(parent.name)

    # What Python's inheritance does, and a merged class cannot do, is an error.

    def _check_class(self, merge: BodyMerge) -> None:
        """Report code of the child class that would do something else in a merged class.

        The merged class has the members of both classes in one body, and no parent class.

        Args:
            merge: The members of both classes, merged into one body.
        """
        # In Python, `limit = size` in the child reads a variable of the module. In one
        # body with the parent's `size = 1`, it would read this member.
        for member in merge.readers_of_parent_names:
            self._add_obstacle(
                place_of(member.statement.bare_code),
                "it uses a name that is also a member of "
                f"`{self.base}`; in the modular file, that is another variable",
                "rename the variable",
            )
        # The child removes the parent's `size`, which `area = size * size` still reads.
        for member in merge.impossible_removals:
            self._add_obstacle(
                place_of(member.statement.bare_code),
                f"the body of `{self.base}` needs `{member.name}`",
                "keep the member, or define the class without a parent class",
            )
        # `limit = Parent.size` names the parent class. In a method, that is replaced.
        for member in self._child_members:
            is_method = member.is_method
            if not is_method and has_word(member.statement.code.masked_text, self.base):
                self._add_obstacle(
                    place_of_word(member.statement.bare_code, self.base),
                    f"the generated class does not have `{self.base}`",
                    "write out what is needed of it",
                )
            if mentions_super_outside_methods(member.statement):
                self._add_obstacle(
                    place_of_word(member.statement.bare_code, "super"),
                    "`super()` is in no method of the class",
                    "call it in the body of a method that is defined in the class itself",
                )

    def _add_obstacle(self, place: Place, reason: str, hint: str) -> None:
        """Record that the merged class would behave differently from the class in Python."""
        related = place_of(self.parent.header)
        self.record.obstacles.append(Obstacle(place, reason, hint, related))

    # Each use of the parent class is inlined, or the parent's method is kept.

    def _decide_calls(self) -> None:
        """Decide what replaces each `super()` call of the child.

        1. If only the child's `f` calls the parent's `f`, and calls it once, the body of
           the parent's `f` is inlined in place of the call, where that is possible.
        2. Otherwise the merged class keeps the parent's `f` under a private name, and each
           call becomes `self._llama_mlp_f(x)`.
        """
        merges = []
        methods_to_keep: dict[str, DefinitionView] = {}
        for name, callers in self._find_callers().items():
            first_caller = callers[0]
            parent_method = self._find_called_method(name, first_caller)
            if parent_method is None:
                continue
            merge = None
            is_called_once_by_override = len(callers) == 1 and first_caller.key == name
            if is_called_once_by_override:
                override = view_definition(first_caller.statement)
                merge = inline_parent_body(
                    name, parent_method, override, self.child.name, self._facts
                )
            if merge is not None:
                merges.append(merge)
            else:
                methods_to_keep[name] = parent_method
        self._keep_methods(methods_to_keep)
        # A method into which the parent's `f` is inlined may call the kept `g`.
        for merge in merges:
            self._merges[merge.override.statement] = self._rewrite_merge(merge)

    def _keep_methods(self, methods: Mapping[str, DefinitionView]) -> None:
        """Copy parent methods under private names such as `_llama_mlp_forward`.

        `plan_members` adds the copies to the merged class later.

        Args:
            methods: The methods by name.
        """
        if methods and "__getattribute__" in self._facts.members:
            self._add_obstacle(
                place_of(self.child.header),
                "its `__getattribute__` would see the private name of a kept method",
                "write out what the methods of the parent do",
            )
        taken_names = self.parent.code.words() | self.child.code.words()
        private_by_name = private_names(self.base, methods, taken_names)
        for name, parent_method in methods.items():
            self._kept_methods[name] = keep_method(parent_method, private_by_name[name])
        # With the private names, the rewriter replaces `super().f` with `self._llama_mlp_f`.
        self._rewriter = replace(self._rewriter, private=private_by_name)

    def _rewrite_merge(self, merge: MethodMerge) -> MethodMerge:
        """Return a merge in which the child's statements do not use the parent class.

        The parent's statements stay: their `super()` means a base of the parent class.
        """
        steps = []
        for step in merge.steps:
            if step.fate in (Fate.OWN, Fate.MOVED):
                code = self.rewrite(merge.override, step.statement)
                step = replace(step, rewritten=code)
            steps.append(step)
        return replace(merge, steps=steps)

    def _find_callers(self) -> dict[str, list[BodyMember]]:
        """Return the child's methods that call each method of the parent, by its name.

        If the child's `forward` and `reset` both call `super().reset()`, the entry of
        `reset` has both. A method that calls it twice is listed twice. Calls that a
        merged class cannot have are reported.
        """
        callers_by_name: dict[str, list[BodyMember]] = {}
        for member in self._child_members:
            if not member.is_method:
                continue
            if not self._rewriter.may_use_parent(member.statement):
                continue
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
                    self._add_obstacle(
                        self._place_of_use(statement),
                        use.problem,
                        "call the method in a statement of the method itself, as "
                        "`super().method(...)`",
                    )
                else:
                    yield use.name

    def _find_class_methods(self) -> Iterator[str]:
        """Yield the names of the parent's class methods."""
        for method in self.record.inherited.values():
            if "classmethod" in short_decorator_names(method):
                yield method.name

    def _check_calls_of_dataclass_methods(self, method: DefinitionView) -> None:
        """Report a call to a method that `@dataclass` writes into the parent class.

        The parent's body does not define this method, so `super().__init__(size)` can
        neither be inlined nor call a private copy.

        Args:
            method: A method of the child, which may contain such a call.
        """
        if _DATACLASS not in short_decorator_names(self.parent):
            return
        for name in _GENERATED_METHODS:
            # Any receiver counts: `super()`, the parent's name, or another one.
            is_called = f".{name}" in method.code.masked_text
            if is_called and name not in self._parent_names:
                self._add_obstacle(
                    place_of_word(method.code, name),
                    f"`@dataclass` writes the `{name}` of `{self.base}`",
                    "write out what is needed of it",
                )

    def _place_of_use(self, statement: Statement) -> Place:
        """Return the place of `super`, or of the parent's name, in a statement."""
        word = (
            "super" if has_word(statement.bare_code.masked_text, "super") else self.base
        )
        return place_of_word(statement.bare_code, word)

    def _find_called_method(
        self, name: str, caller: BodyMember
    ) -> DefinitionView | None:
        """Return the parent's method that the child calls by `super()`.

        An error is reported if the parent class has no such method, or if a decorator
        of the method depends on its name: the merged class may have to keep `forward` as
        `_llama_mlp_forward`.

        Args:
            name: The name of the method.
            caller: The first of the child's methods that call it. An error is reported
                once, at this call.

        Returns:
            The method; None after an error.
        """
        place = self._place_of_use(caller.statement)
        member = self._last_member_of_parent(name)
        if member is None or not member.is_method:
            self._add_obstacle(
                place,
                f"`{self.base}.{name}` is not a method in the body of the class",
                self._advise_on_attribute(name, caller),
            )
            return None
        method = view_definition(member.statement)
        decorator = obstacle_to_keeping(method)
        if decorator:
            self._add_obstacle(
                place,
                f"`{self.base}.{name}` has the decorator `@{decorator}`, which "
                "depends on the name of the method",
                "write out what the method does",
            )
            return None
        return method

    def _last_member_of_parent(self, name: str) -> BodyMember | None:
        """Return the last member of the parent class that defines a name, or may do so.

        Python uses the last definition. A block such as `if`, which has no name itself, may
        define any of its words. None if the class does not define the name.
        """
        for member in reversed(self._parent_members):
            is_block = not member.name
            may_define_name = is_block and name in member.statement.words
            if may_define_name or member.key == name:
                return member
        return None

    def _advise_on_attribute(self, name: str, caller: BodyMember) -> str:
        """Return what to write in place of an attribute of the parent: `super().size`.

        Args:
            name: The name of the attribute.
            caller: The child's method that uses it.
        """
        first_parameter = next(iter(view_definition(caller.statement).parameters), "")
        # A static method has neither `self` nor `cls`.
        has_owner = first_parameter in ("self", "cls")
        if has_owner and name not in _defined_names(self._child_members):
            return f"read `{first_parameter}.{name}`, or write out the value"
        return "write out the value"

    # The decisions about each member.

    def merge_class_head(self) -> Iterator[SourceSlice]:
        """Yield the decorators of the merged class and its header.

        The child's decorators come above the parent's. A decorator of the parent that
        stands above one which both classes have, as `@strict` above `@dataclass`, stays
        above it. A child with the marker `@no_inherit_decorator` gets no decorators.
        """
        if not has_no_inherit_decorator(self.child):
            # `@wrap` and `@nn.wrap` are the same decorator.
            child_names = short_decorator_names(self.child)
            is_above = not child_names.isdisjoint(short_decorator_names(self.parent))
            below: list[SourceSlice] = []
            for name, code in split_decorators(self.parent):
                if name.rpartition(".")[2] in child_names:
                    is_above = False
                elif is_above:
                    yield code
                else:
                    below.append(code)
            yield self.child.decorators
            yield from below
        yield merge_class_header(self.parent, self.child, self.bases)

    def merge_method_decorators(
        self, parent: DefinitionView, child: DefinitionView
    ) -> list[SourceSlice]:
        """Return the decorators that a method of the child has in the merged class.

        These are its own decorators, with these exceptions:

        1. A method with the marker `@no_inherit_decorator` has no decorators.
        2. `@LlamaMLP.size.setter` becomes `@size.setter`, because the merged class contains
           the property `size` itself.
        3. Any other decorator that names the parent class is an error.
        """
        code = child.decorators
        if has_no_inherit_decorator(child):
            no_decorators = code.cut(0, 0)
            return [no_decorators]
        setter = f"@{self.base}.{child.name}."
        start = code.masked_text.find(setter)
        if start >= 0:
            end = start + len(setter)
            code = code.replace([(start, end, f"@{child.name}.")])
        if has_word(code.masked_text, self.base):
            self._add_obstacle(
                place_of_word(code, self.base),
                f"the generated class does not have `{self.base}`",
                "write out what is needed of it",
            )
        return [code]

    def merge_bodies(
        self, key: str, parent: DefinitionView, child: DefinitionView
    ) -> MethodMerge | None:
        """Return the override with the parent's body in place of `super()`, or None."""
        return self._merges.get(child.statement)

    def rewrite(self, method: DefinitionView, statement: Statement) -> SourceSlice:
        """Return a statement of the child in which no call needs the parent class.

        A call to a kept method becomes `self._llama_mlp_f()`.
        """
        return self._rewriter.rewrite(method, statement).code

    def _take_kept_method(self, name: str) -> Iterator[MemberStep]:
        """Yield the private copy of a parent's method, if it is still to be added."""
        kept = self._kept_methods.pop(name, None)
        if kept is not None:
            yield kept

    def _plan_member_of_child(
        self, child: BodyMember, parent: BodyMember | None
    ) -> MemberStep:
        """Return the step that writes a member of the child class.

        A method is merged with the parent's, and `size: int` gets the parent's value.

        Args:
            child: The member.
            parent: The member of the parent class that it replaces, if there is one.
        """
        statement = child.statement
        if child.is_method:
            return self._plan_method(child, parent)
        code = statement.code
        if child.is_attribute:
            code = self._attribute_code(child, parent)
        if parent is None:
            return MemberStep(statement, Fate.OWN, rewritten=code, key=child.key)
        return MemberStep(statement, Fate.MOVED, parent.statement, code, key=child.key)

    def _attribute_code(
        self, child: BodyMember, parent: BodyMember | None
    ) -> SourceSlice:
        """Return the code of an attribute of the child in the merged class.

        The child's `size: int` becomes `size: int = 1`, with the value of the parent's
        `size = 1`. Blank lines above an attribute are dropped if they separate it from a
        docstring that is not above it in the merged class.

        Args:
            child: The attribute.
            parent: The member of the parent class that it replaces, if there is one.
        """
        statement = child.statement
        code = statement.code
        if parent is not None and parent.is_attribute:
            if inherits_value(statement, parent.statement):
                code = with_inherited_value(statement, parent.statement).code
        members_above = self.record.members
        is_below_parent_member = (
            bool(members_above) and members_above[-1].key in self._parent_names
        )
        if is_below_parent_member and self._is_below_docstring(child):
            code = code.cut(count_leading_blanks(code.text, "\n"))
        return code

    def _is_below_docstring(self, member: BodyMember) -> bool:
        """Whether a member is the first one below the docstring of the child."""
        return member is self._child_members[0] and self.child.docstring is not None

    def _plan_method(self, child: BodyMember, parent: BodyMember | None) -> MemberStep:
        """Return the step that writes a method of the child class.

        Args:
            child: The method.
            parent: The member of the parent class that it replaces, if there is one.
        """
        method = view_definition(child.statement)
        overridden = None
        if parent is not None and parent.is_method:
            overridden = view_definition(parent.statement)
            self.report_mixed_decorators(overridden, method)
        # A kept method `_llama_mlp_forward` has the comments and the docstring of the
        # parent's method, so the override does not get them as well.
        is_kept = method.name in self._rewriter.private
        merged_with = None if is_kept else overridden
        return self.plan_method(child.key, method, merged_with)


def _defined_names(members: Iterable[BodyMember]) -> set[str]:
    """Return the names of the members that a class has or may have itself.

    Members that only its bases have are left out.

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
