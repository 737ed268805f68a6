"""Finds calls in modular files whose arguments a changed parent no longer takes."""

from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from modular.effects.breakage import Breakage
from modular.effects.overrides import Inheritance
from modular.effects.parent_changes import ChangedParent
from modular.lint.inherited_calls import InheritedCall, find_mismatch, find_statements
from modular.rules.classes.methods import find_methods
from modular.rules.reading.modular_file import ModularFile
from modular.semantics.facts import Call
from modular.semantics.functions import model_function
from modular.semantics.meanings import Definition
from modular.semantics.resolver import Resolver
from modular.semantics.statements import facts_of
from modular.source.blocks import Kind, Statement
from modular.source.definition_view import DefinitionView, view_definition
from modular.source.module import Module, statement_named


_INIT = "__init__"


class _ChangedFunction(NamedTuple):
    """A function or method whose header a parent file changed.

    Attributes:
        title: Its name there, such as `rotate` or, for a method, `LlamaModel.embed`.
        old: The function before the change.
        new: The function after it.
    """

    title: str
    old: DefinitionView
    new: DefinitionView

    @property
    def has_self(self) -> bool:
        """Whether its first parameter gets no argument of a call."""
        is_method = "." in self.title
        return is_method and "staticmethod" not in self.new.decorator_names


class _Callee(NamedTuple):
    """A function, and the text with which a modular file calls it: `self.embed`.

    Attributes:
        text: The text before the arguments.
        member: Name of the function.
        function: The function.
        only_in_class: The only class whose calls count. None if all calls count.
    """

    text: str
    member: str
    function: _ChangedFunction
    only_in_class: str | None = None


def find_broken_calls(
    modular_file: ModularFile,
    inheritances: Iterable[Inheritance],
    parents: Mapping[str, ChangedParent],
) -> Iterator[Breakage]:
    """Yield the calls in a modular file whose arguments a changed parent refuses.

    The parent replaced `def grow(self, by)` by `def grow(self)`, so `self.grow(2)` in
    the modular file is broken. Calls that did not fit before either are left out.

    Args:
        modular_file: The modular file.
        inheritances: Its inheritances from the changed parent files.
        parents: The changed parent files by path.
    """
    callees = [
        *_inherited_callees(modular_file, inheritances, parents),
        *_imported_callees(modular_file, parents),
    ]
    definitions = modular_file.definitions
    for binding in (*definitions.classes.values(), *definitions.functions.values()):
        for callee in callees:
            yield from _check_calls(binding.statement, callee)


def _inherited_callees(
    modular_file: ModularFile,
    inheritances: Iterable[Inheritance],
    parents: Mapping[str, ChangedParent],
) -> Iterator[_Callee]:
    """Yield the calls by which classes reach a parent's method with a changed header.

    A class that inherits `grow` can call `self.grow` or `super().grow`. A class that
    overrides `grow` can still call the parent's method as `super().grow`.

    Args:
        modular_file: The modular file with the classes.
        inheritances: Its inheritances from the changed parent files.
        parents: The changed parent files by path.
    """
    for child, path, parent_class in inheritances:
        methods = methods_with_changed_header(parents[path], parent_class)
        for name, function in methods.items():
            # The child, unless it overrides the method, and classes below the child.
            inheriting = _find_inheriting_classes(modular_file, child.name, name)
            for class_ in sorted(inheriting):
                if name == _INIT:
                    # `MyModelMLP(4)` calls the constructor, also outside of the class.
                    yield _Callee(class_, name, function)
                else:
                    text = f"self.{name}"
                    yield _Callee(text, name, function, only_in_class=class_)
            for class_ in _find_super_callers(modular_file, child.name, inheriting):
                text = f"super().{name}"
                yield _Callee(text, name, function, only_in_class=class_)


def _find_super_callers(
    modular_file: ModularFile, child: str, inheriting: AbstractSet[str]
) -> Iterator[str]:
    """Yield the classes in which `super().grow` calls the `grow` of a parent class.

    These are the child of the parent class, and each class with a base that inherits
    `grow`. They may override `grow` themselves.

    Args:
        modular_file: The modular file.
        child: Name of the child of the parent class.
        inheriting: The classes of the modular file that inherit the method.
    """
    for class_, bases in modular_file.bases.items():
        if class_ == child or not inheriting.isdisjoint(bases):
            yield class_


def _imported_callees(
    modular_file: ModularFile, parents: Mapping[str, ChangedParent]
) -> Iterator[_Callee]:
    """Yield the imported functions and classes whose header changed in the parent file.

    If the parent file changed `def rotate(x)` to `def rotate(x, angle)`, this is
    `rotate`. A class counts if the header of its `__init__` changed.
    """
    for imported_name, path in modular_file.parent_of.items():
        if path in parents:
            # After `from a import b as c`, `c` is called, but the parent file has `b`.
            name = modular_file.original_names[imported_name]
            function = _function_with_changed_header(parents[path], name)
            if function is not None:
                yield _Callee(imported_name, name, function)


