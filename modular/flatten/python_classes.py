"""Flattens one class so that it does what Python's inheritance does.

This is for projects with the setting `inheritance = "python"`.
"""

from collections.abc import Iterator
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
    split_decorators,
)
from modular.rules.classes.docstrings import merge_docstring
from modular.rules.classes.inlined_call import inline_parent_body, passes_super_kwargs
from modular.rules.classes.kept_methods import (
    SuperRewriter,
    keep_method,
    obstacle_to_keeping,
    private_names,
)
from modular.rules.files.drafts import OutputRun, Provenance, make_output_run
from modular.source.assignments import assigned_target
from modular.source.blocks import Statement
from modular.source.definition_view import DefinitionView, view_definition
from modular.source.diagnostics import Place, Problem
from modular.source.places import place_of, place_of_word
from modular.source.source_slice import SourceSlice, has_word, words
from modular.source.trees import node_text


_DATACLASS = "dataclass"
_NAMES_OF_EACH_CLASS = ("__annotations__", "__dict__", "__doc__", "__module__")
"""Members that a class has even if its body does not define them."""

_HARMLESS_METACLASS = "ABCMeta"

_GENERATED_METHODS = ("__init__", "__repr__", "__eq__", "__hash__")
"""Methods that `@dataclass` writes."""


def flatten_like_python(
    parent: DefinitionView,
    child: DefinitionView,
    base: str,
    merges_docstrings: bool,
) -> Flattened:
    """Merge a child class with its parent class, as Python's inheritance joins them.

    Args:
        parent: The parent class, in which the parent's model is already renamed to the
            child's. Its own name is `base`.
        child: The class of the modular file, which the author writes.
        base: The base of the child that refers to the parent class.
        merges_docstrings: Whether the docstrings are merged argument by argument.
    """
    flat = Flattened(parent, child, is_like_python=True)
    return _PythonFlattener(flat, base).flatten(merges_docstrings)