def methods_with_changed_header(
    parent: ChangedParent, class_: str
) -> Mapping[str, _ChangedFunction]:
    """Return the methods of a class whose headers changed, such as `def grow(self, by)`.

    The methods that it inherits in the same file are included.

    Args:
        parent: The file before and after the change.
        class_: The name of the class.
    """
    old_methods = _find_all_methods(parent.old, class_)
    methods = {}
    for name, new_method in _find_all_methods(parent.new, class_).items():
        old_method = old_methods.get(name)
        if old_method is not None and _has_changed_header(old_method, new_method):
            title = f"{class_}.{name}"
            methods[name] = _ChangedFunction(title, old_method, new_method)
    return methods


def _find_all_methods(module: Module, class_name: str) -> dict[str, DefinitionView]:
    """Return the methods of a class, and of its bases in the same file, by name."""
    resolver = Resolver.of_file(module)
    class_ = resolver.meaning(module.path, class_name)
    if not isinstance(class_, Definition) or not class_.is_class:
        return {}
    methods: dict[str, DefinitionView] = {}
    # As in Python, a class wins over the classes that it inherits from.
    for ancestor in reversed((class_, *resolver.ancestors(class_).classes)):
        if isinstance(ancestor, Definition):
            view = resolver.view(ancestor)
            if view is not None:
                methods |= find_methods(view.body.statements)
    return methods


def _function_with_changed_header(
    parent: ChangedParent, name: str
) -> _ChangedFunction | None:
    """Return the function that a call of a name runs, if the function's header changed.

    For the name of a class, this is the constructor.

    Returns:
        None if the header is the same as before, or one of the texts lacks the name.
    """
    old = statement_named(parent.old, name)
    new = statement_named(parent.new, name)
    if old is None or new is None or old.kind is not new.kind:
        return None
    if new.kind is Kind.CLASS:
        return methods_with_changed_header(parent, name).get(_INIT)
    if new.kind is not Kind.FUNCTION:
        return None
    old_function = view_definition(old)
    new_function = view_definition(new)
    if not _has_changed_header(old_function, new_function):
        return None
    return _ChangedFunction(name, old_function, new_function)


def _has_changed_header(old: DefinitionView, new: DefinitionView) -> bool:
    """Return whether a function's header changed, apart from comments and strings."""
    return old.header.masked_text != new.header.masked_text


def _find_inheriting_classes(
    modular_file: ModularFile, class_: str, method: str
) -> set[str]:
    """Return the classes of a modular file that inherit a method of one of its classes.

    These are the class itself and those that inherit from it. A class that overrides the
    method is left out, and so are the classes that inherit from it alone.
    """
    inheriting: set[str] = set()
    candidates = [class_]
    # The list grows while it is read: if a class inherits the method, its children are
    # candidates, too.
    for candidate in candidates:
        view = view_definition(modular_file.definitions.classes[candidate].statement)
        if candidate in inheriting or method in find_methods(view.body.statements):
            continue
        inheriting.add(candidate)
        for name, bases in modular_file.bases.items():
            if candidate in bases:
                candidates.append(name)
    return inheriting


def _check_calls(statement: Statement, callee: _Callee) -> Iterator[Breakage]:
    """Yield the calls of a changed function whose arguments fit only its old header.

    If `def grow(self, by)` became `def grow(self)`, this is `self.grow(2)`.

    Args:
        statement: Class or function that may contain such calls.
        callee: The function, and the text by which it is called, such as `self.grow`.
    """
    # `self.grow()` in another class may run another method.
    only_class = callee.only_in_class
    if only_class is not None and statement.name != only_class:
        return
    # Few statements have such a call, and only these need to be parsed.
    if f"{callee.text}(" not in statement.code.masked_text:
        return
    for inner in find_statements([statement], f"{callee.text}("):
        for call in facts_of(inner).calls:
            if call.function != callee.text:
                continue
            problem = _problem_of_call(call, callee.function)
            if problem:
                parameters = ", ".join(callee.function.new.parameters)
                message = (
                    f"calls `{callee.text}` {problem}: the parameters of "
                    f"`{callee.function.title}` changed to `({parameters})`"
                )
                place = InheritedCall(statement.name, call, inner, callee.text).place
                yield Breakage(place, statement.name, callee.member, message)


def _problem_of_call(call: Call, function: _ChangedFunction) -> str:
    """Return how the arguments of a call do not fit a changed header.

    The result is empty if they fit, or if they did not fit the old header either.
    """
    has_self = function.has_self
    new_model = model_function(function.new.statement)
    mismatch = find_mismatch(call, new_model, is_method=has_self)
    if mismatch is None:
        return ""
    old_model = model_function(function.old.statement)
    did_fit = find_mismatch(call, old_model, is_method=has_self) is None
    return mismatch.description if did_fit else ""