class _PythonFlattener:
    """Merges one class with its parent class."""

    def __init__(self, flat: Flattened, base: str) -> None:
        self._flat = flat
        self._parent = flat.parent
        self._child = flat.child
        self._base = base
        self._parent_members = find_members(flat.parent.body.statements)
        self._child_members = find_members(flat.child.body.statements)
        index = flat.child.bases.index(base)
        self._rewriter = SuperRewriter(
            class_name=flat.child.name,
            base=base,
            members=self._names_of_parent(),
            bases_before_parent=flat.child.bases[:index],
        )
        # The merged bodies of overrides, in which the parent's body replaces a call.
        self._inlined: dict[Statement, list[Statement]] = {}
        # The kept methods that are not written yet, by name.
        self._waiting: dict[str, Statement] = {}

    def flatten(self, merges_docstrings: bool) -> Flattened:
        """Add all lines to the flattened class, and return it."""
        flat = self._flat
        merge = BodyMerge(self._parent_members, self._child_members)
        self._check_class(merge)
        # Kept methods get their private names before the methods that call them.
        self._decide_calls()

        bases = merge_bases_in_order(self._parent.bases, self._child.bases, self._base)
        report_mixed_decorators(self._parent, self._child, flat)
        flat.add("", self._parent.lead, *self._class_decorators())
        flat.add("", merge_class_header(self._parent, self._child, bases))
        body_start = len(flat.parts)
        for slot in merge.slots:
            self._add_slot(slot)

        docstring = []
        for code in merge_class_docstring(
            self._parent, self._child, merges_docstrings, flat
        ):
            if code.text:
                run = make_output_run("", code, flat.path, Provenance.INHERITED)
                docstring.append(run)
        flat.parts[body_start:body_start] = docstring
        if len(flat.parts) == body_start:
            flat.add("", make_pass_statement(self._child, 1))
        return flat

    def _names_of_parent(self) -> set[str]:
        """Return the names that the parent's body defines, or may define in a block."""
        names = set(_NAMES_OF_EACH_CLASS)
        for member in self._parent_members:
            if member.name:
                names.add(member.name)
            else:
                names |= member.statement.words
        return names

    # What Python's inheritance does, and a flat class cannot do, is an error.

    def _check_class(self, merge: BodyMerge) -> None:
        """Report what a flat class cannot do like an inheriting one.

        Args:
            merge: The merged members. Of the child's, it lists the unclear ones, whose
                names would mean members of the parent in a flat class, and removals
                of members that statements in the parent's body need.
        """
        for member in merge.readers_of_parent_names:
            self._refuse(
                place_of(member.statement.bare_code),
                "it uses a name that is also a member of "
                f"`{self._base}`; in the modular file, that is another variable",
                "rename the variable",
            )
        for member in merge.impossible_removals:
            self._refuse(
                place_of(member.statement.bare_code),
                f"the body of `{self._base}` needs `{member.name}`",
                "keep the member, or define the class without a parent class",
            )
        for member in self._child_members:
            # The uses of the parent class in methods are decided by `_decide_calls`.
            is_method = member.is_method
            if not is_method and has_word(member.statement.code.mask, self._base):
                self._refuse(
                    place_of_word(member.statement.bare_code, self._base),
                    f"the generated class does not have `{self._base}`",
                    "write out what is needed of it",
                )
        self._check_keywords()
        self._check_hooks()
        self._check_private_names()
        self._check_dataclass()

    def _check_keywords(self) -> None:
        """Report keywords of class headers that the flat class cannot have.

        It has the header of the parent class, as in `class Parent(Base, total=False)`.
        """
        in_parent = _class_keywords(self._parent)
        in_child = _class_keywords(self._child)
        header = place_of(self._child.header)
        # `ABCMeta` only looks for abstract methods. Others may do anything.
        metaclass = in_parent.get("metaclass", _HARMLESS_METACLASS)
        if not metaclass.endswith(_HARMLESS_METACLASS):
            self._refuse(
                header,
                f"`{metaclass}` of `{self._base}` would see the members of both classes",
                "define the class without a parent class",
            )
        for name, text in in_child.items():
            if in_parent.get(name) != text:
                self._refuse(
                    header,
                    "the keywords of the class are those of its parent class",
                    f"leave `{text}` out, or define the class without a parent class",
                )
        for name, text in in_parent.items():
            # Python takes the metaclass from the parent class, but no other keyword.
            is_inherited = name == "metaclass" or name in in_child
            # This keyword of a `TypedDict` is about the keys of the class itself.
            is_about_keys = name == "total" and not self._has_annotations()
            if not is_inherited and not is_about_keys:
                self._refuse(
                    header,
                    f"`{text}` of `{self._base}` is not inherited",
                    f"write `{text}` behind the base, too",
                )

    def _has_annotations(self) -> bool:
        """Whether the modular class has attributes with annotations."""
        for statement in self._flat.attributes.values():
            target = assigned_target(statement)
            if target is not None and target.annotated:
                return True
        return False

    def _check_hooks(self) -> None:
        """Report special members of the parent that mean less or more for its children.

        In the flat class, which has all members of the parent, they would mean the same
        as in the parent class itself.
        """
        parent_names = {member.name for member in self._parent_members}
        child_names = {member.name for member in self._child_members}
        header = place_of(self._child.header)
        without_parent = "define the class without a parent class"
        if "__init_subclass__" in parent_names:
            self._refuse(
                header,
                f"Python calls `{self._base}.__init_subclass__` for the inheriting class",
                without_parent,
            )
        if "__slots__" in parent_names:
            self._refuse(
                header,
                f"the `__slots__` of `{self._base}` do not limit the inheriting class",
                without_parent,
            )
        is_unhashable = "__eq__" in child_names and "__hash__" not in child_names
        if is_unhashable and "__hash__" in parent_names:
            self._refuse(
                header,
                f"a class with `__eq__` does not inherit `{self._base}.__hash__`",
                "write `__hash__ = None`, or define `__hash__`",
            )

    def _check_private_names(self) -> None:
        """Report a name such as `__size` in both classes, which Python keeps apart.

        In the class `MyModelMLP`, this name is a short form of `_MyModelMLP__size`. The
        long form of the parent's name is reported, too.
        """
        if "__" not in self._child.code.mask or "__" not in self._parent.code.mask:
            return
        mangled_prefix = f"_{self._base.lstrip('_')}__"
        for word in sorted(words(self._child.code.text)):
            if word.startswith(mangled_prefix):
                self._refuse(
                    place_of(self._child.header),
                    f"`{word}` is a private name of `{self._base}`",
                    "use another attribute",
                )
        shared = self._child.code.words() & self._parent.code.words()
        for name in sorted(shared):
            if name.startswith("__") and not name.endswith("__"):
                self._refuse(
                    place_of_word(self._child.code, name),
                    f"`{name}` belongs to the class in which it is written, and "
                    f"`{self._base}` has one of its own",
                    "rename it",
                )

    def _check_dataclass(self) -> None:
        """Report `@dataclass` if it would make other fields in the flat class.

        In Python, the attributes in the body of a class become fields only if this class
        has the decorator. The flat class has the attributes of both bodies.
        """
        in_parent = _dataclass_decorator(self._parent)
        in_child = _dataclass_decorator(self._child)
        if in_parent is None and in_child is None:
            return
        header = self._child.header
        if in_parent is not None and in_child is not None:
            if in_parent.normalized() != in_child.normalized():
                self._refuse(
                    place_of(in_child),
                    f"the `@dataclass` of `{self._base}` has other arguments",
                    "write the same decorator",
                )
        elif in_parent is not None and not has_no_inherit_decorator(self._child):
            inherited = self._flat.inherited_attributes
            for name, statement in self._flat.attributes.items():
                target = assigned_target(statement)
                if name in inherited or (target is not None and target.annotated):
                    self._refuse(
                        place_of(statement.bare_code),
                        f"`{self._base}` is a dataclass and `{self._child.name}` is "
                        f"not, so `{name}` is no field",
                        "write `@dataclass` above the class",
                    )
        elif in_child is not None:
            for name, statement in self._flat.inherited_attributes.items():
                target = assigned_target(statement)
                if target is not None and target.annotated:
                    self._refuse(
                        place_of(header),
                        f"`{self._child.name}` is a dataclass and `{self._base}` is "
                        f"not, so `{name}` is no field",
                        "write the class without a parent class",
                    )

    def _refuse(self, at: Place | SourceSlice, reason: str, hint: str) -> None:
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
        """Decide which methods of the parent are inlined, and which are kept.

        A method is inlined if only its own override calls it, once and where its body
        can stand. Any other method that is called is kept under a private name.
        """
        # The child's methods that use a member of the parent class, by its name.
        users: dict[str, list[Member]] = {}
        for member in self._child_members:
            if member.is_method and self._rewriter.may_use_parent(member.statement):
                for name in self._find_used_names(member):
                    users.setdefault(name, []).append(member)

        kept = {}
        for name, members in users.items():
            method = self._method_to_call(name, members[0])
            if method is None:
                continue
            is_called_by_override_only = len(members) == 1 and members[0].key == name
            if is_called_by_override_only:
                override = members[0].statement
                merged = inline_parent_body(
                    method, view_definition(override), self._child.name
                )
                if merged is not None:
                    self._inlined[override] = merged
                    continue
            kept[name] = method
        taken = self._parent.code.words() | self._child.code.words()
        names = private_names(self._base, kept, taken)
        self._rewriter = replace(self._rewriter, private=names)
        for name, method in kept.items():
            self._waiting[name] = keep_method(method, names[name])

    def _find_used_names(self, member: Member) -> Iterator[str]:
        """Yield the members of the parent class that a method of the child uses.

        Uses that a flat class cannot have are reported, and not yielded.
        """
        method = view_definition(member.statement)
        for statement in method.body.statements:
            for use in self._rewriter.find_uses(method, statement):
                if use.problem:
                    self._refuse(
                        self._place_of_use(statement),
                        use.problem,
                        "call the method in a statement of the method itself, as "
                        "`super().method(...)`",
                    )
                else:
                    yield use.name
        if _dataclass_decorator(self._parent) is not None:
            self._check_generated_methods(method)

    def _check_generated_methods(self, method: DefinitionView) -> None:
        """Report a call of a method that `@dataclass` writes into the parent class."""
        for name in _GENERATED_METHODS:
            is_written = name in self._rewriter.members
            if not is_written and f".{name}" in method.code.mask:
                self._refuse(
                    place_of_word(method.code, name),
                    f"`@dataclass` writes the `{name}` of `{self._base}`",
                    "write out what is needed of it",
                )

    def _place_of_use(self, statement: Statement) -> Place:
        word = "super" if has_word(statement.bare_code.mask, "super") else self._base
        return place_of_word(statement.bare_code, word)

    def _method_to_call(self, name: str, user: Member) -> DefinitionView | None:
        """Return the parent's method that a use of `super()` means.

        Args:
            name: The name of the method.
            user: The child's method that uses it.

        Returns:
            The method. None after an error if the parent has no such method, or if it
            cannot get another name.
        """
        found = None
        for member in self._parent_members:
            if member.is_method and member.key == name:
                found = view_definition(member.statement)
        place = self._place_of_use(user.statement)
        if found is None:
            self._refuse(
                place,
                f"`{self._base}.{name}` is not a method in the body of the class",
                f"read `self.{name}`, or write out the value",
            )
            return None
        obstacle = obstacle_to_keeping(found)
        if obstacle:
            self._refuse(
                place,
                f"`{self._base}.{name}` has the decorator `@{obstacle}`, which "
                "depends on the name of the method",
                "write out what the method does",
            )
            return None
        return found

    # The lines of the class.

    def _class_decorators(self) -> Iterator[SourceSlice]:
        """Yield the decorators of the class, then those that only its parent has."""
        if not self._child.decorators.text:
            yield self._parent.decorators
        elif not has_no_inherit_decorator(self._child):
            yield self._child.decorators
            # `@wrap` and `@nn.wrap` are the same decorator.
            child_names = {
                name.rpartition(".")[2] for name in self._child.decorator_names
            }
            for name, code in split_decorators(self._parent):
                if name.rpartition(".")[2] not in child_names:
                    yield code

    def _add_slot(self, slot: Slot) -> None:
        """Add the member in a slot to the flattened class.

        The parent's method of the same name comes before it if it is kept under a
        private name.
        """
        parent, child = slot.parent, slot.child
        if child is None:
            assert parent is not None, "a slot is not empty"
            if not slot.is_overridden_elsewhere:
                self._flat.add(parent.key, parent.statement.code)
            self._add_kept(parent.name)
            return

        self._add_kept(child.name)
        if is_removed(child):
            return
        if child.is_method:
            method = view_definition(child.statement)
            overridden = None
            if parent is not None and parent.is_method:
                overridden = view_definition(parent.statement)
            was_kept = child.name in self._rewriter.private
            self._add_method(child.key, method, overridden, was_kept)
            return
        statement = child.statement
        # `size: int` in the child has the value of the parent's `size = 1`.
        if child.is_attribute and parent is not None and parent.is_attribute:
            if inherits_value(statement, parent.statement):
                statement = with_inherited_value(statement, parent.statement)
        self._flat.add(child.key, statement.code)

    def _add_kept(self, name: str) -> None:
        """Add the kept method with a name, if there is one that is not written yet."""
        kept = self._waiting.pop(name, None)
        if kept is not None:
            self._flat.add(kept.name, kept.code)

    def _add_method(
        self,
        key: str,
        method: DefinitionView,
        overridden: DefinitionView | None,
        was_kept: bool,
    ) -> None:
        """Add a method of the modular class.

        Args:
            key: Its key.
            method: The method.
            overridden: The parent's method that it replaces, or None.
            was_kept: Whether the parent's method is written under another name.
        """
        flat = self._flat
        if overridden is not None:
            report_mixed_decorators(overridden, method, flat)
        if was_kept:
            # The comments and the docstring of the parent's method are above.
            overridden = None
        lead = method.lead if overridden is None else overridden.lead
        flat.add(key, lead, self._method_decorators(method))
        if overridden is not None:
            self._add_header(key, overridden, method)
        else:
            flat.add(key, method.header)

        merged = self._inlined.get(method.statement)
        statements = merged
        if statements is None:
            statements = method.body_without_docstring
        body = []
        child_statements = set(method.body.statements)
        for statement in statements:
            if statement in child_statements:
                statement = self._rewriter.rewrite(method, statement)
            body.append(statement.code)
        docstring = method.docstring
        if overridden is not None:
            docstring = merge_docstring(overridden, method)
        if docstring is not None:
            flat.add(key, docstring.code)
        elif not body:
            body = [make_pass_statement(method, 2)]
        flat.add(key, *body, method.body.footer, parents=Provenance.MERGED)

    def _add_header(
        self, key: str, overridden: DefinitionView, method: DefinitionView
    ) -> None:
        """Add the header of an override, completed from the overridden method's header.

        If the parent's body is inlined, its parameters replace `**super_kwargs`.
        """
        changes: dict[str, object] = {}
        if method.statement in self._inlined and passes_super_kwargs(method):
            changes["params"] = merge_method_parameters(overridden, method, self._flat)
        header = complete_method_header(overridden, method, changes)
        run = OutputRun(key, header, Provenance.OWN, overridden.header)
        self._flat.parts.append(run)

    def _method_decorators(self, method: DefinitionView) -> SourceSlice:
        """Return the decorators of a method, with `@Parent.size.setter` as `@size.setter`.

        The generated class has no parent class, so its own property is extended.
        """
        code = method.decorators
        if not code.text:
            return code
        if has_no_inherit_decorator(method):
            return code.cut(0, 0)
        prefix = f"{self._base}."
        start = code.mask.find(f"@{prefix}{method.name}.")
        if start >= 0:
            code = code.replace([(start + 1, start + 1 + len(prefix), "")])
        if has_word(code.mask, self._base):
            self._refuse(
                place_of_word(code, self._base),
                f"the generated class does not have `{self._base}`",
                "write out what is needed of it",
            )
        return code


def _dataclass_decorator(view: DefinitionView) -> SourceSlice | None:
    """Return the decorator `@dataclass` of a class, or None."""
    if _DATACLASS in view.decorators.mask:
        for name, code in split_decorators(view):
            if name.rpartition(".")[2] == _DATACLASS:
                return code
    return None


def _class_keywords(view: DefinitionView) -> dict[str, str]:
    """Return the keywords of a class header, such as `total=False`, by name."""
    if "=" not in view.header.mask and "**" not in view.header.mask:
        return {}
    keywords = {}
    for argument in view.class_node.keywords:
        name = "**" if argument.keyword is None else argument.keyword.value
        value = node_text(argument.value)
        keywords[name] = f"**{value}" if name == "**" else f"{name}={value}"
    return keywords
